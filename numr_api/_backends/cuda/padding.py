"""Padding of arrays of any dtype, whose elements are moved as bits, and its gradient."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api._backends.cuda.elementwise import CARRIERS
from numr_api._backends.cuda.elementwise_plans import FEW, MOST_GROUPS, divisor
from numr_api._backends.cuda.elementwise_variants import THREADS, stored
from numr_api._backends.cuda.library import Library, Source, library as of_cupy
from numr_api._backends.cuda.texts import index_type, kernel_text
from numr_api._dtypes import BY_NUMPY, DType, float32

if TYPE_CHECKING:
    from numr_api._backends import Scalar, Shape
    from numr_api._backends.cuda.copies import Copies

Data = Any
Widths = Sequence[tuple[int, int]]
Axis = tuple[int, int, int, int]  # as in padding.cuh, which has a divisor besides
AXIS = "4q3I4x"

FILES = ("padding.cuh",)
MODES = {
    "constant": "VALUE",
    **{mode: mode.upper() for mode in ("reflect", "edge", "symmetric", "wrap")},
}


VECTOR = 16  # bytes of a thread, where the last axis has
VECTORS = 4  # of them or more


def forward_source(size: int, mode: str, axes: int, each: int, wide: bool) -> Source:
    """The kernel for elements of a size, of which a thread has some."""
    name = f"pad_{mode}_{size}_{axes}by{each}{'_wide' * wide}"
    element = CARRIERS[size]
    parameters = (
        f"{element}* out, const {element}* data, int64 count, padding::Axes<{axes}> layout, "
        f"{element} value"
    )
    body = (
        f"    padding::forward<{element}, padding::{MODES[mode]}, {axes}, {each}, "
        f"{index_type(wide)}>(\n"
        "        out, data, count, layout, value);"
    )
    return Source(FILES, kernel_text(name, parameters, body), name)


def backward_source(dtype: DType, mode: str, axes: int, wide: bool) -> Source:
    """The kernel of the gradient."""
    name = f"pad_backward_{mode}_{dtype}_{axes}{'_wide' * wide}"
    element = stored(dtype)
    parameters = f"{element}* out, const {element}* grad, int64 count, padding::Axes<{axes}> layout"
    body = (
        f"    padding::backward<{element}, padding::{MODES[mode]}, {axes}, {index_type(wide)}>(\n"
        "        out, grad, count, layout);"
    )
    return Source(FILES, kernel_text(name, parameters, body), name)


def axes_of(shape: Shape, widths: Widths) -> list[Axis]:
    """The axes of a row-major array; those next to each other that are not padded are one."""
    found: list[tuple[int, int, int]] = []
    for length, (before, after) in zip(shape, widths, strict=True):
        if not before and not after and found and found[-1][0] == found[-1][1]:
            whole = found[-1][0] * length
            found[-1] = whole, whole, 0
        else:
            found.append((before + length + after, length, before))
    step, result = 1, list[Axis]()
    for padded, length, before in reversed(found):
        result.append((padded, length, before, step))
        step *= length
    return result[::-1]


def _divisor(length: int) -> tuple[int, int, int]:
    """What divides by a length where elements are few."""
    return (length, *divisor(length)) if length < FEW else (0, 0, 0)


class Padding:
    """The functions of one device. Methods are called while it is current."""

    def __init__(self, copies: Copies, library: Library | None = None) -> None:
        self._library = library or of_cupy()
        self._copies = copies
        self._functions: dict[str, Any] = {}
        self.routines: dict[str, Callable[..., Data]] = {
            "pad": self.forward,
            "pad_backward": self.backward,
        }

    def forward(self, data: Data, *, widths: Widths, mode: str, value: Scalar) -> Data:
        """New data, with elements or a value beyond the ends of axes."""
        pairs = list(zip(data.shape, widths, strict=True))
        result = self._library.empty(tuple(b + n + a for n, (b, a) in pairs), data.dtype)
        if not result.size:
            return result
        if not data.size and mode == "constant":
            self._copies.fill(result, value)
            return result
        x = self._copies.row_major(data)
        beyond = self._bits(value, data.dtype) if mode == "constant" else bytes(data.itemsize)
        axes = axes_of(data.shape, widths)
        each = VECTOR // data.itemsize
        if axes[-1][1] < VECTORS * each:
            each = 1
        source = forward_source(data.itemsize, mode, len(axes), each, result.size >= FEW)
        self._run(source, (result, x), result.size, axes, each, beyond)
        return result

    def backward(self, grad: Data, *, widths: Widths, mode: str, shape: Shape) -> Data:
        """The sums of what stands for each element."""
        result = self._library.empty(shape, grad.dtype)
        if result.size:
            axes = axes_of(shape, widths)
            source = backward_source(BY_NUMPY[grad.dtype], mode, len(axes), grad.size >= FEW)
            self._run(source, (result, self._copies.row_major(grad)), result.size, axes)
        return result

    def _bits(self, value: Scalar, dtype: Any) -> bytes:
        """A Python scalar as an element lies in memory."""
        parts = self._copies.scalars(value, dtype)
        number = parts[0] if len(parts) == 1 else complex(*parts)
        return np.asarray(number).astype(dtype).tobytes()

    def _run(
        self,
        source: Source,
        arrays: Sequence[Data],
        count: int,
        axes: list[Axis],
        each: int = 1,
        value: bytes = b"",
    ) -> None:
        function = self._functions.get(source.name)
        if function is None:
            function = self._functions[source.name] = self._library.function(*source)
        layout = struct.Struct(f"{len(arrays)}Pq{AXIS * len(axes)}{len(value)}s")
        values = [x.data.ptr for x in arrays]
        numbers = [number for axis in axes for number in (*axis, *_divisor(axis[0]))]
        groups = min(-(-count // (THREADS * each)), MOST_GROUPS)
        function.launch(groups, THREADS, layout, (*values, count, *numbers, value))


def catalogue() -> Iterator[Source]:
    """The kernels that users usually meet."""
    for mode in MODES:
        for axes in (1, 2, 3):
            for size in (2, 4):
                yield forward_source(size, mode, axes, VECTOR // size, wide=False)
        if mode != "constant":
            yield backward_source(float32, mode, 2, wide=False)
