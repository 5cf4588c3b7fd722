"""A webgpu device twice: with all features of its adapter, and as a baseline adapter has none."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from numr_api._backends.webgpu import adapters
from numr_api._declare import wrap
from numr_api._devices import _backends, array_type, device_name
from numr_api._dtypes import BY_NUMPY


@cache
def opened(features: str) -> Any:
    """The backend of the first adapter, one for each way to open it in a process."""
    from numr_api._backends.webgpu.device import WebgpuBackend

    adapter = adapters.adapters()[0]
    if features == "baseline":
        adapter = replace(adapter, features=frozenset())
    device = device_name("webgpu", 0 if features == "full" else 100)
    backend = WebgpuBackend(device, adapter)
    _backends[device] = backend  # so that public functions find it by its name
    return backend


@pytest.fixture(params=["full", "baseline"])
def backend(request: pytest.FixtureRequest) -> Any:
    if find_spec("wgpu") is None or not adapters.adapters():
        reason = adapters.obstacle()
        if "webgpu" in os.environ.get("NUMR_API_EXPECT", ""):
            pytest.fail(f"NUMR_API_EXPECT=webgpu, but {reason}")
        pytest.skip(reason)
    return opened(request.param)


@pytest.fixture
def put(backend: Any) -> Callable[[Any], Any]:
    """Make a numr_api array on the device from a NumPy array of one of the device's dtypes."""

    def make(host: Any) -> Any:
        host = np.asarray(host)
        dtype = BY_NUMPY[host.dtype]
        return wrap(backend.from_host(host, None), array_type(dtype, backend))

    return make


@pytest.fixture
def get(backend: Any) -> Callable[[Any], Any]:
    """Read a numr_api array from the device, not from what the host remembers of it."""

    def read(x: Any) -> Any:
        x._data.mirror = None
        return backend.to_host(x._data)

    return read
