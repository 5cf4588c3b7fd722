"""Determinants, inverses, powers, ranks, pseudo-inverses and systems of equations."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from matrices import FLOATING, STACKS, adjoint, assert_close, numbers, positive_definite, real_dtype

import numr_api as xp
from numr_api import linalg


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
    with pytest.raises(ValueError, match=r"^linalg\.solve: shapes .* cannot be broadcast"):
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
    assert np.asarray(power).flags.writeable  # not one identity seen several times


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
        (True, TypeError, "expected a float or a real floating-point array, got bool True"),
        (1j, TypeError, "expected a float"),
        ("1", TypeError, "expected a float or a real floating-point array, got str"),
        (xp.asarray(1), TypeError, "needs a real floating-point dtype, got int64"),
        (xp.ones(4), ValueError, "cannot be broadcast together"),
        (xp.ones((2, 3)), ValueError, r"rtol of shape \(2, 3\) does not broadcast to \(3,\)"),
    ],
    ids=str,
)
def test_wrong_rtol_is_refused(
    function: Any, rtol: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=rf"^linalg\.{function.__name__}.*{message}"):
        function(xp.ones((3, 2, 2)), rtol=rtol)
