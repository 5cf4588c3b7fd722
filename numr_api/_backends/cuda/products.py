"""Products of a few rows with a matrix, by kernels that read the matrix once, as fast as a copy.

The matrix is read in place, whether its rows or its columns are contiguous: ``x @ w`` and
``x @ w.T``, as well as products of a matrix with a vector.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

from numr_api._backends.cuda.library import MOST_PLANS, Library, Source, library as of_cupy
from numr_api._backends.cuda.texts import boolean, kernel_text
from numr_api._dtypes import BY_NAME, BY_NUMPY, DType

FILES = ("products.cuh",)
ROWS = (1, 2, 4, 8, 16)  # of a kernel; a product with fewer takes the next
DTYPES = tuple(BY_NAME[name] for name in ("float32", "float64"))
FEW = {DTYPES[0]: 8, DTYPES[1]: 4}  # rows up to which cuBLAS is slower where w is transposed
ACCESS = 16  # bytes
LINE = 128  # bytes of a row of the matrix that a block of ``product_by_columns`` has
MOST_LENGTH = 2**31 - 2**12  # that 32 bits count

# The arguments: out, its step, x, its step, its rows, the matrix, its step, n, length.
ARGUMENTS = struct.Struct("PqPqi4xPqii")


class Variant(NamedTuple):
    """A kernel.

    Attributes:
        by_rows: whether the elements that are summed lie side by side in the matrix.
        rows: how many there are of x.
        columns: of the result, that a warp has, where ``by_rows``.
        each: how many elements of the matrix are read in one access.
        depth: how many accesses there are before the first is used.
        aligned: whether the rows of x can be read as vectors of ``depth``, where not ``by_rows``.
        threads: of a block.
    """

    dtype: DType
    by_rows: bool
    rows: int
    columns: int
    each: int
    depth: int
    aligned: bool
    threads: int

    @property
    def name(self) -> str:
        how = f"rows{self.columns}" if self.by_rows else f"columns{'_aligned' * self.aligned}"
        return f"product_{self.dtype}_{how}_{self.rows}x{self.each}x{self.depth}"

    @property
    def text(self) -> str:
        dtype, numbers = self.dtype.name, (self.rows, self.each, self.depth)
        function, last = "product_by_columns", boolean(self.aligned)
        if self.by_rows:
            function, last = "product_by_rows", str(self.columns)
        given = ", ".join([dtype, *map(str, numbers), last])
        parameters = (
            f"{dtype}* out, int64 out_step, Rows<{dtype}> x, const {dtype}* w, int64 w_step, "
            "int32 n, int32 length"
        )
        body = f"    {function}<{given}>(out, out_step, x, w, w_step, n, length);"
        return kernel_text(self.name, parameters, body, head=f"KERNEL_OF({self.threads})")

    @property
    def covered(self) -> int:
        """The columns of the result that a block has."""
        if self.by_rows:
            return self.threads // 32 * self.columns
        return LINE // self.dtype.itemsize


def variant_of(dtype: DType, by_rows: bool, rows: int, vectors: bool, aligned: bool) -> Variant:
    """The fastest of those tried on an H200.

    Arguments:
        vectors: whether the rows of the matrix, and those of x where ``by_rows``, are aligned.
        aligned: whether those of x are, where not ``by_rows``.
    """
    each = ACCESS // dtype.itemsize if vectors else 1
    if not by_rows:
        straight = aligned and rows < 16
        return Variant(
            dtype, False, rows, 0, each, 2 if straight and rows < 4 else 4, straight, 512
        )
    columns, depth = (1, 2) if rows < 4 else (2, 4) if dtype.itemsize == 4 else (4, 1)
    return Variant(dtype, True, rows, columns, each, depth if vectors else 4, False, 128)


def catalogue() -> Iterator[Source]:
    """The kernels of matrices whose rows are aligned, as those of most are."""
    kinds = [(dtype, True, rows) for dtype in DTYPES for rows in ROWS if rows <= FEW[dtype]]
    kinds += [(DTYPES[0], False, rows) for rows in ROWS[1:]]
    for dtype, by_rows, rows in kinds:
        variant = variant_of(dtype, by_rows, rows, vectors=True, aligned=not by_rows)
        yield Source(FILES, variant.text, variant.name)


class Product(NamedTuple):
    """out[m, n] = sum of x[m, k] w[k, n] with contiguous rows of x. Steps are in elements.

    Attributes:
        swapped: whether x is the second operand, a vector.
        by_rows: whether w is contiguous along k; else it is along n.
        shape: of the result.
    """

    swapped: bool
    by_rows: bool
    rows: int
    length: int
    n: int
    x_step: int
    w_step: int
    shape: tuple[int, ...]


def product_of(x1: Any, x2: Any) -> Product | None:
    """The product of two operands if it is one of a few rows with a matrix."""
    item = x1.itemsize

    def product(rows: Any, matrix: Any, swapped: bool, shape: tuple[int, ...]) -> Product | None:
        (length, n), (down, along) = matrix.shape, matrix.strides
        if not (rows.strides[-1] == item or length == 1):
            return None
        by_rows = down == item or length == 1
        if not (by_rows or along == item or n == 1):
            return None
        count, step = (rows.shape[0], rows.strides[0]) if rows.ndim == 2 else (1, 0)
        w_step = along if by_rows else down
        return Product(swapped, by_rows, count, length, n, step // item, w_step // item, shape)

    if x2.ndim == 2 and (x1.ndim == 1 or (x1.ndim == 2 and x1.shape[0] <= ROWS[-1])):
        return product(x1, x2, False, x1.shape[:-1] + x2.shape[1:])
    if x1.ndim == 2 and (x2.ndim == 1 or (x2.ndim == 2 and x2.shape[1] == 1)):
        return product(x2 if x2.ndim == 1 else x2[:, 0], x1.T, True, x1.shape[:1] + x2.shape[1:])
    return None


class Plan(NamedTuple):
    function: Any
    groups: int
    threads: int
    product: Product


class FewRows:
    """Products of a device; kernels are those of the device that is current when they are made."""

    def __init__(self, library: Library | None = None) -> None:
        self._library = library or of_cupy()
        self._functions: dict[Variant, Any] = {}
        self._plans: dict[Any, Plan | None] = {}

    def __call__(self, x1: Any, x2: Any) -> Any:
        """``x1 @ x2``, or None if it is another kind of product."""
        shape1, shape2 = x1.shape, x2.shape
        if (
            len(shape1) > 2
            or len(shape2) > 2
            or (len(shape1) == 2 and shape1[0] > ROWS[-1] and len(shape2) == 2 and shape2[1] > 1)
        ):
            return None
        addresses = x1.data.ptr, x2.data.ptr
        places = addresses[0] % ACCESS, addresses[1] % ACCESS
        key = (x1.dtype, shape1, x1.strides, shape2, x2.strides, places)
        try:
            plan = self._plans[key]
        except KeyError:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            plan = self._plans[key] = self._plan(x1, x2)
        if plan is None:
            return None
        product = plan.product
        result = self._library.empty(product.shape, x1.dtype)
        rows, matrix = addresses[::-1] if product.swapped else addresses
        n = product.n
        values = (result.data.ptr, n, rows, product.x_step, product.rows, matrix, product.w_step)
        plan.function.launch(plan.groups, plan.threads, ARGUMENTS, (*values, n, product.length))
        return result

    def _plan(self, x1: Any, x2: Any) -> Plan | None:
        dtype = BY_NUMPY[x1.dtype]
        product = product_of(x1, x2) if dtype in DTYPES and x1.size and x2.size else None
        if product is None:
            return None

        def aligned(address: int, step: int, length: int) -> bool:
            sizes = (address, step * dtype.itemsize, length * dtype.itemsize)
            return not any(size % ACCESS for size in sizes)

        rows, matrix = x1.data.ptr, x2.data.ptr
        if product.swapped:
            rows, matrix = matrix, rows
        length = product.length if product.by_rows else product.n
        vectors = aligned(matrix, product.w_step, length)
        straight = aligned(rows, product.x_step, length if product.by_rows else 0)
        if product.by_rows:
            vectors, straight = vectors and straight, False
        if not is_better(product, dtype, vectors):
            return None
        count = next(rows for rows in ROWS if rows >= product.rows)
        variant = variant_of(dtype, product.by_rows, count, vectors, straight)
        function = self._functions.get(variant)
        if function is None:
            function = self._library.function(FILES, variant.text, variant.name)
            self._functions[variant] = function
        groups = -(-product.n // variant.covered)
        return Plan(function, groups, variant.threads, product)


def is_better(product: Product, dtype: DType, vectors: bool) -> bool:
    """Whether the kernels were faster than cuBLAS on an H200.

    cuBLAS has tensor cores for float64 and good kernels for a vector. It is faster as well where
    rows are not aligned, or few threads have long sums.
    """
    rows, length, n = product.rows, product.length, product.n
    if max(n, length) > MOST_LENGTH:
        return False
    if product.by_rows and not vectors:
        return rows == 1 and length <= max(n, 1024)
    if product.by_rows:
        return rows <= FEW[dtype] and length <= max(4 * n, 2048)
    return vectors and rows > 1 and dtype is DTYPES[0] and length <= (4 if n >= 2048 else 1) * n
