"""Element-wise functions: arithmetic, rounding, signs and complex parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api._declare import elementwise

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = [
    "abs",
    "add",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "divide",
    "floor",
    "floor_divide",
    "hypot",
    "imag",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "square",
    "subtract",
    "trunc",
]


@elementwise("numeric", result="real")
def abs(x: Array, /) -> Array:
    """Absolute value, ``|x|``; of a complex number ``hypot(real, imag)``.

    Arguments:
        x: array of any shape, of a numeric dtype.

    Returns:
        Array of x's shape and dtype; of a complex dtype its real part's.
    """
    ...


@elementwise("numeric")
def add(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Sum, ``x1 + x2``.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a numeric dtype; one may be a Python scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.

    Integers wrap around.
    """
    ...


@elementwise("real-valued")
def ceil(x: Array, /) -> Array:
    """Smallest integer that is not below x.

    Arguments:
        x: array of any shape, of a real-valued dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("real-valued")
def clip(x: Array, /, min: Array | float | None = None, max: Array | float | None = None) -> Array:
    """x limited to the range from min to max, ``minimum(maximum(x, min), max)``.

    Arguments:
        x: array of any shape, of a real-valued dtype.
        min, max: bounds, arrays that broadcast with x or Python scalars; None for no bound.
            They must promote to x's dtype.

    Returns:
        Array of the broadcast shape and x's dtype; NaN where x or a bound is NaN.
    """
    ...


@elementwise("numeric")
def conj(x: Array, /) -> Array:
    """Complex conjugate, ``real - imag * 1j``; of a real dtype a copy.

    Arguments:
        x: array of any shape, of a numeric dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("real floating-point")
def copysign(x1: Array | float, x2: Array | float, /) -> Array:
    """Magnitude of x1 with the sign of x2, also where x2 is -0.0 or NaN.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a real floating-point dtype; one may be a
            Python scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.
    """
    ...


@elementwise("floating-point")
def divide(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Quotient, ``x1 / x2``.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a floating-point dtype; one may be a Python
            scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.

    Division by zero gives an infinity or NaN, as IEEE 754 says.
    """
    ...


@elementwise("real-valued")
def floor(x: Array, /) -> Array:
    """Largest integer that is not above x.

    Arguments:
        x: array of any shape, of a real-valued dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("real-valued")
def floor_divide(x1: Array | float, x2: Array | float, /) -> Array:
    """Largest integer that is not above ``x1 / x2``.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a real-valued dtype; one may be a Python
            scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.

    Infinities follow ``floor(x1 / x2)``: ``inf // 2`` is inf, ``-1 // inf`` is -0.0. An integer
    divided by zero gives 0.
    """
    ...


@elementwise("real floating-point")
def hypot(x1: Array | float, x2: Array | float, /) -> Array:
    """``sqrt(x1**2 + x2**2)`` without undue overflow or underflow.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a real floating-point dtype; one may be a
            Python scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.
    """
    ...


@elementwise("complex floating-point", result="real")
def imag(x: Array, /) -> Array:
    """Imaginary part of complex numbers, a view where the device can.

    Arguments:
        x: array of any shape, of a complex dtype.

    Returns:
        Array of x's shape and its real part's dtype.
    """
    ...


@elementwise("real-valued")
def maximum(x1: Array | float, x2: Array | float, /) -> Array:
    """The larger of x1 and x2; NaN if either is NaN.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a real-valued dtype; one may be a Python
            scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.
    """
    ...


@elementwise("real-valued")
def minimum(x1: Array | float, x2: Array | float, /) -> Array:
    """The smaller of x1 and x2; NaN if either is NaN.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a real-valued dtype; one may be a Python
            scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.
    """
    ...


@elementwise("numeric")
def multiply(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Product, ``x1 * x2``.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a numeric dtype; one may be a Python scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.

    Integers wrap around.
    """
    ...


@elementwise("numeric")
def negative(x: Array, /) -> Array:
    """``-x``; unsigned integers wrap around.

    Arguments:
        x: array of any shape, of a numeric dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("real floating-point")
def nextafter(x1: Array | float, x2: Array | float, /) -> Array:
    """The number next to x1 in the direction of x2, in steps of the dtype.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a real floating-point dtype; one may be a
            Python scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.
    """
    ...


@elementwise("numeric")
def positive(x: Array, /) -> Array:
    """``+x``, a copy.

    Arguments:
        x: array of any shape, of a numeric dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("numeric")
def pow(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Power, ``x1 ** x2``.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a numeric dtype; one may be a Python scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.

    ``x ** 0`` and ``1 ** x`` are 1, also of NaN. Complex: ``exp(x2 * log(x1))``.

    Raises:
        ValueError: an integer with a negative integer exponent, on cpu.
    """
    ...


@elementwise("numeric", result="real")
def real(x: Array, /) -> Array:
    """Real part of complex numbers, a view where the device can; of a real dtype all of x.

    Arguments:
        x: array of any shape, of a numeric dtype.

    Returns:
        Array of x's shape and its real part's dtype.
    """
    ...


@elementwise("floating-point")
def reciprocal(x: Array, /) -> Array:
    """``1 / x``.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("real-valued")
def remainder(x1: Array | float, x2: Array | float, /) -> Array:
    """``x1 - floor_divide(x1, x2) * x2``, with the sign of x2.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a real-valued dtype; one may be a Python
            scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.

    An integer modulo zero gives 0.
    """
    ...


@elementwise("numeric")
def round(x: Array, /) -> Array:
    """Nearest integer, ties to the even one; of a complex number each part.

    Arguments:
        x: array of any shape, of a numeric dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("numeric")
def sign(x: Array, /) -> Array:
    """-1, 0 or 1, NaN for NaN; of a complex number ``x / |x|``, or 0.

    Arguments:
        x: array of any shape, of a numeric dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("numeric")
def square(x: Array, /) -> Array:
    """``x * x``.

    Arguments:
        x: array of any shape, of a numeric dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("numeric")
def subtract(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Difference, ``x1 - x2``.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a numeric dtype; one may be a Python scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.

    Integers wrap around.
    """
    ...


@elementwise("real-valued")
def trunc(x: Array, /) -> Array:
    """Integer part, rounded towards zero.

    Arguments:
        x: array of any shape, of a real-valued dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...
