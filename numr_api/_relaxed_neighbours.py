"""Functions of neighbouring elements, which consumers look for in a namespace.

Names of ``numr_api`` as those of ``_relaxed_extras`` are, with NumPy's parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api import _creation, _indexing, _manipulation, _ranges
from numr_api._checks import require_array
from numr_api._declare import wrap
from numr_api._dtypes import REAL_PART
from numr_api._relaxed_extras import Axis, in_relaxed_mode, on_host
from numr_api._shapes import as_axes, as_int

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = ["gradient", "lib"]


@in_relaxed_mode
def gradient(
    f: Array, /, *spacing: Any, axis: Axis = None, edge_order: int = 1
) -> Array | tuple[Array, ...]:
    """Differences of second order between an element's two neighbours, by their distance.

    Arguments:
        f: real or complex array with at least ``edge_order + 1`` elements along each axis.
        spacing: nothing for a distance of 1; else for all axes or for each of them a number, the
            distance, or the coordinates along the axis, an array of any kind.
        axis: the axes to differentiate along; None takes each.
        edge_order: 1 or 2, the order of the differences at both ends.

    Returns:
        An array of f's shape, or a tuple with one for each axis.
    """
    array = require_array("gradient", f, "floating-point")
    axes = as_axes("gradient", axis, array.ndim)
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: edge_order must be 1 or 2, got {edge_order}")
    if len(spacing) not in (0, 1, len(axes)):
        raise ValueError(f"gradient: {len(spacing)} spacings are given for {len(axes)} axes")
    for number in axes:
        if array.shape[number] <= edge_order:
            raise ValueError(
                f"gradient: needs more than {edge_order} elements, got shape {array.shape}"
            )
    each = (spacing or (1.0,)) * (1 if len(spacing) == len(axes) else len(axes))
    found = tuple(
        _gradient(array, number, _distances(array.shape[number], given), edge_order)
        for number, given in zip(axes, each, strict=True)
    )
    return found[0] if len(found) == 1 else found


def _distances(length: int, spacing: Any) -> np.ndarray[Any, Any]:
    """The distance of each element along an axis to the next, on the host."""
    host = on_host(spacing)
    if host.ndim == 0:
        return np.full(length - 1, host)
    if host.shape != (length,):
        raise ValueError(f"gradient: coordinates of shape {host.shape} for {length} elements")
    return np.diff(host)


def _gradient(f: Array, axis: int, distances: Any, edge_order: int) -> Array:
    """Composed of differences of neighbours, which are exact or nearly so however large f is."""
    f = _manipulation.moveaxis(f, axis, -1)
    steps = f[..., 1:] - f[..., :-1]
    if np.all(distances == distances[0]):
        inside = (f[..., 2:] - f[..., :-2]) / float(2 * distances[0])
    else:
        before, after = distances[:-1], distances[1:]
        both = before + after
        inside = steps[..., :-1] * _weights(after / before / both, f)
        inside += steps[..., 1:] * _weights(before / after / both, f)
    first, last = steps[..., :1] / float(distances[0]), steps[..., -1:] / float(distances[-1])
    if edge_order == 2:
        first = _at_end(first, steps[..., 1:2], *distances[:2])
        last = _at_end(last, steps[..., -2:-1], *distances[:-3:-1])
    return _manipulation.moveaxis(_manipulation.concat([first, inside, last], axis=-1), -1, axis)


def _at_end(slope: Array, next_step: Array, near: float, far: float) -> Array:
    """The slope at an end of the parabola through it and the two elements behind it.

    Given the slope to the first of the two, the step from there to the second, and both distances.
    """
    return slope + (slope - next_step / float(far)) * float(near / (near + far))


def _weights(numbers: Any, f: Array) -> Array:
    """A number for each element of the last axis, in f's precision and on its device."""
    dtype = REAL_PART.get(f.dtype, f.dtype)
    return _creation.asarray(numbers, dtype=dtype, device=f.device)


@in_relaxed_mode
def sliding_window_view(x: Array, /, window_shape: int | Sequence[int], axis: Axis = None) -> Array:
    """All windows of a length along an axis, as one more axis at the end.

    On the cpu a view, which becomes a copy when it is assigned to, since windows overlap; elsewhere
    a copy.

    Arguments:
        x: array of any dtype.
        window_shape: the windows' length, or one for each axis.
        axis: the axes to slide along, which become shorter by a window's length less one; None
            means each of them.
    """
    array = require_array("sliding_window_view", x)
    axes = as_axes("sliding_window_view", axis, array.ndim)
    lengths = tuple(window_shape) if isinstance(window_shape, Sequence) else (window_shape,)
    if len(lengths) != len(axes):
        raise ValueError(f"sliding_window_view: {len(lengths)} lengths for {len(axes)} axes")
    for number, length in zip(axes, lengths, strict=True):
        if not 0 <= as_int("sliding_window_view", "window_shape", length) <= array.shape[number]:
            raise ValueError(f"sliding_window_view: no windows of {length} in {array.shape}")
    if array._type.backend.storage is np.ndarray:
        windows = np.lib.stride_tricks.sliding_window_view(array._data, lengths, axes)
        return wrap(windows, array._type)
    return windows_copied(array, axes, lengths)


def windows_copied(x: Array, axes: Sequence[int], lengths: Sequence[int]) -> Array:
    """``sliding_window_view`` as a copy, on any device and in relaxed mode."""
    for number, length in zip(axes, lengths, strict=True):
        starts = _ranges.arange(x.shape[number] - length + 1, device=x.device)
        within = _ranges.arange(length, device=x.device)
        numbers = _manipulation.expand_dims(starts, 1) + within
        x = _manipulation.moveaxis(_indexing.take(x, numbers, axis=number), number + 1, -1)
    return x


# Where NumPy has it, and consumers look.
lib = SimpleNamespace(stride_tricks=SimpleNamespace(sliding_window_view=sliding_window_view))
