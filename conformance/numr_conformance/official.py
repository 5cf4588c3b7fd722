"""The official suite, array-api-tests: where its checkout is, which revision, running its tests.

The tests run in worker processes (``official_worker``) one by one, as the own checks do, so that
one that hangs or kills its process costs no other test. Nothing is written to the checkout.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from numr_conformance.consumers_ids import PREFIXES as CONSUMERS
from numr_conformance.extension_checks import PREFIX as EXTENSIONS
from numr_conformance.official_ids import PREFIX
from numr_conformance.process import python
from numr_conformance.runner import CannotRun, PytestRunner

COMMIT = "55fcc60179efa2680ddd6cd926ddf17b83530e2b"  # a newer tag fails on devices without float64
STANDARD_COMMIT = "5f847a3858875c682ae901aa22b0413bf24be9da"  # of its submodule
SUBMODULE = "array-api"
EXAMPLES = 50
# The modules that the suite needs, and the packages that bring them.
_NEEDS = {
    "pytest": "pytest",
    "hypothesis": "hypothesis",
    "ndindex": "ndindex",
    "pytest_jsonreport": "pytest-json-report",
}


def cache_folder() -> Path:
    """Where checkouts are looked for that nothing names: in the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "numr-conformance"


def default_folder() -> Path:
    """Where ``numr-conformance fetch`` puts the suite."""
    return cache_folder() / "array-api-tests"


def find_suite(named: Path | None = None) -> Path:
    """The checkout to use: the one named, else that of ARRAY_API_TESTS, else the fetched one.

    Raises:
        CannotRun: there is none, or it lacks its submodule.
    """
    variable = os.environ.get("ARRAY_API_TESTS")
    path = (named or Path(variable or default_folder())).expanduser().resolve()
    if not (path / "array_api_tests").is_dir() or not (path / "conftest.py").is_file():
        source = "" if named else " (of ARRAY_API_TESTS)" if variable else ""
        raise CannotRun(
            f"no checkout of array-api-tests at {path}{source}; get one with "
            "`numr-conformance fetch`, or name one with --suite or ARRAY_API_TESTS"
        )
    if not (path / SUBMODULE / "spec").is_dir():
        raise CannotRun(f"{path} lacks its submodule; run `git -C {path} submodule update --init`")
    return path


def revision(path: Path) -> str:
    """The commit that is checked out in a folder, "unknown" if that cannot be told."""
    # Git would take the revision of a repository around a folder that is none itself.
    if shutil.which("git") is None or not (path / ".git").exists():
        return "unknown"
    command = ["git", "-C", str(path), "rev-parse", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def is_changed(path: Path) -> bool:
    """Whether files under version control differ from the commit."""
    # Without that option, git writes to its index even to show the status.
    command = ["git", "--no-optional-locks", "-C", str(path), "status", "--porcelain",
               "--untracked-files=no", "--ignore-submodules=all"]  # fmt: skip
    if revision(path) == "unknown":
        return False
    return bool(subprocess.run(command, capture_output=True, text=True, check=False).stdout)


def warning(path: Path) -> str:
    """What is to be said about the revision of a checkout, "" if it is the pinned one."""
    found = revision(path)
    submodule = revision(path / SUBMODULE)
    if found != COMMIT:
        return f"array-api-tests is at revision {found[:7]}; results are stated for {COMMIT[:7]}"
    if submodule not in (STANDARD_COMMIT, "unknown"):
        return f"its submodule is at {submodule[:7]}; results are stated for {STANDARD_COMMIT[:7]}"
    return "array-api-tests has local changes" if is_changed(path) else ""


def of_sources(names: Iterable[str], others: Iterable[str]) -> list[str]:
    """The names of checks that are of the same layer, and consumer, as one of the others."""
    sources = set(map(_source, others))
    return [name for name in names if _source(name) in sources]


def _source(name: str) -> str:
    """What a name begins with, "" for that of an own check."""
    return next(filter(name.startswith, (PREFIX, *CONSUMERS, EXTENSIONS)), "")


class OfficialRunner(PytestRunner):
    """Runs the official suite's tests; used like its base class.

    Arguments:
        suite: a checkout; see ``find_suite``.
        functions: a pattern of functions or of test ids.
        examples: how many inputs hypothesis draws for each test.

    Attributes:
        suite: the checkout.
    """

    layer = "official"

    def __init__(
        self,
        namespace: str,
        device: str | None = None,
        *,
        suite: Path,
        functions: str = "*",
        examples: int = EXAMPLES,
        jobs: int = 2,
    ) -> None:
        super().__init__(namespace, device, functions=functions, jobs=jobs)
        self.suite = suite
        self._command = python(
            "numr_conformance.official_worker",
            namespace,
            f"--suite={suite}",
            f"--functions={functions}",
            f"--examples={examples}",
            *([] if device is None else [f"--device={device}"]),
        )

    def __enter__(self) -> Self:
        missing = [package for module, package in _NEEDS.items() if find_spec(module) is None]
        if missing:
            raise CannotRun(f"the official suite needs {', '.join(missing)}; install with pip")
        return super().__enter__()

    def describe(self) -> str:
        """The suite's revision and options, for a report."""
        parts = [revision(self.suite)[:7], self.options, warning(self.suite)]
        return "; ".join(filter(None, parts))
