"""Shapes and axes: checked and normalised."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any, cast

Shape = tuple[int, ...]


def broadcast(operation: str, shapes: Sequence[Shape]) -> Shape:
    """The shape to which all ``shapes`` broadcast. Raises ValueError if there is none."""
    rank = max(map(len, shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for axis, length in enumerate(shape, rank - len(shape)):
            if length != 1 and result[axis] not in (1, length):
                given = ", ".join(map(str, shapes))
                raise ValueError(f"{operation}: shapes {given} cannot be broadcast together")
            if length != 1:
                result[axis] = length
    return tuple(result)


MOST_ELEMENTS = 2**58  # with 16 bytes each, more than any device addresses
MOST_AXES = 64  # NumPy's limit


def require_size(operation: str, lengths: Shape) -> None:
    """Refuse a shape that no array can have."""
    if len(lengths) > MOST_AXES:
        raise ValueError(f"{operation}: {len(lengths)} axes, an array has at most {MOST_AXES}")
    if math.prod(filter(None, lengths)) > MOST_ELEMENTS:  # NumPy's limit, also if one is 0
        raise ValueError(f"{operation}: an array of shape {lengths} would be too large")


def as_int(operation: str, name: str, value: object) -> int:
    """``value`` as an int: an int, a NumPy integer or anything with ``__index__``, not a bool."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"{operation}: {name} must be an integer, got {kind} {value!r}") from None


def as_bool(operation: str, name: str, value: object) -> bool:
    """``value``, which must be True or False."""
    if not isinstance(value, bool):
        kind = type(value).__name__
        raise TypeError(f"{operation}: {name} must be True or False, got {kind} {value!r}")
    return value


def as_copy(operation: str, copy: object) -> bool | None:
    """``copy``, which must be True, False or None."""
    if copy is not None and not isinstance(copy, bool):
        kind = type(copy).__name__
        raise TypeError(f"{operation}: copy must be True, False or None, got {kind} {copy!r}")
    return copy


def as_tuple(value: object) -> tuple[Any, ...]:
    """A tuple or list as a tuple, anything else as the only element of one."""
    return tuple(cast("Sequence[Any]", value)) if isinstance(value, tuple | list) else (value,)


def as_shape(operation: str, shape: object) -> Shape:
    """A shape as given by a user, an int or a tuple or list of ints, as a tuple of lengths >= 0."""
    lengths = as_tuple(shape)
    for length in lengths:
        if length.__class__ is not int or length < 0:
            break
    else:
        return lengths
    result = tuple(as_int(operation, "a length of shape", length) for length in lengths)
    if any(length < 0 for length in result):
        raise ValueError(f"{operation}: lengths of a shape cannot be negative, got {result}")
    return result


def as_axis(operation: str, axis: object, rank: int) -> int:
    """An axis counted from the front. Raises IndexError if the array has no such axis."""
    number = as_int(operation, "axis", axis)
    if not -rank <= number < rank:
        raise IndexError(  # in NumPy's words, which tests of others look for
            f"{operation}: axis {number} is out of bounds for array of dimension {rank}"
        )
    return number % rank


def as_axes(operation: str, axes: object, rank: int) -> tuple[int, ...]:
    """None (all axes), one axis or several distinct ones, as a tuple counted from the front."""
    if axes is None:
        return tuple(range(rank))
    if not isinstance(axes, tuple):
        return (as_axis(operation, axes, rank),)
    given = cast("tuple[object, ...]", axes)
    result = tuple(as_axis(operation, axis, rank) for axis in given)
    if len(set(result)) < len(result):
        raise ValueError(f"{operation}: an axis is named twice in {given}")
    return result
