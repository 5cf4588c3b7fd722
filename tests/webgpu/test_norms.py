"""Euclidean norms of the webgpu device: exact at any scale, each dtype, layout and length."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api import linalg
from numr_api._backends.webgpu import data as views
from numr_api._declare import wrap
from numr_api._dtypes import BY_NAME

REAL = {"float32": "float32", "float64": "float64", "complex64": "float32", "complex128": "float64"}


@pytest.fixture(params=REAL)
def dtype(request: pytest.FixtureRequest, backend: Any) -> str:
    if BY_NAME[request.param] not in backend.dtypes:
        pytest.skip(f"no {request.param}")
    return request.param


def exact(host: Any, axes: Any = None, keepdims: bool = False) -> Any:
    """The norm in more digits and a wider range than the dtype has."""
    real, imag = host.real.astype(np.longdouble), host.imag.astype(np.longdouble)
    return np.sqrt(np.sum(real * real + imag * imag, axis=axes, keepdims=keepdims))


def check(actual: Any, host: Any, axes: Any = None, keepdims: bool = False) -> None:
    wanted = exact(host, axes, keepdims)
    assert actual.dtype == REAL[host.dtype.name]
    assert actual.shape == np.shape(wanted)
    np.testing.assert_allclose(
        actual.astype(np.longdouble), wanted, 3 * np.finfo(actual.dtype).eps, err_msg=f"{axes}"
    )


def sample(dtype: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Numbers of all sizes, whose squares are beyond the dtype's range."""
    rng = np.random.default_rng(math.prod(shape))
    wide = 30 if REAL[dtype] == "float32" else 250
    x = rng.standard_normal(shape) * 10.0 ** rng.uniform(-wide, wide, shape)
    return (x + 1j * rng.permutation(x.reshape(-1)).reshape(shape)).astype(dtype) \
        if dtype[0] == "c" else x.astype(dtype)  # fmt: skip


def powers(dtype: str) -> tuple[int, ...]:
    """Of two, where the kernel changes its way, and at the ends of the dtype's range."""
    if REAL[dtype] == "float32":
        return (-149, -147, -130, -126, -100, -43, -42, -41, -40, 0, 44, 45, 46, 47, 124)
    return (-1074, -1072, -1022, -538, -203, -202, -201, -200, 0, 397, 398, 399, 400, 1020)


def test_exact_at_any_scale(put: Any, get: Any, dtype: str) -> None:
    exponents = np.array(powers(dtype))
    host = np.ldexp(np.array([[2.0, -3.0, 6.0]]), exponents[:, None]).astype(dtype)
    norms = get(linalg.vector_norm(put(host), axis=1))
    assert norms.tolist() == np.ldexp(7.0, exponents).tolist()
    if host.dtype.kind == "c":
        norms = get(linalg.vector_norm(put(host * 1j), axis=1))
        assert norms.tolist() == np.ldexp(7.0, exponents).tolist()
    assert get(linalg.matrix_norm(put(host[:, :, None]))).tolist() == norms.tolist()


def test_parts_of_complex_numbers_of_different_sizes(put: Any, get: Any, dtype: str) -> None:
    if dtype[0] != "c":
        return
    host = np.array([3 + 4j, 3e30 + 4e30j, 3e-30 - 4e-30j, 1e30 + 1e-30j, 1e-30j], dtype)
    norms = get(linalg.vector_norm(put(host), axis=()))
    np.testing.assert_allclose(norms, [5, 5e30, 5e-30, 1e30, 1e-30], 3e-7)
    check(get(linalg.vector_norm(put(host))), host)


def test_elements_of_all_sizes_count(put: Any, get: Any, dtype: str) -> None:
    """One that is large, and so many small ones that they double its square."""
    for base in powers(dtype)[2:]:
        for shift in range(1, 7):
            host = np.full((3, 4**shift + 1), 2.0 ** (base - shift)).astype(dtype)
            if host[0, 0] == 0:
                continue
            host[0, 0] = host[1, -1] = host[2, 4] = 2.0**base
            check(get(linalg.vector_norm(put(host), axis=1)), host, 1)
            check(get(linalg.vector_norm(put(host.T.copy()), axis=0)), host, 1)


