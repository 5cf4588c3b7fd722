"""Activation functions, gated products and their gradients, element by element.

A formula gets blocks of one axis in the dtype in which it computes and returns new blocks of it.
float16 and bfloat16 are computed in float32, and rounded when blocks are put together. Where an
exponent is more than the number itself, as in ``exp(-x**2)``, float32 is computed in float64, and
float64 in two parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from numr_api._backends.cpu import jit
from numr_api._backends.cpu.two_parts import product

AnyArray = Any

# Of float32 and float64: from where on exp(-x) is left for exp(x), which is scaled as it may
# underflow before what it is multiplied by makes it a normal number again; and the scale.
FAR = {4: -80.0, 8: -600.0}
SHIFT = {4: 32.0, 8: 64.0}

# gelu(x) = x * sigmoid(x * (LINEAR + CUBIC * x**2)); TAIL is what a constant lacks in float64.
LINEAR, LINEAR_TAIL = 1.5957691216057308, -9.96930880911092e-17
CUBIC, CUBIC_TAIL = 0.07135481627260025, -6.175149918155315e-19
BEYOND = 40.0  # where gelu is 0 below, and x above

# With z = (t - 5) / (t + 5), of the tail e^(-t^2/2) H(z) / (t + 5/4) of the normal distribution: H.
# The form is that of M. M. Shepherd and J. G. Laframboise, Math. Comp. 36 (1981), with other
# constants; it interpolates at Chebyshev's nodes for 0 <= t <= 39.
TAIL = (
    *(0.48074565609378933, -0.12741667065001192, 0.060047571397464077, -0.010218616930813395),
    *(-0.01443720489524993, 0.018683488122090922, -0.012922572765022544, 0.005927289573893978),
    *(-0.0016211846604067444, 4.136084470633433e-05, 0.00016722728857799862),
    *(-5.33674233612457e-05, -8.235100316754601e-06, 8.742790725830633e-06),
    *(-2.3869987702764405e-07, -1.2474698884796171e-06, 1.4621808263055425e-07),
    *(1.873524928899151e-07, -2.778834078540701e-08, -2.989800005258509e-08),
    *(3.172471943428879e-09, 4.1756108633505384e-09, -5.72790072830046e-11),
    -2.8355251773903815e-10,
)

ROOT_TAU = math.sqrt(2 * math.pi)

Formula = Callable[..., Any]
where: Any = np.where


def exp(x: AnyArray, out: AnyArray | None = None) -> AnyArray:
    """The exponential function; ``out`` may be x."""
    compiled = jit.find_compiled("exp") if x.dtype.char == "f" else None
    return (compiled or np.exp)(x, out=out)


def grown(x: AnyArray) -> AnyArray:
    """``exp(-x)``."""
    found = np.negative(x)
    return exp(found, out=found)


def logistic(factor: AnyArray, x: AnyArray, tail: AnyArray = None) -> AnyArray:
    """``factor * sigmoid(x + tail)``, where the tail is small; of -infinity, 0 or -0."""
    found = grown(x)
    if tail is not None:
        found *= 1 - tail
    found += 1
    np.divide(factor, found, out=found)
    size = x.dtype.itemsize
    if not x.min() >= FAR[size]:  # or NaN
        far = x < FAR[size]
        scaled = exp(np.maximum(x[far], 4 * FAR[size]) + SHIFT[size])
        if tail is not None:
            scaled *= 1 + tail[far]
        scaled *= np.maximum(np.broadcast_to(factor, x.shape)[far], 4 * FAR[size])
        found[far] = scaled * math.exp(-SHIFT[size])
    return found


def sigmoid(x: AnyArray) -> AnyArray:
    return logistic(x.dtype.type(1), x)


def silu(x: AnyArray) -> AnyArray:
    return logistic(x, x)


def softplus(x: AnyArray) -> AnyArray:
    return np.maximum(x, 0) + np.log1p(np.exp(-abs(x)))


def relu(x: AnyArray) -> AnyArray:
    found: AnyArray = np.maximum(x, 0)
    found += 0  # -0 becomes 0
    return found


def leaky_relu(x: AnyArray, slope: float) -> AnyArray:
    found: AnyArray = x * slope
    np.copyto(found, x, where=x >= 0)
    return found


def elu(x: AnyArray, alpha: float) -> AnyArray:
    return np.where(x > 0, x, np.expm1(np.where(x > 0, 0, x)) * alpha)


def inner_of_gelu(x: AnyArray) -> tuple[AnyArray, AnyArray]:
    """``x * (LINEAR + CUBIC * x**2)`` in two parts, for x within BEYOND."""
    square, square_tail = product(x, x)
    cubic, cubic_tail = product(square, CUBIC)
    cubic_tail += square_tail * CUBIC + square * CUBIC_TAIL
    total = cubic + LINEAR
    larger, smaller = np.maximum(cubic, LINEAR), np.minimum(cubic, LINEAR)
    total_tail = smaller - (total - larger) + (cubic_tail + LINEAR_TAIL)
    inner, inner_tail = product(x, total)
    return inner, inner_tail + x * total_tail


def inner_of_single(x: AnyArray) -> tuple[AnyArray, None]:
    total = x * x
    total *= CUBIC
    total += LINEAR
    total *= x
    return total, None


def bell(x: AnyArray) -> AnyArray:
    """``exp(-x**2 / 2)``, for x within BEYOND."""
    square, tail = product(x, x)
    return np.exp(square * -0.5) * (1 - 0.5 * tail)


def density(x: AnyArray) -> AnyArray:
    """Of the normal distribution, for x within BEYOND."""
    return bell(x) / ROOT_TAU


def density_of_single(x: AnyArray) -> AnyArray:
    found = x * x
    found *= -0.5
    np.exp(found, out=found)
    found /= ROOT_TAU
    return found


@cache
def special() -> Any:
    """SciPy's functions, which take a tenth of a second to import."""
    return import_module("scipy.special")


