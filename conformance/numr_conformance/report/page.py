"""One HTML page that needs nothing else: no server, no network, and no scripts to be read."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from numr_conformance.report import summary
from numr_conformance.report.summary import STATUSES, WORST_FIRST, Column, Row
from numr_conformance.report.text import ulp
from numr_conformance.results import FAILURES

FOLDER = Path(__file__).parent
MARKS = {  # a dtype's mark in the chart, as an SVG path around the origin
    "float32": "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
    "float64": "M-4-4h8v8h-8z",
    "complex64": "M0-5.5L5.5 4.5h-11z",
    "complex128": "M0-6L6 0L0 6L-6 0z",
}
OTHER_MARK = "M-6-2h4v-4h4v4h4v4h-4v4h-4v-4h-4z"


@dataclass(frozen=True)
class Scale:
    """A logarithmic axis from a tenth of an ulp to the decade above the largest error."""

    last: int  # the exponent of ten at the right end
    first: int = -1

    def place(self, value: float) -> str:
        """Where a value is, as a percentage of the width; what is off the axis is at its end."""
        if value <= 10.0**self.first:
            exponent = float(self.first)
        elif value < 10.0**self.last:
            exponent = math.log10(value)
        else:  # infinity and NaN too
            exponent = float(self.last)
        margin = 4
        part = (exponent - self.first) / (self.last - self.first)
        return f"{margin + (100 - 2 * margin) * part:.1f}%"

    def ticks(self) -> list[tuple[str, str]]:
        """The place and the label of each decade; some have no label where there are many."""
        step = 1 + (self.last - self.first) // 7
        labels = {-1: "0.1", 0: "1", 1: "10", 2: "100"}
        return [
            (self.place(10.0**e), "" if e % step else labels.get(e, f"1e{e}"))
            for e in range(self.first, self.last + 1)
        ]


def scale_of(columns: Sequence[Column]) -> Scale:
    """One scale for all columns, so that their charts compare."""
    largest = 1.0
    for column in columns:
        for of_function in summary.accuracy(column).values():
            finite = (e.largest for e in of_function.values() if math.isfinite(e.largest))
            largest = max(largest, *finite, 1.0)
    return Scale(math.floor(math.log10(largest)) + 1)


def embedded(value: Any) -> str:
    """JSON that may stand in a script element: no text in it can end that."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def details(columns: Sequence[Column], rows: Sequence[Row]) -> dict[str, Any]:
    """What opens at a cell, by the cell's name "row-column"."""
    found: dict[str, Any] = {}
    for r, row in enumerate(rows):
        for c, (column, cell) in enumerate(zip(columns, row.cells, strict=True)):
            if cell is None:
                continue
            entry: dict[str, Any] = {
                "title": f"{row.function or 'general'} · {column.label}",
                "chapter": readable(row.chapter),
                "counts": cell.counts,
            }
            if (example := cell.example) is not None:
                entry["example"] = {
                    "verdict": example.verdict,
                    "check": example.name,
                    "layer": example.layer,
                    "message": example.message,
                    "given": example.given,
                    "expected": example.expected,
                    "actual": example.actual,
                }
            found[f"{r}-{c}"] = entry
    return found


def readable(name: str) -> str:
    """A chapter's name as words."""
    return name.replace("_", " ")


def render(columns: Sequence[Column]) -> str:
    """The file's text."""
    try:
        import jinja2
        from markupsafe import Markup
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            'report.html needs jinja2: pip install "numr-api[conformance]"', name=error.name
        ) from None

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(readable=readable, ulp=ulp)
    rows = list(enumerate(summary.rows(columns)))
    return environment.get_template("page.html.jinja").render(
        style=Markup((FOLDER / "page.css").read_text(encoding="utf-8")),
        script=Markup((FOLDER / "page.js").read_text(encoding="utf-8")),
        data=Markup(embedded(details(columns, [row for _, row in rows]))),
        columns=columns,
        groups=[(chapter, list(group)) for chapter, group in groupby(rows, lambda r: r[1].chapter)],
        failing=[(number, row) for number, row in rows if row.failing],
        chapters=summary.chapters(columns),
        statuses=STATUSES,
        verdicts=WORST_FIRST,
        failures=FAILURES,
        totals=[(column, summary.totals(column)) for column in columns],
        accuracy=[(c, measured) for c in columns if (measured := summary.accuracy(c))],
        dtypes=summary.dtypes(columns),
        marks=MARKS,
        other_mark=OTHER_MARK,
        scale=scale_of(columns),
        environments=summary.environments(columns),
        standard=", ".join(dict.fromkeys(column.standard for column in columns)),
    )
