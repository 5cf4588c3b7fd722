"""The fast Walsh-Hadamard transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from numr_conformance.checks._tools import Cases, assert_raises, assert_true
from numr_conformance.extension_checks._tools import (
    FLOATS,
    HALVES,
    array,
    function_of,
    host,
    numbers,
    require_equal,
    require_units,
)
from numr_conformance.target import Target

cases = Cases("extensions.transform", "transform", seconds=60.0)
checks = cases.checks

SIZES = (1, 2, 8, 64, 256, 1024, 4096, 32768)


def transformed(x: Any, size: int) -> Any:
    """Blocks of the last axis by Sylvester's matrix over the root of its size."""
    blocks = np.asarray(x, np.longdouble).reshape(-1, size)
    step = 1
    while step < size:
        pairs = blocks.reshape(len(blocks), -1, 2, step)
        even, odd = pairs[:, :, 0], pairs[:, :, 1]
        blocks = np.stack([even + odd, even - odd], axis=2).reshape(len(blocks), size)
        step *= 2
    return (blocks / np.sqrt(np.longdouble(size))).reshape(np.shape(x))


@cases("fwht", dtypes=FLOATS, rows=[(size,) for size in SIZES])
def values(target: Target, dtype: str, size: int) -> dict[str, float]:
    x = numbers(dtype, (3, size), seed=size)
    found = host(target, function_of(target, "fwht")(array(target, x, dtype)), dtype)
    most = 0.51 if dtype in HALVES else 2.0 + np.log2(size)
    scale = np.sqrt((x * x).mean(-1, keepdims=True))  # of results too
    scale = np.maximum(scale, 2.0**-4 if dtype in HALVES else scale)
    return require_units(found, transformed(x, size), dtype, most, scale=scale)


@cases("fwht", dtypes=FLOATS, rows=[(size,) for size in (1, 4, 128)])
def blocks_and_signs(target: Target, dtype: str, size: int) -> None:
    x = numbers(dtype, (2, 3, 384), seed=1)
    signs = np.where(np.random.default_rng(2).random(384) < 0.5, -1.0, 1.0)
    call = function_of(target, "fwht")
    found = call(array(target, x, dtype), block_size=size, signs=array(target, signs, dtype))
    scale = np.sqrt((x * x).mean())
    most = 0.51 if dtype in HALVES else 8.0
    true = transformed(x * signs, size)
    require_units(host(target, found, dtype), true, dtype, most, scale=scale)


@cases("fwht", dtypes=FLOATS, rows=[(size,) for size in (8, 1024, 8192)])
def a_block_alone_gives_the_bits_that_it_gives_among_others(
    target: Target, dtype: str, size: int
) -> None:
    x = array(target, numbers(dtype, (5, 2 * size), seed=3), dtype)
    call = function_of(target, "fwht")
    together = host(target, call(x, block_size=size), dtype)
    alone = host(target, call(x[3:4, size:], block_size=size), dtype)
    assert_true(bool((alone[0] == together[3, size:]).all()), "other bits")


@cases("fwht", dtypes=FLOATS)
def of_views_and_of_nothing(target: Target, dtype: str) -> None:
    x = array(target, numbers(dtype, (8, 16), seed=4), dtype)
    call, xp = function_of(target, "fwht"), target.xp
    for view in (x[::2, ::-1], xp.permute_dims(x, (1, 0)), x[:0, :]):
        copied = call(xp.asarray(view, copy=True))
        require_equal(host(target, call(view), dtype), host(target, copied, dtype))


@cases("fwht", rows=[(0,), (3,), (32,), (-4,)])
def wrong_blocks_are_refused(target: Target, size: int) -> None:
    x = array(target, np.ones((2, 16)), "float32")
    call = function_of(target, "fwht")
    assert_raises(lambda: call(x, block_size=size), ValueError, f"block_size={size} of 16")


@cases("fwht")
def a_last_axis_that_is_no_power_of_two_is_refused(target: Target) -> None:
    x = array(target, np.ones((2, 12)), "float32")
    assert_raises(lambda: function_of(target, "fwht")(x), ValueError, "12 without block_size")
    scalar = array(target, np.ones(()), "float32")
    assert_raises(lambda: function_of(target, "fwht")(scalar), ValueError, "no axis")


@cases("fwht", rows=[((8,),), ((16, 1),)])
def wrong_signs_are_refused(target: Target, shape: tuple[int, ...]) -> None:
    x, signs = (array(target, np.ones(s), "float32") for s in ((2, 16), shape))
    call = function_of(target, "fwht")
    assert_raises(lambda: call(x, signs=signs), ValueError, f"signs of shape {shape}")
