"""What an operation recorded, to be recorded again for other arrays of the same layout.

Which kernels to run, and with which parameters, takes the host longer to find out than the kernels
take on small arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api._backends.webgpu.data import Strided

if TYPE_CHECKING:
    from numr_api._backends import Shape
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.gpu import Program
    from numr_api._dtypes import DType

MOST_PLANS = 256
FIRST = 7  # the word of parameters with the first operand's place; the others' follow


class Step(NamedTuple):
    """A recorded kernel; the places of its operands are words from ``FIRST`` on."""

    program: Program
    words: list[int]
    groups: int
    operands: tuple[Strided, ...]


class Plan:
    """The kernels of an operation.

    Operands have numbers: 0 is the result, the next ones are what the operation is given, and the
    others are partial arrays.

    Attributes:
        shape: of the result.
    """

    __slots__ = ("_partial", "_steps", "shape")

    def __init__(self, steps: Sequence[Step], known: Sequence[Strided]) -> None:
        self.shape: Shape = known[0].shape
        operands = list(known)
        self._steps: list[tuple[Program, list[int], int, list[tuple[int, int, int]]]] = []
        for program, words, groups, used in steps:
            places: list[tuple[int, int, int]] = []
            for word, operand in enumerate(used, FIRST):
                number = next((i for i, x in enumerate(operands) if x is operand), len(operands))
                if number == len(operands):
                    operands.append(operand)
                places.append((number, word, words[word] - operand.offset))
            self._steps.append((program, words, groups, places))
        partial = operands[len(known) :]
        self._partial = [(x.size * x.dtype.itemsize, x.dtype.itemsize) for x in partial]

    def record(self, backend: WebgpuBackend, known: Sequence[Strided]) -> None:
        """Record the kernels for other arrays."""
        gpu = backend.gpu
        operands = [(x.block.buffer.whole, x.offset) for x in known]
        # Kept until all is recorded, so that no two have the same memory.
        blocks = [(gpu.memory.allocate(size), itemsize) for size, itemsize in self._partial]
        for block, itemsize in blocks:
            operands.append((block.buffer.whole, block.offset // itemsize))
        for program, words, groups, places in self._steps:
            bindings: list[Any] = []
            for number, word, moved in places:
                binding, offset = operands[number]
                words[word] = offset + moved
                bindings.append(binding)
            gpu.dispatch(program, tuple(bindings), words, groups)


class Plans:
    """Plans by what they are right for."""

    def __init__(self, backend: WebgpuBackend) -> None:
        self._backend = backend
        self._plans: dict[tuple[Any, ...], Plan] = {}

    def again(self, key: tuple[Any, ...], given: Sequence[Strided], dtype: DType) -> Strided | None:
        """The result by a plan; None if there is no plan, or an array is too large for it."""
        plan = self._plans.get(key)
        if plan is None or given[0].block.buffer.whole is None:
            return None
        with self._backend.gpu.lock:
            out: Strided = self._backend.empty(plan.shape, dtype)
            plan.record(self._backend, (out, *given))
        return out

    def remember(
        self, key: tuple[Any, ...], steps: Sequence[Step], known: Sequence[Strided]
    ) -> None:
        """Keep what was recorded for a result and what was given, unless windows were needed."""
        if all(x.block.buffer.whole is not None for step in steps for x in step.operands):
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            self._plans[key] = Plan(steps, known)
