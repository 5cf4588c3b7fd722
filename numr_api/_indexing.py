"""Indexing by keys and by arrays."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from numr_api import _reductions
from numr_api._checks import as_scalar, common_backend, describe, require_array, with_scalar
from numr_api._declare import operation, wrap
from numr_api._dtypes import SCALAR_KINDS, promote
from numr_api._mode import relaxed_rules
from numr_api._shapes import as_axis, broadcast

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = ["take", "take_along_axis"]

Key = Any
_SIMPLE = (int, slice)
_new: Callable[[type], Any] = object.__new__


def getitem(x: Any, key: Key, /) -> Any:
    """``x[key]``; ``parse`` tells which keys there are."""
    array_type = x._type
    data = x._data
    kind = key.__class__
    is_mask = False
    try:
        if kind is int or kind is slice:
            if len(data.shape) != 1:
                raise IndexError
            data = array_type.backend.index(data, (key,))
        elif (
            kind is x.__class__
            and key._type is array_type.boolean
            and key._data.shape == data.shape
        ):
            is_mask = True
        else:
            raise IndexError
    except (AttributeError, IndexError, TypeError, ValueError):
        return _getitem(x, key)  # a key that parse knows, or has words for
    if is_mask:  # which reads from the device: an earlier fault is told but once
        data = array_type.backend.compress(data, key._data)
    array = _new(x.__class__)
    array._data = data
    array._type = array_type
    return array


def _getitem(x: Any, key: Key) -> Any:
    """``getitem`` with every check."""
    try:
        how, parsed = parse(x, key, "indexing")
    except IndexError:
        rules = relaxed_rules()
        if rules is None:
            raise
        return rules.getitem(x, key)
    try:
        return wrap(getattr(x._type.backend, how)(x._data, parsed), x._type)
    except IndexError as error:
        if how == "compress":  # an index of an earlier operation, in words of its own
            raise
        raise IndexError(f"indexing: {error}") from None


def setitem(x: Any, key: Key, value: Array | complex, /) -> None:
    """``x[key] = value`` for a basic key or a mask; the value takes x's dtype and broadcasts."""
    array_type = x._type
    if value.__class__ is x.__class__:
        operand: Any = value._data  # type: ignore[union-attr]
        # NumPy's assignment drops leading axes of length 1, which broadcasting does not.
        known = value._type is array_type and len(operand.shape) <= (key.__class__ is slice)  # type: ignore[union-attr]
    else:
        operand = value
        known = array_type.dtype.kind in SCALAR_KINDS.get(value.__class__, "")
    try:
        if known and key.__class__ in _SIMPLE and len(x._data.shape) == 1:
            return array_type.backend.assign(x._data, (key,), operand)
    except (IndexError, OverflowError, TypeError, ValueError):
        pass  # the careful path finds the words, or copies what is read-only
    try:
        how, parsed, operand = _checked(x, key, value)
    except (IndexError, TypeError, ValueError):
        rules = relaxed_rules()
        if rules is None:
            raise
        return rules.setitem(x, key, value)
    # Outside: what is raised here is of an earlier operation, and no relaxed rule may swallow it.
    backend = array_type.backend
    x._data = backend.writable(x._data)
    (backend.assign if how == "index" else backend.assign_mask)(x._data, parsed, operand)


def _checked(x: Array, key: Key, value: object) -> tuple[str, Any, Any]:
    """How the key selects, the parsed key, and the value as the backend takes it."""
    how, parsed = parse(x, key, "assignment")
    if how == "gather":
        raise IndexError(
            "assignment: integer arrays cannot select the elements; use a mask or where"
        )
    backend = x._type.backend
    if value.__class__ is x.__class__:
        array: Any = value
        if array._type.backend is not backend:
            raise ValueError(
                f"assignment: the array is on {x.device}, the value on {array.device}; "
                "move one with to_device"
            )
        try:
            fits = promote(x.dtype, array.dtype) is x.dtype
        except TypeError:
            fits = False
        if not fits:
            raise TypeError(
                f"assignment: {array.dtype} does not promote to the array's {x.dtype}; "
                "cast the value with astype"
            )
        target = _target(x, how, parsed, array)
        try:
            fits = broadcast("assignment", (target, array.shape)) == target
        except ValueError:
            fits = False
        if not fits:
            target = _selected(x, how, parsed)
            broadcast("assignment", (target, array.shape))  # raises if no shape fits both
            raise ValueError(
                f"assignment: the value's shape {array.shape} does not broadcast to {target}"
            )
        operand = array._data
    else:
        operand = as_scalar("assignment", value, "a numr_api array or a Python scalar")
        if with_scalar("assignment", x.dtype, operand) is not x.dtype:
            raise TypeError(f"assignment: a complex value does not fit the array's {x.dtype}")
    return how, parsed, operand


