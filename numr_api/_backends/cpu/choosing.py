"""``where`` without branches.

NumPy's decides element by element; where a processor cannot foretell a mask it guesses wrong at
every other one.

An element of the result is ``((a ^ b) & m) ^ b`` in the bits of the operands, where ``m`` is all
ones or all zeros; where numba is installed, a compiled loop chooses in one pass. Where the mask is
true in long runs, NumPy's own loop is as fast or faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from numr_api._backends.cpu import jit, threads

AnyArray = Any
_where: Any = np.where

BLOCK = (
    32768  # elements; with smaller blocks the overhead of calls shows, larger ones leave the cache
)
GRAIN = 8192  # elements; with fewer, threads would show the overhead
# As much more work makes threads worth while where nothing is compiled: between one call and the
# next they wait for Python's lock, which takes longer than a short call.
WAITING = 5
SAMPLE = 512  # elements of the mask that are looked at, in two places

# By bytes of an element: the integers of that size, from how many elements it is worth while, how
# often the mask has to change from one element to the next, and nanoseconds for an element.
SIZES = {
    1: (np.dtype(np.int8), 32768, 1 / 32, 0.2),
    2: (np.dtype(np.int16), 32768, 1 / 32, 0.4),
    4: (np.dtype(np.int32), 32768, 1 / 24, 0.8),
    8: (np.dtype(np.int64), 65536, 1 / 6, 1.5),
}

COMPILED = 3  # times as fast as what NumPy's functions do together

__all__ = ["where"]


def where(mask: AnyArray, x1: AnyArray, x2: AnyArray) -> AnyArray:
    """What ``np.where`` returns, bit for bit."""
    if not (
        x1.__class__ is x2.__class__ is np.ndarray
        and x1.dtype == x2.dtype
        and mask.shape == x1.shape == x2.shape
        and (size := SIZES.get(x1.itemsize))
        and mask.size >= size[1]
    ):
        return _where(mask, x1, x2)
    integer, _, changes, cost = size
    operands = (mask, x1, x2)
    order = "C" if all(x.flags.c_contiguous for x in operands) else "F"
    if order == "F" and not all(x.flags.f_contiguous for x in operands):
        return _where(mask, x1, x2)
    # Of one axis, in the order in which they lie in memory, and without a copy.
    bits = mask.view(np.int8).reshape(-1, order=order)
    if changes_in(bits) < changes:
        return _where(mask, x1, x2)
    result: AnyArray = np.empty(x1.shape, x1.dtype, order)
    a, b, out = (x.reshape(-1, order=order).view(integer) for x in (x1, x2, result))

    compiled = jit.find_selection()
    choose = compiled or _select

    def select(start: int, stop: int) -> None:
        choose(bits[start:stop], a[start:stop], b[start:stop], out[start:stop])

    nanoseconds = cost * bits.size / (COMPILED if compiled else 1)
    if compiled or nanoseconds > WAITING * threads.WORTHWHILE:
        threads.share(select, bits.size, nanoseconds, GRAIN)
    else:
        select(0, bits.size)
    return result


def changes_in(bits: AnyArray) -> float:
    """At what share of a sample the mask differs from the element before."""
    count = 0
    for place in (bits.size // 8, bits.size // 2):
        number = int.from_bytes(bits[place : place + SAMPLE].tobytes(), "little")
        count += (number ^ (number >> 8)).bit_count()
    return count / (2 * SAMPLE)


def _select(bits: AnyArray, a: AnyArray, b: AnyArray, out: AnyArray) -> None:
    narrow = np.empty(min(BLOCK, bits.size), np.int8)
    for start in range(0, bits.size, BLOCK):
        stop = min(start + BLOCK, bits.size)
        # True, which is 1, becomes -1: all ones.
        mask = np.negative(bits[start:stop], narrow[: stop - start])
        other, chosen = b[start:stop], out[start:stop]
        np.bitwise_xor(a[start:stop], other, chosen)
        np.bitwise_and(chosen, mask, chosen)  # NumPy widens the mask, some of it at a time
        np.bitwise_xor(chosen, other, chosen)
