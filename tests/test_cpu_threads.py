"""Threads of the cpu device: how many, for what, and what becomes of errors and late helpers."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cpu_threads import HELPERS, alone, shared

import numr_api as xp
from numr_api._backends.cpu import processors, threads as module
from numr_api._backends.cpu.repairs import REPAIRS
from numr_api.extensions.device import threads

ROWS = 64
LARGE_WORK = 1e9  # nanoseconds


def record(seen: list[Any]) -> Callable[[int, int], None]:
    def task(start: int, stop: int) -> None:
        seen.append((threading.get_ident(), start, stop))

    return task


# --- how many -------------------------------------------------------------------------------------


def test_environment_sets_the_most_threads(run_python: Callable[..., str]):
    code = "from numr_api.extensions.device import threads; print(threads.get())"
    assert run_python(code, NUMR_API_THREADS="1") == "1"
    assert run_python(code, NUMR_API_THREADS="100000") == str(processors.usable())
    assert run_python(code) == str(processors.usable())


@pytest.mark.parametrize("setting", ["0", "-1", "two", "1.5"])
def test_environment_that_is_no_number_is_refused(run_python: Callable[..., str], setting: str):
    code = "import numr_api as xp; xp.zeros(3, device='cpu')"
    expected = f"ValueError: NUMR_API_THREADS: needs a number from 1, got '{setting}'"
    assert expected in run_python(code, NUMR_API_THREADS=setting)


def test_blocks_nest_and_are_restored():
    with shared():
        assert threads.get() == HELPERS + 1
        with threads(2) as outer:
            assert outer == threads.get() == 2
            with threads(1):
                assert threads.get() == 1
            assert threads.get() == 2
            with threads(1000):
                assert threads.get() == HELPERS + 1  # no more than there are
        assert threads.get() == HELPERS + 1


@pytest.mark.parametrize("number", [0, -1, 1.0, True, None, "2"])
def test_other_numbers_are_refused(number: Any):
    with pytest.raises(ValueError, match="threads: needs an integer from 1"):
        threads(number)


def test_block_counts_in_its_thread_and_task_only():
    found: list[int] = []

    async def one() -> None:
        with threads(1):
            await asyncio.sleep(0.01)
            found.append(threads.get())

    async def both() -> None:
        task = asyncio.create_task(one())
        await asyncio.sleep(0.001)
        found.append(threads.get())
        await task

    with shared():
        asyncio.run(both())
        with threads(1):
            thread = threading.Thread(target=lambda: found.append(threads.get()))
            thread.start()
            thread.join()
    assert found == [HELPERS + 1, 1, HELPERS + 1]


CALLS = {
    "elementwise": lambda x: xp.exp(x),
    "binary": lambda x: xp.abs(x) ** x,
    "choice": lambda x: xp.where(x > 0, x, 0 - x),
    "reduction": lambda x: xp.sum(x),
    "rows": lambda x: xp.max(xp.reshape(x, (1000, -1)), axis=1),
    "columns": lambda x: xp.min(xp.reshape(x, (-1, 10)), axis=0),
    "statistics": lambda x: xp.var(x),
    "sorting": lambda x: xp.sort(x),
    "indices": lambda x: xp.argsort(xp.astype(x, xp.float32)),
    "searching": lambda x: xp.searchsorted(xp.sort(x), x),
    "transform": lambda x: xp.fft.rfft(xp.reshape(x, (1000, -1))),
}


@pytest.mark.parametrize("name", CALLS)
def test_block_decides_for_every_function(name: str):
    """Also for those that compute in a context of the device's own."""
    x = xp.asarray(np.random.default_rng(1).standard_normal(600_000))
    with alone():
        expected = np.asarray(CALLS[name](x))
    with shared() as jobs:
        with threads(1):
            assert np.array_equal(np.asarray(CALLS[name](x)), expected)
            assert not jobs
        with threads(2):
            assert np.array_equal(np.asarray(CALLS[name](x)), expected)
            assert jobs


