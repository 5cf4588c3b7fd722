"""A device that evaluates expressions of the WGSL library's real functions, for tests of those.

It needs NumPy and wgpu only.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

Column = np.ndarray[Any, np.dtype[Any]]

ROOT = Path(__file__).parents[2]
TYPES = {"float32": "f32", "float64": "f64"}

KERNEL = """
@group(0) @binding(0) var<storage, read> parameters: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<REAL>;
@group(0) @binding(2) var<storage, read> y: array<REAL>;
@group(0) @binding(3) var<storage, read_write> result: array<REAL>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    opaque_zero = parameters[0];
    _ = y[0];  // So that all kernels have the same bindings.
    let i = id.x;
    if (i < parameters[1]) {
        result[i] = EXPRESSION;
    }
}
"""
# A fused multiply-add where the device's is none: the product is exact in float64.
EMULATED_FMA = """
fn emulated_fma(a: f32, b: f32, c: f32) -> f32 {
    return f32(f64(a) * f64(b) + f64(c));
}
"""


def _wgsl() -> ModuleType:
    """The loader of the library, without the package's dependencies."""
    path = ROOT / "numr_api" / "_backends" / "webgpu" / "wgsl.py"
    spec = importlib.util.spec_from_file_location("numr_api_wgsl", path)
    assert spec is not None and spec.loader is not None  # noqa: PT018  (for type checkers)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Machine:
    """A device of wgpu, and what it does with a fused multiply-add and with subnormal numbers."""

    def __init__(self, adapter: Any) -> None:
        features = sorted({"shader-f64", "shader-int64"} & set(adapter.features))
        self.has_float64 = "shader-f64" in features
        self.has_float64_functions = len(features) == 2
        self.name = adapter.info["device"]
        self.device = adapter.request_device_sync(required_features=features)
        self.link = _wgsl().link
        self.emulates_fma = False
        self.fma_is_fused = False
        x = np.float32([1 + 2**-12])
        fused = self.evaluate("fma(x[i], x[i], opaque_f32(-opaque_f32(x[i] * x[i])))", x)
        self.fma_is_fused = bool(fused[0])
        self.keeps_subnormal = {
            dtype: self._keeps_subnormal(dtype)
            for dtype in ("float32", "float64")[: 1 + self.has_float64]
        }

    def _keeps_subnormal(self, dtype: str) -> bool:
        smallest = np.array([np.finfo(dtype).smallest_normal], dtype)
        return bool(self.evaluate("x[i] * 0.5", smallest)[0])

    def source(self, expression: str, dtype: str) -> str:
        is_fused = self.fma_is_fused or self.emulates_fma
        own = {"fma_is_fused": f"const fma_is_fused: bool = {str(is_fused).lower()};"}
        kernel = KERNEL.replace("EXPRESSION", expression).replace("REAL", TYPES[dtype])
        text = self.link(kernel, own)
        if self.emulates_fma:
            text = re.sub(r"\bfma\(", "emulated_fma(", text) + EMULATED_FMA
        return text

    def evaluate(self, expression: str, x: Column, y: Column | None = None) -> Column:
        """The values of an expression of ``x[i]`` and ``y[i]``."""
        usage = importlib.import_module("wgpu").BufferUsage
        device = self.device
        module = device.create_shader_module(code=self.source(expression, x.dtype.name))
        pipeline = device.create_compute_pipeline(
            layout="auto", compute={"module": module, "entry_point": "main"}
        )
        y = x if y is None else y
        operands = [np.array([0, x.size, 0, 0], "uint32"), x, y, np.zeros_like(x)]
        buffers = [
            device.create_buffer_with_data(
                data=np.ascontiguousarray(column), usage=usage.STORAGE | usage.COPY_SRC
            )
            for column in operands
        ]
        group = device.create_bind_group(
            layout=pipeline.get_bind_group_layout(0),
            entries=[
                {"binding": i, "resource": {"buffer": buffer, "offset": 0, "size": buffer.size}}
                for i, buffer in enumerate(buffers)
            ],
        )
        encoder = device.create_command_encoder()
        work = encoder.begin_compute_pass()
        work.set_pipeline(pipeline)
        work.set_bind_group(0, group)
        work.dispatch_workgroups(-(-x.size // 64))
        work.end()
        device.queue.submit([encoder.finish()])
        return np.frombuffer(device.queue.read_buffer(buffers[3]), x.dtype)

    def call(self, function: str, operands: list[Column]) -> Column:
        names = ["x[i]", "y[i]"][: len(operands)]
        call = f"{function}_{TYPES[operands[0].dtype.name]}({', '.join(names)})"
        if function == "signbit":
            call = f"select(0.0, 1.0, {call})"
        return self.evaluate(call, *operands)


class NoAdapter(Exception):
    """Why there is no device."""


@cache
def machine() -> Machine:
    try:
        wgpu = importlib.import_module("wgpu")
    except ImportError as error:
        raise NoAdapter(f"wgpu cannot be imported: {error}") from error
    adapters = wgpu.gpu.enumerate_adapters_sync()
    native = [a for a in adapters if a.info["backend_type"] in ("Vulkan", "Metal", "D3D12")]
    if not native:
        raise NoAdapter(f"no Vulkan, Metal or D3D12 among {len(adapters)} adapters")
    # A GPU rather than a software adapter.
    return Machine(min(native, key=lambda a: a.info["adapter_type"] == "CPU"))
