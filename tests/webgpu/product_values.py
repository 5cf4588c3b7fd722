"""What the tests of products on webgpu share: operands, what to expect, small bindings."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._backends.webgpu.device import WebgpuBackend
from numr_api._devices import device_name

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float32", "complex64", "float64", "complex128")
RANDOM = np.random.default_rng(2)


def values(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    """Integers of the whole range, so that products wrap; or normally distributed numbers."""
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        return RANDOM.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    found = RANDOM.standard_normal(shape)
    if dtype.startswith("complex"):
        found = found + 1j * RANDOM.standard_normal(shape)
    return np.asarray(found, dtype)


def assert_product(got: Any, x: Any, y: Any, roundings: float | None = None) -> None:
    """Integers are exact; errors stay below some roundings of the sum of magnitudes."""
    if x.dtype.kind in "iu":
        expected = np.matmul(x, y)
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)
        return
    wide = "complex128" if x.dtype.kind == "c" else "float64"
    expected = np.matmul(x.astype(wide), y.astype(wide))
    assert got.dtype == x.dtype
    assert got.shape == expected.shape
    allowed = np.matmul(np.abs(x).astype("float64"), np.abs(y).astype("float64"))
    allowed = allowed * float(np.finfo(x.dtype).eps) * (roundings or 3)
    assert np.all(np.abs(got - expected) <= allowed)


def needs(backend: Any, dtype: str) -> None:
    if getattr(xp, dtype) not in backend.dtypes:
        pytest.skip(f"no {dtype}")


@cache
def limited(backend: Any, most: int) -> Any:
    """Another backend for the same adapter, whose bindings hold few bytes."""
    found = WebgpuBackend(device_name("webgpu", 200), backend.gpu.adapter)
    found.gpu.most = found.gpu.memory._most = most
    found.gpu.memory._collect()
    found.gpu.memory._slab = None
    found.gpu.memory._pieces.clear()
    return found
