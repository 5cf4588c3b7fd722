"""Element-wise functions and operators against exact arithmetic, in every dtype and layout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from numr_conformance.checks._elementwise import (
    COMPARISONS,
    OPERATORS,
    ROWS,
    expected,
    operands,
    reference,
)
from numr_conformance.checks._tools import LAYOUTS, Cases, Host, assert_equal, of_kinds
from numr_conformance.target import Target

cases = Cases("elementwise")
checks = cases.checks


def compare(target: Target, result: Any, true: Host, name: str, dtype: str, given: Any) -> None:
    bound = ROWS[name].ulp[np.dtype(dtype).kind == "c"] if true.dtype.kind in "fc" else 0
    if name == "pow" and np.dtype(dtype).kind in "iu":
        bound = 0
    assert_equal(target, result, true, given=given, ulp=bound)


def each(table: dict[str, str], *rows: tuple[Any, ...]) -> Callable[..., Any]:
    """The decorator for ``body(target, dtype, name, *row)``, for each dtype of each function."""

    def enter(body: Callable[..., Any]) -> Callable[..., Any]:
        for key, name in table.items():
            given = [(key, *row) for row in rows or [()]]
            cases("*", dtypes=of_kinds(ROWS[name].kinds), rows=given)(body)
        return body

    return enter


FUNCTIONS = {name: name for name in ROWS}
SEVERAL = {name: name for name, row in ROWS.items() if row.arity > 1}
BINARY = {key: name for key, name in OPERATORS.items() if ROWS[name].arity == 2}
IN_PLACE = {f"__i{key[2:]}": name for key, name in BINARY.items() if key not in COMPARISONS}


@each(FUNCTIONS, *((layout,) for layout in LAYOUTS))
def values(target: Target, dtype: str, name: str, layout: str) -> None:
    arrays = [LAYOUTS[layout](target, x) for x in operands(name, dtype)]
    result = target.find(name)(*arrays)
    compare(target, result, expected(name, dtype), name, dtype, layout)


@each(FUNCTIONS)
def zero_dimensions(target: Target, dtype: str, name: str) -> None:
    for index in ((0, 0, 0), (0, 0, 1), (2, 1, 3)):
        hosts = [x[index] for x in operands(name, dtype)]
        result = target.find(name)(*map(target.array, hosts))
        compare(target, result, expected(name, dtype)[index], name, dtype, hosts)


@each(FUNCTIONS, (0,), (2, 0, 3))
def empty(target: Target, dtype: str, name: str, *shape: int) -> None:
    arrays = [target.array(np.zeros(shape, dtype)) for _ in range(ROWS[name].arity)]
    result = target.find(name)(*arrays)
    assert_equal(target, result, np.zeros(shape, expected(name, dtype).dtype), given=shape)


@each(SEVERAL)
def broadcast(target: Target, dtype: str, name: str) -> None:
    """Also where one operand has fewer axes, and where both have axes of length 1."""
    for first, last in [((3, 4, 5), (5,)), ((3, 1, 5), (4, 1)), ((1, 1, 5), (3, 4, 1))]:
        given = operands(name, dtype)
        # Only the last operand is cut otherwise, so that pairs like "low <= high" stay in order.
        hosts = [x[tuple(slice(n) for n in first)] for x in given[:-1]]
        index = tuple(slice(n) for n in (1,) * (3 - len(last)) + last)
        hosts.append(given[-1][index].reshape(last))
        if ROWS[name].domain in ("bounds", "difference"):
            hosts[0] = np.maximum(hosts[0], np.max(hosts[-1]))
            hosts[1:-1] = [np.minimum(x, np.min(hosts[-1])) for x in hosts[1:-1]]
        result = target.find(name)(*map(target.array, hosts))
        true = reference(name, dtype, tuple(hosts))
        compare(target, result, true, name, dtype, (first, last))


@each(OPERATORS)
def operators(target: Target, dtype: str, key: str) -> None:
    name = OPERATORS[key]
    result = target.find(key)(*map(target.array, operands(name, dtype)))
    compare(target, result, expected(name, dtype), name, dtype, key)


SCALARS = {"b": True, "i": 2, "u": 2, "f": 1.5, "c": 1.5}


@each(BINARY)
def scalars(target: Target, dtype: str, key: str) -> None:
    """A Python scalar on either side counts as a 0-d array of the array's dtype."""
    name = BINARY[key]
    scalar = SCALARS[np.dtype(dtype).kind]
    host = operands(name, dtype)[0]
    if np.dtype(dtype).kind in "iu":
        host = np.clip(host, 1, 3).astype(dtype)  # never 0, nor shifted or raised out of range
    full, x = np.full((), scalar, dtype), target.array(host)
    after, before = target.find(key)(x, scalar), target.find(key)(scalar, x)
    compare(target, after, reference(name, dtype, (host, full)), name, dtype, ("x", scalar))
    if name == "subtract" and dtype.startswith("u"):
        return  # 2 - 3
    compare(target, before, reference(name, dtype, (full, host)), name, dtype, (scalar, "x"))


@each(IN_PLACE)
def in_place(target: Target, dtype: str, key: str) -> None:
    name = IN_PLACE[key]
    x, y = map(target.array, operands(name, dtype))
    result = target.find(key)(x, y)
    compare(target, result, expected(name, dtype), name, dtype, key)
