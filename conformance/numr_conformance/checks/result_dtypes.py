"""Dtypes that follow from one array's dtype, from the defaults, or from the index dtype.

Part of the topic "promotion".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from numr_conformance.check import Check, Failed, Recorded
from numr_conformance.standard import (
    ACCEPTED,
    KINDS,
    REAL_PART,
    REDUCTION_ACCEPTS,
    RESULTS,
    UNARY_ACCEPTS,
    UNARY_OPERATORS,
    above,
    accepted,
    chapter_of,
    result_dtype,
)
from numr_conformance.target import Target


def checks(target: Target) -> Iterator[Check]:
    for dtype in target.dtypes:
        for function in (*UNARY_ACCEPTS, *UNARY_OPERATORS):
            run = partial(_unary if dtype in accepted(function) else _open, function, dtype)
            yield _check(function, dtype, run)
        for function in REDUCTION_ACCEPTS:
            run = partial(_reduction if dtype in accepted(function) else _open, function, dtype)
            yield _check(function, dtype, run)
            if dtype in accepted(function) and RESULTS.get(function) == "accumulator":
                run = partial(_dtype_keyword, function, dtype)
                yield _check(function, dtype, run, "keyword")
        yield _check("can_cast", dtype, partial(_can_cast, dtype))
        yield _check("can_cast", dtype, partial(_can_cast_mixed, dtype), "mixed-kinds")
        yield _check("isdtype", dtype, partial(_isdtype, dtype))
        if dtype in ACCEPTED["floating-point"]:
            yield _check("finfo", dtype, partial(_finfo, dtype))
        if dtype in ACCEPTED["integer"]:
            yield _check("iinfo", dtype, partial(_iinfo, dtype))
    for name, (key, arguments) in CREATIONS.items():
        function = name.split()[0]
        yield Check(f"defaults/{name.replace(' ', '-')}", "creation_functions", function, "",
                    partial(_default, function, key, arguments))  # fmt: skip
    yield Check("defaults/complex-matches-real", "dtypes", "", "", _complex_default_matches_real)
    for name, field in INDICES.items():
        yield Check(f"defaults/index-of-{name}", chapter_of(name), name, "",
                    partial(_index, name, field))  # fmt: skip


def _check(function: str, dtype: str, run: Callable[[Target], None], what: str = "alone") -> Check:
    name = f"promotion/{what}/{function}/{dtype}"
    return Check(name, chapter_of(function), function, dtype, run)


def defaults(target: Target) -> Mapping[str, Any]:
    """The device's default dtypes; of a namespace that cannot be asked, those of its arrays."""
    info = getattr(target.xp, "__array_namespace_info__", None)
    if info is not None:
        return info().default_dtypes(device=target.device)
    kinds = {"real floating": [1.0], "complex floating": [1j], "integral": [1], "indexing": [1]}
    return {key: target.xp.asarray(value).dtype for key, value in kinds.items()}


def _name(target: Target, dtype: Any) -> str:
    return next((name for name, known in target.dtypes.items() if known == dtype), str(dtype))


def _require(expected: str, found: str, given: str) -> None:
    if found != expected:
        raise Failed("the result has another dtype", given=given, expected=expected, actual=found)


# --- one array ------------------------------------------------------------------------------------


def _unary(function: str, dtype: str, target: Target) -> None:
    call = target.find(function)
    for shape in ((), (1,)):
        found = target.dtype_name(call(target.array(np.ones(shape, dtype))))
        _require(result_dtype(function, dtype), found, f"{function} of {dtype} {shape}")


def _open(function: str, dtype: str, target: Target) -> None:
    """Writes down what comes of a dtype that the standard does not define the function for."""
    call = target.find(function)
    try:
        found = call(target.array(np.ones((1,), dtype)))
        what = f"allowed -> {target.dtype_name(found[0] if isinstance(found, tuple) else found)}"
    except Exception as error:  # the standard names no exception
        what = f"refused: {type(error).__name__}"
    raise Recorded(what)


def _accumulator(target: Target, dtype: str) -> str:
    """The dtype of sums: integers become at least as wide as the default integer."""
    default = _name(target, defaults(target)["integral"])
    if dtype not in ACCEPTED["integer"] or np.dtype(dtype).itemsize >= np.dtype(default).itemsize:
        return dtype
    return default if dtype in KINDS["signed integer"] else f"u{default}"


def _reduction(function: str, dtype: str, target: Target) -> None:
    found: Any = target.find(function)(target.array(np.ones((2,), dtype)))
    rule = RESULTS.get(function, "same")
    if rule == "accumulator":
        expected = _accumulator(target, dtype)
        if expected not in target.dtypes:
            raise Recorded(f"no {expected} on this device: {target.dtype_name(found)}")
    elif rule == "index":
        expected = _name(target, defaults(target)["indexing"])
    else:
        expected = "bool" if rule == "bool" else dtype
    found = found[0] if function == "nonzero" else found
    _require(expected, target.dtype_name(found), f"{function} of {dtype}")


def _dtype_keyword(function: str, dtype: str, target: Target) -> None:
    """An array of the narrowest dtype of the kind, summed up in ``dtype``."""
    narrow = next(name for name in target.dtypes if name != "bool" and dtype in above(name))
    x = target.array(np.ones((2,), narrow))
    found = target.find(function)(x, dtype=target.dtypes[dtype])
    _require(dtype, target.dtype_name(found), f"{function} of {narrow}, dtype={dtype}")


# --- defaults -------------------------------------------------------------------------------------

