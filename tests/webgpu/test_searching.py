"""searchsorted, unique and isin on webgpu, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_sorting import DTYPES, bits, drawn

import numr_api as xp
from numr_api._backends.cpu.searching import unique as unique_of_numpy
from numr_api._dtypes import BY_NUMPY

ALL = (*DTYPES, "complex64", "complex128")
PARTS = ("indices", "inverse", "counts")


def values_of(dtype: str, shape: Any, seed: int = 0) -> np.ndarray[Any, Any]:
    """A few distinct values, so that most occur again."""
    generator = np.random.default_rng(seed)
    if dtype.startswith("complex"):
        parts = np.array([0.0, -0.0, 1.0, -1.5, np.nan, np.inf, -np.inf])
        x = np.empty(shape, dtype)
        x.real = generator.choice(parts, shape)
        x.imag = generator.choice(parts, shape)
        return x
    return generator.choice(drawn(dtype, 60, seed), shape)


def present(backend: Any, dtype: str) -> None:
    if BY_NUMPY[np.dtype(dtype)] not in backend.dtypes:
        pytest.skip(f"the device has no {dtype}")


# --- searchsorted ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_searchsorted(backend: Any, put: Any, get: Any, dtype: str) -> None:
    present(backend, dtype)
    for count, shape in ((0, (3,)), (1, (2, 3)), (301, ()), (700, (7, 100)), (50, (0, 4))):
        x1 = np.sort(drawn(dtype, count))
        x2 = np.asarray(values_of(dtype, shape, 1))
        for side in ("left", "right"):
            found = get(xp.searchsorted(put(x1), put(x2), side=side))
            assert found.dtype == np.int64
            np.testing.assert_array_equal(found, np.searchsorted(x1, x2, side))


def test_searchsorted_in_and_of_views(put: Any, get: Any) -> None:
    x1 = np.sort(drawn("float32", 90))
    x2 = values_of("float32", (9, 14), 1)
    backwards = put(np.ascontiguousarray(x1[::-1]))
    found = get(xp.searchsorted(backwards[::-1], put(x2)[::-2, 3::2]))
    np.testing.assert_array_equal(found, np.searchsorted(x1, x2[::-2, 3::2]))
    found = get(xp.searchsorted(put(x1)[4::3], xp.broadcast_to(put(x2)[0, :5], (3, 5))))
    expected = np.searchsorted(x1[4::3], np.broadcast_to(x2[0, :5], (3, 5)))
    np.testing.assert_array_equal(found, expected)


def test_searchsorted_with_a_scalar_a_sorter_and_mixed_dtypes(put: Any, get: Any) -> None:
    x1 = np.array([5, 1, 3], np.int8)
    sorter = np.array([1, 2, 0], np.int32)
    x2 = np.array([0, 3, 400], np.int16)
    assert get(xp.searchsorted(put(np.sort(x1)), 3, side="right")) == 2
    found = get(xp.searchsorted(put(x1), put(x2), sorter=put(sorter)))
    np.testing.assert_array_equal(found, [0, 1, 3])


# --- unique ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ALL)
def test_unique(backend: Any, put: Any, get: Any, dtype: str) -> None:
    present(backend, dtype)
    for shape in ((0,), (), (1,), (2, 3), (301,), (2, 0, 3), (5, 901)):
        host = np.asarray(values_of(dtype, shape, 2))
        with np.errstate(invalid="ignore"):  # signalling NaN are among the values
            values, *expected = unique_of_numpy(host, parts=PARTS)
        found = xp.unique_all(put(host))
        first, *others = (get(x) for x in found)
        assert first.dtype == host.dtype
        np.testing.assert_array_equal(bits(first), bits(values))
        for part, want in zip(others, expected, strict=True):
            assert part.dtype == np.int64
            np.testing.assert_array_equal(part, want)
        only, counts = xp.unique_counts(put(host))
        np.testing.assert_array_equal(bits(get(only)), bits(values))
        np.testing.assert_array_equal(get(counts), expected[2])


def test_unique_of_views(put: Any, get: Any) -> None:
    host = values_of("int16", (20, 33))
    x = put(host)
    for view, part in (
        (x[::-2, 1::3], host[::-2, 1::3]),
        (x.T, host.T),
        (xp.broadcast_to(x[0, :4], (5, 4)), np.broadcast_to(host[0, :4], (5, 4))),
    ):
        values, inverse = xp.unique_inverse(view)
        np.testing.assert_array_equal(get(values), np.unique(part))
        assert inverse.shape == part.shape
        np.testing.assert_array_equal(get(values)[get(inverse)], part)
        np.testing.assert_array_equal(get(xp.unique_values(view)), np.unique(part))


def test_unique_reads_once(backend: Any, put: Any) -> None:
    x = put(values_of("int32", 5000))
    xp.unique_all(x)  # the first long sort probes the device
    before = backend.gpu.reads
    xp.unique_all(x)
    assert backend.gpu.reads == before + 1


def test_unique_of_many_distinct_elements(put: Any, get: Any) -> None:
    host = np.random.default_rng(0).permutation(70_000).astype(np.int32)
    values, indices, inverse, counts = (get(x) for x in xp.unique_all(put(host)))
    np.testing.assert_array_equal(values, np.arange(70_000))
    np.testing.assert_array_equal(host[indices], values)
    np.testing.assert_array_equal(inverse, host)
    np.testing.assert_array_equal(counts, 1)


# --- isin -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ALL)
def test_isin(backend: Any, put: Any, get: Any, dtype: str) -> None:
    present(backend, dtype)
    for shape, other in (((7,), (3,)), ((2, 5), (0,)), ((0, 3), (4,)), ((), (2, 2)), ((301,), ()),
                         ((3, 99), (2100,))):  # fmt: skip
        x1 = np.asarray(values_of(dtype, shape, 3))
        x2 = np.asarray(values_of(dtype, other, 3))[..., : max(x1.size // 2, 1)] if other else \
            np.asarray(values_of(dtype, other, 3))  # fmt: skip
        expected = (x1[..., None] == x2.reshape(-1)).any(-1)
        for invert in (False, True):
            found = get(xp.isin(put(x1), put(x2), invert=invert))
            assert found.dtype == bool
            np.testing.assert_array_equal(found, expected ^ invert)


def test_isin_of_views_scalars_and_mixed_dtypes(put: Any, get: Any) -> None:
    x1 = values_of("int8", (9, 14))
    x2 = values_of("int16", (40,))
    found = get(xp.isin(put(x1)[::-2, 3::2], put(x2)[::-3]))
    np.testing.assert_array_equal(found, np.isin(x1[::-2, 3::2], x2[::-3]))
    np.testing.assert_array_equal(get(xp.isin(put(x1), int(x1[2, 2]))), x1 == x1[2, 2])
