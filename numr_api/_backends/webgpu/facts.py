"""How a device computes, found by trying: what WGSL leaves open and the kernels must know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api import _dtypes
from numr_api._backends.webgpu.kernels import Words, binding

if TYPE_CHECKING:
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
}}
"""


def probe(backend: WebgpuBackend) -> dict[str, bool]:
    """What holds on a device.

    Returns:
        fma_is_fused: ``fma`` rounds once.
        products_are_contracted: the compiler makes a fused multiply-add of ``x * y + z``.
        subnormals_are_flushed: subnormal operands count as zero.
    """
    gpu = backend.gpu
    words = Words(1)
    x, square, small = words.take(len(PROBES))
    place = words.take(1)[0]
    source = SOURCE.format(x=x, square=square, small=small, place=place)
    text = "\n".join([words.declaration(), binding(1, "output", "u32"), source])
    with gpu.lock:
        program = backend.program("probes", text, 1)
        out = backend.empty((3,), _dtypes.uint32)
        gpu.dispatch(program, (out.block.buffer.whole,), (0, *PROBES, out.offset), 1)
        found = backend.to_host(out)
    names = ("fma_is_fused", "products_are_contracted", "subnormals_are_flushed")
    return dict(zip(names, (bool(x) for x in found), strict=True))
