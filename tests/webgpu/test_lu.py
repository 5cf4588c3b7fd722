"""solve, inv, det and slogdet on webgpu: shapes, layouts and dtypes; pivots, and matrices without.

Residuals are limited to 3 roundings of the dtype; LAPACK's are up to 1.5 in the same dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import numr_api as xp
from numr_api._backends.webgpu import facts
from numr_api._backends.webgpu.linear_algebra import lu

HostArray = Any
DTYPES = ("float32", "complex64", "float64", "complex128")
SIZES = (1, 2, 3, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65, 100, 200)
RESIDUAL = 3  # roundings, relative to the matrix times the solution
SINGULAR = "a matrix is singular"


def normal(shape: tuple[int, ...], dtype: str, seed: int = 1) -> HostArray:
    random = np.random.default_rng(seed)
    found = random.standard_normal(shape)
    if dtype.startswith("complex"):
        found = found + 1j * random.standard_normal(shape)
    return np.asarray(found, dtype)


def needs(backend: Any, dtype: str) -> None:
    if getattr(xp, dtype) not in backend.dtypes:
        pytest.skip(f"no {dtype}")


def wide(a: HostArray) -> HostArray:
    return a.astype("complex128" if a.dtype.kind == "c" else "float64")


def norms(a: HostArray) -> HostArray:
    return np.linalg.norm(a, axis=(-2, -1))


def assert_solution(a: HostArray, b: HostArray, x: HostArray) -> None:
    assert x.dtype == a.dtype
    a, b, x, eps = wide(a), wide(b), wide(x), float(np.finfo(a.dtype).eps)
    assert x.shape == (a @ b).shape
    assert np.all(norms(a @ x - b) <= RESIDUAL * eps * norms(a) * norms(x))


def assert_determinants(a: HostArray, sign: HostArray, logabsdet: HostArray) -> None:
    """The logarithm is as right as changes of the matrix by some roundings let it be."""
    expected_sign, expected = np.linalg.slogdet(wide(a))
    assert sign.dtype == a.dtype
    assert logabsdet.dtype == np.abs(a).dtype
    eps = float(np.finfo(a.dtype).eps)
    allowed = 4 * eps * (np.linalg.cond(wide(a)) + np.abs(expected))
    assert np.all(np.abs(logabsdet - expected) <= allowed)
    assert np.all(np.abs(sign - expected_sign) <= allowed)


def graded(n: int, dtype: str, ratio: float = 1e6) -> HostArray:
    """Rows and columns of very different sizes."""
    sizes = np.geomspace(1, 1 / ratio, n)
    return (normal((n, n), dtype) * sizes[:, None] * sizes[::-1]).astype(dtype)


def hilbert(n: int, dtype: str) -> HostArray:
    i = np.arange(n)
    return (1 / (i[:, None] + i + 1)).astype(dtype)


@pytest.fixture
def solved(put: Callable[[Any], Any], get: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda a, b: get(xp.linalg.solve(put(a), put(b)))


@pytest.fixture
def inverted(put: Callable[[Any], Any], get: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda a: get(xp.linalg.inv(put(a)))


@pytest.fixture
def determinant(put: Callable[[Any], Any], get: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda a: get(xp.linalg.det(put(a)))


@pytest.fixture
def logarithm(put: Callable[[Any], Any], get: Callable[[Any], Any]) -> Callable[..., Any]:
    def call(a: HostArray) -> tuple[HostArray, HostArray]:
        found = xp.linalg.slogdet(put(a))
        return get(found.sign), get(found.logabsdet)

    return call


# --- sizes and layouts ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_solutions_and_determinants_of_any_size(
    backend: Any, solved: Any, logarithm: Any, dtype: str
) -> None:
    needs(backend, dtype)
    for n in SIZES:
        a, b = normal((n, n), dtype), normal((n, 3), dtype, 2)
        assert_solution(a, b, solved(a, b))
        assert_determinants(a, *logarithm(a))


@pytest.mark.parametrize("dtype", DTYPES)
def test_inverses(backend: Any, inverted: Any, dtype: str) -> None:
    needs(backend, dtype)
    for shape in ((1, 1), (4, 4), (32, 32), (33, 33), (3, 40, 40), (2, 2, 5, 5)):
        a = normal(shape, dtype)
        identity = np.broadcast_to(np.eye(shape[-1]), shape)
        assert_solution(a, identity, inverted(a))


@pytest.mark.parametrize("dtype", DTYPES)
def test_stacks_broadcast(backend: Any, solved: Any, dtype: str) -> None:
    needs(backend, dtype)
    stacks: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((3,), (3,)), ((2, 2), (2, 2)), ((), (3,)), ((3,), ()), ((2, 1), (3,)), ((3, 1), (1, 2)),
        ((1, 1), (2, 3)), ((2,), (3, 2)), ((1,), ()), ((3, 1, 2), (2, 1)),
    ]  # fmt: skip
    for n, columns in ((4, 2), (35, 1), (34, 40)):
        for first, second in stacks:
            a, b = normal((*first, n, n), dtype), normal((*second, n, columns), dtype, 2)
            x = solved(a, b)
            assert x.shape[:-2] == np.broadcast_shapes(first, second)
            assert_solution(a, b, x)


def test_a_vector_is_one_right_hand_side(solved: Any) -> None:
    a, b = normal((3, 6, 6), "float32"), normal((6,), "float32", 2)
    x = solved(a, b)
    assert x.shape == (3, 6)
    assert_solution(a, b[:, None], x[..., None])


def test_many_systems_and_many_right_hand_sides(solved: Any, logarithm: Any) -> None:
    a = normal((2100, 3, 3), "float32") + 3 * np.eye(3, dtype="float32")
    b = normal((2100, 3, 32), "float32", 2)
    assert_solution(a, b, solved(a, b))
    assert_determinants(a, *logarithm(a))
    b = normal((3, 1000), "float32", 2)
    assert_solution(a[0], b, solved(a[0], b))


def test_more_systems_than_workgroups_along_an_axis(
    put: Callable[[Any], Any], get: Callable[[Any], Any]
) -> None:
    a = np.broadcast_to(np.asarray([[0, 2], [4, 0]], "float32"), (70_000, 2, 2)).copy()
    a[-1] = [[1, 0], [0, 3]]
    found = get(xp.linalg.det(put(a)))
    assert np.all(found[:-1] == -8)
    assert found[-1] == 3


@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_views(backend: Any, put: Any, get: Any, dtype: str, n: int) -> None:
    del backend
    whole, right = normal((3, 2 * n, 2 * n), dtype), normal((2 * n, 3, 6), dtype, 2)
    a, b = put(whole), put(right)
    views: list[Callable[[Any], Any]] = [
        lambda x: x[:, n:, :n], lambda x: x[::2, ::-2, ::2], lambda x: x[1, :n, ::-2],
        lambda x: xp.matrix_transpose(x[:, :n, n:]) if x is a else np.swapaxes(x[:, :n, n:], 1, 2),
    ]  # fmt: skip
    for view in views:
        given, rows = view(whole), slice(None, None, -2)
        x = get(xp.linalg.solve(view(a), xp.permute_dims(b[rows, :, 1:5:2], (1, 0, 2))[0, ...]))
        assert_solution(given, right[rows, 0, 1:5:2], x)
        assert_determinants(given, *map(get, xp.linalg.slogdet(view(a))))
    repeated = xp.broadcast_to(a[0, :n, :n], (2, n, n))
    same = as_strided(whole[0, :n, :n], (2, n, n), (0, *whole.strides[1:]))
    x = get(xp.linalg.solve(repeated, xp.broadcast_to(b[:n, :1, 0], (2, n, 1))))
    assert_solution(same, np.broadcast_to(right[:n, :1, 0], (2, n, 1)), x)


def test_operands_stay_as_they_are(put: Any, get: Any) -> None:
    for n in (4, 40):
        a, b = normal((n, n), "float32"), normal((n, 2), "float32", 2)
        first, second = put(a), put(b)
        xp.linalg.solve(first, second)
        xp.linalg.det(first)
        np.testing.assert_array_equal(get(first), a)
        np.testing.assert_array_equal(get(second), b)


@pytest.mark.parametrize("threads", [64])
def test_several_rows_of_a_thread(
    backend: Any, solved: Any, logarithm: Any, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    monkeypatch.setattr(lu, "MOST_THREADS", threads)
    monkeypatch.setattr(backend, "_compiled", {})
    for n in (100, 200):
        a, b = normal((n, n), "float32"), normal((n, 3), "float32", 2)
        assert_solution(a, b, solved(a, b))
        assert_determinants(a, *logarithm(a))


def test_kernels_that_only_hardware_gets(
    backend: Any, solved: Any, logarithm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hardware = replace(backend.gpu.adapter, type="DiscreteGPU")
    vendor = hardware.handle.info["vendor_id"]
    monkeypatch.setitem(facts.SUBGROUPS, vendor, facts.SUBGROUPS.get(vendor, (8, 8)))
    monkeypatch.setattr(backend.gpu, "adapter", hardware)
    monkeypatch.setattr(backend, "_compiled", {})
    monkeypatch.setattr(backend, "_remembered", {})
    a, b = normal((2, 42, 42), "float32"), normal((42, 3), "float32", 2)
    assert_solution(a, b, solved(a, b))
    assert_determinants(a, *logarithm(a))


def test_the_same_call_gives_the_same_bits(put: Any, get: Any) -> None:
    a = normal((3, 70, 70), "float32")
    first, second = (get(xp.linalg.inv(put(a))) for _ in range(2))
    np.testing.assert_array_equal(first, second)


# --- pivots ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_tiny_pivot_is_not_taken(backend: Any, solved: Any, dtype: str) -> None:
    needs(backend, dtype)
    for n in (2, 20, 50):
        a = normal((n, n), dtype)
        np.fill_diagonal(a, float(np.finfo(dtype).eps) ** 2)
        b = normal((n, 1), dtype, 2)
        assert_solution(a, b, solved(a, b))


@pytest.mark.parametrize("dtype", DTYPES)
def test_permutations_are_exact(
    backend: Any, solved: Any, determinant: Any, inverted: Any, logarithm: Any, dtype: str
) -> None:
    needs(backend, dtype)
    for n in (2, 3, 8, 33, 70):
        order = np.random.default_rng(n).permutation(n)
        a = np.eye(n, dtype=dtype)[order]
        sign = round(float(np.linalg.det(np.eye(n)[order])))
        assert determinant(a) == sign
        found, logabsdet = logarithm(a)
        assert (found, logabsdet) == (sign, 0)
        np.testing.assert_array_equal(inverted(a), a.T)
        b = normal((n, 2), dtype)
        np.testing.assert_array_equal(solved(a, b), a.T @ b)
        np.testing.assert_array_equal(inverted(np.eye(n, dtype=dtype)), np.eye(n, dtype=dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_triangles_of_integers_are_exact(
    backend: Any, solved: Any, determinant: Any, dtype: str
) -> None:
    needs(backend, dtype)
    for n in (3, 20, 45):
        random = np.random.default_rng(n)
        lower = np.tril(random.integers(-1, 2, (n, n)), -1) * (np.arange(n) % 3 == 0)
        lower = (lower + np.eye(n)).astype(dtype)
        x = random.integers(-9, 10, (n, 2)).astype(dtype)
        for a in (lower, lower.T.copy()):
            assert determinant(a) == 1
            np.testing.assert_array_equal(solved(a, a @ x), x)
            np.testing.assert_array_equal(solved(2 * a, 8 * (a @ x)), 4 * x)


def test_pivots_are_the_largest_and_of_equal_ones_the_first(backend: Any) -> None:
    a = np.asarray([[1, 5, 0], [-4, 1, 1], [4, 1, 2]], "float32")
    found = lu.factors(backend, backend.from_host(a, None))
    np.testing.assert_array_equal(backend.to_host(found.exchanges), [[1, 1, 2]])
    np.testing.assert_array_equal(backend.to_host(found.order), [[1, 0, 2]])


@pytest.mark.parametrize("n", [6, 45])
def test_growth_of_elements_as_in_wilkinsons_example(solved: Any, n: int) -> None:
    a = np.eye(n) - np.tril(np.ones((n, n)), -1)
    a[:, -1] = 1
    a = a.astype("float32")
    x = np.random.default_rng(1).integers(-9, 9, (n, 1))
    found = solved(a, (a @ x).astype("float32"))
    residual = np.linalg.norm(a.astype("float64") @ found - a @ x)
    eps = float(np.finfo("float32").eps)
    assert residual <= eps * 2.0 ** min(n - 1, 30) * np.linalg.norm(x)
    if n == 6:
        np.testing.assert_array_equal(found, x)


# --- kinds of matrices ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_graded_and_ill_conditioned_matrices(backend: Any, solved: Any, dtype: str) -> None:
    needs(backend, dtype)
    ratio = 1e4 if dtype in ("float32", "complex64") else 1e6
    size = 5 if dtype in ("float32", "complex64") else 9  # condition 5e5 and 5e11
    for a in (graded(20, dtype, ratio), graded(50, dtype, ratio), hilbert(size, dtype)):
        b = normal((len(a), 2), dtype, 2)
        assert_solution(a, b, solved(a, b))


@pytest.mark.parametrize("dtype", DTYPES)
def test_singular_matrices(
    backend: Any, solved: Any, inverted: Any, determinant: Any, logarithm: Any, dtype: str
) -> None:
    needs(backend, dtype)
    for n in (1, 3, 32, 50):
        one_zero_column = normal((n, n), dtype)
        one_zero_column[:, n // 2] = 0
        alike = np.ones((n, n), dtype) if n > 1 else np.zeros((1, 1), dtype)
        for a in (np.zeros((n, n), dtype), one_zero_column, alike):
            assert determinant(a) == 0
            sign, logabsdet = logarithm(a)
            assert sign == 0
            assert logabsdet == -np.inf
            with pytest.raises(ValueError, match=f"inv: {SINGULAR}"):
                inverted(a)
            with pytest.raises(ValueError, match=f"solve: {SINGULAR}"):
                solved(np.stack([np.eye(n, dtype=dtype), a]), normal((n, 1), dtype))


def test_rank_deficient_matrices_have_determinants_near_zero(determinant: Any) -> None:
    a = normal((40, 3), "float32") @ normal((3, 40), "float32", 2)
    assert abs(determinant(a)) < 1e-20


@pytest.mark.parametrize("dtype", DTYPES)
def test_nan_spreads_without_an_error(
    backend: Any, solved: Any, determinant: Any, logarithm: Any, dtype: str
) -> None:
    needs(backend, dtype)
    for n in (1, 4, 40):
        a = normal((2, n, n), dtype)
        a[0, n // 2, n - 1] = np.nan
        x = solved(a, np.eye(n, dtype=dtype))
        assert np.isnan(x[0]).any()
        assert_solution(a[1], np.eye(n), x[1])
        assert np.isnan(determinant(a)).tolist() == [True, False]
        assert all(np.isnan(part).tolist() == [True, False] for part in logarithm(a))
        everywhere = np.full((n, n), np.nan, dtype)
        assert np.isnan(solved(everywhere, np.eye(n, dtype=dtype))).all()
        assert np.isnan(determinant(everywhere))


def test_infinity_does_not_hang(solved: Any, determinant: Any) -> None:
    a = normal((40, 40), "float32")
    a[3, 5] = np.inf
    solved(a, a)
    assert not np.isfinite(determinant(a))


def test_an_infinity_of_a_right_hand_side_stays_one(solved: Any) -> None:
    a = np.asarray([[1, 0, 0], [0, 1, 1], [0, 0, 1]], "float32")
    x = solved(a, np.asarray([[1], [2], [np.inf]], "float32"))
    np.testing.assert_array_equal(x[1:, 0], [-np.inf, np.inf])


# --- determinants ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_determinants_by_hand(backend: Any, determinant: Any, dtype: str) -> None:
    needs(backend, dtype)
    assert determinant(np.asarray([[1, 2], [3, 4]], dtype)) == pytest.approx(-2, rel=1e-6)
    assert determinant(np.asarray([[0, -4], [2, 0]], dtype)) == 8
    if dtype.startswith("complex"):
        assert determinant(np.asarray([[1j, 0], [0, 2 + 2j]], dtype)) == -2 + 2j


def test_products_may_leave_the_range_on_the_way(determinant: Any, logarithm: Any) -> None:
    diagonal = np.asarray([1e30, 1e25, 1e-30, 1e-25, -3] * 20, "float32")
    sign, logabsdet = logarithm(np.diag(diagonal))
    assert sign == 1
    assert logabsdet == pytest.approx(np.log(np.abs(diagonal.astype("float64"))).sum(), rel=1e-6)
    assert determinant(np.diag(diagonal[:5])) == pytest.approx(-3, rel=1e-6)
    assert determinant(np.diag(diagonal[:2])) == np.inf
    assert determinant(np.diag(diagonal[2:4])) == 0
    sign, logabsdet = logarithm(np.diag(np.asarray([-1e30] * 99, "float32")))
    assert sign == -1
    assert logabsdet == pytest.approx(99 * 30 * np.log(10), rel=1e-6)


def test_a_logarithm_near_zero_is_accurate(logarithm: Any) -> None:
    _, logabsdet = logarithm(np.diag(np.asarray([2, 0.5, 1 + 2.0**-20], "float32")))
    assert logabsdet == pytest.approx(2.0**-20, rel=1e-6)
    _, logabsdet = logarithm(np.diag(np.asarray([2j, 0.5, 1j + 2.0**-20], "complex64")))
    assert logabsdet == pytest.approx(0, abs=1e-12)


# --- nothing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_matrices_without_elements(
    backend: Any, solved: Any, inverted: Any, determinant: Any, logarithm: Any, dtype: str
) -> None:
    needs(backend, dtype)
    for shape in ((0, 0), (3, 0, 0), (0, 4, 4), (2, 0, 40, 40)):
        a = np.zeros(shape, dtype)
        found, (sign, logabsdet) = determinant(a), logarithm(a)
        assert found.shape == sign.shape == logabsdet.shape == shape[:-2]
        assert np.all(found == 1)
        assert np.all(sign == 1)
        assert np.all(logabsdet == 0)
        assert logabsdet.dtype == np.abs(a).dtype
        assert inverted(a).shape == shape
        assert solved(a, np.zeros((shape[-1], 3), dtype)).shape == (*shape[:-1], 3)
    a = normal((3, 4, 4), dtype)
    assert solved(a, np.zeros((4, 0), dtype)).shape == (3, 4, 0)
    assert solved(a, np.zeros((0, 1, 4, 2), dtype)).shape == (0, 3, 4, 2)
    with pytest.raises(ValueError, match=SINGULAR):
        solved(np.zeros((4, 4), dtype), np.zeros((4, 0), dtype))
