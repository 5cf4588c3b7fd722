"""Activations element by element: values, gradients, far tails, special values, refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from numr_conformance.checks._tools import Cases, assert_raises, assert_true
from numr_conformance.extension_checks._tools import (
    FLOATS,
    FORMATS,
    HALVES,
    array,
    exactly,
    function_of,
    host,
    mpmath,
    numbers,
    require_equal,
    require_near,
    require_units,
    rounded,
)
from numr_conformance.target import Target

cases = Cases("extensions.activation", "activation", seconds=60.0)
checks = cases.checks

COUNT = 150

# --- formulas, for numbers of mpmath --------------------------------------------------------------


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + mpmath().exp(-x))


def _tanh_slope(x: Any) -> Any:
    """The argument of gelu's tanh, doubled, so that it is one of sigmoid, and its derivative."""
    factor = 2 * mpmath().sqrt(2 / mpmath().pi)
    cubic = mpmath().mpf("0.044715")
    return factor * (x + cubic * x**3), factor * (1 + 3 * cubic * x * x)


def _gelu(x: Any) -> Any:
    return x * _sigmoid(_tanh_slope(x)[0])


def _gelu_slope(x: Any) -> Any:
    inner, slope = _tanh_slope(x)
    share = _sigmoid(inner)
    return share + x * share * (1 - share) * slope


def _normal(x: Any) -> Any:
    """The distribution function of the normal distribution."""
    return mpmath().erfc(-x / mpmath().sqrt(2)) / 2


def _gelu_erf_slope(x: Any) -> Any:
    density = mpmath().exp(-x * x / 2) / mpmath().sqrt(2 * mpmath().pi)
    return _normal(x) + x * density


def _silu_slope(x: Any) -> Any:
    share = _sigmoid(x)
    return share * (1 + x * (1 - share))


FORMULAS: dict[str, Callable[[Any], Any]] = {
    "relu": lambda x: max(x, 0),
    "sigmoid": _sigmoid,
    "silu": lambda x: x * _sigmoid(x),
    "softplus": lambda x: mpmath().log1p(mpmath().exp(-abs(x))) + max(x, 0),
    "gelu": _gelu,
    "gelu_erf": lambda x: x * _normal(x),
    "leaky_relu": lambda x: x if x >= 0 else x * mpmath().mpf(0.01),
    "elu": lambda x: x if x > 0 else mpmath().expm1(x),
}
SLOPES: dict[str, Callable[[Any], Any]] = {
    "relu_mul": lambda x: mpmath().mpf(x > 0),
    "sigmoid_mul": lambda x: _sigmoid(x) * (1 - _sigmoid(x)),
    "silu_mul": _silu_slope,
    "gelu_mul": _gelu_slope,
    "gelu_erf_mul": _gelu_erf_slope,
}

# In units in the last place, as the docstrings promise. Halves are computed in float32, and rounded
# once. On a cpu functions are made of the library's exponential, that of NumPy errs by 2.5 units in
# float32.
LIMITS = {"float16": 0.51, "bfloat16": 0.51, "float32": 2.0, "float64": 2.0}
LIMITS_ON_CPU = {**LIMITS, "float32": 4.0, "float64": 3.0}


def _limit(target: Target, dtype: str) -> float:
    return (LIMITS_ON_CPU if target.device.startswith("cpu") else LIMITS)[dtype]


# Of gradients, whose terms cancel in places: units of the larger term.
GRADIENTS = {"float16": 0.6, "bfloat16": 0.6, "float32": 6.0, "float64": 6.0}


