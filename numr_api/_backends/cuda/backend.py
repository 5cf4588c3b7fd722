"""A cuda device: its data is ``cupy.ndarray``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np

from numr_api import _dtypes
from numr_api._backends.array_library import DEFAULT_DTYPES, ArrayLibrary
from numr_api._backends.cuda import (
    driver,
    exchange,
    fourier,
    half_products,
    linear_algebra,
    reductions,
    searching,
)
from numr_api._backends.cuda.activations import WITH_TWO_RESULTS
from numr_api._backends.cuda.arrays import BITS, FOREIGN, bits_of, empty, of_bits
from numr_api._backends.cuda.compaction import Compaction
from numr_api._backends.cuda.copies import Copies
from numr_api._backends.cuda.elementwise import find_kernel
from numr_api._backends.cuda.faults import Faults
from numr_api._backends.cuda.kernels import cupy
from numr_api._backends.cuda.layouts import overlaps_itself
from numr_api._backends.cuda.movement import Movement
from numr_api._backends.cuda.padding import Padding
from numr_api._backends.cuda.paired import PairedKernel
from numr_api._backends.cuda.products import FewRows
from numr_api._backends.cuda.row_functions import RowFunctions
from numr_api._backends.cuda.scans import Scans
from numr_api._backends.cuda.searching import Sets
from numr_api._backends.cuda.snake import Snake
from numr_api._backends.cuda.sorting import Sorting
from numr_api._backends.cuda.walsh_hadamard import WalshHadamard
from numr_api._devices import MemoryStatistics, device_name
from numr_api._dlpack import exported
from numr_api._errors import DeviceOutOfMemory

if TYPE_CHECKING:
    import numpy.typing as npt

    from numr_api._backends import Data, Kernel, Scalar, Shape
    from numr_api._devices import Device
    from numr_api._dtypes import DType
    from numr_api._profiles import DeviceProfile

P = ParamSpec("P")
R = TypeVar("R")

ROUTINES: dict[str, Callable[..., Any]] = {
    **searching.ROUTINES,
    **linear_algebra.ROUTINES,
    **fourier.ROUTINES,
}

# Which compare numbers of 16 and 8 bits as float32.
WIDENED = ("isin", "searchsorted", "unique")

get_device: Callable[[], int] = cupy.cuda.runtime.getDevice
set_device: Callable[[int], None] = cupy.cuda.runtime.setDevice
OutOfMemory: type[MemoryError] = cupy.cuda.memory.OutOfMemoryError


def on_device(
    method: Callable[Concatenate[CudaBackend, P], R],
) -> Callable[Concatenate[CudaBackend, P], R]:
    """Run a method while its device is current, and make the one current again that was."""

    @wraps(method)
    def call(self: CudaBackend, /, *arguments: P.args, **options: P.kwargs) -> R:
        before = self.number if self.alone else get_device()
        if before != self.number:
            set_device(self.number)
        try:
            return method(self, *arguments, **options)
        except OutOfMemory as error:
            raise DeviceOutOfMemory(f"{self.device}: {error}") from None
        finally:
            if before != self.number:
                set_device(before)

    return call


class CudaBackend(ArrayLibrary):
    """One GPU. Methods that only make views need not have it current."""

    library = cupy
    storage = cupy.ndarray
    dtypes = frozenset(_dtypes.ALL)
    default_dtypes = DEFAULT_DTYPES

    def __init__(self, device: Device) -> None:
        self.device = device
        self.number = device.number
        self.dlpack_device = (exchange.CUDA, self.number)
        self.alone = driver.count() == 1  # which is current at any time
        self._faults = Faults()
        self._few_rows = FewRows()
        self._copies = Copies()
        self._scans = Scans(self._copies)
        self._compaction = Compaction(self._scans, self._copies, self._faults.look)
        self._sorting = Sorting()
        sets = Sets(find_kernel, self._sorting, self._scans, self._compaction, self._copies)
        self._routines = {
            **ROUTINES,
            "isin": sets.isin,
            "linspace": partial(searching.linspace, self._copies),
            "unique": sets.unique,
            **RowFunctions(self._copies).routines,
            **Padding(self._copies).routines,
            **Snake(self._copies).routines,
            "fwht": WalshHadamard(self._copies).transform,
        }
        self._most_reserved = 0
        self._movement = Movement(self._faults, self._copies)
        self._statistics: dict[tuple[str, DType], Kernel] = {}
        self.shortcuts: Mapping[str, Kernel] = {
            "import_foreign": self.import_foreign,
            "move": self.move,
            "mean": partial(self.statistic, "mean"),
            "std": partial(self.statistic, "std"),
            "var": partial(self.statistic, "var"),
        }

    def describe(self) -> Mapping[str, str]:
        runtime = cupy.cuda.runtime
        capability = cupy.cuda.Device(self.number).compute_capability
        return {
            "driver": f"CUDA {_version(runtime.driverGetVersion())}",
            "library": f"CuPy {cupy.__version__}, CUDA {_version(runtime.runtimeGetVersion())}",
            "hardware": f"{driver.product_name(self.number)} (sm_{capability})",
            "memory": f"{driver.total_memory(self.number) / 2**30:.1f} GiB",
        }

    def profile(self) -> DeviceProfile:
        return driver.profile(self.number)

    @on_device
    def synchronize(self) -> None:
        cupy.cuda.runtime.deviceSynchronize()
        self._faults.look()

    @on_device
    def memory(self) -> MemoryStatistics:
        pool = cupy.get_default_memory_pool()
        reserved = int(pool.total_bytes())
        self._most_reserved = max(self._most_reserved, reserved)
        return MemoryStatistics(int(pool.used_bytes()), self._most_reserved, reserved)

    # Exchange

    @on_device
    def from_host(self, array: npt.NDArray[Any], copy: bool | None) -> Data:
        if copy is False:
            raise ValueError(f"{self.device} cannot share memory with the host")
        # Given one axis at least: without axes, CuPy writes +0 for -0.
        ordered = np.ascontiguousarray(array)
        if array.dtype in FOREIGN:
            bits = cupy.array(ordered.view(BITS[array.itemsize]))
            return of_bits(bits, _dtypes.BY_NUMPY[array.dtype]).reshape(array.shape)
        return cupy.array(ordered).reshape(array.shape)

    @on_device
    def to_host(self, data: Data) -> npt.NDArray[Any]:
        foreign = data.dtype in FOREIGN
        host = bits_of(data).get().view(data.dtype) if foreign else data.get()
        self._faults.look()
        return host

    @on_device
    def move(self, data: Data, source: CudaBackend) -> Data:
        """A copy of another GPU's data, by way of neither this thread nor the host."""
        data, ready = source.offer(data)
        result, done = exchange.copied_after(data, ready)
        source.wait_for(done)  # before the memory is used for something else
        return result

    @on_device
    def offer(self, data: Data) -> tuple[Data, Any]:
        """Data for another GPU, row-major, and an event that comes after work on them."""
        self._faults.look()
        if not data._c_contiguous:
            data = self._movement.copy(data)
        return data, exchange.event()

    @on_device
    def wait_for(self, event: Any) -> None:
        """Let later work of this device come after an event of another's."""
        exchange.wait_for(event)

    @on_device
    def copy(self, data: Data) -> Data:
        return self._movement.copy(data)

    @on_device
    def export(
        self, data: Data, *, stream: Any, max_version: Any, dl_device: Any, copy: bool | None
    ) -> Any:
        wanted = self.dlpack_device if dl_device is None else tuple(map(int, dl_device))
        if wanted == exchange.CPU:
            if copy is False:
                raise BufferError(f"__dlpack__: a copy is needed from {self.device} to the cpu")
            return exported(self.to_host(data), max_version=max_version)
        if wanted != self.dlpack_device:
            raise BufferError(f"__dlpack__: cannot move from {self.device} to {dl_device}")
        if overlaps_itself(data):
            if copy is False:
                raise BufferError(
                    "__dlpack__: a view made by broadcasting needs a copy; use copy=None"
                )
            copy = True
        self._faults.look()  # others do not know of faults; it waits only if one is possible
        return exchange.capsule(data.copy() if copy else data, stream, max_version)

    @on_device
    def array_interface(self, data: Data) -> dict[str, Any]:
        """What ``__cuda_array_interface__`` tells."""
        self._faults.look()
        if data.dtype in FOREIGN:
            raise AttributeError(f"__cuda_array_interface__: it has no name for {data.dtype.name}")
        return data.__cuda_array_interface__

    @on_device
    def import_foreign(self, x: Any) -> tuple[Data, Device]:
        data = exchange.imported(x)
        return data, device_name("cuda", data.device.id)

    def adopt(self, raw: Any) -> Data:
        return raw if isinstance(raw, cupy.ndarray) else cupy.asarray(raw)

    # Element by element

    def elementwise(
        self, operation: str, operands: tuple[DType | type, ...], dtype: DType, result: DType
    ) -> Kernel:
        if operation in WITH_TWO_RESULTS:
            return PairedKernel(operation, dtype, self._copies)
        return find_kernel(operation, operands, dtype, result)

    def launch(self, kernel: Kernel, /, *operands: Data | Scalar | None, out: Data = None) -> Data:
        if out is not None and not out._c_contiguous and overlaps_itself(out):
            raise ValueError("elements share memory")
        if not self.alone:
            return self._launch_here(kernel, *operands, out=out)
        try:
            return kernel(*operands) if out is None else kernel(*operands, out=out)
        except OutOfMemory as error:
            raise DeviceOutOfMemory(f"{self.device}: {error}") from None

    @on_device
    def _launch_here(self, kernel: Kernel, /, *operands: Any, out: Data) -> Data:
        return kernel(*operands) if out is None else kernel(*operands, out=out)

    launch_checked = launch

    def writable(self, data: Data) -> Data:
        return self.copy(data) if overlaps_itself(data) else data

    @on_device
    def cast(self, data: Data, dtype: DType) -> Data:
        return self._copies.cast(data, dtype)

    # Along axes

    def reduction(self, operation: str, dtype: DType, result: DType) -> Kernel:
        return reductions.find_kernel(operation, dtype, result)

    @on_device
    def statistic(self, name: str, data: Data, *given: Any) -> Data:
        """mean, var and std; see ``Backend.shortcuts``."""
        dtype = _dtypes.BY_NUMPY[data.dtype]
        kernel = self._statistics.get((name, dtype))
        if kernel is None:
            kernel = reductions.find_kernel(name, dtype, dtype)
            self._statistics[name, dtype] = kernel
        return kernel(data, *given)

    @on_device
    def scan(self, operation: str, data: Data, axis: int, dtype: DType) -> Data:
        return self._scans.scan(operation, data, axis)

    @on_device
    def sort(self, data: Data, axis: int, descending: bool, stable: bool) -> Data:
        found = self._sorting.sort(self._copies.widened(data), axis, descending)
        return self._copies.as_of(found, data)

    @on_device
    def argsort(self, data: Data, axis: int, descending: bool, stable: bool) -> Data:
        return self._sorting.argsort(self._copies.widened(data), axis, descending)

    @on_device
    def matmul(self, x1: Data, x2: Data) -> Data:
        if self._copies.is_narrow(x1):
            return half_products.matmul(x1, x2, self._copies)
        product = self._few_rows(x1, x2)
        return linear_algebra.matmul(x1, x2) if product is None else product

    # Views

    def index(self, data: Data, key: tuple[int | slice | None, ...]) -> Data:
        return data[key]  # a view also of a single element, as CuPy makes no scalars

    @on_device
    def reshape(self, data: Data, shape: Shape, copy: bool | None) -> Data:
        return self._movement.reshape(data, shape, copy)

    # Movement

    @on_device
    def gather(self, data: Data, indices: tuple[Data | int, ...]) -> Data:
        return self._movement.gather(data, indices)

    @on_device
    def take(self, data: Data, indices: Data, axis: int) -> Data:
        return self._movement.take(data, indices, axis)

    @on_device
    def take_along_axis(self, data: Data, indices: Data, axis: int) -> Data:
        return self._movement.take_along_axis(data, indices, axis)

    @on_device
    def compress(self, data: Data, mask: Data) -> Data:
        return self._compaction.compress(data, mask)

    @on_device
    def assign(self, data: Data, key: tuple[int | slice | None, ...], value: Data | Scalar) -> None:
        self._movement.assign(data, key, value)

    @on_device
    def assign_mask(self, data: Data, mask: Data, value: Data | Scalar) -> None:
        self._compaction.assign(data, mask, value)

    @on_device
    def concat(self, parts: Sequence[Data], axis: int) -> Data:
        return self._movement.concat(parts, axis)

    @on_device
    def repeat(self, data: Data, repeats: Data | int, axis: int) -> Data:
        return self._movement.repeat(data, repeats, axis)

    @on_device
    def nonzero(self, data: Data) -> tuple[Data, ...]:
        return self._compaction.nonzero(data)

    # New data

    @on_device
    def full(self, shape: Shape, value: Scalar, dtype: DType) -> Data:
        return self._movement.full(shape, value, dtype)

    @on_device
    def empty(self, shape: Shape, dtype: DType) -> Data:
        return empty(shape, dtype.__numpy_dtype__)

    @on_device
    def arange(self, start: Scalar, step: Scalar, count: int, dtype: DType) -> Data:
        return self._movement.arange(start, step, count, dtype)

    # Everything else

    @on_device
    def routine(self, name: str, *operands: Data, **parameters: Any) -> Any:
        routine = self._routines[name]
        if name == "linspace" and parameters["dtype"] in _dtypes.EXTENSIONS:
            dtype: DType = parameters["dtype"]
            parameters["dtype"] = _dtypes.float64
            return self._copies.cast(routine(**parameters), dtype)
        if name not in WIDENED or not self._copies.is_narrow(operands[0]):
            return routine(*operands, **parameters)
        found = routine(*map(self._copies.widened, operands), **parameters)

        def rounded(part: Data) -> Data:
            return self._copies.as_of(part, operands[0]) if part.dtype.kind == "f" else part

        if isinstance(found, tuple):
            return tuple([rounded(part) for part in cast("tuple[Data, ...]", found)])
        return rounded(found)


def _version(number: int) -> str:
    """CUDA's version, as "13.0"."""
    return f"{number // 1000}.{number % 1000 // 10}"
