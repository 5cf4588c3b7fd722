"""Arrays larger than a binding, and kernels of more workgroups than an axis of the grid has."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from half_values import assert_same, exact, rounded, steps

import numr_api as xp
from numr_api._backends.webgpu.device import WebgpuBackend
from numr_api._declare import wrap
from numr_api._devices import _backends, array_type, device_name
from numr_api._dtypes import BY_NUMPY, HALVES, DType
from numr_api.extensions.errors import Unsupported

MOST = 1 << 18  # bytes of a binding of the small device
GROUPS = 65_535


@cache
def small_device(features: str, adapter: Any) -> Any:
    """A device like another one, whose bindings hold few bytes."""
    device = device_name("webgpu", 201 if features == "full" else 202)
    found = WebgpuBackend(device, adapter)
    gpu = found.gpu
    gpu.most = gpu.memory._most = MOST
    gpu.memory._slab = found.faults._block = None
    gpu.memory._pieces.clear()
    _backends[device] = found
    return found


class Watched:
    """A device and the sizes of the bindings that its kernels were given."""

    def __init__(self, backend: Any) -> None:
        self.backend = backend
        self.sizes: list[int] = []

    def put(self, host: Any) -> Any:
        host = np.asarray(host)
        dtype = BY_NUMPY[host.dtype]
        return wrap(self.backend.from_host(host, None), array_type(dtype, self.backend))

    def get(self, x: Any) -> Any:
        assert x.device == self.backend.device
        x._data.mirror = None
        return self.backend.to_host(x._data)


@pytest.fixture
def small(backend: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    """The small device; afterwards no kernel was given more than a binding can hold."""
    monkeypatch.setattr("numr_api._backends.webgpu.memory.SLAB", MOST)  # as on every device
    monkeypatch.setattr("numr_api._backends.webgpu.memory.SMALL", MOST // 4)
    features = "full" if backend.gpu.adapter.features else "baseline"
    watched = Watched(small_device(features, backend.gpu.adapter))
    gpu = watched.backend.gpu
    dispatch = gpu.dispatch

    def watch(program: Any, bindings: Any, words: Any, count: int) -> None:
        watched.sizes += [binding.size for binding in bindings]
        dispatch(program, bindings, words, count)

    monkeypatch.setattr(gpu, "dispatch", watch)
    yield watched
    assert max(watched.sizes, default=0) <= MOST


def values(*shape: int, dtype: str = "float32") -> Any:
    found = np.random.default_rng(sum(shape)).integers(-99, 99, shape)
    return found.astype(dtype) if dtype != "bool" else found > 0


# What works on arrays of several bindings; each function also runs on the cpu.
WORK: dict[str, Callable[[Any], Any]] = {
    "element by element": lambda x: x * 2 + 1,
    "comparison": lambda x: (x > 3) & (x != 7),
    "in place": lambda x: (x + 0).__iadd__(x),
    "conversion": lambda x: xp.astype(x, xp.int16),
    "to a wider type": lambda x: xp.astype(x, xp.complex64),
    "a column for all": lambda x: x + x[:, :1],
    "a row for all": lambda x: x - x[5, :],
    "where": lambda x: xp.where(x > 0, x, -x[::-1, :]),
    "a copy": lambda x: xp.asarray(x, copy=True),
    "every other": lambda x: x[::2, ::3] + 1,
    "backwards": lambda x: xp.flip(x) + x,
    "turned": lambda x: xp.asarray(x.T, copy=True),
    "one beside another": lambda x: xp.concat((x, x[:, :100]), axis=1),
    "one below another": lambda x: xp.concat((x[:10, :], x), axis=0),
    "stacked": lambda x: xp.stack((x, x + 1), axis=1),
    "rolled": lambda x: xp.roll(x, 77),
    "tiled": lambda x: xp.tile(x, (2, 1)),
    "lower triangle": xp.tril,
    "another shape": lambda x: xp.reshape(x[:, ::-1], (-1,)),
    "sum": xp.sum,
    "sums of rows": lambda x: xp.sum(x, axis=1),
    "sums of columns": lambda x: xp.sum(x, axis=0),
    "max": xp.max,
    "argmin of rows": lambda x: xp.argmin(x, axis=1),
    "argmax of columns": lambda x: xp.argmax(x, axis=0),
    "all": lambda x: xp.all(x < 99),
    "counts": lambda x: xp.count_nonzero(x, axis=0),
    "running sums of rows": lambda x: xp.cumulative_sum(x, axis=1),
    "running sum": lambda x: xp.cumulative_sum(xp.reshape(x, (-1,))),
    "created": lambda x: xp.arange(300_000, dtype=xp.int32, device=x.device),
    "filled": lambda x: xp.full((700, 500), 3, dtype=xp.int8, device=x.device),
    "product": lambda x: (lambda y: y.T @ y)(xp.asarray(x[:, :200], copy=True)),
    "slices at indices": lambda x: xp.take(x, xp.asarray([3, 1], device=x.device), axis=0),
    "sorted rows": lambda x: xp.sort(x, axis=1),
    "selected": lambda x: x[x > 50],
    "distinct": xp.unique_values,
}
REFUSED = {"slices at indices", "sorted rows", "selected", "distinct"}  # random access


@pytest.mark.parametrize("name", WORK)
def test_arrays_of_several_bindings(small: Watched, name: str) -> None:
    host = values(401, 503)
    x = small.put(host)
    assert x._data.block.buffer.whole is None
    if name in REFUSED:
        with pytest.raises(Unsupported, match=rf" of (float32|bool) on {x.device}, "):
            WORK[name](x)
    else:
        found = WORK[name](x)
        expected = np.asarray(WORK[name](xp.asarray(host)))
        np.testing.assert_array_equal(small.get(found), expected.astype(found.dtype.name))
    assert int(xp.sum(small.put(np.arange(4)))) == 6  # the device is usable


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "complex64"])
def test_arrays_of_several_bindings_of_other_dtypes(small: Watched, dtype: str) -> None:
    host = values(1203, 1009, dtype=dtype)
    x = small.put(host)
    assert x._data.block.buffer.whole is None
    np.testing.assert_array_equal(small.get(xp.flip(x, axis=1)), host[:, ::-1])
    np.testing.assert_array_equal(small.get(x == x[:1, :]), host == host[:1])
    joined = xp.concat((x[:, 1:], x[:, :-1]), axis=0)
    np.testing.assert_array_equal(
        small.get(joined), np.concatenate([host[:, 1:], host[:, :-1]], axis=0)
    )
    x[1:, 3] = x[0, 3]
    host[1:, 3] = host[0, 3]
    np.testing.assert_array_equal(small.get(x), host)


def test_reads_and_uploads_in_pieces(
    backend: Any, put: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("numr_api._backends.webgpu.gpu.MOST_STAGING", 5000)
    for size in (4999, 5000, 40_001):
        host = values(size, dtype="int8")
        x = put(host)
        x._data.mirror = None
        np.testing.assert_array_equal(backend.to_host(x._data), host)
        np.testing.assert_array_equal(backend.to_host(x[3:-1]._data), host[3:-1])


# More than 65,535 workgroups


def test_more_workgroups_than_an_axis_has(get: Any, backend: Any) -> None:
    count = GROUPS * 1024 + 5001
    if backend.gpu.most < count or not backend.gpu.adapter.features:
        pytest.skip("once is enough, where an array of bytes fits a binding")
    x = xp.zeros(count, dtype=xp.int8, device=backend.device)
    x += 3  # a thread has four elements, a workgroup 1024
    x[-1] = 5
    x[0] = 7
    assert int(xp.sum(x, dtype=xp.int64)) == 3 * count + 2 + 4
    assert int(xp.argmax(x[1:])) == count - 2
    ends = xp.concat((x[:3], x[-3:]))
    assert get(ends).tolist() == [7, 3, 3, 3, 3, 5]
    del x, ends
    backend.gpu.memory.trim()


# Larger than a binding in earnest


def test_arrays_larger_than_a_real_binding(backend: Any) -> None:
    if backend.gpu.most > 1 << 28 or not backend.gpu.adapter.features:
        pytest.skip("once is enough, where bindings are not so large that it takes gigabytes")
    device = backend.device
    count = backend.gpu.most // 4 + 5001
    x = xp.arange(count, dtype=xp.float32, device=device)
    assert x._data.block.buffer.whole is None
    x *= 0.5
    ends = xp.concat((x[:2], x[count // 2 : count // 2 + 2], x[-2:]))
    expected = np.asarray([0, 1, count // 2, count // 2 + 1, count - 2, count - 1], np.float32) / 2
    np.testing.assert_array_equal(backend.to_host(ends._data), expected)
    exact = count * (count - 1) / 4
    assert float(xp.sum(x)) == pytest.approx(exact, rel=1e-6)
    y = xp.flip(x)
    y[:1000] = 1.0
    z = xp.concat((y[:1001], x[-1000:]))
    assert float(z[1000]) == float(np.float32(count - 1001) / 2)
    assert float(y[-1]) == 0.0
    x[:] = y
    assert float(x[999]) == 1.0
    assert int(xp.argmax(x)) == 1000
    del x, y, z
    gc.collect()
    backend.gpu.memory.trim()


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_halves_in_parts_are_rounded_once(small: Watched, dtype: DType) -> None:
    host = rounded(np.random.default_rng(0).integers(-1, 7, (3, 200_003)), dtype)
    host[:, 10_000:190_000] = rounded(0, dtype)  # so that float16 holds the sums
    x, wide = small.put(host), exact(host)
    for function, expected in (
        (xp.sum, wide.sum(1)), (xp.cumulative_sum, wide.cumsum(1)), (xp.max, wide.max(1)),
    ):  # fmt: skip
        assert_same(small.get(function(x, axis=1)), rounded(expected, dtype))
    assert steps(small.get(xp.var(x, axis=1)), rounded(wide.var(1), dtype)).max() <= 1
    assert_same(small.get(x + x), rounded(2 * wide, dtype))
    assert_same(small.get(xp.concat([x[:, 1:], x], axis=1)), np.concat([host[:, 1:], host], axis=1))
    assert_same(small.get(x[0, :] @ x[1, :]), rounded(wide[0] @ wide[1], dtype))
