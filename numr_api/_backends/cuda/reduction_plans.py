"""How an array is reduced: which kernel, by how many blocks. It depends on shapes and strides only.

Axes that are stepped through as one are merged first. Then there are

    rows     that are contiguous, or whose elements are nearer to each other than rows are: a
             thread, some threads of a warp, a block or several blocks for each
    columns  that lie next to each other: a block has several of them, and reads along them
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api._backends.cuda.elementwise_plans import ALIGNMENT, FEW, MOST_GROUPS
from numr_api._backends.cuda.library import COUNTERS
from numr_api._backends.cuda.reduction_kernels import (
    APART,
    IN_COLUMNS,
    IN_LONG_ROWS,
    IN_ROWS,
    THREADS,
    Columns,
    Rows,
)

if TYPE_CHECKING:
    from numr_api._backends import Axes

WARP = 32
LONG_ROW = 256  # vectors of a row from which on it has a block
MOST_BLOCKS = 1024  # that share rows or columns, unless there are more of these


class Axis(NamedTuple):
    """Elements from one index to the next, in the array and in the result."""

    length: int
    step: int
    out_step: int


class Loop(NamedTuple):
    """What is reduced, with the fewest axes.

    Attributes:
        offset: of the first element, in elements.
        kept: the axes of the result, from the widest step to the smallest.
        reduced: the axes of a row, in their order.
    """

    offset: int
    kept: list[Axis]
    reduced: list[Axis]


def merged(axes: Sequence[Axis]) -> list[Axis]:
    """The fewest axes that visit the same elements in the same order."""
    found: list[Axis] = []
    for axis in axes:
        length, step, out_step = axis
        if length == 1:
            continue
        if found and found[-1][1:] == (step * length, out_step * length):
            found[-1] = Axis(found[-1].length * length, step, out_step)
        else:
            found.append(axis)
    return found


def loop_of(data: Any, axes: Axes, ordered: bool) -> Loop:
    """What is reduced; where positions matter, the order of elements stays."""
    size = data.dtype.itemsize
    kept: list[Axis] = []
    reduced: list[Axis] = []
    offset, out_step = 0, 1
    for axis in reversed(range(len(data.shape))):
        length, step = data.shape[axis], data.strides[axis] // size
        if axis not in axes:
            kept.append(Axis(length, step, out_step))
            out_step *= length
        elif ordered or step >= 0:
            reduced.append(Axis(length, step, 0))
        else:
            offset += (length - 1) * step
            reduced.append(Axis(length, -step, 0))
    kept.reverse()
    reduced.reverse()
    kept.sort(key=lambda axis: -abs(axis.step))
    if not ordered:
        reduced.sort(key=lambda axis: -axis.step)
    return Loop(offset, merged(kept), merged(reduced))


class Work(NamedTuple):
    """A kernel's variant and the numbers that it is given.

    Attributes:
        states: how many partial results its blocks write.
    """

    variant: Rows | Columns
    groups: int
    threads: int
    states: int
    numbers: tuple[int, ...]


def work_of(loop: Loop, itemsize: int, address: int) -> Work:
    """How an array that has results is reduced; its first element has this address."""
    each = ALIGNMENT // itemsize
    columns = _columns(loop, each, itemsize, address)
    return columns or _rows(loop, each, itemsize, address)


def _chunk(each: int, itemsize: int, address: int, steps: Sequence[int]) -> int:
    """Of so many elements next to each other, how many are aligned together everywhere.

    0 if not even one is: complex128 of another library may be aligned to 8 bytes only.
    """
    if address % itemsize:
        return 0
    while each > 1 and (address % (each * itemsize) or any(step % each for step in steps)):
        each //= 2
    return each


def _power_below(number: int) -> int:
    """The largest power of two that is not larger."""
    return 1 << max(number, 1).bit_length() - 1


def _power_above(number: int) -> int:
    """The smallest power of two that is not smaller."""
    return 1 << (max(number, 1) - 1).bit_length()


def _lengths(axes: Sequence[Axis]) -> int:
    return math.prod([axis.length for axis in axes])


def _kept(axes: Sequence[Axis]) -> tuple[int, tuple[int, ...]]:
    """How many axes a kernel is given, and their layout."""
    axes = axes or [Axis(1, 0, 0)]
    return len(axes), tuple([x for column in zip(*axes, strict=True) for x in column])


def _reduced(axes: Sequence[Axis], each: int = 1) -> tuple[int, tuple[int, ...]]:
    """The same of the axes of a row, in vectors of so many elements."""
    axes = axes or [Axis(1, 0, 0)]
    last = axes[-1]
    axes = [*axes[:-1], Axis(last.length // each, last.step * each, 0)]
    return len(axes), (*[axis.length for axis in axes], *[axis.step for axis in axes])


def _pieces(steps: int, others: int) -> int:
    """How many blocks take turns in so many steps where there are others."""
    return min(steps, max(1, MOST_BLOCKS // others))


def _rows(loop: Loop, each: int, itemsize: int, address: int) -> Work:
    rows, length = _lengths(loop.kept), _lengths(loop.reduced)
    steps = [axis.step for axis in loop.kept]
    single = len(loop.reduced) <= 1
    straight = single and (length <= 1 or loop.reduced[0].step == 1)
    if straight:
        chunk = _chunk(each, itemsize, address, steps)
    else:
        last = loop.reduced[-1]
        others = [axis.step for axis in loop.reduced[:-1]]
        fits = last.step == 1 and last.length % each == 0
        chunk = _chunk(each, itemsize, address, [*steps, *others])
        if not fits or chunk < each:
            each, chunk = 1, min(chunk, 1)
    vectors = -(-length // each)
    pieces, ahead = 1, IN_ROWS
    nearest = min([abs(axis.step) for axis in loop.reduced], default=1)
    if loop.kept and 0 < abs(loop.kept[-1].step) < nearest:
        threads = 1  # neighbours read what lies side by side
    elif vectors > LONG_ROW:
        threads = THREADS
        several = rows * vectors > MOST_BLOCKS * THREADS * IN_ROWS  # turns of a block
        if several and vectors >= THREADS * IN_LONG_ROWS:
            ahead = IN_LONG_ROWS
        if rows < COUNTERS:
            pieces = _pieces(-(-vectors // (THREADS * ahead)), rows)
    else:
        rest = length % each if straight else 0
        threads = min(_power_above(max(-(-vectors // 2), rest // 4)), WARP)
    kept, layout = _kept(loop.kept)
    reduced, along = (0, ()) if straight else _reduced(loop.reduced, each)
    variant = Rows(threads, ahead, each, chunk, kept, reduced, rows * max(length, 1) >= FEW)
    groups = min(-(-rows * pieces * threads // THREADS), MOST_GROUPS)
    states = rows * pieces if pieces > 1 else 0
    return Work(variant, groups, THREADS, states, (rows, length, pieces, *layout, *along))


def _columns(loop: Loop, each: int, itemsize: int, address: int) -> Work | None:
    """None where rows serve better."""
    length = _lengths(loop.reduced)
    if not loop.kept or length <= 1:
        return None
    *outer, last = loop.kept
    if not 0 < abs(last.step) < min([abs(axis.step) for axis in loop.reduced]):
        return None
    others = [axis.step for axis in (*outer, *loop.reduced)]
    each = each if last.step == 1 else 1
    chunk = _chunk(each, itemsize, address, others)
    while each > APART and (chunk < each or last.length % each):
        each //= 2
    chunk = min(chunk, each)
    vectors = -(-last.length // each)
    across = min(_power_above(vectors), WARP)
    down = min(_power_below(length // IN_COLUMNS), THREADS // across)
    if down == 1 and across == WARP:
        across = min(_power_above(vectors), THREADS)
    if across * down < WARP:
        return None
    planes = _lengths(outer)
    groups = planes * -(-vectors // across)
    pieces = _pieces(-(-length // (down * IN_COLUMNS)), groups) if groups < COUNTERS else 1
    states = pieces * planes * last.length if pieces > 1 else 0
    kept, layout = _kept(outer)
    reduced, along = _reduced(loop.reduced)
    wide = planes * last.length * length >= FEW
    variant = Columns(across, down, each, chunk, kept, reduced, wide)
    numbers = (planes, last.length, length, pieces, last.step, last.out_step)
    return Work(
        variant, min(groups * pieces, MOST_GROUPS), across * down, states,
        (*numbers, *layout, *along),
    )  # fmt: skip
