"""The linalg extension: values, shapes, dtypes and refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api import linalg

FLOATING = ["float32", "float64", "complex64", "complex128"]
STACKS = [(), (2,), (2, 3), (0,)]
SHAPES = [(3, 3), (5, 2), (2, 5), (1, 1), (0, 0), (0, 3), (3, 0)]

# What each function needs: one matrix of the given sort.
SQUARE: dict[str, Callable[..., Any]] = {
    "cholesky": linalg.cholesky,
    "det": linalg.det,
    "eig": linalg.eig,
    "eigh": linalg.eigh,
    "eigvals": linalg.eigvals,
    "eigvalsh": linalg.eigvalsh,
    "inv": linalg.inv,
    "matrix_power": lambda x: linalg.matrix_power(x, 1),
    "slogdet": linalg.slogdet,
    "solve": lambda x: linalg.solve(x, x),
}
RECTANGULAR: dict[str, Callable[..., Any]] = {
    "matrix_norm": linalg.matrix_norm,
    "matrix_rank": linalg.matrix_rank,
    "pinv": linalg.pinv,
    "qr": linalg.qr,
    "svd": linalg.svd,
    "svdvals": linalg.svdvals,
}
OTHER: dict[str, Callable[..., Any]] = {
    "cross": lambda x: linalg.cross(x, x[..., ::-1]),
    "diagonal": linalg.diagonal,
    "trace": linalg.trace,
    "vector_norm": linalg.vector_norm,
}
FUNCTIONS = SQUARE | RECTANGULAR | OTHER


def numbers(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray[Any, Any]:
    """Random numbers, about normal."""
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return np.asarray(values, dtype=dtype)


def positive_definite(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    x = numbers(shape, dtype)
    return x @ adjoint(x) + np.eye(shape[-1], dtype=dtype)


def adjoint(x: Any) -> np.ndarray[Any, Any]:
    return np.conj(np.swapaxes(np.asarray(x), -1, -2))


def real_dtype(dtype: str) -> str:
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def assert_close(actual: Any, expected: Any, dtype: str, factor: float = 50) -> None:
    """Equal up to ``factor`` roundings relative to the largest element."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    if expected.size:
        error = np.max(np.abs(actual.astype(complex) - expected))
        assert error <= factor * np.finfo(dtype).eps * max(np.max(np.abs(expected)), 1e-30)


def assert_orthonormal(columns: Any, dtype: str) -> None:
    columns = np.asarray(columns)
    identity = np.broadcast_to(
        np.eye(columns.shape[-1]), (*columns.shape[:-2], columns.shape[-1], columns.shape[-1])
    )
    assert_close(adjoint(columns) @ columns, identity, dtype)


