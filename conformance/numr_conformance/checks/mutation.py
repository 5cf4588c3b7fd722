"""What is written to and what is not: inputs, copies, in-place operators, overlapping views."""

from __future__ import annotations

import array
from typing import Any

import numpy as np

from numr_conformance.check import Recorded, Unsupported
from numr_conformance.checks._battery import CALLS
from numr_conformance.checks._elementwise import ROWS, operands
from numr_conformance.checks._tools import (
    Cases,
    assert_equal,
    assert_raises,
    assert_true,
    device_keyword,
    distinct,
    numbers,
    of_kinds,
)
from numr_conformance.checks.elementwise import IN_PLACE
from numr_conformance.target import DTYPES, Target

cases = Cases("mutation")
checks = cases.checks


@cases("*", rows=[(name,) for name in CALLS])
def inputs_stay(target: Target, name: str) -> None:
    call = CALLS[name]
    arrays = call.arrays(target)
    call(target, arrays)
    for x, host in zip(arrays, call.hosts, strict=True):
        assert_equal(target, x, host, given=name)


# --- copies ---------------------------------------------------------------------------------------

COPIES = {
    "asarray": lambda t, x: t.xp.asarray(x, copy=True),
    "astype": lambda t, x: t.xp.astype(x, x.dtype),
    "reshape": lambda t, x: t.xp.reshape(x, (3, 2), copy=True),
    "from_dlpack": lambda t, x: t.xp.from_dlpack(x, copy=True),
}
VIEWS = {
    "asarray": lambda t, x: t.xp.asarray(x, copy=False),
    "astype": lambda t, x: t.xp.astype(x, x.dtype, copy=False),
    "reshape": lambda t, x: t.xp.reshape(x, (3, 2), copy=False),
}


def opposite(dtype: str) -> Any:
    """A number that ``distinct`` does not begin with."""
    return {"b": True, "f": 9.0, "c": 9.0}.get(np.dtype(dtype).kind, 9)


@cases("*", dtypes=DTYPES, rows=[(name,) for name in COPIES])
def a_copy_is_independent(target: Target, dtype: str, name: str) -> None:
    """Of a whole array and of a part, writing either way."""
    host = distinct(dtype, (4, 3))
    for part in (slice(0, 2), slice(None, None, 2)):
        x = target.array(host)
        copy = COPIES[name](target, x[part, :])
        copy[...] = opposite(dtype)
        assert_equal(target, x, host, given="the copy is written to")
        copy = COPIES[name](target, x[part, :])
        x[...] = opposite(dtype)
        true = host[part].reshape(copy.shape)
        assert_equal(target, copy, true, given="the array is written to")


@cases("*", dtypes=DTYPES, rows=[(name,) for name in VIEWS])
def no_copy_shares_or_raises(target: Target, dtype: str, name: str) -> None:
    host = distinct(dtype, (2, 3))
    x = target.array(host)
    try:
        view = VIEWS[name](target, x)
    except (ValueError, NotImplementedError) as error:
        raise Recorded(f"refused: {type(error).__name__}") from None
    view[...] = opposite(dtype)
    assert_equal(target, x, np.full((2, 3), opposite(dtype), dtype), given="copy=False")


@cases("reshape", rows=[(None,), (False,)])
def reshape_of_a_view_that_needs_a_copy(target: Target, copy: bool | None) -> None:
    """A transposed matrix has no flat view where arrays have strides."""
    host = distinct("float32", (2, 3))
    x = target.xp.permute_dims(target.array(host), (1, 0))
    if copy is None:
        assert_equal(target, target.xp.reshape(x, (6,)), host.T.reshape(-1))
        return
    try:
        view = target.xp.reshape(x, (6,), copy=False)
    except Exception as error:  # a ValueError "should" be raised
        raise Recorded(f"refused: {type(error).__name__}") from None
    x[...] = 9.0
    assert_equal(target, view, np.full(6, 9, "float32"), given="copy=False was accepted")


@cases("asarray", rows=[(True,), (False,)])
def buffer(target: Target, copy: bool) -> None:
    given = array.array("f", [1.0, 2.0])
    try:
        x = target.xp.asarray(given, copy=copy, **device_keyword(target))
    except ValueError:
        assert_true(not copy, "refuses to copy", given="copy=True")
        return
    given[0] = 9.0
    true = np.array([1 if copy else 9, 2], "float32")
    assert_equal(target, x, true, given=f"copy={copy}")


@cases("asarray")
def buffer_of_another_dtype_is_refused_without_a_copy(target: Target) -> None:
    given = array.array("f", [1.0, 2.0])
    dtype = target.dtype("complex64")
    keywords = {"dtype": dtype, "copy": False, **device_keyword(target)}
    assert_raises(lambda: target.xp.asarray(given, **keywords), ValueError, "copy=False")