def _points(function: str, dtype: str) -> Any:
    """Numbers around 0, on both sides as far as results are no zeros, and close to 0."""
    rng = np.random.default_rng(len(function))
    far = {"float16": 16.0, "bfloat16": 80.0, "float32": 80.0, "float64": 700.0}[dtype]
    if function in ("gelu", "gelu_mul"):
        far = {"float16": 4.0, "float64": 20.0}.get(dtype, 7.0)
    if function in ("gelu_erf", "gelu_erf_mul"):
        far = {"float16": 5.0, "float64": 37.0}.get(dtype, 12.8)
    small = np.ldexp(rng.uniform(-1, 1, 20), rng.integers(max(FORMATS[dtype].least, -99), 0, 20))
    parts = [rng.uniform(-4, 4, COUNT), rng.uniform(-far, far, COUNT), small, [0.0, 1.0, -1.0]]
    x = rounded(np.concatenate(parts), dtype)
    return x[(x == 0) | (np.abs(x) >= 2.0 ** FORMATS[dtype].least)]


@cases("*", dtypes=FLOATS, rows=[(name,) for name in FORMULAS])
def values(target: Target, dtype: str, function: str) -> dict[str, float]:
    """Within few units in the last place of the exact result, far from 0 as well."""
    call = function_of(target, function)
    x = _points(function, dtype)
    true = exactly(FORMULAS[function], x)
    kept = (np.abs(true) >= 2.0 ** FORMATS[dtype].least) | (x == 0)  # devices may flush the others
    found = host(target, call(array(target, x, dtype)), dtype)
    return require_units(found[kept], true[kept], dtype, _limit(target, dtype), given=x[kept])


@cases("gelu", dtypes=FLOATS)
def gelu_without_approximation_is_gelu_erf(target: Target, dtype: str) -> None:
    x = array(target, numbers(dtype, (50,)), dtype)
    exact = function_of(target, "gelu")(x, approximate="none")
    other = function_of(target, "gelu_erf")(x)
    assert_true(bool(target.xp.all(exact == other)), "other values", given="50 normal numbers")


@cases("*", dtypes=FLOATS, rows=[("leaky_relu", "negative_slope", 0.3), ("elu", "alpha", 0.7)])
def options_are_not_rounded_to_the_dtype(
    target: Target, dtype: str, function: str, option: str, value: float
) -> None:
    x = numbers(dtype, (100,), seed=3)
    base = {"leaky_relu": lambda x: x, "elu": mpmath().expm1}[function]
    true = exactly(lambda x: x if x > 0 else mpmath().mpf(value) * base(x), x)
    found = function_of(target, function)(array(target, x, dtype), **{option: value})
    require_units(host(target, found, dtype), true, dtype, _limit(target, dtype), given=x)


INFINITY = float("inf")
SPECIAL = {  # at -infinity, infinity
    "relu": (0.0, INFINITY),
    "sigmoid": (0.0, 1.0),
    "silu": (0.0, INFINITY),
    "softplus": (0.0, INFINITY),
    "gelu": (0.0, INFINITY),
    "gelu_erf": (0.0, INFINITY),
    "leaky_relu": (-INFINITY, INFINITY),
    "elu": (-1.0, INFINITY),
}


@cases("*", dtypes=FLOATS, rows=[(name,) for name in SPECIAL])
def limits_at_infinity_and_nan(target: Target, dtype: str, function: str) -> None:
    x = np.array([-np.inf, np.inf, np.nan, -FORMATS[dtype].largest, FORMATS[dtype].largest])
    found = host(target, function_of(target, function)(array(target, x, dtype)), dtype)
    low, high = SPECIAL[function]
    expected = [low, high, np.nan]
    require_equal(found[:3], expected, given=x[:3])
    assert_true(not np.isnan(found[3:]).any(), "NaN of a finite number", given=x[3:])


@cases("*", dtypes=FLOATS, rows=[(name,) for name in SLOPES])
def products(target: Target, dtype: str, function: str) -> dict[str, float]:
    """The activation of a times b, which is rounded once."""
    base = FORMULAS[function.removesuffix("_mul")]
    a = _points(function, dtype)
    b = rounded(np.random.default_rng(1).uniform(0.5, 2, a.shape), dtype)
    true = exactly(lambda a, b: base(a) * b, a, b)
    kept = (np.abs(true) >= 2.0 ** FORMATS[dtype].least) | (a == 0)
    call = function_of(target, function)
    found = host(target, call(array(target, a, dtype), array(target, b, dtype)), dtype)
    most = _limit(target, dtype) + (dtype not in HALVES)
    return require_units(found[kept], true[kept], dtype, most, given=a[kept])


