"""Python's numbers as floating-point numbers of 16 and 8 bits.

Kernels compute with them in float32 and round once; see ``narrow.cuh``. This has the outcome of
``_rounding.scalar``, but takes a microsecond, where that takes 3 for float16 and 13 for bfloat16,
longer than the launch of a kernel.
"""

from __future__ import annotations

import math

from numr_api import _dtypes
from numr_api._dtypes import DType

__all__ = ["rounded"]

# Bits of the significand, the least exponent, the largest number, and what is larger still.
FORMATS = {
    _dtypes.float16: (11, -14, 65504.0, math.inf),
    _dtypes.bfloat16: (8, -126, float.fromhex("0x1.fep127"), math.inf),
    _dtypes.float8_e4m3fn: (4, -6, 448.0, math.nan),
    _dtypes.float8_e5m2: (3, -14, 57344.0, math.inf),
}

FLOAT_BITS = 53  # of the significand of Python's float


def rounded(value: float, dtype: DType) -> float:
    """A number rounded once to a dtype of 16 or 8 bits, ties to even."""
    bits, least, most, beyond = FORMATS[dtype]
    number = float(_exact(value) if isinstance(value, int) else value)
    if abs(number) >= 2.0 * most:  # also infinities, but not NaN
        return math.copysign(beyond, number)
    # Added to this number, what is below the last bit is rounded away.
    last = max(math.frexp(number)[1] - 1, least) - bits + 1
    shift = math.ldexp(1.5, FLOAT_BITS - 1 + last)
    found = abs(number) + shift - shift
    return math.copysign(found if not found > most else beyond, number)


def _exact(value: int) -> int:
    """An integer that float holds and that is rounded as the given one, in fewer bits."""
    size = abs(value)
    excess = size.bit_length() - FLOAT_BITS
    if excess <= 0:
        return value
    kept = size >> excess << excess
    if kept != size:
        kept |= 1 << excess  # odd, so that it is no tie
    return kept if value > 0 else -kept
