"""Mean, variance and a matrix product of an array that is larger than the allowed memory.

cubed splits the work into tasks of bounded memory and hands them to threads, processes or
dask.distributed; each task computes with numr_api on chunks of a zarr array. The numbers are small
integers, so that NumPy, block by block, gives the exact results to compare with.

    python larger_than_memory.py --size 4GB --executor processes --progress
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Read when cubed and numr_api are imported, here and in each worker, which inherits them.
os.environ["CUBED_BACKEND_ARRAY_API_MODULE"] = "numr_api"
os.environ["NUMR_API_MODE"] = "relaxed"  # cubed mixes dtypes and names them as NumPy does
os.environ["NUMR_API_HOST_CONVERSION"] = "1"  # cubed writes chunks of any device with NumPy
os.environ["NUMR_API_THREADS"] = "1"  # a worker is one thread; there are several workers

import cubed
import cubed.array_api as cxp
import numpy as np
import zarr
from cubed.runtime.create import create_executor
from cubed.utils import convert_to_bytes, peak_measured_mem

import numr_api

FEATURES = 500  # columns of the array
LARGEST = 3  # of the numbers' absolute values; sums and products of these are exact in float32


@dataclass(frozen=True)
class Moments:
    """What is computed of an array x of shape (rows, features)."""

    mean: Any  # of each column
    variance: Any  # of each column
    product: Any  # x.T @ x


class PeakMemory(cubed.Callback):
    """The most memory that a process of workers has had, in bytes; cubed measures it after tasks.

    cubed does not measure threads; there it is this process's memory, of all workers together.
    """

    def __init__(self) -> None:
        self.measured = 0

    def on_task_end(self, event: cubed.TaskEndEvent) -> None:
        self.measured = max(self.measured, event.peak_measured_mem_end or 0)

    def peak(self) -> int:
        return self.measured or peak_measured_mem()


def write(path: Path, size: int, dtype: np.dtype[Any], memory: int) -> zarr.Array[Any]:
    """Fill a zarr array of about a size in bytes, one chunk after the other.

    Arguments:
        path: where it is put.
        size: its bytes, about.
        dtype: of its elements.
        memory: what a worker has for the chunks of a task, in bytes.
    """
    row = FEATURES * dtype.itemsize
    rows = max(1, size // row)
    # A task holds some chunks at once, as read, as computed with and as written.
    chunk = max(1, min(memory // 8 // row, rows // 4))
    array = zarr.create_array(
        path, shape=(rows, FEATURES), chunks=(chunk, FEATURES), dtype=dtype, compressors=None
    )
    generator = np.random.default_rng(0)
    for start in range(0, rows, chunk):
        shape = (min(chunk, rows - start), FEATURES)
        array[start : start + chunk] = generator.integers(-LARGEST, LARGEST, shape, endpoint=True)
    return array


def compute(path: Path, spec: cubed.Spec, **options: Any) -> Moments:
    """The moments of a zarr array with cubed, all in one plan."""
    x = cubed.from_zarr(str(path), spec=spec)
    return Moments(
        *cubed.compute(
            cxp.mean(x, axis=0),
            cxp.var(x, axis=0),
            cxp.matmul(cxp.matrix_transpose(x), x),
            **options,
        )
    )


def exact(array: zarr.Array[Any]) -> Moments:
    """The moments of an array of integers with NumPy, of which one chunk is in memory at a time."""
    rows, features = array.shape
    total = np.zeros(features, np.int64)
    product = np.zeros((features, features))
    for block in blocks(array):
        total += block.sum(axis=0, dtype=np.int64)
        product += block.T @ block  # integers below 2**53
    squares = np.diagonal(product).astype(np.int64)
    # n * n * variance = n * sum(x * x) - sum(x)**2, which is exact in integers
    variance = (rows * squares - total * total) / rows / rows
    return Moments(total / rows, variance, product)


def blocks(array: zarr.Array[Any]) -> Iterator[np.ndarray[Any, Any]]:
    """The chunks of an array as float64."""
    rows, chunk = array.shape[0], array.chunks[0]
    for start in range(0, rows, chunk):
        yield np.asarray(array[start : start + chunk], dtype=np.float64)


def largest_difference(found: Any, expected: np.ndarray[Any, Any]) -> float:
    """The largest difference, relative to the largest element."""
    return float(np.max(np.abs(np.asarray(found) - expected)) / np.max(np.abs(expected)))


def options() -> argparse.Namespace:
    """What the command line asks for; sizes as text such as 500MB."""
    parser = argparse.ArgumentParser(
        description="Mean, variance and matrix product of a zarr array with cubed on numr_api.",
        epilog="The environment variable NUMR_API_DEVICE says where workers compute.",
    )
    parser.add_argument("--size", default="20MB", help="of the array (default: %(default)s)")
    parser.add_argument("--memory", default="500MB", help="of a worker (default: %(default)s)")
    parser.add_argument(
        "--reserved",
        default="200MB",
        help="of it, for Python and libraries (default: %(default)s; see measure_reserved_mem)",
    )
    parser.add_argument("--executor", default="threads", choices=("threads", "processes", "dask"))
    parser.add_argument("--workers", type=int, default=2, help="(default: %(default)s)")
    parser.add_argument("--progress", action="store_true", help="show a bar for each operation")
    parser.add_argument("--folder", help="where the data is put for the time of the run")
    return parser.parse_args()


def executor(name: str, workers: int, memory: str) -> Any:
    """cubed's executor of a name, whose workers are on this machine."""
    if name != "dask":
        return create_executor(name, {"max_workers": workers})
    # For workers elsewhere it is {"address": "tcp://..."}, where their scheduler listens.
    cluster = {
        "n_workers": workers,
        "threads_per_worker": 1,
        "memory_limit": memory,
        "host": "127.0.0.1",
        "dashboard_address": "127.0.0.1:0",  # any free port
    }
    return create_executor("dask", {"compute_kwargs": cluster})


