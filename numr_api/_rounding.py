"""NumPy arrays in another dtype, of which each number is rounded once.

ml_dtypes goes by way of float32 from float64 and from wide integers, which rounds twice: in
bfloat16 1 + 2**-8 + 2**-40 becomes 1, though it is nearer to 1 + 2**-7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api._dtypes import EIGHTHS, bfloat16

if TYPE_CHECKING:
    from numr_api._backends import Scalar
    from numr_api._dtypes import DType

AnyArray = np.ndarray[Any, np.dtype[Any]]

_WIDE = "dlLqQiI"  # float64 and integers of 32 and 64 bits, as NumPy's characters

# Integers from here on are cut to multiples of 2**16, which are exact in float64.
_HUGE = 2**32


def converted(x: AnyArray, dtype: DType) -> AnyArray:
    """x in a dtype, new memory; infinities, NaN and numbers out of range as ``astype`` has them.

    NumPy may warn of them.
    """
    if (dtype is bfloat16 or dtype in EIGHTHS) and x.dtype.char in _WIDE:
        x = rounded_to_odd(x if x.dtype.kind == "f" else _exact(x))
    return x.astype(dtype.__numpy_dtype__)


def scalar(value: Scalar, dtype: DType) -> Any:
    """A Python scalar as NumPy's of a dtype of the extensions; without warnings."""
    number = np.asarray(value)
    if number.dtype.kind == "O":  # an integer of more than 64 bits
        number = np.asarray(float(value))  # type: ignore[arg-type]
    with np.errstate(all="ignore"):
        return converted(number, dtype)[()]


def rounded_to_odd(x: AnyArray) -> AnyArray:
    """float64 in float32, where what is not exact gets an odd significand: neither a number of a
    narrower dtype nor halfway between two, so that rounding again has the effect of rounding once.

    Source: S. Boldo, G. Melquiond, "Emulation of a FMA and correctly rounded sums: proved
    algorithms using rounding to odd", IEEE Transactions on Computers 57 (2008).
    """
    nearest = x.astype(np.float32)
    back = nearest.astype(np.float64)
    bits = nearest.view(np.int32)
    bits -= np.abs(back) > np.abs(x)  # towards zero; from infinity to the largest number
    bits |= (back != x) & (x == x)
    return nearest


def _exact(x: AnyArray) -> AnyArray:
    """Integers in float64; of huge ones the bits below 2**16 only tell whether there are any."""
    if x.itemsize < 8:
        return x.astype(np.float64)
    size = np.where(x < 0, -x, x).astype(np.uint64)  # -(-2**63) wraps to what means 2**63
    cut = (size >> np.uint64(16)) | ((size & np.uint64(0xFFFF)) != 0)
    numbers = np.where(size < _HUGE, size.astype(np.float64), cut.astype(np.float64) * 2.0**16)
    return np.where(x < 0, -numbers, numbers)
