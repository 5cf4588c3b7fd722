"""Numbers of all dtypes for tests of those of 16 and 8 bits, and what they become."""

from __future__ import annotations

from typing import Any

import numpy as np

from numr_api._dtypes import EXTENSIONS, DType
from numr_api._rounding import converted

BITS: Any = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def all_of(dtype: DType) -> Any:
    """All numbers of a dtype of 16 or 8 bits, by their bits."""
    bits = np.arange(2 ** (8 * dtype.itemsize)).astype(BITS[dtype.itemsize])
    return bits.view(dtype.__numpy_dtype__)


def samples(dtype: DType) -> Any:
    """Numbers of a dtype: at random, and next to where narrower ones are rounded up or down."""
    if dtype in EXTENSIONS:
        return all_of(dtype)
    numpy_dtype: Any = dtype.__numpy_dtype__
    random = np.random.default_rng(dtype.itemsize)
    if dtype.kind == "b":
        return np.array([True, False])
    if dtype.kind == "c":
        parts = np.array([0.0, 1.0, 1.00390625, -448.5, 65519.0, 1e38, np.inf, np.nan])
        return (parts + 0.5j).astype(numpy_dtype)
    if dtype.kind in "iu":
        info = np.iinfo(numpy_dtype)
        some = random.integers(info.min, info.max, 4000, dtype=numpy_dtype, endpoint=True)
        some >>= random.integers(0, 8 * dtype.itemsize, 4000).astype(numpy_dtype)
        powers = np.ones(1, numpy_dtype) << np.arange(8 * dtype.itemsize - 1).astype(numpy_dtype)
        ends = np.array([info.min, info.max], numpy_dtype)
        return np.concatenate([some, ends, powers, powers + numpy_dtype.type(1)])
    some = random.integers(0, 2 ** (8 * dtype.itemsize) - 1, 4000, dtype=BITS[dtype.itemsize])
    parts = [some.view(numpy_dtype), np.array([np.inf, -np.inf, np.nan], numpy_dtype)]
    for narrow in EXTENSIONS:
        numbers = all_of(narrow).astype(np.float64)
        numbers = np.unique(numbers[np.isfinite(numbers)])[:: 1 if narrow.itemsize == 1 else 7]
        with np.errstate(over="ignore"):
            for exact in (numbers, (numbers[1:] + numbers[:-1]) / 2, 2 * numbers[-2:]):
                near = exact.astype(numpy_dtype)
                for end in (np.inf, -np.inf):
                    parts += [near, np.nextafter(near, numpy_dtype.type(end))]
    return np.concatenate(parts)


def rounded(x: Any, dtype: DType) -> Any:
    """Numbers in a dtype, rounded once."""
    with np.errstate(all="ignore"):
        return converted(np.asarray(x), dtype)


def assert_same(found: Any, expected: Any) -> None:
    """All bits agree, but those of NaN."""
    found, expected = np.ascontiguousarray(found), np.ascontiguousarray(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if expected.dtype.kind in "biuc":
        np.testing.assert_array_equal(found, expected)
        return
    bits = BITS[expected.itemsize]
    wrong = found.view(bits) != expected.view(bits)
    wrong &= ~(np.isnan(found.astype(np.float64)) & np.isnan(expected.astype(np.float64)))
    places = np.argwhere(wrong)[:3].tolist()
    assert not places, [(found[tuple(p)], expected[tuple(p)]) for p in places]
