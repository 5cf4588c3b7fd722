"""Timing of calls against each other on a GPU, by the GPU's own clock.

Rivals take turns in rounds, so that whatever slows the GPU down slows all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from statistics import median
from typing import Any

OURS = "numr_api"
UNKNOWN = (AttributeError, NotImplementedError, RuntimeError, TypeError, ValueError)

Call = Callable[[], object]

__all__ = ["OURS", "Call", "compare", "known"]


def known(calls: Mapping[str, Call], title: str) -> dict[str, Call]:
    """The calls that their libraries have; what they say of the others is printed.

    An error of our own call is no such thing, and is raised.

    Arguments:
        calls: by library.
        title: what they do.
    """
    found: dict[str, Call] = {}
    for name, call in calls.items():
        try:
            call()
        except UNKNOWN as error:
            if name == OURS:
                raise
            print(f"{title}: not by {name}: {type(error).__name__}: {error}", file=sys.stderr)
        else:
            found[name] = call
    return found


def compare(calls: Mapping[str, Call], rounds: int, repeat: int = 1) -> dict[str, float]:
    """The milliseconds that each call takes: medians of rounds, after a call that does not count.

    Arguments:
        calls: by library.
        repeat: how often each is called in a row, where one call is too short to be timed.
    """
    cupy: Any = import_module("cupy")
    for call in calls.values():
        call()
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start, end = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            for _ in range(repeat):
                call()
            end.record()
            end.synchronize()
            times[name].append(cupy.cuda.get_elapsed_time(start, end) / repeat)
    return {name: median(found) for name, found in times.items()}
