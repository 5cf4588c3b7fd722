"""The text of transforms of a few elements that are all in registers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from numr_api._backends.webgpu.fourier_tables import roots

__all__ = ["Lines", "transform"]


class Lines:
    """Statements of a kernel, and names that they have not used yet."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self._names = 0

    def add(self, *statements: str) -> None:
        self.text += statements

    def name(self, expression: str) -> str:
        """A name for the value of an expression."""
        self._names += 1
        found = f"v{self._names}"
        self.text.append(f"let {found} = {expression};")
        return found


def transform(lines: Lines, values: Sequence[str]) -> list[str]:
    """The names of the discrete Fourier transform of values of type V.

    Composite lengths go by Cooley and Tukey's decomposition, odd primes by sums over pairs of
    elements at the same distance from the begin and the end, which need half the products.
    """
    count = len(values)
    if count == 1:
        return list(values)
    if count == 2:
        a, b = values
        return [lines.name(f"{a} + {b}"), lines.name(f"{a} - {b}")]
    inner = next((r for r in (4, 2, 3, 5, 7) if count % r == 0 and r < count), 0)
    if count == 4:
        inner = 2
    if not inner:
        return _prime(lines, values)
    outer = count // inner
    columns = [transform(lines, values[i::outer]) for i in range(outer)]
    found = [""] * count
    for k in range(inner):
        turned = [_turned(lines, columns[i][k], i * k, count) for i in range(outer)]
        found[k::inner] = transform(lines, turned)
    return found


def _prime(lines: Lines, values: Sequence[str]) -> list[str]:
    count = len(values)
    pairs = range(1, (count + 1) // 2)
    sums = [lines.name(f"{values[i]} + {values[-i]}") for i in pairs]
    differences = [lines.name(f"{values[i]} - {values[-i]}") for i in pairs]
    found = [lines.name(" + ".join([values[0], *sums]))] + [""] * (count - 1)
    for k in pairs:
        turns = [i * k % count for i in pairs]
        cosines = [f"{_cosine(n, count)} * {s}" for n, s in zip(turns, sums, strict=True)]
        sines = [f"{_sine(n, count)} * {d}" for n, d in zip(turns, differences, strict=True)]
        even = lines.name(" + ".join([values[0], *cosines]))
        odd = lines.name(" + ".join(sines))
        found[k] = lines.name(f"V({even}.x + {odd}.y, {even}.y - {odd}.x)")
        found[-k] = lines.name(f"V({even}.x - {odd}.y, {even}.y + {odd}.x)")
    return found


def _turned(lines: Lines, value: str, turn: int, count: int) -> str:
    """A value times exp(-2 pi i turn / count)."""
    turn %= count
    match 4 * turn / count:
        case 0:
            return value
        case 1:
            return lines.name(f"V({value}.y, -{value}.x)")
        case 2:
            return lines.name(f"-{value}")
        case 3:
            return lines.name(f"V(-{value}.y, {value}.x)")
        case 0.5:
            return lines.name(f"{_cosine(1, 8)} * V({value}.x + {value}.y, {value}.y - {value}.x)")
        case 1.5:
            return lines.name(f"{_cosine(1, 8)} * V({value}.y - {value}.x, -{value}.x - {value}.y)")
        case _:
            c, s = _cosine(turn, count), _sine(turn, count)
            x, y = f"{value}.x", f"{value}.y"
            return lines.name(f"V({x} * {c} + {y} * {s}, {y} * {c} - {x} * {s})")


def _cosine(turn: int, count: int) -> str:
    return f"R({_root(turn, count).real!r})"


def _sine(turn: int, count: int) -> str:
    return f"R({-_root(turn, count).imag!r})"


def _root(turn: int, count: int) -> complex:
    return roots(np.array([turn]), count).item()
