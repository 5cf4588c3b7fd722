"""The activation Snake with two parameters a channel, and its gradients.

A slice of a workgroup has a channel: it writes the gradients of its elements and sums what they add
to those of the parameters, in an order that depends on the shape only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api._backends.webgpu.data import Strided, index, merge
from numr_api._backends.webgpu.kernels import (
    EACH,
    WORKGROUP,
    Words,
    binding,
    place_of,
    position,
    window_of,
    written_element,
    written_type,
)
from numr_api._backends.webgpu.reduction_kernels import function_text
from numr_api._backends.webgpu.row_kernels import COMBINED_SUM, SHARED
from numr_api._backends.webgpu.types import WORD, Type
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends.webgpu.device import WebgpuBackend

THREADS = (1, 4, 16, 64, WORKGROUP)  # of a channel
ELEMENTS = 16  # that a thread has at least, but for the last of THREADS
THREADS_OF_COLUMNS = 8  # where neighbours in memory are of different channels


def snake_beta(
    backend: WebgpuBackend, x: Strided, alpha: Strided, beta: Strided, *, axis: int, eps: float
) -> Strided:
    """x + sin(alpha x)^2/(beta + eps), with parameters along an axis."""
    dtype = x.dtype
    kernel = backend.remembered(
        ("snake_beta", dtype),
        lambda: backend.elementwise("snake_beta", (dtype, dtype, dtype, float), dtype, dtype),
    )
    return kernel(x, _spread(alpha, x, axis), _spread(beta, x, axis), eps)


def _spread(parameters: Strided, x: Strided, axis: int) -> Strided:
    """The parameters as a view of x's shape."""
    strides = tuple(parameters.strides[0] if i == axis else 0 for i in range(len(x.shape)))
    return parameters.view(x.shape, strides, parameters.offset)


def snake_beta_backward(
    backend: WebgpuBackend,
    gradient: Strided,
    x: Strided,
    alpha: Strided,
    beta: Strided,
    *,
    axis: int,
    eps: float,
) -> tuple[Strided, Strided, Strided]:
    """The gradients of x, alpha and beta."""
    dtype = x.dtype
    if not x.size:
        return (backend.empty(x.shape, dtype), backend.full(alpha.shape, 0, dtype),
                backend.full(beta.shape, 0, dtype))  # fmt: skip
    with backend.gpu.lock:
        results = tuple(backend.empty(y.shape, dtype) for y in (x, alpha, beta))
        work = Work((gradient, x, results[0]), (alpha, beta), results[1:], axis)
        _run(backend, work, eps)
        for out in results:
            out.block.version += 1
    return results  # type: ignore[return-value]


class Work(NamedTuple):
    """Arrays of one shape, the last one a result, and arrays of the channels."""

    elements: Sequence[Strided]
    parameters: Sequence[Strided]
    sums: Sequence[Strided]
    axis: int

    def part(self, axis: int, start: int, stop: int) -> Work:
        """The same for a part of an axis."""
        key = [slice(None)] * len(self.elements[0].shape)
        key[axis] = slice(start, stop)
        elements = [index(x, tuple(key)) for x in self.elements]
        if axis != self.axis:
            return self._replace(elements=elements)
        channels = [[index(x, (slice(start, stop),)) for x in arrays]
                    for arrays in (self.parameters, self.sums)]  # fmt: skip
        return Work(elements, channels[0], channels[1], self.axis)


class Variant(NamedTuple):
    """What the text of a kernel depends on."""

    threads: int
    columns: bool
    vector: bool
    rank: int


