"""Several threads use one device at once and get what they would get alone."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api import _devices
from numr_api._backends import fake
from numr_api._declare import OPS
from numr_api._devices import backend_of
from numr_api.extensions.device import default_device

THREADS = 8
ROUNDS = 2
LARGE = 120_000  # so large that NumPy lets other threads run meanwhile


def values(seed: int, size: int) -> Any:
    """Reproducible numbers in [-2, 2) with a few infinities, zeros and NaN."""
    numbers = (xp.asarray(np.arange(size, dtype=np.float64)) * 0.618 + seed * 0.377) % 4.0 - 2.0
    if size > 4:
        numbers[:4] = xp.asarray([0.0, -0.0, xp.inf, xp.nan])
    return numbers


def elementwise(seed: int) -> list[Any]:
    x, y = values(seed, LARGE), values(seed + 1, LARGE)
    below = x < y
    return [x + y, x / y, xp.exp(x), xp.sin(x) * 2, xp.where(below, x, 0.0), xp.clip(x, -1.0, y)]


def repaired(seed: int) -> list[Any]:
    x, y = values(seed, 3000), values(seed + 1, 3000)
    z = x + 1j * y
    return [x // y, x**0.5, z / (z + 1), xp.sign(z), xp.atan(z), xp.expm1(z), xp.log1p(z), z**2]


def small(seed: int) -> list[Any]:
    x = values(seed, 8)
    total = xp.asarray(0.0)
    for number in x[4:]:
        total = total + number * 2 - 1
    return [x * total, x == x, -x, xp.isnan(x), xp.stack([x, x]), xp.sqrt(x), x % 0.0]


def reduced(seed: int) -> list[Any]:
    x = values(seed, LARGE)[4:]
    matrix = xp.reshape(x[: 300 * 300], (300, 300))
    return [
        xp.sum(x), xp.max(matrix, axis=0), xp.argmin(matrix, axis=1), xp.mean(matrix, axis=(0, 1)),
        xp.cumulative_sum(x), xp.any(x > 1.9), xp.std(matrix, axis=1), matrix @ matrix,
        xp.sort(x), xp.unique_values(xp.round(x)),
    ]  # fmt: skip


def indexed(seed: int) -> list[Any]:
    x = values(seed, LARGE)
    order = xp.argsort(x)
    return [
        x[::7],
        x[x > 0],
        x[order[:100]],
        xp.take(x, order),
        x[-1],
        xp.flip(x),
        xp.nonzero(x > 1)[0],
    ]


def assigned(seed: int) -> list[Any]:
    x, y = values(seed, LARGE), values(seed, 8)
    x[::2] = 1.0
    x[x > 1.5] = 0.25
    x += 1.0
    x *= x
    x[4:] /= 0.0
    wide = xp.broadcast_to(y, (3, 8))
    wide[0, :] = 9.0  # becomes a copy first
    return [x, y, wide]


def created(seed: int) -> list[Any]:
    number = seed % 3
    device = f"fake:{number}"
    with default_device(device):
        made = [
            xp.zeros(5),
            xp.arange(seed, seed + 50),
            xp.linspace(0, 1, 11),
            xp.eye(3),
            xp.ones(2) + 1,
        ]
        with default_device("cpu"):
            assert xp.full(3, 1.0).device == "cpu"
        assert all(x.device == device for x in [*made, xp.asarray([1.0])])
    return made


WORK = (elementwise, repaired, small, reduced, indexed, assigned, created)


def host(x: Any) -> np.ndarray[Any, Any]:
    return np.asarray(x.to_device("cpu"))


def assert_equal(results: list[Any], expected: list[Any]) -> None:
    assert len(results) == len(expected)
    for result, other in zip(results, expected, strict=True):
        assert (result.device, result.dtype) == (other.device, other.dtype)
        assert host(result).tobytes() == host(other).tobytes()  # to the bit, NaN included


def in_threads(work: Callable[[int], Any]) -> list[Any]:
    """What ``work(0)``, ``work(1)``, ... return when they start together."""
    barrier = threading.Barrier(THREADS)

    def start(number: int) -> Any:
        barrier.wait(30)
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(start, range(THREADS)))


@pytest.mark.usefixtures("fakes")
def test_mixed_work_in_threads_gives_the_serial_results():
    expected = [[task(number) for task in WORK] for number in range(THREADS)]

    def work(number: int) -> list[list[Any]]:
        results: list[Any] = [None] * len(WORK)
        for turn in range(ROUNDS):
            for step in range(len(WORK)):  # each thread begins with another task
                chosen = (step + number + turn) % len(WORK)
                results[chosen] = WORK[chosen](number)
        return results

    with warnings.catch_warnings():  # a warning in a thread would be no error of this test
        warnings.simplefilter("error")
        for results, other in zip(in_threads(work), expected, strict=True):
            for one, reference in zip(results, other, strict=True):
                assert_equal(one, reference)


def test_plans_found_by_several_threads_at_once_are_the_same():
    op = OPS["add"]
    saved = dict(op.plans)
    try:
        for _ in range(20):
            op.plans.clear()
            x = xp.asarray([1.0, 2.0])
            results = in_threads(lambda number, x=x: x + float(number))
            for number, result in enumerate(results):
                assert host(result).tolist() == [1.0 + number, 2.0 + number]
            assert len(op.plans) == 1
    finally:
        op.plans.update(saved)


@pytest.mark.usefixtures("fakes")
def test_a_device_asked_for_by_several_threads_at_once_is_opened_once(
    monkeypatch: pytest.MonkeyPatch,
):
    open_device, opened = fake.open_device, []

    def slowly(index: int) -> Any:
        opened.append(index)
        time.sleep(0.05)
        return open_device(index)

    monkeypatch.setattr(fake, "open_device", slowly)
    monkeypatch.delitem(_devices._backends, "fake:0", raising=False)
    backends = in_threads(lambda _: _devices.backend_of("fake:0"))
    assert opened == [0]
    assert len({id(backend) for backend in backends}) == 1


def test_threads_that_write_to_parts_of_one_array_do_not_meet():
    x = xp.zeros(THREADS * 1000)

    def fill(number: int) -> None:
        part = x[number * 1000 : (number + 1) * 1000]
        for _ in range(50):
            part += 1.0
        x[number * 1000] = -1.0

    in_threads(fill)
    expected = np.full(THREADS * 1000, 50.0)
    expected[::1000] = -1.0
    np.testing.assert_array_equal(np.asarray(x), expected)


# While one thread is in a kernel, another finds ``launch`` busy. A kernel that is itself in launch,
# and calls an operation, finds the same each time.


def within_launch(work: Callable[[], Any]) -> Any:
    """Run work while the cpu's ``launch`` is busy with it."""
    return backend_of("cpu").launch(work)


