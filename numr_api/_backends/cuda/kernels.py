"""Small kernels that CuPy compiles, where it has no function or a wrong one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

cupy: Any = import_module("cupy")  # which has no type hints that say enough

Data = Any

# Every NaN is larger than all numbers. Complex numbers compare by the real parts first. CuPy makes
# subnormal numbers of float count as zeros in all kernels that it compiles; so bits are compared.
ORDER = """
__device__ inline long long numr_key(float x) {
    const long long bits = __float_as_uint(x);
    return bits & 0x80000000LL ? 0x80000000LL - bits : bits;
}
template <typename T> __device__ inline T numr_key(const T& x) { return x; }
template <typename T> __device__ bool numr_less(const T& x, const T& y) {
    if (x != x || y != y) return x == x && y != y;
    return numr_key(x) < numr_key(y);
}
template <typename T> __device__ bool numr_same(const T& x, const T& y) {
    return x == x && y == y && numr_key(x) == numr_key(y);
}
template <typename T> __device__ bool numr_less(const complex<T>& x, const complex<T>& y) {
    if (x != x || y != y) return x == x && y != y;
    return numr_less(x.real(), y.real()) ||
        (numr_same(x.real(), y.real()) && numr_less(x.imag(), y.imag()));
}
template <typename T> __device__ bool numr_same(const complex<T>& x, const complex<T>& y) {
    return numr_same(x.real(), y.real()) && numr_same(x.imag(), y.imag());
}
"""

# The first place in a sorted array whose element is not before a value; NaN are at the end.
_PLACE = """
    long long low = 0, high = length;
    while (low < high) {
        const long long middle = low + (high - low) / 2;
        const T element = sorted[middle];
        const bool before = right ? !numr_less(value, element) : numr_less(element, value);
        if (before) low = middle + 1; else high = middle;
    }
"""
_searchsorted = cupy.ElementwiseKernel(
    "raw T sorted, T value, int64 length, bool right", "int64 place", f"{_PLACE} place = low;",
    "numr_searchsorted", preamble=ORDER,
)  # fmt: skip
_isin = cupy.ElementwiseKernel(
    "raw T sorted, T value, int64 length, bool invert", "bool found",
    f"""
    const bool right = false;
    {_PLACE}
    found = (low < length && numr_same(sorted[low], value)) != invert;
    """,
    "numr_isin", preamble=ORDER,
)  # fmt: skip


def searchsorted(ordered: Data, values: Data, *, side: str) -> Data:
    """Where to insert values into a sorted array of one axis and of their dtype; NaN at the end."""
    result = cupy.empty(values.shape, np.int64)
    if values.size:
        _searchsorted(ordered, values, ordered.size, side == "right", result)
    return result


def isin(ordered: Data, values: Data, *, invert: bool) -> Data:
    """Which values are in a sorted array of one axis and of their dtype, or which are not."""
    result = cupy.empty(values.shape, np.bool)
    if values.size:
        _isin(ordered, values, ordered.size, invert, result)
    return result
