"""Cholesky factors, in blocks of columns.

A kernel factors a block of the diagonal, another one finds the rows below it, and a matrix product
changes what is to the right of these (G. H. Golub and C. F. Van Loan, Matrix Computations, 4th ed.,
section 4.2.9). Matrices are copied by columns, as those of the LU factors are.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

from numr_api._backends.webgpu.data import Strided, index, merge, transposed
from numr_api._backends.webgpu.linear_algebra.fields import real_of
from numr_api._backends.webgpu.linear_algebra.status import Status
from numr_api._backends.webgpu.linear_algebra.triangular import (
    stack,
    step_of,
    text,
    width_of,
)
from numr_api._backends.webgpu.orders import whole
from numr_api._backends.webgpu.types import WORD

if TYPE_CHECKING:
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.types import Type

LABEL = "Cholesky factors"
BLOCK_THREADS = 256
ROW_THREADS = 32
COPY_THREADS = 256

QUOTIENTS = {
    "f": "fn over(a: V, b: R) -> V {{ return quotient(a, b); }}",
    "c": "fn over(a: V, b: R) -> V {{ return V(quotient(a.x, b), quotient(a.y, b)); }}",
}
NAN = "fn is_nan_real(a: R) -> bool {{ return is_nan_{real}(a); }}"


def functions(kind: Type) -> str:
    """What the kernels need of a type besides the arithmetic that all have."""
    return f"\n{QUOTIENTS[kind.kind]}\n{NAN}\n".format(real=real_of(kind))


def cholesky(backend: WebgpuBackend, x: Strided) -> Strided:
    """Lower factors of positive-definite matrices, of which the lower triangle is read."""
    with backend.gpu.lock:
        result = backend.empty(x.shape, x.dtype)
        if result.size:
            status = Status(backend)
            if x.shape[-1] <= width_of(backend, x.dtype):
                factor_blocks(backend, single_batch(backend, x), stack(result), status)
            else:
                factor(backend, x, stack(result), status)
            status.check("a matrix is not positive definite")
    return result


def single_batch(backend: WebgpuBackend, x: Strided) -> Strided:
    """Matrices with one batch axis; a copy if the axes cannot be seen as one."""
    shape = (prod(x.shape[:-2]), *x.shape[-2:])
    _, (steps,) = merge(x.shape[:-2], (x.strides[:-2],))
    if len(steps) <= 1:
        return x.view(shape, (*(steps or (0,)), *x.strides[-2:]), x.offset)
    return stack(backend.copy(x))


def factor_blocks(backend: WebgpuBackend, source: Strided, target: Strided, status: Status) -> None:
    """Factor matrices of shape (count, n, n), with any strides, that are a single block each."""
    kind = backend.types[source.dtype]
    count, n, _ = source.shape
    software = backend.gpu.adapter.in_software
    threads = 32 if n <= 8 or software else BLOCK_THREADS

    def source_text() -> str:
        arrays = [("sources", "V"), ("targets", "V"), ("status", "atomic<u32>")]
        constants = {"WIDTH": width_of(backend, source.dtype), "THREADS": threads}
        return text(kind, 12, arrays, constants, "cholesky_block") + functions(kind)

    program = backend.compiled(("cholesky_block", kind.name, threads), LABEL, 3, source_text)
    words = [0, count, n, source.offset, *source.strides, target.offset, *target.strides]
    words.append(status.place)
    bindings = whole(backend, LABEL, source), whole(backend, LABEL, target), status.binding
    target.block.version += 1
    backend.gpu.dispatch(program, bindings, [word & WORD for word in words], count)


def factor(backend: WebgpuBackend, x: Strided, target: Strided, status: Status) -> None:
    """Factor matrices of more than one block."""
    matrices = stack(backend.copy(transposed(x)))
    whole(backend, LABEL, matrices)  # or it is refused
    count, n, _ = matrices.shape
    width = width_of(backend, x.dtype)
    is_complex = x.dtype.kind == "c"
    conjugates = backend.empty((count, width, n), x.dtype) if is_complex else matrices
    every = slice(None)
    for start in range(0, n, width):
        here, behind = slice(start, start + width), slice(start + width, None)
        block = transposed(index(matrices, (every, here, here)))
        factor_blocks(backend, block, block, status)
        if start + width >= n:
            break
        solve_rows(backend, matrices, conjugates, start)
        rows = index(matrices, (every, here, behind))
        conjugated = index(conjugates, (every, every, behind)) if is_complex else rows
        # By columns, so the transposed product.
        rest = index(matrices, (every, behind, behind))
        backend.products.subtract(rest, transposed(conjugated), rows)
    copy_triangles(backend, matrices, target)


def solve_rows(backend: WebgpuBackend, matrices: Strided, conjugates: Strided, start: int) -> None:
    """Find the rows of the factor below a block, and their conjugates if they are complex."""
    kind = backend.types[matrices.dtype]
    width = width_of(backend, matrices.dtype)

    def source_text() -> str:
        arrays = [("matrices", "V"), ("conjugates", "V")]
        constants = {"WIDTH": width, "THREADS": ROW_THREADS, "STEP": step_of(backend),
                     "COMPLEX": kind.kind == "c"}  # fmt: skip
        return text(kind, 7, arrays, constants, "cholesky_rows") + functions(kind)

    program = backend.compiled(("cholesky_rows", kind.name), LABEL, 2, source_text)
    count, n, _ = matrices.shape
    tiles = -(-(n - start - width) // ROW_THREADS)
    words = [0, count * tiles, n, start, tiles, matrices.offset, conjugates.offset]
    bindings = whole(backend, LABEL, matrices), whole(backend, LABEL, conjugates)
    matrices.block.version += 1
    conjugates.block.version += 1
    backend.gpu.dispatch(program, bindings, words, count * tiles)


def copy_triangles(backend: WebgpuBackend, source: Strided, target: Strided) -> None:
    """Copy lower triangles that are stored by columns to where they are stored by rows."""
    kind = backend.types[source.dtype]

    def source_text() -> str:
        arrays = [("sources", "V"), ("targets", "V")]
        return text(kind, 5, arrays, {"THREADS": COPY_THREADS}, "lower_triangle")

    program = backend.compiled(("lower_triangle", kind.name), LABEL, 2, source_text)
    words = [0, target.size, target.shape[-1], source.offset, target.offset]
    bindings = whole(backend, LABEL, source), whole(backend, LABEL, target)
    target.block.version += 1
    backend.gpu.dispatch(program, bindings, words, -(-target.size // COPY_THREADS))


ROUTINES: dict[str, Callable[..., Any]] = {"cholesky": cholesky}
