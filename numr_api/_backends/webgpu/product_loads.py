"""How a workgroup brings tiles of the operands into workgroup memory, by way of registers.

A thread loads *units* of 4 x 4 elements, which it can turn around on the way: rows of workgroup
memory are along an operand's outer axis, whichever its neighbours in memory differ in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from numr_api._backends.webgpu.product_parts import (
    Access,
    Parameters,
    part_type,
    parts,
    quad,
)
from numr_api._backends.webgpu.types import Type

BANKED = 16  # bytes of workgroup memory that a thread reads or writes at once without conflicts


@dataclass(frozen=True)
class Loaded:
    """An operand's tile in workgroup memory.

    Attributes:
        name: the operand's.
        length: the expression of the operand's outer length.
        first: of the tile's first outer index.
        outer, inner: the tile's lengths.
        groups: into how many equal ranges of the outer axis a thread's elements fall.
        stages: how many tiles there are in turn.
    """

    kind: Type
    name: str
    access: Access
    length: str
    first: str
    outer: int
    inner: int
    groups: int
    stages: int

    @property
    def quads(self) -> int:
        return self.outer // 4

    @property
    def units(self) -> int:
        return self.quads * self.inner // 4

    @property
    def pieces(self) -> int:
        """Into how many vectors a quad is cut, so that none is wider than what banks give."""
        return 2 if part_type(self.kind).endswith("64") else 1

    def exchanged(self, inner_quad: str) -> str:
        """What the places of quads are exchanged by, in rows of four.

        Threads that load along the inner axis would else all write to the same banks.
        """
        if self.access.along == "outer":
            return ""
        most = min(8, self.quads // self.groups)
        factor = max(8 // (self.inner // 4), 1)
        return f" ^ (({inner_quad} * {factor}u) & {most - 1}u)"

    def place(self, inner: str, quad_place: str, piece: int) -> str:
        row = f"({inner}) * {self.pieces}u" + (f" + {piece}u" if piece else "")
        stage = f"stage * {self.inner * self.pieces * self.quads}u + " if self.stages > 1 else ""
        return f"{stage}({row}) * {self.quads}u + {quad_place}"

    def memory(self) -> list[str]:
        """The declarations of its workgroup memory."""
        count = self.stages * self.inner * self.pieces * self.quads
        value = f"vec{4 // self.pieces}<{part_type(self.kind)}>"
        return [
            f"var<workgroup> {self.name}_tile{part}: array<{value}, {count}>;"
            for part in parts(self.kind)
        ]

    def read(self, inner_quad: str, i: int, own: str, group: int, part: str) -> str:
        """The part of a thread's quad from workgroup memory."""
        at = f"{group * self.quads // self.groups}u + ({own}{self.exchanged(inner_quad)})"
        found = [
            f"{self.name}_tile{part}[{self.place(f'{inner_quad} * 4u + {i}u', at, piece)}]"
            for piece in range(self.pieces)
        ]
        return found[0] if self.pieces == 1 else f"vec4<{part_type(self.kind)}>({', '.join(found)})"


