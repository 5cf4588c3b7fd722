"""Which variant of an element-wise kernel reaches arrays, and with what arguments.

    vectors   16 bytes in one access along the last axis; the other axes, and operands that are
              repeated along some, as the row in ``matrix + row``, are found by their strides
    tiles     an operand's elements lie next to each other along another axis than the output's:
              both are reached in their own order, with shared memory in between
    chunks    rows that are long, but not of whole vectors or not aligned
    elements  anything else: each element by its strides

Axes that all arrays step through as one are merged first. Elements are counted in 32 bits where
there are fewer than 2**31 of them and no step is longer, since dividing 64 bits is slow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api._backends.cuda.elementwise_variants import THREADS, Signature, Variant, words
from numr_api._backends.cuda.layouts import Steps, loop_of

if TYPE_CHECKING:
    from numr_api._backends import Shape

FEW = 2**31  # elements that 32 bits count, with room for the last step
MOST_GROUPS = 2**31 - 1
ALIGNMENT = 16  # bytes of the largest access

# Elements down and across, by the bytes of an element of all operands; the fastest that were tried.
LARGEST_TILE = {1: (128, 128), 2: (128, 64), 4: (64, 128), 8: (32, 64), 16: (32, 32)}
LEAST_OF_TILE = 1024  # elements of the two axes, below which there are no tiles


class Way(NamedTuple):
    """A variant and how it is run.

    Attributes:
        codes: of ``struct``, for the numbers.
        numbers: the arguments between the arrays' addresses and the scalars.
    """

    variant: Variant
    groups: int
    codes: str
    numbers: tuple[int, ...]


def way_of(signature: Signature, arrays: Sequence[Any], addresses: Sequence[int]) -> Way:
    """How to run a kernel on arrays, the output first, that broadcast to its shape."""
    lengths, steps = loop_of(arrays)
    return (
        _vectors(signature, lengths, steps, addresses)
        or _tiles(signature, lengths, steps, addresses)
        or _chunks(signature, lengths, steps)
        or _elements(signature, lengths, steps)
    )


def _vectors(
    signature: Signature, lengths: Shape, steps: list[Steps], addresses: Sequence[int]
) -> Way | None:
    each = signature.vector
    modes = tuple(
        mode_of(step, address, dtype.itemsize, each)
        for step, address, dtype in zip(steps, addresses, signature.arrays, strict=True)
    )
    rows = len(lengths) > 1
    if modes[0] != "vector" or "" in modes or (rows and (each == 1 or lengths[-1] % each)):
        return None
    count = math.prod(lengths)
    groups = _groups(count, THREADS * each)
    if not rows:
        return Way(Variant(1, modes, count >= FEW), groups, "q", (count,))
    last = [(*step[:-1], step[-1] * each) for step in steps]
    wide, codes, numbers = layout_of((*lengths[:-1], lengths[-1] // each), last, count)
    return Way(Variant(len(lengths), modes, wide), groups, f"q{codes}", (count // each, *numbers))


def _elements(signature: Signature, lengths: Shape, steps: list[Steps]) -> Way:
    count = math.prod(lengths)
    wide, codes, numbers = layout_of(lengths, steps, count)
    groups = _groups(count, THREADS * signature.scattered)
    return Way(Variant(len(lengths), (), wide), groups, f"q{codes}", (count, *numbers))


def _chunks(signature: Signature, lengths: Shape, steps: list[Steps]) -> Way | None:
    row = lengths[-1]
    modes = tuple("constant" if s[-1] == 0 else "run" if s[-1] == 1 else "strided" for s in steps)
    word = words(signature.result) if modes[0] == "run" else 1
    for each in (signature.scattered, 1):
        chunk = THREADS * each * word
        chunks = -(-(row + word - 1) // chunk)
        if 2 * row >= chunks * chunk:
            break
    else:  # more than half of the threads would have nothing to do
        return None
    count = chunks * math.prod(lengths[:-1])
    wide, codes, numbers = layout_of(
        (*lengths[:-1], chunks), [(*step[:-1], 0) for step in steps], count
    )
    variant = Variant(len(lengths), modes, wide, None, each)
    codes = f"q{codes}{1 + len(steps)}q"
    numbers = (count, *numbers, row, *(step[-1] for step in steps))
    return Way(variant, _groups(count, 1), codes, numbers)


def _tiles(
    signature: Signature, lengths: Shape, steps: list[Steps], addresses: Sequence[int]
) -> Way | None:
    sizes = [dtype.itemsize for dtype in signature.arrays]
    down = _other_axis(steps, sizes)
    if down is None or lengths[down] * lengths[-1] < LEAST_OF_TILE:
        return None
    order = [axis for axis in range(len(lengths) - 1) if axis != down] + [down, len(lengths) - 1]
    lengths = tuple(lengths[axis] for axis in order)
    steps = [tuple(step[axis] for axis in order) for step in steps]
    tiled = [False, *map(_lies_down, steps[1:])]
    tile = tile_of(lengths[-2], lengths[-1], max(sizes[0], sum(sizes[1:])))
    modes = tuple(
        "direct"
        if number and not is_tiled
        else str(
            _width(
                step[-2] if is_tiled else step[-1],
                step[:-2] + (step[-1:] if is_tiled else step[-2:-1]),
                address, size, tile[0] * tile[1] // THREADS,
            )
        )
        for number, (step, address, size, is_tiled) in enumerate(
            zip(steps, addresses, sizes, tiled, strict=True)
        )
    )  # fmt: skip
    high, across = tile
    counts = (-(-lengths[-2] // high), -(-lengths[-1] // across))
    count = math.prod(lengths[:-2]) * math.prod(counts)
    wide, codes, numbers = layout_of(
        (*lengths[:-2], *counts),
        [(*step[:-2], step[-2] * high, step[-1] * across) for step in steps],
        count,
    )
    numbers = (
        count, *numbers, *lengths[-2:],
        *(step[-2] for step in steps), *(step[-1] for step in steps),
    )  # fmt: skip
    variant = Variant(len(lengths), modes, wide, tile)
    return Way(variant, _groups(count, 1), f"q{codes}{2 + 2 * len(steps)}q", numbers)


def _other_axis(steps: list[Steps], sizes: Sequence[int]) -> int | None:
    """The axis along which the largest operand lies that is not in the output's order."""
    for _, step in sorted(zip(sizes[1:], steps[1:], strict=True), reverse=True):
        axes = [axis for axis, length in enumerate(step[:-1]) if length]
        if not axes:
            continue
        least = min(axes, key=lambda axis: abs(step[axis]))
        if abs(step[least]) < abs(step[-1]) and abs(step[least]) <= CLOSE:
            return least
    return None


