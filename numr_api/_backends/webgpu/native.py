"""What wgpu-py's public API lacks or does slowly, by calls to the library that it wraps.

Nothing else in this package touches wgpu's internals.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

# Without their types, which know nothing of what the library's header declares.
_wrapper: Any = import_module("wgpu.backends.wgpu_native")
_checked: Any = import_module("wgpu.backends.wgpu_native._api").libf  # raises the library's errors
ffi, lib = _wrapper.ffi, _wrapper.lib

# Encoding through the public API costs 8.4 us a dispatch, so 3.0 (measured, lavapipe, 2 cores).
set_pipeline: Callable[..., None] = lib.wgpuComputePassEncoderSetPipeline
dispatch: Callable[..., None] = lib.wgpuComputePassEncoderDispatchWorkgroups
_set_bind_group = lib.wgpuComputePassEncoderSetBindGroup
_offset = ffi.typeof("uint32_t[1]")


def handle(x: Any) -> Any:
    """The library's handle of one of wgpu's objects, which must outlive its use."""
    return x._internal


def dynamic_offset() -> Any:
    """A place for the dynamic offset of ``set_bind_group``."""
    return ffi.new(_offset)


def set_bind_group(compute_pass: Any, bind_group: Any, offset: Any) -> None:
    """Bind group 0, with one dynamic offset."""
    _set_bind_group(compute_pass, 0, bind_group, 1, offset)


def trusted_module(device: Any, label: str, code: str) -> Any:
    """A shader module without runtime checks: neither of indices nor of endless loops.

    All its accesses must be in bounds by construction. Up to 13 times as fast.
    """
    text = code.encode()
    source = ffi.new("WGPUShaderSourceWGSL *")
    source.chain.sType = lib.WGPUSType_ShaderSourceWGSL
    characters = ffi.new("char[]", text)
    source.code.data, source.code.length = characters, len(text)
    descriptor = ffi.new("WGPUShaderModuleDescriptor *")
    descriptor.nextInChain = ffi.addressof(source.chain)
    module = _checked.wgpuDeviceCreateShaderModuleTrusted(device._internal, descriptor, 0)
    return _wrapper.GPUShaderModule(label, module, device)


def wait(device: Any) -> None:
    """Wait until all submitted commands have run; wgpu-py 0.32's own call for it is broken."""
    _checked.wgpuDevicePoll(device._internal, True, ffi.NULL)
