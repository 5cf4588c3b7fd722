"""The text of the kernels of Fourier transforms: Stockham's algorithm in a workgroup's memory.

A workgroup computes several short transforms. Its threads load the inputs of their butterflies of
the first stage straight from the data, exchange values through the workgroup's memory between
stages, and store the outputs of the last stage where they belong: Stockham's order needs no
permutation (P. N. Swarztrauber, Parallel Computing 5 (1987)). Long transforms are two or more
passes of such kernels (D. H. Bailey, FFTs in external or hierarchical memory, 1990).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api._backends.webgpu.fourier_flags import Flags, Form
from numr_api._backends.webgpu.fourier_stages import Stages, padding
from numr_api._backends.webgpu.kernels import MOST_WORDS, binding, indented, word
from numr_api._backends.webgpu.orders import kernel_text

if TYPE_CHECKING:
    from numr_api._backends.webgpu.fourier_lengths import Limits
    from numr_api._backends.webgpu.types import Type

AXES = 6  # the vector of parameters from which on there is one for each axis
LOOP_AXES = 11
SCALE = 22  # a word

__all__ = ["loop_source", "source"]

# Functions of the kernels by the flag that they tell.
ASKED = {
    "is_mirrored": Flags.MIRRORED,
    "is_padded": Flags.PADDED,
    "has_input_factor": Flags.INPUT_FACTOR,
    "has_output_factor": Flags.OUTPUT_FACTOR,
    "is_limited": Flags.LIMITED,
    "is_half": Flags.HALF,
}


def _header(kind: Type, axes: int, data: str, output: str) -> list[str]:
    real = kind.scalar
    scale = kind.scalar_from([word(SCALE + i) for i in range(kind.words)])
    return [
        f"@group(0) @binding(0) var<uniform> parameters: array<vec4<u32>, {MOST_WORDS // 4}>;",
        binding(1, "output", output),
        binding(2, "data", data),
        binding(3, "table", "V"),
        f"alias R = {real};",
        f"alias V = vec2<{real}>;",
        f"const FIRST_AXIS = {axes}u;",
        *[f"const {flag.name} = {flag.value}u;" for flag in (*Flags,)],
        f"fn scale() -> R {{ return {scale}; }}",
    ]


def loop_source(kind: Type, limits: Limits, threads: int) -> str:
    """The kernel for any short length; ``kind`` is the real type."""
    return "\n".join([
        *_header(kind, LOOP_AXES, "R", "R"),
        *[f"fn {name}() -> bool {{ return flag({flag.name}); }}" for name, flag in ASKED.items()],
        "fn element(place: u32) -> V {",
        "    if flag(REAL_INPUT) { return V(data[place], R(0)); }",
        "    return V(data[2u * place], data[2u * place + 1u]);",
        "}",
        "fn put(place: u32, value: V) {",
        "    if flag(REAL_OUTPUT) { output[place] = value.x; return; }",
        "    output[2u * place] = value.x;",
        "    output[2u * place + 1u] = value.y;",
        "}",
        f"const CAPACITY = {limits.capacity}u;",
        f"const THREADS = {threads}u;",
        kernel_text("fourier", "fourier_loop"),
    ])  # fmt: skip


MAIN = """
@compute @workgroup_size({threads})
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {{
    let first = (group.y * groups.x + group.x) * {together}u;
    if first >= parameters[0].y {{ return; }}
    let last = parameters[0].y - 1u - first;
{lines}
}}"""


def source(kind: Type, form: Form) -> str:
    """The kernel for a length, its stages unrolled; ``kind`` is the real type."""
    flags, shape = form.flags, form.shape
    real_input, real_output = Flags.REAL_INPUT in flags, Flags.REAL_OUTPUT in flags
    element = "V(data[place], R(0))" if real_input else "data[place]"
    value = "value.x" if real_output else "value"
    elements = shape.together * shape.n
    shift, unused = padding(form)
    memory = ""
    if len(shape.radices) > 1:
        size = elements + (elements >> shift) * unused
        memory = f"var<workgroup> memory: array<{'R' if shape.split else 'V'}, {size}>;"
    lines = Stages(form).text()
    return "\n".join([
        *_header(kind, AXES, "R" if real_input else "V", "R" if real_output else "V"),
        *[f"fn {name}() -> bool {{ return {str(flag in flags).lower()}; }}"
          for name, flag in ASKED.items()],
        f"fn element(place: u32) -> V {{ return {element}; }}",
        f"fn put(place: u32, value: V) {{ output[place] = {value}; }}",
        memory,
        f"fn slot(i: u32) -> u32 {{ return i + (i >> {shift}u) * {unused}u; }}",
        kernel_text("fourier"),
        MAIN.format(threads=shape.threads, together=shape.together, lines=indented(lines)),
    ])  # fmt: skip
