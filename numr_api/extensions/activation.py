"""Activation functions of neural networks, gated products of them, and their gradients.

Arrays are of a real floating-point dtype: float16, bfloat16, float32 or float64. Results have the
input's dtype, and new memory on its device. Inputs may be strided, empty and, where no axis is
asked for, 0-dimensional. float16 and bfloat16 are computed in float32 and rounded once, at the end;
options are not rounded to them. NaN gives NaN.

Element by element, results of float32 and float64 err by at most 2 units in the last place, also
far from 0, where a formula written down naively loses all digits, if they are no smaller than the
smallest normal number; on the cpu by 3 in float64, and by 4 in float32 where nothing is compiled.
Where terms of both signs cancel, as in gradients, that is of the larger term. Of softmax and its
relatives, an element errs by as many units more as it is below the largest one of its row. What a
row gives does not depend on the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from numr_api.extensions._activation_rows import (
    log_softmax,
    logsumexp,
    snake_beta,
    snake_beta_backward,
    softmax,
    softmax_backward,
)
from numr_api.extensions._declare import extension, fused

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = [
    "elu",
    "gelu",
    "gelu_erf",
    "gelu_erf_mul",
    "gelu_erf_mul_backward",
    "gelu_mul",
    "gelu_mul_backward",
    "leaky_relu",
    "log_softmax",
    "logsumexp",
    "relu",
    "relu_mul",
    "relu_mul_backward",
    "sigmoid",
    "sigmoid_mul",
    "sigmoid_mul_backward",
    "silu",
    "silu_mul",
    "silu_mul_backward",
    "snake_beta",
    "snake_beta_backward",
    "softmax",
    "softmax_backward",
    "softplus",
]


# Of one array


@fused
def relu(x: Array, /) -> Array:
    """``max(x, 0)``; 0 for -0, NaN for NaN. Exact.

    Arguments:
        x: array of a real floating-point dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@fused
def sigmoid(x: Array, /) -> Array:
    """``1 / (1 + exp(-x))``, the logistic function.

    It keeps its relative accuracy where x is far below 0, down to the smallest numbers.

    Arguments:
        x: array of a real floating-point dtype.

    Returns:
        Array of x's shape and dtype, with values from 0 to 1.
    """
    ...


@fused
def silu(x: Array, /) -> Array:
    """``x * sigmoid(x)``, also called swish; -0 for -infinity, which is its limit.

    Source: S. Elfwing, E. Uchibe, K. Doya, "Sigmoid-weighted linear units for neural network
    function approximation in reinforcement learning", Neural Networks 107 (2018).

    Arguments:
        x: array of a real floating-point dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@fused
def softplus(x: Array, /) -> Array:
    """``log(1 + exp(x))``, without overflow, and accurate where x is far below 0.

    Arguments:
        x: array of a real floating-point dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@fused
def leaky_relu(x: Array, /, *, negative_slope: float = 0.01) -> Array:
    """x where ``x >= 0``, ``negative_slope * x`` elsewhere.

    Arguments:
        x: array of a real floating-point dtype.
        negative_slope: a finite number; not rounded to float16 or bfloat16.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@fused
def elu(x: Array, /, *, alpha: float = 1.0) -> Array:
    """x where ``x > 0``, ``alpha * (exp(x) - 1)`` elsewhere.

    Source: D.-A. Clevert, T. Unterthiner, S. Hochreiter, "Fast and accurate deep network learning
    by exponential linear units", arXiv:1511.07289.

    Arguments:
        x: array of a real floating-point dtype.
        alpha: a finite number; not rounded to float16 or bfloat16.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@fused
def gelu_tanh(x: Array, /) -> Array:
    """What ``gelu`` is with ``approximate="tanh"``."""
    ...


