"""The text of the kernels that reduce, along rows and along columns.

A row is reduced by a slice of a workgroup, of 1 to 256 threads. A thread takes four neighbouring
elements at a time, one for each of four running values; then these, and the threads of a slice, are
combined in a tree. So few values are combined one after the other, and rounding errors stay small.
The order depends on the row's length only, not on how it lies in memory or how many rows there are.

A row can have a centre, a number that is taken from each of its elements before it is accumulated.

Where elements beside each other belong to different results, a thread reduces a column, or four.

Long rows and columns are cut in chunks, each of which gives one value of a partial array, which
another kernel reduces.
"""

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

UNROLLED = 4  # groups of elements that are loaded at once
COLUMN_UNROLLED = 4  # elements of a column, likewise
PARTIAL_UNROLLED = 16  # of a column of partial results, of which there are too few threads
RUN = 32  # elements of a column that are accumulated before they meet the others


class Variant(NamedTuple):
    """What the text of a kernel depends on.

    Attributes:
        threads: of a row; 0 where a thread has a column.
        vector: whether four elements are loaded at once.
        elements: whether the source has elements of the array; else partial results.
        final: whether results are written; else partial ones.
        stored: whether four results are stored at once.
        kept, reduced: how many axes each have.
    """

    threads: int
    vector: bool
    elements: bool
    final: bool
    stored: bool
    kept: int
    reduced: int


MAIN = """
@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {{
    opaque_zero = parameters[0].x;
    let workgroup = group.y * groups.x + group.x;
{body}
}}"""

# The words of parameters that all these kernels have: a zero and
#   count   of slices or of threads that have something to do
#   length  of a row or a column
#   chunks  in it, and the length of each
#   base    the index of its first element, for the indices of extremes
#   pitch   of chunks or of rows in the partial array
# Then come the places of the first element, of the first result, and of the first row's centre if
# there are centres, and the words of the divisor if there is one.
COMMON = ("count", "length", "chunks", "chunk_length", "base", "pitch")


class Text:
    """The parts of a kernel of a variant."""

    def __init__(self, variant: Variant, accumulator: Accumulator) -> None:
        self.variant, self.accumulator = variant, accumulator
        self.words = Words(1)
        self.named = dict(zip(COMMON, self.words.take(len(COMMON)), strict=True))
        self.source, self.target = self.words.take(2)
        self.centred = accumulator.centred and variant.elements
        self._centre = self.words.take(1)[0] if self.centred else ""
        self._divisor = self.words.take(accumulator.result.words) if accumulator.divided else []
        self._kept = self.words.take(variant.kept)
        self._kept_steps = self.words.take(variant.kept)
        there = variant.final or self.centred
        self._target_steps = self.words.take(variant.kept) if there else []
        self._reduced = self.words.take(variant.reduced)
        self._reduced_steps = self.words.take(variant.reduced)

    def functions(self) -> str:
        """``across`` finds a row's begin, ``along`` its elements, ``target_place`` its result."""
        lines, axes = position(self._kept, "k") if self._kept else ([], [])
        place = place_of(self.source, self._kept_steps, axes)
        parts = [function_text("across", "k", lines, place)]
        if self.variant.final:
            place = place_of(self.target, self._target_steps, axes)
            parts.append(function_text("target_place", "k", lines, place))
        if self.centred:
            place = place_of(self._centre, self._target_steps, axes)
            parts.append(function_text("centre_place", "k", lines, place))
        lines, axes = position(self._reduced, "r") if self._reduced else ([], [])
        parts.append(function_text("along", "r", lines, place_of("0u", self._reduced_steps, axes)))
        return "\n".join(parts)

    def declarations(self) -> str:
        variant, kind = self.variant, self.accumulator.source
        result = self.accumulator.result
        element = written = "A"
        if variant.elements:
            element = kind.vector[0] if variant.vector else kind.scalar
        if variant.final:
            written = result.vector[0] if variant.stored else written_type(result)
        parts = [
            self.words.declaration(),
            binding(1, "data", element),
            binding(2, "results", written),
            self.accumulator.declarations,
        ]
        if self.centred:
            parts.append(binding(3, "centres", kind.computed.scalar))
        if self.accumulator.divided:
            divisor = result.scalar_from(self._divisor)
            parts.append(f"fn divisor() -> {result.compute} {{ return {divisor}; }}")
        return "\n".join(parts)

    def load_vector(self, first: str, name: str) -> tuple[list[str], list[str]]:
        """Statements that load four elements from a place on, and the expressions of them."""
        return self.accumulator.source.load("data", first, name)

    def load(self, place: str) -> str:
        """The expression of one element."""
        return self.accumulator.source.element("data", place) if self.variant.elements else (
            f"data[{place}]"
        )  # fmt: skip

    def value(self, element: str, index: str, centre: str = "centre") -> str:
        """What an element contributes."""
        if self.centred:
            element = f"{element} - {centre}"
        return f"map({element}, {index})" if self.variant.elements else element

    def follow(self, *values: str) -> str:
        """Values in their order, combined in a tree."""
        if len(values) == 1:
            return values[0]
        half = len(values) // 2
        name = self.accumulator.follow
        return f"{name}({self.follow(*values[:half])}, {self.follow(*values[half:])})"


