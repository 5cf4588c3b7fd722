"""Fixtures that every test may use."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from webgpu_devices import opened

import numr_api
from numr_api import _devices

pytest_plugins = ["gpu_record"]

# Where it is not set, graphics drivers complain on the standard error of each process.
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())


@pytest.fixture(scope="session")
def xp() -> ModuleType:
    """The namespace under test, by the name that the standard's users give it."""
    return numr_api


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """The three fake devices, listed beside cpu: all dtypes, no float64, nothing of 64 bits."""
    monkeypatch.setenv("NUMR_API_DEVICES", "cpu,fake")
    return "fake:0", "fake:1", "fake:2"


@pytest.fixture(
    params=["cpu", "fake:1", "webgpu:0", pytest.param("cuda:0", marks=pytest.mark.cuda)]
)
def any_device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The cpu, a fake device without float64, and GPUs: any, or a software driver, and NVIDIA's."""
    kind = request.param.partition(":")[0]
    if kind == "fake":
        monkeypatch.setenv("NUMR_API_DEVICES", "cpu,fake")
    require(kind)
    return request.param


@pytest.fixture(
    params=["cpu", "webgpu:0", "webgpu:100", pytest.param("cuda:0", marks=pytest.mark.cuda)]
)
def real_device(request: pytest.FixtureRequest) -> str:
    """The cpu and GPUs; webgpu:100 is the first one as if its adapter had no optional features."""
    require(request.param.partition(":")[0])
    if request.param == "webgpu:100":
        opened("baseline")
    return request.param


def require(kind: str) -> None:
    """Skip the test, or fail if it must not be skipped, unless there is a device of a kind."""
    if not _devices.count(kind):
        reason = _devices.obstacle(kind)
        if kind in os.environ.get("NUMR_API_EXPECT", ""):
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(params=["cpu", "webgpu:0", pytest.param("cuda:0", marks=pytest.mark.cuda)])
def device(request: pytest.FixtureRequest) -> str:
    """Each device that computes the extensions."""
    require(request.param.partition(":")[0])
    return request.param


@pytest.fixture(scope="session")
def run_python() -> Callable[..., str]:
    """A function that runs code in a new Python, and returns what it prints.

    Keyword arguments are environment variables; those of numr_api are not inherited.
    """
    inherited = {k: value for k, value in os.environ.items() if not k.startswith("NUMR_API_")}

    def run(code: str, **environment: str) -> str:
        outcome = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            env={**inherited, **environment},
            cwd=Path(numr_api.__file__).parent.parent,
            capture_output=True,
            text=True,
            check=False,
        )
        return (outcome.stdout + outcome.stderr).strip()

    return run
