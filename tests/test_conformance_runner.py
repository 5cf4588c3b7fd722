"""numr_conformance on namespaces that raise, hang, crash and lack things; its results; its gate."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_namespace import NAMESPACE, TOPIC, VERDICTS, document, outcome, write_fake
from numr_conformance import gate, results
from numr_conformance.check import Outcome
from numr_conformance.runner import CannotRun, Runner


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return write_fake(tmp_path, monkeypatch)


def outcomes(**options: Any) -> dict[str, Outcome]:
    with Runner("fake", topics=["topics.one"], **options) as runner:
        return {outcome.name: outcome for outcome in runner}


# --- runner and worker ----------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_each_check_gets_its_verdict_whatever_the_namespace_does(folder: Path, jobs: int) -> None:
    found = outcomes(jobs=jobs)
    assert {name: outcome.verdict for name, outcome in found.items()} == VERDICTS


def test_outcomes_say_what_happened(folder: Path) -> None:
    found = outcomes()
    assert found["call/1.raises"].message == "RuntimeError: not today"
    assert found["call/2.hangs"].message == "no result within 1 s"
    assert 1 <= found["call/2.hangs"].seconds < 5
    assert found["call/3.missing"].message == "fake has no missing"
    assert found["call/4.exits"].message == "the process ended with exit code 7"
    assert "exit code 3" in found["call/6.quits"].message
    assert found["other/fail"].given == "x = 1"
    assert found["other/measure"].measured == {"max_ulp": math.inf, "mean_ulp": 0.25}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals on Windows")
def test_a_crash_is_told_with_signal_and_place(folder: Path) -> None:
    message = outcomes(functions="dies")["call/5.dies"].message
    assert "killed by SIGSEGV" in message
    assert "in string_at" in message


def test_checks_are_known_before_they_run_and_chosen_by_a_pattern(folder: Path) -> None:
    with Runner("fake", topics=["topics.one"], functions="fine") as runner:
        assert [check.name for check in runner.checks] == ["call/0.fine", "call/8.fine"]
        assert (runner.version, runner.array_api_version) == ("1.2", "2025.12")


def test_a_run_that_is_given_up_leaves_no_process(folder: Path) -> None:
    with Runner("fake", topics=["topics.one"]) as runner:
        next(iter(runner))
        workers = [*runner._active, *runner._idle]
    assert workers
    assert all(worker._process.returncode is not None for worker in workers)


def test_a_process_that_has_grown_is_replaced_and_no_check_is_lost(folder: Path) -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("the memory of a process can only be told on Linux")
    (folder / "greedy.py").write_text(
        NAMESPACE + "import uuid\nme, hoard = uuid.uuid4(), []\n"
        "def grows(): hoard.append(bytearray(b'x') * 1_200_000_000)\n"
        "def tells(): raise RuntimeError(me)\n"
    )
    functions = "tells tells grows tells"
    listed = "fine raises hangs missing exits dies quits floods fine"
    (folder / "topics" / "one.py").write_text(TOPIC.replace(listed, functions))
    with Runner("greedy", topics=["topics.one"], functions="*[lw]s", jobs=1) as runner:
        found = [(outcome.function, outcome.message) for outcome in runner]
    assert [name for name, _ in found] == functions.split()
    first, second, grown, last = (message for _, message in found)
    assert first == second != last  # each names the process
    assert grown == ""


def test_when_no_process_starts_any_more_the_rest_is_told_to_have_crashed(folder: Path) -> None:
    (folder / "once.py").write_text(
        NAMESPACE + "from pathlib import Path\n"
        "mark = Path(__file__).with_suffix('.mark')\n"
        "if mark.exists(): raise RuntimeError('the device is lost')\n"
        "mark.touch()\n"
    )
    with Runner("once", topics=["topics.one"], jobs=1) as runner:
        found = [(outcome.verdict, outcome.message) for outcome in runner]
    assert len(found) == len(VERDICTS)
    assert [verdict for verdict, _ in found[:3]] == ["passed", "raised", "timeout"]
    assert all(v == "crashed" and "the device is lost" in m for v, m in found[3:])


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "raise RuntimeError('no driver')",
            "cannot load the namespace 'bad': RuntimeError: no dri",
        ),
        ("import os; os._exit(9)", "exit code 9"),
        ("x = = 1", "cannot load the namespace 'bad': SyntaxError"),
    ],
)
def test_a_namespace_that_cannot_be_imported(folder: Path, code: str, message: str) -> None:
    (folder / "bad.py").write_text(code)
    with pytest.raises(CannotRun, match=message), Runner("bad", topics=["topics.one"]):
        pass


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "import nothing_of_this_name",
            r"No module named 'nothing_of_this_name' \(.*two.py, line 1",
        ),
        ("def checks(target): yield 1 / 0", r"ZeroDivisionError.*two.py, line 1"),
        ("checks = lambda target: []", "no check matches"),
        (TOPIC.replace("{number}.", ""), "2 checks have the same name 'call/fine'"),
    ],
)
def test_a_module_of_checks_with_a_mistake(folder: Path, code: str, message: str) -> None:
    (folder / "topics" / "two.py").write_text(code)
    with pytest.raises(CannotRun, match=message), Runner("fake", topics=["topics.two"]):
        pass


def test_checks_that_vary_are_a_mistake(folder: Path) -> None:
    code = "import os\n" + TOPIC.replace("call/{number}", "{os.getpid()}/{number}")
    (folder / "topics" / "two.py").write_text(code)
    runner = Runner("fake", topics=["topics.two"], functions="[eq]*its", jobs=1)
    with pytest.raises(CannotRun, match="collected different checks, such as"), runner:
        list(runner)


def test_an_unknown_device_is_refused_and_a_known_one_is_not(folder: Path) -> None:
    with pytest.raises(CannotRun, match=r"fake does not accept the device 'spoon'.*unknown device"):
        outcomes(device="spoon", functions="fine")
    found = outcomes(device="toaster", functions="fine")
    assert {outcome.device for outcome in found.values()} == {"toaster"}


def test_nothing_imports_numr_api_and_the_command_imports_nothing_heavy(
    run_python: Callable[..., str],
) -> None:
    code = (
        "import pkgutil, sys; from importlib import import_module\n"
        "import numr_conformance.cli as c\n"
        "print({'numpy', 'scipy', 'mpmath', 'hypothesis', 'tqdm', 'jinja2'} & {*sys.modules})\n"
        "path = c.__spec__.parent\n"
        "for module in pkgutil.walk_packages(sys.modules[path].__path__, f'{path}.'):\n"
        "    if not module.name.endswith('__main__'): import_module(module.name)\n"
        "print('numr_api' in sys.modules)"
    )
    conformance = str(Path(results.__file__).parent.parent)
    assert run_python(code, PYTHONPATH=conformance).split("\n") == ["set()", "False"]


# --- results --------------------------------------------------------------------------------------


def test_results_survive_a_file_and_the_file_is_strict_json(tmp_path: Path) -> None:
    measured = {"max_ulp": math.inf, "mean_ulp": math.nan, "low": -math.inf, "points": 1.5}
    made = results.document({"cpu": [outcome("a", measured=measured)]}, {"namespace": "fake"})
    path = tmp_path / "new" / "results.json"
    results.save(made, path)

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(path.read_text(), parse_constant=refuse)
    loaded = results.load(path)
    assert repr(loaded["devices"]) == repr(made["devices"])
    assert loaded["devices"]["cpu"]["totals"]["a chapter"]["passed"] == 1


def test_compare_tells_verdicts_accuracy_and_missing_checks() -> None:
    a = document(
        outcome("same"), outcome("worse"), outcome("gone"),
        outcome("exp", measured={"max_ulp": 1.0, "points": 3}),
        outcome("log", measured={"max_ulp": 1.0}), outcome("sin", measured={"max_ulp": math.inf}),
    )  # fmt: skip
    b = document(
        outcome("same"), outcome("worse", "failed"), outcome("new"),
        outcome("exp", measured={"max_ulp": 2.0, "points": 9}),
        outcome("log", measured={"max_ulp": 1.4}), outcome("sin", measured={"max_ulp": math.inf}),
    )  # fmt: skip
    assert [str(difference) for difference in results.compare(a, b)] == [
        "worse on cpu: passed -> failed",
        "gone on cpu: passed -> absent",
        "exp: max_ulp on cpu: 1 -> 2",
        "new on cpu: absent -> passed",
    ]
    assert results.compare(a, a) == []


def test_compare_matches_the_only_devices_and_others_by_name() -> None:
    a, b = document(outcome("x")), document(outcome("x", "raised"), device="cuda:0")
    assert [str(d) for d in results.compare(a, b)] == ["x on cpu / cuda:0: passed -> raised"]
    b["devices"]["cpu"] = a["devices"]["cpu"]
    assert [str(d) for d in results.compare(a, b)] == ["all checks on cuda:0: not run -> run"]


# --- gate -----------------------------------------------------------------------------------------


def test_expected_failures_are_read_without_comments(tmp_path: Path) -> None:
    path = tmp_path / "cpu.txt"
    path.write_text("# The driver rounds.\nvalues/exp[float32]\n\n  # No such unit.\nfft/#2\n")
    assert gate.read_expected(path) == ["values/exp[float32]", "fft/#2"]
    path.write_text("a\nb\na\n")
    with pytest.raises(gate.BadList, match="line 3: a is listed twice"):
        gate.read_expected(path)
    with pytest.raises(gate.BadList, match="an empty file says"):
        gate.read_expected(tmp_path / "cuda-0.txt")


def test_the_gate_finds_what_is_not_expected() -> None:
    verdicts = "passed failed raised timeout crashed unsupported recorded".split()
    rows = document(*(outcome(v, v) for v in verdicts))["devices"]["cpu"]["outcomes"]
    assert gate.judge("cpu", rows, verdicts[1:5], True).ok
    none_expected = gate.judge("cpu", rows, [], True)
    assert [line.partition(":")[0] for line in none_expected.failures] == verdicts[1:5]
    all_expected = gate.judge("cpu", rows, verdicts, True)
    assert [line.partition(":")[0] for line in all_expected.passes] == [
        "passed", "unsupported", "recorded",
    ]  # fmt: skip
    assert gate.judge("cpu", rows, [*verdicts[1:5], "old"], True).unknown == ["old"]
    assert gate.judge("cpu", rows, [*verdicts[1:5], "old"], False).ok  # not all checks were run


def test_files_of_devices_have_names_that_every_system_allows() -> None:
    assert gate.expected_file(Path("x"), "cuda:0") == Path("x/cuda-0.txt")
