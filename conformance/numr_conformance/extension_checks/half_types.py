"""float16, bfloat16 and the floats of 8 bits: conversions, promotion, one rounding at the end."""

from __future__ import annotations

from typing import Any

import numpy as np

from numr_conformance.checks._tools import Cases, assert_raises, assert_true
from numr_conformance.extension_checks._tools import (
    FORMATS,
    HALVES,
    Format,
    array,
    dtype_of,
    exactly,
    host,
    mpmath,
    numbers,
    require_equal,
    require_units,
    rounded,
)
from numr_conformance.target import Target

cases = Cases("extensions.half_types", "half_types", seconds=60.0)
checks = cases.checks

EIGHTHS = {"float8_e4m3fn": Format(4, -6, 8), "float8_e5m2": Format(3, -14, 15)}

UNARY = ("exp", "expm1", "log1p", "sin", "cos", "tan", "tanh", "sinh", "cosh", "atan", "asinh",
         "sqrt", "log", "log2", "log10")  # fmt: skip
EXACT = ("abs", "negative", "square", "floor", "ceil", "trunc", "round", "sign", "reciprocal")
BINARY = ("add", "subtract", "multiply", "divide", "hypot", "maximum", "minimum", "copysign")


def all_numbers(dtype: str) -> Any:
    """Every finite number of a half that is not subnormal, and zero."""
    form = FORMATS[dtype]
    significands = np.arange(2 ** (form.precision - 1)) / 2.0 ** (form.precision - 1) + 1
    found = np.ldexp(significands, np.arange(form.least, form.most + 1)[:, None]).reshape(-1)
    return np.concatenate([-found[::-1], [0.0], found])


@cases("astype", dtypes=HALVES)
def every_number_is_kept_by_wider_dtypes(target: Target, dtype: str) -> None:
    x = all_numbers(dtype)
    given, xp = array(target, x, dtype), target.xp
    for wide in ("float32", "float64"):
        if wide in target.dtypes:
            found = xp.astype(given, target.dtype(wide))
            require_equal(host(target, found, wide), x)
            require_equal(host(target, xp.astype(found, dtype_of(target, dtype)), dtype), x)


