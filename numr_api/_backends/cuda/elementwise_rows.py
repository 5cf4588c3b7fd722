"""The element-wise kernels that users usually meet: each operation for each dtype that it accepts.

All of them for arrays that lie whole in memory; the other ways to reach elements only for what is
most often done with rows, columns and strided views.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import signature
from typing import Any

from numr_api._backends.cuda.elementwise import signature_of
from numr_api._backends.cuda.elementwise_kernels import source_of
from numr_api._backends.cuda.elementwise_variants import Signature, Variant
from numr_api._backends.cuda.library import Source
from numr_api._declare import OPS
from numr_api._dtypes import ACCEPTED, BY_NAME, STANDARD, DType

Row = tuple[str, tuple[DType | type, ...], DType, DType]  # what ``find_kernel`` is asked for

VIEWS = ("real", "imag")  # which no kernel makes

WITH_SCALARS = (
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "pow",
    "maximum", "minimum",
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
)  # fmt: skip
AFTER_SCALARS = ("add", "subtract", "multiply", "divide")

# Of these operations and dtypes also with rows, with columns, and with views that have strides.
BROADCAST = ("add", "subtract", "multiply", "divide")
BROADCAST_DTYPES = ("float32", "float64")
STRIDED_AXES = (1, 2, 3)


def names() -> list[str]:
    """The operations."""
    return [name for name, op in OPS.items() if op.family == "elementwise"]


def arity(name: str) -> int:
    """How many operands an operation has."""
    return len(signature(OPS[name].function).parameters)


def accepted(name: str) -> list[DType]:
    """The dtypes of an operation."""
    kinds = ACCEPTED[OPS[name].accepts]
    return [dtype for dtype in STANDARD if dtype.kind in kinds]


def result_of(name: str, dtype: DType) -> DType:
    backend: Any = None  # which no element-wise operation asks
    return OPS[name].result_dtype(dtype, backend)


def rows() -> Iterator[Row]:
    """The operations on arrays of one dtype."""
    for name in names():
        for dtype in accepted(name):
            operands = (dtype,) * arity(name)
            if name == "where":
                operands = (BY_NAME["bool"], dtype, dtype)
            yield name, operands, dtype, result_of(name, dtype)


def rows_with_scalars() -> Iterator[Row]:
    """The operations on arrays of one dtype and Python scalars."""
    python, none = object, type(None)  # any class that is no dtype stands for a scalar
    for name in WITH_SCALARS:
        for dtype in accepted(name):
            yield name, (dtype, python), dtype, result_of(name, dtype)
            if name in AFTER_SCALARS:
                yield name, (python, dtype), dtype, result_of(name, dtype)
    for dtype in accepted("where"):
        yield "where", (BY_NAME["bool"], dtype, python), dtype, dtype
        yield "where", (BY_NAME["bool"], python, dtype), dtype, dtype
    for dtype in accepted("clip"):
        for bounds in ((python, python), (python, none), (none, python)):
            yield "clip", (dtype, *bounds), dtype, dtype


def casts() -> Iterator[Signature]:
    """All conversions, and copies."""
    for source in STANDARD:
        for target in STANDARD:
            yield Signature("cast", "a", (source,), (target,), target)


def variants(kernel: Signature) -> Iterator[Variant]:
    """The ways to run a kernel."""
    count = len(kernel.arrays)
    yield Variant(1, ("vector",) * count, wide=False)
    is_copy = kernel.name == "cast" and kernel.operands == kernel.promoted
    common = kernel.name in BROADCAST and kernel.result.name in BROADCAST_DTYPES
    if is_copy or common:
        for axes in STRIDED_AXES:
            yield Variant(axes, (), wide=False)
    if common and count == 3:
        for modes in (("vector",) * 3, ("vector", "vector", "constant")):
            yield Variant(2, modes, wide=False)


def catalogue() -> Iterator[Source]:
    """Their texts."""
    asked = sorted([*rows(), *rows_with_scalars()], key=lambda row: names().index(row[0]))
    kernels = [signature_of(*row) for row in asked if row[0] not in VIEWS]
    for kernel in (*kernels, *casts()):
        for variant in variants(kernel):
            yield Source(kernel.sources, source_of(kernel, variant), variant.name(kernel))
