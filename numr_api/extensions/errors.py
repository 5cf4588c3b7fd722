"""Exceptions beyond Python's own."""

from __future__ import annotations

from numr_api._errors import DeviceLost, DeviceOutOfMemory, Unsupported

__all__ = ["DeviceLost", "DeviceOutOfMemory", "Unsupported"]
