"""What NumPy and CuPy share: one backend class with the library's module as a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from numr_api import _dtypes

if TYPE_CHECKING:
    from numr_api._backends import Axes, Kernel, Scalar, Shape
    from numr_api._dtypes import DType

Data = Any

DEFAULT_DTYPES = {
    "bool": _dtypes.bool,
    "integral": _dtypes.int64,
    "indexing": _dtypes.int64,
    "real floating-point": _dtypes.float64,
    "complex floating-point": _dtypes.complex128,
}

MOST = 2**63 - 1  # the largest int64

# The ufunc whose ``reduce`` is faster than the function of the operation's name.
UFUNCS = {
    "sum": "add",
    "prod": "multiply",
    "max": "maximum",
    "min": "minimum",
    "all": "logical_and",
    "any": "logical_or",
}


def signed(indices: Data | int) -> Data | int:
    """Indices as int64 if they are uint64, which the libraries would wrap to negative ones."""
    if indices.__class__ is int or indices.dtype.char not in "QL":  # type: ignore[union-attr]
        return indices
    if (indices > MOST).any():  # type: ignore[union-attr]
        raise IndexError(f"an index exceeds {MOST}")
    return indices.astype("int64")  # type: ignore[union-attr]


class ArrayLibrary:
    """The families that both libraries serve with the same calls.

    Attributes:
        library: numpy or cupy.
    """

    library: ModuleType
    shortcuts: Mapping[str, Kernel] = {}

    def copy(self, data: Data) -> Data:
        return data.copy()

    def writable(self, data: Data) -> Data:
        return data if data.flags.writeable else data.copy()

    def cast(self, data: Data, dtype: DType) -> Data:
        return data.astype(dtype.__numpy_dtype__)

    def adopt(self, raw: Any) -> Data:
        return self.library.asarray(raw)

    # Destinations

    def is_contiguous(self, data: Data) -> bool:
        return data.flags.c_contiguous

    def overlap(self, data: Data, other: Data) -> bool:
        return self.library.may_share_memory(data, other)

    # Along axes

    def reduction(self, operation: str, dtype: DType, result: DType) -> Kernel:
        if operation in ("argmax", "argmin"):

            def locate(data: Data, axes: Axes, keepdims: bool) -> Data:
                axis = axes[0] if len(axes) == 1 else None
                return getattr(data, operation)(axis=axis, keepdims=keepdims)

            return locate
        if operation == "count_nonzero":

            def count(data: Data, axes: Axes, keepdims: bool) -> Data:
                return self.library.count_nonzero(data, axis=axes, keepdims=keepdims)

            return count
        reduce = getattr(self.library, UFUNCS[operation]).reduce
        numpy_dtype = result.__numpy_dtype__

        def kernel(data: Data, axes: Axes, keepdims: bool) -> Data:
            return reduce(data, axes, numpy_dtype, None, keepdims)

        return kernel

    def scan(self, operation: str, data: Data, axis: int, dtype: DType) -> Data:
        method = data.cumsum if operation == "cumulative_sum" else data.cumprod
        return method(axis=axis, dtype=dtype.__numpy_dtype__)

    def sort(self, data: Data, axis: int, descending: bool, stable: bool) -> Data:
        if not descending:
            return self.sort_ascending(data, axis, stable)
        # Reversed before and after, so that equal elements keep their order.
        reverse = (slice(None),) * axis + (slice(None, None, -1),)
        return self.sort_ascending(data[reverse], axis, stable)[reverse]

    def sort_ascending(self, data: Data, axis: int, stable: bool) -> Data:
        return self.library.sort(data, axis=axis, kind="stable" if stable else None)

    def argsort(self, data: Data, axis: int, descending: bool, stable: bool) -> Data:
        kind = "stable" if stable else None
        if not descending:
            return data.argsort(axis=axis, kind=kind)
        reverse = (slice(None),) * axis + (slice(None, None, -1),)
        return (data.shape[axis] - 1 - data[reverse].argsort(axis=axis, kind=kind))[reverse]

    def matmul(self, x1: Data, x2: Data) -> Data:
        return self.library.matmul(x1, x2)

    # Views

    def index(self, data: Data, key: tuple[int | slice | None, ...]) -> Data:
        return data[(*key, ...)]  # the ellipsis makes a view also of a single element

    def permute(self, data: Data, axes: Axes) -> Data:
        return data.transpose(axes)

    def reshape(self, data: Data, shape: Shape, copy: bool | None) -> Data:
        if copy:
            return data.copy().reshape(shape)
        reshaped = data.reshape(shape)
        if copy is False and not self.library.shares_memory(reshaped, data) and data.size:
            raise ValueError("a copy is needed")
        return reshaped

    def broadcast(self, data: Data, shape: Shape) -> Data:
        return self.library.broadcast_to(data, shape)

    # Movement

    def gather(self, data: Data, indices: tuple[Data | int, ...]) -> Data:
        return data[tuple([signed(x) for x in indices])]

    def take(self, data: Data, indices: Data, axis: int) -> Data:
        return data.take(signed(indices), axis=axis)

    def take_along_axis(self, data: Data, indices: Data, axis: int) -> Data:
        return self.library.take_along_axis(data, signed(indices), axis=axis)

    def compress(self, data: Data, mask: Data) -> Data:
        return data[mask]

    def assign(self, data: Data, key: tuple[int | slice | None, ...], value: Data | Scalar) -> None:
        data[key] = value

    def assign_mask(self, data: Data, mask: Data, value: Data | Scalar) -> None:
        may_overlap = self.library.may_share_memory
        if hasattr(value, "shape") and may_overlap(data, value):
            value = value.copy()  # type: ignore[union-attr]
        data[mask.copy() if may_overlap(data, mask) else mask] = value

    def put_rows(self, data: Data, count: int, numbers: Data, rows: Data) -> None:
        """Write rows where the first ``count`` axes, as one, have these numbers; see Backend."""
        if self.library.may_share_memory(data, rows):
            rows = rows.copy()
        if count == 0:  # the only row, as often as it is written
            for row in rows[-1:]:
                data[...] = row
            return
        data[self.library.unravel_index(numbers, data.shape[:count])] = rows

    def concat(self, parts: Sequence[Data], axis: int) -> Data:
        return self.library.concatenate(parts, axis=axis)

    def repeat(self, data: Data, repeats: Data | int, axis: int) -> Data:
        return data.repeat(signed(repeats), axis=axis)

    def nonzero(self, data: Data) -> tuple[Data, ...]:
        return data.nonzero()

    # New data

    def full(self, shape: Shape, value: Scalar, dtype: DType) -> Data:
        return self.library.full(shape, value, dtype.__numpy_dtype__)

    def empty(self, shape: Shape, dtype: DType) -> Data:
        return self.library.empty(shape, dtype.__numpy_dtype__)

    def arange(self, start: Scalar, step: Scalar, count: int, dtype: DType) -> Data:
        numbers = self.library.arange(count)
        if dtype.kind in "iu":
            # Modulo 2**64, which is right for every integer dtype, uint64 included.
            unsigned = self.library.uint64
            first, distance = unsigned(int(start) % 2**64), unsigned(int(step) % 2**64)  # type: ignore[arg-type]
            return (numbers.astype(unsigned) * distance + first).astype(dtype.__numpy_dtype__)
        return (numbers * float(step) + float(start)).astype(dtype.__numpy_dtype__)  # type: ignore[arg-type]
