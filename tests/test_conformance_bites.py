"""The checks of numr_conformance bite: each of many single faults is found by a named check."""

from __future__ import annotations

import math
import re
import sys
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import pytest
from faulty_namespaces import FAULTS, Fault, Namespace, array_class
from numr_conformance.check import Check, Outcome, Recorded, Unsupported, run_check
from numr_conformance.checks import TOPICS, collect
from numr_conformance.target import Target, load

import numr_api as xp

# Of a function, checks are alike for many dtypes and shapes; this many of a pattern are run.
ENOUGH = 60


@cache
def clean(base: Any) -> Target:
    return Target(base.__name__)


@cache
def checks_of(base: Any, topic: str) -> tuple[Check, ...]:
    return tuple(collect(clean(base), topics=[topic]))


def topics_of(pattern: str) -> list[str]:
    """Topics are what names begin with, but for names and for dtypes that are defaults."""
    first = pattern.split("/", 1)[0]
    return [first] if first in TOPICS else ["names", "promotion"]


@cache
def named(base: Any, pattern: str) -> tuple[Check, ...]:
    """The checks of a pattern, or some that are spread over all of them."""
    every = (check for topic in topics_of(pattern) for check in checks_of(base, topic))
    found = [check for check in every if fnmatchcase(check.name, pattern)]
    return tuple(found[:: max(1, len(found) // ENOUGH)])


@cache
def right_outcome(base: Any, check: Check) -> Outcome:
    return run_check(check, clean(base))


def is_found(fault: Fault, right: Outcome, wrong: Outcome) -> bool:
    match fault.seen:
        case "verdict":
            return wrong.verdict in ("failed", "raised")
        case "recorded":
            return (right.verdict, right.message) != (wrong.verdict, wrong.message)
        case "measured":
            larger = [wrong.measured[key] > 1 + x for key, x in right.measured.items()]
            return wrong.verdict == "passed" and bool(larger) and all(larger)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_by_each_of_its_checks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = FAULTS[name]
    checks = {pattern: named(fault.base, pattern) for pattern in fault.checks}
    assert all(checks.values()), f"no check of {[p for p, found in checks.items() if not found]}"
    right = {c: right_outcome(fault.base, c) for found in checks.values() for c in found}
    bad = [o for o in right.values() if o.verdict not in ("passed", "recorded")]
    assert not bad, "a check fails without any fault"

    if fault.method:
        monkeypatch.setattr(array_class(fault.base), fault.method, fault.wrong)
    target = Target(f"faulty_namespaces:FAULTS[{name!r}].namespace")
    for pattern, found in checks.items():
        assert any(is_found(fault, right[c], run_check(c, target)) for c in found), pattern


def test_there_are_many_faults() -> None:
    assert len(FAULTS) >= 25


def test_what_has_no_fault_passes() -> None:
    """The wrapper itself is none: so it is the fault that is found."""
    wrapper = load("faulty_namespaces:Namespace(xp, {})")
    target = Target("faulty_namespaces:Namespace(xp, {})")
    assert wrapper.sum is load("numr_api").sum
    patterns = {p for fault in FAULTS.values() if fault.base.__name__ == "numr_api"
                for p in fault.checks if not p.startswith("accuracy/")}  # fmt: skip
    checks = [check for p in sorted(patterns) for check in named(load("numr_api"), p)[::5]]
    outcomes = [run_check(check, target) for check in checks]
    assert {o.verdict for o in outcomes} <= {"passed", "recorded"}


# --- drawn inputs ---------------------------------------------------------------------------------

COMBINATIONS = [name for name, fault in FAULTS.items() if fault.checks[0].startswith("drawn/")]


def outcome_with(name: str, check: Check, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    fault = FAULTS[name]
    if fault.method:
        monkeypatch.setattr(array_class(fault.base), fault.method, fault.wrong)
    return run_check(check, Target(f"faulty_namespaces:FAULTS[{name!r}].namespace"))


@pytest.mark.parametrize("name", COMBINATIONS)
def test_only_drawn_inputs_find_rare_combinations(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the drawn checks would prove nothing that others do not."""
    fault = FAULTS[name]
    function = fault.method or fault.name
    topics = [topic for topic in TOPICS if topic not in ("drawn", "threads", "determinism")]
    fixed = list(collect(clean(fault.base), function, topics))
    assert len(fixed) > 10
    verdicts = {c.name: outcome_with(name, c, monkeypatch).verdict for c in fixed}
    assert {n for n, verdict in verdicts.items() if verdict in ("failed", "raised")} == set()


def test_many_rare_combinations_are_tried() -> None:
    assert len(COMBINATIONS) >= 6


def test_a_failure_is_told_with_the_smallest_input(monkeypatch: pytest.MonkeyPatch) -> None:
    (check,) = named(xp, "drawn/less/whole_numbers[[]int64]")
    found = outcome_with("integers_are_compared_as_floats", check, monkeypatch)
    assert found.verdict == "failed"
    # One pair of neighbours, and nothing else that was drawn.
    assert re.fullmatch(
        r"by=less, x1=\[(\d+)\] \(int64 \(1,\)\), x2=\[(\d+)\] \(int64 \(1,\)\)", found.given
    )
    assert (found.expected, found.actual) == ("True", "False")

    (check,) = named(xp, "drawn/roll/roll[[]int32]")
    found = outcome_with("only_two_axes_are_rolled", check, monkeypatch)
    # The axis that is forgotten has two elements, the others have one; and no layout is told.
    told = re.fullmatch(r"x=.* \(int32 \((.*)\)\), axis=\(.*\), shift=.*", found.given)
    assert told is not None
    assert sorted(told[1].split(", "))[-2:] == ["1", "2"]


def test_an_exception_is_told_with_its_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def flip(x: Any, /, *, axis: Any = None) -> Any:
        if x.ndim > 2:
            raise ZeroDivisionError("of no use")
        return xp.flip(x, axis=axis)

    (check,) = named(xp, "drawn/flip/flip[[]int32]")
    target = Target("numr_api")
    target.xp = Namespace(xp, {"flip": flip})
    found = run_check(check, target)
    assert (found.verdict, found.message) == ("raised", "ZeroDivisionError: of no use")
    assert found.given == "x=[[[0]]] (int32 (1, 1, 1)), axis=None"


def test_what_is_unsupported_or_recorded_is_no_failure_to_shrink() -> None:
    (check,) = named(xp, "drawn/flip/flip[[]int32]")
    target = Target("numr_api")
    for reason, verdict in (Unsupported("none"), "unsupported"), (Recorded("so"), "recorded"):
        calls: list[Exception] = []

        def flip(*_: Any, calls: list[Exception] = calls, reason: Any = reason, **__: Any) -> Any:
            calls.append(reason)
            raise reason

        target.xp = Namespace(xp, {"flip": flip})
        assert run_check(check, target).verdict == verdict
        assert len(calls) == 1


def test_a_failure_that_does_not_come_back_is_told() -> None:
    (check,) = named(xp, "drawn/flip/flip[[]int32]")
    target = Target("numr_api")
    calls = []

    def flip(x: Any, /, *, axis: Any = None) -> Any:
        calls.append(axis)
        return x + 1 if len(calls) == 3 else xp.flip(x, axis=axis)

    target.xp = Namespace(xp, {"flip": flip})
    found = run_check(check, target)
    assert found.verdict == "failed"
    assert found.given.startswith("x=")


def test_without_hypothesis_the_topic_cannot_be_lost_unnoticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    monkeypatch.delitem(sys.modules, "numr_conformance.checks.drawn", raising=False)
    with pytest.raises(ModuleNotFoundError, match="the topic 'drawn' needs hypothesis; install it"):
        list(collect(Target("numr_api")))
    others = [topic for topic in TOPICS if topic != "drawn"]
    assert list(collect(Target("numr_api"), "flip", others))


def test_draws_are_the_same_each_time() -> None:
    (check,) = named(xp, "drawn/flip/flip[[]int32]")
    target = Target("numr_api")
    seen: list[list[Any]] = [[], []]
    for calls in seen:

        def flip(x: Any, /, *, axis: Any = None, calls: list[Any] = calls) -> Any:
            calls.append((x.shape, axis))
            return xp.flip(x, axis=axis)

        target.xp = Namespace(xp, {"flip": flip})
        assert run_check(check, target).verdict == "passed"
    assert seen[0] == seen[1]
    assert len(set(seen[0])) > 15
    assert len({len(shape) for shape, _ in seen[0]}) >= 5


# --- accuracy -------------------------------------------------------------------------------------


def test_a_limit_makes_accuracy_a_verdict() -> None:
    (check,) = named(xp, "accuracy/exp/float64")
    target = Target("faulty_namespaces:FAULTS['exp_is_off_by_3_ulp'].namespace")
    measured = run_check(check, target)
    assert measured.verdict == "passed"
    target.max_ulp = 2
    found = run_check(check, target)
    assert found.verdict == "failed"
    assert found.measured == measured.measured
    assert found.message.endswith("; the limit is 2 ulp")
    at = float(found.given)
    assert float(found.expected) == pytest.approx(math.exp(at), rel=1e-15)
    assert found.actual != found.expected
    right = Target("numr_api")
    right.max_ulp = 2
    assert run_check(check, right).verdict == "passed"
