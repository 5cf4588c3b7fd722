"""Medians and quantiles, which consumers look for in a namespace.

Names of ``numr_api`` as those of ``_relaxed_extras`` are, with NumPy's parameters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

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
from numr_api._checks import require_array
from numr_api._dtypes import DType, float64
from numr_api._errors import Unsupported
from numr_api._relaxed_extras import Axis, count_present, in_relaxed_mode, on_host
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
    array = require_array("median", x)
    found = _median_present("median", array, axis, keepdims)
    return _nan_where_some_is(array, found, axis, keepdims)


@in_relaxed_mode
def nanmedian(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """``median`` of what is not NaN; NaN if nothing is."""
    return _median_present("nanmedian", require_array("nanmedian", x), axis, keepdims)


def _median_present(name: str, x: Array, axis: Axis, keepdims: bool) -> Array:
    ordered, kept = _sorted_lines(name, x, axis)
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
    array = require_array("quantile", x)
    found = _quantile_present("quantile", array, q, axis, method, keepdims)
    return _nan_where_some_is(array, found, axis, keepdims)


@in_relaxed_mode
def nanquantile(
    x: Array, /, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False
) -> Array:
    """``quantile`` of what is not NaN; NaN if nothing is."""
    array = require_array("nanquantile", x)
    return _quantile_present("nanquantile", array, q, axis, method, keepdims)


def _quantile_present(
    name: str, x: Array, q: Any, axis: Axis, method: str, keepdims: bool
) -> Array:
    parts = on_host(q)
    if not np.all((parts >= 0) & (parts <= 1)):
        raise ValueError(f"{name}: q must be from 0 to 1, got {q}")
    if method != "linear" and x.size:
        return _by_numpy(name, x, parts, axis, method, keepdims)
    ordered, kept = _sorted_lines(name, x, axis)
    last = _arithmetic.maximum(count_present(ordered, -1, True) - 1, 0)
    has_float64 = float64 in x._type.backend.dtypes
    before, share = positions(last, parts, float64 if has_float64 else ordered.dtype)
    if parts.ndim == 0:  # NumPy's: an array of parts is float64, a scalar takes the array's dtype
        share = _data_types.astype(share, ordered.dtype)
    low = _indexing.take_along_axis(ordered, before)
    high = _indexing.take_along_axis(ordered, _arithmetic.minimum(before + 1, last))
    step = high - low
    near = _searching.where(share < 0.5, low + step * share, high - step * (1 - share))
    exact = _comparison.equal(low, high) | _comparison.equal(share, 0)  # also of infinities
    lines = _manipulation.moveaxis(_searching.where(exact, low, near), -1, 0)
    rest = kept if keepdims else lines.shape[1:]
    return _manipulation.reshape(lines, (*parts.shape, *rest))


def positions(last: Array, parts: np.ndarray[Any, Any], dtype: DType) -> tuple[Array, Array]:
    """The position, in elements from 0 to last, below each part, and how far on the part is."""
    wanted = _creation.asarray(parts.reshape(-1), dtype=dtype, device=last.device)
    position = _data_types.astype(last, dtype) * wanted
    whole = _arithmetic.floor(position)
    # A large ``last`` is rounded, maybe up, where dtype is float32.
    return _arithmetic.minimum(_data_types.astype(whole, last.dtype), last), position - whole


def _by_numpy(
    name: str, x: Array, parts: np.ndarray[Any, Any], axis: Axis, method: str, keepdims: bool
) -> Array:
    if x._type.backend.storage is not np.ndarray:
        raise Unsupported(f"{name}: method {method!r} on {x.device}")
    axes = as_axes(name, axis, x.ndim)
    # Without lines of nothing but NaN, of which NumPy warns.
    host: np.ndarray[Any, Any] = x._data
    absent = np.all(np.isnan(host), axis=axes, keepdims=True)
    host = np.where(absent, host.dtype.type(0), host)
    wanted: Any = parts if parts.ndim else parts.item()  # a Python scalar keeps float32
    found: np.ndarray[Any, Any] = np.nanquantile(
        host, wanted, axis=axes, method=cast("Any", method), keepdims=keepdims
    )
    if absent.any():
        found = np.where(absent if keepdims else np.squeeze(absent, axis=axes), np.nan, found)
    return _creation.asarray(np.asarray(found), device=x.device)
