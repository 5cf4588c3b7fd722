"""Numbers of 16 and 8 bits for tests: all of them, rounding from float64, and distances."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

import numr_api as xp
from numr_api._dtypes import BY_NUMPY, DType
from numr_api._rounding import converted

Column = np.ndarray[Any, np.dtype[Any]]


def silently(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function without NumPy's warnings of NaN and of numbers out of range."""

    @wraps(function)
    def silent(*arguments: Any, **options: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*arguments, **options)

    return silent


@silently
def rounded(x: Any, dtype: DType) -> Column:
    """Numbers rounded once to a dtype."""
    return converted(np.asarray(x), dtype)


@silently
def exact(x: Column) -> Column:
    """The same numbers in float64."""
    return x.astype(np.float64)


def every(dtype: DType) -> Column:
    """One of each pattern of bits."""
    return np.arange(256**dtype.itemsize, dtype=f"u{dtype.itemsize}").view(dtype.__numpy_dtype__)


def some(dtype: DType, shape: Any, scale: float = 1, seed: int = 0) -> Column:
    """Normally distributed numbers."""
    numbers = np.random.default_rng(seed).standard_normal(shape) * scale
    return rounded(numbers, dtype)


def host(x: xp.Array) -> Column:
    """The array on the host, read from the device even if it was put there from the host."""
    if hasattr(x._data, "mirror"):
        x._data.mirror = None
    return np.asarray(x.to_device("cpu"))


def steps(found: Column, expected: Column) -> Column:
    """How many numbers of the dtype two are apart; none between NaNs, many from NaN to another."""
    assert found.dtype == expected.dtype
    both = np.isnan(exact(found)), np.isnan(exact(expected))
    distance = np.abs(_order(found) - _order(expected))
    return np.where(both[0] | both[1], np.where(both[0] & both[1], 0, 1 << 20), distance)


def assert_same(found: Column, expected: Column) -> None:
    """Equal bits, but for those of NaN."""
    assert found.shape == expected.shape
    apart = steps(found, expected)
    assert not apart.any(), (found[apart > 0][:5], expected[apart > 0][:5])
    wrong = (np.signbit(exact(found)) != np.signbit(exact(expected))) & ~np.isnan(exact(found))
    assert not wrong.any(), (found[wrong][:5], expected[wrong][:5])


def _order(x: Column) -> Column:
    """Integers that grow with the numbers, by one from each to the next."""
    sign = 1 << 8 * x.dtype.itemsize - 1
    bits = np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}").astype(np.int64)
    return np.where(bits >= sign, sign - bits, bits).reshape(x.shape)


def dtype_of(x: Column) -> DType:
    return BY_NUMPY[x.dtype]
