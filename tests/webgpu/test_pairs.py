"""Integers on webgpu: 64 bits as pairs of words, and what WGSL's own operators leave undone."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from wgsl_kernel import NATIVE_64, device, evaluate

Ints = np.ndarray[Any, Any]

RANDOM = 20_000
NATIVE = {"int32": "i32", "uint32": "u32", "int64": "native_i64", "uint64": "native_u64"}


@cache
def samples(dtype: str, few: bool = False) -> Ints:
    """Powers of two and their neighbours of either sign, and numbers of every magnitude."""
    bounds = np.iinfo(dtype)
    powers = {0, 7, 8, 15, 16, 31, 32, 33, 47, 48, 63, 64} if few else range(65)
    edges = {sign * (1 << k) + d for k in powers for d in (-1, 0, 1) for sign in (-1, 1)}
    edges |= {3, 5, 10, 0xFFFF0000, 0xFFFF_0000_FFFF, 0x7FFF_8000_0000_0000, 0x8000_0000_FFFF_0000}
    kept = [x for x in sorted(edges) if bounds.min <= x <= bounds.max]
    return np.array(kept, dtype)


@cache
def drawn(dtype: str, seed: int) -> Ints:
    random = np.random.default_rng(seed)
    bits = np.iinfo(dtype).bits
    words = random.integers(0, 2**64, RANDOM, np.uint64)
    # Whole runs of zeros and ones are what carries and quotient digits go wrong at.
    runs = words & np.roll(words, 1) & np.roll(words, 2) & np.roll(words, 3)
    words = np.where(random.random(RANDOM) < 0.3, runs, words)
    words = np.where(random.random(RANDOM) < 0.2, ~runs, words)
    words = words >> random.integers(64 - bits, 64, RANDOM).astype(np.uint64)
    return np.where(random.random(RANDOM) < 0.5, words, 0 - words).astype(dtype)


@cache
def pairs(dtype: str) -> tuple[Ints, Ints]:
    """Every pair of the few edges, and random pairs."""
    x, y = (m.ravel() for m in np.meshgrid(samples(dtype, True), samples(dtype, True)))
    return np.concatenate([x, drawn(dtype, 1)]), np.concatenate([y, drawn(dtype, 2)])


def singles(dtype: str) -> Ints:
    return np.concatenate([samples(dtype), drawn(dtype, 3)])


def exact(function: Callable[..., int], *operands: Ints, dtype: Any) -> Ints:
    """A function of Python's integers, element by element, its results modulo 2 to the width."""
    found = [function(*row) for row in zip(*(x.tolist() for x in operands), strict=True)]
    if dtype is bool:
        return np.array(found, bool)
    bits = np.iinfo(dtype).bits
    return np.array([value % (1 << bits) for value in found], f"uint{bits}").view(dtype)


def check(
    expression: str, function: Callable[..., Any], *operands: Ints, dtype: Any, native: bool = False
) -> None:
    found = evaluate(expression, *operands, dtype=dtype, native=native)
    expected = exact(function, *operands, dtype=dtype)
    wrong = np.flatnonzero(found != expected)[:5]
    examples = [(*(x[k] for x in operands), found[k], expected[k]) for k in wrong]
    assert not examples, f"{expression}: operands, found, expected: {examples}"


def floor_divide(x: int, y: int) -> int:
    return x // y if y else 0


def remainder(x: int, y: int) -> int:
    return x % y if y else 0


def shift_left(x: int, n: int) -> int:
    return x << n if 0 <= n < 64 else 0


def shift_right(x: int, n: int) -> int:
    return x >> (n if 0 <= n < 64 else 64)


def power(x: int, n: int) -> int:
    return pow(x, n, 1 << 64)


def sign(x: int) -> int:
    return (x > 0) - (x < 0)


