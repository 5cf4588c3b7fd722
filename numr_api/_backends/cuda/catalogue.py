"""The kernels that users usually meet, of all families.

They are what a package with kernels compiled beforehand holds (``building``), and what the tests
compile for several architectures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from numr_api._backends.cuda import (
    compaction,
    elementwise_rows,
    movement_kernels,
    padding,
    paired,
    products,
    reduction_kernels,
    row_functions,
    scans,
    snake,
    walsh_hadamard,
)
from numr_api._backends.cuda.library import Source

FAMILIES: dict[str, Callable[[], Iterator[Source]]] = {
    "elementwise": elementwise_rows.catalogue,
    "movement": movement_kernels.catalogue,
    "products": products.catalogue,
    "reductions": reduction_kernels.catalogue,
    "scans": scans.catalogue,
    "compaction": compaction.catalogue,
    "paired": paired.catalogue,
    "rows": row_functions.catalogue,
    "padding": padding.catalogue,
    "snake": snake.catalogue,
    "walsh_hadamard": walsh_hadamard.catalogue,
}

__all__ = ["FAMILIES", "groups"]


def groups(most: int) -> dict[str, list[Source]]:
    """All kernels in groups of at most so many, which are compiled and loaded together.

    Those of a group are of one family, need the same files and follow each other in its catalogue.
    Groups are named after their family.
    """
    found: dict[str, list[Source]] = {}
    for family, catalogue in FAMILIES.items():
        parts: list[list[Source]] = []
        open_parts: dict[tuple[str, ...], list[Source]] = {}
        for source in catalogue():
            part = open_parts.get(source.files)
            if part is None or len(part) == most:
                part = open_parts[source.files] = []
                parts.append(part)
            part.append(source)
        found.update((f"{family}{number:03}", part) for number, part in enumerate(parts))
    return found