CASTS = [(a, b) for a in DTYPES for b in DTYPES if not (a[0] == "c" and b[0] in "iuf")]


@cases("astype", rows=CASTS)
def cast(target: Target, source: str, dtype: str) -> None:
    """Values that both dtypes have; to booleans, whether it is not zero."""
    host = abs(distinct(source, (2, 3))) if source[0] != "b" else distinct(source, (2, 3))
    host = host.astype(source)
    true = host != 0 if dtype == "bool" else host.astype(dtype)
    for copy in (True, False):
        result = target.xp.astype(target.array(host), target.dtype(dtype), copy=copy)
        assert_equal(target, result, true, given=(source, copy))


@cases("astype", dtypes=of_kinds("i"), rows=[(d,) for d in of_kinds("f")])  # fmt: skip
def cast_truncates(target: Target, dtype: str, source: str) -> None:
    """Towards zero."""
    host = np.array([1.75, -1.75, 0.5, -0.5, 2.0], source)
    result = target.xp.astype(target.array(host), target.dtype(dtype))
    assert_equal(target, result, np.array([1, -1, 0, 0, 2], dtype), given=host)


# --- in-place operators ---------------------------------------------------------------------------


def each_operator(body: Any) -> Any:
    for key, name in IN_PLACE.items():
        cases("*", dtypes=of_kinds(ROWS[name].kinds), rows=[(key,)])(body)
    return body


@each_operator
def in_place_keeps_the_array(target: Target, dtype: str, key: str) -> None:
    """Its dtype, its shape, and, if the library can write to arrays, its identity."""
    name = IN_PLACE[key]
    first, second = operands(name, dtype)
    x, y = target.array(first), target.array(second)
    same, function = x, target.find(key)
    true = target.host(target.find(name)(x, y))
    x = function(x, y)
    assert_equal(target, x, true, given=key)
    assert_equal(target, y, second, given="the second operand")
    if x is not same:
        raise Recorded("a new array")


@each_operator
def in_place_of_a_part(target: Target, dtype: str, key: str) -> None:
    """``x[1, ...] += y`` writes to the array, by assignment if not by the view."""
    name = IN_PLACE[key]
    first, second = operands(name, dtype)
    x, y = target.array(first), target.array(second)
    true = first.copy()
    true[1] = target.host(target.find(name)(x[1, ...], y[1, ...]))
    x[1, ...] = target.find(key)(x[1, ...], y[1, ...])
    assert_equal(target, x, true, given=key)


@cases("__iadd__", dtypes=("int8", "float32", "complex64"))
def in_place_never_widens(target: Target, dtype: str) -> None:
    """By an array of a wider dtype it raises, or the array keeps its dtype."""
    wider = {"int8": "int32", "float32": "float64", "complex64": "complex128"}[dtype]
    x, y = target.array(distinct(dtype, (3,))), target.array(distinct(wider, (3,)))
    try:
        x += y
    except Exception as error:
        raise Recorded(f"refused: {type(error).__name__}") from None
    name = target.dtype_name(x)
    assert_true(name == dtype, "the dtype changed", given=wider, expected=dtype, actual=name)
    raise Recorded("accepted")


OVERLAPS = {
    "later": (slice(1, None), slice(None, -1)),
    "earlier": (slice(None, -1), slice(1, None)),
    "reversed": (slice(None), slice(None, None, -1)),
}


@cases("__setitem__", dtypes=("int32", "float32", "complex64"), rows=[
    (name, shape) for name in OVERLAPS for shape in ((7,), (1000,), (9, 3))])  # fmt: skip
def overlapping_parts(target: Target, dtype: str, name: str, shape: tuple[int, ...]) -> None:
    """Read as a whole before they are written."""
    host = distinct(dtype, shape)
    to, source = ((part, *[slice(None)] * (len(shape) - 1)) for part in OVERLAPS[name])
    true = host.copy()
    true[to] = host[source].copy()
    x = target.array(host)
    x[to] = x[source]
    assert_equal(target, x, true, given=name)
    x = target.array(host)
    x[to] += x[source]
    true = host.copy()
    true[to] = host[to] + host[source]
    assert_equal(target, x, true, given=f"{name}, +=")


@cases("__iter__", dtypes=("int32", "float32"))
def iteration(target: Target, dtype: str) -> None:
    """Not in the standard; where there is one, it gives the elements, also of a changing array."""
    host = numbers(dtype, (5,))
    x = target.array(host)
    if not hasattr(x, "__iter__"):
        raise Unsupported("no iteration")
    found = []
    for i, element in enumerate(x):
        found.append(target.host(element).item())
        x[i] = 0
    right = found == host.tolist()
    assert_true(right, "wrong elements", given=host, expected=host.tolist(), actual=found)