def _target(x: Array, how: str, parsed: Any, value: Array) -> tuple[int, ...]:
    """A shape to which a value broadcasts if and only if it does to the selection's."""
    if how != "index":
        rest = x.shape[len(parsed.shape) :]
        own = value.ndim - len(rest)  # axes of the value that are not the rows'
        if own <= 0 or value.shape[own - 1] == 1:  # one for all, however many, which is not read
            return (1, *rest)
    return _selected(x, how, parsed)


def _selected(x: Array, how: str, parsed: Any) -> tuple[int, ...]:
    """The shape of what an index or a mask selects."""
    if how == "index":
        return x._type.backend.index(x._data, parsed).shape
    count = int(_reductions.count_nonzero(wrap(parsed, x._type.boolean)))
    return (count, *x.shape[len(parsed.shape) :])


def parse(x: Array, key: Key, operation: str) -> tuple[str, Any]:
    """A user's key as the backend's method that serves it, and what to hand to that method.

    - ints, slices, at most one ``...``, and None (only to read), for all axes: "index"
    - one boolean array over the leading axes: "compress", and the mask
    - integer arrays and ints, one for each axis: "gather"
    """
    keys = cast("tuple[Any, ...]", key) if isinstance(key, tuple) else (key,)
    arrays = [k for k in keys if k.__class__ is x.__class__]
    for array in arrays:
        if array._type.backend is not x._type.backend:
            raise ValueError(
                f"{operation}: the array is on {x.device}, the index on {array.device}; "
                "move one with to_device"
            )
        if array.dtype.kind not in "biu":
            raise IndexError(
                f"{operation}: index arrays must be integer or boolean, got {array.dtype}"
            )
    if any(array.dtype.kind == "b" for array in arrays):
        if len(keys) != 1:
            raise IndexError(f"{operation}: a boolean array must be the only index")
        return "compress", _mask(x, keys[0], operation)
    if any(array.shape for array in arrays):
        return "gather", _coordinates(x, keys, operation)
    return "index", _basic(x, keys, operation)


def _mask(x: Array, mask: Array, operation: str) -> Any:
    if mask.ndim > x.ndim:
        raise IndexError(
            f"{operation}: a mask of shape {mask.shape} has more axes than an array of shape "
            f"{x.shape}"
        )
    lengths = x.shape[: mask.ndim]
    if mask.shape != lengths and all(
        m in (0, n) for m, n in zip(mask.shape, lengths, strict=False)
    ):
        return x._type.backend.full(lengths, False, mask.dtype)  # an empty mask selects nothing
    if mask.shape != lengths:
        raise IndexError(
            f"{operation}: a mask of shape {mask.shape} does not fit an array of shape {x.shape}"
        )
    return mask._data


def _coordinates(x: Array, keys: tuple[Any, ...], operation: str) -> tuple[Any, ...]:
    for k in keys:
        if k.__class__ is not x.__class__ and not _is_int(k):
            raise IndexError(
                f"{operation}: integer arrays can be combined with integers only, "
                f"got {describe(k)}; use take for a single axis"
            )
    if len(keys) != x.ndim:
        raise IndexError(
            f"{operation}: {len(keys)} index arrays or integers for {x.ndim} axes; give one each"
        )
    shapes = [k.shape for k in keys if k.__class__ is x.__class__]
    broadcast(operation, shapes)
    return tuple(
        k._data if k.__class__ is x.__class__ else _position(x, k, axis, operation)
        for axis, k in enumerate(keys)
    )


def _is_int(k: object) -> bool:
    return hasattr(k, "__index__") and not isinstance(k, bool | np.bool | np.ndarray)


