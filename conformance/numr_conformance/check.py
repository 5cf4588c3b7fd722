"""What a check is, and what comes of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from numr_conformance.target import Target

Verdict = Literal[
    "passed",
    "failed",  # a result is not the standard's
    "raised",  # an exception where the standard defines a result
    "unsupported",  # the namespace or its device lacks the function or the dtype
    "recorded",  # the standard leaves it open; what happened is written down
    "timeout",
    "crashed",  # the process died
]


class Failed(Exception):
    """A result is not the standard's.

    Carries the smallest input found, expected and actual, and what was measured nonetheless.
    """

    def __init__(
        self,
        message: str,
        *,
        given: Any = "",
        expected: Any = "",
        actual: Any = "",
        measured: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(message)
        self.given, self.expected, self.actual = (short(x) for x in (given, expected, actual))
        self.measured = dict(measured or {})


class Raised(Exception):
    """The namespace raised where the standard defines a result, and this is the input."""

    def __init__(self, message: str, *, given: Any = "") -> None:
        super().__init__(message)
        self.given = short(given)


class Unsupported(Exception):
    """The namespace or its device lacks what a check is about."""


class Recorded(Exception):
    """What a namespace does where the standard leaves it open, such as "refused" or "float64"."""


def selects(selection: str, function: str, name: str) -> bool:
    """Whether a selection is about a check: its first line matches the function or the name.

    Each further line, which begins with "!", is a pattern of what is left out nevertheless.
    """
    pattern, *excluded = selection.split("\n")
    return _matches(pattern, function, name) and not any(
        _matches(line.removeprefix("!"), function, name) for line in excluded
    )


def _matches(pattern: str, function: str, name: str) -> bool:
    return fnmatchcase(function, pattern) or fnmatchcase(name, pattern)


def short(x: Any, limit: int = 400) -> str:
    """Text of a value for a report."""
    text = x if isinstance(x, str) else repr(x)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


@dataclass(frozen=True)
class Check:
    """One thing that the standard says, to be tried on a namespace.

    Attributes:
        name: unique among all checks and the same on every machine.
        chapter: of the standard, a key of ``standard.CHAPTERS``, or a topic such as "accuracy".
        function: which function, method or operator it is about ("linalg.inv", "__add__"), or "".
        dtype: the dtype that it is about, or "".
        run: does it. Returns None if all is well, or measurements to write down; raises Failed,
            Unsupported or Recorded; any other exception is the verdict "raised".
        seconds: limit for one run.
    """

    name: str
    chapter: str
    function: str
    dtype: str
    run: Callable[[Target], Mapping[str, float] | None] = field(compare=False)
    seconds: float = 20.0


@dataclass(frozen=True)
class Outcome:
    """What came of a check; a row of the report.

    Attributes:
        layer: "own", "official", "consumers" or "extensions".
        seconds: how long it took.
        measured: such as ``{"max_ulp": 1.5, "mean_ulp": 0.3}``.
    """

    name: str
    layer: str
    chapter: str
    function: str
    dtype: str
    device: str
    verdict: Verdict
    message: str = ""
    given: str = ""
    expected: str = ""
    actual: str = ""
    seconds: float = 0.0
    measured: Mapping[str, float] = field(default_factory=dict[str, float])


def run_check(check: Check, target: Target) -> Outcome:
    """Run one check here and now, in this process and without a time limit."""
    from time import perf_counter

    start = perf_counter()
    details: dict[str, Any] = {}
    verdict: Verdict = "passed"
    try:
        details["measured"] = dict(check.run(target) or {})
    except Failed as failure:
        verdict = "failed"
        details = {
            "message": str(failure),
            "given": failure.given,
            "expected": failure.expected,
            "actual": failure.actual,
            "measured": failure.measured,
        }
    except Raised as error:
        verdict, details = "raised", {"message": str(error), "given": error.given}
    except Unsupported as reason:
        verdict, details = "unsupported", {"message": str(reason)}
    except Recorded as what:
        verdict, details = "recorded", {"message": str(what)}
    except Exception as error:  # whatever the namespace under test raises is a finding
        verdict, details = "raised", {"message": short(f"{type(error).__name__}: {error}")}
        if target.lacks(error):
            verdict = "unsupported"
    return Outcome(
        check.name,
        "own",
        check.chapter,
        check.function,
        check.dtype,
        target.device_name,
        verdict,
        seconds=perf_counter() - start,
        **details,
    )
