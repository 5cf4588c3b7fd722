"""Indexing: keys against NumPy's, views, masks, integer arrays, assignment, take."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._dtypes import STANDARD, DType

Host = np.ndarray[Any, np.dtype[Any]]


def host(*shape: int, dtype: str = "int64") -> Host:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def same(x: Any, expected: Any) -> bool:
    """Whether an Array has the shape, the dtype and the elements of NumPy's."""
    expected = np.asarray(expected)
    found = np.asarray(x)
    return (
        type(x).__name__ == "Array"
        and (found.shape, found.dtype) == (expected.shape, expected.dtype)
        and np.array_equal(found, expected)
    )


def slices(length: int) -> Iterator[slice]:
    """All slices, with starts and stops in and out of range."""
    ends = [None, *range(-length - 2, length + 3)]
    for start, stop in itertools.product(ends, ends):
        for step in (None, 1, 2, 3, 5, -1, -2, -5):
            yield slice(start, stop, step)


@pytest.mark.parametrize("length", range(5))
def test_every_slice_selects_what_numpy_selects(length: int) -> None:
    expected, x = host(length), xp.asarray(host(length))
    for key in slices(length):
        assert same(x[key], expected[key]), key
        assert same(x[key, ...], expected[key]), key


@pytest.mark.parametrize("length", range(1, 5))
def test_every_slice_is_assigned_to_as_in_numpy(length: int) -> None:
    for key in slices(length):
        expected, x = host(length), xp.asarray(host(length))
        x[key] = -7
        expected[key] = -7
        assert same(x, expected), key
        value = -1 - host(len(expected[key]))
        x[key] = xp.asarray(value)
        expected[key] = value
        assert same(x, expected), key


PARTS: list[Any] = [0, -1, slice(None), slice(1, None), slice(None, None, -1), slice(5, 1),
                    ..., None]  # fmt: skip


def keys(rank: int, *, new_axes: bool = True) -> Iterator[tuple[Any, ...]]:
    """All tuples of ``PARTS`` that index so many axes, with up to one ellipsis and two Nones."""
    for count in range(rank + 4):
        for key in itertools.product(PARTS, repeat=count):
            ellipses, new = key.count(...), key.count(None)
            given = count - ellipses - new
            if ellipses > 1 or new > 2 * new_axes:
                continue
            if given == rank or (given < rank and ellipses):
                yield key


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (1, 4)], ids=str)
def test_every_key_selects_a_view_of_what_numpy_selects(shape: tuple[int, ...]) -> None:
    expected, x = host(*shape), xp.asarray(host(*shape))
    for key in keys(len(shape)):
        part = x[key]
        assert same(part, expected[(*key, ...)] if ... not in key else expected[key]), key
        if part.size:
            assert np.shares_memory(np.asarray(part), np.asarray(x)), key


def test_keys_of_three_axes() -> None:
    expected, x = host(2, 3, 4), xp.asarray(host(2, 3, 4))
    for key in itertools.product(PARTS[:6], repeat=3):
        assert same(x[key], expected[key]), key
        for ellipsis in ((..., *key[1:]), (key[0], ..., key[2]), (*key[:2], ...)):
            assert same(x[ellipsis], expected[ellipsis]), ellipsis


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)], ids=str)
def test_every_key_is_assigned_to_as_in_numpy(shape: tuple[int, ...]) -> None:
    for key in keys(len(shape), new_axes=False):
        expected, x = host(*shape), xp.asarray(host(*shape))
        x[key] = 99
        expected[key] = 99
        assert same(x, expected), key


def test_writing_through_a_view_shows_in_the_array() -> None:
    x = xp.zeros((2, 3))
    row, element = x[0, ...], x[1, 2]
    row[1] = 5
    element[...] = 7
    element += 1
    assert np.asarray(x).tolist() == [[0, 5, 0], [0, 0, 8]]
    line = xp.zeros(3)
    element = line[1]
    element[()] = 4
    assert np.asarray(line).tolist() == [0, 4, 0]
    line[1] = 6
    assert float(element) == 6


@pytest.mark.parametrize("kind", [np.int8, np.uint64, lambda i: xp.asarray(i, dtype=xp.int16)])
def test_integers_of_any_kind_are_ints(kind: Any) -> None:
    x, expected = xp.asarray(host(3, 4)), host(3, 4)
    assert same(x[kind(1), 2], expected[1, 2])
    assert same(x[kind(1), kind(0) : kind(3)], expected[1, 0:3])
    assert same(x[..., kind(3)], expected[..., 3])
    x[kind(1), kind(2)] = -1
    expected[1, 2] = -1
    assert same(x, expected)


