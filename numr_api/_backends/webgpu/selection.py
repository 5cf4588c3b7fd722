"""What a mask selects: compress, nonzero, and assignment by a mask.

The mask is read twice. First, each workgroup counts what a tile of the mask selects; prefix sums of
the counts say where a tile's elements go. Then each workgroup moves the elements of a tile, in
order: a thread finds how many precede its element in the tile by counting bits.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from numr_api import _dtypes
from numr_api._backends.webgpu import elementwise, movement
from numr_api._backends.webgpu.data import Strided, broadcast, merge, row_major
from numr_api._backends.webgpu.kernels import (
    Words,
    binding,
    indented,
    place_of,
    position,
)
from numr_api._backends.webgpu.prefix_sums import HEAD, SUMS, sum_up, whole, words_of
from numr_api._backends.webgpu.types import WORD, Type, convert

if TYPE_CHECKING:
    from numr_api._backends import Data, Scalar, Shape
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.memory import Binding
    from numr_api._dtypes import DType

TILE = 1 << 14  # elements of a mask that a workgroup counts
ALIGNED = 16  # bytes of a mask that are read at once

# --- counting -------------------------------------------------------------------------------------

# Bit i of a group's word says whether element i of sixteen is selected; any byte but 0 is true.
BITS = """
fn selected(word: u32) -> u32 {
    let high = (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) & 0x80808080u;
    return ((high >> 7u) | (high >> 14u) | (high >> 21u) | (high >> 28u)) & 0xfu;
}

fn selected_of_group(number: u32, count: u32) -> u32 {
    let first = number * 16u;
    if first >= count {
        return 0u;
    }
    let bytes = mask[parameters[0].z + number];
    let bits = selected(bytes.x) | (selected(bytes.y) << 4u)
        | (selected(bytes.z) << 8u) | (selected(bytes.w) << 12u);
    return bits & (0xffffu >> (16u - min(count - first, 16u)));
}
"""

COUNTS = """
    let count = parameters[0].y;
    var total = 0u;
    for (var i = 0u; i < 4u; i++) {
        total += countOneBits(selected_of_group(tile * 1024u + i * 256u + thread, count));
    }
    let before = sum_before(thread, total);
    if thread == 255u && tile * 16384u < count {
        counts[parameters[0].w + tile] = before + total;
    }
"""

# What the thread's group of sixteen has selected, and above that how many of the tile precede it.
MOVES = """
    let count = parameters[0].y;
    for (var i = 0u; i < 4u; i++) {{
        found[i * 256u + thread] = selected_of_group(tile * 1024u + i * 256u + thread, count);
    }}
    workgroupBarrier();
    let own = thread * 4u;
    var total = 0u;
    for (var i = own; i < own + 4u; i++) {{
        total += countOneBits(found[i]);
    }}
    var before = sum_before(thread, total);
    for (var i = own; i < own + 4u; i++) {{
        let bits = found[i];
        found[i] = bits | (before << 16u);
        before += countOneBits(bits);
    }}
    workgroupBarrier();
    let start = tile * 16384u;
    if start >= count {{ return; }}
    let left = min(count - start, 16384u);
    let base = counts[parameters[0].w + tile];
    for (var i = thread; i < left; i += 1024u) {{
{steps}
    }}
"""

# For several elements at once, so that all are loaded before one is stored.
LOAD = """
        let at{k} = i + {distance}u;
        let index{k} = start + at{k};
        let group{k} = found[at{k} >> 4u];
        let bit{k} = at{k} & 15u;
        let is_selected{k} = ((group{k} >> bit{k}) & 1u) != 0u;
        let rank{k} = base + (group{k} >> 16u) + countOneBits(group{k} & ((1u << bit{k}) - 1u));
"""
ELEMENT = """
        var value{k}: {type};
        if is_selected{k} {{ value{k} = element(index{k}); }}
