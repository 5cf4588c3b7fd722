"""Prefix sums of counts, where data that is selected or repeated goes.

Sums of a workgroup's chunk of numbers, then the same of these sums, and back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api import _dtypes
from numr_api._backends.webgpu.data import Strided
from numr_api._backends.webgpu.kernels import Words, binding
from numr_api._backends.webgpu.types import WORD
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.memory import Binding

CHUNK = 1 << 12  # numbers that a workgroup sums up
MOST = WORD  # what sums stop at

# Sums saturate, and can be told from right ones by that.
SUMS = """
var<workgroup> sums: array<u32, 256>;

fn sum_of(x: u32, y: u32) -> u32 {
    return select(x + y, 0xffffffffu, x + y < x);
}

// The sum of the values of the threads before this one.
fn sum_before(thread: u32, value: u32) -> u32 {
    sums[thread] = value;
    for (var step = 1u; step < 256u; step <<= 1u) {
        workgroupBarrier();
        let earlier = select(0u, sums[max(thread, step) - step], thread >= step);
        workgroupBarrier();
        sums[thread] = sum_of(sums[thread], earlier);
    }
    workgroupBarrier();
    return select(0u, sums[max(thread, 1u) - 1u], thread > 0u);
}
"""

HEAD = """
@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {{
    let tile = group.y * groups.x + group.x;
{lines}
}}"""

# The sum of each chunk of numbers.
CHUNK_SUMS = """
    let count = parameters[0].y;
    let first = tile * 4096u + thread;
    var total = 0u;
    for (var i = 0u; i < 16u; i++) {
        let at = first + i * 256u;
        if at < count {
            total = sum_of(total, numbers[parameters[0].z + at]);
        }
    }
    let before = sum_before(thread, total);
    if thread == 255u && tile * 4096u < count {
        output[parameters[0].w + tile] = sum_of(before, total);
    }
"""

# Each number replaced by the sum of those before it, given the sum of each chunk, or before it.
CHUNK_PREFIXES = """
    let count = parameters[0].y;
    let place = parameters[0].z;
    let first = tile * 4096u + thread * 16u;
    var total = 0u;
    for (var i = first; i < min(first + 16u, count); i++) {
        total = sum_of(total, numbers[place + i]);
    }
    var before = sum_before(thread, total);
    let given = parameters[1].x;
    if given == 1u && tile * 4096u < count {
        before = sum_of(before, output[parameters[0].w + tile]);
    }
    if given == 2u {
        var earlier = 0u;
        for (var i = thread; i < tile; i += 256u) {
            earlier = sum_of(earlier, output[parameters[0].w + i]);
        }
        workgroupBarrier();
        let ignored = sum_before(thread, earlier);
        before = sum_of(before, sums[255]);
    }
    for (var i = first; i < min(first + 16u, count); i++) {
        let number = numbers[place + i];
        numbers[place + i] = before;
        before = sum_of(before, number);
    }
"""


def sum_up(backend: WebgpuBackend, numbers: Strided, count: int) -> None:
    """Replace each of the first numbers, of uint32, by the sum of those before it."""
    chunks = -(-count // CHUNK)
    gpu = backend.gpu
    sums, given = numbers, 0
    if chunks > 1:
        sums = backend.empty((chunks,), _dtypes.uint32)
        words = [0, count, numbers.offset, sums.offset]
        program = backend.compiled(
            ("sums of chunks",), "prefix sums", 2, lambda: _sums_text(CHUNK_SUMS)
        )
        gpu.dispatch(program, (whole(backend, numbers), whole(backend, sums)), words, chunks)
        # With so few, each workgroup sums up those before its own: one kernel less to wait for. But
        # a software driver's barriers are slow.
        given = 2
        if chunks > CHUNK or gpu.adapter.in_software:
            sum_up(backend, sums, chunks)
            given = 1
    program = backend.compiled(
        ("prefixes of chunks",), "prefix sums", 2, lambda: _sums_text(CHUNK_PREFIXES)
    )
    words = [0, count, numbers.offset, sums.offset, given]
    gpu.dispatch(program, (whole(backend, numbers), whole(backend, sums)), words, chunks)


def _sums_text(lines: str) -> str:
    declarations = [binding(1, "numbers", "u32"), binding(2, "output", "u32")]
    return "\n".join([Words(8).declaration(), *declarations, SUMS, HEAD.format(lines=lines)])


def whole(backend: WebgpuBackend, x: Strided) -> Binding:
    """The binding with all of an array's buffer; raises Unsupported if it is too large."""
    found = x.block.buffer.whole
    if found is None:
        raise Unsupported(
            f"selection from {x.size:,} elements of {x.dtype} on {backend.device}, "
            f"which can reach {backend.gpu.most:,} bytes of an array at once"
        )
    return found


def words_of(backend: WebgpuBackend, data: Strided, first: int, count: int) -> np.ndarray[Any, Any]:
    """Some elements of an array of uint32; reads from the device."""
    start = (data.offset + first) * 4 - data.block.offset
    return backend.gpu.read(data.block, start, count * 4).view(np.uint32)
