"""Where the cpu device is faster than NumPy: numr_api, PyTorch and JAX against NumPy.

Run with ``python -m tests.benchmarks.cpu_speed``; ``--help`` lists the options. All libraries are
timed in one process, one right after the other in each round. Those that are not installed are left
out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, process_time, sleep
from timeit import Timer
from typing import Any

import numpy as np

import numr_api
from numr_api._backends.cpu import processors
from numr_api.extensions.device import threads
from tests.benchmarks.chart import bars
from tests.benchmarks.cpu_rows import Row, rows
from tests.benchmarks.timing import Times, describe_machine, interleave, load, table, write_json

OURS, NUMPY = "numr_api", "numpy"
OTHERS = ("torch", "jax")
BATCH = 5e-3  # seconds: a call is repeated that long in a round
PAUSE = 0.02  # seconds
PATIENCE = 0.1  # seconds

CLOCKS: Mapping[str, Callable[[], float]] = {"wall": perf_counter, "processor": process_time}


def libraries(names: Sequence[str], number: int | None) -> dict[str, Any]:
    """The namespaces by name, of those that are installed, told how many threads to use."""
    found: dict[str, Any] = {NUMPY: np, OURS: numr_api}
    if "torch" in names and find_spec("torch"):
        found["torch"] = import_module("torch")
        if number:
            found["torch"].set_num_threads(number)
    if "jax" in names and find_spec("jax"):
        import_module("jax").config.update("jax_enable_x64", True)
        found["jax"] = import_module("jax.numpy")
    return found


def arrays(name: str, xp: Any, operands: Sequence[Any]) -> list[Any]:
    """A library's arrays of NumPy's values."""
    if name == NUMPY:
        return list(operands)
    return [xp.asarray(x) for x in operands]


def waiting(name: str, function: Callable[[], Any]) -> Callable[[], Any]:
    """A call that returns when its result is there; that of JAX does not."""
    if name != "jax":
        return function
    block = import_module("jax").block_until_ready
    return lambda: block(function())


def timers_of(row: Row, spaces: Mapping[str, Any], clock: Callable[[], float]) -> dict[str, Timer]:
    """A timer for each library that has the function, and on these arrays no error."""
    operands = row.operands(np.random.default_rng(0))
    timers: dict[str, Timer] = {}
    for name, xp in spaces.items():
        call = row.calls.get(name, row.calls["usual"])
        try:
            own = arrays(name, xp, operands)
            function = waiting(name, lambda call=call, xp=xp, own=own: call(xp, own))
            function()
        except Exception as error:
            if name in (NUMPY, OURS):
                raise
            print(f"{row.name}: {name}: {error}".splitlines()[0], file=sys.stderr)
            continue
        timers[name] = Timer(function, timer=clock)
    return timers


def settle() -> None:
    """Wait a while for threads that a library has left spinning, and for other programs."""
    sleep(PAUSE)
    end = perf_counter() + PATIENCE
    while processors.idle() < processors.usable() - 1 and perf_counter() < end:
        sleep(PAUSE)


def speedup(times: Times, name: str) -> float:
    """How many times as fast as NumPy, by the fastest call of each."""
    return times.minimum(NUMPY) / times.minimum(name)


def cells(row: Row, times: Times) -> list[str]:
    """A line of the table."""
    ours = speedup(times, OURS)
    others = [f"{speedup(times, n):.2f}" if n in times.seconds else "" for n in OTHERS]
    return [
        row.name,
        f"{times.minimum(NUMPY) * 1e3:.3f}",
        f"{times.minimum(OURS) * 1e3:.3f}",
        f"{ours:.2f}",
        f"{times.ratio(NUMPY, OURS):.2f}",
        *others,
        f"{row.goal:.2f}{', threads' if row.threads else ''}",
        "met" if ours >= row.goal else "missed",
    ]


TITLES = (
    *("operation", "NumPy, ms", "numr_api, ms", "times as fast", "by medians", *OTHERS),
    *("goal", "met"),
)


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.cpu_speed",
        description="Time what the cpu device does in its own way against NumPy, and against "
        "PyTorch and JAX where they are installed. Times are minima over the rounds; 'by medians' "
        "is the median of the ratios within each round.",
    )
    parser.add_argument("rows", nargs="*", help="only rows whose names contain one of these")
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="default 15")
    parser.add_argument(
        "--clock",
        choices=CLOCKS,
        default="wall",
        help="'processor' for the time of this process, of all its threads together: what other "
        "programs do does not disturb it, and threads gain nothing (default: wall)",
    )
    parser.add_argument(
        "--threads", type=int, metavar="N", help="the most threads of numr_api and of PyTorch"
    )
    parser.add_argument(
        "--without", nargs="*", default=[], choices=OTHERS, help="libraries to leave out"
    )
    parser.add_argument("--json", type=Path, metavar="PATH", help="also write the results there")
    parser.add_argument("--chart", type=Path, metavar="PATH", help="also draw an SVG there")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    options = parsed(arguments)
    names = [name for name in OTHERS if name not in options.without]
    spaces = libraries(names, options.threads)
    before = load()
    results: list[tuple[Row, Times]] = []
    limit = threads(options.threads) if options.threads else nullcontext()
    with np.errstate(all="ignore"), limit:
        for row in rows():
            if options.rows and not any(part in row.name for part in options.rows):
                continue
            timers = timers_of(row, spaces, CLOCKS[options.clock])
            times = interleave(
                timers, options.rounds, BATCH, before=settle if options.clock == "wall" else int
            )
            results.append((row, times))
            print("  ".join(cells(row, times)), file=sys.stderr, flush=True)
    machine = f"{describe_machine(before)}; {options.clock} time"
    print(table(TITLES, [cells(row, times) for row, times in results]))
    print(f"\n{machine}; {options.rounds} rounds")
    found = [
        {
            "row": row.name,
            "goal": row.goal,
            "needs_threads": row.threads,
            "seconds": times.as_json(),
            "times_as_fast": {n: speedup(times, n) for n in times.seconds if n != NUMPY},
            "met": speedup(times, OURS) >= row.goal,
        }
        for row, times in results
    ]
    if options.json:
        write_json(options.json, machine, found)
    if options.chart:
        speedups = [(r["row"], r["times_as_fast"]) for r in found]
        options.chart.write_text(bars("Times as fast as NumPy", speedups), encoding="utf-8")


if __name__ == "__main__":
    main()
