"""gather, take, take_along_axis, concat, repeat, transposed copies and faults on webgpu."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._backends.webgpu import gpu, transposition
from numr_api._dtypes import BY_NUMPY, STANDARD
from numr_api._errors import Unsupported

Put = Callable[[Any], Any]
Get = Callable[[Any], Any]

DTYPES = [np.dtype(dtype.__numpy_dtype__) for dtype in STANDARD]
INTEGERS = [dtype for dtype in DTYPES if dtype.kind in "iu"]
SIZES = [np.dtype(name) for name in ("int8", "uint16", "float32", "complex64")]


def values(shape: Any, dtype: Any, seed: int = 0) -> Any:
    """Elements of any bits but NaN, so that a lost or a moved bit shows."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    real = (rng.standard_normal(shape) * 1e9).astype(dtype)
    return (
        real + 1j * rng.standard_normal(shape).astype(real.real.dtype)
        if dtype.kind == "c"
        else real
    )


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


def views(host: Any, x: Any) -> list[tuple[Any, Any]]:
    """A matrix as it is, and seen from an offset, strided, reversed, transposed and repeated."""
    return [
        (host, x),
        (host[1:, 1:], x[1:, 1:]),
        (host[::2, ::-1], x[::2, ::-1]),
        (host[::-1, ::3], x[::-1, ::3]),
        (host.T, x.T),
        (np.broadcast_to(host[:, 2:3], host.shape), xp.broadcast_to(x[:, 2:3], host.shape)),
    ]


# --- reading at indices ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_take_moves_every_dtype_along_every_axis(
    backend: Any, put: Put, get: Get, dtype: Any
) -> None:
    needs(backend, dtype)
    host, indices = values((5, 6, 8), dtype), np.array([3, -1, 0, 2, 2, -5, 4])
    x, at = put(host), on_device(put(indices))
    for axis in range(3):
        same(get(xp.take(x, at, axis=axis)), host.take(indices, axis=axis))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_indices_may_have_every_integer_dtype(backend: Any, put: Put, get: Get, dtype: Any) -> None:
    host = values(100, "float32")
    indices = np.array([0, 99, 3, 50] + [-100, -1, -7] * (dtype.kind == "i"), dtype)
    at = on_device(put(indices))
    same(get(xp.take(put(host), at)), host[indices.astype(int)])
    same(get(put(host)[at[::-1]]), host[indices.astype(int)][::-1])


@pytest.mark.parametrize("dtype", SIZES, ids=str)
def test_take_reads_views(backend: Any, put: Put, get: Get, dtype: Any) -> None:
    host = values((8, 12), dtype)
    for expected, x in views(host, put(host)):
        for axis in (0, 1):
            indices = np.array([1, 0, -1, 2])
            same(get(xp.take(x, put(indices), axis=axis)), expected.take(indices, axis=axis))


def test_take_of_whole_rows(backend: Any, put: Put, get: Get) -> None:
    for dtype in SIZES:
        host = values((50, 64), dtype)
        indices = np.random.default_rng(1).integers(-50, 50, 1001)
        same(get(xp.take(put(host), put(indices), axis=0)), host[indices])
        for width, start in ((66, 0), (72, 0), (72, 1)):
            wide, part = values((50, width), dtype), slice(start, start + 64)
            same(get(xp.take(put(wide)[:, part], put(indices), axis=0)), wide[:, part][indices])


def test_empty_results(backend: Any, put: Put, get: Get) -> None:
    host, none = values((3, 4), "float32"), np.zeros(0, np.int64)
    assert get(xp.take(put(host), put(none), axis=0)).shape == (0, 4)
    assert get(xp.take(put(host[:0]), put(none), axis=0)).shape == (0, 4)
    assert get(put(host)[put(none), put(none)]).shape == (0,)
    assert get(put(host)[put(none), 1]).shape == (0,)
    along = put(np.zeros((0, 4), np.int64))
    assert get(xp.take_along_axis(put(host), along, axis=0)).shape == (0, 4)
    assert get(xp.take_along_axis(put(host[:0]), along, axis=0)).shape == (0, 4)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_gather_at_arrays_that_broadcast(backend: Any, put: Put, get: Get, dtype: Any) -> None:
    needs(backend, dtype)
    rng = np.random.default_rng(2)
    host = values((5, 7, 6), dtype)
    i, j, k = rng.integers(-5, 5, (3, 1)), rng.integers(-7, 7, 9), rng.integers(-6, 6, (2, 1, 1))
    x = put(host)
    same(get(x[put(i), on_device(put(j)), put(k)]), host[i, j, k])
    same(get(x[put(i), -3, put(j % 6)]), host[i, -3, j % 6])
    same(get(x[:, ::-1, 1:][put(i), put(j), put(k % 5)]), host[:, ::-1, 1:][i, j, k % 5])


