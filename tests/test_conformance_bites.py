"""The checks of numr_conformance bite: each of many single faults is found by a named check."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import pytest
from faulty_namespaces import FAULTS, Fault, array_class
from numr_conformance.check import Check, Outcome, run_check
from numr_conformance.checks import TOPICS, collect
from numr_conformance.target import Target, load

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
        outcomes = {check: run_check(check, target) for check in found}
        assert any(is_found(fault, right[c], o) for c, o in outcomes.items()), pattern


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
