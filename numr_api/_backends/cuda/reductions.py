"""Reductions: which kernels reduce an array, and what they refuse."""

from __future__ import annotations

import struct
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api._backends.cuda.elementwise_plans import ALIGNMENT
from numr_api._backends.cuda.library import MOST_PLANS, Library, library as of_cupy
from numr_api._backends.cuda.reduction_kernels import (
    ORDERED,
    STATE_BYTES,
    Signature,
    source_of,
)
from numr_api._backends.cuda.reduction_plans import loop_of, work_of

if TYPE_CHECKING:
    from numr_api._backends import Axes, Data, Shape
    from numr_api._dtypes import DType

__all__ = ["Kernel", "find_kernel"]

CHOOSING = (*ORDERED, "max", "min")  # which need an element


class Plan(NamedTuple):
    """How a kernel is run for arrays that lie in a certain way.

    Attributes:
        shape: of the result.
        arguments: their layout in memory: addresses, the divisor, the numbers.
        offset: of the first element to the array's, in bytes.
        scratch: bytes for partial results.
    """

    shape: Shape
    function: Any
    groups: int
    threads: int
    arguments: struct.Struct
    offset: int
    scratch: int
    numbers: tuple[int, ...]


class Kernel:
    """A reduction; call it with data, axes, whether these stay, and what var and std divide by."""

    def __init__(self, library: Library, signature: Signature) -> None:
        self.signature = signature
        self._library = library
        self._dtype = signature.result.__numpy_dtype__
        self._functions: dict[str, Any] = {}
        self._plans: dict[Any, Plan] = {}

    def __call__(self, data: Data, axes: Axes, keepdims: bool, divisor: float = 1.0) -> Data:
        address = data.data.ptr
        strides = None if data._c_contiguous else data.strides
        key = (data.shape, strides, address % ALIGNMENT, axes, keepdims)
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            plan = self._plans[key] = self._plan(data, axes, keepdims)
        shape, function, groups, threads, arguments, offset, size, numbers = plan
        result = self._library.empty(shape, self._dtype)
        if not groups:
            return result
        if size:
            scratch = self._library.empty((size,), "uint8")
            partial, counters = scratch.data.ptr, self._library.counters()
        else:
            partial = counters = 0
        addresses = result.data.ptr, address + offset, partial, counters
        function.launch(groups, threads, arguments, (*addresses, divisor, *numbers))
        return result

    def _plan(self, data: Data, axes: Axes, keepdims: bool) -> Plan:
        operation, element, _ = self.signature
        shape = _shape(data.shape, axes, keepdims)
        length = prod([data.shape[axis] for axis in axes])
        if operation in CHOOSING and not length:
            raise ValueError("there are no elements")
        if not prod(shape):
            return Plan(shape, None, 0, 0, struct.Struct(""), 0, 0, ())
        loop = loop_of(data, axes, operation in ORDERED)
        offset = loop.offset * element.itemsize
        work = work_of(loop, element.itemsize, data.data.ptr + offset)
        source = source_of(self.signature, work.variant)
        function = self._functions.get(source.name)
        if function is None:
            function = self._functions[source.name] = self._library.function(*source)
        return Plan(
            shape,
            function,
            work.groups,
            work.threads,
            struct.Struct(f"4Pd{len(work.numbers)}q"),
            offset,
            work.states * STATE_BYTES,
            work.numbers,
        )


def find_kernel(
    operation: str, dtype: DType, result: DType, library: Library | None = None
) -> Kernel:
    """What reduces data of a dtype; see ``Backend.reduction``. Also mean, var and std.

    A kernel belongs to the device that is current when it is first called.
    """
    return Kernel(library or of_cupy(), Signature(operation, dtype, result))


def _shape(shape: Shape, axes: Axes, keepdims: bool) -> Shape:
    """The shape of a result."""
    if keepdims:
        return tuple([1 if axis in axes else length for axis, length in enumerate(shape)])
    return tuple([length for axis, length in enumerate(shape) if axis not in axes])
