"""Means, variances and standard deviations: one reduction for a mean, another one for the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from numr_api import _dtypes
from numr_api._backends.webgpu.data import Strided
from numr_api._backends.webgpu.reductions import Reduction

if TYPE_CHECKING:
    from numr_api._backends import Axes, Data
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._dtypes import DType


class Moments:
    """The reductions behind ``mean``, ``var`` and ``std``, made when they are needed."""

    def __init__(self, backend: WebgpuBackend) -> None:
        self._backend = backend
        self._reductions: dict[tuple[str, DType, DType], Reduction] = {}
        self.shortcuts: Mapping[str, Callable[..., Data]] = {
            "mean": self._mean,
            "var": partial(self._spread, "var"),
            "std": partial(self._spread, "std"),
        }

    def _reduction(self, name: str, dtype: DType, result: DType) -> Reduction:
        key = name, dtype, result
        found = self._reductions.get(key)
        if found is None:
            found = self._reductions[key] = Reduction(self._backend, *key)
        return found

    def _mean(self, x: Strided, axes: Axes, keepdims: bool, result: DType | None = None) -> Strided:
        count = 1
        for axis in axes:
            count *= x.shape[axis]
        reduction = self._reduction("mean", x.dtype, result or x.dtype)
        return reduction(x, axes, keepdims, float(count))

    def _spread(self, name: str, x: Strided, axes: Axes, keepdims: bool, freedom: float) -> Strided:
        """The sum of squares of what is left of x without the mean, divided by ``freedom``."""
        exact = _dtypes.float32 if x.dtype in _dtypes.HALVES else x.dtype
        centres = self._mean(x, axes, keepdims, exact)
        return self._reduction(name, x.dtype, x.dtype)(x, axes, keepdims, freedom, centres)
