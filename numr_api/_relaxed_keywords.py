"""Functions of the standard with more keywords, which consumers pass that know NumPy.

They take the place of the standard's only if NUMR_API_MODE is "relaxed" when numr_api is imported:
keywords are part of a function's signature, which no context may change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numr_api import _creation, _data_types, _manipulation, _reductions

if TYPE_CHECKING:
    from numr_api._array import Array

Axis = int | tuple[int, ...] | None

__all__ = ["full_like", "mean", "squeeze", "std", "var"]


def _cast(x: Array, dtype: Any) -> Array:
    return x if dtype is None else _data_types.astype(x, dtype, copy=False)


def mean(x: Array, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """``mean``, computed in ``dtype`` if it is given."""
    return _reductions.mean(_cast(x, dtype), axis=axis, keepdims=keepdims)


def _spread(name: str) -> Callable[..., Array]:
    """``var`` or ``std`` with NumPy's keywords."""
    function = getattr(_reductions, name)

    def spread(
        x: Array,
        /,
        *,
        axis: Axis = None,
        correction: float = 0.0,
        keepdims: bool = False,
        ddof: float | None = None,
        dtype: Any = None,
    ) -> Array:
        freedom = correction if ddof is None else ddof
        return function(_cast(x, dtype), axis=axis, correction=freedom, keepdims=keepdims)

    spread.__name__ = spread.__qualname__ = name  # by which it is pickled
    spread.__doc__ = (
        f"``{name}``, computed in ``dtype`` if it is given; ``ddof`` is another name of "
        "``correction``."
    )
    return spread


var = _spread("var")
std = _spread("std")


def full_like(
    x: Array,
    /,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    shape: Any = None,
) -> Array:
    """``full_like``, of another shape if it is given."""
    if shape is None:
        return _creation.full_like(x, fill_value, dtype=dtype, device=device)
    return _creation.full(
        shape,
        fill_value,
        dtype=x.dtype if dtype is None else dtype,
        device=x.device if device is None else device,
    )


def squeeze(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array:
    """``squeeze``; None takes all axes of length 1 out."""
    if axis is None:
        axis = tuple(i for i, length in enumerate(x.shape) if length == 1)
    return _manipulation.squeeze(x, axis)
