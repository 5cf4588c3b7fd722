"""Reductions along axes: which kernels reduce an array, and in how many passes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api import _dtypes
from numr_api._backends.webgpu.accumulators import Accumulator, accumulator
from numr_api._backends.webgpu.data import Strided, merge, row_major
from numr_api._backends.webgpu.kernels import EACH, WORKGROUP, window_of
from numr_api._backends.webgpu.reduction_kernels import Variant, source
from numr_api._backends.webgpu.types import WORD
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Axes, Shape
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.gpu import Program
    from numr_api._dtypes import DType

    Recorded = tuple[Program, list[int], int]

ROW_CHUNK = 16_384  # elements of a row that a workgroup reduces
COLUMN_CHUNK = 128  # elements of a column that a thread reduces at most
# Threads of a row by its length. A thread has at most 16 elements, or 64 in a whole workgroup.
ROW_THREADS = ((16, 1), (64, 4), (256, 16), (1024, 64))
MOST = WORD - 4 * ROW_CHUNK  # elements, so that no index in a kernel exceeds a word
ORDERED = ("argmax", "argmin")
RAW = {4: _dtypes.uint32, 8: _dtypes.complex64, 16: _dtypes.complex128}  # by size
MOST_PLANS = 256
PLACE, AT = 7, 8  # among a kernel's words


class Space(NamedTuple):
    """The loops of a reduction: axes that stay, in the order of the kernel, and those that go.

    Attributes:
        kept, steps: lengths of the former, and steps through the source.
        target_steps: steps through the result.
        reduced, reduced_steps: of the latter.
        place: of the first element.
    """

    kept: Shape
    steps: Shape
    target_steps: Shape
    reduced: Shape
    reduced_steps: Shape
    place: int


def space_of(x: Strided, axes: Axes, target_strides: Shape, ordered: bool) -> Space:
    """The loops that reduce axes of x; as close to the order of memory as ``ordered`` allows."""
    place = x.offset
    kept: list[tuple[int, int, int]] = []
    reduced: list[tuple[int, int]] = []
    for axis, (length, stride) in enumerate(zip(x.shape, x.strides, strict=True)):
        if length == 1:
            continue
        if axis not in axes:
            kept.append((length, stride, target_strides[axis]))
        elif stride < 0 and not ordered:
            place += (length - 1) * stride
            reduced.append((length, -stride))
        else:
            reduced.append((length, stride))
    kept.sort(key=_outermost)
    if not ordered:
        reduced.sort(key=_outermost)
    lengths = tuple(length for length, _, _ in kept)
    merged, steps = merge(
        lengths, (tuple(step for _, step, _ in kept), tuple(step for _, _, step in kept))
    )
    gone, gone_steps = merge(
        tuple(length for length, _ in reduced), (tuple(step for _, step in reduced),)
    )
    return Space(merged, steps[0], steps[1], gone, gone_steps[0], place)


def _outermost(axis: tuple[int, ...]) -> tuple[bool, int]:
    return axis[1] != 0, -abs(axis[1])


def along_columns(space: Space) -> bool:
    """Whether neighbours in memory belong to different results."""
    if not space.kept or space.steps[-1] == 0:
        return False
    step = space.reduced_steps[-1] if space.reduced else 0
    return step == 0 or abs(space.steps[-1]) < abs(step)


def column_chunk(length: int) -> int:
    """Elements of a column that a thread reduces: all of them, or about a 64th."""
    if length <= COLUMN_CHUNK:
        return COLUMN_CHUNK
    return min(max(32, 1 << (length // 64).bit_length() - 1), COLUMN_CHUNK)


def row_threads(length: int) -> int:
    return next((threads for most, threads in ROW_THREADS if length <= most), WORKGROUP)


class Reducer:
    """The kernels that accumulate elements of a type in a certain way."""

    def __init__(self, backend: WebgpuBackend, label: str, row: Accumulator) -> None:
        self.backend, self.label, self.row = backend, label, row
        self._programs: dict[Variant, Program] = {}

    def scratch(self, count: int) -> Strided:
        """A partial array."""
        if count > WORD:
            raise Unsupported(f"so large an array on {self.backend.device}")
        dtype = RAW[self.row.size]
        block = self.backend.gpu.memory.allocate(count * dtype.itemsize)
        return Strided.new(block, dtype, (count,))

    def reduce(
        self, x: Strided, space: Space, out: Strided, at: int, elements: bool
    ) -> Recorded | None:
        """Write to ``out`` from a place on; x has elements, or partial results.

        Returns what was recorded if that was one kernel.
        """
        length = prod(space.reduced)
        if length * prod(space.kept) > MOST:
            raise Unsupported(f"so large an array on {self.backend.device}")
        if not fits(x, space):
            kept = max([abs(s) * (n - 1) for n, s in zip(space.kept, space.steps, strict=True)],
                       default=0)  # fmt: skip
            gone = [abs(s) * (n - 1)
                    for n, s in zip(space.reduced, space.reduced_steps, strict=True)]  # fmt: skip
            if kept > max(gone, default=0):
                for part, offset in kept_halves(space):
                    self.reduce(x, part, out, at + offset, elements)
                return None
        columns = along_columns(space)
        chunk = column_chunk(length) if columns else ROW_CHUNK
        parts = list(reduced_parts(x, space, 0, chunk))
        counts = [-(-prod(part.reduced) // chunk) for part, _ in parts]
        total = sum(counts)
        if total == 1:
            return self.run(x, space, out, at, columns=columns, elements=elements)
        rows = prod(space.kept)
        partial = self.scratch(rows * total)
        self.partials(x, parts, counts, partial, columns, chunk, elements)
        kept_steps = row_major(space.kept)
        if not columns:
            kept_steps = tuple(step * total for step in kept_steps)
        merged, steps = merge(space.kept, (kept_steps, space.target_steps))
        along = (rows if columns else 1,)
        rest = Space(merged, steps[0], steps[1], (total,), along, partial.offset)
        self.reduce(partial, rest, out, at, False)
        return None

    def partials(
        self,
        x: Strided,
        parts: Sequence[tuple[Space, int]],
        counts: Sequence[int],
        partial: Strided,
        columns: bool,
        chunk: int,
        elements: bool,
    ) -> None:
        """Reduce each chunk to one value: ``partial[row, chunk]`` or ``partial[chunk, column]``."""
        total, at = sum(counts), partial.offset
        for (part, base), count in zip(parts, counts, strict=True):
            rows = prod(part.kept)
            self.run(
                x, part, partial, at, columns=columns, elements=elements, final=False,
                chunks=count, chunk=chunk, base=base, pitch=rows if columns else total,
            )  # fmt: skip
            at += count * rows if columns else count

    def run(
        self,
        x: Strided,
        space: Space,
        out: Strided,
        at: int,
        *,
        columns: bool,
        elements: bool,
        final: bool = True,
        chunks: int = 1,
        chunk: int = 0,
        base: int = 0,
        pitch: int = 0,
    ) -> Recorded:
        """Record one kernel."""
        kept, steps, target_steps, reduced, reduced_steps, place = space
        read = window_of(x, kept + reduced, steps + reduced_steps, place)
        written = window_of(out, kept, target_steps, at) if final else out.block.buffer.whole
        if read is None or written is None:
            raise Unsupported(f"{self.label} of arrays larger than a binding in this layout")
        place -= read.offset // x.dtype.itemsize
        at -= written.offset // out.dtype.itemsize
        length, rows = prod(reduced), prod(kept)
        vector = elements and place % EACH == 0 and not columns_or_rows_break(space, columns)
        stored = (
            final and columns and vector and at % EACH == 0 and target_steps[-1] == 1
            and not any(step % EACH for step in target_steps[:-1])
        )  # fmt: skip
        threads = 0 if columns else row_threads(length if chunks == 1 else chunk)
        variant = Variant(threads, vector, elements, final, stored, len(kept), len(reduced))
        program = self._programs.get(variant)
        if program is None:
            text = source(variant, self.row)
            program = self._programs[variant] = self.backend.program(self.label, text, 2)
        count = rows * chunks
        if columns:
            count //= EACH if vector else 1
            groups = -(-count // WORKGROUP)
        else:
            groups = -(-count // (WORKGROUP // threads))
        words = [0, count, length, chunks, chunk, base, pitch, place & WORD, at & WORD]
        words += kept
        words += [step & WORD for step in steps]
        if final:
            words += [step & WORD for step in target_steps]
        words += reduced
        words += [step & WORD for step in reduced_steps]
        self.backend.gpu.dispatch(program, (read, written), words, groups)
        return program, words, groups


def columns_or_rows_break(space: Space, columns: bool) -> bool:
    """Whether four neighbours may be apart in memory, or not aligned."""
    inner, other = (space.kept, space.reduced_steps) if columns else (space.reduced, space.steps)
    inner_steps = space.steps if columns else space.reduced_steps
    if not inner or inner_steps[-1] != 1:
        return True
    if inner[-1] % EACH and (columns or len(inner) > 1):
        return True
    return any(step % EACH for step in (*inner_steps[:-1], *other))


def fits(x: Strided, space: Space) -> bool:
    lengths, steps = space.kept + space.reduced, space.steps + space.reduced_steps
    return window_of(x, lengths, steps, space.place) is not None


def kept_halves(space: Space) -> list[tuple[Space, int]]:
    """The loops as two along the kept axis of the largest extent, and the result's offset."""
    extents = [abs(s) * (n - 1) for n, s in zip(space.kept, space.steps, strict=True)]
    axis = extents.index(max(extents))
    half = space.kept[axis] // 2
    if half > EACH:
        half = half // EACH * EACH
    found: list[tuple[Space, int]] = []
    for start, length in ((0, half), (half, space.kept[axis] - half)):
        kept = (*space.kept[:axis], length, *space.kept[axis + 1 :])
        place = space.place + start * space.steps[axis]
        found.append((space._replace(kept=kept, place=place), start * space.target_steps[axis]))
    return found


