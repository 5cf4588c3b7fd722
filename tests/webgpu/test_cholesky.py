"""cholesky on webgpu: shapes, layouts and dtypes; what is not read, and what has no factor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numr_api as xp

HostArray = Any
DTYPES = ("float32", "complex64", "float64", "complex128")
SIZES = (1, 2, 3, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 200)
NO_FACTOR = "cholesky: a matrix is not positive definite"


def needs(backend: Any, dtype: str) -> None:
    if getattr(xp, dtype) not in backend.dtypes:
        pytest.skip(f"no {dtype}")


def wide(a: HostArray) -> HostArray:
    return a.astype("complex128" if a.dtype.kind == "c" else "float64")


def adjoint(a: HostArray) -> HostArray:
    return np.swapaxes(a.conj(), -1, -2)


def random_matrix(shape: tuple[int, ...], dtype: str, seed: int = 1) -> HostArray:
    random = np.random.default_rng(seed)
    found = random.standard_normal(shape)
    if dtype.startswith("complex"):
        found = found + 1j * random.standard_normal(shape)
    return np.asarray(found)


def definite(shape: tuple[int, ...], dtype: str, condition: float = 100) -> HostArray:
    """Matrices with eigenvalues between 1 and 1 / condition."""
    vectors = np.linalg.qr(random_matrix(shape, dtype))[0]
    values = np.geomspace(1, 1 / condition, shape[-1])
    return ((vectors * values) @ adjoint(vectors)).astype(dtype)


def assert_factor(a: HostArray, lower: HostArray) -> None:
    """Errors are compared to the diagonal, so that small rows are as right as large ones."""
    assert lower.shape == a.shape
    assert lower.dtype == a.dtype
    assert np.all(np.triu(lower, 1) == 0)
    diagonal = np.diagonal(lower, axis1=-2, axis2=-1)
    assert np.all(diagonal.imag == 0)
    assert np.all(diagonal.real > 0)
    eps = float(np.finfo(a.dtype).eps)
    a, lower = wide(a), wide(lower)
    a = np.tril(a) + adjoint(np.tril(a, -1))
    sizes = np.sqrt(np.abs(np.diagonal(a, axis1=-2, axis2=-1)))
    errors = np.abs(lower @ adjoint(lower) - a) / (sizes[..., None] * sizes[..., None, :])
    assert errors.max(initial=0) <= eps * (4 + a.shape[-1] ** 0.5 / 2)


@pytest.fixture
def factored(put: Callable[[Any], Any], get: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda a, **options: get(xp.linalg.cholesky(put(a), **options))


@pytest.mark.parametrize("dtype", DTYPES)
def test_factors_of_any_size(backend: Any, factored: Any, dtype: str) -> None:
    needs(backend, dtype)
    for n in SIZES:
        a = definite((n, n), dtype)
        assert_factor(a, factored(a))


@pytest.mark.parametrize("dtype", DTYPES)
def test_stacks(backend: Any, factored: Any, dtype: str) -> None:
    needs(backend, dtype)
    for shape in ((3, 4, 4), (2, 2, 5, 5), (3, 40, 40), (2, 1, 2, 34, 34), (300, 2, 2)):
        a = definite(shape, dtype)
        assert_factor(a, factored(a))


@pytest.mark.parametrize("dtype", DTYPES)
def test_factors_of_integers_are_exact(backend: Any, factored: Any, dtype: str) -> None:
    needs(backend, dtype)
    for n in (2, 20, 50):
        random = np.random.default_rng(n)
        lower = np.tril(random.integers(-3, 4, (n, n)), -1).astype(dtype)
        if dtype.startswith("complex"):
            lower += 1j * np.tril(random.integers(-3, 4, (n, n)), -1)
        np.fill_diagonal(lower, 2.0 ** random.integers(-2, 3, n))
        np.testing.assert_array_equal(factored(lower @ adjoint(lower)), lower)


@pytest.mark.parametrize("dtype", DTYPES)
def test_only_the_lower_triangle_is_read(backend: Any, factored: Any, dtype: str) -> None:
    needs(backend, dtype)
    for n in (3, 50):
        a = definite((n, n), dtype)
        changed = a.copy()
        changed[np.triu_indices(n, 1)] = np.nan
        if dtype.startswith("complex"):
            np.fill_diagonal(changed, np.diagonal(a).real + 5j)
            np.fill_diagonal(a, np.diagonal(a).real)
        np.testing.assert_array_equal(factored(changed), factored(a))
        assert_factor(a, factored(changed))
        upper = factored(changed, upper=True)
        np.testing.assert_array_equal(upper, adjoint(factored(a)))


@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_views(backend: Any, put: Any, get: Any, dtype: str, n: int) -> None:
    del backend
    whole = np.zeros((3, 2, 2 * n, 2 * n), dtype)
    parts: list[Any] = [
        np.s_[:, :, n:, :n], np.s_[::-1, 1:, ::2, ::2], np.s_[1, 1, ::-2, ::-2],
        np.s_[::2, 0, :n, :n],
    ]  # fmt: skip
    for part in parts:
        whole[part] = definite(whole[part].shape, dtype)
        factor = get(xp.linalg.cholesky(put(whole)[part]))
        assert_factor(whole[part], factor)
    turned = get(xp.linalg.cholesky(xp.matrix_transpose(put(whole)[::2, 0, :n, :n])))
    np.testing.assert_allclose(turned, factor.conj(), rtol=1e-4, atol=1e-5)
    repeated = get(xp.linalg.cholesky(xp.broadcast_to(put(whole)[0, 0, :n, :n], (2, 3, n, n))))
    np.testing.assert_array_equal(repeated, np.broadcast_to(factor[0], (2, 3, n, n)))


def test_the_operand_stays_as_it_is(put: Any, get: Any) -> None:
    for n in (4, 40):
        a = definite((n, n), "float32")
        x = put(a)
        xp.linalg.cholesky(x)
        np.testing.assert_array_equal(get(x), a)


@pytest.mark.parametrize("dtype", DTYPES)
def test_ill_conditioned_and_graded_matrices(backend: Any, factored: Any, dtype: str) -> None:
    needs(backend, dtype)
    single = dtype in ("float32", "complex64")
    for n in (10, 60):
        a = definite((n, n), dtype, 1e5 if single else 1e12)
        assert_factor(a, factored(a))
        sizes = np.geomspace(1, 1e-8 if single else 1e-100, n)
        a = (definite((n, n), dtype) * sizes * sizes[:, None]).astype(dtype)
        assert_factor(a, factored(a))


@pytest.mark.parametrize("dtype", DTYPES)
def test_matrices_that_are_not_positive_definite(backend: Any, factored: Any, dtype: str) -> None:
    needs(backend, dtype)
    for n in (1, 5, 32, 33, 70):
        good = definite((n, n), dtype)
        negative, indefinite, nan = good.copy(), good.copy(), good.copy()
        negative[0, 0] = -1
        indefinite[n - 1, n - 1] = -1
        nan[n - 1, 0] = np.nan
        for a in (negative, indefinite, nan, np.zeros((n, n), dtype)):
            with pytest.raises(ValueError, match=NO_FACTOR):
                factored(a)
            with pytest.raises(ValueError, match=NO_FACTOR):
                factored(np.stack([good, a, good]))
        assert_factor(good, factored(good))


def test_factors_by_hand(factored: Any) -> None:
    a = np.asarray([[4, 99], [2, 5]], "float32")
    np.testing.assert_array_equal(factored(a), [[2, 0], [1, 2]])
    a = np.asarray([[4, 99], [2 + 4j, 9]], "complex64")
    np.testing.assert_array_equal(factored(a), [[2, 0], [1 + 2j, 2]])
    np.testing.assert_array_equal(factored(a, upper=True), [[2, 1 - 2j], [0, 2]])


@pytest.mark.parametrize("shape", [(0, 0), (3, 0, 0), (0, 4, 4), (2, 0, 40, 40)])
def test_matrices_without_elements(factored: Any, shape: tuple[int, ...]) -> None:
    assert factored(np.zeros(shape, "float32")).shape == shape
