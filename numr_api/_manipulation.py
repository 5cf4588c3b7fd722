"""Shapes changed, axes moved, arrays joined and split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from numr_api import _shapes
from numr_api._checks import common_backend, common_dtype, describe, is_array, require_array
from numr_api._declare import operation, wrap
from numr_api._shapes import as_axes, as_axis, as_copy, as_int, as_shape, as_tuple, require_size

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "tile",
    "unstack",
]

_SEQUENCES = (tuple, list)


@operation("manipulation")
def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """The arrays, each broadcast to the shape that they have in common.

    Arguments:
        arrays: arrays of any dtypes on one device, whose shapes broadcast.

    Returns:
        As many arrays, each of its own dtype. Views: writing to one makes it a copy first.
    """
    given = [require_array("broadcast_arrays", x) for x in arrays]
    if not given:
        return ()
    common_backend("broadcast_arrays", given)
    shape = _shapes.broadcast("broadcast_arrays", [x.shape for x in given])
    return tuple(broadcast_to(x, shape) for x in given)


@operation("manipulation")
def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape to which all the shapes broadcast; ``()`` for none.

    Raises:
        ValueError: there is no such shape.
    """
    checked = [as_shape("broadcast_shapes", shape) for shape in shapes]
    return _shapes.broadcast("broadcast_shapes", checked)


@operation("manipulation")
def broadcast_to(x: Array, /, shape: tuple[int, ...]) -> Array:
    """The array, repeated without a copy until it has a shape.

    Arguments:
        x: array of any dtype.
        shape: a shape to which x's broadcasts.

    Returns:
        Array of x's dtype, a view. Writing to it makes it a copy first.
    """
    x = require_array("broadcast_to", x)
    target = as_shape("broadcast_to", shape)
    if _shapes.broadcast("broadcast_to", (x.shape, target)) != target:
        raise ValueError(f"broadcast_to: shape {x.shape} does not broadcast to {target}")
    require_size("broadcast_to", target)
    return wrap(x._type.backend.broadcast(x._data, target), x._type)


@operation("manipulation")
def concat(arrays: tuple[Array, ...] | list[Array], /, *, axis: int | None = 0) -> Array:
    """Arrays joined along an axis.

    Arguments:
        arrays: one array or more, of one device and of equal shapes but for ``axis``.
        axis: the axis to join; None flattens the arrays first.

    Returns:
        Array of the promoted dtype.
    """
    try:  # arrays of one type and shape, which need no more checks than this
        array_type, shape = arrays[0]._type, arrays[0]._data.shape
        data: list[Any] = []
        for x in arrays:
            part = x._data
            if x._type is not array_type or part.shape != shape or not is_array(x):
                break
            data.append(part)
        else:
            if axis.__class__ is int and axis == 0 and shape and arrays.__class__ in _SEQUENCES:
                return wrap(array_type.backend.concat(data, 0), array_type)
    except (AttributeError, LookupError, TypeError):
        pass  # the checks below find the words
    return concat_checked("concat", arrays, axis)


def concat_checked(name: str, arrays: object, axis: int | None) -> Array:
    """``concat`` with every check, in the name of a function."""
    parts = _sequence(name, arrays)
    if axis is None:
        parts = [reshape(x, (-1,)) for x in parts]
        axis = 0
    first = parts[0]
    number = as_axis(name, axis, first.ndim)
    for x in parts[1:]:
        if x.ndim != first.ndim or any(
            x.shape[i] != first.shape[i] for i in range(first.ndim) if i != number
        ):
            raise ValueError(
                f"{name}: shapes {first.shape} and {x.shape} differ beyond axis {number}"
            )
    return _join(name, parts, number)


@operation("manipulation")
def stack(arrays: tuple[Array, ...] | list[Array], /, *, axis: int = 0) -> Array:
    """Arrays of equal shape joined along a new axis.

    Arguments:
        arrays: one array or more, of one device and one shape.
        axis: where the new axis is in the result.

    Returns:
        Array of the promoted dtype.
    """
    return stack_checked("stack", arrays, axis)


def stack_checked(name: str, arrays: object, axis: int) -> Array:
    """``stack`` in the name of a function."""
    parts = _sequence(name, arrays)
    number = as_axis(name, axis, parts[0].ndim + 1)
    for x in parts[1:]:
        if x.shape != parts[0].shape:
            raise ValueError(f"{name}: shapes {parts[0].shape} and {x.shape} differ")
    return _join(name, [expand_dims(x, number) for x in parts], number)


def _sequence(name: str, arrays: object) -> list[Array]:
    if not isinstance(arrays, tuple | list):
        raise TypeError(f"{name}: needs a tuple or list of arrays, got {describe(arrays)}")
    if not arrays:
        raise ValueError(f"{name}: needs one array or more, got none")
    return [require_array(name, x) for x in cast("Sequence[object]", arrays)]


