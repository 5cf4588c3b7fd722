"""Runs give up on what loses every process, and their limit of accuracy reaches the checks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from fake_namespace import NAMESPACE, TOPIC, write_fake
from numr_conformance import losses
from numr_conformance.runner import Runner


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return write_fake(tmp_path, monkeypatch)


def many(folder: Path, *functions: str) -> None:
    """A module of checks ``topics.many``, one for each of the functions in this order."""
    text = TOPIC.replace('"fine raises hangs missing exits dies quits floods fine"', '"FEW"')
    (folder / "topics" / "many.py").write_text(text.replace("FEW", " ".join(functions)))


def verdicts(**options: Any) -> list[tuple[str, str]]:
    with Runner("fake", topics=["topics.many"], **options) as runner:
        found = {outcome.name: (outcome.verdict, outcome.message) for outcome in runner}
        return [found[check.name] for check in runner.checks if check.name.startswith("call/")]


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_function_that_loses_every_process_is_given_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(losses, "OF_A_FUNCTION", 3)
    many(folder, *["exits"] * 9, "fine", *["hangs"] * 5, "fine")
    found = verdicts(jobs=jobs)
    tried = [message for _, message in found if not message.startswith("not run")]
    assert [verdict for verdict, _ in found] == (
        ["crashed"] * 9 + ["passed"] + ["timeout"] * 5 + ["passed"]
    )
    # Those that other workers had begun with by then are not taken from them.
    assert 3 <= tried.count("the process ended with exit code 7") < 3 + jobs
    assert 3 <= tried.count("no result within 1 s") < 3 + jobs
    last = "lost, the last one: no result within 1 s"  # how many is a matter of who is first
    assert re.fullmatch(f"not run: the [345] checks of hangs before it were {last}", found[14][1])


def test_a_check_that_is_not_lost_is_a_new_beginning(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(losses, "OF_A_FUNCTION", 3)
    # Six are lost in all, but never three in a row.
    code = "calls = Path(__file__).with_suffix('.calls')\ndef by_turns():\n"
    code += "    before = len(calls.read_text()) if calls.exists() else 0\n"
    code += "    calls.write_text('x' * (before + 1))\n    if before % 3: os._exit(7)\n"
    (folder / "fake.py").write_text(NAMESPACE + "from pathlib import Path\n" + code)
    many(folder, *["by_turns"] * 9)
    assert [verdict for verdict, _ in verdicts(jobs=1)] == ["passed", "crashed", "crashed"] * 3


def test_a_namespace_that_loses_every_process_is_given_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(losses, "AT_ALL", 4)
    many(folder, *["exits", "quits", "dies"] * 3, "fine")
    found = verdicts(jobs=1)
    assert [message.startswith("not run") for _, message in found] == [False] * 4 + [True] * 6
    assert {verdict for verdict, _ in found} == {"crashed"}
    assert found[-1][1].startswith("not run: the 4 checks before it were lost, the last one: ")


def test_the_limit_of_accuracy_reaches_the_checks() -> None:
    for limit, verdict in (None, "passed"), (0.25, "failed"):
        options: Any = {"functions": "exp", "topics": ["accuracy"], "jobs": 1}
        with Runner("numpy", max_ulp=limit, **options) as runner:
            found = {outcome.name: outcome for outcome in runner}["accuracy/exp/float64"]
        assert found.verdict == verdict
        assert found.measured["max_ulp"] > 0.25
        assert ("the limit is 0.25 ulp" in found.message) == (verdict == "failed")