def distribution_of_single(x: AnyArray) -> AnyArray:
    return special().ndtr(x)


def normal_tail(t: AnyArray) -> AnyArray:
    """The probability that a normal number exceeds t, for 0 <= t <= BEYOND."""
    z = (t - 5) / (t + 5)
    series: AnyArray = np.full_like(z, TAIL[-1])
    for coefficient in TAIL[-2:0:-1]:
        series *= z
        series += coefficient
    series *= z
    h = series + TAIL[0]
    h_low = series - (h - TAIL[0])
    line = t + 1.25
    line_low: AnyArray = where(t > 1.25, 1.25 - (line - t), t - (line - 1.25))
    ratio = h / line
    whole, rest = product(ratio, line)
    square, lost = product(t, t)
    ratio += (((h - whole) - rest) + (h_low - ratio * line_low)) / line - ratio * (0.5 * lost)
    square *= -0.5
    return ratio * np.exp(square, out=square)


def distribution(x: AnyArray) -> AnyArray:
    """Of the normal distribution, for x within BEYOND."""
    tail = normal_tail(abs(x))
    return where(x < 0, tail, 1 - tail)


def gated(activation: Formula) -> Formula:
    def formula(a: AnyArray, b: AnyArray) -> AnyArray:
        found = activation(a)
        found *= b
        return found

    return formula


def silu_mul_backward(grad: AnyArray, a: AnyArray, b: AnyArray) -> tuple[AnyArray, AnyArray]:
    far = FAR[a.dtype.itemsize]
    if not (a.min() >= far and a.max() <= -far):  # or NaN
        within = np.clip(a, 4 * far, -4 * far)
        derivative = logistic(1 + within * sigmoid(-within), a)
        return derivative * grad * b, silu(a) * grad
    rest = grown(a)
    share = rest + 1
    np.divide(1, share, out=share)
    rest *= share  # 1 - share
    rest *= a
    rest += 1
    rest *= share
    rest *= grad
    rest *= b
    share *= a
    share *= grad
    return rest, share


