"""The text of element-wise kernels; ``elementwise`` says which variants there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numr_api._backends.webgpu.kernels import (
    EACH,
    Words,
    binding,
    indented,
    place_of,
    position,
    written_element,
    written_type,
)
from numr_api._backends.webgpu.types import Type, convert

NAMES = "abcd"  # of operands
OUTPUTS: Sequence[str] = ("output", "second_output")


class Signature(NamedTuple):
    """What a kernel computes, of what.

    Attributes:
        body: WGSL for ``operation``, whose parameters a, b, c, d are of the promoted types.
        operands: how each operand is stored; None for a Python scalar.
        promoted: what each is converted to when it is loaded.
        result: the type of the outcome.
        results: how many there are; of two, ``operation`` returns a vector.
    """

    body: str
    operands: Sequence[Type | None]
    promoted: Sequence[Type]
    result: Type
    results: int = 1

    def operation(self) -> str:
        """The declaration of the function that is applied to each element."""
        parameters = ", ".join(
            f"{name}: {promoted.compute}"
            for name, promoted in zip(NAMES, self.promoted, strict=False)
        )
        alias = f"alias T = {self.promoted[-1].compute};\n"
        return f"{alias}fn operation({parameters}) -> {self.outcome} {{ {self.body} }}"

    @property
    def outcome(self) -> str:
        """The WGSL type of what ``operation`` returns."""
        return self.result.compute if self.results == 1 else f"vec2<{self.result.compute}>"


def source_of(
    signature: Signature, rank: int, whole_rows: bool, modes: Sequence[str], each: int
) -> str:
    """The text of a variant of a kernel.

    Arguments:
        rank: how many axes there are after merging.
        whole_rows: whether a thread's elements always lie in one row.
        modes: how each array is reached, outputs first.
        each: how many elements a thread has.
    """
    words = Words(2)
    lengths = words.take(rank)
    accesses: list[tuple[str, str, Type, str, list[str]]] = []
    names = iter(NAMES)
    outputs = OUTPUTS[: signature.results]
    arrays = list(outputs)
    for kind in signature.operands:
        name = next(names)
        if kind is not None:
            arrays.append(name)
    types = [signature.result] * len(outputs)
    types += [kind for kind in signature.operands if kind is not None]
    for name, kind, mode in zip(arrays, types, modes, strict=True):
        place = words.take(1)[0]
        steps = words.take(rank) if mode != "constant" else []
        accesses.append((name, mode, kind, place, steps))
    declarations = [
        binding(number, name, element_of(kind, mode, name in outputs))
        for number, (name, mode, kind, _, _) in enumerate(accesses, 1)
    ]
    values = [
        (name, promoted, kind)
        for name, promoted, kind in zip(NAMES, signature.promoted, signature.operands, strict=False)
    ]
    scalars = {
        name: promoted.scalar_from(words.take(promoted.words))
        for name, promoted, kind in values
        if kind is None
    }
    written, read = accesses[: len(outputs)], accesses[len(outputs) :]
    given = (lengths, written, read, values, scalars, signature)
    main = whole_rows_main(*given) if whole_rows else single_elements_main(*given, each)
    return "\n".join([words.declaration(), *declarations, signature.operation(), main])


def element_of(kind: Type, mode: str, written: bool) -> str:
    """The WGSL type of which a binding is an array."""
    if mode == "vector":
        return kind.vector[0]
    return written_type(kind) if written else kind.scalar


MAIN = """
@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {{
    opaque_zero = parameters[0].x;
    let first = ((group.y * groups.x + group.x) * 256u + thread) * {each}u;
    let count = parameters[0].y;
    if first >= count {{ return; }}
    let last = count - 1u;
{lines}
}}"""


Accesses = list[tuple[str, str, Type, str, list[str]]]


def whole_rows_main(
    lengths: list[str],
    written: Accesses,
    read: Accesses,
    values: list[tuple[str, Type, Type | None]],
    scalars: dict[str, str],
    signature: Signature,
) -> str:
    """The kernel for rows of whole vectors: a thread's elements differ in the last axis only."""
    lines, axes = position(lengths, "first")
    loaded: dict[str, list[str]] = {name: [text] * EACH for name, text in scalars.items()}
    for name, mode, kind, place, steps in read:
        if mode == "constant":
            lines.append(f"let {name}_value = {kind.element(name, place)};")
            loaded[name] = [f"{name}_value"] * EACH
            continue
        lines.append(f"let {name}_first = {place_of(place, steps, axes)};")
        if mode == "vector":
            more, loaded[name] = kind.load(name, f"{name}_first", f"{name}_vector")
            lines += more
            continue
        step = "" if mode == "unit" else f" * {steps[-1]}"
        loaded[name] = [
            kind.element(name, f"{name}_first + min({i}u, last - first){step}") for i in range(EACH)
        ]
    for i in range(EACH):
        given = ", ".join(
            convert(kind, promoted, loaded[name][i]) if kind else loaded[name][i]
            for name, promoted, kind in values
        )
        lines.append(f"let result{i} = operation({given});")
    for (name, mode, kind, place, steps), part in zip(written, parts_of(signature), strict=True):
        lines.append(f"let {name}_first = {place_of(place, steps, axes)};")
        results = [f"result{i}{part}" for i in range(EACH)]
        if mode == "vector":
            lines += kind.store(name, f"{name}_first", results)
            continue
        for i, text in enumerate(results):
            put = written_element(kind, name, f"{name}_first + {i}u * {steps[-1]}", text)
            lines.append(f"if first + {i}u < count {{ {put} }}")
    return MAIN.format(each=EACH, lines=indented(lines))


def parts_of(signature: Signature) -> Sequence[str]:
    """What selects each result of what ``operation`` returns."""
    return ("",) if signature.results == 1 else (".x", ".y")


def single_elements_main(
    lengths: list[str],
    written: Accesses,
    read: Accesses,
    values: list[tuple[str, Type, Type | None]],
    scalars: dict[str, str],
    signature: Signature,
    each: int,
) -> str:
    """The kernel whose threads may cross from one row to the next, or have one element each."""
    lines, axes = position(lengths, "index")
    elements = dict(scalars)
    for name, _, kind, place, steps in read:
        where = place_of(place, steps, axes) if steps else place
        elements[name] = kind.element(name, where)
    given = ", ".join(
        convert(kind, promoted, elements[name]) if kind else elements[name]
        for name, promoted, kind in values
    )
    text = indented(lines)
    functions = [
        f"fn at(index: u32) -> {signature.outcome} {{\n{text}\n    return operation({given});\n}}"
    ]
    lines = [f"let result{i} = at(min(first + {i}u, last));" for i in range(each)]
    more, axes = position(lengths, "index")
    text = indented(more)
    for (name, mode, kind, place, steps), part in zip(written, parts_of(signature), strict=True):
        results = [f"result{i}{part}" for i in range(each)]
        if mode == "vector":
            lines += kind.store(name, f"{place} + first", results)
            continue
        body = f"{text}\n    return {place_of(place, steps, axes)};"
        functions.append(f"fn {name}_place(index: u32) -> u32 {{\n{body}\n}}")
        for i, value in enumerate(results):
            put = written_element(kind, name, "to", value)
            lines.append(
                f"if first + {i}u < count {{ let to = {name}_place(first + {i}u); {put} }}"
            )
    return "\n".join(functions) + MAIN.format(each=each, lines=indented(lines))
