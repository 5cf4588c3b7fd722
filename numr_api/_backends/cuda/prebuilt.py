"""Kernels that were compiled when the package was built: fatbins, found by the kernels' names.

``building`` makes them; a package without them has no such folder. ``index.json`` there says which
kernel is in which file, and of what all of it was made:

    architectures  those of the machine code; there is intermediate code for others as well
    sources        a digest of the folder of sources and of the compiler's options
    files          of each fatbin its digest, and of each of its kernels a digest of the text

A kernel counts only if all of these agree, so that neither sources that were changed since nor a
damaged file are ever run. Sources that are not there cannot have been changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "prebuilt"
INDEX = "index.json"
VERSION = 1  # of the index's layout

__all__ = ["FOLDER", "INDEX", "VERSION", "Prebuilt", "digest", "digest_of_sources",
           "digest_of_text"]  # fmt: skip


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digest_of_text(text: str) -> str:
    """A short one: texts are changed, not attacked."""
    return digest(text.encode())[:16]


def digest_of_sources(folder: Path, options: Iterable[str]) -> str:
    """What changes with any file of a folder, or with an option."""
    parts = [repr(tuple(options)).encode()]
    for path in sorted(folder.iterdir()):
        if path.is_file():
            text = path.read_text(encoding="utf-8")  # whatever ends its lines
            parts += [path.name.encode(), digest(text.encode()).encode()]
    return digest(b"\n".join(parts))


class Prebuilt:
    """The fatbins of a folder.

    Arguments:
        sources: the folder of what they were made of.
        options: the compiler's.
    """

    def __init__(self, folder: Path, sources: Path, options: Iterable[str]) -> None:
        self._folder = folder
        self._sources = sources
        self._options = tuple(options)

    def file_of(self, text: str, name: str) -> str | None:
        """The file that holds a kernel; None if there is none, or it was made of another text."""
        found = self._kernels.get(name)
        if found is None or found[1] != digest_of_text(text):
            return None
        return found[0]

    def suits(self, architecture: int) -> bool:
        """Whether there is machine code that a GPU can run: of its generation, and not newer."""
        return any(
            found // 10 == architecture // 10 and found <= architecture
            for found in self._index["architectures"]
        )

    def read(self, file: str) -> bytes | None:
        """The fatbin; None if it is damaged or lost."""
        with contextlib.suppress(OSError):
            data = (self._folder / file).read_bytes()
            if digest(data) == self._digests[file]:
                return data
        return None

    @cached_property
    def _kernels(self) -> dict[str, tuple[str, str]]:
        """The file and the digest of each kernel by its name."""
        return {
            name: (file, of_text)
            for file, entry in self._index["files"].items()
            for name, of_text in entry["kernels"].items()
        }

    @cached_property
    def _digests(self) -> dict[str, str]:
        return {file: entry["digest"] for file, entry in self._index["files"].items()}

    @cached_property
    def _index(self) -> dict[str, Any]:
        """The index; without entries if it is not there or not about these sources."""
        try:
            index = json.loads((self._folder / INDEX).read_text(encoding="utf-8"))
            if index["version"] == VERSION and self._agrees(index["sources"]):
                return index
        except (OSError, ValueError, KeyError, TypeError):  # none, or no index of ours
            pass
        return {"architectures": (), "files": {}}

    def _agrees(self, found: str) -> bool:
        try:
            return found == digest_of_sources(self._sources, self._options)
        except OSError:
            return True
