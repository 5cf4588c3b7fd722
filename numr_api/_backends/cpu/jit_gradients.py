"""Gradients of gated products of float32, for numba to compile to loops of vector instructions.

They are computed in double precision, since sums in them cancel, and rounded once. The tail of the
normal distribution is that of ``jit_activations``, by a longer polynomial.

Importing this module imports numba.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np

from numr_api._backends.cpu.jit_activations import (
    LOWEST,
    LOWEST_OF_GELU,
    RESULT,
    ROOT,
    ROW,
    chosen,
    inlined,
    positive,
)
from numr_api._backends.cpu.jit_functions import (
    ZERO,
    Number,
    exponential,
    fma,
    polynomial,
    single,
)

# As in ``jit_activations``, to 2^-41.
TAIL = (
    *(0.4956558668353763, -0.13930290771560921, 0.045094448548744934, 0.010673512356162807),
    *(-0.024481635904658496, 0.015813071022512247, -0.0048754971527411655),
    *(-0.00012590131500392416, 0.0006481795795465741, -0.00010585397856585917),
    *(-8.102781140241108e-05, 2.225171488811416e-05, 1.3197517204126743e-05),
    *(-2.8687257595881264e-06, -2.690385541913466e-06, -4.621320617221338e-07),
)
ROOT_TAU = math.sqrt(2 * math.pi)


@inlined
def within(x: Number, limit: float) -> Number:
    v = np.float64(x)
    v = chosen(v < -limit, -limit, v)
    return chosen(v > limit, limit, v)


@inlined
def growth(x: Number) -> Number:
    """e^x, in double precision."""
    rest, scale = exponential(x, -300.0, 300.0)
    return fma(scale, rest, scale)


@inlined
def gradients(grad: Number, slope: Number, value: Number, b: Number) -> tuple[Number, Number]:
    g = np.float64(grad)
    return single(g * slope * np.float64(b)), single(g * value)


@inlined
def sigmoid_mul_backward(grad: Number, a: Number, b: Number) -> tuple[Number, Number]:
    e = growth(within(-a, 200.0))
    share = 1.0 / (1.0 + e)
    return gradients(grad, e * share * share, share, b)


@inlined
def silu_mul_backward(grad: Number, a: Number, b: Number) -> tuple[Number, Number]:
    x = within(a, 200.0)
    e = growth(-x)
    share = 1.0 / (1.0 + e)
    value = np.float64(chosen(a < LOWEST, LOWEST, a)) * share
    return gradients(grad, share * fma(x, e * share, 1.0), value, b)


@inlined
def gelu_mul_backward(grad: Number, a: Number, b: Number) -> tuple[Number, Number]:
    x = within(a, 15.0)
    square = x * x
    e = growth(-x * fma(square, 0.044715 * ROOT, ROOT))
    share = 1.0 / (1.0 + e)
    value = np.float64(chosen(a < LOWEST_OF_GELU, LOWEST_OF_GELU, a)) * share
    slope = x * fma(square, 3 * 0.044715 * ROOT, ROOT)
    return gradients(grad, share * fma(slope, e * share, 1.0), value, b)


@inlined
def gelu_erf_mul_backward(grad: Number, a: Number, b: Number) -> tuple[Number, Number]:
    x = within(a, 15.0)
    t = abs(x)
    over, line = t + 4.0, t + 1.25
    inverse = 1.0 / (over * line)
    bell = growth(-0.5 * x * x)
    tail = bell * polynomial((t - 4.0) * line * inverse, TAIL) * (over * inverse)
    share = chosen(x < 0.0, tail, 1.0 - tail)
    value = np.float64(chosen(a < LOWEST_OF_GELU, LOWEST_OF_GELU, a)) * share
    return gradients(grad, fma(x, bell * (1 / ROOT_TAU), share), value, b)


@inlined
def relu_mul_backward(grad: Number, a: Number, b: Number) -> tuple[Number, Number]:
    first = chosen(a > ZERO, single(grad * b), positive(a))
    return first, single(grad * positive(a))


def loop_of_three(function: Any) -> Any:
    def loop(grad: Any, a: Any, b: Any, grad_a: Any, grad_b: Any) -> None:
        for i in range(a.size):
            grad_a[i], grad_b[i] = function(grad[i], a[i], b[i])

    return loop


numba: Any = import_module("numba")

LOOPS = {
    f.__name__: (loop_of_three(f), numba.void(ROW, ROW, ROW, RESULT, RESULT))
    for f in (
        gelu_erf_mul_backward,
        gelu_mul_backward,
        relu_mul_backward,
        sigmoid_mul_backward,
        silu_mul_backward,
    )
}
