"""Products of floating-point numbers without rounding, as sums of two numbers.

Source: T. J. Dekker, "A floating-point technique for extending the available precision", Numerische
Mathematik 18 (1971).
"""

from __future__ import annotations

from typing import Any

AnyArray = Any

SPLITTER = 2.0**27 + 1  # of float64


def product(x: AnyArray, y: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The rounded product of float64 far from overflow, and what it lacks."""
    rounded = x * y
    x1, x2 = halves(x)
    y1, y2 = halves(y)
    return rounded, ((x1 * y1 - rounded) + x1 * y2 + x2 * y1) + x2 * y2


def halves(x: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Two numbers of half the bits, of which x is the sum."""
    large = x * SPLITTER
    first = large - (large - x)
    return first, x - first
