"""Points at which real functions of the WGSL library may be wrong, true results, and errors.

Errors are in units in the last place of the true result. It needs NumPy only, and mpmath for
logaddexp of float64.
"""

from __future__ import annotations

import importlib
import math
import zlib
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from function_device import Column, Machine

# The interval in which points are dense, and numbers near which there are more.
Places = tuple[tuple[float, float], tuple[float, ...]]

LARGEST_ERROR = 2.0
BINARY = "divide atan2 hypot logaddexp pow floor_divide remainder nextafter maximum minimum".split()


class Real(NamedTuple):
    """A floating-point type, and where its functions are tried."""

    dtype: str
    wide: str  # a dtype of NumPy with more digits, for true results
    unary: Mapping[str, Places]

    @property
    def limits(self) -> Any:
        return np.finfo(self.dtype)

    @property
    def digits(self) -> int:
        return int(self.limits.nmant) + 1

    @property
    def integer(self) -> str:
        return f"int{8 * np.dtype(self.dtype).itemsize}"

    @property
    def functions(self) -> tuple[str, ...]:
        return (*self.unary, *BINARY)


# --- points ---------------------------------------------------------------------------------------


def of_all_magnitudes(real: Real, rng: np.random.Generator, count: int = 12_000) -> Column:
    """Random bits of finite numbers, so that all exponents are alike, and extremes."""
    infinity = int(np.array(np.inf, real.dtype).view(real.integer))
    sizes = rng.integers(0, infinity, count).astype(real.integer).view(real.dtype)
    signed = np.copysign(sizes, rng.choice([-1, 1], count)).astype(real.dtype)
    return np.concatenate([signed, extremes(real)])


