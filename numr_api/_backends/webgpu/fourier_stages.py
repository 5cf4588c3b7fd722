"""The statements of kernels of Fourier transforms whose stages are unrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api._backends.webgpu.fourier_butterflies import Lines, transform
from numr_api._backends.webgpu.fourier_flags import CHANGED_INPUT, CHANGED_OUTPUT, Flags, Form
from numr_api._backends.webgpu.fourier_lengths import LEAST_PADDED

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Stages", "padding"]


def padding(form: Form) -> tuple[int, int]:
    """After 2^a slots of the memory b are not used; returns a and b.

    That keeps what threads store at once after the first stage in different banks.
    """
    shape = form.shape
    apart = shape.radices[0] * shape.together
    several = 1 < shape.together < shape.banks and (form.load_columns or form.store_columns)
    if several and shape.radices[0] >= LEAST_PADDED and apart & (apart - 1) == 0:
        return apart.bit_length() - 1, shape.together if form.load_columns else 1
    return max(shape.banks, LEAST_PADDED).bit_length() - 1, 1


class Stages:
    """The statements of the stages. What butterfly i of a thread has are ``values[i]``."""

    def __init__(self, form: Form) -> None:
        self._form, self._shape = form, form.shape
        self._interleaved = form.load_columns or form.store_columns
        self._lines = Lines()

    def text(self) -> list[str]:
        shape, lines = self._shape, self._lines
        span, roots = 1, 0
        values = self._load()
        for stage, radix in enumerate(shape.radices):
            if stage:
                values = self._turned(stage, values, span, roots)
                roots += (radix - 1) * span
            values = [transform(lines, inputs) for inputs in values]
            if stage + 1 < len(shape.radices):
                values = self._exchange(stage, values, span)
            span *= radix
        self._store(values)
        return lines.text

    def _turns(self, stage: int) -> int:
        """How many butterflies of a stage a thread has."""
        return -(-self._count(stage) // self._shape.threads)

    def _count(self, stage: int) -> int:
        return self._shape.together * self._shape.n // self._shape.radices[stage]

    def _butterfly(self, stage: int, turn: int) -> tuple[str, str]:
        """Names of the transform within the workgroup and the butterfly in it.

        Surplus threads do the work of the last one again.
        """
        columns = self._form.store_columns if stage else self._form.load_columns
        shape = self._shape
        number = f"thread + {turn * shape.threads}u"
        if (turn + 1) * shape.threads > self._count(stage):
            number = f"min({number}, {self._count(stage) - 1}u)"
        row, b = f"row{stage}_{turn}", f"b{stage}_{turn}"
        each = shape.together if columns else shape.n // shape.radices[stage]
        parts = f"({number}) % {each}u", f"({number}) / {each}u"
        self._lines.add(
            f"let {row} = {parts[0 if columns else 1]};", f"let {b} = {parts[1 if columns else 0]};"
        )
        return row, b

    def _rows(self, stage: int) -> list[str]:
        """Names of the transforms of a thread's butterflies."""
        columns = self._form.store_columns if stage else self._form.load_columns
        shape, lines = self._shape, self._lines
        same = shape.together == 1 or (columns and shape.threads % shape.together == 0)
        found: list[str] = []
        for turn in range(self._turns(stage)):
            if turn == 0 or not same:
                row = f"min(row{stage}_{turn}, last)"
                found.append(lines.name(f"transform_at(first + {row})"))
            else:
                found.append(found[0])
        return found

    def _load(self) -> list[list[str]]:
        lines, shape = self._lines, self._shape
        apart = shape.n // shape.radices[0]
        for turn in range(self._turns(0)):
            self._butterfly(0, turn)
        rows = self._rows(0)
        if self._form.flags & CHANGED_INPUT:
            return [
                [lines.name(f"source_element({t}, b0_{turn} + {j * apart}u)")
                 for j in range(shape.radices[0])]
                for turn, t in enumerate(rows)
            ]  # fmt: skip
        jump = lines.name(f"{apart}u * parameters[1].z * parameters[1].x")
        found: list[list[str]] = []
        for turn, t in enumerate(rows):
            logical = f"(b0_{turn} * parameters[1].z + {t}.shift * parameters[1].w)"
            place = lines.name(f"{t}.input + {logical} * parameters[1].x")
            loaded = [lines.name(f"element({place} + {j}u * {jump})")
                      for j in range(shape.radices[0])]  # fmt: skip
            found.append([lines.name(f"V({x}.x, {x}.y * sign(CONJUGATE_FIRST))") for x in loaded])
        return found

    def _turned(
        self, stage: int, values: list[list[str]], span: int, roots: int
    ) -> list[list[str]]:
        """The values times the factors between stages."""
        lines = self._lines
        found: list[list[str]] = []
        for turn, inputs in enumerate(values):
            place = lines.name(f"parameters[4].x + b{stage}_{turn} % {span}u + {roots}u - {span}u")
            turns = self._powers(len(inputs), place, f"{span}u")
            found.append([
                inputs[0],
                *[lines.name(f"times({value}, {power})")
                  for value, power in zip(inputs[1:], turns, strict=True)],
            ])  # fmt: skip
        return found

    def _powers(self, count: int, place: str, step: str) -> list[str]:
        """Powers 1 to count - 1 of a root; the table has the first one a step behind a place.

        Many are products of two others, as that takes less time than to load them.
        """
        lines = self._lines
        low = 4 if count > 9 or count == 8 else 3 if count > 5 else 1
        found: dict[int, str] = {}
        for j in range(1, count):
            if j < low or j % low == 0:
                found[j] = lines.name(f"table[{place} + {j}u * {step}]")
            else:
                found[j] = lines.name(f"times({found[j - j % low]}, {found[j % low]})")
        return list(found.values())

    def _slots(self, row: str, element: str, step: int, count: int, ends: int) -> list[str]:
        """Where elements of a transform are in the memory, so many and so far apart.

        Arguments:
            ends: the first one is a multiple of this and something less than ``step``.
        """
        shape, lines = self._shape, self._lines
        shift, unused = padding(self._form)
        unit = 1 << shift
        if self._interleaved:
            place = f"({element}) * {shape.together}u + {row}"
            step, ends = step * shape.together, ends * shape.together
        else:
            place = f"{row} * {shape.n}u + {element}"
        rows_end = unit if self._interleaved or shape.together == 1 else shape.n
        if step % unit == 0 or (unit % step == 0 and ends % unit == 0 and rows_end % unit == 0):
            # None of the additions carries into what decides about the padding.
            first = lines.name(f"slot({place})")
            return [f"{first} + {j * step + (j * step >> shift) * unused}u" for j in range(count)]
        first = lines.name(place)
        return [lines.name(f"slot({first} + {j * step}u)") for j in range(count)]

    def _exchange(self, stage: int, values: list[list[str]], span: int) -> list[list[str]]:
        """What the butterflies of the next stage need."""
        shape, lines = self._shape, self._lines
        radix = shape.radices[stage]
        outputs: list[tuple[str, str]] = []
        for turn, found in enumerate(values):
            row, b = f"row{stage}_{turn}", f"b{stage}_{turn}"
            begin = lines.name(f"{b} / {span}u * {span * radix}u + {b} % {span}u")
            slots = self._slots(row, begin, span, radix, span * radix)
            outputs += zip(slots, found, strict=True)
        after = shape.radices[stage + 1]
        apart = shape.n // after
        inputs: list[list[str]] = []
        for turn in range(self._turns(stage + 1)):
            row, b = self._butterfly(stage + 1, turn)
            inputs.append(self._slots(row, b, apart, after, 1))
        if stage:
            lines.add("workgroupBarrier();")  # until all have read what is there
        if not shape.split:
            return self._through(outputs, inputs, "")
        real = self._through(outputs, inputs, ".x")
        lines.add("workgroupBarrier();")
        imaginary = self._through(outputs, inputs, ".y")
        return [
            [lines.name(f"V({x}, {y})") for x, y in zip(xs, ys, strict=True)]
            for xs, ys in zip(real, imaginary, strict=True)
        ]

    def _through(
        self, outputs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[str]], part: str
    ) -> list[list[str]]:
        """Values, or parts of them, written to slots of the memory and read from others."""
        lines = self._lines
        lines.add(*[f"memory[{slot}] = {value}{part};" for slot, value in outputs])
        lines.add("workgroupBarrier();")
        return [[lines.name(f"memory[{slot}]") for slot in slots] for slots in inputs]

    def _store(self, values: list[list[str]]) -> None:
        shape, lines, flags = self._shape, self._lines, self._form.flags
        stage = len(shape.radices) - 1
        apart = shape.n // shape.radices[stage]
        plain = not flags & CHANGED_OUTPUT
        jump = lines.name(f"{apart}u * parameters[2].x * parameters[1].y")
        for turn, (outputs, t) in enumerate(zip(values, self._rows(stage), strict=True)):
            row, b = f"row{stage}_{turn}", f"b{stage}_{turn}"
            allowed = f"{row} <= last"
            if (turn + 1) * shape.threads > self._count(stage):
                allowed += f" && thread + {turn * shape.threads}u < {self._count(stage)}u"
            if Flags.BETWEEN in flags:
                outputs = self._turned_between(outputs, b, t)
            elif plain:
                outputs = [lines.name(f"{value} * scales()") for value in outputs]
            logical = f"({b} * parameters[2].x + {t}.shift)"
            place = lines.name(f"{t}.output + {logical} * parameters[1].y")
            lines.add(f"if {allowed} {{")
            for j, value in enumerate(outputs):
                if plain:
                    lines.add(f"    put({place} + {j}u * {jump}, {value});")
                else:
                    lines.add(f"    store_last({t}, {b} + {j * apart}u, {value});")
            lines.add("}")

    def _turned_between(self, outputs: list[str], b: str, t: str) -> list[str]:
        """The outputs of a butterfly times the factors between passes."""
        lines = self._lines
        low = lines.name(f"table[parameters[4].y + {b} * parameters[2].z + {t}.shift]")
        place = lines.name(f"parameters[4].z + {t}.shift")
        powers = self._powers(len(outputs), place, "parameters[2].z")
        turns = [low, *[lines.name(f"times({low}, {power})") for power in powers]]
        return [
            lines.name(f"times({value}, {turn})")
            for value, turn in zip(outputs, turns, strict=True)
        ]
