"""The float64 functions of the WGSL library: their largest errors, and their special cases.

``python tests/webgpu/test_float64_functions.py [function ...]`` prints a table of errors, in units
in the last place, on the adapter at hand; it needs NumPy, mpmath and wgpu only.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import mpmath
import numpy as np
from function_device import Column, Machine, NoAdapter, machine
from function_errors import (
    LARGEST_ERROR,
    Real,
    line_of_table,
    points,
    uniform,
    unmet_special_cases,
    worst,
)

FLOAT64 = Real(
    "float64",
    "longdouble",
    {
        "exp": ((-746, 711), (0, 709.782712893384, -708.3964185322641, -744.4400719213812)),
        "exp2": ((-1076, 1025), (0, 1024, -1022)),
        "expm1": ((-40, 711), (0, 0.34657359, -0.34657359, 709.782712893384)),
        "log": ((0, 4), (1, 0.70710678118654757, 1.4142135623730951)),
        "log2": ((0, 4), (1, 0.70710678118654757, 1.4142135623730951)),
        "log10": ((0, 4), (1, 10, 1.4142135623730951)),
        "log1p": ((-1, 3), (-1, 0, 0.4142135623730951, -0.2928932188134524)),
        "sin": ((-(2**20), 2**20), (0, math.pi, 355 * math.pi, 1e5 * math.pi, 2**20)),
        "cos": ((-(2**20), 2**20), (0, math.pi / 2, 101.5 * math.pi, 2**20)),
        "tan": ((-(2**20), 2**20), (0, math.pi / 4, math.pi / 2, math.pi, 2**20)),
        "asin": ((-1, 1), (-1, -0.5, 0, 0.5, 1)),
        "acos": ((-1, 1), (-1, -0.5, 0, 0.5, 1)),
        "atan": ((-5, 5), (0, 0.4375, 0.625, 1)),
        "sinh": ((-712, 712), (0, 1, 710.4758600739439)),
        "cosh": ((-712, 712), (0, 710.4758600739439)),
        "tanh": ((-22, 22), (0, 1, 19.0)),
        "asinh": ((-5, 5), (0, 0.0625, 2**28)),
        "acosh": ((1, 10), (1, 2, 2**28)),
        "atanh": ((-1, 1), (-1, 0, 0.03125, 1)),
        "sqrt": ((0, 10), (1,)),
        "reciprocal": ((-4, 4), (1,)),
        "square": ((-4, 4), (1,)),
        "floor": ((-1e12, 1e12), (0, 1, 2**23, 2**31, 2**52)),
        "ceil": ((-1e12, 1e12), (0, 1, 2**23, 2**31, 2**52)),
        "trunc": ((-1e12, 1e12), (0, 1, 2**23, 2**31, 2**52)),
        "round": ((-1e12, 1e12), (0, 0.5, 2**23, 2**31, 2**52)),
        "sign": ((-2, 2), (0,)),
    },
)
# Nearer to a multiple of pi/2 than any other float64: 2^-61 in units of it.
NEAREST_TO_HALF_PI = 6381956970095103 * 2.0**797


# --- pairs: what the library has for complex functions --------------------------------------------


class Pair(NamedTuple):
    """A function of two columns whose result is a pair."""

    reference: Callable[[Any, Any], Any]
    operands: Callable[[np.random.Generator], tuple[Column, Column]]
    bits: float  # of the relative error


def _with_low(low: float, high: float) -> Callable[[np.random.Generator], tuple[Column, Column]]:
    """Numbers, and what they lack: less than half a unit in the last place."""

    def draw(rng: np.random.Generator) -> tuple[Column, Column]:
        x = uniform(FLOAT64, rng, low, high, 2_000)
        return x, x * rng.uniform(-1, 1, x.size) * 2.0**-54

    return draw


def _of_ratio(rng: np.random.Generator) -> tuple[Column, Column]:
    x = np.exp2(uniform(FLOAT64, rng, 0, 500, 2_000))
    return x, x * np.exp2(uniform(FLOAT64, rng, -60, 3, 2_000))


def _near_circle(rng: np.random.Generator) -> tuple[Column, Column]:
    angle, size = rng.uniform(0, math.pi / 2, 2_000), 1 + np.exp2(rng.uniform(-30, -2, 2_000))
    return np.cos(angle) * size, np.sin(angle) / size


def _log_hypot(x: Any, y: Any) -> Any:
    return mpmath.log(x * x + y * y) / 2


PAIRS = {
    "log_extended": Pair(lambda x, y: mpmath.log(x + y), _with_low(0, 3), 66),
    "log1p_extended": Pair(lambda x, y: mpmath.log1p(x + y), _with_low(-0.9, 3), 66),
    "exp_extended": Pair(lambda x, y: mpmath.exp(x + y), _with_low(-600, 600), 65),
    "exp_scaled": Pair(lambda x, y: mpmath.exp(x + y), _with_low(-0.3, 0.3), 55),
    "hypot_scaled": Pair(mpmath.hypot, _with_low(1, 2), 100),
    "log_hypot_extended": Pair(_log_hypot, _of_ratio, 66),
    "log_hypot_extended near 1": Pair(_log_hypot, _near_circle, 66),
    "angle_extended": Pair(lambda y, x: mpmath.atan2(y, x), _of_ratio, 58),
}


def largest_error_of_pair(on: Machine, name: str) -> tuple[float, float, float]:
    """In bits, and the operands where it is."""
    pair, function = PAIRS[name], name.split()[0]
    x, y = pair.operands(np.random.default_rng(0))
    parts = [on.evaluate(f"{function}_f64(x[i], y[i]).{part}", x, y) for part in ("high", "low")]
    largest, at = 2.0**-120, 0
    with mpmath.workprec(200):
        for i, (a, b, high, low) in enumerate(zip(x, y, *parts, strict=True)):
            truth = pair.reference(mpmath.mpf(a), mpmath.mpf(b))
            error = float(abs((mpmath.mpf(high) + mpmath.mpf(low)) / truth - 1))
            if not error <= largest:
                largest, at = error, i
    return -math.log2(largest), float(x[at]), float(y[at])


def near_half_pi() -> list[float]:
    """For each power of two from 1 on, an integer times it that is next to a multiple of pi/2.

    That integer is a denominator of the continued fraction of the power's remainder.
    """
    found: list[float] = []
    with mpmath.workprec(2_200):
        for exponent in range(971):
            dividend = 1 << 256
            divisor = int(mpmath.ldexp(mpmath.frac(mpmath.ldexp(2, exponent) / mpmath.pi), 256))
            denominator, before = 1, 0
            while True:
                quotient, rest = divmod(dividend, divisor)
                following = quotient * denominator + before
                if following >= 2**53:
                    break
                dividend, divisor = divisor, rest
                denominator, before = following, denominator
            found.append(math.ldexp(denominator, exponent))
    return found


# --- tests ----------------------------------------------------------------------------------------


def table(names: list[str], count: int = 1) -> Iterator[str]:
    on = machine()
    yield f"{on.name}: keeps_subnormal={on.keeps_subnormal}"
    for function in names:
        yield line_of_table(function, worst(on, FLOAT64, function, count))
    for name in PAIRS:
        bits, x, y = largest_error_of_pair(on, name)
        yield f"{name:26}{bits:6.1f} bits at {x:.17g}, {y:.17g}"


if __name__ == "__main__":
    arguments = [x for x in sys.argv[1:] if not x.isdigit()]
    counts = [int(x) for x in sys.argv[1:] if x.isdigit()]
    for line in table(arguments or list(FLOAT64.functions), *counts):
        print(line, flush=True)
else:
    import pytest

    @pytest.fixture
    def on() -> Machine:
        try:
            found = machine()
        except NoAdapter as error:
            if "webgpu" in os.environ.get("NUMR_API_EXPECT", ""):
                pytest.fail(str(error))
            pytest.skip(str(error))
        if not found.has_float64_functions:
            pytest.skip("the adapter has no float64 or no 64-bit integers")
        return found

    has_wide = np.finfo("longdouble").nmant >= 63
    needs_wide = pytest.mark.skipif(not has_wide, reason="NumPy has no number wider than float64")

    @needs_wide
    @pytest.mark.parametrize("function", FLOAT64.functions)
    def test_errors_are_small(function: str, on: Machine) -> None:
        found = worst(on, FLOAT64, function)
        assert found.points >= 20_000
        assert found.error <= LARGEST_ERROR, found

    @pytest.mark.parametrize("name", PAIRS)
    def test_pairs_have_more_bits(name: str, on: Machine) -> None:
        bits, *operands = largest_error_of_pair(on, name)
        assert bits >= PAIRS[name].bits, operands

    @pytest.mark.parametrize("function", ["sin", "cos", "tan"])
    def test_angles_near_multiples_of_half_pi(function: str, on: Machine) -> None:
        multiples = np.arange(1, 300) * (math.pi / 2)
        x = np.array([NEAREST_TO_HALF_PI, -NEAREST_TO_HALF_PI, *near_half_pi(), *multiples])
        found = on.call(function, [x])
        with mpmath.workprec(2_200):
            true = [getattr(mpmath, function)(mpmath.mpf(v)) for v in x]
            errors = [
                float(abs(mpmath.mpf(f) - t) / np.spacing(abs(float(t))))
                for f, t in zip(found, true, strict=True)
            ]
        assert max(errors) <= LARGEST_ERROR, x[np.argmax(errors)]

    def test_sine_and_cosine_come_together(on: Machine) -> None:
        (x,) = points(FLOAT64, "sin")
        for part, function in (("x", "sin"), ("y", "cos")):
            both = on.evaluate(f"sincos_f64(x[i]).{part}", x)
            np.testing.assert_array_equal(both, on.call(function, [x]))

    @pytest.mark.parametrize("function", [name for name in FLOAT64.functions if name != "exp2"])
    def test_special_cases(function: str, on: Machine) -> None:
        assert not unmet_special_cases(on, FLOAT64, function)
