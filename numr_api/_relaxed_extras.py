"""Functions that consumers look for in a namespace, though the standard has none of that name.

They are names of ``numr_api`` only if NUMR_API_MODE is "relaxed" when it is imported, with NumPy's
parameters. Except for some modes of pad, which need the cpu, they are composed of the standard's
functions and so run on every device.

Quantiles are in ``_relaxed_quantiles``, functions of neighbours in ``_relaxed_neighbours``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import numpy as np

from numr_api import (
    _arithmetic,
    _comparison,
    _creation,
    _data_types,
    _einsum,
    _elementary,
    _indexing,
    _manipulation,
    _ranges,
    _reductions,
    _searching,
    _sorting,
    linalg as _linalg,
)
from numr_api._checks import common_backend, is_array, require_array
from numr_api._declare import wrap
from numr_api._errors import Unsupported
from numr_api._mode import relaxed
from numr_api._shapes import as_int

if TYPE_CHECKING:
    from numr_api._array import Array

P = ParamSpec("P")
R = TypeVar("R")
Axis = int | tuple[int, ...] | None

__all__ = [
    "bincount",
    "cross",
    "cumprod",
    "cumsum",
    "diag",
    "einsum",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
    "pad",
    "transpose",
]


def in_relaxed_mode(function: Callable[P, R]) -> Callable[P, R]:
    @wraps(function)
    def call(*arguments: P.args, **keywords: P.kwargs) -> R:
        with relaxed():
            return function(*arguments, **keywords)

    return call


def on_host(numbers: Any) -> np.ndarray[Any, Any]:
    """Numbers or an array of any kind and device, as a float64 array of NumPy."""
    host = numbers.to_device("cpu") if is_array(numbers) else numbers
    return np.asarray(host, dtype=np.float64)


def without_nan(x: Array, value: float) -> Array:
    return x if x.dtype.kind in "biu" else _searching.where(_comparison.isnan(x), value, x)


def count_present(x: Array, axis: Axis, keepdims: bool) -> Array:
    return _reductions.count_nonzero(~_comparison.isnan(x), axis=axis, keepdims=keepdims)


@in_relaxed_mode
def nansum(x: Array, /, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """``sum`` of what is not NaN."""
    return _reductions.sum(without_nan(x, 0), axis=axis, dtype=dtype, keepdims=keepdims)


@in_relaxed_mode
def nanprod(x: Array, /, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """``prod`` of what is not NaN."""
    return _reductions.prod(without_nan(x, 1), axis=axis, dtype=dtype, keepdims=keepdims)


@in_relaxed_mode
def nanmean(x: Array, /, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """``mean`` of what is not NaN; NaN if nothing is."""
    if dtype is not None:
        x = _data_types.astype(x, dtype)
    if x.dtype.kind in "biu":
        return _reductions.mean(x, axis=axis, keepdims=keepdims)
    total = nansum(x, axis, keepdims=keepdims)
    return total / _data_types.astype(count_present(x, axis, keepdims), total.dtype)


@in_relaxed_mode
def nanmin(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """``min`` of what is not NaN; NaN if nothing is."""
    smallest = _reductions.min(without_nan(x, math.inf), axis=axis, keepdims=keepdims)
    return _nan_if_none(x, smallest, axis, keepdims)


@in_relaxed_mode
def nanmax(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """``max`` of what is not NaN; NaN if nothing is."""
    largest = _reductions.max(without_nan(x, -math.inf), axis=axis, keepdims=keepdims)
    return _nan_if_none(x, largest, axis, keepdims)


def _nan_if_none(x: Array, result: Array, axis: Axis, keepdims: bool) -> Array:
    if x.dtype.kind in "biu":
        return result
    return _searching.where(count_present(x, axis, keepdims) > 0, result, math.nan)


@in_relaxed_mode
def nanargmin(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """``argmin`` of what is not NaN; ValueError if nothing is."""
    present = without_nan(x, math.inf)
    _require_present("nanargmin", x, axis)
    return _searching.argmin(present, axis=axis, keepdims=keepdims)


@in_relaxed_mode
def nanargmax(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """``argmax`` of what is not NaN; ValueError if nothing is."""
    present = without_nan(x, -math.inf)
    _require_present("nanargmax", x, axis)
    return _searching.argmax(present, axis=axis, keepdims=keepdims)


def _require_present(name: str, x: Array, axis: int | None) -> None:
    if x.dtype.kind == "f" and _reductions.any(_reductions.all(_comparison.isnan(x), axis=axis)):
        raise ValueError(f"{name}: nothing but NaN along the axis")


@in_relaxed_mode
def nanvar(
    x: Array,
    /,
    axis: Axis = None,
    dtype: Any = None,
    *,
    ddof: float = 0,
    correction: float | None = None,
    keepdims: bool = False,
) -> Array:
    """``var`` of what is not NaN; NaN if too little is."""
    freedom = ddof if correction is None else correction
    if dtype is not None:
        x = _data_types.astype(x, dtype)
    if x.dtype.kind in "biu":
        return _reductions.var(x, axis=axis, correction=freedom, keepdims=keepdims)
    deviation = _searching.where(_comparison.isnan(x), 0, x - nanmean(x, axis, keepdims=True))
    squares = _reductions.sum(_arithmetic.square(deviation), axis=axis, keepdims=keepdims)
    divisor = _data_types.astype(count_present(x, axis, keepdims), squares.dtype) - float(freedom)
    return squares / _searching.where(divisor > 0, divisor, math.nan)


@in_relaxed_mode
def nanstd(x: Array, /, axis: Axis = None, dtype: Any = None, **keywords: Any) -> Array:
    """``std`` of what is not NaN; NaN if too little is."""
    return _elementary.sqrt(nanvar(x, axis, dtype, **keywords))


@in_relaxed_mode
def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """How often each number from 0 on occurs, or the sum of the weights there."""
    integers = require_array("bincount", x, "integer")
    if integers.ndim != 1:
        raise ValueError(f"bincount: needs one axis, got shape {integers.shape}")
    length = as_int("bincount", "minlength", minlength)
    if integers.size:
        if int(_reductions.min(integers)) < 0:
            raise ValueError("bincount: numbers cannot be negative")
        length = max(length, int(_reductions.max(integers)) + 1)
    numbers = _ranges.arange(length, dtype=integers.dtype, device=integers.device)
    if weights is None:
        ordered = _sorting.sort(integers)
        ends = _searching.searchsorted(ordered, numbers, side="right")
        return ends - _searching.searchsorted(ordered, numbers, side="left")
    common_backend("bincount", (integers, weights))
    weights = require_array("bincount (weights)", weights, "floating-point")
    # Term by term: differences of running sums would lose accuracy.
    occurs = _comparison.equal(_manipulation.expand_dims(numbers, 1), integers)
    return _reductions.sum(_searching.where(occurs, weights, 0), axis=1)


@in_relaxed_mode
def cumsum(x: Array, /, axis: int | None = None, dtype: Any = None) -> Array:
    """Running sums along an axis; None flattens x first."""
    flat = _manipulation.reshape(x, (-1,)) if axis is None else x
    return _reductions.cumulative_sum(flat, axis=0 if axis is None else axis, dtype=dtype)


@in_relaxed_mode
def nancumsum(x: Array, /, axis: int | None = None, dtype: Any = None) -> Array:
    """``cumsum`` where NaN counts as 0."""
    return cumsum(without_nan(x, 0), axis, dtype)


@in_relaxed_mode
def nancumprod(x: Array, /, axis: int | None = None, dtype: Any = None) -> Array:
    """``cumprod`` where NaN counts as 1."""
    return cumprod(without_nan(x, 1), axis, dtype)


@in_relaxed_mode
def cumprod(x: Array, /, axis: int | None = None, dtype: Any = None) -> Array:
    """Running products along an axis; None flattens x first."""
    flat = _manipulation.reshape(x, (-1,)) if axis is None else x
    return _reductions.cumulative_prod(flat, axis=0 if axis is None else axis, dtype=dtype)


@in_relaxed_mode
def cross(x1: Array, x2: Array, /, axis: int = -1) -> Array:
    """``linalg.cross``, along an axis that may also be counted from the front."""
    first, second = (_manipulation.moveaxis(x, axis, -1) for x in (x1, x2))
    return _manipulation.moveaxis(_linalg.cross(first, second), -1, axis)


@in_relaxed_mode
def diag(x: Array, /, k: int = 0) -> Array:
    """Diagonal k of a matrix, or the matrix with a vector as its diagonal k."""
    array = require_array("diag", x)
    if array.ndim != 1:
        return _linalg.diagonal(array, offset=k)
    length = array.size + abs(k)
    matrix = _creation.zeros((length, length), dtype=array.dtype, device=array.device)
    rows = _ranges.arange(array.size, device=array.device)
    matrix[rows + max(-k, 0), rows + max(k, 0)] = array
    return matrix


@in_relaxed_mode
def transpose(x: Array, /, axes: tuple[int, ...] | None = None) -> Array:
    """The axes in another order; None reverses it. A view."""
    return _manipulation.permute_dims(x, tuple(range(x.ndim))[::-1] if axes is None else axes)


# The modes of pad, with the keyword that belongs to each.
MODES = {
    "constant": "constant_values",
    "edge": None,
    "empty": None,
    "linear_ramp": "end_values",
    "maximum": "stat_length",
    "mean": "stat_length",
    "median": "stat_length",
    "minimum": "stat_length",
    "reflect": "reflect_type",
    "symmetric": "reflect_type",
    "wrap": None,
}
# Those that surround an array with elements of its own.
REPEATING = ("edge", "reflect", "symmetric", "wrap")


def padded_with_elements(x: Array, widths: list[tuple[int, int]], mode: str) -> Array:
    """``pad`` in one of the repeating modes, on any device: NumPy pads the positions."""
    for axis, around in enumerate(widths):
        if any(around):
            positions = np.pad(np.arange(x.shape[axis]), around, mode=cast("Any", mode))
            x = _indexing.take(x, _creation.asarray(positions, device=x.device), axis=axis)
    return x


@in_relaxed_mode
def pad(x: Array, /, pad_width: Any, mode: str = "constant", **keywords: Any) -> Array:
    """The array with more elements around it.

    Arguments:
        x: array of any dtype.
        pad_width: how many elements before and after each axis: a number, a pair for all axes, or
            a pair for each.
        mode: "constant", "edge", "reflect", "symmetric" or "wrap", or on the cpu any of NumPy's.
        keywords: NumPy's for the mode: ``constant_values``, 0 by default; those of other modes than
            "constant", and several constant values, on the cpu only.
    """
    array = require_array("pad", x)
    if mode not in MODES:
        raise ValueError(f"pad: unknown mode {mode!r}; modes are {', '.join(MODES)}")
    for keyword in keywords:
        if keyword != MODES[mode]:
            raise TypeError(f"pad: mode {mode!r} has no keyword {keyword!r}")
    widths = [
        (as_int("pad", "pad_width", before), as_int("pad", "pad_width", after))
        for before, after in np.broadcast_to(pad_width, (array.ndim, 2))
    ]
    if any(width < 0 for around in widths for width in around):
        raise ValueError(f"pad: pad_width cannot be negative, got {pad_width}")
    value = keywords.get("constant_values", 0)
    if mode == "constant" and isinstance(value, bool | int | float | complex | np.number):
        return _surrounded(array, widths, value)
    if not array.ndim:
        return _manipulation.reshape(array, (), copy=True)
    if array._type.backend.storage is np.ndarray:
        padded = np.pad(array._data, widths, mode=cast("Any", mode), **keywords)
        return wrap(padded, array._type)
    if mode in REPEATING and not keywords:
        return padded_with_elements(array, widths, mode)
    raise Unsupported(f"pad: mode {mode!r} with these values on {array.device}")


def _surrounded(x: Array, widths: list[tuple[int, int]], value: Any) -> Array:
    """x in the middle of an array filled with a number."""
    pairs = list(zip(widths, x.shape, strict=True))
    shape = tuple(before + length + after for (before, after), length in pairs)
    padded = _creation.full(shape, value, dtype=x.dtype, device=x.device)
    padded[tuple(slice(before, before + length) for (before, _), length in pairs)] = x
    return padded


@in_relaxed_mode
def einsum(subscripts: str, /, *operands: Array) -> Array:
    """Sums of products over the axes with letters that the result does not have."""
    return _einsum.einsum(subscripts, *operands)
