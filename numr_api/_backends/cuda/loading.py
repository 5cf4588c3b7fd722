"""CuPy: whether it can be used here, and why not.

It is imported only where the driver has found a GPU, since that takes half a second.
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from numr_api._backends.cuda import driver

INSTALL = "pip install 'numr-api[cuda]' (for a driver of CUDA 12: 'numr-api[cuda12]')"


@cache
def fault() -> str:
    """Why CuPy cannot be used, or nothing if it can."""
    if find_spec("cupy") is None:
        return f"CuPy is not installed; {INSTALL}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")  # a warning is no fault, even where it is an error
            cupy: Any = import_module("cupy")
        cupy.cuda.runtime.getDeviceCount()  # which needs no context
    except Exception as error:  # whatever a broken installation raises
        reason = " ".join(str(error).split())
        return f"CuPy does not work: {type(error).__name__}: {reason}; {INSTALL}"
    return ""


def obstacle() -> str:
    """Why there is no device, and what would cure it."""
    if find_spec("cupy") is None:
        return fault()
    if not driver.has_library():
        return f"there is no NVIDIA driver ({driver.LIBRARY} is not found); install one"
    if driver.count() == 0:
        return (
            "the NVIDIA driver finds no GPU that it may use; see nvidia-smi, CUDA_VISIBLE_DEVICES"
        )
    return fault()
