"""What NVIDIA's driver tells about its GPUs before anything computes: no context is created.

A context would take some hundred megabytes of a GPU's memory and part of a second. The driver
honours ``CUDA_VISIBLE_DEVICES``.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
NAME_LENGTH = 256  # bytes, more than any GPU's name has
MAJOR, MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR

__all__ = ["architecture", "count", "has_library", "product_name", "total_memory"]


@cache
def library() -> Any:
    """The driver's library, initialised; None if there is none or it finds no GPU."""
    try:
        found: Any = ctypes.CDLL(LIBRARY)
        return None if found.cuInit(0) else found
    except (OSError, AttributeError):  # not installed, or something else by that name
        return None


def has_library() -> bool:
    """Whether the driver is installed."""
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        return False
    return True


@cache
def count() -> int:
    """How many NVIDIA GPUs there are; 0 without a driver. Never raises."""
    driver, number = library(), ctypes.c_int(0)
    if driver is None or driver.cuDeviceGetCount(ctypes.byref(number)):
        return 0
    return number.value


def product_name(index: int, /) -> str:
    """The name of a GPU, such as "NVIDIA H200".

    Arguments:
        index: of the GPU, from 0.

    Raises:
        ValueError: there is no such GPU.
    """
    handle = _handle("product_name", index)
    text = ctypes.create_string_buffer(NAME_LENGTH)
    _require("product_name", library().cuDeviceGetName(text, NAME_LENGTH, handle))
    return text.value.decode(errors="replace")


def total_memory(index: int, /) -> int:
    """The memory of a GPU in bytes, used or not.

    Arguments:
        index: of the GPU, from 0.

    Raises:
        ValueError: there is no such GPU.
    """
    handle, size = _handle("total_memory", index), ctypes.c_size_t(0)
    _require("total_memory", library().cuDeviceTotalMem_v2(ctypes.byref(size), handle))
    return size.value


def architecture(index: int, /) -> int:
    """What compilers call a GPU's architecture: 90 for compute capability 9.0.

    Arguments:
        index: of the GPU, from 0.

    Raises:
        ValueError: there is no such GPU.
    """
    handle = _handle("architecture", index)
    major, minor = ctypes.c_int(0), ctypes.c_int(0)
    for part, attribute in ((major, MAJOR), (minor, MINOR)):
        status = library().cuDeviceGetAttribute(ctypes.byref(part), attribute, handle)
        _require("architecture", status)
    return 10 * major.value + minor.value


def _handle(name: str, index: int) -> ctypes.c_int:
    """The driver's handle of a GPU."""
    if not isinstance(index, int) or isinstance(index, bool):
        raise TypeError(f"{name}: index must be an int, got {index!r}")
    if not 0 <= index < count():
        raise ValueError(f"{name}: no GPU {index}; there are {count()}")
    handle = ctypes.c_int(0)
    _require(name, library().cuDeviceGet(ctypes.byref(handle), index))
    return handle


def _require(name: str, status: int) -> None:
    if status:
        raise RuntimeError(f"{name}: the CUDA driver reports error {status}")
