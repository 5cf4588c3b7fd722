"""The text of the kernel that computes a matrix product in tiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numr_api._backends.webgpu.kernels import (
    binding,
    indented,
    position,
    written_element,
    written_type,
)
from numr_api._backends.webgpu.product_parts import (
    ADD,
    MAIN,
    MULTIPLY,
    Access,
    Form,
    Parameters,
    component,
    part_type,
    parts,
    quad,
    size_of,
    statement,
)
from numr_api._backends.webgpu.types import Type

INNER = 16  # the inner length of a tile
BLOCK = 1024  # inner length after which floating-point sums start anew, as errors grow with it
STORAGE = 16384  # bytes of workgroup memory that any device has


class Tile(NamedTuple):
    """A workgroup's part of the result.

    Attributes:
        size: rows and columns.
        row_quads, column_quads: four times these are a thread's rows and columns.
    """

    size: int
    row_quads: int
    column_quads: int

    @property
    def threads(self) -> int:
        return self.size * self.size // (16 * self.row_quads * self.column_quads)

    def fits(self, kind: Type) -> bool:
        return 2 * self.size * INNER * size_of(kind) <= STORAGE


# In each, every thread loads 4 x 4 elements of one operand for INNER elements of the inner axis.
TILES = (Tile(128, 2, 2), Tile(64, 2, 1), Tile(32, 1, 1))


def tiled(form: Form, tile: Tile, whole_quads: bool, vector_output: bool, unrolled: bool) -> str:
    """The kernel whose workgroups compute tiles of the result through workgroup memory.

    While a tile of the operands is multiplied, the next one is on its way to registers. Sums are
    variables with names, because arrays would be kept in memory.

    Arguments:
        whole_quads: whether the inner length is a multiple of 4.
        vector_output: whether four columns of the result can be stored at once.
        unrolled: whether the loop over a tile's inner axis is written out.
    """
    assert form.right is not None
    words, kind = Parameters(form), form.kind
    value = f"vec4<{part_type(kind)}>"
    quads = tile.size // 4
    loaders = quads * INNER // 4
    lines, axes = position(words.lengths, "matrix") if form.rank else ([], [])
    tiles_down, tiles_across = words.extra
    across = quads // tile.column_quads
    sides = (("left", form.left, words.rows, "row"), ("right", form.right, words.columns, "column"))
    lines = [
        # Bands of eight rows of tiles, as neighbours share what caches hold.
        f"let tiles = {tiles_down} * {tiles_across};",
        "let matrix = number / tiles;",
        f"let band = (number % tiles) / (8u * {tiles_across});",
        f"let within = (number % tiles) % (8u * {tiles_across});",
        f"let band_rows = min({tiles_down} - band * 8u, 8u);",
        f"let row = (band * 8u + within % band_rows) * {tile.size}u;",
        f"let column = within / band_rows * {tile.size}u;",
        *lines,
        f"let count = {words.count(form, axes)};",
        "var inner: u32; var slot: u32; var step: u32;",
        "var at0: u32; var at1: u32; var at2: u32; var at3: u32;",
        *_by_side(loaders, [
            _places(words, axes, tile, name, access, length, first, loaders)
            for name, access, length, first in sides
        ]),
        *[f"var p{i}{part} = {value}();" for i in range(4) for part in parts(kind)],
        "var k = 0u;",
    ]  # fmt: skip
    fetching = _by_side(loaders, [
        _fetch(kind, name, access, words.last[name], whole_quads) for name, access, _, _ in sides
    ])  # fmt: skip
    storing = _by_side(loaders, [_store(kind, name, access, quads) for name, access, _, _ in sides])
    rows = [(g, i) for g in range(tile.row_quads) for i in range(4)]
    sums = [(f"c{4 * g + i}_{h}", g, i, h) for g, i in rows for h in range(tile.column_quads)]
    floating = kind.kind in "fc"
    blocks = f"for (var block = 0u; block < count; block += {BLOCK}u) {{" if floating else "{"
    end = f"min(block + {BLOCK}u, count)" if floating else "count"
    lines += [
        f"let down = thread / {across}u;",
        f"let along = thread % {across}u;",
        "{ let next = k;", *fetching, "}",
        blocks,
        f"let end = {end};",
        *[f"var {name}{part} = {value}();" for name, *_ in sums for part in parts(kind)],
        f"for (; k < end; k += {INNER}u) {{",
        *storing,
        "workgroupBarrier();",
        f"{{ let next = k + {INNER}u;", *fetching, "}",
        *_multiplications(kind, tile, sums, unrolled),
        "workgroupBarrier();",
        "}",
    ]  # fmt: skip
    for name, g, i, h in sums:
        given = ", ".join(name + part for part in parts(kind))
        again = ", block > 0u" if floating else ""
        lines.append(
            f"put({words.first('output', axes)}, row + {g * (tile.size // tile.row_quads) + i}u"
            f" + down * 4u, column + {h * (tile.size // tile.column_quads)}u + along * 4u, "
            f"{given}{again});"
        )
    lines.append("}")
    memory = [
        f"var<workgroup> {name}_tile{part}: array<{value}, {INNER * quads}>;"
        for name, *_ in sides
        for part in parts(kind)
    ]
    return "\n".join([
        words.declaration,
        binding(1, "output", form.stored.vector[0] if vector_output else written_type(form.stored)),
        *[binding(i, side[0], side[1].element(kind)) for i, side in enumerate(sides, 2)],
        *memory,
        _put(form, words, vector_output),
        MAIN.format(threads=tile.threads, lines=indented(lines)),
    ])  # fmt: skip


def _by_side(loaders: int, sides: list[list[str]]) -> list[str]:
    """Half of the threads load the left operand, half the right one."""
    return [f"if thread < {loaders}u {{", *sides[0], "} else {", *sides[1], "}"]


def _places(
    words: Parameters,
    axes: Sequence[str],
    tile: Tile,
    name: str,
    access: Access,
    length: str,
    first: str,
    loaders: int,
) -> list[str]:
    """Where a thread's 4 x 4 elements are, and where they go in workgroup memory.

    The place there is exchanged with others of the same row, differently for each four rows: else
    threads that load along the inner axis would all write to the same banks.
    """
    own = "thread" if name == "left" else f"(thread - {loaders}u)"
    quads, depth = tile.size // 4, INNER // 4
    inner, outer = words.last[name], words.outer[name]
    if access.along == "inner":
        lines = [f"inner = {own} % {depth}u * 4u;", f"let chosen = {own} / {depth}u;"]
    else:
        lines = [f"inner = {own} / {quads}u * 4u;", f"let chosen = {own} % {quads}u;"]
    lines += ["slot = chosen ^ (inner >> 1u);", f"step = {INNER}u * {inner};"]
    begin = f"{words.first(name, axes)} + inner * {inner}"
    if access.vector and access.along == "outer":
        lines.append(f"at0 = {begin} + min({first} + chosen * 4u, {length} - 4u) * {outer};")
        return [*lines, *[f"at{i} = at0 + {i}u * {inner};" for i in (1, 2, 3)]]
    return [*lines, *[
        f"at{i} = {begin} + min({first} + chosen * 4u + {i}u, {length} - 1u) * {outer};"
        for i in range(4)
    ]]  # fmt: skip


def _fetch(kind: Type, name: str, access: Access, inner: str, whole_quads: bool) -> list[str]:
    """Load a thread's elements of the tile at ``next``; zeros beyond the end of the inner axis."""
    zeros = [f"p{i}{part} = vec4<{part_type(kind)}>();" for i in range(4) for part in parts(kind)]
    lines: list[str] = []
    for i in range(4):
        if access.vector:
            more, values = kind.load(name, f"at{i}", "loaded")
        else:
            places = [f"at{j} + {i}u * {inner}" for j in range(4)]
            more, values = [], [kind.element(name, place) for place in places]
        if len(parts(kind)) > 1:
            more += [f"let e{j} = {text};" for j, text in enumerate(values)]
            values = [f"e{j}" for j in range(4)]
        more += [f"p{i}{part} = {quad(kind, values, part)};" for part in parts(kind)]
        lines.append("{" if whole_quads else f"if next + inner + {i}u < count {{")
        lines += [*more, "}"]
    steps = [f"at{i} += step;" for i in range(4)]
    if whole_quads:
        return ["if next + inner < count {", *lines, *steps, "} else {", *zeros, "}"]
    return [*zeros, *lines, *steps]


