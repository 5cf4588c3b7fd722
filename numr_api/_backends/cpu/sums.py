"""Sums of floating-point numbers that stay accurate however long the axes are, and are fast.

``np.add.reduce`` adds pairwise along the axis that is contiguous in memory, but one after the
other along any other: of 10**6 rows of 0.1 in float32 it loses 1 %.

Along contiguous axes ``np.einsum`` is faster, as it adds whole vectors, and as accurate for so few
numbers that it adds no more of them one after the other than ``np.add.reduce`` does. So long rows
are cut in pieces of a length of which nothing but the dtype decides: neither the number of threads
nor that of rows changes a bit of a row's sum.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from numr_api._backends.cpu import threads

AnyArray = Any
_reduce: Any = np.add.reduce

RUN = 128  # as many slices are added one after the other; NumPy's pairwise sum does the same
WIDTH = 4096  # running sums beside each other: they stay in the cache, and fill vector instructions
SMALL = 1024  # elements of an array for which it is not worth the overhead

# By dtype: a piece, of which a vector of 256 bits adds 8 to each of its numbers one after the
# other (with twice as many, sums of equal numbers err more than NumPy's); from how many elements a
# row is cut in pieces; and the nanoseconds that an element takes, not in a cache.
PIECES = {
    np.dtype(np.float32): (256, 2**17, 0.15),
    np.dtype(np.float64): (128, 2**19, 0.3),
}
MANY = 2**17  # elements of an array that may be worth it
PIECES_TOGETHER = 64  # of a block that a thread takes

__all__ = ["add", "add_pieces", "as_rows", "piece_of", "shaped"]


def add(data: AnyArray, axes: tuple[int, ...], dtype: np.dtype[Any], keepdims: bool) -> AnyArray:
    """``np.add.reduce`` of a floating-point array."""
    if data.size >= MANY and data.dtype == dtype and (rows := as_rows(data, axes)) is not None:
        return shaped(_add_rows(rows), data, axes, keepdims)
    while data.size > SMALL and (axis := _slow_axis(data, axes)) is not None:
        data = _folded(data, axis, dtype)
    return _reduce(data, axes, dtype, None, keepdims)


def as_rows(data: AnyArray, axes: tuple[int, ...]) -> AnyArray | None:
    """A view with a row for each sum; None if it is no view, or the dtype has no pieces."""
    first = data.ndim - len(axes)
    if data.dtype not in PIECES or not data.flags.c_contiguous or not axes:
        return None
    if len(axes) > 1 and sorted(axes) != list(range(first, data.ndim)):
        return None
    if len(axes) == 1 and axes[0] != first:
        return None
    return data.reshape(math.prod(data.shape[:first]), -1)


def shaped(results: AnyArray, data: AnyArray, axes: tuple[int, ...], keepdims: bool) -> AnyArray:
    """The results of rows, in the shape that a reduction over trailing axes has."""
    kept = data.shape[: data.ndim - len(axes)]
    return results.reshape((*kept, *(1,) * len(axes)) if keepdims else kept)


def _add_rows(rows: AnyArray) -> AnyArray:
    """The sum of each row: of long ones by pieces, of many others by several threads."""
    piece, long, cost = PIECES[rows.dtype]
    count, length = rows.shape
    if length < long:
        nanoseconds = cost * rows.size
        if count < 2 or not threads.helpers_for(nanoseconds):
            return _reduce(rows, 1)
        result = np.empty(count, rows.dtype)
        threads.share(
            lambda start, stop: _reduce(rows[start:stop], 1, None, result[start:stop]),
            count,
            nanoseconds,
        )
        return result
    result = np.empty(count, rows.dtype)
    for number, row in enumerate(rows):
        parts = np.empty(-(-length // piece), rows.dtype)
        if cost * length < threads.WORTHWHILE:
            add_pieces(row, parts)
        else:
            _share_pieces(row, parts, piece, cost * length)
        result[number] = _reduce(parts)
    return result


def _share_pieces(row: AnyArray, parts: AnyArray, piece: int, nanoseconds: float) -> None:
    def task(start: int, stop: int) -> None:
        add_pieces(row[start * piece : stop * piece], parts[start:stop])

    threads.share(task, parts.size, nanoseconds, PIECES_TOGETHER)


def piece_of(dtype: np.dtype[Any]) -> int:
    """Elements of a piece."""
    return PIECES[dtype][0]


def add_pieces(row: AnyArray, parts: AnyArray) -> None:
    """Write the sum of each piece of a row, of which the last may be shorter."""
    piece = PIECES[row.dtype][0]
    whole, rest = divmod(row.size, piece)
    np.einsum("ij->i", row[: whole * piece].reshape(whole, piece), out=parts[:whole])
    if rest:
        parts[-1] = _reduce(row[whole * piece :])


def _slow_axis(data: AnyArray, axes: tuple[int, ...]) -> int | None:
    """The longest reduced axis along which NumPy adds one by one, if there are many additions."""
    rank = data.ndim
    if data.flags.c_contiguous and axes == tuple(range(rank - len(axes), rank)):
        return None
    strides = [abs(stride) for stride in data.strides]
    slow = {axis for axis in axes if data.shape[axis] > 1}
    expected = None
    for axis in sorted(range(rank), key=strides.__getitem__):
        if data.shape[axis] > 1:  # the axes that are one run of memory are fast
            if axis not in slow or strides[axis] != (expected or strides[axis]):
                break
            slow.remove(axis)
            expected = strides[axis] * data.shape[axis]
    if math.prod(data.shape[axis] for axis in slow) <= RUN:
        return None
    return max(slow, key=data.shape.__getitem__)


def _folded(data: AnyArray, axis: int, dtype: np.dtype[Any]) -> AnyArray:
    """Data of which runs of up to about ``RUN`` slices along an axis are added."""
    length = data.shape[axis]
    if length <= RUN:
        return _reduce(data, axis, dtype, None, True)
    group = min(max(1, WIDTH * length // data.size), length // RUN)
    runs = -(-length // (RUN * group)) * group
    whole = length // runs * runs
    every = (slice(None),) * axis
    front, back = data.shape[:axis], data.shape[axis + 1 :]
    blocks = data[(*every, slice(whole))].reshape(
        *front, runs // group, whole // runs, group, *back
    )
    sums = _reduce(blocks, axis + 1, dtype).reshape(*front, runs, *back)
    sums[(*every, slice(length - whole))] += data[(*every, slice(whole, None))]
    return sums
