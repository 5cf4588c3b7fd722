"""A real GPU for the tests marked cuda, and a fake one for those of the device's own logic."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import fake_cupy
import fake_kernels
import pytest

from numr_api import _devices
from numr_api._backends import cuda as package
from numr_api._backends.cuda import nvcc

PREFIX = f"{package.__name__}."


def forget() -> None:
    """Find out anew what there is."""
    package.driver.library.cache_clear()
    package.driver.count.cache_clear()
    package.driver.profile.cache_clear()
    package.loading.fault.cache_clear()


def modules_of_cupy() -> dict[str, ModuleType]:
    """What is imported under CuPy's names."""
    return {
        name: module
        for name, module in sys.modules.items()
        if name.partition(".")[0] in ("cupy", "cupyx")
    }


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Nothing is known of drivers and CuPy, neither before the test nor after it."""
    libraries = modules_of_cupy()
    with_cupy = {name for name in sys.modules if name.startswith(PREFIX)}
    kept = {name: sys.modules[name] for name in with_cupy}
    opened = {name: x for name, x in _devices._backends.items() if name.startswith("cuda")}
    # The modules that hold CuPy; the package's attributes are what `from package import` finds.
    for name in with_cupy - {package.driver.__name__, package.loading.__name__}:
        del sys.modules[name]
        delattr(package, name.removeprefix(PREFIX))
    for name in opened:
        del _devices._backends[name]
    monkeypatch.setenv("NUMR_API_DEVICES", "cpu,cuda")
    forget()
    yield monkeypatch
    monkeypatch.undo()
    for name in modules_of_cupy():  # those of a test, which others would take for CuPy
        del sys.modules[name]
    sys.modules.update(libraries)
    forget()
    for name in [name for name in sys.modules if name.startswith(PREFIX)]:
        del sys.modules[name]
        delattr(package, name.removeprefix(PREFIX))
    for name in [name for name in _devices._backends if name.startswith("cuda")]:
        del _devices._backends[name]
    sys.modules.update(kept)
    for name, module in kept.items():
        setattr(package, name.removeprefix(PREFIX), module)
    _devices._backends.update(opened)


@pytest.fixture
def fake(anew: pytest.MonkeyPatch) -> Any:
    """Two GPUs that NumPy plays; ``fake.calls`` tells what waited for them."""
    fake_cupy.install_driver(anew, fake_cupy.Driver())
    fake_cupy.install_cupy(anew)
    fake_cupy.calls.clear()
    fake_cupy.runtime.setDevice(0)
    backend: Any = import_module(f"{PREFIX}backend")
    anew.setattr(backend, "find_kernel", fake_kernels.find_kernel)
    anew.setattr(backend, "FewRows", lambda: lambda x1, x2: None)
    anew.setattr(backend, "Scans", fake_kernels.Scans)
    anew.setattr(backend, "Compaction", fake_kernels.Compaction)
    sorting: Any = import_module(f"{PREFIX}sorting")
    anew.setattr(sorting, "find_kernel", fake_kernels.find_sorting_kernel)
    anew.setattr(sorting, "order_of", fake_kernels.order_of)
    anew.setattr(backend.reductions, "find_kernel", fake_kernels.find_reduction)
    copies: Any = import_module(f"{PREFIX}copies")
    for name in ("find_cast", "find_copy", "find_fill"):
        anew.setattr(copies, name, getattr(fake_kernels, name))
    movement: Any = import_module(f"{PREFIX}movement")
    for name in ("Gathering", "Range"):
        anew.setattr(movement, name, getattr(fake_kernels, name))
    return SimpleNamespace(
        calls=fake_cupy.calls, runtime=fake_cupy.runtime, cupy=sys.modules["cupy"]
    )


@pytest.fixture
def real_nvcc() -> str:
    """CUDA's compiler, which needs the host's; a test without is skipped, or fails if asked for."""
    path = nvcc.find()
    reason = "there is no nvcc"
    if path is not None:
        command = [path, "-x", "cu", "-E", os.devnull]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not done.returncode:
            return path
        reason = f"nvcc does not work: {(done.stderr + done.stdout).strip()}"
    if "nvcc" in os.environ.get("NUMR_API_EXPECT", ""):
        pytest.fail(f"NUMR_API_EXPECT=nvcc, but {reason}")
    pytest.skip(reason)


@pytest.fixture
def gpus() -> int:
    """How many GPUs there are; none is a skipped test, or a failed one if NUMR_API_EXPECT asks."""
    number = _devices.count("cuda")
    if number == 0:
        reason = _devices.obstacle("cuda")
        if "cuda" in os.environ.get("NUMR_API_EXPECT", ""):
            pytest.fail(f"NUMR_API_EXPECT=cuda, but {reason}")
        pytest.skip(reason)
    return number


@pytest.fixture
def cupy(gpus: int) -> Any:
    """The library, where there is a GPU."""
    return pytest.importorskip("cupy")
