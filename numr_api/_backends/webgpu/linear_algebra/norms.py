"""Euclidean norms: a reduction to sums of squares that overflow and underflow cannot spoil."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numr_api._backends.webgpu.data import Strided
from numr_api._backends.webgpu.reductions import Reduction
from numr_api._dtypes import REAL_PART

if TYPE_CHECKING:
    from numr_api._backends import Axes
    from numr_api._backends.webgpu.device import WebgpuBackend

__all__ = ["ROUTINES"]


def euclidean_norm(backend: WebgpuBackend, x: Strided, *, axes: Axes, keepdims: bool) -> Strided:
    """``sqrt(sum(abs(x)**2))`` over axes."""
    name = "euclidean_norm"
    result = REAL_PART.get(x.dtype, x.dtype)
    reduction: Reduction = backend.remembered(
        (name, x.dtype), lambda: Reduction(backend, name, x.dtype, result)
    )
    return reduction(x, axes, keepdims)


ROUTINES: dict[str, Callable[..., Any]] = {"euclidean_norm": euclidean_norm}
