"""Element-wise functions: comparison, classification, logic and bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api._declare import elementwise

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = [
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "equal",
    "greater",
    "greater_equal",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
    "signbit",
]


@elementwise("integer or boolean")
def bitwise_and(x1: Array | int, x2: Array | int, /) -> Array:
    """Bits set in both x1 and x2.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of an integer or boolean dtype; one may be a
            Python scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.
    """
    ...


@elementwise("integer or boolean")
def bitwise_invert(x: Array, /) -> Array:
    """Every bit flipped; logical not of booleans.

    Arguments:
        x: array of any shape, of an integer or boolean dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("integer")
def bitwise_left_shift(x1: Array | int, x2: Array | int, /) -> Array:
    """Bits moved towards the higher by x2 places, which must be >= 0.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of an integer dtype; one may be a Python scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.

    Shifts by the width of the dtype or more give 0.
    """
    ...


@elementwise("integer or boolean")
def bitwise_or(x1: Array | int, x2: Array | int, /) -> Array:
    """Bits set in x1 or x2.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of an integer or boolean dtype; one may be a
            Python scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.
    """
    ...


@elementwise("integer")
def bitwise_right_shift(x1: Array | int, x2: Array | int, /) -> Array:
    """Bits moved towards the lower by x2 places, which must be >= 0; keeps the sign.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of an integer dtype; one may be a Python scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.

    Shifts by the width of the dtype or more give 0, or -1 of a negative number.
    """
    ...


@elementwise("integer or boolean")
def bitwise_xor(x1: Array | int, x2: Array | int, /) -> Array:
    """Bits set in either x1 or x2.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of an integer or boolean dtype; one may be a
            Python scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.
    """
    ...


@elementwise("any", result="bool")
def equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    """``x1 == x2``; NaN equals nothing.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of any dtype; one may be a Python scalar.

    Returns:
        Boolean array of the broadcast shape.
    """
    ...


@elementwise("real-valued", result="bool")
def greater(x1: Array | float, x2: Array | float, /) -> Array:
    """``x1 > x2``.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a real-valued dtype; one may be a Python
            scalar.

    Returns:
        Boolean array of the broadcast shape.
    """
    ...


@elementwise("real-valued", result="bool")
def greater_equal(x1: Array | float, x2: Array | float, /) -> Array:
    """``x1 >= x2``.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a real-valued dtype; one may be a Python
            scalar.

    Returns:
        Boolean array of the broadcast shape.
    """
    ...


@elementwise("numeric", result="bool")
def isfinite(x: Array, /) -> Array:
    """Whether x is neither infinite nor NaN; of a complex number both parts.

    Arguments:
        x: array of any shape, of a numeric dtype.

    Returns:
        Boolean array of x's shape.
    """
    ...


@elementwise("numeric", result="bool")
def isinf(x: Array, /) -> Array:
    """Whether x is infinite; of a complex number either part.

    Arguments:
        x: array of any shape, of a numeric dtype.

    Returns:
        Boolean array of x's shape.
    """
    ...


@elementwise("numeric", result="bool")
def isnan(x: Array, /) -> Array:
    """Whether x is NaN; of a complex number either part.

    Arguments:
        x: array of any shape, of a numeric dtype.

    Returns:
        Boolean array of x's shape.
    """
    ...


@elementwise("real-valued", result="bool")
def less(x1: Array | float, x2: Array | float, /) -> Array:
    """``x1 < x2``.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a real-valued dtype; one may be a Python
            scalar.

    Returns:
        Boolean array of the broadcast shape.
    """
    ...


@elementwise("real-valued", result="bool")
def less_equal(x1: Array | float, x2: Array | float, /) -> Array:
    """``x1 <= x2``.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a real-valued dtype; one may be a Python
            scalar.

    Returns:
        Boolean array of the broadcast shape.
    """
    ...


@elementwise("boolean")
def logical_and(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Whether both x1 and x2 are true.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of boolean dtype; one may be a Python scalar.

    Returns:
        Boolean array of the broadcast shape.
    """
    ...


@elementwise("boolean")
def logical_not(x: Array, /) -> Array:
    """Whether x is false.

    Arguments:
        x: array of any shape, of boolean dtype.

    Returns:
        Boolean array of x's shape.
    """
    ...


@elementwise("boolean")
def logical_or(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Whether x1 or x2 is true.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of boolean dtype; one may be a Python scalar.

    Returns:
        Boolean array of the broadcast shape.
    """
    ...


@elementwise("boolean")
def logical_xor(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Whether exactly one of x1 and x2 is true.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of boolean dtype; one may be a Python scalar.

    Returns:
        Boolean array of the broadcast shape.
    """
    ...


@elementwise("any", result="bool")
def not_equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    """``x1 != x2``; NaN differs from everything.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of any dtype; one may be a Python scalar.

    Returns:
        Boolean array of the broadcast shape.
    """
    ...


@elementwise("real floating-point", result="bool")
def signbit(x: Array, /) -> Array:
    """Whether the sign bit is set, also of -0.0 and NaN.

    Arguments:
        x: array of any shape, of a real floating-point dtype.

    Returns:
        Boolean array of x's shape.
    """
    ...
