"""Memory of the webgpu device: nothing leaks, freed blocks are reused, too much is refused."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._backends.webgpu.memory import SLAB, SMALL, Memory, rounded
from numr_api.extensions.device import MemoryStatistics, memory
from numr_api.extensions.errors import DeviceOutOfMemory, Unsupported

wgpu = pytest.importorskip("wgpu")

MIB = 1 << 20
ROUNDS = 2500  # of 40 operations each


def resident() -> int:
    """Bytes of the process in memory."""
    if sys.platform != "linux":
        pytest.skip("the process's memory is read from /proc")
    with open("/proc/self/statm") as file:  # noqa: PTH123 - thousands of times faster than Path
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def used(backend: Any) -> int:
    gc.collect()
    return backend.memory().used


def forty_operations(x: Any, number: int) -> None:
    """A chain of small operations, with views, changes in place, errors and a read."""
    y = x + number
    for _ in range(6):
        y = y * 0.5
        y = xp.where(y > x, y - x, y)
        y += 1.0
    y[1] = 0.0
    z = y[::-1]
    z = xp.reshape(z, (2, -1))
    z = z.T
    z -= 1.0
    with pytest.raises(ValueError, match="broadcast"):
        y + x[:3]
    with pytest.raises(TypeError):
        y += 1j
    total = xp.sum(z, axis=0)
    z[0, 0] = total[1]
    assert float(y[1]) == -1.0


def test_a_hundred_thousand_operations_leak_nothing(put: Any, backend: Any) -> None:
    if not backend.gpu.adapter.features:
        pytest.skip("memory does not depend on the features")
    x = put(np.arange(16, dtype=np.float32))
    for number in range(300):  # kernels, plans and bind groups are made
        forty_operations(x, number)
    before, statistics = used(backend), backend.memory()
    groups, size = len(backend.gpu._bind_groups), resident()
    for number in range(ROUNDS):
        forty_operations(x, number)
    assert used(backend) == before
    assert backend.memory() == statistics
    assert len(backend.gpu._bind_groups) <= groups + 64
    assert resident() - size < 8 * MIB


def test_a_block_is_free_when_the_last_view_is_gone(put: Any, backend: Any) -> None:
    before = used(backend)
    x = put(np.zeros((64, 64), np.float32))
    assert used(backend) == before + 64 * 64 * 4
    view = xp.flip(x[1:, ::2].T, axis=0)
    row = view[3, :]
    del x, view
    assert used(backend) == before + 64 * 64 * 4
    assert float(row[0]) == 0.0
    del row
    assert used(backend) == before


def test_failed_operations_keep_no_memory(put: Any, backend: Any) -> None:
    x = put(np.zeros(1000, np.float32))
    before = used(backend)
    for wrong in (lambda: x + x[:3], lambda: x[put(np.asarray([5000]))], lambda: x[0] @ x):
        with pytest.raises((ValueError, IndexError)):
            wrong()
    assert used(backend) == before


def test_small_blocks_are_reused(put: Any, backend: Any) -> None:
    x = put(np.zeros(8192, np.float32))
    reserved = backend.memory().reserved
    for _ in range(3 * SLAB // x.size // 4):
        x = x + 1
    assert backend.memory().reserved <= reserved + SLAB


def test_large_blocks_are_reused_up_to_a_cap(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    device = backend.device
    pool: Memory = backend.gpu.memory
    pool.trim()
    reserved = backend.memory().reserved
    for _ in range(20):
        xp.zeros(2 * MIB, dtype=xp.int32, device=device)
    assert backend.memory().reserved == reserved + 8 * MIB
    several = [xp.empty(2 * MIB, dtype=xp.int32, device=device) for _ in range(5)]
    assert backend.memory().reserved == reserved + 40 * MIB
    monkeypatch.setattr(pool, "_cap", 16 * MIB)
    assert float(xp.sum(several[4] * 0)) == 0.0
    del several
    assert backend.memory().reserved == reserved + 16 * MIB
    pool.trim()
    assert backend.memory().reserved == reserved


def test_a_buffer_that_is_given_back_was_used_to_the_end(
    put: Any, backend: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend.gpu.memory, "_cap", 0)
    x = put(np.arange(MIB, dtype=np.float32))
    y = x * 2
    for _ in range(10):
        y = y + x  # the former y is destroyed while the kernel that reads it still waits
    assert float(y[1000]) == 12_000.0


def test_sizes_of_blocks() -> None:
    assert [rounded(n) for n in (0, 1, 256, 257, SMALL)] == [256, 256, 256, 512, SMALL]
    for size in (SMALL + 1, 3_000_000, 100_000_001, 2**31 - 2**20):
        assert size <= rounded(size) <= size * 9 // 8
        assert rounded(size) % 256 == 0


# The statistics, as users see them


def test_memory_statistics(backend: Any) -> None:
    gc.collect()
    before = memory(backend.device)
    x = xp.zeros(1 << 20, dtype=xp.float32, device=backend.device)
    with_one = memory(backend.device)
    assert isinstance(with_one, MemoryStatistics)
    assert with_one.used == before.used + 4 * MIB
    assert with_one.peak >= with_one.used
    assert with_one.reserved >= with_one.used
    del x
    assert memory(backend.device).used == before.used
    assert memory(backend.device).peak == with_one.peak


def test_the_cpu_counts_no_memory() -> None:
    with pytest.raises(Unsupported, match="memory on cpu"):
        memory("cpu")


# Too much


def test_larger_than_the_largest_buffer_is_refused(put: Any, backend: Any) -> None:
    largest = backend.gpu.memory._largest
    x = put(np.asarray([1.0, 2.0], np.float32))
    before = used(backend)
    count = largest // 4 + 64
    device = backend.device
    for create in (
        lambda: xp.zeros(count, dtype=xp.float32, device=device),
        lambda: xp.arange(count, dtype=xp.float32, device=device),
        lambda: xp.asarray(xp.broadcast_to(x[:1], (count,)), copy=True),
        lambda: xp.broadcast_to(x[:1], (count,)) + 1,
        lambda: xp.repeat(x, count),
        lambda: xp.tile(x, (count,)),
    ):
        with pytest.raises(DeviceOutOfMemory, match=r"an array of [\d,]+ bytes .* [\d,]+ bytes"):
            create()
    assert isinstance(DeviceOutOfMemory(), MemoryError)
    assert used(backend) == before
    assert float(xp.sum(x + 1)) == 5.0


def test_memory_that_the_driver_refuses(
    put: Any, backend: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Free buffers are given back first, and what cannot be had then is an error."""
    x = put(np.ones(8, np.float32))
    device, pool = backend.gpu._device, backend.gpu.memory
    pool.trim()
    reserved = backend.memory().reserved
    held = xp.zeros(MIB, dtype=xp.float32, device=backend.device)
    del held
    create, calls = device.create_buffer, []

    def refuse(**options: Any) -> Any:
        calls.append(backend.gpu.memory.statistics.reserved)
        if len(calls) <= times:
            raise wgpu.GPUValidationError("In wgpuDeviceCreateBuffer\n  Not enough memory left.")
        return create(**options)

    monkeypatch.setattr(device, "create_buffer", refuse)
    times = 1
    y = xp.empty(4 * MIB, dtype=xp.float32, device=backend.device)
    assert calls == [reserved + 4 * MIB, reserved]
    del y
    times, calls = 1000, []
    pool.trim()
    words = f"allocation of {32 * MIB:,} bytes: .* is out of memory"
    with pytest.raises(DeviceOutOfMemory, match=words):
        xp.empty(8 * MIB, dtype=xp.float32, device=backend.device)
    assert float(xp.sum(x + 1)) == 16.0


