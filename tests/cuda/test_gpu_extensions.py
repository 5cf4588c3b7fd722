"""Functions beyond the standard on a GPU."""

from __future__ import annotations

import numpy as np
import pytest
from on_gpu import host, on

from numr_api.extensions import activation, normalization, padding, transform

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("gpus")]

FLOATS = ("float32", "float64")
LENGTHS = (1, 7, 1000, 1025, 8192, 20001)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("length", LENGTHS)
def test_rows_are_right_and_depend_on_no_other(dtype: str, length: int):
    values = np.random.default_rng(0).normal(size=(9, length)).astype(dtype)
    exact = values.astype("float64")
    shares = np.exp(exact) / np.exp(exact).sum(1, keepdims=True)
    near = {"rtol": 32 * float(np.finfo(dtype).eps)}
    whole = host(activation.softmax(on(values, dtype), axis=-1))
    np.testing.assert_allclose(whole, shares, **near)
    alone = host(activation.softmax(on(values[4], dtype), axis=-1))
    np.testing.assert_array_equal(alone, whole[4])
    across = host(activation.softmax(on(values.T.copy(), dtype), axis=0))
    np.testing.assert_array_equal(across.T, whole)
    lengths = np.sqrt((exact * exact).sum(1, keepdims=True))
    found = host(normalization.l2_normalize(on(values, dtype), axis=-1))
    np.testing.assert_allclose(found, exact / lengths, **near)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", [1, 4, 128, 8192, 2**16, 2**20])
def test_a_transform_is_its_own_inverse(dtype: str, size: int):
    values = np.random.default_rng(0).normal(size=(2, size)).astype(dtype)
    once = transform.fwht(on(values, dtype))
    twice = host(transform.fwht(once))
    np.testing.assert_allclose(twice, values, 0, 64 * float(np.finfo(dtype).eps))
    np.testing.assert_array_equal(host(transform.fwht(on(values[1], dtype))), host(once)[1])


def test_gradients_of_snake_are_the_same_each_time():
    rng = np.random.default_rng(0)
    x, grad = (on(rng.normal(size=(3, 16, 50001)), "float32") for _ in range(2))
    rates = on(np.linspace(0.5, 2, 16), "float32")
    first, again = (
        [host(part) for part in activation.snake_beta_backward(grad, x, rates, rates, axis=1)]
        for _ in range(2)
    )
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "symmetric", "wrap"])
def test_padding_is_that_of_numpy(mode: str):
    values = np.arange(60.0).reshape(3, 4, 5)
    widths = ((1, 2), (0, 3), (2, 1))
    found = host(padding.pad(on(values, "float64"), widths, mode=mode))
    np.testing.assert_array_equal(found, np.pad(values, widths, mode=mode))  # type: ignore[call-overload]
