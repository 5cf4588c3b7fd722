"""Numbers of 16 and 8 bits on a GPU: its conversions, cuBLAS, memory shared with PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from half_samples import all_of, assert_same, rounded, samples
from on_gpu import host

import numr_api as xp
from numr_api._dtypes import ALL, EXTENSIONS, HALVES, DType

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.usefixtures("gpus"),
    pytest.mark.filterwarnings("ignore:invalid value encountered"),
]
every = pytest.mark.parametrize("dtype", EXTENSIONS, ids=str)
halves = pytest.mark.parametrize("dtype", HALVES, ids=str)


def cpu(x: Any) -> Any:
    return xp.asarray(np.asarray(x))


def on_cuda(x: Any) -> Any:
    return xp.asarray(x, device="cuda")


@every
def test_conversions_round_once(dtype: DType):
    for other in ALL:
        if other.kind in "fiu":
            numbers = samples(other)
            assert_same(host(xp.astype(on_cuda(numbers), dtype)), rounded(numbers, dtype))
        if other.kind in "fc":
            numbers = all_of(dtype)
            assert_same(host(xp.astype(on_cuda(numbers), other)), rounded(numbers, other))
    wide = np.array([1, 3, 2**53 + 1, -(2**62) - 1, 2**63 - 1], np.int64)
    assert_same(host(xp.astype(on_cuda(wide), dtype)), rounded(wide, dtype))


@halves
@pytest.mark.parametrize(
    "name",
    ["add", "subtract", "multiply", "divide", "remainder", "floor_divide", "maximum", "nextafter",
     "copysign", "less", "equal"],
)  # fmt: skip
def test_results_are_those_of_the_cpu(dtype: DType, name: str):
    x = all_of(dtype)
    y = np.random.default_rng(1).permutation(x)
    function = getattr(xp, name)
    assert_same(host(function(on_cuda(x), on_cuda(y))), np.asarray(function(cpu(x), cpu(y))))


@halves
@pytest.mark.parametrize("name", ["exp", "log", "sin", "tanh", "expm1"])
def test_functions_are_at_most_one_rounding_from_float64(dtype: DType, name: str):
    x = all_of(dtype)
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(x.astype(np.float64))
        low, high = (rounded(exact * (1 + side * 2.0**-16), dtype) for side in (-1, 1))
    found, low, high = (
        np.asarray(v).astype(np.float64) for v in (host(getattr(xp, name)(on_cuda(x))), low, high)
    )
    between = (np.minimum(low, high) <= found) & (found <= np.maximum(low, high))
    assert (between | (np.isnan(found) & np.isnan(exact))).all()


@halves
def test_sums_are_accumulated_in_float32(dtype: DType):
    x = rounded(np.random.default_rng(2).standard_normal((300, 1111)), dtype)
    exact = x.astype(np.float64)
    for axis in (0, 1, None):
        for name in ("sum", "mean", "max", "var"):
            found = host(getattr(xp, name)(on_cuda(x), axis=axis))
            expected = rounded(getattr(np, name)(exact, axis=axis), dtype)
            assert found.dtype == expected.dtype
            assert (found == expected).mean() > 0.95
            np.testing.assert_allclose(found.astype(float), expected.astype(float), 2e-2, 1e-3)
    for axis in (0, 1):
        found = host(xp.cumulative_sum(on_cuda(x), axis=axis))
        expected = rounded(np.cumsum(exact, axis=axis), dtype)
        assert (found == expected).mean() > 0.95
    ones = on_cuda(rounded(np.ones(2**16 - 1), dtype))
    assert_same(host(xp.cumulative_sum(ones)), rounded(np.arange(1.0, 2**16), dtype))


@halves
def test_products_of_matrices_are_rounded_once(dtype: DType):
    random = np.random.default_rng(3)
    for shapes in (((64, 20000), (20000, 16)), ((2, 1, 9, 7), (1, 3, 7, 5)), ((40,), (40, 3))):
        x, y = (rounded(random.integers(-8, 9, shape), dtype) for shape in shapes)
        exact = rounded(x.astype(np.float64) @ y.astype(np.float64), dtype)
        assert_same(host(xp.matmul(on_cuda(x), on_cuda(y))), exact)  # whose sums are exact


@halves
def test_order_is_that_of_float32(dtype: DType):
    x = np.random.default_rng(4).permutation(all_of(dtype)).reshape(256, 256)
    for array in (x, x.reshape(-1)):
        ours, theirs = on_cuda(array), cpu(array)
        for descending in (False, True):
            options: Any = {"descending": descending}
            assert_same(host(xp.argsort(ours, **options)), host(xp.argsort(theirs, **options)))
            assert_same(host(xp.sort(ours, **options)), host(xp.sort(theirs, **options)))
    assert_same(host(xp.unique_values(on_cuda(x[:2, :]))), host(xp.unique_values(cpu(x[:2, :]))))


@every
def test_memory_is_shared_with_pytorch(dtype: DType):
    torch = pytest.importorskip("torch")
    x = on_cuda(all_of(dtype)[:12].reshape(3, 4))
    theirs = torch.from_dlpack(x)
    assert str(theirs.dtype) == f"torch.{dtype}"
    back = xp.from_dlpack(theirs)
    assert back.dtype is dtype
    assert_same(host(back), host(x))
    back[0, 0] = 2.0
    assert float(theirs[0, 0]) == 2.0
    assert host(x)[0, 0] == 2.0


@every
def test_elements_of_any_size_are_moved(dtype: DType):
    numbers = all_of(dtype)[:240].reshape(12, 20)
    x, y = on_cuda(numbers), cpu(numbers)
    rows: Any = [3, -1, 0]
    moves: dict[str, Any] = {
        "transpose": lambda a: xp.reshape(a.T, (-1,)),
        "concat": lambda a: xp.concat([a[k : k + 1, :] for k in range(12)]),
        "take": lambda a: xp.take(a, xp.asarray(rows, device=a.device), axis=0),
        "mask": lambda a: a[a == a],
        "where": lambda a: xp.where(a == a, a, 0.3),
        "repeat": lambda a: xp.repeat(a, 2, axis=1),
        "roll": lambda a: xp.roll(a, 3, axis=1),
        "equal": lambda a: a == xp.flip(a),
    }
    for move in moves.values():
        assert_same(host(move(x)), host(move(y)))
