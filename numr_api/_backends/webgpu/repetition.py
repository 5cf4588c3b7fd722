"""Slices repeated, each as often as a count says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api import _dtypes
from numr_api._backends.webgpu import movement
from numr_api._backends.webgpu.data import Strided, row_major
from numr_api._backends.webgpu.kernels import EACH, WORKGROUP, Words, binding
from numr_api._backends.webgpu.prefix_sums import HEAD, MOST, sum_up, whole, words_of
from numr_api._backends.webgpu.types import WORD, Type
from numr_api._errors import DeviceOutOfMemory

if TYPE_CHECKING:
    from numr_api._backends import Data
    from numr_api._backends.webgpu.device import WebgpuBackend

# Counts as words, which stop at the largest, and a word that says whether one is negative.
COUNT = """
    let index = tile * 256u + thread;
    if index < parameters[0].y {{
        let count = {element};
        if {negative} {{
            atomicStore(&output[parameters[0].z + parameters[0].y + 1u], 1u);
        }} else {{
            atomicStore(&output[parameters[0].z + index], {word});
        }}
    }}
"""
WORDS = {
    "i32": ("count < 0", "u32(count)"),
    "u32": ("false", "count"),
    "i64": ("(count.y >> 31u) != 0u", "select(0xffffffffu, count.x, count.y == 0u)"),
    "u64": ("false", "select(0xffffffffu, count.x, count.y == 0u)"),
}

# The last slice that starts at a place or before it: that which is repeated there.
FIND = """
fn slice_at(place: u32) -> u32 {{
    var low = 0u;
    var high = {length};
    while high - low > 1u {{
        let middle = low + (high - low) / 2u;
        if starts[{starts} + middle] <= place {{
            low = middle;
        }} else {{
            high = middle;
        }}
    }}
    return low;
}}
"""


def repeat(backend: WebgpuBackend, data: Strided, repeats: Data | int, axis: int) -> Strided:
    """Each slice along an axis repeated."""
    if repeats.__class__ is Strided:
        return movement.take(backend, data, _repeated(backend, repeats), axis, known=True)  # type: ignore[arg-type]
    front, back = data.shape[: axis + 1], data.shape[axis + 1 :]
    strides = (*data.strides[: axis + 1], 0, *data.strides[axis + 1 :])
    copy = backend.copy(data.view((*front, repeats, *back), strides, data.offset))
    shape = (*front[:-1], front[-1] * repeats, *back)
    return copy.view(shape, row_major(shape), copy.offset)


def _repeated(backend: WebgpuBackend, counts: Strided) -> Strided:
    """The indices 0, 1, ..., of uint32, each as often as its count says.

    Raises ValueError if a count is negative.
    """
    length = counts.size
    gpu = backend.gpu
    with gpu.lock:
        if not length:
            return backend.empty((0,), _dtypes.uint32)
        starts = backend.full((length + 2,), 0, _dtypes.uint32)
        starts.block.version += 1
        kind = movement.numbers_of(counts)
        program = backend.compiled(
            ("counts", kind.name), "repeat", 2, lambda: _repeat_counts_text(kind)
        )
        words = [0, length, starts.offset, counts.offset, counts.strides[0] & WORD]
        gpu.dispatch(
            program,
            (whole(backend, starts), whole(backend, counts)),
            words,
            -(-length // WORKGROUP),
        )
        sum_up(backend, starts, length + 1)
        total, negative = map(int, words_of(backend, starts, length, 2))
        if negative:
            raise ValueError("a count is negative")
        if total == MOST:
            raise DeviceOutOfMemory(f"repeat: {MOST} slices or more")
        out = backend.empty((total,), _dtypes.uint32)
        if total:
            program = backend.compiled(("slices",), "repeat", 2, _slices_text)
            words = [0, total, out.offset, starts.offset, length]
            groups = -(-total // (EACH * WORKGROUP))
            gpu.dispatch(program, (whole(backend, out), whole(backend, starts)), words, groups)
        return out


def _repeat_counts_text(kind: Type) -> str:
    words = Words(3)
    place, step = words.take(2)
    negative, word = WORDS[kind.suffix]
    element = kind.element("counts", f"{place} + index * {step}")
    lines = COUNT.format(element=element, negative=negative, word=word)
    declarations = [binding(1, "output", "atomic<u32>"), binding(2, "counts", kind.scalar)]
    return "\n".join([words.declaration(), *declarations, HEAD.format(lines=lines)])


def _slices_text() -> str:
    words = Words(2)
    place, starts, length = words.take(3)
    kind = movement.BITS[4]
    return "\n".join([
        words.declaration(),
        movement.output_binding(kind, True),
        binding(2, "starts", "u32"),
        FIND.format(starts=starts, length=length),
        movement.main_text([], [f"slice_at(first + {i}u)" for i in range(EACH)], kind, place, True),
    ])  # fmt: skip
