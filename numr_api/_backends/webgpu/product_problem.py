"""Matrix products as kernels see them, and their parts where arrays are larger than a binding."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from numr_api._backends.webgpu.data import Strided, broadcast, merge
from numr_api._backends.webgpu.kernels import EACH, window_of
from numr_api._backends.webgpu.product_tiles import LARGEST
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Shape
    from numr_api._backends.webgpu.memory import Binding

SHORT = 8  # rows or columns up to which operands are streamed and not shared


@dataclass(frozen=True)
class Side:
    """Matrices in memory: the left or the right operand or the result.

    Attributes:
        data: of which only block and dtype matter.
        place: of the first element.
        steps: strides of the batch axes.
        outer: stride along rows of the left operand and the result, along columns of the right one.
        last: stride along the inner axis, or the result's columns.
    """

    data: Strided
    place: int
    steps: Shape
    outer: int
    last: int

    def moved(self, distance: int) -> Side:
        return replace(self, place=self.place + distance)


@dataclass(frozen=True)
class Product:
    """A batch of products of one size.

    Attributes:
        batch: lengths of the batch axes.
        right: None if the left operand's rows are only added up.
        slice: 0, or the inner length of the parts that the first batch axis counts.
        transposed: whether the left operand is the product's second one.
        subtracts: whether the results are subtracted from the output's elements.
    """

    batch: Shape
    rows: int
    columns: int
    inner: int
    output: Side
    left: Side
    right: Side | None
    slice: int = 0
    transposed: bool = False
    subtracts: bool = False

    @property
    def sides(self) -> tuple[Side, ...]:
        return (self.output, self.left, *([self.right] if self.right else []))

    def extents(self, side: Side) -> tuple[int, int]:
        """How long a side's ``outer`` and ``last`` axes are."""
        if side is self.output:
            return self.rows, self.columns
        return (self.rows if side is self.left else self.columns), self.inner


def product_of(output: Strided, left: Strided, right: Strided, subtracts: bool) -> Product:
    """The product with the fewest batch axes.

    It is transposed if that makes the left operand long, or the results contiguous.
    """
    batch, (rows, columns) = output.shape[:-2], output.shape[-2:]
    spread = [
        broadcast(x, (*batch, *x.shape[-2:])) if x.shape[:-2] != batch else x for x in (left, right)
    ]
    lengths, steps = merge(batch, tuple(x.strides[:-2] for x in (output, *spread)))
    (*_, row, column), (*_, left_row, left_inner) = output.strides, left.strides
    *_, right_inner, right_column = right.strides
    # Strides of axes of length 1 would only count as obstacles to aligned loads.
    left_row, right_column = (left_row if rows > 1 else 0), (right_column if columns > 1 else 0)
    if len(lengths) == 1 and steps[2] == (0,) and rows > 0:
        # One right operand for all: the rows of all left operands are one matrix's.
        alike = (steps[0][0], steps[1][0]) == (rows * row, rows * left_row)
        if alike or rows == 1:
            if rows == 1:
                row, left_row = steps[0][0], steps[1][0]
            rows *= lengths[0]
            lengths, steps = (), ((), (), ())
    out = Side(output, output.offset, steps[0], row, column)
    first = Side(left, left.offset, steps[1], left_row, left_inner)
    second = Side(right, right.offset, steps[2], right_column, right_inner)
    inner = left.shape[-1]
    if rows <= SHORT or columns <= SHORT:
        transposed = rows < columns
    else:
        transposed = abs(row) == 1 and abs(column) != 1
    if transposed:
        out, first, second = replace(out, outer=column, last=row), second, first
        rows, columns = columns, rows
    return Product(lengths, rows, columns, inner, out, first, second, 0, transposed, subtracts)


# --- operands larger than a binding ---------------------------------------------------------------


def reachable(product: Product, most: int) -> bool:
    """Whether a binding of so many bytes holds what a tile of the result is computed of."""
    for side in product.sides[1:]:
        if side.data.block.buffer.whole is None:
            outer, last = product.extents(side)
            last_place = (min(outer, LARGEST) - 1) * abs(side.outer) + (last - 1) * abs(side.last)
            if (last_place + EACH) * side.data.dtype.itemsize > most:
                return False
    return True


def window(product: Product, side: Side) -> Binding | None:
    """The binding with all of a side; None if none is large enough."""
    buffer = side.data.block.buffer
    if buffer.whole is not None:
        return buffer.whole
    lengths = (*product.batch, *product.extents(side))
    if product.slice and side is not product.output:
        lengths = (1, *lengths[1:])  # an operand's slices are within its inner axis
    return window_of(side.data, lengths, (*side.steps, side.outer, side.last), side.place)


def bindings_of(product: Product) -> tuple[Binding, ...] | None:
    """The bindings that hold all the sides; None if one is too large."""
    found = [window(product, side) for side in product.sides]
    present = [each for each in found if each is not None]
    return tuple(present) if len(present) == len(found) else None


def halves(product: Product) -> tuple[Product, Product]:
    """Two products with half of the results each.

    What is halved, at a multiple of the largest tile, is the axis that a side which is too large
    extends furthest along.
    """
    large = [side for side in product.sides if window(product, side) is None]
    lengths = [*product.batch, product.rows, product.columns]
    spans = [
        max((abs(step) * (length - 1) for side, step in _along(product, axis) if side in large),
            default=0)
        for axis, length in enumerate(lengths)
    ]  # fmt: skip
    if product.slice:
        spans[0] = 0
    axis = max(range(len(lengths)), key=spans.__getitem__)
    if spans[axis] == 0:
        raise Unsupported("matmul of views that are spread over more than a binding can hold")
    half = -(-lengths[axis] // 2)
    if half > LARGEST:
        half = -(-half // LARGEST) * LARGEST
    return _part(product, axis, 0, half), _part(product, axis, half, lengths[axis] - half)


def _along(product: Product, axis: int) -> list[tuple[Side, int]]:
    """The sides that an axis of the result moves along, and how far."""
    rank = len(product.batch)
    if axis < rank:
        return [(side, side.steps[axis]) for side in product.sides]
    if axis == rank:
        return [(product.output, product.output.outer), (product.left, product.left.outer)]
    right = [(product.right, product.right.outer)] if product.right else []
    return [(product.output, product.output.last), *right]


def _part(product: Product, axis: int, start: int, length: int) -> Product:
    """The results from ``start`` on along an axis of the result."""
    moved = {id(side): side.moved(step * start) for side, step in _along(product, axis)}
    output, left = (moved.get(id(side), side) for side in (product.output, product.left))
    right = moved.get(id(product.right), product.right) if product.right else None
    rank = len(product.batch)
    batch = tuple(length if i == axis else n for i, n in enumerate(product.batch))
    rows = length if axis == rank else product.rows
    columns = length if axis == rank + 1 else product.columns
    return replace(product, batch=batch, rows=rows, columns=columns,
                   output=output, left=left, right=right)  # fmt: skip
