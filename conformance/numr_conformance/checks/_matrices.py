"""Matrices of known condition, and comparisons with a bound that fits decompositions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from numr_conformance.checks._tools import Host, assert_equal, assert_true, continuous
from numr_conformance.target import Target

BATCHES = [(), (3,), (2, 1, 2), (0,)]
SIZES = [1, 2, 3, 5]


def wide(dtype: str) -> str:
    """More precision than the dtype's, for a reference."""
    return {"f": "longdouble", "c": "clongdouble"}.get(np.dtype(dtype).kind, "int64")


def well(dtype: str, batch: tuple[int, ...], n: int) -> Host:
    """Matrices with a condition number below about 10."""
    return (continuous(dtype, (*batch, n, n)) + 3 * math.sqrt(n) * np.eye(n)).astype(dtype)


def definite(dtype: str, batch: tuple[int, ...], n: int) -> Host:
    x = continuous(dtype, (*batch, n, n)).astype("complex128" if dtype[0] == "c" else "float64")
    return (x @ adjoint(x) + n * np.eye(n)).astype(dtype)


def adjoint(x: Host) -> Host:
    return np.conj(np.swapaxes(x, -1, -2))


def assert_near(
    target: Target, result: Any, expected: Host, dtype: str, *, scale: float, given: Any = ""
) -> None:
    """Within a few roundings of numbers of this size."""
    slack = 64 * float(np.finfo(dtype).eps) * scale
    assert_equal(target, result, expected, dtype=dtype, atol=slack, given=given)


def assert_product(name: str, found: Host, expected: Host, dtype: str, given: Any) -> None:
    """Two host arrays that a decomposition makes equal."""
    scale = float(np.max(np.abs(expected), initial=1))
    slack = 64 * float(np.finfo(dtype).eps) * scale * max((1, *expected.shape[-1:]))
    error = float(np.max(np.abs(found - expected), initial=0))
    assert_true(found.shape == expected.shape and error <= slack, name, given=given,
                expected=expected, actual=found)  # fmt: skip
