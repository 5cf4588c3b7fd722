"""What a call costs on 10 elements: numr_api against NumPy and array-api-strict.

Run with ``python -m tests.benchmarks.small``; ``--help`` lists the options.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import array_api_strict
import numpy as np
from array_api_compat import array_namespace

import numr_api
from tests.benchmarks.timing import (
    Times,
    describe_machine,
    interleave,
    load,
    table,
    timer,
    write_json,
)

BATCH = 200e-6  # seconds: a statement is repeated that long in a round
OURS, NUMPY, STRICT = LIBRARIES = ("numr_api", "numpy", "array_api_strict")


@dataclass(frozen=True)
class Row:
    """A statement and its goals, of which None is none.

    Attributes:
        statement: what is timed.
        ratio: at most that many times as long as NumPy.
        extra: at most that many microseconds longer than NumPy.
        strict: at least that many times faster than array-api-strict.
    """

    statement: str
    ratio: float | None = None
    extra: float | None = None
    strict: float | None = None


ROWS = (
    Row("x + y", ratio=2.5, strict=6),
    Row("x + 1.0", ratio=2.5, strict=6),
    Row("xp.exp(x)", ratio=2.5),
    Row("xp.sum(x)", extra=0.6),
    Row("xp.reshape(x, (2, 5))", extra=0.6),
    Row("x[0]", extra=0.6, strict=6),
    Row("x[1:5]", extra=0.6, strict=6),
    Row("x[mask]", extra=0.6, strict=6),
    Row("x[0] = 1.0", extra=0.6, strict=6),
    Row("xp.where(mask, x, y)", extra=1.0, strict=6),
    Row("xp.concat((x, y))", extra=1.0),
    Row("xp.asarray(a_list)", extra=1.0, strict=6),
    Row("xp.asarray(ndarray)", extra=1.0, strict=6),
    Row("xp.zeros(10)", extra=1.0),
    Row("xp.result_type(x, y)", extra=0.6),
    Row("array_namespace(x)", extra=0.6),
)


def variables(xp: ModuleType) -> dict[str, Any]:
    """What the statements refer to, in one namespace."""
    ndarray = np.linspace(0.0, 1.0, 10)
    x = xp.asarray(ndarray, copy=True)
    return {
        "xp": xp,
        "array_namespace": array_namespace,
        "x": x,
        "y": xp.asarray(ndarray + 0.5),
        "mask": x > 0.5,
        "ndarray": ndarray,
        "a_list": ndarray.tolist(),
    }


def measure(row: Row, rounds: int) -> Times:
    """Seconds that the statement takes in each library."""
    namespaces = dict(zip(LIBRARIES, (numr_api, np, array_api_strict), strict=True))
    timers = {name: timer(row.statement, variables(xp)) for name, xp in namespaces.items()}
    return interleave(timers, rounds, BATCH)


@dataclass(frozen=True)
class Costs:
    """How numr_api compares; ``extra`` in microseconds."""

    ratio: float
    extra: float
    strict: float


def costs(times: Times) -> Costs:
    """Of the typical call: the medians over the rounds."""
    return Costs(
        times.ratio(OURS, NUMPY),
        times.difference(OURS, NUMPY) * 1e6,
        times.ratio(STRICT, OURS),
    )


def least_costs(times: Times) -> Costs:
    """Of the fastest calls: what an idle machine would show, as far as this one can tell."""
    ours, numpy, strict = (times.minimum(name) for name in LIBRARIES)
    return Costs(ours / numpy, (ours - numpy) * 1e6, strict / ours)


def verdicts(row: Row, found: Costs) -> dict[str, bool]:
    """Each goal of a row in words, and whether it is met."""
    goals: dict[str, bool] = {}
    if row.ratio is not None:
        goals[f"<= {row.ratio} NumPy"] = found.ratio <= row.ratio
    if row.extra is not None:
        goals[f"<= NumPy + {row.extra} us"] = found.extra <= row.extra
    if row.strict is not None:
        goals[f"strict >= {row.strict}"] = found.strict >= row.strict
    return goals


TITLES = (
    "10 elements, us",
    "NumPy",
    "numr_api",
    "strict",
    "numr_api / NumPy",
    "numr_api - NumPy",
    "of minima",
    "strict / numr_api",
    "goals",
    "met",
    "by minima",
)


def cells(row: Row, times: Times) -> list[str]:
    """A line of the table."""
    typical, least = costs(times), least_costs(times)
    goals = verdicts(row, typical)
    return [
        row.statement,
        *(f"{times.median(name) * 1e6:.2f}" for name in (NUMPY, OURS, STRICT)),
        f"{typical.ratio:.2f}",
        f"{typical.extra:+.2f}",
        f"{least.extra:+.2f}",
        f"{typical.strict:.1f}",
        ", ".join(goals),
        *(
            ", ".join("met" if met else "missed" for met in results.values())
            for results in (goals, verdicts(row, least))
        ),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.small",
        description="Time calls on 10 float64 elements against NumPy and array-api-strict. Times "
        "are medians over the rounds; ratios and differences are taken within each round.",
    )
    parser.add_argument(
        "--rounds", type=int, default=300, metavar="N", help="how often each is timed (default 300)"
    )
    parser.add_argument("--json", type=Path, metavar="PATH", help="also write the results there")
    options = parser.parse_args(arguments)

    before = load()
    results = [(row, measure(row, options.rounds)) for row in ROWS]
    machine = describe_machine(before)
    print(table(TITLES, [cells(row, times) for row, times in results]))
    print(f"\n{machine}; {options.rounds} rounds")
    if options.json:
        rows = [
            {
                "statement": row.statement,
                "seconds": times.as_json(),
                **{
                    name: {**asdict(found), "goals": verdicts(row, found)}
                    for name, found in (
                        ("medians", costs(times)),
                        ("minima", least_costs(times)),
                    )
                },
            }
            for row, times in results
        ]
        write_json(options.json, machine, rows)


if __name__ == "__main__":
    main()
