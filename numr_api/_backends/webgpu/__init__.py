"""webgpu devices: any vendor's GPU through wgpu-py, with WGSL kernels of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api._backends.webgpu import adapters
from numr_api._devices import device_name

if TYPE_CHECKING:
    from numr_api._backends.webgpu.device import WebgpuBackend


def count() -> int:
    return len(adapters.adapters())


def obstacle() -> str:
    return adapters.obstacle()


def open_device(index: int) -> WebgpuBackend:
    from numr_api._backends.webgpu.device import WebgpuBackend

    return WebgpuBackend(device_name("webgpu", index), adapters.adapters()[index])
