"""Sorting, searching, choosing, sets and differences: against Python's own on lists."""

from __future__ import annotations

import bisect
import itertools
import math
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._dtypes import BY_NAME, STANDARD, DType

REAL = [dtype for dtype in STANDARD if dtype.kind in "iuf"]
NUMERIC = [dtype for dtype in STANDARD if dtype.kind != "b"]
FLOATS = [xp.float32, xp.float64]
NAN, INF = math.nan, math.inf


def values(x: Any) -> Any:
    return np.asarray(x).tolist()


def duplicates(dtype: DType, shape: tuple[int, ...] = (60,)) -> Any:
    """Small numbers, each several times, of both signs if the dtype has them."""
    host = np.random.default_rng(5).integers(0, 7, shape) - 3 * (dtype.kind != "u")
    return host.astype(np.dtype(dtype))


def marked(items: list[Any]) -> list[Any]:
    """Numbers with their signs, and NaN equal to itself, to compare lists."""
    return [("nan",) if x != x else (x, math.copysign(1, x)) for x in items]


# --- sorting --------------------------------------------------------------------------------------


@pytest.mark.parametrize("stable", [True, False])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_sort_along_every_axis(dtype: DType, descending: bool, stable: bool) -> None:
    for shape in [(60,), (7, 5), (2, 3, 4), (2, 0, 3), (1,)]:
        host = duplicates(dtype, shape)
        for axis in range(-len(shape), len(shape)):
            x = xp.asarray(host)
            lines = np.moveaxis(host, axis, -1)
            expected = np.asarray(
                [sorted(line, reverse=descending) for line in lines.reshape(-1, shape[axis] or 1)
                 .tolist()], host.dtype)  # fmt: skip
            expected = np.moveaxis(expected.reshape(lines.shape), -1, axis)
            found = xp.sort(x, axis=axis, descending=descending, stable=stable)
            assert found.dtype is dtype
            assert np.array_equal(np.asarray(found), expected)
            order = xp.argsort(x, axis=axis, descending=descending, stable=stable)
            assert order.dtype is xp.int64
            assert np.array_equal(np.asarray(xp.take_along_axis(x, order, axis=axis)), expected)
            assert np.array_equal(np.asarray(x), host)  # the operand is left as it was


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_argsort_keeps_the_order_of_equal_elements(dtype: DType, descending: bool) -> None:
    for host in (duplicates(dtype, (300,)), duplicates(dtype, (600,))[::-2]):
        items = host.tolist()
        expected = sorted(range(len(items)), key=items.__getitem__, reverse=descending)
        assert values(xp.argsort(xp.asarray(host), descending=descending)) == expected


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_sort_of_nan_infinity_and_signed_zeros(dtype: DType) -> None:
    """NaN counts as the largest; zeros of either sign are equal, and keep their order."""
    items = [0.0, NAN, -0.0, 1, -INF, 0.0, INF, NAN, -1, -0.0]
    order = [4, 8, 0, 2, 5, 9, 3, 6, 1, 7]
    x = xp.asarray(items, dtype=dtype)
    assert values(xp.argsort(x)) == order
    assert marked(values(xp.sort(x))) == marked([items[i] for i in order])
    order = [1, 7, 6, 3, 0, 2, 5, 9, 8, 4]
    assert values(xp.argsort(x, descending=True)) == order
    assert marked(values(xp.sort(x, descending=True))) == marked([items[i] for i in order])


def test_sort_of_many_zeros_keeps_their_signs() -> None:
    host = np.where(np.arange(500) % 3 == 0, -0.0, 0.0)
    found = np.asarray(xp.sort(xp.asarray(host)))
    assert np.array_equal(np.signbit(found), np.signbit(host))


# --- searchsorted ---------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_searchsorted_is_bisection(dtype: DType, side: Any) -> None:
    bisection = {"left": bisect.bisect_left, "right": bisect.bisect_right}[side]
    haystack = sorted(duplicates(dtype).tolist())
    wanted = [[0, 1, 2], [3, 100, 5]]
    expected = [[bisection(haystack, v) for v in line] for line in wanted]
    x1, x2 = xp.asarray(haystack, dtype=dtype), xp.asarray(wanted, dtype=dtype)
    assert values(xp.searchsorted(x1, x2, side=side)) == expected
    shuffled = xp.asarray(duplicates(dtype))
    order = xp.argsort(shuffled)
    for sorter in (order, xp.astype(order, xp.uint8)):
        found = xp.searchsorted(shuffled, x2, side=side, sorter=sorter)
        assert found.dtype is xp.int64
        assert values(found) == expected
    for scalar in (0, 2, 100):
        found = xp.searchsorted(x1, scalar, side=side)
        assert (found.shape, int(found)) == ((), bisection(haystack, scalar))
    assert values(xp.searchsorted(x1[:0], x2[0, :], side=side)) == [0, 0, 0]
    assert xp.searchsorted(x1, x2[:, :0], side=side).shape == (2, 0)


