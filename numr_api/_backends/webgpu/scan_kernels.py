"""The text of the kernels that scan blocks of rows and chunks of columns."""

from __future__ import annotations

from typing import NamedTuple

from numr_api._backends.webgpu.accumulators import Accumulator
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
from numr_api._backends.webgpu.reduction_kernels import MAIN, UNROLLED, function_text

GROUPS = 4  # of four elements, which a thread scans
RUN = 16  # elements of a column that are accumulated before they meet the others

# The words of parameters that all these kernels have: a zero and
#   count        of slices or of threads that have something to do
#   length       of the lines
#   chunks       in them, and the length of each
#   pitch        of rows, or of chunks of columns, in the totals
#   first        the number of the first chunk
#   place, at    of the first element of source and result
#   sums         the place of the first total
#   step, target_step  along the lines
COMMON = (
    "count", "length", "chunks", "chunk", "pitch", "first", "place", "at", "sums", "step",
    "target_step",
)  # fmt: skip


class Variant(NamedTuple):
    """What the text of a kernel depends on.

    Attributes:
        threads: of a row; 0 where a thread has a column.
        vector, stored: whether four elements are loaded, and stored, at once.
        elements: whether these are elements of arrays; else partial results.
        prefixed: whether there are blocks before.
        kept: how many other axes there are.
    """

    threads: int
    vector: bool
    stored: bool
    elements: bool
    prefixed: bool
    kept: int


class Text:
    """The parts of a kernel of a variant."""

    def __init__(self, variant: Variant, row: Accumulator) -> None:
        self.variant, self.row = variant, row
        self.words = Words(1)
        self.named = dict(zip(COMMON, self.words.take(len(COMMON)), strict=True))
        kept, steps, target_steps = (self.words.take(variant.kept) for _ in range(3))
        lines, axes = position(kept, "k") if kept else ([], [])
        self.functions = "\n".join([
            function_text("across", "k", lines, place_of(self.named["place"], steps, axes)),
            function_text("target_place", "k", lines,
                          place_of(self.named["at"], target_steps, axes)),
        ])  # fmt: skip

    def declarations(self) -> str:
        variant, source, result = self.variant, self.row.source, self.row.result
        read = written = "A"
        if variant.elements:
            read = source.vector[0] if variant.vector else source.scalar
            written = result.vector[0] if variant.stored else written_type(result)
        parts = [self.words.declaration(), binding(1, "data", read)]
        parts.append(binding(2, "results", written))
        if variant.prefixed:
            parts.append(binding(3, "sums", "A"))
        return "\n".join([*parts, self.row.declarations, self.functions])

    def load(self, place: str) -> str:
        """What one element contributes."""
        if not self.variant.elements:
            return f"data[{place}]"
        return f"map({self.row.source.element('data', place)}, 0u)"

    def load_vector(self, place: str, name: str) -> tuple[list[str], list[str]]:
        lines, values = self.row.source.load("data", place, name)
        return lines, [f"map({x}, 0u)" for x in values]

    def put(self, place: str, value: str) -> str:
        if not self.variant.elements:
            return f"results[{place}] = {value};"
        return written_element(self.row.result, "results", place, f"finish({value})")

    def put_vector(self, place: str, values: list[str]) -> list[str]:
        return self.row.result.store("results", place, [f"finish({x})" for x in values])


def source(variant: Variant, row: Accumulator) -> str:
    """The kernel of a variant."""
    text = Text(variant, row)
    body = rows_body(text) if variant.threads else columns_body(text)
    shared = ""
    if variant.threads > 1:
        shared = "\n".join(
            f"var<workgroup> shared{j}: array<A, {WORKGROUP}>;" for j in range(GROUPS)
        )
    return "\n".join([text.declarations(), shared, MAIN.format(body=indented(body))])


