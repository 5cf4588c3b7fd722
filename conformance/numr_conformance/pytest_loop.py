"""A pytest plugin with which a parent process decides which tests are run, and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import asdict
from itertools import takewhile
from time import perf_counter
from typing import Any, TextIO

import pytest

from numr_conformance.check import Outcome, Verdict, selects, short
from numr_conformance.target import Target
from numr_conformance.worker import send, version_of

Judgement = tuple[Verdict, dict[str, Any]]  # a verdict and the fields of Outcome that explain it


class Loop:
    """Takes the place of pytest's loop over the tests, with the protocol of ``worker``.

    A subclass says what the tests are about and judges their errors.

    Arguments:
        target: what is tested.
        requests: where the parent asks for tests.
        replies: where it is told of them.
        selection: of the functions or the names of the tests, see ``selects``.
        seconds: the limit for a test.
        words: what the tests are run with, for a report.

    Attributes:
        layer: of the outcomes.
        tests: whose tests they are, in words.
        problem: why the tests cannot be loaded, "" if they can.
    """

    layer = ""
    tests = ""

    def __init__(
        self,
        target: Target,
        requests: TextIO,
        replies: TextIO,
        *,
        selection: str,
        seconds: float,
        words: str,
    ) -> None:
        self.problem = ""
        self._target, self._seconds, self._words = target, seconds, words
        self._selection = selection
        # Asked for now, since a namespace may get another name and version for the tests.
        self._version = version_of(target)
        self._requests, self._replies = requests, replies
        self._judgement: Judgement = "passed", {}

    def name(self, item: pytest.Item) -> str:
        """The name of the outcome: pytest's id, or what makes it the same for all namespaces."""
        return item.nodeid

    def about(self, name: str) -> tuple[str, str]:
        """The chapter and the function that a test is about."""
        raise NotImplementedError

    def judge(self, name: str, error: BaseException) -> Judgement:
        """What an exception in a test means."""
        raise NotImplementedError

    def is_unsupported(self, reason: str) -> bool:
        """Whether a test is skipped because the namespace or its device lacks something."""
        raise NotImplementedError

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.problem:
            self.problem = f"{report.nodeid}: {_last_line(report.longreprtext)}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Say which tests there are, then run those that are asked for."""
        items = [item for item in session.items if self._is_wanted(self.name(item))]
        name, count = next(iter(Counter(map(self.name, items)).most_common(1)), ("", 0))
        if count > 1 and not self.problem:
            self.problem = f"{count} tests have the same name {name!r}"
        if self.problem:
            return True
        self._introduce(items)
        for line in self._requests:
            send(self._replies, asdict(self._run(items[int(line)])))
        return True

    def _is_wanted(self, name: str) -> bool:
        return selects(self._selection, self.about(name)[1], name)

    def _introduce(self, items: Sequence[pytest.Item]) -> None:
        names = [self.name(item) for item in items]
        message = {
            "version": self._version,
            "array_api_version": str(getattr(self._target.xp, "__array_api_version__", "")),
            "options": self._words,
            "checks": [(name, *self.about(name), "", self._seconds) for name in names],
        }
        send(self._replies, message)

    def _run(self, item: pytest.Item) -> Outcome:
        self._judgement = "passed", {}
        start = perf_counter()
        # Without a next test everything is torn down: a process may be given any test after it.
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        verdict, details = self._judgement
        name = self.name(item)
        return Outcome(
            name,
            self.layer,
            *self.about(name),
            "",
            self._target.device_name,
            verdict,
            seconds=perf_counter() - start,
            **details,
        )

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn pytest's reports (set up, call, tear down) into a verdict: the first bad one."""
        report = yield
        if self._judgement[0] != "passed" or report.passed:
            return report
        if report.skipped:
            expected = hasattr(report, "wasxfail")
            reason = report.wasxfail if expected else _skip_reason(report)
            kind = f"{'expected to fail' if expected else 'skipped'} by {self.tests}"
            message = f"{kind}: {reason}" if reason else kind
            verdict = "unsupported" if self.is_unsupported(reason) else "recorded"
            self._judgement = verdict, {"message": message}
        elif call.excinfo is None:  # an xfail, strict, that passes
            self._judgement = "failed", {"message": _last_line(report.longreprtext)}
        else:
            self._judgement = self.judge(self.name(item), call.excinfo.value)
        return report


def message_of(error: BaseException) -> str:
    """What an error says, without pytest's account of the expression that is not true."""
    first, *rest = f"{type(error).__name__}: {error}".splitlines()
    said = takewhile(lambda line: not line.startswith(("assert ", "E ", " + ")), rest)
    return short("; ".join(filter(None, map(str.strip, [first, *said]))))


def _skip_reason(report: pytest.TestReport) -> str:
    detail: Any = report.longrepr  # file, line and text
    return str(detail[-1] if isinstance(detail, tuple) else detail).removeprefix("Skipped: ")


def _last_line(text: str) -> str:
    """The last line that pytest marks as the error, else the last one."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line.removeprefix("E").strip() for line in lines if line.startswith("E ")]
    return short((errors or lines or [""])[-1])