BOTH = ("int64", "uint64")
BINARY: dict[str, tuple[Callable[[int, int], Any], tuple[str, ...]]] = {
    "add_pair": (operator.add, BOTH),
    "subtract_pair": (operator.sub, BOTH),
    "multiply_pair": (operator.mul, BOTH),
    "and_pair": (operator.and_, BOTH),
    "or_pair": (operator.or_, BOTH),
    "xor_pair": (operator.xor, BOTH),
    "minimum_i64": (min, ("int64",)),
    "minimum_u64": (min, ("uint64",)),
    "maximum_i64": (max, ("int64",)),
    "maximum_u64": (max, ("uint64",)),
    "floor_divide_i64": (floor_divide, ("int64",)),
    "divide_u64": (floor_divide, ("uint64",)),
    "remainder_i64": (remainder, ("int64",)),
    "remainder_u64": (remainder, ("uint64",)),
    "equal_pair": (operator.eq, BOTH),
    "less_i64": (operator.lt, ("int64",)),
    "less_u64": (operator.lt, ("uint64",)),
}
UNARY: dict[str, tuple[Callable[[int], Any], tuple[str, ...]]] = {
    "negative_pair": (operator.neg, BOTH),
    "square_pair": (lambda x: x * x, BOTH),
    "not_pair": (operator.invert, BOTH),
    "abs_i64": (abs, ("int64",)),
    "sign_i64": (sign, ("int64",)),
    "sign_u64": (sign, ("uint64",)),
    "bool_from_pair": (bool, BOTH),
    "is_negative_i64": (lambda x: x < 0, ("int64",)),
}
PREDICATES = {"equal_pair", "less_i64", "less_u64", "bool_from_pair", "is_negative_i64"}


@pytest.mark.parametrize(("name", "dtype"), [(n, d) for n in BINARY for d in BINARY[n][1]])
def test_pairs_equal_python_integers(name: str, dtype: str) -> None:
    result = bool if name in PREDICATES else dtype
    check(f"{name}(x, y)", BINARY[name][0], *pairs(dtype), dtype=result)


@pytest.mark.parametrize(("name", "dtype"), [(n, d) for n in UNARY for d in UNARY[n][1]])
def test_functions_of_one_pair(name: str, dtype: str) -> None:
    result = bool if name in PREDICATES else dtype
    check(f"{name}(x)", UNARY[name][0], singles(dtype), dtype=result)


@pytest.mark.parametrize(("dtype", "suffix"), [("int64", "i64"), ("uint64", "u64")])
def test_division_beside_multiples_of_the_divisor(dtype: str, suffix: str) -> None:
    # Here a quotient digit that is 1 off shows, and here estimates of digits are off most often.
    divisor, quotient = pairs(dtype)
    x = divisor * quotient
    x = np.concatenate([x, x - np.array(1, dtype), x + divisor, x - divisor + np.array(1, dtype)])
    y = np.tile(divisor, 4)
    name = {"i64": "floor_divide", "u64": "divide"}[suffix]
    check(f"{name}_{suffix}(x, y)", floor_divide, x, y, dtype=dtype)
    check(f"remainder_{suffix}(x, y)", remainder, x, y, dtype=dtype)


def counts(dtype: str, size: int) -> Ints:
    """Shift counts: mostly within the width, but also at it, far beyond it and negative."""
    random = np.random.default_rng(4)
    near = random.integers(0, 70, size).astype(dtype)
    return np.where(random.random(size) < 0.9, near, random.choice(samples(dtype), size))


@pytest.mark.parametrize(
    ("name", "function", "dtype"),
    [
        ("shift_left_pair", shift_left, "int64"),
        ("shift_left_pair", shift_left, "uint64"),
        ("shift_right_i64", shift_right, "int64"),
        ("shift_right_u64", shift_right, "uint64"),
    ],
)
def test_shifts_of_pairs(name: str, function: Callable[..., int], dtype: str) -> None:
    x = np.concatenate([np.repeat(samples(dtype), 66), drawn(dtype, 3)])
    n = counts(dtype, x.size)
    n[: 66 * samples(dtype).size] = np.tile(np.arange(66, dtype=dtype), samples(dtype).size)
    check(f"{name}(x, y)", function, x, n, dtype=dtype)


@pytest.mark.parametrize("dtype", BOTH)
def test_powers_of_pairs_wrap(dtype: str) -> None:
    x = singles(dtype)
    n = np.abs(counts(dtype, x.size))
    n[n < 0] = 0
    check("power_pair(x, y)", power, x, n, dtype=dtype)