def parts(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


# Decompositions


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
        parts(function(xp.asarray(x))), parts(function(xp.asarray(spoilt))), strict=True
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
    u, s, vh = (np.asarray(part) for part in result)
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
    values, vectors = (np.asarray(part) for part in result)
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
    values, vectors = (np.asarray(part) for part in result)
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


# Determinants, inverses and systems


def exact_determinant(rows: list[list[int]]) -> Fraction:
    """By elimination in rational numbers."""
    matrix = [[Fraction(number) for number in row] for row in rows]
    result = Fraction(1)
    for k in range(len(matrix)):
        pivot = next((i for i in range(k, len(matrix)) if matrix[i][k]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            matrix[k], matrix[pivot] = matrix[pivot], matrix[k]
            result = -result
        result *= matrix[k][k]
        for row in matrix[k + 1 :]:
            factor = row[k] / matrix[k][k]
            row[k:] = [a - factor * b for a, b in zip(row[k:], matrix[k][k:], strict=True)]
    return result


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_det_of_integers_agrees_with_rational_elimination(dtype: str, size: int) -> None:
    matrices = np.random.default_rng(size).integers(-9, 10, (5, size, size))
    exact = [float(exact_determinant(matrix.tolist())) for matrix in matrices]
    x = xp.asarray(matrices.astype(dtype))
    scale = 9.0**size  # of the rounding errors on the way
    assert linalg.det(x).dtype == np.dtype(dtype)
    np.testing.assert_allclose(
        np.asarray(linalg.det(x)), exact, rtol=np.finfo(dtype).eps, atol=1e-14 * scale
    )
    sign, logabsdet = linalg.slogdet(x)
    again = np.asarray(sign, dtype="f8") * np.exp(np.asarray(logabsdet, dtype="f8"))
    np.testing.assert_allclose(again, exact, rtol=50 * np.finfo(dtype).eps, atol=1e-13 * scale)


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("stack", [(), (2,), (0,)])
def test_determinant_of_empty_matrices_is_one(dtype: str, stack: tuple[int, ...]) -> None:
    x = xp.zeros((*stack, 0, 0), dtype=getattr(xp, dtype))
    assert np.array_equal(np.asarray(linalg.det(x)), np.ones(stack))
    sign, logabsdet = linalg.slogdet(x)
    assert np.array_equal(np.asarray(sign), np.ones(stack))
    assert np.array_equal(np.asarray(logabsdet), np.zeros(stack))


def test_slogdet_does_not_overflow_where_det_does() -> None:
    x = xp.asarray(np.diag([-1e200, 1e200]))
    assert float(linalg.det(x)) == -math.inf
    result = linalg.slogdet(x)
    assert result._fields == ("sign", "logabsdet")
    assert float(result.sign) == -1
    assert float(result.logabsdet) == pytest.approx(400 * math.log(10), rel=1e-15)


def test_float32_determinant_that_overflows_is_infinite() -> None:
    assert float(linalg.det(xp.asarray(np.diag([1e30, 1e30]).astype("f4")))) == math.inf


@pytest.mark.parametrize("dtype", FLOATING)
def test_slogdet_of_a_singular_matrix_is_zero_and_minus_infinity(dtype: str) -> None:
    sign, logabsdet = linalg.slogdet(xp.ones((2, 2), dtype=getattr(xp, dtype)))
    assert complex(sign) == 0
    assert sign.dtype == np.dtype(dtype)
    assert float(logabsdet) == -math.inf
    assert logabsdet.dtype == np.dtype(real_dtype(dtype))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_sign_of_a_complex_determinant_has_length_one(dtype: str) -> None:
    sign, logabsdet = linalg.slogdet(xp.asarray(np.diag([3j, 4j, 1]).astype(dtype)))
    assert complex(sign) == pytest.approx(-1)
    assert float(logabsdet) == pytest.approx(math.log(12), rel=1e-6)


def test_inverse_of_a_hilbert_matrix_is_its_known_integers() -> None:
    n = 6
    hilbert = [[1 / (i + j + 1) for j in range(n)] for i in range(n)]
    inverse = [
        [
            (-1) ** (i + j)
            * (i + j + 1)
            * math.comb(n + i, n - j - 1)
            * math.comb(n + j, n - i - 1)
            * math.comb(i + j, i) ** 2
            for j in range(n)
        ]
        for i in range(n)
    ]
    condition = 1.5e7
    np.testing.assert_allclose(
        np.asarray(linalg.inv(xp.asarray(hilbert))), inverse, rtol=condition * 2.3e-16
    )


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("size", [0, 1, 5])
def test_matrix_times_its_inverse_is_the_identity(
    dtype: str, stack: tuple[int, ...], size: int
) -> None:
    x = positive_definite((*stack, size, size), dtype)
    inverse = linalg.inv(xp.asarray(x))
    assert inverse.dtype == np.dtype(dtype)
    identity = np.broadcast_to(np.eye(size), x.shape)
    assert_close(x @ np.asarray(inverse), identity, dtype, factor=1000)


@pytest.mark.parametrize("function", ["inv", "solve", "det", "svdvals", "eigvalsh", "cholesky"])
def test_single_precision_is_rounded_once_from_double(function: str) -> None:
    x = positive_definite((30, 30), "float32")
    single = np.asarray(FUNCTIONS[function](xp.asarray(x)))
    double = np.asarray(FUNCTIONS[function](xp.asarray(x.astype("f8"))))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, double, rtol=2**-23, atol=1e-12)


@pytest.mark.parametrize(
    ("shape1", "shape2", "expected"),
    [
        ((2, 2), (2,), (2,)),
        ((3, 2, 2), (2,), (3, 2)),
        ((2, 2), (2, 4), (2, 4)),
        ((2, 2, 2), (2, 2), (2, 2, 2)),
        ((3, 1, 2, 2), (5, 2, 4), (3, 5, 2, 4)),
        ((2, 2), (2, 0), (2, 0)),
        ((0, 0), (0,), (0,)),
        ((0, 2, 2), (2, 3), (0, 2, 3)),
    ],
    ids=str,
)
def test_solve_broadcasts_stacks_and_takes_one_axis_as_a_vector(
    shape1: tuple[int, ...], shape2: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    a, b = positive_definite(shape1, "float64"), numbers(shape2, "float64", 1)
    solution = linalg.solve(xp.asarray(a), xp.asarray(b))
    assert solution.shape == expected
    x = np.asarray(solution)
    product = (a @ x[..., None])[..., 0] if len(shape2) == 1 else a @ x
    assert_close(product, np.broadcast_to(b, product.shape), "float64")


@pytest.mark.parametrize(
    ("first", "second", "promoted"),
    [("float32", "float64", "float64"), ("float64", "complex64", "complex128")],
)
def test_solve_promotes(first: str, second: str, promoted: str) -> None:
    for one, other in ((first, second), (second, first)):
        a, b = positive_definite((2, 2), one), numbers((2, 1), other)
        solution = linalg.solve(xp.asarray(a), xp.asarray(b))
        assert solution.dtype == np.dtype(promoted)
        assert_close(a @ np.asarray(solution), b, first)


@pytest.mark.parametrize("shape", [(), (3,), (3, 2), (2, 3, 2)], ids=str)
def test_solve_refuses_right_hand_sides_that_do_not_fit(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"^linalg\.solve: right-hand sides of shape"):
        linalg.solve(xp.eye(2), xp.ones(shape))


def test_solve_refuses_stacks_that_do_not_broadcast() -> None:
    with pytest.raises(ValueError, match=r"^linalg\.solve: shapes .* do not broadcast"):
        linalg.solve(xp.ones((2, 1, 1)), xp.ones((3, 1, 1)))


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("inv", linalg.inv),
        ("solve", lambda x: linalg.solve(x, xp.ones(2))),
        ("matrix_power", lambda x: linalg.matrix_power(x, -2)),
    ],
)
def test_singular_matrix_is_refused_also_in_a_stack(name: str, call: Callable[..., Any]) -> None:
    for x in (np.ones((2, 2)), np.stack([np.eye(2), np.zeros((2, 2))])):
        with pytest.raises(ValueError, match=rf"^linalg\.{name}: a matrix is singular$") as caught:
            call(xp.asarray(x))
        assert type(caught.value) is ValueError


@pytest.mark.parametrize("n", range(1, 40))
def test_powers_of_the_fibonacci_matrix_are_exact(n: int) -> None:
    fibonacci = [0, 1]
    while len(fibonacci) < n + 2:
        fibonacci.append(fibonacci[-2] + fibonacci[-1])
    power = linalg.matrix_power(xp.asarray([[1.0, 1.0], [1.0, 0.0]]), n)
    expected = [[fibonacci[n + 1], fibonacci[n]], [fibonacci[n], fibonacci[n - 1]]]
    assert np.asarray(power).tolist() == expected


@pytest.mark.parametrize("dtype", FLOATING)
def test_negative_power_is_a_power_of_the_inverse(dtype: str) -> None:
    x = positive_definite((2, 3, 3), dtype)
    expected = np.linalg.matrix_power(np.linalg.inv(x.astype(complex)), 3)
    power = linalg.matrix_power(xp.asarray(x), -3)
    assert power.dtype == np.dtype(dtype)
    assert_close(power, expected, dtype, factor=1000)


def test_power_zero_is_the_identity_whatever_the_matrix() -> None:
    power = linalg.matrix_power(xp.full((2, 3, 3), math.nan, dtype=xp.float32), 0)
    assert power.dtype == xp.float32
    assert np.array_equal(np.asarray(power), np.broadcast_to(np.eye(3), (2, 3, 3)))
    power[0, 0, 0] = 5.0  # its own memory, each matrix
    assert float(power[1, 0, 0]) == 1.0


@pytest.mark.parametrize("n", [1.0, True, "2", None])
def test_power_that_is_no_integer_is_refused(n: Any) -> None:
    with pytest.raises(TypeError, match=r"^linalg\.matrix_power: n must be an integer"):
        linalg.matrix_power(xp.eye(2), n)


# Rank and pseudo-inverse


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_rank_of_a_product_is_its_inner_length(dtype: str, rank: int) -> None:
    x = numbers((2, 5, rank), dtype) @ numbers((2, rank, 3), dtype, 1)
    ranks = linalg.matrix_rank(xp.asarray(x))
    assert ranks.dtype == xp.int64
    assert np.asarray(ranks).tolist() == [rank, rank]


def test_singular_values_of_at_most_rtol_times_the_largest_do_not_count() -> None:
    x = xp.asarray(np.stack([np.diag([4.0, 2.0, 1.0])] * 2))
    assert np.asarray(linalg.matrix_rank(x, rtol=0.25)).tolist() == [2, 2]
    assert np.asarray(linalg.matrix_rank(x, rtol=0)).tolist() == [3, 3]
    assert np.asarray(linalg.matrix_rank(x, rtol=xp.asarray([0.1, 0.5]))).tolist() == [3, 1]
    assert np.asarray(linalg.matrix_rank(x, rtol=xp.asarray(1.0))).tolist() == [0, 0]
    inverses = np.asarray(linalg.pinv(x, rtol=xp.asarray([0.1, 0.5])))
    np.testing.assert_allclose(inverses[0], np.diag([0.25, 0.5, 1.0]), rtol=1e-15)
    np.testing.assert_allclose(inverses[1], np.diag([0.25, 0.0, 0.0]), rtol=1e-15)


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3), (2, 4, 3)], ids=str)
@pytest.mark.parametrize("deficient", [False, True])
def test_pinv_meets_the_four_conditions_of_penrose(
    dtype: str, shape: tuple[int, ...], deficient: bool
) -> None:
    x = numbers(shape, dtype)
    if deficient:
        x[..., -1] = x[..., 0]
    inverse = linalg.pinv(xp.asarray(x))
    assert inverse.dtype == np.dtype(dtype)
    p = np.asarray(inverse)
    assert_close(x @ p @ x, x, dtype, factor=500)
    assert_close(p @ x @ p, p, dtype, factor=500)
    assert_close(adjoint(x @ p), x @ p, dtype, factor=500)
    assert_close(adjoint(p @ x), p @ x, dtype, factor=500)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 0, 3), (0, 2, 3)], ids=str)
