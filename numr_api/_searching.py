"""Searching: extremes, nonzero elements, places in sorted arrays, and choice by a condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from numr_api._checks import as_operand, common_backend, common_dtype, is_array, require_array
from numr_api._declare import elementwise, operation, reduction, wrap

if TYPE_CHECKING:
    from numr_api._array import Array
    from numr_api._backends import Scalar

__all__ = ["argmax", "argmin", "nonzero", "searchsorted", "where"]


@reduction("real-valued", result="index")
def argmax(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Index of the first largest element along an axis; NaN counts as the largest.

    Arguments:
        x: array of a real-valued dtype.
        axis: one axis; None for the index into the flattened array.
        keepdims: whether the axis stays, with length 1.

    Returns:
        Array of the device's index dtype.

    Raises:
        ValueError: there are no elements.
    """
    ...


@reduction("real-valued", result="index")
def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Index of the first smallest element along an axis; NaN counts as the smallest.

    Arguments:
        x: array of a real-valued dtype.
        axis: one axis; None for the index into the flattened array.
        keepdims: whether the axis stays, with length 1.

    Returns:
        Array of the device's index dtype.

    Raises:
        ValueError: there are no elements.
    """
    ...


@operation("searching")
def nonzero(x: Array, /) -> tuple[Array, ...]:
    """Indices of the elements that are not zero, in row-major order.

    Arguments:
        x: array of one axis or more, of any dtype.

    Returns:
        A 1-dimensional array of the device's index dtype for each axis.
    """
    array = require_array("nonzero", x)
    if array.ndim == 0:
        raise ValueError("nonzero: needs an array of one axis or more, got a 0-dimensional one")
    index_type = array._type.of(array._type.backend.default_dtypes["indexing"])
    return tuple(wrap(data, index_type) for data in array._type.backend.nonzero(array._data))


@operation("searching")
def searchsorted(
    x1: Array, x2: Array | float, /, *, side: str = "left", sorter: Array | None = None
) -> Array:
    """Where each element of x2 must be put into x1 to keep x1 sorted.

    Arguments:
        x1: 1-dimensional array of a real-valued dtype, ascending (or made so by ``sorter``).
        x2: what to look for, an array or a Python scalar of a dtype that promotes with x1's.
        side: "left" for the first such place, ``x1[i-1] < v <= x1[i]``; "right" for the last,
            ``x1[i-1] <= v < x1[i]``.
        sorter: integer array of indices that sort x1.

    Returns:
        Array of x2's shape and of the device's index dtype. NaN counts as larger than all.
    """
    name = "searchsorted"
    array = require_array(name, x1, "real-valued")
    if array.ndim != 1:
        raise ValueError(f"{name}: x1 must have one axis, got shape {array.shape}")
    if side not in ("left", "right"):
        raise ValueError(f"{name}: side must be 'left' or 'right', got {side!r}")
    values = as_operand(name, x2)
    operands = [array]
    backend = array._type.backend
    if is_array(values):
        operands.append(require_array(name, values, "real-valued"))
    common_backend(name, operands)
    dtype = array._type.of(common_dtype(name, [array, values]), name).dtype
    if is_array(values):
        wanted = values._data if values.dtype is dtype else backend.cast(values._data, dtype)
    else:
        wanted = backend.full((), cast("Scalar", values), dtype)
    order = None
    if sorter is not None:
        sorter = require_array(f"{name} (sorter)", sorter, "integer")
        common_backend(name, (array, sorter))
        if sorter.shape != array.shape:
            raise ValueError(f"{name}: sorter has shape {sorter.shape}, x1 has {array.shape}")
        order = sorter._data
    haystack = array._data if array.dtype is dtype else backend.cast(array._data, dtype)
    if order is not None:
        try:
            haystack = backend.take(haystack, order, 0)
        except IndexError as error:
            raise IndexError(f"{name} (sorter): {error}") from None
    data = backend.routine(name, haystack, wanted, side=side)
    return wrap(data, array._type.of(backend.default_dtypes["indexing"]))


@elementwise("any")
def where(condition: Array, x1: Array | complex, x2: Array | complex, /) -> Array:
    """Elements of x1 where a condition is true, of x2 elsewhere.

    Arguments:
        condition: boolean array.
        x1, x2: arrays, of which one may be a Python scalar; all three shapes broadcast.

    Returns:
        Array of the broadcast shape and of x1's and x2's promoted dtype.
    """
    ...