def test_searchsorted_of_mixed_dtypes_and_special_values() -> None:
    found = xp.searchsorted(xp.asarray([1, 200], dtype=xp.uint8), xp.asarray([-1, 300]))
    assert values(found) == [0, 2]
    narrow = xp.asarray([0.1], dtype=xp.float32)  # which is above 0.1
    assert values(xp.searchsorted(narrow, xp.asarray([0.1]), side="right")) == [0]
    x = xp.asarray([-INF, -0.0, 0.0, INF, NAN])
    for side, expected in [("left", [0, 1, 1, 3, 4]), ("right", [1, 3, 3, 4, 5])]:
        assert values(xp.searchsorted(x, xp.asarray([-INF, 0.0, -0.0, INF, NAN]), side=side)) == (
            expected
        )
    assert int(xp.searchsorted(xp.asarray([1.0, 2.0]), 2)) == 1


# --- where and nonzero ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_where_with_a_scalar_on_either_side(dtype: DType) -> None:
    condition, x = xp.asarray([True, False]), xp.ones(2, dtype=dtype)
    zero = False if dtype is xp.bool else 0
    for _ in range(2):  # the second call finds a plan
        for found, expected in [(xp.where(condition, x, zero), [1, 0]),
                                (xp.where(condition, zero, x), [0, 1])]:  # fmt: skip
            assert found.dtype is dtype
            assert values(found) == expected


def test_where_promotes_and_broadcasts() -> None:
    x = xp.asarray([1, 2], dtype=xp.int8)
    condition = xp.asarray([[True], [False]])
    found = xp.where(condition, x, xp.asarray(300, dtype=xp.int16))
    assert found.dtype is xp.int16
    assert values(found) == [[1, 2], [300, 300]]
    assert xp.where(condition, xp.asarray(1.0, dtype=xp.float32), 1j).dtype is xp.complex64
    assert math.copysign(1, values(xp.where(xp.asarray(True), xp.asarray(-0.0), 1.0))) == -1
    big = xp.where(xp.asarray([True, False]), xp.asarray([1, 1], dtype=xp.uint64), 2**64 - 1)
    assert values(big) == [1, 2**64 - 1]


@pytest.mark.parametrize("scalar", [300, -129])
@pytest.mark.parametrize("name", ["where", "clip", "equal"])
def test_scalars_out_of_range_are_refused_each_time(name: str, scalar: int) -> None:
    condition, x = xp.asarray([True, False]), xp.asarray([1, 2], dtype=xp.int8)
    arguments = {"where": (condition, x, 3), "clip": (x, 0, 3), "equal": (x, 3)}[name]
    for _ in range(2):  # the second call finds a plan
        getattr(xp, name)(*arguments)
        with pytest.raises(OverflowError, match=name):
            getattr(xp, name)(*arguments[:-1], scalar)


@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_nonzero_gives_the_indices_in_order(dtype: DType) -> None:
    for shape in [(6,), (3, 4), (2, 3, 4), (0,), (2, 0)]:
        host = (np.arange(math.prod(shape)) % 3 % 2).reshape(shape).astype(np.dtype(dtype))
        found = xp.nonzero(xp.asarray(host))
        assert isinstance(found, tuple)
        expected = [place for place in np.ndindex(shape) if host[place]]
        assert list(zip(*map(values, found), strict=True)) == expected
        assert all(x.dtype is xp.int64 and x.shape == (len(expected),) for x in found)
    with pytest.raises(ValueError, match="0-dimensional"):
        xp.nonzero(xp.asarray(1))


def test_nonzero_of_nan_and_negative_zero() -> None:
    assert values(xp.nonzero(xp.asarray([0.0, -0.0, NAN, 1.0]))[0]) == [2, 3]


