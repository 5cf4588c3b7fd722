"""Transforms: Walsh and Hadamard's. Inputs may be strided and empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api._checks import require_array
from numr_api._linalg_decompositions import compute
from numr_api._shapes import as_int
from numr_api.extensions._declare import ACCEPTS, extension, require_one_dtype

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = ["fwht"]

LARGEST = 2**20  # elements of a block


@extension("transform")
def fwht(x: Array, /, *, block_size: int | None = None, signs: Array | None = None) -> Array:
    """Walsh-Hadamard transform of blocks of the last axis, ``(x * signs) @ H / sqrt(n)``.

    n is the size of a block. H is Sylvester's matrix, in which row i and column j meet in
    ``(-1)**popcount(i & j)``, so that without signs the transform is its own inverse, and keeps the
    Euclidean norm. It takes ``n * log2(n)`` additions, and gives a block the same bits whatever
    stands beside it. In float16 and bfloat16 it is computed in float32 and rounded once. Errors are
    at most about ``log2(n) / 2`` units in the last place of the block's norm.

    Source: B. J. Fino, V. R. Algazi, "Unified matrix treatment of the fast Walsh-Hadamard
    transform", IEEE Transactions on Computers 25 (1976).

    Arguments:
        x: array of one axis or more and of a real floating-point dtype.
        block_size: a power of two, at most 2**20, that divides the length of the last axis; None
            for that length.
        signs: what x is multiplied by before, an array of x's dtype and of one axis as long as x's
            last, usually of 1 and -1; None for nothing.

    Returns:
        Array of x's shape and dtype.

    Raises:
        ValueError: x is 0-dimensional, ``block_size`` is none that is allowed, or signs have
            another shape.
    """
    array = require_array("fwht", x, ACCEPTS)
    if array.ndim == 0:
        raise ValueError("fwht: needs an array of one axis or more, got a 0-dimensional one")
    length = array.shape[-1]
    size = length if block_size is None else as_int("fwht", "block_size", block_size)
    if block_size is None and not length:
        size = 1  # of which there is no block
    if size < 1 or size & (size - 1) or size > LARGEST:
        raise ValueError(f"fwht: block_size must be a power of two from 1 to 2**20, got {size}")
    if length % size:
        raise ValueError(f"fwht: blocks of {size} do not divide a last axis of length {length}")
    if signs is None:
        return compute("fwht", "fwht", (array,), (array.dtype,), block_size=size)[0]
    factors = require_array("fwht", signs, ACCEPTS)
    require_one_dtype("fwht", array, factors)
    if factors.shape != (length,):
        raise ValueError(
            f"fwht: signs must have shape ({length},), as long as the last axis, "
            f"got {factors.shape}"
        )
    return compute("fwht", "fwht", (array, factors), (array.dtype,), block_size=size)[0]
