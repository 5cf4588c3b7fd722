"""What the command prints at the end of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from numr_conformance.check import short
from numr_conformance.results import FAILURES, VERDICTS, Document

ALWAYS = ("passed", "failed", "raised", "unsupported", "recorded")  # other columns only if needed
MOST_FAILURES = 20


def totals_text(document: Document) -> str:
    """A table for each device: chapters and how many outcomes of each verdict they have."""
    namespace = document["environment"]["namespace"]
    return "\n\n".join(
        f"{namespace} on {device}\n{_table(found['totals'])}"
        for device, found in document["devices"].items()
    )


def _table(totals: Mapping[str, Mapping[str, int]]) -> str:
    sums = {verdict: sum(counts[verdict] for counts in totals.values()) for verdict in VERDICTS}
    verdicts = [verdict for verdict in VERDICTS if verdict in ALWAYS or sums[verdict]]
    lines: Iterable[tuple[str, Mapping[str, int]]] = [*totals.items(), ("all", sums)]
    wide = max(len(name) for name, _ in [*lines, ("chapter", sums)])
    header = f"{'chapter':{wide}}" + "".join(f"{verdict:>13}" for verdict in verdicts)
    return "\n".join([
        header,
        "-" * len(header),
        *(
            f"{name:{wide}}" + "".join(f"{counts[verdict] or '.':>13}" for verdict in verdicts)
            for name, counts in lines
        ),
    ])  # fmt: skip


def failures_text(document: Document) -> str:
    """The first failures, a line each; empty if there is none."""
    lines = [
        short(f"{row['verdict']}: {row['name']} on {device}: {row['message']}", 200)
        for device, found in document["devices"].items()
        for row in found["outcomes"]
        if row["verdict"] in FAILURES
    ]
    rest = len(lines) - MOST_FAILURES
    more = [f"... and {rest} more; --report DIR writes all of them"] if rest > 0 else []
    return "\n".join([*lines[:MOST_FAILURES], *more])
