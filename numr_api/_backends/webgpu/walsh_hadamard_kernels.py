"""The text of the kernels of the Walsh-Hadamard transform; see ``walsh_hadamard``."""

from __future__ import annotations

from typing import NamedTuple

from numr_api._backends.webgpu.kernels import (
    EACH,
    Words,
    binding,
    indented,
    place_of,
    position,
    written_element,
    written_type,
)
from numr_api._backends.webgpu.types import Type


class Pass(NamedTuple):
    """What the text of a kernel depends on.

    Attributes:
        tile: elements that a workgroup transforms.
        first, end: distances of the butterflies in the tile, from the first one on; powers of two.
        signed: whether elements are multiplied with signs first.
        across: whether the tile's elements are apart, in groups of ``first`` neighbours.
        rank: of the loop over the source.
        vector: whether four elements are read at once, and written.
        scaled: whether results are multiplied at the end.
    """

    tile: int
    first: int
    end: int
    signed: bool
    across: bool
    rank: int
    vector: bool
    scaled: bool


MAIN = """
var<workgroup> tile: array<V, {quarter}>;

@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {{
    opaque_zero = parameters[0].x;
    let number = group.y * groups.x + group.x;
    for (var g = thread; g < {quarter}u; g += 256u) {{
        let first = element(number, g);
        var value = V(T(0), T(0), T(0), T(0));
        if first < {count} {{
{loads}
        }}
        tile[g] = value;
    }}
{stages}
    workgroupBarrier();
    for (var g = thread; g < {quarter}u; g += 256u) {{
        let first = element(number, g);
        if first < {count} {{
            let value = tile[g]{scale};
{stores}
        }}
    }}
}}"""

# Butterflies of groups of four elements that are ``h`` groups apart, of two stages at a time.
TWO_STAGES = """
    workgroupBarrier();
    for (var i = thread; i < {quarter}u / 4u; i += 256u) {{
        let at = (i / {h}u) * {h}u * 4u + i % {h}u;
        let a = tile[at];
        let b = tile[at + {h}u];
        let c = tile[at + 2u * {h}u];
        let d = tile[at + 3u * {h}u];
        let ab = a + b;
        let cd = c + d;
        let a_b = a - b;
        let c_d = c - d;
        tile[at] = ab + cd;
        tile[at + {h}u] = a_b + c_d;
        tile[at + 2u * {h}u] = ab - cd;
        tile[at + 3u * {h}u] = a_b - c_d;
    }}"""
ONE_STAGE = """
    workgroupBarrier();
    for (var i = thread; i < {quarter}u / 2u; i += 256u) {{
        let at = (i / {h}u) * {h}u * 2u + i % {h}u;
        let a = tile[at];
        let b = tile[at + {h}u];
        tile[at] = a + b;
        tile[at + {h}u] = a - b;
    }}"""

# The index of the first of four elements of a tile: of a contiguous one; of one across the tiles
# of a block, with so many neighbours.
IN_ORDER = "return number * {tile}u + 4u * g;"
ACROSS = """
    let columns = {tile}u / {neighbours}u;
    let block = number / columns;
    let t = 4u * g;
    return block * {block} + (t / {neighbours}u) * {tile}u + (number % columns) * {neighbours}u
        + t % {neighbours}u;
"""


def source_text(step: Pass, source: Type, target: Type) -> str:
    words = Words(1)
    count, last_axis, shift, block, place, out_place, signs_place, signs_step = words.take(8)
    wide = "f64" if source.compute == "f64" else "f32"
    scale = words.take(2 if wide == "f64" else 1)
    factor = f"bitcast<f32>({scale[0]})"
    if wide == "f64":
        factor = f"bitcast<f64>((u64({scale[1]}) << 32u) | u64({scale[0]}))"
    lengths, steps = words.take(step.rank), words.take(step.rank)
    lines, axes = position(lengths, "index")
    body = indented([*lines, f"return {place_of(place, steps, axes)};"])
    index = ACROSS if step.across else IN_ORDER
    index = index.format(tile=step.tile, neighbours=step.first, block=block)
    parts = [
        words.declaration(),
        f"alias T = {wide};\nalias V = vec4<T>;",
        binding(1, "data", source.vector[0] if step.vector else source.scalar),
        binding(2, "output", target.vector[0] if step.vector else written_type(target)),
        f"fn place(index: u32) -> u32 {{\n{body}\n}}",
        f"fn element(number: u32, g: u32) -> u32 {{\n{index}\n}}",
    ]
    if step.signed:
        parts.append(binding(3, "signs", source.scalar))
    main = MAIN.format(
        quarter=step.tile // EACH, count=count, loads=_loads(step, source, count, last_axis, shift,
                                                             signs_place, signs_step),
        stages=_stages(step), scale=f" * {factor}" if step.scaled else "",
        stores=_stores(step, target, out_place, count),
    )  # fmt: skip
    return "\n".join([*parts, main])


def _loads(
    step: Pass, kind: Type, count: str, last_axis: str, shift: str, place: str, stride: str
) -> str:
    """Statements that load four elements and combine those of a block among them."""
    if step.vector:
        lines, values = kind.load("data", "place(first)", "loaded")
    else:
        lines = []
        values = [kind.element("data", f"place(min(first + {i}u, {count} - 1u))")
                  for i in range(EACH)]  # fmt: skip
    if step.signed:
        values = [
            f"{value} * "
            + kind.element(
                "signs", f"({place} + (({shift} + first + {i}u) % {last_axis}) * {stride})"
            )
            for i, value in enumerate(values)
        ]
    lines.append(f"value = V({', '.join(values)});")
    distances = [h for h in (1, 2) if step.first <= h < step.end]
    if 1 in distances:
        lines.append("value = V(value.x + value.y, value.x - value.y, "
                     "value.z + value.w, value.z - value.w);")  # fmt: skip
    if 2 in distances:
        lines.append("value = V(value.xy + value.zw, value.xy - value.zw);")
    return "\n".join(f"            {line}" for line in lines)


def _stages(step: Pass) -> str:
    """The butterflies over groups of four elements."""
    parts: list[str] = []
    h, end, quarter = max(step.first // EACH, 1), step.end // EACH, step.tile // EACH
    while h < end:
        two = 2 * h < end
        parts.append((TWO_STAGES if two else ONE_STAGE).format(quarter=quarter, h=h))
        h *= 4 if two else 2
    return "".join(parts)


def _stores(step: Pass, kind: Type, place: str, count: str) -> str:
    values = [f"value.{c}" for c in "xyzw"]
    if step.vector:
        lines = kind.store("output", f"{place} + first", values)
    else:
        lines = [
            f"if first + {i}u < {count} {{ "
            f"{written_element(kind, 'output', f'({place} + first + {i}u)', value)} }}"
            for i, value in enumerate(values)
        ]
    return "\n".join(f"            {line}" for line in lines)