def test_empty_matrices_have_rank_zero_and_an_empty_pinv(shape: tuple[int, ...]) -> None:
    x = xp.zeros(shape, dtype=xp.complex64)
    assert np.array_equal(np.asarray(linalg.matrix_rank(x)), np.zeros(shape[:-2]))
    inverse = linalg.pinv(x)
    assert inverse.shape == (*shape[:-2], shape[-1], shape[-2])
    assert inverse.dtype == xp.complex64


def test_pinv_of_zeros_is_zeros() -> None:
    assert np.array_equal(np.asarray(linalg.pinv(xp.zeros((2, 3)))), np.zeros((3, 2)))


@pytest.mark.parametrize("function", [linalg.matrix_rank, linalg.pinv])
@pytest.mark.parametrize(
    ("rtol", "error", "message"),
    [
        (True, TypeError, "rtol must be a float or a real floating-point array, got True"),
        (1j, TypeError, "rtol must be a float"),
        ("1", TypeError, "expected a numr_api array or a Python scalar"),
        (xp.asarray(1), TypeError, "needs a real floating-point dtype, got int64"),
        (xp.ones(4), ValueError, "do not broadcast together"),
        (xp.ones((2, 3)), ValueError, r"rtol of shape \(2, 3\) does not broadcast to \(3,\)"),
    ],
    ids=str,
)
def test_wrong_rtol_is_refused(
    function: Any, rtol: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=rf"^linalg\.{function.__name__}.*{message}"):
        function(xp.ones((3, 2, 2)), rtol=rtol)