@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_powers_may_be_written_over_their_operands(shift: int):
    rng = np.random.default_rng(7)
    memory = rng.uniform(0.5, 1.5, 600_001)
    exponents = rng.uniform(-3, 3, 600_000)
    source, target = (memory[1:], memory[:-1])[:: 1 if shift < 0 else -1]
    target = target if shift else source
    expected = np.power(source, exponents)
    with shared() as jobs:
        REPAIRS["pow"]["f"](source, exponents, out=target)
    assert np.array_equal(target, expected)
    assert jobs or shift


def test_small_arrays_are_not_shared():
    with shared() as jobs:
        x = xp.asarray(np.linspace(1.0, 2.0, 1000))
        for name in ("elementwise", "choice", "reduction", "statistics", "sorting"):
            CALLS[name](x)
        assert not jobs


# --- sharing --------------------------------------------------------------------------------------


def test_each_row_is_done_once():
    for length in (1, 2, 7, ROWS, 1000, 12345):
        for grain in (1, 16):
            seen: list[Any] = []
            with shared():
                module.share(record(seen), length, LARGE_WORK, grain)
            spans = sorted((start, stop) for _, start, stop in seen)
            assert spans[0][0] == 0
            assert spans[-1][1] == length
            assert all(a[1] == b[0] for a, b in pairwise(spans))
            assert all(start % grain == 0 for start, _ in spans)


@pytest.mark.parametrize("blocks", [2, 10])
def test_each_row_is_done_once_in_a_given_number_of_blocks(blocks: int):
    for length in (10, 25, 29, 1000):
        seen: list[Any] = []
        with shared():
            module.share(record(seen), length, LARGE_WORK, blocks=blocks)
        spans = sorted((start, stop) for _, start, stop in seen)
        assert (spans[0][0], spans[-1][1]) == (0, length)
        assert all(a[1] == b[0] for a, b in pairwise(spans))


@pytest.mark.parametrize(
    ("longest", "expected"), [(1000, [8, 4, 2, 2, 2]), (4, [4, 4, 4, 2, 2, 2])]
)
def test_blocks_become_shorter(longest: int, expected: list[int]):
    blocks = module.tapering(100, 118, 2, 1, longest)
    assert [stop - start for start, stop in blocks] == expected
    assert [start for start, _ in blocks] == [100, *(stop for _, stop in blocks[:-1])]


@pytest.mark.parametrize("reason", ["little work", "no processor idle", "one thread", "few rows"])
def test_caller_works_alone_where_sharing_is_not_worth_it(
    reason: str, monkeypatch: pytest.MonkeyPatch
):
    seen: list[Any] = []
    with shared() as jobs, monkeypatch.context() as patch:
        if reason == "little work":
            patch.setattr(module, "WORTHWHILE", 2 * LARGE_WORK)
        if reason == "no processor idle":
            patch.setattr(processors, "idle", lambda: 0)
        if reason == "one thread":
            patch.setattr(module, "default_limit", lambda: 1)
        module.share(record(seen), ROWS, LARGE_WORK, ROWS if reason == "few rows" else 1)
    assert not jobs
    assert seen == [(threading.get_ident(), 0, ROWS)]


def test_helpers_take_part():
    """Two blocks that wait for each other are done by two threads."""
    meeting = threading.Barrier(2, timeout=30)
    with shared():
        module.share(lambda start, stop: meeting.wait(), 2, LARGE_WORK, blocks=2)


def test_helper_that_has_not_begun_is_not_waited_for(monkeypatch: pytest.MonkeyPatch):
    seen: list[Any] = []
    monkeypatch.setattr(module, "pool", pool := module.Pool())
    monkeypatch.setattr(pool, "serve", lambda jobs: None)  # helpers that never come
    with shared():
        module.share(record(seen), ROWS, LARGE_WORK)
    assert {thread for thread, _, _ in seen} == {threading.get_ident()}
    late = pool.jobs.get_nowait()
    done = len(seen)
    late.help()  # too late: the arrays may have changed since
    assert len(seen) == done


def test_task_that_shares_does_so_alone():
    """As does a call of another thread meanwhile."""
    inner: list[Any] = []

    def task(start: int, stop: int) -> None:
        module.share(record(inner), ROWS, LARGE_WORK)

    with shared() as jobs:
        module.share(task, 8, LARGE_WORK)
        assert len(jobs) == 1
    assert all((start, stop) == (0, ROWS) for _, start, stop in inner)


