"""What works along an axis: softmax and its kin, snake, l2_normalize."""

from __future__ import annotations

from typing import Any

import numpy as np

from numr_conformance.checks._tools import Cases, assert_raises, assert_true
from numr_conformance.extension_checks._tools import (
    FLOATS,
    FORMATS,
    HALVES,
    array,
    function_of,
    host,
    numbers,
    require_equal,
    require_near,
    require_units,
    rounded,
)
from numr_conformance.target import Target

cases = Cases("extensions.rows", "rows", seconds=60.0)
checks = cases.checks

LENGTHS = (1, 2, 31, 33, 257, 1024, 5000)
LIMITS = {"float16": 0.51, "bfloat16": 0.51, "float32": 5.0, "float64": 5.0}
INFINITY = float("inf")


def _wide(x: Any) -> Any:
    return np.asarray(x, np.longdouble)


def _softmax(x: Any) -> Any:
    x = _wide(x)
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _logsumexp(x: Any) -> Any:
    x = _wide(x)
    most = x.max(-1, keepdims=True)
    return most + np.log(np.exp(x - most).sum(-1, keepdims=True))


def _normalized(x: Any) -> Any:
    x = _wide(x)
    return x / np.sqrt((x * x).sum(-1, keepdims=True))


TRUE = {
    "softmax": _softmax,
    "log_softmax": lambda x: _wide(x) - _logsumexp(x),
    "l2_normalize": _normalized,
}


@cases("*", dtypes=FLOATS, rows=[(name, length) for name in TRUE for length in LENGTHS])
def values(target: Target, dtype: str, function: str, length: int) -> dict[str, float]:
    x = numbers(dtype, (3, length), seed=length, scale=3.0)
    found = host(target, function_of(target, function)(array(target, x, dtype)), dtype)
    true = TRUE[function](x)
    scale = None
    if function == "log_softmax":
        scale = np.abs(x).max(-1, keepdims=True)
    elif function == "softmax" and dtype not in HALVES:
        # The distance from the maximum may be rounded, by as many units of the result.
        scale = true * np.maximum(x.max(-1, keepdims=True) - x, 1)
    return require_units(found, true, dtype, LIMITS[dtype], scale=scale)


@cases("logsumexp", dtypes=FLOATS, rows=[(length,) for length in LENGTHS])
def of_rows(target: Target, dtype: str, length: int) -> dict[str, float]:
    x = numbers(dtype, (3, length), seed=length, scale=3.0)
    call = function_of(target, "logsumexp")
    found = host(target, call(array(target, x, dtype), axis=-1, keepdims=True), dtype)
    scale = np.abs(x).max(-1, keepdims=True)
    return require_units(found, _logsumexp(x), dtype, LIMITS[dtype], scale=scale)


@cases("logsumexp", dtypes=FLOATS)
def over_several_axes(target: Target, dtype: str) -> None:
    x = numbers(dtype, (4, 5, 6))
    call, given = function_of(target, "logsumexp"), array(target, x, dtype)
    everything = _logsumexp(x.reshape(-1))[0]
    rows = _logsumexp(x.transpose(1, 0, 2).reshape(5, 24))[:, 0]
    most = LIMITS[dtype]
    require_units(host(target, call(given), dtype), everything, dtype, most, scale=3.0)
    require_units(host(target, call(given, axis=(0, 2)), dtype), rows, dtype, most, scale=3.0)
    none = call(array(target, np.ones((2, 0)), dtype), axis=1)
    require_equal(host(target, none, dtype), [-np.inf, -np.inf])


