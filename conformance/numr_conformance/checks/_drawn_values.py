"""Drawn checks of reductions, running sums and products.

A part of the topic "drawn".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from numr_conformance.checks import reductions
from numr_conformance.checks._draws import Draw, DrawnCases
from numr_conformance.checks._matrices import wide
from numr_conformance.checks._strategies import (
    BOOLEANS,
    Shape,
    arranged,
    axes_or_none,
    axis_of,
    axis_or_none,
    broadcast_from,
    broadcasting,
    elements,
    integers,
    permutations,
    shapes,
    some,
)
from numr_conformance.checks._tools import (
    Host,
    assert_equal,
    of_kinds,
    sum_dtype,
)
from numr_conformance.checks.linalg import matmul_of
from numr_conformance.checks.searching import index_array
from numr_conformance.target import Target

cases = DrawnCases()

REAL, NUMERIC = of_kinds("iuf"), of_kinds("iufc")


# --- reductions -----------------------------------------------------------------------------------


def reduction(target: Target, draw: Draw, dtype: str, name: str) -> None:
    """Over any axes."""
    _, reference, rule, of_nothing, ulp = reductions.ROWS[name]
    host = reductions.operand(name, dtype, draw(shapes(most=4, empty=of_nothing)))
    x = arranged(target, draw, host, "x")
    axis = draw(axes_or_none(host.ndim), "axis")
    keepdims = draw(BOOLEANS, "keepdims")
    wanted = reductions.result_dtype(target, rule, dtype)
    ulp = 0 if np.dtype(wanted).kind in "iu" else ulp
    true = reductions.reduced(reference, host, axis, keepdims, wanted)
    slack = 16 * float(np.finfo(dtype).eps) if name in ("mean", "var", "std") else 0
    result = target.find(name)(x, axis=axis, keepdims=keepdims)
    assert_equal(target, result, true, ulp=ulp, atol=slack)


for _name, (_kinds, *_) in reductions.ROWS.items():
    cases("*", dtypes=some(_kinds), rows=[(_name,)])(reduction)


@cases("*", dtypes=REAL, rows=[("argmax",), ("argmin",)])
def first_of_equals(target: Target, draw: Draw, dtype: str, name: str) -> None:
    shape = draw(shapes(1, 3, empty=False))
    host = draw(elements(dtype, shape))
    x = arranged(target, draw, host, "x")
    axis = draw(axis_or_none(len(shape)), "axis")
    keepdims = draw(BOOLEANS, "keepdims")
    choose: Any = max if name == "argmax" else min

    def place(line: list[Any]) -> int:
        return line.index(choose(line))

    true = reductions.reduced(place, host, axis, keepdims, "int64")
    result = target.find(name)(x, axis=axis, keepdims=keepdims)
    assert_equal(target, result, index_array(target, true))


@cases("*", dtypes=NUMERIC, rows=[("cumulative_sum",), ("cumulative_prod",)])
def running(target: Target, draw: Draw, dtype: str, name: str) -> None:
    step: Any = np.add if name == "cumulative_sum" else np.multiply
    host = reductions.factors(dtype, draw(shapes(1)))
    x = arranged(target, draw, host, "x")
    axis = draw(axis_of(host.ndim), "axis")
    initial = draw(BOOLEANS, "include_initial")
    wanted = sum_dtype(target, dtype)
    lines = np.moveaxis(host.astype(wanted), axis, 0)
    parts = [np.full(lines.shape[1:], name == "cumulative_prod", wanted)]
    for line in lines:
        parts.append(step(parts[-1], line))
    true = np.moveaxis(np.stack(parts)[0 if initial else 1 :], 0, axis)
    result = target.find(name)(x, axis=axis, include_initial=initial)
    assert_equal(target, result, true)


# --- products of small integers -------------------------------------------------------------------


def small(draw: Draw, dtype: str, shape: Shape) -> Host:
    """Numbers -2 to 2, or 0 to 4, of which the sums of products are exact in every dtype."""
    count = (draw(integers(0, 4)) + 2 * np.arange(math.prod(shape))) % 5
    values: Any = count if dtype[0] == "u" else count - 2
    if dtype[0] == "c":
        values = values + 1j * ((3 * values) % 5 - 2)
    return values.reshape(shape).astype(dtype)


@cases("*", dtypes=NUMERIC, rows=[("matmul",), ("__matmul__",)])
def product(target: Target, draw: Draw, dtype: str, function: str) -> None:
    """Of vectors, matrices, and stacks of them that broadcast."""
    n, k, m = (draw(integers(0, 4)) for _ in range(3))
    left, right = draw(BOOLEANS), draw(BOOLEANS)  # whether it is a vector
    whole = draw(shapes(0, 2))
    first = (k,) if left else (*draw(broadcast_from(whole)), n, k)
    second = (k,) if right else (*draw(broadcast_from(whole)), k, m)
    x, y = small(draw, dtype, first), small(draw, dtype, second)
    true = matmul_of(x.astype(wide(dtype)), y.astype(wide(dtype))).astype(dtype)
    arrays = arranged(target, draw, x, "x1"), arranged(target, draw, y, "x2")
    assert_equal(target, target.find(function)(*arrays), true)


@cases("vecdot", dtypes=NUMERIC)
def vecdot(target: Target, draw: Draw, dtype: str) -> None:
    n = draw(integers(0, 4))
    first, second = draw(broadcasting(2))
    # The last axes are common to both, and all before them broadcast.
    axis = draw(integers(-min(len(first), len(second), 2) - 1, -1), "axis")
    lengths = [(*s[: len(s) + axis + 1], n, *s[len(s) + axis + 1 :]) for s in (first, second)]
    x, y = (small(draw, dtype, s) for s in lengths)
    terms = np.conj(x.astype(wide(dtype))) * y.astype(wide(dtype))
    true = np.sum(terms, axis=axis, dtype=terms.dtype).astype(dtype)
    arrays = arranged(target, draw, x, "x1"), arranged(target, draw, y, "x2")
    assert_equal(target, target.xp.vecdot(*arrays, axis=axis), true)


@cases("tensordot", dtypes=NUMERIC)
def tensordot(target: Target, draw: Draw, dtype: str) -> None:
    """Over a number of axes, or over axes that are named in any order."""
    common = draw(shapes(0, 2))
    before, after = draw(shapes(0, 2)), draw(shapes(0, 2))
    count = len(common)
    x, y = small(draw, dtype, before + common), small(draw, dtype, common + after)
    inner = math.prod(common)
    flat = x.reshape(math.prod(before), inner), y.reshape(inner, math.prod(after))
    true = matmul_of(*(part.astype(wide(dtype)) for part in flat)).astype(dtype)
    true = true.reshape(before + after)
    axes: Any = count
    if draw(BOOLEANS):
        left, right = draw(permutations(range(x.ndim))), draw(permutations(range(y.ndim)))
        x, y = x.transpose(left), y.transpose(right)
        kept = [a for a in left if a < len(before)]
        true = true.transpose(kept + [len(before) + a - count for a in right if a >= count])
        pairs = draw(permutations(range(count)))
        axes = (
            tuple(left.index(len(before) + i) for i in pairs),
            tuple(right.index(i) - y.ndim for i in pairs),
        )
    draw.tell("axes", axes)
    arrays = arranged(target, draw, x, "x1"), arranged(target, draw, y, "x2")
    assert_equal(target, target.xp.tensordot(*arrays, axes=axes), true)
