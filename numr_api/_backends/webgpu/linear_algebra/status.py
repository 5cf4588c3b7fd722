"""Whether a routine could do its work: a word on the device, which it reads before it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api import _dtypes

if TYPE_CHECKING:
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.memory import Binding


class Status:
    """A word that kernels raise from 0 when they meet what they cannot compute.

    A kernel binds ``status: array<atomic<u32>>`` and calls ``atomicMax(&status[place], 1u)``.

    Attributes:
        binding: of the word.
        place: of the word in it.
    """

    def __init__(self, backend: WebgpuBackend) -> None:
        self._backend = backend
        self._word = backend.full((1,), 0, _dtypes.uint32)
        self._word.block.version += 1
        whole = self._word.block.buffer.whole
        assert whole is not None
        self.binding: Binding = whole
        self.place = self._word.offset

    def value(self) -> int:
        """The word, when all that was recorded has run."""
        self._word.mirror = None
        return int(self._backend.to_host(self._word)[0])

    def check(self, reason: str) -> None:
        """ValueError with this reason if a kernel raised the word."""
        if self.value():
            raise ValueError(reason)
