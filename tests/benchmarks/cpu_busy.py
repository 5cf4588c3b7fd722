"""What threads cost on a machine that has no processor to spare: with them against without.

Run with ``python -m tests.benchmarks.cpu_busy``; ``--help`` lists the options. Other processes keep
all processors busy meanwhile. Times are wall time, and ratios are taken within rounds; where 1.00
stands, threads were not used or gained what they cost.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from timeit import Timer
from typing import Any

import numpy as np

import numr_api as xp
from numr_api.extensions.device import threads
from tests.benchmarks.timing import interleave, table

CALLS: dict[str, Callable[[Any], Any]] = {
    "exp": xp.exp,
    "tanh": xp.tanh,
    "sum": xp.sum,
    "var": xp.var,
}
SIZES = (2**18, 2**20)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.cpu_busy")
    parser.add_argument("--rounds", type=int, default=21, metavar="N", help="default 21")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count(), metavar="N", help="default: processors"
    )
    options = parser.parse_args(arguments)
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(options.processes)
    ]
    lines: list[list[str]] = []
    try:
        for name, call in CALLS.items():
            for size in SIZES:
                x = xp.asarray(np.random.default_rng(0).standard_normal(size).astype("float32"))
                lines.append([f"{name} float32 {size}", *compare(call, x, options.rounds)])
                print("  ".join(lines[-1]), file=sys.stderr, flush=True)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    titles = ("call", "alone, ms", "with threads, ms", "ratio of medians", "median of ratios")
    print(table(titles, lines))


def compare(call: Callable[[Any], Any], x: Any, rounds: int) -> list[str]:
    def alone() -> None:
        with threads(1):
            call(x)

    timers = {
        "alone": Timer(alone, timer=perf_counter),
        "shared": Timer(lambda: call(x), timer=perf_counter),
    }
    times = interleave(timers, rounds)
    medians = times.median("alone"), times.median("shared")
    return [
        *(f"{median * 1e3:.3f}" for median in medians),
        f"{medians[1] / medians[0]:.2f}",
        f"{times.ratio('shared', 'alone'):.2f}",
    ]


if __name__ == "__main__":
    main()
