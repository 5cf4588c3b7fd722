"""What the names in the rows of ``special_cases`` mean, and operands that meet them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from numr_conformance.special_cases import Row

Column = np.ndarray[Any, np.dtype[Any]]

# --- conditions: of a column of values, given the first column ------------------------------------


def _is_odd(x: Column) -> Column:
    return np.isfinite(x) & (np.fmod(x, 2) != 0) & (x == np.trunc(x))


def _is_zero(x: Column, negative: bool) -> Column:
    return (x == 0) & (np.signbit(x) == negative)


def _nonzero(x: Column) -> Column:
    return np.isfinite(x) & (x != 0)


def _of_one_sign(x: Column, y: Column) -> Column:
    return np.signbit(x) == np.signbit(y)


CONDITIONS: dict[str, Callable[[Column, Column], Column]] = {
    "any": lambda x, first: np.ones(x.shape, bool),
    "nan": lambda x, first: np.isnan(x),
    "+nan": lambda x, first: np.isnan(x) & ~np.signbit(x),
    "-nan": lambda x, first: np.isnan(x) & np.signbit(x),
    "number": lambda x, first: ~np.isnan(x),
    "finite": lambda x, first: np.isfinite(x),
    "finite|nan": lambda x, first: ~np.isinf(x),
    "nonzero": lambda x, first: _nonzero(x),
    "positive": lambda x, first: np.isfinite(x) & (x > 0),
    "negative": lambda x, first: np.isfinite(x) & (x < 0),
    "!=0": lambda x, first: (x != 0) & ~np.isnan(x),
    "!=1": lambda x, first: x != 1,
    "0": lambda x, first: x == 0,
    "+0": lambda x, first: _is_zero(x, negative=False),
    "-0": lambda x, first: _is_zero(x, negative=True),
    "1": lambda x, first: x == 1,
    "-1": lambda x, first: x == -1,
    "inf": lambda x, first: np.isinf(x),
    "+inf": lambda x, first: x == np.inf,
    "-inf": lambda x, first: x == -np.inf,
    ">0": lambda x, first: x > 0,
    "<0": lambda x, first: x < 0,
    ">1": lambda x, first: x > 1,
    "<1": lambda x, first: x < 1,
    "<-1": lambda x, first: x < -1,
    "|x|>1": lambda x, first: np.abs(x) > 1,
    "|x|=1": lambda x, first: np.abs(x) == 1,
    "|x|<1": lambda x, first: np.abs(x) < 1,
    "integer": lambda x, first: np.isfinite(x) & (x == np.trunc(x)),
    "fraction": lambda x, first: np.isfinite(x) & (x != np.trunc(x)),
    "half": lambda x, first: np.isfinite(x) & (np.abs(x - np.trunc(x)) == 0.5),
    "odd>0": lambda x, first: _is_odd(x) & (x > 0),
    "odd<0": lambda x, first: _is_odd(x) & (x < 0),
    "other>0": lambda x, first: ~_is_odd(x) & (x > 0),
    "other<0": lambda x, first: ~_is_odd(x) & (x < 0),
    "=x1": lambda x, first: x == first,
    "!=x1": lambda x, first: np.isfinite(x) & (x != first),
    "-x1": lambda x, first: np.isfinite(x) & (x == -first),
    "same-sign": lambda x, first: ~np.isnan(x) & ~np.isnan(first) & _of_one_sign(x, first),
    "other-sign": lambda x, first: ~np.isnan(x) & ~np.isnan(first) & ~_of_one_sign(x, first),
    "same-sign-nonzero": lambda x, first: _nonzero(x) & _nonzero(first) & _of_one_sign(x, first),
    "other-sign-nonzero": lambda x, first: _nonzero(x) & _nonzero(first) & ~_of_one_sign(x, first),
}


# --- expectations: of a column of results, given the columns of operands --------------------------


def same(result: Column, expected: Column | float) -> Column:
    """Equal, of the same sign where zero; any NaN equals any other."""
    equal = (result == expected) & (np.signbit(result) == np.signbit(expected))
    return equal | (np.isnan(result) & np.isnan(expected))


def is_subnormal(x: Column) -> Column:
    return (x != 0) & (np.abs(x) < np.finfo(x.dtype).tiny)


def flushed(x: Column) -> Column:
    """Zeros of the same sign in the place of subnormal numbers."""
    return np.where(is_subnormal(x), np.copysign(x.dtype.type(0), x), x)


def near(result: Column, expected: Column | float) -> Column:
    """Within four units in the last place, of the same sign."""
    spacing = np.abs(np.spacing(np.asarray(expected, result.dtype)))
    close = np.abs(result - np.asarray(expected, result.dtype)) <= 4 * spacing
    return (close & (np.signbit(result) == np.signbit(expected))) | same(result, expected)


Expectation = Callable[[Column, Sequence[Column]], Column]


def _exactly(value: float) -> Expectation:
    return lambda result, operands: same(result, value)


def _about(value: float) -> Expectation:
    return lambda result, operands: near(result, value)


def _by_value(function: Callable[..., float]) -> Expectation:
    """Equal to the function of Python's floats, rounded once to the type of the result.

    A result that is subnormal may be zero instead: the standard leaves that open.
    """

    def check(result: Column, operands: Sequence[Column]) -> Column:
        columns = [column.astype(float).tolist() for column in operands]
        found = [function(*values) for values in zip(*columns, strict=True)]
        expected = np.array(found, float).astype(result.dtype)
        return same(result, expected) | same(result, flushed(expected))

    return check


def floor_of_quotient(x: float, y: float) -> float:
    """The floor of the exact quotient, rounded to a float; a zero has the quotient's sign."""
    quotient = math.floor(Fraction(x) / Fraction(y))
    try:
        return float(quotient) if quotient else math.copysign(0.0, x) * math.copysign(1.0, y)
    except OverflowError:
        return math.copysign(math.inf, x) * math.copysign(1.0, y)


