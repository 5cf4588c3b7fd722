"""Small kernels that CuPy compiles, where it has no function or a wrong one."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numr_api._backends import Scalar

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

# CuPy's fill writes +0 for -0.
_fill = cupy.ElementwiseKernel("T value", "T filled", "filled = value", "numr_fill")

# A copy in which all NaN are positive: sorting by radix puts negative ones first.
_with_positive_nan = cupy.ElementwiseKernel(
    "T x", "T y", "y = x == x ? x : T(NUMR_NAN)", "numr_with_positive_nan",
    preamble="#define NUMR_NAN __longlong_as_double(0x7ff8000000000000ULL)",
)  # fmt: skip

# Indices from 0 for those that may be negative; of one out of bounds the number is left in fault.
_in_bounds = cupy.ElementwiseKernel(
    "S index, int64 length, uint32 number", "int64 place, raw uint32 fault",
    """
    const bool from_end = index < S(0);
    unsigned long long at = static_cast<unsigned long long>(index);
    if (from_end) at += static_cast<unsigned long long>(length);
    if (at >= static_cast<unsigned long long>(length)) {
        atomicMax(&fault[0], number);
        at = 0;
    }
    place = static_cast<long long>(at);
    """,
    "numr_in_bounds",
)  # fmt: skip

_searchsorted = cupy.ElementwiseKernel(
    "raw T sorted, T value, int64 length, bool right", "int64 place",
    """
    long long low = 0, high = length;
    while (low < high) {
        const long long middle = low + (high - low) / 2;
        const T element = sorted[middle];
        const bool before = right ? !numr_less(value, element) : numr_less(element, value);
        if (before) low = middle + 1; else high = middle;
    }
    place = low;
    """,
    "numr_searchsorted", preamble=ORDER,
)  # fmt: skip

_same = cupy.ElementwiseKernel(
    "T x, T y", "bool equal", "equal = numr_same(x, y)", "numr_same", preamble=ORDER
)


def fill(target: Data, value: Scalar) -> None:
    """Write a Python scalar to all elements; OverflowError if an integer is out of range."""
    with np.errstate(all="ignore"):
        scalar = np.array(value, target.dtype)[()]
    if target.size:
        _fill(scalar, target)


def with_positive_nan(x: Data) -> Data:
    """A row-major copy of a floating-point array without negative NaN."""
    result = cupy.empty(x.shape, x.dtype)
    if x.size:
        _with_positive_nan(x, result)
    return result


def in_bounds(indices: Data, length: int, number: int, fault: Data) -> Data:
    """Indices from 0 along an axis; for one out of bounds, 0, and ``fault`` gets the number."""
    result = cupy.empty(indices.shape, np.int64)
    if indices.size:
        _in_bounds(indices, length, number, result, fault)
    return result


def searchsorted(ordered: Data, values: Data, *, side: str) -> Data:
    """Where to insert values into a sorted array of one axis and of their dtype; NaN at the end."""
    result = cupy.empty(values.shape, np.int64)
    if values.size:
        _searchsorted(ordered, values, ordered.size, side == "right", result)
    return result


def same(x: Data, y: Data) -> Data:
    """Where arrays of one dtype and shape are equal; NaN are not."""
    result = cupy.empty(x.shape, "bool")
    if x.size:
        _same(x, y, result)
    return result
