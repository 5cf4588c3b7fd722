"""The checks of extensions pass on the cpu, and each of many single faults is found by some."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from numr_conformance import extension_checks
from numr_conformance.check import Check, run_check
from numr_conformance.checks import collect
from numr_conformance.target import Target

import numr_api as xp
from numr_api import extensions

Faults = dict[str, tuple[Callable[..., Any], str]]


@cache
def all_checks() -> tuple[Check, ...]:
    return tuple(collect(Target("numr_api", "cpu"), topics=[*extension_checks.PATHS.values()]))


def target_with(name: str, function: Callable[..., Any]) -> Target:
    """numr_api with another function of the extensions."""
    target = Target("numr_api", "cpu")
    known = {n: getattr(extensions, n) for n in dir(extensions)}
    target.xp = SimpleNamespace(
        **{n: getattr(xp, n) for n in dir(xp)} | {"extensions": SimpleNamespace(**known)}
    )
    setattr(target.xp.extensions, name, function)
    return target


def naive_gelu(x: Any, /, *, approximate: str = "tanh") -> Any:
    if approximate == "none":
        return extensions.gelu_erf(x)
    inner = (x + x * x * x * 0.044715) * 0.7978845608028654
    return x * (xp.tanh(inner) + 1) * 0.5


def composed_softmax(x: Any, /, *, axis: int = -1) -> Any:
    powers = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return powers / xp.sum(powers, axis=axis, keepdims=True)


def naive_normalize(x: Any, /, *, axis: int = -1, eps: float = 1e-12) -> Any:
    norm = xp.sqrt(xp.sum(x * x, axis=axis, keepdims=True))
    return x / xp.clip(norm, eps, None)


def batched_softmax(x: Any, /, *, axis: int = -1) -> Any:
    """Off by a unit where there are many rows."""
    found = extensions.softmax(x, axis=axis)
    return found if x.shape[0] == 1 else xp.nextafter(found, xp.zeros_like(found))


def rounded_snake(x: Any, alpha: Any, beta: Any, /, *, axis: int = 1, eps: float = 1e-9) -> Any:
    shape = [1] * x.ndim
    shape[axis] = -1
    alpha, beta = xp.reshape(alpha, tuple(shape)), xp.reshape(beta, tuple(shape))
    return x + xp.square(xp.sin(x * alpha)) / (beta + eps)


def without_factor(x: Any, /, *, block_size: Any = None, signs: Any = None) -> Any:
    size = block_size or x.shape[-1]
    return extensions.fwht(x, block_size=block_size, signs=signs) * float(size) ** 0.5


def numpys_order(x: Any, padding: Any, /, **options: Any) -> Any:
    pairs = list(zip(padding[::2], padding[1::2], strict=True))
    return extensions.pad(x, [*pairs, *[(0, 0)] * (x.ndim - len(pairs))], **options)


def cropped(grad: Any, padding: Any, /, *, mode: Any, shape: Any) -> Any:
    """The gradient of the elements without that of their copies."""
    return extensions.pad_mode_backward(grad, padding, mode="constant", shape=shape)


def broadcasting_copy(out: Any, source: Any, /) -> Any:
    out[...] = source
    return out


def swapped_gradients(grad: Any, a: Any, b: Any, /) -> Any:
    return extensions.silu_mul_backward(grad, a, b)[::-1]


def option_in_the_dtype(x: Any, /, *, negative_slope: float = 0.01) -> Any:
    slope = float(xp.asarray(negative_slope, dtype=x.dtype))
    return extensions.leaky_relu(x, negative_slope=slope)


FAULTS: Faults = {
    "gelu without its tail": (naive_gelu, "extensions.activation/gelu/values*"),
    "silu rounded twice": (
        lambda x: x * extensions.sigmoid(x),
        "extensions.activation/silu/values[[]*float16]",
    ),
    "relu that loses NaN": (
        lambda x: xp.where(x > 0, x, xp.zeros_like(x)),
        "extensions.activation/relu/limits*",
    ),
    "leaky_relu with a rounded option": (
        option_in_the_dtype,
        "extensions.activation/leaky_relu/options*",
    ),
    "silu_mul that broadcasts": (
        lambda a, b: extensions.silu(a) * b,
        "extensions.activation/silu_mul/operands*",
    ),
    "silu_mul_backward in another order": (
        swapped_gradients,
        "extensions.activation/silu_mul_backward/gradients*",
    ),
    "softmax of rounded parts": (composed_softmax, "extensions.rows/softmax/values/*float16]"),
    "softmax of a masked row": (composed_softmax, "extensions.rows/softmax/rows_that_are_masked*"),
    "softmax that looks at the batch": (batched_softmax, "extensions.rows/softmax/a_row_alone*"),
    "l2_normalize that overflows": (naive_normalize, "extensions.rows/l2_normalize/norms*"),
    "snake_beta rounded on its way": (rounded_snake, "extensions.rows/snake_beta/products*"),
    "fwht without its factor": (without_factor, "extensions.transform/fwht/values*"),
    "pad_mode in NumPy's order": (numpys_order, "extensions.padding/pad_mode/the_last_axis*"),
    "pad_mode_backward that cuts": (cropped, "extensions.padding/pad_mode_backward/*"),
    "copy_into that broadcasts": (broadcasting_copy, "extensions.destination/copy_into/wrong*"),
}


def chosen(pattern: str) -> Iterator[Check]:
    return (check for check in all_checks() if fnmatchcase(check.name, pattern))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault: str) -> None:
    function, pattern = FAULTS[fault]
    target = target_with(fault.split()[0], function)
    verdicts = [run_check(check, target).verdict for check in chosen(pattern)]
    assert {"failed", "raised"} & set(verdicts)
    right = target_with("softmax", extensions.softmax)
    assert {run_check(check, right).verdict for check in chosen(pattern)} == {"passed"}


def test_a_namespace_without_extensions_is_told_so() -> None:
    target = Target("numpy")
    verdicts = {
        run_check(check, target).verdict for check in chosen("extensions.rows/*[[]float32]")
    }
    assert verdicts == {"unsupported"}
