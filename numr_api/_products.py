"""Products of vectors and matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from numr_api import _arithmetic, _manipulation
from numr_api._checks import common_backend, common_dtype, require_array, strict_array
from numr_api._declare import operation, wrap
from numr_api._mode import relaxed_rules
from numr_api._shapes import as_axis, as_int, broadcast

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]


def promoted(name: str, x1: object, x2: object) -> tuple[Array, Array]:
    """Two numeric arrays of one device, cast to their common dtype."""
    try:
        arrays = strict_array(name, x1, "numeric"), strict_array(name, x2, "numeric")
    except TypeError:
        if relaxed_rules() is None:
            raise
        arrays = require_array(name, x1), require_array(name, x2)
    backend = common_backend(name, arrays)
    first, second = arrays
    dtype = first.dtype if first._type is second._type else common_dtype(name, arrays)
    if dtype.kind == "b":  # counted, where rules are relaxed
        dtype = backend.default_dtypes["integral"]
    first, second = (
        a if a.dtype is dtype else wrap(backend.cast(a._data, dtype), a._type.of(dtype, name))
        for a in arrays
    )
    return first, second


@operation("linear algebra")
def matmul(x1: Array, x2: Array, /) -> Array:
    """Matrix product, ``x1 @ x2``.

    Arguments:
        x1: numeric array of shape (..., M, K), or (K,).
        x2: numeric array of shape (..., K, N), or (K,). Leading axes broadcast with x1's.

    Returns:
        Array of the promoted dtype and shape (..., M, N); the axis of a 1-dimensional operand is
        left out.

    Raises:
        ValueError: an operand has no axis, or the lengths K differ.
    """
    first, second = promoted("matmul", x1, x2)
    if not (first.ndim and second.ndim):
        raise ValueError("matmul: needs arrays of one axis or more, got a 0-dimensional one")
    if first.shape[-1] != second.shape[-2 if second.ndim > 1 else -1]:
        raise ValueError(
            f"matmul: shapes {first.shape} and {second.shape} do not fit; the last axis of x1 "
            "must be as long as the last but one of x2"
        )
    broadcast("matmul", (first.shape[:-2], second.shape[:-2]))
    return wrap(first._type.backend.matmul(first._data, second._data), first._type)


@operation("linear algebra")
def matrix_transpose(x: Array, /) -> Array:
    """Matrices with rows and columns exchanged, a view.

    Arguments:
        x: array of shape (..., M, N) and any dtype.

    Returns:
        Array of shape (..., N, M).
    """
    rank = require_array("matrix_transpose", x).ndim
    if rank < 2:
        raise ValueError(f"matrix_transpose: needs two axes or more, got shape {x.shape}")
    axes = (*range(rank - 2), rank - 1, rank - 2)
    return wrap(x._type.backend.permute(x._data, axes), x._type)


@operation("linear algebra")
def tensordot(
    x1: Array, x2: Array, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2
) -> Array:
    """Sum of products over pairs of axes.

    Arguments:
        x1, x2: numeric arrays.
        axes: how many of x1's last axes to pair with as many of x2's first, in order; or the axes
            of x1 and the axes of x2 to pair. Paired axes must be equally long.

    Returns:
        Array of the promoted dtype: x1's other axes, then x2's.
    """
    first, second = promoted("tensordot", x1, x2)
    paired1, paired2 = _paired_axes(first, second, axes)
    lengths1, lengths2 = ([a.shape[i] for i in p] for a, p in ((first, paired1), (second, paired2)))
    if lengths1 != lengths2:
        raise ValueError(
            f"tensordot: paired axes must be equally long, got {lengths1} and {lengths2}"
        )
    free1 = [axis for axis in range(first.ndim) if axis not in paired1]
    free2 = [axis for axis in range(second.ndim) if axis not in paired2]
    count = math.prod(lengths1)
    shape1 = tuple(first.shape[axis] for axis in free1)
    shape2 = tuple(second.shape[axis] for axis in free2)
    rows, columns = math.prod(shape1), math.prod(shape2)
    left = _manipulation.permute_dims(first, (*free1, *paired1))
    right = _manipulation.permute_dims(second, (*paired2, *free2))
    product = matmul(
        _manipulation.reshape(left, (rows, count)), _manipulation.reshape(right, (count, columns))
    )
    return _manipulation.reshape(product, shape1 + shape2)


def _paired_axes(x1: Array, x2: Array, axes: object) -> tuple[list[int], list[int]]:
    if isinstance(axes, tuple | list):
        pair = cast("Sequence[Any]", axes)
        if len(pair) != 2 or not all(isinstance(part, tuple | list) for part in pair):
            raise TypeError(f"tensordot: axes must be an int or two sequences of ints, got {axes}")
        paired1 = [as_axis("tensordot", axis, x1.ndim) for axis in pair[0]]
        paired2 = [as_axis("tensordot", axis, x2.ndim) for axis in pair[1]]
        if len(paired1) != len(paired2):
            raise ValueError(f"tensordot: axes pairs {len(paired1)} axes with {len(paired2)}")
        for paired in (paired1, paired2):
            if len(set(paired)) < len(paired):
                raise ValueError(f"tensordot: an axis is named twice in {axes}")
        return paired1, paired2
    count = as_int("tensordot", "axes", axes)
    if not 0 <= count <= min(x1.ndim, x2.ndim):
        raise ValueError(
            f"tensordot: axes must be from 0 to {min(x1.ndim, x2.ndim)} for arrays of "
            f"{x1.ndim} and {x2.ndim} axes, got {count}"
        )
    return list(range(x1.ndim - count, x1.ndim)), list(range(count))


@operation("linear algebra")
def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Dot products of vectors along an axis, ``sum(conj(x1) * x2)``.

    Arguments:
        x1, x2: numeric arrays, equally long along ``axis``; other axes broadcast.
        axis: the axis of the vectors, counted from the end (from -1), or from the front if both
            arrays have as many axes.

    Returns:
        Array of the promoted dtype and of the broadcast shape without ``axis``.
    """
    first, second = promoted("vecdot", x1, x2)
    number = as_int("vecdot", "axis", axis)
    if number >= 0 and first.ndim != second.ndim:
        raise ValueError(
            f"vecdot: axis {number} is ambiguous for arrays of {first.ndim} and {second.ndim} "
            "axes; count from the end"
        )
    axis1, axis2 = (as_axis("vecdot", number, a.ndim) for a in (first, second))
    if first.shape[axis1] != second.shape[axis2]:
        raise ValueError(
            f"vecdot: vectors of length {first.shape[axis1]} and {second.shape[axis2]}"
        )
    others = [(*a.shape[:i], *a.shape[i + 1 :]) for a, i in ((first, axis1), (second, axis2))]
    broadcast("vecdot", others)
    if first.dtype.kind == "c":
        first = _arithmetic.conj(first)
    left = _manipulation.expand_dims(_manipulation.moveaxis(first, axis1, -1), -2)
    right = _manipulation.expand_dims(_manipulation.moveaxis(second, axis2, -1), -1)
    return _manipulation.squeeze(matmul(left, right), (-2, -1))
