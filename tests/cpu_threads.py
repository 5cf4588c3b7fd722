"""Helpers of the tests of the cpu device: several threads at whatever work, or none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from numr_api._backends.cpu import processors, threads

HELPERS = 3


@contextmanager
def shared() -> Iterator[list[Any]]:
    """Each function that can uses helpers, as if processors were idle.

    Yields the jobs, and the numbers of threads that libraries were lent.
    """
    jobs: list[Any] = []
    ask, lent = threads.Pool.ask, threads.lent

    def record(pool: threads.Pool, job: threads.Job, helpers: int) -> None:
        jobs.append(job)
        ask(pool, job, helpers)

    @contextmanager
    def record_loan(nanoseconds: float) -> Iterator[int]:
        with lent(nanoseconds) as number:
            if number > 1:
                jobs.append(number)
            yield number

    with (
        mock.patch.object(threads, "lent", record_loan),
        mock.patch.object(threads, "WORTHWHILE", 0.0),
        mock.patch.object(threads, "default_limit", return_value=HELPERS + 1),
        mock.patch.object(processors, "usable", return_value=HELPERS + 1),
        mock.patch.object(processors, "idle", return_value=HELPERS),
        mock.patch.object(threads.Pool, "ask", record),
    ):
        yield jobs


@contextmanager
def alone() -> Iterator[list[Any]]:
    """No function uses helpers."""
    with mock.patch.object(processors, "idle", return_value=0):
        yield []
