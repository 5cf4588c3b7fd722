"""Sorting, searching and sets: against Python's own on lists."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from numr_conformance.check import Check
from numr_conformance.checks._sets import cases as sets
from numr_conformance.checks._subnormals import cases as subnormals
from numr_conformance.checks._tools import (
    LAYOUTS,
    Cases,
    Host,
    assert_equal,
    assert_true,
    default_dtype,
    generator,
    indices,
    numbers,
    of_kinds,
)
from numr_conformance.target import DTYPES, Target

cases = Cases("searching")


def checks(target: Target) -> Iterator[Check]:
    """Those of this module, then those of sets and of subnormal numbers."""
    return itertools.chain(cases.checks(target), sets.checks(target), subnormals.checks(target))


REAL, FLOATS = of_kinds("iuf"), of_kinds("f")
SHAPES = [(60,), (7, 5), (2, 3, 4), (2, 0, 3), (1,)]


def index_array(target: Target, values: Any) -> Host:
    return np.array(values, dtype=default_dtype(target, "indexing"))


# --- sorting --------------------------------------------------------------------------------------

SORTS = list(itertools.product(SHAPES, (False, True), (True, False)))


def keywords(descending: bool, stable: bool = True) -> dict[str, bool]:
    """Without the defaults, so that a missing keyword fails only what is about it."""
    return ({"descending": True} if descending else {}) | ({} if stable else {"stable": False})


def order_of(host: Host, axis: int, descending: bool) -> Host:
    """Along each line the places of its sorted elements, equal ones in their order."""
    moved = np.moveaxis(host, axis, -1)
    out = np.empty(moved.shape, np.int64)
    for place in np.ndindex(*moved.shape[:-1]):
        line = moved[place].tolist()
        # Python's sort is stable also in reverse.
        out[place] = sorted(range(len(line)), key=line.__getitem__, reverse=descending)
    return np.moveaxis(out, -1, axis)


@cases("sort", dtypes=REAL, rows=SORTS)
def sorted_along_every_axis(
    target: Target, dtype: str, shape: tuple[int, ...], descending: bool, stable: bool
) -> None:
    host = numbers(dtype, shape)
    for axis in range(-len(shape), len(shape)):
        order = order_of(host, axis, descending)
        true = np.take_along_axis(host, order, axis)
        result = target.xp.sort(target.array(host), axis=axis, **keywords(descending, stable))
        assert_equal(target, result, true, given=(shape, axis))


@cases("argsort", dtypes=REAL, rows=SORTS)
def places_along_every_axis(
    target: Target, dtype: str, shape: tuple[int, ...], descending: bool, stable: bool
) -> None:
    """Equal elements keep their order in both directions, if that is asked for."""
    host = numbers(dtype, shape)
    for axis in range(-len(shape), len(shape)):
        true = index_array(target, order_of(host, axis, descending))
        result = target.xp.argsort(target.array(host), axis=axis, **keywords(descending, stable))
        if not stable:  # any order of equal elements, but each place once
            found = target.host(result)
            assert_true(found.shape == true.shape, "wrong shape", actual=found.shape)
            places = np.sort(found, axis)
            right = np.array_equal(places, np.sort(true, axis)) and np.array_equal(
                np.take_along_axis(host, found, axis), np.take_along_axis(host, true, axis)
            )
            assert_true(right, "does not sort", given=host, expected=true, actual=found)
        else:
            assert_equal(target, result, true, given=(shape, axis))


@cases("*", dtypes=REAL,
       rows=[(f, layout) for f in ("sort", "argsort") for layout in LAYOUTS])  # fmt: skip
def layouts(target: Target, dtype: str, function: str, layout: str) -> None:
    host = numbers(dtype, (4, 3, 5), layout)
    for axis in range(3):
        order = order_of(host, axis, False)
        true = index_array(target, order) if function == "argsort" else np.take_along_axis(
            host, order, axis)  # fmt: skip
        result = target.find(function)(LAYOUTS[layout](target, host), axis=axis)
        assert_equal(target, result, true, given=(layout, axis))


@cases("argsort", dtypes=REAL, rows=itertools.product((300, 5000), (False, True)))
def stable_for_many_equal_elements(
    target: Target, dtype: str, count: int, descending: bool
) -> None:
    host = numbers(dtype, (count,), "stable")
    true = index_array(target, order_of(host, 0, descending))
    result = target.xp.argsort(target.array(host), **keywords(descending))
    assert_equal(target, result, true)


@cases("sort", dtypes=("int64", "uint64"))
def extremes(target: Target, dtype: str) -> None:
    """Which a key of double precision, or a negation, would confuse."""
    top, low = int(np.iinfo(dtype).max), int(np.iinfo(dtype).min)
    values = [top, low, top - 1, low + 1, 2**53 + 1, 2**53, 0, top]
    for descending in (False, True):
        true = np.array(sorted(values, reverse=descending), dtype)
        result = target.xp.sort(target.array(np.array(values, dtype)), **keywords(descending))
        assert_equal(target, result, true, given=values)


@cases("*", dtypes=FLOATS, rows=itertools.product(("sort", "argsort"), (False, True)))
def infinities_are_in_order(target: Target, dtype: str, function: str, descending: bool) -> None:
    host = np.array([1, math.inf, -2, -math.inf, 0, math.inf], dtype)
    order = order_of(host, 0, descending)
    result = target.find(function)(target.array(host), **keywords(descending))
    true = host[order] if function == "sort" else index_array(target, order)
    assert_equal(target, result, true, given=host)


@cases("sort", dtypes=FLOATS)
def nan_is_kept(target: Target, dtype: str) -> None:
    """Where NaN goes is the library's choice, but the other elements are in order."""
    host = np.array([2, math.nan, -1, math.nan, 5, 0], dtype)
    for descending in (False, True):
        found = target.host(target.xp.sort(target.array(host), **keywords(descending)))
        kept = found[~np.isnan(found)].tolist()
        true = sorted([2, -1, 5, 0], reverse=descending)
        assert_true(kept == true, "others out of order", given=host, expected=true, actual=found)
        order = target.host(target.xp.argsort(target.array(host), **keywords(descending)))
        assert_equal(target, target.array(host[order]), found, given="argsort and sort disagree")


