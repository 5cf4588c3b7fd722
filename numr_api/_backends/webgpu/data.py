"""Arrays on the device: a block of memory with shape, strides and offset, and views of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

from numr_api._dtypes import REAL_PART

if TYPE_CHECKING:
    from numr_api._backends import Shape
    from numr_api._backends.webgpu.memory import Block
    from numr_api._dtypes import DType


_new: Callable[[Any], Any] = object.__new__


class Strided:
    """Elements of a block.

    Attributes:
        dtype: of the elements.
        shape, strides: the latter in elements; negative and zero ones occur.
        offset: of the first element from the begin of the block's buffer, in elements.
        size: how many elements.
        mirror: a NumPy array with the same elements, and the block's version that it is right for.
    """

    __slots__ = ("_contiguous", "block", "dtype", "mirror", "offset", "shape", "size", "strides")

    def __init__(
        self, block: Block, dtype: DType, shape: Shape, strides: Shape, offset: int
    ) -> None:
        self.block, self.dtype, self.shape, self.strides = block, dtype, shape, strides
        self.offset = offset
        self.size = prod(shape)
        self.mirror: tuple[int, Any] | None = None
        self._contiguous: bool | None = None

    @staticmethod
    def new(block: Block, dtype: DType, shape: Shape) -> Strided:
        """The contiguous array at the begin of a block."""
        data = Strided(block, dtype, shape, row_major(shape), block.offset // dtype.itemsize)
        data._contiguous = True
        return data

    @staticmethod
    def like(block: Block, dtype: DType, other: Strided) -> Strided:
        """The contiguous array at the begin of a block, of the shape of a contiguous one."""
        data = _new(Strided)
        data.block, data.dtype = block, dtype
        data.shape, data.strides, data.size = other.shape, other.strides, other.size
        data.offset = block.offset // dtype.itemsize
        data.mirror, data._contiguous = None, True
        return data

    @property
    def is_plain(self) -> bool:
        """Whether it is contiguous, aligned for vectors, and in a buffer that a binding holds."""
        return (
            self._contiguous is True and not self.offset & 3 and self.block.buffer.whole is not None
        )

    def view(self, shape: Shape, strides: Shape, offset: int) -> Strided:
        """Other elements of the same block."""
        return Strided(self.block, self.dtype, shape, strides, offset)

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements are next to each other in row-major order."""
        if self._contiguous is None:
            pairs = zip(self.shape, self.strides, row_major(self.shape), strict=True)
            self._contiguous = not self.size or all(n == 1 or s == e for n, s, e in pairs)
        return self._contiguous

    @property
    def overlaps_itself(self) -> bool:
        """Whether elements share memory, as those of a broadcast do."""
        return any(n > 1 and s == 0 for n, s in zip(self.shape, self.strides, strict=True))

    def span(self) -> tuple[int, int]:
        """The lowest and the highest place of an element, counted as ``offset`` is."""
        low = high = self.offset
        for length, stride in zip(self.shape, self.strides, strict=True):
            if stride < 0:
                low += (length - 1) * stride
            else:
                high += (length - 1) * stride
        return low, high


def row_major(shape: Shape) -> Shape:
    """The strides of contiguous elements."""
    strides: list[int] = []
    step = 1
    for length in reversed(shape):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))


def may_overlap(first: Strided, second: Strided) -> bool:
    """Whether two arrays could share an element, of a view of other elements too."""
    if first.block is not second.block or not first.size or not second.size:
        return False
    size1, size2 = first.dtype.itemsize, second.dtype.itemsize
    (low1, high1), (low2, high2) = first.span(), second.span()
    return low1 * size1 < (high2 + 1) * size2 and low2 * size2 < (high1 + 1) * size1


