"""How functions beyond the standard are declared: in a table of their own, by the same machinery.

``fused`` makes a public function of a stub whose backend has a kernel for it, element by element:
arrays of one dtype and one shape, then perhaps an option, a Python float, which reaches the kernel
as a last operand in full precision. The kernel returns data, or a tuple of data where the function
has several results. What works along axes is an ordinary function under ``extension``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from numr_api._array import Array
from numr_api._checks import as_scalar, common_backend, require_array
from numr_api._declare import Operation, wrap
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Backend
    from numr_api._devices import ArrayType

P = ParamSpec("P")
R = TypeVar("R")

ACCEPTS = "real floating-point"

EXTENSION_OPS: dict[str, Operation] = {}


def extension(family: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Enter a public function in EXTENSION_OPS as it is; it checks its own arguments."""

    def declare(function: Callable[P, R]) -> Callable[P, R]:
        name = function.__name__
        EXTENSION_OPS[name] = Operation(name, function, family)
        return function

    return declare


def fused(stub: Callable[P, R]) -> Callable[P, R]:
    """Declare a function of one, two or three arrays, or of one array and an option."""
    op = Operation(stub.__name__, stub, "elementwise", ACCEPTS)
    parameters = signature(stub).parameters.values()
    options = [x for x in parameters if x.kind is Parameter.KEYWORD_ONLY]
    if options:
        function = _of_one_and_option(op, options[0])
    else:
        function = (_of_one, _of_two, _of_three)[len(parameters) - 1](op)
    op.function = wraps(stub)(function)
    EXTENSION_OPS[op.name] = op
    return cast("Callable[P, R]", op.function)


# By the number of arrays, so that a wrong number is Python's own error.


def _of_one(op: Operation) -> Callable[..., Any]:
    def call(x: Any, /) -> Any:
        return _call(op, (x,))

    return call


def _of_two(op: Operation) -> Callable[..., Any]:
    def call(a: Any, b: Any, /) -> Any:
        return _call(op, (a, b))

    return call


def _of_three(op: Operation) -> Callable[..., Any]:
    def call(grad: Any, a: Any, b: Any, /) -> Any:
        return _call(op, (grad, a, b))

    return call


def _of_one_and_option(op: Operation, option: Parameter) -> Callable[..., Any]:
    name, default = option.name, option.default

    def call(x: Any, /, **options: Any) -> Any:
        value = options.pop(name, default)
        if options:
            unknown = next(iter(options))
            raise TypeError(f"{op.name}() got an unexpected keyword argument {unknown!r}")
        return _call(op, (x,), as_number(op.name, name, value))

    return call


def _call(op: Operation, arrays: tuple[Any, ...], *options: float) -> Any:
    try:
        launch, kernel, result = op.plans[
            tuple([x._type if x.__class__ is Array else None for x in arrays])
        ]
        data = [x._data for x in arrays]
        shape = data[0].shape
        if any(x.shape != shape for x in data):
            raise ValueError  # kernels would broadcast
        outcome = launch(kernel, *data, *options)
    except Exception:
        pass
    else:
        return _wrapped(outcome, result)
    return _checked(op, arrays, *options)


def _checked(op: Operation, arguments: tuple[object, ...], *options: float) -> Any:
    """The same with every check, and words for what is wrong."""
    arrays = [require_array(op.name, x, op.accepts) for x in arguments]
    backend = require_alike(op.name, *arrays)
    result = arrays[0]._type
    key = (result,) * len(arrays)
    if key not in op.plans:
        dtypes = (result.dtype,) * len(arrays)
        types = (*dtypes, *(float for _ in options))
        try:
            kernel = backend.elementwise(op.name, types, result.dtype, result.dtype)
        except Unsupported as error:
            raise Unsupported(f"{op.name}: {error}") from None
        op.plans[key] = (backend.launch, kernel, result)
    kernel = op.plans[key][1]
    return _wrapped(backend.launch_checked(kernel, *(x._data for x in arrays), *options), result)


def _wrapped(outcome: Any, result: ArrayType) -> Any:
    if outcome.__class__ is tuple:
        return tuple([wrap(part, result) for part in outcome])
    return wrap(outcome, result)


# Checks that several functions share


def require_one_dtype(operation: str, *arrays: Array) -> Backend:
    """The backend of arrays, which must be of one dtype and on one device."""
    backend = common_backend(operation, arrays)
    for x in arrays:
        if x.dtype is not arrays[0].dtype:
            raise TypeError(
                f"{operation}: needs arrays of one dtype, got {arrays[0].dtype} and {x.dtype}; "
                "cast one with astype"
            )
    return backend


def require_alike(operation: str, *arrays: Array) -> Backend:
    """The backend of arrays, which must be of one dtype and one shape, and on one device."""
    backend = require_one_dtype(operation, *arrays)
    for x in arrays:
        if x.shape != arrays[0].shape:
            raise ValueError(
                f"{operation}: needs arrays of one shape, got {arrays[0].shape} and {x.shape}"
            )
    return backend


def as_number(operation: str, name: str, value: object) -> float:
    """An option that must be a real number and finite."""
    number = as_scalar(operation, value, f"a real number as {name}")
    if isinstance(number, bool | complex):
        raise TypeError(f"{operation}: {name} must be a real number, got {number!r}")
    if not math.isfinite(number):
        raise ValueError(f"{operation}: {name} must be finite, got {number!r}")
    return float(number)


def as_eps(operation: str, value: object) -> float:
    """``eps``, which must be a finite number of at least 0."""
    eps = as_number(operation, "eps", value)
    if eps < 0:
        raise ValueError(f"{operation}: eps must not be negative, got {eps!r}")
    return eps
