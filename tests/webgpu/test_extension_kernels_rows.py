"""softmax and its relatives, and division by norms, on webgpu: rows of any length and layout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from numr_api._backends.webgpu.rows import Rows
from numr_api._dtypes import BY_NAME

NAMES = ("softmax", "log_softmax", "logsumexp", "softmax_backward", "l2_normalize")
LENGTHS = (1, 31, 32, 33, 255, 256, 257, "most - 1", "most", "most + 1", 20_001)
CASES = [*((length, "float32") for length in LENGTHS),
         *((length, "float64") for length in (5, "most", "most + 1"))]  # fmt: skip
Wide = np.longdouble


def run(backend: Any, name: str, arrays: Any, axis: int, eps: float = 1e-12) -> Any:
    if name == "logsumexp":
        return backend.routine(name, *arrays, axes=(axis,), keepdims=True)
    more = {"eps": eps} if name == "l2_normalize" else {}
    return backend.routine(name, *arrays, axis=axis, **more)


def length_of(backend: Any, name: str, dtype: str, length: Any) -> int:
    if BY_NAME[dtype] not in backend.dtypes:
        pytest.skip(f"no {dtype}")
    most = Rows(backend, name, BY_NAME[dtype]).most
    return length if isinstance(length, int) else int(eval(length, {"most": most}))


def operands(name: str, dtype: str, length: int, rows: int = 4) -> list[Any]:
    rng = np.random.default_rng(length)
    x = (rng.normal(size=(rows, length)) * 4).astype(dtype)
    if name != "softmax_backward":
        return [x]
    shares = np.exp(x - x.max(axis=1, keepdims=True))
    return [rng.normal(size=x.shape).astype(dtype), shares / shares.sum(axis=1, keepdims=True)]


def reference(name: str, arrays: list[Any]) -> tuple[Any, Any]:
    """The true results, and what the units of errors are of."""
    x = arrays[0].astype(Wide)
    if name == "l2_normalize":
        found = x / np.sqrt((x * x).sum(axis=1, keepdims=True))
    elif name == "softmax_backward":
        output = arrays[1].astype(Wide)
        total = (x * output).sum(axis=1, keepdims=True)
        true = output * (x - total)
        return true, np.maximum(np.abs(true), output * np.maximum(np.abs(x), np.abs(total)))
    else:
        top = x.max(axis=1, keepdims=True)
        shares = np.exp(x - top)
        total = shares.sum(axis=1, keepdims=True)
        others = np.where(np.arange(x.shape[1]) == x.argmax(axis=1)[:, None], 0, shares)
        log_ = np.log1p(others.sum(axis=1, keepdims=True))
        found = {"softmax": shares / total, "log_softmax": x - top - log_,
                 "logsumexp": top + log_}[name]  # fmt: skip
    return found, found


def ulps(found: Any, true: Any, size: Any) -> float:
    unit = np.spacing(np.abs(size).astype(found.dtype)).astype(Wide)
    return float(np.max(np.abs(found - true) / unit))


@pytest.mark.parametrize(("length", "dtype"), CASES)
@pytest.mark.parametrize("name", NAMES)
def test_rows_of_any_length(name: str, length: Any, dtype: str, backend: Any) -> None:
    length = length_of(backend, name, dtype, length)
    arrays = operands(name, dtype, length)
    found = backend.to_host(run(backend, name, [backend.from_host(x, None) for x in arrays], 1))
    assert ulps(found, *reference(name, arrays)) < 2
    # The same bits wherever the axis is, and whatever else is in the call.
    columns = [backend.from_host(np.ascontiguousarray(x.T), None) for x in arrays]
    np.testing.assert_array_equal(backend.to_host(run(backend, name, columns, 0)).T, found)
    alone = [backend.from_host(x[2:3].copy(), None) for x in arrays]
    np.testing.assert_array_equal(backend.to_host(run(backend, name, alone, 1)), found[2:3])


@pytest.mark.parametrize("name", NAMES)
def test_strided_rows(name: str, backend: Any) -> None:
    for length in (7, 64, 300):
        arrays = operands(name, "float32", length)
        whole = [backend.from_host(x, None) for x in arrays]
        expected = backend.to_host(run(backend, name, whole, 1))
        spread = [backend.from_host(np.repeat(x[::-1], 3, axis=1), None) for x in arrays]
        views = [backend.index(x, (slice(None, None, -1), slice(1, None, 3))) for x in spread]
        np.testing.assert_array_equal(backend.to_host(run(backend, name, views, 1)), expected)
        cube = [np.ascontiguousarray(np.broadcast_to(x[:, :, None], (*x.shape, 5)))
                for x in arrays]  # fmt: skip
        found = run(backend, name, [backend.from_host(x, None) for x in cube], 1)
        shape = (4, expected.shape[1], 5)
        wide = np.broadcast_to(expected[:, :, None], shape)
        np.testing.assert_array_equal(backend.to_host(found), wide)


@pytest.mark.parametrize("long", [False, True])
def test_special_values(long: bool, backend: Any) -> None:
    inf, nan = np.inf, np.nan
    rows = np.asarray([[-inf] * 4, [nan, 1, 2, 3], [inf, 1, 2, -inf], [-inf, 0, 0, -inf]])
    if long:
        rows = np.concatenate([rows, np.full((4, 9000), -inf)], axis=1)
    x = backend.from_host(rows.astype("float32"), None)
    found = {name: backend.to_host(run(backend, name, [x], 1)) for name in NAMES[:3]}
    assert not found["softmax"][0].any()
    assert np.isneginf(found["log_softmax"][0]).all()
    assert found["logsumexp"][[0, 2], 0].tolist() == [-inf, inf]
    assert np.isnan(found["logsumexp"][1]).all()
    assert np.isnan(found["softmax"][[1, 2]]).all()
    assert np.isnan(found["log_softmax"][[1, 2]]).all()
    assert found["softmax"][3, :4].tolist() == [0, 0.5, 0.5, 0]
    assert found["log_softmax"][3, [0, 3]].tolist() == [-inf, -inf]


@pytest.mark.parametrize("long", [False, True])
def test_norms_neither_overflow_nor_underflow(long: bool, backend: Any) -> None:
    rows = np.asarray([[3e38, 3e38], [3e-30, 4e-30], [0, -0.0], [np.nan, 1], [-np.inf, 2]])
    if long:
        rows = np.concatenate([rows, np.zeros((5, 9000))], axis=1)
    x = backend.from_host(rows.astype("float32"), None)
    with np.errstate(all="ignore"):
        tiny = backend.to_host(run(backend, "l2_normalize", [x], 1, 1e-37))[:, :2]
        usual = backend.to_host(run(backend, "l2_normalize", [x], 1))[:, :2]
    np.testing.assert_allclose(tiny[:2], [[0.5**0.5] * 2, [0.6, 0.8]], rtol=2e-7)
    np.testing.assert_allclose(usual[1], [3e-18, 4e-18], rtol=2e-7)
    for found in (tiny, usual, backend.to_host(run(backend, "l2_normalize", [x], 1, 0.0))[:, :2]):
        assert found[2].tolist() == [0, 0]
        assert np.isnan(found[3]).all()
        assert np.isnan(found[4, 0])
        assert found[4, 1] == 0


def test_sums_of_exponentials_over_several_axes(backend: Any) -> None:
    host = np.random.default_rng(0).normal(size=(3, 4, 5)).astype("float32")
    x = backend.from_host(host, None)
    for axes in [(), (0,), (0, 2), (1, 2), (0, 1, 2)]:
        expected = np.log(np.exp(host.astype("float64")).sum(axis=axes, keepdims=True))
        found = backend.to_host(backend.routine("logsumexp", x, axes=axes, keepdims=True))
        np.testing.assert_allclose(found, expected, rtol=3e-7, atol=1e-7)
        flat = backend.to_host(backend.routine("logsumexp", x, axes=axes, keepdims=False))
        np.testing.assert_array_equal(flat, found.squeeze(axes))
    nothing = backend.from_host(np.ones((2, 0), "float32"), None)
    found = backend.routine("logsumexp", nothing, axes=(1,), keepdims=False)
    assert backend.to_host(found).tolist() == [-np.inf] * 2


@pytest.mark.parametrize("name", NAMES)
def test_a_row_that_fits_is_one_launch_and_a_longer_one_two(
    name: str, backend: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    launches: list[str] = []
    dispatch = backend.gpu.dispatch
    monkeypatch.setattr(backend.gpu, "dispatch", lambda program, *rest: (
        launches.append(program.label), dispatch(program, *rest)))  # fmt: skip
    most = Rows(backend, name, BY_NAME["float32"]).most
    for length, count in ((5, 1), (most, 1), (most + 1, 2), (10 * most, 2)):
        arrays = [backend.from_host(x, None) for x in operands(name, "float32", length, 2)]
        launches.clear()
        run(backend, name, arrays, 1)
        assert len(launches) == count, launches


def test_empty_arrays(backend: Any) -> None:
    for shape in ((0, 3), (3, 0)):
        x = backend.from_host(np.ones(shape, "float32"), None)
        for name in ("softmax", "log_softmax", "l2_normalize"):
            assert backend.to_host(run(backend, name, [x], 1)).shape == shape


def test_more_workgroups_than_an_axis_has(backend: Any) -> None:
    if not backend.gpu.adapter.features:
        pytest.skip("once is enough")
    rows = 65_535 + 5
    host = np.zeros((rows, 1024), "float32")
    host[-3:, 5] = np.log(1023)
    x = backend.from_host(host, None)
    end = backend.index(run(backend, "softmax", [x], 1), (slice(-4, None), slice(4, 6)))
    expected = [[1 / 1024] * 2, *[[1 / 2046, 0.5]] * 3]
    np.testing.assert_allclose(backend.to_host(end), expected, rtol=1e-6)
    backend.gpu.memory.trim()
