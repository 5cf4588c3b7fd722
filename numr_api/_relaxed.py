"""The relaxed rules: what becomes of arguments that strict refuses.

NumPy is the model: the dtypes in which it would compute are asked of NumPy itself, then narrowed
to what the device has. Each function here returns None where it knows no way either, so that the
caller raises what strict raises. Operands are converted to ones that strict accepts and the strict
call is repeated, so that nothing which relaxed mode finds can be found by a strict call.

Indexing is in ``_relaxed_indexing``, the methods of arrays are in ``_relaxed_methods``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from numr_api import (
    _arithmetic,
    _creation,
    _data_types,
    _elementary,
    _manipulation,
    _reductions,
    _searching,
)
from numr_api._checks import as_operand, common_backend, is_array
from numr_api._declare import OPS, Operation, strict
from numr_api._devices import Device, default_backend
from numr_api._dtypes import ACCEPTED, BY_NUMPY, COMPLEX_OF, DType, float16
from numr_api._relaxed_indexing import getitem as getitem, setitem as setitem, take as take

if TYPE_CHECKING:
    from numr_api._array import Array
    from numr_api._backends import Backend, Scalar

_PYTHON_TYPES = (bool, int, float, complex)
_SCALARS = (*_PYTHON_TYPES, np.bool, np.number)
_NONE = type(None)

# Data types


def as_dtype(dtype: object) -> DType | None:
    """What a name, a NumPy dtype or a scalar type of Python or NumPy means."""
    if isinstance(dtype, type):
        if dtype not in _PYTHON_TYPES and not issubclass(dtype, np.generic):
            return None
    elif not isinstance(dtype, str | np.dtype):
        return None
    try:
        return BY_NUMPY.get(np.dtype(cast("Any", dtype)))
    except TypeError:
        return None


def available(dtype: np.dtype[Any], backend: Backend, *, half: bool = False) -> DType | None:
    """The dtype, or in its place the device's default of the kind; None for none of ours.

    float16, in which NumPy computes functions of its smallest integers, becomes float32 but where
    half says that somebody brought it.
    """
    found = BY_NUMPY.get(np.dtype("float32") if dtype.char == "e" and not half else dtype)
    if found is None or found in backend.dtypes:
        return found
    defaults = backend.default_dtypes
    if found.kind == "u":
        return BY_NUMPY[np.dtype(f"u{defaults['integral']}")]
    kinds = {"i": "integral", "f": "real floating-point", "c": "complex floating-point"}
    return defaults[kinds[found.kind]]


def can_cast(dtype: DType, to: DType) -> bool:
    """NumPy's "safe" casts."""
    return np.can_cast(dtype.__numpy_dtype__, to.__numpy_dtype__)


def common_dtype(operands: Sequence[Array | Scalar | DType]) -> DType | None:
    """NumPy's ``result_type``, on the arrays' device."""
    arrays = [x for x in operands if is_array(x)]
    given = [
        x.dtype.__numpy_dtype__ if is_array(x) else getattr(x, "__numpy_dtype__", x)
        for x in operands
    ]
    found = np.result_type(*cast("Any", given))
    half = any(getattr(x, "char", None) == "e" for x in given)
    return available(found, arrays[0]._type.backend, half=half) if arrays else BY_NUMPY.get(found)


def dtype_of_scalars(scalars: Sequence[object]) -> DType | None:
    """What scalars promote to if some are NumPy's, which have a dtype; Python's have none."""
    if not any(isinstance(x, np.generic) for x in scalars):
        return None
    return BY_NUMPY.get(np.result_type(*cast("Any", scalars)))


# Arguments of functions


def as_scalar(x: object) -> Scalar | None:
    """The element of a 0-dimensional array."""
    if is_array(x):
        return x._item("item") if x.shape == () else None
    value: Any = cast("Any", x).item() if isinstance(x, np.ndarray) and x.ndim == 0 else None
    return value if isinstance(value, _PYTHON_TYPES) else None