# Products, diagonals and traces


@pytest.mark.parametrize(
    ("shape1", "shape2", "axis"),
    [
        ((3,), (3,), -1),
        ((2, 3), (3,), -1),
        ((4, 1, 3), (5, 3), -1),
        ((4, 3, 1), (3, 5), -2),
        ((0, 3), (3,), -1),
    ],
    ids=str,
)
def test_cross_agrees_with_its_formula(
    shape1: tuple[int, ...], shape2: tuple[int, ...], axis: int
) -> None:
    a, b = numbers(shape1, "float64"), numbers(shape2, "complex128", 1)
    result = linalg.cross(xp.asarray(a), xp.asarray(b), axis=axis)
    assert result.shape == np.broadcast_shapes(shape1, shape2)
    assert result.dtype == xp.complex128
    expected = np.cross(np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1))
    np.testing.assert_allclose(np.moveaxis(np.asarray(result), axis, -1), expected, rtol=1e-13)


def test_cross_of_axes_is_the_third_axis_in_integers() -> None:
    x, y = xp.asarray([1, 0, 0], dtype=xp.int8), xp.asarray([0, 1, 0], dtype=xp.int16)
    result = linalg.cross(x, y)
    assert result.dtype == xp.int16
    assert np.asarray(result).tolist() == [0, 0, 1]


@pytest.mark.parametrize("axis", [0, 1, -3])
def test_cross_refuses_an_axis_that_is_not_counted_from_the_end(axis: int) -> None:
    with pytest.raises(IndexError, match=r"^linalg\.cross: axis must be from -1 to -1, got"):
        linalg.cross(xp.ones((3, 3)), xp.ones(3), axis=axis)


