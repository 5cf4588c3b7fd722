"""Eigenvalues and eigenvectors of Hermitian matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numr_api._backends.webgpu.data import transposed
from numr_api._backends.webgpu.linear_algebra.jacobi import Problem, solve
from numr_api._dtypes import REAL_PART

if TYPE_CHECKING:
    from numr_api._backends.webgpu.data import Strided
    from numr_api._backends.webgpu.device import WebgpuBackend

__all__ = ["ROUTINES"]

REASON = "the eigenvalues do not converge"


def eigh(backend: WebgpuBackend, x: Strided) -> tuple[Strided, Strided]:
    """Eigenvalues, ascending, and eigenvectors as columns; only the lower triangle is read."""
    if x.size == 0:
        return _none(backend, x), backend.empty(x.shape, x.dtype)
    outcome = solve(backend, Problem(x, hermitian=True, vectors=True, reason=REASON))
    assert outcome.right is not None
    return outcome.values, transposed(outcome.right)


def eigvalsh(backend: WebgpuBackend, x: Strided) -> Strided:
    """Eigenvalues, ascending; only the lower triangle is read."""
    if x.size == 0:
        return _none(backend, x)
    return solve(backend, Problem(x, hermitian=True, vectors=False, reason=REASON)).values


def _none(backend: WebgpuBackend, x: Strided) -> Strided:
    return backend.empty(x.shape[:-1], REAL_PART.get(x.dtype, x.dtype))


ROUTINES: dict[str, Callable[..., Any]] = {"eigh": eigh, "eigvalsh": eigvalsh}
