"""What the cpu does in another way on large arrays has the bits that NumPy's way has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from cpu_threads import alone, shared

import numr_api as xp
from numr_api._backends.cpu import choosing, searching, sorting, threads, transcendental
from numr_api._declare import LARGE

Array = np.ndarray[Any, np.dtype[Any]]

DTYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float32", "float64")
BACKWARDS = slice(None, None, -1)


@pytest.fixture(params=[alone, shared], ids=["alone", "shared"])
def jobs(request: pytest.FixtureRequest) -> Iterator[list[Any]]:
    """The test with helpers and without; the jobs that were shared."""
    with np.errstate(all="ignore"), request.param() as found:
        yield found


def same_bits(x: Any, y: Array) -> bool:
    x = np.asarray(x)
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


def numbers(dtype: str, size: int, *, few: bool = False) -> Array:
    """Of all magnitudes; or a few values many times, with zeros and NaN of both signs."""
    random = np.random.default_rng(size)
    kind = np.dtype(dtype).kind
    if kind in "iu":
        limits = np.iinfo(dtype)
        low, high = (0, 40) if few else (limits.min, limits.max)
        return random.integers(low, high, size, dtype=dtype, endpoint=True)
    if kind == "c":
        part = "float32" if dtype == "complex64" else "float64"
        halves = [numbers(part, size, few=few), numbers(part, size + 1, few=few)[1:]]
        return np.stack(halves, axis=-1).view(dtype)[:, 0]
    if not few:
        exponents = random.uniform(-30, 30, size)
        return (random.choice([-1.0, 1.0], size) * 2.0**exponents).astype(dtype)
    values = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.5, -2.0]
    return random.choice(np.array(values, dtype), size)


# --- where ----------------------------------------------------------------------------------------

WHERE_SIZES = [0, 1, LARGE, LARGE + 1, 32767, 32768, 65535, 65536, 3 * choosing.BLOCK + 7]


@pytest.mark.parametrize("size", WHERE_SIZES)
@pytest.mark.parametrize("dtype", ["bool", *DTYPES, *FLOATS, "complex64", "complex128"])
def test_where_copies_bits(jobs: list[Any], dtype: str, size: int):
    if dtype == "bool":
        x, y = (numbers("int8", size + n)[n:] > 0 for n in (0, 1))
    else:
        x, y = (numbers(dtype, size + n, few=True)[n:] for n in (0, 1))
    mask = np.random.default_rng(3).random(size) < 0.5
    result = xp.where(*map(xp.asarray, (mask, x, y)))
    assert same_bits(result, np.where(mask, x, y))


def test_where_shares_an_unpredictable_mask_only():
    size = 4 * choosing.BLOCK
    x, y = (xp.asarray(numbers("float32", size + n)[n:]) for n in (0, 1))
    random = np.random.default_rng(3).random(size) < 0.5
    with shared() as jobs:
        assert same_bits(
            xp.where(xp.asarray(np.sort(random)), x, y),
            np.where(np.sort(random), np.asarray(x), np.asarray(y)),
        )
        assert len(jobs) == 0
        xp.where(xp.asarray(random), x, y)
        assert len(jobs) == 1


@pytest.mark.parametrize(
    ("size", "selection", "is_shared"),
    [
        (1_800_000, None, False),  # 1.44 ms, by NumPy's functions
        (1_900_000, None, True),  # 1.52 ms
        (1_000_000, choosing._select, False),  # 0.27 ms, if it were compiled
        (1_800_000, choosing._select, True),  # 0.48 ms
    ],
)
def test_where_needs_more_work_for_threads_unless_it_is_compiled(
    size: int, selection: Any, is_shared: bool, monkeypatch: pytest.MonkeyPatch
):
    """1.5 ms instead of 0.3, as threads wait for Python's lock between NumPy's functions."""
    monkeypatch.setattr(choosing.jit, "find_selection", lambda: selection)
    worthwhile = threads.WORTHWHILE
    x, y = np.zeros(size, np.float32), np.ones(size, np.float32)
    mask = np.random.default_rng(3).random(size) < 0.5
    with shared() as jobs, monkeypatch.context() as patch:
        patch.setattr(threads, "WORTHWHILE", worthwhile)
        result = choosing.where(mask, x, y)
        assert len(jobs) == is_shared
    assert same_bits(result, np.where(mask, x, y))


@pytest.mark.parametrize("layout", ["fortran", "backwards", "gaps", "broadcast", "scalar", "mixed"])
def test_where_takes_any_layout(jobs: list[Any], layout: str):
    x, y = (numbers("float32", 90000 + n)[n:].reshape(300, 300) for n in (0, 1))
    mask = np.random.default_rng(3).random((300, 300)) < 0.5
    first: Any = x
    match layout:
        case "fortran":
            first, y, mask = (np.asfortranarray(part) for part in (x, y, mask))
        case "backwards":
            first, y, mask = (part[::-1, ::-1] for part in (x, y, mask))
        case "gaps":
            wide = np.zeros((300, 600), x.dtype)
            wide[:, ::2] = x
            first = wide[:, ::2]
        case "broadcast":
            first = x[:1]
        case "mixed":
            first = np.asfortranarray(x)
        case _:
            first = 2.5
    ours = [part if isinstance(part, float) else xp.asarray(part) for part in (mask, first, y)]
    assert same_bits(xp.where(*ours), np.where(mask, first, y))


# --- sorting --------------------------------------------------------------------------------------

SORT_SIZES = [1, 2, 1499, 1500, 1999, 2000, 3999, 4000, sorting.PARTED - 1, sorting.PARTED + 1]


def expected_order(x: Array, axis: int, descending: bool) -> Array:
    """Stable, by NumPy's sort of both halves of the key: what a slow reading of the rule gives."""
    if not descending:
        return np.argsort(x, axis, kind="stable")
    reverse = (slice(None),) * axis + (BACKWARDS,)
    return (x.shape[axis] - 1 - np.argsort(x[reverse], axis, kind="stable"))[reverse]


