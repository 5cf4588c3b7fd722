"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from numr_api import (
    _arithmetic,
    _comparison,
    _data_types,
    _manipulation,
    _reductions,
    _searching,
)
from numr_api._checks import as_scalar, describe, require_array
from numr_api._declare import operation
from numr_api._linalg_decompositions import as_matrices, compute, real_part, singular_values
from numr_api._shapes import as_axes, as_bool

if TYPE_CHECKING:
    from numr_api._array import Array

Axes = tuple[int, ...]

__all__ = ["matrix_norm", "vector_norm"]


@operation("linalg")
def vector_norm(
    x: Array,
    /,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    ord: float = 2,
) -> Array:
    """Norms of vectors, ``sum(abs(x)**ord) ** (1 / ord)``, without overflow on the way.

    Arguments:
        x: array of a floating-point dtype.
        axis: the axis of the vectors; several for vectors that lie along all of these; None for
            all axes.
        keepdims: whether the axes stay, with length 1.
        ord: any int or float, of which four are limits of the formula:

            - inf: ``max(abs(x))``
            - -inf: ``min(abs(x))``
            - 0: how many elements are not zero
            - 2: the Euclidean norm, ``sqrt(sum(abs(x)**2))``

    Returns:
        Array of the real dtype of x's precision, without ``axis`` unless keepdims. The norm of no
        elements is 0, and for a negative ord infinite.
    """
    name = "linalg.vector_norm"
    array = require_array(name, x, "32-bit or wider floating-point")
    axes = as_axes(name, axis, array.ndim)
    as_bool(name, "keepdims", keepdims)
    order = _as_order(name, ord)
    if order == 2:
        return _euclidean(name, array, axes, keepdims)
    if order == 0:
        nonzero = _data_types.astype(_comparison.not_equal(array, 0), real_part(array))
        return _reductions.sum(nonzero, axis=axes, keepdims=keepdims)
    size = _arithmetic.abs(array)
    if order == 1:
        return _reductions.sum(size, axis=axes, keepdims=keepdims)
    if math.isinf(order):
        return (_largest if order > 0 else _smallest)(size, axes, keepdims)
    return _power_norm(size, axes, keepdims, order)


@operation("linalg")
def matrix_norm(
    x: Array, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro"
) -> Array:
    """Norms of matrices.

    Arguments:
        x: matrices of shape (..., M, N) and a floating-point dtype.
        keepdims: whether the last two axes stay, with length 1.
        ord: one of

            - "fro" or None: Frobenius norm, ``sqrt(sum(abs(x)**2))``
            - "nuc": nuclear norm, the sum of the singular values
            - 1, -1: largest, smallest sum of a column's absolute values
            - inf, -inf: largest, smallest sum of a row's absolute values
            - 2, -2: largest, smallest singular value

    Returns:
        Array of shape (...) and the real dtype of x's precision. The largest of no values is 0, the
        smallest infinite.

    Raises:
        ValueError: another ord, or singular values that do not converge, as when x contains NaN.
    """
    name = "linalg.matrix_norm"
    matrices = as_matrices(name, x)
    as_bool(name, "keepdims", keepdims)
    if ord is None or ord == "fro":
        norm = _euclidean(name, matrices, (matrices.ndim - 2, matrices.ndim - 1), False)
    elif ord == "nuc":
        norm = _reductions.sum(singular_values(name, matrices), axis=-1)
    else:
        order = None if isinstance(ord, str) else _as_order(name, ord)
        extreme = _largest if order is not None and order > 0 else _smallest
        if order in (2, -2):
            norm = extreme(singular_values(name, matrices), (-1,), False)
        elif order in (1, -1, math.inf, -math.inf):
            summed = -2 if order in (1, -1) else -1
            norm = extreme(_reductions.sum(_arithmetic.abs(matrices), axis=summed), (-1,), False)
        else:
            raise ValueError(
                f"{name}: ord must be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, got {ord!r}"
            )
    return _manipulation.expand_dims(norm, (-2, -1)) if keepdims else norm


def _as_order(name: str, ord: object) -> float:
    order = as_scalar(f"{name} (ord)", ord, "an int or a float")
    if isinstance(order, bool | complex):
        raise TypeError(f"{name} (ord): expected an int or a float, got {describe(ord)}")
    if math.isnan(order):
        raise ValueError(f"{name}: ord cannot be NaN")
    return float(order)


def _euclidean(name: str, x: Array, axes: Axes, keepdims: bool) -> Array:
    dtypes = (real_part(x),)
    return compute(name, "euclidean_norm", (x,), dtypes, axes=axes, keepdims=keepdims)[0]


def _largest(size: Array, axes: Axes, keepdims: bool) -> Array:
    """Largest of values that are not negative; 0 of none."""
    reduction = _reductions.max if size.size else _reductions.sum
    return reduction(size, axis=axes, keepdims=keepdims)


def _smallest(size: Array, axes: Axes, keepdims: bool) -> Array:
    """Smallest of values that are not negative; infinity of none."""
    if size.size:
        return _reductions.min(size, axis=axes, keepdims=keepdims)
    return _reductions.sum(size, axis=axes, keepdims=keepdims) + math.inf


def _power_norm(size: Array, axes: Axes, keepdims: bool, order: float) -> Array:
    """``sum(size**order) ** (1 / order)``, with sizes relative to the one that counts most."""
    scale = (_largest if order > 0 else _smallest)(size, axes, True)
    usable = _comparison.logical_and(_comparison.isfinite(scale), _comparison.greater(scale, 0))
    scale = _searching.where(usable, scale, 1.0)
    powers = _arithmetic.pow(size / scale, order)
    norm = _arithmetic.pow(_reductions.sum(powers, axis=axes, keepdims=True), 1 / order) * scale
    return norm if keepdims or not axes else _manipulation.squeeze(norm, axes)
