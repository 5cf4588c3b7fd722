"""What a webgpu operation costs the host: chains of operations on small arrays without a read.

Run with ``python -m tests.benchmarks.webgpu_overhead``; ``--help`` lists the options. Times are of
the thread that calls, which stand still while other programs have the processor; the goals are 25
us an operation, and one submission of commands for 64 operations.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from statistics import median
from time import thread_time
from typing import Any

import numpy as np

import numr_api as xp
from numr_api._devices import backend_of
from tests.benchmarks.timing import describe_machine, load, table

CHAINS: dict[str, Callable[[Any, Any], Any]] = {
    "x + y": lambda x, y: x + y,
    "x * 0.5": lambda x, y: x * 0.5,
    "x += y": lambda x, y: x.__iadd__(y),
    "exp": lambda x, y: xp.exp(x),
    "where": lambda x, y: xp.where(y > 0, x, y),
    "matrix + row": lambda x, y: x + y[0, :],
    "sum": lambda x, y: x + xp.sum(x),
    "reshape and transpose": lambda x, y: xp.reshape(x, (10, 10)).T + y,
}


def measure(step: Callable[[Any, Any], Any], count: int, rounds: int) -> tuple[float, float]:
    """Microseconds and submissions for each step of a chain; a step may be two operations."""
    backend = backend_of("webgpu:0")
    start = xp.asarray(np.full((10, 10), 1e-3, np.float32), device="webgpu:0")
    times: list[float] = []
    submits = 0
    for number in range(rounds + 1):
        x = xp.asarray(start, copy=True)
        backend.synchronize()
        before, begin = backend.gpu.submits, thread_time()  # type: ignore[attr-defined]
        for _ in range(count):
            x = step(x, start)
        if number:  # the first round compiles
            times.append(thread_time() - begin)
        submits = backend.gpu.submits - before  # type: ignore[attr-defined]
        backend.synchronize()
    return median(times) / count * 1e6, submits / count


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="steps of a chain")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args(arguments)
    before = load()
    rows = [["step", "us", "steps per submission"]]
    for name, step in CHAINS.items():
        time, submits = measure(step, options.count, options.rounds)
        rows.append([name, f"{time:.1f}", f"{1 / submits:.0f}" if submits else "all"])
    print(table(rows[0], rows[1:]))
    print(f"\nfloat32 arrays of 10 x 10; {describe_machine(before)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
