"""Which function computes an element-wise operation on the cpu."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api._backends.cpu import choosing, jit, transcendental
from numr_api._backends.cpu.repairs import REPAIRS
from numr_api._declare import large_kernels
from numr_api._dtypes import DType, float32, scalar_range

if TYPE_CHECKING:
    from numr_api._backends import Kernel

COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")

large_kernels[np.where] = choosing.where
for name in transcendental.NAMES:
    for kernel in (getattr(np, name), REPAIRS.get(name, {}).get("f")):
        if kernel is not None:
            large_kernels[kernel] = transcendental.shared(kernel)


def find_kernel(operation: str, operands: tuple[DType | type, ...], dtype: DType) -> Kernel:
    """NumPy's ufunc of that name, or what repairs, replaces or outdoes it."""
    if operation in ("where", "clip"):
        choice = np.where if operation == "where" else clip
        if int in operands and dtype.kind in "iu":
            return with_ints_in_range(choice, *scalar_range(dtype))
        return choice
    if operation in jit.NAMES and dtype is float32:
        compiled = jit.find_compiled(operation)
        if compiled is not None:
            return compiled
    for kinds, kernel in REPAIRS.get(operation, {}).items():
        if dtype.kind in kinds:
            return kernel if all_same(operands, dtype) else casting(kernel, operands, dtype)
    ufunc = getattr(np, operation)
    if operation in COMPARISONS and int in operands and dtype.kind in "iu":
        return with_ints_in_range(ufunc, *scalar_range(dtype))
    return ufunc


def all_same(operands: tuple[DType | type, ...], dtype: DType) -> bool:
    """Whether every array among the operands has the promoted dtype already."""
    return all(operand is dtype for operand in operands if isinstance(operand, DType))


def casting(kernel: Kernel, operands: tuple[DType | type, ...], dtype: DType) -> Kernel:
    """A kernel for operands of mixed dtypes; ufuncs promote by themselves, repairs do not."""
    target = dtype.__numpy_dtype__

    def cast_first(*values: Any, out: Any = None) -> Any:
        cast: list[Any] = [
            value.astype(target, copy=False) if isinstance(kind, DType) else value
            for value, kind in zip(values, operands, strict=True)
        ]
        return kernel(*cast) if out is None else kernel(*cast, out=out)

    return cast_first


def with_ints_in_range(function: Kernel, low: int, high: int) -> Kernel:
    """A function that refuses integer scalars out of range, which NumPy's cuts or compares."""

    def checked(*operands: Any, **out: Any) -> Any:
        for x in operands:
            if x.__class__ is int and not low <= x <= high:
                raise OverflowError
        return function(*operands, **out)

    return checked


def clip(x: Any, low: Any, high: Any, out: Any = None) -> Any:
    """Limits; either bound may be None."""
    if low is None:
        return np.positive(x, out=out) if high is None else np.minimum(x, high, out=out)
    if high is None:
        return np.maximum(x, low, out=out)
    if x.size < 4096:  # np.clip costs more than another pass
        return np.minimum(np.maximum(x, low), high, out=out)
    return np.clip(x, low, high, out=out)
