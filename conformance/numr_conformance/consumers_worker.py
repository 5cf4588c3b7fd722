"""The process that runs a consumer's array API tests, with the protocol of ``worker``.

    python -m numr_conformance.consumers_worker NAMESPACE --consumer scipy --scratch DIR [...]

It expects the environment that ``consumers.environment`` describes: SciPy and OpenBLAS read it when
they are imported.
"""

from __future__ import annotations

import os
import random
import re
import sys
import traceback
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from numr_conformance import default_device
from numr_conformance.check import short
from numr_conformance.consumers import is_known
from numr_conformance.consumers_ids import chapter_of, function_of, name_of
from numr_conformance.consumers_library import LIBRARIES, Library
from numr_conformance.pytest_loop import Judgement, Loop, message_of
from numr_conformance.target import Target
from numr_conformance.worker import CannotStart, load_target, private_streams, send

SECONDS = 120.0
# Pytest's plugins are not loaded. SciPy's tests have substitutes for these, if not importable.
ABSENT = ("pytest_fail_slow", "pytest_run_parallel", "pytest_timeout", "scipy_doctest")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests that standard input asks for."""
    options = _parse(arguments)
    requests, replies = private_streams()
    try:
        _prepare(options)
        library = LIBRARIES[options.consumer](options.namespace)
        target, second = _load(options, library)
        loop = ConsumersLoop(
            library, target, requests, replies, selection=options.functions, seconds=SECONDS,
            words=f"{library.title} {library.version}",
        )  # fmt: skip
        files = list(_files(library, set(filter(None, options.parts.split(",")))))
        if not is_known(library.consumer, options.namespace):
            loop.introduce(masquerade=options.masquerade, second_device=second)
    except CannotStart as problem:
        send(replies, {"error": str(problem)})
        return 2
    code = pytest.main(_pytest_arguments(library, files, options.scratch), plugins=[loop])
    if loop.problem:
        problem = f"cannot load the tests of {library.title}: {loop.problem}"
        send(replies, {"error": problem})
    return int(code)  # what else hinders pytest is in its output, which the parent reads


def _parse(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m numr_conformance.consumers_worker")
    parser.add_argument("namespace")
    parser.add_argument("--consumer", choices=LIBRARIES, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--device")
    parser.add_argument("--functions", default="*", metavar="PATTERN")
    parser.add_argument("--parts", default="", help="such as scipy.stats,scipy.fft, or scipy")
    parser.add_argument("--masquerade", action="store_true")
    parser.add_argument("--second-device")
    return parser.parse_args(arguments)


def _prepare(options: Namespace) -> None:
    """What must hold before the namespace, the library and pytest are loaded."""
    sys.dont_write_bytecode = True
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        del os.environ[name]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    if options.consumer == "scipy":
        options.second_device = None  # some tests loop over all devices that are listed
    others = filter(None, ["cpu", options.second_device])
    default_device.choose(options.namespace, options.device, list(others))
    for module in ABSENT:
        sys.modules[module] = None  # type: ignore[assignment] - the documented way
    os.chdir(options.scratch)


def _load(options: Namespace, library: Library) -> tuple[Target, Any]:
    """The namespace, on the device that was named, and the second device."""
    target = load_target(options.namespace, options.device)
    default_device.require(target, library.title)
    if options.second_device is None:
        return target, None
    return target, load_target(options.namespace, options.second_device).device


# --- pytest ---------------------------------------------------------------------------------------


def _files(library: Library, parts: set[str]) -> list[Path]:
    """The test files that are wanted: of some parts of a library, or of all."""
    found: list[Path] = []
    for path in sorted(library.tests.rglob("test_*.py")):
        chapter = chapter_of(name_of(path.relative_to(library.top).as_posix(), ""))
        wanted = not parts or chapter in parts or chapter.partition(".")[0] in parts
        # To read them all takes pytest a minute.
        if wanted and re.search(library.mentioned, path.read_text(encoding="utf-8")):
            found.append(path)
    if not found:
        text = f"of {', '.join(sorted(parts))}" if parts else f"in {library.tests}"
        raise CannotStart(f"there are no array API tests {text}; are they installed?")
    return found


def _pytest_arguments(library: Library, files: Sequence[Path], scratch: Path) -> list[str]:
    """As for a run of the library's own, but that nothing is written beside its files."""
    own = scratch / str(os.getpid())
    own.mkdir()
    return [
        *map(str, files),
        f"--rootdir={library.top}",
        f"--confcutdir={library.top}",
        f"--basetemp={own / 'tmp'}",
        *library.options(own),
        # Rewriting thousands of assertions takes a third of the start, and most say what is wrong.
        "--assert=plain",
        "-pno:cacheprovider",
        "--quiet",
    ]


class ConsumersLoop(Loop):
    """Runs a library's tests for a parent; see ``Loop``."""

    layer = "consumers"

    def __init__(self, library: Library, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.tests = library.title
        self._library = library
        self._names: dict[str, str] = {}
        self._about: dict[str, tuple[str, str]] = {}

    def introduce(self, *, masquerade: bool, second_device: Any) -> None:
        """Make the namespace known, now that the loop has noted its true name and version."""
        how = self._library.introduce(
            self._target, masquerade=masquerade, second_device=second_device
        )
        second = "" if second_device is None else f"; second device {second_device}"
        self._words = f"{self._words}; {how}{second}"

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self._library.choose(items, self._target)

    @pytest.hookimpl(tryfirst=True)  # before fixtures
    def pytest_runtest_setup(self) -> None:
        """Let tests that use no seed draw the same numbers each time, for the same verdict."""
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002 - such tests use this generator

    def name(self, item: pytest.Item) -> str:
        found = self._names.get(item.nodeid)
        if found is None:
            found = self._names[item.nodeid] = self._library.name_of(item.nodeid)
        return found

    def about(self, name: str) -> tuple[str, str]:
        if name not in self._about:
            self._about[name] = chapter_of(name), function_of(name)
        return self._about[name]

    def is_unsupported(self, reason: str) -> bool:
        return "does not support float64" in reason

    def judge(self, name: str, error: BaseException) -> Judgement:
        message = message_of(error)
        if str(error) == "":  # of a plain assert statement
            line = traceback.extract_tb(error.__traceback__)[-1].line
            message = short(f"{message.rstrip(': ')}: {line}")
        # Failed is what pytest.raises and pytest.fail raise.
        wrong = isinstance(error, AssertionError | pytest.fail.Exception)
        return ("failed" if wrong else "raised"), {"message": message}


if __name__ == "__main__":
    sys.exit(main())
