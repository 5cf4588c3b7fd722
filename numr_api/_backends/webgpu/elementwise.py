"""Element-wise operations: how their kernels are chosen and called.

A thread computes four consecutive elements of the output, or one if the operation is long: such
kernels are bound by arithmetic, and compilers put a copy of the operation in place of each call.
How a thread reads an operand depends on how that lies in memory, so a kernel has variants:

    scalar    a Python scalar, which comes with the parameters
    constant  an array of one element, or repeated along all axes
    vector    four elements in one load: contiguous along the last axis and aligned
    unit      contiguous along the last axis
    strided   anything else

Axes that all operands step through as one are merged first, so most kernels have one axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api._backends.webgpu import wgsl
from numr_api._backends.webgpu.data import Strided, broadcast, common_shape, may_overlap, merge
from numr_api._backends.webgpu.elementwise_kernels import Signature, source_of
from numr_api._backends.webgpu.kernels import EACH, WORKGROUP, pieces, window_of
from numr_api._backends.webgpu.types import WORD, Type
from numr_api._dtypes import DType

if TYPE_CHECKING:
    from numr_api._backends import Scalar, Shape
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.gpu import Program


LONG = 4000  # characters of WGSL
MOST_PLANS = 256  # of a kernel


class Plan(NamedTuple):
    """How a kernel is called for operands that lie in a certain way.

    Attributes:
        groups: how many workgroups.
        words: the parameters before the scalars, but for the places of the arrays.
        places: where these stand among the words, the output's first.
    """

    program: Program
    groups: int
    words: list[int]
    places: list[int]


class Kernel:
    """An operation on operands of certain types; call it with their data.

    Arguments:
        body, operands, promoted, results: see ``Signature``.
        result: the dtype of the outcome.

    Of two results the call returns a tuple.
    """

    def __init__(
        self,
        backend: WebgpuBackend,
        label: str,
        body: str,
        operands: Sequence[Type | None],
        promoted: Sequence[Type],
        result: DType,
        results: int = 1,
    ) -> None:
        self._backend, self._label = backend, label
        self._results = results
        self._promoted = promoted
        self._dtype, self._itemsize = result, result.itemsize
        self._signature = Signature(body, operands, promoted, backend.types[result], results)
        self._variants: dict[tuple[Any, ...], Program] = {}
        self._plans: dict[tuple[Any, ...], Plan] = {}
        self._flat: Program | None = None
        size = len(wgsl.link(self._signature.operation()))
        self._each = 1 if size > LONG and backend.types[result].packed == 1 else EACH
        self._per_group = self._each * WORKGROUP

    def __call__(self, *operands: Any, out: Strided | None = None) -> Any:
        arrays: list[Strided] = []
        scalars: list[tuple[int, ...]] = []
        shape: Shape | None = None
        flat = out is None and self._results == 1
        number = 0
        for x in operands:
            if x is None:  # a bound that clip does not have
                continue
            if x.__class__ is Strided:
                arrays.append(x)
                flat = flat and x.is_plain and (shape is None or x.shape == shape)
                shape = x.shape
            else:
                scalars.append(self._promoted[number].scalar_words(x))
            number += 1
        with self._backend.gpu.lock:
            return self._run_flat(arrays, scalars) if flat else self._call(arrays, scalars, out)

    def _run_flat(self, arrays: list[Strided], scalars: list[tuple[int, ...]]) -> Strided:
        """The common case, nothing but whole arrays of one shape, without a detour."""
        first = arrays[0]
        size = first.size
        gpu = self._backend.gpu
        out = Strided.like(gpu.memory.allocate(size * self._itemsize), self._dtype, first)
        if not size:
            return out
        block = out.block
        if block.buffer.whole is None:  # the result is wider than the operands
            self._run((out,), True, arrays, scalars)
            return out
        block.version += 1
        words = [0, size, size, out.offset, 1]
        bindings: list[Any] = [block.buffer.whole]
        for x in arrays:
            words.append(x.offset)
            words.append(1)
            bindings.append(x.block.buffer.whole)
        for scalar in scalars:
            words += scalar
        program = self._flat
        if program is None:
            mode = "strided" if self._each == 1 else "vector"
            key = (1, self._each > 1, *[mode] * len(bindings))
            program = self._flat = self._variants.get(key) or self._variant(key)
        gpu.dispatch(program, tuple(bindings), words, -(-size // self._per_group))
        return out

    def _call(
        self, arrays: list[Strided], scalars: list[tuple[int, ...]], out: Strided | None
    ) -> Any:
        shape = arrays[0].shape
        if any(x.shape != shape for x in arrays):
            shape = common_shape(*[x.shape for x in arrays])
        if out is None:
            results = tuple(self._backend.empty(shape, self._dtype) for _ in range(self._results))
        elif shape != out.shape:
            raise ValueError(f"shape {shape} does not fit {out.shape}")
        else:
            results = (out,)
            arrays = [_apart(self._backend, x, out) for x in arrays]
        if results[0].size:
            self._run(results, out is None, arrays, scalars)
        return results[0] if self._results == 1 else results

    def fill(self, out: Strided, *scalars: Scalar) -> None:
        """Write to a new contiguous array what comes of scalars only."""
        words = [t.scalar_words(x) for t, x in zip(self._promoted, scalars, strict=True)]
        if out.size:
            with self._backend.gpu.lock:
                self._run((out,), True, [], words)

    def _run(
        self,
        outs: tuple[Strided, ...],
        fresh: bool,
        arrays: list[Strided],
        scalars: list[tuple[int, ...]],
    ) -> None:
        """Record the kernel for any operands that broadcast to the outputs."""
        for out in outs:
            out.block.version += 1
        everything = (*outs, *arrays)
        bindings = tuple([x.block.buffer.whole for x in everything])
        if None in bindings:
            self._run_pieces(everything, fresh, scalars)
            return
        key = (fresh, *[(x.shape, x.strides, x.offset & 3) for x in everything])
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            lengths, steps = loop_of(everything)
            plan = self._plan(lengths, steps, [x.offset & 3 == 0 for x in everything], fresh)
            self._plans[key] = plan
        self._record(plan, bindings, [x.offset for x in everything], scalars)

    def _run_pieces(
        self, arrays: Sequence[Strided], fresh: bool, scalars: list[tuple[int, ...]]
    ) -> None:
        """The same part by part, for arrays larger than a binding."""
        lengths, steps = loop_of(arrays)
        for part, places in pieces(arrays, lengths, steps, [x.offset for x in arrays]):
            inner = [step[len(step) - len(part) :] for step in steps]
            bindings: tuple[Any, ...] = tuple(
                window_of(x, part, step, place)
                for x, step, place in zip(arrays, inner, places, strict=True)
            )
            moved = [
                place - window.offset // x.dtype.itemsize
                for x, place, window in zip(arrays, places, bindings, strict=True)
            ]
            plan = self._plan(part, inner, [place & 3 == 0 for place in moved], fresh)
            self._record(plan, bindings, moved, scalars)

    def _plan(
        self, lengths: Shape, steps: Sequence[Shape], aligned: Sequence[bool], fresh: bool
    ) -> Plan:
        """What is the same whenever operands lie so; outputs come first."""
        count = prod(lengths)
        rank = len(lengths)
        whole_rows = self._each > 1 and (rank == 1 or lengths[-1] % EACH == 0)
        modes = [mode_of(step, even, whole_rows) for step, even in zip(steps, aligned, strict=True)]
        for i in range(self._results):
            if self._each == 1:
                modes[i] = "strided"
            elif fresh and aligned[i]:
                modes[i] = "vector"  # contiguous, and beyond its end is nothing of others
            elif modes[i] != "vector" or count % EACH:
                modes[i] = "strided"
        key = (rank, whole_rows, *modes)
        words = [0, count, *lengths]
        places: list[int] = []
        for mode, step in zip(modes, steps, strict=True):
            places.append(len(words))
            words.append(0)
            if mode != "constant":
                words.extend([s & WORD for s in step])
        program = self._variants.get(key) or self._variant(key)
        return Plan(program, -(-count // self._per_group), words, places)

    def _record(
        self,
        plan: Plan,
        bindings: tuple[Any, ...],
        places: Sequence[int],
        scalars: list[tuple[int, ...]],
    ) -> None:
        words = plan.words.copy()
        for number, place in zip(plan.places, places, strict=True):
            words[number] = place
        for scalar in scalars:
            words += scalar
        self._backend.gpu.dispatch(plan.program, bindings, words, plan.groups)

    def _variant(self, key: tuple[Any, ...]) -> Program:
        rank, whole_rows, *modes = key
        source = source_of(self._signature, rank, whole_rows, modes, self._each)
        program = self._backend.program(self._label, source, len(modes))
        self._variants[key] = program
        return program


def _apart(backend: WebgpuBackend, x: Strided, out: Strided) -> Strided:
    """x, or a copy if writing to ``out`` would change elements of x that are still to be read."""
    same = x.offset == out.offset and x.shape == out.shape and x.strides == out.strides
    return backend.copy(x) if not same and may_overlap(x, out) else x


def loop_of(arrays: Sequence[Strided]) -> tuple[Shape, Sequence[Shape]]:
    """The lengths of the fewest axes that visit all elements of the first array, and the steps of
    each array along them."""
    out = arrays[0]
    if all(x.is_contiguous and x.shape == out.shape for x in arrays):
        return (out.size,), ((1,),) * len(arrays)
    spread = (x if x.shape == out.shape else broadcast(x, out.shape) for x in arrays)
    lengths, steps = merge(out.shape, tuple(x.strides for x in spread))
    if not lengths:  # a single element
        return (1,), ((1,), *((0,) for _ in arrays[1:]))
    return lengths, steps


def mode_of(steps: Shape, aligned: bool, whole_rows: bool) -> str:
    """How an operand is read."""
    if not any(steps):
        return "constant"
    if steps[-1] != 1 or not whole_rows:
        return "strided"
    return "vector" if aligned and not any(step % EACH for step in steps[:-1]) else "unit"
