"""Singular values and vectors.

Jacobi's method gives G = A V with orthogonal columns, but those that are rounding errors or zeros
have no direction to speak of. So U is Q of G = Q R: as the columns of G descend, all that R has
beside its diagonal is rounding errors of the largest singular value.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

from numr_api._backends.webgpu.data import index, transposed
from numr_api._backends.webgpu.kernels import WORKGROUP
from numr_api._backends.webgpu.linear_algebra import qr
from numr_api._backends.webgpu.linear_algebra.fields import field
from numr_api._backends.webgpu.linear_algebra.jacobi import Problem, solve
from numr_api._backends.webgpu.orders import header, kernel_text, whole
from numr_api._dtypes import REAL_PART

if TYPE_CHECKING:
    from numr_api._backends.webgpu.data import Strided
    from numr_api._backends.webgpu.device import WebgpuBackend

__all__ = ["ROUTINES"]

REASON = "the singular values do not converge; does a matrix contain NaN?"
# Columns from which QR first saves more sweeps than it costs; fewer if the matrices are tall, and
# rows from which it always does.
MANY_COLUMNS, MANY_COLUMNS_OF_TALL, MANY_ROWS = 33, 8, 64


def svd(
    backend: WebgpuBackend, x: Strided, *, full_matrices: bool
) -> tuple[Strided, Strided, Strided]:
    """U, the singular values, descending, and V^H."""
    *batch, rows, columns = x.shape
    if rows < columns:
        right, values, left = svd(backend, transposed(x), full_matrices=full_matrices)
        return transposed(left), values, transposed(right)
    if x.size == 0:
        values = backend.empty((*batch, columns), REAL_PART.get(x.dtype, x.dtype))
        size = rows if full_matrices else columns
        unitary = _identity(backend, x, rows, size)
        return unitary, values, _identity(backend, x, columns, columns)
    if not _is_worth_reducing(rows, columns):
        return _by_columns(backend, x, full_matrices)
    unitary, triangle = qr.factor(backend, x, full_matrices)
    triangle = index(triangle, (*(slice(None),) * len(batch), slice(columns)))
    left, values, right = _by_columns(backend, transposed(triangle), False)
    key = (*(slice(None),) * (len(batch) + 1), slice(columns))
    first = backend.matmul(index(unitary, key), transposed(right))
    if not full_matrices:
        return first, values, transposed(left)
    backend.assign(unitary, key, first)
    return unitary, values, transposed(left)


def svdvals(backend: WebgpuBackend, x: Strided) -> Strided:
    """The singular values, descending."""
    *batch, rows, columns = x.shape
    if rows < columns:
        return svdvals(backend, transposed(x))
    if x.size == 0:
        return backend.empty((*batch, columns), REAL_PART.get(x.dtype, x.dtype))
    if _is_worth_reducing(rows, columns):
        x = transposed(qr.factor(backend, x, False)[1])
    return solve(backend, Problem(x, hermitian=False, vectors=False, reason=REASON)).values


def _is_worth_reducing(rows: int, columns: int) -> bool:
    """Whether it is R^T that is iterated on, which takes fewer sweeps.

    Z. Drmac, K. Veselic, SIAM J. Matrix Anal. Appl. 29, 2008.
    """
    if rows < 2 * columns:
        return columns >= MANY_COLUMNS
    return columns >= MANY_COLUMNS_OF_TALL or rows >= MANY_ROWS


def _by_columns(
    backend: WebgpuBackend, x: Strided, complete: bool
) -> tuple[Strided, Strided, Strided]:
    """U, complete or not, values and V^H of matrices that have at least as many rows as columns."""
    outcome = solve(backend, Problem(x, hermitian=False, vectors=True, reason=REASON))
    assert outcome.left is not None
    assert outcome.right is not None
    with backend.gpu.lock:
        unitary, triangle = qr.factor(backend, transposed(outcome.left), complete)
        *batch, rows, columns = unitary.shape
        count, number = x.shape[-1], prod(batch)
        words = (0, number * rows * count, count, rows, columns, triangle.shape[-2],
                 unitary.offset, triangle.offset)  # fmt: skip
        arrays = {"factor": unitary, "triangle": triangle}
        program = backend.compiled(
            ("svd_signs", x.dtype), "svd", 2,
            lambda: "\n".join([
                header(len(words), [(name, "V") for name in arrays]),
                field(backend.types[x.dtype]), f"const THREADS = {WORKGROUP}u;",
                kernel_text("svd_signs"),
            ]),
        )  # fmt: skip
        bindings = tuple(whole(backend, "svd", data) for data in arrays.values())
        backend.gpu.dispatch(program, bindings, words, -(-words[1] // WORKGROUP))
        unitary.block.version += 1
    return unitary, outcome.values, outcome.right


def _identity(backend: WebgpuBackend, x: Strided, rows: int, columns: int) -> Strided:
    """Columns of identity matrices, as many matrices as x has."""
    shape = (*x.shape[:-2], rows, columns)
    found: Strided = backend.full(shape, 0, x.dtype)
    if found.size:
        diagonal = found.view(
            (*shape[:-2], columns), (*found.strides[:-2], columns + 1), found.offset
        )
        backend.assign(diagonal, (), 1)
    return found


ROUTINES: dict[str, Callable[..., Any]] = {"svd": svd, "svdvals": svdvals}
