"""The passes of a transform along one axis: kernels, their parameters and what they bind.

An operand of a pass is a number: 0 is the result, 1 what is transformed, others are partial arrays.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from numr_api._backends.webgpu import fourier_tables as tables
from numr_api._backends.webgpu.data import row_major
from numr_api._backends.webgpu.fourier_flags import SIGNS, Flags, Form
from numr_api._backends.webgpu.fourier_kernels import loop_source, source
from numr_api._backends.webgpu.fourier_lengths import (
    Limits,
    Shape,
    convolution_length,
    is_direct,
    passes,
    shape_of,
)
from numr_api._backends.webgpu.fourier_loops import Loop, arrange, merged
from numr_api._backends.webgpu.kernels import MOST_WORDS
from numr_api._backends.webgpu.orders import whole
from numr_api._backends.webgpu.types import WORD
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Shape as Lengths
    from numr_api._backends.webgpu.data import Strided
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.gpu import Program
    from numr_api._backends.webgpu.memory import Binding
    from numr_api._backends.webgpu.types import Type
    from numr_api._dtypes import DType

OUTPUT_PLACE, INPUT_PLACE = 2, 3  # words
MOST_TABLES = 256 << 20  # bytes; then plans and tables are made anew

__all__ = ["Axis", "Operand", "Pass", "Planner"]


class Operand(NamedTuple):
    """An array of a plan, with strides in its own elements."""

    number: int
    shape: Lengths
    strides: Lengths


class Axis(NamedTuple):
    """A transform along an axis.

    Attributes:
        length: of the transform.
        available, wanted: how many elements of the input and of the output there are.
        flags: of what is transformed into what; the two of CONJUGATE make it an inverse.
    """

    axis: int
    length: int
    available: int
    wanted: int
    scale: float
    flags: Flags


class Pass(NamedTuple):
    """A dispatch.

    Attributes:
        words: the parameters, places relative to where the operands begin.
    """

    program: Program
    words: list[int]
    groups: int
    output: int
    input: int
    table: Strided  # which keeps its memory
    binding: Binding


class Planner:
    """Makes the passes for a device and a complex dtype."""

    def __init__(self, backend: WebgpuBackend, dtype: DType, real: DType, limits: Limits) -> None:
        self._backend, self._dtype, self._limits = backend, dtype, limits
        self._kind: Type = backend.types[real]
        self.partial: list[int] = []  # elements of partial arrays
        self.passes: list[Pass] = []

    def add_partial(self, shape: Lengths) -> Operand:
        """A new complex array."""
        self.partial.append(prod(shape))
        return Operand(len(self.partial) + 1, shape, row_major(shape))

    def add(self, source: Operand, target: Operand, axis: Axis) -> None:
        """The passes of one transform."""
        n = axis.length
        if is_direct(n):
            self._long(source, target, axis, n, None, None)
            return
        # The transform is a convolution with a chirp. L. I. Bluestein, IEEE Trans. Audio
        # Electroacoustics 18 (1970).
        m = convolution_length(n)
        middle = self.add_partial(_with(target.shape, axis.axis, m))
        inputs = Flags.CONJUGATE_FIRST | Flags.MIRRORED | Flags.REAL_INPUT
        first = axis._replace(wanted=m, scale=1.0, flags=axis.flags & inputs)
        self._long(source, middle, first, m, ("chirp", n), ("chirp transform", n))
        outputs = Flags.CONJUGATE_LAST | Flags.HALF | Flags.REAL_OUTPUT
        flags = axis.flags & outputs | Flags.CONJUGATE_FIRST | Flags.CONJUGATE_SECOND
        second = axis._replace(available=m, flags=flags)
        self._long(middle, target, second, m, None, ("chirp", n))

    def _long(
        self,
        source: Operand,
        target: Operand,
        axis: Axis,
        m: int,
        input_factor: tuple[str, int] | None,
        output_factor: tuple[str, int] | None,
    ) -> None:
        """A transform of length m as one pass or several."""
        flags = axis.flags
        flags |= Flags.INPUT_FACTOR if input_factor else Flags(0)
        flags |= Flags.OUTPUT_FACTOR if output_factor else Flags(0)
        flags |= Flags.PADDED if axis.available < _needed(axis, m) else Flags(0)
        flags |= Flags.LIMITED if axis.wanted < m else Flags(0)
        last_flags = (
            Flags.CONJUGATE_SECOND | Flags.CONJUGATE_LAST | Flags.OUTPUT_FACTOR | Flags.LIMITED
        )
        last_flags |= Flags.HALF | Flags.REAL_OUTPUT
        step_in, step_out = source.strides[axis.axis], target.strides[axis.axis]
        columns = max(abs(step_in), abs(step_out)) > 1
        lengths = passes(m, columns, self._limits)
        count = len(lengths)
        between = source
        if count > 1:
            between = self.add_partial(_with(target.shape, axis.axis, m))
        for i, n in enumerate(lengths):
            here = flags & last_flags if i == count - 1 else Flags.BETWEEN
            here |= flags & ~last_flags if i == 0 else Flags(0)
            given = source if i == 0 else between
            taken = target if i == count - 1 else between
            done, left = prod(lengths[:i]), prod(lengths[i + 1 :])
            loops = _batch(given, taken, axis.axis)
            s_in, s_out = given.strides[axis.axis], taken.strides[axis.axis]
            if i < count - 1:
                loops.append(Loop(left, s_in, s_out, "both"))
                loops.append(Loop(done, n * left * s_in, n * left * s_out))
            else:
                for k in range(i):
                    before, behind = prod(lengths[:k]), prod(lengths[k + 1 :])
                    loops.append(Loop(lengths[k], behind * s_in, before * s_out, "output"))
            in_step = left
            out_step = left if i < count - 1 else done
            self._pass(
                axis, n, here, given, taken, loops, in_step, out_step,
                input_factor if i == 0 else None, output_factor if i == count - 1 else None,
            )  # fmt: skip

    def _pass(
        self,
        axis: Axis,
        n: int,
        flags: Flags,
        given: Operand,
        taken: Operand,
        loops: list[Loop],
        in_step: int,
        out_step: int,
        input_factor: tuple[str, int] | None,
        output_factor: tuple[str, int] | None,
    ) -> None:
        s_in, s_out = given.strides[axis.axis], taken.strides[axis.axis]
        loops = [loop for loop in loops if loop.length > 1]
        load_columns, store_columns = arrange(loops, in_step * s_in, out_step * s_out)
        shape = shape_of(n, load_columns or store_columns, self._limits)
        shape = shape or shape_of(n, False, self._limits)
        assert shape is not None
        number = prod(loop.length for loop in loops)
        period = prod(loop.length for loop in loops if loop.shifts)
        rows = merged(loops)
        table, places, part = self._table(
            shape, period if Flags.BETWEEN in flags else 0, input_factor, output_factor
        )
        words = [
            0, number, 0, 0,
            s_in & WORD, s_out & WORD, in_step, int(Flags.BETWEEN in flags),
            out_step, 0, period, axis.length,
            axis.available, axis.wanted, int(flags), len(rows) - 1,
            places[0], places[1], places[2], part,
            places[3], places[4],
            *self._kind.scalar_words(1.0 if Flags.BETWEEN in flags else axis.scale),
        ]  # fmt: skip
        words += [0] * (-len(words) % 4)
        if shape.loops:
            words += [n, shape.together, len(shape.radices), load_columns + 2 * store_columns]
            words += [*shape.radices, *[0] * (16 - len(shape.radices))]
            program = self._loop_program(shape)
        else:
            program = self._program(Form(shape, load_columns, store_columns, flags & ~SIGNS))
        words += [number & WORD for row in rows for number in row]
        if len(words) > MOST_WORDS:
            raise Unsupported("arrays of so many axes")
        groups = -(-number // shape.together)
        bound = whole(self._backend, "fft", table)
        self.passes.append(Pass(program, words, groups, taken.number, given.number, table, bound))

    # Kernels and tables

    def _loop_program(self, shape: Shape) -> Program:
        return self._backend.compiled(
            ("fourier loop", self._kind.name, self._limits.capacity), "fft", 3,
            lambda: loop_source(self._kind, self._limits, shape.threads),
        )  # fmt: skip

    def _program(self, form: Form) -> Program:
        return self._backend.compiled(
            ("fourier", self._kind.name, form), "fft", 3, lambda: source(self._kind, form)
        )

    def _table(
        self,
        shape: Shape,
        period: int,
        input_factor: tuple[str, int] | None,
        output_factor: tuple[str, int] | None,
    ) -> tuple[Strided, list[int], int]:
        """All roots that a pass looks up, one after the other, and where each kind begins.

        Also into how many parts the outputs fall for the factors between passes.
        """
        n = shape.n
        part = 1 << (n.bit_length() // 2) if shape.loops else n // shape.radices[-1]
        kept: dict[object, tuple[Strided, list[int]]] = self._backend.remembered(
            "fourier tables", dict
        )
        key = (self._dtype, n, shape.radices, shape.loops, period, input_factor, output_factor)
        if key not in kept:
            parts = [
                tables.roots(np.arange(n), n) if shape.loops else tables.stage_roots(shape.radices)
            ]
            parts += tables.pass_roots(n, period, part) if period else (parts[0][:0],) * 2
            for factor in (input_factor, output_factor):
                parts.append(parts[0][:0] if factor is None else self._factor(*factor))
            places = [0, *np.cumsum([len(p) for p in parts[:-1]]).tolist()]
            host = np.concatenate([*parts, [1]]).astype(self._dtype.__numpy_dtype__)
            if sum(t.size * t.dtype.itemsize for t, _ in kept.values()) > MOST_TABLES:
                kept.clear()
                self._backend.remembered("fourier plans", dict).clear()  # which keep them
            kept[key] = self._backend.from_host(host, None), places
        table, places = kept[key]
        return table, [table.offset + place for place in places], part

    def _factor(self, kind: str, n: int) -> np.ndarray:
        if kind == "chirp":
            return tables.chirp(n)
        return tables.chirp_transform(n, convolution_length(n))


def _with(shape: Lengths, axis: int, length: int) -> Lengths:
    return (*shape[:axis], length, *shape[axis + 1 :])


def _needed(axis: Axis, m: int) -> int:
    """How many elements of the input a transform reads if it is not padded."""
    if m != axis.length:
        return m
    return m // 2 + 1 if Flags.MIRRORED in axis.flags else m


def _batch(given: Operand, taken: Operand, axis: int) -> list[Loop]:
    """The loops over the axes that are not transformed."""
    return [
        Loop(length, given.strides[a], taken.strides[a])
        for a, length in enumerate(taken.shape)
        if a != axis
    ]
