"""Element-wise operations in exact arithmetic: operands, true results, and how close to come.

The reference is Python's integers, or mpmath with 400 bits, element by element. Infinities, NaN and
signs of zero are special cases, which ``numr_conformance.special_cases`` holds.
"""

from __future__ import annotations

import inspect
import math
import operator
import struct
from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath
import numpy as np

import numr_api as xp
from numr_api._declare import OPS
from numr_api._dtypes import REAL_PART, DType

Column = np.ndarray[Any, np.dtype[Any]]

COUNT = 60  # elements of a column
ELEMENTWISE = {name: op for name, op in OPS.items() if op.family == "elementwise"}
ARITY = {name: len(inspect.signature(op.function).parameters) for name, op in ELEMENTWISE.items()}


# --- references: functions of exact numbers -------------------------------------------------------


def nextafter(x: float, y: float, dtype: DType) -> float:
    """The neighbour of ``x``, not 0, towards ``y``, by counting its bits up or down."""
    integer, number = ("<q", "<d") if dtype is xp.float64 else ("<i", "<f")
    (bits,) = struct.unpack(integer, struct.pack(number, x))
    step = 0 if x == y else 1 if (y > x) == (x > 0) else -1
    return struct.unpack(number, struct.pack(integer, bits + step))[0]


def sign(x: Any) -> Any:
    return (x > 0) - (x < 0) if isinstance(x, int) else x / abs(x)


