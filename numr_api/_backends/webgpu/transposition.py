"""Copies of transposed data by tiles: both the reads and the writes are of neighbours.

The axis along which the data is contiguous, the fast one, is not the last one of the result. A
workgroup loads a tile of the fast and the last axis along the fast one, and stores it along the
last one.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from numr_api._backends.webgpu.data import Strided, merge, row_major
from numr_api._backends.webgpu.kernels import (
    WORKGROUP,
    Words,
    binding,
    indented,
    place_of,
    position,
)
from numr_api._backends.webgpu.types import WORD, Type, convert

if TYPE_CHECKING:
    from numr_api._backends import Shape
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._dtypes import DType

LEAST = 1 << 16  # elements; of fewer, the tiles gain nothing
NEVER = 1 << 62  # where caches are large and barriers slow, as on a processor, they lose
SHORTEST = 16  # length of an axis
ACROSS = 32  # elements of a tile along the fast axis
WORDS = 2048  # of a tile


def plan(data: Strided) -> tuple[Shape, Shape, int] | None:
    """The merged axes, their strides and which axis is the fast one; None if tiles do not fit."""
    if data.is_contiguous or data.block.buffer.whole is None:
        return None
    lengths, (_, steps) = merge(data.shape, (row_major(data.shape), data.strides))
    if 1 not in steps or steps[-1] in (0, 1, -1):
        return None
    fast = steps.index(1)
    if min(lengths[fast], lengths[-1]) < SHORTEST:
        return None
    return lengths, steps, fast


def copy(
    backend: WebgpuBackend, data: Strided, dtype: DType, kinds: tuple[Type, Type]
) -> Strided | None:
    """New data of a dtype; None if the data is not for tiles."""
    planned = plan(data)
    if planned is None:
        return None
    lengths, steps, fast = planned
    source, target = kinds
    if lengths[-1] % target.packed:
        return None
    with backend.gpu.lock:
        out = backend.empty(data.shape, dtype)
        if out.block.buffer.whole is None:
            return None
        rank = len(lengths)
        along = _along(target)
        tiles = [1 if axis in (fast, rank - 1) else n for axis, n in enumerate(lengths)]
        tiles[fast] = -(-lengths[fast] // ACROSS)
        tiles[-1] = -(-lengths[-1] // along)
        program = backend.compiled(
            ("transposed", source.name, target.name, rank, fast), "copy", 2,
            lambda: _source_text(source, target, rank, fast),
        )  # fmt: skip
        words = [0, prod(tiles), out.offset, data.offset]
        words += [*lengths, *tiles, *(s & WORD for s in steps), *row_major(lengths)]
        bindings = (out.block.buffer.whole, data.block.buffer.whole)
        backend.gpu.dispatch(program, bindings, words, prod(tiles))  # type: ignore[arg-type]
    return out


def _along(target: Type) -> int:
    """Elements of a tile along the last axis."""
    return WORDS // ACROSS // target.words


MAIN = """
@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {{
    let tile_number = group.y * groups.x + group.x;
    if tile_number >= parameters[0].y {{ return; }}
{lines}
}}"""


def _source_text(source: Type, target: Type, rank: int, fast: int) -> str:
    words = Words(2)
    out_place, place = words.take(2)
    lengths, tiles, steps, out_steps = (words.take(rank) for _ in range(4))
    along, last = _along(target), rank - 1
    is_bool = target.kind == "b"  # which NVIDIA's driver loses in workgroup memory (580.159)
    lines, axes = position(tiles, "tile_number")
    starts = list(axes)
    starts[fast], starts[last] = f"({axes[fast]} * {ACROSS}u)", f"({axes[last]} * {along}u)"
    lines += [
        f"let begin = {place_of(place, steps, starts)};",
        f"let output_begin = {place_of(out_place, out_steps, starts)};",
        f"let across_left = {lengths[fast]} - {starts[fast]};",
        f"let along_left = {lengths[last]} - {starts[last]};",
    ]
    # Loads, all before the first is needed; at the ends some are of the last element again.
    rows = WORKGROUP // ACROSS
    lines += [
        f"let column = thread % {ACROSS}u;",
        f"let row = thread / {ACROSS}u;",
        "let across = min(column, across_left - 1u);",
    ]
    count = along // rows
    for i in range(count):
        where = f"begin + across + min(row + {i * rows}u, along_left - 1u) * {steps[last]}"
        value = convert(source, target, source.element("data", where))
        lines.append(f"let loaded{i} = {target.bits(value) if is_bool else value};")
    lines += [f"tile[(row + {i * rows}u) * {ACROSS + 1}u + column] = loaded{i};"
              for i in range(count)]  # fmt: skip
    lines.append("workgroupBarrier();")
    # Stores of whole words
    width = along // target.packed
    rows = WORKGROUP // width
    lines += [
        f"let word = thread % {width}u;",
        f"let line = thread / {width}u;",
        f"if word * {target.packed}u >= along_left {{ return; }}",
    ]
    for i in range(ACROSS // rows):
        line = f"(line + {i * rows}u)"
        values = [
            f"tile[(word * {target.packed}u + {k}u) * {ACROSS + 1}u + {line}]"
            + (" != 0u" if is_bool else "")
            for k in range(target.packed)
        ]
        value = values[0] if target.packed == 1 else target.pack(values)
        where = f"(output_begin + {line} * {out_steps[fast]}) / {target.packed}u + word"
        lines.append(f"if {line} < across_left {{ output[{where}] = {value}; }}")
    element = "u32" if is_bool else target.compute
    return "\n".join([
        words.declaration(),
        binding(1, "output", target.scalar),
        binding(2, "data", source.scalar),
        f"var<workgroup> tile: array<{element}, {along * (ACROSS + 1)}>;",
        MAIN.format(lines=indented(lines)),
    ])  # fmt: skip
