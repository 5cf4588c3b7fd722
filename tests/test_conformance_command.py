"""The command numr-conformance: what it prints, writes and returns."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_namespace import NAMESPACE, VERDICTS, document, outcome, write_fake
from numr_conformance import consumers, plan, report, results
from numr_conformance.cli import main
from numr_conformance.runner import CannotRun, NoCheck


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return write_fake(tmp_path, monkeypatch)


def test_run_writes_a_report_and_prints_totals(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(report, "write", lambda *given: asked.append(given) or [folder / "page"])
    assert main(["run", "fake", "--topics", "topics.one", "--report", str(folder / "out")]) == 1
    printed = capsys.readouterr()
    rows = [line.split() for line in printed.out.splitlines()]
    header = "chapter passed failed raised unsupported recorded timeout crashed"
    assert header.split() in rows
    assert "calls 3 . 1 1 . 1 3".split() in rows
    assert "all 5 1 1 1 1 1 3".split() in rows
    assert "failed: other/fail on default: wrong" in printed.out
    assert "13 of 13, 6 failures" in printed.err
    assert asked[0][1] == folder / "out"
    loaded = results.load(folder / "out" / "results.json")
    assert [loaded] == asked[0][0]
    assert [row["name"] for row in loaded["devices"]["default"]["outcomes"]] == [*VERDICTS]
    assert loaded["environment"]["namespace_version"] == "1.2"
    assert not results.is_complete(loaded)


def test_run_without_findings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    only_fine = ["--topics", "topics.one", "--functions", "fine"]
    assert main(["run", "fake", *only_fine]) == 0
    assert main(["run", "fake", *only_fine, "--device", "toaster", "--device", "toaster"]) == 0
    assert "fake on toaster" in capsys.readouterr().out


def test_several_namespaces_are_checked_in_turn_and_shown_side_by_side(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(report, "write", lambda *given: asked.append(given) or [folder / "page"])
    (folder / "other.py").write_text(NAMESPACE.replace("def fine():", "def fine():\n    1 / 0"))
    command = ["run", "fake", "other", "fake", 'other:__import__("other")', "--report", str(folder)]
    assert main([*command, "--topics", "topics.one", "--functions", "fine"]) == 1
    printed = capsys.readouterr()
    assert printed.out.count("on default\n") == 3  # what is named twice is checked once
    assert "raised: call/0.fine on default: ZeroDivisionError" in printed.out
    assert "fake on default: 2 of 2, 0 failures" in printed.err
    assert "other on default: 2 of 2, 2 failures" in printed.err
    names = ["results-fake.json", "results-other.json", "results-other-__import__-other-.json"]
    loaded = [results.load(folder / name) for name in names]
    assert loaded == asked[0][0]
    assert not (folder / "results.json").exists()
    assert [d["environment"]["namespace"] for d in loaded] == ["fake", "other", command[4]]
    assert [results.has_failures(d) for d in loaded] == [False, True, True]


def test_a_device_is_that_of_each_namespace_and_nothing_runs_if_one_lacks_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "other.py").write_text(NAMESPACE.replace("toaster", "spoon"))
    command = ["run", "fake", "other", "--topics", "topics.one", "--functions", "fine"]
    assert main([*command, "--device", "toaster"]) == 2
    printed = capsys.readouterr()
    assert "other does not accept the device 'toaster'" in printed.err
    assert "2 checks" not in printed.err
    assert printed.out == ""


def test_names_of_files_of_namespaces_are_safe_and_differ() -> None:
    documents = [{"environment": {"namespace": name}} for name in ("a:b", "a-b", "jax.numpy")]
    names = ["results-a-b.json", "results-a-b-2.json", "results-jax.numpy.json"]
    assert results.file_names(documents) == names
    assert results.file_names(documents[:1]) == ["results.json"]


def test_report_shows_results_of_several_runs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, verdict in ("a", "passed"), ("b", "failed"):
        results.save(document(outcome("x", verdict)), folder / f"{name}.json")
    files = [str(folder / "a.json"), str(folder / "b.json")]
    assert main(["report", *files, "--output", str(folder / "both")]) == 0
    text = (folder / "both" / "report.md").read_text(encoding="utf-8")
    assert "## fake · cpu," in text
    assert "## fake (2) · cpu," in text
    assert "1 failed" in text
    assert f"wrote {folder / 'both' / 'report.html'}" in capsys.readouterr().err


def test_reports_that_need_a_missing_package_do_not_cost_the_results(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*_: Any) -> None:
        raise ModuleNotFoundError("No module named 'jinja2'")

    monkeypatch.setattr(report, "write", write)
    only_fine = ["--topics", "topics.one", "--functions", "fine"]
    assert main(["run", "fake", *only_fine, "--report", str(folder)]) == 0
    assert "not all reports were written: No module named 'jinja2'" in capsys.readouterr().err
    assert (folder / "results.json").exists()


def test_gate_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = folder / "expected"
    expected.mkdir()
    path = folder / "results.json"
    results.save(document(outcome("good"), outcome("bad", "raised", message="oh")), path)
    command = ["gate", str(path), "--expected", str(expected)]
    for listed, code, text in (
        ("# because\nbad\n", 0, "cpu: as expected (1 expected failures)"),
        ("", 1, "cpu: 1 failed unexpectedly:\n  bad: raised: oh"),
        ("bad\ngood\n", 1, "remove them from the list:\n  good: passed"),
        ("bad\nold\n", 1, "there are no such checks:\n  old"),
    ):
        (expected / "cpu.txt").write_text(listed)
        assert main(command) == code
        assert text in capsys.readouterr().out
    (expected / "toaster.txt").write_text("")
    only_fine = ["--topics", "topics.one", "--functions", "fine"]
    live = ["gate", "fake", "--device", "toaster", "--expected", str(expected)]
    assert main([*live, *only_fine]) == 0
    assert main([*live, "--topics", "topics.one"]) == 1


def test_compare_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = str(tmp_path / "a.json"), str(tmp_path / "b.json")
    results.save(document(outcome("x")), Path(a))
    results.save(document(outcome("x", "failed")), Path(b))
    assert main(["compare", a, a]) == 0
    assert main(["compare", a, b]) == 1
    assert capsys.readouterr().out == "no differences\nx on cpu: passed -> failed\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "required: COMMAND"),
        ("walk numpy", "invalid choice: 'walk'"),
        ("run", "required: NAMESPACE"),
        ("run fake --jobs 0", "'0' is not a number from 1 on"),
        ("run fake --topics topics.one --functions nosuch", "no check matches"),
        ("run nosuch", "cannot load the namespace 'nosuch': ModuleNotFoundError"),
        ("run fake:nosuch", "name 'nosuch' is not defined"),
        ("run fake --topics nosuch", "No module named 'numr_conformance.checks.nosuch'"),
        ("run fake --topics topics.one --device toaster --device spoon", "the device 'spoon'"),
        ("run fake --topics topics.one --report fake.py", "cannot write to fake.py"),
        ("run fake nosuch --topics topics.one", "cannot load the namespace 'nosuch'"),
        ("report", "required: RESULTS.json, --output"),
        ("report good.json", "required: --output"),
        ("report good.json list.json --output out", "list.json holds no results"),
        ("report good.json --output fake.py", "cannot write to fake.py"),
        ("compare no.json no.json", "cannot read no.json"),
        ("compare fake.py fake.py", "fake.py is not a JSON file"),
        ("compare list.json list.json", "list.json holds no results"),
        ("compare new.json new.json", "new.json has schema 99; this version knows 1"),
        ("compare damaged.json damaged.json", "damaged.json holds damaged results"),
        ("gate good.json", "required: --expected"),
        ("gate good.json --expected .", "cannot read cpu.txt"),
        ("gate good.json --expected . --device gpu", "no results for gpu, but for cpu"),
    ],
)
def test_bad_usage_is_told_without_a_traceback(folder: Path, arguments: str, message: str) -> None:
    (folder / "list.json").write_text("[]")
    (folder / "new.json").write_text('{"schema": 99}')
    (folder / "damaged.json").write_text('{"schema": 1, "devices": []}')
    (folder / "gpu.txt").write_text("")
    results.save(document(outcome("x")), folder / "good.json")
    conformance = str(Path(results.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([conformance, str(folder)])}
    ended = subprocess.run(
        [sys.executable, "-m", "numr_conformance", *arguments.split()],
        env=environment, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.returncode == 2


@pytest.mark.parametrize("own_name", [False, True])
def test_consumers_tests_run_under_the_name_and_on_the_device_that_are_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch, own_name: bool
) -> None:
    asked: list[tuple[bool, str]] = []

    def refuse(*_: Any, masquerade: bool, second_device: str, **__: Any) -> Any:
        asked.append((masquerade, second_device))
        raise CannotRun("no more is needed")

    monkeypatch.setattr(plan, "ConsumersRunner", refuse)
    monkeypatch.setattr(consumers, "installed", lambda: ["scipy"])
    command = ["run", "fake", "--layer=consumers", "--no-baseline", "--second-device=oven"]
    assert main([*command, "--own-name"] if own_name else command) == 2
    assert set(asked) == {(not own_name, "oven")}


@pytest.mark.parametrize(
    ("topics", "runs"),
    [
        ((), {"scipy": [], "sklearn": []}),
        (("sklearn", "names"), {"sklearn": ["sklearn"]}),
        (("scipy.fft", "sklearn.utils"), {"scipy": ["scipy.fft"], "sklearn": ["sklearn.utils"]}),
    ],
)
def test_topics_choose_consumers_and_their_parts(
    monkeypatch: pytest.MonkeyPatch, topics: tuple[str, ...], runs: dict[str, list[str]]
) -> None:
    monkeypatch.setattr(consumers, "installed", lambda: ["scipy", "sklearn"])
    planned = plan.plan(["fake"], layers=["consumers"], topics=topics, baseline=False)
    found = [run.consumer for run in planned if run.consumer is not None]
    assert {one: consumers.parts(one, topics) for one in found} == runs
    with pytest.raises(NoCheck):
        plan.plan(["fake"], layers=["consumers"], topics=["names"])


def test_of_several_layers_those_with_a_topic_are_run():
    both = {"layers": ["own", "consumers"], "baseline": False}
    layers = [run.layer for run in plan.plan(["fake"], topics=["names"], **both)]
    assert layers == ["own"]
    layers = [run.layer for run in plan.plan(["fake"], topics=["scipy.fft"], **both)]
    assert layers == ["consumers"]
    layers = [run.layer for run in plan.plan(["fake"], topics=["names", "scipy.fft"], **both)]
    assert layers == ["own", "consumers"]
