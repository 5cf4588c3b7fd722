"""What strictness and repaired special cases cost on large arrays: numr_api against NumPy.

Run with ``python -m tests.benchmarks.large``; ``--help`` lists the options. Every element-wise
operation is called on arrays of each benchmarked dtype that it accepts, next to the NumPy function
of its name.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from timeit import Timer
from typing import Any

import numpy as np

import numr_api
from numr_api._backends.cpu.repairs import REPAIRS
from numr_api._declare import OPS, Operation
from numr_api._dtypes import ACCEPTED
from tests.benchmarks.timing import (
    Times,
    describe_machine,
    interleave,
    load,
    table,
    timer,
    write_json,
)

OURS, NUMPY = "numr_api", "numpy"
LIMIT = 3.0  # seconds for a row; a slow function gets fewer rounds, but three at least
DISTINCT = 10**6  # operands: enough that no branch can be foretold

DTYPES = ("float64", "float32", "complex128")
OTHER_DTYPES = ("int64", "bool")  # for operations that accept none of the above

# From where the operands are drawn, complex ones for both of their parts.
DOMAINS = {
    "acos": (-1, 1),
    "acosh": (1, 20),
    "asin": (-1, 1),
    "atanh": (-0.99, 0.99),
    "bitwise_left_shift": (0, 30),
    "bitwise_right_shift": (0, 30),
    "log": (0.001, 1000),
    "log10": (0.001, 1000),
    "log1p": (-0.9, 10),
    "log2": (0.001, 1000),
    "pow": (0.1, 5),
    "sqrt": (0, 1000),
}
DOMAIN = (-10, 10)


@dataclass(frozen=True)
class Row:
    """An operation on one dtype."""

    operation: Operation
    dtype: str

    @property
    def repaired(self) -> bool:
        """Whether NumPy's function is wrong in special cases, which numr_api repairs."""
        kind = np.dtype(self.dtype).kind
        return any(kind in kinds for kinds in REPAIRS.get(self.operation.name, {}))

    @property
    def goal(self) -> float:
        """How many times as long as NumPy's function it may take."""
        if not self.repaired:
            return 1.10
        return 3.0 if self.dtype == "complex128" else 1.5


def rows(names: Sequence[str]) -> Iterator[Row]:
    """The operations of these names, or all, on each dtype that they accept."""
    for operation in OPS.values():
        if operation.family != "elementwise" or (names and operation.name not in names):
            continue
        accepted = [
            dtype
            for dtype in (*DTYPES, *OTHER_DTYPES)
            if np.dtype(dtype).kind in ACCEPTED[operation.accepts]
        ]
        among = [dtype for dtype in accepted if dtype in DTYPES] or accepted[:1]
        yield from (Row(operation, dtype) for dtype in among)


def draw(generator: np.random.Generator, name: str, dtype: str, size: int) -> np.ndarray:
    """An operand in the domain of an operation; a long one repeats itself."""
    low, high = DOMAINS.get(name, DOMAIN)
    count = min(size, DISTINCT)
    match np.dtype(dtype).kind:
        case "b":
            values = generator.random(count) < 0.5
        case "i":
            values = generator.integers(low, high, count)
        case "c":
            values = generator.uniform(low, high, 2 * count).view(np.complex128)
        case _:
            values = generator.uniform(low, high, count)
    return np.resize(values.astype(dtype), size)


def operands(row: Row, size: int) -> list[Any]:
    """NumPy arrays to call the operation with; ``where`` gets a random mask, ``clip`` scalars."""
    generator = np.random.default_rng(0)
    name = row.operation.name
    if name == "clip":
        return [draw(generator, name, row.dtype, size), -5.0, 5.0]
    count = len(signature(row.operation.function).parameters)
    values: list[Any] = [draw(generator, name, row.dtype, size) for _ in range(count)]
    if name == "where":
        values[0] = draw(generator, name, "bool", size)
    return values


def measure(row: Row, size: int, rounds: int) -> Times:
    """Seconds that one call takes in each library; no warnings are computed."""
    name = row.operation.name
    theirs = operands(row, size)
    ours = [numr_api.asarray(x) if isinstance(x, np.ndarray) else x for x in theirs]
    timers = {
        OURS: timer_of_call(row.operation.function, ours),
        NUMPY: timer_of_call(getattr(np, name), theirs),
    }
    with np.errstate(all="ignore"):
        return interleave(timers, rounds, limit=LIMIT)


def timer_of_call(function: Callable[..., Any], arguments: Sequence[Any]) -> Timer:
    """A timer of one call, which includes freeing the result."""
    names = [f"x{number}" for number in range(len(arguments))]
    variables = {"function": function, **dict(zip(names, arguments, strict=True))}
    return timer(f"function({', '.join(names)})", variables)


TITLES = (
    "operation",
    "dtype",
    "NumPy, ms",
    "numr_api, ms",
    "ratio",
    "of minima",
    "goal",
    "met",
    "by minima",
)


def cells(row: Row, times: Times) -> list[str]:
    """A line of the table."""
    ratios = times.ratio(OURS, NUMPY), times.minimum(OURS) / times.minimum(NUMPY)
    return [
        row.operation.name,
        row.dtype,
        *(f"{times.median(name) * 1e3:.2f}" for name in (NUMPY, OURS)),
        *(f"{ratio:.2f}" for ratio in ratios),
        f"{row.goal:.2f}{' (repaired)' if row.repaired else ''}",
        *("met" if ratio <= row.goal else "missed" for ratio in ratios),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.large",
        description="Time every element-wise operation on large arrays against the NumPy function "
        "of its name. Times are medians over the rounds; ratios are taken within each round.",
    )
    parser.add_argument("operations", nargs="*", help="only these operations (default: all)")
    parser.add_argument(
        "--size", type=int, default=10**7, metavar="N", help="elements of an array (default 10^7)"
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=5,
        metavar="N",
        help=f"how often each is timed, less once a row has taken {LIMIT:.0f} s (default 5)",
    )
    parser.add_argument("--json", type=Path, metavar="PATH", help="also write the results there")
    options = parser.parse_args(arguments)
    for name in options.operations:
        if name not in OPS or OPS[name].family != "elementwise":
            parser.error(f"{name} is no element-wise operation")

    before = load()
    results: list[tuple[Row, Times]] = []
    for row in rows(options.operations):
        times = measure(row, options.size, options.rounds)
        results.append((row, times))
        print("  ".join(cells(row, times)), file=sys.stderr, flush=True)
    machine = describe_machine(before)
    print(table(TITLES, [cells(row, times) for row, times in results]))
    print(f"\n{options.size} elements; {machine}; {options.rounds} rounds at most")
    if options.json:
        found = [
            {
                "operation": row.operation.name,
                "dtype": row.dtype,
                "seconds": times.as_json(),
                "ratio": times.ratio(OURS, NUMPY),
                "goal": row.goal,
                "repaired": row.repaired,
            }
            for row, times in results
        ]
        write_json(options.json, machine, found)


if __name__ == "__main__":
    main()
