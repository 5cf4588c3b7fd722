"""compress, nonzero and assignment by a mask on webgpu."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._backends.webgpu import gpu, prefix_sums
from numr_api._dtypes import BY_NUMPY, STANDARD, uint32

Put = Callable[[Any], Any]
Get = Callable[[Any], Any]

DTYPES = [np.dtype(dtype.__numpy_dtype__) for dtype in STANDARD]
SIZES = [np.dtype(name) for name in ("uint8", "int16", "float32", "complex64")]
DENSITIES = (0.0, 0.01, 0.5, 1.0)


def values(shape: Any, dtype: Any, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    imaginary = 1j * rng.integers(0, 9, shape) if np.dtype(dtype).kind == "c" else 0
    return (rng.integers(0, 100, shape) + imaginary).astype(dtype)


def chosen(shape: Any, density: float = 0.5, seed: int = 1) -> Any:
    return np.random.default_rng(seed).random(shape) < density


def needs(backend: Any, dtype: Any) -> None:
    if BY_NUMPY[np.dtype(dtype)] not in backend.dtypes:
        pytest.skip(f"the device has no {dtype}")


def on_device(x: Any) -> Any:
    """The same elements without what the host knows of them."""
    copied = xp.asarray(x, copy=True)
    copied._data.mirror = None
    return copied


def same(found: Any, expected: Any) -> None:
    expected = np.asarray(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


# --- prefix sums ----------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 255, 4096, 4097, 100_003])
def test_prefix_sums(backend: Any, put: Put, get: Get, count: int) -> None:
    host = np.random.default_rng(2).integers(0, 1000, count, dtype=np.uint32)
    x = put(host)
    prefix_sums.sum_up(backend, x._data, count)
    same(get(x), np.cumsum(host, dtype=np.uint32) - host)


def test_prefix_sums_stop_at_the_largest_word(backend: Any, put: Put, get: Get) -> None:
    for count in (10, 5000):
        x = put(np.full(count, 1 << 30, np.uint32))
        prefix_sums.sum_up(backend, x._data, count)
        expected = [0, 1 << 30, 2 << 30, 3 << 30] + [prefix_sums.MOST] * (count - 4)
        assert get(x).tolist() == expected


# --- compress -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_compress_moves_every_dtype(backend: Any, put: Put, get: Get, dtype: Any) -> None:
    needs(backend, dtype)
    host = values((9, 7, 5), dtype)
    x = put(host)
    for mask in (chosen((9, 7, 5)), chosen((9, 7)), chosen(9)):
        same(get(x[put(mask)]), host[mask])
        same(get(x[on_device(put(mask))]), host[mask])


@pytest.mark.parametrize("dtype", SIZES, ids=str)
@pytest.mark.parametrize("size", [1, 15, 16, 17, 16_384, 16_385, 50_001])
def test_compress_keeps_the_order(backend: Any, put: Put, get: Get, dtype: Any, size: int) -> None:
    host = values(size, dtype)
    x = put(host)
    for density in DENSITIES:
        mask = chosen(size, density)
        same(get(x[on_device(put(mask))]), host[mask])


@pytest.mark.parametrize("dtype", SIZES, ids=str)
def test_compress_of_views(backend: Any, put: Put, get: Get, dtype: Any) -> None:
    host, mask = values((40, 50), dtype), chosen((40, 50))
    x, m = put(host), on_device(put(mask))
    same(get(x.T[m.T]), host.T[mask.T])
    same(get(x[::-1, ::2][m[:, ::2]]), host[::-1, ::2][mask[:, ::2]])
    same(get(x[1:, 3:][m[1:, 3:]]), host[1:, 3:][mask[1:, 3:]])
    same(get(x[7, :][m[7, :]]), host[7][mask[7]])
    same(get(x[:, 1:][m[:, 3]]), host[:, 1:][mask[:, 3]])
    repeated = xp.broadcast_to(m[:, :1], (40, 50))
    same(get(x[repeated]), host[np.broadcast_to(mask[:, :1], (40, 50))])


def test_compress_of_no_elements(backend: Any, put: Put, get: Get) -> None:
    host = values((3, 0, 2), "float32")
    same(get(put(host)[put(np.ones((3, 0), bool))]), host[np.ones((3, 0), bool)])
    same(get(put(host)[on_device(put(np.array([True, False, True])))]), host[[0, 2]])
    one = values((), "float32")
    for is_true in (True, False):
        same(get(put(one)[put(np.asarray(is_true))]), one[np.asarray(is_true)])


def test_any_byte_but_zero_is_true(backend: Any, put: Put, get: Get) -> None:
    raw = np.arange(256, dtype=np.uint8)
    mask = put(raw.view(bool))
    mask._data.mirror = None
    same(get(put(raw)[mask]), raw[1:])


def test_compress_reads_once_and_not_where_the_host_knows(backend: Any, put: Put, get: Get) -> None:
    x, mask = put(values(1000, "float32")), put(chosen(1000))
    before = backend.gpu.reads
    x[mask]
    assert backend.gpu.reads == before
    x[on_device(mask)]
    assert backend.gpu.reads == before + 1


def test_compress_with_workgroups_in_several_rows(
    backend: Any, put: Put, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "GROUPS", 5)
    host, mask = values(200_003, "int32"), chosen(200_003)
    same(get(put(host)[put(mask)]), host[mask])


# --- nonzero --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_nonzero_of_every_dtype(backend: Any, put: Put, get: Get, dtype: Any) -> None:
    needs(backend, dtype)
    for shape in ((0,), (1,), (1001,), (13, 17), (5, 6, 7), (3, 0)):
        host = values(shape, dtype) * chosen(shape).astype(dtype)
        found = xp.nonzero(put(host))
        assert len(found) == len(shape)
        for part, expected in zip(found, host.nonzero(), strict=True):
            same(get(part), expected)


def test_nonzero_of_views_and_special_values(backend: Any, put: Put, get: Get) -> None:
    host = values((20, 30), "float32") * chosen((20, 30), 0.3)
    for part, expected in ((put(host).T, host.T), (put(host)[::-1, 1::2], host[::-1, 1::2])):
        for found, wanted in zip(xp.nonzero(part), expected.nonzero(), strict=True):
            same(get(found), wanted)
    special = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0], np.float32)
    same(get(xp.nonzero(put(special))[0]), np.array([2, 3, 4, 5]))


# --- assignment -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_assign_scalars_and_arrays(backend: Any, put: Put, get: Get, dtype: Any) -> None:
    needs(backend, dtype)
    scalar: Any = {"b": True, "c": 3 - 2j, "f": 2.5}.get(dtype.kind, 7)
    for axes in (1, 2, 3):
        host, mask = values((6, 5, 9), dtype), chosen((6, 5, 9)[:axes])
        x = put(host)
        x[put(mask)] = scalar
        host[mask] = scalar
        same(get(x), host)
        several = values((int(mask.sum()), *host.shape[axes:]), dtype, 3)
        x[put(mask)] = put(several)
        host[mask] = several
        same(get(x), host)
        one = values(host.shape[axes:], dtype, 4)
        x[put(mask)] = put(one)
        host[mask] = one
        same(get(x), host)


def test_assign_values_that_broadcast(backend: Any, put: Put, get: Get) -> None:
    mask = chosen((6, 5))
    count = int(mask.sum())
    for shape in ((), (1,), (9,), (1, 9), (1, 1), (count, 1), (count, 9), (1, 1)):
        host, value = values((6, 5, 9), "int16"), values(shape, "int16", 5)
        x = put(host)
        x[put(mask)] = put(value)
        host[mask] = value
        same(get(x), host)


def test_assign_casts_the_value(backend: Any, put: Put, get: Get) -> None:
    mask = chosen(100)
    for value in (np.asarray(-3, np.int8), values(int(mask.sum()), "int8", 6)):
        host = values(100, "int64")
        x = put(host)
        x[put(mask)] = put(value)
        host[mask] = value
        same(get(x), host)
    wide = values(100, "complex64")
    x = put(wide)
    x[put(mask)] = 2
    wide[mask] = 2
    same(get(x), wide)


def test_assign_to_views_and_from_the_array_itself(backend: Any, put: Put, get: Get) -> None:
    host = values((30, 40), "uint8")
    x = put(host)
    mask = chosen((40, 30))
    x.T[put(mask)] = 1
    host.T[mask] = 1
    same(get(x), host)
    part, m = x[::2, 1:], chosen((15, 39))
    part[put(m)] = 99
    host[::2, 1:][m] = 99
    same(get(x), host)
    row = chosen(30)
    x[put(row)] = x[0, ::-1]
    host[row] = host[0, ::-1].copy()
    same(get(x), host)
    flat, again = put(np.arange(10)), np.arange(10)
    every_other = np.arange(10) % 2 == 0
    flat[put(every_other)] = flat[4::-1]
    again[every_other] = again[4::-1].copy()
    same(get(flat), again)


def test_assign_by_a_mask_that_is_the_array(backend: Any, put: Put, get: Get) -> None:
    host = chosen((9, 9))
    x = put(host)
    x[x[::-1, :]] = False
    host[host[::-1].copy()] = False
    same(get(x), host)
    x[x] = False
    assert not get(x).any()


def test_assign_selects_nothing(backend: Any, put: Put, get: Get) -> None:
    host = values((4, 5), "float32")
    x, none = put(host), put(np.zeros(4, bool))
    x[none] = 3.0
    x[none] = put(np.zeros((0, 5), np.float32))
    x[none] = put(np.zeros(5, np.float32))
    same(get(x), host)
    empty = put(np.zeros((0, 5), np.float32))
    empty[put(np.zeros(0, bool))] = 1.0
    assert empty.shape == (0, 5)


def test_assign_a_scalar_reads_nothing(backend: Any, put: Put, get: Get) -> None:
    x, mask = put(values((9, 9), "float32")), on_device(put(chosen((9, 9))))
    target = x._data
    before = backend.gpu.reads
    backend.assign_mask(target, mask._data, 1.0)
    backend.assign_mask(target, mask._data, put(np.asarray(2.0, np.float32))._data)
    assert backend.gpu.reads == before
    assert (get(x)[get(mask)] == 2.0).all()


def test_what_the_host_remembers_ends_with_an_assignment(backend: Any, put: Put) -> None:
    x = put(np.zeros(5, np.float32))
    x[put(np.array([True, False, True, False, False]))] = 1.0
    assert backend.to_host(x._data).tolist() == [1, 0, 1, 0, 0]


def test_uint32_indices_of_a_selection_are_no_faults(backend: Any, put: Put, get: Get) -> None:
    x = put(values((50, 3), "uint8"))
    x[on_device(put(chosen(50)))]
    assert not backend.faults.pending
    assert backend.empty((1,), uint32).dtype is uint32
