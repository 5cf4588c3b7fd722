"""Copies of dtypes of which several elements share a word, to places that begin inside one.

A thread writes a whole word of the target: only at the ends of rows are words shared with others.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from numr_api._backends.webgpu.data import Strided, merge
from numr_api._backends.webgpu.kernels import (
    EACH,
    WORKGROUP,
    Words,
    binding,
    indented,
    pieces,
    place_of,
    position,
    window_of,
)
from numr_api._backends.webgpu.types import WORD, Type

if TYPE_CHECKING:
    from numr_api._backends import Shape
    from numr_api._backends.webgpu.device import WebgpuBackend

MAIN = """
@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {{
    let number = (group.y * groups.x + group.x) * 256u + thread;
    if number >= parameters[0].y {{ return; }}
    let words_of_row = parameters[0].z;
    let row = number / words_of_row;
{lines}
    let word = begin / {packed}u + number % words_of_row;
    let skipped = word * {packed}u - begin; // above all lengths if the word begins before the row
    var mask = 0u;
    for (var i = 0u; i < {packed}u; i++) {{
        mask |= select(0u, {ones}, skipped + i < {length}) << (i * {width}u);
    }}
    if mask == 0u {{ return; }}
{bits}
    if mask == 0xffffffffu {{
        atomicStore(&output[word], bits);
    }} else {{
        atomicXor(&output[word], (atomicLoad(&output[word]) ^ bits) & mask);
    }}
}}"""

# From a contiguous row: from two words. Those that hold none of its elements are not looked at.
FROM_ROWS = """
    let first = bitcast<i32>(source_begin + skipped);
    let least = bitcast<i32>(source_begin >> {shift}u);
    let most = bitcast<i32>((source_begin + {length} - 1u) >> {shift}u);
    let low = source[clamp(first >> {shift}u, least, most)];
    let high = source[clamp((first >> {shift}u) + 1, least, most)];
    let bit = u32(first & {last}) * {width}u;
    let bits = (low >> bit) | select(high << (32u - bit), 0u, bit == 0u);
"""
FROM_ELEMENTS = """
    var bits = 0u;
    for (var i = 0u; i < {packed}u; i++) {{
        let at = min(skipped + i, {length} - 1u);
        bits |= ({element}) << (i * {width}u);
    }}
"""


def applies(target: Strided, kind: Type) -> bool:
    """Whether this is faster for a target than the kernels of element-wise operations."""
    if kind.packed == 1 or not target.size or target.strides[-1:] != (1,):
        return False
    *strides, _ = target.strides
    return bool(target.shape[-1] % EACH or target.offset % EACH or any(s % EACH for s in strides))


def copy(backend: WebgpuBackend, source: Strided, target: Strided, kind: Type) -> None:
    """Write to a target of the source's shape; they do not overlap."""
    lengths, steps = merge(target.shape, (target.strides, source.strides))
    if not lengths or steps[0][-1] != 1:
        lengths, steps = (*lengths, 1), ((*steps[0], 1), (*steps[1], 1))
    target.block.version += 1
    arrays = (target, source)
    for part, at in pieces(arrays, lengths, steps, (target.offset, source.offset)):
        _dispatch(backend, arrays, part, [s[len(s) - len(part) :] for s in steps], at, kind)


def _dispatch(
    backend: WebgpuBackend,
    arrays: Sequence[Strided],
    lengths: Shape,
    steps: Sequence[Shape],
    at: Sequence[int],
    kind: Type,
) -> None:
    if not lengths:
        lengths, steps = (1,), ((1,), (1,))
    windows = tuple(window_of(x, lengths, s, p) for x, s, p in zip(arrays, steps, at, strict=True))
    places = [p - w.offset // x.dtype.itemsize  # type: ignore[union-attr]
              for x, p, w in zip(arrays, at, windows, strict=True)]  # fmt: skip
    rank = len(lengths)
    from_rows = steps[1][-1] == 1
    program = backend.compiled(
        ("packed", kind.name, rank, from_rows), "copy", 2,
        lambda: _source_text(kind, rank, from_rows),
    )  # fmt: skip
    words_of_row = (lengths[-1] + 2 * kind.packed - 2) // kind.packed
    count = prod(lengths[:-1]) * words_of_row
    words = [0, count, words_of_row, *lengths]
    for place, step in zip(places, steps, strict=True):
        words += [place, *(s & WORD for s in step)]
    backend.gpu.dispatch(program, windows, words, -(-count // WORKGROUP))  # type: ignore[arg-type]


def _source_text(kind: Type, rank: int, from_rows: bool) -> str:
    words = Words(3)
    lengths = words.take(rank)
    target_place, *target_steps = words.take(1 + rank)
    source_place, *source_steps = words.take(1 + rank)
    lines: list[str] = []
    axes: list[str] = []
    if rank > 1:
        lines, axes = position(lengths[:-1], "row")
    begins = place_of(target_place, target_steps[:-1], axes)
    lines += [
        f"let begin = {begins};",
        f"let source_begin = {place_of(source_place, source_steps[:-1], axes)};",
    ]
    names = {
        "packed": kind.packed,
        "length": lengths[-1],
        "width": 32 // kind.packed,
        "ones": "0xffu" if kind.packed == 4 else "0xffffu",
        "shift": 2 if kind.packed == 4 else 1,
        "last": kind.packed - 1,
        "element": kind.element("source", f"source_begin + at * {source_steps[-1]}"),
    }
    bits = (FROM_ROWS if from_rows else FROM_ELEMENTS).format(**names)
    main = MAIN.format(lines=indented(lines), bits=bits, **names)
    declarations = [binding(1, "output", "atomic<u32>"), binding(2, "source", "u32")]
    return "\n".join([words.declaration(), *declarations, main])
