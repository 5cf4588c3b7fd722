"""Elements copied, taken, repeated and put, and new arrays of numbers, by kernels of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numr_api import _dtypes
from numr_api._backends.cuda import kernels
from numr_api._backends.cuda.arrays import FOREIGN, empty
from numr_api._backends.cuda.faults import Access, check_length
from numr_api._backends.cuda.gathering import Gathering, Selection
from numr_api._backends.cuda.kernels import cupy
from numr_api._backends.cuda.layouts import apart, common_shape, merged, overlaps_itself
from numr_api._backends.cuda.movement_kernels import Range

if TYPE_CHECKING:
    from numr_api._backends import Scalar, Shape
    from numr_api._backends.cuda.copies import Copies
    from numr_api._backends.cuda.faults import Faults
    from numr_api._dtypes import DType

Data = Any
Key = tuple[int | slice | None, ...]

MOST_ELEMENTS = 2**53  # more than any memory holds, and float64 counts up to here exactly
MANY_PARTS = 8  # of a concatenation: CuPy has one kernel for more than these, and we one for each
SMALL_PART = 2**18  # bytes, of which the kernel takes longer than its launch


class Movement:
    """The kernels of one device that move elements. Methods are called while it is current."""

    def __init__(self, faults: Faults, copies: Copies) -> None:
        self._faults = faults
        self._copies = copies
        self._gather = Gathering()
        self._ranges: dict[DType, Range] = {}

    # --- copies -----------------------------------------------------------------------------------

    def copy(self, data: Data) -> Data:
        """A row-major copy."""
        if data._c_contiguous and data.__class__ is cupy.ndarray:
            return data.copy()
        result = empty(data.shape, data.dtype)
        self._copies.write(result, data)
        return result

    def reshape(self, data: Data, shape: Shape, copy: bool | None) -> Data:
        """A view where there can be one, unless copy is True; ValueError if there must be one."""
        if data._c_contiguous or not data.size or can_be_viewed(data, shape):
            reshaped = (self.copy(data) if copy else data).reshape(shape)
            if copy is False and data.size and reshaped.data.ptr != data.data.ptr:
                raise ValueError("a copy is needed")
            return reshaped
        if copy is False:
            raise ValueError("a copy is needed")
        return self.copy(data).reshape(shape)

    def concat(self, parts: Sequence[Data], axis: int) -> Data:
        first = parts[0]
        many = len(parts) > MANY_PARTS and first.nbytes < SMALL_PART
        many = many and first.dtype not in FOREIGN
        if many or any(part.dtype != first.dtype for part in parts):
            return cupy.concatenate(parts, axis)
        shape = list(first.shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        result = empty(tuple(shape), first.dtype)
        before = (slice(None),) * axis
        start = 0
        for part in parts:
            end = start + part.shape[axis]
            self._copies.write(result[(*before, slice(start, end))], part)
            start = end
        return result

    def assign(self, data: Data, key: Key, value: Any) -> None:
        """Write to a basic index in place; ValueError if elements of data share memory."""
        if not data._c_contiguous and overlaps_itself(data):
            raise ValueError("elements share memory")
        target = data[(*key, ...)]
        if isinstance(value, bool | int | float | complex):
            self._copies.fill(target, value)
            return
        shape = target.shape
        if value.shape != shape and common_shape([value.shape, shape]) != shape:
            raise ValueError(f"shape {value.shape} does not fit {shape}")
        self._copies.write(target, apart(value, target))

    # --- taking -----------------------------------------------------------------------------------

    def take(self, data: Data, indices: Data, axis: int) -> Data:
        return self._take("take", data, indices, axis)

    def _take(self, operation: str | None, data: Data, indices: Data, axis: int) -> Data:
        """Slices along an axis; no operation if no index can be out of bounds."""
        shape = data.shape
        accesses = None
        if operation is not None:
            accesses = [Access(operation, axis, shape[axis])]
            check_length(accesses[0], indices)
        shape = (*shape[:axis], indices.size, *shape[axis + 1 :])
        selections = [Selection(axis, indices, axis)]
        return self._gather(self._faults, data, shape, selections, accesses)

    def gather(self, data: Data, indices: tuple[Data | int, ...]) -> Data:
        """Elements at integer arrays and ints, one for each axis."""
        view = data[tuple([x if isinstance(x, int) else slice(None) for x in indices])]
        numbers = [axis for axis, x in enumerate(indices) if not isinstance(x, int)]
        arrays: list[Any] = [indices[axis] for axis in numbers]
        accesses = [Access("indexing", axis, data.shape[axis]) for axis in numbers]
        for access, array in zip(accesses, arrays, strict=True):
            check_length(access, array)
        shape = common_shape([array.shape for array in arrays])
        selections = [
            Selection(axis, array, len(shape) - array.ndim) for axis, array in enumerate(arrays)
        ]
        return self._gather(self._faults, view, shape, selections, accesses)

    def take_along_axis(self, data: Data, indices: Data, axis: int) -> Data:
        access = Access("take_along_axis", axis, data.shape[axis])
        check_length(access, indices)
        pairs = zip(data.shape, indices.shape, strict=True)
        others = tuple(1 if number == axis else n for number, (n, _) in enumerate(pairs))
        shape = common_shape([others, indices.shape])
        return self._gather(self._faults, data, shape, [Selection(axis, indices, 0)], [access])

    def repeat(self, data: Data, repeats: Data | int, axis: int) -> Data:
        """Each slice repeated. The result's length is read from the device if repeats are data."""
        shape = data.shape
        if isinstance(repeats, int):
            wide = (*shape[: axis + 1], repeats, *shape[axis + 1 :])
            result = empty(wide, data.dtype)
            before = (slice(None),) * (axis + 1)
            self._copies.write(result, data[(*before, None)])
            return result.reshape((*shape[:axis], shape[axis] * repeats, *shape[axis + 1 :]))
        if not repeats.size:
            return self.copy(data)
        least, total = cupy.stack(
            [repeats.min().astype("float64"), repeats.sum(dtype="float64")]
        ).get()
        self._faults.look()  # before anybody sees a shape or an error made from wrong elements
        if least < 0:
            raise ValueError("a count is negative")
        if total >= MOST_ELEMENTS:
            raise ValueError("the counts exceed any size")
        ends = repeats.astype("int64").cumsum()
        numbers = kernels.searchsorted(
            ends, self.arange(0, 1, int(total), _dtypes.int64), side="right"
        )
        return self._take(None, data, numbers, axis)

    # --- new data ---------------------------------------------------------------------------------

    def full(self, shape: Shape, value: Scalar, dtype: DType) -> Data:
        result = empty(shape, dtype.__numpy_dtype__)
        self._copies.fill(result, value)
        return result

    def arange(self, start: Scalar, step: Scalar, count: int, dtype: DType) -> Data:
        made = self._ranges.get(dtype)
        if made is None:
            made = self._ranges[dtype] = Range(dtype)
        return made(start, step, count)


def can_be_viewed(data: Data, shape: Shape) -> bool:
    """Whether data of one element or more can have another shape without being copied."""
    steps = [(step,) for step in data.strides]
    lengths = iter([length for length in shape if length > 1])
    for length in merged(data.shape, steps)[0]:
        found = 1
        while found < length:
            found *= next(lengths)
        if found != length:
            return False
    return True
