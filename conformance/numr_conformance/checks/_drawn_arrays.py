"""Drawn checks of functions that move elements.

A part of the topic "drawn". What the results are is a matter of places, which NumPy's basic
indexing of the host's array tells as well as anything; the rest is by indices, one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from numr_conformance.checks._draws import Draw, DrawnCases
from numr_conformance.checks._strategies import (
    BOOLEANS,
    Shape,
    axes_or_none,
    axis_of,
    axis_or_none,
    broadcast_from,
    broadcasting,
    composite,
    integers,
    lists,
    moved,
    permutations,
    shapes,
    some_axes,
)
from numr_conformance.checks._tools import MOVED, assert_equal, assert_true, indices
from numr_conformance.checks.manipulation import flipped, rolled, tiled
from numr_conformance.target import Target

cases = DrawnCases()


# --- one array, one array -------------------------------------------------------------------------


@composite
def arrangements(draw: Any, size: int) -> Shape:
    """Shapes of so many elements: its prime factors, multiplied in groups, and ones."""
    if size == 0:
        shape = list(draw(shapes(1, 4, empty=False)))
        shape[draw(integers(0, len(shape) - 1))] = 0
        return tuple(shape)
    shape = [1] * draw(integers(0 if size == 1 else 1, 5))
    for prime in (2, 3, 5, 7):
        while size % prime == 0:
            size //= prime
            shape[draw(integers(0, len(shape) - 1))] *= prime
    return tuple(shape)


@cases("reshape", dtypes=MOVED)
def reshape(target: Target, draw: Draw, dtype: str) -> None:
    x, host = moved(target, draw, dtype, draw(shapes()))
    shape = draw(arrangements(host.size), "shape")
    true = host.reshape(shape)
    if shape and host.size and draw(BOOLEANS):
        place = draw(integers(0, len(shape) - 1))
        shape = (*shape[:place], -1, *shape[place + 1 :])
        draw.tell("shape", shape)
    assert_equal(target, target.xp.reshape(x, shape), true)


@cases("permute_dims", dtypes=MOVED)
def permute_dims(target: Target, draw: Draw, dtype: str) -> None:
    x, host = moved(target, draw, dtype, draw(shapes()))
    axes = tuple(draw(permutations(range(host.ndim))))
    axes = tuple(a - host.ndim if draw(BOOLEANS) else a for a in axes)
    draw.tell("axes", axes)
    assert_equal(target, target.xp.permute_dims(x, axes), host.transpose(axes))


@cases("moveaxis", dtypes=MOVED)
def moveaxis(target: Target, draw: Draw, dtype: str) -> None:
    x, host = moved(target, draw, dtype, draw(shapes(1)))
    rank = host.ndim
    source = draw(some_axes(rank), "source")
    to = tuple(draw(permutations(range(rank)))[: len(source)])
    to = tuple(a - rank if draw(BOOLEANS) else a for a in to)
    draw.tell("destination", to)
    order = [a for a in range(rank) if a not in {s % rank for s in source}]
    for place, axis in sorted((t % rank, s % rank) for s, t in zip(source, to, strict=True)):
        order.insert(place, axis)
    single = len(source) == 1 and draw(BOOLEANS)
    given = (source[0], to[0]) if single else (source, to)
    assert_equal(target, target.xp.moveaxis(x, *given), host.transpose(order))


@cases("flip", dtypes=MOVED)
def flip(target: Target, draw: Draw, dtype: str) -> None:
    x, host = moved(target, draw, dtype, draw(shapes()))
    axis = draw(axes_or_none(host.ndim))
    axis = None if axis == () else axis  # no axes at all: left open
    draw.tell("axis", axis)
    assert_equal(target, target.xp.flip(x, axis=axis), flipped(host.shape, axis)(host))


@cases("roll", dtypes=MOVED)
def roll(target: Target, draw: Draw, dtype: str) -> None:
    x, host = moved(target, draw, dtype, draw(shapes()))
    axis = draw(axes_or_none(host.ndim))
    axis = None if axis == () else axis
    draw.tell("axis", axis)
    shift: Any = draw(integers(-9, 9))
    if isinstance(axis, tuple) and draw(BOOLEANS):
        shift = tuple(draw(integers(-9, 9)) for _ in axis)
    draw.tell("shift", shift)
    true = rolled(host.shape, shift, axis)(host)
    assert_equal(target, target.xp.roll(x, shift, axis=axis), true)


@cases("expand_dims", dtypes=MOVED)
def expand_dims(target: Target, draw: Draw, dtype: str) -> None:
    x, host = moved(target, draw, dtype, draw(shapes(most=4)))
    axis = draw(axis_of(host.ndim + 1), "axis")
    shape = list(host.shape)
    shape.insert(axis % (host.ndim + 1), 1)
    assert_equal(target, target.xp.expand_dims(x, axis=axis), host.reshape(shape))


@cases("squeeze", dtypes=MOVED)
def squeeze(target: Target, draw: Draw, dtype: str) -> None:
    shape = draw(shapes(1))
    shape = tuple(1 if draw(BOOLEANS) else n for n in shape)
    x, host = moved(target, draw, dtype, shape)
    rank = host.ndim
    axes = tuple(a for a in range(rank) if shape[a] == 1 and draw(BOOLEANS))
    axes = tuple(a - rank if draw(BOOLEANS) else a for a in axes)
    draw.tell("axis", axes)
    kept = [n for a, n in enumerate(shape) if a not in {b % rank for b in axes}]
    given = axes[0] if len(axes) == 1 and draw(BOOLEANS) else axes
    assert_equal(target, target.xp.squeeze(x, given), host.reshape(kept))


@cases("tile", dtypes=MOVED)
def tile(target: Target, draw: Draw, dtype: str) -> None:
    x, host = moved(target, draw, dtype, draw(shapes(most=3)))
    times = tuple(draw(st.lists(integers(0, 3), max_size=4), "repetitions"))
    assert_equal(target, target.xp.tile(x, times), tiled(host.shape, times)(host))


@cases("repeat", dtypes=MOVED)
def repeat(target: Target, draw: Draw, dtype: str) -> None:
    """Each element as often as the others, or each as often as an array says."""
    x, host = moved(target, draw, dtype, draw(shapes(1, 4)))
    axis = draw(axis_or_none(host.ndim), "axis")
    lines = host.reshape(-1) if axis is None else np.moveaxis(host, axis, 0)
    if draw(BOOLEANS):
        counts = draw(lists(integers(0, 3), len(lines)))
        draw.tell("repeats", np.array(counts, int))
        given = indices(target, np.array(counts, int))
    else:
        given = draw(integers(0, 3), "repeats")
        counts = [given] * len(lines)
    true = lines[[i for i, count in enumerate(counts) for _ in range(count)] or slice(0)]
    true = true if axis is None else np.moveaxis(true, 0, axis)
    assert_equal(target, target.xp.repeat(x, given, axis=axis), true)


@cases("broadcast_to", dtypes=MOVED)
def broadcast_to(target: Target, draw: Draw, dtype: str) -> None:
    shape = draw(shapes(), "shape")
    x, host = moved(target, draw, dtype, draw(broadcast_from(shape)))
    true = np.empty(shape, dtype)
    true[...] = host
    assert_equal(target, target.xp.broadcast_to(x, shape), true)


# --- several arrays -------------------------------------------------------------------------------


@cases("broadcast_arrays", dtypes=MOVED)
def broadcast_arrays(target: Target, draw: Draw, dtype: str) -> None:
    pairs = [
        moved(target, draw, dtype, shape, f"x{i}")
        for i, shape in enumerate(draw(broadcasting(3)), 1)
    ]
    shape = np.broadcast_shapes(*(host.shape for _, host in pairs))
    found = target.xp.broadcast_arrays(*(x for x, _ in pairs))
    assert_true(len(found) == 3, "wrong number", expected=3, actual=len(found))
    for result, (_, host) in zip(found, pairs, strict=True):
        true = np.empty(shape, dtype)
        true[...] = host
        assert_equal(target, result, true)


@cases("concat", dtypes=MOVED)
def concat(target: Target, draw: Draw, dtype: str) -> None:
    shape = draw(shapes(1, 4))
    axis = draw(axis_or_none(len(shape)), "axis")
    pairs = []
    for i in range(draw(integers(1, 3))):
        lengths = list(shape)
        if axis is None:
            lengths = draw(shapes(most=3))
        else:
            lengths[axis] = draw(integers(0, 3))
        pairs.append(moved(target, draw, dtype, tuple(lengths), f"x{i}", first=7 * i))
    parts = [host.reshape(-1) if axis is None else np.moveaxis(host, axis, 0) for _, host in pairs]
    true = np.empty((sum(map(len, parts)), *parts[0].shape[1:]), dtype)
    start = 0
    for part in parts:
        true[start : start + len(part)] = part
        start += len(part)
    true = true if axis is None else np.moveaxis(true, 0, axis)
    assert_equal(target, target.xp.concat([x for x, _ in pairs], axis=axis), true)


@cases("stack", dtypes=MOVED)
def stack(target: Target, draw: Draw, dtype: str) -> None:
    shape = draw(shapes(most=4))
    axis = draw(axis_of(len(shape) + 1), "axis")
    count = draw(integers(1, 3))
    pairs = [moved(target, draw, dtype, shape, f"x{i}", first=7 * i) for i in range(count)]
    place = axis % (len(shape) + 1)
    true = np.empty((*shape[:place], len(pairs), *shape[place:]), dtype)
    for i, (_, host) in enumerate(pairs):
        true[(slice(None),) * place + (i,)] = host
    assert_equal(target, target.xp.stack([x for x, _ in pairs], axis=axis), true)


@cases("unstack", dtypes=MOVED)
def unstack(target: Target, draw: Draw, dtype: str) -> None:
    x, host = moved(target, draw, dtype, draw(shapes(1)))
    axis = draw(axis_of(host.ndim), "axis")
    lines = np.moveaxis(host, axis, 0)
    found = target.xp.unstack(x, axis=axis)
    assert_true(len(found) == len(lines), "wrong number", expected=len(lines), actual=len(found))
    for part, line in zip(found, lines, strict=True):
        assert_equal(target, part, line)
