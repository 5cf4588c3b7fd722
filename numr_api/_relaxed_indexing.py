"""Indexing as NumPy does it, for the keys that strict refuses.

A key is taken apart in two: what makes a view (integers, slices, None), and what selects (integer
arrays, masks, lists). The view's selected axes are brought to the front and counted as one, so that
a single index array selects its rows. Only then the selected axes go where NumPy puts them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from numr_api import (
    _arithmetic,
    _comparison,
    _creation,
    _data_types,
    _indexing,
    _manipulation,
    _ranges,
    _reductions,
    _searching,
    _shapes,
    _sorting,
)
from numr_api._checks import common_backend, is_array
from numr_api._declare import wrap

if TYPE_CHECKING:
    from numr_api._array import Array


@dataclass
class Selection:
    """What a key selects of an array.

    Attributes:
        view: the array after the basic part of the key, axes that arrays select first.
        indices: an integer array for each of these axes, broadcast to ``shape``.
        shape: of what arrays select; None if there are none in the key, and the view is all.
        place: before which of the view's other axes the axes of ``shape`` belong.
    """

    view: Array
    indices: list[Array]
    shape: tuple[int, ...] | None
    place: int

    @property
    def lengths(self) -> tuple[int, ...]:
        """Of the selected axes."""
        return self.view.shape[: len(self.indices)]

    @property
    def rest(self) -> tuple[int, ...]:
        """Lengths of the other axes, which are selected whole."""
        return self.view.shape[len(self.indices) :]


def getitem(x: Array, key: Any) -> Array:
    """``x[key]`` with NumPy's rules; a view if the key has no arrays."""
    selection = _select(x, key, "indexing")
    view, shape = selection.view, selection.shape
    if shape is None:
        return view
    rows = view
    if len(selection.indices) != 1:
        rows = _manipulation.reshape(view, (math.prod(selection.lengths), *selection.rest))
    numbers = _row_numbers(x, selection, "indexing")
    try:
        taken = wrap(x._type.backend.take(rows._data, numbers._data, 0), x._type)
    except IndexError as error:
        raise IndexError(f"indexing: {error}") from None
    selected = _manipulation.reshape(taken, (*shape, *selection.rest))
    if selection.place == 0:
        return selected
    front = tuple(range(len(shape)))
    return _manipulation.moveaxis(selected, front, tuple(i + selection.place for i in front))


def take(x: Array, indices: Array, axis: int | None) -> Array:
    """``take`` with indices of any shape, from the flattened array if no axis is given."""
    if axis is None:
        x, axis = _manipulation.reshape(x, (-1,)), 0
    front = (slice(None),) * _shapes.as_axis("take", axis, x.ndim)
    return getitem(x, (*front, indices))


def setitem(x: Array, key: Any, value: Any) -> None:
    """``x[key] = value`` with NumPy's rules: the value is cast, the last of equal indices wins."""
    backend = x._type.backend
    x._data = backend.writable(x._data)
    selection = _select(x, key, "assignment")
    view, shape, place, rest = selection.view, selection.shape, selection.place, selection.rest
    if shape is None:
        operand = _as_value(x, value, view.shape)
        backend.assign(view._data, (slice(None),) * view.ndim, operand._data)
        return
    operand = _as_value(x, value, (*rest[:place], *shape, *rest[place:]))
    front = tuple(range(len(shape)))
    operand = _manipulation.moveaxis(operand, tuple(i + place for i in front), front)
    rows = _manipulation.reshape(operand, (math.prod(shape), *rest))
    numbers = _row_numbers(x, selection, "assignment")
    put = backend.shortcuts.get("put_rows")
    if put is not None:
        put(view._data, len(selection.indices), numbers._data, rows._data)
    elif numbers.size:
        _put_rows(view, len(selection.indices), numbers, rows)


# Keys


def _select(x: Array, key: Any, operation: str) -> Selection:
    keys = cast("tuple[Any, ...]", key) if isinstance(key, tuple) else (key,)
    parts: list[Any] = [_part(x, k, operation) for k in keys]
    whole = _count_whole_axes(x, parts, operation)
    selects = any(map(is_array, parts))
    basic: list[int | slice | None] = []
    selected: list[int] = []  # axes of the view
    indices: list[Array] = []
    shapes: list[tuple[int, ...]] = []
    runs: list[int] = []  # of parts that select, by the view's rank where each run begins
    in_run = False
    rank = axis = 0  # rank of the view so far, and the axis of x that is next
    for part in parts:
        chooses = selects and (is_array(part) or isinstance(part, int))
        if chooses and not in_run:
            runs.append(rank)
        in_run = chooses
        if is_array(part):
            found = _index_arrays(x, part, axis, operation)
            shapes += [i.shape for i in found] or [(int(bool(part)),)]  # of a mask without axes
            indices += found
            selected += range(rank, rank + len(found))
            basic += [slice(None)] * len(found)
            rank, axis = rank + len(found), axis + len(found)
        elif part is Ellipsis:
            basic += [slice(None)] * whole
            rank, axis = rank + whole, axis + whole
        elif isinstance(part, int):
            basic.append(_position(x, part, axis, operation))
            axis += 1
        else:
            basic.append(cast("slice | None", part))
            rank, axis = rank + 1, axis + (part is not None)
    view = wrap(x._type.backend.index(x._data, tuple(basic)), x._type)
    if not selects:
        return Selection(view, [], None, 0)
    shape = _shapes.broadcast(operation, shapes)
    front = list(range(len(selected)))
    if selected != front:
        view = _manipulation.moveaxis(view, tuple(selected), tuple(front))
    spread = [i if i.shape == shape else _manipulation.broadcast_to(i, shape) for i in indices]
    return Selection(view, spread, shape, runs[0] if len(runs) == 1 else 0)


