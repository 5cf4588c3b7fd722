"""mean, var and std of the webgpu device: each dtype and layout, and numbers that overflow."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._backends.webgpu import data as views
from numr_api._declare import wrap
from numr_api._dtypes import BY_NAME

EPS = {"float32": 1.2e-7, "float64": 2.3e-16, "complex64": 1.2e-7, "complex128": 2.3e-16}


def exact(host: np.ndarray[Any, Any], axes: Any, keepdims: bool, correction: float) -> Any:
    """Mean, variance and deviation in more digits than the dtype has; None for complex numbers."""
    if host.dtype.kind == "c":
        return host.astype(np.clongdouble).mean(axis=axes, keepdims=keepdims), None, None
    wide = host.astype(np.longdouble)
    variance = np.var(wide, axis=axes, ddof=correction, keepdims=keepdims)
    return wide.mean(axis=axes, keepdims=keepdims), variance, np.sqrt(variance)


def check(
    get: Any, x: Any, host: np.ndarray[Any, Any], axes: Any, keepdims: bool = False,
    correction: float = 0,
) -> None:  # fmt: skip
    mean, variance, deviation = exact(host, axes, keepdims, correction)
    tolerance = 8 * EPS[host.dtype.name]
    absolute = tolerance * float(np.abs(host).max())
    cases: list[tuple[str, Any, Any, float]] = [
        ("mean", xp.mean(x, axis=axes, keepdims=keepdims), mean, absolute)
    ]
    if variance is not None:
        spread = [f(x, axis=axes, keepdims=keepdims, correction=correction)
                  for f in (xp.var, xp.std)]  # fmt: skip
        cases += [("var", spread[0], variance, 0.0), ("std", spread[1], deviation, 0.0)]
    for name, result, wanted, close in cases:
        actual = get(result)
        assert actual.dtype == host.dtype, name
        assert actual.shape == np.shape(wanted), name
        np.testing.assert_allclose(
            actual, wanted.astype(host.dtype), tolerance, close, err_msg=f"{name} {axes}"
        )


def sample(dtype: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(math.prod(shape))
    x = rng.standard_normal(shape) + 1
    return (x + 2j * rng.standard_normal(shape) if dtype[0] == "c" else x).astype(dtype)


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize(
    "shape", [(1,), (7,), (300,), (40_001,), (5, 51), (71, 12), (300, 8), (2500, 12), (3, 4, 72)]
)
def test_every_dtype_and_shape(
    backend: Any, put: Any, get: Any, dtype: str, shape: tuple[int, ...]
) -> None:
    if BY_NAME[dtype] not in backend.dtypes or (dtype != "float32" and math.prod(shape) > 1000):
        return
    host = sample(dtype, shape)
    x = put(host)
    rank = len(shape)
    for chosen in product((False, True), repeat=rank):
        axes = tuple(axis for axis in range(rank) if chosen[axis])
        for _ in range(2):  # the second call repeats what the first one recorded
            check(get, x, host, axes, keepdims=len(axes) == 1)
    check(get, x, host, None)
    check(get, x, host, -1)


@pytest.mark.parametrize("shape", [(6, 33, 8), (3, 260, 72)])
def test_every_layout(put: Any, get: Any, shape: tuple[int, ...]) -> None:
    host = sample("float32", shape)
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
        rank = expected.ndim
        for chosen in product((False, True), repeat=rank):
            axes = tuple(axis for axis in range(rank) if chosen[axis])
            check(get, array, expected, axes, keepdims=len(axes) % 2 == 0)


@pytest.mark.parametrize("correction", [0, 1, 1.5, -2, 39.5])
def test_corrections(put: Any, get: Any, correction: float) -> None:
    host = sample("float32", (40, 9))
    check(get, put(host), host, (0,), correction=correction)


def test_without_freedom_there_is_no_variance(put: Any, get: Any) -> None:
    x = put(sample("float32", (4, 3)))
    for name, correction in product(("var", "std"), (4, 5.5)):
        function = getattr(xp, name)
        assert np.isnan(get(function(x, axis=0, correction=correction))).all()
        assert np.isfinite(get(function(x, axis=0, correction=3))).all()
        assert np.isnan(get(function(x, axis=0, correction=correction))).all()


def test_nothing(put: Any, get: Any) -> None:
    x = put(np.empty((0, 3), np.float32))
    for name in ("mean", "var", "std"):
        function = getattr(xp, name)
        assert np.isnan(get(function(x))).all()
        assert np.isnan(get(function(x, axis=0))).all()
        assert get(function(x, axis=1)).shape == (0,)
    assert get(xp.var(x, axis=0, correction=-1)).tolist() == [0, 0, 0]
    assert np.isnan(get(xp.mean(put(np.empty(0, np.complex64)))))


def test_what_is_not_finite_stays_in_its_row(put: Any, get: Any) -> None:
    for shape, axis in (((3, 40), 1), ((40, 3), 0), ((3, 5000), 1)):
        host = np.ones(shape, np.float32)
        rows = host if axis else host.T
        rows[0, 7], rows[1, 9] = np.nan, np.inf
        x = put(host)
        mean = get(xp.mean(x, axis=axis))
        assert np.isnan(mean[0])
        assert mean[1:].tolist() == [np.inf, 1]
        for function in (xp.var, xp.std):
            spread = get(function(x, axis=axis))
            assert np.isnan(spread[:2]).all()
            assert spread[2] == 0


def test_a_large_mean_does_not_spoil_the_variance(put: Any, get: Any) -> None:
    """Squares are of what is left of the mean; less of its own rounding, if that is large."""
    host = (1000 + np.random.default_rng(5).standard_normal((3, 50_000))).astype(np.float32)
    x = put(host)
    for array, expected in ((x, host), (x.T, host.T)):
        axis = 1 if array is x else 0
        actual = get(xp.var(array, axis=axis))
        np.testing.assert_allclose(actual, expected.var(axis=axis, dtype=np.float64), rtol=1e-5)


def test_arrays_larger_than_a_binding(
    backend: Any, get: Any, put: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend.gpu.memory, "_most", 1 << 20)
    backend.gpu.memory.trim()
    host = sample("float32", (800, 1000))
    x = put(host)
    assert x._data.block.buffer.whole is None
    for axes in ((0, 1), (0,), (1,)):
        check(get, x, host, axes)
    turned = wrap(views.permute(x._data, (1, 0)), x._type)
    check(get, turned, host.T, (0,))
    del x, turned
    backend.gpu.memory.trim()