def test_zero_dimensional_integer_arrays_work_where_python_needs_an_int() -> None:
    two = xp.asarray(2, dtype=xp.uint8)
    assert list(range(two)) == [0, 1]
    assert ["a", "b", "c"][two] == "c"
    assert "abcd"[:two] == "ab"
    assert xp.ones((two, two)).shape == (2, 2)


# --- masks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (2, 0, 3), (0,), (3, 2, 2)], ids=str)
def test_masks_of_every_rank_select_what_numpy_selects(shape: tuple[int, ...]) -> None:
    expected, x = host(*shape), xp.asarray(host(*shape))
    rng = np.random.default_rng(3)
    for rank in range(len(shape) + 1):
        for mask in (rng.random(shape[:rank]) < 0.5, np.ones(shape[:rank], bool),
                     np.zeros(shape[:rank], bool)):  # fmt: skip
            mask = np.asarray(mask)
            assert same(x[xp.asarray(mask)], expected[mask])
            target, wanted = xp.asarray(expected.copy()), expected.copy()
            target[xp.asarray(mask)] = -1
            wanted[mask] = -1
            assert same(target, wanted)
            values = -2 - host(*expected[mask].shape)
            target[xp.asarray(mask)] = xp.asarray(values)
            wanted[mask] = values
            assert same(target, wanted)


def test_selection_by_mask_is_a_copy() -> None:
    x = xp.asarray([1.0, 2.0])
    part = x[xp.asarray([True, True])]
    part[0] = 9
    assert float(x[0]) == 1


@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_masks_select_from_every_dtype_and_layout(dtype: DType) -> None:
    expected = (host(6, 4) % 2).astype(np.dtype(dtype))
    mask = host(3, 4) % 3 == 1
    for view in (slice(None, None, 2), slice(None, None, -2)):
        assert same(xp.asarray(expected)[view, :][xp.asarray(mask)], expected[view][mask])
        gaps = xp.asarray(np.repeat(mask, 2, axis=1))[:, ::2]
        assert same(xp.asarray(expected)[view, :][gaps], expected[view][mask])


# --- integer arrays -------------------------------------------------------------------------------


def test_integer_arrays_select_elements() -> None:
    expected, x = host(3, 4), xp.asarray(host(3, 4))
    rows, columns = np.array([[0], [-1]]), np.array([1, -4, 3])
    assert same(x[xp.asarray(rows), xp.asarray(columns)], expected[rows, columns])
    assert same(x[1, xp.asarray(columns)], expected[1, columns])
    assert same(x[xp.asarray(rows), -1], expected[rows, -1])
    assert same(x[xp.asarray(1), xp.asarray(columns)], expected[1, columns])
    assert same(xp.asarray(host(5))[xp.asarray([4, 0, 4], dtype=xp.uint8)], [4, 0, 4])
    empty = xp.asarray([], dtype=xp.int64)
    assert same(x[empty, empty], np.empty(0, np.int64))


@pytest.mark.parametrize("index", [3, -4])
def test_integer_arrays_out_of_bounds_are_refused(index: int) -> None:
    with pytest.raises(IndexError):
        xp.asarray(host(3))[xp.asarray([0, index])]


# --- assignment -----------------------------------------------------------------------------------


def test_assigned_values_broadcast_and_take_the_dtype() -> None:
    x = xp.zeros((2, 3), dtype=xp.float64)
    x[...] = xp.asarray([1, 2, 3], dtype=xp.float32)
    x[1, :] = 7
    x[:, 0] = xp.asarray(-0.0)
    assert np.asarray(x).tolist() == [[0, 2, 3], [0, 7, 7]]
    assert bool(xp.all(xp.signbit(x[:, 0])))
    x[:, 1:] = xp.asarray([[8.0], [9.0]])
    assert np.asarray(x).tolist() == [[0, 8, 8], [0, 9, 9]]
    z = xp.zeros(2, dtype=xp.complex64)
    z[0] = 1j
    z[1] = xp.asarray(2.0, dtype=xp.float32)
    assert np.asarray(z).tolist() == [1j, 2]
    i = xp.zeros(2, dtype=xp.int32)
    i[:] = xp.asarray([200, 7], dtype=xp.uint8)
    assert np.asarray(i).tolist() == [200, 7]


@pytest.mark.parametrize("shape", [(1, 2), (3,), (2, 2), (1,)], ids=str)
@pytest.mark.parametrize("rank", [1, 2])
def test_values_that_do_not_broadcast_are_refused_and_nothing_is_written(
    rank: int, shape: tuple[int, ...]
) -> None:
    """A leading axis of length 1 does not broadcast away, whatever the rank."""
    x = xp.zeros((2,) if rank == 1 else (1, 2))
    key = (slice(0, 2),) if rank == 1 else (0, slice(0, 2))
    single = 0 if rank == 1 else (0, 0)
    for where in (key if rank == 2 else key[0], single):
        if where != single and shape == (1,):
            continue  # which broadcasts
        with pytest.raises(ValueError, match="broadcast"):
            x[where] = xp.ones(shape)
    assert np.asarray(x).any() == np.False_


