"""Checks of the fft extension, and its three transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from numr_api import _data_types
from numr_api._checks import describe, require_array
from numr_api._declare import wrap
from numr_api._dtypes import COMPLEX_OF, REAL_PART, DType
from numr_api._errors import Unsupported
from numr_api._shapes import as_axes, as_axis, as_int

if TYPE_CHECKING:
    from numr_api._array import Array

Norm = Literal["backward", "ortho", "forward"]
Extent = tuple[tuple[int, ...], tuple[int, ...]]  # lengths of a transform, and its axes
FindExtent = Callable[[str, "Array", Any, Any, bool], Extent]

# A transform of Hermitian input is the inverse of one with Hermitian output, but for the factor.
SWAPPED: dict[str, Norm] = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def as_norm(name: str, norm: object) -> Norm:
    if not isinstance(norm, str) or norm not in SWAPPED:
        raise ValueError(f"{name}: norm must be 'backward', 'ortho' or 'forward', got {norm!r}")
    return cast("Norm", norm)


def as_length(name: str, n: object) -> int:
    length = as_int(name, "a length", n)
    if length < 1:
        raise ValueError(f"{name}: the length of a transform must be 1 or more, got {length}")
    return length


def default_length(name: str, x: Array, axis: int, halved: bool) -> int:
    """The length of a transform along an axis if none is given.

    Of an axis with the first half of a Hermitian spectrum, ``halved``, it is that of the whole.
    """
    length = 2 * (x.shape[axis] - 1) if halved else x.shape[axis]
    if length < 1:
        raise ValueError(
            f"{name}: an axis of length {x.shape[axis]} is too short to transform; give a length"
        )
    return length


def one(name: str, x: Array, n: int | None, axis: int, halved: bool) -> Extent:
    """Length and axis of a 1-dimensional transform."""
    number = as_axis(name, axis, x.ndim)
    length = default_length(name, x, number, halved) if n is None else as_length(name, n)
    return (length,), (number,)


def several(
    name: str, x: Array, s: Sequence[int] | None, axes: Sequence[int] | None, halved: bool
) -> Extent:
    """Lengths and axes of an n-dimensional transform; only its last axis may be halved."""
    numbers = as_axes(name, None if axes is None else _as_tuple(name, "axes", axes), x.ndim)
    if not numbers:
        raise ValueError(f"{name}: needs one axis or more to transform, got none")
    if s is not None and axes is None:
        raise ValueError(f"{name}: s is given without axes; tell which axes have these lengths")
    given = (-1,) * len(numbers) if s is None else _as_tuple(name, "s", s)
    if len(given) != len(numbers):
        raise ValueError(f"{name}: {len(given)} lengths in s for {len(numbers)} axes")
    lengths = (
        default_length(name, x, number, halved and number == numbers[-1])
        if as_int(name, "a length", length) == -1
        else as_length(name, length)
        for number, length in zip(numbers, given, strict=True)
    )
    return tuple(lengths), numbers


def _as_tuple(name: str, parameter: str, value: object) -> tuple[Any, ...]:
    if not isinstance(value, tuple | list):
        raise TypeError(f"{name}: {parameter} must be a tuple or list, got {describe(value)}")
    return tuple(cast("Sequence[Any]", value))


def complex_transform(
    name: str, x: object, find: FindExtent, lengths: Any, axes: Any, norm: Norm, *, inverse: bool
) -> Array:
    """Complex to complex; real input is taken as complex."""
    array = require_array(name, x, "32-bit or wider floating-point")
    extent = find(name, array, lengths, axes, False)
    as_norm(name, norm)
    dtype = COMPLEX_OF.get(array.dtype, array.dtype)
    if dtype is not array.dtype:
        array = _data_types.astype(array, dtype)
    return _run(name, "fft_complex", array, dtype, extent, norm=norm, inverse=inverse)


def half_spectrum(
    name: str, x: object, find: FindExtent, lengths: Any, axes: Any, norm: Norm
) -> Array:
    """Real to the first half, along the last axis, of a Hermitian spectrum."""
    array = require_array(name, x, "32-bit or wider real floating-point")
    extent = find(name, array, lengths, axes, False)
    as_norm(name, norm)
    return _run(name, "fft_real", array, COMPLEX_OF[array.dtype], extent, norm=norm)


def from_half_spectrum(
    name: str, x: object, find: FindExtent, lengths: Any, axes: Any, norm: Norm
) -> Array:
    """The inverse of ``half_spectrum``; the lengths are those of the result."""
    array = require_array(name, x, "complex floating-point")
    extent = find(name, array, lengths, axes, True)
    as_norm(name, norm)
    return _run(name, "ifft_real", array, REAL_PART[array.dtype], extent, norm=norm)


def _run(
    name: str, routine: str, x: Array, dtype: DType, extent: Extent, **parameters: Any
) -> Array:
    lengths, axes = extent
    try:
        result = x._type.of(dtype)
        data = result.backend.routine(routine, x._data, lengths=lengths, axes=axes, **parameters)
    except Unsupported as error:
        raise Unsupported(f"{name}: {error}") from None
    return wrap(data, result)