"""
AT_ONCE = 4

STORE_ELEMENT = "if is_selected{k} {{ output[{place} + rank{k}] = value{k}; }}"
STORE_INDEX = "if is_selected{k} {{ output[{place} + rank{k}] = index{k}; }}"
STORE_RANK = "if at{k} < left {{ output[{place} + index{k}] = min(rank{k}, {most}); }}"


class Selection:
    """A mask whose true elements were counted.

    Attributes:
        mask: contiguous and aligned.
        before: for each tile how many precede it, and at the end all.
    """

    def __init__(self, backend: WebgpuBackend, mask: Strided) -> None:
        self._backend = backend
        if not mask.is_contiguous or mask.offset % ALIGNED:
            mask = backend.copy(mask)
        self.mask, self._size = mask, mask.size
        self._tiles = -(-mask.size // TILE)
        self.before = backend.empty((self._tiles + 1,), _dtypes.uint32)
        program = backend.compiled(("count",), "count", 2, _counts_text)
        words = [0, self._size, mask.offset // ALIGNED, self.before.offset]
        bindings = (whole(backend, mask), whole(backend, self.before))
        backend.gpu.dispatch(program, bindings, words, self._tiles)
        sum_up(backend, self.before, self._tiles + 1)

    def count(self) -> int:
        """How many are selected; reads from the device."""
        return int(words_of(self._backend, self.before, self._tiles, 1)[0])

    def move(self, out: Strided, data: Strided | None) -> None:
        """Write to a new array the elements of data, of the mask's shape, or their numbers."""
        kind = movement.BITS[out.dtype.itemsize]
        if data is None:
            self._move(("positions",), STORE_INDEX, out, kind, 0, [], [])
            return
        lengths, steps = merge(data.shape, (data.strides,))
        if not lengths:
            lengths, steps = (1,), ((0,),)
        words = [*lengths, data.offset, *(s & WORD for s in steps[0])]
        key = ("compress", kind.name, len(lengths))
        self._move(key, STORE_ELEMENT, out, kind, len(lengths), [whole(self._backend, data)], words)

    def ranks(self, most: int) -> Strided:
        """For each element how many selected ones precede it, but no number above ``most``."""
        out = self._backend.empty((self._size,), _dtypes.uint32)
        self._move(("ranks",), STORE_RANK, out, movement.BITS[4], 0, [], [most])
        return out

    def _move(
        self,
        key: tuple[object, ...],
        store: str,
        out: Strided,
        kind: Type,
        rank: int,
        arrays: list[Binding],
        words: list[int],
    ) -> None:
        backend = self._backend
        program = backend.compiled(
            key, "compress", 3 + len(arrays), lambda: _moves_text(store, kind, rank)
        )
        bindings = (
            whole(backend, out),
            whole(backend, self.mask),
            whole(backend, self.before),
            *arrays,
        )
        first = [0, self._size, self.mask.offset // ALIGNED, self.before.offset, out.offset]
        backend.gpu.dispatch(program, bindings, [*first, *words], self._tiles)


def _counts_text() -> str:
    declarations = [binding(1, "mask", "vec4<u32>"), binding(2, "counts", "u32")]
    main = HEAD.format(lines=COUNTS)
    return "\n".join([Words(4).declaration(), *declarations, SUMS, BITS, main])


def _moves_text(store: str, kind: Type, rank: int) -> str:
    words = Words(4)
    place = words.take(1)[0]
    declarations = [
        binding(1, "output", kind.scalar),
        binding(2, "mask", "vec4<u32>"),
        binding(3, "counts", "u32"),
        "var<workgroup> found: array<u32, 1024>;",
    ]
    most = ""
    if rank:
        lines, axes = position(words.take(rank), "index")
        where = place_of(words.take(1)[0], words.take(rank), axes)
        declarations.append(binding(4, "data", kind.scalar))
        declarations.append(
            f"fn element(index: u32) -> {kind.compute} {{\n{indented(lines)}\n"
            f"    return {kind.element('data', where)};\n}}"
        )
    else:
        most = words.take(1)[0]
    steps = [LOAD.format(k=k, distance=k * 256) for k in range(AT_ONCE)]
    if rank:
        steps += [ELEMENT.format(k=k, type=kind.compute) for k in range(AT_ONCE)]
    steps += [store.format(k=k, place=place, most=most) for k in range(AT_ONCE)]
    main = HEAD.format(lines=MOVES.format(steps="\n".join(steps)))
    return "\n".join([words.declaration(), *declarations, SUMS, BITS, main])


# --- the methods of the backend -------------------------------------------------------------------


def positions(backend: WebgpuBackend, mask: Strided) -> Strided:
    """The indices into the flattened mask where it is true, of uint32."""
    if not mask.size:
        return backend.empty((0,), _dtypes.uint32)
    selection = Selection(backend, mask)
    out = backend.empty((_known_count(mask, selection),), _dtypes.uint32)
    if out.size:
        selection.move(out, None)
    return out


def _known_count(mask: Strided, selection: Selection) -> int:
    if mask.mirror is not None and mask.mirror[0] == mask.block.version:
        return int(np.count_nonzero(mask.mirror[1]))
    return selection.count()


def compress(backend: WebgpuBackend, data: Strided, mask: Strided) -> Strided:
    """Elements, or slices, where a mask over the leading axes is true."""
    rest = data.shape[len(mask.shape) :]
    with backend.gpu.lock:
        if not mask.size or not data.size or data.dtype.itemsize < 4 or prod(rest) > 1:
            # By indices; of packed dtypes, threads would share words.
            at = positions(backend, mask)
            if not at.size or not data.size:
                return backend.empty((at.size, *rest), data.dtype)
            rows = backend.reshape(data, (mask.size, *rest), None)
            return movement.take(backend, rows, at, 0, known=True)
        selection = Selection(backend, mask)
        out = backend.empty((_known_count(mask, selection), *rest), data.dtype)
        if out.size:
            selection.move(out, data.view(mask.shape, data.strides[: len(mask.shape)], data.offset))
        return out


def nonzero(backend: WebgpuBackend, data: Strided) -> tuple[Strided, ...]:
    """Indices of the elements that are not zero, an array for each axis."""
    dtype = backend.default_dtypes["indexing"]
    with backend.gpu.lock:
        mask = data if data.dtype is _dtypes.bool else backend.cast(data, _dtypes.bool)
        at = positions(backend, mask)
        if len(data.shape) == 1 or not at.size:
            return tuple([backend.cast(at, dtype) for _ in data.shape])
        along = zip(row_major(data.shape), data.shape, strict=True)
        return tuple([_along_axis(backend)(at, step, length) for step, length in along])


def _along_axis(backend: WebgpuBackend) -> elementwise.Kernel:
    """Takes indices into a flattened array, and gives those along an axis."""
    word = backend.types[_dtypes.uint32]
    dtype = backend.default_dtypes["indexing"]
    return backend.remembered(
        "index along an axis",
        lambda: elementwise.Kernel(
            backend, "nonzero",
            f"return {convert(word, backend.types[dtype], '(a / b % c)')};",
            [word, None, None], [word] * 3, dtype,
        ),
    )  # fmt: skip


def assign_mask(backend: WebgpuBackend, data: Strided, mask: Strided, value: Data | Scalar) -> None:
    """Write where a mask over the leading axes is true."""
    leading = len(mask.shape)
    rest = data.shape[leading:]
    operand: DType | type = value.__class__
    with backend.gpu.lock:
        if value.__class__ is Strided:
            value = _spread(backend, mask, value, data.shape, rest)  # type: ignore[arg-type]
            if value is None or not data.size:
                return
            operand = value.dtype
        elif not data.size:
            return
        repeated = mask.view(data.shape, mask.strides + (0,) * len(rest), mask.offset)
        kernel = backend.remembered(
            ("assign_mask", operand, data.dtype),
            lambda: backend.elementwise(
                "where",
                (_dtypes.bool, operand, data.dtype),
                data.dtype,
                data.dtype,  # type: ignore[arg-type]
            ),
        )
        kernel(repeated, value, data, out=data)


def _spread(
    backend: WebgpuBackend, mask: Strided, value: Strided, shape: Shape, rest: Shape
) -> Strided | None:
    """A value for each element of the array; None if there is nothing to write."""
    extra = len(value.shape) - 1 - len(rest)
    if extra > 0:  # leading axes of length 1
        value = value.view(value.shape[extra:], value.strides[extra:], value.offset)
    if extra < 0 or value.shape[0] == 1:
        last = value.shape[1:] if extra >= 0 else value.shape
        steps = value.strides[1:] if extra >= 0 else value.strides
        ones = len(shape) - len(last)
        value = value.view((1,) * ones + last, (0,) * ones + steps, value.offset)
        return broadcast(value, shape)
    if not value.shape[0] or not mask.size:
        return None
    # The n-th selected element gets the n-th slice of the value.
    ranks = Selection(backend, mask).ranks(value.shape[0] - 1)
    slices = movement.take(backend, value, ranks, 0, known=True)
    full = (*mask.shape, *slices.shape[1:])
    return broadcast(slices.view(full, row_major(full), slices.offset), shape)
