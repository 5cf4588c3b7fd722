"""DLPack for dtypes that NumPy does not exchange: their bits go as integers, and their name is
written into the capsule, or read from it.

Source: dlpack.h of DLPack 1.1.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from numr_api._dtypes import BY_NUMPY, DType, bfloat16, float8_e4m3fn, float8_e5m2

AnyArray = np.ndarray[Any, np.dtype[Any]]

CODES: dict[DType | None, int] = {bfloat16: 4, float8_e4m3fn: 10, float8_e5m2: 12}
DTYPES = {(code, 8 * dtype.itemsize): dtype for dtype, code in CODES.items() if dtype}
UNSIGNED = 1
BITS: dict[int, Any] = {1: np.uint8, 2: np.uint16}

# Where the code of the dtype is, from the pointer of a capsule on: in DLTensor, after a pointer,
# the device and the number of axes; the newer struct begins with a version, two pointers and flags.
_PLACES = {b"dltensor": 20, b"dltensor_versioned": 52}

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Known:
    """Another library's array in dtypes that NumPy knows.

    Attributes:
        dtype: what its bits mean, once there is a capsule; None for what NumPy knows.
    """

    def __init__(self, x: Any) -> None:
        self._x = x
        self.dtype: DType | None = None

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self._x.__dlpack__(**options)
        code = _code(capsule)
        bits = ctypes.c_uint8.from_address(ctypes.addressof(code) + 1)
        self.dtype = DTYPES.get((code.value, bits.value))
        if self.dtype is not None:
            code.value = UNSIGNED
        return capsule

    def __dlpack_device__(self) -> Any:
        return self._x.__dlpack_device__()


def exported(array: AnyArray, **options: Any) -> Any:
    """The capsule of an array of NumPy's; options as for its ``__dlpack__``."""
    dtype = BY_NUMPY.get(array.dtype)
    if dtype not in CODES:
        return array.__dlpack__(**options)
    return named(array.view(BITS[array.itemsize]).__dlpack__(**options), dtype)


def named(capsule: Any, dtype: DType | None) -> Any:
    """A capsule of bits, which says that they mean numbers of a dtype of ``CODES``."""
    _code(capsule).value = CODES[dtype]
    return capsule


def imported(x: Any, **options: Any) -> AnyArray:
    """Another library's array as one of NumPy's; options as for ``numpy.from_dlpack``."""
    known = Known(x)
    array = np.from_dlpack(known, **options)
    return array if known.dtype is None else array.view(known.dtype.__numpy_dtype__)


def _code(capsule: Any) -> ctypes.c_uint8:
    """The code of a capsule's dtype, in its place."""
    name = next(name for name in _PLACES if _is_valid(capsule, name))
    return ctypes.c_uint8.from_address(_pointer(capsule, name) + _PLACES[name])
