"""Functions beyond the standard on the cpu beside torch, a thread each, interleaved in one process.

    python -m tests.benchmarks.cpu_extensions              time relative to torch's
    NUMR_API_JIT=0 python -m tests.benchmarks.cpu_extensions   without compiled functions

A ratio below 1 is faster than torch. The goals are those without the extra ``jit``, and with it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from importlib import import_module
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

os.environ["NUMR_API_THREADS"] = "1"

import numpy as np

import numr_api as xp
from numr_api._backends.cpu import jit
from numr_api.extensions import activation, normalization, padding, transform

Call = Callable[[], object]


class Row(NamedTuple):
    """Something to time: at most so much of torch's time, without and with the extra ``jit``."""

    name: str
    goals: tuple[float, float]
    ours: Call
    theirs: Call


def both(torch: Any, *shape: int, seed: int) -> tuple[Any, Any]:
    """The same random numbers here and in torch."""
    numbers = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return xp.asarray(numbers), torch.from_numpy(numbers.copy())


def gated(torch: Any) -> Iterator[Row]:
    functional = torch.nn.functional
    (a, ta), (b, tb), (grad, tgrad) = (both(torch, 2048, 2048, seed=i) for i in range(3))
    functions = {
        "silu_mul": (functional.silu, (1.9, 1.1), (0.91, 1.1)),
        "gelu_erf_mul": (functional.gelu, (3.3, 1.1), (3.3, 1.1)),
        "gelu_mul": (lambda x: functional.gelu(x, approximate="tanh"), (3.3, 1.1), (3.3, 1.1)),
        "sigmoid_mul": (torch.sigmoid, (1.9, 1.1), (0.91, 1.1)),
        "relu_mul": (torch.relu, (1.9, 1.1), (0.91, 1.1)),
    }
    for name, (function, goals, backward_goals) in functions.items():
        forward, backward = getattr(activation, name), getattr(activation, f"{name}_backward")
        yield Row(name, goals, lambda f=forward: f(a, b), lambda f=function: f(ta) * tb)
        x, y = ta.clone().requires_grad_(), tb.clone().requires_grad_()
        product = function(x) * y
        yield Row(
            f"{name}_backward", backward_goals, lambda f=backward: f(grad, a, b),
            lambda p=product, x=x, y=y: torch.autograd.grad(p, (x, y), tgrad, retain_graph=True),
        )  # fmt: skip


def along_rows(torch: Any) -> Iterator[Row]:
    functional = torch.nn.functional
    (x, tx), (grad, tgrad) = (both(torch, 4096, 1024, seed=i) for i in range(2))
    output, toutput = activation.softmax(x), torch.softmax(tx, -1)
    yield Row("softmax", (2.4, 1.1), lambda: activation.softmax(x), lambda: torch.softmax(tx, -1))
    yield Row(
        "softmax_backward", (2.4, 1.1), lambda: activation.softmax_backward(grad, output),
        lambda: torch._softmax_backward_data(tgrad, toutput, -1, torch.float32),
    )  # fmt: skip
    yield Row(
        "l2_normalize", (1.55, 1.55), lambda: normalization.l2_normalize(x),
        lambda: functional.normalize(tx, dim=-1),
    )  # fmt: skip
    hadamard = [torch.tensor([[1.0]])]
    for _ in range(5):
        hadamard.append(torch.kron(hadamard[-1], torch.tensor([[1.0, 1.0], [1.0, -1.0]])))
    h = hadamard[-1]
    yield Row(
        "fwht", (6, 0.5), lambda: transform.fwht(x),
        lambda: (h @ (tx.reshape(-1, 32, 32) @ h) / 32).reshape(tx.shape),
    )  # fmt: skip


def signals(torch: Any) -> Iterator[Row]:
    (x, tx), (grad, tgrad) = (both(torch, 4, 512, 2048, seed=i) for i in range(2))
    alpha, beta = (xp.asarray(np.linspace(0.5, 2, 512, dtype=np.float32)) for _ in range(2))
    talpha, tbeta = (torch.linspace(0.5, 2, 512).reshape(-1, 1) for _ in range(2))

    def snake(x: Any, alpha: Any, beta: Any) -> Any:
        return x + torch.sin(x * alpha) ** 2 / (beta + 1e-9)

    yield Row(
        "snake_beta", (0.62, 1.1), lambda: activation.snake_beta(x, alpha, beta),
        lambda: snake(tx, talpha, tbeta),
    )  # fmt: skip
    leaves = [v.clone().requires_grad_() for v in (tx, talpha, tbeta)]
    outcome = snake(*leaves)
    yield Row(
        "snake_beta_backward", (1.1, 1.1),
        lambda: activation.snake_beta_backward(grad, x, alpha, beta),
        lambda: torch.autograd.grad(outcome, leaves, tgrad, retain_graph=True),
    )  # fmt: skip
    (y, ty) = both(torch, 4, 128, 2048, seed=2)
    yield Row(
        "pad, reflected", (0.13, 0.13),
        lambda: padding.pad(y, ((0, 0), (0, 0), (8, 8)), mode="reflect"),
        lambda: torch.nn.functional.pad(ty, (8, 8), mode="reflect"),
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="how often each is timed")
    parser.add_argument("--only", default="", help="rows whose names begin so")
    arguments = parser.parse_args()
    torch: Any = import_module("torch")
    torch.set_num_threads(1)
    is_compiled = not jit.obstacle()
    print(f"compiled: {jit.state()}; time relative to torch's, goal, milliseconds of both")
    for rows in (gated, along_rows, signals):
        for name, goals, ours, theirs in rows(torch):
            if not name.startswith(arguments.only):
                continue
            times: list[tuple[float, float]] = []
            for _ in range(arguments.rounds + 1):
                moments = [perf_counter()]
                for call in (ours, theirs):
                    call()
                    moments.append(perf_counter())
                times.append((moments[1] - moments[0], moments[2] - moments[1]))
            del times[0]  # compiles, or warms up
            mine, other = (min(column) for column in zip(*times, strict=True))
            ratio = median(a / b for a, b in times)
            print(
                f"{name:24} {mine / other:6.2f} of minima, {ratio:6.2f} median"
                f"   goal {goals[is_compiled]:<5} {mine * 1e3:7.2f} {other * 1e3:7.2f}"
            )


if __name__ == "__main__":
    main()
