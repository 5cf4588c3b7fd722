"""Devices: the default one, what one is made of, waiting for it, its memory; threads on the cpu."""

from __future__ import annotations

from numr_api._backends.cpu.threads import threads
from numr_api._backends.cuda import driver as cuda
from numr_api._devices import (
    MemoryStatistics,
    default_device,
    host_conversion,
    memory,
    profile,
    synchronize,
)
from numr_api._profiles import DeviceArch, DeviceCaps, DeviceProfile

__all__ = [
    "DeviceArch",
    "DeviceCaps",
    "DeviceProfile",
    "MemoryStatistics",
    "cuda",
    "default_device",
    "host_conversion",
    "memory",
    "profile",
    "synchronize",
    "threads",
]
