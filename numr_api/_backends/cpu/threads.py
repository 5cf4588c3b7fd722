"""Work shared by several threads, where that is faster and nobody else needs the processors.

A task is a function that does the rows from ``start`` to ``stop`` of something and nothing else;
whoever is free takes another block of rows. The calling thread does blocks like any other, so that
a call waits only for blocks that a helper has in hand, never for a helper that has yet to begin.

Helpers are woken only if there is enough to do, if processors are idle, and for one call of the
process at a time: calls that other threads make meanwhile, or that a task makes, are done by their
own thread. Tasks call no BLAS, which has threads of its own.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import pairwise
from queue import SimpleQueue
from types import TracebackType
from typing import TypeVar

import numpy as np

from numr_api._backends.cpu import processors

__all__ = ["default_limit", "inside_launch", "lent", "limit", "share", "threads"]

T = TypeVar("T")
Task = Callable[[int, int], object]

# Nanoseconds of work: with less, what a helper does 15e3 to 60e3 after it was asked, and has to
# fetch from the cache of another processor, gained nothing on a quiet machine.
WORTHWHILE = 300e3
START = 20e3  # nanoseconds that a helper may take to come: so much more is left to the caller
LONGEST = 1e6  # nanoseconds of work of a block: about as long a caller may wait at the end
SHORTEST = 200e3  # a block that goes from thread to thread with each call is fetched from a cache

_chosen: ContextVar[int | None] = ContextVar("numr_api_threads", default=None)
_is_chosen_anywhere: list[bool] = []

# Whether the code runs in a context of the backend's own, where what the user chose is not seen.
inside_launch: ContextVar[bool] = ContextVar("numr_api_inside_launch", default=False)


class NotHere(RuntimeError):
    """The number of threads is not known in this context; the call is repeated in the user's."""


@cache
def default_limit() -> int:
    """The most threads of a call: as many as NUMR_API_THREADS says, and as the process may use."""
    setting = os.environ.get("NUMR_API_THREADS")
    if not setting:
        return processors.usable()
    if not setting.isdecimal() or int(setting) < 1:
        raise ValueError(f"NUMR_API_THREADS: needs a number from 1, got {setting!r}")
    return min(int(setting), processors.usable())


def limit() -> int:
    """The most threads that a call may use now, the calling one included."""
    if _is_chosen_anywhere:
        if inside_launch.get():
            raise NotHere
        number = _chosen.get()
        if number is not None:
            return min(number, processors.usable())
    return default_limit()


class threads:  # noqa: N801 - read as a function: `with threads(2):`
    """Let functions on the cpu use at most ``number`` threads in a block, for this thread or task.

    1 switches threads off. More than the process may use are not used. Without a block, the
    environment variable NUMR_API_THREADS sets the number, and without that it is the number of
    processors that the process may use. ``threads.get()`` tells the number that counts now. The
    threads of BLAS, which multiplies and decomposes matrices, are not concerned.
    """

    def __init__(self, number: int, /) -> None:
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ValueError(f"threads: needs an integer from 1, got {number!r}")
        self._number = number
        self._outer: list[int | None] = []

    def __enter__(self) -> int:
        self._outer.append(_chosen.get())
        _is_chosen_anywhere.append(True)
        _chosen.set(self._number)
        return self.get()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _chosen.set(self._outer.pop())
        _is_chosen_anywhere.pop()

    @staticmethod
    def get() -> int:
        """The most threads that a function uses now."""
        return limit()


# --- sharing --------------------------------------------------------------------------------------


class Job:
    """The blocks of a task, and who is at them.

    Each thread has a region of its own to do from its start, and then helps where others have not
    come yet, from the end. So threads keep away from each other in memory: two that first touch one
    huge page would both clear it.
    """

    def __init__(self, task: Task, regions: Sequence[Sequence[tuple[int, int]]]) -> None:
        self.task = task
        # Taking from a deque's ends is atomic, so that no lock is needed. The first region is that
        # of the caller.
        self.regions = [deque(blocks) for blocks in regions]
        self.to_come = deque(range(1, len(regions)))  # helpers, as long as it is not too late
        self.gone: SimpleQueue[BaseException | None] = SimpleQueue()  # helpers, or their errors

    def work(self, number: int) -> None:
        """Do blocks until none is left, as the worker of a number."""
        own, *others = [*self.regions[number:], *self.regions[:number]]
        task = self.task
        try:
            for take in (own.popleft, *(other.pop for other in others)):
                while block := taken_from(take):
                    task(*block)
        finally:
            for region in self.regions:
                region.clear()  # of a task that failed, nothing more is done

    def help(self) -> None:
        """What a helper does with the job, perhaps long after it is done."""
        number = taken_from(self.to_come.popleft)
        if number is None:
            return
        try:
            self.work(number)
        except BaseException as error:
            self.gone.put(error)
        else:
            self.gone.put(None)

    def lead(self) -> None:
        """What the calling thread does: blocks, then wait for those that helpers have in hand."""
        awaited = len(self.regions) - 1
        try:
            self.work(0)
        finally:
            while taken_from(self.to_come.popleft):
                awaited -= 1
            errors = [error for _ in range(awaited) if (error := self.gone.get())]
        if errors:
            raise errors[0]


