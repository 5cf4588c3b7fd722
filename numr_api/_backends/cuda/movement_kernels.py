"""The kernel of ``arange``, and all kernels that users usually meet where elements are moved."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from numr_api._backends.cuda import gathering
from numr_api._backends.cuda.elementwise import CARRIERS, copy_signature, fill_signature
from numr_api._backends.cuda.elementwise_kernels import source_of
from numr_api._backends.cuda.elementwise_plans import LARGEST_TILE, MOST_GROUPS
from numr_api._backends.cuda.elementwise_variants import THREADS, Signature, Variant, stored, words
from numr_api._backends.cuda.library import Source, library
from numr_api._backends.cuda.texts import kernel_text
from numr_api._dtypes import HALVES, STANDARD

if TYPE_CHECKING:
    from numr_api._dtypes import DType


class Range:
    """Numbers at equal distances: of integers modulo 2**64, of others computed in float64."""

    def __init__(self, dtype: DType) -> None:
        self._dtype = dtype.__numpy_dtype__
        self._integer = dtype.kind in "iu"
        self._layout = struct.Struct("PqQQ" if self._integer else "Pqdd")
        self._library = library()
        self._function = self._library.function(*range_source(dtype))

    def __call__(self, start: Any, step: Any, count: int) -> Any:
        result = self._library.empty((count,), self._dtype)
        if count:
            if self._integer:
                numbers = int(start) % 2**64, int(step) % 2**64
            else:
                numbers = float(start), float(step)
            groups = min(-(-result.nbytes // (16 * THREADS)), MOST_GROUPS)
            self._function.launch(groups, THREADS, self._layout, (result.data.ptr, count, *numbers))
        return result


def range_source(dtype: DType) -> Source:
    number = "uint64" if dtype.kind in "iu" else "float64"
    name = f"arange_{dtype.name}"
    parameters = f"{stored(dtype)}* out, int64 count, {number} start, {number} step"
    text = kernel_text(name, parameters, "    write_range(out, count, start, step);")
    return Source(("movement.cuh",), text, name)


def catalogue() -> Iterator[Source]:
    """The kernels of this family."""
    for dtype in (*STANDARD, *HALVES):
        yield _source(fill_signature(dtype), Variant(1, ("vector",), wide=False))
        if dtype.kind in "iuf":
            yield range_source(dtype)
    for size in CARRIERS:
        signature = copy_signature(size)
        for variant in _copies(signature):
            yield _source(signature, variant)
        for index in ("int32", "int64"):
            for axes in (1, 2, 3):
                variant = gathering.Variant(axes, size, (index,), wide=False)
                yield Source(gathering.FILES, gathering.text_of(variant), variant.name)


def _source(signature: Signature, variant: Variant) -> Source:
    return Source(signature.sources, source_of(signature, variant), variant.name(signature))


def _copies(signature: Signature) -> Iterator[Variant]:
    size, word = signature.result.itemsize, str(words(signature.result))
    for axes in (1, 2):
        yield Variant(axes, ("vector", "vector"), wide=False)
        yield Variant(axes, ("run", "run"), wide=False, each=signature.scattered)
    for axes in (2, 3):
        yield Variant(axes, (word, word), wide=False, tile=LARGEST_TILE[size])
        yield Variant(axes, (), wide=False)
