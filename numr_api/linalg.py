"""Linear algebra: the standard's linalg extension.

Matrices are the last two axes of an array; leading axes are a stack of them, each handled alone.
Without a word to the contrary NaN gives NaN, and nothing is changed in place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api import _manipulation, _products, _reductions
from numr_api._declare import operation
from numr_api._linalg_decompositions import (
    as_matrices,
    cholesky,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    qr,
    svd,
    svdvals,
)
from numr_api._linalg_norms import matrix_norm, vector_norm
from numr_api._linalg_systems import det, inv, matrix_power, matrix_rank, pinv, slogdet, solve
from numr_api._products import matmul, matrix_transpose, tensordot, vecdot
from numr_api._shapes import as_int, broadcast

if TYPE_CHECKING:
    from numr_api._array import Array
    from numr_api._dtypes import DType

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


def __dir__() -> list[str]:
    return __all__


@operation("linalg")
def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Cross products of vectors with three elements.

    Arguments:
        x1, x2: numeric arrays of length 3 along ``axis``; other axes broadcast.
        axis: the axis of the vectors, counted from the end (from -1).

    Returns:
        Array of the promoted dtype and the broadcast shape.
    """
    name = "linalg.cross"
    first, second = _products.promoted(name, x1, x2)
    number = as_int(name, "axis", axis)
    rank = min(first.ndim, second.ndim)
    if not -rank <= number < 0:
        raise IndexError(f"{name}: axis must be from {-rank} to -1, got {number}")
    if first.shape[number] != 3 or second.shape[number] != 3:
        raise ValueError(
            f"{name}: vectors must have 3 elements, got {first.shape[number]} and "
            f"{second.shape[number]} along axis {number}"
        )
    broadcast(name, (first.shape, second.shape))
    a0, a1, a2 = _manipulation.unstack(first, axis=number)
    b0, b1, b2 = _manipulation.unstack(second, axis=number)
    product = [a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0]
    return _manipulation.stack(product, axis=number)


@operation("linalg")
def outer(x1: Array, x2: Array, /) -> Array:
    """Outer product of two vectors, ``x1[i] * x2[j]``.

    Arguments:
        x1: numeric array of shape (M,).
        x2: numeric array of shape (N,).

    Returns:
        Array of shape (M, N) and the promoted dtype.
    """
    first, second = _products.promoted("linalg.outer", x1, x2)
    if first.ndim != 1 or second.ndim != 1:
        raise ValueError(
            f"linalg.outer: needs two vectors, got shapes {first.shape} and {second.shape}"
        )
    return _manipulation.expand_dims(first, 1) * second


@operation("linalg")
def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """Diagonals of matrices, ``x[..., i, i + offset]``.

    Arguments:
        x: matrices of shape (..., M, N) and any dtype.
        offset: how far above the main diagonal; below it if negative.

    Returns:
        Array of shape (..., K) and x's dtype, where K is 0 for an offset beyond the matrix. It may
        share memory with x.
    """
    return _diagonal("linalg.diagonal", as_matrices("linalg.diagonal", x, "any"), offset)


def _diagonal(name: str, x: Array, offset: object) -> Array:
    shift = as_int(name, "offset", offset)
    *stack, rows, columns = x.shape
    row, column = max(-shift, 0), max(shift, 0)
    count = max(min(rows - row, columns - column), 0)
    step = columns + 1  # of the flattened matrix
    start = row * columns + column
    flat = _manipulation.reshape(x, (*stack, rows * columns))
    return flat[..., start : start + count * step : step]


@operation("linalg")
def trace(x: Array, /, *, offset: int = 0, dtype: DType | None = None) -> Array:
    """Sums along diagonals of matrices; 0 of an empty diagonal.

    Arguments:
        x: matrices of shape (..., M, N) and a numeric dtype.
        offset: how far above the main diagonal; below it if negative.
        dtype: of the result and of the accumulation; None for x's dtype, but integers narrower than
            the default integer are summed in that width.

    Returns:
        Array of shape (...).
    """
    name = "linalg.trace"
    matrices = as_matrices(name, x, "numeric")
    accumulator = _reductions.accumulator(name, matrices, dtype)
    matrices._type.of(accumulator, name)  # which the device must have
    return _reductions.sum(_diagonal(name, matrices, offset), axis=-1, dtype=accumulator)
