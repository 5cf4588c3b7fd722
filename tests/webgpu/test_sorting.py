"""sort and argsort on webgpu, against NumPy's stable sorts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._backends.webgpu import facts, orders, prefix_sums, radix, sorting
from numr_api._dtypes import BY_NUMPY
from numr_api._errors import Unsupported

DTYPES = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    "float32", "float64",
)  # fmt: skip
# NaNs that differ in sign and payload, and zeros of both signs.
SPECIAL = {
    "float32": np.array(
        [0x7FC00000, 0xFFC00001, 0x7F800001, 0, 1 << 31, 0x7F800000, 0xFF800000, 1, 0x80000001],
        np.uint32,
    ).view(np.float32),
    "float64": np.array(
        [0x7FF8 << 48, (0xFFF8 << 48) + 1, (0x7FF0 << 48) + 1, 0, 1 << 63, 0x7FF0 << 48,
         0xFFF0 << 48, 1, (1 << 63) + 1],
        np.uint64,
    ).view(np.float64),
}  # fmt: skip


def drawn(dtype: str, shape: Any, seed: int = 0) -> np.ndarray[Any, Any]:
    """Values of which many are equal, and the dtype's extremes."""
    generator = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return generator.integers(0, 2, shape).astype(bool)
    if kind.kind == "f":
        values = generator.standard_normal(shape).astype(kind)
        return np.where(
            generator.random(shape) < 0.4, generator.choice(SPECIAL[dtype], shape), values
        )
    limits = np.iinfo(kind)
    values = generator.integers(limits.min, limits.max, shape, kind, endpoint=True)
    few = generator.choice(np.array([limits.min, limits.max, 0, 1, 2], kind), shape)
    return np.where(generator.random(shape) < 0.4, few, values)


