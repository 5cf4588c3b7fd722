"""Eigenvalues and eigenvectors of Hermitian matrices on webgpu, against LAPACK's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._backends.webgpu.linear_algebra import jacobi

Host = np.ndarray[Any, Any]
DTYPES = ("float32", "complex64", "float64", "complex128")


def unitary(rng: np.random.Generator, size: int, dtype: str) -> Host:
    parts = rng.standard_normal((2, size, size))
    whole = parts[0] + 1j * parts[1] if dtype.startswith("complex") else parts[0]
    return np.linalg.qr(whole)[0]


def hermitian(rng: np.random.Generator, values: Any, dtype: str) -> Host:
    """A matrix with these eigenvalues."""
    basis = unitary(rng, len(values), dtype)
    return (basis * np.asarray(values)) @ basis.conj().T


def of_lower(x: Host) -> Host:
    """The Hermitian matrices with x's lower triangles, in double precision."""
    lower = np.tril(x.astype(np.complex128), -1)
    diagonal = np.einsum("...ii->...i", x).real
    return lower + lower.conj().swapaxes(-1, -2) + np.eye(x.shape[-1]) * diagonal[..., None, :]


def check(found: Iterable[Host], x: Host) -> None:
    """Residual, orthogonality and values to some roundings, as LAPACK's are."""
    values, vectors = found
    exact = of_lower(x)
    assert values.dtype == np.empty(0, x.dtype).real.dtype
    assert vectors.dtype == x.dtype
    assert values.shape == x.shape[:-1]
    assert vectors.shape == x.shape
    assert (np.diff(values) >= 0).all()
    size = x.shape[-1]
    scale = np.abs(exact).max() or 1.0
    exact = exact / scale
    wanted = np.linalg.eigvalsh(exact)
    norm = np.abs(wanted).max(axis=-1)[..., None, None]
    w, v = values.astype(np.float64) / scale, vectors.astype(np.complex128)
    limit = 10 * np.finfo(x.dtype).eps * np.sqrt(size)
    assert (np.abs(w - wanted) <= limit * norm[..., 0]).all()
    residual = exact @ v - v * w[..., None, :]
    far = np.linalg.norm(residual, axis=(-2, -1))
    assert (far <= limit * np.sqrt(size) * norm[..., 0, 0]).all()
    defect = v.conj().swapaxes(-1, -2) @ v - np.eye(size)
    assert np.abs(defect).max() <= limit


def needs(backend: Any, dtype: str) -> None:
    if xp.__dict__[dtype] not in backend.dtypes:
        pytest.skip(f"no {dtype} on this device")


def families(size: int, dtype: str) -> Iterator[tuple[str, Host]]:
    rng = np.random.default_rng(size)
    half = np.arange(size) % 2
    for name, values in (
        ("random", rng.standard_normal(size)),
        ("pairs", 1.0 - 2.0 * half),
        ("clustered", 1.0 + 1e-4 * half * rng.standard_normal(size)),
        ("graded", np.logspace(0, -12, size)),
        ("rank", np.where(np.arange(size) < size // 4, 1.0, 0.0)),
    ):
        yield name, hermitian(rng, values, dtype)
    yield "diagonal", np.diag(np.logspace(0, -12, size))
    yield "zeros", np.zeros((size, size))
    yield "ones", np.ones((size, size))
    steep = np.logspace(0, -6, size)
    yield "steep", hermitian(rng, rng.standard_normal(size), dtype) * steep * steep[:, None]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 16, 31, 32])
def test_small(backend: Any, put: Any, get: Any, size: int, dtype: str) -> None:
    needs(backend, dtype)
    rng = np.random.default_rng(size)
    stack = np.stack([x for _, x in families(size, dtype)]).astype(dtype)
    # What is above the diagonal, and the diagonal's imaginary part, does not count.
    stack = np.tril(stack) + np.triu(rng.standard_normal(stack.shape), 1).astype(dtype)
    if dtype.startswith("complex"):
        stack = stack + 1j * np.eye(size, dtype=dtype)
    values, vectors = map(get, xp.linalg.eigh(put(stack)))
    check((values, vectors), stack)
    np.testing.assert_array_equal(get(xp.linalg.eigvalsh(put(stack))), values)


@pytest.mark.parametrize(("dtype", "size"), [("float32", 33), ("float32", 49), ("complex64", 36)])
def test_blocks(put: Any, get: Any, size: int, dtype: str) -> None:
    stack = np.stack([x for _, x in families(size, dtype)]).astype(dtype)
    values, vectors = map(get, xp.linalg.eigh(put(stack)))
    check((values, vectors), stack)
    np.testing.assert_array_equal(get(xp.linalg.eigvalsh(put(stack))), values)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_blocks_of_doubles(backend: Any, put: Any, get: Any, dtype: str) -> None:
    needs(backend, dtype)
    x = hermitian(np.random.default_rng(5), np.linspace(-1.0, 2.0, 45), dtype).astype(dtype)
    check(map(get, xp.linalg.eigh(put(x))), x)


