"""The cpu on floating-point numbers of 16 and 8 bits: computed in float32, rounded once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from numr_api._backends.cpu import padding, rows, snake, walsh_hadamard
from numr_api._backends.cpu.elementwise import find_kernel
from numr_api._backends.cpu.fused import find_fused
from numr_api._backends.cpu.standard import StandardBackend
from numr_api._dtypes import BY_NUMPY, EXTENSIONS, DType, computed, float64
from numr_api._rounding import converted, scalar

if TYPE_CHECKING:
    from numr_api._backends import Axes, Data, Kernel, Scalar, Shape

# Those of the extensions, which do with narrow numbers what is best.
ROUTINES: dict[str, Callable[..., Any]] = {
    **padding.ROUTINES,
    **rows.ROUTINES,
    **snake.ROUTINES,
    **walsh_hadamard.ROUTINES,
}

# NumPy's characters of these dtypes, which are quicker to compare.
CHARACTERS = frozenset(dtype.__numpy_dtype__.char for dtype in EXTENSIONS)
_BITS = {1: np.uint8, 2: np.uint16}
where: Any = np.where


def is_narrow(data: Data) -> bool:
    return data.dtype.char in CHARACTERS


def widened(data: Data) -> Data:
    """Numbers that are narrower than float32 in float32; anything else as it is."""
    if data.dtype.char not in CHARACTERS:
        return data
    with np.errstate(invalid="ignore"):  # of signalling NaN
        return data.astype(np.float32)


class CpuBackend(StandardBackend):
    """Data is ``numpy.ndarray``; movement is NumPy's for these dtypes as well."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        standard = dict(self.shortcuts)
        for name in ("mean", "std", "var"):
            standard[name] = partial(self._statistic, standard[name])
        self.shortcuts = standard

    def elementwise(
        self, operation: str, operands: tuple[DType | type, ...], dtype: DType, result: DType
    ) -> Kernel:
        fused = find_fused(operation, dtype)
        if fused is not None:
            return fused
        if not any(operand in EXTENSIONS for operand in operands):
            return super().elementwise(operation, operands, dtype, result)
        if operation == "nextafter":
            return partial(_next_after, dtype)
        wide = tuple(computed(x) if isinstance(x, DType) else x for x in operands)
        return _elementwise(find_kernel(operation, wide, computed(dtype)), dtype, result)

    def cast(self, data: Data, dtype: DType) -> Data:
        if dtype in EXTENSIONS:
            return self.silently(converted, data, dtype)
        return super().cast(widened(data), dtype) if is_narrow(data) else super().cast(data, dtype)

    # Along axes

    def reduction(self, operation: str, dtype: DType, result: DType) -> Kernel:
        if dtype not in EXTENSIONS and result not in EXTENSIONS:
            return super().reduction(operation, dtype, result)
        reduce = super().reduction(operation, computed(dtype), computed(result))

        def kernel(data: Data, axes: Axes, keepdims: bool) -> Data:
            return _rounded(reduce(widened(data), axes, keepdims), result)

        return kernel

    def scan(self, operation: str, data: Data, axis: int, dtype: DType) -> Data:
        found = super().scan(operation, widened(data), axis, computed(dtype))
        return self.silently(_rounded, found, dtype)

    def _statistic(self, statistic: Kernel, data: Data, *given: Any) -> Data:
        found = statistic(widened(data), *given)
        return self.silently(_rounded, found, BY_NUMPY[data.dtype]) if is_narrow(data) else found

    def sort(self, data: Data, axis: int, descending: bool, stable: bool) -> Data:
        if not is_narrow(data):
            return super().sort(data, axis, descending, stable)
        found = self.silently(super().sort, widened(data), axis, descending, stable)
        return self.silently(converted, found, BY_NUMPY[data.dtype])

    def argsort(self, data: Data, axis: int, descending: bool, stable: bool) -> Data:
        if not is_narrow(data):
            return super().argsort(data, axis, descending, stable)
        return self.silently(super().argsort, widened(data), axis, descending, stable)

    def matmul(self, x1: Data, x2: Data) -> Data:
        product = super().matmul(widened(x1), widened(x2))
        return self.silently(_rounded, product, BY_NUMPY[x1.dtype]) if is_narrow(x1) else product

    # Movement

    def assign(self, data: Data, key: tuple[int | slice | None, ...], value: Data | Scalar) -> None:
        super().assign(data, key, _fitting(data, value))

    def assign_mask(self, data: Data, mask: Data, value: Data | Scalar) -> None:
        super().assign_mask(data, mask, _fitting(data, value))

    def nonzero(self, data: Data) -> tuple[Data, ...]:
        return super().nonzero(widened(data))

    # New data

    def full(self, shape: Shape, value: Scalar, dtype: DType) -> Data:
        if dtype not in EXTENSIONS:
            return super().full(shape, value, dtype)
        return np.full(shape, scalar(value, dtype), dtype.__numpy_dtype__)

    def arange(self, start: Scalar, step: Scalar, count: int, dtype: DType) -> Data:
        if dtype not in EXTENSIONS:
            return super().arange(start, step, count, dtype)
        numbers = np.arange(count) * float(step) + float(start)  # type: ignore[arg-type]
        return self.silently(converted, numbers, dtype)

    def routine(self, name: str, *operands: Data, **parameters: Any) -> Any:
        if name in ROUTINES:
            if name == "pad":
                parameters["value"] = _fitting(operands[0], parameters["value"])
            with np.errstate(all="ignore"):
                return ROUTINES[name](*operands, **parameters)
        dtype = parameters.get("dtype")
        if dtype in EXTENSIONS:
            found = super().routine(name, *operands, **{**parameters, "dtype": float64})
            return self.silently(converted, found, dtype)
        narrow = next((BY_NUMPY[x.dtype] for x in operands if is_narrow(x)), None)
        if narrow is None:
            return super().routine(name, *operands, **parameters)
        outcome = super().routine(name, *map(widened, operands), **parameters)
        if isinstance(outcome, tuple):
            parts = cast("tuple[Any, ...]", outcome)
            return tuple([_rounded(x, narrow) if x.dtype.kind == "f" else x for x in parts])
        return _rounded(outcome, narrow) if outcome.dtype.kind == "f" else outcome


