"""Numbers of 16 and 8 bits on GPUs that NumPy plays: of what class and dtype data is, what is
exchanged with others, and in what dtype CuPy is called.
"""

from __future__ import annotations

import pickle
from importlib import import_module
from typing import Any

import fake_cupy
import numpy as np
import pytest
from half_samples import all_of, assert_same, rounded

import numr_api as xp
from numr_api._dtypes import ALL, BY_NAME, EIGHTHS, EXTENSIONS, HALVES, DType

every = pytest.mark.parametrize("dtype", EXTENSIONS, ids=str)
halves = pytest.mark.parametrize("dtype", HALVES, ids=str)
eighths = pytest.mark.parametrize("dtype", EIGHTHS, ids=str)
pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered")


def values(dtype: DType) -> Any:
    return all_of(dtype)[:240].reshape(12, 20)


def on(x: Any, number: int = 0) -> Any:
    return xp.asarray(x, device=f"cuda:{number}")


def host(x: Any) -> Any:
    return np.asarray(x.to_device("cpu"))


def arrays() -> Any:
    return import_module("numr_api._backends.cuda.arrays")


def test_a_cuda_device_has_all_dtypes(fake: Any):
    assert set(ALL) <= import_module("numr_api._devices").backend_of("cuda:0").dtypes


@every
def test_numbers_come_back_from_the_device(fake: Any, dtype: DType):
    x = values(dtype)
    for array in (x, x.T, x[::2, ::-1], x[:0], x[3, 4]):
        assert on(array).dtype is dtype
        assert_same(host(on(array)), np.asarray(array))
        assert_same(host(pickle.loads(pickle.dumps(on(array)))), np.asarray(array))
        assert_same(host(on(array, 0).to_device("cuda:1")), np.asarray(array))


@eighths
def test_views_and_copies_know_their_dtype(fake: Any, dtype: DType):
    x = on(values(dtype))
    kept: dict[str, Any] = {
        "slice": x[1:3, ::2],
        "element": x[0, 0],
        "new axis": x[:, None, ...],
        "transpose": x.T,
        "reshape": xp.reshape(x, (-1,)),
        "reshape of a transpose": xp.reshape(x.T, (-1,)),
        "broadcast": xp.broadcast_to(x, (2, 12, 20)),
        "copy": xp.asarray(x, copy=True),
        "copy of a view": xp.asarray(x[::2, :], copy=True),
        "concat": xp.concat([x, x]),
        "many": xp.concat([x[k : k + 1, :] for k in range(12)]),
        "repeat": xp.repeat(x, 2, axis=0),
        "take": xp.take(x, xp.asarray([0, -1], device=x.device), axis=0),
        "zeros": xp.zeros((2, 3), dtype=dtype, device=x.device),
        "empty": xp.empty((2, 3), dtype=dtype, device=x.device),
    }
    for name, array in kept.items():
        assert array.dtype is dtype, name
        assert array._data.__class__ is arrays().empty((1,), dtype.__numpy_dtype__).__class__, name
        assert array._data.dtype == dtype.__numpy_dtype__, name
        assert host(array).dtype == dtype.__numpy_dtype__, name
    assert_same(host(kept["many"]), values(dtype))
    assert_same(host(kept["reshape of a transpose"]), values(dtype).T.reshape(-1))


@every
def test_conversions_are_those_of_the_host(fake: Any, dtype: DType):
    numbers = values(BY_NAME["float16"])
    found = xp.astype(on(numbers), dtype)
    assert_same(host(found), rounded(numbers, dtype) if dtype.name != "float16" else numbers)
    assert_same(host(xp.astype(found, xp.float32)), host(found).astype(np.float32))


@every
def test_arrays_are_exchanged_with_others(fake: Any, dtype: DType):
    x = on(values(dtype))

    class Foreign:
        def __dlpack__(self, **options: Any) -> Any:
            return x.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return (2, 0)

    y = xp.from_dlpack(Foreign())
    assert y.dtype is dtype
    assert_same(host(y), values(dtype))
    assert y._data.data.ptr == x._data.data.ptr


@every
def test_the_interface_that_has_no_name_for_a_dtype_is_missing(fake: Any, dtype: DType):
    x = on(values(dtype))
    if dtype.name == "float16":
        assert x.__cuda_array_interface__["typestr"] == "<f2"
    else:
        assert not hasattr(x, "__cuda_array_interface__")


