"""Arrays from Python's, NumPy's and other libraries' data."""

from __future__ import annotations

import array
import enum
import itertools
import math
from typing import Any

import array_api_strict
import numpy as np
import pytest

import numr_api as xp
from numr_api._dtypes import BY_NAME, STANDARD, DType


def values(x: Any) -> Any:
    return np.asarray(x).tolist()


class Colour(enum.IntEnum):
    RED = 3


NESTED: list[tuple[Any, str, Any]] = [
    (5, "int64", 5), (True, "bool", True), (2.5, "float64", 2.5), (1j, "complex128", 1j),
    ([], "float64", []), ([[]], "float64", [[]]), ([[1, 2], [3, 4]], "int64", [[1, 2], [3, 4]]),
    ([1, 2.5], "float64", [1.0, 2.5]), ([1, 2j], "complex128", [1, 2j]),
    ((1, 2), "int64", [1, 2]), ([(1,), [2]], "int64", [[1], [2]]),
    ([True, 2], "int64", [1, 2]), ([True, False], "bool", [True, False]),
    ([2**53 + 1], "int64", [2**53 + 1]), ([-(2**63), 2**63 - 1], "int64", [-(2**63), 2**63 - 1]),
    (Colour.RED, "int64", 3), ([Colour.RED, 1], "int64", [3, 1]),
    (np.float32(1.5), "float32", 1.5), (np.int8(3), "int8", 3), (np.bool(True), "bool", True),
    ([np.float32(1.5), np.float32(2)], "float32", [1.5, 2]), ([math.inf, -0.0], "float64", None),
    (b"\x01\xff", "uint8", [1, 255]), (array.array("d", [1, 2]), "float64", [1, 2]),
    (array.array("h", [-1]), "int16", [-1]), (memoryview(bytearray(b"\x07")), "uint8", [7]),
]  # fmt: skip


@pytest.mark.parametrize(("given", "dtype", "expected"), NESTED, ids=itertools.count())
def test_asarray_of_python_and_numpy_data(given: Any, dtype: str, expected: Any) -> None:
    x = xp.asarray(given)
    assert x.dtype is BY_NAME[dtype]
    assert values(x) == (given if expected is None else expected)
    x[...] = xp.zeros_like(x)  # every array can be written to


def test_asarray_of_arrays_in_sequences_stacks_them() -> None:
    x = xp.asarray([xp.asarray(1.5), xp.asarray(2.5)])
    assert values(x) == [1.5, 2.5]
    assert values(xp.asarray([xp.asarray([1, 2]), xp.asarray([3, 4])])) == [[1, 2], [3, 4]]


@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_asarray_of_every_dtype_shares_memory_unless_told_otherwise(dtype: DType) -> None:
    host = np.ones((2, 3), np.dtype(dtype))[:, ::-2]
    for copy in (None, False, True):
        x = xp.asarray(host, copy=copy)
        assert x.dtype is dtype
        assert np.shares_memory(np.asarray(x), host) is (copy is not True)
        again = xp.asarray(x, copy=copy)
        assert np.shares_memory(np.asarray(again), np.asarray(x)) is (copy is not True)
        assert np.shares_memory(np.asarray(xp.asarray(x, dtype=dtype)), np.asarray(x))


def test_asarray_copies_read_only_memory_or_refuses() -> None:
    host = np.ones(2)
    host.flags.writeable = False
    x = xp.asarray(host)
    x[0] = 2
    assert host[0] == 1
    for given in (host, b"ab", host.tolist(), 1.0, np.float64(1), np.arange(2, dtype=">i4")):
        with pytest.raises(ValueError, match=r"copy|read-only"):
            xp.asarray(given, copy=False)


def test_asarray_copy_false_with_another_dtype_is_refused() -> None:
    for given in (np.ones(2), xp.ones(2)):
        with pytest.raises(ValueError, match="without a copy"):
            xp.asarray(given, dtype=xp.float32, copy=False)


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("letters", ["i2", "u8", "f4", "c16"])
def test_asarray_of_either_byte_order(letters: str, order: str) -> None:
    host = np.asarray([1, 2, 3], dtype=order + letters)
    x = xp.asarray(host)
    assert np.asarray(x).dtype.isnative
    assert values(x) == host.tolist()


@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_asarray_casts_to_the_dtype(dtype: DType) -> None:
    python = [True, False, True] if dtype is xp.bool else [1, 0, 1]
    for given in (python, np.asarray([1, 0, 1], np.int8), xp.asarray([1, 0, 1])):
        x = xp.asarray(given, dtype=dtype)
        assert x.dtype is dtype
        assert values(x) == [1, 0, 1]


@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_asarray_of_another_librarys_array(dtype: DType) -> None:
    theirs = array_api_strict.asarray([[1, 0]], dtype=getattr(array_api_strict, dtype.name))
    x = xp.asarray(theirs)
    assert x.dtype is dtype
    assert values(x) == [[1, 0]]
    x[...] = xp.zeros_like(x)
    assert not bool(theirs[0, 0])  # the memory is shared
    y = xp.asarray(theirs, copy=True)
    y[...] = xp.ones_like(y)
    assert not bool(theirs[0, 0])


REFUSED = [None, "1", ["1"], [None], object(), {1}, {1: 2}, np.asarray(["a"]), [1, "2"],
           np.asarray([None]), np.longdouble(1), np.ma.array([1], mask=[True]),
           np.datetime64("2020-01-01")]  # fmt: skip


@pytest.mark.parametrize("given", REFUSED, ids=itertools.count())
def test_asarray_of_anything_else_is_refused(given: Any) -> None:
    with pytest.raises(TypeError, match="asarray"):
        xp.asarray(given)


@pytest.mark.parametrize("given", [[[1], [1, 2]], [1, [2]], [[1, 2], 3.5]], ids=str)
def test_asarray_of_ragged_sequences_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="ragged"):
        xp.asarray(given)


def test_asarray_of_integers_out_of_range_is_refused() -> None:
    for given, dtype in [([300], xp.int8), (2**64, xp.uint64), ([2**63], None), ([-1], xp.uint8),
                         (2**63, None)]:  # fmt: skip
        with pytest.raises(OverflowError, match="asarray"):
            xp.asarray(given, dtype=dtype)
    assert values(xp.asarray([2**64 - 1], dtype=xp.uint64)) == [2**64 - 1]


def test_numbers_become_a_dtype_of_a_lower_kind_if_it_holds_them_all() -> None:
    assert np.asarray(xp.asarray([[0, 1], [3.0, 2]], dtype=xp.int32)).tolist() == [[0, 1], [3, 2]]
    assert np.asarray(xp.asarray([1, 0.0, True], dtype=xp.bool)).tolist() == [True, False, True]
