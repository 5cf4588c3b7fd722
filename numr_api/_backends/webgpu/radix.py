"""The radix sort of rows that are too long for a workgroup's memory."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from numr_api import _dtypes
from numr_api._backends.webgpu import facts
from numr_api._backends.webgpu.orders import Order, header, kernel_text, whole
from numr_api._backends.webgpu.prefix_sums import sum_up

if TYPE_CHECKING:
    from numr_api._backends.webgpu.data import Strided
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.gpu import Program
    from numr_api._dtypes import DType

DIGITS = 256


@dataclass(frozen=True)
class Method:
    """How a pass of the radix sort counts and moves elements.

    Attributes:
        tile: how many elements are counted and moved by one workgroup, or by one thread.
        threads: of a workgroup, for the kernels with subgroups; 0 for those of single threads.
        least: the fewest threads of a subgroup.
        most: the most of them.
    """

    tile: int
    threads: int = 0
    least: int = 0
    most: int = 0

    def counting(self, order: Order) -> str:
        """The kernel that counts."""
        if not self.threads:
            return self._sizes(0) + kernel_text("radix", "radix_serial_count")
        return self._sizes(256) + self._unrolled(kernel_text("radix", "radix_count"), 256, order)

    def moving(self, order: Order, indices: bool) -> str:
        """The kernel that moves."""
        if not self.threads:
            return self._sizes(0) + kernel_text("radix", "radix_index", "radix_serial_move")
        votes = "radix_votes" if self.most <= 32 else "radix_votes_wide"
        text = kernel_text("radix", "radix_index", "radix_move", "radix_subgroups", votes)
        # On an H200 the sort of 2^24 float32 takes 0.93 ms, not 1.07, if its loops are written out;
        # but the argsort of int64 takes 3.8 ms, not 2.9.
        text = text if indices else self._unrolled(text, self.threads, order)
        return self._sizes(self.threads) + text

    def _sizes(self, threads: int) -> str:
        sizes = f"const TILE = {self.tile}u;\n"
        if threads:
            sizes += f"const THREADS = {threads}u;\nconst ITEMS = {self.tile // threads}u;\n"
            sizes += f"const PARTS = {threads // self.least}u;\n"
        return sizes

    def _unrolled(self, text: str, threads: int, order: Order) -> str:
        return unrolled(text, {"ITEMS": self.tile // threads, "WORDS": order.words})


_LOOP = re.compile(
    r"^(?P<indent> *)for \(var (?P<name>\w) = 0u; (?P=name) < (?P<count>[A-Z]+); (?P=name)\+\+\) "
    r"\{\n(?P<body>.*?)^(?P=indent)\}\n",
    re.MULTILINE | re.DOTALL,
)
_ARRAY = re.compile(
    r"^ *var (?P<name>\w+): array<(?P<element>\w+), (?P<count>[A-Z]+)>;\n", re.MULTILINE
)


def unrolled(text: str, counts: Mapping[str, int]) -> str:
    """A kernel with the loops to some constants written out.

    Arrays of such sizes become variables, so that they stay in registers.
    """

    def write_out(loop: re.Match[str]) -> str:
        if loop["count"] not in counts:
            return loop[0]
        name = re.compile(rf"\b{loop['name']}\b")
        body = _LOOP.sub(write_out, loop["body"])
        return "".join(f"{{\n{name.sub(f'{i}u', body)}}}\n" for i in range(counts[loop["count"]]))

    text = _LOOP.sub(write_out, text)
    for array in list(_ARRAY.finditer(text)):
        if array["count"] in counts:
            name, element = array["name"], array["element"]
            variables = [f"var {name}_{i}: {element};\n" for i in range(counts[array["count"]])]
            text = text.replace(array[0], "".join(variables))
            text = re.sub(rf"\b{name}\[(\d+)u\]", rf"{name}_\1", text)
    return text


SINGLE_THREADS = Method(1024)
# With 8 elements a thread and 512 threads, the sort of 2^24 float32 takes 0.93 ms on an H200; with
# 16 and 256, 0.96 and twice the time to compile; with 16 and 128, 1.21; with 8 and 1024, 1.02.
ITEMS = 8
THREADS = 512
SUBGROUPS = 16  # at most in a workgroup
SUBGROUP_MEMORY = 19 << 10  # bytes of a workgroup


def method_for(least: int, most: int, limit: int = THREADS) -> Method:
    """The one with subgroups of so many threads, in workgroups of at most ``limit``.

    A workgroup must be a multiple of any size of a subgroup.
    """
    threads = min(SUBGROUPS * least, THREADS, limit)
    if not 8 <= least <= most <= min(threads, 64):
        return SINGLE_THREADS
    return Method(threads * ITEMS, threads, least, most)


def method_of(backend: WebgpuBackend) -> Method:
    """The one for a device."""
    adapter = backend.gpu.adapter
    limits: Mapping[str, int] = adapter.handle.limits
    # A software driver's barriers are slow.
    if adapter.in_software or limits["max-compute-workgroup-storage-size"] < SUBGROUP_MEMORY:
        return SINGLE_THREADS
    threads = limits["max-compute-invocations-per-workgroup"]
    least, most = facts.subgroups(backend)
    return method_for(least, most, 256 if threads < THREADS else THREADS)


def radix_sort(
    backend: WebgpuBackend,
    order: Order,
    source: Strided,
    target: Strided,
    flip: int,
    indices: bool,
    method: Method,
) -> None:
    """One pass for each digit, of three kernels: count, prefix sums, move.

    Where a row is one tile, the kernel that moves finds all places, and there are no others.

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

    counted = tiles > 1 or not method.threads
    counts = backend.empty((rows * DIGITS * tiles if counted else 1,), _dtypes.uint32)
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
        words = (
            0, now.offset, then.offset, order_now.offset, order_then.offset, counts.offset,
            length, tiles, all_tiles, digit, flip, int(number == 0), int(number == passes - 1),
        )  # fmt: skip
        arrays = (now, then, order_now, order_then, order_then, counts)
        bindings = tuple([whole(backend, label, x) for x in arrays])
        if counted:
            backend.gpu.dispatch(count_program, (bindings[0], bindings[-1]), words, groups)
            sum_up(backend, counts, counts.size)
        backend.gpu.dispatch(move_program, bindings, words, groups)


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
        return "\n".join([declarations, order.text, method.counting(order)])

    def move() -> str:
        arrays = [
            ("source", "V"), ("target_values", "V"), ("order_source", "u32"),
            ("order_target", "u32"), ("last_order", "vec2<u32>"), ("counts", "u32"),
        ]  # fmt: skip
        ordered = f"const ORDERED = {str(indices).lower()};"
        return "\n".join([header(13, arrays), order.text, ordered, method.moving(order, indices)])

    key = (order.key, method)
    return (
        backend.compiled(("radix sort, count", *key), label, 2, count),
        backend.compiled(("radix sort, move", indices, *key), label, 6, move),
    )