def reduced_parts(x: Strided, space: Space, base: int, chunk: int) -> Sequence[tuple[Space, int]]:
    """The loops in parts along the first reduced axis that a binding can hold.

    With each comes the index of its first element along the reduced axes.
    """
    if fits(x, space) or not space.reduced or prod(space.reduced) <= 1:
        return [(space, base)]
    length, *inner = space.reduced
    if length == 1:
        part = space._replace(reduced=tuple(inner), reduced_steps=space.reduced_steps[1:])
        return reduced_parts(x, part, base, chunk)
    half = length // 2
    if half > chunk:
        half = half // chunk * chunk
    found: list[tuple[Space, int]] = []
    for start, count in ((0, half), (half, length - half)):
        part = space._replace(
            reduced=(count, *inner), place=space.place + start * space.reduced_steps[0]
        )
        found += reduced_parts(x, part, base + start * prod(inner), chunk)
    return found


class Reduction:
    """A reduction of arrays of a dtype; call it with data, axes, and whether they stay."""

    def __init__(self, backend: WebgpuBackend, operation: str, dtype: DType, result: DType) -> None:
        row = accumulator(operation, backend.types[dtype], backend.types[result])
        if row is None:
            raise Unsupported(f"{operation} of {dtype} on {backend.device}")
        self._backend, self._operation, self._result = backend, operation, result
        self._ordered = operation in ORDERED
        self._reducer = Reducer(backend, operation, row)
        # Of reductions by one kernel: the result's shape, and what differs from the array's offset
        # to the place of the first element.
        self._plans: dict[tuple[Any, ...], tuple[Recorded, Shape, int]] = {}

    def __call__(self, x: Strided, axes: Axes, keepdims: bool) -> Strided:
        backend = self._backend
        key = (x.shape, x.strides, axes, keepdims, x.offset % EACH)
        plan = self._plans.get(key)
        source = x.block.buffer.whole
        if plan is not None and source is not None:
            (program, words, groups), shape, moved = plan
            with backend.gpu.lock:
                out: Strided = backend.empty(shape, self._result)
                target = out.block.buffer.whole
                if target is not None:
                    words[PLACE], words[AT] = x.offset + moved, out.offset
                    backend.gpu.dispatch(program, (source, target), words, groups)
                    return out
        gone = set(axes)
        full = tuple(1 if axis in gone else n for axis, n in enumerate(x.shape))
        shape = full
        if not keepdims:
            shape = tuple(n for axis, n in enumerate(x.shape) if axis not in gone)
        if x.size == 0:
            return self._of_nothing(x, axes, shape)
        with backend.gpu.lock:
            out = backend.empty(shape, self._result)
            space = space_of(x, axes, row_major(full), self._ordered)
            recorded = self._reducer.reduce(x, space, out, out.offset, True)
            if recorded is not None and source is not None and out.block.buffer.whole is not None:
                if len(self._plans) >= MOST_PLANS:
                    self._plans.clear()
                self._plans[key] = (recorded, shape, space.place - x.offset)
        return out

    def _of_nothing(self, x: Strided, axes: Axes, shape: Shape) -> Strided:
        """The identity, or an error if there has to be an element."""
        name = self._operation
        if name in ("max", "min", *ORDERED) and not prod(x.shape[axis] for axis in axes):
            if prod(shape) or name in ORDERED:
                raise ValueError("there are no elements to choose from")
            return self._backend.empty(shape, self._result)
        return self._backend.full(shape, int(name in ("prod", "all")), self._result)
