"""The transform of Walsh and Hadamard: blocks of up to 2**13 elements by one kernel, larger ones by
two, with what lies between them in float32 at least.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from numr_api._backends.cuda.elementwise_plans import ALIGNMENT, MOST_GROUPS
from numr_api._backends.cuda.library import Library, Source, library as of_cupy
from numr_api._backends.cuda.texts import boolean, kernel_text
from numr_api._dtypes import BY_NUMPY, HALVES, DType, computed, float32

if TYPE_CHECKING:
    from numr_api._backends.cuda.copies import Copies

Data = Any

FILES = ("walsh_hadamard.cuh",)
# of walsh_hadamard.cuh
TILE_BITS, TILE_THREADS = 13, 128
PLACES_THREADS = 128

_TILES = struct.Struct("3Pd2q")
_PLACES = struct.Struct("2Pdq")


def tiles_source(dtype: DType, result: DType, bits: int, has_signs: bool) -> Source:
    """The kernel of blocks of 2**bits elements, up to a tile."""
    name = f"walsh_tiles_{dtype}_{result}_{bits}{'_signs' * has_signs}"
    given = f"{dtype}, {result}, {bits}, {boolean(has_signs)}"
    parameters = (
        f"{result}* out, const {dtype}* data, const {dtype}* signs, double scale, "
        "int64 count, int64 length"
    )
    body = f"    walsh::tiles<{given}>(out, data, signs, scale, count, length);"
    # Of so many blocks a multiprocessor has the registers.
    blocks = 1 if dtype.itemsize == 8 else 4 if has_signs or dtype.itemsize == 4 else 5
    head = f"KERNEL_OF_BLOCKS({TILE_THREADS}, {blocks})"
    return Source(FILES, kernel_text(name, parameters, body, head), name)


def places_source(dtype: DType, result: DType, bits: int) -> Source:
    """The kernel of what is left of larger blocks: the bits beyond those of a tile."""
    name = f"walsh_places_{dtype}_{result}_{bits}"
    parameters = f"{result}* out, const {dtype}* data, double scale, int64 count"
    body = f"    walsh::places<{dtype}, {result}, {bits}>(out, data, scale, count);"
    return Source(FILES, kernel_text(name, parameters, body, f"KERNEL_OF({PLACES_THREADS})"), name)


class WalshHadamard:
    """The transforms of one device. Methods are called while it is current."""

    def __init__(self, copies: Copies, library: Library | None = None) -> None:
        self._library = library or of_cupy()
        self._copies = copies
        self._functions: dict[Any, Any] = {}

    def transform(self, data: Data, signs: Data = None, *, block_size: int) -> Data:
        """Blocks of the last axis, multiplied by signs before."""
        x = self._aligned(data)
        factors = x if signs is None else self._aligned(signs)
        result = self._library.empty(data.shape, data.dtype)
        size = data.size
        if not size:
            return result
        dtype = BY_NUMPY[data.dtype]
        bits = block_size.bit_length() - 1
        first, rest = min(bits, TILE_BITS), max(bits - TILE_BITS, 0)
        scale = 1 / math.sqrt(block_size)
        middle, middle_dtype = result, dtype
        if rest and computed(dtype) is not dtype:
            middle_dtype = computed(dtype)
            middle = self._library.empty(data.shape, middle_dtype.__numpy_dtype__)
        key = dtype, first, rest > 0, signs is not None
        function = self._functions.get(key)
        if function is None:
            source = tiles_source(dtype, middle_dtype, first, signs is not None)
            function = self._functions[key] = self._library.function(*source)
        addresses = middle.data.ptr, x.data.ptr, factors.data.ptr
        numbers = 1.0 if rest else scale, size, data.shape[-1]
        groups = min(-(-size // 2**TILE_BITS), MOST_GROUPS)
        function.launch(groups, TILE_THREADS, _TILES, (*addresses, *numbers))
        if rest:
            function = self._functions.get((dtype, rest))
            if function is None:
                source = places_source(middle_dtype, dtype, rest)
                function = self._functions[dtype, rest] = self._library.function(*source)
            addresses = result.data.ptr, middle.data.ptr
            groups = min(-(-(size >> rest) // PLACES_THREADS), MOST_GROUPS)
            function.launch(groups, PLACES_THREADS, _PLACES, (*addresses, scale, size))
        return result

    def _aligned(self, data: Data) -> Data:
        """Row-major data that are reached four elements at a time."""
        x = self._copies.row_major(data)
        return x.copy() if x.data.ptr % ALIGNMENT else x


def catalogue() -> Iterator[Source]:
    """The kernels that users usually meet."""
    for dtype in (*HALVES, float32):
        for bits in (6, 7, 8, 10, 12, 13):
            yield tiles_source(dtype, dtype, bits, has_signs=False)
            yield tiles_source(dtype, dtype, bits, has_signs=True)
