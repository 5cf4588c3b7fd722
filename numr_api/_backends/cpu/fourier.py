"""Fourier transforms, which keep single precision: SciPy's if long, else NumPy's.

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
COST = 7.0  # nanoseconds for an element, about

__all__ = ["ROUTINES"]


@cache
def scipy_library() -> Any:
    return import_module("scipy.fft")


def library(x: HostArray, lengths: Axes) -> Any:
    """The module to transform an array with.

    The lengths decide, not how many transforms there are: a row has the same bits alone as in a
    batch (but from SciPy 1.18 on, which has another way for arrays of one axis). An array without
    elements is SciPy's too: of such a one, NumPy 2.4's irfft reads the first.
    """
    return np.fft if x.size and max(lengths, default=0) < LONG else scipy_library()


def transform(name: str, x: HostArray, lengths: Axes, axes: Axes, norm: str) -> HostArray:
    """Call a function of the library, with threads lent to it for several rows if worth it.

    Arguments:
        name: of the function for one axis; that for several has an n behind it.
    """
    fft = library(x, lengths)
    function, length, axis = getattr(fft, f"{name}n"), lengths, axes
    if len(axes) == 1:
        function, (length,), (axis,) = getattr(fft, name), lengths, axes
    if fft is np.fft or x.ndim == 1:
        return function(x, length, axis, norm)
    with threads.lent(COST * x.size) as workers:
        return function(x, length, axis, norm, workers=workers)


def fft_complex(x: HostArray, *, lengths: Axes, axes: Axes, norm: str, inverse: bool) -> HostArray:
    """Complex to complex."""
    name = "ifft" if inverse else "fft"
    return transform(name, x, lengths, axes, norm)


def fft_real(x: HostArray, *, lengths: Axes, axes: Axes, norm: str) -> HostArray:
    """Real to the first half, along the last of the axes, of a Hermitian spectrum."""
    return transform("rfft", x, lengths, axes, norm)


def ifft_real(x: HostArray, *, lengths: Axes, axes: Axes, norm: str) -> HostArray:
    """The inverse of fft_real; the lengths are those of the result."""
    return transform("irfft", x, lengths, axes, norm)


ROUTINES: dict[str, Callable[..., Any]] = {
    routine.__name__: routine for routine in (fft_complex, fft_real, ifft_real)
}