@cases("softmax_backward", dtypes=FLOATS, rows=[(length,) for length in LENGTHS])
def gradients_of_softmax(target: Target, dtype: str, length: int) -> None:
    """``output * (grad - sum(grad * output))`` along the axis."""
    grad = numbers(dtype, (3, length), seed=1)
    output = numbers(dtype, (3, length), seed=2, scale=1 / length)
    call = function_of(target, "softmax_backward")
    found = host(target, call(array(target, grad, dtype), array(target, output, dtype)), dtype)
    inner = (_wide(grad) * _wide(output)).sum(-1, keepdims=True)
    true = _wide(output) * (_wide(grad) - inner)
    size = (np.abs(grad) * np.abs(output)).sum(-1, keepdims=True)
    scale = np.abs(output) * np.maximum(np.abs(grad), size)
    most = 1.0 if dtype in HALVES else 8.0
    require_units(found, true, dtype, most, scale=scale.astype(np.float64))


@cases("*", dtypes=FLOATS, rows=[(name,) for name in TRUE])
def along_each_axis(target: Target, dtype: str, function: str) -> None:
    """Another axis, a view: the values of the rows that it consists of."""
    x = numbers(dtype, (4, 5, 6), seed=9)
    call, xp, given = function_of(target, function), target.xp, array(target, x, dtype)
    for axis in (-3, 1, 2):
        found = host(target, call(given, axis=axis), dtype)
        last = xp.asarray(xp.moveaxis(given, axis, -1), copy=True)
        rows = np.moveaxis(host(target, call(last), dtype), -1, axis)
        require_units(found, rows, dtype, 8.0)
    view = given[::-1, :, ::2]
    same = host(target, call(view), dtype) == host(target, call(xp.asarray(view, copy=True)), dtype)
    assert_true(bool(same.all()), "a view gives other values")


@cases("*", dtypes=FLOATS, rows=[(n, k) for n in TRUE for k in (7, 100, 1000, 3000)])
def a_row_alone_gives_the_bits_that_it_gives_among_others(
    target: Target, dtype: str, function: str, length: int
) -> None:
    x = array(target, numbers(dtype, (9, length), seed=4), dtype)
    call = function_of(target, function)
    together = host(target, call(x), dtype)
    for row in (0, 4, 8):
        alone = host(target, call(x[row : row + 1, :]), dtype)
        assert_true(bool((alone == together[row : row + 1]).all()), "other bits", given=row)


@cases("*", dtypes=FLOATS, rows=[("softmax",), ("log_softmax",), ("logsumexp",)])
def rows_that_are_masked_altogether(target: Target, dtype: str, function: str) -> None:
    x = np.full((2, 5), -np.inf)
    x[1, 2] = 1.0
    found = function_of(target, function)(array(target, x, dtype), axis=1)
    expected = {
        "softmax": [[0.0] * 5, [0, 0, 1, 0, 0]],
        "log_softmax": [[-INFINITY] * 5, [-INFINITY, -INFINITY, 0, -INFINITY, -INFINITY]],
        "logsumexp": [-INFINITY, 1.0],
    }[function]
    require_equal(host(target, found, dtype), expected)


@cases("softmax", dtypes=FLOATS)
def nan_and_infinity_make_a_row_nan(target: Target, dtype: str) -> None:
    x = np.array([[1.0, np.nan, 2.0], [1.0, 2.0, 3.0]])
    found = host(target, function_of(target, "softmax")(array(target, x, dtype)), dtype)
    assert_true(bool(np.isnan(found[0]).all()), "NaN is lost", actual=found[0].tolist())
    assert_true(not np.isnan(found[1]).any(), "NaN in another row", actual=found[1].tolist())


@cases("l2_normalize", dtypes=FLOATS)
def norms_neither_overflow_nor_underflow(target: Target, dtype: str) -> None:
    form = FORMATS[dtype]
    x = np.array([[3.0, 4.0]]) * [[1.0], [2.0 ** (form.most - 3)], [2.0 ** (form.least + 2)], [0]]
    call = function_of(target, "l2_normalize")
    found = host(target, call(array(target, x, dtype), eps=0.0), dtype)
    true = np.array([[0.6, 0.8]] * 3 + [[0.0, 0.0]])
    require_units(found, true, dtype, LIMITS[dtype] + 1)


