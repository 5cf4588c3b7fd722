"""Devices: the default one, waiting for one, its memory; NVIDIA's GPUs; threads on the cpu."""

from __future__ import annotations

from numr_api._backends.cpu.threads import threads
from numr_api._backends.cuda import driver as cuda
from numr_api._devices import (
    MemoryStatistics,
    default_device,
    host_conversion,
    memory,
    synchronize,
)

__all__ = [
    "MemoryStatistics",
    "cuda",
    "default_device",
    "host_conversion",
    "memory",
    "synchronize",
    "threads",
]
