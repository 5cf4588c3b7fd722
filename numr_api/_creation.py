"""Making arrays: from data, filled, ranges and triangles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from numr_api import _arithmetic, _comparison, _conversion, _manipulation
from numr_api._checks import (
    as_scalar,
    common_backend,
    describe,
    is_array,
    require_array,
    require_dtype,
    require_range,
    strict_scalar,
)
from numr_api._data_types import astype
from numr_api._declare import operation, wrap
from numr_api._devices import ArrayType, array_type, backend_for
from numr_api._dtypes import SCALAR_KINDS, DType
from numr_api._mode import relaxed_rules
from numr_api._shapes import (
    MOST_ELEMENTS,
    as_bool,
    as_int,
    as_shape,
    broadcast,
    require_size,
)

if TYPE_CHECKING:
    from numr_api._array import Array
    from numr_api._backends import Scalar
    from numr_api._devices import Device

asarray = _conversion.asarray
from_dlpack = _conversion.from_dlpack

__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]


def _new_type(
    name: str, dtype: object, device: object, kind: str = "real floating-point"
) -> ArrayType:
    """The type of a new array: the dtype as given or the device's default of a kind."""
    backend = backend_for(device, name)
    if dtype is None:
        return array_type(backend.default_dtypes[kind], backend)
    return array_type(require_dtype(name, dtype), backend, name)


def _filled(name: str, shape: object, value: Scalar, dtype: object, device: object) -> Array:
    new_type = _new_type(name, dtype, device)
    if shape.__class__ is int and 0 <= shape <= MOST_ELEMENTS:  # type: ignore[operator]
        lengths: tuple[int, ...] = (shape,)  # type: ignore[assignment]
    else:
        lengths = new_shape(name, shape)
    return wrap(new_type.backend.full(lengths, value, new_type.dtype), new_type)  # type: ignore[arg-type]


def new_shape(name: str, shape: object) -> tuple[int, ...]:
    lengths = as_shape(name, shape)
    require_size(name, lengths)
    return lengths


def _like(name: str, x: object, dtype: object, device: object) -> tuple[Array, ArrayType]:
    """The array, and the type of a new array like it."""
    array = require_array(name, x)
    backend = array._type.backend if device is None else backend_for(device, name)
    chosen = array.dtype if dtype is None else require_dtype(name, dtype)
    return array, array_type(chosen, backend, name)


@operation("creation")
def empty(
    shape: int | tuple[int, ...],
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
) -> Array:
    """Array whose elements may have any values.

    Arguments:
        shape: length of each axis.
        dtype: None for the device's default real floating-point dtype.
        device: None for the default device.
    """
    new_type = _new_type("empty", dtype, device)
    return wrap(new_type.backend.empty(new_shape("empty", shape), new_type.dtype), new_type)


@operation("creation")
def empty_like(
    x: Array, /, *, dtype: DType | None = None, device: Device | str | None = None
) -> Array:
    """Array of x's shape whose elements may have any values; dtype and device as x's or given."""
    array, new_type = _like("empty_like", x, dtype, device)
    return wrap(new_type.backend.empty(array.shape, new_type.dtype), new_type)


@operation("creation")
def zeros(
    shape: int | tuple[int, ...],
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
) -> Array:
    """Array of zeros.

    Arguments:
        shape: length of each axis.
        dtype: None for the device's default real floating-point dtype.
        device: None for the default device.
    """
    return _filled("zeros", shape, 0, dtype, device)


@operation("creation")
def zeros_like(
    x: Array, /, *, dtype: DType | None = None, device: Device | str | None = None
) -> Array:
    """Array of x's shape filled with zeros; dtype and device as x's or as given."""
    array, new_type = _like("zeros_like", x, dtype, device)
    return wrap(new_type.backend.full(array.shape, 0, new_type.dtype), new_type)


@operation("creation")
def ones(
    shape: int | tuple[int, ...],
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
) -> Array:
    """Array of ones.

    Arguments:
        shape: length of each axis.
        dtype: None for the device's default real floating-point dtype.
        device: None for the default device.
    """
    return _filled("ones", shape, 1, dtype, device)


@operation("creation")
def ones_like(
    x: Array, /, *, dtype: DType | None = None, device: Device | str | None = None
) -> Array:
    """Array of x's shape filled with ones; dtype and device as x's or as given."""
    array, new_type = _like("ones_like", x, dtype, device)
    return wrap(new_type.backend.full(array.shape, 1, new_type.dtype), new_type)