@pytest.mark.parametrize(("shape1", "shape2"), [((2,), (3,)), ((1,), (3,)), ((4,), (4,))])
def test_cross_refuses_vectors_of_another_length(
    shape1: tuple[int, ...], shape2: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match=r"^linalg\.cross: vectors must have 3 elements, got"):
        linalg.cross(xp.ones(shape1), xp.ones(shape2))


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "complex128"])
@pytest.mark.parametrize("lengths", [(2, 3), (0, 2), (1, 0)])
def test_outer_multiplies_each_with_each(dtype: str, lengths: tuple[int, int]) -> None:
    a, b = (np.arange(1, n + 1, dtype=dtype) for n in lengths)
    result = linalg.outer(xp.asarray(a), xp.asarray(b))
    assert result.dtype == np.dtype(dtype)
    assert result.shape == lengths
    assert np.asarray(result).tolist() == [[i * j for j in b.tolist()] for i in a.tolist()]


@pytest.mark.parametrize("shape", [(), (2, 2)], ids=str)
def test_outer_refuses_anything_but_vectors(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"^linalg\.outer: needs two vectors, got shapes"):
        linalg.outer(xp.ones(shape), xp.ones(2))


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (2, 3, 4), (0, 3), (3, 0), (0, 2, 2)])
@pytest.mark.parametrize("offset", range(-6, 7))
@pytest.mark.parametrize("order", ["contiguous", "transposed", "reversed"])
def test_diagonal_and_trace_at_every_offset(
    shape: tuple[int, ...], offset: int, order: str
) -> None:
    x = np.arange(math.prod(shape)).reshape(shape)
    if order == "transposed":
        x = np.swapaxes(x, -1, -2)
    elif order == "reversed":
        x = x[..., ::-1, ::-1]
    rows, columns = x.shape[-2:]
    pairs = [(i, i + offset) for i in range(rows) if 0 <= i + offset < columns]
    expected = np.zeros((*x.shape[:-2], len(pairs)), dtype=x.dtype)
    for k, (i, j) in enumerate(pairs):
        expected[..., k] = x[..., i, j]
    diagonal = linalg.diagonal(xp.asarray(x), offset=offset)
    assert diagonal.shape == expected.shape
    assert np.array_equal(np.asarray(diagonal), expected)
    trace = linalg.trace(xp.asarray(x), offset=offset)
    assert np.array_equal(np.asarray(trace), expected.sum(axis=-1))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "complex128"])
def test_diagonal_keeps_every_dtype(dtype: str) -> None:
    diagonal = linalg.diagonal(xp.asarray(np.eye(2, dtype=dtype)))
    assert diagonal.dtype == np.dtype(dtype)
    assert np.asarray(diagonal).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("int8", "int64"), ("uint8", "uint64"), ("int64", "int64"), ("float32", "float32"),
     ("complex64", "complex64")],
)  # fmt: skip
def test_trace_accumulates_as_sum_does(dtype: str, expected: str) -> None:
    trace = linalg.trace(xp.asarray(np.diag([100, 100, 100]).astype(dtype)))
    assert trace.dtype == np.dtype(expected)
    assert complex(trace) == 300


def test_trace_in_a_wider_dtype_does_not_overflow() -> None:
    x = xp.asarray(np.diag([3e38, 3e38]).astype("f4"))
    assert float(linalg.trace(x)) == math.inf
    wide = linalg.trace(x, dtype=xp.float64)
    assert wide.dtype == xp.float64
    assert float(wide) == 2 * float(np.float32(3e38))


def test_trace_refuses_a_dtype_it_cannot_sum_in() -> None:
    with pytest.raises(TypeError, match=r"^linalg\.trace.*bool"):
        linalg.trace(xp.eye(2), dtype=xp.bool)
    with pytest.raises(TypeError, match=r"^linalg\.trace: needs a numeric dtype, got bool"):
        linalg.trace(xp.asarray([[True]]))


# Norms

ORDERS = [1, -1, 2, -2, 3, -3, 0.5, -0.5, 2.5, 100, math.inf, -math.inf, 0]


def exact_norm(values: np.ndarray[Any, Any], order: float) -> float:
    """The norm of nonzero numbers by its formula, in Python floats."""
    sizes = [abs(complex(value)) for value in values.reshape(-1)]
    if order == 0:
        return len(sizes)
    if math.isinf(order):
        return max(sizes) if order > 0 else min(sizes)
    return math.fsum(size**order for size in sizes) ** (1 / order)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", FLOATING)