def _join(name: str, parts: list[Array], axis: int) -> Array:
    backend = parts[0]._type.backend
    array_type = parts[0]._type
    if any(x._type is not array_type for x in parts):
        common_backend(name, parts)
        array_type = array_type.of(common_dtype(name, parts), name)
    data = [
        x._data if x._type is array_type else backend.cast(x._data, array_type.dtype) for x in parts
    ]
    return wrap(backend.concat(data, axis), array_type)


@operation("manipulation")
def expand_dims(x: Array, /, axis: int | tuple[int, ...]) -> Array:
    """The array with new axes of length 1, a view.

    Arguments:
        x: array of any dtype.
        axis: where the new axes are in the result; an int or a tuple of distinct ints.

    Raises:
        IndexError: an axis is out of bounds of the result.
    """
    x = require_array("expand_dims", x)
    places = as_tuple(axis)
    rank = x.ndim + len(places)
    new = as_axes("expand_dims", places, rank)
    require_size("expand_dims", (1,) * rank)
    key = tuple(None if i in new else slice(None) for i in range(rank))
    return wrap(x._type.backend.index(x._data, key), x._type)


@operation("manipulation")
def flip(x: Array, /, *, axis: int | tuple[int, ...] | None = None) -> Array:
    """The elements in reverse order along axes, a view.

    Arguments:
        x: array of any dtype.
        axis: an axis or several; None for all.
    """
    x = require_array("flip", x)
    axes = as_axes("flip", axis, x.ndim)
    key = tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(x.ndim))
    return wrap(x._type.backend.index(x._data, key), x._type)


@operation("manipulation")
def moveaxis(
    x: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...], /
) -> Array:
    """The array with axes moved to other places, a view; the other axes keep their order.

    Arguments:
        x: array of any dtype.
        source: an axis or several distinct ones.
        destination: where each of them goes, as many.
    """
    x = require_array("moveaxis", x)
    sources = as_axes("moveaxis", as_tuple(source), x.ndim)
    targets = as_axes("moveaxis", as_tuple(destination), x.ndim)
    if len(sources) != len(targets):
        raise ValueError(
            f"moveaxis: {len(sources)} axes cannot go to {len(targets)} places; give as many"
        )
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return wrap(x._type.backend.permute(x._data, tuple(order)), x._type)


@operation("manipulation")
def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
    """The array with its axes in another order, a view.

    Arguments:
        x: array of any dtype.
        axes: every axis of x once; negative ones count from the end.
    """
    x = require_array("permute_dims", x)
    if not isinstance(axes, tuple | list):
        raise TypeError(f"permute_dims: axes must be a tuple of ints, got {describe(axes)}")
    order = as_axes("permute_dims", tuple(axes), x.ndim)
    if len(order) != x.ndim:
        raise ValueError(f"permute_dims: axes {axes} must name each of {x.ndim} axes once")
    return wrap(x._type.backend.permute(x._data, order), x._type)


