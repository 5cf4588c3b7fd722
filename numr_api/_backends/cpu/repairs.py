"""Element-wise operations for which the NumPy function is wrong, and kernels that repair it.

A kernel is called like a ufunc, under ``np.errstate(all="ignore")``. It takes the ufunc's values
and replaces the rare ones that are wrong, so it costs little more than the ufunc.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from numr_api._backends import Kernel
from numr_api._backends.cpu import repairs_complex as of_complex, repairs_vectorised
from numr_api._backends.cpu.blocks import BLOCK, AnyArray, Operand, any_true, given
from numr_api._backends.cpu.transcendental import call_shared

__all__ = ["REPAIRS"]


def _has_infinity(x: Operand) -> bool:
    if isinstance(x, np.ndarray):
        return any_true(np.isinf(x))
    return x in (math.inf, -math.inf)


def _floor_divide(x1: Operand, x2: Operand, out: AnyArray | None = None) -> Any:
    if not (_has_infinity(x1) or _has_infinity(x2)):
        return np.floor_divide(x1, x2, out=out)
    # The quotient of an infinity, or by one, has no fraction to floor. It and the mask are
    # computed before out is written, which may be an operand.
    quotient = np.divide(x1, x2)
    infinite = np.isinf(x1) | np.isinf(x2)
    result = np.asarray(np.floor_divide(x1, x2, out=out))
    np.copyto(result, quotient, where=infinite)
    return result


# As one number for all elements these exponents mean square, root and reciprocal to NumPy, the last
# digit of which is another than that of a power.
_SHORT_CUTS = (2.0, 0.5, -1.0)
_FEW = 64  # exponents that are quicker to look at one by one


def _power(x1: Operand, x2: Operand, out: AnyArray | None = None) -> Any:
    if not isinstance(x2, np.ndarray) or x2.size == 1:
        return _power_of_one_exponent(x1, x2, out)
    # Nor should the result depend on whether an exponent stands alone or in an array.
    base = x1 if isinstance(x1, np.ndarray) else x2.dtype.type(x1)
    values = [(_power_of_one_exponent(base, e), x2 == e) for e in _short_cuts_in(x2)]
    result = np.asarray(call_shared(np.power, x1, x2, out))
    for powers, where in values:
        np.copyto(result, powers, where=where)
    return result


def _power_of_one_exponent(x1: Operand, x2: Operand, out: AnyArray | None = None) -> Any:
    if x2 == 0.5:
        return _square_root(x1, x2, out)
    if x2 in _SHORT_CUTS:
        return np.power(x1, x2, out=out)
    return call_shared(np.power, x1, x2, out)


def _short_cuts_in(x: AnyArray) -> list[float]:
    """Which of the exponents that NumPy treats by themselves are among these."""
    if x.size <= _FEW:
        found = x.ravel().tolist()
        return [exponent for exponent in _SHORT_CUTS if exponent in found]
    once = x[tuple([slice(None) if stride else slice(1) for stride in x.strides])]
    if _has_power_of_two(once):
        return [exponent for exponent in _SHORT_CUTS if any_true(once == exponent)]
    return []


def _has_power_of_two(x: AnyArray) -> bool:
    """Whether any element has a significand of all zeros; one pass tells of most arrays: none."""
    flat = x.reshape(-1)
    bits = flat.view(np.int32 if x.itemsize == 4 else np.int64)
    significand = bits.dtype.type(2 ** np.finfo(x.dtype).nmant - 1)
    return not all(
        (bits[start : start + BLOCK] & significand).all() for start in range(0, bits.size, BLOCK)
    )


def _integer_power(x1: Operand, x2: Operand, out: AnyArray | None = None) -> Any:
    # NumPy finds a negative exponent on its way, when it has written a part of out.
    if out is not None and any_true(np.less(x2, 0)):
        raise ValueError("an integer cannot be raised to a negative power")
    return np.power(x1, x2, out=out)


def _square_root(x: Operand, half: Operand, out: AnyArray | None) -> Any:
    """``x ** 0.5``: like the square root, but ``-0`` and ``-inf`` become ``+0`` and ``+inf``."""
    negative_infinity = np.equal(x, -np.inf)
    # Adding zeros of the exponent's shape and dtype turns -0 into +0, and broadcasts and promotes.
    result = np.asarray(np.add(x, half * 0.0, out=out))
    np.sqrt(result, out=result)
    if any_true(negative_infinity):
        np.copyto(result, np.inf, where=negative_infinity)
    return result


def _predicate(ufunc: np.ufunc) -> Kernel:
    def kernel(x: AnyArray, out: AnyArray | None = None) -> Any:
        if out is None or (out.flags.c_contiguous and x.flags.c_contiguous):
            return ufunc(x, out=out)
        return given(ufunc(x), out)

    return kernel


def _part(name: str) -> Kernel:
    def kernel(x: AnyArray, out: AnyArray | None = None) -> Any:
        view = getattr(x, name)
        return view if out is None else np.positive(view, out=out)

    return kernel


_ALWAYS: dict[str, dict[str, Kernel]] = {
    # acosh(nanj) is NaN in both parts before NumPy 2.3; the imaginary one is pi/2.
    "acosh": {"c": of_complex.acosh},
    # atan(conj(z)) and conj(atan(z)) differ in the last digits at a quarter of random z.
    "atan": {"c": of_complex.atan},
    # The same: atanh(-z) is not -atanh(z).
    "atanh": {"c": of_complex.atanh},
    # Huge numbers give NaN or 0, tiny ones infinity: (1e308+1e308j) / (1e308+1e308j) is nan+0j,
    # and (1e-320+1e-320j) / (1e-320+2e-320j) is inf-infj.
    "divide": {"c": of_complex.divide},
    # expm1(-inf+infj) is NaN instead of -1, expm1(inf+0j) has an imaginary part of NaN, and
    # expm1(710.3+1.6j) is infinite in both parts, of which one is finite.
    "expm1": {"c": of_complex.expm1},
    # inf // 2 is NaN instead of inf, and 2 // -inf is -1 instead of -0.
    "floor_divide": {"f": _floor_divide},
    # np.imag and np.real are no ufuncs and take no out.
    "imag": {"c": _part("imag")},
    "real": {"iufc": _part("real")},
    # Written to a bool array with gaps, all four are false for true and true for false.
    "isfinite": {"f": _predicate(np.isfinite)},
    "isinf": {"f": _predicate(np.isinf)},
    "isnan": {"f": _predicate(np.isnan)},
    "signbit": {"f": _predicate(np.signbit)},
    # log1p(1e-20+1e-30j) loses its real part, and log1p(1.5e308+1.5e308j) is infinite.
    "log1p": {"c": of_complex.log1p},
    # A single exponent of 0.5 means sqrt: (-inf) ** 0.5 is NaN, (-0.0) ** 0.5 is -0.0; and 2, 0.5
    # and -1 have other bits alone than in an array. Complex:
    # (1e200+1e200j) ** -2 is NaN instead of 0.
    "pow": {"i": _integer_power, "f": _power, "c": of_complex.power},
    # reciprocal(0j) is nan+nanj, 1 / 0j is inf+nanj; and it has the faults of divide.
    "reciprocal": {"c": of_complex.reciprocal},
    # sign(nan+infj) and sign(1.5e308+1.5e308j) are 1j instead of NaN and sqrt(0.5)*(1+1j).
    "sign": {"c": of_complex.sign},
    # tan(2+infj) is -0+1j instead of 0+1j.
    "tan": {"c": of_complex.tan},
    # tanh(inf+2j) is 1-0j instead of 1+0j.
    "tanh": {"c": of_complex.tanh},
}

REPAIRS = repairs_vectorised.repairs(_ALWAYS)
