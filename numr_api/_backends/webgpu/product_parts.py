"""What the kernels for matrix products share: arithmetic on parts, parameters, the frame.

They compute on four elements at once, as ``vec4`` of a dtype's parts: itself, or real and imaginary
part, or low and high word. So a dtype is a row of ``MULTIPLY``, whatever its kernel.

Matrices are called left (rows x inner) and right (inner x columns); an operand's *outer* axis is
the one that is not summed over. Every access is in bounds by construction: outer indices are cut to
the last one, and what they give too much is never stored; inner ones beyond the end are not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numr_api._backends.webgpu.kernels import Words, place_of, written_element
from numr_api._backends.webgpu.types import Type

# c += a * b for four elements; a may also be one. By kind, as the rows of element-wise operations.
MULTIPLY = {
    "iuf": "{c} += {a} * {b};",
    "c": "{cx} += {ax} * {bx}; {cx} -= {ay} * {by}; {cy} += {ax} * {by}; {cy} += {ay} * {bx};",
    "IU": "{cy} += high_products_u32(vec4<u32>({ax}), {bx}) + {ax} * {by} + {ay} * {bx}; "
    "{cx} += {ax} * {bx}; {cy} += carries_u32({cx}, {ax} * {bx});",
}
# c += a
ADD = {
    "iuf": "{c} += {a};",
    "c": "{cx} += {ax}; {cy} += {ay};",
    "IU": "{cx} += {ax}; {cy} += {ay} + carries_u32({cx}, {ax});",
}


class Access(NamedTuple):
    """How an operand lies in memory.

    Attributes:
        along: the axis that neighbours in memory differ in, "inner" or "outer".
        vector: whether four neighbours can be had in one load.
    """

    along: str
    vector: bool

    def element(self, kind: Type) -> str:
        return kind.vector[0] if self.vector else kind.scalar


class Form(NamedTuple):
    """What sets kernels of one generator apart.

    Attributes:
        kind: the operands' type.
        stored: the result's, with the same computed type.
        rank: how many batch axes there are.
        sliced: whether the first of them counts parts of the inner axis.
        right: None to add up the left operand's rows.
        subtracts: whether the results are subtracted from what is there, of floating-point types.
    """

    kind: Type
    stored: Type
    rank: int
    sliced: bool
    left: Access
    right: Access | None
    subtracts: bool = False

    @property
    def adds(self) -> bool:
        """Whether results are added block by block, which rounds them to the stored type."""
        return self.kind.kind in "fc" and not self.subtracts and not self.stored.is_narrow

    def put(self, name: str, place: str, value: str) -> str:
        """The statement that stores a result, or subtracts it, in a binding of ``written_type``."""
        if self.subtracts:
            value = f"{name}[{place}] - {value}"
        return written_element(self.stored, name, place, value)


# --- parts ----------------------------------------------------------------------------------------


def parts(kind: Type) -> tuple[str, ...]:
    """The suffixes of the names of a type's parts."""
    return ("x", "y") if kind.kind in "cIU" else ("",)


def part_type(kind: Type) -> str:
    return kind.compute.removeprefix("vec2<").removesuffix(">")


def size_of(kind: Type) -> int:
    """Bytes of a computed element."""
    return len(parts(kind)) * (8 if "64" in part_type(kind) else 4)


def quad(kind: Type, values: Sequence[str], part: str) -> str:
    """One part of four elements."""
    chosen = [f"{value}.{part}" if part else value for value in values]
    return f"vec4<{part_type(kind)}>({', '.join(chosen)})"


def component(kind: Type, name: str, number: int) -> str:
    """One of four elements whose parts have a common name."""
    found = [f"{name}{part}.{'xyzw'[number]}" for part in parts(kind)]
    return f"{kind.compute}({', '.join(found)})" if len(found) > 1 else found[0]


def statement(table: dict[str, str], kind: Type, **names: str) -> str:
    """A row of MULTIPLY or ADD; a name may end in ".x" or the like, to use one of four elements."""
    row = next(text for kinds, text in table.items() if kind.kind in kinds)
    given: dict[str, str] = {}
    for letter, name in names.items():
        base, dot, rest = name.partition(".")
        given |= {letter + part: base + part + dot + rest for part in ("", "x", "y")}
    return row.format(**given)


def sum_of_two(kind: Type, first: str, second: str) -> str:
    return f"add_pair({first}, {second})" if kind.kind in "IU" else f"({first} + {second})"


def sum_of_four(kind: Type, name: str) -> str:
    a, b, c, d = (component(kind, name, i) for i in range(4))
    return sum_of_two(kind, sum_of_two(kind, a, b), sum_of_two(kind, c, d))


# --- the parameters -------------------------------------------------------------------------------


class Parameters:
    """The words of both kernels, in the order in which ``products`` gives them."""

    def __init__(self, form: Form) -> None:
        words = Words(2)
        self.rows, self.columns, self.inner, self.slice = words.take(4)
        self.extra = words.take(2)
        self.lengths = words.take(form.rank)
        names = ["output", "left", "right"] if form.right else ["output", "left"]
        self.places: dict[str, str] = {}
        self.outer: dict[str, str] = {}
        self.last: dict[str, str] = {}  # strides along inner axes; the output's along columns
        self.steps: dict[str, list[str]] = {}
        for name in names:
            self.places[name], self.outer[name], self.last[name] = words.take(3)
            self.steps[name] = words.take(form.rank)
        self.declaration = words.declaration()

    def first(self, name: str, axes: Sequence[str]) -> str:
        """Where a matrix of a batch begins."""
        return place_of(self.places[name], self.steps[name], axes)

    def count(self, form: Form, axes: Sequence[str]) -> str:
        """The inner length of a slice."""
        if not form.sliced:
            return self.inner
        return f"min({self.slice}, {self.inner} - {axes[0]} * {self.slice})"


MAIN = """
@compute @workgroup_size({threads})
fn main(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {{
    let number = group.y * groups.x + group.x;
    if number >= parameters[0].y {{ return; }}
{lines}
}}"""
