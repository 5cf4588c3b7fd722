"""Statistics, logic and counts along axes, and running sums and products."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from numr_api import _arithmetic, _creation, _data_types, _elementary, _manipulation
from numr_api._checks import (
    accumulator,
    describe,
    is_array,
    is_numpy_number,
    require_array,
    strict_array,
)
from numr_api._declare import operation, reduction, wrap
from numr_api._dtypes import DType
from numr_api._mode import relaxed_rules
from numr_api._shapes import as_axes, as_axis, as_bool

if TYPE_CHECKING:
    from numr_api._array import Array

Axis = int | tuple[int, ...] | None

__all__ = [
    "all",
    "any",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]


@reduction("numeric", result="accumulator")
def sum(
    x: Array, /, *, axis: Axis = None, dtype: DType | None = None, keepdims: bool = False
) -> Array:
    """Sum along axes; 0 of no elements.

    Arguments:
        x: array of a numeric dtype.
        axis: an axis or several; None for all.
        dtype: of the result and of the accumulation; None for x's dtype, but integers narrower than
            the default integer are summed in that width.
        keepdims: whether the axes stay, with length 1.
    """
    ...


@reduction("numeric", result="accumulator")
def prod(
    x: Array, /, *, axis: Axis = None, dtype: DType | None = None, keepdims: bool = False
) -> Array:
    """Product along axes; 1 of no elements.

    Arguments:
        x: array of a numeric dtype.
        axis: an axis or several; None for all.
        dtype: of the result and of the accumulation; None for x's dtype, but integers narrower than
            the default integer are multiplied in that width.
        keepdims: whether the axes stay, with length 1.
    """
    ...


@reduction("real-valued")
def max(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Largest element along axes; NaN if there is one.

    Arguments:
        x: array of a real-valued dtype.
        axis: an axis or several; None for all.
        keepdims: whether the axes stay, with length 1.

    Raises:
        ValueError: there are no elements along the axes.
    """
    ...


