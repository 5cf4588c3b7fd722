"""Running sums and products of the webgpu device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from numr_api._backends.webgpu import data as views
from numr_api._dtypes import BY_NAME

DTYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32",
          "float64", "complex64", "complex128")  # fmt: skip
NUMPY = {"cumulative_sum": np.cumsum, "cumulative_prod": np.cumprod}


def scan(backend: Any, operation: str, x: Any, axis: int, dtype: str = "") -> Any:
    """What the device makes of data, or of a NumPy array."""
    if isinstance(x, np.ndarray):
        x = backend.from_host(x, None)
    return backend.to_host(backend.scan(operation, x, axis, BY_NAME[dtype or x.dtype.name]))


def sample(operation: str, dtype: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(sum(shape))
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        x = rng.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
        return x | kind.type(1) if operation == "cumulative_prod" else x
    spread = 1 / 16 if operation == "cumulative_prod" else 1
    x = 1 + spread * rng.standard_normal(shape)
    return (x + spread * 1j * x[::-1] if kind.kind == "c" else x).astype(kind)


def check(actual: Any, operation: str, x: Any, axis: int) -> None:
    assert actual.shape == x.shape
    assert actual.dtype == x.dtype
    if x.dtype.kind in "iu":
        np.testing.assert_array_equal(actual, NUMPY[operation](x, axis=axis, dtype=x.dtype))
        return
    exact = NUMPY[operation](x.astype(np.clongdouble), axis=axis)
    eps = np.finfo(x.dtype).eps
    if operation == "cumulative_sum":
        scale = np.cumsum(np.abs(x).astype(np.longdouble), axis=axis)
    else:  # each factor has its error, whatever the order
        scale = np.abs(exact) * (8 + np.sqrt(x.shape[axis]))
    assert (np.abs(actual - exact) <= 4 * eps * scale).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", NUMPY)
def test_every_dtype(backend: Any, operation: str, dtype: str) -> None:
    if BY_NAME[dtype] not in backend.dtypes:
        return
    x = sample(operation, dtype, (7, 50))
    check(scan(backend, operation, x, 1), operation, x, 1)
    check(scan(backend, operation, x, 0), operation, x, 0)
    if operation == "cumulative_sum":
        x = sample(operation, dtype, (2, 4100))
        check(scan(backend, operation, x, 1), operation, x, 1)
        x = sample(operation, dtype, (140, 8))
        check(scan(backend, operation, x, 0), operation, x, 0)


@pytest.mark.parametrize("length", [1, 3, 16, 17, 64, 65, 256, 257, 1025, 4096, 4097, 50_001])
def test_every_length_of_rows(backend: Any, length: int) -> None:
    x = sample("cumulative_sum", "int32", (5, length))
    check(scan(backend, "cumulative_sum", x, 1), "cumulative_sum", x, 1)
    check(scan(backend, "cumulative_sum", x[2], 0), "cumulative_sum", x[2], 0)


def test_blocks_of_blocks(backend: Any) -> None:
    """More totals than a block has elements."""
    if not backend.gpu.adapter.features:
        return
    x = np.random.default_rng(0).integers(-9, 9, 4096 * 4097 + 5, dtype=np.int8)
    actual = scan(backend, "cumulative_sum", x, 0, "int32")
    np.testing.assert_array_equal(actual, np.cumsum(x, dtype=np.int32))


@pytest.mark.parametrize(
    "shape", [(1, 8), (128, 4), (129, 4), (129, 3), (300, 2, 5), (2500, 12), (9001, 1)]
)
def test_every_length_of_columns(backend: Any, shape: tuple[int, ...]) -> None:
    x = sample("cumulative_sum", "int32", shape)
    check(scan(backend, "cumulative_sum", x, 0), "cumulative_sum", x, 0)


@pytest.mark.parametrize(("dtype", "shape"), [("int32", (4, 140, 8)), ("uint8", (3, 5, 12))])
def test_every_layout(backend: Any, dtype: str, shape: tuple[int, ...]) -> None:
    x = sample("cumulative_sum", dtype, shape)
    data = backend.from_host(x, None)
    every = slice(None)
    keys: list[tuple[int | slice | None, ...]] = [
        (every, every, every),
        (slice(1, None), every, slice(3, None)),
        (slice(None, None, -1), slice(1, None, 2), slice(None, None, -3)),
        (every, 2, every),
        (every, every, 1),
        (None, every, slice(4, 5), slice(0, 0)),
    ]
    found = [(views.index(data, key), x[key]) for key in keys]
    found += [(views.permute(data, order), x.transpose(order)) for order in ((2, 1, 0), (1, 0, 2))]
    wide = (5, *shape)
    found.append((views.broadcast(data, wide), np.broadcast_to(x, wide)))
    for view, host in found:
        for axis in range(host.ndim):
            check(scan(backend, "cumulative_sum", view, axis), "cumulative_sum", host, axis)


def test_more_than_65535_workgroups(backend: Any) -> None:
    if not backend.gpu.adapter.features:
        return  # once is enough for what has nothing to do with dtypes
    x = np.ones((65_537, 257), np.uint8)
    check(scan(backend, "cumulative_sum", x, 1), "cumulative_sum", x, 1)


def test_sums_of_float32_are_accurate(backend: Any) -> None:
    rng = np.random.default_rng(11)
    for x in (rng.random(1 << 19, np.float32), np.full(1 << 19, 0.1, np.float32)):
        for shape in ((-1,), (-1, 4)):
            y = x.reshape(shape)
            check(scan(backend, "cumulative_sum", y, 0), "cumulative_sum", y, 0)


def test_nan_and_infinity_stay(backend: Any) -> None:
    x = np.ones(9000, np.float32)
    x[4500] = np.inf
    x[8500] = -np.inf
    actual = scan(backend, "cumulative_sum", x, 0)
    np.testing.assert_array_equal(actual[:4500], np.arange(1, 4501, dtype=np.float32))
    assert (actual[4500:8500] == np.inf).all()
    assert np.isnan(actual[8500:]).all()


@pytest.mark.parametrize("length", [17, 250, 1001, 7000])
def test_a_row_has_the_same_sums_alone_and_among_others(backend: Any, length: int) -> None:
    x = np.random.default_rng(length).standard_normal((3, length)).astype(np.float32)
    together = scan(backend, "cumulative_sum", x, 1)
    for row in range(3):
        np.testing.assert_array_equal(scan(backend, "cumulative_sum", x[row], 0), together[row])


def test_arrays_larger_than_a_binding(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend.gpu.memory, "_most", 1 << 20)
    backend.gpu.memory.trim()
    x = sample("cumulative_sum", "int32", (800, 1000))
    data = backend.from_host(x, None)
    assert data.block.buffer.whole is None
    for axis in (0, 1):
        check(scan(backend, "cumulative_sum", data, axis), "cumulative_sum", x, axis)
    flat = views.reshape(data, (800_000,))
    check(scan(backend, "cumulative_sum", flat, 0), "cumulative_sum", x.reshape(-1), 0)
    del data, flat
    backend.gpu.memory.trim()


def test_public_functions(put: Any, get: Any) -> None:
    import numr_api as xp

    host = np.random.default_rng(1).integers(-128, 128, (7, 60), dtype=np.int8)
    for _ in range(2):  # the second time by what the first one remembers
        actual = xp.cumulative_sum(put(host), axis=1)
        np.testing.assert_array_equal(get(actual), np.cumsum(host, axis=1, dtype=np.int64))
        part = xp.cumulative_prod(put(host)[1:, 3], dtype=xp.int16)
        np.testing.assert_array_equal(get(part), np.cumprod(host[1:, 3], dtype=np.int16))


@pytest.mark.parametrize(("shape", "axis"), [((40_000,), 0), ((500, 12), 0), ((3, 20_000), 1)])
def test_a_second_call_of_several_kernels(backend: Any, shape: Any, axis: int) -> None:
    x = np.random.default_rng(6).integers(-99, 99, (4, *shape), dtype=np.int32)
    data = backend.from_host(x, None)
    key = [slice(None)] * len(shape)
    found = [
        backend.scan("cumulative_sum", views.index(data, (i, *key)), axis, data.dtype)
        for i in range(4)
    ]
    for part, actual in zip(x, found, strict=True):
        check(backend.to_host(actual), "cumulative_sum", part, axis)
