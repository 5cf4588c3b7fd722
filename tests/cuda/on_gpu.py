"""Arrays on the first GPU, and what they are on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

import numr_api as xp

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]


def on(values: Any, dtype: Any = None) -> Any:
    return xp.asarray(np.asarray(values, dtype), device="cuda")


def host(x: Any) -> Any:
    return np.asarray(x.to_device("cpu"))


def same(found: Any, expected: Any) -> bool:
    """Whether all bits agree, but for NaN."""
    found, expected = host(found), np.asarray(expected)
    return (
        found.dtype == expected.dtype
        and found.shape == expected.shape
        and np.array_equal(found, expected, equal_nan=expected.dtype.kind in "fc")
        and (expected.dtype.kind != "f" or np.array_equal(*map(signs, (found, expected))))
    )


def signs(x: Any) -> Any:
    return np.signbit(x) & ~np.isnan(x)
