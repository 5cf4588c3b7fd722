"""Reductions of the webgpu device: each dtype, each way an array can lie in memory, exact sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from numr_api._backends.webgpu import data as views
from numr_api._dtypes import BY_NAME, BY_NUMPY

OPERATIONS: dict[str, Callable[..., Any]] = {
    "sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "any": np.any, "all": np.all,
    "count_nonzero": np.count_nonzero, "argmax": np.argmax, "argmin": np.argmin,
}  # fmt: skip
KINDS = {name: "iufc" if name in ("sum", "prod") else "iuf" for name in
         ("sum", "prod", "max", "min", "argmax", "argmin")}  # fmt: skip
RESULTS = {"any": "bool", "all": "bool", "count_nonzero": "int64", "argmax": "int64",
           "argmin": "int64"}  # fmt: skip
DTYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
          "float32", "float64", "complex64", "complex128")  # fmt: skip


def result_of(operation: str, dtype: np.dtype[Any]) -> str:
    if operation in RESULTS:
        return RESULTS[operation]
    wide = {"i": "int64", "u": "uint64"} if operation in ("sum", "prod") else {}
    return wide.get(dtype.kind, dtype.name)


def reduce(
    backend: Any, operation: str, x: Any, axes: tuple[int, ...], keepdims: bool = False,
    result: str | None = None,
) -> np.ndarray[Any, Any]:  # fmt: skip
    """What the device makes of data, or of a NumPy array."""
    if isinstance(x, np.ndarray | np.generic):
        x = backend.from_host(np.asarray(x), None)
    result = result or result_of(operation, np.dtype(x.dtype.name))
    kernel = backend.reduction(operation, x.dtype, BY_NAME[result])
    return backend.to_host(kernel(x, axes, keepdims))


def expected(operation: str, x: Any, axes: tuple[int, ...], keepdims: bool = False) -> Any:
    if operation.startswith("arg"):
        axis = axes[0] if len(axes) == 1 else None
        return OPERATIONS[operation](x, axis=axis, keepdims=keepdims)
    if operation in ("sum", "prod"):
        dtype = result_of(operation, x.dtype)
        return OPERATIONS[operation](x, axis=axes, keepdims=keepdims, dtype=dtype)
    return OPERATIONS[operation](x, axis=axes, keepdims=keepdims)


def check(actual: Any, wanted: Any, message: str = "") -> None:
    wanted = np.asarray(wanted)
    assert actual.shape == wanted.shape, message
    assert actual.dtype == wanted.dtype, message
    if actual.dtype.kind in "fc":
        tolerance = 2e-6 if actual.dtype.name in ("float32", "complex64") else 1e-14
        np.testing.assert_allclose(actual, wanted, rtol=tolerance, err_msg=message)
    else:
        np.testing.assert_array_equal(actual, wanted, err_msg=message)


def sample(operation: str, dtype: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Numbers over the dtype's whole range, where the result can bear that."""
    rng = np.random.default_rng(len(operation) + math.prod(shape))
    kind = np.dtype(dtype)
    if operation in ("any", "all", "count_nonzero") or dtype == "bool":
        share = {"any": 0.02, "all": 0.98}.get(operation, 0.5)
        return (rng.random(shape) < share).astype(kind) * kind.type(1)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        x = rng.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
        return x | kind.type(1) if operation == "prod" else x
    if operation == "prod":
        x = 1 + rng.standard_normal(shape) / 8
    else:
        x = rng.standard_normal(shape) + 3
    return (x + 0.25j * x[::-1] if kind.kind == "c" else x).astype(kind)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_dtype(backend: Any, operation: str, dtype: str) -> None:
    if BY_NAME[dtype] not in backend.dtypes or np.dtype(dtype).kind not in KINDS.get(
        operation, "biufc"
    ):
        return
    x = sample(operation, dtype, (5, 51))
    check(reduce(backend, operation, x, (1,)), expected(operation, x, (1,)))
    if operation in ("sum", "argmax", "any"):
        x = sample(operation, dtype, (71, 12))
        check(reduce(backend, operation, x, (0,)), expected(operation, x, (0,)))


