"""Drawn checks of selection and assignment by keys.

A part of the topic "drawn". NumPy's indexing of the host's array is the reference: of integers,
slices, ellipses and new axes, and of integer arrays for all axes, it is the standard's.
"""

from __future__ import annotations

import numpy as np

from numr_conformance.checks._draws import Draw, DrawnCases
from numr_conformance.checks._strategies import (
    BOOLEANS,
    arranged,
    basic_keys,
    broadcast_from,
    integers,
    masks,
    moved,
    places,
    shapes,
)
from numr_conformance.checks._tools import assert_equal, distinct, indices
from numr_conformance.checks.indexing import scalar, selected
from numr_conformance.target import DTYPES, Target

cases = DrawnCases()


@cases("__getitem__", dtypes=DTYPES, examples=40)
def basic_key(target: Target, draw: Draw, dtype: str) -> None:
    """And another key of what the first one gave."""
    shape = draw(shapes())
    x, host = moved(target, draw, dtype, shape)
    key = draw(basic_keys(shape), "key")
    true = np.asarray(host[key])
    found = x[key]
    assert_equal(target, found, true)
    if draw(BOOLEANS):
        again = draw(basic_keys(true.shape), "key of that")
        assert_equal(target, found[again], true[again])


@cases("__getitem__", dtypes=DTYPES)
def mask(target: Target, draw: Draw, dtype: str) -> None:
    shape = draw(shapes(most=4))
    x, host = moved(target, draw, dtype, shape)
    chosen = draw(masks(shape[: draw(integers(0, len(shape)))]))
    found = x[arranged(target, draw, chosen, "mask")]
    assert_equal(target, found, selected(host, chosen))


@cases("__getitem__", dtypes=DTYPES)
def integer_arrays(target: Target, draw: Draw, dtype: str) -> None:
    """One for each axis, which broadcast together; integers among them."""
    shape = draw(shapes(1, 4, empty=False))
    x, host = moved(target, draw, dtype, shape)
    common = draw(shapes(0, 2))
    key, true_key = [], []
    whole = draw(integers(0, len(shape) - 1))  # this one is an array in any case
    for axis, n in enumerate(shape):
        if axis != whole and draw(BOOLEANS):
            place = draw(integers(-n, n - 1), f"key{axis}")
            key.append(place)
            true_key.append(place)
        else:
            part = draw(places(n, draw(broadcast_from(common))))
            draw.tell(f"key{axis}", part)
            key.append(indices(target, part))
            true_key.append(part)
    assert_equal(target, x[tuple(key)], np.asarray(host[tuple(true_key)]))


@cases("__setitem__", dtypes=DTYPES, examples=40)
def assigned(target: Target, draw: Draw, dtype: str) -> None:
    """A scalar or an array that broadcasts; what the key is not about stays as it was."""
    shape = draw(shapes())
    x, true = moved(target, draw, dtype, shape, written=True)
    key = draw(basic_keys(shape, new_axes=False), "key")
    if draw(BOOLEANS):
        value = scalar(dtype)
        draw.tell("value", value)
        x[key] = true[key] = value
    else:
        host = distinct(dtype, draw(broadcast_from(np.shape(true[key]))))
        host = ~host if dtype == "bool" else host + np.full((), 100, dtype)
        x[key] = arranged(target, draw, np.asarray(host), "value")
        true[key] = host
    assert_equal(target, x, true)


@cases("__setitem__", dtypes=DTYPES)
def assigned_by_a_mask(target: Target, draw: Draw, dtype: str) -> None:
    shape = draw(shapes(most=4))
    x, true = moved(target, draw, dtype, shape, written=True)
    chosen = draw(masks(shape[: draw(integers(0, len(shape)))]))
    key, value = arranged(target, draw, chosen, "mask"), scalar(dtype)
    x[key] = target.array(np.full((), value, dtype)) if draw(BOOLEANS) else value
    for place in np.ndindex(*chosen.shape):
        if chosen[place]:
            true[place] = value
    assert_equal(target, x, true)
