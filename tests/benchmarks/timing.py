"""Timing of statements against each other on a machine that does other things as well.

Rival statements are timed one right after the other, in many rounds, so that whatever slows the
machine down slows all of them; ratios and differences are taken within a round. The clock is the
processor time of this process, which stands still while other programs have the processor. Garbage
is not collected meanwhile (``timeit`` sees to that).
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from timeit import Timer
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Times:
    """Seconds per execution of rival statements, by name: one number for each round."""

    seconds: Mapping[str, Sequence[float]]

    def median(self, name: str) -> float:
        return median(self.seconds[name])

    def minimum(self, name: str) -> float:
        return min(self.seconds[name])

    def ratio(self, name: str, rival: str) -> float:
        """How many times as long as its rival a statement takes: the median over the rounds."""
        return self._paired(lambda time, other: time / other, name, rival)

    def difference(self, name: str, rival: str) -> float:
        """How many seconds longer than its rival a statement takes: the median over the rounds."""
        return self._paired(lambda time, other: time - other, name, rival)

    def _paired(self, compare: Callable[[float, float], float], name: str, rival: str) -> float:
        return median(map(compare, self.seconds[name], self.seconds[rival]))

    def as_json(self) -> dict[str, Any]:
        return {
            name: {"median": self.median(name), "minimum": self.minimum(name), "rounds": len(times)}
            for name, times in self.seconds.items()
        }


def timer(statement: str, variables: dict[str, Any]) -> Timer:
    """A timer of a statement that refers to variables. Threads would add up: use none."""
    return Timer(statement, timer=process_time, globals=variables)


def interleave(
    timers: Mapping[str, Timer],
    rounds: int,
    batch: float = 0.0,
    limit: float = float("inf"),
    before: Callable[[], object] = int,
) -> Times:
    """Time rival statements in rounds; every other round goes through them backwards.

    Arguments:
        timers: the statements by name.
        rounds: how often each is timed.
        batch: seconds that a statement is repeated for in each round; 0 executes it once.
        limit: no further round begins after so many seconds, but three take place in any case.
        before: called before each statement is timed.
    """
    counts = {name: repetitions(timer, batch) for name, timer in timers.items()}
    order = list(timers)
    seconds: dict[str, list[float]] = {name: [] for name in order}
    spent = 0.0
    for number in range(rounds):
        if spent > limit and number >= 3:
            break
        for name in order:
            before()
            time = timers[name].timeit(counts[name])
            seconds[name].append(time / counts[name])
            spent += time
        order.reverse()
    return Times(seconds)


def repetitions(timer: Timer, batch: float) -> int:
    """How often to execute a statement so that it takes ``batch`` seconds; warms it up as well."""
    timer.timeit(1)  # a first call may fill caches that later ones find
    if batch == 0:
        return 1
    count = 1
    while (time := min(timer.repeat(3, count))) < batch / 2:
        count *= 2
    return max(1, round(count * batch / time))


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with columns of equal width; all but the first are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)]
        return f"| {' | '.join([cells[0].ljust(widths[0]), *padded[1:]])} |"

    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(line(cells) for cells in (titles, rule, *rows))


def load() -> tuple[float, ...]:
    """The machine's load averages over 1, 5 and 15 minutes; empty where there are none."""
    return os.getloadavg() if hasattr(os, "getloadavg") else ()


def describe_machine(before: tuple[float, ...]) -> str:
    """What the times were taken on, and how busy it was at the beginning and is now."""
    busy = [" ".join(f"{average:.1f}" for average in loads) for loads in (before, load())]
    return (
        f"Python {platform.python_version()}, NumPy {np.__version__}, {os.cpu_count()} cores, "
        f"load average {busy[0]} before and {busy[1]} after"
    )


def write_json(path: Path, machine: str, rows: Sequence[Mapping[str, Any]]) -> None:
    path.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n", "utf-8")
