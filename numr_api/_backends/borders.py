"""Which rows of a padded axis are copies of which, where an axis is padded after the other."""

from __future__ import annotations

from collections.abc import Iterator


def copies(mode: str, length: int, before: int, after: int) -> Iterator[tuple[slice, slice]]:
    """Rows of an axis that is padded, and those that they are copies of."""
    end = before + length
    if mode == "edge":
        sources = [(before, before + 1, 1), (end - 1, end, 1)]
    elif mode == "wrap":
        sources = [(end - before, end, 1), (before, before + after, 1)]
    else:  # mirrored at the last row, or behind it
        skip = 1 if mode == "reflect" else 0
        sources = [
            (2 * before + skip - 1, before + skip - 1, -1),
            (end - 1 - skip, end - 1 - skip - after, -1),
        ]
    targets = [slice(0, before), slice(end, end + after)]
    for count, target, (start, stop, step) in zip((before, after), targets, sources, strict=True):
        if count:
            yield target, slice(start, None if stop < 0 else stop, step)