def index(data: Strided, key: tuple[int | slice | None, ...]) -> Strided:
    """The view that a basic key selects, one entry for each axis and None for a new one.

    Raises IndexError if an integer is out of bounds.
    """
    shape: list[int] = []
    strides: list[int] = []
    offset, axis = data.offset, 0
    for part in key:
        if part is None:
            shape.append(1)
            strides.append(0)
            continue
        length, stride = data.shape[axis], data.strides[axis]
        axis += 1
        if isinstance(part, slice):
            start, stop, step = part.indices(length)
            count = len(range(start, stop, step))
            if count:
                offset += start * stride
            shape.append(count)
            strides.append(stride * step)
        else:
            if not -length <= part < length:
                raise IndexError(f"index {part} is out of bounds for axis of length {length}")
            offset += (part + length if part < 0 else part) * stride
    shape.extend(data.shape[axis:])
    strides.extend(data.strides[axis:])
    return data.view(tuple(shape), tuple(strides), offset)


def permute(data: Strided, axes: tuple[int, ...]) -> Strided:
    """The view with axes in another order."""
    shape = tuple(data.shape[axis] for axis in axes)
    return data.view(shape, tuple(data.strides[axis] for axis in axes), data.offset)


def transposed(data: Strided) -> Strided:
    """The view with the last two axes exchanged."""
    rank = len(data.shape)
    return permute(data, (*range(rank - 2), rank - 1, rank - 2))


def broadcast(data: Strided, shape: Shape) -> Strided:
    """The view that repeats data; raises ValueError if the shape does not fit."""
    new = len(shape) - len(data.shape)
    strides = [0] * new
    for length, stride, wanted in zip(data.shape, data.strides, shape[new:], strict=True):
        if length not in (1, wanted):
            raise ValueError(f"cannot broadcast {data.shape} to {shape}")
        strides.append(stride if length == wanted else 0)
    return data.view(shape, tuple(strides), data.offset)


def reshape(data: Strided, shape: Shape) -> Strided | None:
    """The view of another shape; None if that takes a copy."""
    if data.size == 0:
        return data.view(shape, row_major(shape), data.offset)
    # Old axes that are laid out as one are merged, and the new ones taken from them in turn.
    merged, strides = merge(data.shape, (data.strides,))
    left = [[length, stride] for length, stride in zip(merged, strides[0], strict=True)]
    found: list[int] = []
    for length in reversed(shape):
        while left and left[-1][0] == 1 and length != 1:
            left.pop()
        if length == 1:
            found.append(0)
            continue
        if not left or left[-1][0] % length:
            return None
        found.append(left[-1][1])
        left[-1][0] //= length
        left[-1][1] *= length
    return data.view(shape, tuple(reversed(found)), data.offset)


def same(data: Strided) -> Strided:
    """Another view of all elements."""
    return data.view(data.shape, data.strides, data.offset)


def real(data: Strided) -> Strided:
    """The view of the real parts of complex numbers."""
    return _part(data, 0)


def imag(data: Strided) -> Strided:
    """The view of the imaginary parts."""
    return _part(data, 1)


def _part(data: Strided, which: int) -> Strided:
    strides = tuple(2 * stride for stride in data.strides)
    return Strided(data.block, REAL_PART[data.dtype], data.shape, strides, 2 * data.offset + which)


def merge(shape: Shape, strides: tuple[Shape, ...]) -> tuple[Shape, tuple[Shape, ...]]:
    """The fewest axes that visit the same elements in the same order.

    Axes of length 1 go, and neighbours that all operands step through as one become one.
    """
    lengths: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis, length in enumerate(shape):
        if length == 1:
            continue
        here = [operand[axis] for operand in strides]
        if lengths and all(
            step[-1] == stride * length for step, stride in zip(steps, here, strict=True)
        ):
            lengths[-1] *= length
            for step, stride in zip(steps, here, strict=True):
                step[-1] = stride
        else:
            lengths.append(length)
            for step, stride in zip(steps, here, strict=True):
                step.append(stride)
    return tuple(lengths), tuple(map(tuple, steps))


@lru_cache(1024)
def common_shape(*shapes: Shape) -> Shape:
    """The shape that all broadcast to; raises ValueError if there is none."""
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    found: list[int] = []
    for lengths in zip(*padded, strict=True):
        wanted = {length for length in lengths if length != 1}
        if len(wanted) > 1:
            raise ValueError(f"shapes {', '.join(map(str, shapes))} do not broadcast")
        found.append(wanted.pop() if wanted else 1)
    return tuple(found)
