"""Sorting: short rows in a workgroup's memory, long ones by a radix sort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numr_api import _dtypes
from numr_api._backends.webgpu import data as views
from numr_api._backends.webgpu.orders import ORDERS, Order, contiguous, header, kernel_text, whole
from numr_api._backends.webgpu.prefix_sums import sum_up
from numr_api._backends.webgpu.types import WORD

if TYPE_CHECKING:
    from numr_api._backends.webgpu.data import Strided
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.gpu import Program
    from numr_api._dtypes import DType

SHORT_ROW = {1: 2048, 2: 1024}  # the most elements, by their words: what 16 KiB hold
SHORT_ROW_IN_SOFTWARE = 128  # barriers are slow there: of 2^18 float32, 1024 a row, 420 ms, not 60
AT_ONCE = 512  # elements of short rows that a workgroup sorts at once
DIGITS = 256


def sort(backend: WebgpuBackend, x: Strided, axis: int, descending: bool) -> Strided:
    """The elements in order along an axis; equal ones keep theirs."""
    return _along_axis(backend, x, axis, descending, False)


def argsort(backend: WebgpuBackend, x: Strided, axis: int, descending: bool) -> Strided:
    """The int64 indices that sort along an axis; those of equal elements ascend."""
    return _along_axis(backend, x, axis, descending, True)


def _along_axis(
    backend: WebgpuBackend, x: Strided, axis: int, descending: bool, indices: bool
) -> Strided:
    rank = len(x.shape)
    moved = (*range(axis), *range(axis + 1, rank), axis)
    back = (*range(axis), rank - 1, *range(axis, rank - 1))
    with backend.gpu.lock:
        rows = views.permute(x, moved)
        return views.permute(sort_rows(backend, rows, descending, indices), back)


def sort_rows(
    backend: WebgpuBackend,
    x: Strided,
    descending: bool = False,
    indices: bool = False,
    order: Order | None = None,
) -> Strided:
    """Sort along the last axis; returns new contiguous values or int64 indices.

    Arguments:
        order: that of the values before they were cast to x's dtype, if they were.
    """
    length = x.shape[-1] if x.shape else 1
    if x.size == 0:
        return backend.empty(x.shape, _dtypes.int64 if indices else x.dtype)
    if length == 1:
        return backend.full(x.shape, 0, _dtypes.int64) if indices else backend.copy(x)
    order = order or ORDERS[x.dtype]
    source = contiguous(backend, x, order.stored)
    target = backend.empty(x.shape, _dtypes.int64 if indices else order.stored)
    target.block.version += 1
    flip = WORD if descending else 0
    longest = SHORT_ROW[order.words] if order.words == order.key_words else 0
    if backend.gpu.adapter.type == "CPU":
        longest = min(longest, SHORT_ROW_IN_SOFTWARE)
    if length <= longest:
        _sort_short(backend, order, source, target, flip, indices)
    else:
        method = backend.remembered("method of sorting", lambda: method_of(backend))
        _radix_sort(backend, order, source, target, flip, indices, method)
    return target if indices or x.dtype is order.stored else backend.cast(target, x.dtype)


def _sort_short(
    backend: WebgpuBackend,
    order: Order,
    source: Strided,
    target: Strided,
    flip: int,
    indices: bool,
) -> None:
    label = "argsort" if indices else "sort"
    length = source.shape[-1]
    rows = source.size // length
    shift = (length - 1).bit_length()
    at_once = max(AT_ONCE >> shift, 1)
    adapter = backend.gpu.adapter
    program = backend.compiled(
        ("sort short rows", order.key, indices), label, 2,
        lambda: _short_source(order, indices, 16 if adapter.type == "CPU" else 256),
    )  # fmt: skip
    bindings = whole(backend, label, source), whole(backend, label, target)
    words = (0, source.offset, target.offset, length, shift, at_once, rows, flip)
    backend.gpu.dispatch(program, bindings, words, -(-rows // at_once))


def _short_source(order: Order, indices: bool, threads: int) -> str:
    if order.words == 1:
        key = "alias K = u32; fn key_of(value: V) -> K { return key_word(value, 0u); }"
        less = "return x < y;"
    else:
        key = "alias K = vec2<u32>; "
        key += "fn key_of(value: V) -> K { return K(key_word(value, 0u), key_word(value, 1u)); }"
        less = "return less_u64(x, y);"
    result = "vec2<u32>(index, 0u)" if indices else "source[row + index]"
    return "\n".join([
        header(8, [("source", "V"), ("results", "vec2<u32>" if indices else "V")]),
        order.text, key,
        f"fn less_key(x: K, y: K) -> bool {{ {less} }}",
        "fn all_equal(x: K, y: K) -> bool { return all(x == y); }",
        f"fn put(place: u32, row: u32, index: u32) {{ results[place] = {result}; }}",
        f"const CAPACITY = {SHORT_ROW[order.words]}u; const THREADS = {threads}u;",
        kernel_text("sort_rows"),
    ])  # fmt: skip


# --- the radix sort -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Method:
    """How a pass of the radix sort counts and moves elements.

    Attributes:
        tile: how many elements are counted and moved by one workgroup, or by one thread.
        threads: of a workgroup, for the kernels with subgroups; 0 for those of single threads.
        subgroup: the most threads of a subgroup.
    """

    tile: int
    threads: int = 0
    subgroup: int = 0

    def counting(self) -> str:
        """The kernel that counts."""
        if not self.threads:
            return self._sizes(0) + kernel_text("radix", "radix_serial_count")
        return self._sizes(256) + kernel_text("radix", "radix_count")

    def moving(self) -> str:
        """The kernel that moves."""
        if not self.threads:
            return self._sizes(0) + kernel_text("radix", "radix_index", "radix_serial_move")
        votes = "radix_votes" if self.subgroup <= 32 else "radix_votes_wide"
        text = kernel_text("radix", "radix_index", "radix_move", "radix_subgroups", votes)
        return self._sizes(self.threads) + text

    def _sizes(self, threads: int) -> str:
        sizes = f"const TILE = {self.tile}u;\n"
        if threads:
            sizes += f"const THREADS = {threads}u;\nconst ITEMS = {self.tile // threads}u;\n"
        return sizes


SINGLE_THREADS = Method(1024)
SUBGROUPS = 8  # at most in a workgroup
SUBGROUP_MEMORY = 30 << 10  # bytes of a workgroup


def method_for(least: int, most: int) -> Method:
    """The one with subgroups of so many threads; a workgroup must be a multiple of any size."""
    threads = SUBGROUPS * least
    if not 8 <= least <= most <= min(threads, 64):
        return SINGLE_THREADS
    return Method(min(4096, threads * 16), threads, most)


def method_of(backend: WebgpuBackend) -> Method:
    """The one for a device."""
    adapter = backend.gpu.adapter
    info: dict[str, Any] = adapter.handle.info
    memory = int(adapter.handle.limits["max-compute-workgroup-storage-size"])
    if "subgroup" not in adapter.features or memory < SUBGROUP_MEMORY:
        return SINGLE_THREADS
    # wgpu-py 0.32 takes "sub" for a prefix of its own.
    least, most = (
        int(info.get(f"subgroup_{end}_size", info.get(f"stackgroup_{end}_size", 0)))
        for end in ("min", "max")
    )
    return method_for(least, most)


def _radix_sort(
    backend: WebgpuBackend,
    order: Order,
    source: Strided,
    target: Strided,
    flip: int,
    indices: bool,
    method: Method,
) -> None:
    """One pass for each digit, of three kernels: count, prefix sums, move.

    A single kernel that waits for the tiles before it would read once less, but nothing in WebGPU
    promises that those make progress.
    """
    label = "argsort" if indices else "sort"
    length = source.shape[-1]
    rows = source.size // length
    tiles = -(-length // method.tile)
    all_tiles = rows * tiles
    groups = all_tiles if method.threads else -(-all_tiles // 64)
    passes = len(order.digits)

    counts = backend.empty((rows * DIGITS * tiles,), _dtypes.uint32)
    count_program, move_program = _radix_programs(backend, label, order, method, indices)
    if indices:
        values = [source, *_in_turn(backend, source.size, source.dtype, passes - 1), source]
        orders = [counts, *_in_turn(backend, source.size, _dtypes.uint32, passes - 1), target]
    else:  # the kernel names arrays that it does not use
        values = [source, *_in_turn(backend, source.size, source.dtype, passes, target)]
        orders = [counts] * (passes + 1)
    for number, digit in enumerate(order.digits):
        now, then = values[number : number + 2]
        order_now, order_then = orders[number : number + 2]
        last = number == passes - 1
        words = (
            0, now.offset, then.offset, order_now.offset,
            order_then.offset * (2 if indices and last else 1),
            counts.offset, length, tiles, all_tiles, digit, flip, int(number == 0), int(last),
        )  # fmt: skip
        bindings = [whole(backend, label, x) for x in (now, then, order_now, order_then, counts)]
        backend.gpu.dispatch(count_program, (bindings[0], bindings[-1]), words, groups)
        sum_up(backend, counts, counts.size)
        backend.gpu.dispatch(move_program, tuple(bindings), words, groups)


def _in_turn(
    backend: WebgpuBackend, size: int, dtype: DType, count: int, last: Strided | None = None
) -> list[Strided]:
    """What so many passes write: two arrays in turn, and at last the one given."""
    made: list[Strided] = [] if last is None else [last]
    while len(made) < min(count, 2):
        made.append(backend.empty((size,), dtype))
    return [made[i % 2] for i in reversed(range(count))]


def _radix_programs(
    backend: WebgpuBackend, label: str, order: Order, method: Method, indices: bool
) -> tuple[Program, Program]:
    """The kernel that counts and the one that moves."""

    def count() -> str:
        declarations = header(13, [("source", "V"), ("counts", "u32")])
        return "\n".join([declarations, order.text, method.counting()])

    def move() -> str:
        arrays = [
            ("source", "V"), ("target_values", "V"), ("order_source", "u32"),
            ("order_target", "u32"), ("counts", "u32"),
        ]  # fmt: skip
        ordered = f"const ORDERED = {str(indices).lower()};"
        return "\n".join([header(13, arrays), order.text, ordered, method.moving()])

    key = (order.key, method)
    return (
        backend.compiled(("radix sort, count", *key), label, 2, count),
        backend.compiled(("radix sort, move", indices, *key), label, 5, move),
    )
