"""Element-wise functions: powers, exponentials, logarithms and trigonometry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api._declare import elementwise

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]


@elementwise("floating-point", costly=True)
def acos(x: Array, /) -> Array:
    """Arc cosine in radians; real results are in [0, pi], NaN beyond |x| > 1.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.

    Complex: branch cuts on the real axis beyond -1 and 1.
    """
    ...


@elementwise("floating-point", costly=True)
def acosh(x: Array, /) -> Array:
    """Inverse hyperbolic cosine; real results are >= 0, NaN for x < 1.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.

    Complex: branch cut on the real axis below 1.
    """
    ...


@elementwise("floating-point", costly=True)
def asin(x: Array, /) -> Array:
    """Arc sine in radians; real results are in [-pi/2, pi/2], NaN beyond |x| > 1.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.

    Complex: branch cuts on the real axis beyond -1 and 1.
    """
    ...


@elementwise("floating-point", costly=True)
def asinh(x: Array, /) -> Array:
    """Inverse hyperbolic sine.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.

    Complex: branch cuts on the imaginary axis beyond -1j and 1j.
    """
    ...


@elementwise("floating-point", costly=True)
def atan(x: Array, /) -> Array:
    """Arc tangent in radians; real results are in [-pi/2, pi/2].

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.

    Complex: branch cuts on the imaginary axis beyond -1j and 1j.
    """
    ...


@elementwise("real floating-point")
def atan2(x1: Array | float, x2: Array | float, /) -> Array:
    """Angle in radians of the point (x2, x1), in [-pi, pi]: the arc tangent of x1 / x2.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a real floating-point dtype; one may be a
            Python scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.
    """
    ...


@elementwise("floating-point", costly=True)
def atanh(x: Array, /) -> Array:
    """Inverse hyperbolic tangent; -inf at -1, inf at 1, NaN beyond.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.

    Complex: branch cuts on the real axis beyond -1 and 1.
    """
    ...


@elementwise("floating-point", costly=True)
def cos(x: Array, /) -> Array:
    """Cosine of an angle in radians.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("floating-point", costly=True)
def cosh(x: Array, /) -> Array:
    """Hyperbolic cosine.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("floating-point", costly=True)
def exp(x: Array, /) -> Array:
    """Exponential, ``e ** x``.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("floating-point", costly=True)
def expm1(x: Array, /) -> Array:
    """``exp(x) - 1``, accurate also where x is small.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("floating-point", costly=True)
def log(x: Array, /) -> Array:
    """Natural logarithm; -inf at 0, NaN below.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.

    Complex: branch cut on the negative real axis, imaginary part in [-pi, pi].
    """
    ...


@elementwise("floating-point", costly=True)
def log10(x: Array, /) -> Array:
    """Logarithm to base 10; -inf at 0, NaN below.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.

    Complex: ``log(x) / log(10)``.
    """
    ...


@elementwise("floating-point", costly=True)
def log1p(x: Array, /) -> Array:
    """``log(1 + x)``, accurate also where x is small; -inf at -1, NaN below.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.

    Complex: branch cut on the real axis below -1.
    """
    ...


@elementwise("floating-point", costly=True)
def log2(x: Array, /) -> Array:
    """Logarithm to base 2; -inf at 0, NaN below.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.

    Complex: ``log(x) / log(2)``.
    """
    ...


@elementwise("real floating-point")
def logaddexp(x1: Array | float, x2: Array | float, /) -> Array:
    """``log(exp(x1) + exp(x2))`` without undue overflow.

    Arguments:
        x1, x2: arrays whose shapes broadcast, of a real floating-point dtype; one may be a
            Python scalar.

    Returns:
        Array of the broadcast shape and the promoted dtype.
    """
    ...


@elementwise("floating-point", costly=True)
def sin(x: Array, /) -> Array:
    """Sine of an angle in radians.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("floating-point", costly=True)
def sinh(x: Array, /) -> Array:
    """Hyperbolic sine.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("floating-point")
def sqrt(x: Array, /) -> Array:
    """Square root; NaN below 0.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.

    Complex: branch cut on the negative real axis, real part >= 0.
    """
    ...


@elementwise("floating-point", costly=True)
def tan(x: Array, /) -> Array:
    """Tangent of an angle in radians.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...


@elementwise("floating-point", costly=True)
def tanh(x: Array, /) -> Array:
    """Hyperbolic tangent.

    Arguments:
        x: array of any shape, of a floating-point dtype.

    Returns:
        Array of x's shape and dtype.
    """
    ...
