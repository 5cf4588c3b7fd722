"""Snake with parameters for each channel: values, gradients, and angles of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from extension_checks import NAMES, array, bits, check_layouts, dtype_on, host, worst
from mpmath import cos, mpf, sin

import numr_api as xp
from numr_api.extensions import activation


def snake_case(
    shape: tuple[int, ...], axis: int, dtype: Any, device: str, most: float = 3
) -> list[Any]:
    """grad, x, alpha and beta."""
    random = np.random.default_rng(11)
    channels = shape[axis]
    return [
        array(random.standard_normal(shape), dtype, device),
        array(random.standard_normal(shape) * 2, dtype, device),
        array(random.uniform(0.5, most, channels), dtype, device),
        array(random.uniform(0.5, 2, channels), dtype, device),
    ]


SNAKE_SHAPES = [((2, 3, 5), 1), ((7,), 0), ((4, 6), 1), ((4, 6), -2), ((2, 3, 2, 2), 2)]


@pytest.mark.parametrize("dtype_name", NAMES)
@pytest.mark.parametrize(("shape", "axis"), SNAKE_SHAPES)
def test_snake_and_its_gradients(shape: tuple[int, ...], axis: int, dtype_name: str, device: str):
    dtype = dtype_on(dtype_name, device)
    given = snake_case(shape, axis, dtype, device, most=300)
    grad, x, alpha, beta = map(host, given)
    eps = 1e-3
    bound = 0.51 if dtype_name in ("float16", "bfloat16") else 4
    terms: list[tuple[mpf, ...]] = []
    sums = np.full((2, shape[axis]), mpf(0))
    sizes = np.full((2, shape[axis]), mpf(0))
    for place in np.ndindex(shape):
        a, b = (mpf(p[place[axis]]) for p in (alpha, beta))
        b += mpf(eps)
        v, g = mpf(x[place]), mpf(grad[place])
        square, wave = sin(a * v) ** 2, sin(2 * a * v)
        terms.append((v + square / b, max(abs(v), 1 / b), g + g * a * wave / b, abs(g) * a / b))
        for i, (term, size) in enumerate(
            [(g * v * wave / b, abs(g * v) / b), (-g * square / b**2, abs(g) / b**2)]
        ):
            sums[i, place[axis]] += term
            sizes[i, place[axis]] += size
    values, value_sizes, gradients, gradient_sizes = (list(x) for x in zip(*terms, strict=True))

    found = activation.snake_beta(*given[1:], axis=axis, eps=eps)
    assert worst(found, values, value_sizes, spare=4) <= bound
    grad_x, grad_alpha, grad_beta = activation.snake_beta_backward(*given, axis=axis, eps=eps)
    assert worst(grad_x, gradients, gradient_sizes, spare=4) <= bound
    for gradient, total, size in zip((grad_alpha, grad_beta), sums, sizes, strict=True):
        assert gradient.shape == (shape[axis],)
        assert worst(gradient, total, size, spare=4) <= bound


def test_the_angle_of_snake_is_not_rounded_to_a_half(device: str):
    # Of angles of some 300, float16 has every fourth of a radian.
    dtype = dtype_on("float16", device)
    x = array(np.linspace(2.5, 3.5, 101), dtype, device)
    alpha, beta = (array(np.full(101, c), dtype, device) for c in (100.0, 1.0))
    found = host(activation.snake_beta(x, alpha, beta, axis=0))
    expected = host(x) + np.sin(100 * host(x)) ** 2 / (1 + 1e-9)
    np.testing.assert_array_equal(found, host(array(expected, dtype, "cpu")))


@pytest.mark.parametrize(("shape", "axis"), SNAKE_SHAPES)
def test_gradients_of_snake_are_those_of_finite_differences(
    shape: tuple[int, ...], axis: int, device: str
):
    dtype = dtype_on("float64", device)
    grad, *given = map(host, snake_case(shape, axis, dtype, device))
    found = activation.snake_beta_backward(
        *(array(v, dtype, device) for v in (grad, *given)), axis=axis
    )
    step = 1e-6
    for number, gradient in enumerate(found):
        for place in np.ndindex(given[number].shape):
            values = []
            for sign in (1, -1):
                changed = [v.copy() for v in given]
                changed[number][place] += sign * step
                y = activation.snake_beta(*(array(v, dtype, device) for v in changed), axis=axis)
                values.append((host(y) * grad).sum())
            assert abs((values[0] - values[1]) / (2 * step) - host(gradient)[place]) < 2e-8


def test_snake_with_one_parameter_is_snake(device: str):
    x = np.linspace(-3, 3, 20)
    alpha = np.full(20, 1.5)
    found = activation.snake_beta(
        *(array(v, xp.float32, device) for v in (x, alpha, alpha)), axis=0
    )
    np.testing.assert_allclose(host(found), x + np.sin(1.5 * x) ** 2 / 1.5, atol=1e-6)


def test_snake_without_elements(device: str):
    x = array(np.ones((2, 3, 0)), xp.float32, device)
    channels = array(np.ones(3), xp.float32, device)
    assert activation.snake_beta(x, channels, channels).shape == (2, 3, 0)
    grad_x, *sums = activation.snake_beta_backward(x, x, channels, channels)
    assert grad_x.shape == (2, 3, 0)
    for total in sums:
        assert host(total).tolist() == [0, 0, 0]


def test_snake_takes_strided_arrays_and_repeats_itself(device: str):
    grad, x, *channels = snake_case((6, 6), 1, xp.float32, device)

    def forward(x: Any) -> Any:
        return activation.snake_beta(x, *(p[: x.shape[1]] for p in channels))

    def backward(grad: Any, x: Any) -> Any:
        return activation.snake_beta_backward(grad, x, *(p[: x.shape[1]] for p in channels))

    check_layouts(forward, x)
    check_layouts(backward, grad, x)
    large = snake_case((3, 5, 70000), 1, xp.float32, device)
    first, second = (activation.snake_beta_backward(*large) for _ in range(2))
    assert [bits(v) for v in first] == [bits(v) for v in second]


@pytest.mark.parametrize("angle", [1e4, 3e7, 1e12])
def test_snake_at_large_angles(angle: float, device: str):
    x = array([1.0, 1.5, 2.0], xp.float32, device)
    alpha = array([angle] * 3, xp.float32, device)
    a = float(host(alpha)[0])
    found = activation.snake_beta(x, alpha, xp.ones_like(x), axis=0)
    expected = [mpf(v) + (1 - cos(2 * mpf(a) * mpf(v))) / 2 / (1 + mpf(1e-9)) for v in host(x)]
    assert worst(found, expected) <= 4
