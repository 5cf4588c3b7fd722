"""Digests of results: the numbers without the outcomes, small enough for version control.

A digest is about one namespace on one of its devices and has these keys (version 1):

- ``digest``: the version of this layout;
- ``standard``, ``environment``, ``selection``: as in the document of results;
- ``device``: by the namespace's own name, or "default";
- ``functions``: for each chapter and function, how often each verdict occurs that does;
- ``accuracy``: for each function and dtype, the largest and the mean error in ulp.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from numr_conformance.report import summary
from numr_conformance.report.summary import Accuracy, status_of
from numr_conformance.results import FAILURES, VERDICTS, BadResults, Document, safe_name

VERSION = 1


@dataclass(frozen=True)
class Digest:
    """What is kept of the results of one namespace on one of its devices.

    Attributes:
        functions: how often each verdict occurs, by chapter and function ("" for general checks).
        accuracy: by function and dtype.
    """

    namespace: str
    device: str
    standard: str
    environment: Mapping[str, str]
    selection: Mapping[str, Any]
    functions: Mapping[str, Mapping[str, Mapping[str, int]]]
    accuracy: Mapping[str, Mapping[str, Accuracy]]

    @property
    def file_name(self) -> str:
        return f"{safe_name(f'{self.namespace}-{self.device}')}.json"

    @property
    def chapters(self) -> dict[str, Counter[str]]:
        """How often each verdict occurs in each chapter."""
        return {
            chapter: sum((Counter(counts) for counts in functions.values()), Counter[str]())
            for chapter, functions in self.functions.items()
        }

    @property
    def totals(self) -> Counter[str]:
        """How often each verdict occurs."""
        return sum(self.chapters.values(), Counter[str]())

    def status(self, chapter: str, function: str) -> str:
        """A key of ``summary.STATUSES``; "" if the function was not checked in this chapter."""
        counts = self.functions.get(chapter, {}).get(function)
        return status_of(counts) if counts else ""


def failures(counts: Mapping[str, int]) -> int:
    """How many of counted verdicts are failures."""
    return sum(counts.get(verdict, 0) for verdict in FAILURES)


def make(document: Document) -> list[Digest]:
    """The digests of a document, one for each device."""
    found: list[Digest] = []
    for column in summary.read([document]):
        functions: dict[str, dict[str, dict[str, int]]] = {}
        for row in summary.rows([column]):
            (cell,) = row.cells
            assert cell is not None  # a row of one column has outcomes there
            functions.setdefault(row.chapter, {})[row.function] = cell.counts
        found.append(
            Digest(
                column.library,
                column.device,
                column.standard,
                _environment(column.environment),
                document["selection"],
                functions,
                summary.accuracy(column),
            )
        )
    return found


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Without the kernel's release, which says more of a machine than of results."""
    short = re.sub(r"^Linux-.+-(?=\w+-with-)", "Linux-", environment.get("platform", ""))
    return {**environment, **({"platform": short} if short else {})}


def save(digest: Digest, folder: Path) -> Path:
    """Write a digest to a file in a folder, with a line for each function, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / digest.file_name
    content = {
        "digest": VERSION,
        "standard": digest.standard,
        "device": digest.device,
        "environment": dict(digest.environment),
        "selection": dict(digest.selection),
        "functions": digest.functions,
        "accuracy": {
            function: {dtype: [_rounded(e.largest), _rounded(e.mean)] for dtype, e in row.items()}
            for function, row in digest.accuracy.items()
        },
    }
    path.write_text(_text(content) + "\n", encoding="utf-8", newline="\n")
    return path


def _text(value: Any, depth: int = 0) -> str:
    """JSON whose objects have a line for each entry down to the third level: diffs stay small."""
    if depth > 2 or not isinstance(value, dict) or not value:
        return json.dumps(value, allow_nan=False)
    margin = "\n" + " " * (depth + 1)
    lines = (f"{json.dumps(k)}: {_text(v, depth + 1)}" for k, v in cast(Document, value).items())
    return "{" + margin + f",{margin}".join(lines) + f"\n{' ' * depth}}}"


def _rounded(error: float | None) -> float | str | None:
    if error is None or math.isfinite(error):
        return None if error is None else float(f"{error:.4g}")
    return "NaN" if math.isnan(error) else "Infinity"


def load(path: Path) -> Digest:
    """Read a digest from a file.

    Raises:
        BadResults: the file cannot be read, or holds something else.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["digest"] != VERSION:
            raise BadResults(f"{path} has version {content['digest']!r}; known is {VERSION}")
        verdicts = {v for f in content["functions"].values() for row in f.values() for v in row}
        if not verdicts <= set(VERDICTS):
            raise BadResults(f"{path} has unknown verdicts: {sorted(verdicts - set(VERDICTS))}")
        return Digest(
            content["environment"]["namespace"],
            content["device"],
            content["standard"],
            content["environment"],
            content["selection"],
            content["functions"],
            {
                function: {
                    dtype: Accuracy(float(largest), None if mean is None else float(mean))
                    for dtype, (largest, mean) in row.items()
                }
                for function, row in content["accuracy"].items()
            },
        )
    except OSError as error:
        raise BadResults(f"cannot read {path}: {error.strerror}") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadResults(f"{path} holds no digest: {error!r}") from error
