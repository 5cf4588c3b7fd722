"""The cpu on the standard's dtypes, with repairs where NumPy's values are not the standard's."""

from __future__ import annotations

import os
import platform
import sys
import threading
from collections.abc import Callable, Mapping
from contextvars import Context
from functools import partial
from operator import setitem
from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api._backends.array_library import ArrayLibrary
from numr_api._backends.cpu import (
    fourier,
    jit,
    linear_algebra,
    processors,
    searching,
    sorting,
    statistics,
    sums,
    threads,
)
from numr_api._backends.cpu.elementwise import find_kernel
from numr_api._backends.cpu.repairs_vectorised import vector_length
from numr_api._dlpack import exported
from numr_api._errors import Unsupported
from numr_api._profiles import DeviceArch, DeviceProfile

if TYPE_CHECKING:
    import numpy.typing as npt

    from numr_api._backends import Axes, Data, Kernel, Scalar, Shape
    from numr_api._devices import Device, MemoryStatistics
    from numr_api._dtypes import DType

ROUTINES: dict[str, Callable[..., Any]] = {
    **searching.ROUTINES,
    **linear_algebra.ROUTINES,
    **fourier.ROUTINES,
}


def silent_context() -> Context:
    """A context in which NumPy does not warn of what IEEE 754 defines."""
    context = Context()
    context.run(np.seterr, all="ignore")
    context.run(threads.inside_launch.set, True)
    return context


def _matmul_into(out: Data, x1: Data, x2: Data) -> None:
    np.matmul(x1, x2, out=out)


class OwnContext(threading.local):
    """A silent context for each thread."""

    def __init__(self) -> None:
        self._run = silent_context().run

    def launch(self, kernel: Kernel, /, *operands: Any, **out: Any) -> Any:
        return self._run(kernel, *operands, **out)