@operation("creation")
def full(
    shape: int | tuple[int, ...],
    fill_value: complex,
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
) -> Array:
    """Array whose elements all have one value.

    Arguments:
        shape: length of each axis.
        fill_value: a Python scalar.
        dtype: None for the device's default dtype of the value's kind.
        device: None for the default device.
    """
    try:
        value = strict_scalar("full", fill_value)
        new_type = _new_type("full", dtype, device, _conversion.DEFAULT_OF[type(value)])
        _require_fits("full", new_type.dtype, value)
    except TypeError:
        rules = relaxed_rules()
        if rules is None:
            raise
        return rules.full("full", shape, fill_value, dtype, device)
    return wrap(new_type.backend.full(new_shape("full", shape), value, new_type.dtype), new_type)


@operation("creation")
def full_like(
    x: Array,
    /,
    fill_value: complex,
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
) -> Array:
    """Array of x's shape filled with one value; dtype and device as x's or as given."""
    array, new_type = _like("full_like", x, dtype, device)
    try:
        value = strict_scalar("full_like", fill_value)
        _require_fits("full_like", new_type.dtype, value)
    except TypeError:
        rules = relaxed_rules()
        if rules is None:
            raise
        where = new_type.device
        return rules.full("full_like", array.shape, fill_value, new_type.dtype, where)
    return wrap(new_type.backend.full(array.shape, value, new_type.dtype), new_type)


def _require_fits(name: str, dtype: DType, value: Scalar) -> None:
    """Refuse a scalar that an array of a dtype cannot hold."""
    if dtype.kind not in SCALAR_KINDS[type(value)] or (
        dtype.kind == "f" and type(value) is complex
    ):
        raise TypeError(f"{name}: {dtype} does not hold the {type(value).__name__} {value!r}")
    if type(value) is int:
        require_range(name, dtype, value)


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
    new_type = _new_type("arange", dtype, device, "integral" if integers else "real floating-point")
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
            _require_fits("arange", new_type.dtype, value)
        length = (last - first) / distance
        if not math.isfinite(length):
            raise ValueError(f"arange: no finite number of steps from {start} to {stop}")
        count = max(0, math.ceil(length))
    require_size("arange", (count,))
    if integers and count:
        for value in (first, first + (count - 1) * distance):
            _require_fits("arange", new_type.dtype, value)
        distance = distance if count > 1 else 0  # which may be out of any range
    data = new_type.backend.arange(first, distance, count, new_type.dtype)
    return wrap(data, new_type)


def _number(name: str, x: object) -> Scalar:
    """A Python scalar, also from a 0-dimensional array."""
    return as_scalar(name, x._item(name) if is_array(x) and x.shape == () else x)


def _require_whole_parts_fit(name: str, dtype: DType, values: list[Any]) -> None:
    """Refuse real numbers that an integer dtype cannot hold even rounded down."""
    for value in values:
        if not math.isfinite(value):
            raise ValueError(f"{name}: {dtype} cannot hold {value}")
        _require_fits(name, dtype, math.floor(value))


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
            default real floating-point one. Integers are rounded down from numbers in that.
        device: None for the default device.
        endpoint: whether ``stop`` is the last number.
    """
    ends = [_number("linspace", start), _number("linspace", stop)]
    if any(isinstance(end, bool) for end in ends):
        raise TypeError("linspace: start and stop must be numbers, got a bool")
    is_complex = any(isinstance(end, complex) for end in ends)
    new_type = _new_type(
        "linspace", dtype, device, "complex floating-point" if is_complex else "real floating-point"
    )
    kind = new_type.dtype.kind
    if kind not in ("c" if is_complex else "fc"):
        if kind in "iu" and not is_complex:
            _require_whole_parts_fit("linspace", new_type.dtype, ends)
        elif relaxed_rules() is None:
            raise TypeError(
                f"linspace: {new_type.dtype} cannot hold numbers from {start} to {stop}"
            )
        numbers = linspace(ends[0], ends[1], num, device=new_type.device, endpoint=endpoint)
        return _cast_range(numbers, new_type.dtype)
    count = as_int("linspace", "num", num)
    if count < 0:
        raise ValueError(f"linspace: num cannot be negative, got {count}")
    require_size("linspace", (count,))
    for end in ends:
        _require_fits("linspace", new_type.dtype, end)
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


@operation("creation")
def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: DType | None = None,
    device: Device | str | None = None,
) -> Array:
    """Matrix with ones on a diagonal and zeros elsewhere.

    Arguments:
        n_rows, n_cols: its shape; n_cols None for a square one.
        k: which diagonal: 0 the main one, positive above, negative below.
        dtype: None for the device's default real floating-point dtype.
        device: None for the default device.
    """
    shape = as_shape("eye", (n_rows, n_rows if n_cols is None else n_cols))
    new_type = _new_type("eye", dtype, device)
    require_size("eye", shape)
    rows, columns = _row_and_column_numbers(new_type, shape)
    on_diagonal = _comparison.equal(columns, rows + _diagonal("eye", k, shape))
    return astype(on_diagonal, new_type.dtype)


def _diagonal(name: str, k: object, shape: tuple[int, ...]) -> int:
    """A diagonal's number, brought to the nearest one outside if the matrix does not reach it."""
    return max(-shape[-2], min(as_int(name, "k", k), shape[-1]))


