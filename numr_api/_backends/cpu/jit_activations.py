"""Activation functions of float32, for numba to compile to loops of vector instructions.

As in ``jit_functions`` there is no branch, no call and no table. A function is x times a weight
between 0 and 1, in float32 with what its rounding loses beside it, so that it errs by little more
than half a unit in the last place, and a product by half a unit more.

The tail of the normal distribution has the form of M. M. Shepherd and J. G. Laframboise, Math.
Comp. 36 (1981), with other constants; the polynomials interpolate at Chebyshev's points, and
tests/test_cpu_jit.py calculates their coefficients anew.

Importing this module imports numba.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

from numr_api._backends.cpu.jit_functions import (
    HALF,
    ONE,
    ZERO,
    Number,
    fma,
    integer,
    intrinsic,
    polynomial,
    single,
    singles,
    two_parts,
)

# Inlined however large: a call would keep a loop from becoming one of vector instructions.
inlined: Any = import_module("numba.extending").register_jitable(
    forceinline=True, error_model="numpy"
)

# (e^x - 1 - x) / x^2 for |x| <= log(2) / 2
CURVATURE = (
    *(0.5000000013457727, 0.16666666681614256, 0.04166646500604005, 0.008333310934448869),
    *(0.0013933641031986701, 0.00019890980869750327),
)
# With z = (t - 4) / (t + 4), of the tail e^(-t^2/2) H(z) / (t + 5/4) of the normal distribution: H
# for 0 <= t <= 15.
TAIL = (
    *(0.49565586675097945, -0.13930290057324865, 0.04509444754328187, 0.010673256611902875),
    *(-0.024481536317413073, 0.015815723002691375, -0.004876072221789161),
    *(-0.0001378239230468069, 0.0006475290019018268, -8.049230937587541e-05),
    -7.24730482617952e-05,
)

CURVATURE_COEFFICIENTS = singles(CURVATURE)
TAIL_FIRST, TAIL_FIRST_TAIL = two_parts(TAIL[0])
TAIL_COEFFICIENTS = singles(TAIL[1:])
LINE, CENTRE = single(1.25), single(4.0)
LOG2_E = single(1 / math.log(2))
LOG_2, LOG_2_TAIL = two_parts(math.log(2))

# gelu(x) = x * sigmoid(x * (LINEAR + CUBIC * x**2)) in the form with tanh.
ROOT = 2 * math.sqrt(2 / math.pi)
LINEAR, LINEAR_TAIL = two_parts(ROOT)
CUBIC, CUBIC_TAIL = two_parts(0.044715 * ROOT)

# Added to a number, it leaves the nearest integer in the low bits, and subtracted again, as number.
ROUNDER = single(1.5 * 2.0**23)
ROUNDER_BITS = integer(ROUNDER.view(integer))
BIAS, EXPONENT = integer(127), integer(23)

# Where functions are 0, or x, to all bits of float32; and exponents in two steps that are normal.
LOWEST, HIGHEST = single(-128.0), single(100.0)
LOWEST_OF_GELU, HIGHEST_OF_GELU = single(-15.0), single(15.0)
LEAST_EXPONENT, FIRST_STEP, NONE = integer(-100), integer(-60), integer(0)


@intrinsic
def chosen(_: Any, condition: Any, x: Any, y: Any) -> Any:
    """One of two numbers that are both there; the compiler makes branches of conditions."""

    def generate(_context: Any, builder: Any, _signature: Any, operands: Any) -> Any:
        return builder.select(*operands)

    return x(condition, x, y), generate


@inlined
def power_of_two(n: Number) -> Number:
    return integer(integer(n + BIAS) << EXPONENT).view(single)


@inlined
def scaled_exponential(x: Number, low: Number) -> tuple[Number, Number, Number]:
    """high, rest and k of e^(x + low) = (high + rest) 2^k, for |x| <= 200 and low much less."""
    rounded = single(fma(x, LOG2_E, ROUNDER))
    k = integer(rounded.view(integer) - ROUNDER_BITS)
    multiple = single(rounded - ROUNDER)
    r = fma(-multiple, LOG_2, x)
    low = fma(-multiple, LOG_2_TAIL, low)
    curved = single(single(r * r) * polynomial(r, CURVATURE_COEFFICIENTS))
    first = single(ONE + r)
    rest = single(
        single(single(r - single(first - ONE)) + curved) + single(low * single(first + curved))
    )
    high = single(first + rest)
    return high, single(rest - single(high - first)), k


@inlined
def corrected(x: Number, correction: Number) -> Number:
    """Their sum; x where it is infinite, so that the correction is no number, or where it is -0."""
    return chosen(abs(correction) > ZERO, single(x + correction), x)


@inlined
def quotient(x: Number, high: Number, low: Number) -> tuple[Number, Number]:
    """``x / (high + low)`` in two parts."""
    inverse = single(ONE / high)
    y = single(x * inverse)
    rest = single(fma(-y, high, x) - single(y * low))
    return y, single(rest * inverse)


@inlined
def times_logistic(factor: Number, x: Number, low: Number) -> tuple[Number, Number]:
    """``factor / (1 + e^-(x + low))`` as a number of normal size and an exponent."""
    v = chosen(x > HIGHEST, HIGHEST, x)
    v = chosen(v < LOWEST, LOWEST, v)
    high, rest, k = scaled_exponential(single(-v), single(-low))
    below = chosen(k < NONE, k, NONE)
    unit = power_of_two(chosen(below > LEAST_EXPONENT, below, LEAST_EXPONENT))
    exponent = integer(below - k)  # of what both parts of the sum are divided by, if k > 0
    one = power_of_two(chosen(exponent > LEAST_EXPONENT, exponent, LEAST_EXPONENT))
    high, rest = single(high * unit), single(rest * unit)
    larger = chosen(one > high, one, high)
    smaller = chosen(one > high, high, one)
    total = single(larger + smaller)
    rest = single(single(smaller - single(total - larger)) + rest)
    y, correction = quotient(factor, total, rest)
    return corrected(y, correction), exponent


@inlined
def scaled_product(x: Number, exponent: Number, y: Number) -> Number:
    """``x * 2**exponent * y``, rounded once where it is a normal number."""
    first = chosen(exponent > FIRST_STEP, exponent, FIRST_STEP)
    found = single(single(x * power_of_two(first)) * y)
    return single(found * power_of_two(integer(exponent - first)))


@inlined
def gated_sigmoid(x: Number, y: Number) -> Number:
    weight, exponent = times_logistic(ONE, x, ZERO)
    return scaled_product(weight, exponent, y)


@inlined
def gated_silu(x: Number, y: Number) -> Number:
    bounded = chosen(x < LOWEST, LOWEST, x)
    found, exponent = times_logistic(bounded, x, ZERO)
    return scaled_product(found, exponent, y)


@inlined
def gated_gelu(x: Number, y: Number) -> Number:
    v = chosen(x < LOWEST_OF_GELU, LOWEST_OF_GELU, x)
    v = chosen(v > HIGHEST_OF_GELU, HIGHEST_OF_GELU, v)
    square = single(v * v)
    square_low = fma(v, v, -square)
    cubic = single(square * CUBIC)
    cubic_low = fma(square, CUBIC, -cubic) + fma(square_low, CUBIC, single(square * CUBIC_TAIL))
    larger = chosen(cubic < LINEAR, LINEAR, cubic)
    smaller = chosen(cubic < LINEAR, cubic, LINEAR)
    slope = single(larger + smaller)
    slope_low = single(single(smaller - single(slope - larger)) + single(cubic_low + LINEAR_TAIL))
    inner = single(v * slope)
    inner_low = fma(v, slope_low, fma(v, slope, -inner))
    bounded = chosen(x < LOWEST_OF_GELU, LOWEST_OF_GELU, x)
    found, exponent = times_logistic(bounded, inner, inner_low)
    return scaled_product(found, exponent, y)


@inlined
def gated_gelu_erf(x: Number, y: Number) -> Number:
    t = abs(x)
    t = chosen(t > HIGHEST_OF_GELU, HIGHEST_OF_GELU, t)
    # The tail's ratio to e^(-t^2/2); H changes so little that the rounding of z is not seen.
    over, line = single(t + CENTRE), single(t + LINE)
    inverse = single(ONE / single(over * line))
    z = single(single(single(t - CENTRE) * line) * inverse)
    inverse = single(over * inverse)  # of the line
    series = single(z * polynomial(z, TAIL_COEFFICIENTS))
    h = single(TAIL_FIRST + series)
    h_low = single(single(series - single(h - TAIL_FIRST)) + TAIL_FIRST_TAIL)
    larger = chosen(t > LINE, t, LINE)
    smaller = chosen(t > LINE, LINE, t)
    line_low = single(smaller - single(line - larger))
    ratio = single(h * inverse)
    rest = single(single(fma(-ratio, line, h) - single(ratio * line_low)) + h_low)
    ratio_low = single(rest * inverse)
    half = single(-HALF * single(t * t))
    high, rest, k = scaled_exponential(half, fma(single(-HALF * t), t, -half))
    tail = single(ratio * high)
    tail_low = fma(ratio, high, -tail) + fma(ratio, rest, single(ratio_low * high))
    # x less x times the tail where x is positive, and otherwise only the latter.
    less = single(t * tail)
    less = single(less + fma(t, tail_low, fma(t, tail, -less)))
    half_way = integer(k >> 1)
    less = single(single(less * power_of_two(half_way)) * power_of_two(integer(k - half_way)))
    return single(single(chosen(x < ZERO, -ZERO, x) - less) * y)


@inlined
def positive(x: Number) -> Number:
    """relu"""
    return chosen(x > ZERO, x, chosen(x == x, ZERO, x))


@inlined
def sigmoid(x: Number) -> Number:
    return gated_sigmoid(x, ONE)


@inlined
def silu(x: Number) -> Number:
    return gated_silu(x, ONE)


@inlined
def gelu_tanh(x: Number) -> Number:
    return gated_gelu(x, ONE)


@inlined
def gelu_erf(x: Number) -> Number:
    return gated_gelu_erf(x, ONE)


@inlined
def sigmoid_mul(a: Number, b: Number) -> Number:
    return gated_sigmoid(a, b)


@inlined
def silu_mul(a: Number, b: Number) -> Number:
    return gated_silu(a, b)


@inlined
def relu_mul(a: Number, b: Number) -> Number:
    return single(positive(a) * b)


@inlined
def gelu_mul(a: Number, b: Number) -> Number:
    return gated_gelu(a, b)


@inlined
def gelu_erf_mul(a: Number, b: Number) -> Number:
    return gated_gelu_erf(a, b)


# --- loops, over arrays of one axis and of one size that have no gaps -----------------------------


def loop_of_one(function: Any) -> Any:
    def loop(x: Any, out: Any) -> None:
        for i in range(x.size):
            out[i] = function(x[i])

    return loop


def loop_of_two(function: Any) -> Any:
    def loop(a: Any, b: Any, out: Any) -> None:
        for i in range(a.size):
            out[i] = function(a[i], b[i])

    return loop


numba: Any = import_module("numba")
ROW, RESULT = numba.types.Array(numba.float32, 1, "C", readonly=True), numba.float32[::1]

LOOPS = {
    **{
        f.__name__: (loop_of_one(f), numba.void(ROW, RESULT))
        for f in (gelu_erf, gelu_tanh, sigmoid, silu)
    },
    **{
        f.__name__: (loop_of_two(f), numba.void(ROW, ROW, RESULT))
        for f in (gelu_erf_mul, gelu_mul, relu_mul, sigmoid_mul, silu_mul)
    },
}