def _part(x: Array, k: Any, operation: str) -> Any:
    """A part of a key as an int, a slice, None, ``...``, or an array of integers or of bool."""
    if k is None or k is Ellipsis:
        return k
    if isinstance(k, slice):
        return _indexing.as_slice(k, operation)
    if isinstance(k, bool | np.bool):
        k = _creation.asarray(k, device=x.device)
    elif isinstance(k, list | tuple | np.ndarray):
        sequence = cast("Any", k)
        empty = not isinstance(k, np.ndarray) and not k  # which is of no kind yet
        dtype = _index_dtype(x) if empty else None
        k = _creation.asarray(sequence, dtype=dtype, device=x.device)
    if is_array(k):
        common_backend(operation, (x, k))
        if k.dtype.kind not in "biu":
            raise IndexError(f"{operation}: index arrays must be integer or boolean, got {k.dtype}")
        return k if k.dtype.kind == "b" or k.ndim else int(k)
    try:
        return index(k)
    except TypeError:
        raise IndexError(
            f"{operation}: an index must be an integer, a slice, '...', None, or integers or "
            f"booleans in an array or list; got {type(k).__name__} {k!r}"
        ) from None


def _index_dtype(x: Array) -> Any:
    return x._type.backend.default_dtypes["indexing"]


def _count_whole_axes(x: Array, parts: list[Any], operation: str) -> int:
    """How many axes ``...`` stands for; it is put at the end of the parts if it is missing."""
    if sum(part is Ellipsis for part in parts) > 1:
        raise IndexError(f"{operation}: more than one ellipsis")
    given = sum(
        part.ndim if is_array(part) and part.dtype.kind == "b" else 1
        for part in parts
        if part is not None and part is not Ellipsis
    )
    if given > x.ndim:
        raise IndexError(f"{operation}: {given} indices for an array of {x.ndim} axes")
    if not any(part is Ellipsis for part in parts):
        parts.append(Ellipsis)
    return x.ndim - given


def _position(x: Array, position: int, axis: int, operation: str) -> int:
    if not -x.shape[axis] <= position < x.shape[axis]:
        raise IndexError(
            f"{operation}: index {position} is out of bounds for axis {axis} of length "
            f"{x.shape[axis]}"
        )
    return position


def _index_arrays(x: Array, part: Array, axis: int, operation: str) -> list[Array]:
    """A part of a key as an integer array for each axis that it selects, from ``axis`` on."""
    if part.dtype.kind != "b":
        return [_data_types.astype(part, _index_dtype(x), copy=False)]
    lengths = x.shape[axis : axis + part.ndim]
    if part.shape != lengths:
        raise IndexError(
            f"{operation}: a mask of shape {part.shape} does not fit axes of {lengths}"
        )
    return list(_searching.nonzero(part)) if part.ndim else []


# Rows


def _row_numbers(x: Array, selection: Selection, operation: str) -> Array:
    """Which rows of the view, its selected axes taken as one, are selected; 1-dimensional."""
    numbers: Array | None = None
    for places, length in zip(selection.indices, selection.lengths, strict=True):
        if len(selection.indices) > 1 or operation == "assignment":  # else take does this
            if bool(_reductions.any((places < -length) | (places >= length))):
                raise IndexError(
                    f"{operation}: an index is out of bounds for an axis of length {length}"
                )
            places = _searching.where(places < 0, places + length, places)
        numbers = places if numbers is None else numbers * length + places
    if numbers is None:
        assert selection.shape is not None
        return _creation.zeros(math.prod(selection.shape), dtype=_index_dtype(x), device=x.device)
    return _manipulation.reshape(numbers, (-1,))


def _as_value(x: Array, value: Any, shape: tuple[int, ...]) -> Array:
    """A value to assign as an array of x's dtype and of a shape."""
    if is_array(value):
        common_backend("assignment", (x, value))
        value = _data_types.astype(value, x.dtype, copy=False)
    else:
        value = _creation.asarray(value, dtype=x.dtype, device=x.device)
    extra = value.ndim - len(shape)
    if extra > 0 and value.shape[:extra] == (1,) * extra:
        value = _manipulation.reshape(value, value.shape[extra:])
    if _shapes.broadcast("assignment", (value.shape, shape)) != shape:
        raise ValueError(
            f"assignment: the value's shape {value.shape} does not broadcast to {shape}"
        )
    return _manipulation.broadcast_to(value, shape)


def _put_rows(view: Array, count: int, numbers: Array, rows: Array) -> None:
    """Write rows in place where the view's first axes, taken as one, have these numbers.

    Each row of the view finds the last of the rows to write with its number by a search in the
    sorted numbers, so that it needs nothing that a device may lack, and equal numbers are no race.
    """
    lengths, rest = view.shape[:count], view.shape[count:]
    total = math.prod(lengths)
    order = _sorting.argsort(numbers)
    ordered = _indexing.take(numbers, order)
    own = _ranges.arange(total, dtype=numbers.dtype, device=numbers.device)
    last = _searching.searchsorted(ordered, own, side="right") - 1
    last = _arithmetic.maximum(_data_types.astype(last, numbers.dtype, copy=False), 0)
    found = _comparison.equal(_indexing.take(ordered, last), own)
    written = _indexing.take(rows, _indexing.take(order, last), axis=0)
    kept = _manipulation.reshape(view, (total, *rest))
    mask = _manipulation.reshape(found, (total, *(1 for _ in rest)))
    outcome = _manipulation.reshape(_searching.where(mask, written, kept), view.shape)
    view._type.backend.assign(view._data, (slice(None),) * view.ndim, outcome._data)
