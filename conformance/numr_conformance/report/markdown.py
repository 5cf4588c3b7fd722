"""Markdown: totals, failures by function, accuracy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from numr_conformance.report import summary
from numr_conformance.report.summary import WORST_FIRST, Accuracy, Cell, Column
from numr_conformance.report.text import fenced, table_cell, ulp


def render(columns: Sequence[Column]) -> str:
    """The file's text."""
    blocks = ["# Array API conformance"]
    if not columns:
        blocks.append("Nothing was checked.")
    for column in columns:
        blocks += _totals(column)
    if columns:
        blocks += ["## Failures", *(_failures(columns) or ["None."])]
    for column in columns:
        blocks += _accuracy(column)
    for labels, environment in summary.environments(columns):
        blocks.append(f"## Environment of {table_cell(labels)}")
        blocks.append(_table(["", ""], environment.items()))
    return "\n\n".join(blocks) + "\n"


def _totals(column: Column) -> Iterator[str]:
    yield f"## {table_cell(column.label)}, standard {table_cell(column.standard)}"
    shown = tuple(reversed(WORST_FIRST))
    all_rows = [*summary.totals(column).items(), ("all", column.counts)]
    yield _table(
        ["chapter", *shown, "checks"],
        ([chapter, *_numbers(counts, shown)] for chapter, counts in all_rows),
    )


def _numbers(counts: Counter[str], verdicts: Iterable[str]) -> list[str]:
    return [*(str(counts[verdict]) for verdict in verdicts), str(counts.total())]


def _failures(columns: Sequence[Column]) -> list[str]:
    blocks: list[str] = []
    for row in summary.rows(columns):
        if not row.failing:
            continue
        blocks.append(f"### {table_cell(row.function or 'general')} ({table_cell(row.chapter)})")
        for column, cell in zip(columns, row.cells, strict=True):
            if cell is not None and cell.failures:
                blocks += _failure(column, cell)
    return blocks


def _failure(column: Column, cell: Cell) -> Iterator[str]:
    example = cell.example
    assert example is not None  # a cell with failures has one
    counts = ", ".join(f"{number} {verdict}" for verdict, number in cell.counts.items())
    yield f"**{table_cell(column.label)}**: {counts}"
    parts = {
        "check": example.name,
        "message": example.message,
        "given": example.given,
        "expected": example.expected,
        "actual": example.actual,
    }
    yield fenced("\n".join(f"{part:8} {value}" for part, value in parts.items() if value))


def _accuracy(column: Column) -> Iterator[str]:
    measured = summary.accuracy(column)
    if not measured:
        return
    dtypes = summary.dtypes([column])
    yield f"## Accuracy of {table_cell(column.label)}"
    yield "The largest error in ulp, and the mean error in parentheses."
    yield _table(
        ["function", *dtypes],
        ([name, *(_errors(row.get(d)) for d in dtypes)] for name, row in measured.items()),
    )


def _errors(found: Accuracy | None) -> str:
    if found is None:
        return ""
    return ulp(found.largest) + ("" if found.mean is None else f" ({ulp(found.mean)})")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    lines[0] = [table_cell(cell) for cell in head]
    lines[2:] = [[table_cell(cell) for cell in row] for row in lines[2:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
