"""Fixtures of tests that look at a webgpu device's backend."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from webgpu_devices import opened

from numr_api._backends.webgpu import adapters
from numr_api._declare import wrap
from numr_api._devices import array_type
from numr_api._dtypes import BY_NUMPY


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
