"""Functions that write into an array that exists, whose memory keeps its address.

For each element-wise function of the standard there is ``NAME_into(out, x1, ...)``, as in
``add_into(out, x, y)``, which takes the arguments of that function; and so for ``matmul``. All
return ``out``.

``out`` must have the dtype, the shape (nothing is broadcast to it) and the device of the result,
be contiguous in row-major order and writable, and must not overlap an argument in memory. An array
that is an argument and ``out`` at once is refused too, since what ``x += y`` is for needs no second
way. What counts as overlapping is the range of addresses, so that of two interleaved views one is
refused. If anything is refused, nothing was written.
"""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from numr_api import _arithmetic, _comparison, _elementary, _searching
from numr_api._array import Array
from numr_api._checks import (
    as_operand,
    common_backend,
    describe,
    is_array,
    strict_array,
    strict_common_dtype,
)
from numr_api._declare import OPS, Operation, find_plan
from numr_api._dtypes import BY_NUMPY, DType
from numr_api._shapes import broadcast
from numr_api.extensions._declare import extension

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

__all__ = ["copy_into", "matmul_into", "write_host"]


@extension("destination")
def copy_into(out: Array, source: Array, /) -> Array:
    """Copy the elements of an array to another of the same shape, dtype and device.

    Arguments:
        out: where to write; see above.
        source: array of any dtype; it may be strided.

    Returns:
        ``out``.

    Raises:
        TypeError: the dtypes differ.
        ValueError: shapes or devices differ, or ``out`` is not contiguous or overlaps ``source``.
    """
    target, array = strict_array("copy_into (out)", out), strict_array("copy_into", source)
    _require_destination("copy_into", target, array.dtype, array.shape, (array,))
    _fill(target, array._data)
    return out


@extension("destination")
def write_host(out: Array, data: npt.NDArray[Any], /) -> Array:
    """Write the numbers of a NumPy array to an array of the same shape and dtype, on any device.

    ``data`` may be changed as soon as the function has returned.

    Arguments:
        out: where to write; see above.
        data: NumPy array, whose memory ``out`` must not share.

    Returns:
        ``out``.

    Raises:
        TypeError: the dtypes differ, or ``data`` is not a NumPy array.
        ValueError: the shapes differ, or ``out`` is not contiguous or overlaps ``data``.
    """
    target = strict_array("write_host (out)", out)
    if not isinstance(data, np.ndarray):
        raise TypeError(f"write_host: expected a numpy.ndarray, got {describe(data)}")
    if BY_NUMPY.get(data.dtype) is not target.dtype:
        raise TypeError(f"write_host: out has dtype {target.dtype}, the data {data.dtype}")
    _require_destination("write_host", target, target.dtype, data.shape, ())
    backend = target._type.backend
    source = backend.from_host(np.asarray(data), None)
    _require_apart("write_host", target, source)
    _fill(target, source)
    return out


@extension("destination")
def matmul_into(out: Array, x1: Array, x2: Array, /) -> Array:
    """``matmul(x1, x2)``, written to an array that exists.

    Arguments:
        out: where to write; see above.
        x1, x2: as for ``matmul``.

    Returns:
        ``out``.

    Raises:
        TypeError: the dtype of ``out`` is not that of the product.
        ValueError: its shape or device is not, or it is not contiguous or overlaps an argument.
    """
    target = strict_array("matmul_into (out)", out)
    arrays = tuple(strict_array("matmul_into", x, "numeric") for x in (x1, x2))
    shape = _product_shape(*(x.shape for x in arrays))
    dtype = strict_common_dtype("matmul_into", arrays)
    _require_destination("matmul_into", target, dtype, shape, arrays)
    backend = target._type.backend
    data = [x._data if x.dtype is dtype else backend.cast(x._data, dtype) for x in arrays]
    shortcut = backend.shortcuts.get("matmul_into")
    if shortcut is not None:
        shortcut(target._data, *data)
    else:
        _fill(target, backend.matmul(*data))
    return out


