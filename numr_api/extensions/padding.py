"""Padding of arrays at both ends of their axes, and its gradient. Inputs may be strided and empty.

| mode | beyond the ends of ``a b c d`` | widest |
| --- | --- | --- |
| CONSTANT | ``v v``, a value | any; negative widths cut off |
| REFLECT | ``c b``, without the last element itself | one less than the axis |
| SYMMETRIC | ``b a``, with it | the axis |
| EDGE | ``a a`` | any, if there is an element |
| WRAP | ``c d``, from the other end | the axis |
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

from numr_api import _dtypes
from numr_api._checks import as_scalar, require_array, with_scalar
from numr_api._declare import wrap
from numr_api._linalg_decompositions import compute
from numr_api._shapes import as_int, as_shape, as_tuple, require_size
from numr_api.extensions._declare import ACCEPTS, extension

if TYPE_CHECKING:
    from numr_api._array import Array
    from numr_api._backends import Scalar

__all__ = ["PadMode", "pad", "pad_mode", "pad_mode_backward"]

Widths = tuple[tuple[int, int], ...]  # before and after, of each axis


class PadMode(Enum):
    """What stands beyond the ends of an axis; functions also take the value, such as "edge"."""

    CONSTANT = "constant"
    REFLECT = "reflect"
    EDGE = "edge"
    SYMMETRIC = "symmetric"
    WRAP = "wrap"


@extension("padding")
def pad_mode(
    x: Array,
    padding: Sequence[int],
    /,
    *,
    mode: PadMode | str = PadMode.CONSTANT,
    value: bool | int | float | complex = 0,
) -> Array:
    """Pad the last axes of an array, as PyTorch orders the widths: those of the last axis first.

    With mode CONSTANT a negative width cuts off as many elements.

    Arguments:
        x: array of any dtype.
        padding: ``(last_before, last_after, next_to_last_before, ...)``, at most a pair an axis.
        mode: a PadMode or its value.
        value: a Python scalar that x's dtype can hold; with mode CONSTANT only.

    Returns:
        Array of x's dtype and new memory.

    Raises:
        ValueError: an odd number of widths, or too many; a width that the mode does not allow.
    """
    array = require_array("pad_mode", x)
    widths = _flat_widths("pad_mode", padding, array.ndim)
    return _pad("pad_mode", array, widths, _as_mode("pad_mode", mode), value)


@extension("padding")
def pad(
    x: Array,
    pad_width: int | Sequence[int] | Sequence[Sequence[int]],
    /,
    *,
    mode: PadMode | str = "constant",
    value: bool | int | float | complex = 0,
) -> Array:
    """Pad an array, as NumPy orders the widths: those of the first axis first.

    With mode CONSTANT a negative width cuts off as many elements. Unlike NumPy's, widths beyond the
    table above are errors.

    Arguments:
        x: array of any dtype.
        pad_width: ``((before, after), ...)`` with a pair for each axis; or one pair, or one number,
            for all of them.
        mode: a PadMode or its value.
        value: a Python scalar that x's dtype can hold; with mode CONSTANT only.

    Returns:
        Array of x's dtype and new memory.

    Raises:
        ValueError: widths for another number of axes, or a width that the mode does not allow.
    """
    array = require_array("pad", x)
    return _pad("pad", array, _pair_widths(pad_width, array.ndim), _as_mode("pad", mode), value)


@extension("padding")
def pad_mode_backward(
    grad: Array, padding: Sequence[int], /, *, mode: PadMode | str, shape: tuple[int, ...]
) -> Array:
    """Gradient of ``pad_mode``: each element's, and those of its copies, added up.

    Sums are added in float32 at least, in a fixed order, and rounded once.

    Arguments:
        grad: gradient of the result of ``pad_mode``, of a real floating-point dtype.
        padding: as it was given to ``pad_mode``.
        mode: as it was given to ``pad_mode``.
        shape: shape of the array that was padded.

    Returns:
        Array of that shape and of grad's dtype.

    Raises:
        ValueError: as for ``pad_mode``, or grad's shape is not that of its result.
    """
    name = "pad_mode_backward"
    array = require_array(name, grad, ACCEPTS)
    lengths = as_shape(name, shape)
    widths = _flat_widths(name, padding, len(lengths))
    how = _as_mode(name, mode)
    padded = _check_widths(name, lengths, widths, how)
    if array.shape != padded:
        raise ValueError(
            f"{name}: padding {lengths} gives shape {padded}, but grad has shape {array.shape}"
        )
    if how is PadMode.CONSTANT:
        return _constant(name, array, tuple((-a, -b) for a, b in widths), 0)
    parameters = {"widths": widths, "mode": how.value, "shape": lengths}
    return compute(name, "pad_backward", (array,), (array.dtype,), **parameters)[0]


def _pad(name: str, x: Array, widths: Widths, mode: PadMode, value: object) -> Array:
    require_size(name, _check_widths(name, x.shape, widths, mode))
    scalar = _as_value(name, x, value)
    if mode is PadMode.CONSTANT:
        return _constant(name, x, widths, scalar)
    if scalar != 0:
        raise ValueError(f"{name}: value belongs to mode CONSTANT, got it with {mode.name}")
    parameters = {"widths": widths, "mode": mode.value, "value": scalar}
    return compute(name, "pad", (x,), (x.dtype,), **parameters)[0]


def _constant(name: str, x: Array, widths: Widths, value: Scalar) -> Array:
    """Pad with a value, where negative widths cut off, which is a view."""
    array_type = x._type
    data = x._data
    if any(before < 0 or after < 0 for before, after in widths):
        key = tuple(
            slice(max(-before, 0), length - max(-after, 0))
            for (before, after), length in zip(widths, x.shape, strict=True)
        )
        data = array_type.backend.index(data, key)
        widths = tuple((max(before, 0), max(after, 0)) for before, after in widths)
    if not any(map(any, widths)):
        return wrap(array_type.backend.copy(data), array_type)
    parameters = {"widths": widths, "mode": "constant", "value": value}
    return compute(name, "pad", (wrap(data, array_type),), (x.dtype,), **parameters)[0]


def _as_mode(name: str, mode: object) -> PadMode:
    try:
        return PadMode(mode)
    except ValueError:
        known = ", ".join(repr(known.value) for known in PadMode)
        raise ValueError(f"{name}: mode must be a PadMode or of {known}, got {mode!r}") from None


def _as_value(name: str, x: Array, value: object) -> Scalar:
    scalar = as_scalar(name, value, "a Python scalar as value")
    if x.dtype is _dtypes.bool and type(scalar) is int and scalar == 0:
        return False  # the default
    if with_scalar(name, x.dtype, scalar) is not x.dtype:
        raise TypeError(f"{name}: value {scalar!r} does not fit {x.dtype}")
    return scalar


def _flat_widths(name: str, padding: object, rank: int) -> Widths:
    """The widths of each axis, from a flat list that begins with the last axis."""
    numbers = [as_int(name, "a width of padding", width) for width in as_tuple(padding)]
    if len(numbers) % 2:
        raise ValueError(f"{name}: padding must be pairs of widths, got {len(numbers)} of them")
    if len(numbers) > 2 * rank:
        raise ValueError(f"{name}: padding for {len(numbers) // 2} axes, but the array has {rank}")
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    return (*((0, 0),) * (rank - len(pairs)), *reversed(pairs))


def _pair_widths(pad_width: object, rank: int) -> Widths:
    """The widths of each axis, from pairs for each, a pair for all or a number for all."""
    given = as_tuple(pad_width)
    if not isinstance(pad_width, tuple | list):
        given *= 2
    pairs: list[Any] = [given] if given and not isinstance(given[0], tuple | list) else [*given]
    found: list[tuple[int, int]] = []
    for pair in pairs:
        numbers = [as_int("pad", "a width", width) for width in as_tuple(pair)]
        if len(numbers) != 2:
            raise ValueError(f"pad: pad_width must be pairs (before, after), got {pad_width!r}")
        found.append(cast("tuple[int, int]", tuple(numbers)))
    if len(found) == 1:
        found *= rank
    if len(found) != rank:
        raise ValueError(f"pad: pad_width for {len(found)} axes, but the array has {rank}")
    return tuple(found)


def _check_widths(
    name: str, shape: tuple[int, ...], widths: Widths, mode: PadMode
) -> tuple[int, ...]:
    """The padded shape. Raises ValueError where the mode does not allow a width."""
    for axis, (length, pair) in enumerate(zip(shape, widths, strict=True)):
        if mode is PadMode.CONSTANT:
            if max(-pair[0], 0) + max(-pair[1], 0) > length:
                raise ValueError(
                    f"{name}: widths {pair} cut off more than axis {axis} has, {length}"
                )
            continue
        if min(pair) < 0:
            raise ValueError(f"{name}: negative widths need mode CONSTANT, got {pair}")
        most = {PadMode.REFLECT: max(length - 1, 0), PadMode.EDGE: max(pair) if length else 0}
        if max(pair) > most.get(mode, length):
            raise ValueError(
                f"{name}: mode {mode.name} allows widths up to {most.get(mode, length)} on axis "
                f"{axis}, which has length {length}; got {pair}"
            )
    return tuple(length + sum(pair) for length, pair in zip(shape, widths, strict=True))