class Loading:
    """The statements that load both operands' tiles, whose units the threads share."""

    def __init__(
        self, words: Parameters, axes: Sequence[str], sides: Sequence[Loaded], threads: int
    ) -> None:
        self._words, self._axes, self._sides, self._threads = words, axes, sides, threads
        self._kind = sides[0].kind
        self._rounds = -(-sum(side.units for side in sides) // threads)

    def begin(self) -> list[str]:
        """Find out where a thread's units are, and where they go in workgroup memory."""
        lines: list[str] = []
        for n in range(self._rounds):
            lines.append(f"var inner{n}: u32; var slot{n}: u32; var step{n}: u32;")
            lines.append(" ".join(f"var at{n}_{i}: u32;" for i in range(4)))
            lines += [f"var p{n}_{i}{part} = vec4<{part_type(self._kind)}>();"
                      for i in range(4) for part in parts(self._kind)]  # fmt: skip
        return lines + self._each(self._places)

    def fetch(self, whole: str) -> list[str]:
        """Load the elements of the tile at ``next``; zeros beyond the end of the inner axis.

        Arguments:
            whole: "tiles" or "quads" if the inner length is a number of these.
        """
        lines = self._each(lambda n, side, _: self._fetch(n, side, whole))
        return ["if next < count {", *lines, "}"] if whole == "tiles" else lines

    def store(self) -> list[str]:
        """Put a thread's elements to workgroup memory."""
        return self._each(self._store)

    def _each(self, lines_of: Callable[[int, Loaded, str], list[str]]) -> list[str]:
        """Statements for each of a thread's units, by the operand that it is of."""
        lines: list[str] = []
        left, right = self._sides
        for n in range(self._rounds):
            start = n * self._threads
            end = min(start + self._threads, left.units + right.units)
            chosen: list[tuple[int, list[str]]] = []  # below which thread what is done
            if start < left.units:
                own = f"(thread + {start}u)" if start else "thread"
                chosen.append((min(left.units, end) - start, lines_of(n, left, own)))
            if end > left.units:
                moved = start - left.units
                own = f"(thread + {moved}u)" if moved >= 0 else f"(thread - {-moved}u)"
                chosen.append((end - start, lines_of(n, right, own)))
            for number, (below, part) in enumerate(chosen):
                condition = f"if thread < {below}u " if below < self._threads else ""
                lines += [("else " if number else "") + condition + "{", *part, "}"]
        return lines

    def _places(self, n: int, side: Loaded, own: str) -> list[str]:
        name, access, depth = side.name, side.access, side.inner // 4
        inner, outer = self._words.last[name], self._words.outer[name]
        if access.along == "inner":
            lines = [f"let quad = {own} % {depth}u;", f"let chosen = {own} / {depth}u;"]
        else:
            lines = [f"let quad = {own} / {side.quads}u;", f"let chosen = {own} % {side.quads}u;"]
        lines += [
            f"inner{n} = quad * 4u;",
            f"slot{n} = chosen{side.exchanged('quad')};",
            f"step{n} = {side.inner}u * {inner};",
        ]
        begin = f"{self._words.first(name, self._axes)} + inner{n} * {inner}"
        first, length = f"{side.first} + chosen * 4u", side.length
        if access.vector and access.along == "outer":
            lines.append(f"at{n}_0 = {begin} + min({first}, {length} - 4u) * {outer};")
            return [*lines, *[f"at{n}_{i} = at{n}_0 + {i}u * {inner};" for i in (1, 2, 3)]]
        return [*lines, *[
            f"at{n}_{i} = {begin} + min({first} + {i}u, {length} - 1u) * {outer};" for i in range(4)
        ]]  # fmt: skip

    def _fetch(self, n: int, side: Loaded, whole: str) -> list[str]:
        kind, inner = self._kind, self._words.last[side.name]
        zeros = [f"p{n}_{i}{part} = vec4<{part_type(kind)}>();"
                 for i in range(4) for part in parts(kind)]  # fmt: skip
        lines: list[str] = []
        for i in range(4):
            if side.access.vector:
                more, values = kind.load(side.name, f"at{n}_{i}", "loaded")
            else:
                places = [f"at{n}_{j} + {i}u * {inner}" for j in range(4)]
                more, values = [], [kind.element(side.name, place) for place in places]
            if len(parts(kind)) > 1:
                more += [f"let e{j} = {text};" for j, text in enumerate(values)]
                values = [f"e{j}" for j in range(4)]
            more += [f"p{n}_{i}{part} = {quad(kind, values, part)};" for part in parts(kind)]
            lines.append("{" if whole else f"if next + inner{n} + {i}u < count {{")
            lines += [*more, "}"]
        steps = [f"at{n}_{i} += step{n};" for i in range(4)]
        if whole == "tiles":
            return [*lines, *steps]
        if whole == "quads":
            return [f"if next + inner{n} < count {{", *lines, *steps, "} else {", *zeros, "}"]
        return [*zeros, *lines, *steps]

    def _store(self, n: int, side: Loaded, _: str) -> list[str]:
        lines: list[str] = []
        for part in parts(side.kind):
            for i in range(4):
                across = [f"p{n}_{i}{part}.{c}" for c in "xyzw"]
                if side.access.vector and side.access.along == "inner":
                    across = [f"p{n}_{j}{part}.{'xyzw'[i]}" for j in range(4)]
                each = 4 // side.pieces
                for piece in range(side.pieces):
                    values = ", ".join(across[piece * each : (piece + 1) * each])
                    place = side.place(f"inner{n} + {i}u", f"slot{n}", piece)
                    value = f"vec{each}<{part_type(side.kind)}>({values})"
                    lines.append(f"{side.name}_tile{part}[{place}] = {value};")
        return lines
