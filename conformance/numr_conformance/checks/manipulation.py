"""Manipulation functions: each moves elements, so the results are exact in every dtype."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from numr_conformance.checks._tools import (
    LAYOUTS,
    MOVED,
    Cases,
    Host,
    assert_equal,
    assert_true,
    distinct,
    indices,
)
from numr_conformance.target import Target

cases = Cases("manipulation")
checks = cases.checks


# --- what NumPy has no primitive for, by indices --------------------------------------------------


def by_places(shape: tuple[int, ...], place: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Any:
    """The reference that takes the element at ``place(index)`` for each index of a shape."""

    def reference(x: Host) -> Host:
        out = np.empty(shape, x.dtype)
        for index in np.ndindex(*shape):
            out[index] = x[place(index)]
        return out

    return reference


def rolled(shape: tuple[int, ...], shift: Any, axis: Any) -> Callable[[Host], Host]:
    if axis is None:
        count = int(np.prod(shape))
        flat = by_places((count,), lambda i: ((i[0] - shift) % count,))
        return lambda x: flat(x.reshape(-1)).reshape(shape)
    axes = (axis,) if isinstance(axis, int) else axis
    shifts = (shift,) * len(axes) if isinstance(shift, int) else shift
    offset = [0] * len(shape)
    for a, s in zip(axes, shifts, strict=True):
        offset[a] += s
    return by_places(
        shape, lambda i: tuple((j - o) % n for j, o, n in zip(i, offset, shape, strict=True))
    )


def flipped(shape: tuple[int, ...], axis: Any) -> Callable[[Host], Host]:
    axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    turned = {a % len(shape) for a in axes}
    key = tuple(slice(None, None, -1 if a in turned else None) for a in range(len(shape)))
    return lambda x: x[key]


def tiled(shape: tuple[int, ...], repetitions: tuple[int, ...]) -> Callable[[Host], Host]:
    rank = max(len(shape), len(repetitions))
    full = (1,) * (rank - len(shape)) + shape
    times = (1,) * (rank - len(repetitions)) + repetitions
    wide = tuple(n * r for n, r in zip(full, times, strict=True))
    take = by_places(wide, lambda i: tuple(j % n for j, n in zip(i, full, strict=True)))
    return lambda x: take(x.reshape(full))


# --- one array, one array -------------------------------------------------------------------------

# Function, shape, positional arguments, keywords, reference.
Row = tuple[str, tuple[int, ...], tuple[Any, ...], dict[str, Any], Callable[[Host], Host]]

ROWS: list[Row] = [
    *(("permute_dims", shape, (axes,), {}, lambda x, a=axes: x.transpose(a)) for shape, axes in [
        ((), ()), ((3,), (0,)), ((2, 3), (1, 0)), ((2, 3, 4), (2, 0, 1)), ((2, 0, 3), (1, 2, 0)),
        ((2, 3, 4), (-1, 0, -2)), ((2, 1, 3, 2, 2), (4, 2, 0, 3, 1))]),
    *(("moveaxis", (2, 3, 4, 5), (source, to), {}, lambda x, o=order: x.transpose(o))
      for source, to, order in [
          (0, 2, (1, 2, 0, 3)), (-1, 0, (3, 0, 1, 2)), ((0, 1), (-1, -2), (2, 3, 1, 0)),
          ((3, 0), (0, 1), (3, 0, 1, 2)), ((), (), (0, 1, 2, 3)), (1, 1, (0, 1, 2, 3))]),
    *(("expand_dims", shape, (), {"axis": axis}, lambda x, n=new: x.reshape(n))
      for shape, axis, new in [
          ((), 0, (1,)), ((2, 3), 0, (1, 2, 3)), ((2, 3), 1, (2, 1, 3)), ((2, 3), 2, (2, 3, 1)),
          ((2, 3), -1, (2, 3, 1)), ((2, 3), -3, (1, 2, 3)), ((2, 3), (0, 2), (1, 2, 1, 3)),
          ((2, 3), (-1, 0), (1, 2, 3, 1)), ((0,), 0, (1, 0))]),
    *(("squeeze", shape, (axis,), {}, lambda x, n=new: x.reshape(n)) for shape, axis, new in [
        ((1,), 0, ()), ((2, 1, 3), 1, (2, 3)), ((1, 2, 1), (0, 2), (2,)), ((1, 2, 1), -1, (1, 2)),
        ((1, 1), (-1, 0), ()), ((0, 1), 1, (0,)), ((2, 3), (), (2, 3))]),
    *(("reshape", shape, (new,), {}, lambda x, n=new: x.reshape(n)) for shape, new in [
        ((), (1,)), ((), ()), ((6,), (2, 3)), ((2, 3), (6,)), ((2, 3), (3, -1)), ((2, 3), (-1,)),
        ((4, 6), (2, 2, 3, 2)), ((0,), (2, 0)), ((2, 0), (0, 5)), ((1,), ()),
        ((24,), (2, 3, 1, 2, 2)), ((2, 0, 3), (3, -1))]),
    *(("flip", shape, (), {"axis": axis}, flipped(shape, axis)) for shape, axis in [
        ((5,), None), ((2, 3), None), ((2, 3), 0), ((2, 3), -1), ((2, 3, 4), (0, -1)),
        ((2, 0), None), ((2, 3, 4), 1), ((2, 1, 3, 2, 2), (1, 2, 4)), ((3,), 0)]),
    *(("roll", shape, (shift,), {"axis": axis}, rolled(shape, shift, axis))
      for shape, shift, axis in [
          ((5,), 2, None), ((5,), -7, 0), ((2, 3), 1, None), ((2, 3), 1, 0), ((2, 3), -1, -1),
          ((2, 3), (1, 2), (0, 1)), ((3, 4), 1, (0, 1)), ((3, 4), (1, 1), (1, 1)), ((0, 3), 1, 0),
          ((2, 3, 4), (5, -3), (-1, 0)), ((4,), 0, 0)]),
    *(("repeat", shape, (times,), {"axis": axis},
       lambda x, t=times, a=axis: np.stack([x] * t, -1).reshape(-1) if a is None else
       np.moveaxis(np.stack([np.moveaxis(x, a, 0)] * t, 1).reshape(
           x.shape[a] * t, *np.moveaxis(x, a, 0).shape[1:]), 0, a) if t else
       x[tuple(slice(0 if i == a % x.ndim else None) for i in range(x.ndim))])
      for shape, times, axis in [
          ((4,), 3, None), ((2, 3), 2, None), ((2, 3), 2, 0), ((2, 3), 3, -1), ((2, 3), 1, 1),
          ((2, 3), 0, 0), ((2, 3, 2), 2, 1)]),
    *(("tile", shape, (times,), {}, tiled(shape, times)) for shape, times in [
        ((3,), (2,)), ((2, 3), (2, 2)), ((2, 3), (2,)), ((3,), (2, 1, 2)), ((2, 3), (0, 1)),
        ((2, 3), ()), ((), (3,)), ((2, 1, 2), (1, 3, 2))]),
    *(("broadcast_to", shape, (new,), {}, lambda x, n=new: x + np.zeros(n, x.dtype) if
       x.dtype != bool else x | np.zeros(n, bool)) for shape, new in [
        ((), (2, 3)), ((3,), (2, 3)), ((2, 1), (2, 3)), ((1,), (0,)), ((1, 3), (4, 2, 3)),
        ((2, 1, 1, 3), (5, 2, 2, 4, 3)), ((2, 3), (2, 3)), ((), ())]),
]  # fmt: skip


def each_row(body: Callable[..., None]) -> Callable[..., None]:
    for row in ROWS:
        cases("*", dtypes=MOVED, rows=[row])(body)
    return body


@each_row
def moves(
    target: Target,
    dtype: str,
    function: str,
    shape: tuple[int, ...],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    reference: Callable[[Host], Host],
) -> None:
    host = distinct(dtype, shape)
    for layout, make in LAYOUTS.items():
        result = target.find(function)(make(target, host), *arguments, **keywords)
        assert_equal(target, result, reference(host), given=(layout, shape, arguments, keywords))


@cases("repeat", dtypes=MOVED, rows=[(None,), (0,), (1,), (-1,)])
def counts_of_each(target: Target, dtype: str, axis: int | None) -> None:
    host = distinct(dtype, (2, 3))
    length = 6 if axis is None else host.shape[axis]
    counts = [(2, 0, 3, 1, 1, 2)[i] for i in range(length)]
    places = [i for i, count in enumerate(counts) for _ in range(count)]
    true = host.reshape(-1)[places] if axis is None else (
        host[places] if axis == 0 else host[:, places])  # fmt: skip
    result = target.xp.repeat(target.array(host), indices(target, counts), axis=axis)
    assert_equal(target, result, true, given=counts)


# --- several arrays -------------------------------------------------------------------------------

JOINED = [(((2,), (3,)), 0), (((2, 3), (4, 3)), 0), (((2, 3), (2, 1)), 1), (((2, 3), (2, 4)), -1),
          (((2, 3), (0, 3), (1, 3)), 0), (((3,),), 0), (((2, 3), (4,)), None), (((0,), (0,)), 0),
          (((), (2, 2)), None), (((2, 2, 1), (2, 2, 2)), 2)]  # fmt: skip


@cases("concat", dtypes=MOVED, rows=JOINED)
def joined(target: Target, dtype: str, shapes: tuple[Any, ...], axis: int | None) -> None:
    hosts = [distinct(dtype, shape) for shape in shapes]
    parts = [x.reshape(-1) for x in hosts] if axis is None else hosts
    rank = parts[0].ndim
    shape = list(parts[0].shape)
    place = 0 if axis is None else axis % rank
    shape[place] = sum(x.shape[place] for x in parts)
    true, start = np.empty(shape, dtype), 0
    for x in parts:
        true[(slice(None),) * place + (slice(start, start + x.shape[place]),)] = x
        start += x.shape[place]
    for kind in (list, tuple):
        result = target.xp.concat(kind(map(target.array, hosts)), axis=axis)
        assert_equal(target, result, true, given=(kind.__name__, shapes, axis))


@cases("stack", dtypes=MOVED, rows=product([(), (3,), (2, 3), (0, 2)], [0, -1, 1, 2]))
def stacked(target: Target, dtype: str, shape: tuple[int, ...], axis: int) -> None:
    if axis > len(shape):
        return
    first = distinct(dtype, shape)
    hosts = [first, first[..., ::-1] if shape else ~first if dtype == "bool" else first + 1, first]
    hosts = [np.asarray(x, dtype) for x in hosts]
    place = axis % (len(shape) + 1)
    true = np.empty((*shape[:place], 3, *shape[place:]), dtype)
    for i, x in enumerate(hosts):
        true[(slice(None),) * place + (i,)] = x
    for kind in (list, tuple):
        assert_equal(target, target.xp.stack(kind(map(target.array, hosts)), axis=axis), true)


@cases("unstack", dtypes=MOVED, rows=product([(3,), (2, 3), (0, 2), (2, 1, 3)], [0, -1]))
def unstacked(target: Target, dtype: str, shape: tuple[int, ...], axis: int) -> None:
    host = distinct(dtype, shape)
    found = target.xp.unstack(target.array(host), axis=axis)
    assert_true(isinstance(found, tuple), "no tuple", expected="tuple", actual=type(found))
    assert_true(len(found) == shape[axis], "wrong number", expected=shape[axis], actual=len(found))
    for i, part in enumerate(found):
        true = host[i] if axis == 0 else host[..., i]
        assert_equal(target, part, true, given=(shape, axis, i))


@cases("*", rows=[(f,) for f in ("concat", "stack")])
def promoted(target: Target, function: str) -> None:
    pairs = [("int8", "int16", "int16"), ("uint8", "int8", "int16"),
             ("float32", "float64", "float64"), ("float32", "complex64", "complex64"),
             ("uint32", "uint8", "uint32")]  # fmt: skip
    for first, second, wider in pairs:
        if {first, second, wider} - set(target.dtypes):
            continue
        a, b = distinct(first, (2,)), distinct(second, (2,))
        true = np.concatenate([a.astype(wider), b.astype(wider)])
        result = target.find(function)([target.array(a), target.array(b)])
        true = true if function == "concat" else true.reshape(2, 2)
        assert_equal(target, result, true, given=(first, second))


MUTUAL = [(((2, 1), (3,)), (2, 3)), (((), (2, 2)), (2, 2)), (((1, 3, 1), (4, 1, 2)), (4, 3, 2)),
          (((0,), (1,)), (0,)), (((2, 3), (2, 3), (1, 1)), (2, 3)), (((3,),), (3,)),
          (((5, 1, 1, 1, 2), (4, 1, 1), (1, 3, 1)), (5, 1, 4, 3, 2))]  # fmt: skip


@cases("broadcast_arrays", dtypes=MOVED, rows=MUTUAL)
def broadcast(
    target: Target, dtype: str, shapes: tuple[tuple[int, ...], ...], shape: tuple[int, ...]
) -> None:
    hosts = [distinct(dtype, s) for s in shapes]
    found = target.xp.broadcast_arrays(*map(target.array, hosts))
    for part, host in zip(found, hosts, strict=True):
        assert_equal(target, part, np.broadcast_to(host, shape), given=shapes)


@cases("broadcast_shapes", rows=MUTUAL)
def broadcast_shapes(
    target: Target, shapes: tuple[tuple[int, ...], ...], shape: tuple[int, ...]
) -> None:
    found = target.find("broadcast_shapes")(*shapes)
    assert_true(tuple(found) == shape, "wrong shape", given=shapes, expected=shape, actual=found)


@cases("broadcast_arrays")
def dtypes_stay(target: Target) -> None:
    names = [name for name in MOVED if name in target.dtypes]
    hosts = [distinct(name, (2,)) for name in names]
    for part, host in zip(
        target.xp.broadcast_arrays(*map(target.array, hosts)), hosts, strict=True
    ):
        assert_equal(target, part, host)
