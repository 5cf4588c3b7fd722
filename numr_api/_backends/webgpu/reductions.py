"""Reductions along axes: which kernels reduce an array, and in how many passes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from numr_api import _dtypes
from numr_api._backends.webgpu.accumulators import Accumulator, accumulator
from numr_api._backends.webgpu.data import Strided, merge, row_major
from numr_api._backends.webgpu.kernels import EACH, WORKGROUP, window_of
from numr_api._backends.webgpu.plans import Plans, Step
from numr_api._backends.webgpu.reduction_kernels import Variant, source
from numr_api._backends.webgpu.spaces import (
    Space,
    along_columns,
    columns_or_rows_break,
    fits,
    kept_halves,
    reduced_parts,
    space_of,
)
from numr_api._backends.webgpu.types import WORD
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Axes, Scalar, Shape
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.gpu import Program
    from numr_api._dtypes import DType

ROW_CHUNK = 16_384  # elements of a row that a workgroup reduces at least, if there are more
MOST_ROW_CHUNK = 1 << 16
MOST_CHUNKS = 8192  # of a row, unless these become too long
COLUMN_CHUNK = 128  # elements of a column that a thread reduces at most
# Threads of a row by its length. A thread has at most 16 elements, or 64 in a whole workgroup.
ROW_THREADS = ((16, 1), (64, 4), (256, 16), (1024, 64))
MOST = WORD - 4 * MOST_ROW_CHUNK  # elements, so that no index in a kernel exceeds a word
ORDERED = ("argmax", "argmin")
RAW = {  # of partial arrays, by the size of elements
    4: _dtypes.uint32, 8: _dtypes.complex64, 16: _dtypes.complex128, 32: _dtypes.DType("V32"),
}  # fmt: skip


class Given(NamedTuple):
    """What some operations are given besides the array.

    Attributes:
        divisor: the words of the number that results are divided by.
        centres: the number that is taken from each element of a row, in the results' layout.
    """

    divisor: tuple[int, ...] = ()
    centres: Strided | None = None


NOTHING = Given()


def row_chunk(length: int) -> int:
    """Elements of a row that a workgroup reduces."""
    wanted = 1 << max(length // MOST_CHUNKS - 1, 0).bit_length()
    return min(max(wanted, ROW_CHUNK), MOST_ROW_CHUNK)


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
            raise Unsupported(f"{self.label} of so large an array on {self.backend.device}")
        dtype = RAW[self.row.size]
        block = self.backend.gpu.memory.allocate(count * dtype.itemsize)
        return Strided.new(block, dtype, (count,))

    def _refusal(self, x: Strided) -> Unsupported:
        return Unsupported(
            f"{self.label} of {x.dtype} on {self.backend.device} in this layout, of which it can "
            f"reach {self.backend.gpu.most:,} bytes at once"
        )

    def reduce(
        self,
        x: Strided,
        space: Space,
        out: Strided,
        at: int,
        given: Given = NOTHING,
        elements: bool = True,
    ) -> list[Step]:
        """Write to ``out`` from a place on; x has elements, or partial results.

        Returns what was recorded.
        """
        length = prod(space.reduced)
        count = length * prod(space.kept)
        if count > MOST:
            raise Unsupported(f"{self.label} of {count:,} elements on {self.backend.device}")
        if not fits(x, space):
            kept = max([abs(s) * (n - 1) for n, s in zip(space.kept, space.steps, strict=True)],
                       default=0)  # fmt: skip
            gone = [abs(s) * (n - 1)
                    for n, s in zip(space.reduced, space.reduced_steps, strict=True)]  # fmt: skip
            if kept > max(gone, default=0):
                return [
                    step
                    for part, offset in kept_halves(space)
                    for step in self.reduce(x, part, out, at + offset, given, elements)
                ]
        columns = along_columns(space)
        chunk = column_chunk(length) if columns else row_chunk(length)
        parts = list(reduced_parts(x, space, 0, chunk))
        counts = [-(-prod(part.reduced) // chunk) for part, _ in parts]
        total = sum(counts)
        if total == 1:
            return [self.run(x, space, out, at, given=given, columns=columns, elements=elements)]
        rows = prod(space.kept)
        partial = self.scratch(rows * total)
        steps = self.partials(x, parts, counts, partial, given, columns, chunk, elements)
        kept_steps = row_major(space.kept)
        if not columns:
            kept_steps = tuple(step * total for step in kept_steps)
        merged, (kept_steps, target_steps) = merge(space.kept, (kept_steps, space.target_steps))
        along = (rows if columns else 1,)
        rest = Space(merged, kept_steps, target_steps, (total,), along, partial.offset)
        return steps + self.reduce(partial, rest, out, at, given._replace(centres=None), False)

    def partials(
        self,
        x: Strided,
        parts: Sequence[tuple[Space, int]],
        counts: Sequence[int],
        partial: Strided,
        given: Given,
        columns: bool,
        chunk: int,
        elements: bool,
    ) -> list[Step]:
        """Reduce each chunk to one value: ``partial[row, chunk]`` or ``partial[chunk, column]``."""
        total, at = sum(counts), partial.offset
        steps: list[Step] = []
        for (part, base), count in zip(parts, counts, strict=True):
            rows = prod(part.kept)
            steps.append(self.run(
                x, part, partial, at, given=given, columns=columns, elements=elements, final=False,
                chunks=count, chunk=chunk, base=base, pitch=rows if columns else total,
            ))  # fmt: skip
            at += count * rows if columns else count
        return steps

    def run(
        self,
        x: Strided,
        space: Space,
        out: Strided,
        at: int,
        *,
        given: Given = NOTHING,
        columns: bool,
        elements: bool,
        final: bool = True,
        chunks: int = 1,
        chunk: int = 0,
        base: int = 0,
        pitch: int = 0,
    ) -> Step:
        """Record one kernel."""
        kept, steps, target_steps, reduced, reduced_steps, place, centre = space
        read = window_of(x, kept + reduced, steps + reduced_steps, place)
        written = window_of(out, kept, target_steps, at) if final else out.block.buffer.whole
        if read is None or written is None:
            raise self._refusal(x)
        operands, bindings = (x, out), (read, written)
        own: list[int] = []
        centres = given.centres
        if centres is not None:
            seen = window_of(centres, kept, target_steps, centre)
            if seen is None:
                raise self._refusal(x)
            operands, bindings = (x, out, centres), (read, written, seen)
            own.append(centre - seen.offset // centres.dtype.itemsize)
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
            program = self.backend.program(self.label, text, len(bindings))
            self._programs[variant] = program
        count = rows * chunks
        if columns:
            count //= EACH if vector else 1
            groups = -(-count // WORKGROUP)
        else:
            groups = -(-count // (WORKGROUP // threads))
        words = [0, count, length, chunks, chunk, base, pitch, place & WORD, at & WORD]
        words += own
        words += given.divisor
        words += kept
        words += [step & WORD for step in steps]
        if final or centres is not None:
            words += [step & WORD for step in target_steps]
        words += reduced
        words += [step & WORD for step in reduced_steps]
        self.backend.gpu.dispatch(program, bindings, words, groups)
        return Step(program, words, groups, operands)


class Reduction:
    """A reduction of arrays of a dtype; call it with data, axes, and whether they stay."""

    def __init__(self, backend: WebgpuBackend, operation: str, dtype: DType, result: DType) -> None:
        row = accumulator(operation, backend.types[dtype], backend.types[result])
        if row is None:
            raise Unsupported(f"{operation} of {dtype} on {backend.device}")
        self._backend, self._operation, self._result = backend, operation, result
        self._ordered = operation in ORDERED
        self._reducer = Reducer(backend, operation, row)
        self._plans = Plans(backend)

    def __call__(
        self,
        x: Strided,
        axes: Axes,
        keepdims: bool,
        divisor: Scalar | None = None,
        centres: Strided | None = None,
    ) -> Strided:
        """The result.

        Arguments:
            divisor: what mean, var and std divide by.
            centres: contiguous, what var and std take from the elements.
        """
        backend = self._backend
        known = (x,) if centres is None else (x, centres)
        key = (x.shape, x.strides, axes, keepdims, x.offset % EACH, divisor)
        done = self._plans.again(key, known, self._result)
        if done is not None:
            return done
        gone = set(axes)
        full = tuple(1 if axis in gone else n for axis, n in enumerate(x.shape))
        shape = full
        if not keepdims:
            shape = tuple(n for axis, n in enumerate(x.shape) if axis not in gone)
        if x.size == 0:
            return self._of_nothing(x, axes, shape)
        given = NOTHING
        if divisor is not None:
            given = Given(backend.types[self._result].computed.scalar_words(divisor), centres)
        with backend.gpu.lock:
            out = backend.empty(shape, self._result)
            space = space_of(x, axes, row_major(full), self._ordered)
            if centres is not None:
                space = space._replace(centre=centres.offset)
            steps = self._reducer.reduce(x, space, out, out.offset, given)
            self._plans.remember(key, steps, (out, *known))
        return out

    def _of_nothing(self, x: Strided, axes: Axes, shape: Shape) -> Strided:
        """The identity, or an error if there has to be an element."""
        name = self._operation
        if name in ("max", "min", *ORDERED) and not prod(x.shape[axis] for axis in axes):
            if prod(shape) or name in ORDERED:
                raise ValueError("there are no elements to choose from")
            return self._backend.empty(shape, self._result)
        return self._backend.full(shape, int(name in ("prod", "all")), self._result)
