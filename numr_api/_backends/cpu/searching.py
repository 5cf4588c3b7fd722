"""Searching and sets on the cpu, and evenly spaced numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from numr_api._backends.cpu import sorting, threads
from numr_api._dtypes import DType

HostArray = Any


SEARCHED = 2**16  # elements, sought or sought in: with fewer, all fit the cache
SAMPLE = 1024  # elements that tell whether what is sought is in order already
SEEKING = 40.0  # nanoseconds for each that is sought, if in order


def searchsorted(x1: HostArray, x2: HostArray, *, side: Any) -> HostArray:
    """Where to insert; of many that are sought, one after the other in order.

    Neighbours in order are found on nearly the same way, which the cache still has.
    """
    if x2.size < SEARCHED or x1.size < SEARCHED:
        return np.asarray(x1.searchsorted(x2, side=side))
    wanted = x2.reshape(-1)
    order = None
    sample = wanted[:: wanted.size // SAMPLE]
    if np.count_nonzero(sample[1:] < sample[:-1]) > SAMPLE // 16:
        order = sorting.argsort(wanted, 0, descending=False, stable=False)
        wanted = wanted[order]
    elif not threads.helpers_for(SEEKING * wanted.size):
        return np.asarray(x1.searchsorted(x2, side=side))
    found: HostArray = np.empty(wanted.size, np.int64)

    def seek(start: int, stop: int) -> None:
        places = x1.searchsorted(wanted[start:stop], side=side)
        found[slice(start, stop) if order is None else order[start:stop]] = places

    threads.share(seek, wanted.size, SEEKING * wanted.size, 4096)
    return found.reshape(x2.shape)


def unique(x: HostArray, *, parts: tuple[str, ...]) -> tuple[HostArray, ...]:
    """Distinct values in order, then "indices" of first occurrences, "inverse" and "counts".

    By sorting: ``np.unique`` hashes integers, which takes up to 78 times as long.
    """
    flat = x.reshape(-1)
    order: HostArray = None
    if x.dtype.kind not in "iuf":
        order = flat.argsort(kind="stable")
        ordered = flat[order]
    elif "indices" in parts or "inverse" in parts:
        order = sorting.argsort(flat, 0, descending=False, stable="indices" in parts)
        ordered = flat[order]
    else:
        ordered = sorting.sort(flat, 0, descending=False, stable=False)
    is_first = np.ones(flat.size, dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    found: dict[str, HostArray] = {}
    if "indices" in parts:
        found["indices"] = order[is_first]
    if "inverse" in parts:
        inverse = np.empty(flat.size, dtype=np.int64)
        inverse[order] = is_first.cumsum() - 1
        found["inverse"] = inverse.reshape(x.shape)
    if "counts" in parts:
        found["counts"] = np.diff(np.append(is_first.nonzero()[0], flat.size))
    values = ordered[is_first]
    if x.dtype.kind == "f":
        _take_first_zero(values, flat)
    return values, *(found[part] for part in parts)


def _take_first_zero(values: HostArray, flat: HostArray) -> None:
    """Of zeros, the first is the one that counts; sorts that are not stable take any."""
    place = int(values.searchsorted(values.dtype.type(0)))
    if place < values.size and values[place] == 0:
        values[place] = flat[(flat == 0).argmax()]


def isin(x1: HostArray, x2: HostArray, *, invert: bool) -> HostArray:
    return np.isin(x1, x2, invert=invert)


def linspace(
    *, start: complex, stop: complex, count: int, endpoint: bool, dtype: DType
) -> HostArray:
    def spaced(first: float, last: float) -> HostArray:
        if math.isinf(last - first) and math.isfinite(first) and math.isfinite(last):
            return 2 * spaced(first / 2, last / 2)  # the distance overflows
        return np.linspace(first, last, count, endpoint=endpoint)

    result = np.empty(count, dtype.__numpy_dtype__)
    result.real = spaced(float(start.real), float(stop.real))
    if dtype.kind == "c":
        result.imag = spaced(start.imag, stop.imag)
    return result


ROUTINES: dict[str, Callable[..., Any]] = {
    "searchsorted": searchsorted,
    "unique": unique,
    "isin": isin,
    "linspace": linspace,
}