def function_text(name: str, parameter: str, lines: list[str], result: str) -> str:
    body = indented([*lines, f"return {result};"])
    return f"fn {name}({parameter}: u32) -> u32 {{\n{body}\n}}"


def source(variant: Variant, accumulator: Accumulator) -> str:
    """The kernel of a variant."""
    text = Text(variant, accumulator)
    body = rows_body(text) if variant.threads else columns_body(text)
    shared = f"var<workgroup> shared_values: array<A, {WORKGROUP}>;" if variant.threads > 1 else ""
    return "\n".join([text.declarations(), shared, text.functions(), MAIN.format(body=body)])


ROWS = """
    let slice = thread / {threads}u;
    let lane = thread % {threads}u;
    let segment = workgroup * {slices}u + slice;
    var value = identity();
    if segment < {count} {{
{bounds}
        let start = across(row);
{centre}
        var a0 = identity();
        var a1 = identity();
        var a2 = identity();
        var a3 = identity();
        var r = begin + lane * 4u;
{unrolled}
        while r < end {{
{rest}
            r += {step}u;
        }}
        value = combine(combine(a0, a1), combine(a2, a3));
    }}
{tree}
    if lane == 0u && segment < {count} {{
{write}
    }}"""

UNROLLED_ROWS = """
        while r + {most}u < end {{
{loads}
            r += {step}u;
        }}"""

TREE = """
    shared_values[thread] = value;
    for (var half = {half}u; half > 0u; half >>= 1u) {{
        workgroupBarrier();
        if lane < half {{
            value = combine(value, shared_values[thread + half]);
            shared_values[thread] = value;
        }}
    }}"""