def extremes(real: Real) -> Column:
    limits, digits = real.limits, real.digits
    least = [limits.smallest_subnormal, limits.smallest_normal, 2.0**-digits, 2.0 ** -(digits // 2)]
    column = np.array([*least, 0.5, 1, 2, 3, 2.0**digits, limits.max / 2, limits.max], real.dtype)
    column = np.concatenate([np.nextafter(column, column.dtype.type(0)), column])
    return np.concatenate([column, -column])


def near(real: Real, rng: np.random.Generator, centre: float, count: int = 2_000) -> Column:
    """Both sides of a number, at distances of all sizes and at the nearest neighbours."""
    distance = rng.choice([-1, 1], count) * np.exp2(rng.uniform(-real.digits - 6, -2, count))
    scale = max(abs(centre), 1.0)
    bits = np.array(centre, real.dtype).view(real.integer)
    neighbours = bits + np.arange(-200, 200 if centre else -200, dtype=real.integer)
    around = (centre + scale * distance).astype(real.dtype)
    return np.concatenate([around, neighbours.view(real.dtype)])


def uniform(
    real: Real, rng: np.random.Generator, low: float, high: float, count: int = 8_000
) -> Column:
    return rng.uniform(low, high, count).astype(real.dtype)


def points(real: Real, function: str, count: int = 1) -> list[Column]:
    """Finite operands; ``count`` times the usual number."""
    rng = np.random.default_rng(zlib.crc32(function.encode()))
    wide = of_all_magnitudes(real, rng, 12_000 * count)
    if function in real.unary:
        interval, centres = real.unary[function]
        return [
            np.concatenate(
                [
                    wide,
                    uniform(real, rng, *interval, 8_000 * count),
                    *(near(real, rng, centre, 2_000 * count) for centre in centres),
                    (np.arange(1, 2_000) * (math.pi / 2)).astype(real.dtype),
                ]
            )
        ]
    other = rng.permutation(wide)
    size = 6_000 * count
    x, y = uniform(real, rng, -9, 9, size), uniform(real, rng, -9, 9, size)
    alike = wide[:size]
    with np.errstate(over="ignore"):
        ratio = (alike * rng.uniform(0.25, 4, size)).astype(real.dtype)
        ratio = np.where(np.isfinite(ratio), ratio, alike)
    first, second = [wide, x, alike], [other, y, ratio]
    if function == "pow":
        first, second = _operands_of_power(real, rng, wide, size)
    if function == "logaddexp":
        shift = np.exp2(rng.uniform(-real.digits, 7, size)) * rng.choice([-1, 1], size)
        first += [uniform(real, rng, -100, 100, size)]
        second += [(first[-1] + shift).astype(real.dtype)]
    if function in ("floor_divide", "remainder"):
        whole = rng.integers(1, 1000, size) * y.astype("float64")
        first += [whole.astype(real.dtype), np.rint(x * 1000)]
        second += [y, np.rint(y * 10) + np.float32(0.0)]
    grid = np.meshgrid(extremes(real), extremes(real))
    columns = np.concatenate([*first, grid[0].ravel()]), np.concatenate([*second, grid[1].ravel()])
    chosen = columns[1] != 0 if function in ("divide", "floor_divide", "remainder") else slice(None)
    return [column[chosen].astype(real.dtype) for column in columns]


def _operands_of_power(
    real: Real, rng: np.random.Generator, wide: Column, size: int
) -> tuple[list[Column], list[Column]]:
    """Towards results of any finite magnitude, also from bases near 1 and of negative ones."""
    base = np.abs(
        np.concatenate([wide, near(real, rng, 1.0, size), uniform(real, rng, 0, 9, size)])
    )
    base = base[(base > 0) & (base != 1)]
    least = real.limits.minexp - real.digits
    exponent = rng.uniform(least, real.limits.maxexp, base.size) / np.log2(base.astype(real.wide))
    largest = float(real.limits.max)
    exponent = np.clip(exponent, -largest, largest).astype(real.dtype)
    integers = rng.integers(-20, 20, size).astype(real.dtype)
    return (
        [base, -np.exp2(uniform(real, rng, -6, 6, size)), uniform(real, rng, 0, 3, size)],
        [exponent, integers, uniform(real, rng, -40, 40, size)],
    )


# --- true results and errors ----------------------------------------------------------------------


def _exactly(function: Callable[[Fraction, Fraction], Any]) -> Callable[[Column, Column], Column]:
    def rounded(x: float, y: float) -> float:
        result = function(Fraction(x), Fraction(y))
        try:
            return float(result)
        except OverflowError:
            return math.inf if result > 0 else -math.inf

    def call(x: Column, y: Column) -> Column:
        pairs = zip(x.astype("float64").tolist(), y.astype("float64").tolist(), strict=True)
        return np.array([rounded(*pair) for pair in pairs])

    return call


def _logaddexp(x: Column, y: Column) -> Column:
    """In float64's case with mpmath, since the sum may cancel."""
    larger, smaller = np.maximum(x, y), np.minimum(x, y)
    if x.dtype == np.float64:
        wide = np.longdouble
        return larger.astype(wide) + np.log1p(np.exp(smaller.astype(wide) - larger.astype(wide)))
    mp = importlib.import_module("mpmath")
    with mp.workprec(160):
        return np.array(
            [
                to_wide(mp.mpf(a) + mp.log1p(mp.exp(mp.mpf(b) - mp.mpf(a))) if b - a > -1e4 else a)
                for a, b in zip(larger.astype("float64"), smaller.astype("float64"), strict=True)
            ]
        )


def to_wide(x: Any) -> np.longdouble:
    """A number of mpmath in the widest type of NumPy."""
    high = float(x)
    return np.longdouble(high) + np.longdouble(float(x - high) if math.isfinite(high) else 0.0)


REFERENCES: dict[str, Callable[..., Column]] = {
    **{name: getattr(np, name) for name in "exp exp2 expm1 log log2 log10 log1p sin cos".split()},
    **{name: getattr(np, name) for name in "tan sinh cosh tanh sqrt reciprocal square".split()},
    **{name: getattr(np, name) for name in "floor ceil trunc signbit sign hypot divide".split()},
    **{name: getattr(np, f"arc{name[1:]}") for name in "asin acos atan asinh acosh atanh".split()},
    "round": np.rint,
    "atan2": np.arctan2,
    "pow": np.power,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "logaddexp": _logaddexp,
    "floor_divide": _exactly(lambda x, y: x // y),
    "remainder": _exactly(lambda x, y: x % y),
}


def true_result(real: Real, function: str, operands: list[Column]) -> Column:
    with np.errstate(all="ignore"):
        if function == "nextafter":
            return np.nextafter(*operands)
        return np.asarray(REFERENCES[function](*(x.astype(real.wide) for x in operands)))


def errors(real: Real, result: Column, truth: Column) -> Column:
    """In units in the last place of the true result; an infinite one counts as 2^maxexp."""
    limits = real.limits
    with np.errstate(all="ignore"):
        one = np.ones((), real.wide)
        largest = np.ldexp(one, limits.maxexp)
        truth = np.clip(truth.astype(real.wide), -largest, largest)
        found = np.clip(result.astype(real.wide), -largest, largest)
        exponent = np.clip(np.frexp(np.abs(truth))[1] - 1, limits.minexp, limits.maxexp - 1)
        error = np.abs(found - truth) / np.ldexp(one, exponent - limits.nmant)
    error = np.where(np.isnan(truth) & np.isnan(result), 0.0, error)
    return np.where(np.isnan(error), np.inf, error)


def is_usual(column: Column, least: float) -> Column:
    """Whether a number is not subnormal, so that all devices keep it."""
    size = np.abs(column)
    return ~((size > 0) & (size < least))


def _comparable(on: Machine, real: Real, operands: list[Column], truth: Column) -> Column:
    """Where a device that flushes subnormal numbers to zero has to be right."""
    chosen = np.ones(truth.shape, bool)
    if not on.keeps_subnormal[real.dtype]:
        least = float(real.limits.smallest_normal)
        for column in [*operands, truth]:
            chosen &= is_usual(column, least)
        chosen &= np.abs(truth) != least
    return chosen


class Worst(NamedTuple):
    error: float
    operands: list[float]
    found: float
    true: float
    points: int


def worst(on: Machine, real: Real, function: str, count: int = 1) -> Worst:
    operands = points(real, function, count)
    truth = true_result(real, function, operands)
    result = on.call(function, operands)
    chosen = _comparable(on, real, operands, truth)
    if function == "logaddexp":  # The sum of pairs has lost its digits there.
        chosen &= np.abs(truth) >= 1e-5
    error = np.where(chosen, errors(real, result, truth), 0.0)
    at = int(np.argmax(error))
    where = [float(x[at]) for x in operands]
    return Worst(float(error[at]), where, float(result[at]), float(truth[at]), truth.size)


def line_of_table(function: str, found: Worst) -> str:
    at = ", ".join(f"{x:.17g}" for x in found.operands)
    return (
        f"{function:14}{found.error:8.3f}  at {at}: {found.found:.17g}, "
        f"true {found.true:.17g} ({found.points} points)"
    )


def unmet_special_cases(on: Machine, real: Real, function: str) -> list[str]:
    """The rows of the standard's special cases that do not hold."""
    from numr_conformance.special_cases import REAL, rows
    from numr_conformance.special_values import grid_of, holds, meets

    operands = grid_of(2 if function in BINARY else 1, real.dtype)
    if not on.keeps_subnormal[real.dtype]:
        least = float(real.limits.smallest_normal)
        usual = np.all([is_usual(x, least) for x in operands], axis=0)
        operands = [x[usual] for x in operands]
    result = on.call(function, operands)
    if function == "signbit":
        result = result.astype(bool)
    unmet: list[str] = []
    with np.errstate(all="ignore"):
        for row in rows(REAL[function]):
            chosen = meets(row, operands)
            columns = [x[chosen] for x in operands]
            wrong = ~holds(row, columns, [result[chosen]])
            if wrong.any():
                unmet.append(f"{row}: {[x[wrong].tolist() for x in columns]}")
    return unmet
