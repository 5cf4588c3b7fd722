"""Four threads at once get what one gets alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np

from numr_conformance.check import Failed
from numr_conformance.checks._battery import CALLS
from numr_conformance.checks._tools import Cases, assert_equal, assert_true, continuous
from numr_conformance.checks.determinism import bits
from numr_conformance.target import Target

cases = Cases("threads", "threads")
checks = cases.checks

THREADS = 4
NAMES = list(CALLS)
GROUPS = [tuple(NAMES[start::8]) for start in range(8)]


def at_once(body: Any) -> list[Any]:
    """``body(number)`` in several threads, which begin together; the first error is raised."""
    barrier = Barrier(THREADS)

    def run(number: int) -> Any:
        barrier.wait(timeout=10)
        return body(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return [future.result() for future in [pool.submit(run, i) for i in range(THREADS)]]


@cases("", rows=[(group,) for group in range(len(GROUPS))])
def serial_results(target: Target, group: int) -> None:
    """Each thread calls the functions in an order of its own; those that fail alone are left."""
    true = {}
    for name in GROUPS[group]:
        call = CALLS[name]
        try:
            true[name] = bits(target, call(target, call.arrays(target)))
        except Exception:  # it is another check's finding
            continue

    def body(number: int) -> list[str]:
        names = list(true)[number:] + list(true)[:number]
        wrong = []
        for name in names:
            call = CALLS[name]
            if bits(target, call(target, call.arrays(target))) != true[name]:
                wrong.append(name)
        return wrong

    wrong = sorted({name for names in at_once(body) for name in names})
    if wrong:
        raise Failed("other results in threads", given=wrong)


@cases("", dtypes=("float32", "int32"), rows=[(1000,), (100_000,)])
def one_operand_for_all(target: Target, dtype: str, size: int) -> None:
    host = (continuous("float32", (size,)) * 100).astype(dtype)
    x = target.array(host)

    def body(number: int) -> Any:
        y = x
        for _ in range(20):
            y = target.xp.add(target.xp.multiply(x, number), target.xp.negative(y))
        return target.host(y)

    serial = [body(number) for number in range(THREADS)]
    for number, found in enumerate(at_once(body)):
        right = np.array_equal(found, serial[number])
        assert_true(right, "other results in threads", given=(dtype, size, number))


@cases("__setitem__", rows=[(1000,), (20_000,)])
def each_writes_its_own_array(target: Target, size: int) -> None:
    def body(number: int) -> Any:
        x = target.array(np.zeros(size, "int32"))
        for i in range(20):
            x[i::20] = number * 100 + i
            x += 1
        return x

    for number, found in enumerate(at_once(body)):
        place = np.arange(size) % 20
        assert_equal(target, found, (number * 100 + 20 + 0 * place).astype("int32"), given=number)
