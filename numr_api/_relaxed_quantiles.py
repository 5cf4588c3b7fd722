"""Medians and quantiles, which consumers look for in a namespace.

Names of ``numr_api`` as those of ``_relaxed_extras`` are, with NumPy's parameters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api import (
    _arithmetic,
    _comparison,
    _creation,
    _data_types,
    _indexing,
    _manipulation,
    _reductions,
    _searching,
    _sorting,
)
from numr_api._checks import is_array, require_array
from numr_api._dtypes import float64
from numr_api._errors import Unsupported
from numr_api._relaxed_extras import Axis, count_present, in_relaxed_mode
from numr_api._shapes import as_axes

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = ["median", "nanmedian", "nanquantile", "quantile"]


def _sorted_lines(name: str, x: Array, axis: Axis) -> tuple[Array, tuple[int, ...]]:
    """x sorted along the axes to reduce, as one axis, the last; and the shape with each of them 1.

    NaN comes last. Integers are floating-point numbers, as the results are.
    """
    axes = as_axes(name, axis, x.ndim)
    others = tuple(i for i in range(x.ndim) if i not in axes)
    kept = tuple(1 if i in axes else length for i, length in enumerate(x.shape))
    moved = _manipulation.permute_dims(x, (*others, *axes))
    count = math.prod(x.shape[i] for i in axes)
    lines = _manipulation.reshape(moved, (*(x.shape[i] for i in others), count))
    if lines.dtype.kind in "biu":
        lines = _arithmetic.divide(lines, 1)
    if count == 0:  # one element that is not there
        shape = (*lines.shape[:-1], 1)
        return _creation.full(shape, math.nan, dtype=lines.dtype, device=lines.device), kept
    return _sorting.sort(lines), kept


def _nan_where_some_is(x: Array, result: Array, axis: Axis, keepdims: bool) -> Array:
    if x.dtype.kind in "biu":
        return result
    spoilt = _reductions.any(_comparison.isnan(x), axis=axis, keepdims=keepdims)
    return _searching.where(spoilt, math.nan, result)


@in_relaxed_mode
def median(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Middle of the sorted elements, or mean of the two in the middle; NaN if there is one."""
    return _nan_where_some_is(x, nanmedian(x, axis, keepdims=keepdims), axis, keepdims)


@in_relaxed_mode
def nanmedian(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """``median`` of what is not NaN; NaN if nothing is."""
    ordered, kept = _sorted_lines("median", require_array("median", x), axis)
    last = _arithmetic.maximum(count_present(ordered, -1, True) - 1, 0)
    pair = _manipulation.concat([last // 2, (last + 1) // 2], axis=-1)
    found = _indexing.take_along_axis(ordered, pair)
    low, high = found[..., 0], found[..., 1]
    middle = _searching.where(
        _comparison.equal(low, high), low, low / 2 + high / 2
    )  # also of infinities
    return _manipulation.reshape(middle, kept) if keepdims else middle


@in_relaxed_mode
def quantile(
    x: Array, /, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False
) -> Array:
    """Where a part q of the sorted elements is below; NaN if one of them is NaN.

    Arguments:
        x: real-valued array.
        q: numbers from 0 to 1: a scalar, or an array of any kind, whose axes come first in the
            result.
        axis: the axes to reduce; None reduces all.
        method: "linear" between the two nearest elements, or on the cpu any of NumPy's.
        keepdims: whether the reduced axes stay, with length 1.
    """
    if method != "linear":
        return _by_numpy("quantile", x, q, axis, method, keepdims)
    found = nanquantile(x, q, axis, keepdims=keepdims)
    return _nan_where_some_is(x, found, axis, keepdims)


@in_relaxed_mode
def nanquantile(
    x: Array, /, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False
) -> Array:
    """``quantile`` of what is not NaN; NaN if nothing is."""
    if method != "linear":
        return _by_numpy("nanquantile", x, q, axis, method, keepdims)
    array = require_array("nanquantile", x)
    parts = _on_host(q)
    if not np.all((parts >= 0) & (parts <= 1)):
        raise ValueError(f"nanquantile: q must be from 0 to 1, got {q}")
    ordered, kept = _sorted_lines("nanquantile", array, axis)
    # NumPy's: an array of parts is float64, a scalar takes the dtype of the array.
    wide = parts.ndim and float64 in array._type.backend.dtypes
    dtype = float64 if wide else ordered.dtype
    last = _arithmetic.maximum(count_present(ordered, -1, True) - 1, 0)
    wanted = _creation.asarray(parts.reshape(-1), dtype=dtype, device=array.device)
    position = _data_types.astype(last, dtype) * wanted
    before = _data_types.astype(_arithmetic.floor(position), last.dtype)
    low = _indexing.take_along_axis(ordered, before)
    high = _indexing.take_along_axis(ordered, _arithmetic.minimum(before + 1, last))
    share = position - _arithmetic.floor(position)
    step = high - low
    near = _searching.where(share < 0.5, low + step * share, high - step * (1 - share))
    exact = _comparison.equal(low, high) | _comparison.equal(share, 0)  # also of infinities
    lines = _manipulation.moveaxis(_searching.where(exact, low, near), -1, 0)
    rest = kept if keepdims else lines.shape[1:]
    return _manipulation.reshape(lines, (*parts.shape, *rest))


def _on_host(q: Any) -> np.ndarray[Any, Any]:
    return np.asarray(q.to_device("cpu") if is_array(q) else q, dtype=np.float64)


def _by_numpy(name: str, x: Array, q: Any, axis: Axis, method: str, keepdims: bool) -> Array:
    array = require_array(name, x)
    if array._type.backend.storage is not np.ndarray:
        raise Unsupported(f"{name}: method {method!r} on {array.device}")
    function = getattr(np, name)
    found = function(array._data, _on_host(q), axis=axis, method=method, keepdims=keepdims)
    return _creation.asarray(np.asarray(found), device=array.device)