def taken_from(take: Callable[[], T]) -> T | None:
    """What a deque gives, or None if there is nothing."""
    try:
        return take()
    except IndexError:
        return None


class Pool:
    """Helpers, which are started when first needed and wait for jobs ever after."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[Job] = SimpleQueue()
        self.size = 0
        self.is_taken = threading.Lock()  # by the one call that is shared

    def ask(self, job: Job, helpers: int) -> None:
        while self.size < helpers:
            self.size += 1
            name = f"numr_api-{self.size}"
            threading.Thread(target=self.serve, args=(self.jobs,), name=name, daemon=True).start()
        for _ in range(helpers):
            self.jobs.put(job)

    @staticmethod
    def serve(jobs: SimpleQueue[Job]) -> None:
        np.seterr(all="ignore")  # of this thread's own context
        while True:
            job = jobs.get()
            job.help()
            del job  # the arrays of a job should not live until the next one


pool = Pool()


def _forget_helpers() -> None:
    """In a forked process there are none, and locks may be held by threads that are not there."""
    globals()["pool"] = Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_helpers)


def helpers_for(nanoseconds: float) -> int:
    """How many helpers are worth waking for so much work, and have a processor to run on."""
    if nanoseconds < WORTHWHILE or (most := limit()) < 2 or pool.is_taken.locked():
        return 0
    return max(0, min(most - 1, processors.idle()))


def share(
    task: Task, length: int, nanoseconds: float, grain: int = 1, blocks: int | None = None
) -> None:
    """Do ``task(0, length)``, in blocks and by several threads if that is worth it.

    Arguments:
        task: does the rows from a start to a stop; NumPy does not warn in it.
        length: number of rows.
        nanoseconds: how long one thread takes for all, about.
        grain: rows that belong together: blocks begin at multiples of it.
        blocks: how many to make, if that is not left to the work; ``task`` gets them in any case.
    """
    helpers = min(helpers_for(nanoseconds), (blocks or length // grain) - 1)
    taken = pool.is_taken
    if helpers < 1 or not taken.acquire(blocking=False):
        for start, stop in spans(length, length // blocks if blocks else length):
            task(start, stop)
        return
    try:
        workers = helpers + 1
        if blocks:
            parts = spans(length, length // blocks)
            bounds = [-(-len(parts) * number // workers) for number in range(workers + 1)]
            regions = [parts[start:stop] for start, stop in pairwise(bounds)]
        else:
            row = nanoseconds / length
            grains = length // grain
            own = min((length + helpers * START / row) / (workers * grain), grains - helpers)
            bounds = [
                round(own + (grains - own) * number / helpers) * grain for number in range(helpers)
            ]
            regions = [
                tapering(start, stop, grain, int(SHORTEST / row), int(LONGEST / row))
                for start, stop in pairwise([0, *bounds, length])
            ]
        job = Job(task, regions)
        pool.ask(job, helpers)
        job.lead()
    finally:
        taken.release()


@contextmanager
def lent(nanoseconds: float) -> Generator[int]:
    """For a library with threads of its own: how many it may use for so much work."""
    taken = pool.is_taken
    helpers = helpers_for(nanoseconds)
    if not helpers or not taken.acquire(blocking=False):
        yield 1
        return
    try:
        yield helpers + 1
    finally:
        taken.release()


def spans(length: int, rows: int) -> list[tuple[int, int]]:
    """Start and stop of blocks of so many rows; less than half a block is added to the last."""
    if not length:
        return []
    starts = list(range(0, length, max(rows, 1)))
    if len(starts) > 1 and length - starts[-1] < rows / 2:
        starts.pop()
    return list(zip(starts, [*starts[1:], length], strict=True))


def tapering(
    start: int, stop: int, grain: int, shortest: int, longest: int
) -> list[tuple[int, int]]:
    """Blocks of half of what is left, of a number of rows within limits.

    Few blocks cost little, and short ones at the end let threads end together.
    """
    blocks: list[tuple[int, int]] = []
    while (left := stop - start) > max(2 * shortest, grain):
        rows = max(min(left // 2, longest) // grain, 1) * grain
        blocks.append((start, start + rows))
        start += rows
    if left:
        blocks.append((start, stop))
    return blocks
