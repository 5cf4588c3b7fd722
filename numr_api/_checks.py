"""What every call checks: operands, devices, dtypes, scalars; and the words for what is wrong.

A function whose name begins with ``strict_`` refuses the same in both modes. The others return, in
relaxed mode, what the relaxed rules make of an argument that they would refuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import numpy as np

from numr_api import _dtypes
from numr_api._dtypes import ACCEPTED, SCALAR_KINDS, DType, promote_all, scalar_range
from numr_api._errors import DeviceLost
from numr_api._mode import relaxed_rules

if TYPE_CHECKING:
    from numr_api._array import Array
    from numr_api._backends import Backend, Scalar

_WIDE = "32-bit or wider "  # is said to numbers that are too narrow only


def bind(array_class: type[Array]) -> None:
    """Make the Array class known here. _array, which imports this module, calls it."""
    globals()["Array"] = array_class


def is_array(x: object) -> TypeGuard[Array]:
    """Whether x is an Array."""
    return x.__class__ is Array


def is_operand(x: object) -> bool:
    """Whether operators handle x: an Array, a Python or NumPy scalar, or an ndarray to refuse.

    An ndarray is left to no other: ``x == ndarray`` would be a mere False.
    """
    return isinstance(x, Array | bool | int | float | complex | np.generic) or (
        x.__class__ is np.ndarray
    )


def as_operand(operation: str, x: object) -> Array | Scalar:
    """An argument as an Array or an exact Python scalar; TypeError for anything else."""
    if x.__class__ is Array:
        return cast("Array", x)
    return as_scalar(operation, x, "a numr_api array or a Python scalar")


def as_scalar(operation: str, x: object, expected: str = "a Python scalar") -> Scalar:
    """A Python scalar of exactly bool, int, float or complex, also from a NumPy scalar."""
    if x.__class__ in SCALAR_KINDS:
        return cast("Scalar", x)
    try:
        return strict_scalar(operation, x, expected)
    except TypeError:
        rules = relaxed_rules()
        scalar = None if rules is None else rules.as_scalar(x)
        if scalar is None:
            raise
    return scalar


def strict_scalar(operation: str, x: object, expected: str = "a Python scalar") -> Scalar:
    """``as_scalar`` without relaxed rules."""
    if x.__class__ in SCALAR_KINDS:
        return cast("Scalar", x)
    if is_numpy_number(x):
        return x.item()
    for scalar_type in SCALAR_KINDS:  # an instance of a subclass, as of IntEnum
        if isinstance(x, scalar_type):
            return scalar_type(x)  # type: ignore[arg-type]
    raise TypeError(f"{operation}: expected {expected}, got {describe(x)}")


def is_numpy_number(x: object) -> TypeGuard[np.number[Any]]:
    """Whether x is a NumPy scalar of a kind that the standard has."""
    return isinstance(x, np.bool | np.number)


def describe(x: object) -> str:
    """What a wrong argument is, in words."""
    if isinstance(x, np.ndarray):
        return "a numpy.ndarray; convert it with asarray"
    return f"{type(x).__name__} {x!r}"[:80]


def require_array(operation: str, x: object, accepts: str = "any") -> Array:
    """x itself, which must be an Array of an accepted dtype; in relaxed mode what x becomes."""
    if x.__class__ is Array and cast("Array", x).dtype.group in ACCEPTED[accepts]:
        return cast("Array", x)
    rules = relaxed_rules()
    array = None if rules is None else rules.as_array(x, accepts)
    return strict_array(operation, x, accepts) if array is None else array


def strict_array(operation: str, x: object, accepts: str = "any") -> Array:
    """``require_array`` without relaxed rules."""
    if x.__class__ is not Array:
        raise TypeError(f"{operation}: expected a numr_api array, got {describe(x)}")
    array = cast("Array", x)
    require_kind(operation, array.dtype, accepts)
    return array


def require_dtype(name: str, dtype: object) -> DType:
    """A dtype of numr_api, as given; in relaxed mode also what means one."""
    if isinstance(dtype, DType):
        return dtype
    rules = relaxed_rules()
    found = None if rules is None else rules.as_dtype(dtype)
    if found is None:
        raise TypeError(f"{name}: dtype must be a numr_api dtype, got {describe(dtype)}")
    return found


def require_kind(operation: str, dtype: DType, accepts: str) -> None:
    """Refuse a dtype that an operation does not accept."""
    if dtype.group not in ACCEPTED[accepts]:
        if dtype.group not in "h8":
            accepts = accepts.removeprefix(_WIDE)
        article = "an" if accepts.startswith("integer") else "a"
        raise TypeError(f"{operation}: needs {article} {accepts} dtype, got {dtype}")


def common_backend(operation: str, arrays: Sequence[Array]) -> Backend:
    """The backend of the one device that all arrays are on."""
    backend = arrays[0]._type.backend
    for array in arrays:
        if array._type.backend is not backend:
            if array.device == backend.device:
                raise DeviceLost(f"{operation}: {array.device} was lost, and with it an array")
            names = ", ".join(dict.fromkeys(str(array.device) for array in arrays))
            raise ValueError(
                f"{operation}: arrays are on different devices: {names}; move one with to_device"
            )
    return backend


def common_dtype(operation: str, operands: Sequence[Array | Scalar | DType]) -> DType:
    """The dtype that arrays, dtypes and Python scalars promote to."""
    try:
        return strict_common_dtype(operation, operands)
    except TypeError:
        rules = relaxed_rules()
        dtype = None if rules is None else rules.common_dtype(operands)
        if dtype is None:
            raise
    return dtype


def strict_common_dtype(operation: str, operands: Sequence[Array | Scalar | DType]) -> DType:
    """``common_dtype`` without relaxed rules.

    Scalars take the arrays' dtype; their kind must be one that it can hold.
    """
    dtypes: list[DType] = []
    scalars: list[Scalar] = []
    for x in operands:
        if x.__class__ is Array:
            dtypes.append(cast("Array", x).dtype)
        elif type(x) is DType:
            dtypes.append(x)
        else:
            scalars.append(cast("Scalar", x))
    if not dtypes:
        raise TypeError(f"{operation}: at least one argument must be an array or a dtype")
    try:
        dtype = promote_all(dtypes)
    except TypeError as error:
        raise TypeError(f"{operation}: {error}") from None
    for scalar in scalars:
        dtype = with_scalar(operation, dtype, scalar)
    return dtype


def with_scalar(operation: str, dtype: DType, scalar: Scalar) -> DType:
    """``dtype``, or its complex partner if it meets a complex scalar; TypeError if they do not mix.

    Raises OverflowError if the dtype's range does not contain an integer.
    """
    kind = type(scalar)
    if kind is complex and dtype in _dtypes.COMPLEX_OF:
        return _dtypes.COMPLEX_OF[dtype]
    if dtype.kind not in SCALAR_KINDS[kind]:
        raise TypeError(
            f"{operation}: a Python {kind.__name__} ({scalar!r}) does not mix with {dtype}; "
            "cast the array with astype"
        )
    if kind is int:
        require_range(operation, dtype, cast("int", scalar))
    return dtype


def require_range(operation: str, dtype: DType, value: int) -> None:
    """Refuse an integer that a dtype cannot hold."""
    if dtype.kind in "iu":
        low, high = scalar_range(dtype)
        if not low <= value <= high:
            raise OverflowError(
                f"{operation}: {value} is out of range of {dtype} ({low} to {high})"
            )
    else:
        try:
            float(value)
        except OverflowError:
            raise OverflowError(f"{operation}: an int too large for {dtype}") from None


def accumulator(name: str, x: Array, dtype: object) -> DType:
    """The dtype in which sum, prod and their running forms accumulate.

    By default x's own, but integers are at least as wide as the device's default integer.
    """
    if dtype is None:
        default = x._type.backend.default_dtypes["integral"]
        if x.dtype.kind not in "iu" or x.dtype.itemsize >= default.itemsize:
            return x.dtype
        return _dtypes.BY_NAME[f"u{default}"] if x.dtype.kind == "u" else default
    dtype = require_dtype(name, dtype)
    require_kind(f"{name} (dtype)", dtype, "numeric")
    if x.dtype.kind == "c" and dtype.kind != "c":
        raise TypeError(f"{name}: {x.dtype} cannot be accumulated in {dtype}; use real or imag")
    return dtype
