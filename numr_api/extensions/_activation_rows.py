"""The activation functions that work along axes: softmax and its family, and Snake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numr_api._checks import require_array
from numr_api._linalg_decompositions import compute
from numr_api._shapes import as_axes, as_axis, as_bool
from numr_api.extensions._declare import (
    ACCEPTS,
    as_eps,
    extension,
    require_alike,
    require_one_dtype,
)

if TYPE_CHECKING:
    from numr_api._array import Array


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
