"""The text of kernels that reduce along axes; ``reductions`` says which kernel is run when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from numr_api._backends.cuda.elementwise_variants import stored
from numr_api._backends.cuda.library import Source
from numr_api._backends.cuda.texts import index_type, kernel_text
from numr_api._dtypes import ACCEPTED, BY_NAME, EXTENSIONS, HALVES, STANDARD, DType, computed

THREADS = 256  # of a block; THREADS of elementwise.cuh
IN_COLUMNS, APART = 8, 4  # of reductions.cuh
IN_ROWS, IN_LONG_ROWS = 4, 8  # accesses of a thread before it needs the first
STATE_BYTES = 32  # of the largest State of accumulators.cuh

# How elements are accumulated: E and R are the types in which elements and results are computed, O
# that of results in memory, I that of positions.
ACCUMULATORS = {
    "all": "Test<E, true>",
    "any": "Test<E, false>",
    "argmax": "Place<E, true, I>",
    "argmin": "Place<E, false, I>",
    "count_nonzero": "Count<E>",
    "max": "Extreme<E, true>",
    "mean": "Mean<E, R, O>",
    "min": "Extreme<E, false>",
    "prod": "Product<E, R, O>",
    "std": "Variance<E, true, O>",
    "sum": "Sum<E, R, O>",
    "var": "Variance<E, false, O>",
}
ORDERED = ("argmax", "argmin")  # whose results tell positions


class Signature(NamedTuple):
    """What a kernel computes, of what."""

    operation: str
    element: DType
    result: DType

    @property
    def files(self) -> tuple[str, ...]:
        """The files of which the kernels need functions."""
        complex_numbers = "c" in (self.element.kind, self.result.kind)
        return ("complex.cuh", "reductions.cuh") if complex_numbers else ("reductions.cuh",)

    @property
    def vector(self) -> int:
        """How many elements are 16 bytes."""
        return 16 // self.element.itemsize

    def accumulator(self, wide: bool) -> str:
        """The C++ class that accumulates."""
        types = {
            "E": stored(computed(self.element)),
            "R": stored(computed(self.result)),
            "O": stored(self.result),
            "I": index_type(wide),
        }
        name, _, arguments = ACCUMULATORS[self.operation].rstrip(">").partition("<")
        given = ", ".join(types.get(word, word) for word in arguments.split(", "))
        accumulator = f"reduction::{name}<{given}>"
        if self.element in EXTENSIONS:
            types = f"{self.element.name}, {stored(self.result)}"
            accumulator = f"reduction::Narrow<{types}, {accumulator}>"
        return accumulator


class Rows(NamedTuple):
    """A way to reduce rows.

    Attributes:
        threads: that reduce a row; if that is a whole block, there may be several blocks.
        ahead: accesses that a thread begins before it needs the first.
        each: how many elements of a thread are next to each other.
        chunk: how many of these are read in one access.
        kept: the axes of the result.
        reduced: the axes of a row; 0 if its elements are contiguous.
        wide: whether elements are counted in 64 bits.
    """

    threads: int
    ahead: int
    each: int
    chunk: int
    kept: int
    reduced: int
    wide: bool

    @property
    def label(self) -> str:
        return (
            f"rows{self.threads}x{self.ahead}_{self.each}_{self.chunk}_{self.kept}_{self.reduced}"
        )


class Columns(NamedTuple):
    """A way to reduce columns.

    Attributes:
        across: threads of a block along the columns.
        down: threads of a block along the elements of a column.
        each: how many columns of a thread are next to each other.
        chunk: how many of these are read in one access.
        kept: the axes of the result but the last.
        reduced: the axes of a column.
        wide: whether elements are counted in 64 bits.
    """

    across: int
    down: int
    each: int
    chunk: int
    kept: int
    reduced: int
    wide: bool

    @property
    def label(self) -> str:
        return (
            f"columns{self.across}x{self.down}_{self.each}_{self.chunk}_{self.kept}_{self.reduced}"
        )


def name_of(signature: Signature, variant: Rows | Columns) -> str:
    """The kernel's name, unlike that of any other."""
    operation, element, result = signature
    wide = "_wide" if variant.wide else ""
    return f"reduce_{operation}_{element.name}_{result.name}_{variant.label}{wide}"