def _rounded(x: Any, dtype: DType) -> Any:
    return converted(np.asarray(x), dtype) if dtype in EXTENSIONS else x


def _fitting(data: Data, value: Data | Scalar) -> Data | Scalar:
    """A scalar that is to be written to data, rounded once to their dtype."""
    if hasattr(value, "shape") or not is_narrow(data):
        return value
    return scalar(value, BY_NUMPY[data.dtype])  # type: ignore[arg-type]


def _elementwise(inner: Kernel, dtype: DType, result: DType) -> Kernel:
    """A kernel in float32; Python scalars are rounded to the operands' dtype first."""

    def operand(x: Any) -> Any:
        if isinstance(x, np.ndarray | np.generic):
            return widened(x)
        if x is None or dtype not in EXTENSIONS:
            return x
        return np.float32(scalar(x, dtype))

    def kernel(*operands: Any, out: Any = None) -> Any:
        found = inner(*map(operand, operands))
        if result in EXTENSIONS:
            found = converted(np.asarray(found), result)
        if out is None:
            return found
        out[...] = found
        return out

    return kernel


def _next_after(dtype: DType, x1: Any, x2: Any, out: Any = None) -> Any:
    """The neighbour of x1 in the direction of x2: one up or down in the order of the bits."""
    given: list[Any] = [
        x if isinstance(x, np.ndarray) else np.asarray(scalar(x, dtype)) for x in (x1, x2)
    ]
    start, goal = cast("tuple[Any, Any]", np.broadcast_arrays(*given))
    here, there = start.astype(np.float32), goal.astype(np.float32)
    bits: Any = start.astype(dtype.__numpy_dtype__).view(_BITS[dtype.itemsize])
    one, sign = bits.dtype.type(1), bits.dtype.type(1 << (8 * dtype.itemsize - 1))
    away = (there > here) == (here > 0)  # from zero
    moved = where(away, bits + one, bits - one)
    moved = where(here == 0, where(there > 0, one, sign | one), moved)
    moved = where(here == there, goal.view(bits.dtype), moved)
    found = moved.view(dtype.__numpy_dtype__)
    invalid = np.isnan(here) | np.isnan(there)
    found = where(invalid, np.asarray(np.nan, dtype.__numpy_dtype__), found)
    if out is None:
        return found
    out[...] = found
    return out
