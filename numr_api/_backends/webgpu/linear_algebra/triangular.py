"""Systems of linear equations with triangular matrices.

Blocks of the diagonal are solved by a kernel, and what they leave of the other rows is products.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING

from numr_api._backends.webgpu.data import Strided, index, row_major
from numr_api._backends.webgpu.linear_algebra.fields import field
from numr_api._backends.webgpu.orders import header, kernel_text, whole
from numr_api._backends.webgpu.radix import unrolled
from numr_api._backends.webgpu.types import WORD

if TYPE_CHECKING:
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.types import Type
    from numr_api._dtypes import DType

UNROLLED = ("BATCH", "COLUMNS", "MOVED", "REST", "ROWS", "STEP")
THREADS = 32  # of a workgroup, each with a column of the right-hand sides


def width_of(backend: WebgpuBackend, dtype: DType) -> int:
    """Columns of a panel, and rows of a block: as workgroup memory can hold three blocks, and
    a little more."""
    block = THREADS * dtype.itemsize
    storage = backend.gpu.most_storage - 1024
    return next(width for width in (32, 16, 8) if 3 * width * block <= storage)


def step_of(backend: WebgpuBackend) -> int:
    """Rows that kernels have in registers; few for a software driver, which compiles long."""
    return 2 if backend.gpu.adapter.in_software else 8


def text(
    kind: Type,
    words: int,
    arrays: Sequence[tuple[str, str]],
    constants: Mapping[str, int | bool],
    *names: str,
) -> str:
    """A kernel of files, for elements of a type and with some constants.

    Loops to one of UNROLLED are written out, so that what they index stays in registers.
    """
    lines = [
        f"const {name} = {str(value).lower() if isinstance(value, bool) else f'{value}u'};"
        for name, value in constants.items()
    ]
    counts = {name: value for name, value in constants.items() if name in UNROLLED}
    body = unrolled(kernel_text(*names), counts)
    return "\n".join([header(words, arrays), field(kind), *lines, body])


def stack(data: Strided) -> Strided:
    """Contiguous matrices with a single batch axis."""
    shape = (prod(data.shape[:-2]), *data.shape[-2:])
    return data.view(shape, row_major(shape), data.offset)


def solve_triangles(
    backend: WebgpuBackend,
    matrices: Strided,
    right: Strided,
    *,
    upper: bool = False,
    unit: bool = False,
) -> None:
    """Replace right-hand sides of shape (count, n, columns) by the solutions.

    Arguments:
        matrices: triangles of shape (count, n, n), with any strides; what is beyond their diagonal
            does not count.
        upper: whether they are upper triangles.
        unit: whether the elements of the diagonal count as 1; of lower triangles only.
    """
    n, width = matrices.shape[-1], width_of(backend, matrices.dtype)
    if n <= width:
        solve_blocks(backend, matrices, right, right, lower=not upper, upper=upper, unit=unit)
        return
    half = -(-n // width) // 2 * width
    first, last = slice(half), slice(half, None)
    if upper:
        first, last = last, first
    every = slice(None)
    known, rest = index(right, (every, first)), index(right, (every, last))
    block = index(matrices, (every, first, first))
    solve_triangles(backend, block, known, upper=upper, unit=unit)
    backend.products.subtract(rest, index(matrices, (every, last, first)), known)
    block = index(matrices, (every, last, last))
    solve_triangles(backend, block, rest, upper=upper, unit=unit)


def solve_blocks(
    backend: WebgpuBackend,
    matrices: Strided,
    source: Strided,
    target: Strided,
    *,
    order: Strided | None = None,
    lower: bool = False,
    upper: bool = False,
    unit: bool = False,
) -> None:
    """Solve systems of so few rows that a block is all of them, with one triangle or both.

    Arguments:
        source: the right-hand sides, of shape (count, n, columns).
        target: where the solutions go, which may be there.
        order: from which of its rows each row comes, of shape (count, n) as uint32; None if from
            the same.
    """
    kind = backend.types[matrices.dtype]
    count, n, columns = target.shape
    if not target.size:
        return
    indices = order or target  # which is not read

    def source_text() -> str:
        arrays = [("matrices", "V"), ("sources", "V"), ("targets", "V"), ("indices", "u32")]
        constants = {"WIDTH": width_of(backend, matrices.dtype), "THREADS": THREADS,
                     "STEP": step_of(backend), "LOWER": lower,
                     "UPPER": upper, "UNIT": unit, "ORDERED": order is not None}  # fmt: skip
        return text(kind, 19, arrays, constants, "triangles")

    label = "triangular systems"
    key = ("triangles", kind.name, lower, upper, unit, order is not None)
    program = backend.compiled(key, label, 4, source_text)
    tiles = -(-columns // THREADS)
    words = [0, count * tiles, n, columns, tiles, matrices.offset, *matrices.strides]
    for x in (source, target):
        words += [x.offset, *x.strides]
    words += [order.offset, order.strides[0]] if order else [0, 0]
    bindings = tuple([whole(backend, label, x) for x in (matrices, source, target, indices)])
    target.block.version += 1
    backend.gpu.dispatch(program, bindings, [word & WORD for word in words], count * tiles)
