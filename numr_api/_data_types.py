"""Functions on data types: casts, limits, kinds and promotion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import ml_dtypes

from numr_api import _checks
from numr_api._checks import (
    as_operand,
    common_backend,
    common_dtype,
    describe,
    is_array,
    require_array,
    require_dtype,
)
from numr_api._declare import operation, wrap
from numr_api._devices import Device, array_type, backend_of
from numr_api._dtypes import KINDS, REAL_PART, DType, above, promote_all, scalar_range
from numr_api._mode import relaxed_rules
from numr_api._shapes import as_bool

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = ["astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]


@operation("data types")
def astype(
    x: Array, dtype: DType, /, *, copy: bool = True, device: Device | str | None = None
) -> Array:
    """The array in another dtype.

    Floating-point numbers lose their fraction on the way to integers (what becomes of infinities,
    NaN and numbers out of range differs between devices); anything but zero becomes True.

    Arguments:
        x: array of any dtype.
        dtype: the dtype to cast to; not a real one if x is complex (use ``real`` or ``imag``).
        copy: False returns x itself if it has the dtype already.
        device: where the result lives; None for x's device.
    """
    array = require_array("astype", x)
    dtype = require_dtype("astype", dtype)
    as_bool("astype", "copy", copy)
    if array.dtype.kind == "c" and dtype.kind not in "cb":
        raise TypeError(f"astype: {array.dtype} cannot become {dtype}; use real or imag first")
    backend = array._type.backend
    if device is not None and backend_of(device, "astype") is not backend:
        if dtype in backend.dtypes:
            return astype(array, dtype, copy=False).to_device(device)
        return astype(array.to_device(device), dtype)
    if dtype is array.dtype:
        return wrap(backend.copy(array._data), array._type) if copy else array
    result = array_type(dtype, backend, "astype")
    return wrap(backend.cast(array._data, dtype), result)


@operation("data types")
def can_cast(from_: DType | Array, to: DType, /) -> bool:
    """Whether promotion can lead from one dtype, or an array's, to another.

    For an array, the dtypes of its device alone count.
    """
    to = require_dtype("can_cast", to)
    if is_array(from_):
        dtype = from_.dtype
        if to not in from_._type.backend.dtypes:
            return False
    else:
        dtype = _dtype_of("can_cast", from_)
    if to in above(dtype):
        return True
    rules = relaxed_rules()
    return rules is not None and rules.can_cast(dtype, to)


@dataclass(frozen=True, slots=True)
class FloatingPointLimits:
    """What ``finfo`` tells of a floating-point dtype.

    Attributes:
        bits: width in bits.
        eps: difference between 1 and the next larger number.
        max, min: the largest and the smallest (most negative) number.
        smallest_normal: the smallest positive number with full precision.
        dtype: the dtype, or a complex one's real part's.
    """

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True, slots=True)
class IntegerLimits:
    """What ``iinfo`` tells of an integer dtype: ``bits``, ``max``, ``min``, ``dtype``."""

    bits: int
    max: int
    min: int
    dtype: DType


def _dtype_of(name: str, x: object) -> DType:
    if isinstance(x, DType):
        return x
    if is_array(x):
        return x.dtype
    rules = relaxed_rules()
    found = None if rules is None else rules.as_dtype(x)
    if found is None:
        raise TypeError(f"{name}: expected a numr_api dtype or array, got {describe(x)}")
    return found


@operation("data types")
def finfo(type: DType | Array, /) -> FloatingPointLimits:
    """Limits of a floating-point dtype, or of an array's; of a complex one those of its parts."""
    dtype = _dtype_of("finfo", type)
    dtype = REAL_PART.get(dtype, dtype)
    if dtype.kind != "f":
        raise TypeError(f"finfo: needs a floating-point dtype, got {dtype}")
    info = cast("Any", ml_dtypes.finfo)(dtype.__numpy_dtype__)
    return FloatingPointLimits(
        bits=8 * dtype.itemsize,
        eps=float(info.eps),
        max=float(info.max),
        min=float(info.min),
        smallest_normal=float(info.smallest_normal),
        dtype=dtype,
    )


@operation("data types")
def iinfo(type: DType | Array, /) -> IntegerLimits:
    """Limits of an integer dtype, or of an array's."""
    dtype = _dtype_of("iinfo", type)
    if dtype.kind not in "iu":
        raise TypeError(f"iinfo: needs an integer dtype, got {dtype}")
    low, high = scalar_range(dtype)
    return IntegerLimits(bits=8 * dtype.itemsize, max=high, min=low, dtype=dtype)


@operation("data types")
def isdtype(dtype: DType, kind: DType | str | tuple[DType | str, ...]) -> bool:
    """Whether a dtype is of a kind.

    Arguments:
        dtype: the dtype in question.
        kind: a dtype; one of "bool", "signed integer", "unsigned integer", "integral",
            "real floating", "complex floating", "numeric"; or a tuple of such, of which one must
            hold.
    """
    dtype = require_dtype("isdtype", dtype)
    if isinstance(kind, tuple):
        return any([isdtype(dtype, part) for part in kind])  # noqa: C419 - check every part
    if isinstance(kind, DType):
        return dtype is kind
    if not isinstance(kind, str) or kind not in KINDS:
        rules = relaxed_rules()
        found = None if rules is None else rules.as_dtype(kind)
        if found is not None:
            return dtype is found
    if not isinstance(kind, str):
        raise TypeError(f"isdtype: kind must be a dtype, a string or a tuple, got {describe(kind)}")
    if kind not in KINDS:
        raise ValueError(f"isdtype: unknown kind {kind!r}; kinds are {', '.join(KINDS)}")
    return dtype.kind in KINDS[kind]


def _operand_or_dtype(x: object) -> object:
    try:
        return as_operand("result_type", x)
    except TypeError:
        rules = relaxed_rules()
        found = None if rules is None else rules.as_dtype(x)
        if found is None:
            raise
    return found


@operation("data types")
def result_type(*arrays_and_dtypes: Array | DType | complex) -> DType:
    """The dtype that arrays, dtypes and Python scalars promote to.

    Raises:
        TypeError: they have no common dtype, as integers and floating-point numbers have none.
        ValueError: there is no array and no dtype among them, or arrays are on different devices.
    """
    given: tuple[Any, ...] = arrays_and_dtypes
    try:  # arrays of one type, or nothing but dtypes
        if type(given[0]) is not DType:
            array_class, array_type = _checks.Array, given[0]._type
            for x in given:  # wrappers may have the attributes of the array that they hold
                if x.__class__ is not array_class or x._type is not array_type:
                    break
            else:
                return array_type.dtype
        elif all([type(x) is DType for x in given]):  # noqa: C419 - faster
            return promote_all(given)
    except (AttributeError, IndexError, TypeError):
        pass  # the checks below find the words
    operands: list[Any] = [
        x if type(x) is DType else _operand_or_dtype(x) for x in arrays_and_dtypes
    ]
    arrays: list[Array] = [x for x in operands if is_array(x)]
    if not arrays and not any(type(x) is DType for x in operands):
        rules = relaxed_rules()
        found = None if rules is None else rules.dtype_of_scalars(given)
        if found is not None:
            return found
        raise ValueError("result_type: needs at least one array or dtype")
    dtype = common_dtype("result_type", operands)
    if arrays:
        backend = common_backend("result_type", arrays)
        rules = None if dtype in backend.dtypes else relaxed_rules()
        if rules is not None:
            dtype = rules.available(dtype.__numpy_dtype__, backend) or dtype
        arrays[0]._type.of(dtype, "result_type")  # which the device must have
    return dtype
