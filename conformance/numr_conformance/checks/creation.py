"""Creation functions: values, shapes, dtypes given and inferred, on the device under test."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from numr_conformance.checks._tools import (
    MOVED,
    Cases,
    assert_dtype,
    assert_equal,
    assert_true,
    default_dtype,
    device_keyword,
    distinct,
    of_kinds,
)
from numr_conformance.target import DTYPES, Target

cases = Cases("creation")
checks = cases.checks

SHAPES = [((),), ((0,),), ((5,),), ((2, 0, 3),), ((2, 3),), ((2, 1, 3, 2, 2),)]
FILLS = {"zeros": 0, "ones": 1, "full": 7}


def keywords(target: Target, dtype: str) -> dict[str, Any]:
    return {"dtype": target.dtype(dtype), **device_keyword(target)}


def fill_value(function: str, dtype: str) -> Any:
    """A Python scalar of the dtype's own kind."""
    kind = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[np.dtype(dtype).kind]
    return kind(FILLS[function])


# --- filled arrays --------------------------------------------------------------------------------


@cases("*", dtypes=DTYPES, rows=[(f, *shape) for f in FILLS for shape in SHAPES])
def filled(target: Target, dtype: str, function: str, shape: tuple[int, ...]) -> None:
    value = fill_value(function, dtype)
    more = (value,) if function == "full" else ()
    result = target.find(function)(shape, *more, **keywords(target, dtype))
    assert_equal(target, result, np.full(shape, value, dtype))


@cases("*", dtypes=DTYPES, rows=[(f"{f}_like", f, *shape) for f in FILLS for shape in SHAPES])
def filled_like(
    target: Target, dtype: str, like: str, function: str, shape: tuple[int, ...]
) -> None:
    value = fill_value(function, dtype)
    more = (value,) if function == "full" else ()
    x = target.array(distinct(dtype, shape))
    assert_equal(target, target.find(like)(x, *more), np.full(shape, value, dtype))
    other = target.array(distinct("int8", shape))
    result = target.find(like)(other, *more, dtype=target.dtype(dtype))
    assert_equal(target, result, np.full(shape, value, dtype), given="dtype=")


@cases("*", dtypes=MOVED, rows=[("empty", *shape) for shape in SHAPES])
def uninitialized(target: Target, dtype: str, function: str, shape: tuple[int, ...]) -> None:
    x = target.find(function)(shape, **keywords(target, dtype))
    like, other = target.find("empty_like"), target.array(distinct("int8", shape))
    for result in (x, like(x), like(other, dtype=target.dtype(dtype))):
        assert_true(tuple(result.shape) == shape, "wrong shape", expected=shape, actual=result)
        assert_dtype(target, result, dtype)


@cases("*", rows=[(f,) for f in ("empty", *FILLS)])
def integer_shape(target: Target, function: str) -> None:
    more = (1.0,) if function == "full" else ()
    result = target.find(function)(3, *more, **device_keyword(target))
    assert_true(tuple(result.shape) == (3,), "wrong shape", expected=(3,), actual=result.shape)
    assert_dtype(target, result, default_dtype(target, "real floating"))


SCALARS = {"bool": True, "integral": 3, "real floating": 2.5, "complex floating": 1 + 2j}


@cases("*", rows=[(f, kind) for f in ("full", "asarray") for kind in SCALARS])
def inferred_dtype(target: Target, function: str, kind: str) -> None:
    """Of a Python scalar: the default dtype of its kind."""
    value = SCALARS[kind]
    name = "bool" if kind == "bool" else default_dtype(target, kind)
    shape = (2,) if function == "full" else ()
    arguments = ((2,), value) if function == "full" else (value,)
    result = target.find(function)(*arguments, **device_keyword(target))
    assert_equal(target, result, np.full(shape, value, name), given=value)


@cases("full", dtypes=("int64", "uint64"))
def extreme_fill_value(target: Target, dtype: str) -> None:
    for value in (int(np.iinfo(dtype).max), int(np.iinfo(dtype).min)):
        result = target.xp.full(2, value, **keywords(target, dtype))
        assert_equal(target, result, np.full(2, value, dtype), given=value)


# --- ranges ---------------------------------------------------------------------------------------