@pytest.mark.parametrize("failing", ["caller", "helper"])
def test_error_of_a_task_reaches_the_caller(failing: str):
    caller = threading.get_ident()
    meeting = threading.Barrier(2, timeout=30)

    def task(start: int, stop: int) -> None:
        meeting.wait()
        if (threading.get_ident() == caller) == (failing == "caller"):
            raise IndexError(f"of the {failing}")

    with shared():
        with pytest.raises(IndexError, match=f"of the {failing}"):
            module.share(task, 2, LARGE_WORK, blocks=2)
        seen: list[Any] = []
        module.share(record(seen), ROWS, LARGE_WORK)
        assert len(seen) > 1  # the pool works as before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_process_has_helpers_of_its_own(run_python: Callable[..., str]):
    code = """if True:
        import os, warnings
        import numpy as np
        warnings.simplefilter("ignore")  # of forking with threads
        import numr_api as xp
        from numr_api._backends.cpu import processors, threads
        processors.usable = processors.idle = lambda: 2
        x = xp.asarray(np.linspace(0, 1, 10**6))
        expected = np.exp(np.asarray(x))
        assert (np.asarray(xp.exp(x)) == expected).all() and threads.pool.size
        child = os.fork()
        if not child:
            assert not threads.pool.size
            right = (np.asarray(xp.exp(x)) == expected).all() and threads.pool.size
            os._exit(0 if right else 1)
        print(os.waitpid(child, 0)[1])
    """
    assert run_python(code, NUMR_API_THREADS="2") == "0"


# --- processors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "membership", "expected"),
    [
        ({"a/cpu.max": "150000 100000"}, "0::/a", 1.5),
        ({"a/cpu.max": "max 100000"}, "0::/a", None),
        ({"a/cpu.max": "300000 100000", "cpu.max": "200000 100000"}, "0::/a", 2.0),
        ({"a/cpu.max": "300000 100000"}, "0::/a/b", 3.0),
        ({"cpu.max": "400000 100000"}, "0::/not/mounted", 4.0),
        (
            {"cpu/a/cpu.cfs_quota_us": "250000", "cpu/a/cpu.cfs_period_us": "100000"},
            "5:memory:/b\n4:cpu,cpuacct:/a",
            2.5,
        ),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, "4:cpu:/", None),
        ({"a/cpu.max": "nonsense"}, "0::/a", None),
        ({}, "", None),
    ],
    ids=lambda x: x.replace("\n", ";") or "none" if isinstance(x, str) else None,
)
def test_quota_of_a_cgroup(
    tmp_path: Path, files: dict[str, str], membership: str, expected: float | None
):
    for name, text in files.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "self").write_text(membership, encoding="utf-8")
    assert processors._quota(tmp_path / "groups", tmp_path / "self") == expected
    assert processors._quota(tmp_path / "groups", tmp_path / "missing") is None


def test_idle_processors_are_those_beyond_the_running_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    load = tmp_path / "loadavg"
    monkeypatch.setattr(processors, "_load", lambda: os.open(load, os.O_RDONLY))
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    load.write_text("0.20 0.18 0.12 3/80 11206\n")
    assert processors.idle_now() == 5
    load.write_text("unheard of")
    assert processors.idle_now() == 7
    monkeypatch.setattr(processors, "_load", lambda: -1)
    assert processors.idle_now() == 7


def test_system_is_asked_again_when_the_moment_is_over_or_none_was_idle(
    monkeypatch: pytest.MonkeyPatch,
):
    answers = iter([0, 3, 2, 1])
    now = 100.0
    monkeypatch.setattr(processors, "_found_idle", [(-1.0, 0)])
    monkeypatch.setattr(processors, "idle_now", lambda: next(answers))
    monkeypatch.setattr(processors, "monotonic", lambda: now)
    assert [processors.idle() for _ in range(4)] == [0, 3, 3, 3]
    now += 2 * processors.MOMENT
    assert [processors.idle() for _ in range(2)] == [2, 2]
