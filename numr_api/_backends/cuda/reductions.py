"""Reductions by CuPy, and what it refuses: axes that have no elements."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from numr_api._backends.cuda.kernels import cupy

if TYPE_CHECKING:
    from numr_api._backends import Axes, Data, Kernel
    from numr_api._dtypes import DType

__all__ = ["find_kernel"]


def find_kernel(operation: str, result: DType) -> Kernel:
    """The kernel of a reduction, called as ``kernel(data, axes, keepdims)``."""
    if operation in ("argmax", "argmin"):
        return _locating(operation)
    if operation in ("max", "min"):
        return _extreme(operation)
    if operation in ("all", "any"):
        return _testing(operation)
    if operation == "count_nonzero":
        return _count
    return _adding(operation, result)


def _shape(data: Data, axes: Axes, keepdims: bool) -> tuple[int, ...]:
    """The shape of a result."""
    if keepdims:
        return tuple([1 if axis in axes else length for axis, length in enumerate(data.shape)])
    return tuple([length for axis, length in enumerate(data.shape) if axis not in axes])


def _adding(operation: str, result: DType) -> Kernel:
    dtype = result.__numpy_dtype__

    def add(data: Data, axes: Axes, keepdims: bool) -> Data:
        if not axes:
            return data.astype(dtype)
        return getattr(data, operation)(axis=axes, dtype=dtype, keepdims=keepdims)

    return add


def _testing(operation: str) -> Kernel:
    def test(data: Data, axes: Axes, keepdims: bool) -> Data:
        return data != 0 if not axes else getattr(data, operation)(axis=axes, keepdims=keepdims)

    return test


def _count(data: Data, axes: Axes, keepdims: bool) -> Data:
    if not axes:
        return (data != 0).astype("int64")
    return cupy.count_nonzero(data, axis=axes).reshape(_shape(data, axes, keepdims))


def _extreme(operation: str) -> Kernel:
    def extreme(data: Data, axes: Axes, keepdims: bool) -> Data:
        if not axes:
            return data.copy()
        if data.size:
            return getattr(data, operation)(axis=axes, keepdims=keepdims)
        _require_elements(data, axes)
        return cupy.empty(_shape(data, axes, keepdims), data.dtype)

    return extreme


def _locating(operation: str) -> Kernel:
    def locate(data: Data, axes: Axes, keepdims: bool) -> Data:
        if not data.size:
            _require_elements(data, axes)
            return cupy.empty(_shape(data, axes, keepdims), "int64")
        axis = axes[0] if len(axes) == 1 else None
        found = getattr(data, operation)(axis=axis)
        return found.astype("int64", copy=False).reshape(_shape(data, axes, keepdims))

    return locate


def _require_elements(data: Data, axes: Axes) -> None:
    if not prod(data.shape[axis] for axis in axes):
        raise ValueError("there are no elements")
