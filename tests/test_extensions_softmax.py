"""Softmax and its family: values, rows that are not finite, gradients, and rows on their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from extension_checks import NAMES, array, bits, check_layouts, dtype_on, host, worst
from mpmath import exp, log1p, mpf

import numr_api as xp
from numr_api.extensions import activation

INF, NAN = np.inf, np.nan

ROWS = (activation.softmax, activation.log_softmax)


def softmax_of(row: list[mpf]) -> list[mpf]:
    powers = [exp(x) for x in row]
    return [power / sum(powers) for power in powers]


@pytest.mark.parametrize("dtype_name", NAMES)
def test_softmax_and_its_family(dtype_name: str, device: str):
    dtype = dtype_on(dtype_name, device)
    x = host(array(np.random.default_rng(5).uniform(-3, 3, (4, 30)), dtype, "cpu"))
    given = array(x, dtype, device)
    rows = [[mpf(number) for number in row] for row in x]
    bound = 0.51 if dtype_name in ("float16", "bfloat16") else 10.0
    shares = [share for row in rows for share in softmax_of(row)]
    assert worst(activation.softmax(given), shares) <= bound
    sums = [log1p(sum(exp(number) for number in row) - 1) for row in rows]
    assert worst(activation.logsumexp(given, axis=1), sums) <= bound
    logs = [number - total for row, total in zip(rows, sums, strict=True) for number in row]
    assert worst(activation.log_softmax(given), logs) <= bound


def test_softmax_goes_along_any_axis(device: str):
    x = np.random.default_rng(6).standard_normal((3, 4, 5))
    given = array(x, xp.float32, device)
    for axis in (0, 1, 2, -1, -3):
        powers = np.exp(host(given))
        total = powers.sum(axis=axis, keepdims=True)
        np.testing.assert_allclose(
            host(activation.softmax(given, axis=axis)), powers / total, rtol=2e-6
        )
        logs = activation.log_softmax(given, axis=axis)
        np.testing.assert_allclose(host(logs), np.log(powers / total), rtol=2e-6)
        for keepdims in (True, False):
            sums = activation.logsumexp(given, axis=axis, keepdims=keepdims)
            expected = np.log(powers.sum(axis=axis, keepdims=keepdims))
            np.testing.assert_allclose(host(sums), expected, rtol=2e-6)


@pytest.mark.parametrize("axis", [None, (), 0, (0, 2), (2, 1), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_logsumexp_takes_axes_as_sum_does(axis: Any, keepdims: bool, device: str):
    x = array(np.random.default_rng(7).standard_normal((3, 4, 5)), xp.float32, device)
    found = activation.logsumexp(x, axis=axis, keepdims=keepdims)
    sums = np.exp(host(x)).sum(axis=axis, keepdims=keepdims)
    assert found.shape == sums.shape
    np.testing.assert_allclose(host(found), np.log(sums), rtol=2e-6, atol=1e-6)


def test_rows_that_are_masked_or_not_finite(device: str):
    x = array(
        [[-INF, -INF, -INF], [INF, 1, 2], [NAN, 1, 2], [-INF, 0, -INF], [3e38, -3e38, 3e38]],
        xp.float32,
        device,
    )
    shares = [[0, 0, 0], [NAN] * 3, [NAN] * 3, [0, 1, 0], [0.5, 0, 0.5]]
    np.testing.assert_array_equal(host(activation.softmax(x)), shares)
    logs = host(activation.log_softmax(x))
    np.testing.assert_array_equal(logs[:4], [[-INF] * 3, [NAN] * 3, [NAN] * 3, [-INF, 0, -INF]])
    sums = host(activation.logsumexp(x, axis=1))
    np.testing.assert_array_equal(sums, host(array([-INF, INF, NAN, 0, 3e38], xp.float32, "cpu")))


def test_softmax_of_no_elements(device: str):
    for shape in ((0,), (3, 0), (0, 3)):
        x = array(np.ones(shape), xp.float32, device)
        assert activation.softmax(x).shape == activation.log_softmax(x).shape == shape
        assert activation.softmax_backward(x, x).shape == shape
    assert (
        host(activation.logsumexp(array(np.ones((2, 0)), xp.float32, device), axis=1)).tolist()
        == [-INF] * 2
    )
    assert activation.logsumexp(array(np.ones((2, 0)), xp.float32, device), axis=0).shape == (0,)
    assert float(activation.logsumexp(array(2.5, xp.float32, device))) == 2.5


@pytest.mark.parametrize("dtype_name", NAMES)
@pytest.mark.parametrize("length", [1, 7, 1000, 5000])
def test_a_row_alone_has_the_bits_of_the_row_among_others(
    length: int, dtype_name: str, device: str
):
    dtype = dtype_on(dtype_name, device)
    random = np.random.default_rng(8)
    x, grad = (array(random.standard_normal((33, length)), dtype, device) for _ in range(2))
    for row in (0, 31):
        part = slice(row, row + 1)
        for function in (*ROWS, lambda x: activation.logsumexp(x, axis=-1)):
            assert bits(function(x)[part, ...]) == bits(function(x[part, :]))
        alone = activation.softmax_backward(grad[part, :], x[part, :])
        assert bits(activation.softmax_backward(grad, x)[part, :]) == bits(alone)


@pytest.mark.parametrize("dtype_name", NAMES)
def test_rows_may_be_strided(dtype_name: str, device: str):
    dtype = dtype_on(dtype_name, device)
    random = np.random.default_rng(9)
    x, grad = (array(random.standard_normal((6, 8)), dtype, device) for _ in range(2))
    for function in (*ROWS, lambda x: activation.logsumexp(x, axis=0)):
        check_layouts(function, x)
    check_layouts(activation.softmax_backward, grad, x)


def test_the_gradient_of_softmax(device: str):
    dtype = dtype_on("float64", device)
    random = np.random.default_rng(10)
    x, grad = random.standard_normal((2, 3, 6))
    on = [array(part, dtype, device) for part in (x, grad)]
    step = 1e-6
    for axis in (0, 1):
        output = activation.softmax(on[0], axis=axis)
        found = host(activation.softmax_backward(on[1], output, axis=axis))
        y, g = host(output), grad
        formula = y * (g - (g * y).sum(axis=axis, keepdims=True))
        np.testing.assert_allclose(found, formula, rtol=1e-13, atol=1e-16)
        for place in np.ndindex(x.shape):
            change = np.zeros(x.shape)
            change[place] = step
            above, below = (
                activation.softmax(array(x + c, dtype, device), axis=axis)
                for c in (change, -change)
            )
            difference = ((host(above) - host(below)) / (2 * step) * grad).sum()
            assert abs(found[place] - difference) < 1e-9
