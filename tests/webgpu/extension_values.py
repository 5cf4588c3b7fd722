"""True results of activations by mpmath, where they are tried, and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

Function = Callable[[Any], Any]

PRECISION = 200  # bits


def _scale() -> Any:
    return 2 * mpmath.sqrt(2 / mpmath.pi)


def _logistic(x: Any) -> Any:
    return 1 / (1 + mpmath.exp(-x))


def _below(x: Any) -> Any:
    """The probability that a normal number is below x."""
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def _density(x: Any) -> Any:
    return mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mpmath.pi)


def _cubic(x: Any) -> Any:
    return _scale() * (x + mpmath.mpf("0.044715") * x**3)


VALUES: dict[str, Function] = {
    "relu": lambda x: max(x, mpmath.mpf(0)),
    "sigmoid": _logistic,
    "silu": lambda x: x * _logistic(x),
    "softplus": lambda x: max(x, mpmath.mpf(0)) + mpmath.log1p(mpmath.exp(-abs(x))),
    "gelu_tanh": lambda x: x * _logistic(_cubic(x)),
    "gelu_erf": lambda x: x * _below(x),
}


def _slope_of_gelu(x: Any) -> Any:
    s = _logistic(_cubic(x))
    rate = _scale() * (1 + 3 * mpmath.mpf("0.044715") * x * x)
    return s * (1 + x * _logistic(-_cubic(x)) * rate)


SLOPES: dict[str, Function] = {
    "relu": lambda x: mpmath.mpf(x > 0),
    "sigmoid": lambda x: _logistic(x) * _logistic(-x),
    "silu": lambda x: _logistic(x) * (1 + x * _logistic(-x)),
    "gelu_tanh": _slope_of_gelu,
    "gelu_erf": lambda x: _below(x) + x * _density(x),
}

# Of the functions with a factor: which function it is that they multiply.
GATED = {"silu": "silu", "gelu": "gelu_tanh", "relu": "relu", "sigmoid": "sigmoid",
         "gelu_erf": "gelu_erf"}  # fmt: skip


def of_each(function: Callable[..., Any], *columns: Any) -> list[Any]:
    """The function of each element, or of each pair of elements, as numbers of mpmath."""
    with mpmath.workprec(PRECISION):
        rows = zip(*(column.astype("float64").tolist() for column in columns), strict=True)
        return [function(*map(mpmath.mpf, row)) for row in rows]


def errors(found: Any, true: list[Any], least: list[Any] | None = None) -> Any:
    """Errors in units in the last place of the true results, or of what these are if smaller."""
    limits = np.finfo(found.dtype)
    result: list[float] = []
    for i, (value, truth) in enumerate(zip(found.tolist(), true, strict=True)):
        size = max(abs(truth), least[i]) if least else abs(truth)
        exponent = max(mpmath.frexp(size)[1] - 1, limits.minexp) if size else limits.minexp
        with mpmath.workprec(PRECISION):
            unit = mpmath.ldexp(1, exponent - limits.nmant)
            result.append(float(abs(mpmath.mpf(value) - truth) / unit))
    return np.asarray(result)


def points(dtype: str, count: int) -> Any:
    """Numbers where activations change, in their far tails, and of all magnitudes."""
    rng = np.random.default_rng(0)
    tail = 110 if dtype == "float32" else 760
    columns = [rng.uniform(-width, width, count) for width in (tail, 40, 16, 6, 1.5)]
    sizes = np.exp2(rng.uniform(-100, 4, count)) * rng.choice([-1, 1], count)
    return np.concatenate([*columns, sizes, [0.0]]).astype(dtype)
