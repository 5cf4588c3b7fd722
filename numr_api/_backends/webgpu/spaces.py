"""The loops of a reduction: which axes stay and which go, in the order that suits memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from numr_api._backends.webgpu.data import Strided, merge
from numr_api._backends.webgpu.kernels import EACH, window_of

if TYPE_CHECKING:
    from numr_api._backends import Axes, Shape


class Space(NamedTuple):
    """The loops of a reduction: axes that stay, in the order of the kernel, and those that go.

    Attributes:
        kept, steps: lengths of the former, and steps through the source.
        target_steps: steps through the result.
        reduced, reduced_steps: of the latter.
        place: of the first element.
        centre: of the first row's centre, where there are some; they lie as the results do.
    """

    kept: Shape
    steps: Shape
    target_steps: Shape
    reduced: Shape
    reduced_steps: Shape
    place: int
    centre: int = 0


def space_of(x: Strided, axes: Axes, target_strides: Shape, ordered: bool) -> Space:
    """The loops that reduce axes of x; as close to the order of memory as ``ordered`` allows."""
    place = x.offset
    kept: list[tuple[int, int, int]] = []
    reduced: list[tuple[int, int]] = []
    for axis, (length, stride) in enumerate(zip(x.shape, x.strides, strict=True)):
        if length == 1:
            continue
        if axis not in axes:
            kept.append((length, stride, target_strides[axis]))
        elif stride < 0 and not ordered:
            place += (length - 1) * stride
            reduced.append((length, -stride))
        else:
            reduced.append((length, stride))
    kept.sort(key=_outermost)
    if not ordered:
        reduced.sort(key=_outermost)
    lengths = tuple(length for length, _, _ in kept)
    merged, steps = merge(
        lengths, (tuple(step for _, step, _ in kept), tuple(step for _, _, step in kept))
    )
    gone, gone_steps = merge(
        tuple(length for length, _ in reduced), (tuple(step for _, step in reduced),)
    )
    return Space(merged, steps[0], steps[1], gone, gone_steps[0], place)


def _outermost(axis: tuple[int, ...]) -> tuple[bool, int]:
    return axis[1] != 0, -abs(axis[1])


def along_columns(space: Space) -> bool:
    """Whether neighbours in memory belong to different results."""
    if not space.kept or space.steps[-1] == 0:
        return False
    step = space.reduced_steps[-1] if space.reduced else 0
    return step == 0 or abs(space.steps[-1]) < abs(step)


def columns_or_rows_break(space: Space, columns: bool) -> bool:
    """Whether four neighbours may be apart in memory, or not aligned."""
    inner, other = (space.kept, space.reduced_steps) if columns else (space.reduced, space.steps)
    inner_steps = space.steps if columns else space.reduced_steps
    if not inner or inner_steps[-1] != 1:
        return True
    if inner[-1] % EACH and (columns or len(inner) > 1):
        return True
    return any(step % EACH for step in (*inner_steps[:-1], *other))


def fits(x: Strided, space: Space) -> bool:
    lengths, steps = space.kept + space.reduced, space.steps + space.reduced_steps
    return window_of(x, lengths, steps, space.place) is not None


def kept_halves(space: Space) -> list[tuple[Space, int]]:
    """The loops as two along the kept axis of the largest extent, and the result's offset."""
    extents = [abs(s) * (n - 1) for n, s in zip(space.kept, space.steps, strict=True)]
    axis = extents.index(max(extents))
    half = space.kept[axis] // 2
    if half > EACH:
        half = half // EACH * EACH
    found: list[tuple[Space, int]] = []
    for start, length in ((0, half), (half, space.kept[axis] - half)):
        kept = (*space.kept[:axis], length, *space.kept[axis + 1 :])
        offset = start * space.target_steps[axis]
        part = space._replace(
            kept=kept, place=space.place + start * space.steps[axis], centre=space.centre + offset
        )
        found.append((part, offset))
    return found


def reduced_parts(x: Strided, space: Space, base: int, chunk: int) -> Sequence[tuple[Space, int]]:
    """The loops in parts along the first reduced axis that a binding can hold.

    With each comes the index of its first element along the reduced axes.
    """
    if fits(x, space) or not space.reduced or prod(space.reduced) <= 1:
        return [(space, base)]
    length, *inner = space.reduced
    if length == 1:
        part = space._replace(reduced=tuple(inner), reduced_steps=space.reduced_steps[1:])
        return reduced_parts(x, part, base, chunk)
    half = length // 2
    if half > chunk:
        half = half // chunk * chunk
    found: list[tuple[Space, int]] = []
    for start, count in ((0, half), (half, length - half)):
        part = space._replace(
            reduced=(count, *inner), place=space.place + start * space.reduced_steps[0]
        )
        found += reduced_parts(x, part, base + start * prod(inner), chunk)
    return found
