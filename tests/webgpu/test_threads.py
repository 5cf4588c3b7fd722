"""Several threads use one webgpu device at once and get what each would get alone."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._declare import OPS

THREADS = 6


def in_threads(work: Callable[[int], Any]) -> list[Any]:
    """What ``work(0)``, ``work(1)``, ... return when they start together."""
    barrier = threading.Barrier(THREADS)

    def start(number: int) -> Any:
        barrier.wait(30)
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(start, range(THREADS)))


def numbers(seed: int, size: int) -> Any:
    return np.random.default_rng(seed).integers(-9, 9, size).astype(np.float32)


def elementwise(x: Any) -> list[Any]:
    y = x[::-1]
    return [x + y, x * 2 - 1, xp.where(x < y, x, 0.0), xp.exp(x), xp.astype(x, xp.int16)]


def reduced(x: Any) -> list[Any]:
    matrix = xp.reshape(x[:3000], (50, 60))
    return [
        xp.sum(x), xp.max(matrix, axis=0), xp.argmin(matrix, axis=1), xp.mean(matrix),
        xp.cumulative_sum(x), xp.var(matrix, axis=1), matrix.T @ matrix,
    ]  # fmt: skip


def moved(x: Any) -> list[Any]:
    order = xp.argsort(x)
    return [
        xp.sort(x), xp.take(x, order), x[x > 2], xp.nonzero(x > 5)[0], xp.unique_values(x),
        xp.concat((x[5:], x[:5])), xp.repeat(x[:40], xp.astype(xp.abs(x[:40]), xp.int64)),
    ]  # fmt: skip


def changed(x: Any) -> list[Any]:
    y = x + 0
    y += 1
    y[::3] = x[::3] * 2
    y[y > 4] = 0.0
    y[2:] *= y[:-2]
    return [y, xp.any(y > 3), y[7]]


def faulty(x: Any) -> list[Any]:
    """Errors of one thread are not those of another."""
    with pytest.raises(ValueError, match="broadcast"):
        x + x[:3]
    return [x / 2]


WORK = (elementwise, reduced, moved, changed, faulty)


def read(results: list[Any]) -> list[bytes]:
    return [np.asarray(x.to_device("cpu")).tobytes() for x in results]


def test_mixed_work_in_threads(put: Any) -> None:
    arrays = [put(numbers(seed, 4000 + seed)) for seed in range(THREADS)]
    expected = [[read(task(x)) for task in WORK] for x in arrays]

    def work(number: int) -> list[list[bytes]]:
        found: list[list[bytes]] = [[]] * len(WORK)
        for turn in range(3):
            for step in range(len(WORK)):  # each thread begins with another task
                chosen = (step + number + turn) % len(WORK)
                found[chosen] = read(WORK[chosen](arrays[number]))
        return found

    assert in_threads(work) == expected


def test_kernels_that_several_threads_need_first(put: Any) -> None:
    """Compilation, plans and caches; each dtype is new to the operations."""
    names = ("add", "multiply", "maximum", "less", "floor_divide", "square")
    saved = {name: dict(OPS[name].plans) for name in names}
    for name in names:
        OPS[name].plans.clear()
    try:
        hosts = {dtype: np.arange(1, 70).astype(dtype) for dtype in ("uint8", "int16", "uint32")}
        arrays = {dtype: put(host) for dtype, host in hosts.items()}

        def work(number: int) -> list[list[Any]]:
            return [
                np.asarray(value.to_device("cpu")).tolist()
                for x in arrays.values()
                for value in (x + x, x * 3, xp.maximum(x, x[::-1]), x < 9, x // 2, xp.square(x))
            ]

        expected = [
            value.tolist()
            for x in hosts.values()
            for value in (x + x, x * 3, np.maximum(x, x[::-1]), x < 9, x // 2, np.square(x))
        ]
        assert in_threads(work) == [expected] * THREADS
    finally:
        for name in names:
            OPS[name].plans.update(saved[name])


def test_one_array_is_changed_in_parts_by_several(put: Any, get: Any) -> None:
    """Parts of packed dtypes share words."""
    for dtype in (np.float32, np.int8):
        x = put(np.zeros(THREADS * 1001, dtype))

        def fill(number: int, x: Any = x) -> None:
            part = x[number * 1001 : (number + 1) * 1001]
            for _ in range(20):
                part += 1
            x[number * 1001] = -1

        in_threads(fill)
        expected = np.full(THREADS * 1001, 20, dtype)
        expected[::1001] = -1
        np.testing.assert_array_equal(get(x), expected)


def test_memory_is_whole_after_threads_allocated_and_freed(put: Any, backend: Any) -> None:
    x = put(numbers(0, 1000))
    gc.collect()
    before = backend.memory().used

    def work(number: int) -> float:
        kept = []
        for i in range(200):
            kept.append(x * i + xp.zeros(1000 + 300 * number, device=x.device)[:1000])
            if i % 7 == 0:
                del kept[::2]
        return float(xp.sum(kept[-1]))

    total = float(np.sum(numbers(0, 1000))) * 199
    assert in_threads(work) == [total] * THREADS
    gc.collect()
    assert backend.memory().used == before


def test_an_index_error_is_told_once(put: Any, backend: Any) -> None:
    """One of the threads that read is told of an index out of bounds, and the others are not."""
    x = put(np.arange(5, dtype=np.float32))
    wrong = put(np.asarray([1, 4])) + 1
    for _ in range(5):
        backend.synchronize()
        xp.take(x, wrong)

        def work(number: int) -> int:
            try:
                float(xp.sum(x + number))
            except IndexError:
                return 1
            return 0

        assert sum(in_threads(work)) == 1