@pytest.mark.parametrize(("dtype", "suffix"), [("int64", "i64"), ("uint64", "u64")])
def test_clamp_prefers_the_upper_bound(dtype: str, suffix: str) -> None:
    x, low = pairs(dtype)
    expression = f"clamp_{suffix}(x, y, z)"
    check(expression, lambda a, b, c: min(max(a, b), c), x, low, np.roll(x, 7), dtype=dtype)


def test_leading_zeros() -> None:
    bits = "vec2<u32>(count_leading_zeros_pair(x), 0u)"
    check(bits, lambda x: 64 - x.bit_length(), singles("uint64"), dtype="uint64")


def test_long_product_keeps_all_bits() -> None:
    check("long_product_u32(x, y)", operator.mul, *pairs("uint32"), dtype="uint64")


def test_sort_key_orders_signed_as_unsigned() -> None:
    x = np.sort(singles("int64"))
    keys = evaluate("sort_key_i64(x)", x, dtype="uint64")
    assert np.array_equal(keys, np.sort(keys))
    assert np.array_equal(evaluate("sort_key_i64(x)", keys, dtype="int64"), x)


# Conversions.


@pytest.mark.parametrize(
    ("expression", "source", "target"),
    [
        ("pair_from_u32(x)", "uint32", "uint64"),
        ("pair_from_u32(x)", "uint32", "int64"),
        ("pair_from_i32(x)", "int32", "int64"),
        ("pair_from_i32(x)", "int32", "uint64"),
        ("u32_from_pair(x)", "int64", "uint32"),
        ("u32_from_pair(x)", "uint64", "uint32"),
        ("i32_from_pair(x)", "int64", "int32"),
        ("i32_from_pair(x)", "uint64", "int32"),
        ("wrap_i8(x)", "int32", "int8"),
        ("wrap_i16(x)", "int32", "int16"),
        ("wrap_u8(x)", "uint32", "uint8"),
        ("wrap_u16(x)", "uint32", "uint16"),
    ],
)
def test_conversions_between_integers(expression: str, source: str, target: str) -> None:
    x = singles(source)
    stored = source if expression.startswith("wrap") else target
    assert np.array_equal(evaluate(expression, x, dtype=stored), x.astype(target))


def test_conversion_from_bool() -> None:
    x = np.array([0, 1, 5], np.uint32)
    assert evaluate("pair_from_bool(x != 0u)", x, dtype="int64").tolist() == [0, 1, 1]


@pytest.mark.parametrize(("dtype", "suffix"), [("int64", "i64"), ("uint64", "u64")])
def test_conversion_to_float32_rounds_to_nearest_even(dtype: str, suffix: str) -> None:
    # Halfway between two float32, and one beside it; there, rounding in two steps goes wrong.
    random = np.random.default_rng(5)
    leading = random.integers(1 << 23, 1 << 24, RANDOM, np.uint64) << np.uint64(1) | np.uint64(1)
    shifts = random.integers(0, 39, RANDOM).astype(np.uint64)
    ties = leading << shifts
    one = np.uint64(1)
    bits = [singles(dtype).astype(np.uint64), ties, ties + one, ties - one, 0 - ties]
    x = np.concatenate(bits).astype(dtype)
    found = evaluate(f"f32_from_{suffix}(x)", x, dtype="float32")
    assert np.array_equal(found.view(np.uint32), x.astype(np.float32).view(np.uint32))


@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        ("i64_from_f32", "int64"),
        ("u64_from_f32", "uint64"),
        ("i32_from_f32", "int32"),
        ("u32_from_f32", "uint32"),
    ],
)
def test_conversion_of_float32_truncates_and_saturates(function: str, dtype: str) -> None:
    random = np.random.default_rng(6)
    bits = random.integers(0, 2**32, RANDOM, np.uint32)
    whole = singles("int64").astype(np.float32)
    edges = np.array([0.5, 0.99999994, 1, 1.5, 2**31, 2**32, 2**63, 2**64, np.inf], np.float32)
    special = np.array([np.nan, -0.0], np.float32)
    near = np.concatenate([edges, np.nextafter(edges, np.float32(0))])
    x = np.concatenate([near, -near, whole, whole / 8, bits.view(np.float32), special])
    bounds = np.iinfo(dtype)

    def expected(value: float) -> int:
        if value != value:
            return 0
        return int(min(max(value, bounds.min), bounds.max))

    check(f"{function}(x)", expected, x, dtype=dtype)


