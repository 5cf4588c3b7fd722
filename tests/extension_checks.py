"""What tests of the extensions share: arrays of each dtype, layouts, and errors in units of ulp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import numr_api as xp
from numr_api.extensions import dtypes

mpmath.mp.prec = 250

DTYPES = (dtypes.float16, dtypes.bfloat16, xp.float32, xp.float64)
NAMES = [dtype.name for dtype in DTYPES]

# Bits of the significand, and the exponent of the smallest number.
BITS = {"float16": (11, -24), "bfloat16": (8, -133), "float32": (24, -149), "float64": (53, -1074)}


def dtype_on(name: str, device: str) -> Any:
    """A dtype by its name; a device that has none of it is passed over."""
    dtype = next(x for x in DTYPES if x.name == name)
    try:
        xp.empty((), dtype=dtype, device=device)
    except NotImplementedError:
        pytest.skip(f"{device} has no {name}")
    return dtype


def array(values: Any, dtype: Any, device: str) -> Any:
    """Numbers rounded to a dtype, on a device."""
    host = xp.asarray(np.asarray(values, np.float64), device="cpu")
    return xp.astype(host, dtype).to_device(device)


def host(x: Any) -> np.ndarray[Any, Any]:
    """The numbers of an array in float64, which holds those of all dtypes here."""
    return np.asarray(x.to_device("cpu")).astype(np.float64)


def bits(x: Any) -> bytes:
    """The bits of an array's elements in row-major order."""
    return np.ascontiguousarray(np.asarray(x.to_device("cpu"))).tobytes()


def unit(number: mpf, dtype: Any) -> mpf:
    """The distance of a dtype's numbers about a number."""
    digits, lowest = BITS[dtype.name]
    exponent = mpmath.frexp(number)[1] if number else -(10**6)
    return mpmath.ldexp(1, max(exponent - digits, lowest))


def worst(
    found: Any, expected: Sequence[mpf], scale: Sequence[mpf] | None = None, spare: float = 0
) -> float:
    """The largest error in units in the last place of what is expected.

    Arguments:
        scale: terms of the sums that are expected, where these may cancel.
        spare: how many units in the last place of the scale, in the dtype of the computation, are
            no error.
    """
    assert np.isfinite(host(found)).all()
    computed = xp.float64 if found.dtype is xp.float64 else xp.float32
    errors: list[mpf] = []
    numbers = zip(host(found).ravel(), expected, expected if scale is None else scale, strict=True)
    for number, right, size in numbers:
        error = abs(mpf(float(number)) - right)
        if spare:
            error = max(error - spare * unit(size, computed), mpf(0))
        errors.append(error / unit(right, found.dtype))
    return float(max(errors))


def layouts(x: Any) -> dict[str, tuple[Any, Any]]:
    """Views of a matrix, and contiguous arrays of the same elements."""
    views = {
        "reversed": x[::-1, ::-1],
        "every other": x[:, ::2],
        "transposed": x.T,
        "a row repeated": xp.broadcast_to(x[1:2, :], x.shape),
        "a column repeated": xp.broadcast_to(x[:, 1:2], x.shape),
    }
    return {name: (view, xp.asarray(view, copy=True)) for name, view in views.items()}


def check_layouts(function: Callable[..., Any], x: Any, *others: Any) -> None:
    """A function gives views the bits that it gives contiguous arrays of the same elements."""
    views = [layouts(y) for y in (x, *others)]
    for name in views[0]:
        strided = function(*(v[name][0] for v in views))
        plain = function(*(v[name][1] for v in views))
        pairs = zip(strided, plain, strict=True) if type(strided) is tuple else [(strided, plain)]
        for first, second in pairs:
            assert bits(first) == bits(second), name
