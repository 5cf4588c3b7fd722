"""Eigenvalues and eigenvectors of general matrices, computed on the host.

The matrices are read, LAPACK does the work as on the cpu, and the results are written: no algorithm
for this problem gains by a GPU enough to outweigh its length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numr_api._backends.cpu import linear_algebra as host
from numr_api._backends.webgpu.data import Strided

if TYPE_CHECKING:
    from numr_api._backends.webgpu.device import WebgpuBackend

__all__ = ["ROUTINES"]


def eig(backend: WebgpuBackend, x: Strided) -> tuple[Strided, Strided]:
    values, vectors = host.eig(backend.to_host(x))
    return backend.from_host(values, None), backend.from_host(vectors, None)


def eigvals(backend: WebgpuBackend, x: Strided) -> Strided:
    return backend.from_host(host.eigvals(backend.to_host(x)), None)


ROUTINES: dict[str, Callable[..., Any]] = {"eig": eig, "eigvals": eigvals}
