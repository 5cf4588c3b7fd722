"""Making arrays of evenly spaced numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from numr_api import _arithmetic
from numr_api._checks import as_scalar, describe, is_array
from numr_api._creation import require_fits, type_of_new
from numr_api._data_types import astype
from numr_api._declare import operation, wrap
from numr_api._devices import ArrayType, array_type
from numr_api._mode import relaxed_rules
from numr_api._shapes import as_bool, as_int, require_size

if TYPE_CHECKING:
    from numr_api._array import Array
    from numr_api._backends import Scalar
    from numr_api._devices import Device
    from numr_api._dtypes import DType

__all__ = ["arange", "linspace"]


@operation("creation")
def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
) -> Array:
    """Evenly spaced numbers ``start + i * step`` in the half-open interval from start to stop.

    Arguments:
        start: the first number; with ``stop`` left out, the end, and the first is 0.
        stop: the end, not included.
        step: the distance, not 0. All three are Python scalars or 0-dimensional arrays.
        dtype: None for the device's default integer dtype if start, stop and step are integers,
            else for its default real floating-point dtype.
        device: None for the default device.
    """
    if stop is None:
        start, stop = 0, start
    values: list[Any] = []
    for name, value in (("start", start), ("stop", stop), ("step", step)):
        scalar = _number(f"arange ({name})", value)
        if isinstance(scalar, bool | complex):
            raise TypeError(f"arange: {name} must be a real number, got {describe(value)}")
        values.append(scalar)
    integers = all(isinstance(value, int) for value in values)
    default = "integral" if integers else "real floating-point"
    new_type = type_of_new("arange", dtype, device, default)
    kind = new_type.dtype.kind
    if kind not in ("iuf" if integers else "f"):
        if kind != "c" and relaxed_rules() is None:
            raise TypeError(f"arange: {new_type.dtype} cannot hold numbers from {start} to {stop}")
        return _cast_range(arange(*values, device=new_type.device), new_type.dtype)
    first, last, distance = values
    if distance == 0:
        raise ValueError("arange: step cannot be 0")
    if integers:
        count = max(0, -((first - last) // distance))
    else:
        for value in values:
            require_fits("arange", new_type.dtype, value)
        length = (last - first) / distance
        if not math.isfinite(length):
            raise ValueError(f"arange: no finite number of steps from {start} to {stop}")
        count = max(0, math.ceil(length))
    require_size("arange", (count,))
    if integers and count:
        for value in (first, first + (count - 1) * distance):
            require_fits("arange", new_type.dtype, value)
        distance = distance if count > 1 else 0  # which may be out of any range
    data = new_type.backend.arange(first, distance, count, new_type.dtype)
    return wrap(data, new_type)


def _number(name: str, x: object) -> Scalar:
    """A Python scalar, also from a 0-dimensional array."""
    return as_scalar(name, x._item(name) if is_array(x) and x.shape == () else x)


def _require_whole_parts_fit(name: str, wanted: ArrayType, values: list[Any]) -> None:
    """Refuse real numbers that an integer dtype cannot hold even rounded down."""
    real = wanted.backend.default_dtypes["real floating-point"].__numpy_dtype__
    for value in values:
        if not math.isfinite(value):
            raise ValueError(f"{name}: {wanted.dtype} cannot hold {value}")
        held = value if isinstance(value, int) else float(real.type(value))
        require_fits(name, wanted.dtype, math.floor(held))


def _integer_linspace(ends: list[Any], num: int, endpoint: bool, new_type: ArrayType) -> Array:
    """Evenly spaced numbers from one integer to another, rounded down exactly.

    With q and r the quotient and the remainder of the distance by the number n of steps, the i-th
    number is ``start + i q + floor(i r / n)``. What leaves the dtype's range on the way comes back.
    """
    count = _count_of_linspace(num)
    as_bool("linspace", "endpoint", endpoint)
    start, stop = ends
    steps = max(1, count - endpoint)
    quotient, remainder = divmod(stop - start, steps)
    backend = new_type.backend
    numbers = wrap(backend.arange(start, quotient, count, new_type.dtype), new_type)
    index_type = array_type(backend.default_dtypes["integral"], backend)
    rest = wrap(backend.arange(0, remainder, count, index_type.dtype), index_type)
    return _arithmetic.add(numbers, astype(_arithmetic.floor_divide(rest, steps), new_type.dtype))


def _count_of_linspace(num: object) -> int:
    count = as_int("linspace", "num", num)
    if count < 0:
        raise ValueError(f"linspace: num cannot be negative, got {count}")
    require_size("linspace", (count,))
    return count


def _cast_range(numbers: Array, dtype: DType) -> Array:
    """Evenly spaced numbers in a dtype of another kind; integers are rounded down."""
    if dtype.kind in "iu" and numbers.dtype.kind == "f":
        numbers = _arithmetic.floor(numbers)
    return astype(numbers, dtype)


@operation("creation")
def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
    endpoint: bool = True,
) -> Array:
    """Evenly spaced numbers from start to stop.

    Arguments:
        start: the first number, a Python scalar or a 0-dimensional array.
        stop: likewise the last number, or with ``endpoint=False`` the one that would come next.
        num: how many, at least 0.
        dtype: None for the device's default complex one if start or stop is complex, else for its
            default real floating-point one. Integers are rounded down, from integers exactly, else
            from numbers in that dtype.
        device: None for the default device.
        endpoint: whether ``stop`` is the last number.
    """
    ends = [_number("linspace", start), _number("linspace", stop)]
    if any(isinstance(end, bool) for end in ends):
        raise TypeError("linspace: start and stop must be numbers, got a bool")
    is_complex = any(isinstance(end, complex) for end in ends)
    new_type = type_of_new(
        "linspace", dtype, device, "complex floating-point" if is_complex else "real floating-point"
    )
    kind = new_type.dtype.kind
    if kind not in ("c" if is_complex else "fc"):
        if kind in "iu" and not is_complex:
            _require_whole_parts_fit("linspace", new_type, ends)
            if all(isinstance(end, int) for end in ends):
                return _integer_linspace(ends, num, endpoint, new_type)
        elif relaxed_rules() is None:
            raise TypeError(
                f"linspace: {new_type.dtype} cannot hold numbers from {start} to {stop}"
            )
        numbers = linspace(ends[0], ends[1], num, device=new_type.device, endpoint=endpoint)
        return _cast_range(numbers, new_type.dtype)
    count = _count_of_linspace(num)
    for end in ends:
        require_fits("linspace", new_type.dtype, end)
    as_bool("linspace", "endpoint", endpoint)
    data = new_type.backend.routine(
        "linspace",
        start=ends[0],
        stop=ends[1],
        count=count,
        endpoint=endpoint,
        dtype=new_type.dtype,
    )
    return wrap(data, new_type)