# Integers of the device.

NATIVE_BINARY: dict[str, Callable[[Ints, Ints], Ints]] = {
    "floor_divide": np.floor_divide,
    "remainder": np.remainder,
    "shift_left": np.left_shift,
    "shift_right": np.right_shift,
    "power": np.power,
}


def needs_native(dtype: str) -> bool:
    """Whether the dtype has 64 bits, which not every device has."""
    if dtype in BOTH and NATIVE_64 not in device().features:
        pytest.skip("the device has no integers of 64 bits")
    return dtype in BOTH


@pytest.mark.parametrize("dtype", NATIVE)
@pytest.mark.parametrize("name", NATIVE_BINARY)
def test_native_integers_equal_numpy(name: str, dtype: str) -> None:
    native = needs_native(dtype)
    x, y = pairs(dtype)
    if name == "power":
        y = np.where(y < 0, ~y, y)
    elif name.startswith("shift"):
        y = np.concatenate([y[:-RANDOM], counts(dtype, RANDOM)])
    with np.errstate(all="ignore"):
        expected = NATIVE_BINARY[name](x, y)
    found = evaluate(f"{name}_{NATIVE[dtype]}(x, y)", x, y, dtype=dtype, native=native)
    wrong = np.flatnonzero(found != expected)[:5]
    assert not wrong.size, list(zip(x[wrong], y[wrong], found[wrong], expected[wrong], strict=True))


@pytest.mark.parametrize("dtype", NATIVE)
@pytest.mark.parametrize(("name", "function"), [("sign", sign), ("abs", abs)])
def test_sign_and_magnitude_of_native(name: str, function: Callable[..., int], dtype: str) -> None:
    native = needs_native(dtype)
    expression = f"{name}_{NATIVE[dtype]}(x)"
    check(expression, function, singles(dtype), dtype=dtype, native=native)


NARROW = {"int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}
NARROW_BINARY: dict[str, tuple[str, Callable[[Ints, Ints], Ints]]] = {
    "add": ("x + y", np.add),
    "subtract": ("x - y", np.subtract),
    "multiply": ("x * y", np.multiply),
    "floor_divide": ("floor_divide_{0}(x, y)", np.floor_divide),
    "remainder": ("remainder_{0}(x, y)", np.remainder),
    "shift_left": ("shift_left_{0}(x, y)", np.left_shift),
    "shift_right": ("shift_right_{0}(x, y)", np.right_shift),
    "power": ("power_{0}(x, y)", np.power),
    "invert": ("~x", lambda x, y: ~x),
    "negative": ("{0}(0) - x", lambda x, y: -x),
    "abs": ("abs_{0}(x)", lambda x, y: np.abs(x)),
    "sign": ("sign_{0}(x)", lambda x, y: np.sign(x)),
}


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("name", NARROW_BINARY)
def test_narrow_integers_are_the_low_bits_of_wide_ones(name: str, dtype: str) -> None:
    wide, bounds = NARROW[dtype], np.iinfo(dtype)
    expression, function = NARROW_BINARY[name]
    # Each of the 256 bytes; of 16 bits, 256 numbers from the least to the greatest.
    values = np.linspace(bounds.min, bounds.max, 256).astype(dtype)
    x, y = (m.ravel() for m in np.meshgrid(values, values))
    if name == "power":
        y = np.where(y < 0, ~y, y)
    with np.errstate(all="ignore"):
        expected = function(x, y).astype(wide)
    wrap = f"wrap_{bounds.kind}{bounds.bits}"
    text = f"{wrap}({expression.format(NATIVE[wide])})"
    found = evaluate(text, x.astype(wide), y.astype(wide), dtype=wide)
    assert np.array_equal(found, expected)
