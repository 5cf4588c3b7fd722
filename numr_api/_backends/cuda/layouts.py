"""How arrays lie in memory: the axes that a kernel steps through, and what overlaps what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numr_api._backends import Shape

Steps = tuple[int, ...]


def common_shape(shapes: Sequence[Shape]) -> Shape:
    """The shape that shapes broadcast to; raises ValueError if they do not."""
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return first
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    result: list[int] = []
    for lengths in zip(*padded, strict=True):
        others = {length for length in lengths if length != 1}
        if len(others) > 1:
            raise ValueError(f"shapes {', '.join(map(str, shapes))} do not broadcast")
        result.append(others.pop() if others else 1)
    return tuple(result)


def loop_of(arrays: Sequence[Any]) -> tuple[Shape, list[Steps]]:
    """The lengths of the fewest axes that visit all elements of the first array, and each array's
    steps along them, in elements. The axes go from the first array's widest step to its smallest.
    """
    shape = arrays[0].shape
    spread = [_steps(x, shape) for x in arrays]
    axes = [axis for axis, length in enumerate(shape) if length > 1]
    if not axes:  # a single element
        return (1,), [(1,), *((0,) for _ in arrays[1:])]
    axes.sort(key=lambda axis: -abs(spread[0][axis]))
    columns = [tuple(steps[axis] for steps in spread) for axis in axes]
    return merged([shape[axis] for axis in axes], columns)


def merged(lengths: Sequence[int], columns: Sequence[Steps]) -> tuple[Shape, list[Steps]]:
    """Axes of which those that all arrays step through as one are one, and each array's steps.

    Arguments:
        columns: the steps of all arrays along each axis.
    """
    arrays = len(columns[0]) if columns else 0
    kept: list[tuple[int, Steps]] = []
    for length, column in zip(lengths, columns, strict=True):
        if length == 1:
            continue
        if kept and all(
            outer == inner * length for outer, inner in zip(kept[-1][1], column, strict=True)
        ):
            kept[-1] = (kept[-1][0] * length, column)
        else:
            kept.append((length, column))
    if not kept:  # a single element
        return (1,), [(0,)] * arrays
    return tuple(length for length, _ in kept), list(zip(*(c for _, c in kept), strict=True))


def _steps(x: Any, shape: Shape) -> Steps:
    """Strides in elements after broadcasting."""
    size = x.dtype.itemsize
    missing = (0,) * (len(shape) - len(x.shape))
    return missing + tuple(
        0 if length == 1 else stride // size
        for length, stride in zip(x.shape, x.strides, strict=True)
    )


def apart(x: Any, out: Any) -> Any:
    """x, or a copy if writing to ``out`` would change elements of x that are still to be read."""
    same_place = x.data.ptr == out.data.ptr and x.strides == out.strides and x.shape == out.shape
    if same_place and x.dtype.itemsize == out.dtype.itemsize:
        return x
    (low1, high1), (low2, high2) = span(x), span(out)
    return x.copy() if low1 < high2 and low2 < high1 else x


def span(x: Any) -> tuple[int, int]:
    """The addresses from the first byte of an array to beyond its last."""
    low = high = x.data.ptr
    if x._c_contiguous:
        return low, low + x.nbytes
    for length, stride in zip(x.shape, x.strides, strict=True):
        if length == 0:
            return 0, 0
        if stride < 0:
            low += (length - 1) * stride
        else:
            high += (length - 1) * stride
    return low, high + x.dtype.itemsize


def overlaps_itself(x: Any) -> bool:
    """Whether elements share memory, as those of a broadcast view do."""
    return x.size > 1 and any(  # without elements, CuPy's steps are 0
        step == 0 and length > 1 for step, length in zip(x.strides, x.shape, strict=True)
    )