def ordered(x: np.ndarray[Any, Any], axis: int, descending: bool) -> np.ndarray[Any, Any]:
    """Indices of a stable sort; NaN counts as the largest."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    last = x.shape[axis] - 1
    return np.flip(last - np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)


def bits(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(x).view(np.uint8)


def check(x: Any, host: np.ndarray[Any, Any], get: Any, axis: int = -1) -> None:
    for descending in (False, True):
        expected = ordered(host, axis, descending)
        indices = get(xp.argsort(x, axis=axis, descending=descending))
        assert indices.dtype == np.int64
        np.testing.assert_array_equal(indices, expected)
        values = get(xp.sort(x, axis=axis, descending=descending, stable=False))
        assert values.dtype == host.dtype
        wanted = np.take_along_axis(host, expected, axis)
        np.testing.assert_array_equal(bits(values), bits(wanted))


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_one_axis_of_any_length(backend: Any, put: Any, get: Any, dtype: str) -> None:
    if BY_NUMPY[np.dtype(dtype)] not in backend.dtypes:
        pytest.skip(f"the device has no {dtype}")
    for length in (0, 1, 2, 5, 64, 128, 129, 1024, 1025, 4500):
        host = drawn(dtype, length, length)
        check(put(host), host, get)


def test_bool_which_public_functions_refuse(backend: Any) -> None:
    for length in (5, 3000):
        host = drawn("bool", (2, length))
        x = backend.from_host(host, None)
        for descending in (False, True):
            expected = ordered(host, 1, descending)
            indices = backend.to_host(backend.argsort(x, 1, descending, True))
            np.testing.assert_array_equal(indices, expected)
            values = backend.to_host(backend.sort(x, 1, descending, True))
            np.testing.assert_array_equal(values, np.take_along_axis(host, expected, 1))


@pytest.mark.parametrize("shape", [(4, 5, 3), (1, 9), (513, 3), (3, 513), (2, 3000), (5, 0, 2)])
def test_along_any_axis(put: Any, get: Any, shape: tuple[int, ...]) -> None:
    host = drawn("float32", shape)
    x = put(host)
    for axis in range(-len(shape), len(shape)):
        check(x, host, get, axis)


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_all_that_a_workgroup_can_hold(
    put: Any, get: Any, monkeypatch: pytest.MonkeyPatch, dtype: str
) -> None:
    monkeypatch.setattr(sorting, "SHORT_ROW_IN_SOFTWARE", 1 << 16)
    longest = sorting.SHORT_ROW[np.dtype(dtype).itemsize // 4]
    for length in (300, longest - 1, longest, longest + 1):
        host = drawn(dtype, (2, length))
        check(put(host), host, get)


def test_rows_are_sorted_apart_by_the_radix_sort(put: Any, get: Any) -> None:
    host = drawn("int64", (3, 2500))
    check(put(host), host, get)
    host = drawn("int16", (2, 2, 4097))
    check(put(host), host, get)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_views(put: Any, get: Any, dtype: str) -> None:
    host = drawn(dtype, (40, 130))
    x = put(host)
    check(x[::-3, 5::2], host[::-3, 5::2], get)
    check(x[::-3, 5::2], host[::-3, 5::2], get, 0)
    check(x[7, ::-1], host[7, ::-1], get)
    check(x.T, host.T, get)
    row = np.broadcast_to(host[3, :9], (4, 9))
    check(xp.broadcast_to(x[3, :9], (4, 9)), row, get)
    check(xp.broadcast_to(x[3, :9], (4, 9)), row, get, 0)


def test_the_operand_stays(put: Any, get: Any) -> None:
    for length in (9, 3000):
        host = drawn("float32", length)
        x = put(host)
        xp.sort(x)
        xp.argsort(x)
        np.testing.assert_array_equal(bits(get(x)), bits(host))


def test_equal_elements_keep_their_order(put: Any, get: Any) -> None:
    for length in (700, 5000):
        x = put(np.zeros(length, np.float32))
        for descending in (False, True):
            indices = get(xp.argsort(x, descending=descending))
            np.testing.assert_array_equal(indices, np.arange(length))


def test_more_workgroups_than_an_axis_has(
    backend: Any, put: Any, get: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not backend.gpu.adapter.features:
        pytest.skip("it runs the same kernel")
    monkeypatch.setattr(sorting, "AT_ONCE", 1)
    host = drawn("uint8", (65_600, 2))
    expected = np.sort(host, axis=-1)
    np.testing.assert_array_equal(get(xp.sort(put(host))), expected)


def test_more_than_2_to_24_elements(backend: Any, put: Any, get: Any) -> None:
    if not backend.gpu.adapter.features:
        pytest.skip("it runs the same kernels")
    host = np.arange((1 << 24) + 5, dtype=np.uint8)
    expected = np.sort(host, kind="stable")
    np.testing.assert_array_equal(get(xp.sort(put(host))), expected)


@pytest.mark.parametrize("length", [3001, 256, 37])
@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8"])
@pytest.mark.parametrize("indices", [False, True])
def test_with_subgroups(backend: Any, put: Any, dtype: str, length: int, indices: bool) -> None:
    """The kernels of GPUs, which a software driver runs slowly."""
    adapter = backend.gpu.adapter
    if adapter.type != "CPU" or "subgroup" not in adapter.features:
        pytest.skip("the other tests use subgroups, or there are none")
    method = radix.Method(256, 64, 8, 8 if indices else 64)  # votes of one word, and of two
    host = drawn(dtype, (3, length))
    order = orders.ORDERS[BY_NUMPY[host.dtype]]
    stored = host.astype(order.stored.__numpy_dtype__)
    source = put(stored)._data
    target = backend.empty(source.shape, xp.int64 if indices else source.dtype)
    for flip, descending in ((0, False), (0xFFFF_FFFF, True)):
        with backend.gpu.lock:
            radix.radix_sort(backend, order, source, target, flip, indices, method)
        expected = ordered(host, -1, descending)
        wanted = expected if indices else np.take_along_axis(stored, expected, -1)
        target.block.version += 1
        np.testing.assert_array_equal(bits(backend.to_host(target)), bits(wanted))


def test_the_method_fits_any_subgroups() -> None:
    """A workgroup has whole subgroups, whatever their size, and enough memory for their counts."""
    assert radix.method_for(32, 32) == radix.Method(4096, 512, 32, 32)
    for least, most in ((8, 8), (8, 32), (16, 16), (32, 32), (32, 64), (64, 64)):
        for limit in (256, 512):
            method = radix.method_for(least, most, limit)
            assert method.threads % most == 0
            assert method.threads <= limit
            assert method.tile % method.threads == 0
            words = max(method.threads // least * 256, method.tile) + 2 * 256 + radix.SUBGROUPS
            assert 4 * words <= radix.SUBGROUP_MEMORY
    for least, most in ((0, 0), (4, 128), (4, 4), (8, 256)):
        assert radix.method_for(least, most) is radix.SINGLE_THREADS


def test_subgroups_are_found_by_trying(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = backend.gpu.adapter
    if "subgroup" not in adapter.features:
        assert facts.subgroups(backend) == (0, 0)
        return
    vendor = adapter.handle.info["vendor_id"]
    monkeypatch.setitem(facts.SUBGROUPS, vendor, (1, 128))
    assert facts.subgroups(backend) == (1, 128)
    monkeypatch.setitem(facts.SUBGROUPS, vendor, (1, 2))
    assert facts.subgroups(backend) == (0, 0)
    monkeypatch.delitem(facts.SUBGROUPS, vendor)
    assert facts.subgroups(backend) == (0, 0)


def test_loops_are_written_out() -> None:
    text = """    var found: array<u32, ITEMS>;
    for (var k = 0u; k < ITEMS; k++) {
        found[k] = k;
        for (var w = 0u; w < WORDS; w++) {
            put(found[k], w);
        }
    }
    for (var i = 0u; i < parts; i++) {
        keep(i);
    }
"""
    written = radix.unrolled(text, {"ITEMS": 2, "WORDS": 1})
    assert "".join(written.split()) == (
        "varfound_0:u32;varfound_1:u32;{found_0=0u;{put(found_0,0u);}}{found_1=1u;{put(found_1,0u);}}"
        "for(vari=0u;i<parts;i++){keep(i);}"
    )


@pytest.mark.parametrize("count", [1, 4096, 4097, 70_001])
@pytest.mark.parametrize("kind", ["CPU", "DiscreteGPU"])
def test_prefix_sums(backend: Any, monkeypatch: pytest.MonkeyPatch, count: int, kind: str) -> None:
    host = np.random.default_rng(count).integers(0, 99, count).astype(np.uint32)
    data = backend.from_host(host, None)
    monkeypatch.setattr(backend.gpu, "adapter", replace(backend.gpu.adapter, type=kind))
    with backend.gpu.lock:
        prefix_sums.sum_up(backend, data, count)
    data.block.version += 1
    np.testing.assert_array_equal(backend.to_host(data), np.cumsum(host) - host)


def test_arrays_beyond_a_binding_are_refused(put: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = put(np.zeros(1 << 19, np.float32))
    monkeypatch.setattr(x._data.block.buffer, "whole", None)
    with pytest.raises(Unsupported, match="sort of 524,288 elements"):
        xp.sort(x)
