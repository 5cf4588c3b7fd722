"""The gate: results against the list of the checks that are expected to fail.

A list is a text file with the name of a check on each line. Comments, lines that begin with ``#``,
say above each block why these checks fail; blank lines are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from numr_conformance.check import short
from numr_conformance.results import FAILURES, Row, safe_name


class BadList(Exception):
    """A list of expected failures cannot be read."""


@dataclass
class Findings:
    """What is not as expected on a device; each list holds lines to print."""

    device: str
    expected: int
    failures: list[str] = field(default_factory=list[str])
    passes: list[str] = field(default_factory=list[str])
    unknown: list[str] = field(default_factory=list[str])

    @property
    def ok(self) -> bool:
        return not (self.failures or self.passes or self.unknown)

    def __str__(self) -> str:
        if self.ok:
            return f"{self.device}: as expected ({self.expected} expected failures)"
        lines: list[str] = []
        for title, found in (
            ("failed unexpectedly", self.failures),
            ("are expected to fail, but did not; remove them from the list", self.passes),
            ("are expected to fail, but there are no such checks", self.unknown),
        ):
            if found:
                lines.append(f"{self.device}: {len(found)} {title}:")
                lines.extend(f"  {line}" for line in found)
        return "\n".join(lines)


def expected_file(directory: Path, device: str) -> Path:
    """Where the list of a device is: cuda-0.txt for cuda:0, as not every system allows colons."""
    return directory / f"{safe_name(device)}.txt"


def read_expected(path: Path) -> list[str]:
    """The names of the checks that are expected to fail.

    Raises:
        BadList: there is no such file, or it names a check twice.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        hint = "; an empty file says that no check may fail" if not path.exists() else ""
        raise BadList(f"cannot read {path}: {error.strerror}{hint}") from error
    except UnicodeDecodeError as error:
        raise BadList(f"{path} is not a text file in UTF-8") from error
    names: list[str] = []
    for number, line in enumerate(map(str.strip, lines), 1):
        if line in names:
            raise BadList(f"{path}, line {number}: {line} is listed twice")
        if line and not line.startswith("#"):
            names.append(line)
    return names


def judge(device: str, rows: Iterable[Row], expected: Sequence[str], complete: bool) -> Findings:
    """Compare a device's outcomes with the checks that are expected to fail.

    Arguments:
        complete: all checks were run, so that a listed one without an outcome does not exist.
    """
    findings = Findings(device, len(expected))
    listed, seen = set(expected), set[str]()
    for row in rows:
        name, verdict, message = row["name"], row["verdict"], row["message"]
        seen.add(name)
        if verdict in FAILURES and name not in listed:
            findings.failures.append(short(f"{name}: {verdict}: {message}", 200))
        elif verdict not in FAILURES and name in listed:
            findings.passes.append(f"{name}: {verdict}")
    if complete:
        findings.unknown = [name for name in expected if name not in seen]
    return findings
