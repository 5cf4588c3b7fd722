"""Conversions on the host are rounded once: compared with exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from numr_api import _dtypes
from numr_api._dtypes import DType
from numr_api._rounding import converted

NARROW = _dtypes.EXTENSIONS


def grid(dtype: DType) -> np.ndarray[Any, Any]:
    """All finite numbers of a dtype that are not negative, in order."""
    bits = np.arange(2 ** (8 * dtype.itemsize - 1), dtype=f"u{dtype.itemsize}")
    with np.errstate(all="ignore"):  # NumPy warns of signalling NaN
        numbers = bits.view(dtype.__numpy_dtype__).astype(np.float64)
    return numbers[np.isfinite(numbers)]


def nearest(number: Any, numbers: np.ndarray[Any, Any], dtype: DType) -> float:
    """An exact number rounded to the nearest of a grid, ties to the even one."""
    size = abs(Fraction(number))
    above = int(np.searchsorted(numbers, float(size)))
    above += above < len(numbers) and Fraction(numbers[above]) < size  # float() may have rounded
    above -= above > 0 and Fraction(numbers[above - 1]) >= size
    low = Fraction(numbers[max(above - 1, 0)])
    step = Fraction(numbers[-1]) - Fraction(numbers[-2])
    beyond = above == len(numbers)
    high = Fraction(numbers[-1]) + step if beyond else Fraction(numbers[above])
    index = above
    if size - low < high - size or (size - low == high - size and (above - 1) % 2 == 0):
        high, index = low, above - 1
    if index < len(numbers):
        found = float(high)
    else:
        found = np.nan if dtype is _dtypes.float8_e4m3fn else np.inf
    return -found if number < 0 else found


def around(dtype: DType) -> np.ndarray[Any, Any]:
    """Numbers of a grid, halfway between its numbers, and next to those in float64."""
    numbers = grid(dtype)
    chosen = numbers[np.unique(np.linspace(0, len(numbers) - 2, 300).astype(int))]
    up = numbers[np.searchsorted(numbers, chosen) + 1]
    middle = chosen + (up - chosen) / 2
    top = numbers[-1] + (numbers[-1] - numbers[-2]) / 2
    middle = np.append(middle, top)
    return np.concatenate([chosen, middle, np.nextafter(middle, np.inf), np.nextafter(middle, 0)])


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_float64_is_rounded_once(dtype: DType) -> None:
    x = np.concatenate([around(dtype), -around(dtype), [1 + 2**-8 + 2**-40, 1e300, 5e-324]])
    numbers = grid(dtype)
    with np.errstate(all="ignore"):
        found = converted(x, dtype).astype(np.float64)
    np.testing.assert_array_equal(found, [nearest(number, numbers, dtype) for number in x])


@pytest.mark.parametrize("source", ["int64", "uint64", "int32", "uint32", "int16", "uint8"])
@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_integers_are_rounded_once(dtype: DType, source: str) -> None:
    info = np.iinfo(source)
    values = [0, 1, info.max, info.min, info.max // 3]
    for power in range(8, info.bits):  # halfway between two numbers of 8 bits, and next to that
        tie = (257 << power) >> 8
        values += [tie - 1, tie, tie + 1, (tie + (1 << power - 8)) | 1]
    x = np.array([v for v in values if info.min <= v <= info.max], source)
    numbers = grid(dtype)
    with np.errstate(all="ignore"):
        found = converted(x, dtype).astype(np.float64)
    np.testing.assert_array_equal(found, [nearest(number, numbers, dtype) for number in x.tolist()])


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_what_is_not_finite_and_the_sign_of_zero_are_kept(dtype: DType) -> None:
    with np.errstate(all="ignore"):
        found = converted(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0]), dtype).astype(np.float64)
    infinity = np.nan if dtype is _dtypes.float8_e4m3fn else np.inf
    np.testing.assert_array_equal(found, [np.nan, infinity, -infinity, 0.0, -0.0])
    assert np.signbit(found[4])
    assert not np.signbit(found[3])