@pytest.mark.skipif(sys.platform != "linux", reason="limits the process's address space")
def test_memory_that_is_not_there(backend: Any, run_python: Callable[..., str]) -> None:
    if backend.gpu.adapter.type != "CPU" or not backend.gpu.adapter.features:
        pytest.skip("only a software driver's memory is the process's")
    code = """
import resource
import numr_api as xp
from numr_api.extensions.errors import DeviceOutOfMemory

x = xp.arange(5.0, device="webgpu")
assert float(xp.sum(x)) == 10.0
with open("/proc/self/statm") as file:
    mapped = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (mapped + (128 << 20),) * 2)
try:
    xp.zeros(1 << 28, dtype=xp.float32, device="webgpu")
except DeviceOutOfMemory as error:
    print(error)
print(float(xp.sum(x * 2)))
"""
    printed = run_python(code, NUMR_API_DEVICES="webgpu").splitlines()
    assert "1,073,741,824 bytes: " in printed[0]
    assert printed[1:] == ["20.0"]


# Changes in place that fail leave the array as it was


def add_itself_turned(x: Any, mask: Any, places: Any) -> None:
    x += x[::-1, :]


def multiply_matrix(x: Any, mask: Any, places: Any) -> None:
    x @= xp.astype(mask, xp.float32)


def assign_turned(x: Any, mask: Any, places: Any) -> None:
    x[:, :] = x.T


def assign_converted(x: Any, mask: Any, places: Any) -> None:
    x[1:3, :] = xp.astype(places, xp.float32)[:, None] * 7


def assign_number(x: Any, mask: Any, places: Any) -> None:
    x[::2, 1] = 5.0


def assign_by_mask(x: Any, mask: Any, places: Any) -> None:
    x[mask] = -1.0


def assign_many_by_mask(x: Any, mask: Any, places: Any) -> None:
    x[mask] = xp.arange(6, dtype=xp.float32, device=x.device)


def assign_rows_taken(x: Any, mask: Any, places: Any) -> None:
    x[:2, :] = xp.take(x, places, axis=0)


CHANGES = (
    add_itself_turned, multiply_matrix, assign_turned, assign_converted, assign_number,
    assign_by_mask, assign_many_by_mask, assign_rows_taken,
)  # fmt: skip


@pytest.mark.parametrize("work", CHANGES, ids=lambda f: f.__name__)
def test_a_change_in_place_without_memory_leaves_the_array_as_it_was(
    put: Any, get: Any, backend: Any, monkeypatch: pytest.MonkeyPatch, work: Callable[..., None]
) -> None:
    host = np.arange(16, dtype=np.float32).reshape(4, 4) - 3
    mask, places = put(host % 3 == 0), put(np.asarray([2, 0]))
    pool = backend.gpu.memory
    allocate, calls, failing = pool.allocate, 0, 0

    def scarce(size: int) -> Any:
        nonlocal calls
        calls += 1
        if calls >= failing:  # a second attempt fails as well
            raise DeviceOutOfMemory("none left")
        return allocate(size)

    for failing in range(1, 40):
        x = put(host)
        calls = 0
        monkeypatch.setattr(pool, "allocate", scarce)
        try:
            work(x, mask, places)
        except DeviceOutOfMemory:
            monkeypatch.undo()
            np.testing.assert_array_equal(get(x), host)
        else:
            monkeypatch.undo()
            assert failing > 1 or work is assign_by_mask  # which needs none
            assert not np.array_equal(get(x), host)
            return
    pytest.fail("it never had enough memory")
