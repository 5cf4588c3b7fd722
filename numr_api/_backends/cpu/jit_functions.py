"""Functions of numbers, for numba to compile to loops of vector instructions.

Those of float32 calculate in double precision and round once, at the end, so that they err by
little more than half a unit in the last place. There is no branch, no call and no table, since LLVM
makes no vector instructions of these; a condition chooses between two values that are both there.
Nothing is reassociated or contracted, so the bits of a result depend neither on where an element
stands nor on the processor.

Reductions and identities are those of J.-M. Muller, Elementary Functions (3rd edition, 2016),
chapters 9 and 11; large arguments of tan as in M. Payne and R. Hanek, Radian reduction for
trigonometric functions, SIGNUM Newsletter 18 (1983). Polynomials interpolate at Chebyshev's points;
tests/test_cpu_jit.py calculates their coefficients anew.

Importing this module imports numba.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np

Number = Any  # of the types that numba infers

reusable: Any = import_module("numba.extending").register_jitable

# (2^x - 1) / x for |x| <= 1/2
EXPONENTIAL = (
    *(0.6931471805599453, 0.24022650922288757, 0.055504108839096185, 0.009618056678524637),
    *(0.001333350238616277, 0.0001546144469856913, 1.5297323760701075e-05),
)
# 2 atanh(sqrt(x)) / sqrt(x) for x <= (sqrt(2) - 1)^4
LOGARITHM = (
    *(2.0000000000083595, 0.6666666524748752, 0.4000038467237519, 0.2853505103781631),
    0.23616359099145984,
)
# asin(sqrt(x)) / sqrt(x) for x <= 1/4
ARCSINE = (
    *(0.9999999999863537, 0.16666667364186447, 0.07499941908754719, 0.04466113930866896),
    *(0.03010250689966149, 0.024650862660604088, 0.0074010072390753795, 0.0347484248080839),
)
# sin(sqrt(x) pi / 2) / sqrt(x), and cos(sqrt(x) pi / 2), for x <= 1/4
SINE = (
    *(1.5707963267881, -0.6459640961467954, 0.07969258272563062, -0.004681266256726245),
    0.00015820630355647733,
)
COSINE = (
    *(0.9999999999524894, -1.2337005406331623, 0.2536692036551135, -0.02086006950026408),
    0.0009036280663802505,
)

LOG2_E = 1 / math.log(2)
LOG_2 = math.log(2)
LOG10_E = 1 / math.log(10)
HALF_PI = math.pi / 2
INFINITY = math.inf
NAN = math.nan

# Added to a number, it leaves the nearest integer in the low bits, and subtracted again, as number.
ROUNDER = 1.5 * 2.0**52

# The bits of float64: 52 of the significand, then the exponent from a bias of 1023.
BIAS = 1023
SIGNIFICAND = 2**52 - 1
ROOT_HALF = 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2)
LOWEST = ROOT_HALF - (1024 << 52)  # subtracted from the bits of a float32, leaves them positive
INTEGER = 0x4330000000000000  # the bits of 2^52: an integer in the low ones is added to it

# 2/pi in binary: 64 bits from the one of weight 1, and the next ones.
TWO_OVER_PI = tuple(
    np.uint64(bits)
    for bits in (0x517CC1B727220A94, 0xFE13ABE8FA9A6EE0, 0x6DB14ACC9E21C820, 0xFF28B1D5EF5DE2B0)
)


@reusable
def polynomial(x: Number, coefficients: Any) -> Number:
    total = coefficients[-1]
    for i in range(len(coefficients) - 2, -1, -1):
        total = total * x + coefficients[i]
    return total


@reusable
def exponential(x: Number) -> tuple[Number, Number]:
    """Of e^x = scale (1 + rest), where the scale is a power of two: the rest and the scale."""
    v = np.float64(x)
    v = 90.0 if v > 90.0 else v  # what is beyond overflows, or underflows, in float32 as well
    v = -110.0 if v < -110.0 else v
    binary = v * LOG2_E
    rounded = np.float64(binary + ROUNDER)
    fraction = binary - (rounded - ROUNDER)
    scale = np.int64((rounded.view(np.int64) + BIAS) << 52).view(np.float64)
    return fraction * polynomial(fraction, EXPONENTIAL), scale


def exp(x: Number) -> Number:
    rest, scale = exponential(x)
    return np.float32(scale + scale * rest)


def expm1(x: Number) -> Number:
    rest, scale = exponential(x)
    return np.float32(scale * rest + (scale - 1.0) if x != 0 else x)  # -0 stays -0


@reusable
def natural_logarithm(x: Number) -> Number:
    v = np.float64(x)
    # v = m 2^k, with m from sqrt(1/2) to sqrt(2)
    bits = v.view(np.int64) - LOWEST
    k = np.int64(((bits >> 52) & 2047) | INTEGER).view(np.float64) - (2.0**52 + 1024)
    m = np.int64((bits & SIGNIFICAND) + ROOT_HALF).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    y = k * LOG_2 + s * polynomial(s * s, LOGARITHM)
    y = y if v < INFINITY else v
    return y if v > 0.0 else (-INFINITY if v == 0.0 else NAN)


def log(x: Number) -> Number:
    return np.float32(natural_logarithm(x))


def log10(x: Number) -> Number:
    return np.float32(natural_logarithm(x) * LOG10_E)


def asin(x: Number) -> Number:
    v = np.float64(x)
    size = abs(v)
    # asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2))
    is_large = size > 0.5
    square = 0.5 - 0.5 * size if is_large else size * size
    root = math.sqrt(square)
    y = root * polynomial(square, ARCSINE)
    return np.float32(math.copysign(HALF_PI - 2.0 * y if is_large else y, v))


@reusable
def scaled(bits: Number, exponent: int) -> Number:
    """An integer of up to 52 bits times 2^exponent."""
    one = np.uint64((BIAS + 52 + exponent) << 52)
    return np.uint64(bits | one).view(np.float64) - 2.0 ** (52 + exponent)


@reusable
def quarter_turns(size: Number) -> tuple[Number, Number]:
    """``2 size / pi``: whether the nearest integer is odd, and what is above it.

    A size is w 2^i, where w is an integer if i is not 0, and 2 is a period. So of the bits of 2/pi
    those of weight 2 and more, when shifted by i, do not count; the next 88 are enough.
    """
    one, all_bits = np.uint64(1), np.uint64(63)
    bits = np.float64(size).view(np.uint64)
    exponent = bits >> np.uint64(52)
    no_shift = np.uint64(BIAS + 23)
    i = exponent - no_shift if exponent > no_shift else np.uint64(0)
    w = np.uint64(bits - (i << np.uint64(52))).view(np.float64)
    is_low = i < np.uint64(64)
    first = TWO_OVER_PI[0] if is_low else TWO_OVER_PI[1]
    second = TWO_OVER_PI[1] if is_low else TWO_OVER_PI[2]
    third = TWO_OVER_PI[2] if is_low else TWO_OVER_PI[3]
    left = i & all_bits
    right = all_bits - left
    first = (first << left) | ((second >> one) >> right)
    second = (second << left) | ((third >> one) >> right)
    # Three parts, of which products with the 24 bits of w are exact.
    high = scaled(first >> np.uint64(36), -27)
    middle = scaled((first >> np.uint64(8)) & np.uint64(2**28 - 1), -55)
    low = scaled(((first & np.uint64(255)) << np.uint64(24)) | (second >> np.uint64(40)), -87)
    rounded = np.float64((w * high + w * middle) + ROUNDER)
    above = ((w * high - (rounded - ROUNDER)) + w * middle) + w * low
    return (rounded.view(np.int64) & 1) != 0, above


def tan(x: Number) -> Number:
    v = np.float64(x)
    size = abs(v)
    is_odd, above = quarter_turns(size)
    square = above * above
    sine = above * polynomial(square, SINE)
    cosine = polynomial(square, COSINE)
    y = (-cosine if is_odd else sine) / (sine if is_odd else cosine)
    # Of an infinity the bits mean nothing.
    return np.float32(math.copysign(1.0, v) * y if size < INFINITY else NAN)


def select(mask: Number, x1: Number, x2: Number) -> Number:
    return x1 if mask != 0 else x2
