"""Sums, variances, extremes, transforms and decompositions of large arrays on the cpu."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cpu_threads import alone, shared

import numr_api as xp
from numr_api._backends.cpu import large_matrices

Array = np.ndarray[Any, np.dtype[Any]]

FLOATS = ("float32", "float64")
REDUCTIONS = ("sum", "mean", "var", "std", "max", "min")

# Shapes and the axis to reduce: around the sizes at which another way is taken, and pieces that do
# and do not divide a row.
SHAPES = [
    ((2**17 - 1,), None),
    ((2**17,), 0),
    ((2**17 + 300,), None),
    ((2**19,), None),
    ((3 * 2**18 + 77,), 0),
    ((2, 2**17 + 5), 1),
    ((5, 300, 701), (1, 2)),
    ((1500, 701), 1),
    ((600, 3000), 0),
    ((20, 4, 16384), 2),
]


@pytest.fixture(params=[alone, shared], ids=["alone", "shared"])
def jobs(request: pytest.FixtureRequest) -> Iterator[list[Any]]:
    """The test with helpers and without; the jobs that were shared."""
    with request.param() as found:
        yield found


def positive(shape: tuple[int, ...], dtype: str) -> Array:
    return np.random.default_rng(5).uniform(0.5, 2.0, shape).astype(dtype)


def exact(name: str, x: Array, axis: Any) -> Array:
    """In long double, or by sums that are exact."""
    wide = x.astype(np.longdouble)
    return np.asarray(getattr(np, name)(wide, axis=axis))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
def test_reductions_are_accurate(jobs: list[Any], shape: tuple[int, ...], axis: Any, dtype: str):
    x = positive(shape, dtype)
    for name in REDUCTIONS:
        result = np.asarray(getattr(xp, name)(xp.asarray(x), axis=axis))
        kept = np.asarray(getattr(xp, name)(xp.asarray(x), axis=axis, keepdims=True))
        expected = exact(name, x, axis)
        assert result.shape == expected.shape
        assert result.dtype == x.dtype
        error, of_numpy = (
            np.max(np.abs(found - expected) / np.abs(expected)) / np.finfo(dtype).eps
            for found in (result, getattr(np, name)(x, axis=axis))
        )
        assert error <= (0 if name in ("max", "min") else max(2, of_numpy))
        assert kept.ndim == x.ndim
        assert np.array_equal(kept.reshape(result.shape), result)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("length", [2**17, 2**20, 10**6 + 3])
def test_sums_are_no_less_accurate_than_pairwise_ones(jobs: list[Any], length: int, dtype: str):
    """Of numbers that all round in the same direction, against the exact sum."""
    for x in (np.full(length, 0.1, dtype), positive((length,), dtype) ** 8):
        total = math.fsum(x.tolist())
        ours = abs(float(xp.sum(xp.asarray(x))) - total)
        numpy = abs(float(np.add.reduce(x)) - total)
        assert ours <= max(numpy, 2 * np.finfo(dtype).eps * total)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
def test_threads_change_no_bit_of_a_reduction(shape: tuple[int, ...], axis: Any, dtype: str):
    x = xp.asarray(np.random.default_rng(6).standard_normal(shape).astype(dtype))
    for name in REDUCTIONS:
        function = getattr(xp, name)
        with alone():
            expected = np.asarray(function(x, axis=axis))
        with shared():
            assert np.asarray(function(x, axis=axis)).tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", FLOATS)
def test_row_has_the_same_sums_alone_as_among_others(jobs: list[Any], dtype: str):
    for length in (700, 2**16 + 9, 2**17 + 9, 2**19 + 9):
        x = np.random.default_rng(7).standard_normal((6, length)).astype(dtype)
        for name in ("sum", "mean", "var"):
            function = getattr(xp, name)
            together = np.asarray(function(xp.asarray(x), axis=1))
            pair = np.asarray(function(xp.asarray(x[2:4]), axis=1))
            assert pair.tobytes() == together[2:4].tobytes()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
def test_nan_and_infinities_get_into_results(
    jobs: list[Any], shape: tuple[int, ...], axis: Any, dtype: str
):
    for value in (np.nan, np.inf, -np.inf):
        x = positive(shape, dtype)
        x[(-1,) * x.ndim] = value
        for name in REDUCTIONS:
            with np.errstate(all="ignore"):
                expected = getattr(np, name)(x, axis=axis)
            result = np.asarray(getattr(xp, name)(xp.asarray(x), axis=axis))
            assert np.allclose(result, expected, rtol=1e-5, equal_nan=True)


@pytest.mark.parametrize("dtype", [*FLOATS, "int16", "uint64"])
@pytest.mark.parametrize("shape", [(64, 20000), (20000, 64), (3, 70, 5000), (1, 10**6)], ids=str)
def test_extremes_have_numpys_bits(jobs: list[Any], shape: tuple[int, ...], dtype: str):
    random = np.random.default_rng(8)
    x = (random.integers(0, 200, shape) - (0 if dtype[0] == "u" else 100)).astype(dtype)
    if x.dtype.kind == "f":
        x[random.random(shape) < 0.01] = -0.0
    for axis in [None, *range(x.ndim), (0, 1)]:
        for name in ("max", "min"):
            result = np.asarray(getattr(xp, name)(xp.asarray(x), axis=axis))
            assert result.tobytes() == np.asarray(getattr(np, name)(x, axis=axis)).tobytes()


@pytest.mark.parametrize("correction", [0, 1, 2.5, 10**9])
def test_variance_counts_the_correction(correction: float):
    for size in (10, 600_000):
        x = positive((2, size), "float64")
        result = np.asarray(xp.var(xp.asarray(x), axis=1, correction=correction))
        squares = ((x - x.mean(1, keepdims=True)) ** 2).sum(1)
        wanted = squares / (size - correction) if correction < size else [np.nan] * 2
        assert np.allclose(result, wanted, rtol=1e-12, equal_nan=True)


def test_variance_of_numbers_far_from_zero_keeps_its_digits(jobs: list[Any]):
    x = positive((10**6,), "float64") + 1e6
    expected = float(exact("var", x, None))
    assert abs(float(xp.var(xp.asarray(x))) - expected) < 1e-12 * expected * 1e6


# --- transforms -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_threads_change_no_bit_of_a_transform(name: str, axis: int):
    random = np.random.default_rng(9)
    shape = [3, 5, 7]
    shape[axis] = 200
    x = random.standard_normal(shape)
    if name not in ("rfft", "ihfft"):
        x = x + 1j * random.standard_normal(shape)
    for dtype in ("single", "double"):
        part = x
        if dtype == "single":
            part = x.astype(np.complex64 if x.dtype.kind == "c" else np.float32)
        for n in (None, 64, 201):
            function = getattr(xp.fft, name)
            with alone():
                expected = np.asarray(function(xp.asarray(part), n=n, axis=axis))
            with shared() as jobs:
                result = np.asarray(function(xp.asarray(part), n=n, axis=axis))
                assert jobs
            assert result.dtype == expected.dtype
            assert np.array_equal(result, expected)
            several = getattr(xp.fft, f"{name}n", None)
            if several:
                with alone():
                    expected = np.asarray(several(xp.asarray(part)))
                with shared():
                    assert np.array_equal(np.asarray(several(xp.asarray(part))), expected)


# --- decompositions -------------------------------------------------------------------------------

SIZES = [large_matrices.LARGE - 1, large_matrices.LARGE, large_matrices.LARGE + 33]


def worst(difference: Array) -> float:
    return float(np.abs(difference).max())


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", SIZES)
def test_large_matrices_are_decomposed_no_less_accurately(size: int, dtype: str):
    """Than by numpy.linalg, up to what another order of rounding changes."""
    random = np.random.default_rng(size)
    x = random.standard_normal((size, size)).astype(dtype)
    wide, one, eps = x.astype(np.longdouble), np.eye(size), np.finfo(dtype).eps
    inverses = np.linalg.inv(x), np.asarray(xp.linalg.inv(xp.asarray(x)))
    theirs, ours = (worst(wide @ inverse.astype(np.longdouble) - one) for inverse in inverses)
    assert ours <= 2 * theirs + eps

    symmetric = (x @ x.T / size + one).astype(dtype)
    given = symmetric.copy()
    lower = np.asarray(xp.linalg.cholesky(xp.asarray(given)))
    factors = (factor.astype(np.longdouble) for factor in (np.linalg.cholesky(symmetric), lower))
    theirs, ours = (worst(factor @ factor.T - symmetric) for factor in factors)
    assert ours <= 2 * theirs
    assert np.array_equal(lower, np.tril(lower))
    upper = np.asarray(xp.linalg.cholesky(xp.asarray(given), upper=True))
    assert np.allclose(upper, lower.T, rtol=1e-4 if dtype == "float32" else 1e-12, atol=1e-6)
    assert np.array_equal(given, symmetric)

    scaled = (x * 1.6 / np.sqrt(size)).astype(dtype)  # so that the determinant is in range
    sign, logarithm = np.linalg.slogdet(scaled.astype(np.float64))
    determinant = float(xp.linalg.det(xp.asarray(scaled)))
    tolerance = 1e-6 if dtype == "float32" else 1e-10
    assert math.isclose(determinant, sign * math.exp(logarithm), rel_tol=tolerance)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(256, 256), (300, 257), (257, 300)], ids=str)
def test_large_matrices_have_an_orthogonal_factor(shape: tuple[int, int], dtype: str):
    x = np.random.default_rng(1).standard_normal(shape).astype(dtype)
    q, r = (np.asarray(part) for part in xp.linalg.qr(xp.asarray(x)))
    theirs = np.linalg.qr(x)
    order = min(shape)
    assert q.shape == (shape[0], order)
    assert r.shape == (order, shape[1])
    assert q.dtype == r.dtype == x.dtype
    assert np.array_equal(r, np.triu(r))
    for ours, other in ((q, theirs[0]), (r, theirs[1])):
        assert np.allclose(ours, other, rtol=0, atol=2e-4 if dtype == "float32" else 1e-11)
    wide = q.astype(np.longdouble)
    limit = 8 * np.finfo(dtype).eps
    assert worst(wide.T @ wide - np.eye(order)) <= limit
    assert worst(wide @ r.astype(np.longdouble) - x) <= 20 * limit


def test_large_determinants_leave_the_range_only_if_they_must():
    size = 2 * large_matrices.GROUP
    numbers = np.repeat([1e-300, 1e300, -2.0], [300, 300, size - 600])
    matrix = np.diag(numbers)
    expected = (-2.0) ** (size - 600)
    assert math.isclose(float(xp.linalg.det(xp.asarray(matrix))), expected, rel_tol=1e-10)
    assert float(xp.linalg.det(xp.asarray(np.diag(np.full(size, 10.0))))) == math.inf
    assert float(xp.linalg.det(xp.asarray(np.diag(np.full(size, 0.1))))) == 0.0
    assert math.isnan(float(xp.linalg.det(xp.asarray(np.full((300, 300), np.nan)))))


def test_large_matrices_that_have_no_result_are_refused():
    singular = np.zeros((300, 300))
    with pytest.raises(ValueError, match="a matrix is singular"):
        xp.linalg.inv(xp.asarray(singular))
    with pytest.raises(ValueError, match="not positive definite"):
        xp.linalg.cholesky(xp.asarray(-np.eye(300)))
