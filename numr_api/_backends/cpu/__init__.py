"""The cpu: NumPy, SciPy and ml_dtypes."""

from __future__ import annotations

from numr_api import _dtypes
from numr_api._backends.array_library import DEFAULT_DTYPES
from numr_api._backends.cpu import jit, threads
from numr_api._backends.cpu.narrow import CpuBackend
from numr_api._devices import device_name


def count() -> int:
    return 1


def obstacle() -> str:
    return ""


def open_device(index: int) -> CpuBackend:
    threads.default_limit()  # finds fault with NUMR_API_THREADS
    jit.check_setting()
    return CpuBackend(device_name("cpu", index), frozenset(_dtypes.ALL), DEFAULT_DTYPES)
