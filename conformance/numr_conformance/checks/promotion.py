"""The dtypes of results: promotion of two dtypes, of a dtype and a Python scalar, and alone.

Dtypes of results that follow from one array, from defaults or from the index dtype are in
``result_dtypes``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from numr_conformance.check import Check, Failed, Recorded
from numr_conformance.checks import result_dtypes
from numr_conformance.standard import (
    ACCEPTED,
    ALL_OPERATORS,
    ARITHMETIC_OPERATORS,
    BINARY_ACCEPTS,
    COMPARISONS,
    IN_PLACE_OPERATORS,
    accepted,
    promote,
    promote_scalar,
    result_dtype,
)
from numr_conformance.target import Target

Call = Callable[[Any, Any], Any]

# Two arrays may have any two shapes, since promotion does not depend on them.
SHAPES = [((), ()), ((1,), ()), ((), (1,)), ((1,), (1,))]

MATRIX_FUNCTIONS = ["matmul", "tensordot", "vecdot", "linalg.outer"]
SELECTIONS = ["concat", "stack", "where"]
SCALARS = {bool: True, int: 1, float: 1.0, complex: 1j}
OPERATORS = {**ARITHMETIC_OPERATORS, **COMPARISONS}


def checks(target: Target) -> Iterator[Check]:
    for first in target.dtypes:
        yield _check("result_type", first, partial(_result_type, first))
        yield _check("result_type", first, partial(_result_type_of_mixed, first), "mixed kinds")
        yield _check("result_type", first, partial(_result_type_of_scalars, first), "scalars")
        for function in (*BINARY_ACCEPTS, *OPERATORS, *MATRIX_FUNCTIONS, *SELECTIONS):
            yield _check(function, first, partial(_mixed_kinds, function, first), "mixed kinds")
            if first in _defined_for(function):
                yield _check(function, first, partial(_promotes, function, first))
        for function in IN_PLACE_OPERATORS:
            if first in _defined_for(function):
                yield _check(function, first, partial(_promotes, function, first))
        for function in (*BINARY_ACCEPTS, *OPERATORS, *IN_PLACE_OPERATORS):
            if first in _defined_for(function) and ALL_OPERATORS.get(function) != "matmul":
                run = partial(_with_scalars, function, first)
                yield _check(function, first, run, "scalars")
    yield _check("result_type", "", _result_type_of_many, "many")
    yield from result_dtypes.checks(target)


def _check(function: str, dtype: str, run: Callable[[Target], None], what: str = "") -> Check:
    name = "/".join(filter(None, ("promotion", what.replace(" ", "-"), function, dtype)))
    return Check(name, "type_promotion", function, dtype, run)


def _defined_for(function: str) -> tuple[str, ...]:
    """The dtypes that a function or operator accepts."""
    if function in SELECTIONS:
        return ACCEPTED["any"]
    if function in MATRIX_FUNCTIONS or ALL_OPERATORS.get(function) == "matmul":
        return ACCEPTED["numeric"]
    return accepted(function)


def _caller(target: Target, function: str) -> Call:
    """A function of two arrays whose dtypes are to be promoted."""
    found = target.find(function)
    match function:
        case "concat" | "stack":
            return lambda x1, x2: found([x1, x2])
        case "where":
            condition = target.array(np.asarray(True))
            return lambda x1, x2: found(condition, x1, x2)
        case "tensordot":
            return lambda x1, x2: found(x1, x2, axes=0)
        case _:
            return found


def _shapes(function: str) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The shapes of two operands that a function takes and that change nothing."""
    if function in MATRIX_FUNCTIONS or function == "concat":
        return [((1,), (1,))]
    if ALL_OPERATORS.get(function) == "matmul":
        return [((1, 1), (1, 1))]  # of in-place @ no axis may vanish
    if function == "stack":
        return [((), ()), ((1,), (1,))]
    if function in IN_PLACE_OPERATORS:
        return [shapes for shapes in SHAPES if shapes != ((), (1,))]  # the left one cannot grow
    return SHAPES


def _expect(expected: str, target: Target, x: Any, given: str) -> None:
    found = target.dtype_name(x)
    if found != expected:
        raise Failed("the result has another dtype", given=given, expected=expected, actual=found)


# --- two arrays -----------------------------------------------------------------------------------


