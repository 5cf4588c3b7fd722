"""The process that runs tests of the official suite, with the protocol of ``worker``.

    python -m numr_conformance.official_worker NAMESPACE --suite DIR --scratch DIR [...]

It collects the tests with pytest and then, in place of pytest's loop over all of them, runs those
that its parent asks for, so that the parent knows which one a process hangs or dies in.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Generator, Sequence
from dataclasses import asdict
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path
from time import perf_counter
from typing import Any, TextIO

import pytest

from numr_conformance.check import Outcome, Verdict, short
from numr_conformance.official_ids import Facts, about, defect_of_suite, leaves
from numr_conformance.target import DTYPES, Target
from numr_conformance.worker import (
    CannotStart,
    load_target,
    private_streams,
    send,
    version_of,
)

VERSION = "2025.12"
# The suite always tests the default device. These variables choose it, for namespaces that have
# such; they are read when the namespace is imported.
DEVICE_VARIABLES = {"numr_api": ("NUMR_API_DEVICE", "NUMR_API_DEVICES")}
FALSIFYING = ("Falsifying example", "Failing test case")  # as versions of hypothesis put it
KDLCPU = 1  # DLPack's name of the cpu
# Only these, not all that are installed: one that shuffles tests, for example, would disturb.
PLUGINS = ("pytest_metadata.plugin", "pytest_jsonreport.plugin", "_hypothesis_pytestplugin")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests that standard input asks for."""
    options = _parse(arguments)
    requests, replies = private_streams()
    try:
        _set_environment(options)
        target = _load(options)
    except CannotStart as problem:
        send(replies, {"error": str(problem)})
        return 2
    facts = _facts(target)
    missing = [name for name in DTYPES if name not in target.dtypes]
    os.environ["ARRAY_API_TESTS_SKIP_DTYPES"] = ",".join(missing)
    words = f"{options.examples} examples a test; no deadline for an example"
    if missing:
        words += f"; without {', '.join(missing)}, which the device lacks"
    loop = Loop(target, facts, options, words, requests, replies)
    code = pytest.main(_pytest_arguments(options), plugins=[loop])
    if loop.problem:
        send(replies, {"error": f"cannot load the official suite: {loop.problem}"})
    return int(code)  # what else hinders pytest is in its output, which the parent reads


