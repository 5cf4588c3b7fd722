"""Runs WGSL expressions over NumPy arrays, so that tests see single functions of the library."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np
import pytest

from numr_api._backends.webgpu.wgsl import link

TYPES = {"int32": "i32", "uint32": "u32", "float32": "f32", "int64": "i64", "uint64": "u64"}
NATIVE_64 = "shader-int64"
WORKGROUP = 64


@cache
def device() -> Any:
    """The first Vulkan adapter's device, with 64-bit integers if the adapter has them."""
    try:
        import wgpu

        adapters = wgpu.gpu.enumerate_adapters_sync()
    except (ImportError, RuntimeError) as error:
        return _absent(f"wgpu does not work here: {error}")
    for adapter in adapters:
        if adapter.info["backend_type"] == "Vulkan":
            features = [NATIVE_64] if NATIVE_64 in adapter.features else []
            return adapter.request_device_sync(required_features=features)
    return _absent("there is no Vulkan adapter")


def _absent(reason: str) -> None:
    if "webgpu" in os.environ.get("NUMR_API_EXPECT", ""):
        pytest.fail(reason)
    pytest.skip(reason)


def evaluate(
    expression: str,
    *operands: np.ndarray[Any, Any],
    dtype: Any,
    native: bool = False,
) -> np.ndarray[Any, Any]:
    """The values of a WGSL expression of ``x``, ``y`` and ``z``, the operands' elements.

    Arguments:
        expression: may name any function of the library.
        operands: one to three arrays of one length; int64 and uint64 are pairs of words.
        dtype: of the result; of a condition, bool.
        native: whether int64 and uint64 are i64 and u64 instead.
    """
    import wgpu

    size = operands[0].size
    stored = np.dtype(np.uint32 if dtype is bool else dtype)
    binding = "@group(0) @binding({}) var<storage, {}> {}: array<{}>;"
    lines = [binding.format(0, "read_write", "results", _type(stored, native))]
    lines += [
        binding.format(k, "read", f"operand_{name}", _type(operand.dtype, native))
        for k, (name, operand) in enumerate(zip("xyz", operands, strict=False), start=1)
    ]
    value = f"u32({expression})" if dtype is bool else expression
    lines += [
        f"@compute @workgroup_size({WORKGROUP})",
        "fn main(@builtin(global_invocation_id) id: vec3<u32>) {",
        f"    if id.x >= {size}u {{ return; }}",
        *(f"    let {n} = operand_{n}[id.x];" for n, _ in zip("xyz", operands, strict=False)),
        f"    results[id.x] = {value};",
        "}",
    ]
    gpu = device()
    module = gpu.create_shader_module(code=link("\n".join(lines)))
    pipeline = gpu.create_compute_pipeline(
        layout="auto", compute={"module": module, "entry_point": "main"}
    )
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    results = gpu.create_buffer(size=size * stored.itemsize, usage=usage)
    buffers = [results, *(gpu.create_buffer_with_data(data=x, usage=usage) for x in operands)]
    group = gpu.create_bind_group(
        layout=pipeline.get_bind_group_layout(0),
        entries=[{"binding": k, "resource": {"buffer": b}} for k, b in enumerate(buffers)],
    )
    encoder = gpu.create_command_encoder()
    calls = encoder.begin_compute_pass()
    calls.set_pipeline(pipeline)
    calls.set_bind_group(0, group)
    calls.dispatch_workgroups(-(-size // WORKGROUP))
    calls.end()
    gpu.queue.submit([encoder.finish()])
    found = np.frombuffer(gpu.queue.read_buffer(results), stored)
    return found.astype(bool) if dtype is bool else found


def _type(dtype: np.dtype[Any], native: bool) -> str:
    return "vec2<u32>" if dtype.itemsize == 8 and not native else TYPES[dtype.name]
