"""The text of the kernel that computes a matrix product in tiles.

Why the tiles are what they are, in TFLOP/s for 4096 x 4096 on an H200:

| float32 (cuBLAS 51) | |
| --- | --- |
| 128 x 128, a thread 8 x 8, inner length 16, warps of 2 x 16 threads | 38.8 |
| the same, warps of 4 x 8 threads | 39.9 |
| the same, inner length 32, loads without a condition of each thread's own | 43.2 |
| the same, each eighth of a warp 2 x 4 threads: what is used | 44.6 |
| inner length 32, warps of 4 x 8, sums not started anew every 1024 (see BLOCK) | 44.8 |
| the same started anew, but nothing is loaded from device memory | 48.7 |
| two stages of inner length 16; of 8 | 41.1; 38.0 |
| a thread 16 x 4; 8 x 16; 16 x 8 | 41.4; 36.9 to 41.1; 29 to 39 |
| 128 x 64, or 64 x 64 with a thread 8 x 8 | 41.1; 40.0 |
| the loop over the tile's inner axis not written out | 37.5 |

| float64 (cuBLAS 63 by tensor cores, which WGSL has not; 33 is the most without) | |
| --- | --- |
| 64 x 64, a thread 8 x 4, inner length 16, quads read as one vector of 32 bytes | 14.9 |
| the same, quads cut in two, so that reads meet no conflicts of banks; warps as above | 19.9 |
| 128 x 64, a thread 8 x 8, inner length 8, two stages, each eighth of a warp 2 x 4: used | 21.7 |
| 128 x 128, a thread 8 x 8, inner length 8, one stage; two | 18.1; 19.2 |
| 64 x 128, a thread 16 x 4, warps of 1 x 32, two stages of inner length 8 | 20.6 |
| 128 x 64 without loading from device memory; and without barriers | 23.7; 24.5 |

Reads of workgroup memory take about as long as the multiplications, hence a thread's 8 x 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numr_api._backends.webgpu.kernels import (
    binding,
    indented,
    position,
    written_type,
)
from numr_api._backends.webgpu.product_loads import Loaded, Loading
from numr_api._backends.webgpu.product_parts import (
    ADD,
    MAIN,
    MULTIPLY,
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

INNER = 16  # the inner length of the smallest tiles
BLOCK = 1024  # inner length after which floating-point sums start anew, as errors grow with it
WARP = 32  # threads that large GPUs run in step


class Tile(NamedTuple):
    """A workgroup's part of the result.

    Attributes:
        rows, columns: of the result.
        row_quads, column_quads: four times these are a thread's rows and columns.
        inner: length of the inner axis that workgroup memory holds at a time.
        stages: 2 if the next elements go where nobody reads the last ones, which saves a barrier.
    """

    rows: int
    columns: int
    row_quads: int
    column_quads: int
    inner: int
    stages: int

    @property
    def threads(self) -> int:
        return self.rows * self.columns // (16 * self.row_quads * self.column_quads)

    def storage(self, kind: Type) -> int:
        """Bytes of workgroup memory."""
        return self.stages * (self.rows + self.columns) * self.inner * size_of(kind)


# By bytes of an element, the best first; of several of one shape the first that a device can hold.
NARROW = (Tile(64, 8, 1, 1, 16, 1), Tile(64, 16, 1, 1, 16, 1), Tile(16, 64, 1, 1, 16, 1))
SQUARE = (Tile(64, 64, 2, 1, 16, 1), *NARROW, Tile(32, 32, 1, 1, 16, 1))
TILES = {
    4: (
        Tile(128, 128, 2, 2, 32, 1),
        Tile(128, 128, 2, 2, 16, 1),
        Tile(64, 64, 2, 1, 32, 1),
        *(tile._replace(inner=32) for tile in NARROW),
        Tile(32, 32, 1, 1, 16, 1),
    ),
    8: SQUARE,
    16: SQUARE,
}
WIDE = Tile(128, 64, 2, 2, 8, 2)  # for float64, before the others; complex64 gains 3 % at best
DEEPEST = 32  # the largest inner length, of which the others are parts
LARGEST = 128  # rows or columns


def tiles_of_type(kind: Type, storage: int) -> Sequence[Tile]:
    """The tiles for a type on a device with so many bytes of workgroup memory."""
    size = size_of(kind)
    tiles = [WIDE] if size == 8 and kind.kind == "f" else []
    found: dict[tuple[int, int], Tile] = {}
    for tile in (*tiles, *TILES[size]):
        if tile.storage(kind) <= storage:
            found.setdefault((tile.rows, tile.columns), tile)
    return list(found.values())


def tiled(form: Form, tile: Tile, whole: str, vector_output: bool, unrolled: bool) -> str:
    """The kernel whose workgroups compute tiles of the result through workgroup memory.

    While a tile of the operands is multiplied, the next one is on its way to registers. Sums are
    variables with names, because arrays would be kept in memory.

    Arguments:
        whole: "tiles" or "quads" if the inner length is a number of these.
        vector_output: whether four columns of the result can be stored at once.
        unrolled: whether the loop over a tile's inner axis is written out.
    """
    assert form.right is not None
    words, kind = Parameters(form), form.kind
    lines, axes = position(words.lengths, "matrix") if form.rank else ([], [])
    tiles_down, tiles_across = words.extra
    left = Loaded(kind, "left", form.left, words.rows, "row", tile.rows, tile.inner,
                  tile.row_quads, tile.stages)  # fmt: skip
    right = Loaded(kind, "right", form.right, words.columns, "column", tile.columns, tile.inner,
                   tile.column_quads, tile.stages)  # fmt: skip
    loading = Loading(words, axes, (left, right), tile.threads)
    lines = [
        # Bands of eight rows of tiles, as neighbours share what caches hold.
        f"let tiles = {tiles_down} * {tiles_across};",
        "let matrix = number / tiles;",
        f"let band = (number % tiles) / (8u * {tiles_across});",
        f"let within = (number % tiles) % (8u * {tiles_across});",
        f"let band_rows = min({tiles_down} - band * 8u, 8u);",
        f"let row = (band * 8u + within % band_rows) * {tile.rows}u;",
        f"let column = within / band_rows * {tile.columns}u;",
        *lines,
        f"let count = {words.count(form, axes)};",
        *loading.begin(),
        "var k = 0u;",
        "var stage = 0u;",
        *_roles(tile),
        "{ let next = k;", *loading.fetch(whole), "}",
    ]  # fmt: skip
    rows = [(g, i) for g in range(tile.row_quads) for i in range(4)]
    sums = [(f"c{4 * g + i}_{h}", g, i, h) for g, i in rows for h in range(tile.column_quads)]
    floating = kind.kind in "fc"
    blocks = f"for (var block = 0u; block < count; block += {BLOCK}u) {{" if floating else "{"
    end = f"min(block + {BLOCK}u, count)" if floating else "count"
    lines += [
        blocks,
        f"let end = {end};",
        *[f"var {name}{part} = vec4<{part_type(kind)}>();"
          for name, *_ in sums for part in parts(kind)],
        f"for (; k < end; k += {tile.inner}u) {{",
        *loading.store(),
        "workgroupBarrier();",
        f"{{ let next = k + {tile.inner}u;", *loading.fetch(whole), "}",
        *_multiplications(tile, left, right, sums, unrolled),
        "workgroupBarrier();" if tile.stages == 1 else "stage = 1u - stage;",
        "}",
    ]  # fmt: skip
    for name, g, i, h in sums:
        given = ", ".join(name + part for part in parts(kind))
        again = ", block > 0u" if form.adds else ""
        lines.append(
            f"put({words.first('output', axes)}, row + {g * (tile.rows // tile.row_quads) + i}u"
            f" + down * 4u, column + {h * (tile.columns // tile.column_quads)}u + along * 4u, "
            f"{given}{again});"
        )
    lines.append("}")
    return "\n".join([
        words.declaration,
        binding(1, "output", form.stored.vector[0] if vector_output else written_type(form.stored)),
        binding(2, "left", form.left.element(kind)),
        binding(3, "right", form.right.element(kind)),
        *left.memory(),
        *right.memory(),
        _put(form, words, vector_output),
        MAIN.format(threads=tile.threads, lines=indented(lines)),
    ])  # fmt: skip


def _roles(tile: Tile) -> list[str]:
    """Which rows and columns are a thread's.

    A warp's are 4 x 8 quads and an eighth's of it 2 x 4: they read few different elements at once.
    """
    down = tile.rows // (4 * tile.row_quads)
    across = tile.columns // (4 * tile.column_quads)
    if down < 4 or across < 8:
        return [f"let down = thread / {across}u;", f"let along = thread % {across}u;"]
    warps = across // 8
    return [
        f"let warp = thread / {WARP}u;",
        f"let down = warp / {warps}u * 4u + thread % {WARP}u / 16u * 2u + thread % 2u;",
        f"let along = warp % {warps}u * 8u + thread % 16u / 2u;",
    ]


def _multiplications(
    tile: Tile,
    left: Loaded,
    right: Loaded,
    sums: list[tuple[str, int, int, int]],
    unrolled: bool,
) -> list[str]:
    """Add a tile's products to the sums."""
    kind = left.kind

    def of_quad(q: str) -> list[str]:
        lines: list[str] = []
        for i in range(4):
            lines.append("{")
            for letter, side, own in (("a", left, "down"), ("b", right, "along")):
                lines += [f"let {letter}{g}{part} = {side.read(q, i, own, g, part)};"
                          for g in range(side.groups) for part in parts(kind)]  # fmt: skip
            for name, g, row, h in sums:
                names = {"c": name, "a": f"a{g}.{'xyzw'[row]}", "b": f"b{h}"}
                lines.append(statement(MULTIPLY, kind, **names))
            lines.append("}")
        return lines

    count = tile.inner // 4
    if not unrolled:
        return [f"for (var q = 0u; q < {count}u; q++) {{", *of_quad("q"), "}"]
    return [line for q in range(count) for line in of_quad(f"{q}u")]