def test_gather_at_zero_dimensional_indices(backend: Any, put: Put, get: Get) -> None:
    host = values((5, 7), "int16")
    one = on_device(put(np.asarray(3)))
    same(get(put(host)[one, put(np.array([1, -1]))]), host[3, [1, -1]])


@pytest.mark.parametrize("dtype", SIZES, ids=str)
def test_take_along_axis_broadcasts_the_other_axes(
    backend: Any, put: Put, get: Get, dtype: Any
) -> None:
    rng = np.random.default_rng(3)
    host = values((6, 12), dtype)
    for expected, x in views(host, put(host)):
        rows, columns = expected.shape
        for axis, shape in ((0, (4, columns)), (0, (4, 1)), (1, (rows, 11)), (1, (1, 5))):
            length = expected.shape[axis]
            indices = rng.integers(-length, length, shape)
            found = get(xp.take_along_axis(x, put(indices), axis=axis))
            same(found, np.take_along_axis(expected, indices, axis))
    one_row, indices = put(host[:1]), rng.integers(0, 12, (3, 4))
    same(get(xp.take_along_axis(one_row, put(indices), axis=1)),
         np.take_along_axis(host[:1], indices, 1))  # fmt: skip


def test_workgroups_in_several_rows(
    backend: Any, put: Put, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "GROUPS", 7)  # as if an axis had no more than that
    monkeypatch.setattr(backend, "least_transposed", 0)
    host = values((300, 201), "uint8")
    x = put(host)
    rows = np.random.default_rng(9).integers(0, 300, 333)
    same(get(xp.take(x, on_device(put(rows)), axis=0)), host[rows])
    same(get(xp.concat([x[:, 1:], x, x[:, :2]], axis=1)),
         np.concatenate([host[:, 1:], host, host[:, :2]], 1))  # fmt: skip
    same(get(xp.repeat(x, on_device(put(rows % 3))[:300], axis=0)), host.repeat(rows[:300] % 3, 0))
    wide = values((300, 404), "float32")
    same(get(xp.asarray(put(wide).T, copy=True)), wide.T)


def test_data_larger_than_a_binding_is_split_or_refused(backend: Any, put: Put) -> None:
    if backend.gpu.most > 1 << 28:
        pytest.skip("it takes too much memory here")
    length = backend.gpu.most // 4 * 3 // 4
    x = xp.empty((2, length), dtype=xp.float32, device=backend.device)
    x[0, -1], x[1, -1], x[1, 3] = 1.0, 2.0, 3.0
    found = backend.to_host(xp.take(x, put(np.array([-1, 3])), axis=1)._data)
    assert found[:, 0].tolist() == [1.0, 2.0]
    assert found[1, 1] == 3.0
    with pytest.raises(Unsupported, match="so large an array"):
        xp.take(x, put(np.array([-1])), axis=0)


# --- indices out of bounds ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_an_index_out_of_bounds_from_the_host_raises_at_once(
    backend: Any, put: Put, dtype: Any
) -> None:
    x = put(np.arange(10.0, dtype=np.float32))
    wrong = [10, 100] if dtype.kind == "u" else [10, -11]
    for index in wrong:
        with pytest.raises(IndexError, match=f"take: index {index} is out of bounds for axis 0"):
            xp.take(x, put(np.array([0, index], dtype)))
        with pytest.raises(IndexError, match=f"indexing: index {index} is out of bounds"):
            x[put(np.array([0, index], dtype))]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_an_index_out_of_bounds_from_the_device_raises_when_somebody_reads(
    backend: Any, put: Put, get: Get, dtype: Any
) -> None:
    x = put(np.arange(100.0, dtype=np.float32))
    info = np.iinfo(dtype)
    wrong = [100, info.max, *([-101, info.min] if dtype.kind == "i" else [])]
    if dtype.itemsize == 8:
        wrong += [1 << 32, (1 << 32) + 5] + ([-(1 << 32), -(1 << 32) + 5] if info.min else [])
    for index in wrong:
        found = xp.take(x, on_device(put(np.array([5, index], dtype))))
        with pytest.raises(IndexError, match=r"^take: an index is .* axis 0 of length 100$"):
            get(found)
        assert get(found)[0] == 5  # once only, and the device goes on


