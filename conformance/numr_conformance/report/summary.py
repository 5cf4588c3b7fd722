"""What all reports show, computed from the JSON documents: columns, rows, cells, totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from numr_conformance.check import Outcome
from numr_conformance.report.text import clean
from numr_conformance.results import FAILURES, SCHEMA, Document

WORST_FIRST = ("crashed", "timeout", "failed", "raised", "unsupported", "recorded", "passed")
STATUSES = {  # of a cell: the worst verdict, but for "partial", which passed where it is supported
    "crashed": ("†", "the process died"),
    "timeout": ("…", "took too long"),
    "failed": ("✗", "a result is not the standard's"),
    "raised": ("!", "an exception instead of a result"),
    "partial": ("◐", "passed, but some of it is not supported"),
    "unsupported": ("-", "not supported"),
    "recorded": ("○", "left open by the standard, and written down"),
    "passed": ("✓", "all as the standard says"),
}

_FIELDS = frozenset(field.name for field in fields(Outcome))


@dataclass(frozen=True)
class Column:
    """One namespace on one of its devices."""

    library: str
    device: str
    standard: str
    environment: Mapping[str, str]
    outcomes: Sequence[Outcome]

    @property
    def label(self) -> str:
        return f"{self.library} · {self.device}"

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(outcome.verdict for outcome in self.outcomes)

    @property
    def failures(self) -> int:
        return sum(self.counts[verdict] for verdict in FAILURES)


def status_of(counts: Mapping[str, int]) -> str:
    """The key of STATUSES for the verdicts that occur, one at least."""
    worst = next(verdict for verdict in WORST_FIRST if counts.get(verdict))
    if worst == "unsupported" and counts.get("passed"):
        return "partial"
    return "passed" if worst == "recorded" and counts.get("passed") else worst


@dataclass(frozen=True)
class Cell:
    """What came of all checks of one chapter about one function, in one column."""

    outcomes: Sequence[Outcome]

    @cached_property
    def counts(self) -> dict[str, int]:
        """How often each verdict occurs that does, the worst first."""
        found = Counter(outcome.verdict for outcome in self.outcomes)
        return {verdict: found[verdict] for verdict in WORST_FIRST if found[verdict]}

    @property
    def failures(self) -> int:
        return sum(self.counts.get(verdict, 0) for verdict in FAILURES)

    @property
    def status(self) -> str:
        """A key of STATUSES."""
        return status_of(self.counts)

    @property
    def example(self) -> Outcome | None:
        """The outcome of the worst verdict with the smallest input; None if everything passed."""
        worst = next(iter(self.counts))
        if worst == "passed":
            return None
        found = (outcome for outcome in self.outcomes if outcome.verdict == worst)
        return min(found, key=lambda o: (not o.given, len(o.given), o.name))


@dataclass(frozen=True)
class Row:
    """One function in one chapter, with a cell for each column; None if not checked there."""

    chapter: str
    function: str
    cells: Sequence[Cell | None]

    @property
    def failing(self) -> bool:
        return any(cell is not None and cell.failures for cell in self.cells)


@dataclass(frozen=True)
class Accuracy:
    """The largest and the mean error in ulp of a function of one dtype."""

    largest: float
    mean: float | None


def read(documents: Iterable[Document]) -> list[Column]:
    """The columns of documents; two that would have the same label are numbered."""
    columns: list[Column] = []
    seen: Counter[tuple[str, str]] = Counter()
    for document in documents:
        if document["schema"] != SCHEMA:
            raise ValueError(
                f"report: a document has schema {document['schema']!r}, known is {SCHEMA}"
            )
        environment = {clean(k): clean(str(v)) for k, v in document["environment"].items()}
        library = environment.get("namespace", "namespace")
        for device, results in document["devices"].items():
            device = clean(device)
            seen[library, device] += 1
            number = seen[library, device]
            columns.append(
                Column(
                    library if number == 1 else f"{library} ({number})",
                    device,
                    clean(str(document["standard"])),
                    environment,
                    [_outcome(entry) for entry in results["outcomes"]],
                )
            )
    return columns


def _outcome(entry: Mapping[str, Any]) -> Outcome:
    values: dict[str, Any] = {
        name: clean(value) if isinstance(value, str) else value
        for name, value in entry.items()
        if name in _FIELDS
    }
    return Outcome(**values)


def chapters(columns: Sequence[Column]) -> list[str]:
    """All chapters, in the order in which they were checked."""
    return list(dict.fromkeys(o.chapter for column in columns for o in column.outcomes))


def rows(columns: Sequence[Column]) -> list[Row]:
    """The matrix, by chapter and then by function."""
    found: dict[tuple[str, str], list[list[Outcome]]] = {}
    for number, column in enumerate(columns):
        for outcome in column.outcomes:
            key = (outcome.chapter, outcome.function)
            found.setdefault(key, [[] for _ in columns])[number].append(outcome)
    order = {chapter: number for number, chapter in enumerate(chapters(columns))}
    return [
        Row(*key, [Cell(outcomes) if outcomes else None for outcomes in found[key]])
        for key in sorted(found, key=lambda key: (order[key[0]], key[1]))
    ]


def totals(column: Column) -> dict[str, Counter[str]]:
    """How often each verdict occurs in each chapter of a column."""
    found: dict[str, Counter[str]] = {}
    for outcome in column.outcomes:
        found.setdefault(outcome.chapter, Counter())[outcome.verdict] += 1
    return found


def accuracy(column: Column) -> dict[str, dict[str, Accuracy]]:
    """The largest errors that were measured in a column, by function and dtype, sorted."""
    found: dict[str, dict[str, Accuracy]] = {}
    for outcome in sorted(column.outcomes, key=lambda o: (o.function, o.dtype)):
        if "max_ulp" in outcome.measured:
            new = Accuracy(outcome.measured["max_ulp"], outcome.measured.get("mean_ulp"))
            of_function = found.setdefault(outcome.function, {})
            old = of_function.setdefault(outcome.dtype, new)
            if new.largest > old.largest:
                of_function[outcome.dtype] = new
    return found


def dtypes(columns: Sequence[Column]) -> list[str]:
    """The dtypes whose accuracy was measured, real ones first and narrow ones first."""
    found = {dtype for column in columns for row in accuracy(column).values() for dtype in row}
    return sorted(found, key=lambda name: (name.startswith("complex"), len(name), name))


def environments(columns: Sequence[Column]) -> list[tuple[str, Mapping[str, str]]]:
    """Each environment once, headed by the labels of its columns."""
    found: list[tuple[list[str], Mapping[str, str]]] = []
    for column in columns:
        for labels, environment in found:
            if environment == column.environment:
                labels.append(column.label)
                break
        else:
            found.append(([column.label], column.environment))
    return [(", ".join(labels), environment) for labels, environment in found]
