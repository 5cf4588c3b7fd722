"""What ``pytest -m cuda`` keeps of its results, and when."""

from __future__ import annotations

import json
import os
import subprocess
import sys
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
    assert gpu_record.is_full(session(str(gpu_record.ROOT)))
    assert gpu_record.is_full(session(".", keyword="", maxfail=0, ignore=None))


@pytest.mark.parametrize(
    "config",
    [
        session("tests/cuda/test_gpu.py::test_extremes_and_nan"),
        session("tests/cuda"),
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
    record.command = "pytest -m cuda tests"
    assert record.write() == [gpu_record.FILE]
    found = json.loads(gpu_record.FILE.read_text())
    assert found["command"] == "pytest -m cuda tests"
    assert found["tests"] == {"passed": 1, "failed": 3, "skipped": 2}
    assert found["failed"] == ["breaks", "breaks at its begin", "breaks at its end"]
    assert found["skipped"]["is skipped"] == "there is one GPU"
    assert found["hardware"] == "NVIDIA H200 (sm_90)"
    assert found["devices"] == 2
    assert found["numr-conformance"] == {"own": {"passed": 24}}
    assert {"numr_api", "python", "numpy"} <= found["versions"].keys()
    assert found["date"].startswith("20")


# --- sessions of a small project ------------------------------------------------------------------

CONFTEST = """
import os
from pathlib import Path
from types import SimpleNamespace

import gpu_record

pytest_plugins = ["gpu_record"]
gpu_record.FOLDERS = (Path(__file__).parent,)
gpu_record.FILE = Path(os.environ["RECORD"])
backend = SimpleNamespace(describe=lambda: {"hardware": "GPU"})
gpu_record._devices = SimpleNamespace(count=lambda _: 1, backend_of=lambda _: backend)
"""
TESTS = """
import pytest

@pytest.mark.cuda
@pytest.mark.parametrize("number", [1, 2, 3])
def test_one(number):
    assert number < 3

@pytest.mark.cuda
def test_another():
    pytest.skip("there is one GPU")

def test_of_the_host():
    raise AssertionError
"""
LEFT_OUT = """
import pytest

pytest.skip("pint is missing", allow_module_level=True)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder of tests, some marked cuda, in a module that no conftest of theirs stands by."""
    folder = tmp_path / "project"
    (folder / "others").mkdir(parents=True)
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "others" / "test_these.py").write_text(TESTS)
    (folder / "test_left_out.py").write_text(LEFT_OUT)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = cuda: needs a GPU\n")
    return folder


def record_of(project: Path, *arguments: str) -> dict[str, Any] | None:
    """What a session leaves; None if it leaves nothing."""
    file = project.parent / "record" / "cuda.json"
    paths = [gpu_record.ROOT / "conformance", gpu_record.ROOT / "tests" / "cuda", gpu_record.ROOT]
    command = [sys.executable, "-m", "pytest", "-m", "cuda", "-p", "no:cacheprovider", *arguments]
    environment = {
        **{name: x for name, x in os.environ.items() if not name.startswith("PYTEST_")},
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "RECORD": str(file),
    }
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    told = done.stdout + done.stderr
    assert done.returncode in (1, 2), told  # a test fails, or a module could not be read
    assert file.exists() == (f"wrote {file}" in told)
    return json.loads(file.read_text()) if file.exists() else None


PROCESSES = pytest.mark.parametrize("processes", ["0", "2"])


@PROCESSES
def test_all_tests_are_kept_wherever_they_run(project: Path, processes: str) -> None:
    found = record_of(project, "-n", processes)
    assert found is not None
    assert found["tests"] == {"passed": 2, "failed": 1, "skipped": 1}
    assert found["failed"] == ["others/test_these.py::test_one[3]"]
    assert found["skipped"] == {"others/test_these.py::test_another": "there is one GPU"}
    assert found["modules left out"] == {"test_left_out.py": "pint is missing"}


@PROCESSES
def test_nothing_is_kept_where_a_module_cannot_be_read(project: Path, processes: str) -> None:
    (project / "test_broken.py").write_text("import a_module_that_nobody_has")
    assert record_of(project, "-n", processes, "--continue-on-collection-errors") is None


def test_nothing_is_kept_of_a_part(project: Path) -> None:
    assert record_of(project, "others") is None