@reduction("real-valued")
def min(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Smallest element along axes; NaN if there is one.

    Arguments:
        x: array of a real-valued dtype.
        axis: an axis or several; None for all.
        keepdims: whether the axes stay, with length 1.

    Raises:
        ValueError: there are no elements along the axes.
    """
    ...


def _count(x: Array, axes: tuple[int, ...]) -> int:
    return math.prod(x.shape[axis] for axis in axes)


@operation("statistical")
def mean(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Arithmetic mean along axes, ``sum(x) / n``; NaN of no elements.

    Arguments:
        x: array of a floating-point dtype.
        axis: an axis or several; None for all.
        keepdims: whether the axes stay, with length 1.
    """
    x = require_array("mean", x, "floating-point")
    as_bool("mean", "keepdims", keepdims)
    axes = as_axes("mean", axis, x.ndim)
    shortcut = x._type.backend.shortcuts.get("mean")
    if shortcut is not None and x.size:
        return wrap(shortcut(x._data, axes, keepdims), x._type)
    total = sum(x, axis=axes, keepdims=keepdims)
    return _arithmetic.divide(total, float(_count(x, axes)))


@operation("statistical")
def var(
    x: Array, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False
) -> Array:
    """Variance along axes, ``sum((x - mean(x))**2) / (n - correction)``.

    Arguments:
        x: array of a real floating-point dtype.
        axis: an axis or several; None for all.
        correction: degrees of freedom taken off; 0 for a population, 1 for a sample.
        keepdims: whether the axes stay, with length 1.

    Returns:
        Array of x's dtype; NaN where ``n - correction`` is 0 or less.
    """
    return _variance("var", x, axis, correction, keepdims)


@operation("statistical")
def std(
    x: Array, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False
) -> Array:
    """Standard deviation along axes, ``sqrt(var(x))``.

    Arguments:
        x: array of a real floating-point dtype.
        axis: an axis or several; None for all.
        correction: degrees of freedom taken off; 0 for a population, 1 for a sample.
        keepdims: whether the axes stay, with length 1.

    Returns:
        Array of x's dtype; NaN where ``n - correction`` is 0 or less.
    """
    return _variance("std", x, axis, correction, keepdims)


def _variance(name: str, x: object, axis: Axis, correction: object, keepdims: bool) -> Array:
    try:
        array = strict_array(name, x, "real floating-point")
    except TypeError:
        rules = relaxed_rules()
        if rules is None:
            raise
        if is_array(x) and x.dtype.kind == "c":
            return rules.complex_variance(name, x, axis, correction, keepdims)
        array = require_array(name, x, "real floating-point")
    taken_off = correction.item() if is_numpy_number(correction) else correction
    if isinstance(taken_off, bool) or not isinstance(taken_off, int | float):
        raise TypeError(f"{name}: correction must be a number, got {describe(correction)}")
    as_bool(name, "keepdims", keepdims)
    axes = as_axes(name, axis, array.ndim)
    freedom = _count(array, axes) - taken_off
    divisor = float(freedom) if freedom > 0 else math.nan
    shortcut = array._type.backend.shortcuts.get(name)
    if shortcut is not None and array.size:
        return wrap(shortcut(array._data, axes, keepdims, divisor), array._type)
    deviation = _arithmetic.subtract(array, mean(array, axis=axes, keepdims=True))
    squares = sum(_arithmetic.square(deviation), axis=axes, keepdims=keepdims)
    variance = _arithmetic.divide(squares, divisor)
    return _elementary.sqrt(variance) if name == "std" else variance


@reduction("any", result="bool")
def all(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Whether all elements along axes are true, that is not zero; true of no elements.

    Arguments:
        x: array of any dtype.
        axis: an axis or several; None for all.
        keepdims: whether the axes stay, with length 1.

    Returns:
        Boolean array.
    """
    ...


@reduction("any", result="bool")
def any(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Whether any element along axes is true, that is not zero; false of no elements.

    Arguments:
        x: array of any dtype.
        axis: an axis or several; None for all.
        keepdims: whether the axes stay, with length 1.

    Returns:
        Boolean array.
    """
    ...


@reduction("any", result="index")
def count_nonzero(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """How many elements along axes are not zero.

    Arguments:
        x: array of any dtype.
        axis: an axis or several; None for all.
        keepdims: whether the axes stay, with length 1.

    Returns:
        Array of the device's index dtype.
    """
    ...


def _scan(
    name: str, x: object, axis: object, dtype: object, include_initial: object, initial: int
) -> Array:
    array = require_array(name, x, "numeric")
    if array.ndim == 0:
        raise ValueError(f"{name}: needs an array of one axis or more, got a 0-dimensional one")
    if axis is None:
        if array.ndim > 1:
            raise ValueError(f"{name}: axis must be given for an array of {array.ndim} axes")
        axis = 0
    number = as_axis(name, axis, array.ndim)
    result = accumulator(name, array, dtype)
    array_type = array._type.of(result, name)
    if result is not array.dtype:
        array = _data_types.astype(array, result)
    data = array._type.backend.scan(name, array._data, number, result)
    if not as_bool(name, "include_initial", include_initial):
        return wrap(data, array_type)
    shape = (*array.shape[:number], 1, *array.shape[number + 1 :])
    first = _creation.full(shape, initial, dtype=result, device=array.device)
    return _manipulation.concat((first, wrap(data, array_type)), axis=number)


@operation("statistical")
def cumulative_sum(
    x: Array,
    /,
    *,
    axis: int | None = None,
    dtype: DType | None = None,
    include_initial: bool = False,
) -> Array:
    """Running sums along an axis.

    Arguments:
        x: array of a numeric dtype and of one axis or more.
        axis: may be None if x has one axis.
        dtype: of the result and of the accumulation; None as for ``sum``.
        include_initial: whether a 0 comes before the first sum, which makes the axis longer by one.
    """
    return _scan("cumulative_sum", x, axis, dtype, include_initial, 0)


@operation("statistical")
def cumulative_prod(
    x: Array,
    /,
    *,
    axis: int | None = None,
    dtype: DType | None = None,
    include_initial: bool = False,
) -> Array:
    """Running products along an axis.

    Arguments:
        x: array of a numeric dtype and of one axis or more.
        axis: may be None if x has one axis.
        dtype: of the result and of the accumulation; None as for ``prod``.
        include_initial: whether a 1 comes before the first product, which makes the axis longer by
            one.
    """
    return _scan("cumulative_prod", x, axis, dtype, include_initial, 1)