@cases("*", dtypes=FLOATS, rows=[(f"{name}_backward", name) for name in SLOPES])
def gradients(target: Target, dtype: str, function: str, name: str) -> None:
    """By the formula: of a, grad * b * slope(a); of b, grad * activation(a)."""
    base, slope = FORMULAS[name.removesuffix("_mul")], SLOPES[name]
    a = rounded(np.random.default_rng(2).uniform(-4, 4, 200), dtype)
    grad, b = (numbers(dtype, a.shape, seed=seed) for seed in (3, 4))
    call = function_of(target, function)
    found = call(*(array(target, x, dtype) for x in (grad, a, b)))
    assert_true(isinstance(found, tuple) and len(found) == 2, "not a pair", actual=type(found))
    of_a = exactly(lambda g, a, b: g * b * slope(a), grad, a, b)
    of_b = exactly(lambda g, a: g * base(a), grad, a)
    size = np.abs(grad * b) * 0.5
    most = GRADIENTS[dtype]
    require_units(host(target, found[0], dtype), of_a, dtype, most, given=a, scale=size)
    require_units(host(target, found[1], dtype), of_b, dtype, most, given=a)


@cases("*", dtypes=("float64",), rows=[(f"{name}_backward", name) for name in SLOPES])
def gradients_are_differences(target: Target, dtype: str, function: str, name: str) -> None:
    """Of the function itself, by central differences."""
    a = np.random.default_rng(5).uniform(-3, 3, 100)
    a = a[np.abs(a) > 1e-3]  # relu has a corner
    b, step = numbers(dtype, a.shape, seed=6), 1e-6
    call, product = function_of(target, function), function_of(target, name)
    ones = array(target, np.ones(a.shape), dtype)
    found = call(ones, array(target, a, dtype), array(target, b, dtype))
    of_a, of_b = (host(target, x, dtype) for x in found)

    def at(a: Any, b: Any) -> Any:
        return host(target, product(array(target, a, dtype), array(target, b, dtype)), dtype)

    require_near(of_a, (at(a + step, b) - at(a - step, b)) / (2 * step), 1e-7)
    require_near(of_b, (at(a, b + step) - at(a, b - step)) / (2 * step), 1e-7)


@cases("*", dtypes=FLOATS, rows=[(name,) for name in (*FORMULAS, *SLOPES)])
def strided_empty_and_without_axes(target: Target, dtype: str, function: str) -> None:
    call, xp = function_of(target, function), target.xp
    count = 2 if function.endswith("_mul") else 1
    wide = array(target, numbers(dtype, (6, 8), seed=7), dtype)
    for view in (wide[::2, ::-3], xp.permute_dims(wide, (1, 0)), wide[:0, :], wide[0, 0]):
        found = call(*(view,) * count)
        packed = xp.asarray(view, copy=True)
        assert_true(found.shape == view.shape, "wrong shape", actual=found.shape)
        same = host(target, found, dtype) == host(target, call(*(packed,) * count), dtype)
        assert_true(bool(np.all(same)), "a view gives other values", given=view.shape)


@cases("*", rows=[(name,) for name in SLOPES])
def operands_must_be_alike(target: Target, function: str) -> None:
    call = function_of(target, function)
    single, double = (array(target, np.ones((2, 3)), d) for d in ("float32", "float16"))
    row = array(target, np.ones(3), "float32")
    assert_raises(lambda: call(single, row), ValueError, "shapes (2, 3) and (3,)")
    assert_raises(lambda: call(single, double), TypeError, "float32 and float16")
    assert_raises(lambda: call(single, 1.0), TypeError, "a Python scalar")


@cases("*", rows=[(name,) for name in (*FORMULAS, "softmax")])
def integers_are_refused(target: Target, function: str) -> None:
    whole = target.array(np.arange(3, dtype=np.int32))
    assert_raises(lambda: function_of(target, function)(whole), TypeError, "int32")
