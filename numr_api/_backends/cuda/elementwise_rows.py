"""The element-wise kernels that users usually meet: each operation for each dtype that it accepts,
but of float16 and bfloat16 only the operations and conversions that are met most.

All of them for arrays that lie whole in memory; the other ways to reach elements only for what is
most often done with rows, columns and strided views.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from inspect import signature
from itertools import product
from typing import Any

from numr_api._backends.cuda.activations import ACTIVATIONS, WITH_OPTION
from numr_api._backends.cuda.elementwise import signature_of
from numr_api._backends.cuda.elementwise_kernels import source_of
from numr_api._backends.cuda.elementwise_variants import Signature, Variant
from numr_api._backends.cuda.library import Source
from numr_api._declare import OPS
from numr_api._dtypes import (
    ACCEPTED,
    BY_NAME,
    EIGHTHS,
    EXTENSIONS,
    HALVES,
    STANDARD,
    DType,
    float32,
    float64,
)

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

OF_HALVES = (
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "abs", "negative", "square",
    "exp", "log", "sqrt", "tanh", "equal", "less", "greater", "isnan", "where",
)  # fmt: skip


def names() -> list[str]:
    """The operations."""
    return [name for name, op in OPS.items() if op.family == "elementwise"]


def arity(name: str) -> int:
    """How many operands an operation has."""
    return len(signature(OPS[name].function).parameters)


def accepted(name: str, dtypes: Sequence[DType] = STANDARD) -> list[DType]:
    """Those of some dtypes that an operation accepts."""
    groups = ACCEPTED[OPS[name].accepts]
    return [dtype for dtype in dtypes if dtype.group in groups]


def result_of(name: str, dtype: DType) -> DType:
    backend: Any = None  # which no element-wise operation asks
    return OPS[name].result_dtype(dtype, backend)


def rows(
    dtypes: Sequence[DType] = STANDARD, operations: Sequence[str] | None = None
) -> Iterator[Row]:
    """The operations, or some, on arrays of one dtype."""
    for name in names() if operations is None else operations:
        for dtype in accepted(name, dtypes):
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


def rows_of_halves() -> Iterator[Row]:
    """What is met most of float16 and bfloat16."""
    yield from rows(HALVES, OF_HALVES)
    for name in AFTER_SCALARS:
        for dtype in HALVES:
            yield name, (dtype, object), dtype, dtype
            yield name, (object, dtype), dtype, dtype


def activations() -> Iterator[Row]:
    """The activations of one result."""
    for name in ACTIVATIONS:
        for dtype in (*HALVES, float32, float64):
            second = (dtype,) if name.endswith("_mul") else ()
            yield name, (dtype, *second, *((float,) * (name in WITH_OPTION))), dtype, dtype


def casts() -> Iterator[Signature]:
    """All conversions among the standard's dtypes, copies, and those of others to some."""
    pairs = list(product(STANDARD, STANDARD))
    for narrow in EXTENSIONS:
        pairs += [(narrow, float32), (float32, narrow)]
    pairs += [pair for half in HALVES for x in EIGHTHS for pair in ((half, x), (x, half))]
    for source, target in pairs:
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
    asked = [*rows(), *rows_with_scalars(), *rows_of_halves()]
    asked.sort(key=lambda row: names().index(row[0]))
    asked += activations()
    kernels = [signature_of(*row) for row in asked if row[0] not in VIEWS]
    for kernel in (*kernels, *casts()):
        for variant in variants(kernel):
            yield Source(kernel.sources, source_of(kernel, variant), variant.name(kernel))
