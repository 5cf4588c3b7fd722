"""Exponentials, logarithms and trigonometry of large arrays, by several threads.

A ufunc gives an element the same bits wherever it stands in an array, so that blocks of an array
give what the whole one gives. What an element costs depends on the processor (0.3 to 5 nanoseconds
for exp in float32), so it is measured when a function first meets a large array of a dtype.
"""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

import numpy as np

from numr_api._backends import Kernel
from numr_api._backends.cpu import threads
from numr_api._backends.cpu.blocks import meets

AnyArray = Any

MEASURED = 16384  # elements: with fewer, what a call costs in itself would count
REPEATED = 8  # times; the first ones meet a processor that has to wake up
GRAIN = 1024  # blocks are multiples of so many elements, whole pages of memory

NAMES = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log"),
    *("log10", "log1p", "log2", "sin", "sinh", "tan", "tanh"),
)

__all__ = ["NAMES", "call_shared", "shared"]

_costs: dict[tuple[Any, ...], float] = {}


def shared(function: Kernel) -> Kernel:
    """The kernel that does what an element-wise function does, by several threads."""

    def kernel(x: AnyArray) -> AnyArray:
        nanoseconds = _cost(function, x) * x.size
        if not threads.helpers_for(nanoseconds):
            return function(x)
        flags = x.flags
        if not flags.forc:
            return _by_rows(function, x, nanoseconds)
        result = np.empty_like(x)
        order = "C" if flags.c_contiguous else "F"
        source, target = x.reshape(-1, order=order), result.reshape(-1, order=order)
        threads.share(
            lambda start, stop: function(source[start:stop], out=target[start:stop]),
            x.size,
            nanoseconds,
            GRAIN,
        )
        return result

    return kernel


def call_shared(ufunc: np.ufunc, x1: Any, x2: Any, out: AnyArray | None) -> Any:
    """What a ufunc of two operands gives, by several threads if they are large and alike."""
    arrays: list[AnyArray] = [x for x in (x1, x2, out) if isinstance(x, np.ndarray)]
    first = arrays[0]
    if first.size <= MEASURED or not all(
        x.shape == first.shape and x.dtype == first.dtype and x.flags.c_contiguous for x in arrays
    ):
        return ufunc(x1, x2, out=out)
    nanoseconds = _cost(ufunc, x1, x2) * first.size
    if not threads.helpers_for(nanoseconds) or (out is not None and meets((x1, x2), out)):
        return ufunc(x1, x2, out=out)
    result = np.empty_like(first) if out is None else out
    flat: list[Any] = [x.reshape(-1) if isinstance(x, np.ndarray) else x for x in (x1, x2, result)]

    def task(start: int, stop: int) -> None:
        ufunc(*(x[start:stop] if isinstance(x, np.ndarray) else x for x in flat))

    threads.share(task, first.size, nanoseconds, GRAIN)
    return result


def _cost(function: Kernel, *operands: Any) -> float:
    """Nanoseconds for an element, as far as some at the beginning tell."""
    dtypes = [getattr(x, "dtype", None) for x in operands]
    key: tuple[Any, ...] = (function, *dtypes)
    if key in _costs:
        return _costs[key]
    samples: list[Any] = []
    for x in operands:
        part = x[(0,) * (x.ndim - 1)][:MEASURED] if isinstance(x, np.ndarray) else x
        samples.append(np.resize(part, MEASURED) if isinstance(x, np.ndarray) else x)
    times: list[int] = []
    for _ in range(REPEATED):
        start = perf_counter_ns()
        function(*samples)
        times.append(perf_counter_ns() - start)
    return _costs.setdefault(key, min(times) / MEASURED)


def _by_rows(function: Kernel, x: AnyArray, nanoseconds: float) -> AnyArray:
    """The same of an array with gaps, along the axis that is the slowest in memory."""
    axis = max(range(x.ndim), key=lambda number: abs(x.strides[number]) * (x.shape[number] > 1))
    result = np.empty_like(x)
    source, target = np.moveaxis(x, axis, 0), np.moveaxis(result, axis, 0)
    threads.share(
        lambda start, stop: function(source[start:stop], out=target[start:stop]),
        x.shape[axis],
        nanoseconds,
    )
    return result
