"""Element-wise operations: how their kernels are chosen and called.

Operands are promoted inside the kernels. How a thread reaches them depends on how they lie:

    whole     all arrays are contiguous and of one shape: 16 bytes in one access
    vectors   the same along the last axis; the other axes, and operands that are repeated along
              some, as the row in ``matrix + row``, are found by their strides
    elements  anything else: each element by its strides

Axes that all arrays step through as one are merged first. Places are counted in 64 bits, elements
in 32 where there are fewer than 2**31 of them, since dividing 64 bits is slow.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api._backends.cuda.elementwise_kernels import (
    THREADS,
    Signature,
    Variant,
    source_of,
)
from numr_api._backends.cuda.expressions import CLIP, EXPRESSIONS, expression
from numr_api._backends.cuda.library import Library, library as of_cupy
from numr_api._dtypes import BY_NAME, DType, scalar_range
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Kernel as AnyKernel, Shape

FEW = 2**31  # elements that 32 bits count, with room for the last step
MOST_GROUPS = 2**31 - 1
MOST_PLANS = 256  # of a kernel
ALIGNMENT = 16  # bytes of the largest access

Steps = tuple[int, ...]


def find_kernel(
    operation: str,
    operands: tuple[DType | type, ...],
    dtype: DType,
    result: DType,
    library: Library | None = None,
) -> AnyKernel:
    """What computes an operation; see ``Backend.elementwise``.

    A kernel belongs to the device that is current when it is first called.
    """
    if operation == "real" and dtype.kind != "c":
        return _same
    if operation in ("real", "imag"):
        return _real_part if operation == "real" else _imaginary_part
    signature = signature_of(operation, operands, dtype, result)
    return Kernel(library or of_cupy(), signature)


def find_cast(source: DType, target: DType, library: Library | None = None) -> Kernel:
    """What makes new data of another dtype, or of the same."""
    return Kernel(library or of_cupy(), Signature("cast", "a", (source,), (target,), target))


def signature_of(
    operation: str, operands: tuple[DType | type, ...], dtype: DType, result: DType
) -> Signature:
    """What a kernel computes. Raises Unsupported if the operation has no row for the dtype."""
    kinds = tuple(x if isinstance(x, DType) else None for x in operands)
    promoted = (dtype,) * len(kinds)
    name = operation
    if operation == "where":
        promoted = (BY_NAME["bool"], dtype, dtype)
    if operation == "clip":
        has = tuple(x is not type(None) for x in operands)
        row = CLIP[has[1], has[2]]
        name = ("clip", "clip_above", "clip_below", "clip_both")[2 * has[1] + has[2]]
        kinds = tuple(x for x, given in zip(kinds, has, strict=True) if given)
        promoted = promoted[: len(kinds)]
    else:
        row = EXPRESSIONS[operation]
    body = expression(row, dtype.kind)
    if body is None:
        raise Unsupported(f"{dtype} on cuda")
    return Signature(name, body, kinds, promoted, result)


def _same(x: Any, out: Any = None) -> Any:
    return _assigned(x, out)


def _real_part(x: Any, out: Any = None) -> Any:
    return _assigned(x.real, out)


def _imaginary_part(x: Any, out: Any = None) -> Any:
    return _assigned(x.imag, out)


def _assigned(view: Any, out: Any) -> Any:
    """A view, or what it was written to."""
    if out is None:
        return view
    out[...] = view
    return out


# --- scalars --------------------------------------------------------------------------------------

_CODES = {
    "bool": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "q",
    "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q",
    "float32": "f", "float64": "d", "complex64": "ff", "complex128": "dd",
}  # fmt: skip

_OVERFLOW = float.fromhex("0x1.ffffffp+127")  # from here on float32 rounds to infinity


def _single(value: float) -> float:
    if abs(value) >= _OVERFLOW:  # which struct refuses
        return math.copysign(math.inf, value)
    return value


def converter(dtype: DType) -> Callable[[Any], tuple[Any, ...]]:
    """What makes of a Python scalar the numbers that stand for it among a kernel's arguments.

    It raises OverflowError if an integer is out of the dtype's range.
    """
    if dtype.kind == "b":
        return lambda value: (bool(value),)
    if dtype.kind in "iu":
        low, high = scalar_range(dtype)

        def integer(value: Any) -> tuple[Any, ...]:
            if not low <= value <= high:
                raise OverflowError(f"{value} is out of range of {dtype} ({low} to {high})")
            return (int(value),)

        return integer
    real = _single if dtype.name in ("float32", "complex64") else float
    if dtype.kind == "f":
        return lambda value: (real(float(value)),)
    return lambda value: (real(float(value.real)), real(float(value.imag)))


# --- kernels --------------------------------------------------------------------------------------


class Plan(NamedTuple):
    """How a kernel is run for arrays that lie in a certain way.

    Attributes:
        arguments: their layout in memory: the arrays' addresses, then the numbers, then scalars.
    """

    function: Any
    groups: int
    arguments: struct.Struct
    numbers: tuple[int, ...]


class Kernel:
    """An operation on operands of certain types; call it with their data."""

    def __init__(self, library: Library, signature: Signature) -> None:
        self.signature = signature
        self._library = library
        self._array = library.array
        self._dtype = signature.result.__numpy_dtype__
        pairs = list(zip(signature.operands, signature.promoted, strict=True))
        given = [promoted for operand, promoted in pairs if operand is None]
        self._scalars = [converter(dtype) for dtype in given]
        self._scalar_codes = "".join(_CODES[dtype.name] for dtype in given)
        self._per_group = THREADS * signature.vector
        self._whole: tuple[Any, struct.Struct] | None = None
        self._functions: dict[Variant, Any] = {}
        self._plans: dict[Any, Plan] = {}

    def __call__(self, *operands: Any, out: Any = None) -> Any:
        arrays: list[Any] = []
        scalars: tuple[Any, ...] = ()
        convert = iter(self._scalars)
        for x in operands:
            if x.__class__ is self._array:
                arrays.append(x)
            elif x is not None:  # a bound that clip does not have
                scalars += next(convert)(x)
        if out is not None:
            return self._into(out, arrays, scalars)
        first = arrays[0]
        shape = first.shape
        addresses = [0]
        for x in arrays:
            address = x.data.ptr
            if not x._c_contiguous or address % ALIGNMENT or (x is not first and x.shape != shape):
                return self._anyhow(arrays, scalars)
            addresses.append(address)
        size = first.size
        if not 0 < size < FEW:
            return self._anyhow(arrays, scalars)
        result = self._library.empty(shape, self._dtype)
        addresses[0] = result.data.ptr
        function, arguments = self._whole or self._find_whole()
        function.launch(
            -(-size // self._per_group), THREADS, arguments, (*addresses, size, *scalars)
        )
        return result

    def _find_whole(self) -> tuple[Any, struct.Struct]:
        arrays = len(self.signature.arrays)
        function = self._function(Variant(1, ("vector",) * arrays, wide=False))
        self._whole = function, self._packing(1)
        return self._whole

    def _anyhow(self, arrays: Sequence[Any], scalars: Sequence[Any]) -> Any:
        """A new result of arrays that may have to be broadcast."""
        shape = common_shape([x.shape for x in arrays])
        result = self._new(shape, arrays)
        if result.size:
            self._run(result, arrays, scalars)
        return result

    def _into(self, out: Any, arrays: Sequence[Any], scalars: Sequence[Any]) -> Any:
        """Write to an array, which may be one of the operands or overlap them."""
        shape = common_shape([x.shape for x in arrays])
        if shape != out.shape:
            raise ValueError(f"shape {shape} does not fit {out.shape}")
        if out.size:
            self._run(out, [apart(x, out) for x in arrays], scalars)
        return out

    def _new(self, shape: Shape, arrays: Sequence[Any]) -> Any:
        """An array whose axes are in the order of the operands' in memory."""
        full = [x for x in arrays if x.shape == shape and 0 not in x.strides]
        if len(shape) < 2 or not full or any(x._c_contiguous for x in full):
            return self._library.empty(shape, self._dtype)
        strides = full[0].strides
        order = sorted(range(len(shape)), key=lambda axis: -abs(strides[axis]))
        result = self._library.empty(tuple(shape[axis] for axis in order), self._dtype)
        return result.transpose(sorted(range(len(shape)), key=order.__getitem__))

    def _run(self, out: Any, arrays: Sequence[Any], scalars: Sequence[Any]) -> None:
        everything = (out, *arrays)
        addresses = [x.data.ptr for x in everything]
        key = tuple(
            (x.shape, x.strides, address % ALIGNMENT)
            for x, address in zip(everything, addresses, strict=True)
        )
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            plan = self._plans[key] = self._plan(everything, addresses)
        plan.function.launch(
            plan.groups, THREADS, plan.arguments, (*addresses, *plan.numbers, *scalars)
        )

    def _plan(self, arrays: Sequence[Any], addresses: Sequence[int]) -> Plan:
        lengths, steps = loop_of(arrays)
        count = math.prod(lengths)
        each = self.signature.vector
        modes = [
            mode_of(step, address, dtype.itemsize, each)
            for step, address, dtype in zip(steps, addresses, self.signature.arrays, strict=True)
        ]
        rows = len(lengths) > 1
        fits = each > 1 and lengths[-1] % each == 0 if rows else True
        if modes[0] == "vector" and "" not in modes and fits:
            variant = Variant(len(lengths), tuple(modes), count >= FEW)
            numbers = (count,)
            groups = -(-count // self._per_group)
            if rows:
                last = lengths[-1] // each
                numbers = (count // each, *lengths[:-1], last)
                numbers += tuple(n for step in steps for n in (*step[:-1], step[-1] * each))
        else:
            variant = Variant(len(lengths), (), count >= FEW)
            numbers = (count, *lengths, *(n for step in steps for n in step))
            groups = -(-count // (THREADS * self.signature.scattered))
        packing = self._packing(len(numbers))
        return Plan(self._function(variant), min(groups, MOST_GROUPS), packing, numbers)

    def _packing(self, numbers: int) -> struct.Struct:
        return struct.Struct(f"{len(self.signature.arrays)}P{numbers}q{self._scalar_codes}")

    def _function(self, variant: Variant) -> Any:
        found = self._functions.get(variant)
        if found is None:
            text = source_of(self.signature, variant)
            found = self._library.function(
                self.signature.sources, text, variant.name(self.signature)
            )
            self._functions[variant] = found
        return found


# --- how arrays lie -------------------------------------------------------------------------------


def common_shape(shapes: Sequence[Shape]) -> Shape:
    """The shape that shapes broadcast to; raises ValueError if they do not."""
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return first
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    result: list[int] = []
    for lengths in zip(*padded, strict=True):
        others = {length for length in lengths if length != 1}
        if len(others) > 1:
            raise ValueError(f"shapes {', '.join(map(str, shapes))} do not broadcast")
        result.append(others.pop() if others else 1)
    return tuple(result)


def loop_of(arrays: Sequence[Any]) -> tuple[Shape, list[Steps]]:
    """The lengths of the fewest axes that visit all elements of the first array, and each array's
    steps along them, in elements. The axes go from the first array's widest step to its smallest.
    """
    shape = arrays[0].shape
    spread = [_steps(x, shape) for x in arrays]
    axes = [axis for axis, length in enumerate(shape) if length > 1]
    axes.sort(key=lambda axis: -abs(spread[0][axis]))
    lengths: list[int] = []
    columns: list[Steps] = []  # the steps of all arrays along an axis
    for axis in axes:
        column = tuple(steps[axis] for steps in spread)
        if columns and all(
            outer == inner * shape[axis] for outer, inner in zip(columns[-1], column, strict=True)
        ):
            lengths[-1] *= shape[axis]
            columns[-1] = column
        else:
            lengths.append(shape[axis])
            columns.append(column)
    if not lengths:  # a single element
        return (1,), [(1,), *((0,) for _ in arrays[1:])]
    return tuple(lengths), list(zip(*columns, strict=True))


def _steps(x: Any, shape: Shape) -> Steps:
    """Strides in elements after broadcasting."""
    size = x.dtype.itemsize
    missing = (0,) * (len(shape) - len(x.shape))
    return missing + tuple(
        0 if length == 1 else stride // size
        for length, stride in zip(x.shape, x.strides, strict=True)
    )


def mode_of(steps: Steps, address: int, itemsize: int, each: int) -> str:
    """How the elements of a thread are reached in one go; "" if they are not."""
    if steps[-1] == 0:
        return "constant"
    width = min(ALIGNMENT, itemsize * each)
    aligned = not address % width and not any(step * itemsize % width for step in steps[:-1])
    return "vector" if steps[-1] == 1 and aligned else ""


def apart(x: Any, out: Any) -> Any:
    """x, or a copy if writing to ``out`` would change elements of x that are still to be read."""
    same_place = x.data.ptr == out.data.ptr and x.strides == out.strides and x.shape == out.shape
    if same_place and x.dtype.itemsize == out.dtype.itemsize:
        return x
    (low1, high1), (low2, high2) = span(x), span(out)
    return x.copy() if low1 < high2 and low2 < high1 else x


def span(x: Any) -> tuple[int, int]:
    """The addresses from the first byte of an array to beyond its last."""
    low = high = x.data.ptr
    for length, stride in zip(x.shape, x.strides, strict=True):
        if length == 0:
            return 0, 0
        if stride < 0:
            low += (length - 1) * stride
        else:
            high += (length - 1) * stride
    return low, high + x.dtype.itemsize