def test_vector_norm_agrees_with_its_formula(order: float, dtype: str) -> None:
    x = numbers((2, 3, 4), dtype)
    for axis, keepdims in ((None, False), (1, False), ((0, -1), True), ((2, 1, 0), False)):
        norm = linalg.vector_norm(xp.asarray(x), axis=axis, keepdims=keepdims, ord=order)
        axes = (0, 1, 2) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        axes = tuple(a % 3 for a in axes)
        lines = np.moveaxis(x, axes, range(len(axes)))
        lines = lines.reshape(-1, *lines.shape[len(axes) :])
        kept = lines.shape[1:]
        expected = np.array(
            [exact_norm(line, order) for line in lines.reshape(len(lines), -1).T]
        ).reshape(kept)
        if keepdims:
            expected = np.expand_dims(expected, axes)
        assert norm.dtype == np.dtype(real_dtype(dtype))
        assert norm.shape == expected.shape
        np.testing.assert_allclose(
            np.asarray(norm, dtype="f8"), expected, rtol=20 * np.finfo(dtype).eps
        )


@pytest.mark.parametrize("scale", [1.0, 2.0**1000, 2.0**-1000, 2.0**-1072])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_euclidean_norm_is_exact_at_any_scale(scale: float, dtype: str) -> None:
    x = np.array([2, -3, 6], dtype=dtype) * scale
    assert float(linalg.vector_norm(xp.asarray(x))) == 7 * scale
    assert float(linalg.matrix_norm(xp.asarray(x[:, None]))) == 7 * scale


def test_euclidean_norms_of_different_scales_stand_side_by_side() -> None:
    x = np.array([[3, 4], [3e300, 4e300], [3e-300, 4e-300], [0, 0]])
    norms = np.asarray(linalg.vector_norm(xp.asarray(x), axis=1))
    np.testing.assert_allclose(norms, [5, 5e300, 5e-300, 0], rtol=4e-16)


@pytest.mark.parametrize("scale", [2.0**120, 2.0**-147])
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_euclidean_norm_in_single_precision_is_exact_at_any_scale(scale: float, dtype: str) -> None:
    x = (np.array([2, -3, 6]) * scale).astype(dtype)
    assert float(linalg.vector_norm(xp.asarray(x))) == 7 * scale


@pytest.mark.parametrize("order", [3, 0.5, -1, -2, 50])
@pytest.mark.parametrize("scale", [2.0**1000, 2.0**-1000])
def test_other_norms_do_not_overflow_on_the_way(order: float, scale: float) -> None:
    x = np.array([2.0, -3.0, 6.0])
    norm = float(linalg.vector_norm(xp.asarray(x * scale), ord=order))
    assert norm == pytest.approx(exact_norm(x, order) * scale, rel=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_vector_norm_of_special_values(order: float) -> None:
    def norm(*values: float) -> float:
        return float(linalg.vector_norm(xp.asarray(values), ord=order))

    if order > 0:
        assert norm(0.0, 0.0) == 0
        assert norm(1.0, -math.inf) == math.inf
    elif order < 0:
        assert norm(0.0, 1.0) == 0
        assert norm(math.inf, math.inf) == math.inf
    else:
        assert norm(0.0, math.inf, math.nan) == 2
    if order:
        assert math.isnan(norm(1.0, math.nan))


@pytest.mark.parametrize("order", ORDERS)
def test_norm_of_no_elements_is_zero_or_for_negative_orders_infinite(order: float) -> None:
    expected = math.inf if order < 0 else 0.0
    assert float(linalg.vector_norm(xp.zeros(0), ord=order)) == expected
    norms = linalg.vector_norm(xp.zeros((3, 0), dtype=xp.float32), axis=1, ord=order)
    assert norms.dtype == xp.float32
    assert np.asarray(norms).tolist() == [expected] * 3
    assert linalg.vector_norm(xp.zeros((3, 0)), axis=0, ord=order).shape == (0,)


@pytest.mark.parametrize("order", [1, 2, 3, -1, math.inf])
def test_vector_norm_over_no_axes_is_the_absolute_value(order: float) -> None:
    assert float(linalg.vector_norm(xp.asarray(-2.0), ord=order)) == 2
    norms = linalg.vector_norm(xp.asarray([3.0, -4.0]), axis=(), ord=order)
    assert np.asarray(norms).tolist() == [3.0, 4.0]


@pytest.mark.parametrize("order", ["fro", None, "nuc", 1, -1, 2, -2, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (2, 3, 4, 2), (0, 2, 2)], ids=str)
def test_matrix_norm_agrees_with_its_definition(
    order: Any, dtype: str, shape: tuple[int, ...]
) -> None:
    x = numbers(shape, dtype)
    wide = x.astype(complex)
    values = np.linalg.svdvals(wide)
    sizes = np.abs(wide)
    expected = {
        "fro": lambda: np.sqrt((sizes**2).sum((-2, -1))),
        None: lambda: np.sqrt((sizes**2).sum((-2, -1))),
        "nuc": lambda: values.sum(-1),
        1: lambda: sizes.sum(-2).max(-1),
        -1: lambda: sizes.sum(-2).min(-1),
        2: lambda: values[..., 0],
        -2: lambda: values[..., -1],
        math.inf: lambda: sizes.sum(-1).max(-1),
        -math.inf: lambda: sizes.sum(-1).min(-1),
    }[order]()
    norm = linalg.matrix_norm(xp.asarray(x), ord=order)
    assert norm.dtype == np.dtype(real_dtype(dtype))
    np.testing.assert_allclose(np.asarray(norm), expected, rtol=50 * np.finfo(dtype).eps)
    kept = linalg.matrix_norm(xp.asarray(x), ord=order, keepdims=True)
    assert np.array_equal(np.asarray(kept), np.asarray(norm)[..., None, None])


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 0, 3)], ids=str)
@pytest.mark.parametrize("order", ["fro", "nuc", 1, 2, math.inf])
def test_norm_of_an_empty_matrix_is_zero(shape: tuple[int, ...], order: Any) -> None:
    norm = linalg.matrix_norm(xp.zeros(shape), ord=order)
    assert np.array_equal(np.asarray(norm), np.zeros(shape[:-2]))