def test_launch_is_busy_within_launch():
    backend = backend_of("cpu")
    with pytest.raises(RuntimeError, match="already entered"):
        within_launch(lambda: backend.launch(np.negative, np.ones(1)))


@pytest.mark.parametrize(
    "work", [elementwise, repaired, small, reduced, indexed, assigned], ids=lambda f: f.__name__
)
def test_operations_fall_back_when_launch_is_busy(work: Callable[[int], list[Any]]):
    expected = work(1)
    assert_equal(within_launch(lambda: work(1)), expected)


def test_an_operator_in_place_is_applied_once_when_launch_is_busy():
    x = xp.asarray([1.0, 2.0])

    def double() -> None:
        y = x
        y *= 2

    within_launch(double)
    assert host(x).tolist() == [2.0, 4.0]


def test_refusals_have_their_words_when_launch_is_busy():
    x, y = xp.asarray([1, 2]), xp.asarray([1.0])
    x + 1

    def check() -> None:
        with pytest.raises(TypeError, match="add: int64 and float64 have no common type"):
            x + y
        with pytest.raises(OverflowError, match="add: 9223372036854775808 is out of range"):
            x + 2**63
        with pytest.raises(ValueError, match="max: no elements along the axes"):
            xp.max(xp.zeros(0))

    within_launch(check)


def test_numpy_of_the_caller_still_warns_and_launch_does_not():
    x = xp.asarray([1.0, 0.0])
    with np.errstate(all="raise"):
        assert host(x / 0.0)[0] == np.inf
        assert within_launch(lambda: host(x / 0.0)[0]) == np.inf
        with pytest.raises(FloatingPointError):
            np.ones(1) / np.zeros(1)
