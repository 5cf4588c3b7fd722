"""Operations on rows along an axis: softmax and its relatives, and division by norms.

A row that fits the workgroup's memory takes one launch and is read once, wherever the axis is;
longer ones take two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api._backends.webgpu.data import Strided, merge, permute, reshape, row_major
from numr_api._backends.webgpu.kernels import EACH, WORKGROUP, window_of
from numr_api._backends.webgpu.reductions import RAW
from numr_api._backends.webgpu.row_kernels import Variant, source
from numr_api._backends.webgpu.row_operations import ROWS
from numr_api._backends.webgpu.types import WORD
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Axes, Shape
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._dtypes import DType

THREADS = (1, 4, 16, 64, WORKGROUP)  # of a row
MOST_GROUPS = 4  # of elements that a thread of fewer than a workgroup's keeps
CHUNK_GROUPS = 4  # that a thread keeps of a chunk
MOST_BLOCKS = 256  # of a long row in the last step


class Loop(NamedTuple):
    """Chunks of rows, and what steps through them.

    Attributes:
        lengths: of the axes that count the rows, and of the one that counts a row's chunks.
        steps: of each array along them.
        chunk: elements of a chunk.
        along: the step of each array from one element to the next.
        places: of each array's first element.
        first: the number of the first chunk in its row.
    """

    lengths: Shape
    steps: Sequence[Shape]
    chunk: int
    along: Sequence[int]
    places: Sequence[int]
    first: int = 0


class TooLarge(Exception):
    """A chunk is spread over more than a binding holds."""


class Rows:
    """An operation on rows of a dtype on a device."""

    def __init__(self, backend: WebgpuBackend, name: str, dtype: DType) -> None:
        self._backend, self._name, self._kind = backend, name, backend.types[dtype]
        self._row = ROWS[name]
        self._itemsize = 8 if self._kind.compute == "f64" else 4
        self._eps = self._kind
        if self._kind.compute == "f32":  # eps is not rounded to 16 bits
            self._eps = backend.types[backend.default_dtypes["real floating-point"]]
        pairs = 2 * WORKGROUP * self._itemsize
        group = EACH * WORKGROUP * self._itemsize * self._row.inputs
        self._most_groups = max((backend.gpu.most_storage - pairs) // group, 1)

    @property
    def most(self) -> int:
        """Elements of the longest row that takes one launch."""
        return self._most_groups * EACH * WORKGROUP

    def __call__(self, arrays: Sequence[Strided], out: Strided, axis: int, eps: float) -> None:
        """Write the results of rows along an axis.

        Raises:
            TooLarge: they lie in memory in such a way that bindings cannot hold them.
        """
        everything = [*arrays, out]
        length = arrays[0].shape[axis]
        kept = [n for i, n in enumerate(arrays[0].shape) if i != axis]
        strides = [tuple(s for i, s in enumerate(x.strides) if i != axis) for x in everything]
        along = [x.strides[axis] for x in everything]
        lengths, steps = merge(tuple(kept), tuple(strides))
        places = [x.offset for x in everything]
        if length > self.most:
            loop = Loop(lengths, steps, length, along, places)
            self._in_chunks(everything, loop, self._eps.scalar_words(eps))
            return
        loop = Loop((*lengths, 1), [(*s, 0) for s in steps], length, along, places)
        least = min(self._most_groups, MOST_GROUPS)
        threads = next((t for t in THREADS if t * EACH * least >= length), WORKGROUP)
        groups = -(-length // (EACH * threads))
        variant = Variant(threads, groups, False, False, "whole", 0)
        words = self._eps.scalar_words(eps)
        for part in parts_of(everything, loop):
            self._dispatch(variant, everything, part, length, 1, words)

    def _in_chunks(self, arrays: Sequence[Strided], loop: Loop, words: tuple[int, ...]) -> None:
        """Partial results of chunks first, then the results of blocks of chunks."""
        *inputs, out = arrays
        length, row = loop.chunk, self._row
        groups = min(self._most_groups, CHUNK_GROUPS)
        chunk = groups * EACH * WORKGROUP
        count = -(-length // chunk)
        block = chunk * (count if row.of_row else -(-count // MOST_BLOCKS))
        dtype = RAW[4 * self._itemsize]
        total = prod(loop.lengths) * count
        if total > WORD:
            raise Unsupported(f"{self._name} of so large an array on {self._backend.device}")
        memory = self._backend.gpu.memory.allocate(total * dtype.itemsize)
        partial = Strided.new(memory, dtype, (total,))
        *rows, one = row_major((*loop.lengths, count))
        *input_steps, out_steps = loop.steps
        *input_along, out_along = loop.along

        def steps(size: int) -> list[Shape]:
            pairs = zip(input_steps, input_along, strict=True)
            return [(*step, along * size) for step, along in pairs]

        first = Loop(
            (*loop.lengths, count), [*steps(chunk), (*rows, one)], chunk, [*input_along, 0],
            [*loop.places[:-1], partial.offset],
        )  # fmt: skip
        last = Loop(
            (*loop.lengths, -(-length // block)),
            [*steps(block), (*rows, 0), (*out_steps, out_along * block)],
            block, [*input_along, 0, out_along],
            [*loop.places[:-1], partial.offset, loop.places[-1]],
        )  # fmt: skip
        firsts = list(parts_of([*inputs, partial], first))
        lasts = list(parts_of([*inputs, partial, out], last))
        for part in firsts:
            variant = Variant(WORKGROUP, groups, False, False, "partial", 0)
            self._dispatch(variant, [*inputs, partial], part, length, count, words)
        for part in lasts:
            variant = Variant(WORKGROUP, 0, False, False, "last", 0)
            self._dispatch(variant, [*inputs, partial, out], part, length, count, words)

    def _dispatch(
        self,
        variant: Variant,
        arrays: Sequence[Strided],
        loop: Loop,
        length: int,
        parts: int,
        words: tuple[int, ...],
    ) -> None:
        """Record a kernel, of which the variant says how rows are computed."""
        lengths, steps, chunk, along, places, first = loop
        windows = tuple(
            window_of(x, (*lengths, chunk), (*s, a), p)
            for x, s, a, p in zip(arrays, steps, along, places, strict=True)
        )
        moved = [p - w.offset // x.dtype.itemsize  # type: ignore[union-attr]
                 for x, p, w in zip(arrays, places, windows, strict=True)]  # fmt: skip
        inputs, rank = self._row.inputs, len(lengths)
        looked_at = [i for i in range(len(arrays)) if arrays[i].dtype is arrays[0].dtype]
        if self._row.of_row:
            looked_at = looked_at[:inputs]
        vector = chunk % EACH == 0 and length % EACH == 0 and all(
            along[i] == 1 and moved[i] % EACH == 0
            and not any(s % EACH for s, n in zip(steps[i], lengths, strict=True) if n > 1)
            for i in looked_at
        )  # fmt: skip
        columns = (
            variant.threads < WORKGROUP
            and rank > 1
            and abs(steps[0][-2]) < abs(along[0])
        )  # fmt: skip
        variant = variant._replace(columns=columns, vector=vector, rank=rank)
        backend = self._backend
        program = backend.compiled(
            ("rows", self._name, self._kind.name, variant), self._name, len(arrays),
            lambda: source(variant, self._row, self._kind),
        )  # fmt: skip
        count = prod(lengths)
        parameters = [0, count, lengths[-1], first, chunk, length, parts, *words, *lengths]
        for place, step, by in zip(moved, steps, along, strict=True):
            parameters += [place & WORD, *(s & WORD for s in step), by & WORD]
        groups = -(-count // (WORKGROUP // variant.threads))
        backend.gpu.dispatch(program, windows, parameters, groups)  # type: ignore[arg-type]


def parts_of(arrays: Sequence[Strided], loop: Loop) -> Iterator[Loop]:
    """The loop, or parts of it, of which bindings can hold what they touch."""
    lengths, steps, chunk, along, places, first = loop
    if all(
        window_of(x, (*lengths, chunk), (*s, a), p) is not None
        for x, s, a, p in zip(arrays, steps, along, places, strict=True)
    ):
        yield loop
        return
    axis = next((i for i, n in enumerate(lengths) if n > 1), None)
    if axis is None:
        raise TooLarge
    half = lengths[axis] // 2
    shorter = [(*lengths[:axis], n, *lengths[axis + 1 :]) for n in (half, lengths[axis] - half)]
    later = [p + half * s[axis] for p, s in zip(places, steps, strict=True)]
    yield from parts_of(arrays, loop._replace(lengths=shorter[0]))
    later_first = first + half if axis == len(lengths) - 1 else first
    yield from parts_of(arrays, loop._replace(lengths=shorter[1], places=later, first=later_first))


# --- the routines ---------------------------------------------------------------------------------


def _rows(backend: WebgpuBackend, name: str, dtype: DType) -> Rows:
    return backend.remembered(("rows", name, dtype), lambda: Rows(backend, name, dtype))


def _along(
    backend: WebgpuBackend, name: str, arrays: Sequence[Strided], axis: int, eps: float = 0.0
) -> Strided:
    """New data of the shape of the first array."""
    x = arrays[0]
    rows = _rows(backend, name, x.dtype)
    with backend.gpu.lock:
        out: Strided = backend.empty(x.shape, x.dtype)
        if not x.size:
            return out
        try:
            rows(arrays, out, axis, eps)
        except TooLarge:
            axes = [*(i for i in range(len(x.shape)) if i != axis), axis]
            moved = [backend.copy(permute(x, tuple(axes))) for x in arrays]
            out = backend.empty(moved[0].shape, x.dtype)
            rows(moved, out, len(axes) - 1, eps)
            out = permute(out, tuple(axes.index(i) for i in range(len(axes))))
        out.block.version += 1
    return out


def softmax(backend: WebgpuBackend, x: Strided, *, axis: int) -> Strided:
    return _along(backend, "softmax", (x,), axis)


def log_softmax(backend: WebgpuBackend, x: Strided, *, axis: int) -> Strided:
    return _along(backend, "log_softmax", (x,), axis)


def softmax_backward(
    backend: WebgpuBackend, gradient: Strided, output: Strided, *, axis: int
) -> Strided:
    return _along(backend, "softmax_backward", (gradient, output), axis)


def l2_normalize(backend: WebgpuBackend, x: Strided, *, axis: int, eps: float) -> Strided:
    return _along(backend, "l2_normalize", (x,), axis, eps)


def logsumexp(backend: WebgpuBackend, x: Strided, *, axes: Axes, keepdims: bool) -> Strided:
    kept = [i for i in range(len(x.shape)) if i not in axes]
    full = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
    shape = full if keepdims else tuple(x.shape[i] for i in kept)
    if not x.size:
        return backend.full(shape, -inf, x.dtype)
    rows = tuple(x.shape[i] for i in kept)
    length = prod(x.shape[i] for i in axes)
    turned = permute(x, (*kept, *axes))
    with backend.gpu.lock:
        found = reshape(turned, (*rows, length))
        source = reshape(backend.copy(turned), (*rows, length)) if found is None else found
        assert source is not None  # a copy is contiguous
        out: Strided = backend.empty(shape, x.dtype)
        spread = out.view((*rows, length), (*row_major(rows), 0), out.offset)
        try:
            _rows(backend, "logsumexp", x.dtype)((source,), spread, len(rows), 0.0)
        except TooLarge:
            _rows(backend, "logsumexp", x.dtype)((backend.copy(source),), spread, len(rows), 0.0)
        out.block.version += 1
    return out


ROUTINES: dict[str, Callable[..., Any]] = {
    "softmax": softmax,
    "log_softmax": log_softmax,
    "logsumexp": logsumexp,
    "softmax_backward": softmax_backward,
    "l2_normalize": l2_normalize,
}
