"""NVIDIA GPUs through CuPy. So far these are kernels only, without a device that runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numr_api._backends import Backend


def count() -> int:
    return 0


def obstacle() -> str:
    return "this version of numr_api has no cuda device"


def open_device(index: int) -> Backend:
    raise LookupError(obstacle())