@halves
def test_sorting_and_sets_compare_float32(fake: Any, dtype: DType):
    x = rounded(np.array([3.0, -0.0, np.nan, 1.5, 3.0, -7.0]), dtype)
    array = on(x)
    assert_same(host(xp.sort(array)), np.sort(x.astype(np.float32)).astype(x.dtype))
    assert host(xp.argsort(array)).tolist() == [5, 1, 3, 0, 4, 2]
    found = xp.unique_all(array)
    assert found.values.dtype is dtype
    assert host(found.values)[:4].tolist() == [-7.0, -0.0, 1.5, 3.0]
    assert host(found.indices).tolist() == [5, 1, 3, 0, 2]
    assert host(xp.searchsorted(xp.sort(array), array)).dtype == np.int64
    assert host(xp.isin(array, array[:1])).tolist() == [True, False, False, False, True, False]


@halves
def test_evenly_spaced_numbers_are_rounded_once(fake: Any, dtype: DType):
    found = xp.linspace(0, 1, 77, dtype=dtype, device="cuda:0")
    assert_same(host(found), rounded(np.linspace(0, 1, 77), dtype))


class Cublas:
    """What multiplies, with the arguments that cuBLAS takes: the operands are by columns."""

    def __init__(self) -> None:
        self.mode = 0
        self.modes: list[int] = []

    def getMathMode(self, handle: Any) -> int:  # noqa: N802
        return self.mode

    def setMathMode(self, handle: Any, mode: int) -> None:  # noqa: N802
        self.mode = mode

    def gemmStridedBatchedEx(  # noqa: N802
        self, handle: Any, turn1: int, turn2: int, m: int, n: int, k: int,
        alpha: int, address1: int, type1: int, step1: int, between1: int,
        address2: int, type2: int, step2: int, between2: int,
        beta: int, address: int, type_: int, step: int, between: int,
        count: int, computed_in: int, algorithm: int,
    ) -> None:  # fmt: skip
        dtype = {2: BY_NAME["float16"], 14: BY_NAME["bfloat16"]}[type1].__numpy_dtype__
        assert type1 == type2 == type_
        assert (computed_in, algorithm) == (68, -1)
        self.modes.append(self.mode)

        def matrix(address: int, turned: int, rows: int, columns: int, step: int) -> Any:
            shape = (columns, rows) if turned else (rows, columns)
            assert step >= max(1, shape[0])  # as cuBLAS demands
            bits = fake_cupy.memory_of(address, (shape[1] - 1) * step + shape[0], np.uint16)
            view = np.lib.stride_tricks.as_strided(bits, shape, (2, 2 * step))
            return (view.T if turned else view), dtype

        for number in range(count):
            x, _ = matrix(address1 + 2 * number * between1, turn1, m, k, step1)
            y, _ = matrix(address2 + 2 * number * between2, turn2, k, n, step2)
            out, _ = matrix(address + 2 * number * between, 0, m, n, step)
            product = x.view(dtype).astype(np.float32) @ y.view(dtype).astype(np.float32)
            out[...] = product.astype(dtype).view(np.uint16)


PRODUCTS: dict[str, tuple[Any, Any]] = {
    "vectors": ((5,), (5,)),
    "matrix and vector": ((3, 5), (5,)),
    "vector and matrix": ((5,), (5, 4)),
    "matrices": ((3, 5), (5, 4)),
    "one row": ((1, 5), (5, 1)),
    "stacks": ((2, 3, 5), (2, 5, 4)),
    "a stack and a matrix": ((2, 3, 5), (5, 4)),
    "stacks that are broadcast": ((2, 1, 3, 5), (1, 3, 5, 4)),
    "nothing to sum": ((3, 0), (0, 4)),
    "no rows": ((0, 3), (3, 4)),
}


@halves
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_matrices_are_summed_in_float32(
    fake: Any, monkeypatch: pytest.MonkeyPatch, dtype: DType, name: str
):
    cublas = Cublas()
    products: Any = import_module("numr_api._backends.cuda.half_products")
    monkeypatch.setattr(products, "_cublas", lambda: cublas)
    random = np.random.default_rng(5)
    x, y = (rounded(random.integers(-9, 9, shape), dtype) for shape in PRODUCTS[name])
    exact = x.astype(np.float32) @ y.astype(np.float32)
    changes: list[Any] = [
        (x, on(x), y, on(y)),
        (x[..., ::-1], on(x)[..., ::-1], y[::-1] if y.ndim == 1 else y[..., ::-1, :],
         on(y)[::-1] if y.ndim == 1 else on(y)[..., ::-1, :]),
    ]  # fmt: skip
    if x.ndim > 1 and y.ndim > 1:
        turned = [on(np.ascontiguousarray(np.swapaxes(a, -1, -2))) for a in (x, y)]
        changes.append((x, xp.matrix_transpose(turned[0]), y, xp.matrix_transpose(turned[1])))
    for _, ours, _, theirs in changes:
        found = xp.matmul(ours, theirs)
        assert found.dtype is dtype
        assert_same(host(found), rounded(exact, dtype))
    assert cublas.mode == 0
    assert set(cublas.modes) <= {16}