@pytest.mark.parametrize("shape", [(3,), (1, 3), (4, 2), (4, 1, 2)], ids=str)
def test_a_refused_value_is_told_the_shape_of_what_a_mask_selects(shape: tuple[int, ...]) -> None:
    for device in xp.__array_namespace_info__().devices():
        x = xp.zeros((5, 2), device=device)
        mask = xp.asarray([True, False, True, True, False], device=device)
        with pytest.raises(ValueError, match=r"^assignment: .*\(3, 2\)"):
            x[mask] = xp.ones(shape, device=device)
        assert not bool(xp.any(x != 0))


OVERLAPS = [(slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None)),
            (slice(None), slice(None, None, -1))]  # fmt: skip


@pytest.mark.parametrize(("target", "source"), OVERLAPS)
def test_overlapping_assignment_is_as_if_from_a_copy(target: slice, source: slice) -> None:
    for shape in ((50,), (50, 2)):
        expected, x = host(*shape), xp.asarray(host(*shape))
        expected[target] = expected[source].copy()
        x[target, ...] = x[source, ...]
        assert same(x, expected)
    line = xp.asarray(host(50))
    line[target] = line[source]
    assert same(line[target], host(50)[source])


def test_assignment_by_mask_from_the_array_itself_is_as_if_from_a_copy() -> None:
    x, expected = xp.asarray(host(9)), host(9)
    mask = host(9) % 2 == 0
    x[xp.asarray(mask)] = x[4::-1]
    expected[mask] = expected[4::-1].copy()
    assert same(x, expected)


def test_a_mask_may_be_the_array_itself() -> None:
    x = xp.asarray([True, False, True])
    x[x] = False
    assert not bool(xp.any(x))
    y = xp.asarray([True, True, False, True])
    y[xp.flip(y)] = False
    assert np.asarray(y).tolist() == [False, True, False, False]


def test_assignment_to_a_broadcast_view_leaves_the_source_alone() -> None:
    for key, value in [((0, 1), 9.0), (..., 9.0), (xp.asarray([True, False]), 9.0)]:
        source = xp.asarray([1.0, 2.0])
        view = xp.broadcast_to(source, (2, 2))
        view[key] = value
        assert same(source, np.array([1.0, 2.0]))
        assert float(view[0, 1]) == 9
    line = xp.broadcast_to(xp.asarray(1.0), (3,))
    line[1] = 5
    assert np.asarray(line).tolist() == [1, 5, 1]


# --- take, iteration ------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("dtype", [xp.int64, xp.int8, xp.uint16], ids=str)
def test_take_selects_slices(axis: int, dtype: DType) -> None:
    expected = host(2, 3, 4)
    for indices in ([1, 0, 1], [], *([[-1, -2]] if dtype.kind == "i" else [])):
        found = xp.take(xp.asarray(expected), xp.asarray(indices, dtype=dtype), axis=axis)
        assert same(found, np.take(expected, np.asarray(indices, np.int64), axis=axis))
    with pytest.raises(IndexError, match="take"):
        xp.take(xp.asarray(expected), xp.asarray([expected.shape[axis]], dtype=dtype), axis=axis)


def test_take_needs_no_axis_for_one_dimension() -> None:
    assert same(xp.take(xp.asarray(host(4)), xp.asarray([3, -4])), [3, 0])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_take_along_axis_selects_elements_of_each_line(axis: int) -> None:
    expected = host(3, 4)[:, ::-1]
    x = xp.asarray(expected)
    for indices in (host(3, 4) % 3, -1 - host(3, 4) % 3, host(3, 1) if axis else host(1, 4) % 3):
        assert same(
            xp.take_along_axis(x, xp.asarray(indices), axis=axis),
            np.take_along_axis(expected, indices, axis=axis),
        )
    with pytest.raises(IndexError, match="take_along_axis"):
        xp.take_along_axis(x, xp.asarray([[9]]), axis=axis)


def test_iteration_gives_views_of_the_slices() -> None:
    x = xp.asarray(host(2, 3))
    assert len(x) == 2
    first, second = x
    assert same(second, [3, 4, 5])
    first[0] = -1
    assert int(x[0, 0]) == -1
    assert [int(element) for element in xp.asarray([4, 5])] == [4, 5]
    for refused in (len, iter):
        with pytest.raises(TypeError, match="0-dimensional"):
            refused(xp.asarray(1))
