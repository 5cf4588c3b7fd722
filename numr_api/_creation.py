"""Making arrays: from data, filled, ranges and triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api import _comparison, _conversion, _manipulation
from numr_api._checks import (
    common_backend,
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
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]


def type_of_new(
    name: str, dtype: object, device: object, kind: str = "real floating-point"
) -> ArrayType:
    """The type of a new array: the dtype as given or the device's default of a kind."""
    backend = backend_for(device, name)
    if dtype is None:
        return array_type(backend.default_dtypes[kind], backend)
    return array_type(require_dtype(name, dtype), backend, name)


def _filled(name: str, shape: object, value: Scalar, dtype: object, device: object) -> Array:
    new_type = type_of_new(name, dtype, device)
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
    new_type = type_of_new("empty", dtype, device)
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
        new_type = type_of_new("full", dtype, device, _conversion.DEFAULT_OF[type(value)])
        require_fits("full", new_type.dtype, value)
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
        require_fits("full_like", new_type.dtype, value)
    except TypeError:
        rules = relaxed_rules()
        if rules is None:
            raise
        where = new_type.device
        return rules.full("full_like", array.shape, fill_value, new_type.dtype, where)
    return wrap(new_type.backend.full(array.shape, value, new_type.dtype), new_type)


def require_fits(name: str, dtype: DType, value: Scalar) -> None:
    """Refuse a scalar that an array of a dtype cannot hold."""
    if dtype.kind not in SCALAR_KINDS[type(value)] or (
        dtype.kind == "f" and type(value) is complex
    ):
        raise TypeError(f"{name}: {dtype} does not hold the {type(value).__name__} {value!r}")
    if type(value) is int:
        require_range(name, dtype, value)


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
    new_type = type_of_new("eye", dtype, device)
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
