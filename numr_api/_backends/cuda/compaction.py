"""What a mask chooses: elements taken and put, and their indices.

A mask is cut into tiles. A first kernel counts what is true in each, a scan sums the counts, and
a last kernel moves each tile's elements to or from where they belong. Where the result's shape
depends on how many there are, the host reads this number, and nothing else.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from numr_api._backends.cuda.elementwise import CARRIERS, find_kernel
from numr_api._backends.cuda.elementwise_plans import FEW, MOST_GROUPS
from numr_api._backends.cuda.elementwise_variants import THREADS
from numr_api._backends.cuda.layouts import merged, span
from numr_api._backends.cuda.library import Library, Source, library as of_cupy
from numr_api._backends.cuda.texts import boolean, index_type, kernel_text
from numr_api._dtypes import BY_NAME, BY_NUMPY, DType

if TYPE_CHECKING:
    from numr_api._backends import Kernel
    from numr_api._backends.cuda.copies import Copies
    from numr_api._backends.cuda.scans import Scans

Data = Any

TILE = 4096  # elements; TILE of compaction.cuh
WARPS = THREADS // 32  # of a block
UNITS = 4  # that a thread moves; UNITS of compaction.cuh

BOOL = BY_NAME["bool"]
UNIT_OF = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64", 16: "masks::bytes16"}

_COUNT = struct.Struct("2Pq")
_MOVE = struct.Struct("4P2q")
_ROWS = struct.Struct("3P2q")


class Compaction:
    """The kernels of one device for masks. Methods are called while it is current.

    Arguments:
        look: raises IndexError if an index was wrong; see ``faults``.
    """

    def __init__(
        self,
        scans: Scans,
        copies: Copies,
        look: Callable[[], None],
        library: Library | None = None,
    ) -> None:
        self._library = library or of_cupy()
        self._copies = copies
        self._look = look
        self._scans = scans
        self._functions: dict[str, Any] = {}
        self._kernels: dict[Any, Kernel] = {}

    # Taking

    def compress(self, data: Data, mask: Data) -> Data:
        """The elements or rows where a mask over the leading axes is true."""
        rest = data.shape[mask.ndim :]
        mask = self._copies.row_major(mask)
        ends = self._ends(mask)
        count = self._count(ends)
        result = self._library.empty((count, *rest), data.dtype)
        if not result.size:
            return result
        data = self._copies.row_major(data)
        row = math.prod(rest) * data.dtype.itemsize
        if row in UNIT_OF and not data.data.ptr % row:
            self._move(moving("compress", UNIT_OF[row]), mask, ends, data, result, count)
        else:
            self._move_rows("take_rows", self._places(mask, ends, count), data, result, result)
        return result

    def nonzero(self, data: Data) -> tuple[Data, ...]:
        """The indices of elements that are not zero, an array for each axis."""
        mask = self._copies.row_major(data, BOOL.__numpy_dtype__)
        ends = self._ends(mask)
        count = self._count(ends)
        return tuple(self._indices(mask, ends, count, mask.shape))

    # Putting

    def assign(self, data: Data, mask: Data, value: Any) -> None:
        """Write where a mask over the leading axes is true; a value for each, or one for all.

        There are as many values as the mask chooses, which is not looked at again.
        """
        rest = data.shape[mask.ndim :]
        if not isinstance(value, self._library.array):
            self._assign_same(data, mask, value)
            return
        extra = value.ndim - 1 - len(rest)
        if extra > 0:  # leading axes of length 1
            value = value.reshape(value.shape[extra:])
        if extra < 0 or value.shape[0] == 1:
            self._assign_same(data, mask, value if extra < 0 else value[0])
        elif value.size and data.size:
            self._assign_each(data, mask, value)

    def _assign_same(self, data: Data, mask: Data, value: Any) -> None:
        dtype = BY_NUMPY[data.dtype]
        is_array = isinstance(value, self._library.array)
        given: DType | type = BY_NUMPY[value.dtype] if is_array else value.__class__
        kernel = self._kernels.get((given, dtype))
        if kernel is None:
            operands = (BOOL, given, dtype)
            kernel = find_kernel("where", operands, dtype, dtype, self._library)
            self._kernels[given, dtype] = kernel
        chosen = mask.reshape(mask.shape + (1,) * (data.ndim - mask.ndim))
        kernel(chosen, value, data, out=data)

    def _assign_each(self, data: Data, mask: Data, value: Data) -> None:
        count = value.shape[0]
        rest = data.shape[mask.ndim :]
        wanted = (count, *rest)
        if value.dtype != data.dtype or value.shape != wanted or not value._c_contiguous:
            packed = self._library.empty(wanted, data.dtype)
            self._copies.write(packed, value)
            value = packed
        elif overlap(value, data):
            value = value.copy()
        mask = self._copies.row_major(mask)
        if overlap(mask, data):
            mask = mask.copy()
        ends = self._ends(mask)
        itemsize = data.dtype.itemsize
        if not data._c_contiguous:
            self._put_anywhere(self._places(mask, ends, count), value, data)
        elif not rest and not (data.data.ptr % itemsize or value.data.ptr % itemsize):
            self._move(moving("put", UNIT_OF[itemsize]), mask, ends, value, data, count)
        else:
            self._move_rows("put_rows", self._places(mask, ends, count), value, data, value)

    # The steps

    def _ends(self, mask: Data) -> Data:
        """For each tile of a mask, how many are true up to its end."""
        size = mask.size
        tiles = max(1, -(-size // TILE))
        counts = self._library.empty((tiles,), "int64")
        address = mask.data.ptr
        function = self._function(counting(aligned=not address % 16))
        groups = -(-tiles // WARPS)
        function.launch(groups, THREADS, _COUNT, (address, counts.data.ptr, size))
        return counts if tiles == 1 else self._scans.scan("cumulative_sum", counts, 0)

    def _count(self, ends: Data) -> int:
        """How many a mask chooses, which the host waits for; a wrong index is told first."""
        count = self._library.last(ends)
        self._look()
        return count

    def _move(
        self, source: Source, mask: Data, ends: Data, origin: Data, target: Data, count: int
    ) -> None:
        addresses = (mask.data.ptr, ends.data.ptr, origin.data.ptr, target.data.ptr)
        self._function(source).launch(ends.size, THREADS, _MOVE, (*addresses, mask.size, count))

    def _indices(self, mask: Data, ends: Data, count: int, shape: tuple[int, ...]) -> Data:
        """Indices of what a mask chooses along the axes of a shape, as rows of an array."""
        result = self._library.empty((len(shape), count), "int64")
        if count:
            layout = struct.Struct(f"3P{2 + len(shape)}q")
            addresses = (mask.data.ptr, ends.data.ptr, result.data.ptr)
            function = self._function(finding(len(shape), mask.size >= FEW))
            values = (*addresses, mask.size, count, *shape)
            function.launch(ends.size, THREADS, layout, values)
        return result

    def _places(self, mask: Data, ends: Data, count: int) -> Data:
        return self._indices(mask, ends, count, (mask.size,))

    def _move_rows(self, name: str, places: Data, origin: Data, target: Data, packed: Data) -> None:
        """Rows moved by the largest units that they consist of; ``packed`` is one of both."""
        size = packed.nbytes // places.size
        addresses = (places.data.ptr, origin.data.ptr, target.data.ptr)
        unit = math.gcd(16, size, *addresses[1:])
        count = packed.nbytes // unit
        function = self._function(rows_moving(name, UNIT_OF[unit], count >= FEW))
        groups = min(-(-count // (THREADS * UNITS)), MOST_GROUPS)
        function.launch(groups, THREADS, _ROWS, (*addresses, count, size // unit))

    def _put_anywhere(self, places: Data, value: Data, data: Data) -> None:
        """Values put into an array that is not in row-major order."""
        size = data.dtype.itemsize
        lengths, (steps,) = merged(data.shape, [(step // size,) for step in data.strides])
        count = value.size
        wide = data.size >= FEW
        function = self._function(putting(CARRIERS[size], len(lengths), wide))
        layout = struct.Struct(f"3P{2 + 2 * len(lengths)}q")
        numbers = (count, count // places.size, *lengths, *steps)
        addresses = (places.data.ptr, value.data.ptr, data.data.ptr)
        groups = min(-(-count // THREADS), MOST_GROUPS)
        function.launch(groups, THREADS, layout, (*addresses, *numbers))

    def _function(self, source: Source) -> Any:
        function = self._functions.get(source.name)
        if function is None:
            function = self._functions[source.name] = self._library.function(*source)
        return function


def overlap(x: Data, y: Data) -> bool:
    """Whether two arrays may share memory."""
    (low1, high1), (low2, high2) = span(x), span(y)
    return low1 < high2 and low2 < high1


# --- texts ----------------------------------------------------------------------------------------

_MASK = "const uint8* mask, const int64* ends"


def counting(aligned: bool) -> Source:
    """The kernel that counts what is true in each tile of a mask."""
    return _source(
        f"count_true{'_aligned' * aligned}", "const uint8* mask, int64* counts, int64 size",
        f"count_true<{boolean(aligned)}>(mask, counts, size)",
    )  # fmt: skip


def moving(name: str, unit: str) -> Source:
    """The kernel that takes ("compress") or puts ("put") chosen elements."""
    return _source(
        f"mask_{name}_{_plain(unit)}",
        f"{_MASK}, const {unit}* origin, {unit}* target, int64 size, int64 limit",
        f"{name}<{unit}>(mask, ends, origin, target, size, limit)",
    )


def finding(axes: int, wide: bool) -> Source:
    """The kernel that finds the indices of what is chosen."""
    return _source(
        f"mask_indices_{axes}{'_wide' * wide}",
        f"{_MASK}, int64* result, int64 size, int64 limit, masks::Lengths<{axes}> lengths",
        f"find_indices<{index_type(wide)}, {axes}>(mask, ends, result, size, limit, lengths)",
    )


def rows_moving(name: str, unit: str, wide: bool) -> Source:
    """The kernel that moves rows from places ("take_rows") or to them ("put_rows")."""
    return _source(
        f"mask_{name}_{_plain(unit)}{'_wide' * wide}",
        f"const int64* places, const {unit}* origin, {unit}* target, int64 count, int64 row",
        f"move_rows<{unit}, {index_type(wide)}, {boolean(name == 'put_rows')}>"
        "(places, origin, target, count, row)",
    )


def putting(unit: str, axes: int, wide: bool) -> Source:
    """The kernel that puts elements into an array that lies in any way."""
    return _source(
        f"mask_put_anywhere_{_plain(unit)}_{axes}{'_wide' * wide}",
        f"const int64* places, const {unit}* origin, {unit}* target, int64 count, int64 row, "
        f"masks::Lengths<{axes}> lengths, masks::Lengths<{axes}> steps",
        f"put_anywhere<{unit}, {index_type(wide)}, {axes}>"
        "(places, origin, target, count, row, lengths, steps)",
    )  # fmt: skip


def _plain(unit: str) -> str:
    return unit.rpartition(":")[2]


def _source(name: str, parameters: str, call: str) -> Source:
    text = kernel_text(name, parameters, f"    masks::{call};")
    return Source(("compaction.cuh",), text, name)


def catalogue() -> Iterator[Source]:
    """The kernels that are met most."""
    for aligned in (False, True):
        yield counting(aligned)
    for unit in UNIT_OF.values():
        for name in ("compress", "put"):
            yield moving(name, unit)
            yield rows_moving(f"{name}_rows" if name == "put" else "take_rows", unit, False)
    for axes in (1, 2, 3):
        yield finding(axes, False)
    yield finding(2, True)
    yield rows_moving("take_rows", "uint32", True)
    for axes in (1, 2):
        yield putting("uint32", axes, False)
    yield putting("uint64", 2, True)
