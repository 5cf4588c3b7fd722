"""Matrix products of float16 and bfloat16 by cuBLAS, summed in float32 and rounded once.

CuPy's own let cuBLAS round the parts of a sum that several blocks make.
"""

from __future__ import annotations

from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api._backends.cuda.arrays import empty
from numr_api._backends.cuda.kernels import cupy
from numr_api._backends.cuda.layouts import common_shape, merged

if TYPE_CHECKING:
    from numr_api._backends import Shape
    from numr_api._backends.cuda.copies import Copies

Data = Any

__all__ = ["matmul"]

# Of cublas_api.h and library_types.h.
TYPES = {"float16": 2, "bfloat16": 14}
IN_FLOAT32 = 68  # CUBLAS_COMPUTE_32F
ANY_ALGORITHM = -1
SUMS_IN_FLOAT32 = 16  # CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION

_factors = np.array([1.0, 0.0], np.float32)  # of the product, and of what was there before


def matmul(x1: Data, x2: Data, copies: Copies) -> Data:
    """``x1 @ x2`` with the standard's broadcasting, of data of one dtype."""
    first = x1[None, :] if x1.ndim == 1 else x1
    second = x2[:, None] if x2.ndim == 1 else x2
    (m, k), n = first.shape[-2:], second.shape[-1]
    outer = common_shape([first.shape[:-2], second.shape[:-2]])
    result = empty((*outer, m, n), x1.dtype)
    if result.size and k:
        _multiply(_in_rows(first, copies), _in_rows(second, copies), outer, result)
    else:
        copies.fill(result, 0.0)
    shape = outer + (() if x1.ndim == 1 else (m,)) + (() if x2.ndim == 1 else (n,))
    return result.reshape(shape)


def _in_rows(x: Data, copies: Copies) -> Data:
    """Matrices whose rows or columns are contiguous."""
    return x if _layout(x) else copies.row_major(x)


def _layout(x: Data) -> tuple[int, int] | None:
    """Whether it is columns that are contiguous, and the elements from one row or column to the
    next; None if neither is, or if they overlap."""
    (rows, columns), size = x.shape[-2:], x.itemsize
    down, across = (step // size for step in x.strides[-2:])
    if (across == 1 or columns == 1) and (down >= columns or rows == 1):
        return 0, max(down, columns)
    if (down == 1 or rows == 1) and (across >= rows or columns == 1):
        return 1, max(across, rows)
    return None


def _multiply(x1: Data, x2: Data, outer: Shape, result: Data) -> None:
    """Write the products. cuBLAS takes rows for columns, and so the operands in the other order."""
    cublas: Any = import_module("cupy_backends.cuda.libs.cublas")
    handle = cupy.cuda.device.get_cublas_handle()
    (m, k), n = x1.shape[-2:], x2.shape[-1]
    kind, size = TYPES[x1.dtype.name], x1.itemsize
    columns = zip(*(_steps(x, len(outer)) for x in (x1, x2, result)), strict=True)
    lengths, steps = merged(outer, list(columns)) if outer else ((1,), [(0,)] * 3)
    (transposed1, step1), (transposed2, step2) = _layout(x1), _layout(x2)  # type: ignore[misc]
    one, zero = _factors.ctypes.data, _factors.ctypes.data + _factors.itemsize
    mode = cublas.getMathMode(handle)
    cublas.setMathMode(handle, SUMS_IN_FLOAT32)
    try:
        for place in product(*map(range, lengths[:-1])):
            address1, address2, address = (
                x.data.ptr + size * sum(i * s for i, s in zip(place, step, strict=False))
                for x, step in zip((x1, x2, result), steps, strict=True)
            )
            cublas.gemmStridedBatchedEx(
                handle, transposed2, transposed1, n, m, k,
                one, address2, kind, step2, steps[1][-1], address1, kind, step1, steps[0][-1],
                zero, address, kind, n, steps[2][-1],
                lengths[-1], IN_FLOAT32, ANY_ALGORITHM,
            )  # fmt: skip
    finally:
        cublas.setMathMode(handle, mode)


def _steps(x: Data, rank: int) -> list[int]:
    """The elements from one matrix to the next along axes that it is broadcast to."""
    lengths, strides = x.shape[:-2], x.strides[:-2]
    found = [
        0 if length == 1 else stride // x.itemsize
        for length, stride in zip(lengths, strides, strict=True)
    ]
    return [0] * (rank - len(found)) + found
