"""Functions beyond the standard on a GPU, as parts of the speed of a copy, and beside torch."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import numr_api as xp
from numr_api.extensions import activation, normalization, padding, transform
from tests.benchmarks.cuda_timing import OURS, Call, compare, known

LENGTH = 8192
ROUNDS, REPEAT = 5, 10


def rows(torch: Any, tensors: list[Any]) -> list[tuple[str, float, Call, Call | None]]:
    """What is timed, how often it reads or writes an array, and what torch calls it."""
    functional = torch.nn.functional
    x, y = tensors[:2]
    a, b, grad = (xp.from_dlpack(tensor) for tensor in tensors)
    signals, of_signals = (xp.reshape(v, (8, 1024, LENGTH)) for v in (a, grad))
    rates = xp.from_dlpack(torch.rand(1024, device="cuda", dtype=x.dtype) + 0.5)
    shares = activation.softmax(a, axis=-1)
    return [
        ("silu_mul", 3, lambda: activation.silu_mul(a, b), lambda: functional.silu(x) * y),
        ("gelu_erf_mul", 3, lambda: activation.gelu_erf_mul(a, b), lambda: functional.gelu(x) * y),
        ("silu_mul_backward", 5, lambda: activation.silu_mul_backward(grad, a, b), None),
        ("gelu_mul_backward", 5, lambda: activation.gelu_mul_backward(grad, a, b), None),
        ("gelu_erf_mul_backward", 5, lambda: activation.gelu_erf_mul_backward(grad, a, b), None),
        ("softmax", 2, lambda: activation.softmax(a, axis=-1), lambda: torch.softmax(x, -1)),
        ("softmax, axis 0", 2, lambda: activation.softmax(a, axis=0), lambda: torch.softmax(x, 0)),
        ("softmax_backward", 3, lambda: activation.softmax_backward(grad, shares, axis=-1), None),
        (
            "l2_normalize", 2, lambda: normalization.l2_normalize(a, axis=-1),
            lambda: functional.normalize(x, dim=-1),
        ),
        ("fwht", 2, lambda: transform.fwht(a), None),
        ("fwht, blocks of 128", 2, lambda: transform.fwht(a, block_size=128), None),
        ("snake_beta", 2, lambda: activation.snake_beta(signals, rates, rates, axis=1), None),
        (
            "snake_beta_backward", 3,
            lambda: activation.snake_beta_backward(of_signals, signals, rates, rates, axis=1), None,
        ),
        ("pad", 2, lambda: padding.pad(a, ((0, 0), (4, 4)), mode="reflect"), None),
    ]  # fmt: skip


def main() -> None:
    torch: Any = import_module("torch")
    for name in ("float32", "bfloat16"):
        dtype = getattr(torch, name)
        tensors = [torch.randn(LENGTH, LENGTH, device="cuda", dtype=dtype) for _ in range(3)]
        copying = partial(torch.empty_like(tensors[0]).copy_, tensors[0])
        copy = compare({"torch": copying}, ROUNDS, REPEAT)["torch"]
        for title, accesses, ours, theirs in rows(torch, tensors):
            calls = {OURS: ours} if theirs is None else {OURS: ours, "torch": theirs}
            times = compare(known(calls, title), ROUNDS, REPEAT)
            beside = f", {times['torch'] / times[OURS]:.2f} of torch" if "torch" in times else ""
            share = accesses / 2 * copy / times[OURS]
            print(f"{name:9} {title:22} {share:.2f} of the copy's speed{beside}")


if __name__ == "__main__":
    main()
