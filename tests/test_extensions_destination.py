"""Functions that write to an array that exists: values, addresses, and what is refused."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from extension_checks import array, bits, host

import numr_api as xp
from numr_api import extensions
from numr_api._declare import OPS
from numr_api.extensions import (
    add_into,
    clip_into,
    copy_into,
    destination,
    dtypes,
    equal_into,
    matmul_into,
    where_into,
    write_host,
)

ELEMENTWISE = [op for op in OPS.values() if op.family == "elementwise"]


def address(x: Any) -> int:
    """Where the memory of an array begins, for those that the host can look at."""
    return np.from_dlpack(x).__array_interface__["data"][0] if x.device == "cpu" else id(x._data)


def operands(op: Any, device: str, shape: tuple[int, ...] = (3, 4)) -> list[Any]:
    """Arguments that the operation accepts."""
    dtype = {"i": xp.int32, "b": xp.bool}.get(
        {"integer": "i", "integer or boolean": "i", "boolean": "b"}.get(op.accepts, "f"), xp.float32
    )
    dtype = xp.complex64 if op.name in ("imag", "real", "conj") else dtype
    count = int(np.prod(shape))
    first = xp.reshape(xp.astype(xp.arange(1, count + 1, device=device) % 5, dtype), shape)
    arrays = [first for _ in inspect.signature(op.function).parameters]
    if op.name == "where":
        arrays[0] = first > 2
    return arrays


@pytest.mark.parametrize("op", ELEMENTWISE, ids=[op.name for op in ELEMENTWISE])
def test_each_function_writes_what_it_returns(op: Any, device: str):
    arguments = operands(op, device)
    expected = op.function(*arguments)
    out = xp.zeros(expected.shape, dtype=expected.dtype, device=device)
    before = address(out) if out.dtype is not xp.bool else None
    found = getattr(destination, f"{op.name}_into")(out, *arguments)
    assert found is out
    assert bits(out) == bits(expected)
    assert before is None or address(out) == before


@pytest.mark.parametrize("op", ELEMENTWISE, ids=[op.name for op in ELEMENTWISE])
def test_each_function_has_the_signature_and_words_of_the_one_that_returns(op: Any):
    function = getattr(destination, f"{op.name}_into")
    out, *others = inspect.signature(function).parameters.values()
    assert (out.name, out.kind) == ("out", inspect.Parameter.POSITIONAL_ONLY)
    assert others == list(inspect.signature(op.function).parameters.values())
    assert all(
        name in function.__doc__ for name in ("out", *inspect.signature(op.function).parameters)
    )
    assert pickle.loads(pickle.dumps(function)) is function
    assert getattr(extensions, function.__name__) is function


def test_large_arrays_are_written_too(device: str):
    x = xp.astype(xp.arange(100000, device=device), xp.float32)
    out = xp.empty_like(x)
    for name in ("exp", "sqrt", "sin", "negative"):
        getattr(destination, f"{name}_into")(out, x)
        assert bits(out) == bits(getattr(xp, name)(x))
    assert bits(where_into(out, x > 5e4, x, -x)) == bits(xp.where(x > 5e4, x, -x))
    assert bits(clip_into(out, x, 10, 2e4)) == bits(xp.clip(x, 10, 2e4))


def test_scalars_and_broadcast_operands(device: str):
    x = array(np.arange(6.0).reshape(2, 3), xp.float32, device)
    out = xp.empty_like(x)
    assert host(add_into(out, x, 1)).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert host(add_into(out, x[:1, :], x[:, :1])).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert host(clip_into(out, x, max=2)).tolist() == [[0, 1, 2], [2, 2, 2]]
    flags = xp.empty((2, 3), dtype=xp.bool, device=device)
    assert host(equal_into(flags, x, 2.0)).tolist() == [[0, 0, 1], [0, 0, 0]]
    assert host(where_into(out, flags, x, -1.0)).tolist() == [[-1, -1, 2], [-1, -1, -1]]
    small = xp.empty((2, 3), dtype=dtypes.bfloat16, device=device)
    assert host(add_into(small, xp.astype(x, dtypes.bfloat16), 0.5))[0].tolist() == [0.5, 1.5, 2.5]


def test_a_part_of_an_array_may_be_written(device: str):
    x = xp.zeros((3, 4), dtype=xp.float32, device=device)
    add_into(x[1, :], xp.ones(4, dtype=xp.float32, device=device), 1.0)
    assert host(x).tolist() == [[0] * 4, [2] * 4, [0] * 4]
    copy_into(x[2, :], x[1, :])  # apart, though of one array
    assert host(x[2, :]).tolist() == [2] * 4


def test_copies(device: str):
    x = array(np.arange(12.0).reshape(3, 4), xp.float32, device)
    out = xp.zeros((4, 3), dtype=xp.float32, device=device)
    assert copy_into(out, x.T) is out
    assert host(out).tolist() == host(x).T.tolist()
    for shape in ((), (0, 3)):
        source = xp.ones(shape, dtype=xp.int8, device=device)
        assert bits(copy_into(xp.zeros_like(source), source)) == bits(source)


def test_numbers_of_the_host(device: str):
    out = xp.zeros((2, 3), dtype=xp.float32, device=device)
    before, numbers = address(out), np.arange(6, dtype=np.float32).reshape(3, 2)
    assert write_host(out, numbers.T) is out
    numbers[:] = 0  # which is no longer looked at
    assert host(out).tolist() == [[0, 2, 4], [1, 3, 5]]
    assert address(out) == before
    write_host(out, np.broadcast_to(np.float32(7), (2, 3)))
    assert host(out).tolist() == [[7] * 3] * 2


PRODUCTS = [
    ((3, 4), (4, 5)), ((4,), (4,)), ((2, 3, 4), (4,)), ((4,), (2, 4, 3)),
    ((2, 1, 3, 4), (5, 4, 2)), ((0, 4), (4, 2)), ((3, 0), (0, 2)),
]  # fmt: skip


@pytest.mark.parametrize("shapes", PRODUCTS, ids=str)
@pytest.mark.parametrize("dtype", [xp.float32, dtypes.float16], ids=str)
def test_matrix_products(shapes: Any, dtype: Any, device: str):
    first, second = (
        array(np.random.default_rng(0).integers(-9, 9, shape), dtype, device) for shape in shapes
    )
    expected = xp.matmul(first, second)
    out = xp.zeros_like(expected)
    assert matmul_into(out, first, second) is out
    assert bits(out) == bits(expected)


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "alias": (lambda x, y: add_into(x, x, y), ValueError, "add_into: out must not overlap"),
    "scalar alias": (lambda x, y: add_into(x, x, 1.0), ValueError, "overlap"),
    "overlap": (lambda x, y: copy_into(x[1:, :], x[:-1, :]), ValueError, "copy_into: out must not"),
    "between": (lambda x, y: copy_into(x[1, 1:3], x[::2, 0]), ValueError, "overlap"),
    "strided": (lambda x, y: add_into(x[:, ::2], y[:, ::2], 1.0), ValueError, "contiguous"),
    "transposed": (lambda x, y: add_into(x.T, y.T, 1.0), ValueError, "contiguous"),
    "repeated": (
        lambda x, y: copy_into(xp.broadcast_to(x[0, :], (3, 4)), y),
        ValueError,
        "contiguous",
    ),
    "smaller": (
        lambda x, y: add_into(x[:1, :], y, 1.0),
        ValueError,
        r"shape \(1, 4\), the result \(3, 4\)",
    ),
    "larger": (lambda x, y: add_into(x, y[:1, :], 1.0), ValueError, r"the result \(1, 4\)"),
    "one more axis": (lambda x, y: add_into(x[None, ...], y, 1.0), ValueError, "out has shape"),
    "dtype": (
        lambda x, y: add_into(x, xp.astype(y, xp.int32), 1),
        TypeError,
        "float32, the result int32",
    ),
    "no bool": (lambda x, y: equal_into(x, y, y), TypeError, "the result bool"),
    "operand": (lambda x, y: add_into(x, y, "1"), TypeError, "add_into: expected"),
    "shapes": (lambda x, y: add_into(x, y, y[:, :2]), ValueError, "cannot be broadcast"),
    "out": (lambda x, y: add_into([1.0], y, y), TypeError, r"add_into \(out\)"),
    "too few": (lambda x, y: add_into(x, y), TypeError, "add_into: missing .*'x2'"),
    "copy of another dtype": (
        lambda x, y: copy_into(x, xp.astype(y, xp.int32)),
        TypeError,
        "int32",
    ),
    "copy of another shape": (lambda x, y: copy_into(x, y[0, :]), ValueError, "out has shape"),
    "no array": (lambda x, y: copy_into(x, 1.0), TypeError, "copy_into: expected a numr_api array"),
    "no host array": (lambda x, y: write_host(x, [1.0]), TypeError, "expected a numpy.ndarray"),
    "an array": (lambda x, y: write_host(x, y), TypeError, "expected a numpy.ndarray"),
    "host dtype": (lambda x, y: write_host(x, np.ones((3, 4))), TypeError, "the data float64"),
    "host shape": (
        lambda x, y: write_host(x, np.ones(12, np.float32)),
        ValueError,
        "out has shape",
    ),
    "product alias": (lambda x, y: matmul_into(x, x, x.T), ValueError, "out has shape"),
    "product": (lambda x, y: matmul_into(x, y, y), ValueError, r"shapes \(3, 4\) and \(3, 4\)"),
    "scalar product": (lambda x, y: matmul_into(x, y, 1.0), TypeError, "numr_api array"),
    "no axes": (lambda x, y: matmul_into(x, y, y[0, 0]), ValueError, "do not fit"),
}


@pytest.mark.parametrize(("call", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_was_not_written(
    call: Any, error: type[Exception], words: str, device: str
):
    x = array(np.arange(12.0).reshape(3, 4), xp.float32, device)
    y, before = xp.ones_like(x), bits(x)
    with pytest.raises(error, match=words):
        call(x, y)
    assert bits(x) == before


def test_a_product_must_not_overlap_a_factor(device: str):
    x = array(np.ones((3, 3)), xp.float32, device)
    with pytest.raises(ValueError, match="matmul_into: out must not overlap"):
        matmul_into(x, x, xp.ones_like(x))


def test_memory_that_is_shared_with_the_host_counts():
    x = xp.zeros((2, 2), dtype=xp.float32, device="cpu")
    with pytest.raises(ValueError, match="overlap"):
        write_host(x, np.asarray(x).T)


def test_arrays_must_be_on_one_device(fakes: tuple[str, ...]):
    x, y = xp.ones(3), xp.ones(3, device=fakes[0])
    for call in (lambda: copy_into(x, y), lambda: add_into(y, x, x), lambda: matmul_into(x, y, y)):
        with pytest.raises(ValueError, match="different devices"):
            call()


def test_an_argument_out_of_range_is_refused(device: str):
    x = xp.ones(3, dtype=xp.int8, device=device)
    with pytest.raises(OverflowError):
        add_into(xp.zeros_like(x), x, 1000)
