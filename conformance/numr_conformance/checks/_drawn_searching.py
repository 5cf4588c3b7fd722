"""Drawn checks of sorting, searching, sets and creation.

A part of the topic "drawn".
"""

from __future__ import annotations

import bisect
import math
from fractions import Fraction
from typing import Any

import numpy as np

from numr_conformance.checks._draws import Draw, DrawnCases
from numr_conformance.checks._sets import FIELDS, assert_consistent, fields
from numr_conformance.checks._strategies import (
    BOOLEANS,
    arranged,
    axis_of,
    elements,
    integers,
    moved,
    one_of,
    places,
    shapes,
)
from numr_conformance.checks._tools import (
    assert_equal,
    assert_true,
    distinct,
    indices,
    of_kinds,
)
from numr_conformance.checks.creation import keywords
from numr_conformance.checks.searching import index_array, order_of
from numr_conformance.target import DTYPES, Target

cases = DrawnCases()

REAL, NUMERIC = of_kinds("iuf"), of_kinds("iufc")


# --- sorting, searching, sets ---------------------------------------------------------------------


@cases("*", dtypes=REAL, rows=[(f, down) for f in ("sort", "argsort") for down in (False, True)])
def in_order(target: Target, draw: Draw, dtype: str, function: str, descending: bool) -> None:
    """Among them infinities and the bounds of the dtype; equal elements keep their order."""
    host = draw(elements(dtype, draw(shapes(1, 3))))
    x = arranged(target, draw, host, "x")
    axis = draw(axis_of(host.ndim), "axis")
    order = order_of(host, axis, descending)
    true = np.take_along_axis(host, order, axis) if function == "sort" else (
        index_array(target, order))  # fmt: skip
    # Without the default, so that a missing keyword fails only what is about it.
    more = {"descending": True} if descending else {}
    result = target.find(function)(x, axis=axis, **more)
    assert_equal(target, result, true)


@cases("searchsorted", dtypes=REAL)
def searchsorted(target: Target, draw: Draw, dtype: str) -> None:
    host = draw(elements(dtype, (draw(integers(0, 9)),)))
    wanted = draw(elements(dtype, draw(shapes(0, 3))))
    side = draw(one_of(("left", "right")), "side")
    order = order_of(host, 0, False)
    find = bisect.bisect_left if side == "left" else bisect.bisect_right
    true = [find(host[order].tolist(), value) for value in wanted.reshape(-1).tolist()]
    x2 = arranged(target, draw, wanted, "x2")
    if draw(BOOLEANS):
        draw.tell("sorter", order)
        given, more = host, {"sorter": indices(target, order)}
    else:
        given, more = host[order], {}
    x1 = arranged(target, draw, given, "x1")
    result = target.xp.searchsorted(x1, x2, side=side, **more)
    assert_equal(target, result, index_array(target, true).reshape(wanted.shape))


@cases("*", dtypes=DTYPES, rows=[(f,) for f in FIELDS])
def unique(target: Target, draw: Draw, dtype: str, function: str) -> None:
    host = draw(elements(dtype, draw(shapes(0, 3))))
    found = fields(target, function, arranged(target, draw, host, "x"))
    assert_consistent(found, host, "")


@cases("isin", dtypes=of_kinds("iu"))
def isin(target: Target, draw: Draw, dtype: str) -> None:
    host, among = (draw(elements(dtype, draw(shapes(0, 3)))) for _ in range(2))
    invert = draw(BOOLEANS, "invert")
    listed = set(among.reshape(-1).tolist())
    true = np.array([(v in listed) is not invert for v in host.reshape(-1).tolist()], bool)
    arrays = arranged(target, draw, host, "x1"), arranged(target, draw, among, "x2")
    assert_equal(target, target.xp.isin(*arrays, invert=invert), true.reshape(host.shape))


@cases("nonzero", dtypes=DTYPES)
def nonzero(target: Target, draw: Draw, dtype: str) -> None:
    host = draw(elements(dtype, draw(shapes(1, 4))))
    true = [place for place in np.ndindex(*host.shape) if host[place] != 0]
    found = target.xp.nonzero(arranged(target, draw, host, "x"))
    assert_true(len(found) == host.ndim, "wrong number", expected=host.ndim, actual=len(found))
    for axis, part in enumerate(found):
        assert_equal(target, part, index_array(target, [place[axis] for place in true]))


@cases("take", dtypes=DTYPES)
def take(target: Target, draw: Draw, dtype: str) -> None:
    x, host = moved(target, draw, dtype, draw(shapes(1, empty=False)))
    axis = draw(axis_of(host.ndim), "axis")
    chosen = draw(places(host.shape[axis], (draw(integers(0, 5)),)))
    draw.tell("indices", chosen)
    lines = np.moveaxis(host, axis, 0)
    true = np.moveaxis(lines[chosen], 0, axis)
    assert_equal(target, target.xp.take(x, indices(target, chosen), axis=axis), true)


