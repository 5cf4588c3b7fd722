"""Sorting by CuPy's stable sorts, in the order that every device has: NaN is the largest.

CuPy sorts numbers of one axis by their digits, where a negative NaN would come first; so what is
sorted is a copy whose order of digits is the one that is wanted, also if that is descending.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numr_api._backends.cuda.elementwise import Kernel
from numr_api._backends.cuda.elementwise_variants import Signature
from numr_api._backends.cuda.expressions import Row, expression
from numr_api._backends.cuda.kernels import cupy
from numr_api._backends.cuda.library import library
from numr_api._dtypes import BY_NUMPY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numr_api._dtypes import DType

Data = Any

__all__ = ["Sorting"]

KEYS: Mapping[str, Row] = {
    "sorted_ascending": {"iuc": "a", "f": "isnan_(a) ? nan_of<T>() : a"},
    "sorted_descending": {"iu": "T(~a)", "f": "isnan_(a) ? copysign_(nan_of<T>(), T(-1)) : -a"},
    "sorted_back": {"iu": "T(~a)", "f": "isnan_(a) ? nan_of<T>() : -a"},
}


class Sorting:
    """Sorting on one device. Methods are called while it is current."""

    def __init__(self) -> None:
        self._kernels: dict[tuple[str, DType], Any] = {}

    def sort(self, data: Data, axis: int, descending: bool) -> Data:
        """Sorted along an axis; equal elements keep their order."""
        if data.ndim > 1:
            # Reversed before and after, so that they keep it if descending as well.
            reverse = _reversal(axis)
            result = self._keys(data[reverse] if descending else data)
            if result.size:
                result.sort(axis=axis)
            return result[reverse] if descending else result
        result = self._keys(data, "sorted_descending" if descending else "sorted_ascending")
        if result.size:
            result.sort()
        return self._kernel("sorted_back", result)(result, out=result) if descending else result

    def argsort(self, data: Data, axis: int, descending: bool) -> Data:
        """Indices that sort along an axis; those of equal elements are in order."""
        if data.ndim > 1:
            reverse = _reversal(axis)
            keys = self._keys(data[reverse] if descending else data)
            if not keys.size:
                return keys.astype("int64")
            order = keys.argsort(axis=axis)
            return (data.shape[axis] - 1 - order)[reverse] if descending else order
        keys = self._keys(data, "sorted_descending" if descending else "sorted_ascending")
        return order_of(keys) if keys.size else cupy.empty(0, "int64")

    def sort_with_order(self, data: Data) -> tuple[Data, Data]:
        """The elements of one axis in ascending order, and the indices that sort them."""
        keys = self._keys(data)
        return keys, order_of(keys)

    def _keys(self, data: Data, order: str = "sorted_ascending") -> Data:
        """A row-major copy that CuPy sorts in some order."""
        return self._kernel(order, data)(data, out=cupy.empty(data.shape, data.dtype))

    def _kernel(self, name: str, data: Data) -> Any:
        dtype = BY_NUMPY[data.dtype]
        kernel = self._kernels.get((name, dtype))
        if kernel is None:
            kernel = self._kernels[name, dtype] = find_kernel(name, dtype)
        return kernel


def find_kernel(name: str, dtype: DType) -> Any:
    """The kernel of a row of KEYS."""
    body = expression(KEYS[name], dtype.kind)
    assert body is not None
    return Kernel(library(), Signature(name, body, (dtype,), (dtype,), dtype))


def order_of(keys: Data) -> Data:
    """Indices that sort an array of one axis, which is sorted itself.

    CuPy's method would sort a copy of it.
    """
    order = cupy.empty(keys.shape, "int64")
    cupy.cuda.thrust.argsort(keys.dtype, order.data.ptr, keys.data.ptr, 0, keys.shape)
    return order


def _reversal(axis: int) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, slice(None, None, -1))