INTEGER_RANGES = [
    ((5,),), ((0,),), ((-3,),), ((2, 7),), ((2, 7, 2),), ((2, 8, 2),), ((7, 2, -1),),
    ((7, 2, -2),), ((3, 3),), ((5, 2),), ((2, 5, -1),), ((0, 100, 33),),
]  # fmt: skip
FLOAT_RANGES = [((0.0, 2.0, 0.25),), ((1.5, -1.0, -0.5),), ((3.5,),), ((-2.0, 2.0),), ((0.5, 0.0),)]


@cases("arange", dtypes=of_kinds("iuf"), rows=INTEGER_RANGES)
def integer_steps(target: Target, dtype: str, arguments: tuple[int, ...]) -> None:
    true = list(range(*arguments))
    if dtype.startswith("u") and min(true, default=0) < 0:
        return
    result = target.xp.arange(*arguments, **keywords(target, dtype))
    assert_equal(target, result, np.array(true, dtype))


@cases("arange", dtypes=of_kinds("f"), rows=FLOAT_RANGES)
def binary_fraction_steps(target: Target, dtype: str, arguments: tuple[float, ...]) -> None:
    """Which rounding does not disturb, so that the number of elements is known."""
    start, stop, step = (*arguments, 1)[:3] if len(arguments) > 1 else (0, *arguments, 1)
    count = max(0, math.ceil(Fraction(stop - start) / Fraction(step)))
    true = [start + i * step for i in range(count)]
    result = target.xp.arange(*arguments, **keywords(target, dtype))
    assert_equal(target, result, np.array(true, dtype))


@cases("arange", rows=[("integral", (3,)), ("real floating", (3.0,)),
                       ("real floating", (0, 3, 1.0))])  # fmt: skip
def default_of_arange(target: Target, kind: str, arguments: tuple[Any, ...]) -> None:
    result = target.xp.arange(*arguments, **device_keyword(target))
    assert_equal(target, result, np.arange(3, dtype=default_dtype(target, kind)))


LINES = [
    (0.0, 1.0, 5),
    (0.0, 1.0, 4),
    (-3.0, 7.5, 22),
    (2, 2, 3),
    (5, -5, 11),
    (1, 2, 1),
    (0, 1, 0),
]


@cases("linspace", dtypes=of_kinds("fc"), rows=[(*line, end) for line in LINES
                                                for end in (True, False)])  # fmt: skip
def evenly_spaced(
    target: Target, dtype: str, start: float, stop: float, count: int, end: bool
) -> None:
    gaps = max(1, count - end)
    step = Fraction(stop - start) / gaps
    true = [float(Fraction(start) + i * step) for i in range(count)]
    result = target.xp.linspace(start, stop, count, endpoint=end, **keywords(target, dtype))
    # The roundings of a product and a sum, relative to the ends.
    slack = 4 * float(np.finfo(dtype).eps) * max(abs(start), abs(stop))
    assert_equal(target, result, np.array(true), dtype=dtype, atol=slack)
    if count > 1:
        first = target.host(result)[0]
        assert_true(first == start, "does not begin with start", expected=start, actual=first)
        last = target.host(result)[-1]
        assert_true(not end or last == stop, "does not end with stop", expected=stop, actual=last)


@cases("linspace", dtypes=("complex64", "complex128"))
def complex_line(target: Target, dtype: str) -> None:
    result = target.xp.linspace(1j, 3 - 5j, 4, **keywords(target, dtype))
    assert_equal(target, result, np.array([1j, 1 - 1j, 2 - 3j, 3 - 5j]), dtype=dtype, ulp=4)


# --- matrices and grids ---------------------------------------------------------------------------

DIAGONALS = [(n, m, k) for n, m in [(3, 3), (2, 4), (4, 2), (0, 3), (1, 1)]
             for k in (0, 1, -1, 3, -4)]  # fmt: skip


@cases("eye", dtypes=DTYPES, rows=DIAGONALS)
def diagonal_of_ones(target: Target, dtype: str, rows: int, columns: int, k: int) -> None:
    true = [[j - i == k for j in range(columns)] for i in range(rows)]
    result = target.xp.eye(rows, columns, k=k, **keywords(target, dtype))
    assert_equal(target, result, np.array(true, bool).reshape(rows, columns).astype(dtype))


@cases("eye")
def square_by_default(target: Target) -> None:
    true = np.zeros((2, 2), default_dtype(target, "real floating"))
    true[0, 0] = true[1, 1] = 1
    assert_equal(target, target.xp.eye(2, **device_keyword(target)), true)


