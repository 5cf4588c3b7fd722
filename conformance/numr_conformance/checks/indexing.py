"""Indexing, assignment and taking: every form that the standard defines, up to 5 dimensions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from numr_conformance.checks._tools import (
    LAYOUTS,
    Cases,
    Host,
    assert_equal,
    default_dtype,
    distinct,
    generator,
    indices,
)
from numr_conformance.target import DTYPES, Target

cases = Cases("indexing")
checks = cases.checks

SHAPES = [((),), ((3,),), ((2, 3),), ((1, 4),), ((2, 3, 4),), ((2, 1, 3, 2),), ((2, 3, 1, 2, 2),)]


def slices(n: int, to_the_first: bool = False) -> Iterator[slice]:
    """Those whose bounds the standard defines for an axis of this length.

    Those that end at ``-n - 1``, which include the first element, are apart: libraries forget them.
    """
    starts = (None, *range(-n, n + 1))
    stops = (-n - 1,) if to_the_first else (None, *range(-n, max(0, n - 1) + 1))
    for step in () if to_the_first else (None, 1, 2, 3):
        for start, stop in itertools.product(starts, starts):
            yield slice(start, stop, step)
    for step in (-1, -2, -3):
        for start in (None, *range(-n, n)):
            for stop in stops:
                yield slice(start, stop, step)


def parts(n: int) -> list[Any]:
    """What may stand for one axis."""
    return [0, n - 1, -n, slice(None), slice(1, None), slice(None, None, -1), slice(-1, None),
            slice(max(0, n - 1), 0, -2), slice(0, 0), slice(None, None, 2)]  # fmt: skip


def keys(shape: tuple[int, ...], *, new_axes: bool = True, limit: int = 150) -> Iterator[Any]:
    """A sample of keys: complete ones, with an ellipsis for some axes, with new axes."""
    rng = generator(f"keys{shape}")
    if len(shape) == 1:
        yield from parts(shape[0])  # without a tuple
    if len(shape) < 2:
        limit = 40
    yield from ((), ...) if not shape else (..., (...,))
    for _ in range(limit):
        key = [parts(n)[rng.integers(10)] for n in shape]
        if rng.random() < 0.4:
            first, last = sorted(rng.integers(0, len(shape) + 1, 2))
            key[first:last] = [...]
        for _ in range(rng.integers(0, 3) if new_axes else 0):
            key.insert(int(rng.integers(0, len(key) + 1)), None)
        yield tuple(key)


# --- selection ------------------------------------------------------------------------------------


SLICED = [(n, *more) for n in range(5) for more in ((), ("to_the_first",))]


@cases("__getitem__", rows=SLICED)
def every_slice(target: Target, n: int, *to_the_first: str) -> None:
    host = distinct("int32", (n,))
    x = target.array(host)
    for key in slices(n, bool(to_the_first)):
        true = np.array(host.tolist()[key], "int32")  # as of a list
        assert_equal(target, x[key], true, given=(n, key))


@cases("__getitem__", dtypes=DTYPES, rows=SHAPES)
def basic(target: Target, dtype: str, shape: tuple[int, ...]) -> None:
    host = distinct(dtype, shape)
    x = target.array(host)
    for key in keys(shape, limit=150 if dtype in ("int32", "float64") else 25):
        assert_equal(target, x[key], host[key], given=(shape, key))


@cases("__getitem__", rows=[(layout,) for layout in LAYOUTS])
def of_views(target: Target, layout: str) -> None:
    host = distinct("int32", (3, 4, 5))
    x = LAYOUTS[layout](target, host)
    for key in keys(host.shape, limit=60):
        found, true = x[key], host[key]
        assert_equal(target, found, true, given=key)
        for more in keys(true.shape, limit=2):
            if 0 not in true.shape:
                assert_equal(target, found[more], true[more], given=(key, more))


@cases("__getitem__", rows=[(n,) for n in (1, 3)])
def zero_dimensional_index(target: Target, n: int) -> None:
    host = distinct("int32", (n, n))
    x = target.array(host)
    for i, j in itertools.product(range(-n, n), repeat=2):
        result = x[indices(target, i), indices(target, j)]
        assert_equal(target, result, host[i, j], given=(i, j))
        assert_equal(target, x[i, indices(target, j)], host[i, j], given=(i, j))


MASKED = [(shape, rank) for shape in ((), (4,), (2, 3), (2, 0, 3), (0,), (3, 2, 2), (2, 2, 1, 3, 2))
          for rank in range(len(shape) + 1)]  # fmt: skip


def masks(shape: tuple[int, ...]) -> list[Host]:
    return [np.asarray(generator(f"mask{shape}").random(shape) < 0.5), np.ones(shape, bool),
            np.zeros(shape, bool)]  # fmt: skip


def selected(host: Host, mask: Host) -> Host:
    """The elements in row-major order."""
    places = [place for place in np.ndindex(*mask.shape) if mask[place]]
    rows = [host[place] for place in places]
    rest = host.shape[mask.ndim :]
    return np.array(rows, host.dtype).reshape(len(places), *rest)


@cases("__getitem__", dtypes=DTYPES, rows=MASKED)
def boolean_mask(target: Target, dtype: str, shape: tuple[int, ...], rank: int) -> None:
    host = distinct(dtype, shape)
    for mask in masks(shape[:rank]):
        result = target.array(host)[target.array(mask)]
        assert_equal(target, result, selected(host, mask), given=(host, mask))


@cases("__getitem__", rows=itertools.product(LAYOUTS, LAYOUTS))
def mask_and_array_of_any_layout(target: Target, first: str, second: str) -> None:
    host, mask = distinct("float32", (3, 4, 2)), masks((3, 4))[0]
    x, key = LAYOUTS[first](target, host), LAYOUTS[second](target, mask)
    assert_equal(target, x[key], selected(host, mask), given=(host, mask))


GATHERED: list[tuple[Any, ...]] = [
    ((4,), ([3, 0, 3],)), ((4,), ([[0, -1], [-4, 2]],)), ((3, 4), ([0, -1], [1, 2])),
    ((3, 4), ([[0], [2]], [1, -4, 3])), ((3, 4), (1, [0, 0, 3])), ((3, 4), ([2, 1], -1)),
    ((2, 3, 4), ([0, 1], 1, [[3], [0]])), ((2, 3, 4), (0, -1, [2])), ((4,), ([],)),
    ((3, 4), ([], [])), ((2, 3, 1, 2, 2), ([1, 0], 2, 0, [0, 1], -1)),
    ((2, 3, 1, 2, 2), ([[1], [0]], [2, 0, 1], 0, 1, [0, -1, 1])),
]  # fmt: skip


@cases("__getitem__", dtypes=DTYPES, rows=GATHERED)
def integer_arrays(target: Target, dtype: str, shape: tuple[int, ...], key: Any) -> None:
    host = distinct(dtype, shape)
    whole = np.broadcast_arrays(*(np.array(part, int) for part in key))
    true = np.empty(whole[0].shape, dtype)
    for place in np.ndindex(*true.shape):
        true[place] = host[tuple(int(part[place]) for part in whole)]
    given = tuple(indices(target, part) if isinstance(part, list) else part for part in key)
    x = target.array(host)
    assert_equal(target, x[given], true, given=(host, key))
    if len(key) == 1:
        assert_equal(target, x[given[0]], true, given=(host, key))


# --- assignment -----------------------------------------------------------------------------------


def assert_assigned(target: Target, host: Host, key: Any, value: Any, given: Any = "") -> None:
    """``x[key] = value`` does what it does to a NumPy array; the host value may be an array."""
    x, true = target.array(host), host.copy()
    true[key] = value
    array = isinstance(value, np.ndarray)
    x[key] = target.array(value) if array else value
    assert_equal(target, x, true, given=given or (host.shape, key, value))


def scalar(dtype: str) -> Any:
    return {"b": True, "c": 9 - 8j, "f": 99.5}.get(np.dtype(dtype).kind, 99)


@cases("__setitem__", rows=SLICED)
def every_slice_assigned(target: Target, n: int, *to_the_first: str) -> None:
    host = distinct("int32", (n,))
    for key in slices(n, bool(to_the_first)):
        count = len(host.tolist()[key])
        assert_assigned(target, host, key, 99)
        assert_assigned(target, host, key, 90 + distinct("int32", (count,)))


@cases("__setitem__", dtypes=DTYPES, rows=SHAPES)
def basic_assigned(target: Target, dtype: str, shape: tuple[int, ...]) -> None:
    host = distinct(dtype, shape)
    limit = 100 if dtype in ("int32", "float64") else 15
    for key in keys(shape, new_axes=False, limit=limit):
        assert_assigned(target, host, key, scalar(dtype))
        part = host[key]
        new = np.asarray(~part if dtype == "bool" else part + np.ones((), dtype))
        assert_assigned(target, host, key, new)  # of the same shape
        if part.ndim:
            assert_assigned(target, host, key, np.asarray(new[:1]))  # broadcast along the first
            assert_assigned(target, host, key, np.full((), scalar(dtype), dtype))


@cases("__setitem__", dtypes=DTYPES, rows=MASKED)
def mask_assigned(target: Target, dtype: str, shape: tuple[int, ...], rank: int) -> None:
    host = distinct(dtype, shape)
    for mask in masks(shape[:rank]):
        true = host.copy()
        for place in np.ndindex(*mask.shape):
            if mask[place]:
                true[place] = scalar(dtype)
        for value in (scalar(dtype), target.array(np.full((), scalar(dtype), dtype))):
            x = target.array(host)
            x[target.array(mask)] = value
            assert_equal(target, x, true, given=(host, mask))


@cases("__setitem__", dtypes=DTYPES)
def values_by_mask(target: Target, dtype: str) -> None:
    host, mask = distinct(dtype, (3, 4)), masks((3, 4))[0]
    values = host.reshape(-1)[::-1][: int(mask.sum())]
    true = host.copy()
    places = [place for place in np.ndindex(*mask.shape) if mask[place]]
    for place, value in zip(places, values, strict=True):
        true[place] = value
    x = target.array(host)
    x[target.array(mask)] = target.array(values)
    assert_equal(target, x, true, given=(host, mask, values))


@cases("__setitem__", rows=[("int32", "int8"), ("int64", "uint32"), ("float64", "float32"),
                            ("complex64", "float32"), ("complex128", "complex64")])  # fmt: skip
def narrower_values(target: Target, dtype: str, narrower: str) -> None:
    """They are promoted, and the array keeps its dtype."""
    host, values = distinct(dtype, (2, 3)), distinct(narrower, (3,)) + np.ones((), narrower)
    assert_assigned(target, host, (1, slice(None)), values)
    assert_assigned(target, host, (0, slice(None, None, -1)), values)


@cases("__setitem__", rows=[(layout,) for layout in LAYOUTS])
def assigned_to_views(target: Target, layout: str) -> None:
    host = distinct("float32", (3, 4, 5))
    for key in keys(host.shape, new_axes=False, limit=30):
        x, true = LAYOUTS[layout](target, host), host.copy()
        x[key], true[key] = -1.5, -1.5
        assert_equal(target, x, true, given=key)
    source = LAYOUTS[layout](target, host)
    x = target.array(np.zeros_like(host))
    x[...] = source
    assert_equal(target, x, host, given="x[...] = view")


# --- take -----------------------------------------------------------------------------------------


@cases("take", dtypes=DTYPES, rows=[((2, 3, 4), axis) for axis in (0, 1, 2, -1, -3)] +
       [((5,), None), ((5,), 0), ((2, 1, 3, 2, 2), 2)])  # fmt: skip
def taken(target: Target, dtype: str, shape: tuple[int, ...], axis: int | None) -> None:
    host = distinct(dtype, shape)
    n = shape[axis or 0]
    for places in ([n - 1, 0, 0], [-1, -n], []):
        moved = np.moveaxis(host, axis or 0, 0)
        true = np.moveaxis(moved[np.array(places, int)], 0, axis or 0)
        more = {} if axis is None else {"axis": axis}
        result = target.xp.take(target.array(host), indices(target, places), **more)
        assert_equal(target, result, true, given=(shape, places, axis))


@cases("take_along_axis", dtypes=DTYPES, rows=itertools.product(((3, 4), (2, 3, 4)), (0, 1, -1)))
def taken_along(target: Target, dtype: str, shape: tuple[int, ...], axis: int) -> None:
    host, place = distinct(dtype, shape), axis % len(shape)
    narrow = tuple(1 if a != place else 2 for a in range(len(shape)))  # broadcasts
    for lengths in (shape, narrow, tuple(5 if a == place else n for a, n in enumerate(shape))):
        n = shape[place]
        chosen = generator(str(lengths)).integers(-n, n, lengths)
        true = np.empty([max(a, b) if i != place else b for i, (a, b) in
                         enumerate(zip(shape, lengths, strict=True))], dtype)  # fmt: skip
        wide = np.broadcast_to(chosen, true.shape)
        for index in np.ndindex(*true.shape):
            true[index] = host[(*index[:place], wide[index], *index[place + 1 :])]
        given = target.array(chosen.astype(default_dtype(target, "indexing")))
        result = target.xp.take_along_axis(target.array(host), given, axis=axis)
        assert_equal(target, result, true, given=(shape, chosen, axis))
