"""Normalization of rows. Inputs may be strided and empty; what a row gives depends on no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api._checks import require_array
from numr_api._linalg_decompositions import compute
from numr_api._shapes import as_axis
from numr_api.extensions._declare import ACCEPTS, as_eps, extension

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = ["l2_normalize"]


@extension("normalization")
def l2_normalize(x: Array, /, *, axis: int = -1, eps: float = 1e-12) -> Array:
    """``x / max(norm, eps)`` with the Euclidean norm along an axis.

    The norm neither overflows nor underflows, in float16 and bfloat16 either, which are computed in
    float32 and rounded once. Zeros give zeros. Where a row has an infinity, infinities become NaN
    and all else 0; a row with NaN is all NaN. float32 and float64 err by about 2 units in the last
    place.

    Arguments:
        x: array of one axis or more and of a real floating-point dtype, float16 and bfloat16 among
            them.
        axis: one axis.
        eps: a finite number of at least 0; shorter vectors are divided by it instead.

    Returns:
        Array of x's shape and dtype.

    Raises:
        IndexError: x has no such axis.
        ValueError: eps is negative or not finite.
    """
    array = require_array("l2_normalize", x, ACCEPTS)
    parameters = {
        "axis": as_axis("l2_normalize", axis, array.ndim),
        "eps": as_eps("l2_normalize", eps),
    }
    return compute("l2_normalize", "l2_normalize", (array,), (array.dtype,), **parameters)[0]
