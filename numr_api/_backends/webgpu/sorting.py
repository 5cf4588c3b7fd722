"""Sorting: short rows in a workgroup's memory, long ones by a radix sort."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api import _dtypes
from numr_api._backends.webgpu import data as views
from numr_api._backends.webgpu.orders import ORDERS, Order, contiguous, header, kernel_text, whole
from numr_api._backends.webgpu.radix import method_of, radix_sort
from numr_api._backends.webgpu.types import WORD

if TYPE_CHECKING:
    from numr_api._backends.webgpu.data import Strided
    from numr_api._backends.webgpu.device import WebgpuBackend

SHORT_ROW = {1: 2048, 2: 1024}  # the most elements, by their words: what 16 KiB hold
SHORT_ROW_IN_SOFTWARE = 128  # barriers are slow there: of 2^18 float32, 1024 a row, 420 ms, not 60
AT_ONCE = 512  # elements of short rows that a workgroup sorts at once


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
    if backend.gpu.adapter.in_software:
        longest = min(longest, SHORT_ROW_IN_SOFTWARE)
    if length <= longest:
        _sort_short(backend, order, source, target, flip, indices)
    else:
        method = backend.remembered("method of sorting", lambda: method_of(backend))
        radix_sort(backend, order, source, target, flip, indices, method)
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
        lambda: _short_source(order, indices, 16 if adapter.in_software else 256),
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
