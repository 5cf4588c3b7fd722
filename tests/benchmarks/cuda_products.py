"""Products of a few rows with a matrix on cuda, next to PyTorch and CuPy, which call cuBLAS.

``python -m tests.benchmarks.cuda_products`` prints times, the speed at which the matrix is read,
and how many times as fast as the others numr_api is. Times are those of the GPU's own clock; each
product has a matrix that is in no cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import cycle, islice
from statistics import median
from typing import Any

import numr_api as xp
from tests.benchmarks.timing import table

ROUNDS = 5
CALLS = 64  # in a row, so that the GPU does not wait for the host where products take long
BYTES = 400_000_000  # of matrices that take turns
SIZES = ((1024, 1024), (4096, 4096), (4096, 14336), (14336, 4096), (1000, 3001), (3001, 1000))
ROWS = {"float32": (1, 2, 4, 8, 16), "float64": (1, 4)}


def microseconds(cupy: Any, calls: list[Callable[[], object]]) -> float:
    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    for call in calls:
        call()
    end.record()
    end.synchronize()
    return cupy.cuda.get_elapsed_time(start, end) / len(calls) * 1000


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
                        "numr": (xp.asarray(x), [xp.asarray(w) for w in given]),
                        "torch": (torch.from_dlpack(x), [torch.from_dlpack(w) for w in given]),
                        "cupy": (x, given),
                    }
                    calls = {
                        name: [lambda a=a, b=b: a @ b for b in islice(cycle(matrices), CALLS)]
                        for name, (a, matrices) in operands.items()
                    }
                    times: dict[str, list[float]] = {name: [] for name in calls}
                    for number in range(ROUNDS + 1):
                        for name, found in times.items():
                            time = microseconds(cupy, calls[name])
                            if number:
                                found.append(time)
                    middle = {name: median(found) for name, found in times.items()}
                    own = middle["numr"]
                    yield (
                        f"{count} x {k} by {k} x {n}{' transposed' * transposed} {dtype}",
                        f"{own:.1f}",
                        f"{size / own / 1000:.0f}",
                        f"{middle['torch'] / own:.2f}",
                        f"{middle['cupy'] / own:.2f}",
                    )


def main() -> None:
    cupy, torch = import_module("cupy"), import_module("torch")
    print(table(("product", "us", "GB/s", "of torch", "of CuPy"), list(rows(cupy, torch))))


if __name__ == "__main__":
    main()