def _parse(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m numr_conformance.official_worker")
    parser.add_argument("namespace")
    parser.add_argument("--device")
    parser.add_argument("--suite", type=Path, required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--functions", default="*", metavar="PATTERN")
    parser.add_argument("--examples", type=int, required=True)
    return parser.parse_args(arguments)


def _set_environment(options: Namespace) -> None:
    """What must hold before the namespace, hypothesis and the suite are imported."""
    sys.dont_write_bytecode = True
    for name in [name for name in os.environ if name.startswith(("ARRAY_API_TESTS_", "PYTEST_"))]:
        del os.environ[name]
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = options.scratch
    os.environ["ARRAY_API_TESTS_VERSION"] = VERSION
    os.environ["ARRAY_API_TESTS_MODULE"] = _module(options.namespace)
    if options.device is not None:
        for variable in DEVICE_VARIABLES.get(options.namespace, ()):
            os.environ[variable] = options.device
    os.chdir(options.scratch)


def _module(namespace: str) -> str:
    """How the suite is told of a namespace: a module's name, or code that it executes."""
    if ":" not in namespace:
        return namespace
    return f"exec('from numr_conformance.target import load; xp = load({namespace!r})')"


def _load(options: Namespace) -> Target:
    """The namespace, if the suite can test it, and on the device that was named."""
    target = load_target(options.namespace, options.device)
    if not isinstance(getattr(target.xp, "__name__", None), str):
        raise CannotStart(
            f"the official suite takes modules, or what has a __name__ as they have: "
            f"{target.name!r} is {type(target.xp).__name__!r} without one"
        )
    if target.device is not None:
        used = getattr(target.xp.zeros(1), "device", None)
        if str(used) != target.device_name and used != target.device:
            raise CannotStart(
                f"the official suite tests the default device, which is {used} for {target.name}; "
                f"it is not known here how to make {target.device_name} the default"
            )
    return target


def _facts(target: Target) -> Facts:
    try:
        on_cpu = target.xp.zeros(1).__dlpack_device__()[0] == KDLCPU
    except Exception:  # without these, a namespace is told by the tests
        on_cpu = True
    return Facts("float64" in target.dtypes, on_cpu)


def _pytest_arguments(options: Namespace) -> list[str]:
    suite: Path = options.suite
    return [
        str(suite / "array_api_tests"),
        f"--rootdir={suite}",
        f"--config-file={suite / 'pytest.ini'}",
        f"--max-examples={options.examples}",
        # Whoever owns the checkout may have files of these names in it, which are not ours.
        f"--skips-file={os.devnull}",
        f"--xfails-file={os.devnull}",
        "-pno:cacheprovider",
        *(f"-p{plugin}" for plugin in PLUGINS),
        "--disable-deadline",  # a slow device, or a busy machine, is not wrong
        "--disable-warnings",
        "--quiet",
    ]


class Loop:
    """A pytest plugin that takes the place of pytest's loop over the tests.

    Attributes:
        problem: why the tests cannot be loaded, "" if they can.
    """

    def __init__(
        self,
        target: Target,
        facts: Facts,
        options: Namespace,
        words: str,
        requests: TextIO,
        replies: TextIO,
    ) -> None:
        self.problem = ""
        self._target, self._facts, self._words = target, facts, words
        self._pattern: str = options.functions
        self._seconds = 60.0 + options.examples  # many times what a slow device takes
        self._requests, self._replies = requests, replies
        self._verdict: Verdict = "passed"
        self._details: dict[str, Any] = {}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.problem:
            self.problem = f"{report.nodeid}: {_last_line(report.longreprtext)}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Say which tests there are, then run those that are asked for."""
        if self.problem:
            return True
        items = [item for item in session.items if self._is_wanted(item.nodeid)]
        self._introduce(items)
        for line in self._requests:
            send(self._replies, asdict(self._run(items[int(line)])))
        return True

    def _is_wanted(self, test: str) -> bool:
        return any(fnmatchcase(text, self._pattern) for text in (about(test)[1], test))

    def _introduce(self, items: Sequence[pytest.Item]) -> None:
        message = {
            "version": version_of(self._target),
            "array_api_version": str(getattr(self._target.xp, "__array_api_version__", "")),
            "options": self._words,
            "checks": [(x.nodeid, *about(x.nodeid), "", self._seconds) for x in items],
        }
        send(self._replies, message)

    def _run(self, item: pytest.Item) -> Outcome:
        self._verdict, self._details = "passed", {}
        start = perf_counter()
        # Without a next test everything is torn down: a process may be given any test after it.
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return Outcome(
            item.nodeid,
            "official",
            *about(item.nodeid),
            "",
            self._target.device_name,
            self._verdict,
            seconds=perf_counter() - start,
            **self._details,
        )

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn pytest's reports (set up, call, tear down) into a verdict: the first bad one."""
        report = yield
        if self._verdict != "passed" or report.passed:
            return report
        if report.skipped:
            expected = hasattr(report, "wasxfail")
            reason = report.wasxfail if expected else _skip_reason(report)
            absent = "not found in array module" in reason  # an extension
            self._verdict = "unsupported" if absent else "recorded"
            kind = "expected to fail by the suite" if expected else "skipped by the suite"
            self._details = {"message": f"{kind}: {reason}" if reason else kind}
        elif call.excinfo is None:  # an xfail, strict, that passes
            self._verdict, self._details = "failed", {"message": _last_line(report.longreprtext)}
        else:
            self._judge(item.nodeid, call.excinfo.value)
        return report

    def _judge(self, test: str, error: BaseException) -> None:
        first = next(leaves(error))
        message = _message(first)
        self._details = {"message": message, "given": _falsifying(first)}
        reason = defect_of_suite(test, error, self._facts)
        if reason:
            self._verdict = "recorded"
            self._details["message"] = short(f"known defect of the suite: {reason} ({message})")
        else:
            self._verdict = "failed" if isinstance(first, AssertionError) else "raised"


def _message(error: BaseException) -> str:
    """What an error says, without pytest's account of the expression that is not true."""
    first, *rest = f"{type(error).__name__}: {error}".splitlines()
    said = takewhile(lambda line: not line.startswith(("assert ", "E ", " + ")), rest)
    return short("; ".join(filter(None, map(str.strip, [first, *said]))))


def _falsifying(error: BaseException) -> str:
    """The input that hypothesis found, which it appends to the error."""
    notes = (str(note) for note in getattr(error, "__notes__", ()))
    return next((short(note) for note in notes if note.startswith(FALSIFYING)), "")


def _skip_reason(report: pytest.TestReport) -> str:
    detail: Any = report.longrepr  # file, line and text
    return str(detail[-1] if isinstance(detail, tuple) else detail).removeprefix("Skipped: ")


def _last_line(text: str) -> str:
    """The last line that pytest marks as the error, else the last one."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line.removeprefix("E").strip() for line in lines if line.startswith("E ")]
    return short((errors or lines or [""])[-1])


if __name__ == "__main__":
    sys.exit(main())