def test_large(put: Any, get: Any) -> None:
    parts = np.random.default_rng(0).standard_normal((160, 160)).astype(np.float32)
    x = parts + parts.T
    check(map(get, xp.linalg.eigh(put(x))), x)


@pytest.mark.parametrize("number", [2, 3])
def test_sweeps_of_multiple_values(
    backend: Any, put: Any, get: Any, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    # 7 and 8 of them; 22 where rotations among equal values undo what others do.
    needs(backend, "float64")
    monkeypatch.setattr(jacobi, "MOST_SWEEPS", 12)  # ValueError where more are needed
    values = np.linspace(-1.0, 1.0, number)[np.arange(72) % number]
    x = hermitian(np.random.default_rng(6), values, "float64")
    found, vectors = map(get, xp.linalg.eigh(put(x)))
    check((found, vectors), x)
    np.testing.assert_allclose(found, np.sort(values), rtol=0, atol=2e-15)


def test_exact_values(put: Any, get: Any) -> None:
    swap = np.asarray([[0.0, 1.0], [1.0, 0.0]], np.float32)
    values, vectors = map(get, xp.linalg.eigh(put(swap)))
    np.testing.assert_allclose(values, [-1.0, 1.0], rtol=2e-7)
    np.testing.assert_allclose(np.abs(vectors), np.full((2, 2), 0.5**0.5), rtol=2e-7)
    diagonal = np.asarray([3.0, -1.0, 0.0, 2.5], np.float32)
    values, vectors = map(get, xp.linalg.eigh(put(np.diag(diagonal))))
    np.testing.assert_array_equal(values, np.sort(diagonal))
    np.testing.assert_array_equal(np.abs(vectors), np.eye(4)[:, [1, 2, 3, 0]])


@pytest.mark.parametrize("scale", [1e30, 1e-30, 3e38, 1e-38])
def test_scales(put: Any, get: Any, scale: float) -> None:
    x = hermitian(np.random.default_rng(3), [0.9, 0.5, 0.1, -0.3, -0.8], "float32")
    stack = np.stack([x * scale, x]).astype(np.float32)  # each has its own scale
    check(map(get, xp.linalg.eigh(put(stack[:1]))), stack[:1])
    check(map(get, xp.linalg.eigh(put(stack[1:]))), stack[1:])
    np.testing.assert_array_equal(
        get(xp.linalg.eigvalsh(put(stack)))[1], get(xp.linalg.eigvalsh(put(x.astype(np.float32))))
    )


def views(host: Host) -> Iterator[tuple[Host, Callable[[Any], Any]]]:
    """What a view of an array of shape (2, 3, 6, 6) is, and how to make it."""
    yield host.swapaxes(-1, -2), lambda x: xp.matrix_transpose(x)
    yield host[:, ::-1, ::-1, ::-1], lambda x: x[:, ::-1, ::-1, ::-1]
    yield host[1, :, 1:5, 1:5], lambda x: x[1, :, 1:5, 1:5]
    yield host[:, :, ::2, ::2], lambda x: x[:, :, ::2, ::2]
    wide = np.broadcast_to(host[:, None], (2, 4, 3, 6, 6))
    yield wide, lambda x: xp.broadcast_to(x[:, None, ...], (2, 4, 3, 6, 6))


def test_views(put: Any, get: Any) -> None:
    rng = np.random.default_rng(1)
    host = rng.standard_normal((2, 3, 6, 6)).astype(np.float32)
    for expected, view in views(host):
        check(map(get, xp.linalg.eigh(view(put(host)))), expected)


@pytest.mark.parametrize("shape", [(0, 0), (3, 0, 0), (0, 4, 4), (2, 0, 3, 3)])
def test_empty(put: Any, get: Any, shape: tuple[int, ...]) -> None:
    x = put(np.empty(shape, np.complex64))
    values, vectors = map(get, xp.linalg.eigh(x))
    assert values.shape == shape[:-1]
    assert values.dtype == np.float32
    assert vectors.shape == shape
    assert vectors.dtype == np.complex64
    assert get(xp.linalg.eigvalsh(x)).shape == shape[:-1]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("size", [3, 40])
def test_not_finite(put: Any, size: int, bad: float) -> None:
    stack = np.zeros((2, size, size), np.float32)
    stack[1, size - 1, 0] = bad
    for function in (xp.linalg.eigh, xp.linalg.eigvalsh):
        with pytest.raises(ValueError, match="the eigenvalues do not converge"):
            function(put(stack))
    stack[1, 0, size - 1], stack[1, size - 1, 0] = bad, 0  # where it is not read
    xp.linalg.eigh(put(stack))


def test_same_bits(put: Any, get: Any) -> None:
    x = np.random.default_rng(2).standard_normal((50, 50)).astype(np.float32)
    first, second = (get(xp.linalg.eigh(put(x)).eigenvectors) for _ in range(2))
    np.testing.assert_array_equal(first, second)
