"""Devices: the default one, waiting for one, and its memory."""

from __future__ import annotations

from numr_api._devices import (
    MemoryStatistics,
    default_device,
    host_conversion,
    memory,
    synchronize,
)

__all__ = ["MemoryStatistics", "default_device", "host_conversion", "memory", "synchronize"]
