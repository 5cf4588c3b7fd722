"""What these checks share: arrays of the extension's dtypes, and errors in units of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from numr_conformance.check import Failed, Unsupported
from numr_conformance.target import Target

Host = np.ndarray[Any, np.dtype[Any]]

FLOATS = ("float16", "bfloat16", "float32", "float64")
HALVES = FLOATS[:2]


class Format(NamedTuple):
    """A binary floating-point format: bits of the significand with the first one, exponents."""

    precision: int
    least: int  # exponent of the smallest normal number
    most: int  # of the largest number

    @property
    def largest(self) -> float:
        return 2.0**self.most * (2 - 2.0 ** (1 - self.precision))


FORMATS = {
    "float16": Format(11, -14, 15),
    "bfloat16": Format(8, -126, 127),
    "float32": Format(24, -126, 127),
    "float64": Format(53, -1022, 1023),
}


def dtype_of(target: Target, name: str) -> Any:
    """The dtype object of a name, the extension's among them; Unsupported if there is none."""
    if name in ("float32", "float64"):
        return target.dtype(name)
    found = getattr(getattr(target.xp, "extensions", None), "dtypes", None)
    if not hasattr(found, name):
        raise Unsupported(f"{target.name} has no extensions.dtypes.{name}")
    return getattr(found, name)


def function_of(target: Target, name: str) -> Callable[..., Any]:
    """A function of the extensions."""
    return target.find(f"extensions.{name}")


def rounded(x: Any, dtype: str) -> Host:
    """Numbers in float64 rounded to the nearest of a format, ties to even."""
    form = FORMATS[dtype]
    x = np.asarray(x, np.float64)
    if dtype == "float64":
        return x
    with np.errstate(all="ignore"):
        exponent = np.maximum(np.frexp(np.where(np.isfinite(x), x, 1.0))[1] - 1, form.least)
        unit = np.ldexp(1.0, exponent - (form.precision - 1))
        near = np.rint(x / unit) * unit
        return np.where(np.abs(near) > form.largest, np.copysign(np.inf, x), near)


def array(target: Target, x: Any, dtype: str) -> Any:
    """An array of a dtype with numbers that it holds, on the device."""
    host = np.asarray(x, np.float64)
    keywords = {} if target.device is None else {"device": target.device}
    flat = target.xp.asarray(host.reshape(-1).tolist(), dtype=dtype_of(target, dtype), **keywords)
    return target.xp.reshape(flat, host.shape)


def host(target: Target, x: Any, dtype: str) -> Host:
    """An array's numbers in float64; Failed if it has another dtype."""
    if not hasattr(x, "dtype") or x.dtype != dtype_of(target, dtype):
        raise Failed("wrong dtype", expected=dtype, actual=str(getattr(x, "dtype", type(x))))
    if dtype in HALVES:
        x = target.xp.astype(x, target.dtype("float32"))
    return target.host(x).astype(np.float64)


def units(found: Host, true: Any, dtype: str, scale: Any = None) -> Host:
    """By how many units in the last place numbers are off, of their own or of larger ones.

    Arguments:
        true: the exact numbers, in float64 or longdouble.
        scale: magnitudes whose units count, where terms of that size cancel.
    """
    form = FORMATS[dtype]
    true = np.asarray(true, np.longdouble)
    size = np.abs(true) if scale is None else np.maximum(np.abs(true), np.asarray(scale))
    with np.errstate(all="ignore"):
        beyond = np.abs(true) >= np.longdouble(form.largest) * (1 + 2.0 ** (-form.precision))
        true = np.where(beyond, np.copysign(np.longdouble(np.inf), true), true)
        exponent = np.frexp(np.where(np.isfinite(size), size, 1))[1] - 1
        unit = np.ldexp(np.longdouble(1), np.maximum(exponent, form.least) - (form.precision - 1))
        off = np.abs(found - true) / unit
        same = (found == true) | (np.isnan(found) & np.isnan(true))
        return np.where(same, 0.0, np.where(np.isnan(off), np.inf, off)).astype(np.float64)


def require_units(
    found: Host, true: Any, dtype: str, most: float, *, given: Any = "", scale: Any = None
) -> dict[str, float]:
    """Fail where any number is off by more; returns what was measured."""
    true = np.asarray(true)
    if found.shape != true.shape:
        raise Failed("wrong shape", given=given, expected=true.shape, actual=found.shape)
    off = units(found, true, dtype, scale)
    if not off.size:
        return {}
    measured = {"max_ulp": float(off.max()), "mean_ulp": float(off.mean())}
    worst = int(off.argmax())
    if off.max() > most:
        raise Failed(
            f"{off.max():.3g} units in the last place at the worst of {off.size}, {most:g} allowed",
            given=given if np.ndim(given) == 0 else np.asarray(given).reshape(-1)[worst].item(),
            expected=repr(true.reshape(-1)[worst]),
            actual=repr(found.reshape(-1)[worst].item()),
            measured=measured,
        )
    return measured


def require_equal(found: Host, expected: Any, *, given: Any = "") -> None:
    """Fail unless shape and numbers are these, NaN in the same places; signs of zeros are free."""
    expected = np.asarray(expected, np.float64)
    same = found.shape == expected.shape and np.array_equal(found, expected, equal_nan=True)
    if not same:
        raise Failed("other numbers", given=given, expected=expected, actual=found)


def require_near(found: Host, expected: Any, atol: float) -> None:
    """Fail where numbers are further apart."""
    apart = np.abs(found - expected).max()
    if not apart <= atol:
        raise Failed(f"{apart:.3g} apart, {atol:g} allowed", expected=expected, actual=found)


@cache
def mpmath() -> Any:
    """The library of arbitrary precision, which only some checks need."""
    return import_module("mpmath")


def exactly(function: Callable[..., Any], *operands: Any) -> Host:
    """A function of mpmath's numbers at each point, as longdouble."""
    flat = [np.asarray(x, np.float64).reshape(-1).tolist() for x in operands]
    library = mpmath()
    with library.workprec(300):
        found = [_long(function(*map(library.mpf, point))) for point in zip(*flat, strict=True)]
    return np.array(found, np.longdouble).reshape(np.shape(operands[0]))


def _long(x: Any) -> Any:
    """The nearest longdouble of one of mpmath's numbers, by two doubles."""
    high = float(x)
    if not np.isfinite(high):
        return np.longdouble(high)
    return np.longdouble(high) + np.longdouble(float(x - high))


def numbers(dtype: str, shape: tuple[int, ...], *, seed: int = 0, scale: float = 1.0) -> Host:
    """Normally distributed numbers that a dtype holds."""
    return rounded(np.random.default_rng(seed).standard_normal(shape) * scale, dtype)
