"""Two GPUs: what belongs to one stays there, and nothing of one is taken for the other's."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from on_gpu import host
from test_fake_device import READING, WORK

import numr_api as xp
from numr_api.extensions.device import memory, synchronize

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("two_gpus")]


@pytest.fixture
def two_gpus(gpus: int) -> None:
    if gpus < 2:
        pytest.skip("there is one GPU only")


@pytest.fixture
def current(cupy: Any) -> Any:
    """What tells and sets CUDA's current device, which is the first one's afterwards."""
    yield cupy.cuda.runtime
    cupy.cuda.runtime.setDevice(0)


def on(values: Any, number: int) -> Any:
    return xp.asarray(np.asarray(values), device=f"cuda:{number}")


def matrix(number: int) -> Any:
    return on([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]], number)


@pytest.mark.parametrize("name", [*WORK, *READING])
def test_work_is_done_on_the_arrays_device(current: Any, name: str):
    """Whichever is current, and whichever compiled the kernel first."""
    work = {**WORK, **READING}[name]
    for number in (0, 1):
        for other in (1 - number, number):
            current.setDevice(other)
            x = matrix(number)
            results = work(x)
            assert current.getDevice() == other
            for part in results if isinstance(results, tuple) else (results,):
                if isinstance(part, type(x)):
                    assert part.device == f"cuda:{number}"
                    assert part._data.device.id == number
                    host(part)


def test_devices_do_not_mix():
    x, y = matrix(0), matrix(1)
    for call in (
        xp.add,
        xp.matmul,
        lambda x, y: xp.concat([x, y]),
        lambda x, y: x.__iadd__(y),
        lambda x, y: x.__setitem__(0, y[0, :]),
        lambda x, y: xp.take(x, xp.asarray([0], device=y.device), axis=0),
        lambda x, y: xp.where(x > 0, x, y),
    ):
        for pair in ((x, y), (y, x)):
            with pytest.raises(ValueError, match=r"different devices|is on cuda"):
                call(*pair)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "float64", "complex128"])
def test_arrays_move_both_ways(current: Any, dtype: str):
    values = (np.arange(24) % 5).astype(dtype).reshape(2, 3, 4)
    for source in (0, 1):
        for view in (lambda x: x, lambda x: xp.permute_dims(x, (2, 0, 1)), lambda x: x[:, ::-1, 1]):
            expected = np.asarray(view(xp.asarray(values)))
            for number in (0, 1):
                current.setDevice(number)
                x = view(on(values, source))
                moved = x.to_device(f"cuda:{1 - source}")
                assert current.getDevice() == number
                assert moved._data.device.id == 1 - source
                assert np.array_equal(host(moved), expected)
                assert x.to_device(x.device) is x
    assert on(np.zeros((0, 3)), 0).to_device("cuda:1").shape == (0, 3)
    assert float(on(2.5, 1).to_device("cuda:0")) == 2.5


def test_moving_comes_after_work_on_the_array_and_before_what_follows():
    for _ in range(5):
        x = xp.ones(2**24, device="cuda:0")
        for _ in range(20):
            x = x * 1.0 + 0.0
        x += 1.0
        moved = x.to_device("cuda:1")
        x[...] = 7.0  # after the copy
        del x
        xp.full(2**24, 9.0, device="cuda:0")  # in the same memory, perhaps
        assert float(xp.max(moved)) == float(xp.min(moved)) == 2.0


def test_streams_of_each_device_are_honoured(cupy: Any):
    with cupy.cuda.Device(1):
        stream = cupy.cuda.Stream(non_blocking=True)
    with cupy.cuda.Device(0):
        own = cupy.cuda.Stream(non_blocking=True)
    x = xp.ones(2**22, device="cuda:0")
    synchronize("cuda:0")
    for _ in range(5):
        with cupy.cuda.Device(0), own:
            y = x
            for _ in range(20):
                y = y + 1.0
            with cupy.cuda.Device(1), stream:
                moved = y.to_device("cuda:1") * 2.0
                assert float(xp.min(moved)) == float(xp.max(moved)) == 42.0
    synchronize("cuda:0")


def test_faults_belong_to_a_device():
    x, y = on([1.0, 2.0], 0), on([1.0, 2.0], 1)
    xp.take(x, on([2], 0))
    assert host(xp.take(y, on([1], 1))).tolist() == [2.0]  # which the other's fault is not told to
    with pytest.raises(IndexError, match="take: an index is out of bounds"):
        host(x)
    taken = xp.take(y, on([5], 1))
    assert host(x).tolist() == [1.0, 2.0]
    with pytest.raises(IndexError, match="take: an index is out of bounds"):
        taken.to_device("cuda:0")
    assert host(y).tolist() == [1.0, 2.0]


def test_memory_is_counted_by_device():
    before = memory("cuda:0").used, memory("cuda:1").used
    x = xp.zeros(2**20, dtype=xp.float32, device="cuda:1")
    assert memory("cuda:0").used == before[0]
    assert memory("cuda:1").used == before[1] + 2**22
    del x
    assert memory("cuda:1").used == before[1]


def test_exchange_keeps_the_device(cupy: Any):
    for number in (0, 1):
        with cupy.cuda.Device(number):
            theirs = cupy.arange(6.0)
        for ours in (xp.asarray(theirs), xp.from_dlpack(theirs)):
            assert ours.device == f"cuda:{number}"
            assert ours.__dlpack_device__() == (2, number)
            assert host(ours + ours).tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]


def test_threads_use_both_at_a_time():
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            values = np.random.default_rng(number).standard_normal((64, 64))
            x = on(values, number % 2)
            for _ in range(20):
                np.testing.assert_allclose(host(x.T @ x + x.T), values.T @ values + values.T)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
