"""Fourier transforms by cuFFT, through CuPy, which keep single precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numr_api._backends.cuda.kernels import cupy

Data = Any
Axes = tuple[int, ...]

__all__ = ["ROUTINES"]

fft: Any = cupy.fft


def _without_elements(x: Data, lengths: Axes, axes: Axes, dtype: str) -> Data | None:
    """The transform of an array without elements, which cuFFT refuses: zeros, or no elements."""
    shape = list(x.shape)
    for length, axis in zip(lengths, axes, strict=True):
        shape[axis] = length
    return cupy.zeros(shape, dtype) if not x.size or 0 in shape else None


def fft_complex(x: Data, *, lengths: Axes, axes: Axes, norm: str, inverse: bool) -> Data:
    """Complex to complex."""
    if (none := _without_elements(x, lengths, axes, x.dtype.char)) is not None:
        return none
    if not axes:
        return x.copy()
    return (fft.ifftn if inverse else fft.fftn)(x, s=lengths, axes=axes, norm=norm)


def fft_real(x: Data, *, lengths: Axes, axes: Axes, norm: str) -> Data:
    """Real to the first half, along the last of the axes, of a Hermitian spectrum."""
    half = (*lengths[:-1], lengths[-1] // 2 + 1)
    if (none := _without_elements(x, half, axes, x.dtype.char.upper())) is not None:
        return none
    return fft.rfftn(x, s=lengths, axes=axes, norm=norm)


def ifft_real(x: Data, *, lengths: Axes, axes: Axes, norm: str) -> Data:
    """The inverse of fft_real; the lengths are those of the result.

    Of a spectrum that is not Hermitian, the imaginary parts that contradict are left out: those of
    the constant part, and of the highest frequency if the length is even. For cuFFT, which would
    also disagree about several axes, such a spectrum is undefined.
    """
    if (none := _without_elements(x, lengths, axes, x.dtype.char.lower())) is not None:
        return none
    axis, length = axes[-1], lengths[-1]
    if len(axes) > 1:
        x = fft.ifftn(x, s=lengths[:-1], axes=axes[:-1], norm=norm)
    x = x.copy()
    before = (slice(None),) * (axis % x.ndim)
    x.imag[(*before, 0)] = 0
    if length % 2 == 0 and x.shape[axis] > length // 2:
        x.imag[(*before, length // 2)] = 0
    return fft.irfft(x, n=length, axis=axis, norm=norm)


ROUTINES: dict[str, Callable[..., Any]] = {
    routine.__name__: routine for routine in (fft_complex, fft_real, ifft_real)
}