def _basic(x: Array, keys: tuple[Any, ...], operation: str) -> tuple[int | slice | None, ...]:
    """Ints in bounds, slices and None, with ``...`` spelled out."""
    given = sum(k is not None and k is not Ellipsis for k in keys)
    ellipses = sum(k is Ellipsis for k in keys)
    if ellipses > 1:
        raise IndexError(f"{operation}: more than one ellipsis")
    if given > x.ndim or (given < x.ndim and not ellipses):
        raise IndexError(
            f"{operation}: {given} indices for {x.ndim} axes; give one for each axis, or '...'"
        )
    result: list[int | slice | None] = []
    axis = 0
    for k in keys:
        if k is None:
            if operation == "assignment":
                raise IndexError("assignment: None (newaxis) cannot be assigned to")
            result.append(None)
        elif k is Ellipsis:
            result += [slice(None)] * (x.ndim - given)
            axis += x.ndim - given
        elif isinstance(k, slice):
            result.append(as_slice(k, operation))
            axis += 1
        elif _is_int(k):
            result.append(_position(x, k, axis, operation))
            axis += 1
        else:
            raise IndexError(
                f"{operation}: an index must be an integer, a slice, '...', None or an array of "
                f"integers or booleans, got {describe(k)}"
            )
    return tuple(result)


def _position(x: Array, k: Any, axis: int, operation: str) -> int:
    position, length = index(k), x.shape[axis]
    if not -length <= position < length:
        raise IndexError(
            f"{operation}: index {position} is out of bounds for axis {axis} of length {length}"
        )
    return position


def as_slice(k: Any, operation: str) -> slice:
    """The slice with plain ints; a start or stop beyond the ends is cut, as for lists."""
    try:
        parts = [None if part is None else index(part) for part in (k.start, k.stop, k.step)]
    except TypeError:
        raise IndexError(f"{operation}: the parts of a slice must be integers, got {k}") from None
    if parts[2] == 0:
        raise IndexError(f"{operation}: the step of a slice cannot be 0")
    return slice(*parts)


@operation("indexing")
def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array:
    """Slices of an array along an axis, at the given indices.

    Arguments:
        x: array of any dtype and of one axis or more.
        indices: 1-dimensional integer array, of length n; negative ones count from the end.
        axis: the axis to select from; may be None if x has one axis.

    Returns:
        Array of x's dtype and shape, but of length n along ``axis``.

    Raises:
        IndexError: an index or the axis is out of bounds.
    """
    x = require_array("take", x)
    indices = require_array("take (indices)", indices, "integer")
    common_backend("take", (x, indices))
    rules = None if indices.ndim == 1 and (x.ndim == 1 or axis is not None) else relaxed_rules()
    if rules is not None:
        return rules.take(x, indices, axis)
    if indices.ndim != 1:
        raise ValueError(f"take: indices must have one axis, got shape {indices.shape}")
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take: axis must be given for an array of {x.ndim} axes")
        axis = 0
    number = as_axis("take", axis, x.ndim)
    try:
        return wrap(x._type.backend.take(x._data, indices._data, number), x._type)
    except IndexError as error:
        raise IndexError(f"take: {error}") from None


@operation("indexing")
def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    """Elements along an axis, each line of the array at its own indices.

    Arguments:
        x: array of any dtype.
        indices: integer array with as many axes as x; apart from ``axis`` its shape and x's
            broadcast. Negative indices count from the end.
        axis: the axis to select along.

    Returns:
        Array of x's dtype; its shape is the broadcast one, with indices' length along ``axis``.

    Raises:
        IndexError: an index or the axis is out of bounds.
    """
    name = "take_along_axis"
    x = require_array(name, x)
    indices = require_array(f"{name} (indices)", indices, "integer")
    common_backend(name, (x, indices))
    number = as_axis(name, axis, x.ndim)
    if indices.ndim != x.ndim:
        raise ValueError(f"{name}: indices have {indices.ndim} axes, the array has {x.ndim}")
    broadcast(name, [(*a.shape[:number], 1, *a.shape[number + 1 :]) for a in (x, indices)])
    try:
        return wrap(x._type.backend.take_along_axis(x._data, indices._data, number), x._type)
    except IndexError as error:
        raise IndexError(f"{name}: {error}") from None
