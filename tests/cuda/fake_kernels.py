"""What NumPy does instead of the device's own kernels."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api._dtypes import DType, scalar_range

if TYPE_CHECKING:
    from numr_api._backends import Kernel

# Where CuPy has another name.
NAMES = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "pow": "power",
}


def find_kernel(
    operation: str, operands: tuple[DType | type, ...], dtype: DType, result: DType
) -> Kernel:
    """The function that computes an operation; integers out of range are an OverflowError."""
    if operation == "clip":
        function: Kernel = _clip
    elif operation in ("real", "imag"):
        function = _part(operation)
    elif operation == "where":
        function = _where
    else:
        function = getattr(sys.modules["cupy"], NAMES.get(operation, operation))
    if int not in operands or dtype.kind not in "iu":
        return function
    low, high = scalar_range(dtype)

    def checked(*values: Any, out: Any = None) -> Any:
        for value in values:
            if value.__class__ is int and not low <= value <= high:
                raise OverflowError
        return function(*values) if out is None else function(*values, out=out)

    return checked


def _where(mask: Any, x1: Any, x2: Any) -> Any:
    return sys.modules["cupy"].where(mask, x1, x2)


def _part(name: str) -> Kernel:
    def kernel(x: Any, out: Any = None) -> Any:
        part = getattr(x, name)
        if out is None:
            return part
        out[...] = part
        return out

    return kernel


def _clip(x: Any, low: Any, high: Any) -> Any:
    """Limits; either bound may be None."""
    if low is not None:
        x = sys.modules["cupy"].maximum(x, low)
    if high is not None:
        x = sys.modules["cupy"].minimum(x, high)
    return x.copy() if low is None and high is None else x


class Scans:
    """Running sums by NumPy."""

    def __init__(self, copies: Any) -> None:
        pass

    def scan(self, operation: str, data: Any, axis: int) -> Any:
        function = data.cumsum if operation == "cumulative_sum" else data.cumprod
        return function(axis=axis, dtype=data.dtype)


class Compaction:
    """What masks choose by NumPy; how many there are is read where the device reads it."""

    def __init__(self, scans: Scans, copies: Any, look: Any) -> None:
        self._look = look

    def compress(self, data: Any, mask: Any) -> Any:
        mask.sum().get()
        self._look()
        return data[mask]

    def nonzero(self, data: Any) -> Any:
        (data != 0).sum().get()
        self._look()
        return data.nonzero()

    def assign(self, data: Any, mask: Any, value: Any) -> None:
        data[mask] = value


def find_sorting_kernel(name: str, dtype: DType) -> Kernel:
    """The function that makes what is sorted of elements."""

    def change(x: Any, out: Any) -> Any:
        if dtype.kind == "f":
            sign = 1 if name == "sorted_ascending" else -1
            out[...] = np.where(np.isnan(x), np.nan, sign * x)
        else:
            out[...] = x if name == "sorted_ascending" else ~x
        return out

    return change


def order_of(keys: Any) -> Any:
    """Indices that sort, and what is sorted."""
    order = keys.argsort()
    keys.sort()
    return order


def find_reduction(operation: str, dtype: DType, result: DType) -> Kernel:
    """The function that reduces along axes."""
    numpy_dtype = result.__numpy_dtype__

    def reduce(data: Any, axes: Any, keepdims: bool, divisor: float = 1.0) -> Any:
        cupy = sys.modules["cupy"]
        if operation in ("var", "std"):
            mean = cupy.mean(data, axis=axes, keepdims=True)
            squares = cupy.sum((data - mean) ** 2, axis=axes, keepdims=keepdims)
            found = squares / divisor
            return (cupy.sqrt(found) if operation == "std" else found).astype(numpy_dtype)
        if operation in ("argmax", "argmin"):
            axes = axes[0] if len(axes) == 1 else None
        found = getattr(cupy, operation)(data, axis=axes, keepdims=keepdims)
        return found.astype(numpy_dtype)

    return reduce


class Writing:
    """A kernel of one operand that makes new data, or writes to data that exist."""

    def __init__(self, dtype: Any = None) -> None:
        self._dtype = dtype

    def __call__(self, x: Any) -> Any:
        return x != 0 if self._dtype == "bool" else x.astype(self._dtype)

    def scalar(self, value: Any) -> tuple[Any]:
        with np.errstate(over="ignore"):
            return (np.asarray(value, self._dtype)[()],)

    def write(self, out: Any, arrays: Any, scalars: Any = ()) -> None:
        (value,) = (*arrays, *scalars)
        assert value.ndim <= out.ndim  # which kernels do not check, nor the lengths
        lengths = zip(value.shape[::-1], out.shape[::-1], strict=False)
        assert all(length in (1, wanted) for length, wanted in lengths)
        out[...] = value


def find_cast(source: DType, target: DType, library: Any) -> Writing:
    return Writing(target.__numpy_dtype__)


def find_fill(dtype: DType, library: Any) -> Writing:
    return Writing(dtype.__numpy_dtype__)


def find_copy(size: int, library: Any) -> Writing:
    return Writing()


class Gathering:
    """Elements taken by arrays of indices; faults are noted as the kernel does."""

    def __call__(self, faults: Any, data: Any, shape: Any, selections: Any, accesses: Any) -> Any:
        places: list[Any] = [
            np.arange(n).reshape((n,) + (1,) * max(0, len(shape) - 1 - axis))
            for axis, n in enumerate(data.shape)
        ]
        wrong: list[int] = []
        for number, (axis, indices, start) in enumerate(selections):
            length = data.shape[axis]
            found = np.array([int(x) for x in indices.ravel()], object)
            found += length * (found < 0)
            bad = (found < 0) | (found >= length)
            wrong += [number] * bool(bad.any())
            found[bad] = 0
            after = len(shape) - start - indices.ndim
            places[axis] = found.astype(int).reshape(indices.shape + (1,) * after)

        def launch(word: int, numbers: Any) -> None:
            fault = ctypes.c_uint32.from_address(word)
            fault.value = max([fault.value, *(numbers[number] for number in wrong)])

        if accesses is not None:
            faults.watch(launch, accesses)
        if 0 in shape:
            return sys.modules["cupy"].ndarray(shape, data.dtype)
        values = np.broadcast_to(data.view(np.ndarray)[tuple(places)], shape)
        return values.copy().view(type(data))


class Range:
    """Numbers at equal distances."""

    def __init__(self, dtype: DType) -> None:
        self._dtype = dtype.__numpy_dtype__

    def __call__(self, start: Any, step: Any, count: int) -> Any:
        numbers = np.array([start + step * i for i in range(count)], self._dtype)
        return numbers.view(sys.modules["cupy"].ndarray)