def test_each_operation_names_itself_and_its_axis(backend: Any, put: Put, get: Get) -> None:
    x = put(np.zeros((3, 4), np.float32))
    good, bad = on_device(put(np.array([[0, 1]]))), on_device(put(np.array([[0, 9]])))
    calls: list[tuple[str, Callable[[], Any]]] = [
        ("take: .* axis 1 of length 4", lambda: xp.take(x, bad[0, :], axis=1)),
        ("take_along_axis: .* axis 1 of length 4", lambda: xp.take_along_axis(x, bad, axis=1)),
        ("indexing: .* axis 1 of length 4", lambda: x[good, bad]),
        ("indexing: .* axis 0 of length 3", lambda: x[bad, good]),
        ("indexing: .* axis 1 of length 4", lambda: x[2, bad]),
    ]
    for message, call in calls:
        result = call()
        with pytest.raises(IndexError, match=message):
            get(result)


def test_the_first_of_several_faults_is_told_also_by_other_arrays(
    backend: Any, put: Put, get: Get
) -> None:
    x, other = put(np.zeros((3, 4), np.float32)), put(np.ones(3, np.float32))
    bad = on_device(put(np.array([9])))
    for _ in range(3):
        get(xp.take(x, on_device(put(np.array([1]))), axis=0))
    xp.take(x, bad, axis=1)
    xp.take(x, bad, axis=0)
    with pytest.raises(IndexError, match="axis 1 of length 4"):
        get(other)
    same(get(other), np.ones(3, np.float32))
    xp.take(x, bad, axis=0)
    with pytest.raises(IndexError, match="axis 0 of length 3"):
        backend.synchronize()
    backend.synchronize()


def test_looking_for_faults_costs_no_round_trip(backend: Any, put: Put, get: Get) -> None:
    found = xp.take(put(np.arange(9)), on_device(put(np.array([4]))))
    backend.gpu.flush()
    before = backend.gpu.reads, backend.gpu.submits
    assert get(found).tolist() == [4]
    assert (backend.gpu.reads, backend.gpu.submits) == (before[0] + 1, before[1] + 1)


def test_a_fault_outlives_the_reads_of_operations(backend: Any, put: Put, get: Get) -> None:
    xp.take(put(np.arange(9)), on_device(put(np.array([9]))))
    mask = on_device(put(np.array([True, False])))
    some = put(np.arange(2))[mask]  # reads how many there are
    assert some.shape == (1,)
    with pytest.raises(IndexError, match="take: "):
        get(some)


def test_indices_are_checked_where_there_are_no_elements(backend: Any, put: Put, get: Get) -> None:
    x = put(np.zeros((3, 0), np.float32))
    found = xp.take(x, on_device(put(np.array([3]))), axis=0)
    with pytest.raises(IndexError, match="axis 0 of length 3"):
        get(found)
    with pytest.raises(IndexError, match="length 0"):
        xp.take(x, on_device(put(np.array([0]))), axis=1)


# --- concat and repeat ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_concat_joins_views_of_every_dtype(backend: Any, put: Put, get: Get, dtype: Any) -> None:
    needs(backend, dtype)
    host = values((7, 11), dtype)
    x = put(host)
    for axis in (0, 1):
        cut = (slice(1, 4), slice(None)) if axis == 0 else (slice(None), slice(1, 4))
        parts = [
            host[cut],
            host,
            host[:, ::-1],
            host[::-1][cut],
            host[:0] if not axis else host[:, :0],
        ]
        arrays = [x[cut], x, x[:, ::-1], x[::-1, :][cut], x[:0, :] if not axis else x[:, :0]]
        same(get(xp.concat(arrays, axis=axis)), np.concatenate(parts, axis))
    same(get(xp.stack([x.T, x.T], axis=1)), np.stack([host.T, host.T], 1))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16"])
def test_concat_of_parts_that_begin_inside_words(
    backend: Any, put: Put, get: Get, dtype: str
) -> None:
    rng = np.random.default_rng(4)
    sizes = [1, 2, 3, 5, 1000, 4, 7, 0, 1, 1, 4099, 6]
    host = values(5000, dtype)
    x = put(host)
    starts = rng.integers(0, 800, len(sizes)).tolist()
    parts = [slice(s, s + n) for s, n in zip(starts, sizes, strict=True)]
    same(get(xp.concat([x[p] for p in parts])), np.concatenate([host[p] for p in parts]))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float32"])
def test_assignment_to_parts_of_words(backend: Any, put: Put, get: Get, dtype: str) -> None:
    host, value = values((9, 37), dtype), values((9, 37), dtype, 10)
    x, y = put(host), put(value)
    for rows in (slice(None), slice(1, 4), slice(None, None, -2)):
        for columns in (slice(1, None), slice(3, 30), slice(2, 3), slice(5, 37, 3)):
            x[rows, columns] = y[rows, columns][::-1, ::-1]
            host[rows, columns] = value[rows, columns][::-1, ::-1]
            same(get(x), host)
            x[rows, columns] = y[0, 0]
            host[rows, columns] = value[0, 0]
            x[2, columns] = y[3, columns]
            host[2, columns] = value[3, columns]
            same(get(x), host)
    x[1, 1] = y[1, 2]
    host[1, 1] = value[1, 2]
    same(get(x), host)
    long = values(5000, dtype)
    x = put(long)
    x[1:] = x[:-1]  # which overlap
    same(get(x), np.concatenate([long[:1], long[:-1]]))


