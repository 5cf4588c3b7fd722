"""Linear algebra on the device: decompositions of stacks of matrices by kernels of our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numr_api._backends.webgpu.linear_algebra import (
    cholesky,
    determinants,
    eig,
    eigh,
    lu,
    norms,
    qr,
    svd,
)

ROUTINES: dict[str, Callable[..., Any]] = {
    **cholesky.ROUTINES,
    **determinants.ROUTINES,
    **eig.ROUTINES,
    **eigh.ROUTINES,
    **lu.ROUTINES,
    **norms.ROUTINES,
    **qr.ROUTINES,
    **svd.ROUTINES,
}
