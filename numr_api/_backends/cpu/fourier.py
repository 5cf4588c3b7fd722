"""Fourier transforms by scipy.fft (pocketfft), which keeps single precision."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

HostArray = Any
Axes = tuple[int, ...]

__all__ = ["ROUTINES"]


@cache
def library() -> Any:
    """scipy.fft, imported at the first transform: that takes as long as importing NumPy."""
    return import_module("scipy.fft")


def fft_complex(x: HostArray, *, lengths: Axes, axes: Axes, norm: str, inverse: bool) -> HostArray:
    """Complex to complex."""
    fft = library()
    if len(axes) == 1:  # less overhead
        return (fft.ifft if inverse else fft.fft)(x, lengths[0], axes[0], norm)
    return (fft.ifftn if inverse else fft.fftn)(x, lengths, axes, norm)


def fft_real(x: HostArray, *, lengths: Axes, axes: Axes, norm: str) -> HostArray:
    """Real to the first half, along the last of the axes, of a Hermitian spectrum."""
    if len(axes) == 1:
        return library().rfft(x, lengths[0], axes[0], norm)
    return library().rfftn(x, lengths, axes, norm)


def ifft_real(x: HostArray, *, lengths: Axes, axes: Axes, norm: str) -> HostArray:
    """The inverse of fft_real; the lengths are those of the result."""
    if len(axes) == 1:
        return library().irfft(x, lengths[0], axes[0], norm)
    return library().irfftn(x, lengths, axes, norm)


ROUTINES: dict[str, Callable[..., Any]] = {
    routine.__name__: routine for routine in (fft_complex, fft_real, ifft_real)
}
