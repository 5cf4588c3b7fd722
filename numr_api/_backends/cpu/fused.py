"""Kernels of the extensions' element-wise functions: formulas, block by block and by threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api._backends.cpu import jit, threads
from numr_api._backends.cpu.activations import ROWS, Formula
from numr_api._dtypes import EXTENSIONS, DType, float32

if TYPE_CHECKING:
    from numr_api._backends import Kernel

AnyArray = Any
Blocks = list[AnyArray]
Options = tuple[float, ...]
# Of blocks of one dtype, options, and the blocks that are written to.
Compute = Callable[[Blocks, Options, Blocks], None]

BLOCK = 65536  # bytes of a temporary: what is twice as large, the system makes and takes each time
ALL = 2**62  # where there are no temporaries
COMPILED_NANOSECONDS = 2  # for an element, about
GRAIN = 1024  # blocks are multiples of so many elements, whole pages of memory


def find_fused(name: str, dtype: DType) -> Kernel | None:
    """The kernel of arrays of one dtype and one shape, and an option; None if it is no extension's.

    It returns an array, or a tuple of arrays where the function has several results.
    """
    row = ROWS.get(name)
    if row is None:
        return None
    is_single = dtype is float32 or dtype in EXTENSIONS
    compiled = jit.find_loop(name) if is_single else None
    if compiled is not None:
        compute, nanoseconds, wide = written(compiled, np.float32), COMPILED_NANOSECONDS, np.float32
    else:
        formula = (is_single and row.for_single) or row.formula
        in_single = is_single and row.for_single is None
        compute, nanoseconds = _composed(formula), row.nanoseconds
        wide = np.float32 if in_single else np.float64
    is_direct = compiled is not None and dtype is float32
    block = ALL if is_direct else BLOCK // np.dtype(wide).itemsize
    results = 2 if name.endswith("backward") else 1

    def kernel(*operands: Any, out: AnyArray | None = None) -> Any:
        arrays: list[AnyArray] = [x for x in operands if isinstance(x, np.ndarray)]
        options = operands[len(arrays) :]
        first = arrays[0]
        found = (
            [np.empty(first.shape, first.dtype) for _ in range(results)] if out is None else [out]
        )
        _fill(compute, nanoseconds, np.dtype(wide), block, arrays, options, found)
        return found[0] if results == 1 else tuple(found)

    return kernel


def _composed(formula: Formula) -> Compute:
    """What writes the results of a formula of NumPy's functions to blocks."""

    def compute(blocks: Blocks, options: Options, targets: Blocks) -> None:
        outcome = formula(*blocks, *options)
        for target, block in zip(targets, outcome if len(targets) > 1 else (outcome,), strict=True):
            target[...] = block

    return compute


def written(function: Callable[..., object], dtype: Any) -> Compute:
    """What lets a function write its results of one dtype to blocks of any."""

    def compute(blocks: Blocks, options: Options, targets: Blocks) -> None:
        if all(x.dtype == dtype and x.flags.aligned for x in targets):
            function(*blocks, *options, *targets)
            return
        found: Blocks = [np.empty(x.shape, dtype) for x in targets]
        function(*blocks, *options, *found)
        for target, block in zip(targets, found, strict=True):
            target[...] = block

    return compute


def _fill(
    compute: Compute,
    nanoseconds: float,
    wide: np.dtype[Any],
    block: int,
    arrays: Blocks,
    options: Options,
    found: Blocks,
) -> None:
    require: Any = np.require
    sources: Blocks = [require(x, requirements="CA").reshape(-1) for x in arrays]
    targets = [x.reshape(-1) for x in found]  # views, as they are contiguous

    def task(start: int, stop: int) -> None:
        for low in range(start, stop, block):
            part = slice(low, min(low + block, stop))
            blocks = [x[part].astype(wide, copy=False) for x in sources]
            compute(blocks, options, [x[part] for x in targets])

    size = sources[0].size
    if size <= GRAIN:
        if size:
            task(0, size)
    else:
        threads.share(task, size, nanoseconds * size, GRAIN)