def rows_body(text: Text) -> str:
    """A slice of threads reduces a chunk of a row."""
    variant, named = text.variant, text.named
    step = variant.threads * EACH
    if variant.final:
        bounds = ["let row = segment;", "let begin = 0u;", f"let end = {named['length']};"]
        to = written_element(text.accumulator.result, "results", "to", "finish(value)")
        write = ["let to = target_place(segment);", to]
    else:
        bounds = [
            f"let row = segment / {named['chunks']};",
            f"let begin = (segment % {named['chunks']}) * {named['chunk_length']};",
            f"let end = min(begin + {named['chunk_length']}, {named['length']});",
        ]
        place = f"({text.target} + segment / {named['chunks']} * {named['pitch']}"
        write = [f"results[{place} + segment % {named['chunks']})] = value;"]
    centre = "        let centre = centres[centre_place(row)];" if text.centred else ""
    unrolled = ""
    if variant.threads == WORKGROUP:  # shorter rows have too few elements for that
        lines: list[str] = []
        groups: list[list[str]] = []
        for group in range(UNROLLED):
            lines.append(f"let r{group} = r + {group * step}u;")
            more, elements = group_of(text, f"r{group}", f"g{group}")
            lines += more
            groups.append(
                [text.value(x, f"{named['base']} + r{group} + {i}u")
                 for i, x in enumerate(elements)]
            )  # fmt: skip
        lines += [f"a{i} = {text.accumulator.follow}(a{i}, {text.follow(*values)});"
                  for i, values in enumerate(zip(*groups, strict=True))]  # fmt: skip
        unrolled = UNROLLED_ROWS.format(
            most=(UNROLLED - 1) * step + EACH - 1, step=UNROLLED * step, loads=_deeper(lines, 2)
        )
    rest, elements = ([], [""] * EACH)
    if variant.vector:
        rest, elements = group_of(text, "r", "g")
    for i, x in enumerate(elements):
        element = x or text.load(f"start + along(r + {i}u)")
        value = text.value(element, f"{named['base']} + r + {i}u")
        update = f"a{i} = {text.accumulator.follow}(a{i}, {value});"
        rest.append(f"if r + {i}u < end {{ {update} }}" if i else update)
    return ROWS.format(
        threads=variant.threads, slices=WORKGROUP // variant.threads, step=step,
        count=named["count"], bounds=_deeper(bounds), centre=centre, unrolled=unrolled,
        rest=_deeper(rest, 2),
        tree=TREE.format(half=variant.threads // 2) if variant.threads > 1 else "",
        write=_deeper(write),
    )  # fmt: skip


def group_of(text: Text, r: str, name: str) -> tuple[list[str], list[str]]:
    """Four neighbours of a row, all of which exist."""
    if text.variant.vector:
        lines, elements = text.load_vector(f"start + along({r})", name)
    else:
        lines, elements = [], [text.load(f"start + along({r} + {i}u)") for i in range(EACH)]
    # Loaded before anything is computed.
    lines = [*lines, *(f"let {name}_{i} = {x};" for i, x in enumerate(elements))]
    return lines, [f"{name}_{i}" for i in range(EACH)]


COLUMNS = """
    let item = workgroup * {workgroup}u + thread;
    if item >= {count} {{ return; }}
{bounds}
    let start = across(k);
{centres}
{initial}
    var r = begin;
    while r < end {{
        let stop = min(r + {run}u, end);
{run_initial}
        while r + {most}u < stop {{
{unrolled}
            r += {unroll}u;
        }}
        while r < stop {{
{rest}
            r += 1u;
        }}
{fold}
    }}
{write}"""


def columns_body(text: Text) -> str:
    """A thread reduces a chunk of one column, or of four."""
    variant, named = text.variant, text.named
    each = EACH if variant.vector else 1
    kept = f"{each}u * " if each > 1 else ""
    values = [f"a{i}" for i in range(each)]
    if variant.final:
        bounds = [f"let k = {kept}item;", "let begin = 0u;", f"let end = {named['length']};"]
        finished = [f"finish({x})" for x in values]
        result = text.accumulator.result
        if variant.stored:
            write = ["let to = target_place(k);", *result.store("results", "to", finished)]
        else:
            write = [f"{{ let to = target_place(k + {i}u); "
                     f"{written_element(result, 'results', 'to', x)} }}"
                     for i, x in enumerate(finished)]  # fmt: skip
    else:
        # The chunks of a column are ``pitch`` apart, and so many columns there are.
        columns = f"({named['pitch']} / {each}u)" if each > 1 else named["pitch"]
        bounds = [
            f"let k = {kept}(item % {columns});",
            f"let chunk = item / {columns};",
            f"let begin = chunk * {named['chunk_length']};",
            f"let end = min(begin + {named['chunk_length']}, {named['length']});",
        ]
        write = [f"results[{text.target} + chunk * {named['pitch']} + k + {i}u] = {x};"
                 for i, x in enumerate(values)]  # fmt: skip
    unrolled = COLUMN_UNROLLED if variant.elements else PARTIAL_UNROLLED
    lines: list[str] = []
    rows: list[list[str]] = []
    for row in range(unrolled):
        more, elements = row_of(text, f"r + {row}u", f"g{row}")
        lines += more
        index = f"{named['base']} + r + {row}u"
        rows.append([text.value(x, index, f"centre{i}") for i, x in enumerate(elements)])
    follow = text.accumulator.follow
    runs = [f"run{i}" for i in range(each)]
    lines += [f"{run} = {follow}({run}, {text.follow(*column)});"
              for run, column in zip(runs, zip(*rows, strict=True), strict=True)]  # fmt: skip
    rest, elements = row_of(text, "r", "g")
    index = f"{named['base']} + r"
    rest += [f"{run} = {follow}({run}, {text.value(x, index, f'centre{i}')});"
             for i, (run, x) in enumerate(zip(runs, elements, strict=True))]  # fmt: skip
    fold = [f"{a} = {follow}({a}, {run});" for a, run in zip(values, runs, strict=True)]
    return COLUMNS.format(
        workgroup=WORKGROUP, count=named["count"], bounds=indented(bounds),
        centres=indented([f"let centre{i} = centres[centre_place(k + {i}u)];"
                          for i in range(each)] if text.centred else []),
        initial=indented([f"var {a} = identity();" for a in values]),
        run=RUN, run_initial=_deeper([f"var {run} = identity();" for run in runs]),
        most=unrolled - 1, unroll=unrolled, unrolled=_deeper(lines, 2), rest=_deeper(rest, 2),
        fold=_deeper(fold),
        write=indented(write),
    )  # fmt: skip


def row_of(text: Text, r: str, name: str) -> tuple[list[str], list[str]]:
    """The elements of a thread's columns at a place along them."""
    if not text.variant.vector:
        return [f"let {name} = {text.load(f'start + along({r})')};"], [name]
    lines, elements = text.load_vector(f"start + along({r})", name)
    lines = [*lines, *(f"let {name}_{i} = {x};" for i, x in enumerate(elements))]
    return lines, [f"{name}_{i}" for i in range(EACH)]


def _deeper(lines: list[str], times: int = 1) -> str:
    space = "    " * times
    return "\n".join(f"{space}    {line}" for line in lines)
