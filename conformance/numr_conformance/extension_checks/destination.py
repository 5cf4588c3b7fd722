"""Functions that write into an array that exists."""

from __future__ import annotations

from typing import Any

import numpy as np

from numr_conformance.checks._tools import Cases, assert_equal, assert_raises, assert_true, numbers
from numr_conformance.extension_checks._tools import function_of
from numr_conformance.standard import ACCEPTED
from numr_conformance.target import DTYPES, Target

cases = Cases("extensions.destination", "destination")
checks = cases.checks

UNARY = ("abs", "ceil", "cos", "exp", "floor", "log1p", "negative", "round", "sign", "sqrt", "tanh")
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "hypot", "copysign")


def _empty(target: Target, x: Any) -> Any:
    """Memory that holds something else."""
    return target.xp.zeros_like(x) if x.dtype == target.dtypes.get("bool") else x * 0 + 1


@cases("*", dtypes=ACCEPTED["real floating-point"], rows=[(f"{name}_into", name) for name in UNARY])
def of_one_array(target: Target, dtype: str, function: str, name: str) -> None:
    x = target.array(np.abs(numbers(dtype, (4, 5))))
    out = _empty(target, x)
    found = function_of(target, function)(out, x)
    assert_true(found is out, "out is not returned")
    assert_equal(target, out, target.host(target.find(name)(x)))


@cases("*", dtypes=ACCEPTED["real floating-point"], rows=[(f"{n}_into", n) for n in BINARY])
def of_two_arrays(target: Target, dtype: str, function: str, name: str) -> None:
    """Which broadcast to the shape of out."""
    x, y = (target.array(numbers(dtype, shape, name)) for shape in ((4, 5), (5,)))
    out = _empty(target, x)
    function_of(target, function)(out, x, y)
    with np.errstate(all="ignore"):
        assert_equal(target, out, target.host(target.find(name)(x, y)))


@cases("matmul_into", dtypes=ACCEPTED["floating-point"])
def products(target: Target, dtype: str) -> None:
    x, y = (target.array(numbers(dtype, shape)) for shape in ((3, 4), (4, 5)))
    out = target.array(np.ones((3, 5), dtype))
    function_of(target, "matmul_into")(out, x, y)
    assert_equal(target, out, target.host(target.xp.matmul(x, y)))


@cases("copy_into", dtypes=DTYPES)
def copies(target: Target, dtype: str) -> None:
    x = target.array(numbers(dtype, (6, 8)))[::-1, ::2]
    out = target.array(np.zeros((6, 4), dtype))
    function_of(target, "copy_into")(out, x)
    assert_equal(target, out, target.host(x))


@cases("write_host", dtypes=DTYPES)
def writes_what_the_host_has(target: Target, dtype: str) -> None:
    x, out = numbers(dtype, (3, 4)), target.array(np.zeros((3, 4), dtype))
    expected = x.copy()
    function_of(target, "write_host")(out, x)
    x[...] = 0
    assert_equal(target, out, expected)


def _faults(target: Target) -> dict[str, tuple[Any, Any, type[Exception]]]:
    """Wrong destinations: out, the argument, and what is raised."""
    x = target.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    wide = target.array(np.zeros((3, 8), np.float32))
    flat = target.array(np.zeros(24, np.float32))
    integers = target.array(np.zeros((3, 4), np.int32))
    return {
        "another shape": (wide, x, ValueError),
        "a shape to broadcast to": (target.array(np.zeros((2, 3, 4), np.float32)), x, ValueError),
        "another dtype": (integers, x, TypeError),
        "a strided view": (wide[:, ::2], x, ValueError),
        "the argument itself": (x, x, ValueError),
        "an overlapping view": (flat[2:14], flat[:12], ValueError),
        "a number": (1.0, x, TypeError),
    }


FAULTS = ("another shape", "a shape to broadcast to", "another dtype", "a strided view",
          "the argument itself", "an overlapping view", "a number")  # fmt: skip


@cases("*", rows=[(name, fault) for name in ("copy_into", "exp_into") for fault in FAULTS])
def wrong_destinations_are_refused(target: Target, function: str, fault: str) -> None:
    """And nothing is written."""
    out, x, kind = _faults(target)[fault]
    before = target.host(out).copy() if hasattr(out, "shape") else None
    assert_raises(lambda: function_of(target, function)(out, x), kind, fault)
    if before is not None:
        assert_true(np.array_equal(target.host(out), before), "something was written", given=fault)
