"""Index errors that kernels find: a word on the device, looked at when somebody reads an array.

A kernel that meets an index out of bounds goes on with one in bounds and leaves its number. Whether
one did costs no round trip of its own: the word comes with the next array that is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numr_api._backends.webgpu.gpu import Gpu
    from numr_api._backends.webgpu.memory import Binding, Block

SIZE = 4  # bytes that say it
MOST_AXES = 64
MOST_KERNELS = 4096  # that are told apart between two reads
FIRST = 0xFFFF_FFFF  # kernels number down from here, so that the largest number is the first fault

# A kernel binds `faults: array<atomic<u32>>` and defines FAULT_PLACE, the word there.
IN_BOUNDS = """
fn in_bounds(at: u32, length: u32, number: u32) -> u32 {{
    if at >= length {{
        atomicMax(&faults[{place}], number);
    }}
    return min(at, length - 1u);
}}
"""


class Access(NamedTuple):
    """What may have an index out of bounds.

    Attributes:
        operation: its name.
        axes: the axis and its length for each index array.
    """

    operation: str
    axes: Sequence[tuple[int, int]]


class Faults:
    """The faults of one device. Methods are called with its lock held.

    Attributes:
        pending: whether a kernel that can fault was recorded since somebody looked.
    """

    def __init__(self, gpu: Gpu) -> None:
        self.pending = False
        self._gpu = gpu
        self._block: Block | None = None
        self._accesses: list[Access] = []

    @property
    def block(self) -> Block:
        """Whose first word is 0 until a kernel faults."""
        if self._block is None:
            self._block = self._gpu.memory.allocate(SIZE)
            self._reset()
        return self._block

    def _reset(self) -> None:
        self._accesses.clear()
        assert self._block is not None
        self._gpu.write(self._block, np.zeros(1, np.uint32))

    def expect(self, access: Access | None) -> tuple[Binding, int, int]:
        """The binding, the word there and the number for a kernel.

        With None the kernel is known to have no fault.
        """
        block = self.block
        number = 0
        if access is not None:
            self.pending = True
            if len(self._accesses) < MOST_KERNELS:
                self._accesses.append(access)
            number = FIRST - (len(self._accesses) - 1) * MOST_AXES
        assert block.buffer.whole is not None
        return block.buffer.whole, block.offset // 4, number

    def look(self, read: np.ndarray[Any, Any]) -> None:
        """Raise IndexError if the block's bytes, as they were read, tell of a fault; forget it."""
        word = int(read.view(np.uint32)[0])
        self.pending = False
        if word == 0:
            self._accesses.clear()
            return
        serial, place = divmod(FIRST - word, MOST_AXES)
        operation, axes = self._accesses[serial]
        self._reset()
        if serial == MOST_KERNELS - 1:  # or one of those after it
            raise IndexError("an index of an operation since the last read is out of bounds")
        axis, length = axes[place]
        raise IndexError(f"{operation}: {out_of_bounds(axis, length)}")


def out_of_bounds(axis: int, length: int) -> str:
    """The words for it."""
    return f"an index is out of bounds for axis {axis} of length {length}"
