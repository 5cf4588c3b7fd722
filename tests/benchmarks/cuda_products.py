"""Products of a few rows with a matrix on cuda, next to PyTorch and CuPy, which call cuBLAS.

``python -m tests.benchmarks.cuda_products`` prints times, the speed at which the matrix is read,
and how many times as fast as the others numr_api is. Times are those of the GPU's own clock; each
product has a matrix that is in no cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import cycle, islice
from typing import Any

import numr_api as xp
from tests.benchmarks.cuda_timing import OURS, compare
from tests.benchmarks.timing import table

ROUNDS = 5
CALLS = 64  # in a row, so that the GPU does not wait for the host where products take long
BYTES = 400_000_000  # of matrices that take turns
SIZES = ((1024, 1024), (4096, 4096), (4096, 14336), (14336, 4096), (1000, 3001), (3001, 1000))
ROWS = {"float32": (1, 2, 4, 8, 16), "float64": (1, 4)}


def multiply(x: Any, matrices: Sequence[Any]) -> None:
    """By each matrix in turn."""
    for matrix in islice(cycle(matrices), CALLS):
        x @ matrix


def rows(cupy: Any, torch: Any) -> Iterator[tuple[str, ...]]:
    for dtype, counts in ROWS.items():
        for k, n in SIZES:
            size = cupy.dtype(dtype).itemsize * k * n
            copies = max(2, min(64, BYTES // size))
            flat = [cupy.random.standard_normal(k * n, dtype=dtype) for _ in range(copies)]
            for transposed in (True, False):
                given = [w.reshape(n, k).T if transposed else w.reshape(k, n) for w in flat]
                for count in counts:
                    x = cupy.random.standard_normal((count, k), dtype=dtype)
                    operands = {
                        OURS: (xp.asarray(x), [xp.asarray(w) for w in given]),
                        "torch": (torch.from_dlpack(x), [torch.from_dlpack(w) for w in given]),
                        "cupy": (x, given),
                    }
                    calls = {name: partial(multiply, *pair) for name, pair in operands.items()}
                    times = {
                        name: time / CALLS * 1000 for name, time in compare(calls, ROUNDS).items()
                    }
                    own = times[OURS]
                    yield (
                        f"{count} x {k} by {k} x {n}{' transposed' * transposed} {dtype}",
                        f"{own:.1f}",
                        f"{size / own / 1000:.0f}",
                        f"{times['torch'] / own:.2f}",
                        f"{times['cupy'] / own:.2f}",
                    )


def main() -> None:
    cupy, torch = import_module("cupy"), import_module("torch")
    print(table(("product", "us", "GB/s", "of torch", "of CuPy"), list(rows(cupy, torch))))


if __name__ == "__main__":
    main()
