"""Methods and attributes that arrays have in relaxed mode only, as NumPy's have them."""

from __future__ import annotations

from types import MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api._mode import relaxed_rules

if TYPE_CHECKING:
    from numr_api._array import Array

# Which ones there are; the functions stand below.
METHODS = ("all", "astype", "conj", "item", "reshape", "sum", "view")
ATTRIBUTES = ("imag", "real")
NAMES = METHODS + ATTRIBUTES


class RelaxedAttribute:
    """An attribute of the Array class that does not exist in strict mode, as ``hasattr`` tells."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, array: Array | None, owner: type | None = None) -> Any:
        if relaxed_rules() is None:
            whose = "type object 'Array'" if array is None else "'Array' object"
            message = f"{whose} has no attribute {self._name!r}"
            raise AttributeError(message, name=self._name, obj=owner if array is None else array)
        function = globals()[self._name]
        if array is None:
            return function
        return MethodType(function, array) if self._name in METHODS else function(array)


def all(x: Array, /, axis: Any = None, *, keepdims: bool = False) -> Array:
    """``numr_api.all``."""
    from numr_api import _reductions  # which needs Array, which needs this module

    return _reductions.all(x, axis=axis, keepdims=keepdims)


def astype(x: Array, dtype: Any, /, *, copy: bool = True) -> Array:
    """``numr_api.astype``."""
    from numr_api import _data_types

    return _data_types.astype(x, dtype, copy=copy)


def conj(x: Array, /) -> Array:
    """``numr_api.conj``: the complex conjugates, which of real numbers are the numbers."""
    from numr_api import _arithmetic

    return _arithmetic.conj(x)


def imag(x: Array, /) -> Array:
    """``numr_api.imag``: the imaginary parts, 0 of real numbers."""
    from numr_api import _arithmetic

    return _arithmetic.imag(x)


def real(x: Array, /) -> Array:
    """``numr_api.real``: the real parts."""
    from numr_api import _arithmetic

    return _arithmetic.real(x)


def item(x: Array, /) -> bool | int | float | complex:
    """The only element as a Python scalar."""
    if x.size != 1:
        raise ValueError(f"item: needs an array of one element, got shape {x.shape}")
    return reshape(x, ())._item("item")


def reshape(x: Array, /, *shape: Any, copy: bool | None = None) -> Array:
    """``numr_api.reshape``; the lengths may also be given one by one."""
    from numr_api import _manipulation

    given: Any = shape[0] if len(shape) == 1 else shape
    return _manipulation.reshape(x, given, copy=copy)


def sum(x: Array, /, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """``numr_api.sum``."""
    from numr_api import _reductions

    return _reductions.sum(x, axis=axis, dtype=dtype, keepdims=keepdims)


def view(x: Array, dtype: Any = None, /) -> Array:
    """The bytes taken as another dtype, which may change the length of the last axis.

    On the cpu the result shares memory. Elsewhere only complex numbers can be taken as their parts
    and parts as complex numbers, which are copies.
    """
    from numr_api import _arithmetic, _manipulation
    from numr_api._checks import require_dtype
    from numr_api._declare import wrap
    from numr_api._dtypes import COMPLEX_OF, REAL_PART
    from numr_api._errors import Unsupported

    if dtype is None:
        return x[...]
    wanted = require_dtype("view", dtype)
    backend = x._type.backend
    if backend.storage is np.ndarray:
        return wrap(x._data.view(wanted.__numpy_dtype__), x._type.of(wanted, "view"))
    if wanted is x.dtype:
        return x[...]
    if x.ndim and wanted is REAL_PART.get(x.dtype):
        parts = _manipulation.stack([_arithmetic.real(x), _arithmetic.imag(x)], axis=-1)
        return _manipulation.reshape(parts, (*x.shape[:-1], 2 * x.shape[-1]))
    if x.ndim and wanted is COMPLEX_OF.get(x.dtype) and x.shape[-1] % 2 == 0:
        real, imag = x[..., 0::2], x[..., 1::2]
        return real + imag * 1j
    raise Unsupported(f"view: {x.dtype} as {wanted} on {x.device}")
