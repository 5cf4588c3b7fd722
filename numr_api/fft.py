"""Discrete Fourier transforms: the standard's fft extension.

A transform sums ``x[m] * exp(-2j * pi * m * k / n)`` over the n elements m of an axis, an inverse
transform has a plus sign there. The factor 1/n belongs to the inverse; ``norm`` moves it:

- "backward": ``1/n`` on inverse transforms
- "ortho": ``1/sqrt(n)`` on both
- "forward": ``1/n`` on forward transforms

Results have the precision of the input: float32 and complex64 give complex64 (or float32).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from numr_api import _arithmetic, _manipulation, _ranges
from numr_api._checks import (
    as_scalar,
    describe,
    require_array,
    require_dtype,
    require_kind,
    strict_array,
)
from numr_api._declare import operation
from numr_api._devices import backend_for
from numr_api._fourier import (
    SWAPPED,
    Norm,
    as_length,
    as_norm,
    complex_transform,
    from_half_spectrum,
    half_spectrum,
    one,
    several,
)
from numr_api._mode import relaxed_rules
from numr_api._shapes import as_axes

if TYPE_CHECKING:
    from numr_api._array import Array
    from numr_api._devices import Device
    from numr_api._dtypes import DType

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]


def __dir__() -> list[str]:
    return __all__


# Complex transforms


@operation("fft")
def fft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Discrete Fourier transform along an axis.

    Arguments:
        x: array of a floating-point dtype and of one axis or more; a real one is taken as complex.
        n: length of the transform: the axis is cut or padded with zeros to it; None for x's.
        axis: the axis to transform.
        norm: "backward" for no factor, "ortho" for ``1/sqrt(n)``, "forward" for ``1/n``.

    Returns:
        Complex array of x's shape, but of length n along the axis.
    """
    return complex_transform("fft.fft", x, one, n, axis, norm, inverse=False)


@operation("fft")
def ifft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Inverse discrete Fourier transform along an axis, ``ifft(fft(x)) = x``.

    Arguments:
        x: array of a floating-point dtype and of one axis or more; a real one is taken as complex.
        n: length of the transform: the axis is cut or padded with zeros to it; None for x's.
        axis: the axis to transform.
        norm: "backward" for the factor ``1/n``, "ortho" for ``1/sqrt(n)``, "forward" for none.

    Returns:
        Complex array of x's shape, but of length n along the axis.
    """
    return complex_transform("fft.ifft", x, one, n, axis, norm, inverse=True)


@operation("fft")
def fftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Array:
    """Discrete Fourier transform along several axes.

    Arguments:
        x: array of a floating-point dtype and of one axis or more; a real one is taken as complex.
        s: lengths of the transform along ``axes``, which must be given too: each axis is cut or
            padded with zeros to its length; -1 for x's. None for x's along all axes.
        axes: distinct axes to transform; None for all.
        norm: "backward" for no factor, "ortho" for ``1/sqrt(n)``, "forward" for ``1/n``, where n is
            the product of the lengths.

    Returns:
        Complex array of x's shape, but of the lengths s along the axes.
    """
    return complex_transform("fft.fftn", x, several, s, axes, norm, inverse=False)


@operation("fft")
def ifftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Array:
    """Inverse discrete Fourier transform along several axes, ``ifftn(fftn(x)) = x``.

    Arguments:
        x: array of a floating-point dtype and of one axis or more; a real one is taken as complex.
        s: lengths of the transform along ``axes``, which must be given too: each axis is cut or
            padded with zeros to its length; -1 for x's. None for x's along all axes.
        axes: distinct axes to transform; None for all.
        norm: "backward" for the factor ``1/n``, "ortho" for ``1/sqrt(n)``, "forward" for none,
            where n is the product of the lengths.

    Returns:
        Complex array of x's shape, but of the lengths s along the axes.
    """
    return complex_transform("fft.ifftn", x, several, s, axes, norm, inverse=True)


# Real transforms


@operation("fft")
def rfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Discrete Fourier transform of real numbers along an axis.

    The spectrum is Hermitian, so that its first half says it all.

    Arguments:
        x: array of a real floating-point dtype and of one axis or more.
        n: length of the transform: the axis is cut or padded with zeros to it; None for x's.
        axis: the axis to transform.
        norm: "backward" for no factor, "ortho" for ``1/sqrt(n)``, "forward" for ``1/n``.

    Returns:
        Complex array of x's shape, but of length ``n//2 + 1`` along the axis.
    """
    return half_spectrum("fft.rfft", x, one, n, axis, norm)