@pytest.mark.parametrize("few", [False, True], ids=["many", "few"])
@pytest.mark.parametrize("descending", [False, True], ids=["up", "down"])
@pytest.mark.parametrize("dtype", [*DTYPES, *FLOATS])
def test_sorts_are_stable(jobs: list[Any], dtype: str, descending: bool, few: bool):
    """Zeros and NaN of both signs in their order too; NaN counts as the largest."""
    for size in SORT_SIZES:
        x = numbers(dtype, size, few=few)
        order = expected_order(x, 0, descending)
        array = xp.asarray(x)
        assert same_bits(xp.argsort(array, descending=descending), order)
        assert same_bits(xp.sort(array, descending=descending), x[order])
        assert same_bits(array, x)


@pytest.mark.parametrize("dtype", ["int32", "uint64", *FLOATS])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_sorts_along_any_axis(jobs: list[Any], axis: int, dtype: str):
    for few in (False, True):
        shape = [2, 3, 2]
        shape[axis] = 4100
        x = numbers(dtype, int(np.prod(shape)), few=few).reshape(shape)[:, ::-1]
        for descending in (False, True):
            order = expected_order(x, axis, descending)
            array = xp.asarray(x)
            assert same_bits(xp.argsort(array, axis=axis, descending=descending), order)
            values = np.take_along_axis(x, order, axis)
            assert same_bits(xp.sort(array, axis=axis, descending=descending), values)


@pytest.mark.parametrize("dtype", FLOATS)
def test_order_that_is_not_stable_sorts_all_the_same(jobs: list[Any], dtype: str):
    for few in (False, True):
        x = numbers(dtype, 5000, few=few)
        order = np.asarray(xp.argsort(xp.asarray(x), stable=False))
        assert np.array_equal(np.sort(order), np.arange(5000))
        assert np.array_equal(x[order], np.sort(x), equal_nan=True)
        result = np.asarray(xp.sort(xp.asarray(x), stable=False))
        assert np.array_equal(result, np.sort(x), equal_nan=True)


def test_packed_indices_need_the_range_of_the_keys():
    """64-bit keys are packed with their index where both fit 63 bits."""
    narrow = np.arange(5000)[::-1] - 2**62
    assert sorting._packed(narrow, False) is not None
    assert sorting._packed(np.append(narrow, 2**62), False) is None


# --- sets and searching ---------------------------------------------------------------------------


