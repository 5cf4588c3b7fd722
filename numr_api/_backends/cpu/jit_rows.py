"""Functions of whole rows, for numba to compile: softmax and its family, rows of length 1, Snake.

Arrays have no gaps, and rows lie along the last axis. Sums are of float64, in parts that depend on
nothing but the length of a row; so a row alone gives the bits that it gives among others. They
may be added in another order by another processor, as far as vectors of other lengths do that.

Importing this module imports numba.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np

from numr_api._backends.cpu.jit_activations import (
    chosen,
    inlined,
    power_of_two,
    scaled_exponential,
)
from numr_api._backends.cpu.jit_functions import (
    INFINITY,
    ROUNDER,
    ZERO,
    Number,
    fma,
    integer,
    intrinsic,
    polynomial,
    single,
)

# sin(pi sqrt(x)) / sqrt(x), and cos(pi sqrt(x)), for x <= 1/4
SINE_OF_TURN = (
    *(3.141592653589635, -5.167712779987959, 2.550164035906745, -0.5992644339357286),
    *(0.08214479467064854, -0.007364005472115722, 0.0004474920849077101),
)
COSINE_OF_TURN = (
    *(0.9999999999992479, -4.93480220024985, 4.0587121075374375, -1.33526231526157),
    *(0.2353254365877112, -0.02577631642731586, 0.0018399894372694043),
)
# 1/pi in two parts.
TURN, TURN_TAIL = 1 / math.pi, -1.9678676675182486e-17
LARGEST = 2.0**50  # angles from which on the parts of a turn are no longer right

LOWEST = single(-130.0)  # where e^x is 0
RAISED, LOWERED = integer(64), single(2.0**-64)  # so that factors are normal numbers
ALL_BUT_SIGN = integer(0x7FFFFFFF)
BITS_OF_INFINITY = integer(0x7F800000)


@intrinsic
def added(_: Any, x: Any, y: Any) -> Any:
    """``x + y`` of a running sum, which may be kept in parts that are added at the end."""

    def generate(_context: Any, builder: Any, _signature: Any, operands: Any) -> Any:
        return builder.fadd(*operands, flags=("reassoc",))

    return x(x, y), generate


# --- softmax and its family -----------------------------------------------------------------------


@inlined
def largest(row: Any) -> Number:
    """The largest number of a row; NaN if there is one. -infinity of an empty row.

    By integers that are in the same order, since vector instructions find the largest of these.
    """
    most = integer(np.int32(-(2**31)))
    for i in range(row.size):
        bits = single(row[i]).view(integer)
        key = integer(bits ^ ((bits >> 31) & ALL_BUT_SIGN))
        key = chosen((bits & ALL_BUT_SIGN) > BITS_OF_INFINITY, ALL_BUT_SIGN, key)
        most = chosen(key > most, key, most)
    return integer(most ^ ((most >> 31) & ALL_BUT_SIGN)).view(single)


@inlined
def exponential_of_difference(x: Number, y: Number) -> Number:
    """e^(x - y), where it is at most 1, with what the difference loses."""
    difference = single(x - y)
    back = single(difference + y)
    lost = single(single(x - back) + single(single(back - difference) - y))
    bounded = chosen(difference < LOWEST, LOWEST, difference)
    high, _, k = scaled_exponential(bounded, chosen(difference < LOWEST, ZERO, lost))
    return single(single(high * power_of_two(integer(k + RAISED))) * LOWERED)


@inlined
def subtracted(row: Any) -> Number:
    """What is subtracted of a row before powers are taken."""
    most = largest(row)
    return ZERO if most == single(-INFINITY) else most


def softmax(x: Any, out: Any) -> None:
    for r in range(x.shape[0]):
        row, target = x[r], out[r]
        most = subtracted(row)
        if not most < single(INFINITY):
            target[:] = single(math.nan)
            continue
        total = 0.0
        for i in range(row.size):
            target[i] = exponential_of_difference(row[i], most)
        for i in range(row.size):
            total = added(total, np.float64(target[i]))
        inverse = 1.0 / total if total > 0.0 else 1.0
        for i in range(row.size):
            target[i] = single(np.float64(target[i]) * inverse)


def log_softmax(x: Any, out: Any) -> None:
    for r in range(x.shape[0]):
        row, target = x[r], out[r]
        most = subtracted(row)
        if not most < single(INFINITY):
            target[:] = single(math.nan)
            continue
        total = 0.0
        for i in range(row.size):
            target[i] = exponential_of_difference(row[i], most)
        for i in range(row.size):
            total = added(total, np.float64(target[i]))
        # Of a row that is -infinity all through, so are the results.
        logarithm = math.log(total) if total > 0.0 else 0.0
        for i in range(row.size):
            target[i] = single(np.float64(row[i]) - np.float64(most) - logarithm)


def logsumexp(x: Any, out: Any) -> None:
    for r in range(x.shape[0]):
        row, most, total = x[r], subtracted(x[r]), 0.0
        if not most < single(INFINITY):
            out[r, 0] = most
            continue
        for i in range(row.size):
            total = added(total, np.float64(exponential_of_difference(row[i], most)))
        out[r, 0] = single(np.float64(most) + (math.log(total) if total > 0.0 else -INFINITY))


def softmax_backward(grad: Any, output: Any, out: Any) -> None:
    for r in range(grad.shape[0]):
        row, shares, target = grad[r], output[r], out[r]
        total = 0.0
        for i in range(row.size):
            total = added(total, np.float64(row[i]) * np.float64(shares[i]))
        for i in range(row.size):
            target[i] = single(np.float64(shares[i]) * (np.float64(row[i]) - total))


def l2_normalize(x: Any, eps: float, out: Any) -> None:
    for r in range(x.shape[0]):
        row, target = x[r], out[r]
        total = 0.0
        for i in range(row.size):
            v = np.float64(row[i])
            total = added(total, v * v)
        norm = math.sqrt(total)
        norm = eps if norm < eps else norm  # or NaN
        inverse = 1.0 / norm if norm != 0.0 else 1.0
        for i in range(row.size):
            target[i] = single(np.float64(row[i]) * inverse)


# --- Snake ----------------------------------------------------------------------------------------


@inlined
def half_turns(alpha: Number, x: Number) -> Number:
    """``alpha * x / pi``, of two numbers of float32, less the nearest integer."""
    angle = np.float64(alpha) * np.float64(x)
    rounded = np.float64(fma(angle, TURN, ROUNDER)) - ROUNDER
    return fma(angle, TURN_TAIL, fma(angle, TURN, -rounded))


@inlined
def is_too_large(alpha: Number, row: Any) -> Number:
    """Whether an angle of a row is finite and so large that ``half_turns`` is wrong."""
    most = integer(0)
    for i in range(row.size):
        bits = integer(single(row[i]).view(integer) & ALL_BUT_SIGN)
        bits = chosen(bits < BITS_OF_INFINITY, bits, integer(0))
        most = chosen(bits > most, bits, most)
    return not abs(np.float64(alpha)) * np.float64(integer(most).view(single)) < LARGEST


def snake_beta(x: Any, alpha: Any, inverse: Any, out: Any) -> bool:
    """Of rows, a number of each for a row; whether an angle is too large for the results."""
    wrong = False
    for r in range(x.shape[0]):
        row, target = x[r], out[r]
        wrong = wrong or is_too_large(alpha[r], row)
        for i in range(row.size):
            turn = half_turns(alpha[r], row[i])
            sine = turn * polynomial(turn * turn, SINE_OF_TURN)
            target[i] = single(fma(sine * sine, inverse[r], np.float64(row[i])))
    return wrong


def snake_beta_backward(grad: Any, x: Any, alpha: Any, inverse: Any, out: Any, sums: Any) -> bool:
    """The same, and two sums for each row: what the gradients of alpha and beta are made of."""
    wrong = False
    for r in range(x.shape[0]):
        grads, row, target = grad[r], x[r], out[r]
        of_alpha = of_beta = 0.0
        wrong = wrong or is_too_large(alpha[r], row)
        for i in range(row.size):
            turn = half_turns(alpha[r], row[i])
            sine = turn * polynomial(turn * turn, SINE_OF_TURN)
            slope = (sine + sine) * polynomial(turn * turn, COSINE_OF_TURN) * inverse[r]
            g, v = np.float64(grads[i]), np.float64(row[i])
            target[i] = single(g * fma(np.float64(alpha[r]), slope, 1.0))
            of_alpha = added(of_alpha, g * v * slope)
            of_beta = added(of_beta, g * sine * sine)
        sums[r, 0] = of_alpha
        sums[r, 1] = -of_beta * inverse[r] * inverse[r]
    return wrong


def constant(dtype: Any, axes: int) -> Any:
    return numba.types.Array(dtype, axes, "C", readonly=True)


numba: Any = import_module("numba")
ROWS, RESULTS, SUMS = constant(numba.float32, 2), numba.float32[:, ::1], numba.float64[:, ::1]
SINGLES, DOUBLES = constant(numba.float32, 1), constant(numba.float64, 1)

LOOPS = {
    "l2_normalize": (l2_normalize, numba.void(ROWS, numba.float64, RESULTS)),
    "log_softmax": (log_softmax, numba.void(ROWS, RESULTS)),
    "logsumexp": (logsumexp, numba.void(ROWS, RESULTS)),
    "softmax": (softmax, numba.void(ROWS, RESULTS)),
    "softmax_backward": (softmax_backward, numba.void(ROWS, ROWS, RESULTS)),
    "snake_beta": (snake_beta, numba.boolean(ROWS, SINGLES, DOUBLES, RESULTS)),
    "snake_beta_backward": (
        snake_beta_backward,
        numba.boolean(ROWS, ROWS, SINGLES, DOUBLES, RESULTS, SUMS),
    ),
}
