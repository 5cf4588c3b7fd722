"""float16, bfloat16 and the floats of 8 bits: along axes, in order, in products, and moved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from half_values import Column, assert_same, every, exact, host, rounded, silently, some, steps

import numr_api as xp
from numr_api._dtypes import EIGHTHS, EXTENSIONS, HALVES, DType

halves = pytest.mark.parametrize("dtype", HALVES, ids=str)
narrow = pytest.mark.parametrize("dtype", EXTENSIONS, ids=str)


def whole(dtype: DType, shape: Any, low: int, high: int) -> Column:
    """Random small integers, of which float32 computes sums and products without rounding."""
    numbers = np.random.default_rng(1).integers(low, high, 100_003)
    return np.resize(rounded(numbers, dtype), shape)


# --- reductions and scans -------------------------------------------------------------------------

SHAPES = [((5003,), 0), ((3, 5003), 1), ((5003, 3), 0), ((5004, 8), 0), ((7, 40, 5), (0, 2)),
          ((40, 3, 64), 1), ((9, 17), 1)]  # fmt: skip


@halves
@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
def test_sums_are_rounded_once(dtype: DType, shape: Any, axis: Any, real_device: str) -> None:
    numbers = whole(dtype, shape, 0, 16)  # sums in 16 bits would stay where half a step is more
    x = xp.asarray(numbers, device=real_device)
    assert_same(host(xp.sum(x, axis=axis)), rounded(exact(numbers).sum(axis), dtype))
    assert xp.sum(x, axis=axis).dtype is dtype
    wide = xp.sum(x, axis=axis, dtype=xp.float32)
    np.testing.assert_array_equal(host(wide), exact(numbers).sum(axis))


@halves
def test_integers_are_summed_up_before_they_are_rounded(dtype: DType, real_device: str) -> None:
    x = xp.asarray(np.full(1000, 257, np.int16), device=real_device)
    assert_same(host(xp.sum(x, dtype=dtype)), rounded(257_000.0, dtype))


@halves
@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
def test_means_and_deviations_are_rounded_once(
    dtype: DType, shape: Any, axis: Any, real_device: str
) -> None:
    numbers = some(dtype, shape, 100)
    x = xp.asarray(numbers, device=real_device)
    for name in ("mean", "var", "std"):
        found = host(getattr(xp, name)(x, axis=axis))
        expected = rounded(getattr(np, name)(exact(numbers), axis), dtype)
        assert found.dtype == dtype
        assert steps(found, expected).max() <= 1, name


@halves
def test_the_mean_between_two_numbers_is_not_rounded_to_one(dtype: DType, real_device: str) -> None:
    low = 2 / float(xp.finfo(dtype).eps)  # from here on only even numbers exist
    numbers = rounded(np.tile([low, low + 2], (3, 2048)), dtype)
    x = xp.asarray(numbers, device=real_device)
    assert_same(host(xp.var(x, axis=1)), rounded([1, 1, 1], dtype))
    assert_same(host(xp.std(x.T, axis=0)), rounded([1, 1, 1], dtype))
    large = xp.asarray(rounded(np.full(70_001, 60_000.0), dtype), device=real_device)
    assert_same(host(xp.mean(large)), rounded(60_000.0, dtype))  # their number is no half


@halves
def test_products_are_rounded_once(dtype: DType, real_device: str) -> None:
    numbers = rounded(np.exp(np.random.default_rng(0).normal(0, 0.05, (4, 400))), dtype)
    x = xp.asarray(numbers, device=real_device)
    expected = exact(numbers).prod(1)
    assert steps(host(xp.prod(x, axis=1)), rounded(expected, dtype)).max() <= 1
    expected = exact(numbers).cumprod(1)
    found = host(xp.cumulative_prod(x, axis=1))
    assert steps(found, rounded(expected, dtype)).max() <= 1


@halves
@pytest.mark.parametrize(("shape", "axis"), [((20_001,), 0), ((3, 999), 1), ((999, 3), 0),
                                             ((520, 8), 0), ((4, 64), 1)], ids=str)  # fmt: skip
def test_running_sums_are_rounded_once(
    dtype: DType, shape: Any, axis: int, real_device: str
) -> None:
    numbers = whole(dtype, shape, -3, 6)
    x = xp.asarray(numbers, device=real_device)
    expected = rounded(exact(numbers).cumsum(axis), dtype)
    assert_same(host(xp.cumulative_sum(x, axis=axis)), expected)
    longer = host(xp.cumulative_sum(x, axis=axis, include_initial=True))
    assert_same(np.delete(longer, 0, axis), expected)


@halves
@pytest.mark.parametrize("with_nan", [False, True])
def test_extremes_are_numbers_of_the_array(dtype: DType, with_nan: bool, real_device: str) -> None:
    numbers = some(dtype, (6, 333))
    if with_nan:
        numbers[::2, 100] = np.nan
    x = xp.asarray(numbers, device=real_device)
    for name in ("max", "min", "argmax", "argmin", "any", "all", "count_nonzero"):
        for axis in (0, 1, None):
            expected = np.asarray(getattr(np, name)(exact(numbers), axis))
            found = host(getattr(xp, name)(x, axis=axis))
            if name in ("max", "min"):
                assert_same(found, rounded(expected, dtype))
            else:
                np.testing.assert_array_equal(found, expected, err_msg=name)


@halves
def test_reductions_of_nothing(dtype: DType, real_device: str) -> None:
    x = xp.zeros((0, 3), dtype=dtype, device=real_device)
    assert_same(host(xp.sum(x, axis=0)), rounded([0, 0, 0], dtype))
    assert_same(host(xp.prod(x, axis=0)), rounded([1, 1, 1], dtype))
    assert_same(host(xp.cumulative_sum(x, axis=0)), rounded(np.zeros((0, 3)), dtype))
    with pytest.raises(ValueError, match="max"):
        xp.max(x)


# --- order ----------------------------------------------------------------------------------------


@halves
@pytest.mark.parametrize("shape", [(65_536,), (64, 1024), (2048, 32), (1, 65_536)], ids=str)
def test_sorting_is_stable_with_nan_last(dtype: DType, shape: Any, real_device: str) -> None:
    numbers = np.random.default_rng(2).permutation(every(dtype)).reshape(shape)
    x = xp.asarray(numbers, device=real_device)
    for array, values in ((x, numbers), (x.T if x.ndim == 2 else x[::-1], None)):
        values = host(array) if values is None else values
        for axis in range(array.ndim):
            order = np.argsort(exact(values), axis, kind="stable")
            np.testing.assert_array_equal(host(xp.argsort(array, axis=axis)), order)
            assert_same(host(xp.sort(array, axis=axis)), np.take_along_axis(values, order, axis))
    order = host(xp.argsort(x, descending=True))
    ordered = np.take_along_axis(exact(numbers), order, -1)
    expected = np.sort(exact(numbers), -1)[..., ::-1]
    np.testing.assert_array_equal(ordered, expected)
    same = (ordered[..., 1:] == ordered[..., :-1]) | np.isnan(ordered[..., 1:])  # these come first
    assert (np.diff(order, axis=-1)[same] > 0).all()


@halves
def test_searching_and_sets(dtype: DType, real_device: str) -> None:
    numbers = whole(dtype, 3000, -50, 50) / 8
    ordered = np.sort(exact(numbers))
    wanted = some(dtype, 500, 5)
    x, y = (xp.asarray(values, device=real_device) for values in (numbers, wanted))
    for side in ("left", "right"):
        found = xp.searchsorted(xp.sort(x), y, side=side)
        np.testing.assert_array_equal(host(found), np.searchsorted(ordered, exact(wanted), side))
    np.testing.assert_array_equal(host(xp.isin(x, y)), np.isin(exact(numbers), exact(wanted)))
    expected = np.unique_all(exact(numbers))
    for name, found in xp.unique_all(x)._asdict().items():
        values = getattr(expected, name)
        if name == "values":
            assert_same(host(found), rounded(values, dtype))
        else:
            np.testing.assert_array_equal(host(found), values)
    assert_same(host(xp.unique_values(x)), rounded(expected.values, dtype))


# --- products -------------------------------------------------------------------------------------

PRODUCTS = [
    ((3, 20), (20, 4)), ((5000,), (5000,)), ((2, 5000), (5000, 3)), ((5000,), (5000, 40)),
    ((130, 1501), (1501, 70)), ((64, 2048), (2048, 64)), ((8192, 1040), (1040, 2)),
    ((4, 40, 1100), (1100, 60)), ((3, 40, 256), (3, 256, 80)), ((1, 7000), (7000, 1)),
]  # fmt: skip


@halves
@pytest.mark.parametrize(("left", "right"), PRODUCTS, ids=str)
def test_matrix_products_are_rounded_once(
    dtype: DType, left: Any, right: Any, real_device: str
) -> None:
    a, b = whole(dtype, left, -1, 7), whole(dtype, right, -1, 7)
    x, y = (xp.asarray(values, device=real_device) for values in (a, b))
    expected = rounded(exact(a) @ exact(b), dtype)
    assert_same(host(x @ y), expected)
    if a.size > 10**6:
        return
    assert_same(host(x @ y), expected)  # by the plan of the first time
    if len(left) == len(right) == 2:
        strided = xp.asarray(np.ascontiguousarray(b.T), device=real_device).T
        assert_same(host(x @ strided), expected)


@halves
def test_other_products_and_differences(dtype: DType, real_device: str) -> None:
    a, b = whole(dtype, (6, 1500), -2, 4), whole(dtype, (6, 1500), -2, 4)
    x, y = (xp.asarray(values, device=real_device) for values in (a, b))
    assert_same(host(xp.vecdot(x, y)), rounded(np.vecdot(exact(a), exact(b)), dtype))
    expected = np.tensordot(exact(a), exact(b), 2)
    assert_same(host(xp.tensordot(x, y)), rounded(expected, dtype))
    assert_same(host(xp.linalg.outer(x[0, :], y[1, :])), np.outer(a[0], b[1]))
    assert_same(host(xp.linalg.trace(x[:, :6])), rounded(np.trace(exact(a[:, :6])), dtype))
    assert_same(host(xp.diff(x, axis=1)), rounded(np.diff(exact(a), axis=1), dtype))


# --- movement -------------------------------------------------------------------------------------


def bits(x: Column) -> Column:
    return np.ascontiguousarray(x).view(f"u{x.itemsize}")


def moved(x: Any, y: Any, i: Any, mask: Any, xp: Any) -> dict[str, Any]:
    """What movement makes of arrays of shape (7, 33), with NumPy as with numr_api."""
    flat = xp.reshape(x, (-1,))
    return {
        "copy": xp.asarray(x, copy=True),
        "rows": xp.asarray(x[1:6, :], copy=True),
        "columns": xp.asarray(x[:, 3:29], copy=True),
        "steps": xp.asarray(x[::-2, 1::3], copy=True),
        "transposed": xp.asarray(xp.matrix_transpose(x), copy=True),
        "reshaped": xp.reshape(xp.permute_dims(x, (1, 0)), (3, 77)),
        "odd": xp.asarray(flat[5:], copy=True),
        "concat": xp.concat([x[:, 1:4], y, x[:, :30]], axis=1),
        "concat of rows": xp.concat([x[:2, :], y, x[3:4, :]], axis=0),
        "stack": xp.stack([x, y], axis=1),
        "roll": xp.roll(x, 5, axis=1),
        "flip": xp.flip(x),
        "repeat": xp.repeat(x, 3, axis=1),
        "repeat by counts": xp.repeat(x, i[:7] % 4, axis=0),
        "tile": xp.tile(x, (2, 3)),
        "take": xp.take(x, i[:20] % 33, axis=1),
        "take rows": xp.take(x, i[:9] % 7, axis=0),
        "take_along_axis": xp.take_along_axis(x, xp.reshape(i[:21] % 33, (7, 3)), axis=1),
        "gather": x[i[:7] % 7, i[:7] % 33],
        "mask": x[mask],
        "mask of rows": x[mask[:, 0]],
        "where": xp.where(mask, x, y),
        "broadcast": xp.asarray(xp.broadcast_to(x[:, 2:3], (7, 5)), copy=True),
        "tril": xp.tril(x),
        "triu": xp.triu(x, k=2),
        "equal": x == y,
        "not_equal": x != y,
    }


@narrow
def test_movement_keeps_all_bits(dtype: DType, real_device: str) -> None:
    numbers = np.random.default_rng(3).permutation(every(dtype))[: 2 * 7 * 33]
    if dtype in EIGHTHS:
        numbers = np.resize(numbers, 2 * 7 * 33)
    a, b = numbers.reshape(2, 7, 33)
    b = np.where(np.arange(33) % 3 == 0, a, b)
    i = np.random.default_rng(4).integers(0, 99, 30)
    mask = exact(b) > 0.5
    arrays = [xp.asarray(values, device=real_device) for values in (a, b, i, mask)]
    expected = silently(moved)(a, b, i, mask, np)
    for name, found in moved(*arrays, xp).items():
        values = expected[name]
        if values.dtype == bool:
            np.testing.assert_array_equal(host(found), values, err_msg=name)
        elif name in ("where", "tril", "triu"):  # which may make other NaNs of NaN
            assert_same(host(found), values)
        else:
            np.testing.assert_array_equal(bits(host(found)), bits(values), err_msg=name)
    indices = xp.nonzero(arrays[0]) if dtype in HALVES else ()
    for found, values in zip(indices, np.nonzero(exact(a)), strict=bool(indices)):
        np.testing.assert_array_equal(host(found), values)


@narrow
def test_assignment(dtype: DType, real_device: str) -> None:
    a, b = some(dtype, (7, 33)), some(dtype, (7, 33), seed=1)
    mask = exact(b) > 0.3
    wide = some(xp.float32, (7, 5), seed=2)
    x, y, m, w = (xp.asarray(v, device=real_device, copy=True) for v in (a, b, mask, wide))

    def assign(key: Any, value: Any, expected: Any, ours: Any = None) -> None:
        x[ours if ours is not None else key] = value
        a[key] = expected
        np.testing.assert_array_equal(bits(host(x)), bits(a))

    assign(np.s_[2, 1:6], y[0, 3:8], b[0, 3:8])
    assign(np.s_[:, 30:], y[:, 1:4], b[:, 1:4])
    assign(np.s_[::2, 1::5], y[:4, 2:9], b[:4, 2:9])
    assign(np.s_[1:, :], x[:-1, :], a[:-1, :].copy())
    assign(np.s_[3, ...], 0.3, rounded(0.3, dtype))
    assign(np.s_[4, 4], 1e9, rounded(1e9, dtype))
    assign(mask, -0.7, rounded(-0.7, dtype), m)
    assign(mask, y[m], b[mask], m)
    assign(np.s_[1, 2:7], xp.astype(w[1, :], dtype), rounded(wide[1], dtype))


@narrow
def test_large_transposed_copies(dtype: DType, real_device: str) -> None:
    numbers = np.resize(every(dtype), (520, 516))
    x = xp.asarray(numbers, device=real_device)
    found = xp.asarray(x.T, copy=True)
    np.testing.assert_array_equal(bits(host(found)), bits(numbers.T))
    wide = host(xp.astype(x.T, xp.float32))
    np.testing.assert_array_equal(wide, silently(numbers.T.astype)(np.float32))


# --- new arrays -----------------------------------------------------------------------------------


@narrow
def test_full_is_rounded_once(dtype: DType, real_device: str) -> None:
    for value in (0.1, 1 + 2**-8 + 2**-40, 257, 1e9, -1e9, float("nan"), -0.0, 2**70):
        found = xp.full((3, 5), value, dtype=dtype, device=real_device)
        assert_same(host(found), np.broadcast_to(rounded(float(value), dtype), (3, 5)))
    x = xp.full_like(xp.ones(5, dtype=dtype, device=real_device), 3)
    assert_same(host(x), rounded(np.full(5, 3), dtype))
    assert_same(host(xp.asarray([[0.1, 2]], dtype=dtype, device=real_device)),
                rounded([[0.1, 2]], dtype))  # fmt: skip
    assert_same(host(xp.eye(3, 5, k=1, dtype=dtype, device=real_device)),
                rounded(np.eye(3, 5, 1), dtype))  # fmt: skip


@halves
def test_ranges_are_rounded_once(dtype: DType, real_device: str) -> None:
    tie = 1 + float(xp.finfo(dtype).eps) / 2  # which float32 would round the others to
    for given in ((0, 3000), (0.0, 1.0, 0.001), (5, -5, -0.37), (1, 1.5, 2**-9), (7,), (3, 3),
                  (tie, tie + 2**-37, 2**-40), (-tie, 2**-37 - tie, 2**-40)):  # fmt: skip
        start, stop = (0, given[0]) if len(given) == 1 else given[:2]
        step = given[2] if len(given) > 2 else 1
        count = max(0, -int(-(stop - start) // step))
        expected = rounded(np.arange(count) * step + float(start), dtype)
        assert_same(host(xp.arange(*given, dtype=dtype, device=real_device)), expected)
    for start, stop, count in (
        (0, 1, 1001), (-3.7, 250, 999), (0, 60_000, 77), (1, 2, 1), (1, 2, 0)
    ):  # fmt: skip
        for endpoint in (True, False):
            expected = rounded(np.linspace(start, stop, count, endpoint=endpoint), dtype)
            found = host(xp.linspace(start, stop, count, endpoint=endpoint, dtype=dtype,
                                     device=real_device))  # fmt: skip
            assert_same(found, expected)
