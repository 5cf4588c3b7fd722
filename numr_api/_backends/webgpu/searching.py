"""Searching in sorted arrays, and sets, by sorting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from numr_api import _dtypes
from numr_api._backends.webgpu.data import Strided, row_major
from numr_api._backends.webgpu.kernels import WORKGROUP, indented
from numr_api._backends.webgpu.orders import ORDERS, Order, contiguous, header, kernel_text, whole
from numr_api._backends.webgpu.prefix_sums import sum_up, words_of
from numr_api._backends.webgpu.sorting import sort_rows

if TYPE_CHECKING:
    from numr_api._backends.webgpu.device import WebgpuBackend

BOUND = ("searches", "bound")
EACH = 4  # elements of a word of truth values

MAIN = """
@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {{
    let i = (group.y * groups.x + group.x) * 256u + thread;
    if i >= parameters[0].y {{ return; }}
{lines}
}}"""


def _run(
    backend: WebgpuBackend,
    label: str,
    key: tuple[Any, ...],
    order: Order,
    arrays: Sequence[tuple[str, str, Strided]],
    words: Sequence[int],
    threads: int,
    lines: str,
    helpers: tuple[str, ...] = (),
) -> None:
    """Record a kernel of a thread for each of ``threads`` elements.

    Arguments:
        key: what its text depends upon, beside its label and the order.
        arrays: its bindings: a name, the type of an element, and the data.
        words: its parameters, after the number of threads and the places of the arrays.
        lines: WGSL for element ``i``; ``NAME_place`` is where an array begins.
        helpers: files of kernels with functions that the lines name.
    """

    def source() -> str:
        declared = [(name, element) for name, element, _ in arrays]
        places = [
            f"let {name}_place = parameters[{n // 4}].{'xyzw'[n % 4]};"
            for n, (name, _) in enumerate(declared, 2)
        ]
        text = indented([*places, *(line.strip() for line in lines.strip().splitlines())])
        count = 2 + len(arrays) + len(words)
        parts = [header(count, declared), order.text, kernel_text(*helpers)]
        return "\n".join([*parts, MAIN.format(lines=text)])

    program = backend.compiled((label, order.key, *key), label, len(arrays), source)
    places = [x.offset for _, _, x in arrays]
    bindings = tuple([whole(backend, label, x) for _, _, x in arrays])
    parameters = (0, threads, *places, *words)
    backend.gpu.dispatch(program, bindings, parameters, -(-threads // WORKGROUP))


def searchsorted(backend: WebgpuBackend, x1: Strided, x2: Strided, *, side: str) -> Strided:
    """Where elements of x2 must be put into the sorted x1, as int64."""
    order = ORDERS[x1.dtype]
    with backend.gpu.lock:
        found = backend.empty(x2.shape, _dtypes.int64)
        if x2.size:
            found.block.version += 1
            arrays = [
                ("sorted", "V", contiguous(backend, x1, order.stored)),
                ("wanted", "V", contiguous(backend, x2, order.stored)),
                ("found", "vec2<u32>", found),
            ]
            lines = f"""
                let value = wanted[wanted_place + i];
                let place = bound(sorted_place, {_word(5)}, value, {_word(6)} != 0u);
                found[found_place + i] = vec2<u32>(place, 0u);"""
            words = (x1.size, int(side == "right"))
            _run(backend, "searchsorted", (), order, arrays, words, x2.size, lines, BOUND)
    return found


def isin(backend: WebgpuBackend, x1: Strided, x2: Strided, *, invert: bool) -> Strided:
    """Whether each element of x1 is among those of x2, or is not; NaN never is."""
    order = ORDERS[x1.dtype]
    with backend.gpu.lock:
        if not x2.size:
            return backend.full(x1.shape, invert, _dtypes.bool)
        found = backend.empty(x1.shape, _dtypes.bool)
        if x1.size:
            found.block.version += 1
            arrays = [
                ("sorted", "V", sort_rows(backend, _flat(backend, x2, order), order=order)),
                ("wanted", "V", contiguous(backend, x1, order.stored)),
                ("found", "u32", found),
            ]
            lines = f"""
                let count = {_word(5)};
                var bytes = 0u;
                for (var k = 0u; k < 4u; k++) {{
                    let value = wanted[wanted_place + min(i * 4u + k, {_word(6)} - 1u)];
                    let at = bound(sorted_place, count, value, false);
                    let is_there = is_same(sorted[sorted_place + min(at, count - 1u)], value);
                    bytes |= (u32(is_there) ^ {_word(7)}) << (8u * k);
                }}
                found[(found_place >> 2u) + i] = bytes;"""
            words = (x2.size, x1.size, int(invert))
            threads = -(-x1.size // EACH)
            _run(backend, "isin", (), order, arrays, words, threads, lines, BOUND)
    return found


def unique(backend: WebgpuBackend, x: Strided, *, parts: tuple[str, ...]) -> tuple[Strided, ...]:
    """Distinct values in order, then "indices" of first occurrences, "inverse" and "counts".

    Their number is read from the device.
    """
    order = ORDERS[x.dtype]
    with backend.gpu.lock:
        flat = _flat(backend, x, order)
        if not x.size:
            empty = {part: backend.empty((0,), _dtypes.int64) for part in parts}
            empty["inverse"] = backend.empty(x.shape, _dtypes.int64)
            return backend.empty((0,), x.dtype), *(empty[part] for part in parts)
        # Where only values matter they are sorted themselves, else their indices are.
        by_index = "indices" in parts or "inverse" in parts
        in_order = sort_rows(backend, flat, indices=by_index, order=order)
        if by_index:
            ordered = [("source", "V", flat), ("order", "vec2<u32>", in_order)]
        else:
            ordered = [("source", "V", in_order)]
        return _distinct(backend, x, order, ordered, parts)


def _distinct(
    backend: WebgpuBackend,
    x: Strided,
    order: Order,
    ordered: Sequence[tuple[str, str, Strided]],
    parts: tuple[str, ...],
) -> tuple[Strided, ...]:
    """The same, given the source in order, or the order of the source."""
    by_index = len(ordered) == 2
    origin = "order[order_place + {}].x" if by_index else "{}"
    element = f"source[source_place + {origin}]"
    ranks = backend.empty((x.size + 1,), _dtypes.uint32)
    ranks_array = ("ranks", "u32", ranks)
    # One where an element differs from the one before, and a zero behind the last, for the sum.
    lines = f"""
        var is_first = i == 0u;
        if i > 0u && i < {_word(3 + len(ordered))} {{
            is_first = !is_same({element.format("i")}, {element.format("(i - 1u)")});
        }}
        ranks[ranks_place + i] = u32(is_first);"""
    arrays = [*ordered, ranks_array]
    _run(backend, "unique", ("mark", by_index), order, arrays, (x.size,), x.size + 1, lines,
         ("searches",))  # fmt: skip
    sum_up(backend, ranks, x.size + 1)
    count = int(words_of(backend, ranks, x.size, 1)[0])

    values = backend.empty((count,), order.stored)
    starts = backend.empty((count,), _dtypes.uint32)
    values.block.version += 1
    lines = f"""
        let rank = ranks[ranks_place + i];
        if ranks[ranks_place + i + 1u] != rank {{
            values[values_place + rank] = {element.format("i")};
            starts[starts_place + rank] = i;
        }}"""
    arrays = [*ordered, ranks_array, ("values", "V", values), ("starts", "u32", starts)]
    _run(backend, "unique", ("select", by_index), order, arrays, (), x.size, lines)

    found: dict[str, Strided] = {}
    plain = ORDERS[_dtypes.uint32]
    for part, lines, arrays, words, shape in (
        (
            "indices",
            "indices[indices_place + i] = order[order_place + starts[starts_place + i]];",
            [*ordered[1:], ("starts", "u32", starts)], (), (count,),
        ),
        (
            "inverse",
            """inverse[inverse_place + order[order_place + i].x] =
                vec2<u32>(ranks[ranks_place + i + 1u] - 1u, 0u);""",
            [*ordered[1:], ranks_array], (), x.shape,
        ),
        (
            "counts",
            f"""var next = {_word(4)};
            if i + 1u < parameters[0].y {{ next = starts[starts_place + i + 1u]; }}
            counts[counts_place + i] = vec2<u32>(next - starts[starts_place + i], 0u);""",
            [("starts", "u32", starts)], (x.size,), (count,),
        ),
    ):  # fmt: skip
        if part in parts:
            data = found[part] = backend.empty(shape, _dtypes.int64)
            data.block.version += 1
            arrays = [*arrays, (part, "vec2<u32>", data)]
            _run(backend, "unique", (part,), plain, arrays, words, data.size, lines)
    if x.dtype is not order.stored:
        values = backend.cast(values, x.dtype)
    return values, *(found[part] for part in parts)


def _word(number: int) -> str:
    return f"parameters[{number // 4}].{'xyzw'[number % 4]}"


def _flat(backend: WebgpuBackend, x: Strided, order: Order) -> Strided:
    """Contiguous elements of one axis, cast to the dtype that they are sorted in."""
    whole_words = contiguous(backend, x, order.stored)
    return whole_words.view((x.size,), row_major((x.size,)), whole_words.offset)


ROUTINES: dict[str, Callable[..., Any]] = {
    "searchsorted": searchsorted,
    "unique": unique,
    "isin": isin,
}
