"""The activation snake with a beta of its own, and its gradient, whose sums have a fixed order."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from numr_api._backends.cuda.elementwise_plans import ALIGNMENT, FEW, MOST_GROUPS, divisor
from numr_api._backends.cuda.elementwise_variants import THREADS
from numr_api._backends.cuda.library import COUNTERS, Library, Source, library as of_cupy
from numr_api._backends.cuda.texts import index_type, kernel_text
from numr_api._dtypes import BY_NUMPY, HALVES, DType, computed, float32

if TYPE_CHECKING:
    from numr_api._backends.cuda.copies import Copies

Data = Any

FILES = ("snake.cuh",)
VECTOR = 16  # bytes
PIECES_WANTED = 4096  # blocks that keep a GPU busy
LEAST_PIECE = 8 * THREADS  # vectors

_FORWARD = struct.Struct("4Pdq6I")
_FORWARD_WIDE = struct.Struct("4Pd3q")
_BACKWARD = struct.Struct("9Pd4q3I")


def forward_source(dtype: DType, each: int, wide: bool) -> Source:
    name = f"snake_{dtype}_{each}{'_wide' * wide}"
    element = dtype.name
    pointers = ", ".join(f"const {element}* {x}" for x in ("data", "alpha", "beta"))
    divisor = "int64" if wide else "Length"
    parameters = (
        f"{element}* out, {pointers}, double eps, int64 count, {divisor} channels, {divisor} inner"
    )
    body = (
        f"    snake::forward<{element}, {each}, {index_type(wide)}>(\n"
        "        out, data, alpha, beta, eps, count, channels, inner);"
    )
    return Source(FILES, kernel_text(name, parameters, body), name)


def backward_source(dtype: DType, each: int) -> Source:
    name = f"snake_backward_{dtype}_{each}"
    element = dtype.name
    results = ", ".join(f"{element}* {x}" for x in ("grad_x", "grad_alpha", "grad_beta"))
    pointers = ", ".join(f"const {element}* {x}" for x in ("grad", "data", "alpha", "beta"))
    parameters = (
        f"{results}, {pointers}, snake::Gradients<{computed(dtype).name}>* scratch, "
        "uint32* counters, double eps, int64 outer, int64 channels, int64 inner, int64 pieces, "
        "Length by"
    )
    body = (
        f"    snake::backward<{element}, {each}>(\n"
        "        grad_x, grad_alpha, grad_beta, grad, data, alpha, beta, scratch, counters, eps,\n"
        "        outer, channels, inner, pieces, by);"
    )
    head = f"KERNEL_OF_BLOCKS({THREADS}, {4 if dtype.itemsize < 8 else 1})"
    return Source(FILES, kernel_text(name, parameters, body, head), name)


class Snake:
    """The functions of one device. Methods are called while it is current."""

    def __init__(self, copies: Copies, library: Library | None = None) -> None:
        self._library = library or of_cupy()
        self._copies = copies
        self._functions: dict[str, Any] = {}
        self.routines: dict[str, Callable[..., Any]] = {
            "snake_beta": self.forward,
            "snake_beta_backward": self.backward,
        }

    def forward(self, data: Data, alpha: Data, beta: Data, *, axis: int, eps: float) -> Data:
        """x + sin(alpha x)^2 / (beta + eps)."""
        arrays = [self._copies.row_major(x) for x in (data, alpha, beta)]
        result = self._library.empty(data.shape, data.dtype)
        if data.size:
            inner = math.prod(data.shape[axis + 1 :])
            each = self._each(inner, arrays[0])
            wide = data.size >= FEW
            function = self._function(forward_source(BY_NUMPY[data.dtype], each, wide))
            addresses = [x.data.ptr for x in (result, *arrays)]
            groups = min(-(-data.size // (THREADS * each)), MOST_GROUPS)
            lengths = data.shape[axis], inner
            if not wide:
                lengths = tuple(n for length in lengths for n in (length, *divisor(length)))
            layout = _FORWARD_WIDE if wide else _FORWARD
            function.launch(groups, THREADS, layout, (*addresses, eps, data.size, *lengths))
        return result

    def backward(
        self, grad: Data, data: Data, alpha: Data, beta: Data, *, axis: int, eps: float
    ) -> tuple[Data, Data, Data]:
        """The gradients by x, alpha and beta."""
        arrays = [self._copies.row_major(x) for x in (grad, data, alpha, beta)]
        results = [self._library.empty(x.shape, x.dtype) for x in (data, alpha, beta)]
        channels = data.shape[axis]
        if not data.size:
            for x in results[1:]:
                self._copies.fill(x, 0.0)
            return results[0], results[1], results[2]
        dtype = BY_NUMPY[data.dtype]
        inner = math.prod(data.shape[axis + 1 :])
        outer = data.size // (channels * inner)
        each = self._each(inner, arrays[0], arrays[1])
        pieces = pieces_of(outer * inner * dtype.itemsize // VECTOR, channels)
        function = self._function(backward_source(dtype, each))
        scratch = self._library.empty(
            (2 * channels * pieces if pieces > 1 else 0,), computed(dtype).__numpy_dtype__
        )
        addresses = [x.data.ptr for x in (*results, *arrays, scratch)]
        vectors = inner // each
        by = (vectors, *divisor(vectors)) if outer * vectors < FEW else (0, 0, 0)
        numbers = (self._library.counters(), eps, outer, channels, inner, pieces, *by)
        groups = min(channels * pieces, MOST_GROUPS)
        function.launch(groups, THREADS, _BACKWARD, (*addresses, *numbers))
        return results[0], results[1], results[2]

    def _each(self, inner: int, *arrays: Data) -> int:
        """How many elements of one channel are reached in one access."""
        each = VECTOR // arrays[0].itemsize
        aligned = not any(x.data.ptr % ALIGNMENT for x in arrays)
        return each if aligned and inner % each == 0 else 1

    def _function(self, source: Source) -> Any:
        found = self._functions.get(source.name)
        if found is None:
            found = self._functions[source.name] = self._library.function(*source)
        return found


def pieces_of(vectors: int, channels: int) -> int:
    """In how many pieces the elements of a channel are added up; by the shape and dtype alone."""
    if channels > COUNTERS:
        return 1
    return max(1, min(-(-PIECES_WANTED // channels), vectors // LEAST_PIECE))


def catalogue() -> Iterator[Source]:
    """The kernels that users usually meet."""
    for dtype in (*HALVES, float32):
        for each in (VECTOR // dtype.itemsize, 1):
            yield forward_source(dtype, each, wide=False)
            yield backward_source(dtype, each)
