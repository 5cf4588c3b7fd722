"""Differences between neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api import _arithmetic, _manipulation
from numr_api._checks import require_array
from numr_api._declare import operation
from numr_api._mode import relaxed_rules
from numr_api._shapes import as_axis, as_int

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = ["diff"]


@operation("utility")
def diff(
    x: Array,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Array | None = None,
    append: Array | None = None,
) -> Array:
    """Differences between neighbours along an axis, ``x[i + 1] - x[i]``.

    Arguments:
        x: array of a numeric dtype and of one axis or more.
        axis: the axis along which neighbours are.
        n: how often to take differences.
        prepend, append: arrays to put before and after x along ``axis`` first.

    Returns:
        Array of x's dtype, shorter by n along ``axis``.
    """
    array = require_array("diff", x, "numeric")
    converted = array is not x
    number = as_axis("diff", axis, array.ndim)
    times = as_int("diff", "n", n)
    if times < 0:
        raise ValueError(f"diff: n cannot be negative, got {times}")
    parts = [
        part if part is array else _end(part, array, number)
        for part in (prepend, array, append)
        if part is not None
    ]
    if len(parts) > 1:
        array = _manipulation.concat_checked("diff", parts, number)
    front = (slice(None),) * number
    for _ in range(min(times, array.shape[number])):  # after that nothing is left
        later, earlier = array[(*front, slice(1, None), ...)], array[(*front, slice(-1), ...)]
        array = _arithmetic.subtract(later, earlier)
    rules = relaxed_rules() if converted else None
    return array if rules is None else rules.restored("diff", x, array)


def _end(part: object, array: Array, axis: int) -> Array:
    """What diff puts at an end of an array: part, or in relaxed mode a number repeated."""
    rules = relaxed_rules()
    if rules is None:
        return require_array("diff", part)
    end = rules.as_array(part, "any", array.device)
    if end is None or end.ndim:
        return require_array("diff", part)
    shape = (*array.shape[:axis], 1, *array.shape[axis + 1 :])
    return _manipulation.broadcast_to(end, shape)
