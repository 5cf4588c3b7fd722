"""Singular values and vectors on webgpu, against LAPACK's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest

import numr_api as xp

Host = np.ndarray[Any, Any]
DTYPES = ("float32", "complex64", "float64", "complex128")


def orthonormal(rng: np.random.Generator, rows: int, columns: int, dtype: str) -> Host:
    parts = rng.standard_normal((2, rows, columns))
    whole = parts[0] + 1j * parts[1] if dtype.startswith("complex") else parts[0]
    return np.linalg.qr(whole)[0]


def families(rows: int, columns: int, dtype: str) -> Iterator[tuple[str, Host]]:
    rng = np.random.default_rng(rows * 1000 + columns)
    size = min(rows, columns)
    left, right = (orthonormal(rng, length, size, dtype) for length in (rows, columns))
    for name, values in (
        ("random", rng.uniform(0.0, 1.0, size)),
        ("ill-conditioned", np.logspace(0, -3, size)),
        ("graded", np.logspace(0, -12, size)),
        ("rank", np.where(np.arange(size) < size // 4, 1.0, 0.0)),
        ("clustered", 1.0 + 1e-4 * rng.standard_normal(size)),
        ("orthonormal", np.ones(size)),
    ):
        yield name, (left * values) @ right.conj().T
    yield "zeros", np.zeros((rows, columns))
    yield "ones", np.ones((rows, columns))
    yield "identity", np.eye(rows, columns)
    yield "duplicates", rng.standard_normal((rows, columns))[:, np.arange(columns) // 3]
    yield "steep", rng.standard_normal((rows, columns)) * np.logspace(0, -6, columns)


def defect(columns: Host) -> float:
    """How far columns are from orthonormal ones."""
    products = columns.conj().swapaxes(-1, -2) @ columns
    return float(np.abs(products - np.eye(columns.shape[-1])).max(initial=0.0))


def check(found: Iterable[Host], x: Host, full: bool) -> None:
    """Residual, orthogonality and values to some roundings, as LAPACK's are."""
    u, s, vh = found
    *batch, rows, columns = x.shape
    size = min(rows, columns)
    assert u.dtype == vh.dtype == x.dtype
    assert s.dtype == np.empty(0, x.dtype).real.dtype
    assert u.shape == (*batch, rows, rows if full else size)
    assert s.shape == (*batch, size)
    assert vh.shape == (*batch, columns if full else size, columns)
    assert (np.diff(s) <= 0).all()
    assert (s >= 0).all()
    scale = float(np.abs(x).max()) or 1.0
    exact = x.astype(np.complex128) / scale
    u, s, vh = u.astype(np.complex128), s.astype(np.float64) / scale, vh.astype(np.complex128)
    wanted = np.linalg.svd(exact, compute_uv=False)
    limit = 10 * np.finfo(x.dtype).eps * np.sqrt(max(rows, columns))
    assert (np.abs(s - wanted) <= limit * wanted[..., :1]).all()
    residual = (u[..., :size] * s[..., None, :]) @ vh[..., :size, :] - exact
    far = np.linalg.norm(residual, axis=(-2, -1))
    assert (far <= limit * np.sqrt(size) * wanted[..., 0]).all()
    assert defect(u) <= limit
    assert defect(vh.conj().swapaxes(-1, -2)) <= limit


def needs(backend: Any, dtype: str) -> None:
    if xp.__dict__[dtype] not in backend.dtypes:
        pytest.skip(f"no {dtype} on this device")


def check_stack(put: Any, get: Any, stack: Host, full: bool) -> None:
    check(map(get, xp.linalg.svd(put(stack), full_matrices=full)), stack, full)
    values, peak = get(xp.linalg.svdvals(put(stack))), np.abs(stack).max(axis=(-2, -1))
    wanted = np.linalg.svd(stack.astype(np.complex128), compute_uv=False)
    limit = 10 * np.finfo(stack.dtype).eps * max(stack.shape[-2:]) * (peak[..., None] + 1e-300)
    assert (np.abs(values - wanted) <= limit).all()
    assert (np.diff(values) <= 0).all()


SHAPES = [(1, 1), (1, 5), (4, 1), (2, 2), (3, 3), (7, 4), (4, 9), (20, 8), (9, 30), (32, 32)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_small(
    backend: Any, put: Any, get: Any, shape: tuple[int, int], dtype: str
) -> None:  # fmt: skip
    needs(backend, dtype)
    stack = np.stack([x for _, x in families(*shape, dtype)]).astype(dtype)
    for full in (False, True):
        check_stack(put, get, stack, full)


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [("float32", (33, 33)), ("float32", (60, 48)), ("complex64", (36, 80)), ("float64", (36, 34))],
)
def test_blocks(backend: Any, put: Any, get: Any, shape: tuple[int, int], dtype: str) -> None:
    needs(backend, dtype)
    stack = np.stack([x for _, x in families(*shape, dtype)]).astype(dtype)
    check_stack(put, get, stack, full=shape[0] == 60)


