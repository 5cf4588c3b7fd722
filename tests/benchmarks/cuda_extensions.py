"""Functions beyond the standard on a GPU, as parts of the speed of a copy, and of torch's.

``python -m tests.benchmarks.cuda_extensions`` prints all rows, in about a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import chain
from typing import Any

import numr_api as xp
from numr_api.extensions import activation, normalization, padding, transform
from tests.benchmarks.cuda_timing import OURS, Call, compare, known

LENGTH = 8192
ROUNDS, REPEAT = 5, 10

# What is timed, how often it reads or writes an array, and what torch calls it.
Row = tuple[str, float, Call, Call | None]

TORCH_MODES = {
    "constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular",
}  # fmt: skip


def gates(torch: Any, tensors: list[Any]) -> Iterator[Row]:
    """Products with an activation, and their gradients."""
    functional, aten = torch.nn.functional, torch.ops.aten
    x, y, slope = tensors
    a, b, grad = (xp.from_dlpack(tensor) for tensor in tensors)
    theirs: dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]] = {
        "silu": (functional.silu, aten.silu_backward),
        "gelu": (
            partial(functional.gelu, approximate="tanh"),
            partial(aten.gelu_backward, approximate="tanh"),
        ),
        "gelu_erf": (functional.gelu, aten.gelu_backward),
        "sigmoid": (torch.sigmoid, lambda g, v: aten.sigmoid_backward(g, torch.sigmoid(v))),
        "relu": (torch.relu, lambda g, v: aten.threshold_backward(g, v, 0)),
    }
    for name, (function, _) in theirs.items():
        ours = getattr(activation, f"{name}_mul")
        yield f"{name}_mul", 3, partial(ours, a, b), lambda f=function: f(x) * y
    for name, (function, backward) in theirs.items():
        ours = getattr(activation, f"{name}_mul_backward")

        def both(f: Any = function, df: Any = backward) -> Any:
            return df(slope * y, x), slope * f(x)

        yield f"{name}_mul_backward", 5, partial(ours, grad, a, b), both


def along_axes(torch: Any, tensors: list[Any]) -> Iterator[Row]:
    """Softmax and the like along both axes."""
    x, _, slope = tensors
    a, _, grad = (xp.from_dlpack(tensor) for tensor in tensors)
    normalize = torch.nn.functional.normalize
    softmax_backward = torch.ops.aten._softmax_backward_data
    for axis in (1, 0):
        shares, theirs = activation.softmax(a, axis=axis), torch.softmax(x, axis)
        with_axis: list[Row] = [
            ("softmax", 2, partial(activation.softmax, a), partial(torch.softmax, x, axis)),
            (
                "log_softmax", 2, partial(activation.log_softmax, a),
                partial(torch.log_softmax, x, axis),
            ),
            ("logsumexp", 1, partial(activation.logsumexp, a), partial(torch.logsumexp, x, axis)),
            (
                "softmax_backward", 3, partial(activation.softmax_backward, grad, shares),
                partial(softmax_backward, slope, theirs, axis, x.dtype),
            ),
            (
                "l2_normalize", 2, partial(normalization.l2_normalize, a),
                partial(normalize, x, dim=axis),
            ),
        ]  # fmt: skip
        for name, accesses, ours, rival in with_axis:
            yield f"{name}, axis {axis}", accesses, partial(ours, axis=axis), rival


def others(torch: Any, tensors: list[Any]) -> Iterator[Row]:
    """Transforms, snake and padding."""
    x = tensors[0]
    a, _, grad = (xp.from_dlpack(tensor) for tensor in tensors)
    for size in (LENGTH, 128):
        yield f"fwht, blocks of {size}", 2, partial(transform.fwht, a, block_size=size), None
    signs = xp.sign(a[0, :])
    yield "fwht with signs", 2, partial(transform.fwht, a, signs=signs), None
    signals, of_signals = (xp.reshape(v, (8, 1024, LENGTH)) for v in (a, grad))
    rates = xp.from_dlpack(torch.rand(1024, device="cuda", dtype=x.dtype) + 0.5)
    snake = partial(activation.snake_beta, signals, rates, rates, axis=1)
    yield "snake_beta", 2, snake, None
    backward = partial(activation.snake_beta_backward, of_signals, signals, rates, rates, axis=1)
    yield "snake_beta_backward", 3, backward, None
    widths = ((0, 0), (4, 4))
    for mode in ("constant", "reflect", "edge", "symmetric", "wrap"):
        theirs = None
        if mode in TORCH_MODES:
            theirs = partial(torch.nn.functional.pad, x[None], (4, 4), mode=TORCH_MODES[mode])
        yield f"pad, {mode}", 2, partial(padding.pad, a, widths, mode=mode), theirs
    longer = padding.pad(grad, widths)
    adjoint = partial(padding.pad_mode_backward, longer, (4, 4), mode="reflect", shape=a.shape)
    yield "pad_mode_backward", 2, adjoint, None


def main() -> None:
    torch: Any = import_module("torch")
    for name in ("float32", "bfloat16"):
        dtype = getattr(torch, name)
        tensors = [torch.randn(LENGTH, LENGTH, device="cuda", dtype=dtype) for _ in range(3)]
        copying = partial(torch.empty_like(tensors[0]).copy_, tensors[0])
        copy = compare({"torch": copying}, ROUNDS, REPEAT)["torch"]
        rows = (family(torch, tensors) for family in (gates, along_axes, others))
        for title, accesses, ours, theirs in chain.from_iterable(rows):
            calls = {OURS: ours} if theirs is None else {OURS: ours, "torch": theirs}
            times = compare(known(calls, title), ROUNDS, REPEAT)
            beside = f", {times['torch'] / times[OURS]:.2f} of torch" if "torch" in times else ""
            share = accesses / 2 * copy / times[OURS]
            print(f"{name:9} {title:22} {share:.2f} of the copy's speed{beside}")


if __name__ == "__main__":
    main()
