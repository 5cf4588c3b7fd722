"""Reports of results that people and other programs read: JUnit XML, Markdown and one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numr_conformance.results import Document


def write(documents: Document | Sequence[Document], directory: Path) -> list[Path]:
    """Write report.junit.xml, report.md and report.html, and return their paths.

    Arguments:
        documents: what ``results`` made of a run; of several, all are shown side by side.
        directory: where to; made if it does not exist.

    Raises:
        ValueError: a document has a schema that this version does not know.
        ModuleNotFoundError: jinja2 is missing; the two other reports are written nevertheless.
    """
    from numr_conformance.report import junit, markdown, page, summary

    documents = [documents] if isinstance(documents, Mapping) else documents
    columns = summary.read(documents)
    directory.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name, render in (
        ("report.junit.xml", junit.render),
        ("report.md", markdown.render),
        ("report.html", page.render),
    ):
        path = directory / name
        path.write_text(render(columns), encoding="utf-8", newline="\n")
        written.append(path)
    return written