@pytest.mark.parametrize("length", [1, 3, 16, 17, 64, 65, 256, 257, 1024, 1025, 4099, 16384, 40001])
@pytest.mark.parametrize("operation", ["sum", "max", "argmin"])
def test_every_length_of_rows(backend: Any, operation: str, length: int) -> None:
    x = np.random.default_rng(length).integers(-(2**31), 2**31, (3, length), dtype=np.int32)
    check(reduce(backend, operation, x, (1,)), expected(operation, x, (1,)))
    check(reduce(backend, operation, x[1], (0,)), expected(operation, x[1], (0,)))


@pytest.mark.parametrize(
    "shape", [(1, 5), (2, 1), (128, 8), (129, 8), (131, 3), (2500, 12), (9001, 101)]
)
@pytest.mark.parametrize("operation", ["sum", "argmax"])
def test_every_length_of_columns(backend: Any, operation: str, shape: tuple[int, int]) -> None:
    x = np.random.default_rng(shape[0]).integers(-(2**31), 2**31, shape, dtype=np.int32)
    check(reduce(backend, operation, x, (0,)), expected(operation, x, (0,)))


def some_views(backend: Any, x: np.ndarray[Any, Any]) -> list[tuple[str, Any, Any]]:
    """Views of x, which has three axes, on the device and on the host."""
    data = backend.from_host(x, None)
    keys: list[tuple[int | slice | None, ...]] = [
        (slice(None), slice(None), slice(None)),
        (slice(1, None), slice(None), slice(3, None)),
        (slice(None), slice(None, None, -1), slice(None)),
        (slice(None, None, -1), slice(1, None, 2), slice(None, None, -3)),
        (slice(None), 2, slice(None)),
        (slice(None), slice(None), 1),
    ]
    found = [(f"x{list(key)}", views.index(data, key), x[key]) for key in keys]
    found += [
        (f"permuted {order}", views.permute(data, order), x.transpose(order))
        for order in ((2, 1, 0), (1, 0, 2), (0, 2, 1))
    ]
    wide = (5, *x.shape)
    found.append(("broadcast", views.broadcast(data, wide), np.broadcast_to(x, wide)))
    thin = views.index(data, (slice(None), slice(None), slice(2, 3)))
    found.append(
        ("repeated", views.broadcast(thin, x.shape), np.broadcast_to(x[:, :, 2:3], x.shape))
    )
    return found


@pytest.mark.parametrize(
    ("operation", "dtype", "shape"),
    [
        ("sum", "int32", (4, 6, 72)),
        ("argmin", "int32", (3, 140, 8)),
        ("max", "uint8", (140, 5, 12)),
    ],
)
def test_every_layout(backend: Any, operation: str, dtype: str, shape: Any) -> None:
    x = np.random.default_rng(7).integers(0, 100, shape).astype(dtype)
    for name, data, host in some_views(backend, x):
        rank = host.ndim
        for chosen in product((False, True), repeat=rank):
            axes = tuple(axis for axis in range(rank) if chosen[axis])
            if operation == "argmin" and len(axes) not in (1, rank):
                continue
            keepdims = len(axes) % 2 == 0
            actual = reduce(backend, operation, data, axes, keepdims)
            check(actual, expected(operation, host, axes, keepdims), f"{name}, axes {axes}")


def test_a_second_call_uses_what_the_first_one_found(backend: Any) -> None:
    """Kernels are remembered by shape, strides and alignment, not by place."""
    x = np.random.default_rng(9).integers(-99, 99, (9, 80), dtype=np.int32)
    data = backend.from_host(x, None)
    kernel = backend.reduction("sum", data.dtype, data.dtype)
    for column in (0, 4, 5, 8, 9, 40):
        key = (slice(None, None, -1), slice(column, column + 40))
        for axes in ((0,), (1,), (0, 1)):
            actual = backend.to_host(kernel(views.index(data, key), axes, False))
            check(actual, x[key].sum(axis=axes, dtype=np.int32))


