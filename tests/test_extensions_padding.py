"""Padding against NumPy's and torch's values, on every dtype; and its adjoint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from extension_checks import NAMES, array, bits, check_layouts, dtype_on, host

import numr_api as xp
from numr_api._dtypes import ALL, DType
from numr_api.extensions import PadMode, pad, pad_mode, pad_mode_backward

MODES = [mode.value for mode in PadMode]
SHAPES = [(5,), (3, 4), (2, 3, 4), (1, 3)]


def flat(widths: list[tuple[int, int]]) -> list[int]:
    """Widths in torch's order."""
    return [width for pair in reversed(widths) for width in pair]


def some_widths(shape: tuple[int, ...], most: int = 2) -> list[tuple[int, int]]:
    return [(min(most, n - 1), min(max(most - 1 - axis, 0), n - 1)) for axis, n in enumerate(shape)]


def integers(shape: tuple[int, ...], device: str, dtype: Any = xp.int32) -> Any:
    count = int(np.prod(shape))
    return xp.reshape(xp.arange(count, dtype=dtype, device=device), shape)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", MODES)
def test_values_are_those_of_numpy(mode: Any, shape: tuple[int, ...], device: str):
    x = integers(shape, device)
    widths = some_widths(shape)
    expected = np.pad(np.arange(x.size).reshape(shape), widths, mode=mode)
    for found in (pad(x, widths, mode=mode), pad_mode(x, flat(widths), mode=PadMode(mode))):
        assert (found.dtype, found.device, found.shape) == (xp.int32, device, expected.shape)
        np.testing.assert_array_equal(host(found), expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_every_dtype_is_padded(dtype: DType, mode: Any, device: str):
    try:
        x = xp.asarray([True, False, True], dtype=xp.bool, device=device)
        x = xp.astype(x, dtype)
    except (NotImplementedError, TypeError):
        pytest.skip(f"{device} has no {dtype}")
    found = pad(x, (2, 2), mode=mode)
    assert found.dtype is dtype
    expected = np.pad(np.asarray([1, 0, 1]), 2, mode=mode)
    np.testing.assert_array_equal(np.asarray(found.to_device("cpu")).astype(bool), expected)


# Recorded with torch 2.13, of arange(12) as three rows of four.
REFLECTED = [
    [6, 5, 4, 5, 6, 7, 6], [2, 1, 0, 1, 2, 3, 2], [6, 5, 4, 5, 6, 7, 6],
    [10, 9, 8, 9, 10, 11, 10], [6, 5, 4, 5, 6, 7, 6], [2, 1, 0, 1, 2, 3, 2],
]  # fmt: skip
TORCH: list[tuple[str, tuple[int, ...], float, list[list[float]]]] = [
    ("reflect", (2, 1, 1, 2), 0, REFLECTED),
    ("edge", (1, 2), 0, [[0, 0, 1, 2, 3, 3, 3], [4, 4, 5, 6, 7, 7, 7], [8, 8, 9, 10, 11, 11, 11]]),
    ("wrap", (1, 2), 0, [[3, 0, 1, 2, 3, 0, 1], [7, 4, 5, 6, 7, 4, 5], [11, 8, 9, 10, 11, 8, 9]]),
    (
        "constant",
        (-1, 2, 1, 0),
        5,
        [[5, 5, 5, 5, 5], [1, 2, 3, 5, 5], [5, 6, 7, 5, 5], [9, 10, 11, 5, 5]],
    ),
]


@pytest.mark.parametrize(("mode", "padding", "value", "expected"), TORCH, ids=[x[0] for x in TORCH])
def test_values_are_those_of_torch(
    mode: str, padding: tuple[int, ...], value: float, expected: list[list[float]], device: str
):
    x = array(np.arange(12.0).reshape(3, 4), xp.float32, device)
    assert host(pad_mode(x, padding, mode=mode, value=value)).tolist() == expected


def test_the_gradient_of_a_reflection_is_that_of_torch(device: str):
    grad = array(np.arange(42.0).reshape(6, 7), xp.float32, device)
    found = pad_mode_backward(grad, (2, 1, 1, 2), mode=PadMode.REFLECT, shape=(3, 4))
    assert host(found).tolist() == [[46, 92, 146, 52], [48, 96, 156, 57], [23, 46, 73, 26]]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_is_the_adjoint(mode: Any, shape: tuple[int, ...], device: str):
    # Of integers, so that sums are exact in whatever order.
    random = np.random.default_rng(0)
    widths = some_widths(shape)
    x = array(random.integers(-9, 9, shape), xp.float32, device)
    padded = pad(x, widths, mode=mode)
    grad = array(random.integers(-9, 9, padded.shape), xp.float32, device)
    folded = pad_mode_backward(grad, flat(widths), mode=mode, shape=shape)
    assert (folded.shape, folded.dtype) == (shape, xp.float32)
    assert (host(padded) * host(grad)).sum() == (host(x) * host(folded)).sum()


def test_a_gradient_is_rounded_to_a_half_once(device: str):
    # 1 + 2**-8 + 2**-8 is 1 + 2**-7 in bfloat16, where 1 + 2**-8 is rounded to 1.
    dtype = dtype_on("bfloat16", device)
    grad = array([2**-8, 2**-8, 1.0], dtype, device)
    found = pad_mode_backward(grad, (2, 0), mode="edge", shape=(1,))
    assert host(found).tolist() == [1 + 2**-7]


def test_negative_widths_cut_off_and_their_gradient_is_zero(device: str):
    x = array(np.arange(12.0).reshape(3, 4), xp.float32, device)
    found = pad(x, ((-1, 0), (-2, 1)), value=-1)
    assert host(found).tolist() == [[6, 7, -1], [10, 11, -1]]
    grad = pad_mode_backward(xp.ones_like(found), (-2, 1, -1, 0), mode="constant", shape=(3, 4))
    assert host(grad).tolist() == [[0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    assert pad(x, ((-1, -2), (0, 0))).shape == (0, 4)


def test_a_value_is_rounded_once_to_the_dtype(device: str):
    for name in NAMES:
        dtype = dtype_on(name, device) if name != "float64" or device == "cpu" else xp.float32
        found = pad(array([1.0], dtype, device), 1, value=0.3)
        expected = host(array([0.3, 1.0, 0.3], dtype, "cpu"))
        np.testing.assert_array_equal(host(found), expected)
    nothing = pad(array([1.0], xp.float32, device), (1, 0), value=float("-inf"))
    assert host(nothing).tolist() == [-np.inf, 1]


def test_widths_for_all_axes(device: str):
    x = integers((2, 3), device)
    for one, each in ((1, ((1, 1), (1, 1))), ((1, 2), ((1, 2), (1, 2))), ([(2, 1)], ((2, 1),) * 2)):
        assert bits(pad(x, one)) == bits(pad(x, each))


def test_the_result_is_new_memory(device: str):
    x = array([1.0, 2.0], xp.float32, device)
    for mode in MODES:
        found = pad(x, 0, mode=mode)
        found[0] = 9.0
        assert host(x).tolist() == [1, 2]
    assert float(pad_mode(array(2.5, xp.float32, device), ())) == 2.5


def test_arrays_without_elements(device: str):
    x = xp.ones((0, 2), dtype=xp.float32, device=device)
    assert pad(x, ((0, 0), (1, 1)), mode="reflect").shape == (0, 4)
    assert host(pad(x, ((1, 0), (0, 0)), value=7)).tolist() == [[7, 7]]
    for mode in MODES:
        grad = pad(x, ((0, 0), (1, 0)), mode=mode)
        assert pad_mode_backward(grad, (1, 0), mode=mode, shape=(0, 2)).shape == (0, 2)


@pytest.mark.parametrize("mode", MODES)
def test_arrays_may_be_strided(mode: str, device: str):
    x = array(np.arange(48.0).reshape(6, 8), xp.float32, device)
    check_layouts(lambda v: pad(v, 1, mode=mode), x)
    wide = array(np.arange(80.0).reshape(8, 10), xp.float32, device)

    def backward(grad: Any) -> Any:
        shape = tuple(n - 2 for n in grad.shape)
        return pad_mode_backward(grad, (1, 1, 1, 1), mode=mode, shape=shape)

    check_layouts(backward, wide)


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "odd": (lambda x: pad_mode(x, (1, 2, 3)), ValueError, "pairs of widths, got 3"),
    "a number": (lambda x: pad_mode(x, 1), ValueError, "pairs of widths"),
    "too many": (lambda x: pad_mode(x, (1,) * 6), ValueError, "3 axes, but the array has 2"),
    "not integers": (lambda x: pad_mode(x, (1.0, 2)), TypeError, "must be an integer"),
    "pairs": (lambda x: pad(x, ((1, 2, 3),)), ValueError, "pairs"),
    "axes": (lambda x: pad(x, ((1, 1),) * 3), ValueError, "3 axes, but the array has 2"),
    "mode": (lambda x: pad(x, 1, mode="mean"), ValueError, "'reflect', 'edge'"),
    "reflect": (
        lambda x: pad(x, ((0, 0), (0, 3)), mode="reflect"),
        ValueError,
        "up to 2 on axis 1",
    ),
    "symmetric": (lambda x: pad(x, ((3, 0), (0, 0)), mode="symmetric"), ValueError, "up to 2"),
    "wrap": (lambda x: pad(x, ((3, 0), (0, 0)), mode="wrap"), ValueError, "up to 2"),
    "edge": (lambda x: pad(x[:0, :], 1, mode="edge"), ValueError, "up to 0"),
    "empty": (lambda x: pad(x[:0, :], 1, mode="reflect"), ValueError, "up to 0"),
    "negative": (lambda x: pad(x, (-1, 0), mode="edge"), ValueError, "need mode CONSTANT"),
    "cut": (lambda x: pad(x, ((-2, -1), (0, 0))), ValueError, "cut off more"),
    "value": (lambda x: pad(x, 1, value=1j), TypeError, "does not fit float32"),
    "text": (lambda x: pad(x, 1, value="0"), TypeError, "Python scalar as value"),
    "unused": (lambda x: pad(x, 1, mode="edge", value=2), ValueError, "belongs to mode CONSTANT"),
    "integer": (lambda x: pad(xp.astype(x, xp.int8), 1, value=300), OverflowError, "out of range"),
    "huge": (lambda x: pad(x, 2**60), ValueError, "too large"),
    "list": (lambda _: pad([1.0], 1), TypeError, "expected a numr_api array"),
    "shape": (
        lambda x: pad_mode_backward(x, (1, 1), mode="edge", shape=(2, 3)),
        ValueError,
        r"gives shape \(2, 5\), but grad has shape \(2, 3\)",
    ),
    "integers": (
        lambda x: pad_mode_backward(xp.astype(x, xp.int32), (), mode="edge", shape=(2, 3)),
        TypeError,
        "real floating-point",
    ),
}


@pytest.mark.parametrize(("call", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_said(call: Any, error: type[Exception], words: str, device: str):
    with pytest.raises(error, match=words):
        call(array(np.ones((2, 3)), xp.float32, device))
