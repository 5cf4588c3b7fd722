"""Quantiles are those of NumPy."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api import _relaxed_quantiles as quantiles
from numr_api.extensions.mode import relaxed

NAN, INF = np.nan, np.inf
VALUES = {
    "floats": np.asarray([[3.0, 2.5, 1.0], [0.5, 2.0, -4.0], [7.0, 1.0, 1.0], [2.0, 9.0, 0.1]]),
    "gaps": np.asarray([[3.0, NAN, 1.0], [0.5, 2.0, -4.0], [NAN, NAN, NAN]]),
    "single": np.asarray([[3.0, NAN, 1.0], [0.5, 2.0, 4.0]], dtype=np.float32),
    "integers": np.asarray([[3, 1, 2], [5, 5, 0]]),
}
PARTS = (0.0, 0.3, 1.0, np.asarray([0.25, 0.5, 0.9]), np.asarray([[0.1, 0.2], [0.7, 1.0]]))


@pytest.mark.filterwarnings("ignore:All-NaN slice")
@pytest.mark.parametrize("device", ["cpu", "fake:0"])
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_linear(name: str, values: str, device: str, fakes: tuple[str, ...]) -> None:
    host = VALUES[values]
    x = xp.asarray(host, device=device)
    for q in PARTS:
        for axis in (None, 0, -1, (0, 1)):
            for keepdims in (False, True):
                expected = getattr(np, name)(host, q, axis=axis, keepdims=keepdims)
                found = getattr(quantiles, name)(x, q, axis=axis, keepdims=keepdims)
                assert found.device == device
                found = np.asarray(found.to_device("cpu"))
                assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
                np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_infinities_and_arrays_of_ours_as_parts() -> None:
    x = xp.asarray([INF, INF, 1.0, -INF])
    found = quantiles.quantile(x, xp.asarray([0.0, 1 / 3, 0.9, 1.0]))
    np.testing.assert_array_equal(np.asarray(found), [-INF, 1.0, INF, INF])
    assert float(quantiles.nanquantile(x, 0.9)) == INF


def test_positions_in_float32_stay_below_a_count_that_it_cannot_hold() -> None:
    last = xp.asarray([2**24 + 3])  # the next float32 is 1 more
    with relaxed():
        before, _ = quantiles.positions(last, np.asarray([0.5, 1.0]), xp.float32)
    assert np.asarray(before).tolist() == [2**23 + 2, 2**24 + 3]


def test_a_scalar_part_of_many_float32_is_as_exact_as_in_float64() -> None:
    host = (np.arange(2**22) - 1_258_290).astype(np.float32)  # 0.3 of the last is 1258290.9
    found = quantiles.quantile(xp.asarray(host), 0.3)
    assert found.dtype == xp.float32
    assert float(found) == pytest.approx(0.9, rel=1e-6)  # NumPy: 0.875


def test_device_without_float64(fakes: tuple[str, ...]) -> None:
    x = xp.asarray([1.0, 2.0, 4.0], device="fake:1")
    found = quantiles.quantile(x, np.asarray([0.25, 0.5]))
    assert found.dtype == xp.float32
    assert np.asarray(found.to_device("cpu")).tolist() == [1.5, 2.0]


def test_of_nothing_is_nan() -> None:
    found = quantiles.nanquantile(xp.zeros((2, 0)), [0.1, 0.5], axis=1)
    assert found.shape == (2, 2)
    assert xp.all(xp.isnan(found))


@pytest.mark.parametrize("method", ["lower", "nearest", "median_unbiased"])
def test_other_methods_on_the_cpu(method: str, fakes: tuple[str, ...]) -> None:
    host: Any = VALUES["floats"]
    expected = np.quantile(host, [0.3, 0.6], axis=0, method=method)
    found = quantiles.quantile(xp.asarray(host), [0.3, 0.6], axis=0, method=method)
    np.testing.assert_array_equal(np.asarray(found), expected)
    host = VALUES["gaps"][:2]
    for values in (host, VALUES["single"]):
        found = quantiles.nanquantile(xp.asarray(values), 0.5, axis=1, method=method)
        expected = np.nanquantile(values, 0.5, axis=1, method=method)
        np.testing.assert_array_equal(np.asarray(found), expected, strict=True)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("q", [0.5, np.asarray([0.2, 0.6])])
def test_other_methods_of_nothing_but_nan_are_nan_without_a_warning(q: Any, keepdims: bool) -> None:
    host = VALUES["gaps"]
    for axis in (None, 1, (0, 1)):
        with pytest.warns(RuntimeWarning) if axis == 1 else nullcontext():
            expected = np.nanquantile(host, q, axis=axis, method="lower", keepdims=keepdims)
        found = quantiles.nanquantile(
            xp.asarray(host), q, axis=axis, method="lower", keepdims=keepdims
        )
        np.testing.assert_array_equal(np.asarray(found), expected, strict=True)
    for nothing in (np.full((1, 2), NAN), np.zeros((1, 0))):
        found = quantiles.nanquantile(xp.asarray(nothing), q, method="lower", keepdims=keepdims)
        assert found.shape == np.shape(q) + (1, 1) * keepdims
        assert xp.all(xp.isnan(found))


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "median", "nanmedian"])
def test_errors_name_the_function(name: str) -> None:
    function, parts = getattr(quantiles, name), (0.5,) * name.endswith("quantile")
    with pytest.raises(TypeError, match=f"^{name}: expected a numr_api array"):
        function([1.0], *parts)
    for axis, error in ((1, IndexError), ("x", TypeError)):
        with pytest.raises(error, match=f"^{name}: "):
            function(xp.ones(2), *parts, axis=axis)
    if parts:
        for method in ("linear", "lower"):
            with pytest.raises(ValueError, match=f"^{name}: q must be from 0 to 1, got -1"):
                function(xp.ones(2), -1, method=method)


def test_what_is_refused(fakes: tuple[str, ...]) -> None:
    x = xp.ones((2, 2), device="fake:1")
    with pytest.raises(ValueError, match="q must be from 0 to 1, got 2"):
        quantiles.quantile(x, 2)
    with pytest.raises(IndexError, match="axis 2 is out of bounds"):
        quantiles.quantile(x, 0.5, axis=2)
