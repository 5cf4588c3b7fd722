"""What NVIDIA's driver tells about its GPUs before anything computes: no context is created.

A context would take some hundred megabytes of a GPU's memory and part of a second. The driver
honours ``CUDA_VISIBLE_DEVICES``.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

from numr_api._profiles import DeviceProfile, of_compute_capability

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
NAME_LENGTH = 256  # bytes, more than any GPU's name has
# CUdevice_attribute: what the driver calls properties of a GPU.
MAJOR, MINOR = 75, 76
ATTRIBUTES = {
    "max_threads_per_block": 1,
    "lane_width": 10,  # WARP_SIZE
    "compute_units": 16,  # MULTIPROCESSOR_COUNT
    "shared_memory_per_unit": 81,  # MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
    "shared_memory_per_block": 97,  # MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
}

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
    major, minor = (_attribute("architecture", handle, number) for number in (MAJOR, MINOR))
    return 10 * major + minor


@cache
def profile(index: int) -> DeviceProfile:
    """What a GPU is made of; nothing is known of it where the driver reports an error."""
    try:
        handle = _handle("profile", index)
        major, minor = (_attribute("profile", handle, number) for number in (MAJOR, MINOR))
        numbers = {
            name: _attribute("profile", handle, number) for name, number in ATTRIBUTES.items()
        }
    except (RuntimeError, ValueError):
        return DeviceProfile.unknown("cuda")
    arch, caps = of_compute_capability(major, minor)
    return DeviceProfile("cuda", arch, caps=caps, **numbers)


def _attribute(name: str, handle: ctypes.c_int, attribute: int) -> int:
    value = ctypes.c_int(0)
    _require(name, library().cuDeviceGetAttribute(ctypes.byref(value), attribute, handle))
    return value.value


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