# --- sets -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (60,), (3, 4), (2, 3, 4), (0,), (2, 0)], ids=str)
@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_unique(dtype: DType, shape: tuple[int, ...]) -> None:
    host = duplicates(dtype, shape)
    if dtype.kind == "c":
        host = host + 1j * host[..., ::-1] if shape else host * 1j
        host = host.astype(np.dtype(dtype))
    items = host.reshape(-1).tolist()
    distinct = sorted(set(items), key=lambda v: (v.real, v.imag))
    x = xp.asarray(host)
    result = xp.unique_all(x)
    assert values(result.values) == distinct
    assert result.values.dtype is dtype
    assert values(result.indices) == [items.index(v) for v in distinct]
    assert values(result.counts) == [items.count(v) for v in distinct]
    assert result.inverse_indices.shape == shape
    inverse = np.asarray(result.inverse_indices)
    assert np.array_equal(np.asarray(result.values)[inverse], host)
    assert {part.dtype for part in result[1:]} == {xp.int64}
    assert values(xp.unique_values(x)) == distinct
    assert list(map(values, xp.unique_counts(x))) == [distinct, values(result.counts)]
    assert list(map(values, xp.unique_inverse(x))) == [distinct, inverse.tolist()]
    assert xp.unique_counts(x)._fields == ("values", "counts")
    assert xp.unique_inverse(x)._fields == ("values", "inverse_indices")
    assert result._fields == ("values", "indices", "inverse_indices", "counts")


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_unique_of_nan_and_signed_zeros(dtype: DType) -> None:
    """Each NaN is distinct; of equal zeros, the first is kept."""
    x = xp.asarray([NAN, 2, -0.0, NAN, 0.0, 2, NAN], dtype=dtype)
    result = xp.unique_all(x)
    assert marked(values(result.values)) == marked([-0.0, 2, NAN, NAN, NAN])
    assert values(result.indices) == [2, 1, 0, 3, 6]
    assert values(result.inverse_indices) == [2, 1, 0, 3, 0, 1, 4]
    assert values(result.counts) == [2, 2, 1, 1, 1]


@pytest.mark.parametrize("part", [complex(NAN, 1), complex(1, NAN), complex(NAN, NAN)])
def test_unique_of_complex_nan(part: complex) -> None:
    result = xp.unique_counts(xp.asarray([part, 1j, part, 1j]))
    assert values(result.counts) == [2, 1, 1]
    assert values(result.values)[0] == 1j
    assert np.isnan(np.asarray(result.values)[1:]).all()


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("counts", [(5, 1), (3, 60), (60, 3), (200, 200), (0, 3), (3, 0)], ids=str)
@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_isin(dtype: DType, counts: tuple[int, int], invert: bool) -> None:
    first, second = duplicates(dtype, counts[:1]), duplicates(dtype, counts[1:])[1::2]
    found = xp.isin(xp.asarray(first), xp.asarray(second), invert=invert)
    assert found.dtype is xp.bool
    assert values(found) == [(v in second.tolist()) is not invert for v in first.tolist()]
    matrix = xp.reshape(xp.asarray(first), (1, -1, 1) if first.size else (1, 0, 1))
    assert xp.isin(matrix, xp.asarray(second)).shape == (1, first.size, 1)


@pytest.mark.parametrize("count", [1, 100])
def test_isin_with_nan_scalars_and_mixed_dtypes(count: int) -> None:
    x = xp.asarray([NAN, 1.0, -0.0] * count)
    among = xp.asarray([NAN, 0.0] * count)
    assert values(xp.isin(x, among)) == [False, False, True] * count
    assert values(xp.isin(x, among, invert=True)) == [True, True, False] * count
    assert values(xp.isin(x, 1)) == [False, True, False] * count
    assert bool(xp.isin(1.0, x))
    assert xp.isin(1.0, x).shape == ()
    z = xp.asarray([complex(NAN, 0), 1j] * count)
    assert values(xp.isin(z, z)) == [False, True] * count
    small = xp.asarray([1, 200] * count, dtype=xp.uint8)
    assert values(xp.isin(small, xp.asarray([-56, 1], dtype=xp.int8))) == [True, False] * count
    big = xp.asarray([2**53, 2**53 + 1] * count)
    assert values(xp.isin(big, xp.asarray([2**53 + 1]))) == [False, True] * count


# --- differences ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMERIC, ids=str)
def test_differences_of_every_order_along_every_axis(dtype: DType) -> None:
    for shape in [(7,), (3, 4), (2, 0, 3), (1, 2)]:
        host = duplicates(dtype, shape)
        for axis, n in itertools.product(range(-len(shape), len(shape)), range(5)):
            found = xp.diff(xp.asarray(host), axis=axis, n=n)
            expected = np.diff(host, axis=axis, n=n)
            assert found.dtype is dtype
            assert found.shape == expected.shape
            assert np.array_equal(np.asarray(found), expected)


def test_differences_with_more_before_and_after() -> None:
    x = xp.asarray([[1, 4, 9], [16, 25, 36]])
    column = xp.asarray([[0], [0]])
    assert values(xp.diff(x, prepend=column, append=column)) == [[1, 3, 5, -9], [16, 9, 11, -36]]
    row = xp.asarray([[1, 1, 1]])
    assert values(xp.diff(x, axis=0, prepend=row)) == [[0, 3, 8], [15, 21, 27]]
    assert values(xp.diff(x, axis=0, append=row, n=2)) == [[-30, -45, -62]]
    wide = xp.diff(xp.asarray([1, 2], dtype=xp.int8), prepend=xp.asarray([1000], dtype=xp.int16))
    assert wide.dtype is BY_NAME["int16"]
    assert values(wide) == [-999, 1]