@pytest.mark.parametrize("few", [False, True], ids=["many", "few"])
@pytest.mark.parametrize("dtype", ["int16", "int32", "int64", "uint64", *FLOATS])
def test_unique_of_large_arrays(jobs: list[Any], dtype: str, few: bool):
    x = numbers(dtype, 9000, few=few).reshape(90, 100)
    flat = x.ravel()
    expected = np.unique_all(x)
    first: dict[Any, Any] = {}
    for value in flat.tolist():
        first.setdefault(value, value)
    array = xp.asarray(x)
    for values in (
        xp.unique_values(array),
        xp.unique_counts(array)[0],
        xp.unique_inverse(array)[0],
        xp.unique_all(array)[0],
    ):
        found = np.asarray(values)
        wanted = np.sort(np.array([v for v in first.values() if v == v], dtype))
        assert np.array_equal(found[: wanted.size], wanted)
        assert np.array_equal(
            found[wanted.size :] != found[wanted.size :], np.ones(found.size - wanted.size, bool)
        )
        if 0.0 in first:  # of zeros, the first counts
            assert np.signbit(found[found == 0]) == np.signbit(np.array(first[0.0], dtype))
    _, indices, inverse, counts = xp.unique_all(array)
    assert np.array_equal(np.asarray(counts)[: wanted.size], expected.counts[: wanted.size])
    assert np.array_equal(np.asarray(indices)[: wanted.size], expected.indices[: wanted.size])
    for found, places in (
        (xp.unique_all(array)[0], inverse),
        xp.unique_inverse(array),
    ):
        assert np.array_equal(
            np.asarray(xp.take(found, xp.reshape(places, (-1,)))), flat, equal_nan=True
        )


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", ["int32", "int64", *FLOATS])
def test_searchsorted_of_many(jobs: list[Any], dtype: str, side: Any):
    size = searching.SEARCHED
    for few in (False, True):
        haystack = np.sort(numbers(dtype, size, few=few))
        sought = numbers(dtype, size + 10, few=few)
        for wanted in (sought, np.sort(sought), sought.reshape(2, -1)[:, ::-1], sought[:-11]):
            found = xp.searchsorted(xp.asarray(haystack), xp.asarray(wanted), side=side)
            assert same_bits(found, np.asarray(np.searchsorted(haystack, wanted, side=side)))


# --- functions of elements ------------------------------------------------------------------------


def arrays_of_all_layouts(x: Array) -> Iterator[Array]:
    square = x.reshape(200, -1)
    yield from (x, x[::-1], x[::3], x[::-3], square, square.T, np.asfortranarray(square))
    yield from (square[:, ::-1], square[::-1], square[:, ::2], square[::2, 5:])


@pytest.mark.parametrize("dtype", [*FLOATS, "complex64", "complex128"])
@pytest.mark.parametrize("name", transcendental.NAMES)
def test_costly_functions_have_the_bits_of_small_arrays(jobs: list[Any], name: str, dtype: str):
    function: Callable[[Any], Any] = getattr(xp, name)
    x = np.concatenate([numbers(dtype, 9000), numbers(dtype, 1000, few=True)])
    x = x.repeat(3)[: 200 * 150]
    pieces = [np.asarray(function(xp.asarray(part))) for part in np.array_split(x, 10)]
    expected = np.concatenate(pieces)
    for operand, wanted in zip(
        arrays_of_all_layouts(x), arrays_of_all_layouts(expected), strict=True
    ):
        result = np.asarray(function(xp.asarray(operand)))
        assert result.shape == wanted.shape
        assert result.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("name", ["asin", "tan"])
def test_float32_functions_are_within_2_ulp(name: str):
    random = np.random.default_rng(1)
    x = random.uniform(-1, 1, 20000)
    if name == "tan":
        x = np.concatenate([x * 2, x * 1e4, x * 1e-20])
    x = x.astype("float32")
    exact = getattr(np, name)(x.astype(np.float64))
    result = np.asarray(getattr(xp, name)(xp.asarray(x)))
    assert np.max(np.abs(result - exact) / np.spacing(np.abs(exact).astype("float32"))) <= 2


# --- powers ---------------------------------------------------------------------------------------

EXPONENTS = (2.0, 0.5, -1.0, 3.0, 0.0, 2.5)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", [3, 60, 70, 20000])
def test_powers_do_not_depend_on_how_the_exponent_is_given(jobs: list[Any], size: int, dtype: str):
    random = np.random.default_rng(2)
    x = numbers(dtype, size)
    x[:2] = [-0.0, -np.inf]
    exponents = random.choice(EXPONENTS, size).astype(dtype)
    base, mixed = xp.asarray(x), xp.asarray(exponents)
    result = np.asarray(base**mixed)
    for exponent in EXPONENTS:
        alone_ = np.asarray(base**exponent)
        everywhere = exponents == exponent
        assert same_bits(result[everywhere], alone_[everywhere])
        assert same_bits(base ** xp.full(size, exponent, dtype=base.dtype), alone_)
        assert same_bits(base ** xp.asarray([exponent], dtype=base.dtype), alone_)
        assert same_bits(
            base ** xp.broadcast_to(xp.asarray(exponent, dtype=base.dtype), (size,)), alone_
        )
    assert same_bits(2.0**mixed, np.asarray(xp.full(size, 2.0, dtype=base.dtype) ** mixed))
    column = np.asarray(xp.reshape(base[:50], (-1, 1)) ** mixed)
    assert same_bits(column.diagonal(), result[:50])
    in_place = xp.asarray(x, copy=True)
    in_place **= mixed
    assert same_bits(in_place, result)
    backwards = xp.asarray(x, copy=True)[::-1]
    backwards **= mixed[::-1]
    assert same_bits(backwards, result[::-1])