@cases("l2_normalize", dtypes=FLOATS)
def short_vectors_are_divided_by_eps(target: Target, dtype: str) -> None:
    x = numbers(dtype, (1, 4)) * 2.0**-6
    found = function_of(target, "l2_normalize")(array(target, x, dtype), eps=0.5)
    require_units(host(target, found, dtype), _wide(x) / 0.5, dtype, 1.0)


def _snake(x: Any, alpha: Any, beta: Any, eps: float) -> Any:
    x, alpha, beta = map(_wide, (x, alpha, beta))
    return x + np.sin(alpha * x) ** 2 / (beta + eps)


@cases("snake_beta", dtypes=FLOATS)
def snake(target: Target, dtype: str) -> None:
    x = numbers(dtype, (2, 5, 300), seed=5)
    alpha, beta = (np.abs(numbers(dtype, (5,), seed=seed)) + 0.5 for seed in (6, 7))
    alpha, beta = (rounded(v, dtype) for v in (alpha, beta))
    call = function_of(target, "snake_beta")
    found = call(*(array(target, v, dtype) for v in (x, alpha, beta)))
    true = _snake(x, alpha[:, None], beta[:, None], 1e-9)
    scale = np.maximum(np.abs(x), 1 / beta[:, None])  # the larger of what is added
    most = 0.6 if dtype in HALVES else 4.0
    require_units(host(target, found, dtype), true, dtype, most, scale=scale)


@cases("snake_beta", dtypes=HALVES)
def products_are_not_rounded_to_halves(target: Target, dtype: str) -> None:
    """alpha * x is some 300 radians, of which a half would lose the sine."""
    x = rounded(np.linspace(25.0, 31.0, 64).reshape(1, 1, 64), dtype)
    alpha = rounded(np.array([10.25]), dtype)
    call = function_of(target, "snake_beta")
    found = call(*(array(target, v, dtype) for v in (x, alpha, alpha)))
    true = _snake(x, alpha[:, None], alpha[:, None], 1e-9)
    require_units(host(target, found, dtype), true, dtype, 0.6)


@cases("snake_beta_backward", dtypes=("float64",))
def gradients_of_snake_are_differences(target: Target, dtype: str) -> None:
    rng = np.random.default_rng(8)
    grad, x = rng.standard_normal((2, 2, 3, 40))
    alpha, beta = rng.uniform(0.5, 2, (2, 3))
    call = function_of(target, "snake_beta_backward")
    found = call(*(array(target, v, dtype) for v in (grad, x, alpha, beta)))
    assert_true(isinstance(found, tuple) and len(found) == 3, "not three", actual=type(found))

    def loss(x: Any, alpha: Any, beta: Any) -> Any:
        return _wide(grad) * _snake(x, alpha[:, None], beta[:, None], 1e-9)

    step = 1e-5
    of_x = (loss(x + step, alpha, beta) - loss(x - step, alpha, beta)) / (2 * step)
    of_alpha = (loss(x, alpha + step, beta) - loss(x, alpha - step, beta)) / (2 * step)
    of_beta = (loss(x, alpha, beta + step) - loss(x, alpha, beta - step)) / (2 * step)
    true = of_x, of_alpha.sum((0, 2)), of_beta.sum((0, 2))
    for part, expected in zip(found, true, strict=True):
        require_near(host(target, part, dtype), expected.astype(np.float64), 1e-7)


@cases("*", rows=[(name,) for name in TRUE])
def wrong_axes_are_refused(target: Target, function: str) -> None:
    x = array(target, np.ones((2, 3)), "float32")
    assert_raises(lambda: function_of(target, function)(x, axis=2), IndexError, "axis 2 of two")


@cases("*", rows=[("l2_normalize",), ("snake_beta",)])
def a_negative_eps_is_refused(target: Target, function: str) -> None:
    x, one = array(target, np.ones((2, 3)), "float32"), array(target, np.ones(3), "float32")
    more = (one, one) if function == "snake_beta" else ()
    call = function_of(target, function)
    assert_raises(lambda: call(x, *more, eps=-1.0), ValueError, "eps=-1.0")