@cases("take_along_axis", dtypes=DTYPES)
def take_along_axis(target: Target, draw: Draw, dtype: str) -> None:
    x, host = moved(target, draw, dtype, draw(shapes(1, 4, empty=False)))
    axis = draw(axis_of(host.ndim), "axis")
    place = axis % host.ndim
    lengths = [1 if draw(integers(0, 2)) == 2 else n for n in host.shape]
    lengths[place] = draw(integers(0, 4))
    chosen = draw(places(host.shape[place], tuple(lengths)))
    whole = list(host.shape)
    whole[place] = lengths[place]
    true, spread = np.empty(whole, dtype), np.broadcast_to(chosen, whole)
    for index in np.ndindex(*whole):
        true[index] = host[(*index[:place], spread[index], *index[place + 1 :])]
    given = arranged(target, draw, index_array(target, chosen), "indices")
    assert_equal(target, target.xp.take_along_axis(x, given, axis=axis), true)


# --- creation -------------------------------------------------------------------------------------


@cases("arange", dtypes=REAL)
def arange(target: Target, draw: Draw, dtype: str) -> None:
    """In whole steps or, of floating-point numbers, in quarters, which are exact."""
    unit = Fraction(1, draw(one_of((1, 4))) if dtype[0] == "f" else 1)
    signed = dtype[0] != "u"
    given = [draw(integers(-20 if signed else 0, 20)) * unit for _ in range(2)]
    step = draw(integers(1, 9)) * unit * (-1 if signed and draw(BOOLEANS) else 1)
    form = draw(integers(1, 3))
    given = [given[:1], given, [*given, step]][form - 1]
    start, stop, step = ([Fraction(0), *given] if form == 1 else given)[:2] + (
        [step] if form == 3 else [Fraction(1)])  # fmt: skip
    number: Any = int if unit == 1 else float
    arguments = tuple(map(number, given))
    draw.tell("arguments", arguments)
    count = max(0, math.ceil((stop - start) / step))
    true = np.array([number(start + i * step) for i in range(count)], dtype)
    assert_equal(target, target.xp.arange(*arguments, **keywords(target, dtype)), true)


@cases("linspace", dtypes=of_kinds("f"))
def linspace(target: Target, draw: Draw, dtype: str) -> None:
    start, stop = (draw(integers(-40, 40)) / 4 for _ in range(2))
    count = draw(integers(0, 20), "num")
    end = draw(BOOLEANS, "endpoint")
    draw.tell("start", start)
    draw.tell("stop", stop)
    step = Fraction(stop - start) / max(1, count - end)
    true = np.array([float(Fraction(start) + i * step) for i in range(count)])
    slack = 4 * float(np.finfo(dtype).eps) * max(abs(start), abs(stop))
    result = target.xp.linspace(start, stop, count, endpoint=end, **keywords(target, dtype))
    assert_equal(target, result, true, dtype=dtype, atol=slack)


@cases("eye", dtypes=DTYPES)
def eye(target: Target, draw: Draw, dtype: str) -> None:
    n, m, k = (draw(integers(*b), name) for b, name in
               (((0, 6), "n_rows"), ((0, 6), "n_cols"), ((-8, 8), "k")))  # fmt: skip
    true = np.array([[j - i == k for j in range(m)] for i in range(n)], bool).reshape(n, m)
    result = target.xp.eye(n, m, k=k, **keywords(target, dtype))
    assert_equal(target, result, true.astype(dtype))


@cases("*", dtypes=DTYPES, rows=[("tril",), ("triu",)])
def triangle(target: Target, draw: Draw, dtype: str, function: str) -> None:
    x, host = moved(target, draw, dtype, draw(shapes(2)))
    k = draw(integers(-6, 6), "k")
    true = host.copy()
    for place in np.ndindex(*host.shape):
        offset = place[-1] - place[-2]
        if offset > k if function == "tril" else offset < k:
            true[place] = 0
    assert_equal(target, target.find(function)(x, k=k), true)


@cases("full", dtypes=DTYPES)
def full(target: Target, draw: Draw, dtype: str) -> None:
    shape = draw(shapes(), "shape")
    value = draw(elements(dtype, ())).item()
    draw.tell("fill_value", value)
    true = np.full(shape, value, dtype)
    assert_equal(target, target.xp.full(shape, value, **keywords(target, dtype)), true)
    other = target.array(distinct("int8", shape))
    result = target.xp.full_like(other, value, dtype=target.dtype(dtype))
    assert_equal(target, result, true)
