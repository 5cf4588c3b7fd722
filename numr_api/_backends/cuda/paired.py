"""Element-wise operations with two results: gradients of products with an activation."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from numr_api._backends.cuda.activations import WITH_TWO_RESULTS, slopes_of
from numr_api._backends.cuda.elementwise_plans import ALIGNMENT, FEW, MOST_GROUPS
from numr_api._backends.cuda.elementwise_variants import THREADS
from numr_api._backends.cuda.library import Library, Source, library as of_cupy
from numr_api._backends.cuda.texts import index_type, kernel_text
from numr_api._dtypes import HALVES, computed, float32, float64

if TYPE_CHECKING:
    from numr_api._backends.cuda.copies import Copies
    from numr_api._dtypes import DType

Data = Any

VECTOR = 16  # bytes

_ARGUMENTS = struct.Struct("5Pq")


def paired_source(name: str, dtype: DType, aligned: bool, wide: bool) -> Source:
    """The kernel of an operation on three contiguous arrays, with two results."""
    element, index = dtype.name, index_type(wide)
    each = VECTOR // dtype.itemsize if aligned else 1
    full = f"paired_{name}_{element}_{each}{'_wide' * wide}"
    parameters = (
        f"{element}* out, {element}* out2, const {element}* a, const {element}* b, "
        f"const {element}* c, int64 count"
    )
    types = computed(dtype).name
    body = (
        "    struct Function {\n"
        f"        DEVICE static Two<{types}> of({types} grad, {types} a, {types} b) {{\n"
        f"            return {slopes_of(name, dtype)}(grad, a, b);\n        }}\n    }};\n"
        f"    paired<Function, {each}, {index}>(out, out2, a, b, c, count);"
    )
    return Source(("paired.cuh",), kernel_text(full, parameters, body), full)


class PairedKernel:
    """An operation on three arrays of one shape and dtype; it returns two arrays."""

    def __init__(
        self, name: str, dtype: DType, copies: Copies, library: Library | None = None
    ) -> None:
        self._library, self._copies = library or of_cupy(), copies
        self._name, self._dtype = name, dtype
        self._functions: dict[tuple[bool, bool], Any] = {}

    def __call__(self, *operands: Data) -> tuple[Data, Data]:
        arrays = [self._copies.row_major(x) for x in operands]
        first = arrays[0]
        results = [self._library.empty(first.shape, first.dtype) for _ in range(2)]
        size = first.size
        if size:
            addresses = [x.data.ptr for x in (*results, *arrays)]
            aligned = not any(address % ALIGNMENT for address in addresses)
            wide = size >= FEW
            function = self._functions.get((aligned, wide))
            if function is None:
                source = paired_source(self._name, self._dtype, aligned, wide)
                function = self._functions[aligned, wide] = self._library.function(*source)
            each = VECTOR // self._dtype.itemsize if aligned else 1
            groups = min(-(-size // (THREADS * each)), MOST_GROUPS)
            function.launch(groups, THREADS, _ARGUMENTS, (*addresses, size))
        return results[0], results[1]


def catalogue() -> Iterator[Source]:
    """The kernels with two results that users usually meet."""
    for name in WITH_TWO_RESULTS:
        for dtype in (*HALVES, float32, float64):
            yield paired_source(name, dtype, aligned=True, wide=False)
