"""Searching and sets, and evenly spaced numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numr_api._backends.cuda import sorting
from numr_api._backends.cuda.kernels import cupy, fill, same, searchsorted

if TYPE_CHECKING:
    from numr_api._dtypes import DType

Data = Any

__all__ = ["ROUTINES"]


def unique(x: Data, *, parts: tuple[str, ...]) -> tuple[Data, ...]:
    """Distinct values in order, then "indices" of first occurrences, "inverse" and "counts".

    How many there are is read from the device.
    """
    flat = x.reshape(-1)
    found: dict[str, Data]
    if not flat.size:
        none = cupy.empty(0, "int64")
        found = {"indices": none, "inverse": none.reshape(x.shape), "counts": none}
        return flat.copy(), *(found[part] for part in parts)
    order = sorting.argsort(flat.view("uint8") if x.dtype.kind == "b" else flat, 0, False)
    ordered = flat.take(order)
    is_first = cupy.ones(flat.size, "bool")
    is_first[1:] = ~same(ordered[1:], ordered[:-1])
    first = is_first.nonzero()[0]
    found = {}
    if "indices" in parts:
        found["indices"] = order.take(first)
    if "inverse" in parts:
        inverse = cupy.empty(flat.size, "int64")
        inverse[order] = is_first.cumsum(dtype="int64") - 1
        found["inverse"] = inverse.reshape(x.shape)
    if "counts" in parts:
        ends = cupy.full_like(first, flat.size)
        ends[:-1] = first[1:]
        found["counts"] = ends - first
    return ordered.take(first), *(found[part] for part in parts)


def isin(x1: Data, x2: Data, *, invert: bool) -> Data:
    """Which elements of x1 are equal to one of x2, both of one dtype."""
    if not x2.size:
        return cupy.full(x1.shape, invert, "bool")
    if x1.dtype.kind == "b":
        x1, x2 = x1.view("uint8"), x2.view("uint8")
    ordered = sorting.sort(x2.reshape(-1), 0, False)
    place = cupy.minimum(searchsorted(ordered, x1, side="left"), ordered.size - 1)
    found = same(ordered.take(place), x1)
    return ~found if invert else found


def linspace(*, start: complex, stop: complex, count: int, endpoint: bool, dtype: DType) -> Data:
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
            fill(values[-1:], last)
        return values

    real = spaced(float(start.real), float(stop.real))
    result = real.astype(dtype.__numpy_dtype__)
    if dtype.kind == "c":
        result.imag = spaced(start.imag, stop.imag)
    return result


ROUTINES: dict[str, Callable[..., Any]] = {
    "searchsorted": searchsorted,
    "unique": unique,
    "isin": isin,
    "linspace": linspace,
}