def sigmoid_mul_backward(grad: AnyArray, a: AnyArray, b: AnyArray) -> tuple[AnyArray, AnyArray]:
    return logistic(sigmoid(-a), a) * grad * b, sigmoid(a) * grad


def relu_mul_backward(grad: AnyArray, a: AnyArray, b: AnyArray) -> tuple[AnyArray, AnyArray]:
    first = grad * b
    kept = np.greater(a, 0).view(np.int8)
    bits = first.view(f"i{first.itemsize}")
    np.bitwise_and(bits, np.negative(kept, out=kept), out=bits)  # 1 becomes -1: all ones
    unknown = a != a
    if unknown.any():
        first[unknown] = a[unknown]
    second = relu(a)
    second *= grad
    return first, second


def of_gelu(inner_of: Formula, density: Formula, distribution: Formula) -> dict[str, Formula]:
    """The formulas of both kinds of gelu, of their products and of gradients."""

    def gelu_tanh(x: AnyArray) -> AnyArray:
        return logistic(np.maximum(x, -BEYOND), *inner_of(np.clip(x, -BEYOND, BEYOND)))

    def gelu_mul_backward(grad: AnyArray, a: AnyArray, b: AnyArray) -> tuple[AnyArray, AnyArray]:
        within = np.clip(a, -BEYOND, BEYOND)
        inner, tail = inner_of(within)
        slope = LINEAR + 3 * CUBIC * within * within
        share = logistic(1, inner, tail)
        derivative = (1 + within * slope * sigmoid(-inner)) * share
        return derivative * grad * b, np.maximum(a, -BEYOND) * share * grad

    def gelu_erf(x: AnyArray) -> AnyArray:
        return np.maximum(x, -BEYOND) * distribution(np.clip(x, -BEYOND, BEYOND))

    def gelu_erf_mul_backward(
        grad: AnyArray, a: AnyArray, b: AnyArray
    ) -> tuple[AnyArray, AnyArray]:
        within = np.clip(a, -BEYOND, BEYOND)
        share = distribution(within)
        derivative = share + within * density(within)
        return derivative * grad * b, np.maximum(a, -BEYOND) * share * grad

    return {
        "gelu_tanh": gelu_tanh,
        "gelu_mul": gated(gelu_tanh),
        "gelu_mul_backward": gelu_mul_backward,
        "gelu_erf": gelu_erf,
        "gelu_erf_mul": gated(gelu_erf),
        "gelu_erf_mul_backward": gelu_erf_mul_backward,
    }


DOUBLE = of_gelu(inner_of_gelu, density, distribution)
SINGLE = of_gelu(inner_of_single, density_of_single, distribution_of_single)


@dataclass(frozen=True)
class Row:
    """How a function is computed.

    Attributes:
        formula: of blocks, and the option where there is one.
        nanoseconds: for an element, about.
        for_single: what computes float32 in float64, where that is needed.
    """

    formula: Formula
    nanoseconds: float
    for_single: Formula | None = None


ROWS = {
    "elu": Row(elu, 20),
    "leaky_relu": Row(leaky_relu, 2),
    "relu": Row(relu, 1),
    "relu_mul": Row(gated(relu), 1),
    "relu_mul_backward": Row(relu_mul_backward, 5),
    "sigmoid": Row(sigmoid, 4),
    "sigmoid_mul": Row(gated(sigmoid), 4),
    "sigmoid_mul_backward": Row(sigmoid_mul_backward, 8),
    "silu": Row(silu, 4),
    "silu_mul": Row(gated(silu), 4),
    "silu_mul_backward": Row(silu_mul_backward, 8),
    "softplus": Row(softplus, 25, softplus),
    **{name: Row(formula, 30, SINGLE[name]) for name, formula in DOUBLE.items()},
}