@operation("fft")
def irfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Inverse of rfft along an axis, ``irfft(rfft(x), n=x.shape[-1]) = x``.

    Arguments:
        x: array of a complex floating-point dtype, along the axis the first half of a Hermitian
            spectrum; the imaginary parts of its first element and, for an even n, its last are
            taken as 0.
        n: length of the result; the axis of x is cut or padded with zeros to ``n//2 + 1``. None for
            ``2 * (M - 1)``, where M is the length of x's axis.
        axis: the axis to transform.
        norm: "backward" for the factor ``1/n``, "ortho" for ``1/sqrt(n)``, "forward" for none.

    Returns:
        Real array of x's shape, but of length n along the axis.
    """
    return from_half_spectrum("fft.irfft", x, one, n, axis, norm)


@operation("fft")
def rfftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Array:
    """Discrete Fourier transform of real numbers along several axes.

    Arguments:
        x: array of a real floating-point dtype and of one axis or more.
        s: lengths of the transform along ``axes``, which must be given too: each axis is cut or
            padded with zeros to its length; -1 for x's. None for x's along all axes.
        axes: distinct axes to transform, the last of them as rfft does; None for all.
        norm: "backward" for no factor, "ortho" for ``1/sqrt(n)``, "forward" for ``1/n``, where n is
            the product of the lengths.

    Returns:
        Complex array of x's shape, but of the lengths s along the axes, ``s[-1]//2 + 1`` the last.
    """
    return half_spectrum("fft.rfftn", x, several, s, axes, norm)


@operation("fft")
def irfftn(
    x: Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Array:
    """Inverse of rfftn along several axes, ``irfftn(rfftn(x), s=x.shape, axes=...) = x``.

    Arguments:
        x: array of a complex floating-point dtype, along the last axis the first half of a
            Hermitian spectrum.
        s: lengths of the result along ``axes``, which must be given too: each axis of x is cut or
            padded with zeros to its length, the last axis to ``s[-1]//2 + 1``. -1 for x's, on the
            last axis ``2 * (M - 1)``, where M is its length. None for these along all axes.
        axes: distinct axes to transform, the last of them as irfft does; None for all.
        norm: "backward" for the factor ``1/n``, "ortho" for ``1/sqrt(n)``, "forward" for none,
            where n is the product of the lengths.

    Returns:
        Real array of x's shape, but of the lengths s along the axes.
    """
    return from_half_spectrum("fft.irfftn", x, several, s, axes, norm)


@operation("fft")
def hfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Discrete Fourier transform of a Hermitian signal along an axis; the spectrum is real.

    Arguments:
        x: array of a complex floating-point dtype, along the axis the first half of the signal; the
            imaginary parts of its first element and, for an even n, its last are taken as 0.
        n: length of the result; the axis of x is cut or padded with zeros to ``n//2 + 1``. None for
            ``2 * (M - 1)``, where M is the length of x's axis.
        axis: the axis to transform.
        norm: "backward" for no factor, "ortho" for ``1/sqrt(n)``, "forward" for ``1/n``.

    Returns:
        Real array of x's shape, but of length n along the axis.
    """
    array = require_array("fft.hfft", x, "complex floating-point")
    swapped = SWAPPED[as_norm("fft.hfft", norm)]
    return from_half_spectrum("fft.hfft", _arithmetic.conj(array), one, n, axis, swapped)