def progress_bars(wanted: bool) -> list[Any]:
    """cubed's bar for each operation, which needs the package rich, or none."""
    if not wanted:
        return []
    from cubed.diagnostics import ProgressBar

    return [ProgressBar()]


def main() -> int:
    """Write the array, compute, print figures; 1 if the results differ from NumPy's, else 0."""
    chosen = options()
    info = numr_api.__array_namespace_info__()
    dtype = np.dtype(info.default_dtypes()["real floating"])
    memory = PeakMemory()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        path = Path(folder, "x.zarr")
        free = convert_to_bytes(chosen.memory) - convert_to_bytes(chosen.reserved)
        array = write(path, convert_to_bytes(chosen.size), dtype, free)
        spec = cubed.Spec(
            folder,
            allowed_mem=chosen.memory,
            reserved_mem=chosen.reserved,
            zarr_compressor=None,
        )
        print(f"{array.shape[0]} rows of {FEATURES} {dtype} numbers: {array.nbytes / 1e6:.0f} MB")
        print(f"{chosen.workers} workers ({chosen.executor}) of {chosen.memory}", flush=True)
        start = time.perf_counter()
        found = compute(
            path,
            spec,
            executor=executor(chosen.executor, chosen.workers, chosen.memory),
            callbacks=[memory, *progress_bars(chosen.progress)],
        )
        seconds = time.perf_counter() - start
        print(f"computed on {info.default_device()} in {seconds:.1f} s")
        print(f"peak memory of a process: {memory.peak() / 1e6:.0f} MB")
        expected = exact(array)
    differences = {
        name: largest_difference(getattr(found, name), getattr(expected, name))
        for name in ("mean", "variance", "product")
    }
    for name, difference in differences.items():
        print(f"largest relative difference of the {name}: {difference:.1e}")
    same = max(differences.values()) < 8 * float(np.finfo(dtype).eps)
    print("equal to NumPy's results" if same else "NOT equal to NumPy's results")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
