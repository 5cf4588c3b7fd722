"""Searching and sets on the cpu, and evenly spaced numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from numr_api._dtypes import DType

HostArray = Any


def searchsorted(x1: HostArray, x2: HostArray, *, side: Any) -> HostArray:
    return np.asarray(x1.searchsorted(x2, side=side))


def unique(x: HostArray, *, parts: tuple[str, ...]) -> tuple[HostArray, ...]:
    """Distinct values in order, then "indices" of first occurrences, "inverse" and "counts".

    By sorting: ``np.unique`` hashes integers, which takes up to 78 times as long.
    """
    flat = x.reshape(-1)
    order = flat.argsort(kind="stable")
    ordered = flat[order]
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
    return ordered[is_first], *(found[part] for part in parts)


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
