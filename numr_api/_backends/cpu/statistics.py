"""Mean, variance and extremes: in blocks that stay in the cache, or by several threads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from numr_api._backends.cpu import sums, threads

AnyArray = Any
_add: Any = np.add.reduce

BLOCK = 2**18  # bytes: with what is computed from it, a block fits the cache
LARGE = 2**21  # bytes of an array for which blocks are worth while
EXTREME = 0.04  # nanoseconds for a byte
VARIANCE = 0.5  # nanoseconds for an element
PARTS = 16  # of the rows that are compared with each other

__all__ = ["extreme", "mean", "std", "var"]


def mean(data: AnyArray, axes: tuple[int, ...], keepdims: bool) -> AnyArray:
    """The mean of a floating-point array that has elements."""
    count = math.prod([data.shape[axis] for axis in axes])
    return sums.add(data, axes, data.dtype, keepdims) / float(count)


def var(data: AnyArray, axes: tuple[int, ...], keepdims: bool, freedom: float) -> AnyArray:
    """The sum of squared deviations from the mean of a real array, divided by ``freedom``."""
    if data.nbytes > LARGE and (rows := sums.as_rows(data, axes)) is not None:
        return sums.shaped(_squares_of_rows(rows), data, axes, keepdims) / freedom
    deviation = np.asarray(data - mean(data, axes, True))
    np.multiply(deviation, deviation, out=deviation)
    return sums.add(deviation, axes, data.dtype, keepdims) / freedom


def std(data: AnyArray, axes: tuple[int, ...], keepdims: bool, freedom: float) -> AnyArray:
    """The square root of ``var``."""
    return np.sqrt(var(data, axes, keepdims, freedom))


def _squares_of_rows(rows: AnyArray) -> AnyArray:
    """The sum of squared deviations from the mean of each row."""
    count, length = rows.shape
    block = BLOCK // rows.itemsize
    result = np.empty(count, rows.dtype)
    if length > block:
        for number, average in enumerate(mean(rows, (1,), False)):
            result[number] = _squares_of_row(rows[number], average, block)
        return result
    together = block // length

    def square(start: int, stop: int) -> None:
        deviation = np.empty((together, length), rows.dtype)
        for first in range(start, stop, together):
            part = rows[first : min(first + together, stop)]
            deviation = deviation[: len(part)]
            means = _add(part, 1, None, None, True) / float(length)
            np.subtract(part, means, out=deviation)
            np.multiply(deviation, deviation, out=deviation)
            _add(deviation, 1, None, result[first : first + len(part)])

    threads.share(square, count, VARIANCE * rows.size, together)
    return result


def _squares_of_row(row: AnyArray, average: AnyArray, block: int) -> AnyArray:
    piece = sums.piece_of(row.dtype)
    each = block // piece
    parts = np.empty(-(-row.size // piece), row.dtype)

    def square(start: int, stop: int) -> None:
        deviation = np.empty(block, row.dtype)
        for number in range(start, stop):
            part = row[number * block : (number + 1) * block]
            deviation = deviation[: part.size]
            np.subtract(part, average, out=deviation)
            np.multiply(deviation, deviation, out=deviation)
            sums.add_pieces(deviation, parts[number * each : (number + 1) * each])

    threads.share(square, -(-row.size // block), VARIANCE * row.size)
    return _add(parts)


def extreme(reduce: Any, data: AnyArray, axes: tuple[int, ...], keepdims: bool) -> AnyArray:
    """``np.maximum.reduce`` or ``np.minimum.reduce``, of which threads do a part each."""
    cost = EXTREME * data.nbytes
    if not threads.helpers_for(cost) or not data.flags.c_contiguous or not axes:
        return reduce(data, axes, None, None, keepdims)
    rank, number = data.ndim, len(axes)
    kept = tuple([axis for axis in range(rank) if axis not in axes])
    length = math.prod([data.shape[axis] for axis in axes])
    others = data.size // length
    if others >= 16 and kept == tuple(range(rank - number)):
        rows = data.reshape(others, length)
        result = np.empty(others, data.dtype)
        threads.share(
            lambda start, stop: reduce(rows[start:stop], 1, None, result[start:stop]), others, cost
        )
    elif length >= PARTS**2 and kept == tuple(range(number, rank)):
        rows = data.reshape(length, others)
        parts = np.empty((PARTS, others), data.dtype)

        def reduce_parts(start: int, stop: int) -> None:
            for part in range(start, stop):
                first, last = (length * n // PARTS for n in (part, part + 1))
                reduce(rows[first:last], 0, None, parts[part])

        threads.share(reduce_parts, PARTS, cost)
        result = reduce(parts, 0)
    else:
        return reduce(data, axes, None, None, keepdims)
    shape = [1 if axis in axes else data.shape[axis] for axis in range(rank)]
    return result.reshape(shape if keepdims else [data.shape[axis] for axis in kept])
