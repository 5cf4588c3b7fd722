"""Padding in all modes and dtypes, and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from numr_conformance.checks._tools import Cases, assert_raises, assert_true, numbers
from numr_conformance.extension_checks._tools import (
    FLOATS,
    array,
    function_of,
    host,
    numbers as held,
    require_equal,
    require_units,
)
from numr_conformance.target import DTYPES, Target

cases = Cases("extensions.padding", "padding")
checks = cases.checks

MODES = ("constant", "reflect", "edge", "symmetric", "wrap")
WIDTHS = (((0, 0), (2, 3)), ((1, 0), (0, 0)), ((3, 2), (4, 4)))


@cases("pad", dtypes=DTYPES, rows=[(mode, widths) for mode in MODES for widths in WIDTHS])
def as_numpy_pads(target: Target, dtype: str, mode: str, widths: Any) -> None:
    x = numbers(dtype, (5, 6))
    found = function_of(target, "pad")(target.array(x), widths, mode=mode)
    expected = np.pad(x, widths, mode=mode)
    same = np.array_equal(target.host(found), expected)
    assert_true(same, "other elements", given=x, expected=expected, actual=target.host(found))


@cases("pad", dtypes=FLOATS, rows=[(mode,) for mode in MODES])
def of_every_float(target: Target, dtype: str, mode: str) -> None:
    x = held(dtype, (7, 9))
    found = function_of(target, "pad")(array(target, x, dtype), ((2, 1), (3, 0)), mode=mode)
    require_equal(host(target, found, dtype), np.pad(x, ((2, 1), (3, 0)), mode=mode))


@cases("pad", rows=[(mode,) for mode in MODES])
def of_views(target: Target, mode: str) -> None:
    x = numbers("float32", (6, 8))
    view = target.array(x)[::-1, ::2]
    found = target.host(function_of(target, "pad")(view, ((1, 2), (2, 1)), mode=mode))
    require_equal(found, np.pad(x[::-1, ::2], ((1, 2), (2, 1)), mode=mode))


@cases("pad_mode", rows=[(mode,) for mode in MODES])
def the_last_axis_comes_first(target: Target, mode: str) -> None:
    x = numbers("float32", (3, 4, 5))
    found = function_of(target, "pad_mode")(target.array(x), (1, 2, 0, 3), mode=mode)
    require_equal(target.host(found), np.pad(x, ((0, 0), (0, 3), (1, 2)), mode=mode))


@cases("pad_mode")
def a_value_and_negative_widths(target: Target) -> None:
    x = numbers("float32", (3, 4))
    found = function_of(target, "pad_mode")(target.array(x), (-1, 2, 1, -1), value=2.5)
    expected = np.pad(x[:2, 1:], ((1, 0), (0, 2)), constant_values=2.5)
    require_equal(target.host(found), expected)


@cases("pad_mode", rows=[("reflect", (3, 0)), ("symmetric", (4, 0)), ("wrap", (0, 4)),
                         ("reflect", (-1, 0)), ("constant", (1,)), ("constant", (1,) * 6),
                         ("edge", (0, -1)), ("other", (1, 1))])  # fmt: skip
def wrong_widths_are_refused(target: Target, mode: str, padding: Any) -> None:
    x = target.array(np.ones((2, 3), np.float32))
    call = function_of(target, "pad_mode")
    assert_raises(lambda: call(x, padding, mode=mode), ValueError, f"{mode}, {padding}")


@cases("pad_mode_backward", dtypes=FLOATS, rows=[(mode,) for mode in MODES])
def is_the_adjoint(target: Target, dtype: str, mode: str) -> None:
    """Each element's gradient is the sum of those of its copies, rounded once."""
    shape, padding = (4, 5), (3, 2, 1, 3)
    places = np.pad(np.arange(20).reshape(shape), ((1, 3), (3, 2)), mode=mode)
    if mode == "constant":
        places = np.pad(np.arange(20).reshape(shape), ((1, 3), (3, 2)), constant_values=20)
    grad = held(dtype, places.shape, seed=1)
    true = np.zeros(21, np.longdouble)
    np.add.at(true, places.reshape(-1), grad.reshape(-1))
    size = np.zeros(21)
    np.add.at(size, places.reshape(-1), np.abs(grad).reshape(-1))
    call = function_of(target, "pad_mode_backward")
    found = host(target, call(array(target, grad, dtype), padding, mode=mode, shape=shape), dtype)
    most = 0.51 if dtype in FLOATS[:2] else 2.0
    scale = None if dtype in FLOATS[:2] else size[:20].reshape(shape)
    require_units(found, true[:20].reshape(shape), dtype, most, scale=scale)


@cases("pad")
def empty_axes(target: Target) -> None:
    call, empty = function_of(target, "pad"), target.array(np.ones((0, 3), np.float32))
    found = target.host(call(empty, ((1, 1), (0, 0)), value=1.0))
    require_equal(found, np.ones((2, 3)))
    assert_raises(lambda: call(empty, ((1, 1), (0, 0)), mode="edge"), ValueError, "an empty axis")
