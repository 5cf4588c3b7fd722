"""All rows of the cuda device's element-wise kernels, for each dtype that a function accepts."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import signature
from typing import Any

import numr_api  # noqa: F401  # fills OPS
from numr_api._backends.cuda.elementwise import signature_of
from numr_api._backends.cuda.elementwise_kernels import Signature
from numr_api._declare import OPS
from numr_api._dtypes import ACCEPTED, BY_NAME, STANDARD, DType, promote

ELEMENTWISE = {name: op for name, op in OPS.items() if op.family == "elementwise"}
VIEWS = ("real", "imag")  # which no kernel makes


def arity(name: str) -> int:
    return len(signature(ELEMENTWISE[name].function).parameters)


def accepted(name: str) -> list[DType]:
    kinds = ACCEPTED[ELEMENTWISE[name].accepts]
    return [dtype for dtype in STANDARD if dtype.kind in kinds]


def result_of(name: str, dtype: DType) -> DType:
    backend: Any = None  # which no element-wise operation asks
    return ELEMENTWISE[name].result_dtype(dtype, backend)


def rows() -> Iterator[tuple[str, tuple[DType | type, ...], DType, DType]]:
    """The operations on arrays of one dtype, as ``find_kernel`` is asked for them."""
    for name in ELEMENTWISE:
        for dtype in accepted(name):
            operands = (dtype,) * arity(name)
            if name == "where":
                operands = (BY_NAME["bool"], dtype, dtype)
            yield name, operands, dtype, result_of(name, dtype)


def mixed_rows() -> Iterator[tuple[str, tuple[DType | type, ...], DType, DType]]:
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
    found = [signature_of(*row) for row in (*rows(), *mixed_rows()) if row[0] not in VIEWS]
    found += [
        Signature("cast", "a", (source,), (target,), target)
        for source in STANDARD
        for target in STANDARD
    ]
    return found