@fused
def gelu_erf(x: Array, /) -> Array:
    """``x * (1 + erf(x / sqrt(2))) / 2``: x times the normal distribution function of x.

    It keeps its relative accuracy where x is far below 0, and is -0 for -infinity, its limit.

    Source: D. Hendrycks, K. Gimpel, "Gaussian error linear units", arXiv:1606.08415.

    Arguments:
        x: array of a real floating-point dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@extension("activation")
def gelu(x: Array, /, *, approximate: Literal["tanh", "none"] = "tanh") -> Array:
    """``x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x**3))) / 2``, or ``gelu_erf(x)``.

    Both forms keep their relative accuracy where x is far below 0; -infinity gives -0. PyTorch's
    default is the other form.

    Source: D. Hendrycks, K. Gimpel, "Gaussian error linear units", arXiv:1606.08415.

    Arguments:
        x: array of a real floating-point dtype.
        approximate: "tanh" for the formula above, "none" for ``gelu_erf``.

    Returns:
        Array of x's shape and dtype.

    Raises:
        ValueError: ``approximate`` is neither.
    """
    if approximate not in ("tanh", "none"):
        raise ValueError(f"gelu: approximate must be 'tanh' or 'none', got {approximate!r}")
    return gelu_tanh(x) if approximate == "tanh" else gelu_erf(x)


# Gated: an activation of one array, times another array


@fused
def silu_mul(a: Array, b: Array, /) -> Array:
    """``silu(a) * b``, rounded once in float16 and bfloat16; the gate of SwiGLU.

    Source: N. Shazeer, "GLU variants improve transformer", arXiv:2002.05202.

    Arguments:
        a, b: arrays of one shape and one real floating-point dtype.

    Returns:
        Array of that shape and dtype.
    """
    ...


@fused
def gelu_mul(a: Array, b: Array, /) -> Array:
    """``gelu(a) * b`` with the tanh form, rounded once in float16 and bfloat16.

    Source: N. Shazeer, "GLU variants improve transformer", arXiv:2002.05202.

    Arguments:
        a, b: arrays of one shape and one real floating-point dtype.

    Returns:
        Array of that shape and dtype.
    """
    ...


@fused
def relu_mul(a: Array, b: Array, /) -> Array:
    """``relu(a) * b``.

    Arguments:
        a, b: arrays of one shape and one real floating-point dtype.

    Returns:
        Array of that shape and dtype.
    """
    ...


@fused
def sigmoid_mul(a: Array, b: Array, /) -> Array:
    """``sigmoid(a) * b``, rounded once in float16 and bfloat16; a gated linear unit.

    Arguments:
        a, b: arrays of one shape and one real floating-point dtype.

    Returns:
        Array of that shape and dtype.
    """
    ...


@fused
def gelu_erf_mul(a: Array, b: Array, /) -> Array:
    """``gelu_erf(a) * b``, rounded once in float16 and bfloat16; the gate of GEGLU.

    Source: N. Shazeer, "GLU variants improve transformer", arXiv:2002.05202.

    Arguments:
        a, b: arrays of one shape and one real floating-point dtype.

    Returns:
        Array of that shape and dtype.
    """
    ...


@fused
def silu_mul_backward(grad: Array, a: Array, b: Array, /) -> tuple[Array, Array]:
    """Gradients of ``silu_mul``: with ``s = sigmoid(a)``,

    ``grad_a = grad * b * s * (1 + a * (1 - s))`` and ``grad_b = grad * a * s``.

    Arguments:
        grad: gradient of the result of ``silu_mul(a, b)``, like a and b.
        a, b: arrays of one shape and one real floating-point dtype.

    Returns:
        Gradients of a and b, arrays like them.
    """
    ...


@fused
def gelu_mul_backward(grad: Array, a: Array, b: Array, /) -> tuple[Array, Array]:
    """Gradients of ``gelu_mul``: with ``u = sqrt(2/pi) * (a + 0.044715 * a**3)``, ``t = tanh(u)``,

    ``grad_a = grad * b * ((1 + t) / 2 + a / 2 * (1 - t**2) * u')``, where ``u'`` is
    ``sqrt(2/pi) * (1 + 3 * 0.044715 * a**2)``, and ``grad_b = grad * a * (1 + t) / 2``.

    Arguments:
        grad: gradient of the result of ``gelu_mul(a, b)``, like a and b.
        a, b: arrays of one shape and one real floating-point dtype.

    Returns:
        Gradients of a and b, arrays like them.
    """
    ...


@fused
def relu_mul_backward(grad: Array, a: Array, b: Array, /) -> tuple[Array, Array]:
    """Gradients of ``relu_mul``: ``grad * b`` where ``a > 0``, else 0; and ``grad * relu(a)``.

    Where a is NaN, so are both.

    Arguments:
        grad: gradient of the result of ``relu_mul(a, b)``, like a and b.
        a, b: arrays of one shape and one real floating-point dtype.

    Returns:
        Gradients of a and b, arrays like them.
    """
    ...


@fused
def sigmoid_mul_backward(grad: Array, a: Array, b: Array, /) -> tuple[Array, Array]:
    """Gradients of ``sigmoid_mul``: with ``s = sigmoid(a)``,

    ``grad_a = grad * b * s * (1 - s)`` and ``grad_b = grad * s``.

    Arguments:
        grad: gradient of the result of ``sigmoid_mul(a, b)``, like a and b.
        a, b: arrays of one shape and one real floating-point dtype.

    Returns:
        Gradients of a and b, arrays like them.
    """
    ...


@fused
def gelu_erf_mul_backward(grad: Array, a: Array, b: Array, /) -> tuple[Array, Array]:
    """Gradients of ``gelu_erf_mul``: with the normal distribution function P and its density p,

    ``grad_a = grad * b * (P(a) + a * p(a))`` and ``grad_b = grad * a * P(a)``.

    Arguments:
        grad: gradient of the result of ``gelu_erf_mul(a, b)``, like a and b.
        a, b: arrays of one shape and one real floating-point dtype.

    Returns:
        Gradients of a and b, arrays like them.
    """
    ...
