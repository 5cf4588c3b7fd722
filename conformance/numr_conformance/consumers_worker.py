"""The process that runs SciPy's or scikit-learn's array API tests, with the protocol of ``worker``.

    python -m numr_conformance.consumers_worker NAMESPACE --consumer scipy --scratch DIR [...]

It expects the environment that ``consumers.environment`` describes: SciPy and OpenBLAS read it when
they are imported.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from numr_conformance import default_device, stand_in
from numr_conformance.check import short
from numr_conformance.consumers import PACKAGES, STRICT, Consumer, is_known, name_in_tests
from numr_conformance.consumers_ids import chapter_of, function_of, name_of
from numr_conformance.pytest_loop import Judgement, Loop, message_of
from numr_conformance.target import Target
from numr_conformance.worker import CannotStart, load_target, private_streams, send

SECONDS = 120.0
TITLES = {"scipy": "SciPy", "sklearn": "scikit-learn"}
# What all files with array API tests contain, and few others: reading them all takes a minute.
MENTIONED = {"scipy": r"\bxp\b", "sklearn": r"yield_namespace|yield_mixed_namespace"}
# Pytest's plugins are not loaded. SciPy's tests have substitutes for these, if not importable.
ABSENT = ("pytest_fail_slow", "pytest_run_parallel", "pytest_timeout", "scipy_doctest")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests that standard input asks for."""
    options = _parse(arguments)
    requests, replies = private_streams()
    try:
        _prepare(options)
        target = _load(options)
        files = list(_files(options))
    except CannotStart as problem:
        send(replies, {"error": str(problem)})
        return 2
    loop = ConsumersLoop(
        options.consumer, target, requests, replies, selection=options.functions, seconds=SECONDS,
        words=_words(options),
    )  # fmt: skip
    if not is_known(options.consumer, options.namespace):
        try:
            loop.put_in_place(masquerade=options.masquerade)
        except CannotStart as problem:
            send(replies, {"error": str(problem)})
            return 2
    code = pytest.main(_pytest_arguments(options, files), plugins=[loop])
    if loop.problem:
        title = TITLES[options.consumer]
        send(replies, {"error": f"cannot load the tests of {title}: {loop.problem}"})
    return int(code)  # what else hinders pytest is in its output, which the parent reads


def _parse(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m numr_conformance.consumers_worker")
    parser.add_argument("namespace")
    parser.add_argument("--consumer", choices=TITLES, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--device")
    parser.add_argument("--functions", default="*", metavar="PATTERN")
    parser.add_argument("--parts", default="", help="such as scipy.stats,scipy.fft")
    parser.add_argument("--masquerade", action="store_true")
    return parser.parse_args(arguments)


def _prepare(options: Namespace) -> None:
    """What must hold before the namespace, the library and pytest are loaded."""
    sys.dont_write_bytecode = True
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        del os.environ[name]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    default_device.choose(options.namespace, options.device, others=("cpu",))
    for module in ABSENT:
        sys.modules[module] = None  # type: ignore[assignment] - the documented way
    os.chdir(options.scratch)


def _load(options: Namespace) -> Target:
    """The namespace, on the device that was named."""
    target = load_target(options.namespace, options.device)
    default_device.require(target, TITLES[options.consumer])
    return target


def _words(options: Namespace) -> str:
    """What is run, for a report."""
    consumer, namespace = options.consumer, options.namespace
    version = f"{TITLES[consumer]} {metadata.version(PACKAGES[consumer])}"
    if is_known(consumer, namespace):
        return version
    how = "under the name" if options.masquerade else "under its own name, in the place"
    return f"{version}; {namespace} {how} of {STRICT}"


# --- pytest ---------------------------------------------------------------------------------------


def _root(consumer: str) -> Path:
    """The folder of a library."""
    spec = find_spec(consumer)
    if spec is None or spec.origin is None:
        raise CannotStart(f"{TITLES[consumer]} is not installed")
    return Path(spec.origin).parent


def _files(options: Namespace) -> list[Path]:
    """The test files that are wanted."""
    root = _root(options.consumer)
    parts: set[str] = set(options.parts.split(",")) - {""}
    found: list[Path] = []
    for path in sorted(root.rglob("test_*.py")):
        name = name_of(path.relative_to(root.parent).as_posix(), "")
        if (not parts or chapter_of(name) in parts) and re.search(
            MENTIONED[options.consumer], path.read_text(encoding="utf-8")
        ):
            found.append(path)
    if not found:
        text = f"of {', '.join(sorted(parts))}" if parts else f"in {root}"
        raise CannotStart(f"there are no array API tests {text}; are they installed?")
    return found


def _pytest_arguments(options: Namespace, files: Sequence[Path]) -> list[str]:
    """As for a run of the library's own, but that nothing is written beside its files."""
    configuration: Path = options.scratch / f"{os.getpid()}.ini"
    configuration.write_text("[pytest]\n", encoding="utf-8")
    name = name_in_tests(options.consumer, options.namespace)
    chosen = ["-marray_api_backends"] if options.consumer == "scipy" else [f"-k{name}"]
    root = _root(options.consumer).parent
    return [
        *map(str, files),
        f"--config-file={configuration}",
        f"--rootdir={root}",
        f"--confcutdir={root}",
        f"--basetemp={options.scratch / f'{os.getpid()}.tmp'}",
        *chosen,
        # Rewriting thousands of assertions takes a third of the start, and most say what is wrong.
        "--assert=plain",
        "-pno:cacheprovider",
        "-Wignore",
        "--quiet",
    ]


class ConsumersLoop(Loop):
    """Runs a library's tests for a parent; see ``Loop``."""

    layer = "consumers"

    def __init__(self, consumer: Consumer, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.tests = TITLES[consumer]
        self._consumer = consumer
        self._known_as = name_in_tests(consumer, self._target.name)
        self._names: dict[str, str] = {}
        self._about: dict[str, tuple[str, str]] = {}

    def put_in_place(self, *, masquerade: bool) -> None:
        """See ``stand_in``; only now, since the version that the loop tells is the true one."""
        stand_in.put_in_place(self._target, masquerade=masquerade)
        if self._consumer == "sklearn":
            stand_in.let_sklearn_use_the_default_device()

    def pytest_collection_modifyitems(self) -> None:
        conftest = sys.modules.get("scipy.conftest")  # loaded by pytest, so not earlier
        if conftest is not None and self._target.xp is sys.modules.get(STRICT):
            stand_in.let_scipy_know(conftest, self._target.xp)

    def name(self, item: pytest.Item) -> str:
        found = self._names.get(item.nodeid)
        if found is None:
            found = self._names[item.nodeid] = name_of(item.nodeid, self._known_as)
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