def as_array(x: object, accepts: str, device: Device | None = None) -> Array | None:
    """An array of a dtype that is accepted, from a scalar or from an array of another dtype.

    One of a scalar is made on the device, by default the default device.

    Integers and bool become the device's default (NumPy: float64) where floating-point numbers are
    needed, bool becomes the default integer where numbers are. Anything becomes bool.
    """
    if not is_array(x):
        if not isinstance(x, _SCALARS):
            return None
        x = _creation.asarray(x, device=device)
    accepted, kind, backend = ACCEPTED[accepts], x.dtype.kind, x._type.backend
    if x.dtype.group in accepted:
        return x
    if accepted == "b":
        return _data_types.astype(x, BY_NUMPY[np.dtype(bool)])
    if kind == "b" and "i" in accepted and accepts != "integer":
        return _data_types.astype(x, backend.default_dtypes["integral"])
    if kind in "biu" and "f" in accepted:
        return _data_types.astype(x, backend.default_dtypes["real floating-point"])
    if kind in "biuf" and "c" in accepted:
        default = backend.default_dtypes["complex floating-point"]
        return _data_types.astype(x, COMPLEX_OF.get(x.dtype) or default)
    return None


def full(name: str, shape: Any, fill_value: object, dtype: object, device: Any) -> Array:
    """Array filled with a scalar that is cast, or with a 0-dimensional (or broadcast) array."""
    filled = _creation.asarray(fill_value, device=device)
    if dtype is not None:
        if not is_array(fill_value):  # Python's NaN becomes no integer
            filled = _creation.asarray(fill_value, dtype=cast("Any", dtype), device=device)
        else:
            filled = _data_types.astype(filled, cast("Any", dtype), copy=False)
    lengths = _creation.new_shape(name, shape)
    return _manipulation.reshape(_manipulation.broadcast_to(filled, lengths), lengths, copy=True)


def complex_variance(name: str, x: Array, axis: Any, correction: Any, keepdims: bool) -> Array:
    """var or std of complex numbers: the mean square of their distances from the mean."""
    real, imag = (
        _reductions.var(part(x), axis=axis, correction=correction, keepdims=keepdims)
        for part in (_arithmetic.real, _arithmetic.imag)
    )
    variance = _arithmetic.add(real, imag)
    return _elementary.sqrt(variance) if name == "std" else variance


def restored(name: str, x: object, result: Array) -> Array:
    """The result for a converted argument, bool again where NumPy's is for bool."""
    if not is_array(x) or x.dtype.kind != "b" or name not in ("diff", "max", "min", "sort"):
        return result
    if name == "diff":  # whether neighbours differ, n times over
        result = _arithmetic.remainder(result, 2)
    return _data_types.astype(result, x.dtype)


# Element by element


# How operands of types that strict refuses were converted: the dtype for each, and what the result
# was cast to. By the operation's name and the types of the operands.
_conversions: dict[tuple[Any, ...], tuple[tuple[DType, ...], DType | None]] = {}


