"""The webgpu backend: families of operations by kernels of our own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api import _dtypes
from numr_api._backends.array_library import DEFAULT_DTYPES
from numr_api._backends.webgpu import (
    adapters,
    creation,
    data as views,
    elementwise,
    facts,
    fourier,
    linear_algebra,
    movement,
    packed,
    padding,
    repetition,
    rows,
    searching,
    selection,
    snake,
    sorting,
    transposition,
    walsh_hadamard,
    wgsl,
)
from numr_api._backends.webgpu.data import Strided
from numr_api._backends.webgpu.expressions import CLIP, EXPRESSIONS, expression
from numr_api._backends.webgpu.expressions_activation import ACTIVATIONS, WITH_TWO_RESULTS
from numr_api._backends.webgpu.faults import SIZE, Faults
from numr_api._backends.webgpu.moments import Moments
from numr_api._backends.webgpu.products import Products
from numr_api._backends.webgpu.reductions import Reduction
from numr_api._backends.webgpu.scans import Scans
from numr_api._backends.webgpu.types import types_of
from numr_api._devices import MemoryStatistics, forget
from numr_api._dlpack import exported
from numr_api._dtypes import DType
from numr_api._errors import Unsupported
from numr_api._profiles import DeviceArch, DeviceProfile
from numr_api._rounding import scalar

if TYPE_CHECKING:
    import numpy.typing as npt

    from numr_api._backends import Axes, Data, Kernel, Scalar, Shape
    from numr_api._backends.webgpu.adapters import Adapter
    from numr_api._backends.webgpu.gpu import Program
    from numr_api._devices import Device

# DLPack's numbers of graphics APIs; its kDLWebGPU (15) is for buffers that a browser shares.
DLPACK_KINDS = {"Metal": 8}
VULKAN = 7
MIRRORED = 1 << 14  # bytes of an array that is kept on the host as well once it was read

ROUTINES: dict[str, Callable[..., Any]] = {
    **creation.ROUTINES,
    **fourier.ROUTINES,
    **linear_algebra.ROUTINES,
    **padding.ROUTINES,
    **rows.ROUTINES,
    **walsh_hadamard.ROUTINES,
    **searching.ROUTINES,
    **snake.ROUTINES,
}


class WebgpuBackend:
    """A GPU; data is ``Strided``."""

    storage = Strided

    def __init__(self, device: Device, adapter: Adapter) -> None:
        from numr_api._backends.webgpu.gpu import Gpu

        self.device = device
        self.gpu = Gpu(adapter)
        self.gpu.on_loss = self._on_loss
        self.faults = Faults(self.gpu)
        self._compiled: dict[tuple[Any, ...], Program] = {}
        self._remembered: dict[Any, Any] = {}
        self.least_transposed = transposition.NEVER if adapter.in_software else transposition.LEAST
        self.types = types_of(frozenset())  # enough to find out about the device
        self.default_dtypes: Mapping[str, DType] = {
            **DEFAULT_DTYPES,
            "real floating-point": _dtypes.float32,
            "complex floating-point": _dtypes.complex64,
        }
        self.dlpack_device = (DLPACK_KINDS.get(adapter.graphics, VULKAN), device.number)
        self._constants: dict[str, str] = {}
        self.facts = facts.probe(self)
        if not self.facts["divides_int64"]:
            adapter = replace(adapter, features=adapter.features - {"shader-int64"})
        self.features = adapter.features  # those that are used
        self.types = types_of(self.features)
        self.dtypes = frozenset(self.types)
        # Kernels that need one of them name it.
        self._constants = {name: f"const {name} = {str(holds).lower()};"
                           for name, holds in self.facts.items()}  # fmt: skip
        self.products = Products(self)
        self._scans = Scans(self)
        self.shortcuts = Moments(self).shortcuts
        self._fillings: dict[DType, elementwise.Kernel] = {}
        self._copies: dict[tuple[DType, DType], elementwise.Kernel] = {}

    def describe(self) -> Mapping[str, str]:
        adapter, memory = self.gpu.adapter, self.gpu.memory.statistics
        return {
            "driver": f"{adapter.graphics}, {adapter.driver}",
            "hardware": f"{adapter.name} ({adapter.type})",
            "features": ", ".join(sorted(self.features)) or "baseline",
            "memory": f"{memory.reserved / 2**20:.0f} MiB reserved",
        }

    def profile(self) -> DeviceProfile:
        """WebGPU tells limits, but not how many processors there are."""
        least, most = facts.subgroups_of(self.gpu.adapter)
        return DeviceProfile(
            "webgpu",
            DeviceArch.WEBGPU,
            shared_memory_per_block=self.gpu.most_storage,
            max_threads_per_block=self.gpu.most_threads,
            lane_width=least if least == most else 0,
        )

    def synchronize(self) -> None:
        with self.gpu.lock:
            self.gpu.wait()
            if self.faults.pending:
                self.faults.look(self.gpu.read(self.faults.block, 0, SIZE))

    def memory(self) -> MemoryStatistics:
        with self.gpu.lock:
            found = self.gpu.memory.current()
        return MemoryStatistics(found.used, found.peak, found.reserved)

    def _on_loss(self) -> None:
        adapters.forget()
        forget(self)

    def program(self, label: str, source: str, bindings: int) -> Program:
        """The compiled form of a kernel with the library's functions that it names."""
        return self.gpu.program(label, wgsl.link(source, self._constants), bindings)

    def compiled(
        self, key: tuple[Any, ...], label: str, bindings: int, source: Callable[[], str]
    ) -> Program:
        """The program of a key; its source is made once."""
        found = self._compiled.get(key)
        if found is None:
            found = self._compiled[key] = self.program(label, source(), bindings)
        return found

    def remembered(self, key: Any, make: Callable[[], Any]) -> Any:
        """What belongs to a key; it is made once."""
        if key not in self._remembered:
            self._remembered[key] = make()
        return self._remembered[key]

    # Exchange with the host

    def from_host(self, array: npt.NDArray[Any], copy: bool | None) -> Data:
        if copy is False:
            raise ValueError(f"{self.device} cannot share memory with the host")
        dtype = _dtypes.BY_NUMPY[array.dtype]
        host = np.ascontiguousarray(array).reshape(array.shape)
        with self.gpu.lock:
            data = self.empty(array.shape, dtype)
            self.gpu.write(data.block, host)
        if host.nbytes <= MIRRORED:
            data.mirror = (data.block.version, host.copy())
        return data

    def to_host(self, data: Strided) -> npt.NDArray[Any]:
        if data.mirror is not None and data.mirror[0] == data.block.version:
            mirror: npt.NDArray[Any] = data.mirror[1]
            return mirror.copy()
        dtype = data.dtype.__numpy_dtype__
        if data.size == 0:
            if self.faults.pending:
                self.synchronize()
            return np.empty(data.shape, dtype)
        with self.gpu.lock:
            if not data.is_contiguous:
                return self.to_host(self.copy(data))
            start = data.offset * dtype.itemsize - data.block.offset
            size = data.size * dtype.itemsize
            if self.faults.pending:
                raw = self.gpu.read(data.block, start, size, self.faults.block)
                self.faults.look(raw[size:])
            else:
                raw = self.gpu.read(data.block, start, size)
            host = raw[:size].view(dtype).reshape(data.shape)
            if host.nbytes <= MIRRORED:
                data.mirror = (data.block.version, host.copy())
        return host

    def copy(self, data: Data) -> Data:
        return self.cast(data, data.dtype)

    def export(
        self, data: Data, *, stream: Any, max_version: Any, dl_device: Any, copy: bool | None
    ) -> Any:
        if dl_device is None or tuple(dl_device) != (1, 0) or copy is False:
            raise BufferError(
                f"__dlpack__: arrays on {self.device} can only be copied to the cpu; "
                "ask for dl_device=(1, 0)"
            )
        return exported(self.to_host(data), max_version=max_version)

    # Element by element

    def elementwise(
        self, operation: str, operands: tuple[DType | type, ...], dtype: DType, result: DType
    ) -> Kernel:
        if operation in ("real", "imag") and dtype.kind == "c":
            return views.real if operation == "real" else views.imag
        if operation == "real":
            return views.same
        types = [self.types[x] if isinstance(x, DType) else None for x in operands]
        promoted = [self.types[dtype]] * len(operands)
        if operation == "where":
            promoted[0] = self.types[_dtypes.bool]
        if operation in ACTIVATIONS and promoted[0].compute == "f32":
            promoted = [self.types[_dtypes.float32]] * len(operands)
        if operation == "clip":
            given = [x is not type(None) for x in operands]
            row = CLIP[given[1], given[2]]
            types = [t for t, has in zip(types, given, strict=True) if has]
            promoted = promoted[: len(types)]
        else:
            row = EXPRESSIONS.get(operation)
            if row is None:
                raise Unsupported(f"{operation} on {self.device}")
        text = expression(row, promoted[-1].kind)
        if text is None:
            raise Unsupported(f"{dtype} on {self.device}")
        text = text.replace("{t}", promoted[-1].suffix).replace("{g}", promoted[-1].grid)
        body = f"return {text};"
        results = 2 if operation in WITH_TWO_RESULTS else 1
        return elementwise.Kernel(self, operation, body, types, promoted, result, results)

    def launch(self, kernel: Kernel, /, *operands: Data | Scalar | None, out: Data = None) -> Data:
        return kernel(*operands, out=out) if out is not None else kernel(*operands)

    launch_checked = launch

    def adopt(self, raw: Any) -> Data:
        return raw

    def writable(self, data: Data) -> Data:
        return self.copy(data) if data.overlaps_itself else data

    def cast(self, data: Data, dtype: DType) -> Data:
        if not data.is_contiguous and data.size >= self.least_transposed:
            kinds = self.types[data.dtype], self.types[dtype]
            if data.dtype is dtype:
                kinds = movement.bits_of(data), movement.bits_of(data)
            found = transposition.copy(self, data, dtype, kinds)
            if found is not None:
                return found
        return self._converting(data.dtype, dtype)(data)

    def copy_to(self, source: Strided, target: Strided) -> None:
        """Write to a target of the source's shape and dtype; they share no memory."""
        kind = movement.bits_of(target)
        if packed.applies(target, kind):
            with self.gpu.lock:
                packed.copy(self, source, target, kind)
        else:
            self._converting(source.dtype, target.dtype)(source, out=target)

    def _converting(self, source: DType, target: DType) -> elementwise.Kernel:
        if (source, target) not in self._copies:
            stored, wanted = self.types[source], self.types[target]
            self._copies[source, target] = elementwise.Kernel(
                self, "copy" if source is target else "astype", "return a;",
                [stored], [wanted], target,
            )  # fmt: skip
        return self._copies[source, target]

    # Destinations

    def is_contiguous(self, data: Data) -> bool:
        return data.is_contiguous

    def overlap(self, data: Data, other: Data) -> bool:
        return views.may_overlap(data, other)

    # Along axes

    def reduction(self, operation: str, dtype: DType, result: DType) -> Kernel:
        return Reduction(self, operation, dtype, result)

    def scan(self, operation: str, data: Data, axis: int, dtype: DType) -> Data:
        return self._scans(operation, data, axis, dtype)

    def matmul(self, x1: Data, x2: Data) -> Data:
        return self.products.matmul(x1, x2)

    # Views

    def index(self, data: Data, key: tuple[int | slice | None, ...]) -> Data:
        found = views.index(data, key)
        mirror = data.mirror
        if mirror is not None and mirror[0] == data.block.version:
            # Elements that are looked at one by one are then no readbacks.
            found.mirror = (mirror[0], mirror[1][(*key, ...)])
        return found

    def permute(self, data: Data, axes: Axes) -> Data:
        return views.permute(data, axes)

    def reshape(self, data: Data, shape: Shape, copy: bool | None) -> Data:
        if copy:
            data = self.copy(data)
        found = views.reshape(data, shape)
        if found is None:
            if copy is False:
                raise ValueError("a copy is needed")
            found = views.reshape(self.copy(data), shape)
        return found

    def broadcast(self, data: Data, shape: Shape) -> Data:
        return views.broadcast(data, shape)

    def assign(self, data: Data, key: tuple[int | slice | None, ...], value: Data | Scalar) -> None:
        if data.overlaps_itself:
            raise ValueError("elements share memory")  # as read-only ones; see writable
        target = views.index(data, key)
        if value.__class__ is not Strided:
            value = self.full((), value, data.dtype)  # type: ignore[arg-type]
        source = views.broadcast(value, target.shape)  # type: ignore[arg-type]
        if source.dtype is data.dtype and not views.may_overlap(source, target):
            self.copy_to(source, target)
        else:
            self._converting(source.dtype, data.dtype)(source, out=target)

    # Movement

    def gather(self, data: Data, indices: tuple[Data | int, ...]) -> Data:
        return movement.gather(self, data, indices)

    def take(self, data: Data, indices: Data, axis: int) -> Data:
        return movement.take(self, data, indices, axis)

    def take_along_axis(self, data: Data, indices: Data, axis: int) -> Data:
        return movement.take_along_axis(self, data, indices, axis)

    def compress(self, data: Data, mask: Data) -> Data:
        return selection.compress(self, data, mask)

    def assign_mask(self, data: Data, mask: Data, value: Data | Scalar) -> None:
        selection.assign_mask(self, data, mask, value)

    def concat(self, parts: Sequence[Data], axis: int) -> Data:
        return movement.concat(self, parts, axis)

    def repeat(self, data: Data, repeats: Data | int, axis: int) -> Data:
        return repetition.repeat(self, data, repeats, axis)

    def nonzero(self, data: Data) -> tuple[Data, ...]:
        return selection.nonzero(self, data)

    # New data

    def empty(self, shape: Shape, dtype: DType) -> Data:
        size = dtype.itemsize
        for length in shape:
            size *= length
        with self.gpu.lock:
            return Strided.new(self.gpu.memory.allocate(size), dtype, shape)

    def full(self, shape: Shape, value: Scalar, dtype: DType) -> Data:
        out = self.empty(shape, dtype)
        self._filling(dtype).fill(out, value)
        if out.size * dtype.itemsize <= MIRRORED:
            host = scalar(value, dtype) if dtype in _dtypes.EXTENSIONS else value
            out.mirror = (out.block.version, np.full(shape, host, dtype.__numpy_dtype__))
        return out

    def arange(self, start: Scalar, step: Scalar, count: int, dtype: DType) -> Data:
        return creation.arange(self, start, step, count, dtype)

    def _filling(self, dtype: DType) -> elementwise.Kernel:
        if dtype not in self._fillings:
            kind = self.types[dtype]
            self._fillings[dtype] = elementwise.Kernel(
                self, "full", "return a;", [None], [kind], dtype
            )
        return self._fillings[dtype]

    # Sorting

    def sort(self, data: Data, axis: int, descending: bool, stable: bool) -> Data:
        return sorting.sort(self, data, axis, descending)

    def argsort(self, data: Data, axis: int, descending: bool, stable: bool) -> Data:
        return sorting.argsort(self, data, axis, descending)

    # Everything else

    def routine(self, name: str, *operands: Data, **parameters: Any) -> Any:
        if name not in ROUTINES:
            of = f" of {operands[0].dtype}" if operands else ""
            raise Unsupported(f"{name}{of} on {self.device}")
        return ROUTINES[name](self, *operands, **parameters)
