"""cuda devices: NVIDIA's GPUs through CuPy, repaired where CuPy is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api._backends.cuda import driver, loading
from numr_api._devices import device_name

if TYPE_CHECKING:
    from numr_api._backends.cuda.backend import CudaBackend


def count() -> int:
    found = driver.count()
    return found if found and not loading.fault() else 0


def obstacle() -> str:
    return loading.obstacle()


def open_device(index: int) -> CudaBackend:
    from numr_api._backends.cuda.backend import CudaBackend

    return CudaBackend(device_name("cuda", index))
