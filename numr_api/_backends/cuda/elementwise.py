"""Element-wise operations: how their kernels are chosen and called.

Operands are promoted inside the kernels. Where all arrays are contiguous, aligned and of one shape,
threads reach 16 bytes in one access; ``elementwise_plans`` says how they reach others.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api._backends.cuda.activations import WITH_OPTION
from numr_api._backends.cuda.elementwise_kernels import source_of
from numr_api._backends.cuda.elementwise_plans import ALIGNMENT, FEW, way_of
from numr_api._backends.cuda.elementwise_variants import THREADS, Signature, Variant
from numr_api._backends.cuda.expressions import CLIP, EXPRESSIONS, expression
from numr_api._backends.cuda.layouts import apart, common_shape
from numr_api._backends.cuda.library import MOST_PLANS, Library, library as of_cupy
from numr_api._backends.cuda.narrow import rounded
from numr_api._dtypes import BY_NAME, EXTENSIONS, DType, computed, scalar_range
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Kernel as AnyKernel, Shape


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


def find_fill(dtype: DType, library: Library | None = None) -> Kernel:
    """What writes a Python scalar to all elements, by ``write`` of the kernel."""
    return Kernel(library or of_cupy(), fill_signature(dtype))


def find_copy(size: int, library: Library | None = None) -> Kernel:
    """What copies elements of a size to those of another array, by ``write`` of the kernel."""
    return Kernel(library or of_cupy(), copy_signature(size))


# What carries the bits of elements that are moved, by their size.
CARRIERS = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64", 16: "complex128"}


def fill_signature(dtype: DType) -> Signature:
    return Signature("fill", "a", (None,), (dtype,), dtype)


def copy_signature(size: int) -> Signature:
    dtype = BY_NAME[CARRIERS[size]]
    return Signature("copy", "a", (dtype,), (dtype,), dtype)


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
    if operation in WITH_OPTION:
        promoted = (dtype, computed(dtype))
    body = expression(row, dtype.group) or expression(row, dtype.kind)
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
    if dtype in EXTENSIONS:
        return lambda value: (rounded(value, dtype),)
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
        self._classes = library.classes
        self._dtype = signature.result.__numpy_dtype__
        pairs = list(zip(signature.operands, signature.promoted, strict=True))
        given = [promoted for operand, promoted in pairs if operand is None]
        self._scalars = [converter(dtype) for dtype in given]
        self._scalar_codes = "".join(_CODES[computed(dtype).name] for dtype in given)
        self._per_group = THREADS * signature.vector
        self._whole: tuple[Any, struct.Struct] | None = None
        self._functions: dict[Variant, Any] = {}
        self._plans: dict[Any, Plan] = {}

    def __call__(self, *operands: Any, out: Any = None) -> Any:
        arrays: list[Any] = []
        scalars: tuple[Any, ...] = ()
        convert = iter(self._scalars)
        for x in operands:
            if x.__class__ in self._classes:
                arrays.append(x)
            elif x is not None:  # a bound that clip does not have
                scalars += next(convert)(x)
        first = arrays[0] if out is None else out
        shape = first.shape
        size = first.size
        if not (first._c_contiguous and 0 < size < FEW):
            return self._anyhow(arrays, scalars, out)
        addresses = [0]
        for x in arrays:
            address = x.data.ptr
            if address % ALIGNMENT or (
                x is not first and (not x._c_contiguous or x.shape != shape)
            ):
                return self._anyhow(arrays, scalars, out)
            addresses.append(address)
        if out is None:
            result = self._library.empty(shape, self._dtype)
            addresses[0] = result.data.ptr
        else:
            result = out
            addresses[0] = address = out.data.ptr
            if address % ALIGNMENT or not self._apart(arrays, addresses, size):
                return self._anyhow(arrays, scalars, out)
        function, arguments = self._whole or self._find_whole()
        function.launch(
            -(-size // self._per_group), THREADS, arguments, (*addresses, size, *scalars)
        )
        return result

    def _apart(self, arrays: Sequence[Any], addresses: Sequence[int], size: int) -> bool:
        """Whether contiguous arrays are the output itself, or lie elsewhere."""
        out = addresses[0]
        item = self._dtype.itemsize
        end = out + size * item
        for x, address in zip(arrays, addresses[1:], strict=True):
            other = x.itemsize
            if (address != out or other != item) and address < end and out < address + size * other:
                return False
        return True

    def _find_whole(self) -> tuple[Any, struct.Struct]:
        arrays = len(self.signature.arrays)
        function = self._function(Variant(1, ("vector",) * arrays, wide=False))
        self._whole = function, self._packing("q")
        return self._whole

    def _anyhow(self, arrays: Sequence[Any], scalars: Sequence[Any], out: Any) -> Any:
        """The same of arrays that may have to be broadcast, or that overlap the output."""
        shape = common_shape([x.shape for x in arrays])
        if out is None:
            out = self._new(shape, arrays)
        elif shape != out.shape:
            raise ValueError(f"shape {shape} does not fit {out.shape}")
        else:
            arrays = [apart(x, out) for x in arrays]
        if out.size:
            self.write(out, arrays, scalars)
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

    def scalar(self, value: Any) -> tuple[Any, ...]:
        """What ``write`` is given for the only operand, a Python scalar."""
        return self._scalars[0](value)

    def write(self, out: Any, arrays: Sequence[Any], scalars: Sequence[Any] = ()) -> None:
        """Write to an array of one element or more, to which the operands broadcast.

        No operand may lie where elements are written, unless it is the output itself.
        """
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
        way = way_of(self.signature, arrays, addresses)
        function = self._function(way.variant)
        return Plan(function, way.groups, self._packing(way.codes), way.numbers)

    def _packing(self, codes: str) -> struct.Struct:
        return struct.Struct(f"{len(self.signature.arrays)}P{codes}{self._scalar_codes}")

    def _function(self, variant: Variant) -> Any:
        found = self._functions.get(variant)
        if found is None:
            text = source_of(self.signature, variant)
            found = self._library.function(
                self.signature.sources, text, variant.name(self.signature)
            )
            self._functions[variant] = found
        return found