def test_smallest_of_no_sums_is_infinite() -> None:
    assert float(linalg.matrix_norm(xp.zeros((3, 0)), ord=-1)) == math.inf
    assert float(linalg.matrix_norm(xp.zeros((0, 3)), ord=-1)) == 0
    assert float(linalg.matrix_norm(xp.zeros((0, 3)), ord=-math.inf)) == math.inf
    assert float(linalg.matrix_norm(xp.zeros((0, 3)), ord=-2)) == math.inf


@pytest.mark.parametrize(
    ("function", "order", "error"),
    [
        (linalg.vector_norm, "fro", TypeError),
        (linalg.vector_norm, True, TypeError),
        (linalg.vector_norm, 1j, TypeError),
        (linalg.vector_norm, None, TypeError),
        (linalg.vector_norm, math.nan, ValueError),
        (linalg.matrix_norm, 3, ValueError),
        (linalg.matrix_norm, 0, ValueError),
        (linalg.matrix_norm, "frobenius", ValueError),
        (linalg.matrix_norm, True, TypeError),
    ],
    ids=str,
)
def test_unknown_norm_is_refused(function: Any, order: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=rf"^linalg\.{function.__name__}"):
        function(xp.eye(2), ord=order)


def test_vector_norm_refuses_axes_that_are_not_there() -> None:
    with pytest.raises(IndexError, match=r"^linalg\.vector_norm: axis 2 is out of bounds"):
        linalg.vector_norm(xp.eye(2), axis=2)
    with pytest.raises(ValueError, match=r"^linalg\.vector_norm: an axis is named twice"):
        linalg.vector_norm(xp.eye(2), axis=(0, -2))
    with pytest.raises(TypeError, match=r"^linalg\.vector_norm: keepdims must be True or False"):
        linalg.vector_norm(xp.eye(2), keepdims=1)  # type: ignore[arg-type]


# What holds for every function


