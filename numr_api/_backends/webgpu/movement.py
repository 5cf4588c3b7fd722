"""Elements at given places: gather, take and concat.

Nothing here computes with elements, so dtypes of one size are one: kernels see words, pairs of
words and so on. One kernel serves everything that reads at indices: an element's place in the data
is a sum over the axes of the result, and over the index arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api._backends.webgpu.data import (
    Strided,
    broadcast,
    common_shape,
    index as index_view,
    merge,
    row_major,
)
from numr_api._backends.webgpu.faults import IN_BOUNDS, Access, out_of_bounds
from numr_api._backends.webgpu.kernels import (
    EACH,
    WORKGROUP,
    Words,
    binding,
    indented,
    pieces,
    place_of,
    position,
    window_of,
    written_element,
    written_type,
)
from numr_api._backends.webgpu.types import WORD, Type
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Data, Shape
    from numr_api._backends.webgpu.device import WebgpuBackend

MOST_LENGTH = 2**31 - 1  # of an axis with an index array; the kernels add it to an i32

# How kernels see elements of a size, in bytes.
BITS: dict[int, Type] = {
    1: Type("1 byte", "u", "u32", "u32", 4, "u32", ("u32", 4), 1),
    2: Type("2 bytes", "u", "u32", "u32", 2, "u32", ("vec2<u32>", 4), 1),
    4: Type("4 bytes", "u", "u32", "u32", 1, "u32", ("vec4<u32>", 4), 1),
    8: Type("8 bytes", "U", "vec2<u32>", "u64", 1, "vec2<u32>", ("vec4<u32>", 2), 2),
    16: Type("16 bytes", "U", "vec4<u32>", "", 1, "vec4<u32>", ("vec4<u32>", 1), 4),
}
SIGNED = {
    1: Type("int8", "i", "i32", "i32", 4, "u32", ("u32", 4), 1),
    2: Type("int16", "i", "i32", "i32", 2, "u32", ("vec2<u32>", 4), 1),
    4: Type("int32", "i", "i32", "i32", 1, "i32", ("vec4<i32>", 4), 1),
    8: Type("int64", "I", "vec2<u32>", "i64", 1, "vec2<u32>", ("vec4<u32>", 2), 2),
}


def bits_of(data: Strided) -> Type:
    """How kernels see the elements of data."""
    return BITS[data.dtype.itemsize]


def numbers_of(indices: Strided) -> Type:
    """How kernels see the elements of an integer array."""
    return (SIGNED if indices.dtype.kind == "i" else BITS)[indices.dtype.itemsize]


class Pick(NamedTuple):
    """An index array and what it selects from.

    Attributes:
        indices: broadcast to the result's shape.
        axis: of the data, for errors.
        length: of that axis.
        step: its stride.
    """

    indices: Strided
    axis: int
    length: int
    step: int


def gather(backend: WebgpuBackend, data: Strided, indices: tuple[Data | int, ...]) -> Strided:
    """``data[indices]``, one index an axis."""
    arrays: list[Strided] = [x for x in indices if x.__class__ is Strided]  # type: ignore[misc]
    shape = common_shape(*[x.shape for x in arrays])
    rest = index_view(data, tuple(x if x.__class__ is int else slice(None) for x in indices))  # type: ignore[misc]
    axes = [axis for axis, x in enumerate(indices) if x.__class__ is Strided]
    picks = [
        Pick(broadcast(x, shape), axis, length, step)
        for x, axis, length, step in zip(arrays, axes, rest.shape, rest.strides, strict=True)
    ]
    known = all(list(map(_in_bounds, arrays, picks)))  # all are looked at
    spread = data.view(shape, (0,) * len(shape), rest.offset)
    return _pick(backend, "indexing", spread, picks, known)


def take(
    backend: WebgpuBackend, data: Strided, indices: Strided, axis: int, known: bool = False
) -> Strided:
    """Slices along an axis at indices of at most one axis.

    With ``known`` they are in bounds.
    """
    (front, length, back) = data.shape[:axis], data.shape[axis], data.shape[axis + 1 :]
    shape = front + indices.shape + back
    direct = data.strides[:axis] + (0,) * len(indices.shape) + data.strides[axis + 1 :]
    steps = (0,) * len(front) + indices.strides + (0,) * len(back)
    spread = data.view(shape, direct, data.offset)
    pick = Pick(indices.view(shape, steps, indices.offset), axis, length, data.strides[axis])
    known = _in_bounds(indices, pick) or known
    if indices.size and not spread.size:
        if not length:
            raise IndexError(out_of_bounds(axis, 0))
        # The indices are checked all the same: they select from a repeated element.
        one = data.view((length,), (0,), data.block.offset // data.dtype.itemsize)
        take(backend, one, indices, 0, known)
    return _pick(backend, "take", spread, [pick], known)


def take_along_axis(backend: WebgpuBackend, data: Strided, indices: Strided, axis: int) -> Strided:
    """Elements along an axis; the other axes of data and indices broadcast."""
    # What an index of 0 selects
    line = data.view(
        (*data.shape[:axis], 1, *data.shape[axis + 1 :]),
        (*data.strides[:axis], 0, *data.strides[axis + 1 :]),
        data.offset,
    )
    shape = common_shape(line.shape, indices.shape)
    pick = Pick(broadcast(indices, shape), axis, data.shape[axis], data.strides[axis])
    known = _in_bounds(indices, pick)
    return _pick(backend, "take_along_axis", broadcast(line, shape), [pick], known)


def _in_bounds(indices: Strided, pick: Pick) -> bool:
    """Whether the host knows that they are; raises IndexError if it knows that they are not."""
    if not indices.size or not pick.length:
        return not indices.size
    if indices.mirror is None or indices.mirror[0] != indices.block.version:
        return False
    host = indices.mirror[1]
    for wrong in (int(host.min()), int(host.max())):
        if not -pick.length <= wrong < pick.length:
            raise IndexError(
                f"index {wrong} is out of bounds for axis {pick.axis} of length {pick.length}"
            )
    return True


def concat(backend: WebgpuBackend, parts: Sequence[Strided], axis: int) -> Strided:
    """Data of one dtype joined along an axis."""
    first = parts[0]
    total = sum(x.shape[axis] for x in parts)
    with backend.gpu.lock:
        out = backend.empty((*first.shape[:axis], total, *first.shape[axis + 1 :]), first.dtype)
        offset = out.offset
        for part in parts:
            if part.size:
                backend.copy_to(part, out.view(part.shape, out.strides, offset))
            offset += part.shape[axis] * out.strides[axis]
    return out


# --- the kernel -----------------------------------------------------------------------------------


def _pick(
    backend: WebgpuBackend,
    operation: str,
    spread: Strided,
    picks: Sequence[Pick],
    known: bool,
) -> Strided:
    """New data whose elements lie in ``spread`` moved by what the picks select.

    Arguments:
        spread: has the result's shape; where an element would be if all indices were 0.
        known: the indices are in bounds.
    """
    shape = spread.shape
    out = backend.empty(shape, spread.dtype)
    if not out.size:
        return out
    for pick in picks:
        if not pick.length:
            raise IndexError(out_of_bounds(pick.axis, 0))
    if any(p.length > MOST_LENGTH for p in picks):
        raise Unsupported(f"{operation} along an axis longer than {MOST_LENGTH}")
    access = None if known else Access(operation, [(p.axis, p.length) for p in picks])
    with backend.gpu.lock:
        _record(backend, operation, out, spread, picks, access)
    return out


def _record(
    backend: WebgpuBackend,
    operation: str,
    out: Strided,
    spread: Strided,
    picks: Sequence[Pick],
    access: Access | None,
) -> None:
    everything = (out, spread, *(p.indices for p in picks))
    strides = (row_major(out.shape), *(x.strides for x in everything[1:]))
    lengths, steps = merge(out.shape, strides)
    if not lengths:
        lengths, steps = (1,), ((0,),) * len(everything)
    out.block.version += 1
    # What the indices select is as if the data had more axes, behind those of the result.
    selected = tuple(p.length for p in picks)
    extended = [step + (0,) * len(picks) for step in steps]
    extended[1] = steps[1] + tuple(p.step for p in picks)
    places = [x.offset for x in everything]
    faults = backend.faults.expect(access)
    if all(x.block.buffer.whole is not None for x in everything):
        parts = [((*lengths, *selected), places)]
    else:
        parts = pieces(everything, (*lengths, *selected), extended, places)
    for part, at in parts:
        if part[len(part) - len(picks) :] != selected or len(part) <= len(picks):
            raise Unsupported(
                f"{operation} in so large an array of {out.dtype} on {backend.device}, "
                f"which can reach {backend.gpu.most:,} bytes of it at once"
            )
        _dispatch(backend, operation, everything, part, extended, at, picks, faults)


def _dispatch(
    backend: WebgpuBackend,
    operation: str,
    everything: Sequence[Strided],
    part: Shape,
    steps: Sequence[Shape],
    at: Sequence[int],
    picks: Sequence[Pick],
    faults: tuple[Any, int, int],
) -> None:
    steps = [step[len(step) - len(part) :] for step in steps]
    windows = [x.block.buffer.whole or window_of(x, part, s, p)
               for x, s, p in zip(everything, steps, at, strict=True)]  # fmt: skip
    places = [p - w.offset // x.dtype.itemsize  # type: ignore[union-attr]
              for x, p, w in zip(everything, at, windows, strict=True)]  # fmt: skip
    lengths = part[: len(part) - len(picks)]
    rank = len(lengths)
    steps = [step[:rank] for step in steps]
    # Rows of whole vectors: only the last axis moves in a row, and the data is contiguous there.
    is_rows = (
        lengths[-1] % EACH == 0
        and steps[1][-1] == 1
        and not any(step[-1] for step in steps[2:])
        and not any(n % EACH for n in (places[1], *steps[1][:-1], *(p.step for p in picks)))
    )
    kinds = [bits_of(everything[0]), *(numbers_of(p.indices) for p in picks)]
    is_aligned = places[0] % EACH == 0
    key = ("pick", rank, is_rows, is_aligned, *(kind.name for kind in kinds))
    program = backend.compiled(
        key, operation, len(everything) + 1,
        lambda: _source_text(rank, is_rows, is_aligned, kinds),
    )  # fmt: skip
    count = prod(lengths)
    words = [0, count, places[0] & WORD, faults[1], faults[2], *lengths]
    words += [places[1] & WORD, *(s & WORD for s in steps[1])]
    for pick, place, step in zip(picks, places[2:], steps[2:], strict=True):
        words += [pick.length, pick.step & WORD, place & WORD, *(s & WORD for s in step)]
    groups = -(-count // (EACH * WORKGROUP))
    backend.gpu.dispatch(program, (*windows, faults[0]), words, groups)  # type: ignore[arg-type]


def _source_text(rank: int, is_rows: bool, is_aligned: bool, kinds: Sequence[Type]) -> str:
    kind, *numbers = kinds
    words = Words(2)
    out_place, fault_place, fault_number = words.take(3)
    lengths = words.take(rank)
    place = words.take(1)[0]
    steps = words.take(rank)
    lines, axes = position(lengths, "index")
    terms = [place_of(place, steps, axes)]
    declarations = [output_binding(kind, is_aligned)]
    declarations.append(binding(2, "data", kind.vector[0] if is_rows else kind.scalar))
    for k, number in enumerate(numbers):
        length, step, index_place = words.take(3)
        where = place_of(index_place, words.take(rank), axes)
        declarations.append(binding(3 + k, f"indices{k}", number.scalar))
        value = f"wrapped_{number.suffix}({number.element(f'indices{k}', where)}, {length})"
        terms.append(f"in_bounds({value}, {length}, {fault_number} - {k}u) * {step}")
    declarations.append(binding(3 + len(numbers), "faults", "atomic<u32>"))
    body = indented([*lines, f"return {' + '.join(terms)};"])
    if is_rows:
        loads, values = kind.load("data", "begin", "loaded")
        first = ["let begin = place(first);", *loads]
    else:
        first, values = [], [kind.element("data", f"place(min(first + {i}u, last))")
                             for i in range(EACH)]  # fmt: skip
    return "\n".join([
        words.declaration(),
        *declarations,
        IN_BOUNDS.format(place=fault_place),
        f"fn place(index: u32) -> u32 {{\n{body}\n}}",
        main_text([*first], values, kind, out_place, is_aligned),
    ])  # fmt: skip


def output_binding(kind: Type, is_aligned: bool) -> str:
    """The declaration of what ``main_text`` writes to."""
    return binding(1, "output", kind.vector[0] if is_aligned else written_type(kind))


MAIN = """
@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {{
    {zero}
    let first = ((group.y * groups.x + group.x) * 256u + thread) * 4u;
    let count = parameters[0].y;
    if first >= count {{ return; }}
    let last = count - 1u;
{lines}
}}"""


def main_text(
    lines: list[str],
    values: Sequence[str],
    kind: Type,
    place: str,
    is_aligned: bool,
    is_opaque: bool = False,
) -> str:
    """The main function of kernels that write new arrays in order, four elements a thread.

    Arguments:
        lines: statements that come first; they may use ``first`` and ``last``.
        values: expressions of the elements.
        place: of the first element of the output.
        is_aligned: whether that is a multiple of four.
        is_opaque: whether functions need the library's ``opaque_zero``.
    """
    lines = [*lines, *(f"let value{i} = {text};" for i, text in enumerate(values))]
    names = [f"value{i}" for i in range(EACH)]
    if is_aligned:  # beyond the end is nothing, or what is written next
        lines += kind.store("output", f"{place} + first", names)
    else:
        lines += [
            f"if first + {i}u < count {{ "
            f"{written_element(kind, 'output', f'{place} + first + {i}u', name)} }}"
            for i, name in enumerate(names)
        ]
    zero = "opaque_zero = parameters[0].x;" if is_opaque else ""
    return MAIN.format(zero=zero, lines=indented(lines))
