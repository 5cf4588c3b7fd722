"""Elements taken by arrays of indices: one family of kernels for all functions that do.

An axis of the data is either one of the result's, or selected by an index array whose axes are some
of the result's. The result is row-major. Indices are of any integer dtype and checked by the
kernel. What lies next to each other in the data and in the result is moved 16 bytes at a time.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api._backends.cuda.elementwise import CARRIERS
from numr_api._backends.cuda.elementwise_plans import MOST_GROUPS, layout_of
from numr_api._backends.cuda.elementwise_variants import THREADS
from numr_api._backends.cuda.layouts import Steps, merged
from numr_api._backends.cuda.library import MOST_PLANS, Library, library as of_cupy
from numr_api._backends.cuda.texts import index_type, kernel_text

if TYPE_CHECKING:
    from numr_api._backends import Shape
    from numr_api._backends.cuda.faults import Access, Faults

FILES = ("movement.cuh",)
EACH = 4  # units of a thread


class Selection(NamedTuple):
    """How an axis of the data is selected.

    Attributes:
        axis: of the data.
        indices: whose axes are those of the result from ``start`` on, or broadcast to them.
    """

    axis: int
    indices: Any
    start: int


class Variant(NamedTuple):
    """A kernel of the family.

    Attributes:
        axes: of the result after merging.
        unit: bytes that are moved at a time.
        indices: the dtype of each index array.
        wide: whether units are counted in 64 bits.
    """

    axes: int
    unit: int
    indices: tuple[str, ...]
    wide: bool

    @property
    def name(self) -> str:
        parts = ["gather", str(8 * self.unit), *self.indices, f"{self.axes}axes"]
        return "_".join([*parts, *["wide"] * self.wide])


class Plan(NamedTuple):
    function: Any
    groups: int
    arguments: struct.Struct
    numbers: tuple[int, ...]


def text_of(variant: Variant) -> str:
    """The text of a kernel, without the file that it includes."""
    count = len(variant.indices)
    index = index_type(variant.wide)
    unit = CARRIERS[variant.unit]
    layout = f"{'WideLayout' if variant.wide else 'Layout'}<{variant.axes}, {1 + count}>"
    given = ", ".join(f"const {dtype}* index{i}" for i, dtype in enumerate(variant.indices))
    found = [f"{dtype} found{i}[{EACH}];" for i, dtype in enumerate(variant.indices)]
    read = [f"found{i}[k] = index{i}[places[{i + 1}]];" for i in range(count)]
    add = [
        f"from[k] += place_of(found{i}[k], selected.lengths[{i}], selected.faults[{i}], fault) "
        f"* selected.steps[{i}];"
        for i in range(count)
    ]
    each = f"    UNROLLED\n    for (int k = 0; k < {EACH}; ++k) {{"
    number = f"        const {index} number = first + k * {THREADS};"
    parameters = (
        f"{unit}* out, const {unit}* data, {given}, uint32* fault, int64 count, {layout} layout, "
        f"Selected<{count}> selected"
    )
    lines = [
        f"for ({index} first = {index}(blockIdx.x) * {THREADS * EACH} + threadIdx.x; "
        f"first < {index}(count); first += {index}(gridDim.x) * {THREADS * EACH}) {{",
        f"    int64 from[{EACH}];",
        *(f"    {line}" for line in found),
        each,
        number,
        f"        if (number < {index}(count)) {{",
        f"            {index} indexes[{variant.axes}];",
        f"            int64 places[{1 + count}];",
        "            find_places(layout, number, indexes, places);",
        "            from[k] = places[0];",
        *(f"            {line}" for line in read),
        "        }",
        "    }",
        each,
        f"        if (first + k * {THREADS} < {index}(count)) {{",
        *(f"            {line}" for line in add),
        "        }",
        "    }",
        f"    {unit} moved[{EACH}];",
        each,
        f"        if (first + k * {THREADS} < {index}(count)) moved[k] = data[from[k]];",
        "    }",
        each,
        number,
        f"        if (number < {index}(count)) out[number] = moved[k];",
        "    }",
        "}",
    ]
    return kernel_text(variant.name, parameters, "\n".join(f"    {line}" for line in lines))


class Gathering:
    """The kernels of a device."""

    def __init__(self, library: Library | None = None) -> None:
        self._library = library or of_cupy()
        self._functions: dict[Variant, Any] = {}
        self._plans: dict[Any, Plan] = {}

    def __call__(
        self,
        faults: Faults,
        data: Any,
        shape: Shape,
        selections: Sequence[Selection],
        accesses: Sequence[Access] | None,
    ) -> Any:
        """Elements of data, in an array of a shape.

        Arguments:
            shape: of the result. Axes that are not selected are the result's of the same numbers.
            accesses: words for each selection; None if no index can be out of bounds.
        """
        result = self._library.empty(shape, data.dtype)
        if not result.size:
            for selection, access in zip(selections, accesses or (), strict=False):
                if selection.indices.size:
                    self._look(faults, selection.indices, access)
            return result
        source = data.data.ptr
        key = (
            shape, data.shape, data.strides, data.itemsize, source % 16,
            *[(axis, start, indices.shape, indices.strides, indices.dtype.char)
              for axis, indices, start in selections],
        )  # fmt: skip
        plan = self._plans.get(key)
        if plan is None:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            plan = self._plans[key] = self._plan(data, shape, selections)
        addresses = (result.data.ptr, source, *[s.indices.data.ptr for s in selections])

        def launch(word: int, numbers: Sequence[int]) -> None:
            values = (*addresses, word, *plan.numbers, *numbers)
            plan.function.launch(plan.groups, THREADS, plan.arguments, values)

        if accesses is None:
            launch(0, [0] * len(selections))
        else:
            faults.watch(launch, accesses)
        return result

    def _look(self, faults: Faults, indices: Any, access: Access) -> None:
        """Look at indices of which the result has no element: as if of bytes that are all one."""
        flat = indices.reshape(-1)
        data = self._library.spread(self._library.empty((1,), "uint8"), (access.length,))
        self(faults, data, flat.shape, [Selection(0, flat, 0)], [access])

    def _plan(self, data: Any, shape: Shape, selections: Sequence[Selection]) -> Plan:
        size = data.itemsize
        steps = [0] * len(shape)
        selected = {s.axis for s in selections}
        for axis, length in enumerate(data.shape):
            if axis not in selected and length > 1:
                steps[axis] = data.strides[axis] // size
        index_steps = [_steps_of(s, len(shape)) for s in selections]
        counts: list[int] = []
        following = 1  # elements from one index of the row-major result to the next
        for length in reversed(shape):
            counts.insert(0, following)
            following *= length
        columns = list(zip(counts, steps, *index_steps, strict=True))
        lengths, (_, steps, *index_steps) = merged(shape, columns)
        between = [data.strides[s.axis] // size for s in selections]
        unit = unit_of(size, lengths, steps, index_steps, between, data.data.ptr)
        if unit != size:
            per = unit // size
            lengths = (*lengths[:-1], lengths[-1] // per)
            steps = (*(step // per for step in steps[:-1]), 1)
            between = [step // per for step in between]
        count = math.prod(lengths)
        wide, codes, numbers = layout_of(lengths, [steps, *index_steps], count)
        variant = Variant(len(lengths), unit, tuple(s.indices.dtype.name for s in selections), wide)
        codes = f"{3 + len(selections)}Pq{codes}{2 * len(selections)}q{len(selections)}I"
        axes = [data.shape[s.axis] for s in selections]
        groups = min(-(-count // (THREADS * EACH)), MOST_GROUPS)
        function = self._function(variant)
        return Plan(function, groups, struct.Struct(codes), (count, *numbers, *axes, *between))

    def _function(self, variant: Variant) -> Any:
        found = self._functions.get(variant)
        if found is None:
            found = self._library.function(FILES, text_of(variant), variant.name)
            self._functions[variant] = found
        return found


def _steps_of(selection: Selection, rank: int) -> Steps:
    """The steps of an index array along the result's axes."""
    steps = [0] * rank
    indices = selection.indices
    for axis, (length, stride) in enumerate(zip(indices.shape, indices.strides, strict=True)):
        if length > 1:
            steps[selection.start + axis] = stride // indices.itemsize
    return tuple(steps)


def unit_of(
    size: int,
    lengths: Shape,
    steps: Steps,
    index_steps: Sequence[Steps],
    between: Sequence[int],
    address: int,
) -> int:
    """How many bytes can be moved at a time: those of an element, or of several in a row."""
    if steps[-1] != 1 or any(step[-1] for step in index_steps):
        return size
    bytes_ = [lengths[-1] * size, address, *(n * size for n in (*steps[:-1], *between))]
    return next(u for u in (16, 8, 4, 2, 1) if u == size or not any(n % u for n in bytes_))