def _store(kind: Type, name: str, access: Access, quads: int) -> list[str]:
    """Put a thread's elements to workgroup memory, rows of which are along the outer axis."""
    lines: list[str] = []
    for part in parts(kind):
        for i in range(4):
            text = f"p{i}{part}"
            if access.vector and access.along == "inner":
                across = ", ".join(f"p{j}{part}.{'xyzw'[i]}" for j in range(4))
                text = f"vec4<{part_type(kind)}>({across})"
            lines.append(f"{name}_tile{part}[(inner + {i}u) * {quads}u + slot] = {text};")
    return lines


def _multiplications(
    kind: Type, tile: Tile, sums: list[tuple[str, int, int, int]], unrolled: bool
) -> list[str]:
    """Add a tile's products to the sums."""
    quads = tile.size // 4
    lines: list[str] = []
    for i in range(4):
        lines.append("{")
        for letter, name, own, count in (
            ("a", "left", "down", tile.row_quads),
            ("b", "right", "along", tile.column_quads),
        ):
            for g in range(count):
                place = f"(q * 4u + {i}u) * {quads}u + {g * quads // count}u + ({own} ^ (q * 2u))"
                lines += [
                    f"let {letter}{g}{part} = {name}_tile{part}[{place}];" for part in parts(kind)
                ]
        for name, g, row, h in sums:
            names = {"c": name, "a": f"a{g}.{'xyzw'[row]}", "b": f"b{h}"}
            lines.append(statement(MULTIPLY, kind, **names))
        lines.append("}")
    if not unrolled:
        return [f"for (var q = 0u; q < {INNER // 4}u; q++) {{", *lines, "}"]
    return [line.replace("(q * 4u", f"({4 * q}u").replace("(q * 2u)", f"{2 * q}u")
            for q in range(INNER // 4) for line in lines]  # fmt: skip


def _put(form: Form, words: Parameters, vector: bool) -> str:
    """The function that stores four columns of a row, or adds to what is there."""
    kind, stored = form.kind, form.stored
    value = f"vec4<{part_type(kind)}>"
    given = ", ".join(f"v{part}: {value}" for part in parts(kind))
    floating = kind.kind in "fc"
    again = ", again: bool" if floating else ""
    at = f"first + row * {words.outer['output']} + column * {words.last['output']}"
    lines = [
        f"if row >= {words.rows} || column >= {words.columns} {{ return; }}",
        f"let place = {at};",
        *[f"var c{part} = v{part};" for part in parts(kind)],
    ]
    results = [component(kind, "c", i) for i in range(4)]
    if vector:
        more, values = stored.load("output", "place", "before")
        if floating:
            added = [f"let b{part} = {quad(kind, values, part)};" for part in parts(kind)]
            added.append(statement(ADD, kind, c="c", a="b"))
            lines += ["if again {", *more, *added, "}"]
        lines += stored.store("output", "place", results)
    else:
        for i, result in enumerate(results):
            place = f"(place + {i}u * {words.last['output']})"
            text = written_element(stored, "output", place, result)
            if floating:
                text = f"var to = {result}; if again {{ to += output[{place}]; }} " + (
                    f"output[{place}] = to;"
                )
            lines.append(f"if column + {i}u < {words.columns} {{ {text} }}")
    text = indented(lines)
    return f"fn put(first: u32, row: u32, column: u32, {given}{again}) {{\n{text}\n}}"
