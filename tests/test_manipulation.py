"""Shapes changed, axes moved, arrays joined, repeated and split: against NumPy, and views."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._dtypes import BY_NAME, STANDARD, DType

SHAPES = [(), (3,), (2, 3), (2, 1, 3), (2, 0, 3), (1, 2, 3, 2)]
PAIRS = [(shape, axis) for shape in SHAPES for axis in range(-len(shape), len(shape))]


def host(shape: tuple[int, ...], dtype: str = "int64") -> Any:
    return np.arange(math.prod(shape)).reshape(shape).astype(dtype)


def of(shape: tuple[int, ...]) -> Any:
    return xp.asarray(host(shape))


def same(x: Any, expected: Any) -> bool:
    expected, found = np.asarray(expected), np.asarray(x)
    return (
        type(x).__name__ == "Array"
        and (found.shape, found.dtype) == (expected.shape, expected.dtype)
        and np.array_equal(found, expected)
    )


def is_view(x: Any, of: Any) -> bool:
    return not of.size or np.shares_memory(np.asarray(x), np.asarray(of))


# --- views ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_permute_dims_in_every_order(shape: tuple[int, ...]) -> None:
    x, rank = of(shape), len(shape)
    for axes in itertools.permutations(range(rank)):
        for given in (axes, tuple(axis - rank for axis in axes)):
            result = xp.permute_dims(x, given)
            assert same(result, np.transpose(host(shape), axes))
            assert is_view(result, x)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_moveaxis_from_anywhere_to_anywhere(shape: tuple[int, ...]) -> None:
    x, axes = of(shape), range(-len(shape), len(shape))
    for source, target in itertools.product(axes, axes):
        result = xp.moveaxis(x, source, target)
        assert same(result, np.moveaxis(host(shape), source, target))
        assert is_view(result, x)
    for sources, targets in itertools.product(itertools.permutations(axes, 2), repeat=2):
        if (
            len({axis % len(shape) for axis in sources})
            == 2
            == len({axis % len(shape) for axis in targets})
        ):
            result = xp.moveaxis(x, sources, targets)
            assert same(result, np.moveaxis(host(shape), sources, targets))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_expand_dims_and_squeeze(shape: tuple[int, ...]) -> None:
    x, rank = of(shape), len(shape)
    for axis in range(-rank - 1, rank + 1):
        result = xp.expand_dims(x, axis)
        assert same(result, np.expand_dims(host(shape), axis))
        assert is_view(result, x)
        assert same(xp.squeeze(result, axis), host(shape))
    for axes in itertools.permutations(range(-rank - 2, rank + 2), 2):
        if len({axis % (rank + 2) for axis in axes}) == 2:
            result = xp.expand_dims(x, axes)
            assert same(result, np.expand_dims(host(shape), axes))
            assert same(xp.squeeze(result, axes), host(shape))
    assert same(xp.expand_dims(x, ()), host(shape))
    assert same(xp.squeeze(x, ()), host(shape))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_flip(shape: tuple[int, ...]) -> None:
    x, rank = of(shape), len(shape)
    for count in range(rank + 1):
        for axes in itertools.combinations(range(-rank, 0), count):
            assert same(xp.flip(x, axis=axes), np.flip(host(shape), axes))
    for axis in (None, *range(-rank, rank)):
        assert same(xp.flip(x, axis=axis), np.flip(host(shape), axis))
        assert is_view(xp.flip(x, axis=axis), x)


@pytest.mark.parametrize(("shape", "axis"), [pair for pair in PAIRS if pair[0]], ids=str)
def test_unstack_gives_views_of_the_slices(shape: tuple[int, ...], axis: int) -> None:
    x = of(shape)
    parts = xp.unstack(x, axis=axis)
    assert isinstance(parts, tuple)
    assert len(parts) == shape[axis]
    for i, part in enumerate(parts):
        assert same(part, np.take(host(shape), i, axis=axis))
        assert is_view(part, x) or not part.size
    if parts:
        assert same(xp.stack(parts, axis=axis), host(shape))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_broadcasting_gives_views(shape: tuple[int, ...]) -> None:
    x = of(shape)
    for target in (shape, (4, *shape), (2, 3, *shape)):
        result = xp.broadcast_to(x, target)
        assert same(result, np.broadcast_to(host(shape), target))
        assert is_view(result, x)
        assert xp.broadcast_shapes(shape, target) == target
    first, second = xp.broadcast_arrays(x, xp.ones((5,) + (1,) * len(shape), dtype=xp.int8))
    assert same(first, np.broadcast_to(host(shape), (5, *shape)))
    assert same(second, np.ones((5, *shape), np.int8))


def test_broadcasting_of_nothing_and_of_lengths_1() -> None:
    assert xp.broadcast_arrays() == ()
    assert xp.broadcast_shapes() == ()
    assert xp.broadcast_shapes((2, 1), (1, 3), ()) == (2, 3)
    assert xp.broadcast_shapes((1,), (0,)) == (0,)
    assert same(xp.broadcast_to(xp.ones((1, 2)), (0, 2)), np.ones((0, 2)))


# --- reshape --------------------------------------------------------------------------------------

RESHAPES = [((6,), (2, 3)), ((2, 3), (-1,)), ((2, 3), (3, -1)), ((), (1, 1)), ((1,), ()),
            ((0, 3), (0,)), ((2, 0), (3, 0, 5)), ((2, 3), (2, 3)), ((4, 3), (2, 2, 3)),
            ((0, 3), (-1, 3)), ((1, 1), (-1,))]  # fmt: skip


@pytest.mark.parametrize(("shape", "target"), RESHAPES, ids=str)
def test_reshape_shares_memory_of_contiguous_arrays(
    shape: tuple[int, ...], target: tuple[int, ...]
) -> None:
    x, expected = of(shape), host(shape).reshape(target)
    for copy in (None, False):
        result = xp.reshape(x, target, copy=copy)
        assert same(result, expected)
        assert is_view(result, x)
    copied = xp.reshape(x, target, copy=True)
    assert same(copied, expected)
    assert not np.shares_memory(np.asarray(copied), np.asarray(x))


def test_reshape_copies_where_it_must_or_refuses() -> None:
    x = xp.permute_dims(of((2, 3)), (1, 0))
    result = xp.reshape(x, (6,))
    assert same(result, host((2, 3)).T.reshape(6))
    assert not np.shares_memory(np.asarray(result), np.asarray(x))
    with pytest.raises(ValueError, match="without a copy"):
        xp.reshape(x, (6,), copy=False)
    assert is_view(xp.reshape(x, (3, 1, 2), copy=False), x)
    gaps = of((4, 6))[:, ::2]
    assert is_view(xp.reshape(gaps, (2, 2, 3), copy=False), gaps)
    assert same(xp.reshape(gaps, (12,)), host((4, 6))[:, ::2].reshape(12))


@pytest.mark.parametrize("target", [(4,), (-1, 4), (-1, -1), (-2, 3), (0, -1), (7, -1)], ids=str)
def test_reshape_to_another_size_is_refused(target: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="reshape"):
        xp.reshape(of((2, 3)), target)


# --- joining --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "axis"), [pair for pair in PAIRS if pair[0]], ids=str)
def test_concat_along_every_axis(shape: tuple[int, ...], axis: int) -> None:
    longer = list(shape)
    longer[axis] += 2
    parts = [host(shape), -host(tuple(longer)), host(shape)]
    result = xp.concat([xp.asarray(part) for part in parts], axis=axis)
    assert same(result, np.concatenate(parts, axis=axis))
    single = [xp.asarray(parts[0])]
    assert same(xp.concat(single, axis=axis), parts[0])
    assert not np.shares_memory(np.asarray(xp.concat(single, axis=axis)), np.asarray(single[0]))


def test_concat_flattens_without_an_axis() -> None:
    result = xp.concat((of((2, 3)), of(()), of((1,))), axis=None)
    assert same(result, [0, 1, 2, 3, 4, 5, 0, 0])


@pytest.mark.parametrize(("shape", "axis"), PAIRS, ids=str)
def test_stack_along_every_axis(shape: tuple[int, ...], axis: int) -> None:
    parts = [host(shape), -host(shape)]
    for where in (axis, len(shape), -len(shape) - 1):
        result = xp.stack([xp.asarray(part) for part in parts], axis=where)
        assert same(result, np.stack(parts, axis=where))


PROMOTIONS = [("int8", "uint8", "int16"), ("float32", "float64", "float64"),
              ("float64", "complex64", "complex128"), ("uint32", "int8", "int64"),
              ("bool", "bool", "bool")]  # fmt: skip


@pytest.mark.parametrize("names", PROMOTIONS, ids=str)
def test_joined_arrays_are_promoted(names: tuple[str, str, str]) -> None:
    first, second, common = (BY_NAME[name] for name in names)
    for pair in ((first, second), (second, first)):
        parts = [xp.ones(2, dtype=dtype) for dtype in pair]
        assert same(xp.concat(parts), np.ones(4, np.dtype(common)))
        assert same(xp.stack(parts), np.ones((2, 2), np.dtype(common)))


def test_joined_arrays_of_mixed_kinds_or_shapes_are_refused() -> None:
    for join in (xp.concat, xp.stack):
        with pytest.raises(TypeError, match="no common type"):
            join([xp.ones(2), xp.ones(2, dtype=xp.int64)])
        with pytest.raises(ValueError, match="none"):
            join([])
        with pytest.raises(ValueError, match="differ"):
            join([xp.ones((2, 2)), xp.ones((2, 3))])


# --- repeating and rolling ------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_roll(shape: tuple[int, ...]) -> None:
    x, rank = of(shape), len(shape)
    for shift in (0, 1, -1, 2, 7, -8, 100):
        assert same(xp.roll(x, shift), np.roll(host(shape), shift))
        for axis in range(-rank, rank):
            result = xp.roll(x, shift, axis=axis)
            assert same(result, np.roll(host(shape), shift, axis))
            assert not np.shares_memory(np.asarray(result), np.asarray(x))
    if rank > 1:
        for shifts, axes in [((1, -2), (0, 1)), ((3, 3), (-1, 0)), ((1, 1), (1, 1))]:
            assert same(xp.roll(x, shifts, axis=axes), np.roll(host(shape), shifts, axes))
        assert same(xp.roll(x, 1, axis=(0, 1)), np.roll(host(shape), 1, (0, 1)))
    result = xp.roll(x, (), axis=())
    assert same(result, host(shape))
    assert not np.shares_memory(np.asarray(result), np.asarray(x))


@pytest.mark.parametrize(("shape", "axis"), PAIRS, ids=str)
def test_repeat(shape: tuple[int, ...], axis: int) -> None:
    x, length = of(shape), shape[axis]
    for repeats in (0, 1, 3):
        assert same(xp.repeat(x, repeats), np.repeat(host(shape), repeats))
        assert same(xp.repeat(x, repeats, axis=axis), np.repeat(host(shape), repeats, axis))
    for counts in ([2], list(range(length))):
        for dtype in (xp.int64, xp.uint8):
            found = xp.repeat(x, xp.asarray(counts, dtype=dtype), axis=axis)
            assert same(found, np.repeat(host(shape), np.asarray(counts, int), axis))


def test_repeat_of_no_dimensions_and_with_negative_counts() -> None:
    assert same(xp.repeat(of(()), 2), [0, 0])
    for counts in (-1, xp.asarray([-1]), xp.asarray([1, -1, 1])):
        with pytest.raises(ValueError, match="repeat"):
            xp.repeat(of((3,)), counts)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(
    "repetitions", [(), (2,), (0,), (1, 1), (2, 3), (3, 1, 2), (1, 2, 1, 2, 1)], ids=str
)
def test_tile(shape: tuple[int, ...], repetitions: tuple[int, ...]) -> None:
    x = of(shape)
    result = xp.tile(x, repetitions)
    assert same(result, np.tile(host(shape), repetitions))
    assert not np.shares_memory(np.asarray(result), np.asarray(x))


@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_every_dtype_is_moved_unchanged(dtype: DType) -> None:
    expected = host((3, 4)).astype(np.dtype(dtype))
    x = xp.asarray(expected)
    assert same(xp.roll(x, 1, axis=1), np.roll(expected, 1, 1))
    assert same(xp.repeat(x, 2, axis=0), np.repeat(expected, 2, 0))
    assert same(xp.tile(x, (2, 1)), np.tile(expected, (2, 1)))
    assert same(xp.concat([x, x], axis=1), np.concatenate([expected, expected], 1))
    assert same(xp.reshape(xp.permute_dims(x, (1, 0)), (12,)), expected.T.reshape(12))


def test_shapes_and_orders_of_axes_may_be_lists() -> None:
    x = xp.reshape(xp.arange(6), [2, 3])
    assert x.shape == (2, 3)
    assert xp.permute_dims(x, [1, 0]).shape == (3, 2)
    assert xp.broadcast_to(x, [4, 2, 3]).shape == (4, 2, 3)
    assert xp.tile(x, [2, 1]).shape == (4, 3)