def _product_shape(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a matrix product."""
    rows, columns = first[-2:-1], second[-1:] if len(second) > 1 else ()
    inner = second[-2:-1] if len(second) > 1 else second
    if not first or not second or first[-1:] != inner:
        raise ValueError(f"matmul_into: shapes {first} and {second} do not fit")
    return (*broadcast("matmul_into", (first[:-2], second[:-2])), *rows, *columns)


def _fill(target: Array, data: Any) -> None:
    target._type.backend.assign(target._data, (slice(None),) * target.ndim, data)


# What every destination must be


def _require_destination(
    name: str, out: Array, dtype: DType, shape: tuple[int, ...], arrays: Sequence[Array]
) -> None:
    """Refuse an array that a result of this dtype and shape cannot be written to."""
    backend = common_backend(name, (out, *arrays))
    if out.dtype is not dtype:
        raise TypeError(f"{name}: out has dtype {out.dtype}, the result {dtype}")
    if out.shape != shape:
        raise ValueError(f"{name}: out has shape {out.shape}, the result {shape}")
    if not backend.is_contiguous(out._data) or backend.writable(out._data) is not out._data:
        raise ValueError(f"{name}: out must be contiguous memory of its own, not a strided view")
    for x in arrays:
        _require_apart(name, out, x._data)


def _require_apart(name: str, out: Array, data: Any) -> None:
    if out._type.backend.overlap(out._data, data):
        raise ValueError(f"{name}: out must not overlap an argument in memory")


# Element by element


def _make(op: Operation) -> Callable[..., Array]:
    """``NAME_into`` of an element-wise operation."""
    name = f"{op.name}_into"
    stub = signature(op.function)
    out = Parameter("out", Parameter.POSITIONAL_ONLY, annotation="Array")
    of_function = stub.replace(parameters=[out, *stub.parameters.values()])

    def function(*arguments: Any, **keywords: Any) -> Array:
        try:
            bound = of_function.bind(*arguments, **keywords)
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
        bound.apply_defaults()
        return _write(name, op, *bound.args)

    function.__name__ = function.__qualname__ = name  # by which it is pickled
    function.__doc__ = (
        f"``{op.name}``, written to an array that exists.\n\n"
        "Arguments:\n"
        "    out: where to write; see above.\n"
        f"    {', '.join(stub.parameters)}: as for ``{op.name}``.\n\n"
        "Returns:\n"
        "    ``out``.\n\n"
        "Raises:\n"
        "    TypeError: the dtype of ``out`` is not that of the result.\n"
        "    ValueError: its shape or device is not, or it is not contiguous or overlaps an "
        "argument.\n"
    )
    cast("Any", function).__signature__ = of_function
    return extension("destination")(function)


def _write(name: str, op: Operation, out: object, *arguments: object) -> Array:
    target = strict_array(f"{name} (out)", out)
    operands = tuple(
        None if x is None and op.name == "clip" else as_operand(name, x) for x in arguments
    )
    _, kernel, result = find_plan(op, operands)
    arrays = [x for x in operands if is_array(x)]
    shape = broadcast(name, [x.shape for x in arrays])
    _require_destination(name, target, result.dtype, shape, arrays)
    if op.name in ("real", "imag"):  # of which a device may have views only
        _fill(target, op.function(*arrays)._data)
        return target
    data = [x._data if is_array(x) else x for x in operands]
    try:
        result.backend.launch_checked(kernel, *data, out=target._data)
    except ValueError as error:  # what depends on values, as integers to negative powers
        raise ValueError(f"{name}: {error}") from None
    return target


# The modules that declare element-wise functions, which have thereby entered them in OPS.
_DECLARED = (_arithmetic, _comparison, _elementary, _searching)

for _operation in [op for op in OPS.values() if op.family == "elementwise"]:
    _function = _make(_operation)
    globals()[_function.__name__] = _function
    __all__.append(_function.__name__)  # pyright: ignore[reportUnsupportedDunderAll]