def _run(backend: WebgpuBackend, work: Work, eps: float) -> None:
    """Record the kernel, or kernels for parts that bindings can hold."""
    shape = work.elements[0].shape
    arrays = [*work.elements, *work.parameters, *work.sums]
    windows = [window_of(x, x.shape, x.strides, x.offset) for x in arrays]
    if None not in windows:
        _dispatch(backend, work, eps, windows)
        return
    axis = next((i for i, n in enumerate(shape) if n > 1), None)
    if axis is None:
        raise Unsupported(f"snake_beta_backward of so large an array on {backend.device}")
    halves = [(0, shape[axis] // 2), (shape[axis] // 2, shape[axis])]
    if axis == work.axis:
        for start, stop in halves:
            _run(backend, work.part(axis, start, stop), eps)
        return
    wide = work.sums[0].dtype
    if backend.types[wide].compute == "f32":
        wide = backend.default_dtypes["real floating-point"]
    halves_of_sums: list[Sequence[Strided]] = []
    for start, stop in halves:
        sums = [backend.empty(x.shape, wide) for x in work.sums]
        _run(backend, work.part(axis, start, stop)._replace(sums=sums), eps)
        halves_of_sums.append(sums)
    add = backend.elementwise("add", (wide, wide), wide, work.sums[0].dtype)
    for first, second, out in zip(*halves_of_sums, work.sums, strict=True):
        add(first, second, out=out)


def _dispatch(backend: WebgpuBackend, work: Work, eps: float, windows: Sequence[Any]) -> None:
    x, axis = work.elements[1], work.axis
    channels = x.shape[axis]
    others = [tuple(s for i, s in enumerate(y.strides) if i != axis) for y in work.elements]
    lengths, steps = merge(tuple(n for i, n in enumerate(x.shape) if i != axis), tuple(others))
    if not lengths:
        lengths, steps = (1,), ((1,),) * len(others)
    count = prod(lengths)
    along = [y.strides[axis] for y in work.elements]
    arrays = [*work.elements, *work.parameters, *work.sums]
    places = [y.offset - w.offset // y.dtype.itemsize
              for y, w in zip(arrays, windows, strict=True)]  # fmt: skip
    columns = prod(x.shape[axis + 1 :]) == 1 and channels > 1
    threads = THREADS_OF_COLUMNS
    if not columns:
        threads = next((t for t in THREADS if t * ELEMENTS >= count), WORKGROUP)
    vector = lengths[-1] % EACH == 0 and all(
        step[-1] == 1 and not any(n % EACH for n in (place, by, *step[:-1]))
        for step, by, place in zip(steps, along, places, strict=False)
    )
    variant = Variant(threads, columns, vector, len(lengths))
    kinds = (backend.types[x.dtype], backend.types[work.sums[0].dtype])
    program = backend.compiled(
        ("snake_beta_backward", variant, *(kind.name for kind in kinds)), "snake_beta_backward",
        len(arrays), lambda: _source_text(variant, *kinds),
    )  # fmt: skip
    eps_kind = kinds[0]
    if eps_kind.compute == "f32":
        eps_kind = backend.types[backend.default_dtypes["real floating-point"]]
    words = [0, channels, count, *eps_kind.scalar_words(eps), *lengths]
    for place, by, step in zip(places, along, steps, strict=False):
        words += [place & WORD, by & WORD, *(s & WORD for s in step)]
    for y, place in zip(arrays[len(along) :], places[len(along) :], strict=True):
        words += [place & WORD, y.strides[0] & WORD]
    groups = -(-channels // (WORKGROUP // threads))
    backend.gpu.dispatch(program, tuple(windows), words, groups)


MAIN = """
@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {{
    opaque_zero = parameters[0].x;
    let slice = {slice};
    let lane = {lane};
    let slot = slice * {threads}u + lane;
    let number = (group.y * groups.x + group.x) * {slices}u + slice;
    let is_there = number < {channels};
    let channel = min(number, {channels} - 1u);
    let alpha_of_channel = {alpha};
    let sum = {beta} + {eps};
    var sums = array(Double_{t}(T(0), T(0)), Double_{t}(T(0), T(0)));
    for (var i = lane * 4u; i < {count}; i += {threads}u * 4u) {{
{loads}
        if is_there {{
{stores}
        }}
    }}
    let of_alpha = combined_sum(sums[0], slot, lane);
    let of_beta = combined_sum(sums[1], slot, lane);
    if is_there && lane == 0u {{
        let first = divide_{t}(of_alpha.high, sum);
        let second = divide_{t}(divide_{t}(of_beta.high, sum), sum);
        {put_alpha}
        {put_beta}
    }}
}}"""


def _source_text(variant: Variant, kind: Type, summed: Type) -> str:
    words = Words(1)
    t, slices = kind.suffix, WORKGROUP // variant.threads
    channels, count = words.take(2)
    wide = kind.compute == "f64"
    eps_words = words.take(2 if wide else 1)
    eps = f"bitcast<f32>({eps_words[0]})"
    if wide:
        eps = f"bitcast<f64>((u64({eps_words[1]}) << 32u) | u64({eps_words[0]}))"
    lengths = words.take(variant.rank)
    parts: list[str] = [f"alias T = {kind.compute};"]
    names = ("gradient", "x", "output", "alpha", "beta", "alpha_output", "beta_output")
    element = kind.vector[0] if variant.vector else kind.scalar
    written = kind.vector[0] if variant.vector else written_type(kind)
    types = (element, element, written, kind.scalar, kind.scalar, *(written_type(summed),) * 2)
    parts += [binding(i, *pair) for i, pair in enumerate(zip(names, types, strict=True), 1)]
    lines, axes = position(lengths, "k")
    for name in names[:3]:
        place, by, *steps = words.take(2 + variant.rank)
        first = f"{place} + channel * {by}"
        parts.append(function_text(f"{name}_place", "channel: u32, k", lines,
                                   place_of(first, steps, axes)))  # fmt: skip
    at: dict[str, str] = {}
    for name in names[3:]:
        place, by = words.take(2)
        at[name] = f"({place} + channel * {by})"
    parts += [words.declaration(), SHARED.format(t=t),
              COMBINED_SUM.format(t=t, threads=variant.threads)]  # fmt: skip
    loads, stores = _elements(variant, kind, count)
    parts.append(MAIN.format(
        slice=f"thread % {slices}u" if variant.columns else f"thread / {variant.threads}u",
        lane=f"thread / {slices}u" if variant.columns else f"thread % {variant.threads}u",
        threads=variant.threads, slices=slices, channels=channels, count=count, t=t, eps=eps,
        alpha=kind.element("alpha", at["alpha"]), beta=kind.element("beta", at["beta"]),
        loads=_deeper(loads, 2), stores=_deeper(stores, 3),
        put_alpha=written_element(summed, "alpha_output", at["alpha_output"], "first"),
        put_beta=written_element(summed, "beta_output", at["beta_output"], "second"),
    ))  # fmt: skip
    return "\n".join(parts)


def _elements(variant: Variant, kind: Type, count: str) -> tuple[list[str], list[str]]:
    """Statements that compute with four elements, and those that store their gradients."""
    t = kind.suffix
    lines: list[str] = []
    loaded: list[Sequence[str]] = []
    for name in ("gradient", "x"):
        if variant.vector:
            more, values = kind.load(name, f"{name}_place(channel, i)", f"{name}_vector")
            lines += more
        else:
            values = [kind.element(name, f"{name}_place(channel, min(i + {j}u, {count} - 1u))")
                      for j in range(EACH)]  # fmt: skip
        loaded.append(values)
    for j, (gradient, x) in enumerate(zip(*loaded, strict=True)):
        lines.append(f"let r{j} = snake_gradients_{t}({gradient}, {x}, alpha_of_channel, sum);")
        add = " ".join(
            f"sums[{n}] = add_term_{t}(sums[{n}], Double_{t}(r{j}.{part}, T(0)));"
            for n, part in enumerate("yz")
        )
        lines.append(add if variant.vector or not j else f"if i + {j}u < {count} {{ {add} }}")
    results = [f"r{j}.x" for j in range(EACH)]
    if variant.vector:
        return lines, kind.store("output", "output_place(channel, i)", results)
    return lines, [
        f"if i + {j}u < {count} {{ let to = output_place(channel, i + {j}u); "
        f"{written_element(kind, 'output', 'to', value)} }}"
        for j, value in enumerate(results)
    ]


def _deeper(lines: Sequence[str], times: int) -> str:
    return "\n".join("    " * times + line for line in lines)


ROUTINES: dict[str, Callable[..., Any]] = {
    "snake_beta": snake_beta,
    "snake_beta_backward": snake_beta_backward,
}