@pytest.mark.parametrize(("shape", "axis"), [((40_000,), 0), ((500, 12), 0), ((3, 20_000), 1)])
def test_a_second_call_of_several_kernels(backend: Any, shape: Any, axis: int) -> None:
    x = np.random.default_rng(6).integers(-99, 99, (4, *shape), dtype=np.int32)
    data = backend.from_host(x, None)
    for operation in ("sum", "argmin"):
        result = BY_NAME[result_of(operation, x.dtype)]
        kernel = backend.reduction(operation, data.dtype, result)
        found = [kernel(views.index(data, (i, *[slice(None)] * len(shape))), (axis,),
                        False) for i in range(4)]  # fmt: skip
        for part, actual in zip(x, found, strict=True):
            check(backend.to_host(actual), expected(operation, part, (axis,)))


def test_more_than_65535_workgroups(backend: Any) -> None:
    x = np.arange(66_000 * 257, dtype=np.int32).reshape(66_000, 257).astype(np.uint8)
    check(reduce(backend, "max", x, (1,)), x.max(axis=1))


def test_results_that_share_words(backend: Any) -> None:
    x = np.random.default_rng(3).random((1001, 40)) < 0.03
    check(reduce(backend, "any", x, (1,)), x.any(axis=1))
    check(reduce(backend, "any", x, (0,)), x.any(axis=0))
    numbers = np.random.default_rng(4).integers(-99, 99, (333, 7), dtype=np.int8)
    for axis in (0, 1):
        actual = reduce(backend, "sum", numbers, (axis,), result="int8")
        np.testing.assert_array_equal(actual, numbers.sum(axis=axis, dtype=np.int8))


def test_empty_arrays(backend: Any) -> None:
    nothing = np.empty((0, 3), np.float32)
    for operation in ("sum", "prod", "any", "all", "count_nonzero"):
        for axes in ((0,), (1,), (0, 1)):
            check(reduce(backend, operation, nothing, axes), expected(operation, nothing, axes))
    for operation in ("max", "min", "argmax", "argmin"):
        check(
            reduce(backend, operation, nothing, (1,)),
            np.empty(0, result_of(operation, nothing.dtype)),
        )
        for axes in ((0,), (0, 1)):
            with pytest.raises(ValueError, match="no elements"):
                reduce(backend, operation, nothing, axes)