@cases("*", dtypes=DTYPES, rows=[(f, shape, k) for f in ("tril", "triu") for k in (0, 1, -2, 5)
                                 for shape in ((4, 4), (2, 3, 5), (0, 2), (5, 1))])  # fmt: skip
def triangle(target: Target, dtype: str, function: str, shape: tuple[int, ...], k: int) -> None:
    host = distinct(dtype, shape)
    rows, columns = np.indices(shape[-2:])
    kept = columns - rows <= k if function == "tril" else columns - rows >= k
    result = target.find(function)(target.array(host), k=k)
    assert_equal(target, result, np.where(kept, host, np.zeros((), dtype)))


@cases("meshgrid", dtypes=MOVED, rows=[
    ("xy", (3, 4)), ("ij", (3, 4)), ("ij", (2, 3, 4)), ("xy", (2, 3, 4)), ("xy", (3,)),
    ("ij", (0, 2))])  # fmt: skip
def grids(target: Target, dtype: str, indexing: str, lengths: tuple[int, ...]) -> None:
    hosts = [distinct(dtype, (n,)) for n in lengths]
    found = target.xp.meshgrid(*map(target.array, hosts), indexing=indexing)
    assert_true(len(found) == len(hosts), "wrong number of grids", actual=len(found))
    for i, (grid, host) in enumerate(zip(found, hosts, strict=True)):
        shape = [-1 if j == i else 1 for j in range(len(hosts))]
        true = np.broadcast_to(host.reshape(shape), lengths)
        if indexing == "xy" and len(hosts) > 1:
            true = true.swapaxes(0, 1)
        assert_equal(target, grid, true, given=f"grid {i}")


# --- asarray --------------------------------------------------------------------------------------

NESTED = [
    ([True, False], "bool"), ([1, 2], "integral"), ([True, 2], "integral"),
    ([1, 2.5], "real floating"), ([True, 1.5], "real floating"), ([1, 2j], "complex floating"),
    ([[1.0, 2.0], [3.0, 4.0]], "real floating"), ([[[1], [2]], [[3], [4]]], "integral"),
    ([], "real floating"), ((1, (2)), "integral"),
]  # fmt: skip


@cases("asarray", rows=[(str(nested), kind) for nested, kind in NESTED if nested])
def nested_sequences(target: Target, text: str, kind: str) -> None:
    nested = next(nested for nested, _ in NESTED if str(nested) == text)
    name = "bool" if kind == "bool" else default_dtype(target, kind)
    result = target.xp.asarray(nested, **device_keyword(target))
    assert_equal(target, result, np.array(nested, dtype=name))


@cases("asarray", dtypes=DTYPES)
def given_dtype(target: Target, dtype: str) -> None:
    """Lists, scalars and arrays of this dtype; for an array, with nothing said it stays."""
    host = distinct(dtype, (2, 3))
    for given in (host.tolist(), tuple(map(tuple, host.tolist()))):
        result = target.xp.asarray(given, **keywords(target, dtype))
        assert_equal(target, result, host, given=given)
    scalar = host[1, 2].item()
    result = target.xp.asarray(scalar, **keywords(target, dtype))
    assert_equal(target, result, host[1, 2], given=scalar)
    assert_equal(target, target.xp.asarray(target.array(host)), host, given="an array")


@cases("asarray", dtypes=tuple(name for name in DTYPES if name[0] != "c"))
def buffer_protocol(target: Target, dtype: str) -> None:
    import array

    codes = {"bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i",
             "uint32": "I", "int64": "q", "uint64": "Q", "float32": "f",
             "float64": "d"}  # fmt: skip
    host = distinct(dtype, (6,))
    if dtype == "bool":  # of which array.array knows nothing
        given: Any = memoryview(bytearray(host.tobytes())).cast("?")
    else:
        given = array.array(codes[dtype], host.tolist())
    target.dtype(dtype)
    result = target.xp.asarray(given, **device_keyword(target))
    assert_equal(target, result, host, given=type(given).__name__)


@cases("asarray", dtypes=("uint64", "int64"))
def extreme_integers(target: Target, dtype: str) -> None:
    values = [int(np.iinfo(dtype).max), int(np.iinfo(dtype).min)]
    result = target.xp.asarray(values, **keywords(target, dtype))
    assert_equal(target, result, np.array(values, dtype), given=values)
