"""Distinct elements, and membership."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from numr_api._checks import as_operand, common_backend, common_dtype, is_array, require_array
from numr_api._declare import operation, wrap
from numr_api._dtypes import bool as bool_dtype
from numr_api._shapes import as_bool

if TYPE_CHECKING:
    from numr_api._array import Array
    from numr_api._backends import Scalar

__all__ = ["isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


class UniqueAll(NamedTuple):
    """What ``unique_all`` returns."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """What ``unique_counts`` returns."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """What ``unique_inverse`` returns."""

    values: Array
    inverse_indices: Array


def _unique(name: str, x: object, *parts: str) -> tuple[Array, ...]:
    """Values in ascending order, then the index arrays that ``parts`` name."""
    array = require_array(name, x)
    backend = array._type.backend
    values, *others = backend.routine("unique", array._data, parts=parts)
    index_type = array._type.of(backend.default_dtypes["indexing"])
    return wrap(values, array._type), *(wrap(data, index_type) for data in others)


@operation("set")
def unique_all(x: Array, /) -> UniqueAll:
    """The distinct elements, where each was first, which one each element is, and how often.

    Each NaN counts as distinct; 0.0 and -0.0 count as equal.

    Arguments:
        x: array of any dtype and shape, treated as flattened.

    Returns:
        ``values`` in ascending order, 1-dimensional; ``indices`` of their first occurrences;
        ``inverse_indices`` of x's shape, so that ``take(values, inverse_indices)`` restores x; and
        ``counts``. All but the values are of the device's index dtype.
    """
    return UniqueAll(*_unique("unique_all", x, "indices", "inverse", "counts"))


@operation("set")
def unique_counts(x: Array, /) -> UniqueCounts:
    """The distinct elements in ascending order, and how often each occurs; see ``unique_all``."""
    return UniqueCounts(*_unique("unique_counts", x, "counts"))


@operation("set")
def unique_inverse(x: Array, /) -> UniqueInverse:
    """The distinct elements in ascending order, and which one each is; see ``unique_all``."""
    return UniqueInverse(*_unique("unique_inverse", x, "inverse"))


@operation("set")
def unique_values(x: Array, /) -> Array:
    """The distinct elements in ascending order; each NaN counts as distinct.

    Arguments:
        x: array of any dtype and shape, treated as flattened.
    """
    return _unique("unique_values", x)[0]


@operation("set")
def isin(x1: Array | complex, x2: Array | complex, /, *, invert: bool = False) -> Array:
    """Whether each element of x1 is among those of x2; NaN never is.

    Arguments:
        x1, x2: arrays of any dtypes that promote; one may be a Python scalar.
        invert: whether to tell which are not.

    Returns:
        Boolean array of x1's shape.
    """
    operands = [as_operand("isin", x) for x in (x1, x2)]
    arrays = [x for x in operands if is_array(x)]
    if not arrays:
        raise TypeError("isin: at least one argument must be an array")
    as_bool("isin", "invert", invert)
    backend = common_backend("isin", arrays)
    dtype = arrays[0]._type.of(common_dtype("isin", operands), "isin").dtype
    data = [
        backend.cast(x._data, dtype) if is_array(x) else backend.full((), cast("Scalar", x), dtype)
        for x in operands
    ]
    result = arrays[0]._type.of(bool_dtype)
    return wrap(backend.routine("isin", *data, invert=invert), result)
