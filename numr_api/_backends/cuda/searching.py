"""Searching and sets, and evenly spaced numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numr_api._backends.cuda import kernels
from numr_api._backends.cuda.kernels import cupy, searchsorted
from numr_api._dtypes import BY_NAME, BY_NUMPY, DType

if TYPE_CHECKING:
    from numr_api._backends import Kernel
    from numr_api._backends.cuda.compaction import Compaction
    from numr_api._backends.cuda.copies import Copies
    from numr_api._backends.cuda.scans import Scans
    from numr_api._backends.cuda.sorting import Sorting

Data = Any

__all__ = ["ROUTINES", "Sets", "linspace"]


class Sets:
    """The distinct elements of arrays on one device. Methods are called while it is current."""

    def __init__(
        self,
        find_kernel: Callable[..., Kernel],
        sorting: Sorting,
        scans: Scans,
        compaction: Compaction,
        copies: Copies,
    ) -> None:
        self._find_kernel = find_kernel
        self._sorting, self._scans, self._compaction = sorting, scans, compaction
        self._copies = copies
        self._differ: dict[DType, Kernel] = {}

    def unique(self, x: Data, *, parts: tuple[str, ...]) -> tuple[Data, ...]:
        """Distinct values in order, then "indices" of first occurrences, "inverse" and "counts".

        How many there are is read from the device.
        """
        flat = x.reshape(-1)
        if not flat.size:
            none = cupy.empty(0, "int64")
            inverse = none.reshape(x.shape)
            return flat.copy(), *(inverse if part == "inverse" else none for part in parts)
        if x.dtype.kind == "b":
            flat = flat.view("uint8")
        order: Data = None
        if "indices" in parts or "inverse" in parts:
            ordered, order = self._sorting.sort_with_order(flat)
        else:
            ordered = self._sorting.sort(flat, 0, False)
        is_first = self._starts(ordered)
        if not parts:
            return (self._compaction.compress(ordered, is_first).view(x.dtype),)
        (first,) = self._compaction.nonzero(is_first)
        found: dict[str, Data] = {}
        if "indices" in parts:
            found["indices"] = order.take(first)
        if "inverse" in parts:
            numbers = self._scans.scan("cumulative_sum", is_first.astype("int64"), 0)
            numbers -= 1
            found["inverse"] = cupy.empty(x.shape, "int64")
            found["inverse"].reshape(-1)[order] = numbers
        if "counts" in parts:
            ends = cupy.full_like(first, flat.size)
            ends[:-1] = first[1:]
            found["counts"] = ends - first
        return ordered.take(first).view(x.dtype), *(found[part] for part in parts)

    def _starts(self, ordered: Data) -> Data:
        """Whether each element differs from the one before it."""
        dtype = BY_NUMPY[ordered.dtype]
        differ = self._differ.get(dtype)  # CuPy's takes the smallest numbers for zeros
        if differ is None:
            differ = self._find_kernel("not_equal", (dtype, dtype), dtype, BY_NAME["bool"])
            self._differ[dtype] = differ
        result = cupy.empty(ordered.size, "bool")
        self._copies.fill(result[:1], True)
        differ(ordered[1:], ordered[:-1], out=result[1:])
        return result

    def isin(self, x1: Data, x2: Data, *, invert: bool) -> Data:
        """Which elements of x1 are equal to one of x2, both of one dtype."""
        if not x2.size:
            return cupy.full(x1.shape, invert, "bool")
        if x1.dtype.kind == "b":
            x1, x2 = x1.view("uint8"), x2.view("uint8")
        return kernels.isin(self._sorting.sort(x2.reshape(-1), 0, False), x1, invert=invert)


def linspace(
    copies: Copies, *, start: complex, stop: complex, count: int, endpoint: bool, dtype: DType
) -> Data:
    """Evenly spaced numbers, computed in double precision."""
    steps = count - 1 if endpoint else count
    numbers = cupy.arange(count, dtype="float64")

    def spaced(first: float, last: float) -> Data:
        distance = last - first
        if math.isinf(distance) and math.isfinite(first) and math.isfinite(last):
            return 2 * spaced(first / 2, last / 2)  # the distance overflows
        if steps > 0 and distance / steps == 0:  # as of few subnormal numbers
            values = numbers / steps * distance + first
        else:
            values = numbers * (distance / max(steps, 1)) + first
        if endpoint and count > 1:
            copies.fill(values[-1:], last)
        return values

    real = spaced(float(start.real), float(stop.real))
    result = real.astype(dtype.__numpy_dtype__)
    if dtype.kind == "c":
        result.imag = spaced(start.imag, stop.imag)
    return result


ROUTINES: dict[str, Callable[..., Any]] = {
    "searchsorted": searchsorted,
}
