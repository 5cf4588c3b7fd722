"""Reductions, running sums and differences: against exact sums of Python's numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from numr_conformance.checks._tools import (
    LAYOUTS,
    Cases,
    Host,
    assert_equal,
    assert_true,
    continuous,
    default_dtype,
    numbers,
    of_kinds,
    real_part,
    sum_dtype,
)
from numr_conformance.target import DTYPES, Target

cases = Cases("reductions")
checks = cases.checks

SHAPES = [((5,),), ((3, 4),), ((2, 3, 4),), ((2, 0, 3),), ((),), ((2, 1, 3, 2, 2),)]


def axes_of(rank: int) -> Iterator[Any]:
    """None, every axis counted from both ends, and every set of at most two and of all axes."""
    yield None
    yield from range(-rank, rank)
    for count in {0, 2, rank} & set(range(rank + 1)):
        yield from itertools.combinations(range(rank), count)
    if rank > 1:
        yield (-1, 0)


def lines(host: Host, axis: Any) -> tuple[Host, tuple[int, ...]]:
    """The array with the reduced axes flattened to the last one, and which axes these were."""
    axes = range(host.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    reduced = tuple(sorted(a % host.ndim for a in axes)) if host.ndim else ()
    kept = tuple(a for a in range(host.ndim) if a not in reduced)
    length = math.prod(host.shape[a] for a in reduced)
    return host.transpose(kept + reduced).reshape(*(host.shape[a] for a in kept), length), reduced


def reduced(
    reference: Callable[[list[Any]], Any], host: Host, axis: Any, keepdims: bool, dtype: str
) -> Host:
    """The reduction by a function of lists of Python numbers."""
    flat, axes = lines(host, axis)
    out = np.empty(flat.shape[:-1], dtype)
    for place in np.ndindex(*out.shape):
        out[place] = reference(flat[place].tolist())
    if keepdims:
        return out.reshape([1 if a in axes else n for a, n in enumerate(host.shape)])
    return out


def variance(correction: float) -> Callable[[list[float]], float]:
    """Of fractions, rounded once."""

    def exact(line: list[float]) -> float:
        if len(line) <= correction:
            return math.nan
        values = [Fraction(x) for x in line]
        mean = sum(values) / len(values)
        return float(sum((x - mean) ** 2 for x in values) / (len(values) - Fraction(correction)))

    return exact


def mean(line: list[Any]) -> Any:
    if not line:
        return math.nan
    parts = [
        float(sum(Fraction(getattr(x, p)) for x in line) / len(line)) for p in ("real", "imag")
    ]
    return complex(*parts) if isinstance(line[0], complex) else parts[0]


# Kinds, the reference, the result's dtype ("sum" for the rule of sums), whether of nothing, ulp.
ROWS: dict[str, tuple[str, Callable[[list[Any]], Any], str, bool, float]] = {
    "sum": ("iufc", sum, "sum", True, 0),  # of quarters, which add up exactly
    "prod": ("iufc", math.prod, "sum", True, 0),
    "max": ("iuf", max, "", False, 0),
    "min": ("iuf", min, "", False, 0),
    "mean": ("fc", mean, "", True, 4),
    "var": ("f", variance(0), "", True, 16),
    "std": ("f", lambda line: math.sqrt(variance(0)(line)), "", True, 16),
    "all": ("biufc", all, "bool", True, 0),
    "any": ("biufc", any, "bool", True, 0),
    "count_nonzero": ("biufc", lambda line: sum(x != 0 for x in line), "index", True, 0),
}


def result_dtype(target: Target, rule: str, dtype: str) -> str:
    if rule == "sum":
        return sum_dtype(target, dtype)
    return default_dtype(target, "indexing") if rule == "index" else rule or dtype


def each_function(*rows: tuple[Any, ...], only: str = "") -> Callable[..., Any]:
    def enter(body: Callable[..., Any]) -> Callable[..., Any]:
        for name, (kinds, *_) in ROWS.items():
            if not only or name in only.split():
                given = [(name, *row) for row in rows or [()]]
                cases("*", dtypes=of_kinds(kinds), rows=given)(body)
        return body

    return enter


def factors(dtype: str, shape: tuple[int, ...]) -> Host:
    """Ones of both signs and a few twos, whose products are exact and small."""
    count = np.arange(math.prod(shape)).reshape(shape)
    sign = np.where((count % 3 == 1) & (dtype[0] != "u"), -1, 1)
    return np.where(count % 7 == 3, 2, sign).astype(dtype)


def operand(name: str, dtype: str, shape: tuple[int, ...]) -> Host:
    return factors(dtype, shape) if name == "prod" else numbers(dtype, shape, name)


@each_function(*SHAPES)
def over_every_axis(target: Target, dtype: str, name: str, shape: tuple[int, ...]) -> None:
    _, reference, rule, of_nothing, ulp = ROWS[name]
    host = operand(name, dtype, shape)
    wanted = result_dtype(target, rule, dtype)
    ulp = 0 if np.dtype(wanted).kind in "iu" else ulp
    for axis, keepdims in itertools.product(axes_of(len(shape)), (False, True)):
        if not of_nothing and lines(host, axis)[0].shape[-1] == 0:
            continue
        true = reduced(reference, host, axis, keepdims, wanted)
        result = target.find(name)(target.array(host), axis=axis, keepdims=keepdims)
        slack = 16 * float(np.finfo(dtype).eps) if name in ("mean", "var", "std") else 0
        assert_equal(target, result, true, given=(shape, axis, keepdims), ulp=ulp, atol=slack)


@each_function(*((layout,) for layout in LAYOUTS))
def layouts(target: Target, dtype: str, name: str, layout: str) -> None:
    _, reference, rule, _, ulp = ROWS[name]
    host = operand(name, dtype, (3, 4, 2))
    wanted = result_dtype(target, rule, dtype)
    ulp = 0 if np.dtype(wanted).kind in "iu" else ulp
    for axis in (None, 0, 1, 2):
        true = reduced(reference, host, axis, False, wanted)
        result = target.find(name)(LAYOUTS[layout](target, host), axis=axis)
        assert_equal(target, result, true, given=(layout, axis), ulp=ulp, atol=1e-6 * (ulp > 0))


# --- dtype, accumulation, special values ----------------------------------------------------------

CASTS = [("int8", "int8"), ("int8", "int16"), ("int16", "int64"), ("uint8", "uint8"),
         ("uint8", "uint64"), ("uint8", "int32"), ("int32", "float64"), ("float32", "float64"),
         ("float64", "float32"), ("complex64", "complex128"), ("float32", "complex64")]  # fmt: skip
SUMS = ("sum", "prod", "cumulative_sum", "cumulative_prod")


@cases("*", rows=[(name, *cast) for name in SUMS for cast in CASTS])
def dtype_keyword(target: Target, name: str, dtype: str, wanted: str) -> None:
    """The operand is cast before it is summed."""
    host = factors(dtype, (7,))
    total = sum if "sum" in name else math.prod
    columns = [total(host.tolist()[:i]) for i in range(1, 8)]
    true = np.array(columns if name.startswith("cumulative") else columns[-1]).astype(wanted)
    result = target.find(name)(target.array(host), dtype=target.dtype(wanted))
    assert_equal(target, result, true, given=(dtype, wanted), ulp=4)


@cases(
    "*", dtypes=("int8", "int16", "int32", "uint8", "uint16", "uint32"), rows=[(f,) for f in SUMS]
)
def integers_do_not_overflow(target: Target, dtype: str, name: str) -> None:
    top = int(np.iinfo(dtype).max)
    host = np.array([top, 1, 1] if "prod" in name else [top, top, 1], dtype)
    values = np.array(host.tolist(), sum_dtype(target, dtype))
    true = np.cumsum(values) if "sum" in name else np.cumprod(values)
    wanted = true if name.startswith("cumulative") else true[-1]
    assert_equal(target, target.find(name)(target.array(host)), wanted, dtype=values.dtype.name)


@cases("sum", dtypes=of_kinds("fc"), rows=[("random",), ("growing",), ("cancelling",), ("many",)])
def accumulation_error(target: Target, dtype: str, data: str) -> dict[str, float]:
    """No worse than summing one after the other: n eps sum(abs(x)) bounds the error.

    How large it is, in units of eps sum(abs(x)), is written down.
    """
    count = 20_000 if data == "many" else 2_000
    host = continuous(dtype, (count,), data)
    if data == "growing":
        host = (host * np.geomspace(1e-3, 1e3, count)).astype(dtype)
    if data == "cancelling":
        host[1::2] = -host[::2] * np.asarray(1 + 1e-3, real_part(dtype))
    if data == "many":
        host = np.full(count, 0.1, dtype)
    true = complex(math.fsum(host.real.tolist()), math.fsum(host.imag.tolist()))
    unit = float(np.finfo(dtype).eps) * float(np.sum(np.abs(host.astype("complex128"))))
    found = complex(target.host(target.xp.sum(target.array(host))).item())
    error = abs(found - true) / unit
    assert_true(error <= count, "lost significance", given=data, expected=true, actual=found)
    return {"error_eps": error}


@cases("*", dtypes=of_kinds("f"), rows=[("var",), ("std",)])
def large_mean_does_not_cancel(target: Target, dtype: str, name: str) -> None:
    """Two passes; the mean of squares minus the square of the mean would leave nothing."""
    shift = 0.01 / float(np.finfo(dtype).eps)
    host = (np.round(shift) + np.arange(101) % 7).astype(dtype)
    square = variance(0)(host.tolist())
    true = np.asarray(square if name == "var" else math.sqrt(square))
    result = target.find(name)(target.array(host))
    assert_equal(target, result, true, dtype=dtype, atol=0.05 * float(true))


@cases("*", dtypes=of_kinds("f"), rows=itertools.product(("var", "std"), (0, 1, 2, 0.5, 5, 7)))
def correction(target: Target, dtype: str, name: str, correction: float) -> None:
    host = numbers(dtype, (5, 2), name)

    def reference(line: list[float]) -> float:
        square = variance(correction)(line)
        return square if name == "var" else math.sqrt(square)

    result = target.find(name)(target.array(host), axis=0, correction=correction)
    assert_equal(target, result, reduced(reference, host, 0, False, dtype), ulp=16)


@each_function((0,), (3,), (7,), only="sum prod max min mean var std")
def nan_is_passed_on(target: Target, dtype: str, name: str, place: int) -> None:
    if np.dtype(dtype).kind not in "fc":
        return
    host = np.ones((2, 8), dtype)
    host[0, place] = math.nan
    found = target.host(target.find(name)(target.array(host), axis=1))
    right = [bool(x != x) for x in found.tolist()] == [True, False]
    assert_true(right, "NaN is not passed on", given=host, expected="[nan, 1]", actual=found)


@cases("*", dtypes=of_kinds("fc"), rows=[("all", True), ("any", True)])
def infinite_and_nan_are_true(target: Target, dtype: str, name: str, true: bool) -> None:
    values = [math.inf, -math.inf, math.nan] + [1j, complex(0, math.nan)] * (dtype[0] == "c")
    for value in values:
        result = target.find(name)(target.array(np.array([value], dtype)))
        assert_equal(target, result, np.array(true), given=value)
    zeros = target.array(np.array([0.0, -0.0], dtype))
    assert_equal(target, target.find(name)(zeros), np.array(False), given="zeros")


# --- running sums and differences -----------------------------------------------------------------


@cases("*", dtypes=of_kinds("iufc"), rows=itertools.product(
    ("cumulative_sum", "cumulative_prod"), ((5,), (3, 4), (2, 0, 3), (2, 1, 3)),
    (False, True)))  # fmt: skip
def running(
    target: Target, dtype: str, name: str, shape: tuple[int, ...], include_initial: bool
) -> None:
    step: Any = np.add if name == "cumulative_sum" else np.multiply
    host = factors(dtype, shape)
    wanted = sum_dtype(target, dtype)
    for axis in (*range(-len(shape), len(shape)), *([None] if len(shape) == 1 else [])):
        rows = np.moveaxis(host.astype(wanted), axis or 0, 0)
        parts = [np.full(rows.shape[1:], name == "cumulative_prod", wanted)]
        for row in rows:
            parts.append(step(parts[-1], row))
        stack = np.stack(parts) if include_initial else np.stack(parts)[1:]
        true = np.moveaxis(stack, 0, axis or 0)
        result = target.find(name)(target.array(host), axis=axis, include_initial=include_initial)
        assert_equal(target, result, true, given=(shape, axis))


@cases("diff", dtypes=of_kinds("iufc"),
       rows=itertools.product(((7,), (3, 4), (2, 0, 3)), (0, 1, 2, 3)))  # fmt: skip
def differences(target: Target, dtype: str, shape: tuple[int, ...], n: int) -> None:
    host = np.cumsum(np.cumsum(np.cumsum(np.ones(shape), -1), -1), -1).astype(dtype)
    for axis in range(-len(shape), len(shape)):
        if shape[axis] < n or (dtype[0] == "u" and axis % len(shape) != len(shape) - 1):
            continue
        true = host
        for _ in range(n):
            moved = np.moveaxis(true, axis, 0)
            true = np.moveaxis(moved[1:] - moved[:-1], 0, axis)
        result = target.xp.diff(target.array(host), axis=axis, n=n)
        assert_equal(target, result, true, given=(shape, axis, n))


@cases("diff", dtypes=DTYPES[1:5] + DTYPES[9:])
def more_before_and_after(target: Target, dtype: str) -> None:
    host, column = np.array([[1, 4, 9], [16, 25, 36]], dtype), np.array([[0], [1]], dtype)
    x, y = target.array(host), target.array(column)
    result = target.xp.diff(x, prepend=y, append=y)
    assert_equal(target, result, np.array([[1, 3, 5, -9], [15, 9, 11, -35]], dtype))
    result = target.xp.diff(x, axis=0, prepend=x, n=2)
    assert_equal(target, result, np.array([[-30, -42, -54], [30, 42, 54]], dtype))