def test_assignment_to_a_repeated_view_leaves_the_source_alone(
    backend: Any, put: Put, get: Get
) -> None:
    x = put(np.zeros(1, np.float32))
    y = xp.broadcast_to(x, (3,))
    y[1] = 5.0
    assert (get(x).tolist(), get(y).tolist()) == ([0.0], [0.0, 5.0, 0.0])


@pytest.mark.parametrize("dtype", SIZES, ids=str)
def test_repeat(backend: Any, put: Put, get: Get, dtype: Any) -> None:
    rng = np.random.default_rng(5)
    host = values((6, 10), dtype)
    for expected, x in views(host, put(host)):
        for axis in (0, 1):
            counts = rng.integers(0, 4, expected.shape[axis])
            same(get(xp.repeat(x, 3, axis=axis)), expected.repeat(3, axis))
            found = get(xp.repeat(x, on_device(put(counts)), axis=axis))
            same(found, expected.repeat(counts, axis))
    same(get(xp.repeat(put(host), 0)), host.repeat(0))
    same(get(xp.repeat(put(host), put(np.array([2])), axis=1)), host.repeat(2, 1))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_repeat_at_counts_of_every_dtype(backend: Any, put: Put, get: Get, dtype: Any) -> None:
    host = np.arange(50, dtype=np.int32)
    counts = np.random.default_rng(6).integers(0, 5, 50).astype(dtype)
    same(get(xp.repeat(put(host), put(counts))), host.repeat(counts.astype(int)))
    same(get(xp.repeat(put(host), put(counts)[::-1])), host.repeat(counts[::-1].astype(int)))
    if dtype.kind == "i":
        counts[20] = -1
        with pytest.raises(ValueError, match="negative"):
            xp.repeat(put(host), put(counts))


def test_repeat_of_many_slices(backend: Any, put: Put, get: Get) -> None:
    counts = np.random.default_rng(7).integers(0, 3, 70_001)
    host = np.arange(70_001, dtype=np.int32)
    same(get(xp.repeat(put(host), put(counts))), host.repeat(counts))


def test_repeat_refuses_more_than_the_device_holds(backend: Any, put: Put) -> None:
    host = np.arange(5, dtype=np.int8)
    for count in (1 << 31, 1 << 40):
        with pytest.raises(MemoryError):
            xp.repeat(put(host), put(np.full(5, count)))


# --- transposed copies ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_transposed_copies_of_every_dtype(
    backend: Any, put: Put, get: Get, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs(backend, dtype)
    monkeypatch.setattr(backend, "least_transposed", 0)
    for shape in ((32, 64), (52, 100), (49, 33), (64, 17), (16, 16)):
        host = values(shape, dtype)
        x = put(host).T
        assert (transposition.plan(x._data) is not None) == (min(shape) >= 16)
        same(get(xp.asarray(x, copy=True)), host.T)


def test_transposed_copies_of_more_axes(
    backend: Any, put: Put, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "least_transposed", 0)
    host = values((3, 20, 4, 36), "float32")
    for axes in ((0, 3, 2, 1), (3, 0, 1, 2), (2, 3, 0, 1), (3, 2, 1, 0), (1, 3, 0, 2)):
        x = xp.permute_dims(put(host), axes)
        same(get(xp.asarray(x, copy=True)), host.transpose(axes))
        part = x[1:, :, ::-1, 1:]
        same(get(xp.asarray(part, copy=True)), host.transpose(axes)[1:, :, ::-1, 1:])


def test_transposed_casts(
    backend: Any, put: Put, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "least_transposed", 0)
    host = np.random.default_rng(8).integers(0, 100, (36, 40))
    for source, result in (("int8", "float32"), ("float32", "int8"), ("int64", "bool"),
                           ("uint16", "int64"), ("int32", "complex64")):  # fmt: skip
        x = put(host.astype(source)).T
        assert transposition.plan(x._data) is not None
        found = get(xp.astype(x, getattr(xp, result)))
        same(found, host.T.astype(source).astype(result))


def test_large_transposed_copy(
    backend: Any, put: Put, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "least_transposed", transposition.LEAST)
    host = values((515, 1030), "float32")
    x = put(host).T
    assert transposition.plan(x._data) is not None
    same(get(xp.asarray(x, copy=True)), host.T)