# --- searching ------------------------------------------------------------------------------------


@cases("*", dtypes=REAL, rows=[(f, s) for f in ("argmax", "argmin") for s in
                               ((5,), (3, 4), (2, 3, 4), (2, 1, 3, 2, 2))])  # fmt: skip
def first_of_equals(target: Target, dtype: str, function: str, shape: tuple[int, ...]) -> None:
    choose = max if function == "argmax" else min
    host = numbers(dtype, shape, function)
    for axis, keepdims in itertools.product((None, *range(-len(shape), len(shape))), (False, True)):
        moved = host.reshape(-1) if axis is None else np.moveaxis(host, axis, -1)
        true = np.empty(moved.shape[:-1], np.int64)
        for place in np.ndindex(*true.shape):
            line = moved[place].tolist()
            true[place] = line.index(choose(line))
        if keepdims:
            true = true.reshape((1,) * len(shape)) if axis is None else np.expand_dims(true, axis)
        result = target.find(function)(target.array(host), axis=axis, keepdims=keepdims)
        assert_equal(target, result, index_array(target, true), given=(host, axis, keepdims))


@cases("searchsorted", dtypes=REAL, rows=itertools.product(("left", "right"), (False, True)))
def bisection(target: Target, dtype: str, side: str, sorter: bool) -> None:
    find = bisect.bisect_left if side == "left" else bisect.bisect_right
    host = numbers(dtype, (40,))
    order = order_of(host, 0, False)
    ordered = host[order].tolist()
    for shape in [(3, 5), (), (0,), (7,)]:
        wanted = (numbers(dtype, shape, "wanted") * np.asarray(2, dtype)).astype(dtype)
        true = [find(ordered, v) for v in wanted.reshape(-1).tolist()]
        x1 = target.array(host if sorter else host[order])
        more = {"sorter": indices(target, order)} if sorter else {}
        result = target.xp.searchsorted(x1, target.array(wanted), side=side, **more)
        true_array = index_array(target, true).reshape(shape)
        assert_equal(target, result, true_array, given=(ordered, wanted))


