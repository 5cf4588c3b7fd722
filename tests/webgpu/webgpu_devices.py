"""A webgpu device twice: with all features of its adapter, and as a baseline adapter has none."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from numr_api._backends.webgpu import adapters
from numr_api._devices import _backends, device_name

NUMBERS = {"full": 0, "baseline": 100}


@cache
def opened(features: str) -> Any:
    """The backend of the first adapter, one for each way to open it in a process."""
    from numr_api._backends.webgpu.device import WebgpuBackend

    adapter = adapters.adapters()[0]
    if features == "baseline":
        adapter = replace(adapter, features=frozenset())
    device = device_name("webgpu", NUMBERS[features])
    backend = WebgpuBackend(device, adapter)
    _backends[device] = backend  # so that public functions find it by its name
    return backend