def _row_and_column_numbers(like: ArrayType, shape: tuple[int, ...]) -> tuple[Array, Array]:
    backend = like.backend
    index_type = array_type(backend.default_dtypes["integral"], backend)
    rows, columns = (
        wrap(backend.arange(0, 1, length, index_type.dtype), index_type) for length in shape
    )
    return _manipulation.expand_dims(rows, 1), columns


def _triangle(name: str, x: Array, k: int, lower: bool) -> Array:
    array = require_array(name, x)
    if array.ndim < 2:
        raise ValueError(f"{name}: needs an array of two axes or more, got shape {array.shape}")
    rows, columns = _row_and_column_numbers(array._type, array.shape[-2:])
    last = rows + _diagonal(name, k, array.shape)  # the column on the diagonal
    kept = columns <= last if lower else columns >= last
    return _where(kept, array, zeros_like(array))


def _where(condition: Array, x1: Array, x2: Array) -> Array:
    from numr_api._searching import where  # _searching needs _reductions, which needs this module

    return where(condition, x1, x2)


@operation("creation")
def tril(x: Array, /, *, k: int = 0) -> Array:
    """Lower triangles: matrices with the elements above diagonal k replaced by zeros.

    Arguments:
        x: array of shape (..., M, N) and any dtype.
        k: which diagonal: 0 the main one, positive above, negative below.
    """
    return _triangle("tril", x, k, lower=True)


@operation("creation")
def triu(x: Array, /, *, k: int = 0) -> Array:
    """Upper triangles: matrices with the elements below diagonal k replaced by zeros.

    Arguments:
        x: array of shape (..., M, N) and any dtype.
        k: which diagonal: 0 the main one, positive above, negative below.
    """
    return _triangle("triu", x, k, lower=False)


@operation("creation")
def meshgrid(*arrays: Array, indexing: str = "xy") -> tuple[Array, ...]:
    """Coordinate arrays of a grid from the coordinates along each axis.

    Arguments:
        arrays: 1-dimensional (or 0-dimensional) arrays of one dtype on one device.
        indexing: "ij" for a grid of shape (len(x1), len(x2), ...); "xy" exchanges the first two.

    Returns:
        As many arrays as given, each of the grid's shape, copies.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing must be 'xy' or 'ij', got {indexing!r}")
    if not arrays:
        return ()
    rank = len(arrays)
    exchanged = indexing == "xy" and rank > 1
    spread: list[Array] = []
    for position, x in enumerate(arrays):
        array = require_array("meshgrid", x)
        if array.ndim > 1:
            raise ValueError(f"meshgrid: needs 1-dimensional arrays, got shape {array.shape}")
        if array.dtype is not arrays[0].dtype and relaxed_rules() is None:
            raise TypeError(
                f"meshgrid: needs arrays of one dtype, got {arrays[0].dtype} and {array.dtype}"
            )
        axis = 1 - position if exchanged and position < 2 else position
        shape = tuple(array.size if i == axis else 1 for i in range(rank))
        spread.append(_manipulation.reshape(array, shape))
    common_backend("meshgrid", spread)
    grid = broadcast("meshgrid", [x.shape for x in spread])
    return tuple(
        wrap(x._type.backend.copy(_manipulation.broadcast_to(x, grid)._data), x._type)
        for x in spread
    )