@cases("searchsorted", dtypes=REAL)
def scalar_wanted(target: Target, dtype: str) -> None:
    values = [0, 1, 1, 3, 7]
    x1 = target.array(np.array(values, dtype))
    for wanted in (0, 1, 2, 9):
        true = index_array(target, bisect.bisect_left(values, wanted))
        scalar = float(wanted) if dtype[0] == "f" else wanted
        assert_equal(target, target.xp.searchsorted(x1, scalar), true, given=(values, wanted))


@cases("nonzero", dtypes=DTYPES, rows=[(s,) for s in ((6,), (3, 4), (2, 3, 4), (0,), (2, 0, 3))])
def places_in_row_major_order(target: Target, dtype: str, shape: tuple[int, ...]) -> None:
    host = numbers(dtype, shape, "nonzero")
    true = [place for place in np.ndindex(*shape) if host[place] != 0]
    for layout, make in LAYOUTS.items():
        if 0 in shape and layout != "contiguous":
            continue
        found = target.xp.nonzero(make(target, host))
        assert_true(isinstance(found, tuple), "no tuple", actual=type(found))
        assert_true(len(found) == len(shape), "wrong number of arrays", actual=len(found))
        for axis, part in enumerate(found):
            column = index_array(target, [place[axis] for place in true])
            assert_equal(target, part, column, given=(layout, host, axis))


@cases("*", dtypes=of_kinds("fc"), rows=[("nonzero",), ("count_nonzero",)])
def what_is_zero(target: Target, dtype: str, function: str) -> None:
    values = [0.0, -0.0, math.nan, 1e-30, math.inf] + [1j, -0j] * (dtype[0] == "c")
    true = [i for i, v in enumerate(values) if v != 0]
    found = target.find(function)(target.array(np.array(values, dtype)))
    if function == "nonzero":
        assert_equal(target, found[0], index_array(target, true), given=values)
    else:
        assert_equal(target, found, index_array(target, len(true)), given=values)


@cases("where", dtypes=DTYPES)
def chosen(target: Target, dtype: str) -> None:
    first, second = numbers(dtype, (3, 4)), numbers(dtype, (3, 4), "other")
    condition = generator("where").random((3, 4)) < 0.5
    for c, x, y in [(condition, first, second), (condition[0], first, second[:, :1]),
                    (condition[:, :1], first[0], second), (condition[0, 0], first, second[0, 0]),
                    (condition[:0], first[0], second[0])]:  # fmt: skip
        true = np.empty(np.broadcast_shapes(c.shape, x.shape, y.shape), dtype)
        wide = [np.broadcast_to(part, true.shape) for part in (c, x, y)]
        for place in np.ndindex(*true.shape):
            true[place] = wide[1 if wide[0][place] else 2][place]
        for make in LAYOUTS.values():
            arrays = [(Target.array if 0 in p.shape else make)(target, p) for p in (c, x, y)]
            assert_equal(target, target.xp.where(*arrays), true, given=(c.shape, x.shape, y.shape))


@cases("where", dtypes=DTYPES)
def scalar_choices(target: Target, dtype: str) -> None:
    host, condition = numbers(dtype, (4,)), np.array([True, False, False, True])
    x, c, one = target.array(host), target.array(condition), np.ones((), dtype).item()
    true = np.where(condition, host, np.ones(4, dtype))
    assert_equal(target, target.xp.where(c, x, one), true, given="where(c, x, 1)")
    assert_equal(target, target.xp.where(target.array(~condition), one, x), true)
