"""What numba compiles of the functions of the extensions: errors, bits, coefficients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest
from cpu_threads import shared
from jit_numbers import errors, interpolated, same_bits, values

import numr_api as xp
from numr_api._backends.cpu import jit
from numr_api.extensions import activation, dtypes, normalization, transform

Array = np.ndarray[Any, np.dtype[Any]]

numba = pytest.importorskip("numba")
activations = pytest.importorskip("numr_api._backends.cpu.jit_activations")
gradients = pytest.importorskip("numr_api._backends.cpu.jit_gradients")
rows = pytest.importorskip("numr_api._backends.cpu.jit_rows")


@pytest.fixture(autouse=True)
def _silent() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


# --- errors ---------------------------------------------------------------------------------------

EXTENDED = np.longdouble
special: Any = pytest.importorskip("scipy.special")


def logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-np.maximum(x, -11000)))


def normal(x: Any) -> Any:
    """The distribution of a normal number, also where it is tiny."""
    found = special.ndtr(x.astype(np.float64)).astype(EXTENDED)
    far = x < -1
    t = -np.maximum(x[far], -100)
    scaled = special.erfcx((t / np.sqrt(EXTENDED(2))).astype(np.float64)).astype(EXTENDED)
    found[far] = scaled * np.exp(-t * t / 2) / 2
    return found


def inner(x: Any) -> Any:
    root = np.sqrt(EXTENDED(8) / EXTENDED("3.14159265358979323846264338"))
    return root * (x + EXTENDED("0.044715") * x**3)


FORMULAS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "sigmoid": (logistic, 0.78),
    "silu": (lambda x: x * logistic(x), 0.8),
    "gelu_tanh": (lambda x: x * logistic(inner(x)), 0.78),
    "gelu_erf": (lambda x: x * normal(x), 1.1),
}


def numbers(step: int) -> Array:
    """All exponents, and densely where functions are neither 0 nor 1."""
    x = np.concatenate([values(step), np.linspace(-110, 20, 400_001, dtype=np.float32)])
    return x[~np.isnan(x)]


def called(name: str, *arrays: Array, results: int = 1) -> list[Array]:
    loop = jit.find_loop(name)
    assert loop is not None
    found = [np.empty_like(arrays[0]) for _ in range(results)]
    loop(*arrays, *found)
    return found


@pytest.mark.parametrize("name", FORMULAS)
def test_activations_err_by_little_more_than_half_a_unit(name: str):
    formula, limit = FORMULAS[name]
    x = numbers(100003)
    exact = formula(np.maximum(x, -1e30).astype(EXTENDED))
    (found,) = called(name, x)
    finite = np.isfinite(x)
    assert errors(found[finite], exact[finite]).max() <= limit


@pytest.mark.parametrize("name", FORMULAS)
def test_products_err_by_less_than_two_units(name: str):
    formula, _ = FORMULAS[name]
    x = numbers(1000003)
    x = x[abs(x) < 80]
    y = np.random.default_rng(1).uniform(0.5, 2, x.shape).astype(np.float32)
    (found,) = called(f"{name.removesuffix('_tanh')}_mul", x, y)
    exact = formula(x.astype(EXTENDED)) * y
    is_normal = abs(exact) > 1e-37
    assert errors(found[is_normal], exact[is_normal]).max() <= 1.7


@pytest.mark.parametrize("name", FORMULAS)
def test_special_values(name: str):
    x = np.asarray([np.nan, np.inf, -np.inf, 0.0, -0.0, 3e38, -3e38], np.float32)
    (found,) = called(name, x)
    expected = [np.nan, 1, 0, 0.5, 0.5, 1, 0]
    if name != "sigmoid":
        expected = [np.nan, np.inf, -0.0, 0.0, -0.0, x[5], -0.0]
    np.testing.assert_array_equal(found, np.asarray(expected, np.float32))
    assert same_bits(np.signbit(found[1:]), np.signbit(expected[1:]))


def test_softmax_keeps_what_a_difference_loses():
    x = np.random.default_rng(2).normal(0, 40, (50, 999)).astype(np.float32)
    found = np.asarray(activation.softmax(xp.asarray(x)))
    powers = np.exp(x.astype(EXTENDED) - x.max(axis=-1, keepdims=True))
    assert errors(found, powers / powers.sum(axis=-1, keepdims=True)).max() <= 1.7


@pytest.mark.parametrize("largest", [1.0, 1e6, 1e12])
def test_snake_of_large_angles(largest: float):
    x = np.random.default_rng(3).uniform(-largest, largest, (2, 3, 500)).astype(np.float32)
    rates = np.asarray([0.3, 1.0, 1.7], np.float32)
    found = activation.snake_beta(*map(xp.asarray, (x, rates, np.ones(3, np.float32))), eps=0.0)
    angle = x.astype(np.float64) * rates.astype(np.float64)[:, None]
    assert errors(np.asarray(found), x + np.sin(angle) ** 2).max() <= 2


def test_snake_of_angles_beyond_the_parts_of_a_turn_is_that_of_the_formula(
    monkeypatch: pytest.MonkeyPatch,
):
    x = np.asarray([[[1.0, 2.0e38, -3.0, 4.0e30, np.inf, np.nan, 5.0, 0.0]]], np.float32)
    operands = [xp.asarray(v) for v in (x, np.full(1, 2.5, np.float32), np.ones(1, np.float32))]
    found = activation.snake_beta(*operands)
    monkeypatch.setattr(jit, "find_loop", lambda name: None)
    assert same_bits(found, activation.snake_beta(*operands))


# --- bits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [name for name, module in jit.LOOPS.items() if module in ("jit_activations", "jit_gradients")],
)
def test_bits_of_an_element_are_the_same_wherever_it_stands(name: str):
    results = 2 if name.endswith("backward") else 1
    count = 3 if results == 2 else 2 if name.endswith("mul") else 1
    random = np.random.default_rng(4)
    arrays = [random.normal(0, 9, 200).astype(np.float32) for _ in range(count)]
    whole = called(name, *arrays, results=results)
    for start, stop in ((0, 1), (3, 11), (7, 8), (5, 200), (199, 200)):
        part = called(name, *(x[start:stop].copy() for x in arrays), results=results)
        assert all(same_bits(x, y[start:stop]) for x, y in zip(part, whole, strict=True))


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "silu": activation.silu,
    "silu_mul": lambda x: activation.silu_mul(x, x),
    "gelu_mul_backward": lambda x: activation.gelu_mul_backward(x, x, x)[0],
    "softmax": activation.softmax,
    "log_softmax": activation.log_softmax,
    "l2_normalize": normalization.l2_normalize,
    "fwht": transform.fwht,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_threads_and_layouts_do_not_change_bits(name: str):
    function = FUNCTIONS[name]
    x = np.random.default_rng(5).normal(0, 3, (96, 1024)).astype(np.float32)
    whole = np.asarray(function(xp.asarray(x)))
    with shared() as jobs:
        assert same_bits(function(xp.asarray(x)), whole)
        assert jobs
    assert same_bits(function(xp.asarray(np.repeat(x, 2, axis=1)[:, ::2])), whole)
    assert same_bits(function(xp.asarray(x[5:6])), whole[5:6])
    memory = bytearray(x.nbytes + 1)
    unaligned = np.frombuffer(memory, np.float32, x.size, offset=1).reshape(x.shape)
    unaligned[...] = x
    assert same_bits(function(xp.asarray(unaligned)), whole)
    read_only = xp.broadcast_to(xp.asarray(x), x.shape)
    assert same_bits(function(read_only), whole)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.bfloat16], ids=str)
def test_half_types_are_computed_in_float32_and_rounded_once(name: str, dtype: Any):
    function = FUNCTIONS[name]
    x = xp.astype(xp.asarray(np.linspace(-3, 3, 65536, dtype=np.float32)), dtype)
    x = xp.reshape(x, (64, 1024))
    expected = xp.astype(function(xp.astype(x, xp.float32)), dtype)
    assert same_bits(function(x), expected)


# --- coefficients ---------------------------------------------------------------------------------

LOG_2 = float(mpmath.log(2)) / 2
# Where z = (t - 4) / (t + 4) is 1, t is infinite.
END = (15 - 4) / (15 + 4)


def curvature(x: Any) -> Any:
    return (mpmath.expm1(x) - x) / x**2 if abs(x) > 1e-20 else mpmath.mpf(1) / 2


def tail(z: Any) -> Any:
    t = 4 * (1 + z) / (1 - z)
    return mpmath.erfc(t / mpmath.sqrt(2)) / 2 * mpmath.exp(t * t / 2) * (t + mpmath.mpf(5) / 4)


def sine(x: Any) -> Any:
    return mpmath.sin(mpmath.pi * mpmath.sqrt(x)) / mpmath.sqrt(x)


POLYNOMIALS: dict[str, tuple[Any, Callable[[Any], Any], float, float]] = {
    "CURVATURE": (activations, curvature, -LOG_2, LOG_2),
    "TAIL": (activations, tail, -1, END),
    "TAIL of gradients": (gradients, tail, -1, END),
    "SINE_OF_TURN": (rows, sine, 0, 0.25),
    "COSINE_OF_TURN": (rows, lambda x: mpmath.cos(mpmath.pi * mpmath.sqrt(x)), 0, 0.25),
}


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_interpolate_at_the_points_of_chebyshev(name: str):
    module, function, low, high = POLYNOMIALS[name]
    coefficients = getattr(module, name.partition(" ")[0])
    expected = interpolated(function, low, high, len(coefficients))
    assert coefficients == pytest.approx(expected, rel=1e-9)


def test_one_half_turn_of_an_angle_in_two_parts():
    with mpmath.workdps(50):
        tail = 1 / mpmath.pi - rows.TURN
        assert float(tail) == rows.TURN_TAIL
