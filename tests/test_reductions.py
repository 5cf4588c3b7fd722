"""Reductions and running sums: against exact arithmetic over every choice of axes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._dtypes import BY_NAME, STANDARD, DType

Host = np.ndarray[Any, np.dtype[Any]]

SHAPES = [(), (5,), (3, 4), (2, 3, 4), (2, 0, 3), (1, 1, 2)]
NUMERIC = [dtype for dtype in STANDARD if dtype.kind != "b"]
REAL = [dtype for dtype in NUMERIC if dtype.kind != "c"]


def numbers(shape: tuple[int, ...], dtype: DType) -> Host:
    """Small numbers, with zeros, duplicates and halves."""
    size = math.prod(shape)
    host = (np.arange(size) * 7 + 3) % 11 - 4 * (dtype.kind != "u")
    if dtype.kind in "fc":
        host = host / 2
    if dtype.kind == "c":
        host = host + 1j * host[::-1]
    return host.reshape(shape).astype(np.dtype(dtype))


def axes_of(rank: int) -> Iterator[int | tuple[int, ...] | None]:
    yield None
    for count in range(rank + 1):
        yield from itertools.combinations(range(rank), count)
    yield from range(-rank, rank)
    if rank > 1:
        yield (-1, 0)


def by_lines(
    reference: Callable[[list[Any]], Any], host: Host, axis: Any, keepdims: bool
) -> tuple[tuple[int, ...], list[Any]]:
    """The shape and the elements of a reduction by a function of lists of Python numbers."""
    rank = host.ndim
    axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    reduced = sorted(a % rank for a in axes)
    kept = [a for a in range(rank) if a not in reduced]
    shape = tuple(host.shape[a] for a in kept)
    lines = np.transpose(host, (*kept, *reduced)).reshape(*shape, -1) if host.size else host
    results = []
    for place in np.ndindex(shape):
        results.append(reference(lines[place].tolist() if host.size else []))
    if keepdims:
        shape = tuple(1 if a in reduced else host.shape[a] for a in range(rank))
    return shape, results


def exact_sum(line: list[Any]) -> Any:
    return sum(line)  # of integers and halves


REFERENCES: dict[str, Callable[[list[Any]], Any]] = {
    "sum": exact_sum,
    "prod": math.prod,
    "max": max,
    "min": min,
    "all": all,
    "any": any,
    "count_nonzero": lambda line: sum(x != 0 for x in line),
}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", STANDARD, ids=str)
@pytest.mark.parametrize("name", REFERENCES)
def test_reductions_are_exact_over_every_choice_of_axes(
    name: str, dtype: DType, shape: tuple[int, ...]
) -> None:
    if (dtype.kind == "b" and name in ("sum", "prod", "max", "min")) or (
        dtype.kind == "c" and name in ("max", "min")
    ):
        with pytest.raises(TypeError, match=name):
            getattr(xp, name)(xp.zeros(shape, dtype=dtype))
        return
    host = numbers(shape, dtype)
    result_dtype = {"all": xp.bool, "any": xp.bool, "count_nonzero": xp.int64}.get(name, dtype)
    if name in ("sum", "prod") and dtype.kind in "iu":
        result_dtype = xp.int64 if dtype.kind == "i" else xp.uint64
    for axis, keepdims in itertools.product(axes_of(len(shape)), (False, True)):
        for x in (xp.asarray(host), xp.asarray(np.asarray(host, order="F"))):
            try:
                expected = by_lines(REFERENCES[name], host, axis, keepdims)
            except ValueError:  # the largest of nothing
                with pytest.raises(ValueError, match="no elements"):
                    getattr(xp, name)(x, axis=axis, keepdims=keepdims)
                continue
            result = getattr(xp, name)(x, axis=axis, keepdims=keepdims)
            assert result.dtype is result_dtype
            assert result.shape == expected[0]
            bits = 2**64 if result_dtype.kind in "iu" else None  # products may wrap around
            found = np.asarray(result).reshape(-1).tolist()
            if bits:
                assert [v % bits for v in found] == [v % bits for v in expected[1]]
            elif dtype in (xp.float32, xp.complex64) and name == "prod":
                assert np.allclose(found, expected[1], rtol=1e-5)
            else:
                assert found == pytest.approx(expected[1], rel=1e-14)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", REAL, ids=str)
def test_argmax_and_argmin_give_the_first_index(name: str, dtype: DType) -> None:
    choose = max if name == "argmax" else min
    for shape in SHAPES[:4]:
        host = numbers(shape, dtype)
        for axis, keepdims in itertools.product((None, *range(-len(shape), len(shape))), (0, 1)):
            expected = by_lines(lambda line: line.index(choose(line)), host, axis, bool(keepdims))
            result = getattr(xp, name)(xp.asarray(host), axis=axis, keepdims=bool(keepdims))
            assert result.dtype is xp.int64
            assert (result.shape, np.asarray(result).reshape(-1).tolist()) == expected
    with pytest.raises(ValueError, match="no elements"):
        getattr(xp, name)(xp.zeros((2, 0), dtype=dtype), axis=1)
    assert getattr(xp, name)(xp.zeros((0, 2), dtype=dtype), axis=1).shape == (0,)


@pytest.mark.parametrize("axis", [(0,), (0, 1), ()], ids=str)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_argmax_and_argmin_take_one_axis_each_time_they_are_called(name: str, axis: Any) -> None:
    for _ in range(2):  # the second call finds a plan
        assert getattr(xp, name)(xp.ones((2, 3)), axis=0).shape == (3,)
        with pytest.raises(TypeError, match=name):
            getattr(xp, name)(xp.ones((2, 3)), axis=axis)


@pytest.mark.parametrize("dtype", [xp.float32, xp.float64], ids=str)
def test_nan_and_infinity_are_passed_on(dtype: DType) -> None:
    inf, nan = math.inf, math.nan
    x = xp.asarray([[1, nan, 3], [inf, 1, 2], [inf, -inf, 0]], dtype=dtype)
    for name, expected in [
        ("max", [nan, inf, inf]), ("min", [nan, 1, -inf]), ("sum", [nan, inf, nan]),
        ("prod", [nan, inf, nan]), ("mean", [nan, inf, nan]), ("var", [nan, nan, nan]),
        ("argmax", [1, 0, 0]), ("argmin", [1, 1, 1]), ("count_nonzero", [3, 3, 2]),
        ("all", [True, True, False]), ("any", [True] * 3),
    ]:  # fmt: skip
        assert np.array_equal(
            np.asarray(getattr(xp, name)(x, axis=1)), np.asarray(expected), equal_nan=True
        ), name


@pytest.mark.parametrize("dtype", NUMERIC, ids=str)
def test_dtype_argument_is_of_the_accumulation_and_the_result(dtype: DType) -> None:
    for wanted in NUMERIC:
        if dtype.kind == "c" and wanted.kind != "c":
            continue
        for function in (xp.sum, xp.prod, xp.cumulative_sum, xp.cumulative_prod):
            assert function(xp.ones(3, dtype=dtype), dtype=wanted).dtype is wanted
    ones = xp.full(300, 1, dtype=dtype)
    assert np.asarray(xp.sum(ones)) == 300
    if dtype.kind in "iu":
        assert int(xp.sum(ones, dtype=xp.int8)) == 300 - 256


def test_float32_is_accumulated_in_float64_if_asked_to() -> None:
    x = xp.full((1000, 1000), 0.1, dtype=xp.float32)
    exact = 10**6 * Fraction(float(np.float32(0.1)))
    assert abs(Fraction(float(xp.sum(x, dtype=xp.float64))) - exact) < Fraction(1, 10**8)


# --- loss of significance -------------------------------------------------------------------------

# In units of eps * sum(|x|). Contiguous lines are summed pairwise; across them, one by one.
PAIRWISE, ONE_BY_ONE = 4, 20


@pytest.mark.parametrize(
    ("shape", "axis", "bound"),
    [((10**6,), 0, PAIRWISE), ((2, 5 * 10**5), 1, PAIRWISE), ((1000, 1000), None, PAIRWISE),
     ((10**6, 1), 0, PAIRWISE), ((1000, 1000), 0, 30), ((10**6, 2), 0, ONE_BY_ONE)],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("function", [xp.sum, xp.mean])
def test_error_of_the_sum_of_a_million_numbers(
    function: Any, shape: tuple[int, ...], axis: int | None, bound: float
) -> None:
    host = np.random.default_rng(7).random(shape, np.float32)
    lines = np.moveaxis(host, -1 if axis is None else axis, -1)
    lines = lines.reshape(-1 if axis is not None else 1, host.size if axis is None else shape[axis])
    exact = np.asarray([math.fsum(line) for line in lines[:4].tolist()])
    if function is xp.mean:
        exact /= lines.shape[1]
    found = np.asarray(function(xp.asarray(host), axis=axis)).reshape(-1)[:4]
    eps = float(np.finfo(np.float32).eps)
    assert np.max(np.abs(found - exact) / (eps * exact)) < bound  # all are positive


@pytest.mark.parametrize("dtype", [xp.float32, xp.float64], ids=str)
def test_variance_of_large_numbers_that_differ_little(dtype: DType) -> None:
    eps, offset = xp.finfo(dtype).eps, 1e8 if dtype is xp.float64 else 1e3
    host = (offset + np.random.default_rng(3).standard_normal((100, 50))).astype(np.dtype(dtype))
    for axis, lines in [(0, host.T), (1, host), (None, host.reshape(1, -1))]:
        for name in ("var", "std"):
            found = np.asarray(getattr(xp, name)(xp.asarray(host), axis=axis)).reshape(-1)
            for value, line in zip(found.tolist(), lines.tolist(), strict=True):
                line = [Fraction(v) for v in line]
                mean = sum(line) / len(line)
                exact = float(sum((v - mean) ** 2 for v in line) / len(line))
                # The mean is rounded, which adds the square of its error to the variance.
                slack = (8 * eps * offset) ** 2 + 50 * eps
                assert abs(value - (exact if name == "var" else math.sqrt(exact))) <= slack


@pytest.mark.parametrize("correction", [0, 1, 0.5, 2, 3, 4])
def test_correction_of_the_variance(correction: float) -> None:
    x = xp.asarray([[1.0, 2.0, 6.0], [4.0, 4.0, 4.0]])
    freedom = 3 - correction
    expected = [14 / freedom, 0.0] if freedom > 0 else [math.nan] * 2
    for keepdims in (False, True):
        found = xp.var(x, axis=-1, correction=correction, keepdims=keepdims)
        assert found.shape == ((2, 1) if keepdims else (2,))
        assert np.asarray(found).reshape(-1).tolist() == pytest.approx(expected, nan_ok=True)
        deviation = xp.std(x, axis=-1, correction=correction, keepdims=keepdims)
        assert np.allclose(np.asarray(deviation), np.sqrt(np.asarray(found)), equal_nan=True)


@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_statistics_of_nothing_are_nan(name: str) -> None:
    for shape, axis in [((0,), None), ((2, 0), 1), ((2, 0), (0, 1))]:
        assert np.isnan(np.asarray(getattr(xp, name)(xp.zeros(shape), axis=axis))).all()
    assert getattr(xp, name)(xp.zeros((2, 0)), axis=0).shape == (0,)


def test_mean_of_complex_numbers_and_over_no_axes() -> None:
    x = xp.asarray([1 + 2j, 3 - 4j])
    assert complex(xp.mean(x)) == 2 - 1j
    assert np.array_equal(np.asarray(xp.mean(x, axis=())), np.asarray(x))


# --- running sums ---------------------------------------------------------------------------------


@pytest.mark.parametrize("initial", [False, True])
@pytest.mark.parametrize("dtype", NUMERIC, ids=str)
@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_running_sums_and_products(name: str, dtype: DType, initial: bool) -> None:
    numpy_function = np.cumsum if name == "cumulative_sum" else np.cumprod
    widest = {"i": xp.int64, "u": xp.uint64}.get(dtype.kind, dtype)
    for shape in SHAPES[1:]:
        host = numbers(shape, dtype)
        axes = range(-len(shape), len(shape))
        for axis in (None, *axes) if len(shape) == 1 else axes:
            number = 0 if axis is None else axis
            expected = numpy_function(host.astype(np.dtype(widest)), axis=number)
            if initial:
                before = [1 if i == number % len(shape) else n for i, n in enumerate(shape)]
                first = np.full(before, name == "cumulative_prod", expected.dtype)
                expected = np.concatenate([first, expected], axis=number)
            found = getattr(xp, name)(xp.asarray(host), axis=axis, include_initial=initial)
            assert found.dtype is widest
            assert np.array_equal(np.asarray(found), expected)


def test_running_sum_accumulates_in_the_dtype() -> None:
    x = xp.full(3, 100, dtype=xp.int8)
    assert np.asarray(xp.cumulative_sum(x)).tolist() == [100, 200, 300]
    assert np.asarray(xp.cumulative_sum(x, dtype=xp.int8)).tolist() == [100, -56, 44]
    wide = xp.cumulative_sum(xp.asarray([2**62, 2**62], dtype=xp.uint64))
    assert np.asarray(wide).tolist() == [2**62, 2**63]
    assert BY_NAME["uint64"] is wide.dtype
