"""All rows of the cuda device's element-wise kernels, also for operands of two dtypes."""

from __future__ import annotations

from collections.abc import Iterator

from numr_api._backends.cuda.elementwise import signature_of
from numr_api._backends.cuda.elementwise_rows import (
    VIEWS,
    Row,
    accepted,
    arity,
    casts,
    result_of,
    rows,
)
from numr_api._backends.cuda.elementwise_variants import Signature
from numr_api._dtypes import promote

__all__ = ["VIEWS", "accepted", "arity", "mixed_rows", "result_of", "rows", "signatures"]


def mixed_rows() -> Iterator[Row]:
    """Sums and comparisons of each two dtypes that can be promoted, and with Python scalars."""
    for name in ("add", "less"):
        for first in accepted(name):
            for second in accepted(name):
                try:
                    dtype = promote(first, second)
                except TypeError:
                    continue
                if dtype in accepted(name) and first is not second:
                    yield name, (first, second), dtype, result_of(name, dtype)
            scalar = {"f": float, "c": complex}.get(first.kind, int)
            yield name, (first, scalar), first, result_of(name, first)
            yield name, (scalar, first), first, result_of(name, first)
    for dtype in accepted("clip"):
        none = type(None)
        for operands in ((dtype, none, none), (dtype, dtype, none), (dtype, none, dtype)):
            yield "clip", operands, dtype, dtype


def signatures() -> list[Signature]:
    """What the kernels of all rows compute, and of all conversions."""
    asked = (*rows(), *mixed_rows())
    return [*(signature_of(*row) for row in asked if row[0] not in VIEWS), *casts()]
