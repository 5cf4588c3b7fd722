"""Elements beyond the ends of axes: ``pad``, and the gradient that goes back through it.

Nothing in ``pad`` computes with elements, so dtypes of one size are one, as in ``movement``. A
thread finds for each of its elements where that comes from; in the gradient, which elements of the
padded array came from its own, and adds them in the order of their places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api._backends.borders import copies
from numr_api._backends.webgpu import movement
from numr_api._backends.webgpu.data import Strided
from numr_api._backends.webgpu.kernels import (
    EACH,
    WORKGROUP,
    Words,
    binding,
    indented,
    position,
)
from numr_api._backends.webgpu.types import WORD, Type
from numr_api._dtypes import computed
from numr_api._rounding import converted

if TYPE_CHECKING:
    from numr_api._backends import Scalar, Shape
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._dtypes import DType

Widths = Sequence[tuple[int, int]]

# The index of an axis of the source for the index ``i`` of the padded axis, less what comes before.
# Reflections and repetitions have a period; a reflected axis of one element repeats it.
SOURCES = {
    "constant": "i",
    "edge": "clamp(i, 0, n - 1)",
    "wrap": "modulo_of_index(i, n)",
    "symmetric": "mirrored_index(modulo_of_index(i, 2 * n), 2 * n - 1)",
    "reflect": "mirrored_index(modulo_of_index(i, max(2 * n - 2, 1)), max(2 * n - 2, 0))",
}
FUNCTIONS = """
fn modulo_of_index(i: i32, n: i32) -> i32 {
    let rest = i % n;
    return select(rest, rest + n, rest < 0);
}