def _quotient(x: float, y: float) -> float:
    return x / y if y else math.nan


EXPECTATIONS: dict[str, Expectation] = {
    "nan": _exactly(math.nan),
    "+nan": lambda result, operands: np.isnan(result) & ~np.signbit(result),
    "-nan": lambda result, operands: np.isnan(result) & np.signbit(result),
    "+0": _exactly(0.0),
    "-0": _exactly(-0.0),
    "0": lambda result, operands: result == 0,
    "1": _exactly(1.0),
    "-1": _exactly(-1.0),
    "+inf": _exactly(math.inf),
    "-inf": _exactly(-math.inf),
    "inf": lambda result, operands: np.isinf(result),
    "pi": _about(math.pi),
    "-pi": _about(-math.pi),
    "pi/2": _about(math.pi / 2),
    "-pi/2": _about(-math.pi / 2),
    "pi/4": _about(math.pi / 4),
    "-pi/4": _about(-math.pi / 4),
    "3pi/4": _about(3 * math.pi / 4),
    "-3pi/4": _about(-3 * math.pi / 4),
    "±pi/2": lambda result, operands: near(np.abs(result), math.pi / 2),
    "true": lambda result, operands: result == True,  # noqa: E712  (an array)
    "false": lambda result, operands: result == False,  # noqa: E712  (an array)
    "x1": lambda result, operands: same(result, operands[0]),
    "x2": lambda result, operands: same(result, operands[1]),
    "-x1": lambda result, operands: same(result, -operands[0]),
    "-x2": lambda result, operands: same(result, -operands[1]),
    "|x1|": lambda result, operands: same(result, np.abs(operands[0])),
    "|x2|": lambda result, operands: same(result, np.abs(operands[1])),
    "-|x1|": lambda result, operands: same(result, -np.abs(operands[0])),
    "plus": lambda result, operands: np.isnan(result) | ~np.signbit(result),
    "minus": lambda result, operands: np.isnan(result) | np.signbit(result),
    "0*cos": lambda result, operands: same(result, 0 * np.cos(operands[1])),
    "0*sin": lambda result, operands: same(result, 0 * np.sin(operands[1])),
    "inf*cos": lambda result, operands: same(result, np.inf * np.cos(operands[1])),
    "inf*sin": lambda result, operands: same(result, np.inf * np.sin(operands[1])),
    "even": lambda result, operands: (
        (np.fmod(result, 2) == 0) & (np.abs(result - operands[0]) == 0.5)
    ),
    "x1+x2": _by_value(operator.add),
    "x1-x2": _by_value(operator.sub),
    "x1*x2": _by_value(operator.mul),
    "x1/x2": _by_value(_quotient),
    "x1%x2": _by_value(operator.mod),
    "x1//x2": _by_value(floor_of_quotient),
}


# --- operands, and how they fare ------------------------------------------------------------------


def special_values(dtype: str) -> Column:
    """Zeros, infinities, NaN of both signs, extremes, and numbers that meet the conditions."""
    limits = np.finfo(dtype)
    extremes = [limits.smallest_subnormal, limits.tiny, limits.eps, limits.max / 2, limits.max]
    positive = np.array([0, 0.3, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 1000, np.inf, *extremes], dtype)
    nan = np.copysign(np.array([np.nan] * 2, dtype), np.array([1, -1], dtype))
    return np.concatenate([positive, -positive, nan])


def grid_of(count: int, dtype: str) -> list[Column]:
    """Columns that hold all combinations of special values."""
    values = special_values(dtype)
    if count == 4:
        values = values[np.isin(values, [0, 1, 2, np.inf]) | np.isnan(values)]
    return [column.ravel() for column in np.meshgrid(*[values] * count, indexing="ij")]


def meets(row: Row, operands: Sequence[Column]) -> Column:
    """Which operands a row is about."""
    chosen = np.ones(operands[0].shape, bool)
    for condition, column in zip(row.conditions, operands, strict=True):
        chosen &= CONDITIONS[condition](column, operands[0])
    return chosen


def holds(row: Row, operands: Sequence[Column], results: Sequence[Column]) -> Column:
    """Which results, of operands that a row is about, are as it says."""
    held = np.ones(operands[0].shape, bool)
    for expectation, column in zip(row.expectations, results, strict=True):
        held &= EXPECTATIONS[expectation](column, operands)
    return held


def parts(x: Any) -> list[Column]:
    """The real and the imaginary part of a complex array; a real array alone."""
    x = np.asarray(x)
    return [x.real, x.imag] if x.dtype.kind == "c" else [x]


def complex_of(real: Column, imag: Column) -> Column:
    """Complex numbers of two parts, each kept to the bit."""
    z = np.empty(real.shape, np.result_type(real, np.complex64))
    z.real, z.imag = real, imag
    return z
