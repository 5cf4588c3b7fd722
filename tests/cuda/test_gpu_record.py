"""What ``pytest -m cuda`` keeps of its results, and when."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gpu_record
import pytest


def session(
    *arguments: str, markexpr: str = "cuda", start: Path = gpu_record.ROOT, **options: Any
) -> Any:
    """A session's configuration, as far as it is looked at."""
    return SimpleNamespace(
        option=SimpleNamespace(markexpr=markexpr, **options),
        invocation_params=SimpleNamespace(dir=start),
        args=list(arguments),
    )


def test_all_tests_marked_cuda_are_a_full_run() -> None:
    assert gpu_record.is_full(session("tests"))
    assert gpu_record.is_full(session("tests/cuda"))
    assert gpu_record.is_full(session(str(gpu_record.ROOT)))
    assert gpu_record.is_full(session(".", keyword="", maxfail=0, ignore=None))


@pytest.mark.parametrize(
    "config",
    [
        session("tests/cuda/test_gpu.py::test_extremes_and_nan"),
        session("tests/cuda", "tests/webgpu"),
        session("tests", start=gpu_record.ROOT / "docs"),
        session("tests", markexpr=""),
        session("tests", markexpr="not cuda"),
        session("tests", keyword="sort"),
        session("tests", maxfail=1),
        session("tests", deselect=["tests/cuda"]),
        session("tests", collectonly=True),
    ],
    ids=str,
)
def test_less_is_no_full_run(config: Any) -> None:
    assert not gpu_record.is_full(config)


def report(name: str, when: str, outcome: str, reason: str = "") -> Any:
    return SimpleNamespace(
        nodeid=name,
        when=when,
        user_properties=[],
        failed=outcome == "failed",
        skipped=outcome == "skipped",
        longrepr=("file.py", 1, f"Skipped: {reason}") if outcome == "skipped" else None,
    )


@pytest.fixture
def record() -> gpu_record.Record:
    found = gpu_record.Record()
    for name, *outcomes in (
        ("works", "passed", "passed", "passed"),
        ("breaks", "passed", "failed", "passed"),
        ("breaks at its end", "passed", "passed", "failed"),
        ("breaks at its begin", "failed"),
        ("is skipped", "skipped"),
        ("skips itself", "passed", "skipped", "passed"),
    ):
        for when, outcome in zip(("setup", "call", "teardown"), outcomes, strict=False):
            found.add(report(name, when, outcome, "there is one GPU"))
    return found


def test_each_test_counts_once(record: gpu_record.Record) -> None:
    assert record.outcomes == {
        "works": "passed",
        "breaks": "failed",
        "breaks at its end": "failed",
        "breaks at its begin": "failed",
        "is skipped": "skipped",
        "skips itself": "skipped",
    }


def test_what_is_written(
    record: gpu_record.Record, fake: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_record, "FILE", tmp_path / "tests" / "cuda.json")
    record.conformance["own"] = {"passed": 24}
    record.command = "pytest -m cuda tests/cuda"
    assert record.write() == [gpu_record.FILE]
    found = json.loads(gpu_record.FILE.read_text())
    assert found["command"] == "pytest -m cuda tests/cuda"
    assert found["tests"] == {"passed": 1, "failed": 3, "skipped": 2}
    assert found["failed"] == ["breaks", "breaks at its begin", "breaks at its end"]
    assert found["skipped"]["is skipped"] == "there is one GPU"
    assert found["hardware"] == "NVIDIA H200 (sm_90)"
    assert found["devices"] == 2
    assert found["numr-conformance"] == {"own": {"passed": 24}}
    assert {"numr_api", "python", "numpy"} <= found["versions"].keys()
    assert found["date"].startswith("20")
