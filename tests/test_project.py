"""What the project promises about itself: short files, and text whose examples run."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from numr_api import _devices

ROOT = Path(__file__).parent.parent
FOLDERS = ("numr_api", "conformance", "tests", "docs")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
PAGES = sorted((ROOT / "docs" / "pages").rglob("*.md"))
README = ROOT / "README.md"
NEEDED = {"webgpu.md": "webgpu"}  # devices, by pages whose examples use them


def blocks(path: Path, language: str) -> list[str]:
    """The fenced blocks of a Markdown file that are marked with a language."""
    text = path.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_file_has_at_most_500_lines(path: Path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500


def test_readme_example_runs(capsys: pytest.CaptureFixture[str]):
    (example,) = blocks(README, "python")
    exec(compile(example, "README.md", "exec"), {})
    assert "float64" in capsys.readouterr().out  # the refusal that the example prints


@pytest.mark.parametrize("path", [p for p in PAGES if blocks(p, "pycon")], ids=relative)
def test_examples_of_page_run(path: Path):
    needed = NEEDED.get(path.name)
    if needed and not _devices.count(needed):
        reason = _devices.obstacle(needed)
        if needed in os.environ.get("NUMR_API_EXPECT", ""):
            pytest.fail(reason)
        pytest.skip(reason)
    session = "\n".join(blocks(path, "pycon"))
    test = doctest.DocTestParser().get_doctest(session, {}, relative(path), str(path), 0)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    report: list[str] = []
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)


def test_readme_commands_are_the_ones_that_ci_runs():
    listed = subprocess.run(
        ["bash", ROOT / ".ci" / "run", "--commands"], capture_output=True, text=True, check=True
    )
    main_job, tests = listed.stdout.splitlines()
    assert [main_job, tests] == [block.strip() for block in blocks(README, "sh")]
    assert main_job.endswith(" docs/examples/digits.py")
    assert "/pytest" in tests


def test_libraries_that_take_arrays_need_not_be_installed():
    """Tests of numr_api with a library skip themselves without it; what compares is needed."""
    libraries = ["cubed", "einops", "opt_einsum", "pint", "xarray"]
    arguments = ["--collect-only", "-q", "-rs", *(f"tests/test_{name}.py" for name in libraries)]
    code = f"""
import pytest, sys
sys.modules.update(dict.fromkeys({libraries}))
sys.exit(pytest.main({arguments}))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, done.stdout + done.stderr
    for name in libraries:
        assert f"could not import {name!r}" in done.stdout