def source_of(signature: Signature, variant: Rows | Columns) -> Source:
    """A variant of a kernel."""
    name = name_of(signature, variant)
    accumulator = signature.accumulator(variant.wide)
    index = index_type(variant.wide)
    numbers = ["rows", "length", "pieces"]
    along = f"reduction::Spread<{variant.reduced}>"
    arguments = [accumulator, index]
    if isinstance(variant, Columns):
        numbers = ["planes", "width", *numbers[1:], "step", "out_step"]
        arguments += [*map(str, variant[:6])]
        function = "reduce_columns"
    else:
        if not variant.reduced:
            along = f"reduction::Straight<{variant.each}>"
        arguments += [*map(str, variant[:5]), along]
        function = "reduce_rows"
    parameters = [
        f"{stored(signature.result)}* out",
        f"const {stored(signature.element)}* data",
        f"{accumulator}::State* scratch",
        "uint32* counters",
        "double divisor",
        *(f"int64 {number}" for number in numbers),
        f"WideLayout<{variant.kept}, 2> layout",
    ]
    given = ["out", "data", "scratch", "counters", "divisor", *numbers, "layout"]
    if variant.reduced:
        parameters.append(f"{along} along")
    given.append("along" if variant.reduced else f"{along}()")
    body = f"    reduction::{function}<{', '.join(arguments)}>(\n        {', '.join(given)});"
    return Source(signature.files, kernel_text(name, ", ".join(parameters), body), name)


# --- kernels that users usually meet --------------------------------------------------------------

KINDS = {
    "all": "any",
    "any": "any",
    "argmax": "real-valued",
    "argmin": "real-valued",
    "count_nonzero": "any",
    "max": "real-valued",
    "mean": "floating-point",
    "min": "real-valued",
    "prod": "numeric",
    "std": "real floating-point",
    "sum": "numeric",
    "var": "real floating-point",
}


OF_HALVES = ("argmax", "max", "mean", "min", "sum", "var")
DEFAULTS = ("float32", "float64", "int64", "bool")  # of which shorter rows are usual, too


def result_of(operation: str, element: DType) -> DType:
    """The dtype of a result where none is asked for."""
    if operation in ("all", "any"):
        return BY_NAME["bool"]
    if operation in ("sum", "prod") and element.kind in "iu":
        return BY_NAME["uint64" if element.kind == "u" else "int64"]
    return BY_NAME["int64"] if operation in (*ORDERED, "count_nonzero") else element


def signatures() -> Iterator[Signature]:
    """All operations on each dtype that they accept."""
    for operation, accepted in KINDS.items():
        halves = HALVES if operation in OF_HALVES else ()
        for element in (*STANDARD, *halves):
            if element.group in ACCEPTED[accepted]:
                yield Signature(operation, element, result_of(operation, element))


def usual_variants(signature: Signature) -> list[Rows | Columns]:
    """How large contiguous arrays of one and of two axes are reduced."""
    each = signature.vector
    found: list[Rows | Columns] = [
        Rows(THREADS, IN_LONG_ROWS, each, each, 1, 0, False),
        Columns(32, 8, each, each, 1, 1, False),
    ]
    if signature.element.name in DEFAULTS:
        for threads in (32, THREADS):
            found.append(Rows(threads, IN_ROWS, each, each, 1, 0, False))
    return found


def catalogue() -> Iterator[Source]:
    """The kernels that users usually meet."""
    for signature in signatures():
        for variant in usual_variants(signature):
            yield source_of(signature, variant)
