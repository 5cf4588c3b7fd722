"""The table of operations, and the one path on which every call is checked.

An element-wise operation is declared once, as a typed and docstringed stub under a decorator, which
enters it in ``OPS`` and returns the function that users call. A call goes

    add(x, y)  ->  plan for the two array types  ->  backend's launch(kernel, x's data, y's data)

A plan holds what the checks found out for a combination of dtypes, devices and scalar types; it is
made once by ``find_plan`` and looked up ever after. If anything goes wrong on this fast path, a
missing plan included, the call is repeated by ``checked``, which finds fault in words or succeeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import numpy as np

from numr_api import _dtypes
from numr_api._devices import ArrayType, array_type
from numr_api._dtypes import ACCEPTED, REAL_PART, SCALAR_KINDS, DType, promote, scalar_range
from numr_api._errors import Unsupported
from numr_api._shapes import as_axes, as_axis, as_bool, broadcast

if TYPE_CHECKING:
    from numr_api._array import Array
    from numr_api._backends import Backend, Kernel, Scalar

P = ParamSpec("P")
R = TypeVar("R")
Plan = tuple[Callable[..., Any], "Kernel", ArrayType]

_new: Callable[[type], Any] = object.__new__


def bind(array_class: type[Array]) -> type[Array]:
    """Make the Array class known here; _array, which imports this module, calls it."""
    global Array
    Array = array_class
    return array_class


@dataclass(eq=False, slots=True)
class Operation:
    """A row of OPS.

    Attributes:
        name: the public function's name.
        function: the public function.
        family: "elementwise", "reduction" or the chapter of the standard.
        accepts: accepted dtypes in the standard's words, a key of ``ACCEPTED``.
        result: result dtype: "same" as the promoted operands, "bool", "real" (a complex dtype's
            real part), "index" (the device's index dtype), or "accumulator" (see ``accumulator``).
        plans: by the types of the operands; of a reduction by the array's type and ``dtype``.
    """

    name: str
    function: Callable[..., Any]
    family: str
    accepts: str = "any"
    result: str = "same"
    plans: dict[Any, Plan] = field(default_factory=dict[Any, Plan])

    def result_dtype(self, dtype: DType, backend: Backend) -> DType:
        if self.result == "bool":
            return _dtypes.bool
        if self.result == "index":
            return backend.default_dtypes["indexing"]
        return REAL_PART.get(dtype, dtype) if self.result == "real" else dtype


OPS: dict[str, Operation] = {}


def operation(family: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Enter a public function in OPS as it is; it checks its own arguments."""

    def declare(function: Callable[P, R]) -> Callable[P, R]:
        name = function.__name__
        OPS[name if name not in OPS else f"{family}.{name}"] = Operation(name, function, family)
        return function

    return declare


def reduction(
    accepts: str, result: str = "same"
) -> Callable[[Callable[P, Array]], Callable[P, Array]]:
    """Declare a reduction over axes; its stub has ``axis`` and ``keepdims``, perhaps ``dtype``."""

    def declare(stub: Callable[P, Array]) -> Callable[P, Array]:
        op = Operation(stub.__name__, stub, "reduction", accepts, result)
        op.function = wraps(stub)(_reduction(op, "dtype" in signature(stub).parameters))
        OPS[op.name] = op
        return cast("Callable[P, Array]", op.function)

    return declare


def elementwise(
    accepts: str, result: str = "same"
) -> Callable[[Callable[P, Array]], Callable[P, Array]]:
    """Declare an element-wise operation; its stub has one, two or three parameters."""

    def declare(stub: Callable[P, Array]) -> Callable[P, Array]:
        op = Operation(stub.__name__, stub, "elementwise", accepts, result)
        makers = {1: _unary, 2: _binary, 3: _ternary}
        op.function = wraps(stub)(makers[len(signature(stub).parameters)](op))
        OPS[op.name] = op
        return cast("Callable[P, Array]", op.function)

    return declare


# The fast path. Its functions differ only in arity and in what becomes of foreign operands; they
# are spelled out because a general one costs as much again as the operation on a small array.


def wrap(data: Any, array_type: ArrayType) -> Array:
    """The Array of data that a kernel returned."""
    if data.__class__ is not array_type.storage:
        data = array_type.backend.adopt(data)
    array = _new(Array)
    array._data = data
    array._type = array_type
    return array


def _unary(op: Operation) -> Callable[..., Any]:
    plans = op.plans

    def call(x: Any, /) -> Any:
        try:
            launch, kernel, result = plans[x._type]
            data = launch(kernel, x._data)
        except Exception:
            return checked(op, (x,))
        if data.__class__ is not result.storage:
            data = result.backend.adopt(data)
        array = _new(Array)
        array._data = data
        array._type = result
        return array

    return call


def _binary(op: Operation) -> Callable[..., Any]:
    plans = op.plans

    def call(x1: Any, x2: Any, /) -> Any:
        try:
            if x2.__class__ is not Array:
                launch, kernel, result = plans[x1._type, x2.__class__]
                data = launch(kernel, x1._data, x2)
            elif x1.__class__ is Array:
                launch, kernel, result = plans[x1._type, x2._type]
                data = launch(kernel, x1._data, x2._data)
            else:
                launch, kernel, result = plans[x1.__class__, x2._type]
                data = launch(kernel, x1, x2._data)
        except Exception:
            return checked(op, (x1, x2))
        if data.__class__ is not result.storage:
            data = result.backend.adopt(data)
        array = _new(Array)
        array._data = data
        array._type = result
        return array

    return call


def _ternary(op: Operation) -> Callable[..., Any]:
    plans = op.plans

    def call(x1: Any, x2: Any, x3: Any, /) -> Any:
        try:
            if x2.__class__ is Array:
                type2, data2 = x2._type, x2._data
            else:
                type2, data2 = x2.__class__, x2
            if x3.__class__ is Array:
                type3, data3 = x3._type, x3._data
            else:
                type3, data3 = x3.__class__, x3
            launch, kernel, result = plans[x1._type, type2, type3]
            data = launch(kernel, x1._data, data2, data3)
        except Exception:
            return checked(op, (x1, x2, x3))
        return wrap(data, result)

    if op.name == "where":
        return call

    def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
        return call(x, min, max)

    return clip


ALL_AXES = tuple(tuple(range(rank)) for rank in range(65))  # by rank; NumPy's limit is 64


def _reduction(op: Operation, has_dtype: bool) -> Callable[..., Any]:
    plans = op.plans

    def call(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
        try:
            launch, kernel, result = plans[x._type, dtype]
            rank = len(x._data.shape)
            axes = ALL_AXES[rank] if axis is None else as_axes(op.name, axis, rank)
            if keepdims.__class__ is not bool:
                raise TypeError
            data = launch(kernel, x._data, axes, keepdims)
        except Exception:
            return checked_reduction(op, x, axis, dtype, keepdims)
        return wrap(data, result)

    def call_without_dtype(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Any:
        return call(x, axis=axis, keepdims=keepdims)

    return call if has_dtype else call_without_dtype


def operator(op: Operation) -> Callable[[Array, Any], Array]:
    """The method of a binary operator; NotImplemented for foreign operands."""
    plans = op.plans

    def method(self: Any, other: Any, /) -> Any:
        try:
            if other.__class__ is Array:
                launch, kernel, result = plans[self._type, other._type]
                data = launch(kernel, self._data, other._data)
            else:
                launch, kernel, result = plans[self._type, other.__class__]
                data = launch(kernel, self._data, other)
        except Exception:
            return checked(op, (self, other)) if is_operand(other) else NotImplemented
        if data.__class__ is not result.storage:
            data = result.backend.adopt(data)
        array = _new(Array)
        array._data = data
        array._type = result
        return array

    return method


def reflected(op: Operation) -> Callable[[Array, Any], Array]:
    """The method of a reflected binary operator: ``1 - x`` calls ``x.__rsub__(1)``."""
    plans = op.plans

    def method(self: Any, other: Any, /) -> Any:
        try:
            launch, kernel, result = plans[other.__class__, self._type]
            data = launch(kernel, other, self._data)
        except Exception:
            return checked(op, (other, self)) if is_operand(other) else NotImplemented
        return wrap(data, result)

    return method


def in_place(op: Operation) -> Callable[[Array, Any], Array]:
    """The method of an in-place operator; dtype, shape and device of the array stay."""
    plans = op.plans

    def method(self: Any, other: Any, /) -> Any:
        try:
            if other.__class__ is Array:
                launch, kernel, result = plans[self._type, other._type]
                operand = other._data
            else:
                launch, kernel, result = plans[self._type, other.__class__]
                operand = other
            if result is not self._type:
                return checked_in_place(op, self, other)
            launch(kernel, self._data, operand, out=self._data)
        except Exception:
            return checked_in_place(op, self, other) if is_operand(other) else NotImplemented
        return self

    return method


# The careful path


def is_operand(x: object) -> bool:
    """Whether x is an Array, a Python scalar or a NumPy scalar."""
    return isinstance(x, Array | bool | int | float | complex | np.generic)


def as_operand(operation: str, x: object) -> Array | Scalar:
    """An argument as an Array or an exact Python scalar; TypeError for anything else."""
    return cast("Array", x) if x.__class__ is Array else as_scalar(operation, x)


def as_scalar(operation: str, x: object) -> Scalar:
    """A Python scalar of exactly bool, int, float or complex, also from a NumPy scalar."""
    if x.__class__ in SCALAR_KINDS:
        return cast("Scalar", x)
    if isinstance(x, np.generic) and x.dtype.kind in "biufc":
        return cast("Scalar", x.item())
    for scalar_type in SCALAR_KINDS:  # an instance of a subclass, as of IntEnum
        if isinstance(x, scalar_type):
            return scalar_type(x)  # type: ignore[arg-type]
    raise TypeError(f"{operation}: expected a numr_api array or a Python scalar, got {describe(x)}")


def describe(x: object) -> str:
    """What a wrong argument is, in words."""
    if isinstance(x, np.ndarray):
        return "a numpy.ndarray; convert it with asarray"
    return f"{type(x).__name__} {x!r}"[:80]


def require_array(operation: str, x: object, accepts: str = "any") -> Array:
    """x itself, which must be an Array of an accepted dtype."""
    if x.__class__ is not Array:
        raise TypeError(f"{operation}: expected a numr_api array, got {describe(x)}")
    array = cast("Array", x)
    require_kind(operation, array.dtype, accepts)
    return array


def require_kind(operation: str, dtype: DType, accepts: str) -> None:
    """Refuse a dtype that an operation does not accept."""
    if dtype.kind not in ACCEPTED[accepts]:
        raise TypeError(f"{operation}: needs a {accepts} dtype, got {dtype}")


def common_backend(operation: str, arrays: Sequence[Array]) -> Backend:
    """The backend of the one device that all arrays are on."""
    backend = arrays[0]._type.backend
    for array in arrays:
        if array._type.backend is not backend:
            names = ", ".join(dict.fromkeys(str(array.device) for array in arrays))
            raise ValueError(
                f"{operation}: arrays are on different devices: {names}; move one with to_device"
            )
    return backend


def common_dtype(operation: str, operands: Sequence[Array | Scalar | DType]) -> DType:
    """The dtype that arrays, dtypes and Python scalars promote to.

    Scalars take the arrays' dtype; their kind must be one that it can hold.
    """
    dtype: Any = None
    scalars: list[Scalar] = []
    for x in operands:
        if x.__class__ is Array:
            x = x._type.dtype  # type: ignore[union-attr]
        elif x.__class__ is not DType:
            scalars.append(cast("Scalar", x))
            continue
        if x is not dtype:
            try:
                dtype = x if dtype is None else promote(dtype, cast("DType", x))
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
            raise OverflowError(f"{operation}: {value} is out of range of {dtype} ({low} to {high})")
    else:
        try:
            float(value)
        except OverflowError:
            raise OverflowError(f"{operation}: an int too large for {dtype}") from None


def find_plan(op: Operation, operands: tuple[Array | Scalar | None, ...]) -> Plan:
    """Check operands and return the plan for their types. Raises what is wrong with them."""
    arrays = [x for x in operands if isinstance(x, Array)]
    if not arrays:
        raise TypeError(f"{op.name}: at least one argument must be an array")
    promoted = operands
    if op.name == "where":
        condition, *promoted = operands
        require_array("where (condition)", condition, "boolean")
        if not any(isinstance(x, Array) for x in promoted):
            raise TypeError("where: x1 or x2 must be an array")
    backend = common_backend(op.name, arrays)
    for x in promoted:
        if isinstance(x, Array):
            require_kind(op.name, x.dtype, op.accepts)
    dtype = common_dtype(op.name, [x for x in promoted if x is not None])
    require_kind(op.name, dtype, op.accepts)  # float32 with a complex scalar becomes complex
    if op.name == "clip" and dtype is not arrays[0].dtype:
        raise TypeError(f"clip: min and max must fit the array's {arrays[0].dtype}, got {dtype}")
    result = op.result_dtype(dtype, backend)
    types = tuple(x._type if isinstance(x, Array) else type(x) for x in operands)
    key = types if len(types) > 1 else types[0]
    if key not in op.plans:
        try:
            array_type(dtype, backend)
            kernel = backend.elementwise(
                op.name,
                tuple(t.dtype if isinstance(t, ArrayType) else t for t in types),
                dtype,
                result,
            )
            op.plans[key] = (backend.launch, kernel, array_type(result, backend))
        except Unsupported as error:
            raise Unsupported(f"{op.name}: {error}") from None
    return op.plans[key]


def checked(op: Operation, arguments: tuple[object, ...]) -> Array:
    """Call an element-wise operation with every check, and words for what is wrong."""
    operands = tuple(
        None if x is None and op.name == "clip" else as_operand(op.name, x) for x in arguments
    )
    _, kernel, result = find_plan(op, operands)
    broadcast(op.name, [x.shape for x in operands if isinstance(x, Array)])
    data = (x._data if isinstance(x, Array) else x for x in operands)
    return wrap(result.backend.launch_checked(kernel, *data), result)


def checked_in_place(op: Operation, array: Array, other: object) -> Array:
    """``array op= other`` with every check; nothing is written if one fails."""
    operand = as_operand(op.name, other)
    _, kernel, result = find_plan(op, (array, operand))
    name = f"in-place {op.name}"
    if result is not array._type:
        raise TypeError(f"{name}: the result is {result.dtype}, the array is {array.dtype}")
    if isinstance(operand, Array):
        shape = broadcast(name, (array.shape, operand.shape))
        if shape != array.shape:
            raise ValueError(f"{name}: the result's shape {shape} is not the array's {array.shape}")
        operand = operand._data
    array._data = result.backend.writable(array._data)
    result.backend.launch_checked(kernel, array._data, operand, out=array._data)
    return array


def accumulator(name: str, x: Array, dtype: object) -> DType:
    """The dtype in which sum, prod and their running forms accumulate.

    By default x's own, but integers are at least as wide as the device's default integer.
    """
    if dtype is None:
        default = x._type.backend.default_dtypes["integral"]
        if x.dtype.kind not in "iu" or x.dtype.itemsize >= default.itemsize:
            return x.dtype
        return _dtypes.BY_NAME[f"u{default}"] if x.dtype.kind == "u" else default
    if not isinstance(dtype, DType):
        raise TypeError(f"{name}: dtype must be a numr_api dtype, got {describe(dtype)}")
    require_kind(f"{name} (dtype)", dtype, "numeric")
    if x.dtype.kind == "c" and dtype.kind != "c":
        raise TypeError(f"{name}: {x.dtype} cannot be accumulated in {dtype}; use real or imag")
    return dtype


def checked_reduction(op: Operation, x: object, axis: object, dtype: object, keepdims: object) -> Array:
    """Call a reduction with every check, and words for what is wrong."""
    array = require_array(op.name, x, op.accepts)
    backend = array._type.backend
    as_bool(op.name, "keepdims", keepdims)
    if op.result == "index" and op.name != "count_nonzero" and axis is not None:
        axes = (as_axis(op.name, axis, array.ndim),)
    else:
        axes = as_axes(op.name, axis, array.ndim)
    if op.result == "accumulator":
        outcome = accumulator(op.name, array, dtype)
    else:
        outcome = op.result_dtype(array.dtype, backend)
    try:
        result = array_type(outcome, backend)
        kernel = backend.reduction(op.name, array.dtype, outcome)
    except Unsupported as error:
        raise Unsupported(f"{op.name}: {error}") from None
    op.plans[array._type, dtype] = (backend.launch, kernel, result)
    try:
        return wrap(backend.launch_checked(kernel, array._data, axes, keepdims), result)
    except ValueError:
        raise ValueError(
            f"{op.name}: no elements along the axes {axes} of an array of shape {array.shape}"
        ) from None
