"""Indices out of bounds, which kernels find: a word on the device, looked at when somebody reads.

A kernel that meets one goes on with index 0 and leaves its number in the word. Whether one did
costs no waiting of its own: the word is read after the next array that is read, before anybody has
seen it. So wrong elements are never seen, and taking elements does not wait for the device. Only an
array that is handed to another library on the GPU waits, if indices were used since the last look.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from numr_api._backends.cuda.kernels import cupy

Data = Any
Launch = Callable[[int, Sequence[int]], None]

FIRST = 2**32 - 1  # kernels number down from here, so that the largest number is the first fault
MOST = 4096  # that are told apart between two reads


class Access(NamedTuple):
    """Indices along an axis that a kernel looks at, for an operation."""

    operation: str
    axis: int
    length: int


def check_length(access: Access, indices: Data) -> None:
    """IndexError if there are indices and nothing to index."""
    if access.length == 0 and indices.size:
        raise IndexError(out_of_bounds(access))


def out_of_bounds(access: Access) -> str:
    """The words for it."""
    return f"an index is out of bounds for axis {access.axis} of length {access.length}"


class Faults:
    """The faults of one device. Methods are called while it is current."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._accesses: list[Access] = []
        self._streams: set[int] = set()  # where kernels may still find a fault
        self._word: Data = None

    def watch(self, launch: Launch, accesses: Sequence[Access]) -> None:
        """Launch a kernel that looks at indices, with the word and a number for each access."""
        stream = cupy.cuda.get_current_stream()
        with self._lock:
            if self._word is None:
                self._word = cupy.zeros(1, "uint32")
                stream.synchronize()  # once, as other streams may come
            numbers: list[int] = []
            for access in accesses:
                if len(self._accesses) < MOST:
                    self._accesses.append(access)
                numbers.append(FIRST - (len(self._accesses) - 1))
            self._streams.add(stream.ptr)
            launch(self._word.data.ptr, numbers)

    def look(self) -> None:
        """Raise IndexError if an index was out of bounds since the last look; waits to find out."""
        if not self._accesses:
            return
        stream = cupy.cuda.get_current_stream()
        with self._lock:
            if self._streams - {stream.ptr}:
                cupy.cuda.runtime.deviceSynchronize()
            found = int(self._word.get()[0])
            accesses, self._accesses = self._accesses, []
            self._streams.clear()
            if not found:
                return
            self._word.fill(0)
            stream.synchronize()
        serial = FIRST - found
        if serial == MOST - 1:  # or one of those after it
            raise IndexError("an index of an operation since the last read is out of bounds")
        raise IndexError(f"{accesses[serial].operation}: {out_of_bounds(accesses[serial])}")