# What has a default dtype: the kind of the default, and the arguments.
CREATIONS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "arange of ints": ("integral", (3,)),
    "arange of floats": ("real floating", (0.0, 3.0)),
    "arange with a float step": ("real floating", (0, 3, 0.5)),
    "asarray of bools": ("bool", ([True],)),
    "asarray of ints": ("integral", ([1, 2],)),
    "asarray of bools and ints": ("integral", ([True, 2],)),
    "asarray of ints and floats": ("real floating", ([1, 2.0],)),
    "asarray of a complex": ("complex floating", ([1, 2.0, 1j],)),
    "asarray of one float": ("real floating", (1.0,)),
    "empty": ("real floating", ((1,),)),
    "eye": ("real floating", (2,)),
    "full of a bool": ("bool", ((1,), True)),
    "full of an int": ("integral", ((1,), 1)),
    "full of a float": ("real floating", ((1,), 1.0)),
    "full of a complex": ("complex floating", ((1,), 1j)),
    "linspace of floats": ("real floating", (0.0, 1.0, 3)),
    "linspace of ints": ("real floating", (0, 1, 3)),
    "linspace of a complex": ("complex floating", (0, 1j, 3)),
    "ones": ("real floating", ((1,),)),
    "zeros": ("real floating", ((1,),)),
    "fft.fftfreq": ("real floating", (4,)),
    "fft.rfftfreq": ("real floating", (4,)),
}


# Functions, beyond the reductions, whose results are indices or counts: the field of the result.
INDICES = {
    "searchsorted": "",
    "unique_all": "indices",
    "unique_counts": "counts",
    "unique_inverse": "inverse_indices",
}


def _default(function: str, key: str, arguments: tuple[Any, ...], target: Target) -> None:
    expected = "bool" if key == "bool" else _name(target, defaults(target)[key])
    keywords = {} if target.device is None else {"device": target.device}
    x = target.find(function)(*arguments, **keywords)
    _require(expected, target.dtype_name(x), function)


def _index(function: str, field: str, target: Target) -> None:
    expected = _name(target, defaults(target)["indexing"])
    row = target.array(np.asarray([1.0, 2.0], "float32"))
    found = target.find(function)(*([row] if field else [row, row]))
    x = getattr(found, field) if field else found
    _require(expected, target.dtype_name(x), f"{function} {field}".strip())


def _complex_default_matches_real(target: Target) -> None:
    found = defaults(target)
    real, complex_ = (_name(target, found[f"{key} floating"]) for key in ("real", "complex"))
    _require(real, REAL_PART.get(complex_, complex_), "real part of the default complex dtype")


# --- data type functions --------------------------------------------------------------------------


# Between these kinds the standard defines no promotion.
KIND_GROUPS = (KINDS["bool"], KINDS["integral"], ACCEPTED["floating-point"])


def _same_kind(first: str, second: str) -> bool:
    return any({first, second} <= set(dtypes) for dtypes in KIND_GROUPS)


def _can_cast(dtype: str, target: Target) -> None:
    function, x = target.find("can_cast"), target.array(np.ones((), dtype))
    for to, wanted in target.dtypes.items():
        expected = to in above(dtype)
        for source, text in ((target.dtypes[dtype], dtype), (x, f"an array of {dtype}")):
            if not _same_kind(dtype, to):
                continue
            found = function(source, wanted)
            if type(found) is not bool or found != expected:
                raise Failed("another answer", given=f"can_cast({text}, {to})",
                             expected=expected, actual=found)  # fmt: skip


def _can_cast_mixed(dtype: str, target: Target) -> None:
    function, answers = target.find("can_cast"), dict[bool, list[str]]()
    for to, wanted in target.dtypes.items():
        if not _same_kind(dtype, to):
            answers.setdefault(bool(function(target.dtypes[dtype], wanted)), []).append(to)
    raise Recorded("; ".join(f"{', '.join(to)}: {answer}" for answer, to in answers.items()))


def _isdtype(dtype: str, target: Target) -> None:
    function, own = target.find("isdtype"), target.dtypes[dtype]
    cases: list[tuple[Any, bool, str]] = [(k, dtype in names, k) for k, names in KINDS.items()]
    cases += [(known, name == dtype, name) for name, known in target.dtypes.items()]
    cases += [
        (("bool", "integral"), dtype in ACCEPTED["integer or boolean"], "bool, integral"),
        (("real floating", own), True, "real floating, itself"),
        ((), False, "nothing"),
    ]
    for kind, expected, text in cases:
        found = function(own, kind)
        if type(found) is not bool or found != expected:
            raise Failed("another answer", given=f"isdtype({dtype}, {text})", expected=expected,
                         actual=found)  # fmt: skip


def _limits(function: str, dtype: str, expected: Mapping[str, Any], target: Target) -> None:
    for given in (target.dtypes[dtype], target.array(np.ones((1,), dtype))):
        found = target.find(function)(given)
        for key, value in expected.items():
            actual = getattr(found, key)
            if key == "dtype":
                if actual != target.dtypes[value]:
                    raise Failed("another dtype", given=dtype, expected=value, actual=actual)
            elif not isinstance(actual, type(value)) or actual != value:
                raise Failed(f"{key} has another value or type", given=f"{function}({dtype})",
                             expected=value, actual=actual)  # fmt: skip


def _finfo(dtype: str, target: Target) -> None:
    real = REAL_PART.get(dtype, dtype)
    limits = np.finfo(real)
    numbers = {key: float(getattr(limits, key)) for key in ("eps", "max", "min", "smallest_normal")}
    dtype_ = {"dtype": real} if real in target.dtypes else {}
    _limits("finfo", dtype, {"bits": int(limits.bits), **numbers, **dtype_}, target)


def _iinfo(dtype: str, target: Target) -> None:
    limits = np.iinfo(dtype)
    expected = {"bits": int(limits.bits), "max": int(limits.max), "min": int(limits.min)}
    _limits("iinfo", dtype, {**expected, "dtype": dtype}, target)
