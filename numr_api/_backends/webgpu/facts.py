"""How a device computes, found by trying: what WGSL leaves open and the kernels must know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api import _dtypes
from numr_api._backends.webgpu.kernels import Words, binding

if TYPE_CHECKING:
    from numr_api._backends.webgpu.adapters import Adapter
    from numr_api._backends.webgpu.device import WebgpuBackend

# 1 + 2^-12, whose square has a last bit that only a fused multiply-add keeps; minus that square
# rounded; half of the smallest normal number.
PROBES = (0x3F80_0800, 0xBF80_1000, 0x0040_0000)

SOURCE = """
@compute @workgroup_size(1)
fn main() {{
    opaque_zero = parameters[0].x;
    let x = bitcast<f32>({x});
    let square = bitcast<f32>({square});
    output[{place} + 0u] = select(0u, 1u, fma(x, x, square) != 0.0);
    output[{place} + 1u] = select(0u, 1u, x * x + square != 0.0);
    output[{place} + 2u] = select(0u, 1u, opaque_f32(bitcast<f32>({small})) * 1.0 == 0.0);
    output[{place} + 3u] = select(0u, 1u, {division});
}}
"""

# A dividend of 64 bits and a divisor of 33, each as low and high word.
DIVISION = (0x9ABC_DEF0, 0x1234_5678, 0x0000_0003, 0x0000_0001)
QUOTIENT, REST = divmod(0x1234_5678_9ABC_DEF0, 0x1_0000_0003)


def probe(backend: WebgpuBackend) -> dict[str, bool]:
    """What holds on a device.

    Returns:
        fma_is_fused: ``fma`` rounds once.
        products_are_contracted: the compiler makes a fused multiply-add of ``x * y + z``.
        subnormals_are_flushed: subnormal operands count as zero.
        divides_int64: the device has 64-bit integers, and divides them rightly.
    """
    gpu = backend.gpu
    words = Words(1)
    x, square, small = words.take(len(PROBES))
    operands = words.take(len(DIVISION))
    place = words.take(1)[0]
    division = "false"
    if "shader-int64" in gpu.adapter.features:
        a, b = (
            f"((u64({high}) << 32u) | u64({low}))" for low, high in (operands[:2], operands[2:])
        )
        division = f"{a} / {b} == {QUOTIENT}lu && {a} % {b} == {REST}lu"
    source = SOURCE.format(x=x, square=square, small=small, place=place, division=division)
    text = "\n".join([words.declaration(), binding(1, "output", "u32"), source])
    with gpu.lock:
        program = backend.program("probes", text, 1)
        out = backend.empty((4,), _dtypes.uint32)
        given = (0, *PROBES, *DIVISION, out.offset)
        gpu.dispatch(program, (out.block.buffer.whole,), given, 1)
        found = backend.to_host(out)
    names = ("fma_is_fused", "products_are_contracted", "subnormals_are_flushed", "divides_int64")
    return dict(zip(names, (bool(x) for x in found), strict=True))


# The fewest and the most threads of a subgroup by the vendor's number. wgpu-native tells neither:
# NVIDIA, Apple, AMD, Intel.
SUBGROUPS = {0x10DE: (32, 32), 0x106B: (32, 32), 0x1002: (32, 64), 0x8086: (8, 32)}

# Each thread finds another one of its subgroup by a vote and by a shuffle.
SUBGROUP_SOURCE = """
@compute @workgroup_size(256)
fn main(
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) size: u32,
) {{
    let other = size - 1u - lane;
    var is_found = subgroupShuffle(lane, other) == other && subgroupExclusiveAdd(1u) == lane;
    for (var i = 0u; i < size; i++) {{
        let votes = subgroupBallot(lane == i);
        is_found = is_found && votes[i >> 5u] == (1u << (i & 31u));
    }}
    let thread = subgroup * size + lane;
    if is_found && thread < 256u {{
        output[{place} + thread] = size;
    }}
}}
"""


def subgroups_of(adapter: Adapter) -> tuple[int, int]:
    """The fewest and the most threads of a subgroup of a vendor's; zeros of an unknown one."""
    vendor = adapter.handle.info["vendor_id"]
    if adapter.graphics == "Metal" and adapter.name.startswith("Apple"):
        vendor = 0x106B  # Metal names no vendor
    return SUBGROUPS.get(vendor, (0, 0))


def subgroups(backend: WebgpuBackend) -> tuple[int, int]:
    """The fewest and the most threads of a subgroup; (0, 0) if nothing is sure about them.

    A compiler may choose a size for each kernel, so that a trial alone does not tell the range. It
    shows that subgroups are full, of a size in the range, and that votes are in order of threads.
    """
    gpu = backend.gpu
    if "subgroup" not in gpu.adapter.features:
        return 0, 0
    least, most = subgroups_of(gpu.adapter)
    words = Words(1)
    source = SUBGROUP_SOURCE.format(place=words.take(1)[0])
    text = "\n".join([words.declaration(), binding(1, "output", "u32"), source])
    with gpu.lock:
        program = backend.program("subgroups", text, 1)
        out = backend.full((256,), 0, _dtypes.uint32)
        out.block.version += 1
        gpu.dispatch(program, (out.block.buffer.whole,), (0, out.offset), 1)
        sizes = backend.to_host(out)
    return (least, most) if least <= sizes.min() and sizes.max() <= most else (0, 0)
