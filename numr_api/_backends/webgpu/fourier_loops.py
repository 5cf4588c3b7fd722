"""Loops over the transforms of a pass: their order, and the rows of parameters they become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Loop", "arrange", "merged"]


@dataclass(frozen=True)
class Loop:
    """An axis of the loop over transforms; steps as they are for the sake of neighbours.

    Attributes:
        shifts: whether its index is a part of the logical index, which the kernel adds.
    """

    length: int
    input: int
    output: int
    shifts: str = ""  # "input" and "output", or one of them


def arrange(loops: list[Loop], step_in: int, step_out: int) -> tuple[bool, bool]:
    """Sort loops, the innermost first, so that neighbouring transforms are neighbours in memory.

    Returns whether neighbouring threads should load, and store, elements of different transforms
    rather than different elements.
    """
    by_output = sorted(loops, key=lambda loop: abs(loop.output))
    by_input = sorted(loops, key=lambda loop: abs(loop.input) or abs(step_in))
    loops[:] = by_output
    if not loops:
        return False, False
    nearest = abs(by_output[0].output) >= abs(step_out)  # the elements of a transform, if stored
    several = any(loop.shifts == "output" for loop in loops)  # which stay as they are
    if nearest and not several and abs(by_input[0].input) < abs(step_in) and by_input[0].input:
        loops[:] = by_input
    load = 0 < abs(loops[0].input) < abs(step_in)
    store = 0 < abs(loops[0].output) < abs(step_out)
    return load, store


def merged(loops: Sequence[Loop]) -> list[tuple[int, int, int, int]]:
    """Lengths, steps in the input and in the output, and steps of the shift."""
    found: list[tuple[int, int, int, int]] = []
    shifted = 1
    for loop in loops:
        step_in = 0 if loop.shifts == "both" else loop.input
        step_out = 0 if loop.shifts else loop.output
        steps = (step_in, step_out, shifted if loop.shifts else 0)
        if loop.shifts:
            shifted *= loop.length
        if found:
            length, *last = found[-1]
            if steps == tuple(length * step for step in last):
                found[-1] = (length * loop.length, *found[-1][1:])
                continue
        found.append((loop.length, *steps))
    return found or [(1, 0, 0, 0)]
