"""The library of WGSL functions: files under ``shaders``, of which a kernel gets what it names.

A file holds declarations of module scope, each beginning at the start of a line: ``fn``, ``const``,
``alias``, ``struct`` or ``var<private>``. ``link`` appends to a kernel's text each declaration that
the text uses, directly or through another one, so that a kernel compiles nothing it does not need.

A file named ``*.generic.wgsl`` is there for float32 and float64 alike: ``F`` stands for the real
type, ``C`` for the complex one, and so they do at the end of names: ``multiply_C``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "shaders"

_BEGINNING = re.compile(r"^(?:fn|const|alias|struct|var<private>) +(\w+)", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*//.*\n|[ \t]*//.*$", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")
_GENERIC = re.compile(r"\b(\w+_)?([FC])\b")
_INSTANCES = (
    {"F": "f32", "C": "vec2<f32>", "_F": "f32", "_C": "c64"},
    {"F": "f64", "C": "vec2<f64>", "_F": "f64", "_C": "c128"},
)


@cache
def declarations() -> Mapping[str, tuple[str, frozenset[str]]]:
    """Each declaration of the library by its name: its text, and the names in it."""
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for path in sorted(FOLDER.glob("*.wgsl")):
        whole = _COMMENT.sub("", path.read_text(encoding="utf-8"))
        generic = path.name.endswith(".generic.wgsl")
        for text in _instances(whole) if generic else [whole]:
            starts = list(_BEGINNING.finditer(text))
            ends = [start.start() for start in starts[1:]] + [len(text)]
            for start, end in zip(starts, ends, strict=True):
                name, body = start[1], text[start.start() : end].strip()
                if name in found:
                    raise ValueError(f"{path.name}: {name} is declared twice")
                found[name] = body, frozenset(_NAME.findall(body))
    return found


def _instances(text: str) -> Iterator[str]:
    for names in _INSTANCES:

        def put(match: re.Match[str], names: Mapping[str, str] = names) -> str:
            return match[1] + names[f"_{match[2]}"] if match[1] else names[match[2]]

        yield _GENERIC.sub(put, text)


def link(text: str, own: Mapping[str, str] | None = None) -> str:
    """A kernel's text with every declaration that it needs.

    Arguments:
        text: declarations that name functions of the library.
        own: more declarations by name, which come before the library's of the same name, such as
            facts about a device.
    """
    known = declarations()
    own = own or {}
    parts, seen, waiting = [text], set[str](), set(_NAME.findall(text))
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in own:
            parts.append(own[name])
            waiting.update(_NAME.findall(own[name]))
        elif name in known:
            body, names = known[name]
            parts.append(body)
            waiting |= names
    # Sorted, so that the same kernel has the same source, the key of the cache of pipelines.
    return "\n".join([parts[0], *sorted(parts[1:])])
