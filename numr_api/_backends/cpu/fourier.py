"""Fourier transforms by pocketfft, which keeps single precision: SciPy's if long, else NumPy's.

SciPy's is up to five times as fast on many elements, and hardly on a few. But importing it takes
twice as long as importing NumPy, which no program should pay for a few short transforms.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from numr_api._backends.cpu import threads

HostArray = Any
Axes = tuple[int, ...]

LONG = 64  # elements along an axis
COST = 4.0  # nanoseconds for an element, about

__all__ = ["ROUTINES"]


@cache
def scipy_library() -> Any:
    return import_module("scipy.fft")


def library(x: HostArray, lengths: Axes) -> Any:
    """The module to transform an array with.

    The lengths decide, not how many transforms there are: a row has the same bits alone as in a
    batch. An array without elements is SciPy's too: of such a one, NumPy 2.4's irfft reads the
    first.
    """
    return np.fft if x.size and max(lengths, default=0) < LONG else scipy_library()


def transform(
    name: str, x: HostArray, lengths: Axes, axes: Axes, norm: str, result: np.dtype[Any], count: int
) -> HostArray:
    """Call a function of the library, for several rows at once if that is worth it.

    Arguments:
        name: of the function for one axis; that for several has an n behind it.
        result: the dtype of what it returns.
        count: how many elements that has along the last of the axes.
    """
    fft = library(x, lengths)
    if len(axes) != 1:
        function = getattr(fft, f"{name}n")
        if fft is np.fft:
            return function(x, lengths, axes, norm)
        with threads.lent(COST * x.size) as workers:
            return function(x, lengths, axes, norm, workers=workers)
    function, length, axis = getattr(fft, name), lengths[0], axes[0] % x.ndim
    rows = max((n for n in range(x.ndim) if n != axis), key=x.shape.__getitem__, default=None)
    nanoseconds = COST * x.size
    if rows is None or not x.size or not threads.helpers_for(nanoseconds):
        return function(x, length, axis, norm)
    transformed = np.empty((*x.shape[:axis], count, *x.shape[axis + 1 :]), result)
    source, target = np.moveaxis(x, rows, 0), np.moveaxis(transformed, rows, 0)
    axis += axis < rows

    def transform_rows(start: int, stop: int) -> None:
        target[start:stop] = function(source[start:stop], length, axis, norm)

    threads.share(transform_rows, x.shape[rows], nanoseconds)
    return transformed


def fft_complex(x: HostArray, *, lengths: Axes, axes: Axes, norm: str, inverse: bool) -> HostArray:
    """Complex to complex."""
    name = "ifft" if inverse else "fft"
    return transform(name, x, lengths, axes, norm, np.result_type(x, np.complex64), lengths[-1])


def fft_real(x: HostArray, *, lengths: Axes, axes: Axes, norm: str) -> HostArray:
    """Real to the first half, along the last of the axes, of a Hermitian spectrum."""
    dtype = np.result_type(x, np.complex64)
    return transform("rfft", x, lengths, axes, norm, dtype, lengths[-1] // 2 + 1)


def ifft_real(x: HostArray, *, lengths: Axes, axes: Axes, norm: str) -> HostArray:
    """The inverse of fft_real; the lengths are those of the result."""
    return transform("irfft", x, lengths, axes, norm, x.real.dtype, lengths[-1])


ROUTINES: dict[str, Callable[..., Any]] = {
    routine.__name__: routine for routine in (fft_complex, fft_real, ifft_real)
}
