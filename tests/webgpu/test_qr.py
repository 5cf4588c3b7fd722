"""qr on webgpu: shapes, layouts and dtypes; matrices without full rank, huge, tiny and graded ones.

The limits of errors are 2 to 4 times what LAPACK's are in the same dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._backends.webgpu.linear_algebra import qr

HostArray = Any
DTYPES = ("float32", "complex64", "float64", "complex128")
MODES = ("reduced", "complete")
SHAPES = [
    (1, 1), (1, 3), (3, 1), (2, 2), (3, 2), (2, 3), (4, 4), (5, 5), (16, 16), (17, 5), (31, 33),
    (32, 32), (33, 32), (33, 33), (65, 40), (40, 65), (200, 100), (128, 128), (300, 3), (3, 300),
]  # fmt: skip
EMPTY = [(0, 0), (0, 3), (3, 0), (0, 3, 2), (2, 0, 3), (2, 3, 0), (2, 0, 5, 4)]


def normal(shape: tuple[int, ...], dtype: str, seed: int = 1) -> HostArray:
    random = np.random.default_rng(seed)
    found = random.standard_normal(shape)
    if dtype.startswith("complex"):
        found = found + 1j * random.standard_normal(shape)
    return np.asarray(found, dtype)


def needs(backend: Any, dtype: str) -> None:
    if getattr(xp, dtype) not in backend.dtypes:
        pytest.skip(f"no {dtype}")


def assert_factors(a: HostArray, q: HostArray, r: HostArray, mode: str = "reduced") -> None:
    rows, columns = a.shape[-2:]
    size = rows if mode == "complete" else min(rows, columns)
    assert q.shape == (*a.shape[:-1], size)
    assert r.shape == (*a.shape[:-2], size, columns)
    assert q.dtype == r.dtype == a.dtype
    assert np.all(np.tril(r, -1) == 0)
    assert np.all(np.diagonal(r, axis1=-2, axis2=-1).imag == 0)
    wide = "complex128" if a.dtype.kind == "c" else "float64"
    q, r = q.astype(wide), r.astype(wide)
    eps = float(np.finfo(a.dtype).eps)
    overlap = np.swapaxes(q.conj(), -1, -2) @ q
    if overlap.size:
        distance = np.linalg.norm(overlap - np.eye(size), axis=(-2, -1)).max()
        assert distance <= (8 + 1.5 * size) * eps
    if a.size:
        lengths = np.linalg.norm(a.astype(wide), axis=-2)
        errors = np.linalg.norm(q @ r - a, axis=-2)
        assert np.all(errors <= (8 + 2 * min(rows, columns) ** 0.5) * eps * lengths)


@pytest.fixture
def factored(put: Callable[[Any], Any], get: Callable[[Any], Any]) -> Callable[..., Any]:
    def call(a: HostArray, mode: Any = "reduced") -> tuple[HostArray, HostArray]:
        found = xp.linalg.qr(put(a), mode=mode)
        return get(found.Q), get(found.R)

    return call


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", MODES)
def test_factors_of_matrices(backend: Any, factored: Any, dtype: str, mode: str) -> None:
    needs(backend, dtype)
    for shape in SHAPES:
        a = normal(shape, dtype)
        assert_factors(a, *factored(a, mode), mode)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 4, 4), (2, 3, 35, 20), (1, 5, 33, 70), (2, 70, 33)])
def test_factors_of_stacks(backend: Any, factored: Any, dtype: str, shape: Any) -> None:
    needs(backend, dtype)
    for mode in MODES:
        a = normal(shape, dtype)
        assert_factors(a, *factored(a, mode), mode)


def test_factors_of_more_matrices_than_groups_along_an_axis(factored: Any) -> None:
    a = normal((66_000, 2, 1), "float32")
    assert_factors(a, *factored(a))


@pytest.mark.parametrize("shape", EMPTY)
@pytest.mark.parametrize("mode", MODES)
def test_factors_of_empty_stacks(factored: Any, shape: Any, mode: str) -> None:
    a = normal(shape, "float32")
    assert_factors(a, *factored(a, mode), mode)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda x: x.T if x.ndim == 2 else x.mT,
    "part": lambda x: x[..., 3:30, 2:40],
    "every other": lambda x: x[..., ::2, ::3],
    "reversed": lambda x: x[..., ::-1, ::-1],
    "axes exchanged": lambda x: xp.permute_dims(x, (1, 2, 0)),
}


@pytest.mark.parametrize("view", VIEWS)
def test_factors_of_views(put: Any, get: Any, view: str) -> None:
    x = VIEWS[view](put(normal((3, 40, 45), "complex64")))
    a, (q, r) = get(x), xp.linalg.qr(x)
    assert_factors(a, get(q), get(r))
    np.testing.assert_array_equal(get(x), a)


def test_factors_of_repeated_matrices(put: Any, get: Any) -> None:
    x = xp.broadcast_to(put(normal((5, 1), "float32")), (3, 5, 4))
    q, r = xp.linalg.qr(x)
    assert_factors(get(x), get(q), get(r))


def with_zero_columns(a: HostArray) -> HostArray:
    a[:, ::3] = 0
    return a


def with_equal_columns(a: HostArray) -> HostArray:
    a[:, 1::2] = a[:, :1]
    return a


SPECIAL: dict[str, Callable[[HostArray], HostArray]] = {
    "zero": lambda a: a * 0,
    "zero columns": with_zero_columns,
    "equal columns": with_equal_columns,
    "equal elements": lambda a: a * 0 + a[0, 0],
    "rank 3": lambda a: a[:, :3] @ a[:3],
    "triangular": np.triu,
    "diagonal": lambda a: np.tril(np.triu(a)),
    "huge": lambda a: a * 1e30,
    "tiny": lambda a: a * 1e-30,
    "rising columns": lambda a: a * np.logspace(-30, 30, a.shape[1]),
    "falling columns": lambda a: a * np.logspace(30, -30, a.shape[1]),
    "rising rows": lambda a: a * np.logspace(-12, 0, a.shape[0])[:, None],
    "falling rows": lambda a: a * np.logspace(25, -25, a.shape[0])[:, None],
    "ill-conditioned": lambda a: (
        (np.linalg.qr(a)[0] * np.logspace(0, -12, min(a.shape))) @ np.linalg.qr(a)[1]
    ),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", SPECIAL)
def test_factors_of_special_matrices(backend: Any, factored: Any, dtype: str, kind: str) -> None:
    needs(backend, dtype)
    for shape in [(7, 5), (33, 40), (70, 65)]:
        a = np.asarray(SPECIAL[kind](normal(shape, dtype)), dtype)
        assert_factors(a, *factored(a))


def test_range_of_float64(backend: Any, factored: Any) -> None:
    needs(backend, "float64")
    for scale in (1e300, 1e-300):
        a = normal((40, 35), "complex128") * scale
        q, r = factored(a)
        assert_factors(a / scale, q, r / scale)


def test_nan_stays_in_its_matrix(factored: Any) -> None:
    a = normal((3, 40, 35), "float32")
    a[0, 20, 10] = np.nan
    a[1, 3, 34] = np.inf
    q, r = factored(a)
    assert np.isnan(q[0]).any()
    assert np.isnan(r[1]).any()
    assert_factors(a[2], q[2], r[2])
    assert np.all(np.tril(r, -1) == 0)


def test_the_same_matrices_have_the_same_factors(factored: Any) -> None:
    a = normal((2, 70, 50), "complex64")
    for first, second in zip(factored(a), factored(a), strict=True):
        assert first.tobytes() == second.tobytes()


def test_nothing_is_read(backend: Any, put: Any) -> None:
    x = put(normal((40, 35), "float32"))
    reads = backend.gpu.reads
    xp.linalg.qr(x)
    assert backend.gpu.reads == reads


@pytest.mark.parametrize("dtype", DTYPES)
def test_kernels_for_gpus(
    backend: Any, factored: Any, monkeypatch: pytest.MonkeyPatch, dtype: str
) -> None:
    if not backend.features:
        pytest.skip("the same kernels as with features")
    needs(backend, dtype)
    hardware = replace(backend.gpu.adapter, type="DiscreteGPU")
    monkeypatch.setattr(backend.gpu, "adapter", hardware)
    monkeypatch.setattr(qr, "MOST_THREADS", 128)
    for shape in [(300, 40), (180, 17), (40, 45)]:
        a = normal(shape, dtype)
        assert_factors(a, *factored(a))
