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
from numr_api._backends.webgpu.data import Strided, common_shape, index, merge, row_major
from numr_api._backends.webgpu.kernels import EACH, WORKGROUP
from numr_api._backends.webgpu.product_dots import dots, single
from numr_api._backends.webgpu.product_parts import Access, Form
from numr_api._backends.webgpu.product_problem import (
    SHORT,
    Product,
    Side,
    bindings_of,
    halves,
    product_of,
    reachable,
)
from numr_api._backends.webgpu.product_tiles import INNER, TILES, Tile, tiled
from numr_api._backends.webgpu.types import WORD
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Shape
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.gpu import Program
    from numr_api._backends.webgpu.memory import Binding
    from numr_api._backends.webgpu.types import Type

TILED = 1 << 21  # multiplications from which tiles are worth their kernel
SINGLE = 32  # inner length up to which single products use the smallest kernel
BUSY = 1 << 18  # threads that keep a large GPU busy
BUSY_TILES = 128
MOST_SLICES = 1024
SLICE = 2048  # the least inner length of a slice for single dot products
TILED_SLICE = 1024  # the same for tiles
MOST_PLANS = 4096
COPIED = 1 << 16  # elements from which an operand without a contiguous axis is copied first


class Plan(NamedTuple):
    """A product that is one dispatch, to be repeated with other arrays of the same layout.

    Attributes:
        result: the shape.
        transposed: whether the kernel's left operand is the second.
        words: the parameters, of which ``places`` say where the arrays begin.
    """

    result: Shape
    transposed: bool
    program: Program
    words: list[int]
    places: tuple[int, ...]
    groups: int


