"""What cubed computes on numr_api's arrays with one of its executors, in workers if it has any.

``main`` prints it as JSON. It needs a process whose environment names numr_api as the backend of
cubed; so workers inherit it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import numr_api
from numr_api._devices import KINDS

# dask starts two processes of one thread each, which talk through the loopback device.
DASK = {
    "n_workers": 2,
    "threads_per_worker": 1,
    "memory_limit": "2GB",
    "host": "127.0.0.1",
    "dashboard_address": "127.0.0.1:0",  # any free port
}
OPTIONS: dict[str, dict[str, Any]] = {
    "single-threaded": {},
    "threads": {"max_workers": 2},
    "processes": {"max_workers": 2},
    "dask": {"compute_kwargs": DASK},
}


def numbers() -> np.ndarray[Any, Any]:
    """The array that is computed with: 40 rows in 4 chunks, of a type that all devices have."""
    return np.random.default_rng(3).normal(size=(40, 6)).astype(np.float32)


def carrier() -> Callable[[Any], Any]:
    """A function of a chunk that takes with it what numr_api has: arrays, functions, dtypes ..."""
    offsets = numr_api.asarray(np.arange(6), dtype=numr_api.float32)
    device, dtype, clip = offsets.device, numr_api.float32, numr_api.clip

    def shift_and_clip(chunk: Any) -> Any:
        if chunk.device != device:
            raise ValueError(f"a chunk on {chunk.device}, with an array from {device}")
        return clip(numr_api.astype(chunk + offsets, dtype), 0.0, 3.0)

    return shift_and_clip


def whereabouts(chunk: Any) -> Any:
    """The number of the process that has a chunk, and that of the kind of its device."""
    numbers = [[os.getpid(), KINDS.index(chunk.device.kind)]]
    return numr_api.asarray(numbers, dtype=numr_api.int32, device=chunk.device)


def main(folder: str, executor_name: str, *wanted: str, **environment: str) -> None:
    """Compute, and print the results by their names as JSON.

    Arguments:
        folder: where files may be put.
        executor_name: cubed's name of the executor.
        wanted: names of results; all of them if there is none.
        environment: of dask's workers, if it differs from this process's.
    """
    import cubed
    import cubed.array_api as cxp
    import zarr
    from cubed.runtime.create import create_executor

    path = Path(folder, "x.zarr")
    zarr.create_array(path, data=numbers(), chunks=(10, 6), overwrite=True)
    spec = cubed.Spec(folder, allowed_mem="500MB")
    x = cubed.from_zarr(str(path), spec=spec)
    results: dict[str, Callable[[], Any]] = {
        "sum": lambda: cxp.sum(x, axis=0),
        "mean": lambda: cxp.mean(x, axis=0),
        "variance": lambda: cxp.var(x, axis=0),
        "product": lambda: cxp.matmul(cxp.matrix_transpose(x), x),
        "carried": lambda: cubed.map_blocks(carrier(), x, dtype=x.dtype),
        "whereabouts": lambda: cubed.map_blocks(
            whereabouts, x, dtype=np.int32, chunks=((1,) * 4, (2,))
        ),
    }
    names = wanted or tuple(results)
    options = OPTIONS[executor_name]
    if environment:
        options = {"compute_kwargs": {**DASK, "env": environment}}
    found = cubed.compute(
        *(results[name]() for name in names), executor=create_executor(executor_name, options)
    )
    values = dict(zip(names, (np.asarray(y).tolist() for y in found), strict=True))
    print(json.dumps({"process": os.getpid(), **values}))