def test_large(put: Any, get: Any) -> None:
    check_stack(put, get, np.random.default_rng(0).standard_normal((150, 130)).astype("f"), False)


def test_long(put: Any, get: Any) -> None:
    x = np.random.default_rng(0).standard_normal((3000, 3)).astype(np.float32)
    for host in (x, x.T, np.tile(x, (1, 4))):
        check(map(get, xp.linalg.svd(put(host), full_matrices=False)), host, False)


@pytest.mark.parametrize("scale", [1e30, 1e-30, 3e37, 1e-38])
def test_scales(put: Any, get: Any, scale: float) -> None:
    x = np.random.default_rng(3).uniform(-1.0, 1.0, (5, 4)).astype(np.float32)
    stack = np.stack([x * np.float32(scale), x])  # each has its own scale
    for host in (stack[0], stack[1]):
        check(map(get, xp.linalg.svd(put(host))), host, True)
    np.testing.assert_array_equal(
        get(xp.linalg.svdvals(put(stack)))[1], get(xp.linalg.svdvals(put(x)))
    )


def views(host: Host) -> Iterator[tuple[Host, Callable[[Any], Any]]]:
    """What a view of an array of shape (2, 3, 6, 8) is, and how to make it."""
    yield host.swapaxes(-1, -2), lambda x: xp.matrix_transpose(x)
    yield host[:, ::-1, ::-1, ::-1], lambda x: x[:, ::-1, ::-1, ::-1]
    yield host[1, :, 1:5, 1:], lambda x: x[1, :, 1:5, 1:]
    yield host[:, :, ::2, ::3], lambda x: x[:, :, ::2, ::3]
    wide = np.broadcast_to(host[:, None], (2, 4, 3, 6, 8))
    yield wide, lambda x: xp.broadcast_to(x[:, None, ...], (2, 4, 3, 6, 8))
    yield np.broadcast_to(host[0, 0, 0], (5, 8)), lambda x: xp.broadcast_to(x[0, 0, 0, :], (5, 8))


def test_views(put: Any, get: Any) -> None:
    host = np.random.default_rng(1).standard_normal((2, 3, 6, 8)).astype(np.float32)
    for expected, view in views(host):
        for full in (False, True):
            result = xp.linalg.svd(view(put(host)), full_matrices=full)
            check(map(get, result), np.ascontiguousarray(expected), full)


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (3, 0), (0, 3, 2), (2, 3, 0), (2, 0, 3)])
@pytest.mark.parametrize("full", [False, True])
def test_empty(put: Any, get: Any, shape: tuple[int, ...], full: bool) -> None:
    host = np.empty(shape, np.complex64)
    expected = np.linalg.svd(host, full_matrices=full)
    for found, wanted in zip(xp.linalg.svd(put(host), full_matrices=full), expected, strict=True):
        np.testing.assert_array_equal(get(found), wanted)
    assert get(xp.linalg.svdvals(put(host))).shape == expected[1].shape


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("shape", [(3, 2), (40, 40), (5, 60)])
def test_not_finite(put: Any, shape: tuple[int, int], bad: float) -> None:
    stack = np.zeros((2, *shape), np.float32)
    stack[1, shape[0] - 1, 1] = bad
    for function in (xp.linalg.svd, xp.linalg.svdvals):
        with pytest.raises(ValueError, match="the singular values do not converge"):
            function(put(stack))


def test_what_is_built_upon(put: Any, get: Any) -> None:
    x = np.random.default_rng(4).standard_normal((4, 6, 3)).astype(np.float32)
    np.testing.assert_allclose(get(xp.linalg.pinv(put(x))), np.linalg.pinv(x), atol=1e-5)
    assert (get(xp.linalg.matrix_rank(put(x))) == 3).all()
    norms = get(xp.linalg.matrix_norm(put(x), ord="nuc"))
    np.testing.assert_allclose(norms, np.linalg.norm(x, "nuc", axis=(-2, -1)), rtol=1e-5)


def test_same_bits(put: Any, get: Any) -> None:
    x = np.random.default_rng(2).standard_normal((50, 40)).astype(np.float32)
    first, second = (get(xp.linalg.svd(put(x)).U) for _ in range(2))
    np.testing.assert_array_equal(first, second)
