"""The fixed points of the accuracy checks and their true results.

The points of a function and dtype never change, so that errors compare across libraries and over
time: dense in the function's domain, evenly spread over the range of exponents, at its edges, near
its zeros and its branch cuts. They are made by operations that are exact or rounded alike on every
machine. Subnormal numbers are left out, which devices may flush to zero.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

Column = np.ndarray[Any, np.dtype[Any]]

COUNT = 80  # points of each sort

# The domains in which real points are dense; bounded by the range of results or by poles.
DENSE: dict[str, tuple[float, float]] = {
    "acos": (-1, 1), "acosh": (1, 40), "asin": (-1, 1), "asinh": (-20, 20), "atan": (-20, 20),
    "atan2": (-9, 9), "atanh": (-1, 1), "cos": (-20, 20), "cosh": (-20, 20), "exp": (-20, 20),
    "expm1": (-20, 20), "hypot": (-9, 9), "log": (0, 10), "log10": (0, 10), "log1p": (-1, 10),
    "log2": (0, 10), "logaddexp": (-30, 30), "pow": (0, 9), "sin": (-20, 20), "sinh": (-20, 20),
    "sqrt": (0, 10), "tan": (-20, 20), "tanh": (-20, 20),
}  # fmt: skip
POSITIVE = {"acosh", "log", "log10", "log2", "pow", "sqrt"}
PERIODIC = {"cos", "sin", "tan"}
EXPONENTIAL = {"cosh", "exp", "expm1", "sinh"}
BINARY = {"atan2", "hypot", "logaddexp", "pow"}
COMPLEX = sorted(set(DENSE) - {"atan2", "hypot", "logaddexp"})

# Numbers near which a function vanishes, has a pole or stops being defined.
CENTRES: dict[str, tuple[float, ...]] = {
    "acos": (-1, 0, 1), "acosh": (1,), "asin": (-1, 1), "atanh": (-1, 1),
    **dict.fromkeys(["log", "log10", "log2", "pow"], (1,)), "log1p": (-1,),
}  # fmt: skip


class Points(NamedTuple):
    """Operands, with the true results as the nearest doubles and what is left of them."""

    operands: list[Column]
    nearest: Column
    rest: Column


# --- points ---------------------------------------------------------------------------------------


def _of_magnitude(rng: np.random.Generator, low: int, high: int) -> Column:
    """Numbers of both signs whose exponents of 2 are evenly spread from ``low`` to ``high``."""
    fraction = rng.choice([-1.0, 1.0], COUNT) * rng.uniform(1, 2, COUNT)
    return np.ldexp(fraction, rng.integers(low, high, COUNT))


def _on_unit_circle(rng: np.random.Generator) -> Column:
    t = _of_magnitude(rng, -4, 4)
    return ((1 - t * t) + 2j * t) / (1 + t * t)


def _real_points(function: str, dtype: str, rng: np.random.Generator) -> Column:
    limits = np.finfo(dtype)
    found = [
        np.linspace(*DENSE[function], COUNT),
        rng.uniform(*DENSE[function], COUNT),
        _of_magnitude(rng, limits.minexp, limits.maxexp),  # of all magnitudes
        _of_magnitude(rng, -limits.nmant // 2, 0),
    ]
    for centre in CENTRES.get(function, ()):
        found.append(centre + _of_magnitude(rng, -limits.nmant, -3)[: COUNT // 2])
    if function in PERIODIC:
        near = np.arange(1, COUNT // 2) * (math.pi / 2)
        found += [near, -near, _of_magnitude(rng, 8, 40)]
    if function in EXPONENTIAL:
        edge = limits.maxexp * math.log(2)
        found += [np.linspace(-1, 1, COUNT) * edge, edge + np.linspace(-2, -1e-3, COUNT // 2)]
    x = np.concatenate(found)
    return (np.abs(x) if function in POSITIVE else x).astype(dtype)


def _real_operands(function: str, dtype: str, rng: np.random.Generator) -> list[Column]:
    x = _real_points(function, dtype, rng)
    if function not in BINARY:
        return [x]
    if function == "pow":  # towards results of any magnitude
        exponent = np.abs(np.frexp(x)[1]) + 1.0
        size = np.where((x > 0.5) & (x < 2), 2 * np.abs(x - 1.0), exponent)  # above |log2(x)|
        bound = np.finfo(dtype).maxexp / np.maximum(size, 2.0**-20)
        with np.errstate(over="ignore"):  # an infinite exponent is a point, too
            return [x, (rng.uniform(-1, 1, x.size) * bound).astype(dtype)]
    other = rng.permutation(x)
    other[::3] = x[::3] * rng.uniform(0.5, 2, x[::3].size)  # of the same magnitude
    if function == "logaddexp":
        other[1::3] = -x[1::3]
    return [x, other]


def _complex_operands(function: str, dtype: str, rng: np.random.Generator) -> list[Column]:
    part = "float32" if dtype == "complex64" else "float64"
    nmant = np.finfo(part).nmant
    small = [_of_magnitude(rng, -3, 3) for _ in range(4)]
    wide = [_of_magnitude(rng, -nmant, nmant) for _ in range(2)]
    near_cut = _of_magnitude(rng, -nmant, -nmant // 2)
    z = np.concatenate(
        [
            small[0] + 1j * small[1],
            wide[0] + 1j * wide[1],
            _on_unit_circle(rng) * (1 + _of_magnitude(rng, -nmant, -2)),  # about the unit circle
            small[2] + 1j * near_cut,  # beside the real axis
            near_cut + 1j * small[3],  # beside the imaginary axis
        ]
    )
    if function != "pow":
        return [z.astype(dtype)]
    exponent = _of_magnitude(rng, -3, 2)[:, None] + 1j * _of_magnitude(rng, -3, 2)[:, None]
    return [z.astype(dtype), np.resize(exponent, z.shape).astype(dtype)]


# --- true results ---------------------------------------------------------------------------------


def _mpmath() -> Any:
    """The module, which takes a while to load."""
    return import_module("mpmath")


def _references() -> dict[str, Callable[..., Any]]:
    mpmath = _mpmath()

    def log2(x: Any) -> Any:
        return mpmath.log(x) / mpmath.log(2)

    def logaddexp(x: Any, y: Any) -> Any:
        return max(x, y) + mpmath.log1p(mpmath.exp(-abs(x - y)))

    return {
        **{name: getattr(mpmath, name) for name in DENSE if hasattr(mpmath, name)},
        "log2": log2,
        "logaddexp": logaddexp,
        "pow": mpmath.power,
    }


@cache
def points(function: str, dtype: str) -> Points:
    """All points at which the true result is a finite, normal number of the dtype."""
    mpmath = _mpmath()
    rng = np.random.default_rng(zlib.crc32(function.encode()))
    is_complex = dtype.startswith("complex")
    limits = np.finfo(dtype)
    operands = (_complex_operands if is_complex else _real_operands)(function, dtype, rng)
    reference = _references()[function]
    number = mpmath.mpc if is_complex else mpmath.mpf
    smallest, largest = float(limits.smallest_normal), float(limits.max)
    chosen: list[int] = []
    nearest: list[complex] = []
    rest: list[complex] = []
    convert: Callable[[Any], complex] = complex if is_complex else float
    # Parts of an operand may differ by 2**104, and squares of that are added to 1.
    with mpmath.workprec(400 if is_complex else 250):
        for i, values in enumerate(zip(*(column.tolist() for column in operands), strict=True)):
            if not all(_usual(x, smallest) for x in values):
                continue
            try:
                result = number(reference(*map(number, values)))
            except (TypeError, ValueError, ZeroDivisionError):  # not real, or a pole
                continue
            if not is_complex and mpmath.isnan(result):
                continue
            if result == 0 or smallest <= abs(result) <= largest:
                chosen.append(i)
                nearest.append(convert(result))
                rest.append(convert(result - number(nearest[-1])))
    dtype_ = "complex128" if is_complex else "float64"
    kept = [column[chosen] for column in operands]
    return Points(kept, np.array(nearest, dtype_), np.array(rest, dtype_))


def _usual(x: complex, smallest: float) -> bool:
    parts = (x.real, x.imag)
    return all(np.isfinite(part) and (part == 0 or abs(part) >= smallest) for part in parts)


def errors(result: Column, at: Points) -> Column:
    """Errors in units in the last place of the true result, or of its modulus; NaN is kept."""
    with np.errstate(all="ignore"):
        difference = np.abs((result.astype(at.nearest.dtype) - at.nearest) - at.rest)
        limits = np.finfo(result.dtype)
        exponent = np.frexp(np.abs(at.nearest))[1] - 1
        last_place = np.exp2((np.maximum(exponent, limits.minexp) - limits.nmant).astype("float64"))
        return difference / last_place
