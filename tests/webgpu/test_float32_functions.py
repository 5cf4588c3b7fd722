"""The float32 functions of the WGSL library: their largest errors, and their special cases.

``python tests/webgpu/test_float32_functions.py [function ...]`` prints a table of errors, in units
in the last place, on the adapter at hand; it needs NumPy and wgpu only.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

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

FLOAT32 = Real(
    "float32",
    "float64",
    {
        "exp": ((-105, 90), (0, 88.72284, -87.33655, -103.97208)),
        "exp2": ((-151, 129), (0, 128, -126)),
        "expm1": ((-19, 90), (0, 0.34657359, -0.34657359, 88.72284)),
        "log": ((0, 4), (1, 0.70710678, 1.41421356)),
        "log2": ((0, 4), (1, 0.70710678, 1.41421356)),
        "log10": ((0, 4), (1, 10, 1.41421356)),
        "log1p": ((-1, 3), (-1, 0, 0.41421356, -0.29289322)),
        "sin": ((-800, 800), (0, math.pi, 355 * math.pi, 1000 * math.pi, 800)),
        "cos": ((-800, 800), (0, math.pi / 2, 101.5 * math.pi, 800)),
        "tan": ((-800, 800), (0, math.pi / 4, math.pi / 2, math.pi, 800)),
        "asin": ((-1, 1), (-1, -0.5, 0, 0.5, 1)),
        "acos": ((-1, 1), (-1, -0.5, 0, 0.5, 1)),
        "atan": ((-5, 5), (0, 1)),
        "sinh": ((-91, 91), (0, 1, 89.41599)),
        "cosh": ((-91, 91), (0, 89.41599)),
        "tanh": ((-12, 12), (0, 1, 9.0)),
        "asinh": ((-5, 5), (0, 0.5, 4096)),
        "acosh": ((1, 10), (1, 2, 4096)),
        "atanh": ((-1, 1), (-1, 0, 0.5, 1)),
        "sqrt": ((0, 10), (1,)),
        "reciprocal": ((-4, 4), (1,)),
        "square": ((-4, 4), (1,)),
        "floor": ((-100, 100), (0, 1, 2**23)),
        "ceil": ((-100, 100), (0, 1, 2**23)),
        "trunc": ((-100, 100), (0, 1, 2**23)),
        "round": ((-100, 100), (0, 0.5, 2**23)),
        "signbit": ((-2, 2), (0,)),
        "sign": ((-2, 2), (0,)),
    },
)


# --- pairs: what the library has for complex functions --------------------------------------------


class Pair(NamedTuple):
    """A function of two columns whose result is a pair, or is one of two."""

    reference: Callable[[Column, Column], Column]
    operands: Callable[[np.random.Generator], tuple[Column, Column]]
    bits: float  # of the relative error


def _with_low(low: float, high: float) -> Callable[[np.random.Generator], tuple[Column, Column]]:
    """Numbers, and what they lack: less than half a unit in the last place."""

    def draw(rng: np.random.Generator) -> tuple[Column, Column]:
        x = uniform(FLOAT32, rng, low, high, 20_000)
        return x, (x * rng.uniform(-1, 1, x.size) * 2**-25).astype("float32")

    return draw


def _of_ratio(rng: np.random.Generator) -> tuple[Column, Column]:
    x = np.exp2(uniform(FLOAT32, rng, 0, 60, 20_000))
    return x, x * np.exp2(uniform(FLOAT32, rng, -30, 3, 20_000))


def _near_circle(rng: np.random.Generator) -> tuple[Column, Column]:
    angle, size = rng.uniform(0, math.pi / 2, 20_000), 1 + np.exp2(rng.uniform(-15, -2, 20_000))
    return (np.cos(angle) * size).astype("float32"), (np.sin(angle) / size).astype("float32")


def _log_hypot(x: Column, y: Column) -> Column:
    """Of numbers whose squares add up to more than 1/2."""
    return np.log1p((x * x - 0.5) + (y * y - 0.5)) / 2


PAIRS = {
    "log_extended": Pair(lambda x, y: np.log(x + y), _with_low(0, 3), 32),
    "log1p_extended": Pair(lambda x, y: np.log1p(x + y), _with_low(-0.9, 3), 32),
    "exp_extended": Pair(lambda x, y: np.exp(x + y), _with_low(-60, 60), 36),
    "exp_scaled": Pair(lambda x, y: np.exp(x + y), _with_low(-0.3, 0.3), 26),
    "hypot_scaled": Pair(np.hypot, _with_low(1, 2), 45),
    "log_hypot_extended": Pair(_log_hypot, _of_ratio, 32),
    "log_hypot_extended near 1": Pair(_log_hypot, _near_circle, 30),
}


def largest_error_of_pair(on: Machine, name: str) -> tuple[float, float, float]:
    """In bits, and the operands where it is."""
    pair, function = PAIRS[name], name.split()[0]
    x, y = pair.operands(np.random.default_rng(0))
    parts = [on.evaluate(f"{function}_f32(x[i], y[i]).{part}", x, y) for part in ("high", "low")]
    found = parts[0].astype(np.longdouble) + parts[1]
    truth = pair.reference(x.astype(np.longdouble), y.astype(np.longdouble))
    error = np.abs(found / truth - 1)
    at = int(np.argmax(np.where(np.isnan(error), np.inf, error)))
    return -math.log2(error[at]), float(x[at]), float(y[at])


# --- tests ----------------------------------------------------------------------------------------


def table(names: list[str], count: int = 1) -> Iterator[str]:
    on = machine()
    yield f"{on.name}: fma_is_fused={on.fma_is_fused}, keeps_subnormal={on.keeps_subnormal}"
    for emulates in [False] if on.fma_is_fused or not on.has_float64 else [False, True]:
        on.emulates_fma = emulates
        if emulates:
            yield "with an emulated fused multiply-add"
        for function in names:
            yield line_of_table(function, worst(on, FLOAT32, function, count))
        for name in PAIRS:
            bits, x, y = largest_error_of_pair(on, name)
            yield f"{name:26}{bits:6.1f} bits at {x:.9g}, {y:.9g}"
    on.emulates_fma = False


if __name__ == "__main__":
    arguments = [x for x in sys.argv[1:] if not x.isdigit()]
    counts = [int(x) for x in sys.argv[1:] if x.isdigit()]
    for line in table(arguments or list(FLOAT32.functions), *counts):
        print(line, flush=True)
else:
    import pytest

    @pytest.fixture(params=["fma of the device", "fused fma"])
    def on(request: pytest.FixtureRequest) -> Iterator[Machine]:
        try:
            found = machine()
        except NoAdapter as error:
            if "webgpu" in os.environ.get("NUMR_API_EXPECT", ""):
                pytest.fail(str(error))
            pytest.skip(str(error))
        if request.param == "fused fma":
            if found.fma_is_fused:
                pytest.skip("the device's multiply-add is fused")
            if not found.has_float64:
                pytest.skip("no float64 to emulate a fused multiply-add with")
            found.emulates_fma = True
        yield found
        found.emulates_fma = False

    @pytest.mark.parametrize("function", FLOAT32.functions)
    def test_errors_are_small(function: str, on: Machine) -> None:
        found = worst(on, FLOAT32, function)
        assert found.points >= 20_000
        assert found.error <= LARGEST_ERROR, found

    @pytest.mark.parametrize("name", PAIRS)
    def test_pairs_have_more_bits(name: str, on: Machine) -> None:
        bits, *operands = largest_error_of_pair(on, name)
        assert bits >= PAIRS[name].bits, operands

    def test_sine_and_cosine_come_together(on: Machine) -> None:
        (x,) = points(FLOAT32, "sin")
        for part, function in (("x", "sin"), ("y", "cos")):
            both = on.evaluate(f"sincos_f32(x[i]).{part}", x)
            np.testing.assert_array_equal(both, on.call(function, [x]))

    @pytest.mark.parametrize("function", [name for name in FLOAT32.functions if name != "exp2"])
    def test_special_cases(function: str, on: Machine) -> None:
        assert not unmet_special_cases(on, FLOAT32, function)
