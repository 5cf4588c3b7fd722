"""Softmax and the like along an axis: every row is read once where threads can hold it.

    held     rows of contiguous elements, in the registers of a warp or of a block
    long     those that have too many, which a block reads several times
    columns  elements that lie apart: threads have columns, of which they hold what they read first

The order of sums depends on the length and the dtype alone.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api._backends.cuda.elementwise_plans import MOST_GROUPS
from numr_api._backends.cuda.elementwise_variants import THREADS
from numr_api._backends.cuda.library import Library, Source, library as of_cupy
from numr_api._backends.cuda.texts import boolean, kernel_text
from numr_api._dtypes import BY_NAME, BY_NUMPY, DType, float32

if TYPE_CHECKING:
    from numr_api._backends.cuda.copies import Copies

Data = Any

FILES = ("columns.cuh",)
FUNCTIONS = {
    "softmax": "Softmax",
    "log_softmax": "LogSoftmax",
    "logsumexp": "LogSumExp",
    "softmax_backward": "SoftmaxBackward",
    "l2_normalize": "L2Normalize",
}
ONE_RESULT = ("logsumexp",)
DTYPES = tuple(BY_NAME[name] for name in ("float16", "bfloat16", "float32", "float64"))

WARP = 32
VECTOR = 16  # bytes that a thread reads at a time
LARGEST_BLOCK = 1024
MOST_ACROSS = 4  # columns of a thread
TALL_LINE, LOW_LINE = 32, 128  # bytes of a block's columns, where they are long and where not

_HELD = struct.Struct("3Pd2q")
_COLUMNS = struct.Struct("3Pd3q")


class Variant(NamedTuple):
    """A way to compute a function.

    Attributes:
        threads: of a row, on which the order of its sum depends.
        held: vectors of a thread; 0 if rows are not held.
        across: columns of a thread; 0 if rows lie side by side.
    """

    function: str
    dtype: DType
    threads: int
    held: int
    across: int = 0

    @property
    def source(self) -> Source:
        element = self.dtype.name
        given = [FUNCTIONS[self.function], element, str(self.threads)]
        if self.across:
            kind, how = "columns", f"columns{self.across}"
            given += [str(self.block), str(self.lanes), str(self.across)]
        else:
            kind, how = "side_by_side", f"held{self.held}" if self.held else "long"
            given.append(str(self.held))
        given.append(boolean(self.function in ONE_RESULT))
        name = f"rows_{self.function}_{self.dtype}_{how}_{self.threads}"
        inner = ", int64 inner" if self.across else ""
        parameters = (
            f"{element}* out, const {element}* data, const {element}* other, double option, "
            f"int64 count, int64 length{inner}"
        )
        body = (
            f"    rows::{kind}<rows::{', '.join(given)}>(\n"
            f"        out, data, other, option, count, length{', inner' if inner else ''});"
        )
        return Source(FILES, kernel_text(name, parameters, body, self.head), name)

    @property
    def block(self) -> int:
        """Threads of a block."""
        if self.across:
            return LARGEST_BLOCK if self.threads > WARP else THREADS
        return max(self.threads, THREADS)

    @property
    def head(self) -> str:
        """The kernel's attributes: of so many blocks a multiprocessor has the registers."""
        blocks = 1
        if self.block == THREADS and self.dtype.itemsize < 8:
            blocks = 2 if self.function == "softmax_backward" and self.dtype is float32 else 3
        return f"KERNEL_OF_BLOCKS({self.block}, {blocks})"

    @property
    def lanes(self) -> int:
        """Threads that have the columns of a line."""
        line = TALL_LINE if self.threads > WARP else LOW_LINE
        return min(WARP, line // (self.across * self.dtype.itemsize))

    @property
    def rows(self) -> int:
        """Rows of a block."""
        return self.lanes * self.across if self.across else self.block // self.threads


def most_held(dtype: DType) -> int:
    """How many vectors a thread holds."""
    return 8 if dtype.itemsize > 2 else 4


def variant_of(function: str, dtype: DType, length: int, across: int = 0) -> Variant:
    """How rows of a length are computed."""
    each = VECTOR // dtype.itemsize
    for threads in (WARP, THREADS, 2 * THREADS):
        vectors = -(-length // (threads * each))
        if vectors <= most_held(dtype):
            held = 0 if across else 1 << (vectors - 1).bit_length()
            return Variant(function, dtype, threads, held, across)
    return Variant(function, dtype, LARGEST_BLOCK, 0, across)


class RowFunctions:
    """The functions of rows on one device. Methods are called while it is current."""

    def __init__(self, copies: Copies, library: Library | None = None) -> None:
        self._library = library or of_cupy()
        self._copies = copies
        self._functions: dict[Variant, Any] = {}
        along: Callable[..., Data] = self._along
        self.routines: dict[str, Callable[..., Data]] = {
            "softmax": partial(along, "softmax"),
            "log_softmax": partial(along, "log_softmax"),
            "l2_normalize": partial(along, "l2_normalize"),
            "softmax_backward": self._softmax_backward,
            "logsumexp": self._logsumexp,
        }

    def _along(self, function: str, data: Data, *, axis: int, eps: float = 0.0) -> Data:
        return self._run(function, data, data, axis, eps)

    def _softmax_backward(self, grad: Data, output: Data, *, axis: int) -> Data:
        return self._run("softmax_backward", output, grad, axis, 0.0)

    def _logsumexp(self, data: Data, *, axes: tuple[int, ...], keepdims: bool) -> Data:
        kept = [axis for axis in range(data.ndim) if axis not in axes]
        shape = tuple(
            1 if axis in axes else length
            for axis, length in enumerate(data.shape)
            if keepdims or axis not in axes
        )
        if len(axes) == 1:
            x, axis = data, axes[0]
        else:
            x = self._copies.row_major(data.transpose([*kept, *axes]))
            x = x.reshape((*(data.shape[axis] for axis in kept), -1 if data.size else 0))
            axis = len(kept)
            if not data.size:
                length = math.prod(data.shape[axis] for axis in axes)
                x = data.reshape((*(data.shape[axis] for axis in kept), length))
        result = self._library.empty(shape, data.dtype)
        if result.size and not data.size:
            self._copies.fill(result, -math.inf)
        elif result.size:
            self._launch("logsumexp", self._copies.row_major(x), x, axis, 0.0, result)
        return result

    def _run(self, function: str, data: Data, other: Data, axis: int, option: float) -> Data:
        second = self._copies.row_major(other)
        first = second if data is other else self._copies.row_major(data)
        result = self._library.empty(data.shape, data.dtype)
        if data.size:
            self._launch(function, first, second, axis, option, result)
        return result

    def _launch(
        self, function: str, data: Data, other: Data, axis: int, option: float, result: Data
    ) -> None:
        length = data.shape[axis]
        inner = math.prod(data.shape[axis + 1 :])
        count = data.size // length
        arrays = [x for x in (result, data, other) if x.size == data.size]
        across = _across(inner, data.itemsize, arrays) if inner > 1 else 0
        variant = variant_of(function, BY_NUMPY[data.dtype], length, across)
        found = self._functions.get(variant)
        if found is None:
            found = self._functions[variant] = self._library.function(*variant.source)
        addresses = result.data.ptr, data.data.ptr, other.data.ptr
        numbers, layout = (count, length), _HELD
        if across:
            numbers, layout = (*numbers, inner), _COLUMNS
        groups = min(-(-count // variant.rows), MOST_GROUPS)
        found.launch(groups, variant.block, layout, (*addresses, option, *numbers))


def _across(inner: int, size: int, arrays: list[Data]) -> int:
    """How many columns a thread has: several where they are reached in one access."""
    across = min(MOST_ACROSS, VECTOR // size)
    aligned = not any(x.data.ptr % (across * size) for x in arrays)
    return across if aligned and inner % across == 0 else 1


def catalogue() -> Iterator[Source]:
    """The kernels that users usually meet."""
    for function in FUNCTIONS:
        for dtype in DTYPES[:3]:
            for held in (1, most_held(dtype)):
                for threads in (WARP, THREADS):
                    yield Variant(function, dtype, threads, held, False).source
            for threads in (WARP, THREADS):
                yield Variant(function, dtype, threads, 0, MOST_ACROSS).source
