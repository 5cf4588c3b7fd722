"""Exceptions of numr_api beyond Python's own.

Most refusals are TypeError, ValueError, IndexError, OverflowError or BufferError, with a message
that names the function, what was given and what is accepted.
"""

from __future__ import annotations

__all__ = ["DeviceLost", "DeviceOutOfMemory", "Unsupported"]


class Unsupported(NotImplementedError):
    """A device cannot do what was asked; the message names operation, data type and device."""


class DeviceOutOfMemory(MemoryError):
    """A device cannot hold an array; the arrays that it holds already stay usable."""


class DeviceLost(RuntimeError):
    """A device is gone, and with it its arrays: its driver stopped, or it was unplugged."""
