"""Running sums and products, in one reading of the array where it lies along its rows.

An array is taken as axes (outer, length, inner), of which the one in the middle is scanned:

    columns  inner axes, or rows of a few elements: a thread goes along each column; where there
             are few columns, each is cut into pieces, whose totals are scanned first
    rows     the lanes of a warp, or of a part of one, go along each row
    tiles    few long rows: blocks have tiles of a row, and tell each other their totals

Which it is depends on the shape and the dtype alone, and so does the order in which elements are
combined: results are the same each time.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from numr_api._backends.cuda.elementwise_plans import ALIGNMENT, FEW
from numr_api._backends.cuda.elementwise_variants import THREADS
from numr_api._backends.cuda.library import Library, Source, library as of_cupy
from numr_api._backends.cuda.texts import boolean, index_type, kernel_text
from numr_api._dtypes import BY_NAME, BY_NUMPY, EXTENSIONS, HALVES, DType, computed

if TYPE_CHECKING:
    from numr_api._backends.cuda.copies import Copies

Data = Any

WARP = 32
WARPS = THREADS // WARP  # of a block
VECTOR = 16  # bytes that a lane has in each round
LARGE = 2**26  # bytes of an array from which on tiles are larger
ROUNDS = 4  # of a warp that goes along a row, where that is long enough

SHORT = 8  # elements of a row that a thread goes along
SHORT_ROW = 4096  # bytes of a row that a warp goes along, however few rows there are
MANY_ROWS = 4096  # that keep a GPU busy with a warp for each
MANY_COLUMNS = 2**16  # that keep it busy with a thread for each
THREADS_WANTED = 2**18  # where columns are cut into pieces
SHORT_PIECE = 32  # elements

MARKED = 4  # bytes of a value that a word of 8 bytes holds beside its mark

OPERATIONS = {"cumulative_sum": "scans::Sum", "cumulative_prod": "scans::Product"}

_ROWS = struct.Struct("2P2q")
_TILES = struct.Struct("3P2q")
_COLUMNS = struct.Struct("3P5q")


class Scans:
    """The scans of one device. Methods are called while it is current."""

    def __init__(self, copies: Copies, library: Library | None = None) -> None:
        self._library = library or of_cupy()
        self._copies = copies
        self._functions: dict[str, Any] = {}

    def scan(self, operation: str, data: Data, axis: int) -> Data:
        """cumulative_sum or cumulative_prod along an axis, in data's dtype."""
        if not data.size:
            return self._library.empty(data.shape, data.dtype)
        if data._c_contiguous:
            result = self._library.empty(data.shape, data.dtype)
            self._run(operation, data, axis, result)
            return result
        # The axes in the order in which they lie in memory.
        strides = data.strides
        order = sorted(range(data.ndim), key=lambda number: -abs(strides[number]))
        ordered = data.transpose(order)
        ordered = self._copies.row_major(ordered)
        result = self._library.empty(ordered.shape, ordered.dtype)
        self._run(operation, ordered, order.index(axis), result)
        return result.transpose(sorted(range(data.ndim), key=order.__getitem__))

    def _run(self, operation: str, data: Data, axis: int, result: Data) -> None:
        """Scan a row-major array."""
        shape = data.shape
        length = shape[axis]
        inner = math.prod(shape[axis + 1 :])
        outer = math.prod(shape[:axis])
        dtype = BY_NUMPY[data.dtype]
        row = f"{operation}_{served_by(dtype.name)}"
        addresses = data.data.ptr, result.data.ptr
        if inner > 1 or length <= SHORT:
            self._columns(row, dtype, addresses, (outer, length, inner))
            return
        whole = length * dtype.itemsize
        aligned = not addresses[0] % ALIGNMENT and (outer == 1 or not whole % ALIGNMENT)
        if whole <= SHORT_ROW or outer >= MANY_ROWS:
            self._rows(row, dtype.itemsize, aligned, addresses, (outer, length))
        else:
            self._tiles(row, dtype, aligned, addresses, (outer, length))

    def _rows(
        self, row: str, itemsize: int, aligned: bool, addresses: tuple[int, int],
        shape: tuple[int, int],
    ) -> None:  # fmt: skip
        lanes, rounds = slice_for(shape[1] * itemsize)
        function = self._function(rows_kernel(row, lanes, rounds, aligned))
        groups = -(-shape[0] * lanes // THREADS)
        function.launch(groups, THREADS, _ROWS, (*addresses, *shape))

    def _tiles(
        self, row: str, dtype: DType, aligned: bool, addresses: tuple[int, int],
        shape: tuple[int, int],
    ) -> None:  # fmt: skip
        outer, length = shape
        itemsize = dtype.itemsize
        rounds, blocks = rounds_of(dtype, outer * length * itemsize)
        tiles = -(-length // (THREADS * rounds * VECTOR // itemsize))
        told = 0
        if tiles > 1:
            values = outer * (tiles + tiles // WARP + tiles // WARP**2)
            words = self._library.zeros(2 + values * max(1, computed(dtype).itemsize // MARKED))
            told = words.data.ptr
        function = self._function(tiles_kernel(row, rounds, blocks, aligned))
        function.launch(outer * tiles, THREADS, _TILES, (*addresses, told, length, tiles))

    def _columns(
        self, row: str, dtype: DType, addresses: tuple[int, int], shape: tuple[int, int, int]
    ) -> None:
        outer, length, inner = shape
        columns = outer * inner
        pieces, piece = pieces_of(columns, length)
        wide = columns * length >= FEW
        groups = -(-columns * pieces // THREADS)
        numbers = columns, length, inner, pieces, piece
        totals = 0
        if pieces > 1:
            of_totals = computed(dtype)
            kept = self._library.empty((outer, pieces, inner), of_totals.__numpy_dtype__)
            totals = kept.data.ptr
            function = self._function(columns_kernel(row, wide, "totals"))
            given = (addresses[0], totals, 0, *numbers)
            function.launch(groups, THREADS, _COLUMNS, given)
            again = row.replace(dtype.name, of_totals.name)
            self._columns(again, of_totals, (totals, totals), kept.shape)
        function = self._function(columns_kernel(row, wide, "rest" if pieces > 1 else "whole"))
        function.launch(groups, THREADS, _COLUMNS, (*addresses, totals, *numbers))

    def _function(self, source: Source) -> Any:
        function = self._functions.get(source.name)
        if function is None:
            function = self._functions[source.name] = self._library.function(*source)
        return function


def served_by(name: str) -> str:
    """The dtype whose kernels serve a dtype: signed integers have the bits of unsigned ones."""
    return f"u{name}" if name.startswith("int") else name


def slice_for(size: int) -> tuple[int, int]:
    """How many lanes go along a row of a number of bytes, and in how many rounds at a time."""
    vectors = -(-size // VECTOR)
    lanes = 4
    while lanes < min(vectors, WARP):
        lanes *= 2
    return lanes, ROUNDS if vectors > WARP else 1


def rounds_of(dtype: DType, size: int) -> tuple[int, int]:
    """The rounds of a warp's part of a tile, and how many blocks have to find room at once.

    Memory is busy, while blocks wait for others, with what the rest of them have read and not
    written yet: where there are many tiles, these hold as much as there are registers for.
    """
    itemsize = dtype.itemsize
    if dtype in EXTENSIONS:  # 8 numbers of 32 bits in a round
        return (3, 4) if size < LARGE else (6, 3)
    if itemsize < 4:
        return 4, 1
    if size < LARGE:
        return 6, 4 if itemsize <= 8 else 2
    return {4: (12, 3), 8: (16, 2), 16: (12, 2)}[itemsize]


def pieces_of(columns: int, length: int) -> tuple[int, int]:
    """How many pieces columns are cut into, and how long these are."""
    if columns >= MANY_COLUMNS:
        return 1, length
    pieces = max(1, min(-(-THREADS_WANTED // columns), length // SHORT_PIECE))
    piece = -(-length // pieces)
    return -(-length // piece), piece


# --- texts ----------------------------------------------------------------------------------------


def rows_kernel(row: str, lanes: int, rounds: int, aligned: bool) -> Source:
    operation, dtype = _parts(row)
    name = f"scan_rows_{row}_{lanes}x{rounds}{'_aligned' * aligned}"
    return _source(
        dtype, name, f"const {dtype}* data, {dtype}* result, int64 rows, int64 length",
        f"scan_rows<{operation}, {dtype}, {lanes}, {rounds}, {boolean(aligned)}>"
        "(data, result, rows, length)",
    )  # fmt: skip


def tiles_kernel(row: str, rounds: int, blocks: int, aligned: bool) -> Source:
    operation, dtype = _parts(row)
    name = f"scan_tiles_{row}_{rounds}x{blocks}{'_aligned' * aligned}"
    return _source(
        dtype, name,
        f"const {dtype}* data, {dtype}* result, uint64* told, int64 length, int64 tiles",
        f"scan_tiles<{operation}, {dtype}, {rounds}, {boolean(aligned)}>"
        "(data, result, told, length, tiles)",
        f"KERNEL_BESIDE({blocks})",
    )  # fmt: skip


def columns_kernel(row: str, wide: bool, part: str) -> Source:
    """``part``: "whole" columns, or the "totals" of pieces, or the "rest" that follows them."""
    operation, dtype = _parts(row)
    index, total = index_type(wide), computed(BY_NAME[dtype]).name
    result = total if part == "totals" else dtype
    flags = f"{boolean(part == 'totals')}, {boolean(part == 'rest')}"
    return _source(
        dtype, f"scan_columns_{row}_{part}{'_wide' * wide}",
        f"const {dtype}* data, {result}* result, const {total}* totals, int64 columns, "
        "int64 length, int64 inner, int64 pieces, int64 piece",
        f"scan_columns<{operation}, {dtype}, {index}, {flags}>"
        "(data, result, totals, columns, length, inner, pieces, piece)",
    )  # fmt: skip


def _parts(row: str) -> tuple[str, str]:
    operation, _, dtype = row.rpartition("_")
    return OPERATIONS[operation], dtype


def _source(dtype: str, name: str, parameters: str, call: str, head: str = "KERNEL") -> Source:
    files = ("complex.cuh", "scans.cuh") if dtype.startswith("c") else ("scans.cuh",)
    return Source(files, kernel_text(name, parameters, f"    scans::{call};", head), name)


def catalogue() -> Iterator[Source]:
    """The kernels that are met most."""
    for operation in OPERATIONS:
        for dtype in ("uint32", "uint64", "float32", "float64", "complex64", "complex128"):
            row = f"{operation}_{dtype}"
            yield rows_kernel(row, WARP, ROUNDS, True)
            yield rows_kernel(row, WARP, 1, True)
            for size in (0, LARGE):
                yield tiles_kernel(row, *rounds_of(BY_NAME[dtype], size), True)
            for part in ("whole", "totals", "rest"):
                yield columns_kernel(row, False, part)
    row = "cumulative_sum_float32"
    for aligned in (False, True):
        for lanes in (4, 8, 16):
            yield rows_kernel(row, lanes, 1, aligned)
    yield rows_kernel(row, WARP, ROUNDS, False)
    yield tiles_kernel(row, *rounds_of(BY_NAME["float32"], LARGE), False)
    yield columns_kernel(row, True, "whole")
    for dtype in (BY_NAME["uint8"], BY_NAME["uint16"], *HALVES):
        row = f"cumulative_sum_{dtype}"
        yield tiles_kernel(row, *rounds_of(dtype, LARGE), True)
        yield columns_kernel(row, False, "whole")
    for dtype in HALVES:
        row = f"cumulative_sum_{dtype}"
        yield rows_kernel(row, WARP, ROUNDS, True)
        yield rows_kernel(row, WARP, 1, True)