def rows_body(text: Text) -> list[str]:
    """A slice of threads scans a block of a row."""
    variant, named = text.variant, text.named
    threads = variant.threads
    groups = range(GROUPS)
    lines = [
        f"let slice = thread / {threads}u;",
        f"let lane = thread % {threads}u;",
        f"let segment = workgroup * {WORKGROUP // threads}u + slice;",
        f"let is_block = segment < {named['count']};",
        f"let row = segment / {named['chunks']};",
        f"let chunk = segment % {named['chunks']};",
        f"let begin = chunk * {named['chunk']};",
        f"let end = select(0u, min(begin + {named['chunk']}, {named['length']}), is_block);",
        "let start = across(row);",
        "let target_start = target_place(row);",
    ]
    for j in groups:
        lines += [f"let r{j} = begin + {j * EACH * threads}u + lane * {EACH}u;"]
        lines += [f"var x{j}_{i} = identity();" for i in range(EACH)]
    for j in groups:
        inner: list[str] = []
        values = [text.load(f"start + (r{j} + {i}u) * {named['step']}") for i in range(EACH)]
        if variant.vector:
            inner, values = text.load_vector(f"start + r{j}", f"v{j}")
        inner += [f"if r{j} + {i}u < end {{ x{j}_{i} = {x}; }}" if i else f"x{j}_0 = {x};"
                  for i, x in enumerate(values)]  # fmt: skip
        lines.append(f"if r{j} < end {{")
        lines += [*(f"    {line}" for line in inner), "}"]
    for j in groups:
        lines += [f"x{j}_{i} = combine(x{j}_{i - 1}, x{j}_{i});" for i in range(1, EACH)]
        lines.append(f"var before{j} = identity();")
    if threads > 1:
        lines += [f"var total{j} = x{j}_{EACH - 1};" for j in groups]
        lines += [f"shared{j}[thread] = total{j};" for j in groups]
        lines += [
            f"for (var reach = 1u; reach < {threads}u; reach <<= 1u) {{",
            "    workgroupBarrier();",
            "    if lane >= reach {",
            *(f"        total{j} = combine(shared{j}[thread - reach], total{j});" for j in groups),
            "    }",
            "    workgroupBarrier();",
            *(f"    shared{j}[thread] = total{j};" for j in groups),
            "}",
            "workgroupBarrier();",
            "if lane > 0u {",
            *(f"    before{j} = shared{j}[thread - 1u];" for j in groups),
            "}",
        ]
        last = f"slice * {threads}u + {threads - 1}u"
        sums = [f"shared{j}[{last}]" for j in groups]
    else:
        sums = [f"x{j}_{EACH - 1}" for j in groups]
    lines.append("var done = identity();")
    for j in groups:
        lines.append(f"before{j} = combine(done, before{j});")
        lines.append(f"done = combine(done, {sums[j]});")
    prefix = ""
    if variant.prefixed:
        number = f"{named['sums']} + row * {named['pitch']} + {named['first']} + chunk"
        lines.append("var prefix = identity();")
        lines.append(f"if is_block && {named['first']} + chunk > 0u {{")
        lines += [f"    prefix = sums[{number} - 1u];", "}"]
        prefix = "prefix, "
    for j in groups:
        values = [f"combine(before{j}, x{j}_{i})" for i in range(EACH)]
        if prefix:
            values = [f"combine({prefix}{x})" for x in values]
        lines.append(f"if r{j} < end {{")
        if variant.stored:
            put = text.put_vector(f"target_start + r{j}", values)
        else:
            put = [f"if r{j} + {i}u < end {{ let to = target_start + (r{j} + {i}u) * "
                   f"{named['target_step']}; {text.put('to', x)} }}"
                   for i, x in enumerate(values)]  # fmt: skip
        lines += [*(f"    {line}" for line in put), "}"]
    return lines


def columns_body(text: Text) -> list[str]:
    """A thread scans a chunk of one column, or of four."""
    variant, named = text.variant, text.named
    each = EACH if variant.vector else 1
    columns = f"({named['pitch']} / {each}u)"
    lines = [
        f"let item = workgroup * {WORKGROUP}u + thread;",
        f"if item >= {named['count']} {{ return; }}",
        f"let k = (item % {columns}) * {each}u;",
        f"let chunk = item / {columns};",
        f"let end = min((chunk + 1u) * {named['chunk']}, {named['length']});",
        "let start = across(k);",
        "let target_start = target_place(k);",
        *(f"var before{i} = identity();" for i in range(each)),
    ]
    if variant.prefixed:
        lines += [f"var prefix{i} = identity();" for i in range(each)]
        number = f"{named['sums']} + ({named['first']} + chunk - 1u) * {named['pitch']} + k"
        lines.append(f"if {named['first']} + chunk > 0u {{")
        lines += [f"    prefix{i} = sums[{number} + {i}u];" for i in range(each)]
        lines.append("}")
    lines += [
        f"var r = chunk * {named['chunk']};",
        "while r < end {",
        f"    let stop = min(r + {RUN}u, end);",
        *(f"    var a{i} = identity();" for i in range(each)),
    ]
    for rows in (UNROLLED, 1):
        loads: list[str] = []
        stores: list[str] = []
        for row in range(rows):
            place = f"start + (r + {row}u) * {named['step']}"
            values = [text.load(place)]
            if variant.vector:
                more, values = text.load_vector(place, f"v{row}")
                loads += more
            loads += [f"let x{row}_{i} = {x};" for i, x in enumerate(values)]
            stores += [f"a{i} = combine(a{i}, x{row}_{i});" for i in range(each)]
            sums = [f"combine(before{i}, a{i})" for i in range(each)]
            if variant.prefixed:
                sums = [f"combine(prefix{i}, {x})" for i, x in enumerate(sums)]
            to = f"target_start + (r + {row}u) * {named['target_step']}"
            stores += text.put_vector(to, sums) if each > 1 else [text.put(to, sums[0])]
        lines.append(f"    while r + {rows - 1}u < stop {{")
        lines += [f"        {line}" for line in (*loads, *stores, f"r += {rows}u;")]
        lines.append("    }")
    lines += [*(f"    before{i} = combine(before{i}, a{i});" for i in range(each)), "}"]
    return lines