def _promotes(function: str, first: str, target: Target) -> None:
    call = _caller(target, function)
    for second in target.dtypes:
        common = promote(first, second)
        if common is None or common not in target.dtypes or second not in _defined_for(function):
            continue
        if function in IN_PLACE_OPERATORS and common != first:
            continue  # the standard leaves the result's dtype open
        if function == "nextafter" and second != first:
            continue  # defined for equal dtypes alone
        for shapes in _shapes(function):
            x1, x2 = (
                target.array(np.ones(shape, dtype))
                for shape, dtype in zip(shapes, (first, second), strict=True)
            )
            given = f"{function} of {first} {shapes[0]}, {second} {shapes[1]}"
            _expect(result_dtype(function, common), target, call(x1, x2), given)


def _mixed_kinds(function: str, first: str, target: Target) -> None:
    """Writes down what comes of dtypes that the standard defines no promotion for."""
    call = _caller(target, function)
    shapes = _shapes(function)[0]
    found: dict[str, list[str]] = {}
    for second in target.dtypes:
        if promote(first, second) is None:
            x1 = target.array(np.ones(shapes[0], first))
            x2 = target.array(np.ones(shapes[1], second))
            what = _attempt(lambda x1=x1, x2=x2: target.dtype_name(call(x1, x2)))
            found.setdefault(what, []).append(second)
    raise Recorded(_listed(found))


def _attempt(dtype: Callable[[], str]) -> str:
    try:
        return f"allowed -> {dtype()}"
    except Exception as error:  # the standard names no exception
        return f"refused: {type(error).__name__}"


def _listed(found: dict[str, list[str]]) -> str:
    """What happened, and with which dtypes it did."""
    return "; ".join(f"{', '.join(dtypes)}: {what}" for what, dtypes in found.items())


# --- an array and a Python scalar -----------------------------------------------------------------


def _with_scalars(function: str, first: str, target: Target) -> None:
    call = target.find(function)
    for kind, scalar in SCALARS.items():
        common = promote_scalar(first, kind)
        if common is None or common not in target.dtypes or common not in _defined_for(function):
            continue
        for shape in ((), (1,)):
            x = target.array(np.ones(shape, first))
            expected = result_dtype(function, common)
            given = f"{function} of {first} {shape} and a Python {kind.__name__}"
            if function not in IN_PLACE_OPERATORS:
                _expect(expected, target, call(x, scalar), given)
                _expect(expected, target, call(scalar, x), f"{given}, the scalar first")
            elif common == first:
                _expect(expected, target, call(x, scalar), given)


# --- result_type ----------------------------------------------------------------------------------


def _require_dtype(expected: str, target: Target, found: Any, given: str) -> None:
    if found != target.dtypes[expected]:
        raise Failed("another dtype", given=given, expected=expected, actual=found)


def _result_type(first: str, target: Target) -> None:
    function = target.find("result_type")
    for second in target.dtypes:
        common = promote(first, second)
        if common is None or common not in target.dtypes:
            continue
        pair = target.dtypes[first], target.dtypes[second]
        given = f"result_type({first}, {second})"
        x = target.array(np.ones((), first))
        _require_dtype(common, target, function(*pair), given)
        _require_dtype(common, target, function(x, pair[1]), f"{given}, an array first")
        _require_dtype(common, target, function(pair[1], x), f"{given}, an array last")


def _result_type_of_mixed(first: str, target: Target) -> None:
    function = target.find("result_type")
    found: dict[str, list[str]] = {}
    for second in target.dtypes:
        if promote(first, second) is None:
            pair = target.dtypes[first], target.dtypes[second]
            found.setdefault(_attempt(lambda pair=pair: str(function(*pair))), []).append(second)
    raise Recorded(_listed(found))


def _result_type_of_scalars(first: str, target: Target) -> None:
    function = target.find("result_type")
    for kind, scalar in SCALARS.items():
        common = promote_scalar(first, kind)
        if common is not None and common in target.dtypes:
            for given in (target.dtypes[first], target.array(np.ones((1,), first))):
                text = f"result_type of {first} and a Python {kind.__name__}"
                _require_dtype(common, target, function(given, scalar), text)
                _require_dtype(common, target, function(scalar, given), text)


def _result_type_of_many(target: Target) -> None:
    """Promotion is associative, so any number of dtypes has one result whatever their order."""
    function = target.find("result_type")
    for names in (
        ("int8", "uint8", "int32"),
        ("uint32", "int8", "uint8", "int16"),
        ("float32", "complex64", "float64"),
        ("uint8", "uint16", "uint8"),
        ("int16",),
    ):
        common: str | None = names[0]
        for name in names[1:]:
            common = common and promote(common, name)
        if common is None or not {*names, common} <= set(target.dtypes):
            continue
        for order in (names, names[::-1]):
            found = function(*(target.dtypes[name] for name in order))
            _require_dtype(common, target, found, f"result_type({', '.join(order)})")
