"""Complex functions that NumPy gets wrong: the ufunc's values, replaced where they are off.

In the docstrings, ``a`` and ``b`` are the real and the imaginary part of the operand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from numr_api._backends.cpu.blocks import (
    BLOCK,
    AnyArray,
    Formula,
    Operand,
    all_true,
    any_true,
    given,
    in_blocks,
    selected,
)

_COMPLEX64 = np.dtype(np.complex64)
_COMPLEX128 = np.dtype(np.complex128)


# --- scaling by powers of two ---------------------------------------------------------------------


def _magnitude(z: AnyArray) -> AnyArray:
    """The larger of ``|a|`` and ``|b|``; NaN if either is."""
    return np.maximum(np.abs(z.real), np.abs(z.imag))


def _safe_range(dtype: np.dtype[Any]) -> tuple[float, float]:
    """Magnitudes for which ``abs`` and division neither overflow nor meet subnormal numbers."""
    limits = np.finfo(dtype)
    return float(limits.tiny) / float(limits.eps), float(limits.max) / 4


_SAFE_RANGE = {dtype: _safe_range(dtype) for dtype in (_COMPLEX64, _COMPLEX128)}
_UP = 2.0**108  # lifts a subnormal number far above the smallest normal one
_DOWN = 2.0**-4


def _scale(z: AnyArray) -> AnyArray:
    """Powers of two that bring the elements into the safe range."""
    smallest, largest = _SAFE_RANGE[z.dtype]
    magnitude = _magnitude(z)
    scale = np.ones_like(magnitude)
    scale[magnitude > largest] = _DOWN
    scale[magnitude < smallest] = _UP
    return scale


def _times(z: AnyArray, factor: AnyArray) -> AnyArray:
    """Product with a real array, part by part: ``z * factor`` would turn infinities into NaN."""
    product = np.empty_like(z)
    np.multiply(z.real, factor, out=product.real)
    np.multiply(z.imag, factor, out=product.imag)
    return product


# --- functions of one operand ---------------------------------------------------------------------

_EXP_DWARFS_ONE = 40.0  # exp(40) > 2**57: in double precision, exp(40) - 1 is exp(40)


def _expm1(z: AnyArray) -> AnyArray:
    result = np.expm1(z)
    result.real += 0.0  # -0+0j gives 0+0j, unlike the real -0
    inside = np.abs(z.real) < _EXP_DWARFS_ONE
    if not all_true(inside):
        outside = ~inside  # includes NaN
        values = np.exp(z[outside])
        values.real -= 1
        result[outside] = values
    return result


_UPPER_HALF = ~((1 << 27) - 1)  # sign, exponent and the 26 leading bits of a double


def _log1p(z: AnyArray) -> AnyArray:
    """``log|1+z| = log1p(s) / 2`` with ``s = |1+z|**2 - 1`` wherever ``|1+z|`` is not small."""
    result = np.log1p(z)
    a, b = z.real, z.imag
    excess = a * (a + 2) + b * b
    near = (excess > -0.5) & (excess < 2.0**20)
    if any_true(near):
        result.real[near] = np.log1p(_squared_modulus_less_one(z[near])) / 2
    overflown = result.real == np.inf
    if any_true(overflown):
        result[overflown] = np.log(z[overflown])  # beside such numbers, 1 is nothing
    return result


def _squared_modulus_less_one(z: AnyArray) -> AnyArray:
    """``2a + a*a + b*b``, in twice the working precision because the terms may cancel.

    Numbers are cut in two, ``x = high + low``, so that the products ``high * high`` and
    ``high * low`` are exact. The sums whose errors are dropped are exact if they cancel.
    """
    parts = z.view(np.float64)
    high = (parts.view(np.int64) & _UPPER_HALF).view(np.float64)
    low = parts - high
    squares, products, remainders = high * high, 2 * high * low, low * low
    largest, largest_error = _exact_sum(2 * z.real, squares[1::2])
    smaller, smaller_error = _exact_sum(products[::2], products[1::2])
    errors = largest_error + smaller_error + (remainders[::2] + remainders[1::2])
    return (largest + squares[::2]) + smaller + errors


def _exact_sum(x: AnyArray, y: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The rounded sum and its error (D. E. Knuth, The Art of Computer Programming 2, 4.2.2)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def _sign(z: AnyArray) -> AnyArray:
    result = np.sign(z)
    smallest, largest = _SAFE_RANGE[z.dtype]
    magnitude = _magnitude(z)
    usual = (magnitude >= smallest) & (magnitude <= largest)
    if not all_true(usual):
        unusual = ~usual & (magnitude != 0)  # includes NaN
        values = z[unusual]
        signs = np.sign(_times(values, _scale(values)))
        signs[np.isnan(values)] = complex(math.nan, math.nan)
        result[unusual] = signs
    return result


def _zero_beside_infinity(ufunc: Formula, infinite: str, zero: str) -> Formula:
    """Where part ``infinite`` of the operand is so, part ``zero`` of the result is 0.

    The zero has the sign that the part had in the operand.
    """

    def formula(z: AnyArray) -> AnyArray:
        result = ufunc(z)
        limit = np.isinf(getattr(z, infinite))
        if any_true(limit):
            getattr(result, zero)[limit] = np.copysign(0, getattr(z, zero)[limit])
        return result

    return formula


def _acosh(z: AnyArray) -> AnyArray:
    result = np.acosh(z)
    lost = np.isnan(result.imag)
    if any_true(lost):
        lost &= (z.real == 0) & np.isnan(z.imag)
        result.imag[lost] = math.pi / 2
    return result


def _by_symmetry(ufunc: Callable[..., AnyArray]) -> Formula:
    """Values of the first quadrant, with the signs of ``a`` and ``b``."""

    def formula(z: AnyArray) -> AnyArray:
        folded = np.empty_like(z)
        np.abs(z.real, out=folded.real)
        np.abs(z.imag, out=folded.imag)
        result = ufunc(folded, out=folded)
        np.copysign(result.real, z.real, out=result.real)
        np.copysign(result.imag, z.imag, out=result.imag)
        return result

    return formula


def _in_double(formula: Formula) -> Formula:
    """The formula, computed in complex128 and rounded once."""

    def rounded(z: AnyArray) -> AnyArray:
        if z.dtype == _COMPLEX128:
            return formula(z)
        return formula(z.astype(_COMPLEX128)).astype(z.dtype)

    return rounded


acosh = in_blocks(_acosh)
expm1 = in_blocks(_in_double(_expm1))
log1p = in_blocks(_in_double(_log1p))
sign = in_blocks(_sign)
tanh = in_blocks(_zero_beside_infinity(np.tanh, infinite="real", zero="imag"))
tan = in_blocks(_zero_beside_infinity(np.tan, infinite="imag", zero="real"))
atan = in_blocks(_by_symmetry(np.atan))
atanh = in_blocks(_by_symmetry(np.atanh))


# --- functions of two operands --------------------------------------------------------------------


def _is_single(x1: Operand, x2: Operand) -> bool:
    """Whether the operands, arrays of one dtype or an array and a scalar, are complex64."""
    array = x1 if isinstance(x1, np.ndarray) else x2
    return isinstance(array, np.ndarray) and array.dtype == _COMPLEX64


def _rounded_once(ufunc: np.ufunc, x1: Operand, x2: Operand) -> AnyArray:
    """The ufunc of complex64 operands, computed in complex128 and rounded once."""
    first, second = _single(x1), _single(x2)
    if max(first.size, second.size) <= BLOCK:  # where the ufunc's own conversion is slow
        return ufunc(first.astype(_COMPLEX128), second.astype(_COMPLEX128)).astype(_COMPLEX64)
    result = np.empty(np.broadcast(first, second).shape, _COMPLEX64)
    return ufunc(first, second, out=result, dtype=_COMPLEX128, casting="same_kind")


def _single(x: Operand) -> AnyArray:
    return x if isinstance(x, np.ndarray) else np.complex64(x)


def divide(x1: Operand, x2: Operand, out: AnyArray | None = None) -> AnyArray:
    if _is_single(x1, x2):
        return given(_rounded_once(np.divide, x1, x2), out)
    result = np.asarray(np.divide(x1, x2))
    finite, zero = np.isfinite(result), result == 0
    if not all_true(finite) or any_true(zero):
        suspect = ~finite | (zero & (np.asarray(x1) != 0))
        result[suspect] = _scaled_quotient(selected(x1, suspect), selected(x2, suspect))
    return given(result, out)


def _scaled_quotient(x: AnyArray, y: AnyArray) -> AnyArray:
    x, y = np.asarray(x, _COMPLEX128), np.asarray(y, _COMPLEX128)
    x_scale, y_scale = _scale(x), _scale(y)
    return _times(_times(x, x_scale) / _times(y, y_scale), y_scale / x_scale)


def reciprocal(x: Operand, out: AnyArray | None = None) -> AnyArray:
    return divide(1.0, x, out=out)


def power(x1: Operand, x2: Operand, out: AnyArray | None = None) -> AnyArray:
    single = _is_single(x1, x2)
    result = np.asarray(_rounded_once(np.power, x1, x2) if single else np.power(x1, x2))
    suspect = np.isnan(result)
    if any_true(suspect):
        base, exponent = selected(x1, suspect), selected(x2, suspect)
        result[suspect] = np.exp(exponent * np.log(np.asarray(base, _COMPLEX128)))
    return given(result, out)