@pytest.mark.parametrize(
    "shape",
    [(), (1,), (7,), (300,), (40_001,), (5, 51), (71, 12), (300, 8), (2500, 12), (3, 4, 72)],
    ids=str,
)  # fmt: skip
def test_every_shape(put: Any, get: Any, dtype: str, shape: tuple[int, ...]) -> None:
    if dtype != "float32" and math.prod(shape) > 1000:
        shape = tuple(-(-length // 30) for length in shape)
    host = sample(dtype, shape)
    x = put(host)
    for chosen in product((False, True), repeat=len(shape)):
        axes = tuple(axis for axis, there in enumerate(chosen) if there)
        keepdims = len(axes) == 1
        for _ in range(2):  # the second call repeats what the first one recorded
            norm = linalg.vector_norm(x, axis=axes, keepdims=keepdims)
            check(get(norm), host, axes, keepdims)
    check(get(linalg.vector_norm(x)), host)
    if len(shape) >= 2:
        check(get(linalg.matrix_norm(x, keepdims=True)), host, (-2, -1), True)


@pytest.mark.parametrize("shape", [(6, 33, 8), (3, 260, 72)], ids=str)
def test_every_layout(put: Any, get: Any, dtype: str, shape: tuple[int, ...]) -> None:
    if dtype != "float32":
        shape = (shape[0], 9, 8)
    host = sample(dtype, shape)
    x = put(host)
    keys: list[Any] = [
        (slice(None), slice(None, None, -1), slice(1, None)),
        (slice(None, None, -2), 3, slice(None, None, 2)),
    ]
    cases = [(x[key], host[key]) for key in keys]
    cases += [
        (xp.permute_dims(x, order), host.transpose(order)) for order in ((2, 1, 0), (1, 0, 2))
    ]
    repeated = (4, *shape)
    cases.append((xp.broadcast_to(x, repeated), np.broadcast_to(host, repeated)))
    for array, expected in cases:
        for chosen in product((False, True), repeat=expected.ndim):
            axes = tuple(axis for axis, there in enumerate(chosen) if there)
            check(get(linalg.vector_norm(array, axis=axes)), expected, axes)


def test_a_long_sum_keeps_its_digits(put: Any, get: Any, dtype: str) -> None:
    """In chunks, by rows and by columns."""
    host = np.random.default_rng(3).standard_normal((20_000, 12)).astype(dtype)
    check(get(linalg.vector_norm(put(host))), host)
    check(get(linalg.vector_norm(put(host), axis=0)), host, 0)
    check(get(linalg.vector_norm(put(host.T.copy()), axis=1)), host, 0)


def test_many_norms(put: Any, get: Any) -> None:
    """More than a dispatch has workgroups along an axis, and more than it has at all in one."""
    host = np.zeros((70_000, 300), np.float32)
    host[:, 7] = np.arange(70_000)
    x = put(host)
    assert np.array_equal(get(linalg.vector_norm(x, axis=1)), host[:, 7])


def test_what_is_not_finite(put: Any, get: Any, dtype: str) -> None:
    """As numpy.linalg.norm says."""
    for length, axis in product((3, 40, 5000), (0, 1)):
        host = np.full((7, length), 2).astype(dtype)
        host[0, 1], host[1, 2], host[2, 0] = np.nan, np.inf, -np.inf
        host[3, 0], host[3, 2] = np.inf, np.nan
        host[4, 0] = 1e30
        host[4, 1] = np.inf
        host[5, 0], host[5, 1] = 1e-30, np.nan
        with np.errstate(all="ignore"):
            expected = np.linalg.norm(host, axis=1)
        actual = get(linalg.vector_norm(put(host if axis else host.T.copy()), axis=axis))
        np.testing.assert_array_equal(actual[:6], expected[:6])
        assert actual[6] == pytest.approx(2 * length**0.5)
        assert np.isnan(get(linalg.vector_norm(put(host))))


def test_a_norm_that_is_out_of_range_is_infinite(put: Any, get: Any, dtype: str) -> None:
    largest = np.finfo(dtype).max
    host = np.array([largest, 0, 0], dtype)
    assert get(linalg.vector_norm(put(host))) == largest
    host[1] = largest
    assert get(linalg.vector_norm(put(host))) == np.inf


def test_nothing(put: Any, get: Any, dtype: str) -> None:
    for shape, axis, expected in (
        ((0,), None, 0), ((0, 3), 0, [0, 0, 0]), ((3, 0), 1, [0, 0, 0]), ((3, 0), 0, []),
        ((2, 0, 3), (1, 2), [0, 0]), ((0, 2, 2), (1, 2), []),
    ):  # fmt: skip
        norm = get(linalg.vector_norm(put(np.empty(shape, dtype)), axis=axis))
        assert norm.tolist() == expected
        assert norm.dtype == REAL[dtype]


def test_arrays_larger_than_a_binding(
    backend: Any, get: Any, put: Any, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend.gpu.memory, "_most", 1 << 20)
    backend.gpu.memory.trim()
    rows = 3_200_000 // np.dtype(dtype).itemsize // 1000
    host = np.random.default_rng(1).standard_normal((rows, 1000)).astype(dtype)
    x = put(host)
    assert x._data.block.buffer.whole is None
    for axes in ((0, 1), (0,), (1,)):
        check(get(linalg.vector_norm(x, axis=axes)), host, axes)
    turned = wrap(views.permute(x._data, (1, 0)), x._type)
    check(get(linalg.vector_norm(turned, axis=0)), host.T, (0,))
    del x, turned
    backend.gpu.memory.trim()
