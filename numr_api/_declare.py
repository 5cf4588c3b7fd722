"""The table of operations, and the one path on which every call is checked.

An element-wise operation is declared once, as a typed and docstringed stub under a decorator, which
enters it in ``OPS`` and returns the function that users call. A call goes

    add(x, y)  ->  plan for the two array types  ->  backend's launch(kernel, x's data, y's data)

A plan holds what the checks found out for a combination of dtypes, devices and scalar types; it is
made once by ``find_plan`` and looked up ever after. If anything goes wrong on this fast path, a
missing plan included, the call is repeated by ``checked``, which finds fault in words or succeeds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from numr_api import _checks, _dtypes
from numr_api._backends import Kernel
from numr_api._checks import (
    accumulator,
    as_operand,
    common_backend,
    is_operand,
    require_array,
    require_kind,
    strict_array,
    strict_common_dtype,
)
from numr_api._devices import ArrayType, array_type
from numr_api._dtypes import REAL_PART, DType
from numr_api._errors import Unsupported
from numr_api._mode import relaxed_rules
from numr_api._shapes import as_axes, as_axis, as_bool, broadcast

if TYPE_CHECKING:
    from numr_api._array import Array
    from numr_api._backends import Backend, Scalar

P = ParamSpec("P")
R = TypeVar("R")
Plan = tuple[Callable[..., Any], Kernel, ArrayType]

_new: Callable[[type], Any] = object.__new__

# What a backend runs, instead of the kernel that is the key, on an array of more than ``LARGE``
# elements. It is looked up for ``where`` and functions declared as costly only, because to ask for
# the size of a small array costs a twentieth of the call.
LARGE = 8192
large_kernels: dict[Kernel, Kernel] = {}


def bind(array_class: type[Array]) -> None:
    """Make the Array class known here. _array, which imports this module, calls it."""
    globals()["Array"] = array_class
    _checks.bind(array_class)
    for name, method in vars(array_class).items():
        if getattr(method, "__name__", None) == "method":  # of operator, reflected or in_place
            method.__name__, method.__qualname__ = name, f"Array.{name}"
            method.__module__ = array_class.__module__


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
    accepts: str, result: str = "same", costly: bool = False
) -> Callable[[Callable[P, Array]], Callable[P, Array]]:
    """Declare an element-wise operation; its stub has one, two or three parameters.

    Of one parameter it may be costly: worth other kernels where there are many elements.
    """

    def declare(stub: Callable[P, Array]) -> Callable[P, Array]:
        op = Operation(stub.__name__, stub, "elementwise", accepts, result)
        makers = {1: _costly_unary if costly else _unary, 2: _binary, 3: _ternary}
        op.function = wraps(stub)(makers[len(signature(stub).parameters)](op))
        OPS[op.name] = op
        return cast("Callable[P, Array]", op.function)

    return declare


# The fast path. Its functions differ only in arity and in what becomes of foreign operands; they
# are spelled out because a general one costs as much again as the operation on a small array. They
# call the careful path outside of `except`, so that tracebacks show nothing of the failed attempt.
# What wraps an Array and hands on its attributes has a _type too; it is looked up as None.


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
            launch, kernel, result = plans[x._type if x.__class__ is Array else None]
            data = launch(kernel, x._data)
        except Exception:
            pass
        else:
            if data.__class__ is not result.storage:
                data = result.backend.adopt(data)
            array = _new(Array)
            array._data = data
            array._type = result
            return array
        return checked(op, (x,))

    return call


def _costly_unary(op: Operation) -> Callable[..., Any]:
    plans = op.plans

    def call(x: Any, /) -> Any:
        try:
            launch, kernel, result = plans[x._type if x.__class__ is Array else None]
            data = x._data
            if data.size > LARGE:
                kernel = large_kernels.get(kernel, kernel)
            data = launch(kernel, data)
        except Exception:
            pass
        else:
            if data.__class__ is not result.storage:
                data = result.backend.adopt(data)
            array = _new(Array)
            array._data = data
            array._type = result
            return array
        return checked(op, (x,))

    return call


def _binary(op: Operation) -> Callable[..., Any]:
    plans = op.plans

    def call(x1: Any, x2: Any, /) -> Any:
        try:
            if x2.__class__ is not Array:
                type1 = x1._type if x1.__class__ is Array else None
                launch, kernel, result = plans[type1, x2.__class__]
                data = launch(kernel, x1._data, x2)
            elif x1.__class__ is Array:
                launch, kernel, result = plans[x1._type, x2._type]
                data = launch(kernel, x1._data, x2._data)
            else:
                launch, kernel, result = plans[x1.__class__, x2._type]
                data = launch(kernel, x1, x2._data)
        except Exception:
            pass
        else:
            if data.__class__ is not result.storage:
                data = result.backend.adopt(data)
            array = _new(Array)
            array._data = data
            array._type = result
            return array
        return checked(op, (x1, x2))

    return call


def _ternary(op: Operation) -> Callable[..., Any]:
    plans = op.plans

    # Python names these parameters in its own errors, which only where can meet.
    def call(condition: Any, x1: Any, x2: Any, /) -> Any:
        try:
            if x1.__class__ is Array:
                type1, data1 = x1._type, x1._data
            else:
                type1, data1 = x1.__class__, x1
            if x2.__class__ is Array:
                type2, data2 = x2._type, x2._data
            else:
                type2, data2 = x2.__class__, x2
            chosen = condition._type if condition.__class__ is Array else None
            launch, kernel, result = plans[chosen, type1, type2]
            data = condition._data
            if data.size > LARGE:
                kernel = large_kernels.get(kernel, kernel)
            data = launch(kernel, data, data1, data2)
        except Exception:
            pass
        else:
            return wrap(data, result)
        return checked(op, (condition, x1, x2))

    if op.name == "where":
        return call

    def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
        return call(x, min, max)

    return clip


ALL_AXES = tuple(tuple(range(rank)) for rank in range(65))  # by rank; NumPy's limit is 64


def _one_axis(operation: str, axis: object, rank: int) -> tuple[int, ...]:
    return (as_axis(operation, axis, rank),)


def _reduction(op: Operation, has_dtype: bool) -> Callable[..., Any]:
    plans = op.plans
    chosen = _one_axis if op.name in ("argmax", "argmin") else as_axes

    def call(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
        try:
            launch, kernel, result = plans[x._type if x.__class__ is Array else None, dtype]
            rank = len(x._data.shape)
            axes = ALL_AXES[rank] if axis is None else chosen(op.name, axis, rank)
            if keepdims.__class__ is not bool or (dtype is not None and type(dtype) is not DType):
                raise TypeError  # NumPy's dtypes equal ours, and would find the plan
            data = launch(kernel, x._data, axes, keepdims)
        except Exception:
            pass
        else:
            return wrap(data, result)
        return checked_reduction(op, x, axis, dtype, keepdims)

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
            pass
        else:
            if data.__class__ is not result.storage:
                data = result.backend.adopt(data)
            array = _new(Array)
            array._data = data
            array._type = result
            return array
        return checked(op, (self, other)) if is_operand(other) else NotImplemented

    return method


def reflected(op: Operation) -> Callable[[Array, Any], Array]:
    """The method of a reflected binary operator: ``1 - x`` calls ``x.__rsub__(1)``."""
    plans = op.plans

    def method(self: Any, other: Any, /) -> Any:
        try:
            launch, kernel, result = plans[other.__class__, self._type]
            data = launch(kernel, other, self._data)
        except Exception:
            pass
        else:
            return wrap(data, result)
        return checked(op, (other, self)) if is_operand(other) else NotImplemented

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
                raise TypeError
            launch(kernel, self._data, operand, out=self._data)
        except MemoryError:
            raise  # of what may be half done already, nothing is repeated
        except Exception:
            pass
        else:
            return self
        return checked_in_place(op, self, other) if is_operand(other) else NotImplemented

    return method


# The careful path


def find_plan(op: Operation, operands: tuple[Array | Scalar | None, ...]) -> Plan:
    """Check operands and return the plan for their types. Raises what is wrong with them."""
    arrays = [x for x in operands if isinstance(x, Array)]
    if not arrays:
        raise TypeError(f"{op.name}: at least one argument must be an array")
    promoted = operands[1:] if op.name == "where" else operands
    if op.name == "where":
        strict_array("where (condition)", operands[0], "boolean")
        if not any(isinstance(x, Array) for x in promoted):
            raise TypeError("where: x1 or x2 must be an array")
    backend = common_backend(op.name, arrays)
    for x in promoted:
        if isinstance(x, Array):
            require_kind(op.name, x.dtype, op.accepts)
    dtype = strict_common_dtype(op.name, [x for x in promoted if x is not None])
    require_kind(op.name, dtype, op.accepts)  # float32 with a complex scalar becomes complex
    if op.name == "clip" and dtype is not arrays[0].dtype:
        raise TypeError(f"clip: min and max must fit the array's {arrays[0].dtype}, got {dtype}")
    result = op.result_dtype(dtype, backend)
    types = [x._type if isinstance(x, Array) else type(x) for x in operands]
    key = tuple(types) if len(types) > 1 else types[0]
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
    rules = relaxed_rules()
    result = None if rules is None else rules.elementwise_again(op, arguments)
    if result is not None:
        return result
    try:
        return strict(op, arguments)
    except (TypeError, OverflowError) as error:
        result = None if rules is None else rules.elementwise(op, arguments, error)
        if result is None:
            raise
    return result


def strict(op: Operation, arguments: tuple[object, ...]) -> Array:
    """``checked`` without relaxed rules, so that ``op.plans`` holds nothing that strict refuses."""
    if len(arguments) == 1:
        strict_array(op.name, arguments[0])
    operands = tuple(
        None if x is None and op.name == "clip" else as_operand(op.name, x) for x in arguments
    )
    _, kernel, result = find_plan(op, operands)
    broadcast(op.name, [x.shape for x in operands if isinstance(x, Array)])
    data = [x._data if isinstance(x, Array) else x for x in operands]
    if getattr(data[0], "size", 0) > LARGE:
        kernel = large_kernels.get(kernel, kernel)
    try:
        return wrap(result.backend.launch_checked(kernel, *data), result)
    except ValueError as error:  # what depends on values, as integers to negative powers
        raise ValueError(f"{op.name}: {error}") from None


def checked_in_place(op: Operation, array: Array, other: object) -> Array:
    """``array op= other`` with every check; nothing is written if one fails."""
    try:
        return strict_in_place(op, array, other)
    except (TypeError, OverflowError) as error:
        rules = relaxed_rules()
        result = None if rules is None else rules.in_place(op, array, other, error)
        if result is None:
            raise
    return result


def strict_in_place(op: Operation, array: Array, other: object) -> Array:
    """``checked_in_place`` without relaxed rules."""
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
    try:
        result.backend.launch_checked(kernel, array._data, operand, out=array._data)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return array


def checked_reduction(
    op: Operation, x: object, axis: object, dtype: object, keepdims: object
) -> Array:
    """Call a reduction with every check, and words for what is wrong."""
    array = require_array(op.name, x, op.accepts)
    backend = array._type.backend
    as_bool(op.name, "keepdims", keepdims)
    if op.name in ("argmax", "argmin") and axis is not None:
        axes = _one_axis(op.name, axis, array.ndim)
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
    op.plans[array._type, None if dtype is None else outcome] = (backend.launch, kernel, result)
    try:
        reduced = wrap(backend.launch_checked(kernel, array._data, axes, keepdims), result)
    except ValueError:
        raise ValueError(
            f"{op.name}: no elements along the axes {axes} of an array of shape {array.shape}"
        ) from None
    rules = None if array is x else relaxed_rules()
    return reduced if rules is None else rules.restored(op.name, x, reduced)
