"""What the API pages add to docstrings and leave out of them; an extension for mkdocstrings.

Each function of the standard gets a link to its page there. Which functions these are is read from
the list that the tests check the namespace against.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import griffe

LIST = Path(__file__).parent.parent / "conformance" / "numr_conformance" / "standard_2025_12.txt"
PAGES = "https://data-apis.org/array-api/2025.12/API_specification/generated/array_api"

# Chapters whose pages have a prefix, and where their functions are defined here. All other
# functions stand in the main namespace, whatever module defines them.
PREFIXES = {
    "array_methods": ("array.", r"numr_api\._array\.Array"),
    "info": ("info.", r"numr_api\._info(\.NamespaceInfo)?"),
    "linalg": ("linalg.", r"numr_api\.(_linalg_\w+|linalg)"),
    "fft": ("fft.", r"numr_api\.fft"),
}


def read_names() -> set[str]:
    """The functions' names as the addresses of their pages spell them, such as "linalg.qr"."""
    names: set[str] = set()
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if "(" in line and not line.startswith("#"):
            chapter, declaration = line.split(maxsplit=1)
            prefix, _ = PREFIXES.get(chapter, ("", ""))
            names.add(prefix + declaration.partition("(")[0])
    return names


def standard_name(path: str) -> str:
    """The name that a function of this path would have in the standard."""
    home, _, name = path.rpartition(".")
    for prefix, pattern in PREFIXES.values():
        if re.fullmatch(pattern, home):
            return prefix + name
    return name if re.fullmatch(r"numr_api\._\w+", home) else path


class ApiPages(griffe.Extension):
    def __init__(self) -> None:
        super().__init__()
        self.names = read_names()

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        name = standard_name(func.path)
        if name in self.names and func.docstring:
            func.docstring.value += f"\n\n[In the standard]({PAGES}.{name}.html)"

    def on_module(self, *, mod: griffe.Module, **_: Any) -> None:
        if mod.name.startswith("_"):
            mod.docstring = None  # speaks to the developers of numr_api
