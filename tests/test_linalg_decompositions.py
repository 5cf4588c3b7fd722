"""Cholesky, QR, eigenvalues and singular values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matrices import (
    FLOATING,
    SHAPES,
    STACKS,
    adjoint,
    as_parts,
    assert_close,
    assert_orthonormal,
    numbers,
    positive_definite,
    real_dtype,
)

import numr_api as xp
from numr_api import linalg


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_cholesky_factor_times_its_adjoint_is_the_matrix(
    dtype: str, stack: tuple[int, ...], size: int
) -> None:
    x = positive_definite((*stack, size, size), dtype)
    lower = linalg.cholesky(xp.asarray(x))
    assert lower.dtype == np.dtype(dtype)
    factor = np.asarray(lower)
    assert np.array_equal(factor, np.tril(factor))
    assert_close(factor @ adjoint(factor), x, dtype)


@pytest.mark.parametrize("dtype", FLOATING)
def test_upper_cholesky_factor_is_the_adjoint_of_the_lower_one(dtype: str) -> None:
    x = positive_definite((2, 4, 4), dtype)
    x[..., 0, 1] += 1  # not Hermitian: the upper triangle must not matter
    lower, upper = linalg.cholesky(xp.asarray(x)), linalg.cholesky(xp.asarray(x), upper=True)
    assert np.array_equal(np.asarray(upper), adjoint(lower))


@pytest.mark.parametrize("function", [linalg.cholesky, linalg.eigvalsh, linalg.eigh])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_only_the_lower_triangle_is_read(function: Any, dtype: str) -> None:
    x = positive_definite((4, 4), dtype)
    spoilt = np.tril(x) + np.triu(np.full((4, 4), 77.0), 1)
    for left, right in zip(
        as_parts(function(xp.asarray(x))), as_parts(function(xp.asarray(spoilt))), strict=True
    ):
        assert np.array_equal(np.asarray(left), np.asarray(right))


def test_cholesky_of_an_indefinite_matrix_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^linalg\.cholesky: a matrix is not positive definite$"):
        linalg.cholesky(xp.asarray([[1.0, 2.0], [2.0, 1.0]]))


@pytest.mark.parametrize("mode", ["reduced", "complete"])
@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_qr_is_orthonormal_times_triangular(
    mode: Any, dtype: str, stack: tuple[int, ...], shape: tuple[int, int]
) -> None:
    x = numbers((*stack, *shape), dtype)
    result = linalg.qr(xp.asarray(x), mode=mode)
    assert result._fields == ("Q", "R")
    assert result.Q.dtype == result.R.dtype == np.dtype(dtype)
    inner = shape[0] if mode == "complete" else min(shape)
    assert result.Q.shape == (*stack, shape[0], inner)
    assert result.R.shape == (*stack, inner, shape[1])
    q, r = np.asarray(result.Q), np.asarray(result.R)
    assert np.array_equal(r, np.triu(r))
    assert np.all(np.diagonal(r, axis1=-2, axis2=-1).imag == 0)
    assert_orthonormal(q, dtype)
    assert_close(q @ r, x, dtype)


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_svd_is_orthonormal_factors_and_descending_values(
    full: bool, dtype: str, stack: tuple[int, ...], shape: tuple[int, int]
) -> None:
    x = numbers((*stack, *shape), dtype)
    result = linalg.svd(xp.asarray(x), full_matrices=full)
    assert result._fields == ("U", "S", "Vh")
    assert result.U.dtype == result.Vh.dtype == np.dtype(dtype)
    assert result.S.dtype == np.dtype(real_dtype(dtype))
    inner = min(shape)
    assert result.U.shape == (*stack, shape[0], shape[0] if full else inner)
    assert result.S.shape == (*stack, inner)
    assert result.Vh.shape == (*stack, shape[1] if full else inner, shape[1])
    u, s, vh = (np.asarray(part) for part in as_parts(result))
    assert np.all(s[..., :-1] >= s[..., 1:])
    assert np.all(s >= 0)
    assert_orthonormal(u, dtype)
    assert_orthonormal(adjoint(vh), dtype)
    assert_close(u[..., :inner] * s[..., None, :] @ vh[..., :inner, :], x, dtype)


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("shape", [*SHAPES, (2, 3, 4), (0, 2, 2)], ids=str)
def test_svdvals_are_the_singular_values_of_svd(dtype: str, shape: tuple[int, ...]) -> None:
    x = xp.asarray(numbers(shape, dtype))
    values = linalg.svdvals(x)
    assert values.dtype == np.dtype(real_dtype(dtype))
    assert_close(values, linalg.svd(x).S, dtype)


def test_singular_values_of_a_diagonal_matrix_are_its_absolute_values_in_order() -> None:
    values = linalg.svdvals(xp.asarray(np.diag([1.0, -3.0, 2.0])))
    assert np.asarray(values).tolist() == [3.0, 2.0, 1.0]


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("size", [0, 1, 4])
def test_eigh_diagonalises_with_orthonormal_vectors(
    dtype: str, stack: tuple[int, ...], size: int
) -> None:
    x = positive_definite((*stack, size, size), dtype)
    result = linalg.eigh(xp.asarray(x))
    assert result._fields == ("eigenvalues", "eigenvectors")
    assert result.eigenvalues.dtype == np.dtype(real_dtype(dtype))
    assert result.eigenvectors.dtype == np.dtype(dtype)
    values, vectors = (np.asarray(part) for part in as_parts(result))
    assert np.all(values[..., :-1] <= values[..., 1:])
    assert_orthonormal(vectors, dtype)
    assert_close(vectors * values[..., None, :] @ adjoint(vectors), x, dtype)
    assert_close(linalg.eigvalsh(xp.asarray(x)), values, dtype)


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("size", [0, 1, 4])
def test_eig_gives_eigenvectors_of_length_one(
    dtype: str, stack: tuple[int, ...], size: int
) -> None:
    x = numbers((*stack, size, size), dtype)
    result = linalg.eig(xp.asarray(x))
    assert result._fields == ("eigenvalues", "eigenvectors")
    assert result.eigenvalues.dtype == result.eigenvectors.dtype == np.result_type(dtype, "c8")
    assert result.eigenvalues.shape == x.shape[:-1]
    assert result.eigenvectors.shape == x.shape
    values, vectors = (np.asarray(part) for part in as_parts(result))
    assert_close(np.linalg.norm(vectors, axis=-2), np.ones(values.shape), dtype)
    assert_close(x @ vectors, vectors * values[..., None, :], dtype)
    only = linalg.eigvals(xp.asarray(x))
    assert only.dtype == result.eigenvalues.dtype
    assert_close(np.sort_complex(np.asarray(only)), np.sort_complex(values), dtype, factor=500)


def test_eigenvalues_of_a_real_matrix_are_complex_even_if_they_are_real() -> None:
    assert linalg.eigvals(xp.asarray([[2.0, 0.0], [0.0, 3.0]])).dtype == xp.complex128
    assert linalg.eig(xp.eye(2, dtype=xp.float32)).eigenvectors.dtype == xp.complex64


def test_eigenvalues_of_a_rotation_are_a_conjugate_pair() -> None:
    values = np.asarray(linalg.eigvals(xp.asarray([[0.0, -1.0], [1.0, 0.0]])))
    assert sorted(values.tolist(), key=lambda z: z.imag) == [-1j, 1j]
