"""Elements written to other arrays: copied, converted, or all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numr_api._backends.cuda.elementwise import find_cast, find_copy, find_fill
from numr_api._backends.cuda.library import Library, library as of_cupy
from numr_api._dtypes import BY_NUMPY, EXTENSIONS, float32

if TYPE_CHECKING:
    from numr_api._backends import Scalar
    from numr_api._backends.cuda.elementwise import Kernel
    from numr_api._dtypes import DType

Data = Any


class Copies:
    """The kernels of one device that copy elements. Methods are called while it is current."""

    def __init__(self, library: Library | None = None) -> None:
        self._library = library or of_cupy()
        self._copies: dict[int, Kernel] = {}
        self._casts: dict[tuple[Any, Any], Kernel] = {}
        self._fills: dict[Any, Kernel] = {}

    def row_major(self, data: Data, dtype: Any = None) -> Data:
        """The data themselves if they are row-major and of a dtype of NumPy's; else a copy."""
        dtype = dtype or data.dtype
        if data._c_contiguous and data.dtype == dtype:
            return data
        result = self._library.empty(data.shape, dtype)
        self.write(result, data)
        return result

    def cast(self, data: Data, dtype: DType) -> Data:
        """New data of a dtype, whose axes lie in the same order."""
        return self._cast(data.dtype, dtype.__numpy_dtype__)(data)

    def is_narrow(self, data: Data) -> bool:
        """Whether data are numbers of 16 or 8 bits."""
        return BY_NUMPY[data.dtype] in EXTENSIONS

    def widened(self, data: Data) -> Data:
        """Such numbers in float32; others as they are."""
        return self.cast(data, float32) if self.is_narrow(data) else data

    def as_of(self, data: Data, like: Data) -> Data:
        """Numbers in the dtype of other data, from which they were computed."""
        return data if data.dtype == like.dtype else self.cast(data, BY_NUMPY[like.dtype])

    def write(self, target: Data, value: Data) -> None:
        """Write elements, which may be of another dtype, and lie elsewhere.

        The value broadcasts to the target, whose elements share no memory.
        """
        if not target.size:
            return
        if value.dtype == target.dtype:
            size = value.itemsize
            kernel = self._copies.get(size)
            if kernel is None:
                kernel = self._copies[size] = find_copy(size, self._library)
        else:
            kernel = self._cast(value.dtype, target.dtype)
        kernel.write(target, (value,))

    def fill(self, target: Data, value: Scalar) -> None:
        """Write a Python scalar to all elements; OverflowError if an integer is out of range.

        CuPy's own way writes +0 for -0.
        """
        scalars = self.scalars(value, target.dtype)
        if target.size:
            self._fills[target.dtype].write(target, (), scalars)

    def scalars(self, value: Scalar, dtype: Any) -> tuple[Any, ...]:
        """The parts of a Python scalar in a dtype of NumPy's; OverflowError as in ``fill``."""
        kernel = self._fills.get(dtype)
        if kernel is None:
            kernel = self._fills[dtype] = find_fill(BY_NUMPY[dtype], self._library)
        return kernel.scalar(value)

    def _cast(self, source: Any, target: Any) -> Kernel:
        kernel = self._casts.get((source, target))
        if kernel is None:
            kernel = find_cast(BY_NUMPY[source], BY_NUMPY[target], self._library)
            self._casts[source, target] = kernel
        return kernel
