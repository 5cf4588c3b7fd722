"""Faults that show in rare combinations only: no fixed row has one, but drawn inputs do."""

from __future__ import annotations

from typing import Any

import numpy as np
from faulty import fault, host

import numr_api as xp

# --- keys -----------------------------------------------------------------------------------------


def _without_thirds(part: Any) -> Any:
    third = isinstance(part, slice) and part.step == -3
    return slice(part.start, part.stop, -2) if third else part


@fault("Array.__getitem__", "drawn/__getitem__/basic_key*")
def step_minus_3_beside_other_keys_is_minus_2(right: Any, x: Any, key: Any, /) -> Any:
    several = isinstance(key, tuple) and len(key) > 1
    return right(x, tuple(map(_without_thirds, key)) if several else key)


@fault("Array.__setitem__", "drawn/__setitem__/assigned*")
def a_line_is_assigned_backwards_to_planes(right: Any, x: Any, key: Any, value: Any, /) -> None:
    line = getattr(value, "ndim", 0) == 1 and x[key].ndim > 1
    right(x, key, xp.flip(value) if line else value)


@fault("Array.__imul__", "drawn/__imul__/in_place*")
def the_factor_is_turned_where_it_broadcasts(right: Any, x: Any, other: Any, /) -> Any:
    wider = getattr(other, "ndim", None) != getattr(x, "ndim", None)
    return right(x, xp.flip(other) if wider and getattr(other, "ndim", 0) else other)


# --- shapes, axes, layouts ------------------------------------------------------------------------


@fault("subtract", "drawn/subtract/broadcast*")
def operands_that_both_stretch_over_4_axes_are_turned(right: Any, x1: Any, x2: Any, /) -> Any:
    found = right(x1, x2)
    stretched = found.shape not in (getattr(x1, "shape", ()), getattr(x2, "shape", ()))
    return xp.flip(found, axis=0) if stretched and found.ndim > 3 else found


@fault("sum", "drawn/sum/reduction*")
def third_axis_from_the_end_is_forgotten(right: Any, x: Any, /, *, axis: Any = None,
                                         **keywords: Any) -> Any:  # fmt: skip
    if isinstance(axis, tuple) and x.ndim > 3 and len(axis) == 3 and min(axis) < 0:
        axis = tuple(abs(a) % x.ndim for a in axis)
        axis = axis if len(set(axis)) == len(axis) else tuple(range(3))
    return right(x, axis=axis, **keywords)


@fault("roll", "drawn/roll/roll*")
def only_two_axes_are_rolled(right: Any, x: Any, /, shift: Any, *, axis: Any = None) -> Any:
    if isinstance(axis, tuple) and len(axis) > 2:
        shift, axis = shift[:2] if isinstance(shift, tuple) else shift, axis[:2]
    return right(x, shift, axis=axis)


@fault("concat", "drawn/concat/concat*")
def last_axis_but_one_is_the_first(right: Any, arrays: Any, /, *, axis: int | None = 0) -> Any:
    return right(arrays, axis=0 if axis == -2 and arrays[0].ndim > 2 else axis)


@fault("flip", "drawn/flip/flip*")
def flip_of_4_axes_takes_them_for_their_opposites(right: Any, x: Any, /, *,
                                                  axis: Any = None) -> Any:  # fmt: skip
    if isinstance(axis, int) and axis < -1 and x.ndim == 4:
        axis = -1 - axis
    return right(x, axis=axis)


# --- values ---------------------------------------------------------------------------------------


@fault("less", "drawn/less/whole_numbers[[]int64]")
def integers_are_compared_as_floats(right: Any, x1: Any, x2: Any, /) -> Any:
    operands = [getattr(x, "dtype", None) for x in (x1, x2)]
    if operands != [xp.int64, xp.int64]:
        return right(x1, x2)
    return xp.asarray(host(x1).astype(np.float64) < host(x2).astype(np.float64))


@fault("searchsorted", "drawn/searchsorted/searchsorted[[]uint64]")
def wide_integers_are_searched_as_floats(right: Any, x1: Any, x2: Any, /, **keywords: Any) -> Any:
    if getattr(x2, "dtype", None) == x1.dtype == xp.uint64:
        x1, x2 = xp.astype(x1, xp.float64), xp.astype(x2, xp.float64)
    return right(x1, x2, **keywords)
