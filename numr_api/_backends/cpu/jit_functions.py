"""Functions of numbers, for numba to compile to loops of vector instructions.

All are of float32. exp, expm1 and tan calculate in double precision and round once, at the end, so
that they err by little more than half a unit in the last place. The others calculate in float32, of
which a vector holds twice as many, with the leading terms in two parts. There is no branch, no call
and no table, since LLVM makes no vector instructions of these; a condition chooses between two
values that are both there. Products are added with one rounding where ``fma`` says so and nowhere
else, and nothing is reassociated, so the bits of a result depend neither on where an element stands
nor on the processor.

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
intrinsic: Any = import_module("numba.extending").intrinsic
single, integer = np.float32, np.int32


def singles(coefficients: tuple[float, ...]) -> tuple[np.float32, ...]:
    return tuple(single(c) for c in coefficients)


# (2^x - 1) / x for |x| <= 1/2
EXPONENTIAL = (
    *(0.6931471805599453, 0.24022650922288757, 0.055504108839096185, 0.009618056678524637),
    *(0.001333350238616277, 0.0001546144469856913, 1.5297323760701075e-05),
)
# (log(1 + x) - x) / x^2 for sqrt(1/2) - 1 <= x <= sqrt(2) - 1
LOGARITHM = (
    *(-0.4999999994349637, 0.333333227936071, -0.25000010940100675, 0.2000144672220023),
    *(-0.16667536772428632, 0.1423231785955222, -0.12420814467908906, 0.1181213614232965),
    *(-0.11557287882015818, 0.06769024113815997),
)
# (asin(sqrt(x)) / sqrt(x) - 1) / x for x <= 1/4
ARCSINE = (
    *(0.16666666337430908, 0.07500094543497424, 0.04459940152851218, 0.03110066273549457),
    *(0.017149238357677253, 0.03369084720283012),
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
INFINITY = math.inf
NAN = math.nan

# Added to a number, it leaves the nearest integer in the low bits, and subtracted again, as number.
ROUNDER = 1.5 * 2.0**52

# The bits of float64: 52 of the significand, then the exponent from a bias of 1023.
BIAS = 1023

# Of float32. The names that end in TAIL are what the number lacks that is rounded to fewer bits.
ZERO, HALF, ONE = singles((0.0, 0.5, 1.0))
NO_NUMBER = single(NAN)
SMALLEST_NORMAL, BECOMES_NORMAL, EXPONENT_ADDED = single(2.0**-126), single(2.0**23), integer(23)
SIGNIFICAND = integer(2**23 - 1)
ROOT_HALF = integer(0x3F3504F3)  # the bits of sqrt(1/2)
LOG_COEFFICIENTS = singles(LOGARITHM)
LOG10_COEFFICIENTS = singles(tuple(c / math.log(10) for c in LOGARITHM))
ARCSINE_COEFFICIENTS = singles(ARCSINE)


def two_parts(x: float, bits: int = 0) -> tuple[np.float32, np.float32]:
    """A number in float32, of so many bits after the point where they are given, and the rest."""
    first = single(round(x * 2**bits) / 2**bits if bits else x)
    return first, single(x - float(first))


# Of 16 bits, so that products with an exponent are exact.
LOG_2, LOG_2_TAIL = two_parts(math.log(2), 16)
LOG10_2, LOG10_2_TAIL = two_parts(math.log10(2), 16)
LOG10_E, LOG10_E_TAIL = two_parts(1 / math.log(10))
HALF_PI, HALF_PI_TAIL = two_parts(math.pi / 2)

# 2/pi in binary: 64 bits from the one of weight 1, and the next ones.
TWO_OVER_PI = tuple(
    np.uint64(bits)
    for bits in (0x517CC1B727220A94, 0xFE13ABE8FA9A6EE0, 0x6DB14ACC9E21C820, 0xFF28B1D5EF5DE2B0)
)


@intrinsic
def fma(_: Any, x: Any, y: Any, z: Any) -> Any:
    """``x * y + z``, rounded once."""

    def generate(_context: Any, builder: Any, _signature: Any, operands: Any) -> Any:
        return builder.fma(*operands)

    return x(x, y, z), generate


@reusable
def polynomial(x: Number, coefficients: Any) -> Number:
    total = coefficients[-1]
    for i in range(len(coefficients) - 2, -1, -1):
        total = fma(total, x, coefficients[i])
    return total


@reusable
def exponential(x: Number, lowest: float = -110.0, highest: float = 90.0) -> tuple[Number, Number]:
    """Of e^x = scale (1 + rest), where the scale is a power of two: the rest and the scale."""
    v = np.float64(x)
    v = highest if v > highest else v  # what is beyond overflows in float32 as well,
    v = lowest if v < lowest else v  # or underflows
    rounded = np.float64(fma(v, LOG2_E, ROUNDER + BIAS))
    fraction = fma(v, LOG2_E, -(rounded - (ROUNDER + BIAS)))
    scale = np.int64(rounded.view(np.int64) << 52).view(np.float64)
    return fraction * polynomial(fraction, EXPONENTIAL), scale


def exp(x: Number) -> Number:
    rest, scale = exponential(x)
    return single(fma(scale, rest, scale))


def expm1(x: Number) -> Number:
    rest, scale = exponential(x)
    return single(fma(scale, rest, -(1.0 - scale)))  # -0 stays -0


@reusable
def parts(x: Number) -> tuple[Number, Number]:
    """Of x = 2^k (1 + f), where 1 + f is from sqrt(1/2) to sqrt(2): k and f."""
    is_tiny = x < SMALLEST_NORMAL
    v = single(x * BECOMES_NORMAL if is_tiny else x)
    bits = integer(v.view(integer) - ROOT_HALF)
    k = integer(bits >> EXPONENT_ADDED)  # there are as many bits of the significand
    k = integer(k - EXPONENT_ADDED) if is_tiny else k
    m = integer(integer(bits & SIGNIFICAND) + ROOT_HALF).view(single)
    return single(k), single(m - ONE)


@reusable
def with_special_cases(x: Number, y: Number) -> Number:
    """A logarithm of x, which is y where x is positive and finite."""
    y = y if x < single(INFINITY) else x
    return y if x > ZERO else (single(-INFINITY) if x == ZERO else NO_NUMBER)


def log(x: Number) -> Number:
    k, f = parts(x)
    low = fma(single(f * f), polynomial(f, LOG_COEFFICIENTS), single(k * LOG_2_TAIL))
    high = fma(k, LOG_2, f)
    lost = single(fma(k, LOG_2, -high) + f)
    return with_special_cases(x, single(high + single(low + lost)))


def log10(x: Number) -> Number:
    k, f = parts(x)
    tails = fma(k, LOG10_2_TAIL, single(f * LOG10_E_TAIL))
    low = fma(single(f * f), polynomial(f, LOG10_COEFFICIENTS), tails)
    whole = single(k * LOG10_2)
    high = fma(f, LOG10_E, whole)
    lost = fma(f, LOG10_E, single(whole - high))
    return with_special_cases(x, single(high + single(low + lost)))


def asin(x: Number) -> Number:
    size = abs(x)
    # asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2))
    is_large = size > HALF
    square = fma(-HALF, size, HALF) if is_large else single(size * size)
    root = single(math.sqrt(square))
    root = root if is_large else size
    more = single(single(root * square) * polynomial(square, ARCSINE_COEFFICIENTS))
    # Twice what the root lacks, and what the difference loses.
    lacking = single(fma(-root, root, square) / root)
    lacking = lacking if square != ZERO else ZERO
    high = single(HALF_PI - single(root + root))
    lost = single(single(HALF_PI - high) - single(root + root))
    low = single(single(lost + single(HALF_PI_TAIL - lacking)) - single(more + more))
    return math.copysign(single(high + low) if is_large else single(root + more), x)


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
