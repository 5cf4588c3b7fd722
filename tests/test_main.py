"""``python -m numr_api`` tells which devices there are, and whether they compute rightly."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import numr_api as xp
from numr_api import _devices
from numr_api.__main__ import self_check


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("NUMR_API_")}
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "numr_api", *arguments],
        env={**inherited, **environment},
        cwd=Path(xp.__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )


def test_each_device_kind_is_available_or_has_a_reason() -> None:
    outcome = run()
    assert (outcome.returncode, outcome.stderr) == (0, "")
    for kind in ("cpu", "cuda", "webgpu"):
        assert f"\n{kind}" in outcome.stdout
    cpu = outcome.stdout.partition("\ncpu: available")[2].partition("\n\n")[0]
    for fact in ("driver:", "memory:", "dtypes:", "complex128", "self-check: passed"):
        assert fact in cpu
    assert "fake" not in outcome.stdout


def test_devices_that_the_environment_enables_are_told_and_checked() -> None:
    outcome = run(NUMR_API_DEVICES="fake")
    assert outcome.returncode == 0
    assert outcome.stdout.count("self-check: passed") == 3
    assert "cpu: not available; NUMR_API_DEVICES does not list it" in outcome.stdout


def test_a_default_device_that_is_not_there_is_reported_and_fails() -> None:
    outcome = run(NUMR_API_DEVICE="cuda:7")
    assert outcome.returncode == 1
    assert "NUMR_API_DEVICE: no device 'cuda:7'" in outcome.stdout + outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_help_and_version() -> None:
    assert "devices" in run("--help").stdout
    assert run("--version").stdout.strip() == f"numr_api {xp.__version__}"


def test_the_self_check_finds_a_wrong_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    device = _devices.device_name("cpu", 0)
    assert self_check(device) is None
    right = xp.sum
    monkeypatch.setattr(xp, "sum", lambda x, **options: right(x, **options) + 1)
    assert "not" in str(self_check(device))
