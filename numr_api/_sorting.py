"""Sorting along an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numr_api._checks import require_array
from numr_api._declare import operation, wrap
from numr_api._mode import relaxed_rules
from numr_api._shapes import as_axis, as_bool

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = ["argsort", "sort"]


def _checked(name: str, x: object, axis: int, descending: bool, stable: bool) -> tuple[Array, int]:
    array = require_array(name, x, "real-valued")
    as_bool(name, "descending", descending)
    as_bool(name, "stable", stable)
    return array, as_axis(name, axis, array.ndim)


@operation("sorting")
def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Indices that sort an array along an axis.

    Arguments:
        x: array of a real-valued dtype and of one axis or more.
        axis: the axis to sort along.
        descending: whether the largest comes first.
        stable: whether equal elements keep their order, also if descending.

    Returns:
        Array of x's shape and of the device's index dtype. NaN counts as the largest.
    """
    array, number = _checked("argsort", x, axis, descending, stable)
    data = array._type.backend.argsort(array._data, number, descending, stable)
    return wrap(data, array._type.of(array._type.backend.default_dtypes["indexing"]))


@operation("sorting")
def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The elements in order along an axis.

    Arguments:
        x: array of a real-valued dtype and of one axis or more.
        axis: the axis to sort along.
        descending: whether the largest comes first.
        stable: whether equal elements, such as 0.0 and -0.0, keep their order.

    Returns:
        Array of x's shape and dtype. NaN counts as the largest.
    """
    array, number = _checked("sort", x, axis, descending, stable)
    result = wrap(array._type.backend.sort(array._data, number, descending, stable), array._type)
    rules = None if array is x else relaxed_rules()
    return result if rules is None else rules.restored("sort", x, result)
