"""Device memory: small arrays are pieces of slabs, large ones have buffers; freed ones are reused.

Creating a bind group costs several times as much as encoding a dispatch, so bind groups are reused
as well, and for that the buffers must be few: blocks of up to SMALL bytes are pieces of slabs, and
larger ones are buffers of a few sizes, of which the last one freed is the next one taken.

What runs on the device runs in the order in which it was recorded, so a block may be reused at once
although commands that read its former contents have not run yet.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from numr_api._errors import DeviceOutOfMemory

ALIGNMENT = 256  # bytes; the most that WebGPU asks of an offset
SMALL = 1 << 20
SLAB = 16 << 20

_numbers = count()


class Binding:
    """A part of a buffer that a kernel is given; compared by identity, in keys of bind groups.

    Attributes:
        offset: of its first byte in the buffer.
        size: in bytes.
    """

    __slots__ = ("buffer", "offset", "size")

    def __init__(self, buffer: Buffer, offset: int, size: int) -> None:
        self.buffer, self.offset, self.size = buffer, offset, size


class Buffer:
    """One of wgpu's buffers.

    Attributes:
        whole: all of it as a binding; None if it is larger than a binding may be.
    """

    __slots__ = ("_most", "_windows", "handle", "number", "size", "whole")

    def __init__(self, handle: Any, size: int, most: int) -> None:
        self.handle, self.size = handle, size
        self.number = next(_numbers)
        self.whole = Binding(self, 0, size) if size <= most else None
        self._most = most
        self._windows: dict[int, Binding] = {}

    def window(self, first: int, last: int) -> Binding | None:
        """A binding with the bytes from ``first`` to ``last``; None if they are too far apart.

        Windows begin at multiples of half their size, so that there are few of them.
        """
        if self.whole is not None:
            return self.whole
        step = self._most // 2 // ALIGNMENT * ALIGNMENT
        start = first // step * step
        size = min(self._most // 4 * 4, self.size - start)
        if last >= start + size:
            return None
        if start not in self._windows:
            self._windows[start] = Binding(self, start, size)
        return self._windows[start]


class Block:
    """The memory of an array and of all its views; free again when none of them is left.

    Attributes:
        buffer: where it is.
        offset: of its first byte there, a multiple of ALIGNMENT.
        size: in bytes, a multiple of ALIGNMENT.
        version: counts the writes, so that copies on the host can tell whether they are current.
    """

    __slots__ = ("_released", "buffer", "offset", "size", "version")

    def __init__(self, buffer: Buffer, offset: int, size: int, released: Released) -> None:
        self.buffer, self.offset, self.size = buffer, offset, size
        self.version = 0
        self._released = released

    def __del__(self) -> None:
        # Garbage is collected at any moment, also in the middle of an allocation.
        self._released.append((self.buffer, self.offset, self.size))


Released = deque[tuple[Buffer, int, int]]


@dataclass
class Statistics:
    """Bytes and counts of a device's memory.

    Attributes:
        used: bytes of blocks that arrays hold.
        peak: the most that ``used`` has been.
        reserved: bytes of all buffers, in use or kept for reuse.
        buffers: how many there are.
    """

    used: int = 0
    peak: int = 0
    reserved: int = 0
    buffers: int = 0


class Memory:
    """Allocates blocks.

    Arguments:
        create: makes one of wgpu's buffers of a number of bytes; may raise DeviceOutOfMemory.
        destroy: frees one, once nothing that was recorded needs it.
        finish: waits until all that was recorded has run.
        largest: how many bytes a buffer can have.
        most: how many a binding can have.
        cap: how many bytes of free large buffers are kept.
    """

    def __init__(
        self,
        create: Callable[[int], Any],
        destroy: Callable[[Buffer], None],
        finish: Callable[[], None],
        largest: int,
        most: int,
        cap: int,
    ) -> None:
        self.statistics = Statistics()
        self._create, self._destroy, self._finish = create, destroy, finish
        self._largest, self._most, self._cap = largest, most, cap
        self._released: Released = deque()
        self._pieces: dict[int, list[tuple[Buffer, int]]] = {}  # free, by size
        self._slab: Buffer | None = None
        self._filled = 0
        # Free large buffers by number, the last freed at the end.
        self._free: OrderedDict[int, Buffer] = OrderedDict()
        self._free_bytes = 0

    def allocate(self, size: int) -> Block:
        """A block of at least so many bytes, of any content.

        Raises:
            DeviceOutOfMemory: the device cannot hold it.
        """
        self._collect()
        size = rounded(size)
        if size > self._largest:
            raise DeviceOutOfMemory(
                f"an array of {size:,} bytes is larger than the device's largest buffer, "
                f"{self._largest:,} bytes"
            )
        buffer, offset = self._piece(size) if size <= SMALL else (self._large(size), 0)
        statistics = self.statistics
        statistics.used += size
        statistics.peak = max(statistics.peak, statistics.used)
        return Block(buffer, offset, size, self._released)

    def _collect(self) -> None:
        released = self._released
        while released:
            buffer, offset, size = released.popleft()
            self.statistics.used -= size
            if size <= SMALL:
                self._pieces.setdefault(size, []).append((buffer, offset))
            else:
                self._free[buffer.number] = buffer
                self._free_bytes += size
        while self._free_bytes > self._cap:
            self._drop(next(iter(self._free)))

    def _piece(self, size: int) -> tuple[Buffer, int]:
        free = self._pieces.get(size)
        if free:
            return free.pop()
        if self._slab is None or self._filled + size > SLAB:
            # The rest of the old slab is lost until it is asked for in pieces as small as it.
            self._slab, self._filled = self._new(SLAB), 0
        offset = self._filled
        self._filled += size
        return self._slab, offset

    def _large(self, size: int) -> Buffer:
        for number, buffer in reversed(self._free.items()):
            if buffer.size == size:
                del self._free[number]
                self._free_bytes -= size
                return buffer
        return self._new(size)

    def _new(self, size: int) -> Buffer:
        try:
            handle = self._create(size)
        except DeviceOutOfMemory:
            self.trim()
            self._finish()
            handle = self._create(size)
        self.statistics.reserved += size
        self.statistics.buffers += 1
        return Buffer(handle, size, self._most)

    def _drop(self, number: int) -> None:
        buffer = self._free.pop(number)
        self._free_bytes -= buffer.size
        self.statistics.reserved -= buffer.size
        self.statistics.buffers -= 1
        self._destroy(buffer)

    def current(self) -> Statistics:
        """The statistics when all that is free has been counted as such."""
        self._collect()
        return replace(self.statistics)

    def trim(self) -> None:
        """Give the free large buffers back to the driver."""
        self._collect()
        for number in list(self._free):
            self._drop(number)


def rounded(size: int) -> int:
    """The bytes of the block for so many: of each power of two there are eight sizes at most.

    >>> rounded(1), rounded(300), rounded(1 << 20), rounded((1 << 20) + 1)
    (256, 512, 1048576, 1179648)
    """
    if size <= ALIGNMENT:
        return ALIGNMENT
    if size <= SMALL:
        return 1 << (size - 1).bit_length()
    step = 1 << ((size - 1).bit_length() - 4)
    return -(-size // step) * step
