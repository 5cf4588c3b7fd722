"""The text of the kernels of operations on rows, such as softmax, and what these are made of.

A row gives at most two numbers, the largest magnitude or number of it, ``top``, and then the sum of
a term of each element; the results follow from these and from the elements. A slice of a workgroup
has a row, and keeps the elements in the workgroup's memory, so that they are read once. The order
of all sums depends on the row's length only.

Rows that are too long for that are cut in chunks, each of which gives a partial result; then
another kernel combines these and reads the elements again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numr_api._backends.webgpu.kernels import (
    EACH,
    WORKGROUP,
    Words,
    binding,
    indented,
    place_of,
    position,
    written_element,
    written_type,
)
from numr_api._backends.webgpu.reduction_kernels import function_text
from numr_api._backends.webgpu.row_operations import Row
from numr_api._backends.webgpu.types import Type


class Variant(NamedTuple):
    """What the text of a kernel depends on.

    Attributes:
        threads: of a row or of a chunk of it.
        groups: how many groups of four elements each of them keeps.
        columns: whether neighbouring threads have different rows.
        vector: whether four elements are read, and written, at once.
        step: "whole" rows, the "partial" results of chunks, or the "last" step for these.
        rank: how many axes count the rows and their chunks.
    """

    threads: int
    groups: int
    columns: bool
    vector: bool
    step: str
    rank: int


# The words of parameters after a zero: how many chunks there are of all rows, how many of a row
# here, the number of the first one of these in its row, how long they and the rows are, how many
# partial results a row has, and eps.
COMMON = ("count", "chunks", "first_chunk", "chunk_length", "row_length", "parts")

# Functions of a slice of a workgroup: the largest of its threads' numbers, and the sum of pairs.
SHARED = "var<workgroup> shared_pairs: array<Double_{t}, 256>;"
COMBINED_TOP = """
fn combined_top(value: T, slot: u32, lane: u32) -> T {{
    var top = value;
    shared_pairs[slot].high = top;
    for (var half = {threads}u / 2u; half > 0u; half >>= 1u) {{
        workgroupBarrier();
        if lane < half {{
            top = maximum_{t}(top, shared_pairs[slot + half].high);
            shared_pairs[slot].high = top;
        }}
    }}
    workgroupBarrier();
    top = shared_pairs[slot - lane].high;
    workgroupBarrier();
    return top;
}}
"""
COMBINED_SUM = """
fn combined_sum(value: Double_{t}, slot: u32, lane: u32) -> Double_{t} {{
    var sum = value;
    shared_pairs[slot] = sum;
    for (var half = {threads}u / 2u; half > 0u; half >>= 1u) {{
        workgroupBarrier();
        if lane < half {{
            sum = add_term_{t}(sum, shared_pairs[slot + half]);
            shared_pairs[slot] = sum;
        }}
    }}
    workgroupBarrier();
    sum = shared_pairs[slot - lane];
    workgroupBarrier();
    return settled_{t}(sum);
}}
"""

MAIN = """
@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {{
    opaque_zero = parameters[0].x;
    let slice = {slice};
    let lane = {lane};
    let slot = slice * {threads}u + lane;
    let segment = (group.y * groups.x + group.x) * {slices}u + slice;
    let is_there = segment < {count};
    let k = min(segment, {count} - 1u);
    let begin = ({first_chunk} + k % {chunks}) * {chunk_length};
    let length = min({chunk_length}, {row_length} - begin);
{starts}
{sums}
{result}
}}"""

LOOP = """
    for (var g = 0u; g < {groups}; g++) {{
        let i = (g * {threads}u + lane) * 4u;
        if i < length {{
{lines}
        }}
    }}"""

# The top and the sum of a row from partial results, in which there are both.
FROM_PARTS = """
    var value = {lowest};
    for (var p = lane; p < {parts}; p += {threads}u) {{
        value = maximum_{t}(value, partial[partial_start + p].x);
    }}
    let top = combined_top(value, slot, lane);
    var total_sum = Double_{t}(T(0), T(0));
    for (var p = lane; p < {parts}; p += {threads}u) {{
        let part = partial[partial_start + p];
        let part_top = part.x;
        let sum = Double_{t}(part.y, part.z);
        total_sum = add_term_{t}(total_sum, {merged});
    }}
    let sum = combined_sum(total_sum, slot, lane);
    let total = {closed};"""


class Text:
    """The parts of a kernel of a variant."""

    def __init__(self, variant: Variant, row: Row, kind: Type) -> None:
        self.variant, self.kind = variant, kind
        self.row = row.with_suffix(kind.suffix)
        words = Words(1)
        self.named = dict(zip(COMMON, words.take(len(COMMON)), strict=True))
        self.eps = kind.scalar_from(words.take(kind.words))
        self.lengths = words.take(variant.rank)
        self.inputs = ["x", "y"][: row.inputs]
        names = list(self.inputs)
        if variant.step != "whole":
            names.append("partial")
        if variant.step != "partial":
            names.append("output")
        self.places = {name: words.take(variant.rank + 2) for name in names}
        self.words = words

    def source(self) -> str:
        variant, kind = self.variant, self.kind
        columns, threads = variant.columns, variant.threads
        slices = WORKGROUP // threads
        names = {**self.named, "t": kind.suffix, "threads": threads, "slices": slices,
                 "slice": f"thread % {slices}u" if columns else f"thread / {threads}u",
                 "lane": f"thread / {slices}u" if columns else f"thread % {threads}u"}  # fmt: skip
        parts = [self.words.declaration(), f"alias T = {kind.compute};"]
        for number, name in enumerate(self.places, 1):
            parts.append(binding(number, name, self._element(name)))
        if variant.step != "last":
            size = self._kept * EACH * variant.groups * WORKGROUP
            parts.append(f"var<workgroup> kept: array<T, {size}>;")
        starts: list[str] = []
        for name, (place, *steps, _) in self.places.items():
            lines, axes = position(self.lengths, "k")
            parts.append(function_text(f"{name}_place", "k", lines, place_of(place, steps, axes)))
            starts.append(f"let {name}_start = {name}_place(k);")
        parts += [text.format(**names) for text in (SHARED, COMBINED_TOP, COMBINED_SUM)]
        if variant.step == "last":
            sums = FROM_PARTS.format(**names, merged=self.row.merged, closed=self.row.closed,
                                     lowest=self.row.lowest)  # fmt: skip
        else:
            sums = self._sums()
        parts.append(MAIN.format(**names, starts=indented(starts), sums=sums,
                                 result=self._result()))  # fmt: skip
        return "\n".join(parts)

    @property
    def _kept(self) -> int:
        """Numbers that are kept of each element."""
        return self.row.inputs

    def _element(self, name: str) -> str:
        if name == "partial":
            return "vec4<T>"
        if name == "output":
            vector = self.variant.vector and not self.row.of_row
            return self.kind.vector[0] if vector else written_type(self.kind)
        return self.kind.vector[0] if self.variant.vector else self.kind.scalar

    def _loop(self, lines: Sequence[str]) -> str:
        variant = self.variant
        # Not a constant: of a loop of two turns a software driver (Mesa 22.3) makes two copies that
        # lose the mantissa of exp in float64.
        whole = EACH * variant.threads
        groups = f"(length + {whole - 1}u) / {whole}u"
        text = "\n".join(f"            {line}" for line in lines)
        return LOOP.format(groups=groups, threads=variant.threads, lines=text)

    def _loads(self) -> list[str]:
        """Statements that make x0 to x3 of four elements, and so y0 to y3."""
        lines: list[str] = []
        for name in self.inputs:
            step = self.places[name][-1]
            if self.variant.vector:
                more, values = self.kind.load(name, f"{name}_start + i", f"{name}_vector")
                lines += more
            else:
                values = [
                    self.kind.element(name, f"{name}_start + min(i + {j}u, length - 1u) * {step}")
                    for j in range(EACH)
                ]
            lines += [f"let {name}{j} = {value};" for j, value in enumerate(values)]
        return lines

    def _cell(self, name: str, j: int) -> str:
        row = self.inputs.index(name) * EACH + j
        return f"kept[({row}u * {self.variant.groups}u + g) * {WORKGROUP}u + thread]"

    def _each(self, statement: str) -> list[str]:
        """A statement for each of four elements that exists; x and y are its numbers."""
        lines: list[str] = []
        for j in range(EACH):
            numbers = " ".join(f"let {name} = {name}{j};" for name in self.inputs)
            text = f"{{ {numbers} {statement.replace('%j', str(j))} }}"
            lines.append(text if self.variant.vector or not j else f"if i + {j}u < length {text}")
        return lines

    def _again(self) -> list[str]:
        """Statements that take kept elements."""
        return [f"let {name}{j} = {self._cell(name, j)};"
                for name in self.inputs for j in range(EACH)]  # fmt: skip

    def _keeps(self) -> list[str]:
        return [f"{self._cell(name, j)} = {name}{j};"
                for name in self.inputs for j in range(EACH)]  # fmt: skip

    def _sums(self) -> str:
        """Statements that find ``top``, ``sum`` and ``total``, and keep the elements."""
        row, t = self.row, self.kind.suffix
        parts: list[str] = []
        loads = [*self._loads(), *self._keeps()]
        if row.measure:
            update = f"value = maximum_{t}(value, {row.measure});"
            parts += [f"    var value = {row.lowest};", self._loop(loads + self._each(update)),
                      "    let top = combined_top(value, slot, lane);"]  # fmt: skip
            loads = self._again()
        else:
            parts.append("    let top = T(0);")
        add = f"let term = {row.term}; own_sum = add_term_{t}(own_sum, term);"
        if row.keeps_term:
            cells = [self._cell("x", j) for j in range(EACH)]
            lines = self._each(f"{add} %cell = term.high;")
            lines = [line.replace("%cell", cell) for line, cell in zip(lines, cells, strict=True)]
        else:
            lines = self._each(add)
        parts += [
            f"    var own_sum = Double_{t}(T(0), T(0));",
            self._loop(loads + lines),
            "    let sum = combined_sum(own_sum, slot, lane);",
        ]
        if self.variant.step == "whole":
            parts.append(f"    let total = {row.closed};")
        return "\n".join(parts)

    def _result(self) -> str:
        variant, row, kind = self.variant, self.row, self.kind
        if variant.step == "partial":
            value = "vec4<T>(top, sum.high, sum.low, T(0))"
            return f"    if is_there && lane == 0u {{ partial[partial_start] = {value}; }}"
        eps = f"    let eps = {self.eps};\n"
        if row.of_row:
            put = written_element(kind, "output", "output_start", row.result)
            return f"{eps}    if is_there && lane == 0u {{ {put} }}"
        lines = self._again() if variant.step == "whole" else self._loads()
        text = f"result%j = {row.result};"
        if row.keeps_term and variant.step == "last":
            text = f"let term = {row.term}; {{ let x = term.high; {text} }}"
        results = [f"result{j}" for j in range(EACH)]
        lines += [f"var {name} = T(0);" for name in results]
        lines += self._each(text)
        if variant.vector:
            lines += kind.store("output", "output_start + i", results)
        else:
            step = self.places["output"][-1]
            for j, value in enumerate(results):
                put = written_element(
                    kind, "output", f"(output_start + (i + {j}u) * {step})", value
                )
                lines.append(f"if i + {j}u < length {{ {put} }}")
        return f"{eps}    if is_there {{{self._loop(lines)}\n    }}"


def source(variant: Variant, row: Row, kind: Type) -> str:
    """The kernel of a variant."""
    return Text(variant, row, kind).source()