@operation("manipulation")
def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Each element, or each slice along an axis, repeated.

    Arguments:
        x: array of any dtype.
        repeats: how often, at least 0; an int for all, or a 1-dimensional integer array with one
            count, or with one for each slice.
        axis: the axis to repeat along; None flattens x first.

    Returns:
        Array of x's dtype.
    """
    x = require_array("repeat", x)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    number = as_axis("repeat", axis, x.ndim)
    length = x.shape[number]
    if repeats.__class__ is x.__class__:
        counts = require_array("repeat (repeats)", repeats, "integer")
        common_backend("repeat", (x, counts))
        if counts.ndim > 1 or counts.size not in (1, length):
            raise ValueError(
                f"repeat: {counts.size} counts for {length} slices; give 1 or {length}"
            )
        how_often = broadcast_to(counts, (length,))._data
    else:
        how_often = as_int("repeat", "repeats", repeats)
        if how_often < 0:
            raise ValueError(f"repeat: repeats cannot be negative, got {how_often}")
        require_size("repeat", (how_often * x.size,))
    try:
        return wrap(x._type.backend.repeat(x._data, how_often, number), x._type)
    except ValueError as error:  # a count is negative, or exceeds any size
        raise ValueError(f"repeat: {error}") from None


@operation("manipulation")
def reshape(x: Array, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Array:
    """The elements in row-major order in another shape.

    Arguments:
        x: array of any dtype.
        shape: lengths whose product is x's size; one may be -1, which stands for what is left.
        copy: None shares memory if possible, True never does, False raises ValueError if it is
            not possible.
    """
    if copy is None and shape.__class__ is tuple:
        size = 1
        for length in shape:
            if length.__class__ is not int or length < 0:
                break
            size *= length
        else:
            try:
                data, array_type = x._data, x._type
                if data.size == size and is_array(x):
                    return wrap(array_type.backend.reshape(data, shape, None), array_type)
            except (AttributeError, ValueError):
                pass  # the checks below find the words
    x = require_array("reshape", x)
    as_copy("reshape", copy)
    lengths = tuple(as_int("reshape", "a length of shape", n) for n in as_tuple(shape))
    if math.prod(lengths) != x.size or (lengths and min(lengths) < 0):
        lengths = _resolve(lengths, x.size)
    require_size("reshape", lengths)
    try:
        return wrap(x._type.backend.reshape(x._data, lengths, copy), x._type)
    except ValueError:
        raise ValueError(
            f"reshape: shape {x.shape} cannot become {lengths} without a copy; use copy=None"
        ) from None


def _resolve(lengths: tuple[int, ...], size: int) -> tuple[int, ...]:
    """A shape with its -1 replaced. Raises ValueError if the size does not fit."""
    known = math.prod(length for length in lengths if length != -1)
    if lengths.count(-1) > 1 or any(length < -1 for length in lengths):
        raise ValueError(f"reshape: shape {lengths} may hold -1 once and nothing below")
    if -1 in lengths and known and size % known == 0:
        return tuple(size // known if length == -1 else length for length in lengths)
    raise ValueError(f"reshape: cannot arrange {size} elements as {lengths}")


@operation("manipulation")
def roll(
    x: Array,
    /,
    shift: int | tuple[int, ...],
    *,
    axis: int | tuple[int, ...] | None = None,
) -> Array:
    """The elements moved along axes; those that leave at one end come in at the other.

    Arguments:
        x: array of any dtype.
        shift: by how many places, towards higher indices; a tuple gives one for each axis.
        axis: an axis or several; None rolls the flattened array and restores its shape.

    Returns:
        Array of x's shape and dtype, a copy.
    """
    x = require_array("roll", x)
    if axis is None:
        if isinstance(shift, tuple | list):
            raise ValueError("roll: a tuple of shifts needs a tuple of axes")
        return reshape(roll(reshape(x, (-1,)), shift, axis=0), x.shape)
    axes = as_tuple(axis)
    shifts = as_tuple(shift) if isinstance(shift, tuple | list) else (shift,) * len(axes)
    if len(shifts) != len(axes):
        raise ValueError(f"roll: {len(shifts)} shifts for {len(axes)} axes; give one for each")
    result = x
    for places, which in zip(shifts, axes, strict=True):
        number = as_axis("roll", which, x.ndim)
        length = x.shape[number]
        start = -as_int("roll", "shift", places) % max(length, 1)
        parts = [_part(result, number, slice(start, None)), _part(result, number, slice(start))]
        result = _join("roll", parts, number)
    return result if result is not x else wrap(x._type.backend.copy(x._data), x._type)


def _part(x: Array, axis: int, part: slice) -> Array:
    key = tuple(part if i == axis else slice(None) for i in range(x.ndim))
    return wrap(x._type.backend.index(x._data, key), x._type)


@operation("manipulation")
def squeeze(x: Array, /, axis: int | tuple[int, ...]) -> Array:
    """The array without some axes of length 1, a view.

    Arguments:
        x: array of any dtype.
        axis: an axis or several.

    Raises:
        ValueError: an axis is longer than 1.
    """
    x = require_array("squeeze", x)
    axes = as_axes("squeeze", as_tuple(axis), x.ndim)
    for number in axes:
        if x.shape[number] != 1:
            raise ValueError(f"squeeze: axis {number} has length {x.shape[number]}, not 1")
    key = tuple(0 if i in axes else slice(None) for i in range(x.ndim))
    return wrap(x._type.backend.index(x._data, key), x._type)


@operation("manipulation")
def tile(x: Array, repetitions: tuple[int, ...], /) -> Array:
    """The whole array repeated along axes.

    Arguments:
        x: array of any dtype.
        repetitions: how often along each axis, at least 0; counted from the last axis if shorter
            than x has axes, new axes come first if longer.

    Returns:
        Array of x's dtype.
    """
    x = require_array("tile", x)
    if not isinstance(repetitions, tuple | list):
        raise TypeError(f"tile: repetitions must be a tuple of ints, got {describe(repetitions)}")
    counts = as_shape("tile", repetitions)
    rank = max(x.ndim, len(counts))
    counts = (1,) * (rank - len(counts)) + counts
    shape = (1,) * (rank - x.ndim) + x.shape
    result = tuple(count * length for count, length in zip(counts, shape, strict=True))
    require_size("tile", result)
    # (3, 4) tiled (2, 5) is (1, 3, 1, 4) broadcast to (2, 3, 5, 4), in one copy
    spread: list[Any] = [length for pair in zip((1,) * rank, shape, strict=True) for length in pair]
    target = [length for pair in zip(counts, shape, strict=True) for length in pair]
    repeated = broadcast_to(reshape(x, tuple(spread)), tuple(target))
    return reshape(repeated, result, copy=True)


@operation("manipulation")
def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The slices along an axis, without that axis; views.

    Arguments:
        x: array of one axis or more, of any dtype.
        axis: the axis to take apart.
    """
    x = require_array("unstack", x)
    number = as_axis("unstack", axis, x.ndim)
    front = (slice(None),) * number
    back = (slice(None),) * (x.ndim - number - 1)
    backend = x._type.backend
    return tuple(
        wrap(backend.index(x._data, (*front, i, *back)), x._type) for i in range(x.shape[number])
    )
