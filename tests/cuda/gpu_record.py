"""The last full result of ``pytest -m cuda``, in files that are kept with the sources.

``conformance/results/tests/cuda.json`` tells when and on what the tests ran, and how many passed;
the own checks of numr-conformance, which are among them, also leave their digest beside those of
other devices. Both are written after every run of all tests marked cuda on a GPU, and only then.
"""

from __future__ import annotations

import json
import platform
from collections import Counter
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
from numr_conformance import results
from numr_conformance.report import digest
from numr_conformance.report.digest import Digest

import numr_api
from numr_api import _devices

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "conformance" / "results"
FILE = RESULTS / "tests" / "cuda.json"
CONFORMANCE = "numr-conformance"  # a property of a test: a layer, and the file of its results
PACKAGES = ("cupy-cuda13x", "cupy-cuda12x", "numpy", "scipy", "torch", "pytest")

# Of all tests, or of those of the device itself: others try their functions on each device, too.
FOLDERS = (ROOT, ROOT / "tests", ROOT / "tests" / "cuda")

COMPLETED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


class Record:
    """What became of the tests of a session.

    Attributes:
        outcomes: of each test: "passed", "failed" or "skipped".
        reasons: why tests were skipped.
        conformance: how often each verdict occurs, by layer of numr-conformance.
        digests: what is kept of its own checks.
    """

    def __init__(self, command: str = "pytest -m cuda") -> None:
        self.command = command
        self.outcomes: dict[str, str] = {}
        self.reasons: dict[str, str] = {}
        self.conformance: dict[str, dict[str, int]] = {}
        self.digests: list[Digest] = []

    def add(self, report: pytest.TestReport) -> None:
        """Take note of a phase of a test: a failure in any counts, and else that it was skipped."""
        name = report.nodeid
        if report.failed:
            self.outcomes[name] = "failed"
        elif report.skipped:
            self.outcomes.setdefault(name, "skipped")
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else "an xfail"
            self.reasons[name] = reason.removeprefix("Skipped: ")
        elif report.when == "call":
            self.outcomes.setdefault(name, "passed")
        if report.when == "call":
            for key, value in report.user_properties:
                if key == CONFORMANCE:
                    self._note(*value)

    def _note(self, layer: str, file: str) -> None:
        """Take note of the results of a layer of numr-conformance."""
        found = results.load(Path(file))
        counts = Counter(row["verdict"] for row in found["devices"]["cuda:0"]["outcomes"])
        self.conformance[layer] = dict(sorted(counts.items()))
        if layer == "own":
            self.digests = digest.make(found)

    def document(self) -> dict[str, Any]:
        """What is written."""
        backend = _devices.backend_of("cuda:0")
        counts = Counter(self.outcomes.values())
        return {
            "command": self.command,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            **backend.describe(),
            "devices": _devices.count("cuda"),
            "versions": {
                "numr_api": numr_api.__version__,
                "python": platform.python_version(),
                **_versions(),
            },
            "tests": {name: counts[name] for name in ("passed", "failed", "skipped")},
            "numr-conformance": self.conformance,
            "failed": sorted(name for name, x in self.outcomes.items() if x == "failed"),
            "skipped": dict(sorted(self.reasons.items())),
        }

    def write(self) -> list[Path]:
        """Write all files, and return which."""
        FILE.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.document(), indent=1)
        FILE.write_text(text + "\n", encoding="utf-8", newline="\n")
        return [FILE, *(digest.save(found, RESULTS) for found in self.digests)]


def _versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


RECORD = pytest.StashKey[Record]()


def of(config: pytest.Config) -> Record:
    """The record of this session."""
    if RECORD not in config.stash:
        config.stash[RECORD] = Record(" ".join(["pytest -m cuda", *config.args]))
    return config.stash[RECORD]


def is_full(config: pytest.Config) -> bool:
    """Whether a session was asked for all tests marked cuda of a folder of ``FOLDERS``."""
    option = config.option
    narrowed = (
        "keyword",
        "deselect",
        "ignore",
        "ignore_glob",
        "collectonly",
        "lf",
        "maxfail",
        "stepwise",
    )
    if option.markexpr.strip() != "cuda" or any(getattr(option, x, None) for x in narrowed):
        return False
    start = config.invocation_params.dir
    return all((start / name).resolve() in FOLDERS for name in config.args)