CLOSE = 2  # elements from one to the next, so that they still count as being next to each other


def _lies_down(step: Steps) -> bool:
    """Whether an operand's elements are closer to each other down than across."""
    return 0 < abs(step[-2]) < abs(step[-1]) and abs(step[-2]) <= CLOSE


def tile_of(down: int, across: int, size: int) -> tuple[int, int]:
    """How many elements a tile has down and across, where these axes have so many."""
    most = next(tile for total, tile in LARGEST_TILE.items() if size <= total or total == 16)
    elements = most[0] * most[1]
    height, width = _next_power(down), _next_power(across)
    if height < most[0]:
        return height, min(elements // height, width, THREADS)
    if width < most[1]:
        return min(elements // width, height, THREADS), width
    return most


def _next_power(length: int) -> int:
    """The power of 2 that is not less, but 4 at least."""
    return max(4, 1 << (length - 1).bit_length())


def _width(step: int, others: Steps, address: int, size: int, most: int) -> int:
    """How many elements are reached in one access of 4 bytes at most, where they lie in a row."""
    width = 4 // size if size < 4 else 1
    while width > 1 and (
        step != 1 or address % (width * size) or any(s % width for s in others) or width > most
    ):
        width //= 2
    return width


def _groups(count: int, each: int) -> int:
    return min(-(-count // each), MOST_GROUPS)


def layout_of(
    lengths: Sequence[int], steps: Sequence[Steps], count: int
) -> tuple[bool, str, tuple[int, ...]]:
    """Whether a layout is a wide one, and the codes and numbers of it."""
    flat = [n for step in steps for n in step]
    if count >= FEW or any(not -FEW <= n < FEW for n in flat):
        return True, f"{len(lengths) + len(flat)}q", (*lengths, *flat)
    divisors = [n for length in lengths for n in (length, *divisor(length))]
    return False, f"{len(divisors)}I{len(flat)}i", (*divisors, *flat)


def divisor(length: int) -> tuple[int, int]:
    """The factor and the shift with which numbers below 2**31 are divided; see elementwise.cuh."""
    shift = (length - 1).bit_length()
    return (2**32 * (2**shift - length)) // length + 1, shift


def mode_of(steps: Steps, address: int, itemsize: int, each: int) -> str:
    """How the elements of a thread are reached in one go; "" if they are not."""
    if steps[-1] == 0:
        return "constant"
    width = min(ALIGNMENT, itemsize * each)
    aligned = not address % width and not any(step * itemsize % width for step in steps[:-1])
    return "vector" if steps[-1] == 1 and aligned else ""