@cases("astype", dtypes=HALVES, rows=[("float32",), ("float64",)])
def halfway_between_two_numbers_the_even_one_is_taken(
    target: Target, dtype: str, source: str
) -> None:
    """And beside it, the nearest: numbers are rounded once."""
    x = all_numbers(dtype)
    x = x[:: max(len(x) // 3000, 1)]
    middle = x + np.ldexp(1.0, np.maximum(np.frexp(x)[1] - 1, FORMATS[dtype].least)
                          - FORMATS[dtype].precision)  # fmt: skip
    beside = np.dtype(source).type
    points = np.concatenate([
        middle,
        np.nextafter(middle.astype(beside), beside(np.inf)).astype(np.float64),
        np.nextafter(middle.astype(beside), beside(-np.inf)).astype(np.float64),
    ])  # fmt: skip
    points = points[np.abs(points) >= 2.0 ** FORMATS[dtype].least]
    target.dtype(source)
    found = target.xp.astype(array(target, points, source), dtype_of(target, dtype))
    require_equal(host(target, found, dtype), rounded(points, dtype))


@cases("astype", dtypes=HALVES, rows=[("int64",), ("uint64",), ("int32",)])
def integers_are_rounded_once(target: Target, dtype: str, source: str) -> None:
    bits = np.iinfo(source).bits - (source[0] == "i")
    values = [
        sign * ((257 << power >> 8) + near)
        for power in range(8, bits - 1)
        for near in (-1, 0, 1)
        for sign in ((1, -1) if source[0] == "i" else (1,))
    ]
    true = [_nearest(value, FORMATS[dtype]) for value in values]
    given = target.array(np.array(values, source))
    found = target.xp.astype(given, dtype_of(target, dtype))
    require_equal(host(target, found, dtype), true)


def _nearest(value: int, form: Format) -> float:
    """An integer rounded by integers."""
    size = abs(value)
    cut = max(size.bit_length() - form.precision, 0)
    kept, rest = size >> cut, size & ((1 << cut) - 1)
    half = 1 << cut >> 1
    kept += cut > 0 and (rest > half or (rest == half and kept % 2 == 1))
    found = kept << cut
    result = float(found) if found <= form.largest else np.inf
    return -result if value < 0 else result


@cases("astype", rows=[(name,) for name in EIGHTHS])
def floats_of_8_bits(target: Target, name: str) -> None:
    """Every number of theirs, and between two of them."""
    form = EIGHTHS[name]
    places = np.arange(form.least, form.most + 1)[:, None]
    significands = np.arange(2 ** (form.precision - 1)) / 2.0 ** (form.precision - 1) + 1
    x = np.ldexp(significands, places).reshape(-1)
    x = x[x <= (448 if name == "float8_e4m3fn" else np.inf)]
    between = x[:-1] + 0.3 * np.diff(x)
    dtype, xp = dtype_of(target, name), target.xp
    for given, expected in ((x, x), (between, x[:-1]), (-x, -x)):
        there = xp.astype(array(target, given, "float32"), dtype)
        assert_true(there.dtype == dtype, "another dtype", actual=there.dtype)
        require_equal(host(target, xp.astype(there, target.dtype("float32")), "float32"), expected)
    far = xp.astype(array(target, [1e6, np.inf, np.nan], "float32"), dtype)
    beyond = np.nan if name == "float8_e4m3fn" else np.inf
    back = host(target, xp.astype(far, target.dtype("float32")), "float32")
    require_equal(back, [beyond, beyond, np.nan])


@cases("astype", rows=[(name,) for name in EIGHTHS])
def floats_of_8_bits_move_and_compare_but_are_not_added(target: Target, name: str) -> None:
    xp, dtype = target.xp, dtype_of(target, name)
    host_x = np.array([[1.0, 2.0, -4.0], [0.5, 0.0, 8.0]])
    x = xp.astype(array(target, host_x, "float32"), dtype)

    def back(y: Any) -> Any:
        return host(target, xp.astype(y, target.dtype("float32")), "float32")

    require_equal(back(xp.flip(x)), np.flip(host_x))
    require_equal(back(xp.concat([x, x[:, ::-1]], axis=0)), np.r_[host_x, host_x[:, ::-1]])
    require_equal(back(xp.where(x == x, x, x)), host_x)
    taken = xp.take(x, target.array(np.array([2, 0])), axis=1)
    require_equal(back(taken), host_x[:, [2, 0]])
    assert_raises(lambda: x + x, TypeError, f"{name} + {name}")
    assert_raises(lambda: xp.sum(x), TypeError, f"sum of {name}")


@cases("result_type", dtypes=HALVES)
def promotion(target: Target, dtype: str) -> None:
    xp, half = target.xp, dtype_of(target, dtype)
    other = dtype_of(target, HALVES[dtype == HALVES[0]])
    x = array(target, [1.0, 2.0], dtype)
    assert_true(xp.result_type(half, half) == half, "another dtype")
    assert_true((x + 1.5).dtype == half, "a Python float changes the dtype")
    for wide in ("float32", "float64", "complex64"):
        if wide in target.dtypes:
            found = xp.result_type(half, target.dtype(wide))
            assert_true(found == target.dtype(wide), "another dtype", given=wide, actual=found)
    assert_raises(lambda: xp.result_type(half, other), TypeError, f"{half} and {other}")
    assert_raises(lambda: x + array(target, [1.0, 2.0], str(other)), TypeError, "their sum")
    assert_raises(lambda: xp.result_type(half, xp.int32), TypeError, "with int32")


@cases("*", dtypes=HALVES, rows=[(name,) for name in UNARY])
def functions_are_rounded_once(target: Target, dtype: str, function: str) -> dict[str, float]:
    x = np.abs(numbers(dtype, (300,), scale=3.0)) + 2.0**-6
    x = rounded(x, dtype)
    call = {"log2": lambda x: mpmath().log(x, 2)}.get(function) or getattr(mpmath(), function)
    found = host(target, target.find(function)(array(target, x, dtype)), dtype)
    return require_units(found, exactly(call, x), dtype, 0.51, given=x)


@cases("*", dtypes=HALVES, rows=[(name,) for name in EXACT])
def exact_functions(target: Target, dtype: str, function: str) -> None:
    x = numbers(dtype, (300,), scale=3.0)
    true = getattr(np, {"round": "rint"}.get(function, function))(x)
    found = host(target, target.find(function)(array(target, x, dtype)), dtype)
    require_equal(found, rounded(true, dtype), given=x)


@cases("*", dtypes=HALVES, rows=[(name,) for name in BINARY])
def functions_of_two(target: Target, dtype: str, function: str) -> None:
    x, y = (numbers(dtype, (300,), seed=seed, scale=3.0) for seed in (1, 2))
    found = host(target, target.find(function)(*(array(target, v, dtype) for v in (x, y))), dtype)
    with np.errstate(all="ignore"):
        true = getattr(np, function)(x.astype(np.longdouble), y.astype(np.longdouble))
    require_units(found, true, dtype, 0.51, given=x)


@cases("*", dtypes=HALVES, rows=[("sum",), ("mean",), ("cumulative_sum",)])
def sums_are_kept_in_float32(target: Target, dtype: str, function: str) -> None:
    """A thousand numbers near 1: in a half, sums would stop growing, or lose their last digits."""
    x = rounded(1 + numbers(dtype, (1000,), seed=5) / 8, dtype)
    found = host(target, target.find(function)(array(target, x, dtype)), dtype)
    true = {"sum": x.sum(), "mean": x.mean(), "cumulative_sum": x.cumsum()}[function]
    require_units(found, true, dtype, 0.6)


@cases("matmul", dtypes=HALVES)
def products_are_kept_in_float32(target: Target, dtype: str) -> None:
    x, y = numbers(dtype, (4, 2000), seed=6), numbers(dtype, (2000, 5), seed=7)
    y[1000:] = -y[:1000] * (1 - 2.0**-5)  # terms that cancel but for a small part
    x[:, 1000:] = x[:, :1000]
    y = rounded(y, dtype)
    found = target.xp.matmul(array(target, x, dtype), array(target, y, dtype))
    true = x.astype(np.longdouble) @ y.astype(np.longdouble)
    scale = (np.abs(x) @ np.abs(y)) * 2.0 ** (FORMATS[dtype].precision - 20)
    require_units(host(target, found, dtype), true, dtype, 0.6, scale=scale)


@cases("sort", dtypes=HALVES)
def order(target: Target, dtype: str) -> None:
    x = np.concatenate([numbers(dtype, (200,)), [np.nan, np.inf, -np.inf, 0.0, 1.0, 1.0]])
    xp, given = target.xp, array(target, x, dtype)
    require_equal(host(target, xp.sort(given), dtype), np.sort(x))
    places = target.host(xp.argsort(given)).astype(int)
    require_equal(places.astype(np.float64), np.argsort(x, stable=True))


@cases("nextafter", dtypes=HALVES)
def the_next_number_is_the_halfs(target: Target, dtype: str) -> None:
    x = all_numbers(dtype)[::97]
    x = x[np.abs(x) > 2.0 ** FORMATS[dtype].least]
    up = array(target, np.full(x.shape, np.inf), dtype)
    found = host(target, target.xp.nextafter(array(target, x, dtype), up), dtype)
    unit = np.ldexp(1.0, np.frexp(x)[1] - FORMATS[dtype].precision)
    below_power = (x < 0) & (np.frexp(x)[0] == -0.5)
    require_equal(found, rounded(x + np.where(below_power, unit / 2, unit), dtype), given=x)


@cases("linalg.inv", dtypes=HALVES)
def linear_algebra_refuses_them(target: Target, dtype: str) -> None:
    x = array(target, np.eye(2), dtype)
    assert_raises(lambda: target.xp.linalg.inv(x), TypeError, f"inv of {dtype}")
