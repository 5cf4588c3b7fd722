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

HostArray = Any
Axes = tuple[int, ...]

LONG = 64  # elements along an axis

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


def fft_complex(x: HostArray, *, lengths: Axes, axes: Axes, norm: str, inverse: bool) -> HostArray:
    """Complex to complex."""
    fft = library(x, lengths)
    if len(axes) == 1:  # less overhead
        return (fft.ifft if inverse else fft.fft)(x, lengths[0], axes[0], norm)
    return (fft.ifftn if inverse else fft.fftn)(x, lengths, axes, norm)


def fft_real(x: HostArray, *, lengths: Axes, axes: Axes, norm: str) -> HostArray:
    """Real to the first half, along the last of the axes, of a Hermitian spectrum."""
    fft = library(x, lengths)
    if len(axes) == 1:
        return fft.rfft(x, lengths[0], axes[0], norm)
    return fft.rfftn(x, lengths, axes, norm)


def ifft_real(x: HostArray, *, lengths: Axes, axes: Axes, norm: str) -> HostArray:
    """The inverse of fft_real; the lengths are those of the result."""
    fft = library(x, lengths)
    if len(axes) == 1:
        return fft.irfft(x, lengths[0], axes[0], norm)
    return fft.irfftn(x, lengths, axes, norm)


ROUTINES: dict[str, Callable[..., Any]] = {
    routine.__name__: routine for routine in (fft_complex, fft_real, ifft_real)
}
