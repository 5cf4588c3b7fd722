"""What tests of compiled functions share: numbers of float32, errors, bits and polynomials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def values(step: int) -> Array:
    """Every so many-th of all numbers in float32: all exponents, both signs, and NaN."""
    return np.arange(0, 2**32, step, dtype=np.uint64).astype(np.uint32).view(np.float32)


def errors(found: Array, exact: Array) -> Array:
    """In units in the last place of float32; infinity counts as the power of two after the last."""
    largest = 2.0**128
    clipped = [np.clip(x.astype(np.float64), -largest, largest) for x in (found, exact)]
    _, exponents = np.frexp(clipped[1])
    units = np.ldexp(1.0, np.clip(exponents - 24, -149, 104))
    return np.abs(clipped[0] - clipped[1]) / units


def same_bits(x: Any, y: Any) -> bool:
    x, y = np.asarray(x), np.asarray(y)
    return x.shape == y.shape and x.tobytes() == y.tobytes()


def interpolated(
    function: Callable[[Any], Any], low: float, high: float, count: int
) -> list[float]:
    """The coefficients of the polynomial that has a function's values at Chebyshev's points."""
    with mpmath.workdps(50):
        nodes = [mpmath.cos(mpmath.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
        points = [(high + low + (high - low) * mpmath.mpf(node)) / 2 for node in nodes]
        powers = mpmath.matrix([[x**i for i in range(count)] for x in points])
        solution = mpmath.lu_solve(powers, mpmath.matrix([function(x) for x in points]))
    return [float(c) for c in solution]
