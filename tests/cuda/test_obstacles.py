"""Which cuda devices there are, and why there are none; no GPU is needed to find out."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_cupy import Driver, install_cupy, install_driver

import numr_api as xp
from numr_api._backends.cuda import driver as driver_of_cuda
from numr_api.extensions.device import DeviceArch, DeviceProfile, cuda


def devices() -> list[str]:
    return list(xp.__array_namespace_info__().devices())


def refusal() -> str:
    with pytest.raises(ValueError, match="zeros: no device 'cuda:0': ") as caught:
        xp.zeros(1, device="cuda")
    return str(caught.value).partition("'cuda:0': ")[2]


def test_both_gpus_are_listed(fake: Any):
    assert devices() == ["cpu", "cuda:0", "cuda:1"]
    assert xp.zeros(1, device="cuda").device == "cuda:0"
    with pytest.raises(ValueError, match="no device 'cuda:2': there are 2 of this kind"):
        xp.zeros(1, device="cuda:2")


def test_without_cupy(anew: pytest.MonkeyPatch):
    install_driver(anew, Driver())
    anew.setitem(sys.modules, "cupy", None)
    assert devices() == ["cpu"]
    assert refusal().startswith("CuPy is not installed; pip install 'numr-api[cuda]'")


def test_without_a_driver(anew: pytest.MonkeyPatch):
    install_driver(anew, None)
    install_cupy(anew)
    assert devices() == ["cpu"]
    assert "there is no NVIDIA driver" in refusal()


@pytest.mark.parametrize("driver", [Driver(devices=0), Driver(status=100)])
def test_without_a_gpu(anew: pytest.MonkeyPatch, driver: Driver):
    install_driver(anew, driver)
    install_cupy(anew)
    assert devices() == ["cpu"]
    assert "the NVIDIA driver finds no GPU" in refusal()


def test_cupy_that_cannot_be_imported(anew: pytest.MonkeyPatch, tmp_path: Path):
    install_driver(anew, Driver())
    (tmp_path / "cupy.py").write_text("raise ImportError('libcublas.so.13: not found')\n")
    anew.delitem(sys.modules, "cupy", raising=False)
    anew.syspath_prepend(tmp_path)
    assert devices() == ["cpu"]
    reason = refusal()
    assert reason.startswith("CuPy does not work: ImportError: libcublas.so.13: not found")
    assert "pip install" in reason


def test_cupy_that_the_driver_is_too_old_for(anew: pytest.MonkeyPatch, fake: Any):
    def fail() -> int:
        raise RuntimeError("cudaErrorInsufficientDriver: CUDA driver version is insufficient")

    anew.setattr(fake.runtime, "getDeviceCount", fail)
    assert devices() == ["cpu"]
    assert "cudaErrorInsufficientDriver" in refusal()


def test_a_warning_of_cupys_is_no_fault(anew: pytest.MonkeyPatch, tmp_path: Path):
    install_driver(anew, Driver())
    (tmp_path / "cupy.py").write_text(
        "import warnings\nfrom types import SimpleNamespace\n"
        "warnings.warn('two of them', stacklevel=2)\n"
        "cuda = SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=lambda: 1))\n"
    )
    anew.delitem(sys.modules, "cupy", raising=False)
    anew.syspath_prepend(tmp_path)
    anew.setattr(warnings, "filters", [("error", None, Warning, None, 0)])
    with pytest.warns(UserWarning, match="two of them"):
        assert devices() == ["cpu", "cuda:0", "cuda:1"]


def test_the_driver_is_asked_without_cupy(anew: pytest.MonkeyPatch):
    install_driver(anew, Driver())
    anew.setitem(sys.modules, "cupy", None)
    assert cuda.count() == 2
    assert [cuda.product_name(i) for i in range(2)] == ["NVIDIA H200", "NVIDIA H201"]
    assert cuda.total_memory(1) == 2**37


def test_a_profile_is_what_the_driver_tells_once(anew: pytest.MonkeyPatch):
    install_driver(anew, Driver())
    found = driver_of_cuda.profile(0)
    assert (found.backend, found.arch) == ("cuda", DeviceArch.CUDA_HOPPER)
    assert (found.compute_units, found.lane_width, found.max_threads_per_block) == (132, 32, 1024)
    assert (found.shared_memory_per_block, found.shared_memory_per_unit) == (232448, 233472)
    assert found.caps.fp8
    assert driver_of_cuda.profile(0) is found


def test_nothing_is_known_of_a_gpu_where_the_driver_fails(anew: pytest.MonkeyPatch):
    install_driver(anew, Driver(attributes={75: 9}))
    assert driver_of_cuda.profile(0) == driver_of_cuda.profile(7) == DeviceProfile.unknown("cuda")


@pytest.mark.parametrize("driver", [None, Driver(devices=0), object()])
def test_counting_never_raises(anew: pytest.MonkeyPatch, driver: Any):
    install_driver(anew, driver)
    assert cuda.count() == 0
    for query in (cuda.product_name, cuda.total_memory):
        with pytest.raises(ValueError, match="no GPU 0; there are 0"):
            query(0)
        with pytest.raises(TypeError, match="index must be an int"):
            query("0")  # type: ignore[arg-type]


def test_importing_and_listing_need_neither_cupy_nor_a_driver(run_python: Callable[..., str]):
    code = """
import ctypes, sys
def refuse(name, *more, load=ctypes.CDLL):
    if "cuda" in str(name):
        raise OSError(name)
    return load(name, *more)
ctypes.CDLL = refuse
import numr_api as xp
print(*xp.__array_namespace_info__().devices(), "cupy" in sys.modules)
"""
    assert run_python(code, NUMR_API_DEVICES="cpu,cuda") == "cpu False"