def _key(op: Operation, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return (op.name, *[x._type if is_array(x) else x.__class__ for x in arguments])


def elementwise_again(op: Operation, arguments: tuple[Any, ...]) -> Array | None:
    """``elementwise`` where it is known already what becomes of such operands."""
    known = _conversions.get(_key(op, arguments))
    if known is None:
        return None
    dtypes, outcome = known
    result = op.function(*map(_converted, arguments, dtypes))
    return result if outcome is None else _data_types.astype(result, outcome)


def elementwise(op: Operation, arguments: tuple[object, ...], error: Exception) -> Array | None:
    """The outcome of an element-wise operation whose operands strict refused with an error."""
    operands = tuple(
        None if x is None and op.name == "clip" else as_operand(op.name, x) for x in arguments
    )
    if isinstance(error, OverflowError):
        return _beyond_range(op, operands)
    arrays = [x for x in operands if is_array(x)]
    if not arrays or (op.name == "where" and not any(map(is_array, operands[1:]))):
        backend = common_backend(op.name, arrays) if arrays else default_backend()
        made = (
            x if x is None or is_array(x) else _creation.asarray(x, device=backend.device)
            for x in operands
        )
        return op.function(*made)
    if op.name in ("real", "imag"):
        return arrays[0] if op.name == "real" else _creation.zeros_like(arrays[0])
    backend = common_backend(op.name, arrays)
    loop = _loop(op.name, tuple(map(_loop_type, operands)))
    if loop is None:
        return None
    *wanted, outcome = loop
    half = any(x.dtype is float16 for x in arrays)
    if op.name in _COMPARED and {d.kind for d in wanted} == {"i", "u"}:
        return _compare_signed_with_unsigned(op, operands)
    dtypes: list[DType] = []
    for position, numpy_dtype in enumerate(wanted):
        accepts = "boolean" if op.name == "where" and position == 0 else op.accepts
        dtype = _computed(numpy_dtype, accepts, backend, half)
        if dtype is None:
            return None
        dtypes.append(dtype)
    result = strict(op, tuple(map(_converted, operands, dtypes)))
    restored = BY_NUMPY[outcome] if outcome.kind == "b" and result.dtype.kind != "b" else None
    if not any(isinstance(x, np.ndarray) for x in arguments):  # 0-d ones, which went as scalars
        _conversions[_key(op, arguments)] = tuple(dtypes), restored
    return result if restored is None else _data_types.astype(result, restored)


def _loop_type(x: Array | Scalar | None) -> Any:
    """An operand as NumPy's ``resolve_dtypes`` takes it: a dtype, or a type of weak scalars."""
    if is_array(x):
        return x.dtype.__numpy_dtype__
    return np.dtype(bool) if isinstance(x, bool) else type(x)


@cache
def _loop(name: str, types: tuple[Any, ...]) -> tuple[np.dtype[Any], ...] | None:
    """The dtypes in which NumPy takes operands of these types, and that of its result."""
    if name in ("where", "clip"):
        promoted = types[1:] if name == "where" else types
        weak: list[Any] = [
            t if isinstance(t, np.dtype) else t() for t in promoted if t is not _NONE
        ]
        common = np.result_type(*weak)
        return (*((np.dtype(bool),) if name == "where" else ()), *(common,) * len(promoted), common)
    ufunc = getattr(np, "rint" if name == "round" else name)
    try:
        return ufunc.resolve_dtypes((*types, None))
    except TypeError:  # NumPy does not do it either
        return None


def _computed(dtype: np.dtype[Any], accepts: str, backend: Backend, half: bool) -> DType | None:
    """The dtype in which a device computes what NumPy computes in another."""
    accepted = ACCEPTED[accepts]
    if accepted == "b":
        return BY_NUMPY[np.dtype(bool)]
    if dtype.kind == "b" and "b" not in accepted:
        dtype = np.dtype("uint8")
    if dtype.kind in "iu" and "i" not in accepted:
        return backend.default_dtypes["real floating-point"] if "f" in accepted else None
    found = available(dtype, backend, half=half)
    return found if found is not None and found.group in accepted else None


def _converted(x: Any, dtype: DType) -> Any:
    if x is None:
        return None
    if is_array(x):
        return x if x.dtype is dtype else _data_types.astype(x, dtype, copy=False)
    return {"b": bool, "i": int, "u": int, "f": float, "c": complex}[dtype.kind](x)


# Comparisons of integers, which are exact also where no dtype holds both

_COMPARED = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")


def _beyond_range(op: Operation, operands: tuple[Any, ...]) -> Array | None:
    """Comparison with a Python integer that the array's integers are all below, or all above."""
    if op.name not in _COMPARED:
        return None
    first, second = operands
    array, scalar = (first, second) if is_array(first) else (second, first)
    if array.dtype.kind not in "biu" or not isinstance(scalar, int):
        return None
    zeros = _data_types.astype(_creation.zeros_like(array), BY_NUMPY[np.dtype("int8")])
    sign = 1 if scalar > 0 else -1
    return strict(op, (zeros, sign) if is_array(first) else (sign, zeros))


def _compare_signed_with_unsigned(op: Operation, operands: tuple[Any, ...]) -> Array:
    """Both as unsigned, but where the signed one is negative, it is the smaller."""
    signed_first = operands[0].dtype.kind == "i"
    negative = strict(OPS["less"], (operands[0 if signed_first else 1], 0))
    uint64 = BY_NUMPY[np.dtype("uint64")]
    as_unsigned = [_data_types.astype(x, uint64, copy=False) for x in operands]
    smaller, larger = _creation.asarray(-1), _creation.asarray(0)
    outcome = bool(strict(op, (smaller, larger) if signed_first else (larger, smaller)))
    return _searching.where(negative, outcome, strict(op, tuple(as_unsigned)))


def in_place(op: Operation, array: Array, other: object, error: Exception) -> Array | None:
    """``array op= other`` where the result can be cast to the array's dtype within its kind."""
    result = elementwise(op, (array, other), error)
    if result is None:
        try:
            result = strict(op, (array, other))
        except (TypeError, OverflowError):
            return None
    if not np.can_cast(result.dtype.__numpy_dtype__, array.dtype.__numpy_dtype__, "same_kind"):
        return None
    if result.shape != array.shape:
        raise ValueError(
            f"in-place {op.name}: the result's shape {result.shape} is not the array's "
            f"{array.shape}"
        )
    array[...] = _data_types.astype(result, array.dtype, copy=False)
    return array