// Of an index in the period: itself, or its image in the second half.
fn mirrored_index(i: i32, sum: i32) -> i32 {
    return min(i, sum - i);
}
"""


def _axes(shape: Shape, widths: Widths, steps: Sequence[Shape]) -> list[tuple[Any, ...]]:
    """Length, widths and steps of the fewest axes: those without a width are merged."""
    found: list[tuple[Any, ...]] = []
    for n, (before, after), *step in zip(shape, widths, *steps, strict=True):
        if n == 1 and not before and not after:
            continue
        if found and not (before or after):
            length, low, high, *last = found[-1]
            if not (low or high) and all(a == b * n for a, b in zip(last, step, strict=True)):
                found[-1] = (length * n, 0, 0, *step)
                continue
        found.append((n, before, after, *step))
    return found or [(1, 0, 0, *(1 for _ in steps))]


# --- pad ------------------------------------------------------------------------------------------


def pad(backend: WebgpuBackend, x: Strided, *, widths: Widths, mode: str, value: Scalar) -> Strided:
    """x with so many elements before and after along each axis; negative widths crop."""
    shape = tuple(n + before + after for n, (before, after) in zip(x.shape, widths, strict=True))
    if not x.size:  # of which nothing but a constant can be made
        return backend.full(shape, value, x.dtype)
    with backend.gpu.lock:
        out: Strided = backend.empty(shape, x.dtype)
        if not out.size:
            return out
        if not _is_whole(x, out):
            return _pad_axis_by_axis(backend, x, out, widths, mode, value)
        axes = _axes(x.shape, widths, (x.strides,))
        kind = movement.bits_of(x)
        rank = len(axes)
        program = backend.compiled(
            ("pad", kind.name, rank, mode), "pad", 2, lambda: _pad_text(kind, rank, mode)
        )
        lengths = [n + before + after for n, before, after, _ in axes]
        words = [0, out.size, out.offset, x.offset, *_bits(value, x.dtype)]
        words += [n for n, *_ in axes] + lengths
        words += [before & WORD for _, before, _, _ in axes]
        words += [step & WORD for *_, step in axes]
        bindings = (out.block.buffer.whole, x.block.buffer.whole)
        groups = -(-out.size // (EACH * WORKGROUP))
        backend.gpu.dispatch(program, bindings, words, groups)  # type: ignore[arg-type]
        out.block.version += 1
    return out


def _bits(value: Scalar, dtype: DType) -> list[int]:
    """A number of a dtype as four words, of which the last ones may be zeros."""
    wide = np.asarray([value]) if dtype.kind != "f" else np.asarray([value], np.float64)
    with np.errstate(all="ignore"):
        bits = converted(wide, dtype).tobytes()
    return np.frombuffer(bits.ljust(16, b"\0"), np.uint32).tolist()


def _is_whole(*arrays: Strided) -> bool:
    """Whether elements may come from anywhere in arrays, and their places count in 32 bits."""
    return all(x.block.buffer.whole is not None and x.size < 1 << 31 for x in arrays)


def _pad_axis_by_axis(
    backend: WebgpuBackend, x: Strided, out: Strided, widths: Widths, mode: str, value: Scalar
) -> Strided:
    """What is larger than a binding: copied, and then each axis padded with copies of its rows."""
    kept = [slice(max(-b, 0), n - max(-a, 0)) for n, (b, a) in zip(x.shape, widths, strict=True)]
    x = backend.index(x, tuple(kept))
    widths = [(max(before, 0), max(after, 0)) for before, after in widths]
    # What is filled: along the axes that are done all, along the others what x has.
    filled = [slice(b, b + n) for n, (b, _) in zip(x.shape, widths, strict=True)]
    backend.assign(out, tuple(filled), x)
    for axis, (before, after) in enumerate(widths):

        def rows(part: slice, axis: int = axis) -> tuple[slice, ...]:
            return (*filled[:axis], part, *filled[axis + 1 :])

        if mode == "constant":
            backend.assign(out, rows(slice(0, before)), value)
            backend.assign(out, rows(slice(before + x.shape[axis], None)), value)
        else:
            for target, source in copies(mode, x.shape[axis], before, after):
                backend.assign(out, rows(target), backend.index(out, rows(source)))
        filled[axis] = slice(None)
    return out


def _pad_text(kind: Type, rank: int, mode: str) -> str:
    words = Words(2)
    out_place, place, *value = words.take(6)
    lengths, padded = words.take(rank), words.take(rank)
    before, steps = words.take(rank), words.take(rank)
    lines, axes = position(padded, "index")
    terms: list[str] = []
    inside: list[str] = []
    for a in range(rank):
        lines.append(f"let s{a} = source_index({axes[a]}, {before[a]}, {lengths[a]});")
        terms.append(f"u32(s{a}) * {steps[a]}")
        inside.append(f"u32(s{a}) < {lengths[a]}")
    constant = {
        "u32": value[0],
        "vec2<u32>": f"vec2<u32>({value[0]}, {value[1]})",
        "vec4<u32>": f"vec4<u32>({', '.join(value)})",
    }[kind.compute]
    if mode == "constant":
        lines.append(f"if !({' && '.join(inside)}) {{ return {constant}; }}")
    lines.append(f"return {kind.element('data', ' + '.join([place, *terms]))};")
    values = [f"padded_element(min(first + {i}u, last))" for i in range(EACH)]
    return "\n".join([
        words.declaration(),
        movement.output_binding(kind, True),
        binding(2, "data", kind.scalar),
        FUNCTIONS,
        "fn source_index(index: u32, before: u32, length: u32) -> i32 {",
        "    let i = i32(index - before);",
        "    let n = i32(length);",
        f"    return {SOURCES[mode]};\n}}",
        f"fn padded_element(index: u32) -> {kind.compute} {{\n{indented(lines)}\n}}",
        movement.main_text([], values, kind, out_place, True),
    ])  # fmt: skip


# --- the gradient ---------------------------------------------------------------------------------

# Which places of a padded axis come from the index ``i`` of the source: two progressions, of which
# the second one may be empty, as (first, step, count, first of the other, count of it).
PLACES = {
    "edge": """
    let low = select(i + before, 0, i == 0);
    let high = select(i + before + 1, total, i == n - 1);
    return Places(low, 1, high - low, 0, 0);""",
    "wrap": """
    let first = modulo_of_index(i + before, n);
    return Places(first, n, count_from(first, n, total), 0, 0);""",
    "symmetric": """
    let period = 2 * n;
    let first = modulo_of_index(before + i, period);
    let other = modulo_of_index(before - 1 - i, period);
    return Places(first, period, count_from(first, period, total), other,
        count_from(other, period, total));""",
    "reflect": """
    let period = max(2 * n - 2, 1);
    let first = modulo_of_index(before + i, period);
    let other = modulo_of_index(before - i, period);
    return Places(first, period, count_from(first, period, total), other,
        select(count_from(other, period, total), 0, first == other));""",
}
PLACES_OF_INDEX = """
struct Places {{
    first: i32,
    step: i32,
    count: i32,
    other: i32,
    other_count: i32,
}}

fn count_from(first: i32, step: i32, total: i32) -> i32 {{
    return max((total - first + step - 1) / step, 0);
}}

fn places_of(i: i32, before: i32, n: i32, total: i32) -> Places {{{body}
}}

