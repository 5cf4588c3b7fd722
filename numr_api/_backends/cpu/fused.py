"""Kernels of the extensions' element-wise functions: formulas, block by block and by threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api._backends.cpu import jit, threads
from numr_api._backends.cpu.activations import ROWS, Formula
from numr_api._dtypes import EXTENSIONS, DType, float32

if TYPE_CHECKING:
    from numr_api._backends import Kernel

AnyArray = Any

BLOCK = 8192  # elements: temporaries of a formula stay in the cache
GRAIN = 1024  # blocks are multiples of so many elements, whole pages of memory


def find_fused(name: str, dtype: DType) -> Kernel | None:
    """The kernel of arrays of one dtype and one shape, and an option; None if it is no extension's.

    It returns an array, or a tuple of arrays where the function has several results.
    """
    row = ROWS.get(name)
    if row is None:
        return None
    is_single = dtype is float32 or dtype in EXTENSIONS
    formula = row.for_single if is_single and row.for_single else row.formula
    formula = (jit.find_formula(name) if is_single else None) or formula
    wide = np.dtype(np.float32 if is_single and row.for_single is None else np.float64)
    results = 2 if name.endswith("backward") else 1

    def kernel(*operands: Any, out: AnyArray | None = None) -> Any:
        arrays: list[AnyArray] = [x for x in operands if isinstance(x, np.ndarray)]
        options = operands[len(arrays) :]
        first = arrays[0]
        found = (
            [np.empty(first.shape, first.dtype) for _ in range(results)] if out is None else [out]
        )
        _fill(formula, row.nanoseconds, wide, arrays, options, found)
        return found[0] if results == 1 else tuple(found)

    return kernel


def _fill(
    formula: Formula,
    nanoseconds: float,
    wide: np.dtype[Any],
    arrays: list[AnyArray],
    options: tuple[float, ...],
    found: list[AnyArray],
) -> None:
    sources = [np.ascontiguousarray(x).reshape(-1) for x in arrays]
    targets = [x.reshape(-1) for x in found]  # views, as they are contiguous

    def task(start: int, stop: int) -> None:
        for low in range(start, stop, BLOCK):
            part = slice(low, min(low + BLOCK, stop))
            blocks = [x[part].astype(wide, copy=False) for x in sources]
            if isinstance(formula, np.ufunc) and targets[0].dtype == wide:  # a compiled one
                formula(*blocks, targets[0][part])
                continue
            outcome = formula(*blocks, *options)
            for target, block in zip(
                targets, outcome if len(targets) > 1 else (outcome,), strict=True
            ):
                target[part] = block

    size = sources[0].size
    if size <= BLOCK:
        if size:
            task(0, size)
    else:
        threads.share(task, size, nanoseconds * size, GRAIN)
