"""The last full result of ``pytest -m cuda``, in files that are kept with the sources.

``conformance/results/tests/cuda.json`` tells when and on what the tests ran, and how many passed;
the own checks of numr-conformance, which are among them, also leave their digest beside those of
other devices. Both are written after every run of all tests marked cuda on a GPU, and only then.

A plugin of pytest, which ``tests/conftest.py`` loads: tests of other folders are marked cuda, too,
and where pytest-xdist's processes run them, the first process reads no other conftest.
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

FOLDERS = (ROOT, ROOT / "tests")  # which hold all tests

COMPLETED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


class Record:
    """What became of the tests of a session.

    Attributes:
        outcomes: of each test: "passed", "failed" or "skipped".
        reasons: why tests were skipped.
        left_out: why modules were, none of whose tests is known then.
        complete: whether all other modules could be read.
        conformance: how often each verdict occurs, by layer of numr-conformance.
        digests: what is kept of its own checks.
    """

    def __init__(self, command: str = "pytest -m cuda") -> None:
        self.command = command
        self.outcomes: dict[str, str] = {}
        self.reasons: dict[str, str] = {}
        self.left_out: dict[str, str] = {}
        self.complete = True
        self.conformance: dict[str, dict[str, int]] = {}
        self.digests: list[Digest] = []

    def add(self, report: pytest.TestReport) -> None:
        """Take note of a phase of a test: a failure in any counts, and else that it was skipped."""
        name = report.nodeid
        if report.failed:
            self.outcomes[name] = "failed"
        elif report.skipped:
            self.outcomes.setdefault(name, "skipped")
            self.reasons[name] = _reason(report)
        elif report.when == "call":
            self.outcomes.setdefault(name, "passed")
        if report.when == "call":
            for key, value in report.user_properties:
                if key == CONFORMANCE:
                    self._note(*value)

    def add_module(self, report: pytest.CollectReport) -> None:
        """Take note of what became of a module when its tests were collected."""
        if report.failed:
            self.complete = False
        elif report.skipped:
            self.left_out[report.nodeid] = _reason(report)

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
            "modules left out": dict(sorted(self.left_out.items())),
        }

    def write(self) -> list[Path]:
        """Write all files, and return which."""
        FILE.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.document(), indent=1)
        FILE.write_text(text + "\n", encoding="utf-8", newline="\n")
        return [FILE, *(digest.save(found, RESULTS) for found in self.digests)]


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test or a module was skipped."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else "an xfail"
    return reason.removeprefix("Skipped: ")


def _versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


class Recorder:
    """Keeps a record while tests run, in this process or in those of pytest-xdist."""

    def __init__(self) -> None:
        self.record = Record()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.record.add_module(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.record.add(report)

    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: pytest.ExitCode) -> None:
        """Not called in the processes of pytest-xdist."""
        if exitstatus in COMPLETED and self.record.complete and _devices.count("cuda"):
            for path in self.record.write():
                terminalreporter.write_line(f"wrote {path}")


def pytest_configure(config: pytest.Config) -> None:
    if is_full(config):
        config.pluginmanager.register(Recorder(), "gpu record")


def is_full(config: pytest.Config) -> bool:
    """Whether a session was asked for all tests marked cuda that there are."""
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
