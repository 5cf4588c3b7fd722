"""New arrays: filled, ranges, triangles and grids; from data see ``test_asarray.py``."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._dtypes import BY_NAME, STANDARD, DType

NUMERIC = [dtype for dtype in STANDARD if dtype.kind != "b"]
FLOATS = [dtype for dtype in STANDARD if dtype.kind == "f"]


def values(x: Any) -> Any:
    return np.asarray(x).tolist()


# --- filled ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), 3, (2, 3), (0,), (2, 0, 3), [2]], ids=str)
@pytest.mark.parametrize("dtype", [None, *STANDARD], ids=str)
def test_filled_arrays(dtype: DType | None, shape: Any) -> None:
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    for function, value in [(xp.zeros, 0), (xp.ones, 1), (xp.empty, None)]:
        x = function(shape, dtype=dtype)
        assert (x.shape, x.dtype) == (lengths, dtype or xp.float64)
        assert value is None or np.array_equal(np.asarray(x), np.full(lengths, value))
        like = {xp.zeros: xp.zeros_like, xp.ones: xp.ones_like, xp.empty: xp.empty_like}[function]
        y = like(xp.ones(shape, dtype=xp.int8), dtype=dtype)
        assert (y.shape, y.dtype) == (lengths, dtype or xp.int8)
        assert value is None or np.array_equal(np.asarray(y), np.asarray(x))


@pytest.mark.parametrize(
    ("value", "dtype"), [(True, xp.bool), (2, xp.int64), (2.5, xp.float64), (1j, xp.complex128)]
)
def test_full_takes_the_default_dtype_of_the_kind(value: complex, dtype: DType) -> None:
    x = xp.full((2, 2), value)
    assert x.dtype is dtype
    assert values(x) == [[value] * 2] * 2
    assert values(xp.full_like(x, value)) == values(x)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_full_keeps_the_sign_of_zero_and_nan(dtype: DType) -> None:
    for x in (xp.full(3, -0.0, dtype=dtype), xp.full_like(xp.ones(3, dtype=dtype), -0.0)):
        assert np.signbit(np.asarray(x)).all()
    assert np.isnan(np.asarray(xp.full((), math.nan, dtype=dtype)))
    parts = np.asarray(xp.full((), complex(-0.0, -0.0)))
    assert np.signbit(parts.real)
    assert np.signbit(parts.imag)


def test_full_holds_the_extremes_of_integers_and_refuses_more() -> None:
    for value in (0, 2**64 - 1):
        assert values(xp.full(2, value, dtype=xp.uint64)) == [value] * 2
    for value, dtype in [(2**64, xp.uint64), (-1, xp.uint8), (2**63, None), (-129, xp.int8)]:
        with pytest.raises(OverflowError, match="full"):
            xp.full(2, value, dtype=dtype)


def test_filled_arrays_can_be_written_to() -> None:
    for x in (xp.zeros(2), xp.ones(2), xp.full(2, 5.0), xp.eye(1, 2)[0, ...], xp.arange(2.0)):
        x[0] = 7
        assert float(x[0]) == 7


# --- ranges ---------------------------------------------------------------------------------------

INTEGER_RANGES = [(5,), (0,), (-3,), (2, 7), (7, 2), (2, 9, 3), (9, 2, -3), (2, 9, -3), (9, 2, 3),
                  (2**53, 2**53 + 5), (2**62, 2**63 - 1, 2**60), (-(2**63), -(2**63) + 3),
                  (2**63 - 1, -(2**63), -(2**62)), (0, 1, 10**30), (5, 4, -(10**30)),
                  (-(2**63), 2**63 - 1, 2**63 - 1)]  # fmt: skip


@pytest.mark.parametrize("arguments", INTEGER_RANGES, ids=str)
def test_arange_of_integers_is_pythons_range(arguments: tuple[int, ...]) -> None:
    x = xp.arange(*arguments)
    assert x.dtype is xp.int64
    assert values(x) == list(range(*arguments))


@pytest.mark.parametrize(
    ("arguments", "dtype"),
    [((2**64 - 3, 2**64), "uint64"), ((2**64 - 1, -1, -(2**62)), "uint64"), ((0, 256), "uint8"),
     ((127, -129, -1), "int8"), ((3,), "float32"), ((0, 10, 3), "float64"), ((5, 0, -2), "uint16")],
)  # fmt: skip
def test_arange_of_integers_in_other_dtypes(arguments: tuple[int, ...], dtype: str) -> None:
    x = xp.arange(*arguments, dtype=BY_NAME[dtype])
    assert x.dtype is BY_NAME[dtype]
    assert values(x) == list(range(*arguments))


@pytest.mark.parametrize(
    ("arguments", "dtype"),
    [
        ((257,), "uint8"),
        ((0, -2, -1), "uint64"),
        ((2**63, 2**63 + 2), "int64"),
        ((-129, 0), "int8"),
    ],
)
def test_arange_beyond_the_range_of_the_dtype_is_refused(
    arguments: tuple[int, ...], dtype: str
) -> None:
    """The last number counts, not the end, which is not included."""
    with pytest.raises(OverflowError, match="arange"):
        xp.arange(*arguments, dtype=BY_NAME[dtype])


@pytest.mark.parametrize(
    "arguments",
    [(1.5,), (0.0, 1.0, 0.25), (1.0, 0.0, -0.25), (0.0, 1.0, -0.25), (-2.5, 2.5), (1, 2, 0.125),
     (0.0, 1.0, 0.3), (1e300, 3e300, 1e300), (0.5, 0.5)],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("dtype", [None, *FLOATS], ids=str)
def test_arange_of_floats(arguments: tuple[float, ...], dtype: DType | None) -> None:
    """As many numbers as fit, each start + i * step, rounded."""
    start, stop = arguments[:2] if len(arguments) > 1 else (0, *arguments)
    step = Fraction(arguments[2] if len(arguments) > 2 else 1)
    count = max(0, math.ceil((Fraction(stop) - Fraction(start)) / step))
    x = xp.arange(*arguments, dtype=dtype)
    assert x.dtype is (dtype or xp.float64)
    expected = np.asarray([float(Fraction(start) + i * step) for i in range(count)])
    with np.errstate(over="ignore"):
        expected = expected.astype(np.dtype(x.dtype))
    assert np.allclose(np.asarray(x), expected, rtol=4 * xp.finfo(x.dtype).eps, atol=0)


@pytest.mark.parametrize("dtype", [None, xp.float32], ids=str)
@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 2, 7, 50])
@pytest.mark.parametrize("ends", [(0, 1), (2.5, -1.0), (-3, 9), (0.1, 0.3)], ids=str)
def test_linspace(ends: tuple[float, float], num: int, endpoint: bool, dtype: Any) -> None:
    x = np.asarray(xp.linspace(*ends, num, endpoint=endpoint, dtype=dtype))
    start, stop = map(Fraction, ends)
    gaps = max(num - endpoint, 1)
    expected = np.asarray([float(start + (stop - start) * i / gaps) for i in range(num)])
    scale = max(map(abs, ends))
    assert x.dtype == np.dtype(dtype or xp.float64)
    assert np.allclose(x, expected, rtol=0, atol=2 * np.finfo(x.dtype).eps * scale)
    if num:
        assert x[0] == x.dtype.type(ends[0])  # the ends are exact
    if num > 1 and endpoint:
        assert x[-1] == x.dtype.type(ends[1])


@pytest.mark.parametrize("limit", [1e308, 1.7e308])
def test_linspace_of_a_range_that_overflows(limit: float) -> None:
    exact = [-limit, -limit / 2, 0, limit / 2, limit]
    assert values(xp.linspace(-limit, limit, 5)) == pytest.approx(exact, rel=4e-16)
    x = values(xp.linspace(-limit, limit, 4, endpoint=False))
    assert x == pytest.approx(exact[:4], rel=4e-16)
    corner = complex(limit, -limit)
    assert values(xp.linspace(-corner, corner, 3)) == [-corner, 0, corner]


@pytest.mark.parametrize("dtype", [xp.int8, xp.uint8, xp.int16, xp.uint32, xp.int64, xp.uint64])
def test_linspace_of_integers_is_rounded_down(dtype: DType) -> None:
    x = xp.linspace(0.5, 7, 9, dtype=dtype)
    assert x.dtype is dtype
    assert values(x) == [math.floor(value) for value in values(xp.linspace(0.5, 7, 9))]
    assert values(xp.linspace(0, 3, 3, dtype=dtype, endpoint=False)) == [0, 1, 2]


DEVICES = [str(device) for device in xp.__array_namespace_info__().devices()]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("start", "stop", "num", "dtype"),
    [
        (0, 2**63 - 1, 2, xp.int64), (-(2**63), 2**63 - 1, 4, xp.int64),
        (0, 2**64 - 1, 3, xp.uint64), (2**24 + 1, 2**24 + 3, 3, xp.int32),
        (127, -128, 7, xp.int8), (255, 0, 4, xp.uint8),
        (3, 3, 3, xp.int16), (0, 10**6, 1001, xp.int64), (5, 9, 1, xp.int64), (5, 9, 0, xp.int64),
    ],
)  # fmt: skip
@pytest.mark.parametrize("endpoint", [True, False])
def test_linspace_between_integers_is_exact(
    start: int, stop: int, num: int, dtype: DType, endpoint: bool, device: str
) -> None:
    x = xp.linspace(start, stop, num, dtype=dtype, endpoint=endpoint, device=device)
    steps = max(1, num - endpoint)
    expected = [start + (stop - start) * i // steps for i in range(num)]
    assert values(x.to_device("cpu")) == expected


def test_linspace_of_negative_integers_is_rounded_down_not_towards_zero() -> None:
    assert values(xp.linspace(-1, 1, 4, dtype=xp.int32)) == [-1, -1, 0, 1]


def test_ranges_take_the_elements_of_arrays_without_axes() -> None:
    start, stop = xp.asarray(1), xp.asarray(4.0, dtype=xp.float32)
    assert values(xp.linspace(start, stop, 4)) == [1, 2, 3, 4]
    assert xp.linspace(start, stop, 4).dtype is xp.float64
    assert values(xp.linspace(xp.asarray(1j), 3j, 2)) == [1j, 3j]
    assert values(xp.arange(stop)) == [0, 1, 2, 3]
    x = xp.arange(start, xp.asarray(8), xp.asarray(3))
    assert x.dtype is xp.int64
    assert values(x) == [1, 4, 7]


def test_arange_of_complex_dtypes() -> None:
    x = xp.arange(3, dtype=xp.complex64)
    assert x.dtype is xp.complex64
    assert values(x) == [0, 1, 2]
    assert values(xp.arange(0.5, 2, dtype=xp.complex128)) == [0.5, 1.5]


def test_linspace_of_complex_numbers() -> None:
    x = xp.linspace(1 + 2j, 3 - 2j, 3)
    assert x.dtype is xp.complex128
    assert values(x) == [1 + 2j, 2, 3 - 2j]
    assert values(xp.linspace(0, 1, 2, dtype=xp.complex64)) == [0, 1]
    assert values(xp.linspace(1, 1j, 2)) == [1, 1j]


# --- matrices and grids ---------------------------------------------------------------------------


@pytest.mark.parametrize("k", [-5, -3, -1, 0, 1, 2, 4, 9])
@pytest.mark.parametrize("shape", [(3, None), (3, 4), (4, 2), (0, 3), (2, 0)], ids=str)
@pytest.mark.parametrize("dtype", [None, xp.bool, xp.uint8, xp.complex64], ids=str)
def test_eye(shape: tuple[int, int | None], k: int, dtype: DType | None) -> None:
    x = xp.eye(*shape, k=k, dtype=dtype)
    expected = np.eye(*shape, k=k)
    assert x.dtype is (dtype or xp.float64)
    assert x.shape == expected.shape
    assert values(x) == expected.astype(x.dtype.__numpy_dtype__).tolist()


@pytest.mark.parametrize("k", [-4, -1, 0, 2, 7])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (3, 0), (2, 3, 2), (0, 2, 2)], ids=str)
@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_triangles_of_batches(dtype: DType, shape: tuple[int, ...], k: int) -> None:
    host = (1 + np.arange(math.prod(shape))).reshape(shape).astype(np.dtype(dtype))
    for name in ("tril", "triu"):
        found = np.asarray(getattr(xp, name)(xp.asarray(host), k=k))
        expected = getattr(np, name)(host, k=k)
        assert found.dtype == host.dtype
        assert np.array_equal(found, expected)


def test_triangles_drop_nan_and_infinity() -> None:
    x = xp.full((2, 2), math.nan)
    x[0, 1] = math.inf
    x[0, 0] = x[1, 1] = 1
    assert values(xp.tril(xp.triu(x))) == [[1, 0], [0, 1]]


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("lengths", [(), (3,), (2, 3), (2, 3, 4), (2, 0)], ids=str)
def test_meshgrid(lengths: tuple[int, ...], indexing: Any) -> None:
    lines = [np.arange(length) + 10.0 * i for i, length in enumerate(lengths)]
    expected = np.meshgrid(*lines, indexing=indexing)
    grid = xp.meshgrid(*map(xp.asarray, lines), indexing=indexing)
    assert isinstance(grid, tuple)
    assert [x.shape for x in grid] == [x.shape for x in expected]
    assert [values(x) for x in grid] == [x.tolist() for x in expected]
    for x, line in itertools.product(grid, lines):
        assert not np.shares_memory(np.asarray(x), line)


@pytest.mark.parametrize("k", [-(10**30), -3, -2, 3, 4, 10**30])
def test_a_diagonal_outside_of_the_matrix_selects_all_or_nothing(k: int) -> None:
    x = xp.ones((2, 3))
    assert not xp.any(xp.eye(2, 3, k=k))
    assert float(xp.sum(xp.tril(x, k=k))) == (6 if k > 0 else 0)
    assert float(xp.sum(xp.triu(x, k=k))) == (0 if k > 0 else 6)
