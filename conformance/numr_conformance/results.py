"""The JSON document that holds the results of a run: made, saved, loaded, compared.

A document has these keys (schema version 1):

- ``schema``: the version of this layout;
- ``standard``: the version of the standard that the checks are about;
- ``environment``: texts that tell where and when the results were made;
- ``selection``: what was run: ``functions``, see ``check.selects``, and ``topics``, empty for all;
- ``devices``: for each device ``outcomes``, a list of objects with the fields of ``Outcome`` in the
  order of the checks, and ``totals``, the number of outcomes by chapter and verdict.

In a file, measurements that are no finite numbers are the texts "Infinity", "-Infinity" and "NaN",
which JSON has no numbers for; ``load`` turns them into numbers again.
"""

from __future__ import annotations

import json
import math
import platform
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, cast, get_args

from numr_conformance import __version__
from numr_conformance.check import Outcome, Verdict

SCHEMA = 1
STANDARD = "2025.12"
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
FAILURES = frozenset({"failed", "raised", "timeout", "crashed"})
ULP_TOLERANCE = 0.5  # a smaller change of accuracy is not worth telling

Document = dict[str, Any]
Row = Mapping[str, Any]  # an outcome in a document


class BadResults(Exception):
    """A file holds no results that this version understands."""


def document(
    devices: Mapping[str, Iterable[Outcome]],
    environment: Mapping[str, str],
    *,
    functions: str = "*",
    topics: Sequence[str] = (),
) -> Document:
    """The document of a run.

    Arguments:
        devices: what came of the checks on each device.
        environment: see the function ``environment``.
        functions: what chose the checks; see ``check.selects``.
        topics: the modules that the checks were taken from, if not all.
    """
    rows = {device: [asdict(outcome) for outcome in found] for device, found in devices.items()}
    return {
        "schema": SCHEMA,
        "standard": STANDARD,
        "environment": dict(environment),
        "selection": {"functions": functions, "topics": list(topics)},
        "devices": {
            device: {"outcomes": found, "totals": totals(found)} for device, found in rows.items()
        },
    }


def environment(namespace: str, version: str, array_api_version: str) -> dict[str, str]:
    """Where and when: this tool, the machine, and the namespace with its versions."""
    return {
        "tool": f"numr-conformance {__version__}",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "namespace": namespace,
        "namespace_version": version,
        "namespace_array_api_version": array_api_version,
        "numpy": metadata.version("numpy"),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": platform.platform(),
        "processor": _processor(),
    }


def _processor() -> str:
    try:  # Linux tells no more than "x86_64" otherwise, if anything
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def totals(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """How many outcomes of each verdict each chapter has."""
    found: dict[str, Counter[str]] = {}
    for row in rows:
        found.setdefault(row["chapter"], Counter())[row["verdict"]] += 1
    return {
        chapter: {verdict: counts[verdict] for verdict in VERDICTS}
        for chapter, counts in found.items()
    }


def is_complete(results: Document) -> bool:
    """Whether all checks were run."""
    return results["selection"] == {"functions": "*", "topics": []}


def has_failures(results: Document) -> bool:
    """Whether anything was found that is not as the standard says."""
    rows = (row for found in results["devices"].values() for row in found["outcomes"])
    return any(row["verdict"] in FAILURES for row in rows)


def safe_name(text: str) -> str:
    """A name for a file that every system allows, such as cuda-0 for cuda:0."""
    return re.sub(r"[^\w.-]+", "-", text)


def file_names(documents: Sequence[Document]) -> list[str]:
    """Names of files for the documents of a run: one for each, or results.json for the only one."""
    if len(documents) == 1:
        return ["results.json"]
    names = [f"results-{safe_name(document['environment']['namespace'])}" for document in documents]
    seen = Counter[str]()
    for number, name in enumerate(names):  # "a:b" and "a-b" must not share a file
        seen[name] += 1
        names[number] += f"-{seen[name]}" if seen[name] > 1 else ""
    return [f"{name}.json" for name in names]


def save(results: Document, path: Path) -> None:
    """Write a document to a file, in a folder that is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    devices = {
        device: {**found, "outcomes": [_finite(row) for row in found["outcomes"]]}
        for device, found in results["devices"].items()
    }
    text = json.dumps({**results, "devices": devices}, indent=1, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def _finite(row: Row) -> Row:
    names = {math.inf: "Infinity", -math.inf: "-Infinity"}
    measured = {
        name: value if math.isfinite(value) else names.get(value, "NaN")
        for name, value in row["measured"].items()
    }
    return {**row, "measured": measured}


def load(path: Path) -> Document:
    """Read a document from a file.

    Raises:
        BadResults: the file cannot be read, or holds something else.
    """
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadResults(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise BadResults(f"{path} is not a JSON file: {error}") from error
    if not isinstance(read, dict) or "schema" not in read:
        raise BadResults(f"{path} holds no results of numr-conformance")
    results = cast(Document, read)
    if results["schema"] != SCHEMA:
        raise BadResults(f"{path} has schema {results['schema']!r}; this version knows {SCHEMA}")
    try:
        _ = results["environment"]["namespace"], is_complete(results)
        for found in results["devices"].values():
            for row in found["outcomes"]:
                row["measured"] = {name: float(value) for name, value in row["measured"].items()}
                Outcome(**row)  # has all fields
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadResults(f"{path} holds damaged results: {error!r}") from error
    return results


@dataclass(frozen=True)
class Difference:
    """Something about a check that is not the same in two documents."""

    device: str
    name: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.name} on {self.device}: {self.before} -> {self.after}"


def compare(a: Document, b: Document) -> list[Difference]:
    """Verdicts that differ, accuracy that changed, checks and devices that only one document has.

    Devices are matched by name; if each document has just one, these two are compared.
    """
    devices_a, devices_b = a["devices"], b["devices"]
    if len(devices_a) == len(devices_b) == 1:
        (name_a, only_a), (name_b, only_b) = *devices_a.items(), *devices_b.items()
        label = name_a if name_a == name_b else f"{name_a} / {name_b}"
        devices_a, devices_b = {label: only_a}, {label: only_b}
    found: list[Difference] = []
    for device in dict.fromkeys([*devices_a, *devices_b]):
        if device in devices_a and device in devices_b:
            rows = (devices_a[device]["outcomes"], devices_b[device]["outcomes"])
            found.extend(_compare_rows(device, *rows))
        else:
            states = ("run", "not run") if device in devices_a else ("not run", "run")
            found.append(Difference(device, "all checks", *states))
    return found


def _compare_rows(device: str, a: Iterable[Row], b: Iterable[Row]) -> Iterator[Difference]:
    before, after = ({row["name"]: row for row in rows} for rows in (a, b))
    for name in dict.fromkeys([*before, *after]):
        verdicts = [rows[name]["verdict"] if name in rows else "absent" for rows in (before, after)]
        if verdicts[0] != verdicts[1]:
            yield Difference(device, name, *verdicts)
        if name in before and name in after:
            old, new = before[name]["measured"], after[name]["measured"]
            for key in old.keys() & new.keys():
                if "ulp" in key and _differs(old[key], new[key]):
                    label = f"{name}: {key}"
                    yield Difference(device, label, f"{old[key]:.4g}", f"{new[key]:.4g}")


def _differs(old: float, new: float) -> bool:
    if old == new or (math.isnan(old) and math.isnan(new)):
        return False  # infinities, too, whose difference is NaN
    return not abs(old - new) <= ULP_TOLERANCE
