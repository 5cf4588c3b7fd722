"""Get the official suite: its git repository with the submodule, at the pinned commits."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from numr_conformance import official

URL = "https://github.com/data-apis/array-api-tests"
SECONDS = 900.0  # for one command of git


class CannotFetch(Exception):
    """The suite cannot be fetched."""


def fetch(url: str = URL, folder: Path | None = None) -> tuple[Path, bool]:
    """Clone the suite into a folder, unless it is there already.

    Arguments:
        url: of the suite's repository. Its submodule comes from where the repository says.
        folder: where to put it; the user's cache by default.

    Returns:
        The folder, and whether it was fetched now.

    Raises:
        CannotFetch: git or the network is missing, or something else is in the folder.
    """
    folder = folder or official.default_folder()
    if folder.exists():
        _accept(folder)
        return folder, False
    if shutil.which("git") is None:
        raise CannotFetch(
            f"git is not installed; without it, get {url} at commit {official.COMMIT[:7]} with "
            "its submodule in another way and name the folder with --suite"
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Made beside it and then renamed, so that what was interrupted is not taken for a checkout.
        with TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as scratch:
            clone = Path(scratch) / folder.name
            _clone(url, clone)
            clone.rename(folder)
    except OSError as error:
        raise CannotFetch(f"cannot write to {folder}: {error.strerror}") from error
    return folder, True


def _accept(folder: Path) -> None:
    """Leave a checkout of the right revision alone, and refuse to touch anything else."""
    try:
        official.find_suite(folder)
    except official.CannotRun as problem:
        raise CannotFetch(
            f"{folder} is no complete checkout of array-api-tests; move it away to fetch one"
        ) from problem
    problem = official.warning(folder)
    if problem:
        raise CannotFetch(f"{folder}: {problem}; move it away to fetch that revision")


def _clone(url: str, clone: Path) -> None:
    _git(["clone", "--quiet", "--no-checkout", "--", url, str(clone)], f"clone {url}")
    within = ["-C", str(clone)]
    _git([*within, "checkout", "--quiet", "--detach", official.COMMIT], "check out the commit")
    update = ["submodule", "--quiet", "update", "--init", official.SUBMODULE]
    _git([*within, *update], f"get the submodule {official.SUBMODULE}")
    problem = official.warning(clone)
    if problem:
        raise CannotFetch(f"what came from {url} is not what is needed: {problem}")


def _git(arguments: list[str], purpose: str) -> None:
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}  # ask for no password
    try:
        done = subprocess.run(
            ["git", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=environment,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CannotFetch(f"git did not {purpose} within {SECONDS:.0f} s") from error
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        reason = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1])
        raise CannotFetch(
            f"git could not {purpose}: {reason} (is there a network? --from takes another URL "
            "or a local repository)"
        )
