"""Devices: the default one, and waiting for one."""

from __future__ import annotations

from numr_api._devices import default_device, synchronize

__all__ = ["default_device", "synchronize"]
