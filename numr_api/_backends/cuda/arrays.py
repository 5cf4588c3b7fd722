"""CuPy's arrays of all dtypes: floating-point numbers of 8 bits, which it does not have, are bytes
of a class of their own. Views have the class of what they are views of, and so tell the dtype.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from numr_api._backends.cuda.kernels import cupy
from numr_api._dtypes import EIGHTHS, DType, bfloat16, float8_e4m3fn, float8_e5m2

Data = Any

# What NumPy and CuPy have from elsewhere, or not at all, and what carries the bits of it.
FOREIGN = frozenset(dtype.__numpy_dtype__ for dtype in (bfloat16, *EIGHTHS))
BITS: dict[int, Any] = {1: np.uint8, 2: np.uint16}

__all__ = ["BITS", "CLASSES", "FOREIGN", "bits_of", "empty", "of_bits"]


class Eighth(cupy.ndarray):
    """Bytes that mean numbers; of CuPy's functions only those are called that make views."""

    def copy(self, order: str = "C") -> Any:
        return self.view(np.uint8, cupy.ndarray).copy(order).view(np.uint8, self.__class__)


class E4m3fn(Eighth):
    dtype = float8_e4m3fn.__numpy_dtype__


class E5m2(Eighth):
    dtype = float8_e5m2.__numpy_dtype__


OF_DTYPE: dict[Any, Any] = {
    float8_e4m3fn.__numpy_dtype__: E4m3fn,
    float8_e5m2.__numpy_dtype__: E5m2,
}
CLASSES = frozenset({cupy.ndarray, *OF_DTYPE.values()})


def empty(shape: tuple[int, ...], dtype: Any) -> Data:
    """New data of a dtype of NumPy's, or of its name."""
    found = OF_DTYPE.get(dtype)
    return cupy.ndarray(shape, dtype) if found is None else found(shape, np.uint8)


def bits_of(data: Data) -> Data:
    """A view of unsigned integers of the elements' size, of CuPy's own class."""
    bits = BITS[data.itemsize]
    return data.view(bits, cupy.ndarray) if isinstance(data, Eighth) else data.view(bits)


def of_bits(bits: Data, dtype: DType) -> Data:
    """The other way: a view of a dtype."""
    if dtype in EIGHTHS:
        return bits.view(np.uint8, OF_DTYPE[dtype.__numpy_dtype__])
    return bits.view(dtype.__numpy_dtype__)