@operation("fft")
def ihfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Inverse of hfft along an axis: the first half of the signal with a real spectrum.

    Arguments:
        x: array of a real floating-point dtype and of one axis or more.
        n: length of the transform: the axis is cut or padded with zeros to it; None for x's.
        axis: the axis to transform.
        norm: "backward" for the factor ``1/n``, "ortho" for ``1/sqrt(n)``, "forward" for none.

    Returns:
        Complex array of x's shape, but of length ``n//2 + 1`` along the axis.
    """
    swapped = SWAPPED[as_norm("fft.ihfft", norm)]
    return _arithmetic.conj(half_spectrum("fft.ihfft", x, one, n, axis, swapped))


# Frequencies


def _frequencies(
    name: str, n: object, d: object, dtype: DType | None, device: Device | str | None
) -> tuple[int, float, DType]:
    """The checked n, ``d * n`` and dtype."""
    length = as_length(name, n)
    spacing = as_scalar(f"{name} (d)", d, "a float")
    if isinstance(spacing, bool | complex):
        raise TypeError(f"{name} (d): expected a float, got {describe(d)}")
    if spacing == 0:
        raise ValueError(f"{name}: the sample spacing d cannot be 0")
    if dtype is None:
        dtype = backend_for(device, name).default_dtypes["real floating-point"]
    dtype = require_dtype(name, dtype)
    require_kind(name, dtype, "real floating-point")
    return length, float(spacing) * length, dtype


@operation("fft")
def fftfreq(
    n: int,
    /,
    *,
    d: float = 1.0,
    dtype: DType | None = None,
    device: Device | str | None = None,
) -> Array:
    """Frequencies of the elements of fft's result, ``[0, 1, ..., -2, -1] / (d * n)``.

    The first ``(n + 1) // 2`` are not negative; of an even n, the Nyquist frequency is negative.

    Arguments:
        n: length of the transform, 1 or more.
        d: distance between two samples.
        dtype: a real floating-point dtype; None for the device's default.
        device: where the array lives; None for the default device.

    Returns:
        Array of shape (n,).
    """
    length, span, result = _frequencies("fft.fftfreq", n, d, dtype, device)
    half = (length + 1) // 2
    steps = [
        _ranges.arange(0, half, dtype=result, device=device),
        _ranges.arange(half - length, 0, dtype=result, device=device),
    ]
    return _manipulation.concat(steps) / span


@operation("fft")
def rfftfreq(
    n: int,
    /,
    *,
    d: float = 1.0,
    dtype: DType | None = None,
    device: Device | str | None = None,
) -> Array:
    """Frequencies of the elements of rfft's result, ``[0, 1, ..., n // 2] / (d * n)``.

    Arguments:
        n: length of the transform, 1 or more.
        d: distance between two samples.
        dtype: a real floating-point dtype; None for the device's default.
        device: where the array lives; None for the default device.

    Returns:
        Array of shape (n//2 + 1,).
    """
    length, span, result = _frequencies("fft.rfftfreq", n, d, dtype, device)
    return _ranges.arange(0, length // 2 + 1, dtype=result, device=device) / span


def _shift(name: str, x: Array, axes: int | Sequence[int] | None, sign: int) -> Array:
    try:
        array = strict_array(name, x, "floating-point")
    except TypeError:
        if relaxed_rules() is None:
            raise
        array = require_array(name, x)
    given = tuple(axes) if isinstance(axes, list) else axes
    numbers = as_axes(name, given, array.ndim)
    shifts = tuple(sign * (array.shape[number] // 2) for number in numbers)
    return _manipulation.roll(array, shifts, axis=numbers)


@operation("fft")
def fftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """A spectrum with the frequency 0 moved to the middle, index ``n // 2``.

    Arguments:
        x: array of a floating-point dtype.
        axes: an axis or several distinct ones; None for all.

    Returns:
        Array of x's shape and dtype.
    """
    return _shift("fft.fftshift", x, axes, 1)


@operation("fft")
def ifftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Inverse of fftshift, which differs from it where a length is odd.

    Arguments:
        x: array of a floating-point dtype.
        axes: an axis or several distinct ones; None for all.

    Returns:
        Array of x's shape and dtype.
    """
    return _shift("fft.ifftshift", x, axes, -1)
