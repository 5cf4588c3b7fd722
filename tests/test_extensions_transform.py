"""Walsh-Hadamard transforms and normalization to length 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from extension_checks import NAMES, array, bits, check_layouts, dtype_on, host, worst
from mpmath import mpf, sqrt
from scipy.linalg import hadamard

import numr_api as xp
from numr_api.extensions import dtypes, fwht, l2_normalize

INF, NAN = np.inf, np.nan
EPS = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}


@pytest.mark.parametrize("dtype_name", NAMES)
@pytest.mark.parametrize("size", [1, 2, 4, 32, 512])
def test_blocks_are_multiplied_by_hadamards_matrix(size: int, dtype_name: str, device: str):
    dtype = dtype_on(dtype_name, device)
    random = np.random.default_rng(0)
    x = array(random.standard_normal((5, 3 * size)), dtype, device)
    signs = array(random.choice([-1.0, 1.0], 3 * size), dtype, device)
    for factors in (None, signs):
        found = fwht(x, block_size=size, signs=factors)
        assert (found.dtype, found.device, found.shape) == (dtype, device, x.shape)
        given = host(x) if factors is None else host(x) * host(factors)
        blocks = given.reshape(5, 3, size)
        exact = blocks @ hadamard(size) / np.sqrt(size)
        computed = EPS["float64" if dtype_name == "float64" else "float32"]
        norm = np.linalg.norm(blocks, axis=-1, keepdims=True)
        # What is computed in float32 or better, and a single rounding to the result.
        error = abs(host(found).reshape(blocks.shape) - exact)
        rounding = EPS[dtype_name] * abs(exact) if dtype_name in ("float16", "bfloat16") else 0
        assert (error <= rounding * 1.01 + (np.log2(size) + 2) * computed * norm + 2**-25).all()


def test_the_transform_is_its_own_inverse_and_keeps_lengths(device: str):
    x = array(np.random.default_rng(1).standard_normal((3, 256)), xp.float32, device)
    once = fwht(x)
    np.testing.assert_allclose(host(fwht(once)), host(x), atol=1e-6)
    np.testing.assert_allclose(
        np.linalg.norm(host(once), axis=1), np.linalg.norm(host(x), axis=1), rtol=1e-6
    )


@pytest.mark.parametrize("dtype_name", NAMES)
@pytest.mark.parametrize("size", [1, 8, 256, 4096, 2**17])
def test_a_block_has_the_same_bits_whatever_stands_beside_it(
    size: int, dtype_name: str, device: str
):
    dtype = dtype_on(dtype_name, device)
    rows = max(2, min(300, 2**19 // size))
    x = array(np.random.default_rng(2).standard_normal((rows, size)), dtype, device)
    found = fwht(x)
    for row in (0, rows - 1):
        assert bits(fwht(x[row, :])) == bits(found[row, :])
    assert bits(fwht(xp.reshape(x, (1, -1)), block_size=size)) == bits(found)


def test_the_largest_block(device: str):
    x = xp.zeros(2**20, dtype=xp.float32, device=device)
    x[3] = 1024.0
    expected = (-1.0) ** np.asarray([(i & 3).bit_count() for i in range(2**20)])
    np.testing.assert_array_equal(host(fwht(x)), expected)


def test_a_half_is_not_rounded_between_steps(device: str):
    # 2048 + 1 is no number of float16, and the sums of the first step would lose the ones.
    x = array([2048.0, 1.0, -2048.0, 1.0], dtype_on("float16", device), device)
    assert host(fwht(x)).tolist() == [1.0, -1.0, 2048.0, 2048.0]


def test_a_transform_may_be_of_strided_arrays_and_of_none(device: str):
    x = array(np.random.default_rng(3).standard_normal((4, 8)), xp.float32, device)
    check_layouts(fwht, x)
    for shape in ((0,), (0, 8), (3, 0)):
        assert fwht(array(np.ones(shape), xp.float32, device)).shape == shape


TRANSFORMS_REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "no axis": (lambda x: fwht(x[0, 0]), ValueError, "one axis or more"),
    "zero": (lambda x: fwht(x, block_size=0), ValueError, "from 1 to 2\\*\\*20, got 0"),
    "negative": (lambda x: fwht(x, block_size=-4), ValueError, "got -4"),
    "no power": (lambda x: fwht(x, block_size=6), ValueError, "power of two"),
    "no power of an axis": (lambda x: fwht(x), ValueError, "power of two .* got 12"),
    "no divisor": (lambda x: fwht(x, block_size=8), ValueError, "do not divide"),
    "too large": (lambda x: fwht(x, block_size=2**21), ValueError, "got 2097152"),
    "float": (lambda x: fwht(x, block_size=4.0), TypeError, "must be an integer"),
    "integers": (lambda x: fwht(xp.astype(x, xp.int32)), TypeError, "real floating-point"),
    "signs": (lambda x: fwht(x, block_size=4, signs=x[0, :4]), ValueError, r"shape \(12,\)"),
    "axes of signs": (lambda x: fwht(x, block_size=4, signs=x), ValueError, r"shape \(12,\)"),
    "dtype of signs": (
        lambda x: fwht(x, block_size=4, signs=xp.astype(x[0, :], dtypes.float16)),
        TypeError,
        "one dtype",
    ),
    "list": (lambda x: fwht(x, block_size=4, signs=[1.0] * 12), TypeError, "numr_api array"),
}


@pytest.mark.parametrize(
    ("call", "error", "words"), TRANSFORMS_REFUSED.values(), ids=TRANSFORMS_REFUSED
)
def test_what_is_wrong_with_a_transform_is_said(
    call: Any, error: type[Exception], words: str, device: str
):
    with pytest.raises(error, match=words):
        call(array(np.ones((2, 12)), xp.float32, device))


# Normalization


@pytest.mark.parametrize("dtype_name", NAMES)
@pytest.mark.parametrize("size", [1, 1e-3, 100])
def test_rows_get_length_1(size: float, dtype_name: str, device: str):
    dtype = dtype_on(dtype_name, device)
    x = array(np.random.default_rng(4).standard_normal((4, 30)) * size, dtype, device)
    found = l2_normalize(x)
    assert (found.dtype, found.device) == (dtype, device)
    expected = []
    for row in host(x):
        norm = sqrt(sum(mpf(number) ** 2 for number in row))
        expected += [number / norm for number in row]
    assert worst(found, expected) <= (0.51 if dtype_name in ("float16", "bfloat16") else 3)


EXTREMES = [
    ("float16", 6e4), ("bfloat16", 1e38), ("float32", 1e38), ("float64", 1e307),
    ("bfloat16", 1e-36), ("float32", 1e-36), ("float64", 1e-305),
]  # fmt: skip


@pytest.mark.parametrize(("dtype_name", "size"), EXTREMES)
def test_a_norm_does_not_overflow_or_underflow(dtype_name: str, size: float, device: str):
    dtype = dtype_on(dtype_name, device)
    x = array(np.full((2, 16), size) * [[1], [-1]], dtype, device)
    np.testing.assert_array_equal(host(l2_normalize(x, eps=0)), [[0.25] * 16, [-0.25] * 16])


# Recorded with torch 2.13.
X = [[-6.0, -3.0, -1.5, -0.25], [0.0, 0.5, 2.0, 7.0]]
TORCH = {
    0: [
        [-1.0, -0.9863939238321437, -0.6, -0.03569153051241249],
        [0.0, 0.1643989873053573, 0.8, 0.9993628543475496],
    ],
    -1: [
        [-0.8722948370217768, -0.4361474185108884, -0.2180737092554442, -0.0363456182092407],
        [0.0, 0.06851887098275317, 0.27407548393101266, 0.9592641937585443],
    ],
}


@pytest.mark.parametrize("axis", TORCH)
def test_normalized_rows_are_those_of_torch(axis: int, device: str):
    found = l2_normalize(array(X, dtype_on("float64", device), device), axis=axis)
    np.testing.assert_allclose(host(found), TORCH[axis], rtol=1e-15)


def test_short_rows_are_divided_by_eps(device: str):
    x = array([[0, 0], [3e-13, 4e-13], [3, 4]], xp.float32, device)
    np.testing.assert_allclose(host(l2_normalize(x)), [[0, 0], [0.3, 0.4], [0.6, 0.8]], rtol=1e-6)
    np.testing.assert_allclose(host(l2_normalize(x, eps=10))[2], [0.3, 0.4], rtol=1e-6)
    assert host(l2_normalize(x, eps=0))[0].tolist() == [0, 0]


def test_rows_that_are_not_finite(device: str):
    for name in NAMES:
        dtype = dtype_on(name, device) if name != "float64" or device == "cpu" else xp.float32
        x = array([[INF, 1, -1], [NAN, 1, 0], [-INF, INF, 0]], dtype, device)
        expected = [[NAN, 0, 0], [NAN] * 3, [NAN, NAN, 0]]
        np.testing.assert_array_equal(host(l2_normalize(x)), expected)


@pytest.mark.parametrize("dtype_name", NAMES)
def test_a_row_is_normalized_as_if_it_were_alone(dtype_name: str, device: str):
    dtype = dtype_on(dtype_name, device)
    for length in (1, 100, 5000):
        x = array(np.random.default_rng(5).standard_normal((33, length)), dtype, device)
        found = l2_normalize(x)
        for row in (0, 32):
            assert bits(l2_normalize(x[row, :])) == bits(found[row, :])
        assert bits(l2_normalize(x.T, axis=0).T) == bits(found)


def test_rows_may_be_strided_and_empty(device: str):
    x = array(np.random.default_rng(6).standard_normal((6, 8)), xp.float32, device)
    check_layouts(l2_normalize, x)
    for shape in ((0,), (3, 0), (0, 3)):
        assert l2_normalize(array(np.ones(shape), xp.float32, device)).shape == shape


NORMS_REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "no axis": (lambda x: l2_normalize(x[0, 0]), IndexError, "out of bounds"),
    "axis": (lambda x: l2_normalize(x, axis=2), IndexError, "axis 2 is out of bounds"),
    "axes": (lambda x: l2_normalize(x, axis=(0, 1)), TypeError, "axis must be an integer"),
    "negative": (lambda x: l2_normalize(x, eps=-1e-9), ValueError, "must not be negative"),
    "infinite": (lambda x: l2_normalize(x, eps=INF), ValueError, "must be finite"),
    "complex": (lambda x: l2_normalize(x, eps=1j), TypeError, "real number"),
    "array": (lambda x: l2_normalize(x, eps=x), TypeError, "a real number as eps"),
    "integers": (lambda x: l2_normalize(xp.astype(x, xp.int32)), TypeError, "real floating"),
}


@pytest.mark.parametrize(("call", "error", "words"), NORMS_REFUSED.values(), ids=NORMS_REFUSED)
def test_what_is_wrong_with_a_norm_is_said(
    call: Any, error: type[Exception], words: str, device: str
):
    with pytest.raises(error, match=words):
        call(array(np.ones((2, 12)), xp.float32, device))