def whole(rounded: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A rounding function, which leaves integers alone."""
    return lambda x: x if isinstance(x, int) else rounded(x)


REFERENCES: dict[str, Callable[..., Any]] = {
    **{name: getattr(mpmath, name) for name in
       "acos acosh asin asinh atan atan2 atanh cos cosh exp expm1 hypot isfinite isinf isnan "
       "log log10 log1p sin sinh sqrt tan tanh".split()},
    "abs": abs,
    "add": operator.add,
    "bitwise_and": operator.and_,
    "bitwise_invert": lambda x: not x if isinstance(x, bool) else ~x,
    "bitwise_left_shift": operator.lshift,
    "bitwise_or": operator.or_,
    "bitwise_right_shift": operator.rshift,
    "bitwise_xor": operator.xor,
    "ceil": whole(mpmath.ceil),
    "clip": lambda x, low, high: min(max(x, low), high),
    "conj": lambda x: x.conjugate(),
    "copysign": lambda x, y: math.copysign(float(x), float(y)),
    "divide": operator.truediv,
    "equal": operator.eq,
    "floor": whole(mpmath.floor),
    "floor_divide": lambda x, y: x // y if isinstance(x, int) else mpmath.floor(x / y),
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "imag": lambda x: x.imag,
    "less": operator.lt,
    "less_equal": operator.le,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "logaddexp": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
    "logical_and": operator.and_,
    "logical_not": operator.not_,
    "logical_or": operator.or_,
    "logical_xor": operator.xor,
    "maximum": max,
    "minimum": min,
    "multiply": operator.mul,
    "negative": operator.neg,
    "not_equal": operator.ne,
    "positive": operator.pos,
    "pow": operator.pow,
    "real": lambda x: x.real,
    "reciprocal": lambda x: 1 / x,
    "remainder": lambda x, y: x % y if isinstance(x, int) else x - y * mpmath.floor(x / y),
    "round": whole(lambda x: mpmath.nint(x) if not isinstance(x, mpmath.mpc) else
                   mpmath.mpc(mpmath.nint(x.real), mpmath.nint(x.imag))),
    "sign": sign,
    "signbit": lambda x: x < 0,
    "square": lambda x: x * x,
    "subtract": operator.sub,
    "trunc": whole(lambda x: mpmath.sign(x) * mpmath.floor(abs(x))),
    "where": lambda condition, x, y: x if condition else y,
}  # fmt: skip

# Errors in ulp; of complex numbers, in ulp of the modulus. 0.5 is rounded correctly.
ELEMENTARY = set(
    "acos acosh asin asinh atan atan2 atanh cos cosh exp expm1 hypot log log10 log1p log2 "
    "logaddexp pow sin sinh tan tanh".split()
)
COMPLEX_ULPS = {"add": 0.75, "subtract": 0.75, "abs": 2, "multiply": 2, "square": 2, "sign": 2,
                "divide": 4, "reciprocal": 4, "sqrt": 2,
                "pow": 20}  # the error of log(x) times y, which is up to 11  # fmt: skip


def bound(name: str, dtype: DType) -> float:
    if dtype.kind == "c":
        return COMPLEX_ULPS.get(name, 4 if name in ELEMENTARY else 0)
    return 4 if name in ELEMENTARY else 0.5


# --- operands -------------------------------------------------------------------------------------

DOMAINS: dict[str, tuple[float, float]] = {  # of real operands; -9 to 9 for most
    "acos": (-1, 1), "asin": (-1, 1), "atanh": (-1, 1), "acosh": (1, 90), "log1p": (-1, 90),
    **dict.fromkeys(["log", "log2", "log10", "sqrt"], (0, 90)),
    "exp": (-60, 60), "expm1": (-30, 60), "sin": (-9000, 9000), "cos": (-9000, 9000),
}  # fmt: skip


@cache
def operands(name: str, dtype: DType) -> tuple[Column, ...]:
    """Columns of random numbers in the domain of the operation."""
    rng = np.random.default_rng(len(name))
    if name == "where":
        return (rng.random(COUNT) < 0.5, *operands("add", dtype))
    columns = [numbers(rng, dtype, *DOMAINS.get(name, (-9, 9))) for _ in range(ARITY[name])]
    first, last = columns[0], columns[-1]
    if name in ("bitwise_left_shift", "bitwise_right_shift"):
        last[...] = rng.integers(0, 8 * dtype.itemsize, COUNT)
    elif name == "pow" and dtype.kind in "iu":
        last[...] = rng.integers(0, 9, COUNT)
    elif name == "pow" and dtype.kind == "f":
        np.abs(first, out=first)
    elif name == "clip":
        columns[1:] = np.minimum(*columns[1:]), np.maximum(*columns[1:])
    elif name in ("floor_divide", "remainder"):
        last[last == 0] = 1
    elif len(columns) == 2:
        first[::7] = last[::7]  # some equal pairs
    return tuple(columns)


def numbers(rng: np.random.Generator, dtype: DType, low: float, high: float) -> Column:
    numpy_dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(COUNT) < 0.5
    if dtype.kind in "iu":  # of all sizes, and the extremes
        info = np.iinfo(numpy_dtype)
        column = rng.integers(info.min, info.max, COUNT, numpy_dtype, endpoint=True)
        column >>= rng.integers(0, info.bits, COUNT).astype(numpy_dtype)
        column[:2] = info.min, info.max
        return column
    if dtype.kind == "c":
        parts = rng.uniform(-5, 5, (COUNT, 2)).astype(np.dtype(REAL_PART[dtype]))
        return parts.view(numpy_dtype)[:, 0]
    column = rng.uniform(low, high, COUNT)
    column[::5] *= 2.0 ** rng.integers(-40, 0, column[::5].size)
    if high == 9:
        column[1::5] = np.round(2 * column[1::5]) / 2 + 0.25 * (low > 0)  # halves, to round to even
        column[column == 0] = 1.5
    return np.clip(column, low + (low == -1) * 1e-3, high).astype(numpy_dtype)


@cache
def exact(name: str, dtype: DType) -> tuple[list[Any], list[Any]]:
    """The true results twice: as the nearest numbers of double precision, and what is left."""
    nearest: list[Any] = []
    rest: list[Any] = []
    convert = {"c": mpmath.mpc, "f": mpmath.mpf}.get(dtype.kind, lambda x: x)
    with mpmath.workprec(400):
        for values in zip(*(column.tolist() for column in operands(name, dtype)), strict=True):
            if name == "nextafter":
                result = nextafter(*values, dtype)
            else:
                result = REFERENCES[name](
                    *(x if isinstance(x, bool) else convert(x) for x in values)
                )
            if isinstance(result, bool | int):
                nearest.append(result)
                rest.append(0)
                continue
            number = complex(result) if isinstance(result, mpmath.mpc) else float(result)
            nearest.append(number)
            left = result - number
            rest.append(complex(left) if isinstance(left, mpmath.mpc) else float(left))
    return nearest, rest


def assert_exact(result: Column, name: str, dtype: DType) -> None:
    """The result, of ``COUNT`` elements, is as close to the true one as ``bound`` demands."""
    expected_dtype = ELEMENTWISE[name].result_dtype(dtype, xp.asarray(0)._type.backend)
    assert result.dtype == expected_dtype
    nearest, rest = exact(name, dtype)
    if result.dtype.kind in "biu":
        bits = 2 ** (8 * result.dtype.itemsize)  # integers wrap around
        wrapped = [int(x) % bits for x in nearest]
        assert [int(x) % bits for x in result.reshape(-1).tolist()] == wrapped
        return
    result = result.reshape(-1)
    modulus = np.abs(np.asarray(nearest))
    wide = np.complex128 if result.dtype.kind == "c" else np.float64
    with np.errstate(under="ignore"):
        difference = np.abs((result.astype(wide) - nearest) - np.asarray(rest))
    limits = np.finfo(result.dtype)
    last_place = np.exp2(np.maximum(np.frexp(modulus)[1] - 1, limits.minexp) - limits.nmant)
    assert float(np.max(difference / last_place)) <= bound(name, dtype)
