"""Sorting, reductions and running sums on a GPU."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from on_gpu import COMPLEX, FLOATS, INTEGERS, host, on, same

import numr_api as xp
from numr_api.extensions.device import cuda, synchronize

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("gpus")]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
@pytest.mark.parametrize("descending", [False, True])
def test_sorting_agrees_with_the_cpu(dtype: str, descending: bool):
    values = np.random.default_rng(1).integers(0, 50, (7, 1000)).astype(dtype)
    if dtype in FLOATS:
        values[:, ::9] = np.nan
        values[:, 1::9] = -np.nan
        values[:, 2::9] = 0.0
        values[:, 3::9] = -0.0
    for array in (values, values[0], values[:, :0], values.T):
        for axis in range(array.ndim):
            x, true = on(array), xp.asarray(array, device="cpu")
            options = {"axis": axis, "descending": descending}
            assert same(xp.sort(x, **options), np.asarray(xp.sort(true, **options)))
            assert same(xp.argsort(x, **options), np.asarray(xp.argsort(true, **options)))


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_is_searched_and_found_last(dtype: str):
    ordered = on([-np.inf, -1.0, -0.0, 0.0, 2.0, np.inf, np.nan, np.nan], dtype)
    sought = on([-2.0, 0.0, -0.0, np.inf, np.nan], dtype)
    assert host(xp.searchsorted(ordered, sought)).tolist() == [1, 2, 2, 5, 6]
    assert host(xp.searchsorted(ordered, sought, side="right")).tolist() == [1, 4, 4, 6, 8]


@pytest.mark.parametrize("dtype", FLOATS)
def test_subnormal_numbers_are_told_apart(dtype: str):
    """CuPy compiles its kernels so that those of float32 count as zeros."""
    values = np.asarray([3, -1, 2, 1, 2], dtype) * np.finfo(dtype).smallest_subnormal
    x, ordered = on(values), on(np.sort(values))
    for part in (lambda x: x, lambda x: x + 1j * x):
        found = xp.unique_counts(part(x))
        assert same(found.values, part(np.sort(values)[[0, 1, 2, 4]]))
        assert host(found.counts).tolist() == [1, 1, 2, 1]
        assert host(xp.isin(part(x), part(ordered[2:3]))).tolist() == [
            False,
            False,
            True,
            False,
            True,
        ]
    assert host(xp.searchsorted(ordered, x)).tolist() == [4, 0, 2, 1, 2]


@pytest.mark.parametrize("dtype", FLOATS)
def test_squares_are_rounded_once(dtype: str):
    values = np.random.default_rng(6).standard_normal(10_000).astype(dtype)
    x = on(values)
    assert same(xp.pow(x, 2.0), values * values)
    assert same(xp.pow(x, on(np.full(10_000, 2, dtype))), values * values)


def test_reductions_of_no_elements():
    x = xp.zeros((0, 3), device="cuda")
    assert xp.max(x, axis=1).shape == xp.argmin(x, axis=1).shape == (0,)
    for call in (xp.max, xp.argmax, lambda x: xp.min(x, axis=0)):
        with pytest.raises(ValueError, match="no elements"):
            call(x)
    assert same(xp.sum(x, axis=0), np.zeros(3))
    assert xp.cumulative_sum(x, axis=1).shape == (0, 3)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, *COMPLEX])
@pytest.mark.parametrize("shape", [(1000,), (3, 700), (2, 1, 513), (5, 4, 3)])
def test_running_sums(dtype: str, shape: tuple[int, ...]):
    values = np.random.default_rng(2).integers(0, 3, shape).astype(dtype)
    for axis in range(len(shape)):
        found = xp.cumulative_sum(on(values), axis=axis, dtype=getattr(xp, dtype))
        assert same(found, np.cumsum(values, axis, dtype))


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex128"])
def test_running_sums_over_thousands_of_blocks(dtype: str):
    values = np.random.default_rng(4).integers(-1, 2, 15_000_001).astype(dtype)
    x = on(values)
    assert same(xp.cumulative_sum(x), np.cumsum(values))
    rows = values[1:].reshape(3, -1)
    assert same(xp.cumulative_sum(on(rows), axis=1), np.cumsum(rows, 1))


def test_running_sums_are_the_same_each_time():
    x = on(np.random.default_rng(5).random(20_000_000), "float32")
    first = xp.cumulative_sum(x)
    assert all(bool(xp.all(xp.cumulative_sum(x) == first)) for _ in range(5))


REDUCED = [((100_003,), None), ((300, 700), 1), ((3000, 129), 0), ((7, 40, 11), 1)]
REDUCTIONS = {
    "any": "biufc",
    "argmin": "iuf",
    "count_nonzero": "biufc",
    "max": "iuf",
    "mean": "fc",
    "prod": "iu",
    "std": "f",
    "sum": "iufc",
}
REDUCED_DTYPES = [
    (name, dtype)
    for name, kinds in REDUCTIONS.items()
    for dtype in ("bool", *INTEGERS, *FLOATS, *COMPLEX)
    if np.dtype(dtype).kind in kinds
]


@pytest.mark.parametrize(("name", "dtype"), REDUCED_DTYPES)
def test_reductions_agree_with_the_cpu(name: str, dtype: str):
    reduce = getattr(xp, name)
    eps = 1e-5 if dtype in ("float32", "complex64") else 1e-13
    for shape, axis in REDUCED:
        values = np.random.default_rng(6).integers(0, 50, shape).astype(dtype)
        for change in (lambda x: x, lambda x: x[..., 1:], lambda x: x[::-1, ...]):
            found = host(reduce(change(on(values)), axis=axis))
            true = np.asarray(reduce(xp.asarray(change(values), device="cpu"), axis=axis))
            assert (found.shape, found.dtype) == (true.shape, true.dtype)
            if name in ("mean", "std"):
                np.testing.assert_allclose(found, true, rtol=eps)
            else:
                np.testing.assert_array_equal(found, true)


def test_reductions_of_more_elements_than_32_bits_count():
    if cuda.total_memory(0) < 2**34:
        pytest.skip("the GPU has too little memory")
    count = 2**32 + 7
    x = xp.ones(count, dtype=xp.int8, device="cuda")
    x[count - 2] = 100
    x[3] = -1
    assert int(xp.sum(x)) == count + 97
    assert int(xp.argmax(x)) == count - 2
    assert int(xp.argmin(x)) == 3
    long = xp.reshape(x[: 3 * 2**30], (3, 2**30))
    assert host(xp.sum(long, axis=1)).tolist() == [2**30 - 2, 2**30, 2**30]
    tall = xp.reshape(x[: 3 * 2**30], (2**30, 3))
    assert host(xp.sum(tall, axis=0)).tolist() == [2**30 - 2, 2**30, 2**30]
    assert int(xp.sum(xp.sum(long, axis=0))) == 3 * 2**30 - 2


def test_variance_far_from_zero():
    values = 1e4 + np.random.default_rng(7).standard_normal(10**6)
    for dtype in FLOATS:
        rounded = values.astype(dtype)
        true = float(np.var(rounded.astype(np.longdouble)))
        assert float(xp.var(on(rounded))) == pytest.approx(true, rel=4 * np.finfo(dtype).eps)


def test_sums_on_several_streams_at_once_have_the_same_bits(cupy: Any):
    x = on(np.random.default_rng(8).standard_normal(2**22).astype("float32"))
    true = float(xp.sum(x))
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(8)]
    synchronize("cuda")
    found: list[Any] = []
    for _ in range(20):
        for stream in streams:
            with stream:
                found.append(xp.sum(x))
    synchronize("cuda")
    assert {float(total) for total in found} == {true}


def test_extremes_and_nan():
    x = on([1.0, np.nan, 3.0, np.nan])
    assert math.isnan(float(xp.max(x)))
    assert math.isnan(float(xp.min(x)))
    assert int(xp.argmax(x)) == int(xp.argmin(x)) == 1
