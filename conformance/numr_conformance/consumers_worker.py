"""The process that runs a consumer's array API tests, with the protocol of ``worker``.

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
from numr_conformance.consumers import (
    PACKAGES,
    STRICT,
    Consumer,
    checkout,
    is_known,
    name_in_tests,
)
from numr_conformance.consumers_ids import OUTSIDE, chapter_of, function_of, name_of
from numr_conformance.official import revision
from numr_conformance.pytest_loop import Judgement, Loop, message_of
from numr_conformance.target import Target
from numr_conformance.worker import CannotStart, load_target, private_streams, send

SECONDS = 120.0
TITLES = {"scipy": "SciPy", "sklearn": "scikit-learn", "array_api_extra": "array-api-extra"}
# What all files with array API tests contain, and few others: reading them all takes a minute.
MENTIONED = {
    "scipy": r"\bxp\b",
    "sklearn": r"yield_namespace|yield_mixed_namespace",
    "array_api_extra": r"\bxp\b",
}
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
            loop.introduce(options)
        except CannotStart as problem:
            send(replies, {"error": str(problem)})
            return 2
    code = pytest.main(_pytest_arguments(options, files, loop.known_as), plugins=[loop])
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
    if options.consumer == "array_api_extra":
        sys.path.insert(0, str(_root(options.consumer) / "src"))
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
    if consumer == "array_api_extra":
        version = f"{TITLES[consumer]} {revision(_root(consumer))[:7]}"
    else:
        version = f"{TITLES[consumer]} {metadata.version(PACKAGES[consumer])}"
    if is_known(consumer, namespace):
        return version
    if options.masquerade:
        how = f"under the name of {STRICT}"
    elif consumer == "sklearn":
        how = "under its own name"
    else:
        how = f"under its own name, in the place of {STRICT}"
    second = f"; second device {options.second_device}" if options.second_device else ""
    return f"{version}; {namespace} {how}{second}"


# --- pytest ---------------------------------------------------------------------------------------


def _root(consumer: str) -> Path:
    """The folder of a library: of its package, or of its checkout."""
    if consumer == "array_api_extra":
        found = checkout()
        assert found is not None  # the parent has found it
        return found
    spec = find_spec(consumer)
    if spec is None or spec.origin is None:
        raise CannotStart(f"{TITLES[consumer]} is not installed")
    return Path(spec.origin).parent


def _files(options: Namespace) -> list[Path]:
    """The test files that are wanted."""
    root = _root(options.consumer)
    top, tests = _top(options.consumer), root
    if options.consumer == "array_api_extra":
        tests = root / OUTSIDE
    parts: set[str] = set(options.parts.split(",")) - {""}
    found: list[Path] = []
    for path in sorted(tests.rglob("test_*.py")):
        name = name_of(path.relative_to(top).as_posix(), "")
        chapter = chapter_of(name)
        wanted = not parts or chapter in parts or chapter.partition(".")[0] in parts
        if wanted and re.search(MENTIONED[options.consumer], path.read_text(encoding="utf-8")):
            found.append(path)
    if not found:
        text = f"of {', '.join(sorted(parts))}" if parts else f"in {root}"
        raise CannotStart(f"there are no array API tests {text}; are they installed?")
    return found


def _top(consumer: str) -> Path:
    """The folder in which the ids of tests begin."""
    root = _root(consumer)
    return root if consumer == "array_api_extra" else root.parent


def _pytest_arguments(options: Namespace, files: Sequence[Path], known_as: str) -> list[str]:
    """As for a run of the library's own, but that nothing is written beside its files."""
    root = _top(options.consumer)
    configuration: Path = options.scratch / f"{os.getpid()}.ini"
    configuration.write_text("[pytest]\n", encoding="utf-8")
    own = ["-Wignore"]
    if options.consumer == "scipy":
        own.append("-marray_api_backends")
    elif options.consumer == "sklearn":
        own.append(f"-k{known_as}")
    else:  # its tests are of warnings, too
        configuration, own = root / "pyproject.toml", []
    return [
        *map(str, files),
        f"--config-file={configuration}",
        f"--rootdir={root}",
        f"--confcutdir={root}",
        f"--basetemp={options.scratch / f'{os.getpid()}.tmp'}",
        *own,
        # Rewriting thousands of assertions takes a third of the start, and most say what is wrong.
        "--assert=plain",
        "-pno:cacheprovider",
        "--quiet",
    ]


class ConsumersLoop(Loop):
    """Runs a library's tests for a parent; see ``Loop``.

    Attributes:
        known_as: the name of the namespace in the parameters of the tests.
    """

    layer = "consumers"

    def __init__(self, consumer: Consumer, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.tests = TITLES[consumer]
        self._consumer = consumer
        self.known_as = name_in_tests(consumer, self._target.name)
        self._names: dict[str, str] = {}
        self._about: dict[str, tuple[str, str]] = {}

    def introduce(self, options: Namespace) -> None:
        """See ``stand_in``; only now, since the version that the loop tells is the true one."""
        target, masquerade, second = self._target, options.masquerade, options.second_device
        if self._consumer == "sklearn" and not masquerade:
            stand_in.let_sklearn_know(target, second)
            self.known_as = target.xp.__name__
            return
        stand_in.put_in_place(target, masquerade=masquerade, second_device=second)
        if self._consumer == "sklearn":
            stand_in.let_sklearn_use_the_default_device(always=second is None)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        conftest = sys.modules.get("scipy.conftest")  # loaded by pytest, so not earlier
        if conftest is not None and self._target.xp is sys.modules.get(STRICT):
            stand_in.let_scipy_know(conftest, self._target.xp)
        if self._consumer == "array_api_extra":
            items[:] = [item for item in items if self._library_of(item) == self.known_as]

    @staticmethod
    def _library_of(item: pytest.Item) -> str:
        """The namespace that array-api-extra runs a test with, "" if it is always the same."""
        parameters: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
        return str(getattr(parameters.get("library"), "value", ""))

    def name(self, item: pytest.Item) -> str:
        found = self._names.get(item.nodeid)
        if found is None:
            # array-api-extra calls jax.numpy jax.
            written = self.known_as
            if self._consumer == "array_api_extra":
                written = written.partition(".")[0]
            found = self._names[item.nodeid] = name_of(item.nodeid, written)
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
