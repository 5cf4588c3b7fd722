"""What a device must provide.

A backend serves one device. It implements families of operations, not functions: the public
functions check and promote their arguments, then hand over the backend's own data. Arguments that
reach a backend are right in kind, dtype, device and axes; a backend checks only what it must find
out anyway, the shapes that meet in a broadcast.

Data is whatever the backend likes (an ndarray, a buffer with strides, a deferred expression), an
instance of ``storage`` with two read-only attributes: ``shape``, a tuple of ints, and ``size``.
Where ``storage`` is numpy.ndarray, a new NumPy array is data as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy.typing as npt

    from numr_api._devices import Device, MemoryStatistics
    from numr_api._dtypes import DType
    from numr_api._profiles import DeviceProfile

type_ = type
Data = Any
Scalar = bool | int | float | complex
Shape = tuple[int, ...]
Axes = tuple[int, ...]
Kernel = Callable[..., Data]

__all__ = ["Axes", "Backend", "BackendModule", "Data", "Kernel", "Scalar", "Shape"]


class BackendModule(Protocol):
    """What a module under ``_backends`` provides. Importing it must succeed on any machine."""

    def count(self) -> int:
        """How many devices of this kind can be used; 0 if none."""
        ...

    def obstacle(self) -> str:
        """Why ``count()`` is 0, and what would cure it."""
        ...

    def open_device(self, index: int) -> Backend:
        """The backend of device ``index``."""
        ...


class Backend(Protocol):
    """One device. All methods may be called from several threads."""

    device: Device
    dtypes: frozenset[DType]
    default_dtypes: Mapping[str, DType]
    storage: type_
    dlpack_device: tuple[int, int]

    # Functions that are composed of others on every device, but that this one does faster itself,
    # where x has elements: mean as ``shortcut(data, axes, keepdims)``, var and std as
    # ``shortcut(data, axes, keepdims, freedom)``, with the number to divide by, which may be NaN;
    # put_rows as ``shortcut(data, count, numbers, rows)``: the first ``count`` axes of data, which
    # may be a view, count as one, and rows are written in place to these numbers of it, the last
    # of equal ones at the end; matmul_into as ``shortcut(out, data1, data2)``: matmul, written to
    # data that are contiguous and apart from both. Where other libraries may have arrays too,
    # import_foreign as ``shortcut(array)``: data that shares an array's memory, and which device of
    # this kind it is on; BufferError if there is no way. Where devices of this kind reach each
    # other, move as ``shortcut(data, backend)``: a copy of another device's data on this one.
    shortcuts: Mapping[str, Kernel]

    def describe(self) -> Mapping[str, str]:
        """Facts for people: driver, memory and the like, ready to print."""
        ...

    def profile(self) -> DeviceProfile:
        """What the device is made of; never raises."""
        ...

    def synchronize(self) -> None:
        """Wait until all work handed to the device is done."""
        ...

    def memory(self) -> MemoryStatistics:
        """What arrays hold of the device's memory; raises Unsupported if nobody counts it."""
        ...

    # Exchange with the host

    def from_host(self, array: npt.NDArray[Any], copy: bool | None) -> Data:
        """Data with the values of a NumPy array; shares its memory only if copy is not True.

        Raises ValueError if copy is False and the memory cannot be shared.
        """
        ...

    def to_host(self, data: Data) -> npt.NDArray[Any]:
        """A NumPy array with the values of data; it may share memory with it."""
        ...

    def copy(self, data: Data) -> Data:
        """New data with the same values, sharing nothing."""
        ...

    def export(
        self, data: Data, *, stream: Any, max_version: Any, dl_device: Any, copy: bool | None
    ) -> Any:
        """DLPack capsule, as ``__dlpack__`` of the standard; BufferError where it cannot be."""
        ...

    # Element by element

    def elementwise(
        self, operation: str, operands: tuple[DType | type, ...], dtype: DType, result: DType
    ) -> Kernel:
        """What ``launch`` runs for an operation on operands of these types.

        An operand is data of a dtype or a Python scalar of a type. All are promoted to ``dtype``
        ("where" and "clip" apart, see ``launch``), the outcome has dtype ``result``. A kernel
        raises ValueError if shapes do not broadcast and OverflowError if an integer scalar is out
        of ``dtype``'s range. Called once for each combination, and remembered, as a lookup and a
        call more for each operation would cost as much as adding two small arrays.
        """
        ...

    def launch(self, kernel: Kernel, /, *operands: Data | Scalar | None, out: Data = None) -> Data:
        """Run a kernel; with ``out`` write there, which may be one of the operands.

        The kernels of "where" and "clip", of more than one result, and of the extensions get no
        ``out`` that is an operand.

        This is the fast path: it may fail with any exception before it writes anything, and what
        it returns need not be of class ``storage`` (then ``adopt`` makes it so).
        """
        ...

    def launch_checked(
        self, kernel: Kernel, /, *operands: Data | Scalar | None, out: Data = None
    ) -> Data:
        """The same without the freedom to fail on valid operands."""
        ...

    def adopt(self, raw: Any) -> Data:
        """Data from what ``launch`` returned."""
        ...

    def writable(self, data: Data) -> Data:
        """data itself, or a copy if it is a view that nobody may write to."""
        ...

    def cast(self, data: Data, dtype: DType) -> Data:
        """New data of another dtype; never shares memory."""
        ...

    # Destinations

    def is_contiguous(self, data: Data) -> bool:
        """Whether the elements lie next to each other in row-major order."""
        ...

    def overlap(self, data: Data, other: Data) -> bool:
        """Whether the ranges of memory from first to last element, if there is any, meet."""
        ...

    # Along axes

    def reduction(self, operation: str, dtype: DType, result: DType) -> Kernel:
        """What ``launch`` runs as ``kernel(data, axes, keepdims)`` to reduce data of a dtype.

        sum prod max min all any count_nonzero; sum and prod accumulate in ``result``. argmax and
        argmin get one axis, or all of them. A kernel raises ValueError where there is no element
        to choose. Called once for each combination, and remembered.
        """
        ...

    def scan(self, operation: str, data: Data, axis: int, dtype: DType) -> Data:
        """cumulative_sum or cumulative_prod along an axis, in ``dtype``."""
        ...

    def sort(self, data: Data, axis: int, descending: bool, stable: bool) -> Data:
        """Sorted along an axis; NaN last, or first if descending."""
        ...

    def argsort(self, data: Data, axis: int, descending: bool, stable: bool) -> Data:
        """Indices that sort along an axis, of the index dtype, ``default_dtypes["indexing"]``."""
        ...

    def matmul(self, x1: Data, x2: Data) -> Data:
        """Matrix product of data of one dtype, with the standard's broadcasting."""
        ...

    # Views: they share memory where the backend can

    def index(self, data: Data, key: tuple[int | slice | None, ...]) -> Data:
        """Basic indexing, one entry for each axis, None for a new one; a view."""
        ...

    def permute(self, data: Data, axes: Axes) -> Data:
        """Axes in another order; a view."""
        ...

    def reshape(self, data: Data, shape: Shape, copy: bool | None) -> Data:
        """Another shape of the same size in row-major order.

        copy None shares memory if possible, True never does, False raises ValueError if not.
        """
        ...

    def broadcast(self, data: Data, shape: Shape) -> Data:
        """Repeated to a shape; a view that nobody writes to."""
        ...

    # Movement

    def gather(self, data: Data, indices: tuple[Data | int, ...]) -> Data:
        """``data[indices]`` for one integer array or int an axis, broadcast against each other.

        Raises IndexError if an index is out of bounds.
        """
        ...

    def take(self, data: Data, indices: Data, axis: int) -> Data:
        """Slices along an axis at 1-D or 0-d indices; IndexError if out of bounds."""
        ...

    def take_along_axis(self, data: Data, indices: Data, axis: int) -> Data:
        """Elements at indices along an axis, other axes broadcast; IndexError if out of bounds."""
        ...

    def compress(self, data: Data, mask: Data) -> Data:
        """Elements where a mask over the leading axes is true, in row-major order."""
        ...

    def assign(self, data: Data, key: tuple[int | slice | None, ...], value: Data | Scalar) -> None:
        """Write to a basic index in place; the value broadcasts, may alias, and is cast."""
        ...

    def assign_mask(self, data: Data, mask: Data, value: Data | Scalar) -> None:
        """Write where a mask over the leading axes is true, in place; both may alias data."""
        ...

    def concat(self, parts: Sequence[Data], axis: int) -> Data:
        """Join data of one dtype along an axis."""
        ...

    def repeat(self, data: Data, repeats: Data | int, axis: int) -> Data:
        """Each slice along an axis repeated; one count for all or an integer array."""
        ...

    def nonzero(self, data: Data) -> tuple[Data, ...]:
        """Indices of the elements that are not zero, an array of the index dtype for each axis."""
        ...

    # New data

    def full(self, shape: Shape, value: Scalar, dtype: DType) -> Data:
        """All elements equal."""
        ...

    def empty(self, shape: Shape, dtype: DType) -> Data:
        """Elements of any value."""
        ...

    def arange(self, start: Scalar, step: Scalar, count: int, dtype: DType) -> Data:
        """``start + i * step`` for i below count."""
        ...

    # Everything else

    def routine(self, name: str, *operands: Data, **parameters: Any) -> Any:
        """A named algorithm: decompositions, transforms, searchsorted, sets.

        Returns data, or a tuple of data as the function of that name does.
        """
        ...
