"""Which GPUs there are, and what is asked of one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

# What a device is asked for where its adapter has it; everything also works without.
FEATURES = ("shader-f64", "shader-int64", "subgroup")
# Raised from WebGPU's modest defaults to what the adapter offers.
LIMITS = (
    "max-buffer-size",
    "max-storage-buffer-binding-size",
    "max-storage-buffers-per-shader-stage",
    "max-compute-workgroup-storage-size",
    "max-compute-invocations-per-workgroup",
    "max-compute-workgroup-size-x",
    "max-compute-workgroup-size-y",
)
GRAPHICS = ("Vulkan", "Metal", "D3D12", "OpenGL", "OpenGLES")  # the best first
TYPES = ("DiscreteGPU", "IntegratedGPU", "Unknown", "CPU")


@dataclass(frozen=True)
class Adapter:
    """A GPU as one of the machine's graphics APIs offers it.

    Attributes:
        handle: wgpu's.
        name: of the hardware.
        graphics: the graphics API, such as "Vulkan".
        type: "DiscreteGPU", "IntegratedGPU", "CPU" (a software driver) or "Unknown".
        features: those of FEATURES that are used.
    """

    handle: Any
    name: str
    graphics: str
    type: str
    driver: str
    features: frozenset[str]

    @property
    def in_software(self) -> bool:
        """Whether a processor runs the kernels, after a driver has compiled them for long."""
        return self.type == "CPU"

    def open(self) -> Any:
        """wgpu's device."""
        offered: Mapping[str, int] = self.handle.limits
        return self.handle.request_device_sync(
            label=f"numr_api {self.name}",
            required_features=sorted(self.features),
            required_limits={name: offered[name] for name in LIMITS},
        )


def obstacle() -> str:
    """Why there is no adapter, and what would cure it."""
    if find_spec("wgpu") is None:
        return "wgpu is not installed; pip install 'numr-api[webgpu]'"
    wanted = os.environ.get("NUMR_API_WEBGPU_ADAPTER")
    names = ", ".join(adapter.name for adapter in _all())
    if wanted and names:
        return f"no adapter's name contains NUMR_API_WEBGPU_ADAPTER={wanted!r}; there are: {names}"
    return "there is no GPU driver; on Linux without a GPU, mesa-vulkan-drivers has a software one"


@cache
def adapters() -> Sequence[Adapter]:
    """The adapters to use: the best first, and none twice."""
    wanted = os.environ.get("NUMR_API_WEBGPU_ADAPTER", "").lower()
    return [adapter for adapter in _all() if wanted in adapter.name.lower()]


@cache
def _all() -> Sequence[Adapter]:
    if find_spec("wgpu") is None:
        return []
    wgpu: Any = import_module("wgpu")
    found = [_describe(handle) for handle in wgpu.gpu.enumerate_adapters_sync()]
    # OpenGL shows the same hardware a second time, and lacks much.
    modern = [adapter for adapter in found if not adapter.graphics.startswith("OpenGL")]
    return sorted(modern or found, key=_rank)


def forget() -> None:
    """Look anew which adapters there are, when they are asked for next."""
    adapters.cache_clear()
    _all.cache_clear()


def _describe(handle: Any) -> Adapter:
    info = handle.info
    plain = os.environ.get("NUMR_API_WEBGPU_FEATURES", "").strip().lower() == "none"
    return Adapter(
        handle,
        info["device"],
        info["backend_type"],
        info["adapter_type"],
        info["description"],
        frozenset() if plain else frozenset(FEATURES) & frozenset(handle.features),
    )


def _rank(adapter: Adapter) -> tuple[int, int]:
    """Hardware before software, and of that the better graphics API."""
    return _place(TYPES, adapter.type), _place(GRAPHICS, adapter.graphics)


def _place(order: Sequence[str], word: str) -> int:
    return order.index(word) if word in order else len(order)
