"""`numr-conformance fetch` on a local repository that looks like the official suite's."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from numr_conformance import fetch, official
from numr_conformance.cli import main

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bare repository of the small suite, with its submodule and a newer commit."""
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "file")  # Git refuses local submodules otherwise
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    standard, suite = tmp_path / "standard", tmp_path / "suite"
    for path in (
        standard / "spec" / "README",
        suite / "conftest.py",
        suite / "array_api_tests" / "__init__.py",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    for folder in (standard, suite):
        git(folder, "init", "--quiet")
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "-m", "first")
    git(suite, "submodule", "--quiet", "add", str(standard), "array-api")
    git(suite, "commit", "--quiet", "-m", "submodule")
    monkeypatch.setattr(official, "COMMIT", git(suite, "rev-parse", "HEAD"))
    monkeypatch.setattr(official, "STANDARD_COMMIT", git(standard, "rev-parse", "HEAD"))
    git(suite, "commit", "--quiet", "--allow-empty", "-m", "newer")
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(suite), str(bare))
    return bare


def test_fetch(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fetch", "--from", str(repository)]) == 0
    folder = official.default_folder()
    assert official.find_suite() == folder
    assert official.revision(folder) == official.COMMIT
    assert official.warning(folder) == ""
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert f"fetched {folder}" in capsys.readouterr().out
    # A right checkout is left alone: nothing is asked of the repository.
    assert main(["fetch", "--from", "/nowhere"]) == 0
    assert "right revision already" in capsys.readouterr().out
    # Another one is not touched either.
    (folder / "conftest.py").write_text("changed")
    assert main(["fetch", "--from", str(repository)]) == 2
    assert "local changes" in capsys.readouterr().err
    git(folder, "checkout", "--quiet", "--force", "HEAD~1")
    assert main(["fetch", "--from", str(repository)]) == 2
    assert "results are stated for" in capsys.readouterr().err


def test_fetch_without_a_repository_or_git(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fetch", "--from", f"{repository}-not"]) == 2
    assert "is there a network?" in capsys.readouterr().err
    monkeypatch.setattr(official, "COMMIT", "0" * 40)
    assert main(["fetch", "--from", str(repository)]) == 2
    assert "could not check out the commit" in capsys.readouterr().err
    folder = official.default_folder()
    assert list(folder.parent.iterdir()) == []  # nothing is left behind
    monkeypatch.setattr(fetch.shutil, "which", lambda name: None)
    assert main(["fetch"]) == 2
    assert "git is not installed" in capsys.readouterr().err
    folder.mkdir()
    assert main(["fetch"]) == 2
    assert "move" in capsys.readouterr().err