def _put(form: Form, words: Parameters, vector: bool) -> str:
    """The function that stores four columns of a row, or adds to what is there.

    Further blocks of the inner axis are added, and all of them if they are subtracted.
    """
    kind, stored = form.kind, form.stored
    value = f"vec4<{part_type(kind)}>"
    given = ", ".join(f"v{part}: {value}" for part in parts(kind))
    again = ", again: bool" if form.adds else ""
    at = f"first + row * {words.outer['output']} + column * {words.last['output']}"
    lines = [
        f"if row >= {words.rows} || column >= {words.columns} {{ return; }}",
        f"let place = {at};",
        *[f"var c{part} = v{part};" for part in parts(kind)],
    ]
    results = [component(kind, "c", i) for i in range(4)]
    if vector:
        more, values = stored.load("output", "place", "before")
        if form.subtracts:
            lines += [*more, *[f"c{part} = {quad(kind, values, part)} - c{part};"
                               for part in parts(kind)]]  # fmt: skip
        if form.adds:
            added = [f"let b{part} = {quad(kind, values, part)};" for part in parts(kind)]
            added.append(statement(ADD, kind, c="c", a="b"))
            lines += ["if again {", *more, *added, "}"]
        lines += stored.store("output", "place", results)
    else:
        for i, result in enumerate(results):
            place = f"(place + {i}u * {words.last['output']})"
            text = form.put("output", place, result)
            if form.adds:
                text = f"var to = {result}; if again {{ to += output[{place}]; }} " + (
                    f"output[{place}] = to;"
                )
            lines.append(f"if column + {i}u < {words.columns} {{ {text} }}")
    text = indented(lines)
    return f"fn put(first: u32, row: u32, column: u32, {given}{again}) {{\n{text}\n}}"
