"""Functions beyond the standard on a GPU through webgpu, as parts of the speed of a copy there.

    python -m tests.benchmarks.webgpu_extensions                8192 x 8192, about a minute
    python -m tests.benchmarks.webgpu_extensions --length 512   to see that it works

A row is what the copy of an array takes, times the arrays that a function reads and writes against
the copy's two, over what the function takes. 1 means that memory is the only limit.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numr_api as xp
from numr_api.extensions import activation, dtypes, normalization, padding, transform
from numr_api.extensions.device import synchronize

GATED = ("silu", "gelu", "gelu_erf", "sigmoid", "relu")
CHANNELS = 1024  # of the signals of Snake, or as many as there are


class Row(NamedTuple):
    """Something to time, and how often it reads or writes an array."""

    name: str
    accesses: float
    call: Callable[[], object]


def rows(a: Any, b: Any, grad: Any) -> Iterator[Row]:
    for name in GATED:
        yield Row(f"{name}_mul", 3, partial(getattr(activation, f"{name}_mul"), a, b))
    for name in GATED:
        call = getattr(activation, f"{name}_mul_backward")
        yield Row(f"{name}_mul_backward", 5, partial(call, grad, a, b))
    for axis in (1, 0):
        shares = activation.softmax(a, axis=axis)
        yield Row(f"softmax, axis {axis}", 2, partial(activation.softmax, a, axis=axis))
        backward = partial(activation.softmax_backward, grad, shares, axis=axis)
        yield Row(f"softmax_backward, axis {axis}", 3, backward)
        yield Row(
            f"l2_normalize, axis {axis}", 2, partial(normalization.l2_normalize, a, axis=axis)
        )
    yield Row("fwht", 2, partial(transform.fwht, a))
    yield Row("fwht, blocks of 128", 2, partial(transform.fwht, a, block_size=128))
    length = a.shape[0]
    channels = min(CHANNELS, length)
    signals, slopes = (xp.reshape(x, (length // channels, channels, -1)) for x in (a, grad))
    rates = xp.full((channels,), 1.5, dtype=a.dtype, device=a.device)
    yield Row("snake_beta", 2, partial(activation.snake_beta, signals, rates, rates))
    backward = partial(activation.snake_beta_backward, slopes, signals, rates, rates)
    yield Row("snake_beta_backward", 3, backward)
    for mode in ("constant", "reflect"):
        call = partial(padding.pad, a, ((0, 0), (4, 4)), mode=mode)
        yield Row(f"pad, {mode}", 2, call)


def seconds(call: Callable[[], object], device: str, repeat: int) -> float:
    """Of the wall clock, for one of some calls in a row."""
    synchronize(device)
    start = perf_counter()
    for _ in range(repeat):
        call()
    synchronize(device)
    return (perf_counter() - start) / repeat


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="webgpu:0", help="a device of numr_api")
    parser.add_argument("--length", type=int, default=8192, help="rows, and numbers of a row")
    parser.add_argument("--rounds", type=int, default=5, help="how often each takes its turn")
    parser.add_argument("--repeat", type=int, default=10, help="calls in a turn")
    options = parser.parse_args()
    shape, device = (options.length, options.length), options.device
    for dtype in (xp.float32, dtypes.bfloat16):
        numbers = xp.reshape(xp.linspace(-3, 3, shape[0] * shape[1], device=device), shape)
        a, b, grad = (xp.astype(x, dtype) for x in (numbers, numbers + 1.0, 2.0 - numbers))
        copy = partial(xp.asarray, a, copy=True)
        for name, accesses, call in rows(a, b, grad):
            shares: list[float] = []
            for turn in range(options.rounds + 1):
                times = [seconds(x, device, options.repeat) for x in (copy, call)]
                if turn:  # the first one compiles
                    shares.append(accesses / 2 * times[0] / times[1])
            print(f"{dtype!s:10} {name:26} {median(shares):5.2f} of the copy")


if __name__ == "__main__":
    main()