fn place_in(places: Places, number: i32) -> u32 {{
    let other = places.other + (number - places.count) * places.step;
    return u32(select(other, places.first + number * places.step, number < places.count));
}}
"""


def pad_backward(
    backend: WebgpuBackend, gradient: Strided, *, widths: Widths, mode: str, shape: Shape
) -> Strided:
    """The gradient of what was padded, of a shape."""
    dtype = gradient.dtype
    with backend.gpu.lock:
        if mode == "constant":
            return _without_constants(backend, gradient, widths, shape)
        out: Strided = backend.empty(shape, dtype)
        if not out.size:
            return out
        if not gradient.size:
            return backend.full(shape, 0, dtype)
        if not _is_whole(gradient, out):
            return _fold_axis_by_axis(backend, gradient, widths, mode, shape)
        axes = _axes(shape, widths, (gradient.strides,))
        rank, kind = len(axes), backend.types[dtype]
        moved = tuple(bool(before or after) for _, before, after, _ in axes)
        program = backend.compiled(
            ("pad_backward", kind.name, moved, mode), "pad_backward", 2,
            lambda: _gradient_text(kind, moved, mode),
        )  # fmt: skip
        words = [0, out.size, out.offset, gradient.offset]
        words += [n for n, *_ in axes] + [n + before + after for n, before, after, _ in axes]
        words += [before & WORD for _, before, _, _ in axes]
        words += [step & WORD for *_, step in axes]
        assert len(words) == 4 + 4 * rank
        bindings = (out.block.buffer.whole, gradient.block.buffer.whole)
        groups = -(-out.size // (EACH * WORKGROUP))
        backend.gpu.dispatch(program, bindings, words, groups)  # type: ignore[arg-type]
        out.block.version += 1
    return out


def _without_constants(
    backend: WebgpuBackend, gradient: Strided, widths: Widths, shape: Shape
) -> Strided:
    """What is left of the gradient when its borders are cut off; cropped elements have none."""
    back = tuple((-before, -after) for before, after in widths)
    return pad(backend, gradient, widths=back, mode="constant", value=0.0)


def _fold_axis_by_axis(
    backend: WebgpuBackend, gradient: Strided, widths: Widths, mode: str, shape: Shape
) -> Strided:
    """The same of what is larger than a binding: rows are added to those they are copies of."""
    dtype = computed(gradient.dtype)
    add = backend.elementwise("add", (dtype, dtype), dtype, dtype)
    total = backend.reduction("sum", dtype, dtype)
    found: Strided = backend.cast(gradient, dtype)
    for axis, (before, after) in enumerate(widths):
        every: list[slice] = [slice(None)] * len(shape)
        for target, source in copies(mode, shape[axis], before, after):
            key = (*every[:axis], source, *every[axis + 1 :])
            part = backend.index(found, (*every[:axis], target, *every[axis + 1 :]))
            if mode == "edge":
                part = total(part, (axis,), True)
            backend.assign(found, key, add(backend.index(found, key), part))
        every[axis] = slice(before, before + shape[axis])
        found = backend.index(found, tuple(every))
    return backend.cast(found, gradient.dtype)


def _gradient_text(kind: Type, moved: Sequence[bool], mode: str) -> str:
    rank = len(moved)
    words = Words(2)
    out_place, place = words.take(2)
    lengths, padded = words.take(rank), words.take(rank)
    before, steps = words.take(rank), words.take(rank)
    lines, axes = position(lengths, "index")
    t = kind.suffix
    terms = [place]
    loops: list[str] = []
    for a in range(rank):
        if not moved[a]:
            terms.append(f"{axes[a]} * {steps[a]}")
            continue
        lines.append(f"let p{a} = places_of(i32({axes[a]}), i32({before[a]}), i32({lengths[a]}), "
                     f"i32({padded[a]}));")  # fmt: skip
        loops.append(f"for (var j{a} = 0; j{a} < p{a}.count + p{a}.other_count; j{a}++) {{")
        terms.append(f"place_in(p{a}, j{a}) * {steps[a]}")
    element = kind.element("data", " + ".join(terms))
    add = f"sum = add_term_{t}(sum, Double_{t}({element}, T(0)));"
    lines += [f"var sum = Double_{t}(T(-0.0), T(0));", *loops, add, "}" * len(loops),
              f"return settled_{t}(sum).high;"]  # fmt: skip
    values = [f"gradient_of(min(first + {i}u, last))" for i in range(EACH)]
    return "\n".join([
        words.declaration(),
        f"alias T = {kind.compute};",
        movement.output_binding(kind, True),
        binding(2, "data", kind.scalar),
        FUNCTIONS,
        PLACES_OF_INDEX.format(body=PLACES[mode]),
        f"fn gradient_of(index: u32) -> T {{\n{indented(lines)}\n}}",
        movement.main_text([], values, kind, out_place, True, is_opaque=True),
    ])  # fmt: skip


ROUTINES: dict[str, Callable[..., Any]] = {"pad": pad, "pad_backward": pad_backward}
