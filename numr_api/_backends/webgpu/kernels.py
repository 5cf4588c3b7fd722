"""What the generators of kernels share: parameters, bindings, indices, parts of large arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from numr_api._backends.webgpu.data import Strided
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Shape
    from numr_api._backends.webgpu.memory import Binding
    from numr_api._backends.webgpu.types import Type

EACH = 4  # elements of one load or store of a thread
WORKGROUP = 256
COMPONENTS = "xyzw"
MOST_WORDS = 256

# --- the text of kernels --------------------------------------------------------------------------


class Words:
    """The words of a kernel's parameters, taken in turn."""

    def __init__(self, used: int) -> None:
        self._used = used

    def take(self, count: int) -> list[str]:
        """The expressions of the next words."""
        first = self._used
        self._used += count
        return [word(i) for i in range(first, first + count)]

    def declaration(self) -> str:
        size = -(-self._used // 4)
        if size > MOST_WORDS // 4:
            raise Unsupported("arrays of so many axes")
        return f"@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, {size}>;"


def word(number: int) -> str:
    """The expression of a word of the parameters."""
    return f"parameters[{number // 4}].{COMPONENTS[number % 4]}"


def binding(number: int, name: str, element: str) -> str:
    """The declaration of a storage buffer as an array of a WGSL type."""
    return f"@group(0) @binding({number}) var<storage, read_write> {name}: array<{element}>;"


def written_type(kind: Type) -> str:
    """The WGSL type of a binding for ``written_element``."""
    return kind.scalar if kind.packed == 1 else "atomic<u32>"


def written_element(kind: Type, name: str, place: str, value: str) -> str:
    """The statement that stores one element of a binding of ``written_type``.

    Of a word that several elements share, each thread changes its own bits only.
    """
    if kind.packed == 1:
        return f"{name}[{place}] = {value};"
    shift, mask = (2, 3) if kind.packed == 4 else (1, 1)
    width = 32 // kind.packed
    ones = "0xffu" if kind.packed == 4 else "0xffffu"
    return (
        f"{{ let bit = (({place}) & {mask}u) * {width}u; let at = ({place}) >> {shift}u; "
        f"atomicXor(&{name}[at], (atomicLoad(&{name}[at]) ^ ({kind.bits(value)} << bit)) "
        f"& ({ones} << bit)); }}"
    )


def position(lengths: Sequence[str], index: str) -> tuple[list[str], list[str]]:
    """Statements that split a linear index, and the index along each axis."""
    lines: list[str] = []
    axes: list[str] = []
    rest = index
    for axis in range(len(lengths) - 1, 0, -1):
        lines.append(f"let i{axis} = {rest} % {lengths[axis]};")
        lines.append(f"let rest{axis} = {rest} / {lengths[axis]};")
        axes.append(f"i{axis}")
        rest = f"rest{axis}"
    return lines, [rest, *reversed(axes)]


def place_of(place: str, steps: Sequence[str], axes: Sequence[str]) -> str:
    return " + ".join([place, *(f"{i} * {s}" for i, s in zip(axes, steps, strict=True))])


def indented(lines: Sequence[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)


# --- arrays larger than a binding -----------------------------------------------------------------


def pieces(
    arrays: Sequence[Strided], lengths: Shape, steps: Sequence[Shape], places: Sequence[int]
) -> Iterator[tuple[Shape, Sequence[int]]]:
    """Parts of a loop over axes, each so small that bindings can hold what it touches.

    Yields the lengths of the last axes of the part, and the place of each array's first element.
    """
    fits = all(
        window_of(x, lengths, step[len(step) - len(lengths) :], place) is not None
        for x, step, place in zip(arrays, steps, places, strict=True)
    )
    if fits:
        yield lengths, places
        return
    if lengths[0] == 1:
        yield from pieces(arrays, lengths[1:], steps, places)
        return
    half = lengths[0] // 2
    unit = 1 << 20 if half > 1 << 20 else EACH
    half = half // unit * unit or half  # so that parts of long rows stay aligned
    axis = len(steps[0]) - len(lengths)
    yield from pieces(arrays, (half, *lengths[1:]), steps, places)
    later = [place + half * step[axis] for place, step in zip(places, steps, strict=True)]
    yield from pieces(arrays, (lengths[0] - half, *lengths[1:]), steps, later)


def window_of(x: Strided, lengths: Shape, steps: Shape, place: int) -> Binding | None:
    """The binding with all elements that a loop touches; None if none is large enough."""
    low = high = place
    for length, step in zip(lengths, steps, strict=True):
        if step < 0:
            low += (length - 1) * step
        else:
            high += (length - 1) * step
    size = x.dtype.itemsize
    # A load or a store of four elements may go beyond the last one.
    return x.block.buffer.window(low * size, min((high + EACH) * size, x.block.buffer.size) - 1)
