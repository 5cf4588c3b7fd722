"""The process that runs tests of the official suite, with the protocol of ``worker``.

    python -m numr_conformance.official_worker NAMESPACE --suite DIR --scratch DIR [...]

It collects the tests with pytest and then, in place of pytest's loop over all of them, runs those
that its parent asks for, so that the parent knows which one a process hangs or dies in.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from numr_conformance import default_device
from numr_conformance.check import short
from numr_conformance.official_ids import Facts, about, defect_of_suite, leaves
from numr_conformance.pytest_loop import Judgement, Loop, message_of
from numr_conformance.target import DTYPES, Target
from numr_conformance.worker import CannotStart, load_target, private_streams, send

VERSION = "2025.12"
FALSIFYING = ("Falsifying example", "Failing test case")  # as versions of hypothesis put it
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
    loop = OfficialLoop(
        facts, target, requests, replies, selection=options.functions, words=words,
        seconds=60.0 + options.examples,  # many times what a slow device takes
    )  # fmt: skip
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
    default_device.choose(options.namespace, options.device)
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
    default_device.require(target, "the official suite")
    return target


def _facts(target: Target) -> Facts:
    try:
        on_cpu = default_device.is_on_cpu(target.xp.zeros(1))
    except Exception:  # without this function, a namespace is told by the tests
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


class OfficialLoop(Loop):
    """Runs the suite's tests for a parent; see ``Loop``."""

    layer = "official"
    tests = "the suite"

    def __init__(self, facts: Facts, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._facts = facts

    def about(self, name: str) -> tuple[str, str]:
        return about(name)

    def is_unsupported(self, reason: str) -> bool:
        return "not found in array module" in reason  # an extension

    def judge(self, name: str, error: BaseException) -> Judgement:
        first = next(leaves(error))
        message = message_of(first)
        details = {"message": message, "given": _falsifying(first)}
        reason = defect_of_suite(name, error, self._facts)
        if reason:
            text = short(f"known defect of the suite: {reason} ({message})")
            return "recorded", {**details, "message": text}
        return ("failed" if isinstance(first, AssertionError) else "raised"), details


def _falsifying(error: BaseException) -> str:
    """The input that hypothesis found, which it appends to the error."""
    notes = (str(note) for note in getattr(error, "__notes__", ()))
    return next((short(note) for note in notes if note.startswith(FALSIFYING)), "")


if __name__ == "__main__":
    sys.exit(main())