class Products:
    """The products of a device and the kernels for them."""

    def __init__(self, backend: WebgpuBackend) -> None:
        self._backend = backend
        self._programs: dict[tuple[object, ...], Program] = {}
        self._plans: dict[tuple[object, ...], Plan] = {}
        # A software driver compiles for longer than an unrolled loop can save.
        self._unrolled = backend.gpu.adapter.type != "CPU"

    def matmul(self, x1: Strided, x2: Strided) -> Strided:
        """The product of arrays of one dtype, with the standard's broadcasting."""
        key = (x1.dtype, x1.shape, x1.strides, x1.offset % EACH, x2.shape, x2.strides,
               x2.offset % EACH)  # fmt: skip
        with self._backend.gpu.lock:
            plan = self._plans.get(key)
            if plan is not None:
                output = self._planned(plan, x1, x2)
                if output is not None:
                    return output
            return self._unplanned(key, x1, x2)

    def _planned(self, plan: Plan, x1: Strided, x2: Strided) -> Strided | None:
        """The product if what it needs is bound as a whole, as when the plan was made."""
        output = self._backend.empty(plan.result, x1.dtype)
        sides = (output, x2, x1) if plan.transposed else (output, x1, x2)
        bindings = tuple([x.block.buffer.whole for x in sides])
        if None in bindings:
            return None
        words = plan.words.copy()
        for number, x in zip(plan.places, sides, strict=True):
            words[number] = x.offset
        output.block.version += 1
        self._backend.gpu.dispatch(plan.program, bindings, words, plan.groups)  # type: ignore[arg-type]
        return output

    def _unplanned(self, key: tuple[object, ...], x1: Strided, x2: Strided) -> Strided:
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
        if is_tiled(prod(batch), rows, columns, inner):
            left, right = self._readable(left), self._readable(right)
        target = output.view(shape, row_major(shape), output.offset)
        product = product_of(target, left, right)
        if not reachable(product, backend.gpu.most // 2):
            return self._in_halves(x1, x2)
        output.block.version += 1
        count = slices_of(product, self._kind(product.left))
        copied = left.block is not x1.block or right.block is not x2.block
        whole = all(side.data.block.buffer.whole is not None for side in product.sides)
        if count > 1:
            self._sliced(product, count)
        elif whole and not copied:
            self._remember(key, result, product)
        else:
            self._run_parts(product)
        return output

    def _remember(self, key: tuple[object, ...], result: Shape, product: Product) -> None:
        """Compute a product by a single dispatch, which is kept for the next one of its kind."""
        bindings = bindings_of(product)
        assert bindings is not None
        program, words = self._prepared(product, [side.place for side in product.sides])
        each = 3 + len(product.batch)
        places = tuple(len(words) - (3 - i) * each for i in range(3))
        if len(self._plans) >= MOST_PLANS:
            self._plans.clear()
        self._plans[key] = Plan(result, product.transposed, program, words, places, words[1])
        self._backend.gpu.dispatch(program, bindings, words, words[1])

    def _in_halves(self, x1: Strided, x2: Strided) -> Strided:
        """The product where a binding cannot hold a few rows: by halves of the inner axis."""
        half = x1.shape[-1] // 2
        if half == 0:
            raise Unsupported(
                f"matmul of {x1.dtype} on {self._backend.device}: a few rows are spread over more "
                f"than the {self._backend.gpu.most:,} bytes that it can reach at once"
            )
        sums = [
            self.matmul(
                index(x1, (slice(None),) * (len(x1.shape) - 1) + (part,)),
                index(x2, (slice(None),) * max(len(x2.shape) - 2, 0) + (part,)),
            )
            for part in (slice(half), slice(half, None))
        ]
        add = self._backend.elementwise("add", (x1.dtype, x1.dtype), x1.dtype, x1.dtype)
        return self._backend.launch(add, *sums, out=sums[0])

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

    def _sliced(self, product: Product, count: int) -> None:
        """Compute products of slices of the inner axis, then their sums."""
        assert product.right
        length = -(-product.inner // count)
        length = -(-length // INNER) * INNER
        count = -(-product.inner // length)
        kind = self._kind(product.left)
        dtype = product.left.data.dtype
        if kind.packed > 1:
            dtype = _dtypes.int32 if kind.kind == "i" else _dtypes.uint32
        shape = (count, *product.batch, product.rows, product.columns)
        sums = self._backend.empty(shape, dtype)
        left, right = (
            replace(side, steps=(length * side.last, *side.steps))
            for side in (product.left, product.right)
        )
        output = Side(sums, sums.offset, sums.strides[:-2], product.columns, 1)
        self._run_parts(replace(product, batch=(count, *product.batch), slice=length,
                                output=output, left=left, right=right))  # fmt: skip
        size = prod(shape[1:])
        lengths, (steps, parts) = merge(
            (*product.batch, product.rows, product.columns),
            ((*product.output.steps, product.output.outer, product.output.last), sums.strides[1:]),
        )
        if not lengths:
            lengths, steps, parts = (1,), (1,), (1,)
        final = replace(product.output, steps=steps[:-1], outer=steps[-1], last=0)
        summed = Side(sums, sums.offset, parts[:-1], parts[-1], size)
        self._run_parts(Product(lengths[:-1], lengths[-1], 1, count, final, summed, None))

    # Dispatch

    def _dispatch(self, product: Product, bindings: tuple[Binding, ...]) -> None:
        places = [
            side.place - (part.offset // side.data.dtype.itemsize)
            for side, part in zip(product.sides, bindings, strict=True)
        ]
        program, words = self._prepared(product, places)
        self._backend.gpu.dispatch(program, bindings, words, words[1])

    def _prepared(self, product: Product, places: Sequence[int]) -> tuple[Program, list[int]]:
        """The kernel for a product and its parameters, of which the second is its workgroups."""
        tile = tile_of(product, self._kind(product.left))
        if tile is not None:
            program, groups, extra = self._tiled(product, tile, places)
        else:
            program, groups, extra = self._dots(product, places)
        words = [0, groups, product.rows, product.columns, product.inner, product.slice,
                 *extra, *product.batch]  # fmt: skip
        for side, place in zip(product.sides, places, strict=True):
            words += [part & WORD for part in (place, side.outer, side.last, *side.steps)]
        return program, words

    def _form(self, product: Product, left: Access, right: Access | None) -> Form:
        return Form(self._kind(product.left), self._kind(product.output), len(product.batch),
                    product.slice > 0, left, right)  # fmt: skip

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
        key = (form, tile, product.inner % EACH == 0, vector_output)
        program = self._programs.get(key)
        if program is None:
            program = self._compile(key, tiled(*key, self._unrolled))
        down, across = -(-product.rows // tile.size), -(-product.columns // tile.size)
        return program, prod(product.batch) * down * across, (down, across)

    def _dots(
        self, product: Product, places: Sequence[int]
    ) -> tuple[Program, int, tuple[int, int]]:
        columns = columns_of(product)
        across = -(-product.columns // columns)
        outputs = prod(product.batch) * product.rows * across
        if product.right and product.inner <= SINGLE and columns == 1:
            access = Access("inner", False)
            form = self._form(product, access, access)
            program = self._programs.get((form,)) or self._compile((form,), single(form))
            return program, -(-outputs // WORKGROUP), (outputs, across)
        left = vector_access(product.left, places[1])
        right = vector_access(product.right, places[2]) if product.right else None
        lanes, lanes_first = lanes_of(product)
        form = self._form(product, left, right)
        key = (form, lanes, lanes_first, columns)
        program = self._programs.get(key)
        if program is None:
            program = self._compile(key, dots(form, lanes, lanes_first, columns))
        return program, -(-outputs * lanes // WORKGROUP), (outputs, across)

    def _compile(self, key: tuple[object, ...], source: str) -> Program:
        form = next(part for part in key if isinstance(part, Form))
        program = self._backend.program("matmul", source, 3 if form.right else 2)
        self._programs[key] = program
        return program


# --- choices --------------------------------------------------------------------------------------


def is_tiled(batch: int, rows: int, columns: int, inner: int) -> bool:
    """Whether tiles compute a product."""
    return min(rows, columns) > SHORT and inner >= SHORT and batch * rows * columns * inner >= TILED


def tile_of(product: Product, kind: Type) -> Tile | None:
    """The tile for a product, None if it is computed as single dot products."""
    batch = product.batch[1:] if product.slice else product.batch
    rows, columns, inner = product.rows, product.columns, product.inner
    if product.right is None or not is_tiled(prod(batch), rows, columns, inner):
        return None
    allowed = [tile for tile in TILES if tile.fits(kind)]
    for tile in allowed[:-1]:
        count = tiles_of(batch, rows, columns, tile) * max(1, inner // TILED_SLICE)
        if min(rows, columns) > tile.size // 2 and count >= BUSY_TILES:
            return tile
    return allowed[-1]


def tiles_of(batch: Shape, rows: int, columns: int, tile: Tile) -> int:
    return prod(batch) * -(-rows // tile.size) * -(-columns // tile.size)


def slices_of(product: Product, kind: Type) -> int:
    """Into how many slices the inner axis is cut."""
    tile = tile_of(product, kind)
    results = prod(product.batch) * product.rows * product.columns
    if tile is None:
        lanes, _ = lanes_of(product)
        threads = -(-results // columns_of(product)) * lanes
        return max(1, min(BUSY // threads, product.inner // SLICE, MOST_SLICES))
    tiles = tiles_of(product.batch, product.rows, product.columns, tile)
    if tiles >= BUSY_TILES:
        return 1
    return max(1, min(2 * BUSY_TILES // tiles, product.inner // TILED_SLICE))


def columns_of(product: Product) -> int:
    """How many columns a thread computes: several only where the left operand is long."""
    if product.columns > SHORT or product.rows * product.inner < COPIED:
        return 1
    return min(product.columns, 4)


def lanes_of(product: Product) -> tuple[int, bool]:
    """Threads of a dot product, and whether they are neighbours.

    They are where they read what is contiguous along the inner axis. Where the outer one is,
    neighbours have different dot products, and several to each are of use only if those are few.
    """
    inner = product.slice or product.inner
    if inner <= 2 * INNER:
        return 1, False
    left, right = product.left, product.right
    results = prod(product.batch) * product.rows * product.columns
    if left.last in (1, -1) and (
        right is None or product.columns <= SHORT or right.last in (1, -1)
    ):
        return min(1 << (inner // (2 * EACH)).bit_length(), WORKGROUP), True
    lanes = 1
    while lanes < 8 and results * lanes < BUSY and inner >= 2 * INNER * lanes:
        lanes *= 2
    return lanes, False


def access_of(side: Side, place: int, length: int, inner: int) -> Access:
    """How tiles of an operand are loaded."""
    along = "inner" if abs(side.last) == 1 and side.outer != 1 else "outer"
    here, other = (side.last, side.outer) if along == "inner" else (side.outer, side.last)
    whole = (inner if along == "inner" else length) % EACH == 0
    aligned = not any(n % EACH for n in (place, other, *side.steps))
    return Access(along, here == 1 and whole and aligned)


def vector_access(side: Side, place: int) -> Access:
    """How single dot products load an operand."""
    aligned = not any(n % EACH for n in (place, side.outer, *side.steps))
    return Access("inner", side.last == 1 and aligned)
