"""Matrix products: which kernel computes one, in which tiles or slices.

All of that follows from shapes, and from which axes are contiguous, so that the same call gives the
same bits. Products with a long inner axis and few results are cut into slices of the inner axis,
which another kernel adds up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from numr_api import _dtypes
from numr_api._backends.webgpu.data import Strided, common_shape, index, merge, row_major, same
from numr_api._backends.webgpu.kernels import EACH, WORKGROUP
from numr_api._backends.webgpu.product_choices import (
    COPIED,
    SINGLE,
    access_of,
    is_tiled,
    lanes_of,
    slices_of,
    tile_of,
    vector_access,
)
from numr_api._backends.webgpu.product_dots import dots, single
from numr_api._backends.webgpu.product_parts import Access, Form
from numr_api._backends.webgpu.product_problem import (
    Product,
    Side,
    bindings_of,
    halves,
    product_of,
    reachable,
)
from numr_api._backends.webgpu.product_tiles import BLOCK, DEEPEST, Tile, tiled, tiles_of_type
from numr_api._backends.webgpu.types import WORD
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Shape
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.gpu import Program
    from numr_api._backends.webgpu.memory import Binding
    from numr_api._backends.webgpu.types import Type
    from numr_api._dtypes import DType

STORAGE = 16384  # bytes of workgroup memory that any device has, and a software driver is given
MOST_PLANS = 4096
# What sums of slices are kept in, for packed types by their kinds.
SUMMED = {"i": _dtypes.int32, "u": _dtypes.uint32, "f": _dtypes.float32}


class Step(NamedTuple):
    """A kernel of a plan.

    Attributes:
        words: its parameters.
        sides: for each binding which array it is of, the parameter that says where that begins, and
            how far from the array's first element.
    """

    program: Program
    words: list[int]
    groups: int
    sides: tuple[tuple[int, int, int], ...]


class Plan(NamedTuple):
    """How a product is computed, to be repeated with other arrays of the same layout.

    Attributes:
        result: the shape.
        partial: shape and dtype of sums of slices.
        steps: whose arrays are the result, the operands, and the sums of slices.
    """

    result: Shape
    partial: tuple[Shape, DType] | None
    steps: Sequence[Step]


class Products:
    """The products of a device and the kernels for them."""

    def __init__(self, backend: WebgpuBackend) -> None:
        self._backend = backend
        self._programs: dict[tuple[object, ...], Program] = {}
        self._plans: dict[tuple[object, ...], Plan] = {}
        self._allowed: dict[Type, Sequence[Tile]] = {}
        # What was recorded for the product in the making, in place of which a plan will come.
        self._steps: list[tuple[Program, list[int], Product]] = []
        # A software driver compiles for longer than an unrolled loop can save.
        self._unrolled = not backend.gpu.adapter.in_software
        self._storage = backend.gpu.most_storage if self._unrolled else STORAGE

    def matmul(self, x1: Strided, x2: Strided) -> Strided:
        """The product of arrays of one dtype, with the standard's broadcasting."""
        key = (x1.dtype, x1.shape, x1.strides, x1.offset % EACH, x2.shape, x2.strides,
               x2.offset % EACH)  # fmt: skip
        with self._backend.gpu.lock:
            plan = self._plans.get(key)
            if plan is not None:
                output = self._backend.empty(plan.result, x1.dtype)
                if self._repeat(plan, output, x1, x2):
                    return output
            return self._new(key, x1, x2)

    def subtract(self, output: Strided, left: Strided, right: Strided) -> None:
        """Subtract ``left @ right`` from an output of the same floating-point dtype, in place.

        All are matrices or batches of them, which may be views of one block; batch axes broadcast
        to the output's. No element of the output is one of an operand or of itself twice.
        """
        key = (output.dtype, output.shape, output.strides, output.offset % EACH, left.shape,
               left.strides, left.offset % EACH, right.shape, right.strides,
               right.offset % EACH)  # fmt: skip
        with self._backend.gpu.lock:
            plan = self._plans.get(key)
            if plan is not None and self._repeat(plan, output, left, right):
                return
            if output.size and left.shape[-1]:
                self._compute(key, output.shape, output, left, right, True)

    def _repeat(self, plan: Plan, output: Strided, x1: Strided, x2: Strided) -> bool:
        """Follow a plan, if what it needs is bound as a whole, as when the plan was made."""
        arrays = [output, x1, x2]
        if plan.partial is not None:
            arrays.append(self._backend.empty(*plan.partial))
        wholes = [x.block.buffer.whole for x in arrays]
        if None in wholes:
            return False
        output.block.version += 1
        for program, words, groups, sides in plan.steps:
            for number, word, distance in sides:
                words[word] = arrays[number].offset + distance
            bindings = tuple([wholes[number] for number, _, _ in sides])
            self._backend.gpu.dispatch(program, bindings, words, groups)  # type: ignore[arg-type]
        return True

    def _new(self, key: tuple[object, ...], x1: Strided, x2: Strided) -> Strided:
        backend = self._backend
        left = x1 if len(x1.shape) > 1 else x1.view((1, *x1.shape), (0, *x1.strides), x1.offset)
        right = x2 if len(x2.shape) > 1 else x2.view((*x2.shape, 1), (*x2.strides, 0), x2.offset)
        batch = common_shape(left.shape[:-2], right.shape[:-2])
        rows, inner, columns = left.shape[-2], left.shape[-1], right.shape[-1]
        shape = (*batch, rows, columns)
        result = (*batch, *x1.shape[-2:-1], *([columns] if len(x2.shape) > 1 else []))
        if inner == 0:
            return backend.full(result, 0, x1.dtype)
        output = backend.empty(result, x1.dtype)
        if output.size == 0:
            return output
        target = output.view(shape, row_major(shape), output.offset)
        self._compute(key, result, target, left, right, False)
        return output

    def _compute(self, key: tuple[object, ...], result: Shape, output: Strided, x1: Strided,
                 x2: Strided, subtracts: bool) -> None:  # fmt: skip
        """Fill an output with a product, or subtract it, and remember how."""
        if x1 is x2:
            x2 = same(x2)  # as a plan tells arrays apart by identity
        left, right = x1, x2
        rows, columns = output.shape[-2:]
        if is_tiled(prod(output.shape[:-2]), rows, columns, x1.shape[-1]):
            left, right = self._readable(x1), self._readable(x2)
        product = product_of(output, left, right, subtracts)
        if not reachable(product, self._backend.gpu.most // 2):
            self._in_halves(output, x1, x2, subtracts)
            return
        output.block.version += 1
        count = slices_of(product, self._tiles(product))
        partial = None
        try:
            if count > 1 or self._adds_blocks(product):
                partial = self._sliced(product, count)
            else:
                self._run_parts(product)
            self._remember(key, result, (output, x1, x2), partial)
        finally:
            self._steps.clear()  # which holds the arrays

    def _remember(self, key: tuple[object, ...], result: Shape, arrays: Sequence[Strided],
                  partial: Strided | None) -> None:  # fmt: skip
        """Keep what was recorded for arrays, unless others or parts of bindings were needed."""
        steps: list[Step] = []
        known = [*arrays, *([partial] if partial else [])]
        for program, words, product in self._steps:
            sides: list[tuple[int, int, int]] = []
            each = 3 + len(product.batch)
            word = len(words) - each * len(product.sides)
            for side in product.sides:
                number = next((i for i, x in enumerate(known) if x is side.data), None)
                if number is None or side.data.block.buffer.whole is None:
                    return
                sides.append((number, word, side.place - side.data.offset))
                word += each
            steps.append(Step(program, words, words[1], tuple(sides)))
        if len(self._plans) >= MOST_PLANS:
            self._plans.clear()
        sums = (partial.shape, partial.dtype) if partial else None
        self._plans[key] = Plan(result, sums, steps)

    def _in_halves(self, output: Strided, x1: Strided, x2: Strided, subtracts: bool) -> None:
        """The product where a binding cannot hold a few rows: by halves of the inner axis."""
        half = x1.shape[-1] // 2
        if half == 0:
            raise Unsupported(
                f"matmul of {x1.dtype} on {self._backend.device}: a few rows are spread over more "
                f"than the {self._backend.gpu.most:,} bytes that it can reach at once"
            )
        parts = [
            (
                index(x1, (slice(None),) * (len(x1.shape) - 1) + (part,)),
                index(x2, (slice(None),) * (len(x2.shape) - 2) + (part,)),
            )
            for part in (slice(half), slice(half, None))
        ]
        if subtracts:
            for part in parts:
                self.subtract(output, *part)
            return
        wide = _dtypes.float32
        if x1.dtype in _dtypes.HALVES:  # sums of halves are rounded once
            parts = [(self._backend.cast(x, wide), self._backend.cast(y, wide)) for x, y in parts]
        sums = [self.matmul(*part) for part in parts]
        dtype = sums[0].dtype
        add = self._backend.elementwise("add", (dtype, dtype), dtype, x1.dtype)
        self._backend.launch(add, *sums, out=output)

    def _readable(self, x: Strided) -> Strided:
        """x, or a copy if neither of its last axes is contiguous and it is large."""
        contiguous = any(abs(s) <= 1 for s in x.strides[-2:])
        if contiguous or x.size < COPIED or x.overlaps_itself:
            return x
        return self._backend.copy(x)

    def _run_parts(self, product: Product) -> None:
        found = bindings_of(product)
        if found is not None:
            self._dispatch(product, found)
            return
        for part in halves(product):
            self._run_parts(part)

    def _kind(self, side: Side) -> Type:
        return self._backend.types[side.data.dtype]

    def _tiles(self, product: Product) -> Sequence[Tile]:
        """The tiles that the device has the workgroup memory for."""
        kind = self._kind(product.left)
        if kind not in self._allowed:
            self._allowed[kind] = tiles_of_type(kind, self._storage)
        return self._allowed[kind]

    def _adds_blocks(self, product: Product) -> bool:
        """Whether tiles add to results of a type that these would be rounded to each time."""
        tile = tile_of(product, self._tiles(product))
        return self._kind(product.output).is_narrow and tile is not None and product.inner > BLOCK

    def _sliced(self, product: Product, count: int) -> Strided:
        """Compute products of slices of the inner axis, then their sums; return the former."""
        assert product.right
        length = -(-product.inner // count)
        length = -(-length // DEEPEST) * DEEPEST
        count = -(-product.inner // length)
        kind = self._kind(product.left)
        dtype = product.left.data.dtype
        if kind.packed > 1:
            dtype = SUMMED[kind.kind]
        shape = (count, *product.batch, product.rows, product.columns)
        sums = self._backend.empty(shape, dtype)
        left, right = (
            replace(side, steps=(length * side.last, *side.steps))
            for side in (product.left, product.right)
        )
        output = Side(sums, sums.offset, sums.strides[:-2], product.columns, 1)
        self._run_parts(replace(product, batch=(count, *product.batch), slice=length,
                                output=output, left=left, right=right,
                                subtracts=False))  # fmt: skip
        size = prod(shape[1:])
        lengths, (steps, parts) = merge(
            (*product.batch, product.rows, product.columns),
            ((*product.output.steps, product.output.outer, product.output.last), sums.strides[1:]),
        )
        if not lengths:
            lengths, steps, parts = (1,), (1,), (1,)
        final = replace(product.output, steps=steps[:-1], outer=steps[-1], last=0)
        summed = Side(sums, sums.offset, parts[:-1], parts[-1], size)
        self._run_parts(Product(lengths[:-1], lengths[-1], 1, count, final, summed, None,
                                subtracts=product.subtracts))  # fmt: skip
        return sums

    # Dispatch

    def _dispatch(self, product: Product, bindings: tuple[Binding, ...]) -> None:
        places = [
            side.place - (part.offset // side.data.dtype.itemsize)
            for side, part in zip(product.sides, bindings, strict=True)
        ]
        tile = tile_of(product, self._tiles(product))
        if tile is not None:
            program, groups, extra = self._tiled(product, tile, places)
        else:
            program, groups, extra = self._dots(product, places)
        words = [0, groups, product.rows, product.columns, product.inner, product.slice,
                 *extra, *product.batch]  # fmt: skip
        for side, place in zip(product.sides, places, strict=True):
            words += [part & WORD for part in (place, side.outer, side.last, *side.steps)]
        self._backend.gpu.dispatch(program, bindings, words, groups)
        self._steps.append((program, words, product))

    def _form(self, product: Product, left: Access, right: Access | None) -> Form:
        return Form(self._kind(product.left), self._kind(product.output), len(product.batch),
                    product.slice > 0, left, right, product.subtracts)  # fmt: skip

    def _tiled(
        self, product: Product, tile: Tile, places: Sequence[int]
    ) -> tuple[Program, int, tuple[int, int]]:
        assert product.right
        left = access_of(product.left, places[1], product.rows, product.inner)
        right = access_of(product.right, places[2], product.columns, product.inner)
        output = product.output
        vector_output = output.last == 1 and product.columns % EACH == 0 and not any(
            n % EACH for n in (places[0], output.outer, *output.steps)
        )  # fmt: skip
        form = self._form(product, left, right)
        inner = product.inner
        whole = "" if inner % EACH else "quads" if inner % tile.inner else "tiles"
        key = (form, tile, whole, vector_output)
        program = self._programs.get(key)
        if program is None:
            program = self._compile(key, tiled(*key, self._unrolled))
        down, across = -(-product.rows // tile.rows), -(-product.columns // tile.columns)
        return program, prod(product.batch) * down * across, (down, across)

    def _dots(
        self, product: Product, places: Sequence[int]
    ) -> tuple[Program, int, tuple[int, int]]:
        outputs = prod(product.batch) * product.rows * product.columns
        if product.right and product.inner <= SINGLE:
            access = Access("inner", False)
            form = self._form(product, access, access)
            program = self._programs.get((form,)) or self._compile((form,), single(form))
            return program, -(-outputs // WORKGROUP), (outputs, 0)
        left = vector_access(product.left, places[1])
        right = vector_access(product.right, places[2]) if product.right else None
        lanes, lanes_first = lanes_of(product)
        form = self._form(product, left, right)
        key = (form, lanes, lanes_first)
        program = self._programs.get(key)
        if program is None:
            program = self._compile(key, dots(form, lanes, lanes_first))
        return program, -(-outputs * lanes // WORKGROUP), (outputs, 0)

    def _compile(self, key: tuple[object, ...], source: str) -> Program:
        form = next(part for part in key if isinstance(part, Form))
        program = self._backend.program("matmul", source, 3 if form.right else 2)
        self._programs[key] = program
        return program
