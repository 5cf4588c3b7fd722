"""No function waits for the GPU but those that have to read from it: each is tried.

Without a GPU, what CuPy would wait for is counted. On one, a kernel holds the stream: a function
that returns while it is held has not waited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from every_function import EVERY, arrays, call, standard_names

from numr_api.extensions.device import synchronize

# As docs/pages/cuda.md has it: what is read; what has a shape that depends on values; and what
# succeeds or not depending on them.
READING = {
    *("__bool__", "__complex__", "__float__", "__index__", "__int__", "to_device"),
    *("repr", "pickle", "to the host by DLPack", "an index without axes"),
}
WAITING = {
    *READING,
    *("nonzero", "a mask", "a mask, by an array", "repeat by an array"),
    *("unique_all", "unique_counts", "unique_inverse", "unique_values"),
    *(f"linalg.{name}" for name in "cholesky eig eigh eigvals eigvalsh inv pinv solve".split()),
    *(f"linalg.{name}" for name in "qr svd svdvals matrix_rank".split()),
}
NEVER = sorted(EVERY.keys() - WAITING)

HOLD = """
extern "C" __global__ void hold(volatile int* go, unsigned long long most) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    } while (!*go && now - start < most);
}
"""
MOST = 25 * 10**7  # nanoseconds, after which what waits goes on


def waits(calls: list[Any]) -> list[Any]:
    """What was waited for; an export is none."""
    return [x for x in calls if x[0] != "dlpack"]


def test_every_function_is_tried():
    assert set(standard_names()) - EVERY.keys() == set()
    assert WAITING - EVERY.keys() == set()


@pytest.mark.parametrize("name", NEVER)
def test_work_does_not_wait(fake: Any, name: str):
    names = arrays("cuda:0")
    call(name, names)  # the word of wrong indices is made but once
    synchronize("cuda:0")
    fake.calls.clear()
    call(name, names)
    assert waits(fake.calls) == []


@pytest.mark.parametrize("name", sorted(READING))
def test_reading_waits(fake: Any, name: str):
    names = arrays("cuda:0")
    fake.calls.clear()
    call(name, names)
    assert waits(fake.calls) != []


@pytest.fixture
def held(cupy: Any) -> Callable[[], Any]:
    """A context in which the GPU's work stands still, for a quarter of a second at most.

    Its value is the event that the GPU goes on.
    """
    kernel = cupy.RawKernel(HOLD, "hold")
    memory = cupy.cuda.alloc_pinned_memory(4)
    go = np.frombuffer(memory, np.int32, 1)

    @contextmanager
    def context() -> Iterator[Any]:
        go[0] = 0
        kernel((1,), (1,), (np.uint64(memory.ptr), np.uint64(MOST)))
        end = cupy.cuda.Event()
        end.record()
        try:
            yield end
        finally:
            go[0] = 1
            end.synchronize()

    with context():  # which compiles
        pass
    return context


@pytest.mark.cuda
@pytest.mark.parametrize("name", NEVER)
def test_work_is_handed_over_while_the_gpu_is_held(held: Any, name: str):
    names = arrays("cuda:0")
    for _ in range(2):  # which compiles, and allocates memory
        call(name, names)
    synchronize("cuda:0")
    with held() as end:
        call(name, names)
        assert not end.done


@pytest.mark.cuda
@pytest.mark.parametrize("name", sorted(WAITING))
def test_what_reads_waits_until_the_gpu_goes_on(held: Any, name: str):
    names = arrays("cuda:0")
    call(name, names)
    synchronize("cuda:0")
    with held() as end:
        call(name, names)
        assert end.done
