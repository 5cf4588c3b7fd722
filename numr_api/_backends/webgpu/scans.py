"""Running sums and products along an axis: totals of blocks, a scan of these, a scan of each block.

A block of a row is scanned by a slice of a workgroup: each thread scans groups of four neighbours,
the threads' totals are scanned in shared memory, and what came before is added last, so that few
rounding errors meet any element. Where an axis is not the last one, a thread scans a chunk of a
column, or of four. The order depends on the axis's length only.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

from numr_api._backends.webgpu.accumulators import Accumulator, accumulator
from numr_api._backends.webgpu.data import Strided, merge, row_major
from numr_api._backends.webgpu.kernels import EACH, WORKGROUP, window_of
from numr_api._backends.webgpu.plans import Plans, Step
from numr_api._backends.webgpu.reductions import (
    MOST,
    Reducer,
    column_chunk,
    row_threads,
)
from numr_api._backends.webgpu.scan_kernels import GROUPS, Variant, source
from numr_api._backends.webgpu.spaces import Space
from numr_api._backends.webgpu.types import WORD
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Shape
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.gpu import Program
    from numr_api._backends.webgpu.memory import Binding
    from numr_api._dtypes import DType

BLOCK = GROUPS * EACH * WORKGROUP
NAMES = {"cumulative_sum": "sum", "cumulative_prod": "prod"}


class Lines(NamedTuple):
    """The lines to scan.

    Attributes:
        kept, steps, target_steps: the axes across them, with the steps of source and result.
        length, step, target_step: the axis along them.
        place, at: of the first element of source and result.
    """

    kept: Shape
    steps: Shape
    target_steps: Shape
    length: int
    step: int
    target_step: int
    place: int
    at: int


class Scanner:
    """The kernels that scan elements of a type with an operation."""

    def __init__(self, backend: WebgpuBackend, label: str, row: Accumulator) -> None:
        self._backend, self._label, self._row = backend, label, row
        self._reducer = Reducer(backend, label, row)
        self._programs: dict[Variant, Program] = {}
        self._plans = Plans(backend)

    def __call__(self, x: Strided, axis: int, dtype: DType) -> Strided:
        backend = self._backend
        key = (x.shape, x.strides, axis, x.offset % EACH)
        done = self._plans.again(key, (x,), dtype)
        if done is not None:
            return done
        with backend.gpu.lock:
            out: Strided = backend.empty(x.shape, dtype)
            if not x.size:
                return out
            if x.size > MOST:
                raise Unsupported(f"{self._label} of {x.size:,} elements on {backend.device}")
            strides = row_major(x.shape)
            merged, (steps, target_steps) = merge(
                _without(x.shape, axis), (_without(x.strides, axis), _without(strides, axis))
            )
            lines = Lines(
                merged, steps, target_steps, x.shape[axis], x.strides[axis], strides[axis],
                x.offset, out.offset,
            )  # fmt: skip
            self._plans.remember(key, self._scan(x, out, lines, True), (out, x))
        return out

    def _scan(self, x: Strided, out: Strided, lines: Lines, elements: bool) -> list[Step]:
        """Record the kernels; returns what was recorded."""
        if not all(self._windows(x, out, lines)) and lines.kept:
            across = (lines.kept[0] - 1) * max(abs(lines.steps[0]), lines.target_steps[0])
            if across > (lines.length - 1) * max(abs(lines.step), lines.target_step):
                half = lines.kept[0] // 2
                return [
                    step
                    for begin, count in ((0, half), (half, lines.kept[0] - half))
                    for step in self._scan(x, out, _across(lines, begin, count), elements)
                ]
        columns = bool(lines.kept) and lines.target_steps[-1] < lines.target_step
        chunk = column_chunk(lines.length) if columns else BLOCK
        chunks = -(-lines.length // chunk)
        parts = self._parts(x, out, lines, 0, chunk)
        sums: Strided | None = None
        steps: list[Step] = []
        rows = prod(lines.kept)
        if chunks > 1:
            partial = self._reducer.scratch(rows * chunks)
            for part, first in parts:
                space = Space(
                    part.kept, part.steps, part.target_steps, (part.length,), (part.step,),
                    part.place,
                )  # fmt: skip
                steps.append(self._reducer.run(
                    x, space, partial, partial.offset + first * (rows if columns else 1),
                    columns=columns, elements=elements, final=False,
                    chunks=-(-part.length // chunk), chunk=chunk,
                    pitch=rows if columns else chunks,
                ))  # fmt: skip
            sums = self._reducer.scratch(rows * chunks)
            step, across = (rows, 1) if columns else (1, chunks)
            kept = (rows,) if rows > 1 else ()
            between = (across,) if rows > 1 else ()
            totals = Lines(
                kept, between, between, chunks, step, step, partial.offset, sums.offset
            )  # fmt: skip
            steps += self._scan(partial, sums, totals, False)
        for part, first in parts:
            steps.append(self._run(x, out, part, sums, first, columns, elements, chunk, chunks))
        return steps

    def _parts(
        self, x: Strided, out: Strided, lines: Lines, first: int, chunk: int
    ) -> list[tuple[Lines, int]]:
        """The lines in parts of whole chunks that bindings can hold; with each, its first chunk."""
        if all(self._windows(x, out, lines)) or lines.length <= chunk:
            return [(lines, first)]
        half = -(-lines.length // chunk) // 2
        begin = half * chunk
        later = lines._replace(
            length=lines.length - begin,
            place=lines.place + begin * lines.step,
            at=lines.at + begin * lines.target_step,
        )
        return [
            *self._parts(x, out, lines._replace(length=begin), first, chunk),
            *self._parts(x, out, later, first + half, chunk),
        ]

    def _windows(
        self, x: Strided, out: Strided, lines: Lines
    ) -> tuple[Binding | None, Binding | None]:
        lengths = (*lines.kept, lines.length)
        return (
            window_of(x, lengths, (*lines.steps, lines.step), lines.place),
            window_of(out, lengths, (*lines.target_steps, lines.target_step), lines.at),
        )

    def _run(
        self,
        x: Strided,
        out: Strided,
        lines: Lines,
        sums: Strided | None,
        first: int,
        columns: bool,
        elements: bool,
        chunk: int,
        total: int,
    ) -> Step:
        """Record the kernel that scans chunks, of which the first one's number is given."""
        read, written = self._windows(x, out, lines)
        if read is None or written is None:
            raise Unsupported(
                f"{self._label} of {x.dtype} on {self._backend.device} in this layout, where a row "
                f"has more than {self._backend.gpu.most:,} bytes"
            )
        bindings, operands = (read, written), (x, out)
        if sums is not None:
            if sums.block.buffer.whole is None:
                raise Unsupported(
                    f"{self._label} of so large an array of {x.dtype} on {self._backend.device}"
                )
            bindings, operands = (*bindings, sums.block.buffer.whole), (x, out, sums)
        place = lines.place - read.offset // x.dtype.itemsize
        at = lines.at - written.offset // out.dtype.itemsize
        rows, chunks = prod(lines.kept), -(-lines.length // chunk)
        vector = elements and _aligned(lines.kept, lines.steps, lines.step, place, columns)
        stored = elements and _aligned(
            lines.kept, lines.target_steps, lines.target_step, at, columns
        )
        if columns and not (vector and stored):
            vector = stored = False
        threads = 0 if columns else row_threads(chunk if chunks > 1 or total > 1 else lines.length)
        variant = Variant(threads, vector, stored, elements, sums is not None, len(lines.kept))
        program = self._programs.get(variant)
        if program is None:
            text = source(variant, self._row)
            program = self._backend.program(self._label, text, len(bindings))
            self._programs[variant] = program
        count = rows * chunks // (EACH if columns and vector else 1)
        each = WORKGROUP if columns else WORKGROUP // threads
        words = [
            0, count, lines.length, chunks, chunk, rows if columns else total, first,
            place & WORD, at & WORD, sums.offset if sums is not None else 0,
            lines.step & WORD, lines.target_step & WORD, *lines.kept,
            *(step & WORD for step in lines.steps), *lines.target_steps,
        ]  # fmt: skip
        groups = -(-count // each)
        self._backend.gpu.dispatch(program, bindings, words, groups)
        return Step(program, words, groups, operands)


def _without(values: Shape, axis: int) -> Shape:
    return (*values[:axis], *values[axis + 1 :])


def _across(lines: Lines, begin: int, count: int) -> Lines:
    """So many lines of the first axis across them."""
    kept = (count, *lines.kept[1:]) if count > 1 else lines.kept[1:]
    removed = 0 if count > 1 else 1
    return lines._replace(
        kept=kept, steps=lines.steps[removed:], target_steps=lines.target_steps[removed:],
        place=lines.place + begin * lines.steps[0], at=lines.at + begin * lines.target_steps[0],
    )  # fmt: skip


def _aligned(kept: Shape, steps: Shape, step: int, place: int, columns: bool) -> bool:
    """Whether four neighbours are next to each other and begin at a multiple of four."""
    if place % EACH or (step if not columns else steps[-1]) != 1:
        return False
    if columns:
        others, inner = (*steps[:-1], step), kept[-1]
        return inner % EACH == 0 and not any(other % EACH for other in others)
    return not any(other % EACH for other in steps)


class Scans:
    """The scanners of a device, made when they are needed."""

    def __init__(self, backend: WebgpuBackend) -> None:
        self._backend = backend
        self._scanners: dict[tuple[str, DType, DType], Scanner] = {}

    def __call__(self, operation: str, x: Strided, axis: int, dtype: DType) -> Strided:
        key = (operation, x.dtype, dtype)
        scanner = self._scanners.get(key)
        if scanner is None:
            types = self._backend.types
            row = accumulator(NAMES[operation], types[x.dtype], types[dtype])
            if row is None:
                raise Unsupported(f"{operation} of {x.dtype} on {self._backend.device}")
            scanner = self._scanners[key] = Scanner(self._backend, operation, row)
        return scanner(x, axis, dtype)