class StandardBackend(ArrayLibrary):
    """Data is ``numpy.ndarray``.

    NumPy warns of division by zero, overflow and the like; IEEE 754 defines their results, so they
    are no faults here. ``np.errstate`` costs more than adding two small arrays, so ``launch`` runs
    kernels in a context of its own in which NumPy was told once to be silent. One thread at a time
    can be in it; a second one gets a RuntimeError and takes ``launch_checked``. Without the GIL
    there is a context for each thread.
    """

    library = np
    storage = np.ndarray
    concat: Any = staticmethod(np.concatenate)  # itself: a method around it costs a fifth more
    dlpack_device = (1, 0)  # kDLCPU

    def __init__(
        self,
        device: Device,
        dtypes: frozenset[DType],
        default_dtypes: Mapping[str, DType],
    ) -> None:
        self.device = device
        self.dtypes = dtypes
        self.default_dtypes = default_dtypes
        has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
        self.launch = silent_context().run if has_gil else OwnContext().launch
        self.shortcuts = {
            "matmul_into": partial(self.silently, _matmul_into),
            "put_rows": self.put_rows,
            "mean": partial(self.silently, statistics.mean),
            "std": partial(self.silently, statistics.std),
            "var": partial(self.silently, statistics.var),
        }

    def launch_checked(
        self, kernel: Kernel, /, *operands: Data | Scalar | None, out: Data = None
    ) -> Data:
        with np.errstate(all="ignore"):
            if out is None:
                return kernel(*operands)
            if kernel is np.where:  # which always makes a new array
                out[...] = kernel(*operands)
                return out
            return kernel(*operands, out=out)

    def silently(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        """Call a function while NumPy does not warn."""
        try:
            return self.launch(function, *arguments)
        except RuntimeError:
            return self.launch_checked(function, *arguments)

    def describe(self) -> Mapping[str, str]:
        pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
        size = pages * os.sysconf("SC_PAGE_SIZE") if pages else 0
        return {
            "driver": f"NumPy {np.__version__}",
            "hardware": f"{platform.machine()}, {os.cpu_count()} cores",
            "compiler": jit.state(),
            "threads": f"{threads.limit()} at most",
            "memory": f"{size / 2**30:.1f} GiB" if size else "unknown",
        }

    def profile(self) -> DeviceProfile:
        return DeviceProfile(
            "cpu",
            DeviceArch.CPU,
            compute_units=processors.usable(),
            max_threads_per_block=1,
            lane_width=vector_length(),
        )

    def synchronize(self) -> None:
        """Nothing is ever pending."""

    def memory(self) -> MemoryStatistics:
        raise Unsupported(f"memory on {self.device}: NumPy does not count what its arrays hold")

    # Exchange with the host

    def from_host(self, array: npt.NDArray[Any], copy: bool | None) -> Data:
        if copy or (copy is None and not array.flags.writeable):
            return array.copy()
        if not array.flags.writeable:
            raise ValueError("the memory is read-only, which numr_api arrays never are")
        return array

    def to_host(self, data: Data) -> npt.NDArray[Any]:
        return data

    def export(
        self, data: Data, *, stream: Any, max_version: Any, dl_device: Any, copy: bool | None
    ) -> Any:
        if stream is not None:
            raise BufferError(f"__dlpack__: {self.device} has no streams, got {stream!r}")
        if dl_device is not None and tuple(dl_device) != self.dlpack_device:
            raise BufferError(f"__dlpack__: cannot export from {self.device} to {dl_device}")
        if copy is False and not data.flags.writeable:
            raise BufferError("__dlpack__: a view made by broadcasting needs a copy; use copy=None")
        if copy is None and not data.flags.writeable:
            copy = True
        if copy:  # NumPy's own copy is read-only before DLPack 1.0
            data, copy = data.copy(), None
        return exported(data, max_version=max_version, copy=copy)

    # Families that may overflow or meet NaN, and must not warn

    def elementwise(
        self, operation: str, operands: tuple[DType | type, ...], dtype: DType, result: DType
    ) -> Kernel:
        return find_kernel(operation, operands, dtype)

    def reduction(self, operation: str, dtype: DType, result: DType) -> Kernel:
        if operation in ("max", "min"):
            reduce = (np.maximum if operation == "max" else np.minimum).reduce

            def extreme(data: Data, axes: Axes, keepdims: bool) -> Data:
                return statistics.extreme(reduce, data, axes, keepdims)

            return extreme
        if operation != "sum" or result.kind not in "fc":
            return super().reduction(operation, dtype, result)
        numpy_dtype = result.__numpy_dtype__

        def accurate_sum(data: Data, axes: Axes, keepdims: bool) -> Data:
            return sums.add(data, axes, numpy_dtype, keepdims)

        return accurate_sum

    def cast(self, data: Data, dtype: DType) -> Data:
        return self.silently(data.astype, dtype.__numpy_dtype__)

    def scan(self, operation: str, data: Data, axis: int, dtype: DType) -> Data:
        return self.silently(super().scan, operation, data, axis, dtype)

    def matmul(self, x1: Data, x2: Data) -> Data:
        return self.silently(np.matmul, x1, x2)

    def full(self, shape: Shape, value: Scalar, dtype: DType) -> Data:
        if value.__class__ is int and value == 0:  # -0.0 is another matter
            return np.zeros(shape, dtype.__numpy_dtype__)
        return self.silently(np.full, shape, value, dtype.__numpy_dtype__)

    def arange(self, start: Scalar, step: Scalar, count: int, dtype: DType) -> Data:
        return self.silently(super().arange, start, step, count, dtype)

    def assign(self, data: Data, key: tuple[int | slice | None, ...], value: Data | Scalar) -> None:
        try:
            self.launch(setitem, data, key, value)
        except RuntimeError:
            self.launch_checked(setitem, data, key, value)

    def assign_mask(self, data: Data, mask: Data, value: Data | Scalar) -> None:
        self.silently(super().assign_mask, data, mask, value)

    def sort(self, data: Data, axis: int, descending: bool, stable: bool) -> Data:
        return sorting.sort(data, axis, descending, stable)

    def argsort(self, data: Data, axis: int, descending: bool, stable: bool) -> Data:
        return sorting.argsort(data, axis, descending, stable)

    def routine(self, name: str, *operands: Data, **parameters: Any) -> Any:
        with np.errstate(all="ignore"):
            return ROUTINES[name](*operands, **parameters)
