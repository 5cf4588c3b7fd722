"""Drawn checks of element-wise functions and operators: broadcasting, and integers at their bounds.

A part of the topic "drawn".
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from numr_conformance.checks._draws import Draw, DrawnCases
from numr_conformance.checks._elementwise import OPERATORS, ROWS, operands, reference
from numr_conformance.checks._strategies import (
    BOOLEANS,
    Shape,
    arranged,
    basic_keys,
    broadcast_from,
    broadcasting,
    composite,
    integers,
    one_of,
    shapes,
    some,
    special,
)
from numr_conformance.checks._tools import Host, assert_equal, of_kinds
from numr_conformance.checks.elementwise import IN_PLACE, SEVERAL, compare
from numr_conformance.target import Target

cases = DrawnCases()

OPERATOR_OF = {name: key for key, name in OPERATORS.items()}


def forms(name: str) -> st.SearchStrategy[str]:
    """The function, or the operator that equals it."""
    return one_of((name, *filter(None, [OPERATOR_OF.get(name)])))


# --- shapes and layouts ---------------------------------------------------------------------------


def consecutive(draw: Draw, x: Host, shape: Shape) -> Host:
    """Elements of an array from a drawn place on, so that neighbours differ."""
    start = draw(integers(0, 59))
    return x.reshape(-1)[(start + np.arange(math.prod(shape))) % x.size].reshape(shape)


def defined(name: str, hosts: list[Host]) -> list[Host]:
    """The operands, changed so that no difference overflows and bounds are in their order."""
    if ROWS[name].domain not in ("bounds", "difference") or not all(x.size for x in hosts):
        return hosts
    first, *others, last = hosts
    lowered = [np.asarray(np.minimum(x, np.min(last))) for x in others]
    return [np.asarray(np.maximum(first, np.max(last))), *lowered, last]


def each(table: dict[str, str]) -> Any:
    def enter(body: Any) -> Any:
        for key, name in table.items():
            cases("*", dtypes=some(ROWS[name].kinds), rows=[(key,)])(body)
        return body

    return enter


@each(SEVERAL)
def broadcast(target: Target, draw: Draw, dtype: str, name: str) -> None:
    function = draw(forms(name), "by")
    lengths = draw(broadcasting(ROWS[name].arity))
    given = operands(name, dtype)
    hosts = [consecutive(draw, x, s) for x, s in zip(given, lengths, strict=True)]
    hosts = defined(name, hosts)
    arrays = [arranged(target, draw, x, f"x{i}") for i, x in enumerate(hosts, 1)]
    true = reference(name, dtype, tuple(hosts))
    compare(target, target.find(function)(*arrays), true, name, dtype, "")
    for array, host in zip(arrays, hosts, strict=True):
        assert_equal(target, array, host)  # is as it was


@each(IN_PLACE)
def in_place(target: Target, draw: Draw, dtype: str, key: str) -> None:
    """``x[k] += y`` changes the part of the array that ``k`` is about, and nothing else."""
    name = IN_PLACE[key]
    given = operands(name, dtype)
    first = consecutive(draw, given[0], draw(shapes()))
    k = draw(basic_keys(first.shape, new_axes=False), "k")
    second = consecutive(draw, given[1], draw(broadcast_from(first[k].shape)))
    first, second = defined(name, [first, second])
    x, y = arranged(target, draw, first, "x", written=True), arranged(target, draw, second, "y")
    true = first.copy()
    true[k] = reference(name, dtype, (np.asarray(first[k]), second))
    x[k] = target.find(key)(x[k], y)
    compare(target, x, true, name, dtype, "")
    assert_equal(target, y, second)


# --- integers -------------------------------------------------------------------------------------

INTEGERS = of_kinds("iu")
EXACT = (
    "add subtract multiply pow floor_divide remainder bitwise_and bitwise_or bitwise_xor "
    "bitwise_left_shift bitwise_right_shift maximum minimum equal not_equal less less_equal "
    "greater greater_equal"
).split()


def is_defined(name: str, dtype: str, x: int, y: int) -> bool:
    """Whether the standard says what the result is: a number of the dtype, for one thing."""
    info = np.iinfo(dtype)
    if name in ("floor_divide", "remainder") and y == 0:
        return False
    if name.endswith("shift") and not 0 <= y < info.bits:
        return False
    if name == "pow" and not 0 <= y < info.bits:
        return False
    function: Any = ROWS[name].reference
    return info.min <= function(x, y) <= info.max


@cache
def partners(name: str, dtype: str) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
    """For each number the second operands with which it has a defined result: all, and near ones.

    Numbers without any are left out.
    """
    numbers = special(dtype)
    if name.endswith("shift"):
        bits = np.iinfo(dtype).bits
        seconds = [0, 1, 2, bits // 2 - 1, bits // 2, bits // 2 + 1, bits - 2, bits - 1]
    else:
        seconds = numbers
    found: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    for x in numbers:
        every = tuple(y for y in seconds if is_defined(name, dtype, x, y))
        near = tuple(y for y in every if abs(x - y) <= 1)
        if every:
            found[x] = every, near or every
    return found


@composite
def pairs(draw: Any, name: str, dtype: str) -> tuple[int, int]:
    """Two operands with a defined result, often of nearly the same size."""
    known = partners(name, dtype)
    x = draw(one_of(tuple(known)))
    return x, draw(one_of(known[x][draw(BOOLEANS)]))


@cases("*", dtypes=INTEGERS, rows=[(name,) for name in EXACT], examples=40)
def whole_numbers(target: Target, draw: Draw, dtype: str, name: str) -> None:
    """At the bounds of the dtype, and near powers of two and 0."""
    function = draw(forms(name), "by")
    # A list of pairs can lose any of them when it is made smaller.
    first, second = zip(*draw(st.lists(pairs(name, dtype), min_size=1, max_size=9)), strict=True)
    hosts = (np.array(first, dtype), np.array(second, dtype))
    arrays = [arranged(target, draw, x, f"x{i}") for i, x in enumerate(hosts, 1)]
    assert_equal(target, target.find(function)(*arrays), reference(name, dtype, hosts))


@cases("*", dtypes=INTEGERS, rows=[(f,) for f in ("abs", "negative", "sign", "bitwise_invert")])
def of_an_integer(target: Target, draw: Draw, dtype: str, name: str) -> None:
    if name == "negative" and dtype.startswith("u"):
        numbers = [0]
    else:  # the minimum has no opposite
        numbers = [x for x in special(dtype) if x != np.iinfo(dtype).min or x == 0]
    host = np.array(draw(st.lists(one_of(tuple(numbers)), min_size=1, max_size=9)), dtype)
    function = draw(forms(name), "by")
    x = arranged(target, draw, host, "x")
    assert_equal(target, target.find(function)(x), reference(name, dtype, (host,)))
