"""The text of the kernels that compute the elements of a matrix product each by itself."""

from __future__ import annotations

from numr_api._backends.webgpu.kernels import (
    WORKGROUP,
    binding,
    indented,
    position,
    written_type,
)
from numr_api._backends.webgpu.product_parts import (
    ADD,
    MAIN,
    MULTIPLY,
    Form,
    Parameters,
    part_type,
    parts,
    quad,
    statement,
    sum_of_four,
    sum_of_two,
)

# A sum c with the product of elements a and b.
SINGLE = {
    "iuf": "c + a * b",
    "c": "c + a.x * b + a.y * {type}(-b.y, b.x)",
    "IU": "add_pair(c, multiply_pair(a, b))",
}


def single(form: Form) -> str:
    """The kernel for small products, a thread for each element: little to compile."""
    assert form.right
    words, kind = Parameters(form), form.kind
    lines, axes = position([*words.lengths, words.rows, words.columns], "index")
    *outer, row, column = axes
    product = next(text for kinds, text in SINGLE.items() if kind.kind in kinds)
    firsts = [
        f"{words.first(name, outer)} + {i} * {words.outer[name]}"
        for name, i in (("output", row), ("left", row), ("right", column))
    ]
    elements = [
        kind.element(name, f"{name}_first + k * {words.last[name]}") for name in ("left", "right")
    ]
    lines = [
        f"let index = number * {WORKGROUP}u + thread;",
        f"if index >= {words.extra[0]} {{ return; }}",
        *lines,
        f"let left_first = {firsts[1]};",
        f"let right_first = {firsts[2]};",
        f"var c = {kind.compute}();",
        f"for (var k = 0u; k < {words.inner}; k++) {{",
        f"    let a = {elements[0]};",
        f"    let b = {elements[1]};",
        f"    c = {product.format(type=kind.compute)};",
        "}",
        f"let place = {firsts[0]} + {column} * {words.last['output']};",
        form.put("output", "place", "c"),
    ]
    return "\n".join([
        words.declaration,
        binding(1, "output", written_type(form.stored)),
        binding(2, "left", kind.scalar),
        binding(3, "right", kind.scalar),
        MAIN.format(threads=WORKGROUP, lines=indented(lines)),
    ])  # fmt: skip


def dots(form: Form, lanes: int, lanes_first: bool) -> str:
    """The kernel whose threads compute dot products, each alone or some of them together.

    Lanes of a dot product take fours of the inner axis in turn. The same lanes have the same fours
    whichever threads they are, so the result does not depend on where the operands lie.

    Arguments:
        lanes: threads for each dot product, a power of two.
        lanes_first: whether neighbouring threads work on one dot product, or on neighbouring ones.
    """
    words, kind = Parameters(form), form.kind
    own, lane = _roles(lanes, lanes_first)
    lines, axes = position([*words.lengths, words.rows, words.columns], "min(index, last)")
    *outer, row, column = axes
    sides = [("left", form.left, row)]
    if form.right:
        sides.append(("right", form.right, column))
    lines = [
        f"let last = {words.extra[0]} - 1u;",
        f"let index = number * {WORKGROUP // lanes}u + {own};",
        *lines,
        f"let count = {words.count(form, outer)};",
        *[f"let {name}_first = {words.first(name, outer)} + {i} * {words.outer[name]};"
          for name, _, i in sides],
        *[f"var c{part} = vec4<{part_type(kind)}>();" for part in parts(kind)],
        f"var k = {lane} * 4u;",
        f"for (; k + 3u < count; k += {4 * lanes}u) {{",
        *_products(form, words, False),
        "}",
        "if k < count {",
        *_products(form, words, True),
        "}",
    ]  # fmt: skip
    result = sum_of_four(kind, "c")
    memory = ""
    inside = "index <= last"
    if lanes > 1:
        memory = f"var<workgroup> sums: array<{kind.compute}, {WORKGROUP}>;"
        apart = 1 if lanes_first else WORKGROUP // lanes
        both = sum_of_two(kind, "sums[thread]", f"sums[thread + half * {apart}u]")
        lines += [
            f"sums[thread] = {result};",
            f"for (var half = {lanes // 2}u; half > 0u; half = half >> 1u) {{",
            "workgroupBarrier();",
            f"if {lane} < half {{ sums[thread] = {both}; }}",
            "}",
        ]
        result = "sums[thread]"
        inside += f" && {lane} == 0u"
    place = f"{words.first('output', outer)} + {row} * {words.outer['output']}"
    place = f"({place} + {column} * {words.last['output']})"
    lines.append(f"if {inside} {{ {form.put('output', place, result)} }}")
    bindings = [binding(2, "left", form.left.element(kind))]
    if form.right:
        bindings.append(binding(3, "right", form.right.element(kind)))
    return "\n".join([
        words.declaration,
        binding(1, "output", written_type(form.stored)),
        *bindings,
        memory,
        MAIN.format(threads=WORKGROUP, lines=indented(lines)),
    ])  # fmt: skip


def _roles(lanes: int, lanes_first: bool) -> tuple[str, str]:
    """A thread's dot product among its workgroup's, and its lane of that."""
    if lanes == 1:
        return "thread", "0u"
    if lanes_first:
        return f"thread / {lanes}u", f"(thread % {lanes}u)"
    outputs = WORKGROUP // lanes
    return f"thread % {outputs}u", f"(thread / {outputs}u)"


def _products(form: Form, words: Parameters, partial: bool) -> list[str]:
    """Add the products of the four inner elements from ``k`` on, or of those before ``count``."""
    kind = form.kind
    lines: list[str] = []
    for name, access in (("left", form.left), ("right", form.right)):
        if access is None:
            continue
        if access.vector:  # beyond the end is what we must not use, but can read
            more, values = kind.load(name, f"({name}_first + k)", f"{name}_loaded")
            lines += more
        else:
            at = ["k"] + [f"min(k + {i}u, count - 1u)" if partial else f"(k + {i}u)"
                          for i in (1, 2, 3)]  # fmt: skip
            values = [kind.element(name, f"({name}_first + {i} * {words.last[name]})") for i in at]
        lines += [f"let {name}_{i} = {text};" for i, text in enumerate(values)]
        values = [f"{name}_{i}" for i in range(4)]
        for part in parts(kind):
            text = quad(kind, values, part)
            if partial:
                mask = "vec4<bool>(true, k + 1u < count, k + 2u < count, k + 3u < count)"
                text = f"select(vec4<{part_type(kind)}>(), {text}, {mask})"
            lines.append(f"let {name}q{part} = {text};")
    if form.right:
        lines.append(statement(MULTIPLY, kind, c="c", a="leftq", b="rightq"))
    else:
        lines.append(statement(ADD, kind, c="c", a="leftq"))
    return lines