def variants(x: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The same matrices in other memory layouts."""
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), dtype=x.dtype)
    wide[..., ::2] = x
    reverse = x[..., ::-1, ::-1].copy()
    transposed = np.swapaxes(np.swapaxes(x, -1, -2).copy(), -1, -2)
    return [wide[..., ::2], reverse[..., ::-1, ::-1], transposed]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", FLOATING)
def test_memory_layout_does_not_matter_and_input_is_not_changed(name: str, dtype: str) -> None:
    x = positive_definite((2, 3, 3), dtype)
    expected = parts(FUNCTIONS[name](xp.asarray(x)))
    for variant in variants(x):
        before = variant.copy()
        results = parts(FUNCTIONS[name](xp.asarray(variant)))
        assert np.array_equal(variant, before)
        for result, part in zip(results, expected, strict=True):
            assert result.dtype == part.dtype
            assert_close(result, part, dtype)


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - {"diagonal"}))
@pytest.mark.parametrize("shape", [(1, 3, 3), (3, 3)], ids=str)
def test_results_can_be_written_to_and_share_nothing(name: str, shape: tuple[int, ...]) -> None:
    x = xp.asarray(positive_definite(shape, "float64"))
    before = np.asarray(x).copy()
    results = parts(FUNCTIONS[name](x))
    for result in results:
        result[...] = 99
    assert np.array_equal(np.asarray(x), before)
    assert all(np.all(np.asarray(result) == 99) for result in results)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_stay_on_the_device(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMR_API_DEVICES", "cpu,fake")
    x = xp.asarray(positive_definite((3, 3), "float32")).to_device("fake:1")  # without float64
    for result in parts(FUNCTIONS[name](x)):
        assert result.device == "fake:1"


def test_rank_has_the_default_integer_of_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMR_API_DEVICES", "cpu,fake")
    assert linalg.matrix_rank(xp.ones((2, 2), device="fake:2")).dtype == xp.int32


@pytest.mark.parametrize(
    "function",
    [linalg.solve, linalg.cross, linalg.outer, lambda x, y: linalg.pinv(x, rtol=y)],
)
def test_arrays_on_different_devices_are_refused(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMR_API_DEVICES", "cpu,fake")
    with pytest.raises(ValueError, match=r"^linalg\..*: arrays are on different devices"):
        function(xp.eye(3), xp.eye(3, device="fake:0"))


@pytest.mark.parametrize("name", SQUARE | RECTANGULAR)
@pytest.mark.parametrize("dtype", ["int64", "bool", "uint8"])
def test_dtypes_that_are_not_floating_are_refused(name: str, dtype: str) -> None:
    with pytest.raises(TypeError, match=rf"^linalg\.{name}: needs a floating-point dtype, got "):
        FUNCTIONS[name](xp.asarray(np.eye(2, dtype=dtype)))


@pytest.mark.parametrize("name", [*SQUARE, *RECTANGULAR, "diagonal", "trace"])
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_arrays_without_two_axes_are_refused(name: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=rf"^linalg\.{name}: needs matrices \(two axes or more\)"):
        FUNCTIONS[name](xp.ones(shape))


@pytest.mark.parametrize("name", SQUARE)
def test_matrices_that_are_not_square_are_refused(name: str) -> None:
    message = rf"^linalg\.{name}: needs square matrices, got shape \(4, 2, 3\)$"
    with pytest.raises(ValueError, match=message):
        FUNCTIONS[name](xp.ones((4, 2, 3)))


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - {"cross", "solve"}))
def test_what_is_not_an_array_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^linalg\.{name}: expected a numr_api array, got list"):
        FUNCTIONS[name]([[1.0]])


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("dtype", FLOATING)
def test_numbers_that_are_not_finite_give_no_warning(name: str, value: float, dtype: str) -> None:
    x = positive_definite((3, 3), dtype)
    x[1, 1] = value
    try:
        FUNCTIONS[name](xp.asarray(x))
    except ValueError as error:
        assert str(error).startswith(f"linalg.{name}: ")  # noqa: PT017 - either is right


@pytest.mark.parametrize("name", ["det", "inv", "qr", "solve", "trace", "vector_norm"])
def test_nan_gives_nan(name: str) -> None:
    x = positive_definite((3, 3), "float64")
    x[0, 0] = math.nan
    assert all(np.isnan(np.asarray(part)).any() for part in parts(FUNCTIONS[name](xp.asarray(x))))


@pytest.mark.parametrize("name", ["eig", "eigvals"])
def test_eigenvalues_of_a_matrix_with_nan_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^linalg\.{name}: a matrix contains NaN or an infinity"):
        FUNCTIONS[name](xp.asarray([[math.nan]]))


@pytest.mark.parametrize("name", ["svd", "svdvals", "pinv", "matrix_rank"])
def test_singular_values_of_a_matrix_with_nan_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^linalg\.{name}: the singular values do not converge"):
        FUNCTIONS[name](xp.asarray([[math.nan]]))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: linalg.cholesky(x, upper=1), TypeError, "cholesky: upper must be True or False"),
        (lambda x: linalg.svd(x, full_matrices=None), TypeError, "svd: full_matrices must be True"),
        (lambda x: linalg.qr(x, mode="r"), ValueError, "qr: mode must be 'reduced' or 'complete'"),
        (
            lambda x: linalg.diagonal(x, offset=0.0),
            TypeError,
            "diagonal: offset must be an integer",
        ),
        (lambda x: linalg.matrix_norm(x, keepdims=0), TypeError, "matrix_norm: keepdims must be"),
    ],
)
def test_wrong_parameters_are_refused(
    call: Callable[..., Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=rf"^linalg\.{message}"):
        call(xp.eye(2))


def test_products_are_those_of_the_main_namespace() -> None:
    for name in ("matmul", "matrix_transpose", "tensordot", "vecdot"):
        assert getattr(linalg, name) is getattr(xp, name)
