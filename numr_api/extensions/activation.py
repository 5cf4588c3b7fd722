"""Activation functions of neural networks, gated products of them, and their gradients.

Arrays are of a real floating-point dtype: float16, bfloat16, float32 or float64. Results have the
input's dtype, and new memory on its device. Inputs may be strided, empty and, where no axis is
asked for, 0-dimensional. float16 and bfloat16 are computed in float32 and rounded once, at the end;
options are not rounded to them. NaN gives NaN.

Element by element, results of float32 and float64 err by at most 4 units in the last place, by 5
far from 0, where a formula written down naively loses all digits, if they are no smaller than the
smallest normal number. Where terms of both signs cancel, as in gradients, that is of the larger
term. Of softmax and its relatives, an element errs by as many units more as it is below the largest
one of its row. What a row gives does not depend on the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from numr_api._checks import require_array
from numr_api._linalg_decompositions import compute
from numr_api._shapes import as_axes, as_axis, as_bool
from numr_api.extensions._declare import (
    ACCEPTS,
    as_eps,
    extension,
    fused,
    require_alike,
    require_one_dtype,
)

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


# Along an axis


@extension("activation")
def softmax(x: Array, /, *, axis: int = -1) -> Array:
    """``exp(x) / sum(exp(x))`` along an axis, without overflow.

    Rows of -infinity alone, in which everything is masked, give zeros. Rows with NaN or +infinity
    give NaN. Sums are added in float32 at least, in an order that the length of the axis fixes.

    Arguments:
        x: array of one axis or more and of a real floating-point dtype.
        axis: one axis.

    Returns:
        Array of x's shape and dtype.

    Raises:
        IndexError: x has no such axis.
    """
    return _along("softmax", x, axis)


@extension("activation")
def log_softmax(x: Array, /, *, axis: int = -1) -> Array:
    """``x - log(sum(exp(x)))`` along an axis, without overflow.

    Rows of -infinity alone give -infinity. Rows with NaN or +infinity give NaN.

    Arguments:
        x: array of one axis or more and of a real floating-point dtype.
        axis: one axis.

    Returns:
        Array of x's shape and dtype.

    Raises:
        IndexError: x has no such axis.
    """
    return _along("log_softmax", x, axis)


@extension("activation")
def logsumexp(
    x: Array, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
) -> Array:
    """``log(sum(exp(x)))`` along axes, without overflow.

    It is -infinity where there are no elements, or only such of -infinity; +infinity where one is
    +infinity and none is NaN.

    Arguments:
        x: array of a real floating-point dtype.
        axis: one axis or several; None for all.
        keepdims: whether the axes stay, with length 1.

    Returns:
        Array of x's dtype without the axes.

    Raises:
        IndexError: x has no such axis.
        ValueError: an axis is named twice.
    """
    array = require_array("logsumexp", x, ACCEPTS)
    axes = as_axes("logsumexp", axis, array.ndim)
    as_bool("logsumexp", "keepdims", keepdims)
    return _compute("logsumexp", array, axes=axes, keepdims=keepdims)[0]


@extension("activation")
def softmax_backward(grad: Array, output: Array, /, *, axis: int = -1) -> Array:
    """Gradient of ``softmax``: ``output * (grad - sum(grad * output))``, the sum along the axis.

    Arguments:
        grad: gradient of ``output``, an array like it.
        output: what ``softmax`` returned, of a real floating-point dtype.
        axis: the axis of ``softmax``.

    Returns:
        Gradient of the input of ``softmax``, an array like ``output``.

    Raises:
        IndexError: the arrays have no such axis.
        ValueError: the shapes differ.
    """
    name = "softmax_backward"
    arrays = [require_array(name, x, ACCEPTS) for x in (grad, output)]
    require_alike(name, *arrays)
    return _compute(name, *arrays, axis=as_axis(name, axis, arrays[0].ndim))[0]


@extension("activation")
def snake_beta(
    x: Array, alpha: Array, beta: Array, /, *, axis: int = 1, eps: float = 1e-9
) -> Array:
    """``x + sin(alpha * x)**2 / (beta + eps)`` with an alpha and a beta for each channel.

    The parameters are those of the formula: of checkpoints that keep their logarithms, pass
    ``exp(alpha)`` and ``exp(beta)``. Snake, which has one parameter, is this with alpha twice. In
    float16 and bfloat16, ``alpha * x`` is not rounded before its sine is taken.

    Source: L. Ziyin, T. Hartwig, M. Ueda, "Neural networks fail to learn periodic functions and how
    to fix it", arXiv:2006.08195; S. Lee et al., "BigVGAN", arXiv:2206.04658.

    Arguments:
        x: array of one axis or more and of a real floating-point dtype.
        alpha, beta: arrays of x's dtype and of one axis, as long as x's axis of channels.
        axis: the axis of channels.
        eps: a finite number of at least 0, which is added to beta.

    Returns:
        Array of x's shape and dtype.

    Raises:
        IndexError: x has no such axis.
        ValueError: alpha or beta has another shape, or eps is negative or not finite.
    """
    arrays, parameters = _snake("snake_beta", (x, alpha, beta), axis, eps)
    return _compute("snake_beta", *arrays, **parameters)[0]


@extension("activation")
def snake_beta_backward(
    grad: Array, x: Array, alpha: Array, beta: Array, /, *, axis: int = 1, eps: float = 1e-9
) -> tuple[Array, Array, Array]:
    """Gradients of ``snake_beta``: with ``b = beta + eps``,

    ``grad * (1 + alpha * sin(2 * alpha * x) / b)``, and over all axes but that of channels
    ``sum(grad * x * sin(2 * alpha * x) / b)`` and ``sum(-grad * sin(alpha * x)**2 / b**2)``.

    Sums are added in float32 at least and in an order that the shape fixes; without elements they
    are 0.

    Arguments:
        grad: gradient of the result of ``snake_beta``, like x.
        x: array of one axis or more and of a real floating-point dtype.
        alpha, beta: arrays of x's dtype and of one axis, as long as x's axis of channels.
        axis: the axis of channels.
        eps: a finite number of at least 0, which is added to beta.

    Returns:
        Gradients of x, alpha and beta, arrays like them.

    Raises:
        IndexError: x has no such axis.
        ValueError: an array has another shape, or eps is negative or not finite.
    """
    name = "snake_beta_backward"
    arrays, parameters = _snake(name, (x, alpha, beta), axis, eps)
    gradient = require_array(name, grad, ACCEPTS)
    require_alike(name, gradient, arrays[0])
    grad_x, grad_alpha, grad_beta = _compute(name, gradient, *arrays, results=3, **parameters)
    return grad_x, grad_alpha, grad_beta


def _along(name: str, x: object, axis: object) -> Array:
    array = require_array(name, x, ACCEPTS)
    return _compute(name, array, axis=as_axis(name, axis, array.ndim))[0]


def _snake(
    name: str, arguments: tuple[object, ...], axis: object, eps: object
) -> tuple[list[Array], dict[str, Any]]:
    """x, alpha and beta, and the parameters of the backend's routine."""
    arrays = [require_array(name, x, ACCEPTS) for x in arguments]
    require_one_dtype(name, *arrays)
    x, *channels = arrays
    number = as_axis(name, axis, x.ndim)
    for parameter, array in zip(("alpha", "beta"), channels, strict=True):
        if array.shape != (x.shape[number],):
            raise ValueError(
                f"{name}: {parameter} must have shape ({x.shape[number]},), as long as axis "
                f"{number} of x, got {array.shape}"
            )
    return arrays, {"axis": number, "eps": as_eps(name, eps)}


def _compute(name: str, *arrays: Array, results: int = 1, **parameters: Any) -> list[Array]:
    return compute(name, name, arrays, (arrays[0].dtype,) * results, **parameters)
