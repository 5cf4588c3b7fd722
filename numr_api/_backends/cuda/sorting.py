"""Sorting by CuPy's stable sorts, in the order that every device has: NaN is the largest."""

from __future__ import annotations

from typing import Any

from numr_api._backends.cuda.kernels import with_positive_nan

Data = Any

__all__ = ["argsort", "sort"]


def sort(data: Data, axis: int, descending: bool) -> Data:
    """Sorted along an axis; equal elements keep their order."""
    # Reversed before and after, so that they keep it if descending as well.
    reverse = _reversal(axis)
    result = _copy(data[reverse] if descending else data)
    if result.size:
        result.sort(axis=axis)
    return result[reverse] if descending else result


def argsort(data: Data, axis: int, descending: bool) -> Data:
    """Indices that sort along an axis; those of equal elements are in order."""
    reverse = _reversal(axis)
    keys = _copy(data[reverse] if descending else data)
    if not keys.size:
        return keys.astype("int64")
    order = keys.argsort(axis=axis)
    return (data.shape[axis] - 1 - order)[reverse] if descending else order


def _reversal(axis: int) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, slice(None, None, -1))


def _copy(data: Data) -> Data:
    """A row-major copy in which CuPy's sorts find NaN at the end."""
    return with_positive_nan(data) if data.dtype.kind == "f" else data.copy()