@pytest.mark.parametrize("length", [1, 7, 300, 5000, 20000])
def test_nan_wins(backend: Any, length: int) -> None:
    x = np.random.default_rng(length).standard_normal(length).astype(np.float32)
    nan = np.uint32(0xFFC0_0001).view(np.float32)  # one with a sign and a payload
    for place in {0, length // 2, length - 1}:
        y = x.copy()
        y[place] = nan
        y[min(place + 5, length - 1)] = np.nan
        first = int(np.flatnonzero(np.isnan(y))[0])
        for operation in ("max", "min"):
            assert np.isnan(reduce(backend, operation, y, (0,)))
        for operation in ("argmax", "argmin"):
            assert reduce(backend, operation, y, (0,)) == first
        assert reduce(backend, "any", y, (0,))
        assert reduce(backend, "all", np.array([nan]), (0,))


def test_infinities_zeros_and_subnormal_numbers(backend: Any) -> None:
    x = np.array([-np.inf, np.inf, 1e-45, -1e-45, 0.0, -0.0], np.float32)
    assert reduce(backend, "max", x, (0,)) == np.inf
    assert reduce(backend, "min", x, (0,)) == -np.inf
    assert reduce(backend, "max", x[2:], (0,)).view(np.uint32) == 1
    assert reduce(backend, "min", x[2:], (0,)).view(np.uint32) == 0x8000_0001
    zeros = np.array([-0.0, 0.0, -0.0], np.float32)
    assert not np.signbit(reduce(backend, "max", zeros, (0,)))
    assert np.signbit(reduce(backend, "min", zeros, (0,)))
    assert reduce(backend, "argmax", zeros, (0,)) == 0  # equal numbers
    assert reduce(backend, "argmin", zeros[1:], (0,)) == 0
    assert np.isnan(reduce(backend, "sum", x[:2], (0,)))
    lowest = np.full(9, -np.inf, np.float32)
    assert reduce(backend, "max", lowest, (0,)) == -np.inf
    assert reduce(backend, "argmax", lowest, (0,)) == 0


@pytest.mark.parametrize("length", [33, 1000, 5000, 50_000])
def test_ties_give_the_first_index(backend: Any, length: int) -> None:
    x = np.random.default_rng(length).integers(0, 3, length).astype(np.float32)
    for operation in ("argmax", "argmin"):
        check(reduce(backend, operation, x, (0,)), expected(operation, x, (0,)))
    constant = np.full((3, length), 5, np.float32)
    assert not reduce(backend, "argmax", constant, (1,)).any()
    assert not reduce(backend, "argmin", constant, (0,)).any()


@pytest.mark.parametrize(
    "conversion",
    [("float32", "int32"), ("int8", "float32"), ("uint32", "complex64"), ("int64", "float32"),
     ("bool", "int64"), ("float32", "int64"), ("uint64", "int16")],
)  # fmt: skip
def test_sums_are_accumulated_in_the_dtype_of_the_result(backend: Any, conversion: Any) -> None:
    source, result = conversion
    x = np.random.default_rng(5).integers(0, 2 if source == "bool" else 100, (9, 30)).astype(source)
    actual = reduce(backend, "sum", x, (1,), result=result)
    np.testing.assert_array_equal(actual, x.sum(axis=1, dtype=result))


def test_sums_of_float32_are_accurate(backend: Any) -> None:
    """Within eps, or twice, of the sum of magnitudes; one by one it would be thousands."""
    rng = np.random.default_rng(11)
    for x in (
        rng.random(1 << 21, np.float32),
        rng.standard_normal(1 << 21, np.float32),
        np.full(1 << 21, 0.1, np.float32),
    ):
        unit = np.finfo(np.float32).eps * np.abs(x).sum(dtype=np.float64)
        assert abs(float(reduce(backend, "sum", x, (0,))) - math.fsum(x)) <= unit
        columns = x.reshape(-1, 64)
        exact = columns.sum(axis=0, dtype=np.float64)
        assert np.abs(reduce(backend, "sum", columns, (0,)) - exact).max() <= 2 * unit / 64


@pytest.mark.parametrize("length", [17, 250, 1001, 7000, 33_000])
def test_a_row_has_the_same_sum_alone_and_among_others(backend: Any, length: int) -> None:
    x = np.random.default_rng(length).standard_normal((5, length)).astype(np.float32)
    together = reduce(backend, "sum", x, (1,))
    data = backend.from_host(x, None)
    for row in range(5):
        alone = reduce(backend, "sum", x[row], (0,))
        in_place = reduce(backend, "sum", views.index(data, (row, slice(None))), (0,))
        assert alone.view(np.uint32) == in_place.view(np.uint32) == together.view(np.uint32)[row]


def test_arrays_larger_than_a_binding(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend.gpu.memory, "_most", 1 << 20)
    backend.gpu.memory.trim()
    x = np.random.default_rng(2).integers(-(2**31), 2**31, (800, 1000), dtype=np.int32)
    data = backend.from_host(x, None)
    assert data.block.buffer.whole is None
    for operation in ("sum", "argmin"):
        for axes in ((0, 1), (0,), (1,)):
            check(reduce(backend, operation, data, axes), expected(operation, x, axes))
    turned = views.permute(data, (1, 0))
    check(reduce(backend, "argmin", turned, (1,)), expected("argmin", x.T, (1,)))
    del data, turned
    backend.gpu.memory.trim()


def test_public_functions(put: Any, get: Any) -> None:
    import numr_api as xp

    host = np.random.default_rng(1).standard_normal((40, 70)).astype(np.float32)
    x = put(host)
    np.testing.assert_allclose(get(xp.mean(x, axis=1)), host.mean(axis=1), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(get(xp.std(x, axis=0)), host.std(axis=0), rtol=1e-5)
    assert int(xp.argmax(x)) == host.argmax()
    assert xp.sum(x, axis=-1, keepdims=True).shape == (40, 1)
    assert BY_NUMPY[np.dtype(np.int64)] == xp.count_nonzero(x).dtype
