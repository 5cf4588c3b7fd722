"""Eigenvalues of general matrices on the webgpu device, which the host computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from numr_api import linalg
from numr_api._dtypes import BY_NAME

COMPLEX = {"float32": "complex64", "float64": "complex128",
           "complex64": "complex64", "complex128": "complex128"}  # fmt: skip


def matrices(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(len(shape))
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype[0] == "c" else x).astype(dtype)


@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (2, 3, 4, 4), (0, 0), (3, 0, 0), (0, 2, 2)])
@pytest.mark.parametrize("dtype", COMPLEX)
def test_every_dtype_and_shape(
    backend: Any, put: Any, get: Any, dtype: str, shape: tuple[int, ...]
) -> None:
    if BY_NAME[dtype] not in backend.dtypes:
        return
    host = matrices(shape, dtype)
    x = put(host)
    found = linalg.eig(x)
    values, vectors = get(found.eigenvalues), get(found.eigenvectors)
    assert found.eigenvalues.device == found.eigenvectors.device == backend.device
    assert values.dtype == vectors.dtype == COMPLEX[dtype]
    assert (values.shape, vectors.shape) == (shape[:-1], shape)
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(host @ vectors, vectors * values[..., None, :], atol=50 * eps)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=-2), np.ones(shape[:-1]), 20 * eps)
    np.testing.assert_allclose(values.sum(-1), np.trace(host, axis1=-2, axis2=-1), atol=50 * eps)
    alone = get(linalg.eigvals(x))
    assert alone.dtype == COMPLEX[dtype]
    np.testing.assert_allclose(np.sort(alone), np.sort(values), atol=50 * eps)


def test_complex_eigenvalues_of_real_matrices(put: Any, get: Any) -> None:
    turn = put(np.array([[0, -1], [1, 0]], np.float32))
    assert sorted(get(linalg.eigvals(turn)).imag.tolist()) == [-1, 1]


def test_views(put: Any, get: Any) -> None:
    host = matrices((6, 4), "float32")
    x = put(host)[::-1, :][:4, :].T
    expected = np.linalg.eigvals(host[::-1][:4].T.astype(np.float64))
    np.testing.assert_allclose(np.sort(get(linalg.eigvals(x))), np.sort(expected), atol=1e-5)


@pytest.mark.parametrize("number", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["eig", "eigvals"])
def test_what_is_not_finite_is_refused(put: Any, name: str, number: float) -> None:
    host = np.ones((2, 3, 3), np.float32)
    host[1, 2, 0] = number
    with pytest.raises(ValueError, match=rf"^linalg\.{name}: a matrix contains NaN or an infinity"):
        getattr(linalg, name)(put(host))
