"""The element-wise functions as data: where they are defined, operands, true results, bounds."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from numr_conformance.checks._tools import Host, generator, real_part

SHAPE = (3, 4, 5)
COUNT = math.prod(SHAPE)


@dataclass(frozen=True)
class Row:
    """What is known of a function.

    Attributes:
        kinds: NumPy kinds of the dtypes for which the standard defines it.
        reference: of Python integers and booleans, or of mpmath's numbers.
        domain: where its operands lie; see ``operands``.
        result: "" for the dtype of the operands, "bool" or "real".
        ulp: bounds for real and for complex numbers.
    """

    kinds: str
    reference: Callable[..., Any] | str
    arity: int = 1
    domain: Any = (-9, 9)
    result: str = ""
    ulp: tuple[float, float] = (0, 0)


def whole(name: str) -> Callable[[Any], Any]:
    """A rounding function of mpmath's for each part; integers stay."""

    def rounded(x: Any) -> Any:
        import mpmath

        if isinstance(x, int):
            return x
        function = getattr(mpmath, name)
        if isinstance(x, mpmath.mpc):
            return mpmath.mpc(function(x.real), function(x.imag))
        return function(x)

    return rounded


def floor_divide(x: Any, y: Any) -> Any:
    return x // y if isinstance(x, int) else whole("floor")(x / y)


def sign(x: Any) -> Any:
    return (x > 0) - (x < 0) if isinstance(x, int) else x / abs(x)


def logaddexp(x: Any, y: Any) -> Any:
    import mpmath

    return mpmath.log(mpmath.exp(x) + mpmath.exp(y))


def log2(x: Any) -> Any:
    import mpmath

    return mpmath.log(x) / mpmath.log(2)


ELEMENTARY = (64, 64)  # whether it is 1 ulp or 50 is the topic of accuracy.py
PRODUCT = (0, 8)  # of complex numbers: a few roundings that may cancel in a part

ROWS = {
    **{name: Row("fc", name, ulp=ELEMENTARY) for name in
       "asinh atan cosh sinh sin cos tan tanh".split()},
    **{name: Row("fc", name, domain=domain, ulp=ELEMENTARY) for name, domain in {
        "acos": (-1, 1), "asin": (-1, 1), "atanh": (-0.99, 0.99), "acosh": (1, 90),
        "exp": (-60, 60), "expm1": (-30, 60), "log": (0.01, 90), "log10": (0.01, 90),
        "log1p": (-0.9, 90)}.items()},
    "log2": Row("fc", log2, domain=(0.01, 90), ulp=ELEMENTARY),
    "sqrt": Row("fc", "sqrt", domain=(0, 90), ulp=(0, 8)),
    "atan2": Row("f", "atan2", 2, ulp=ELEMENTARY),
    "hypot": Row("f", "hypot", 2, ulp=ELEMENTARY),
    "logaddexp": Row("f", logaddexp, 2, ulp=ELEMENTARY),
    "pow": Row("iufc", operator.pow, 2, "power", ulp=ELEMENTARY),
    "abs": Row("iufc", abs, domain="signed", result="real", ulp=(0, 8)),
    "sign": Row("iufc", sign, domain="any", ulp=(0, 8)),
    "add": Row("iufc", operator.add, 2, "sum"),
    "subtract": Row("iufc", operator.sub, 2, "difference"),
    "multiply": Row("iufc", operator.mul, 2, "product", ulp=PRODUCT),
    "divide": Row("fc", operator.truediv, 2, ulp=PRODUCT),
    "square": Row("iufc", lambda x: x * x, domain="product", ulp=PRODUCT),
    "reciprocal": Row("fc", lambda x: 1 / x, ulp=PRODUCT),
    "floor_divide": Row("iuf", floor_divide, 2, "division"),
    "remainder": Row("iuf", lambda x, y: x - y * floor_divide(x, y), 2, "division"),
    "negative": Row("ifc", operator.neg, domain="signed"),
    "positive": Row("iufc", operator.pos, domain="any"),
    "conj": Row("c", lambda x: x.conjugate()),
    "real": Row("c", lambda x: x.real, result="real"),
    "imag": Row("c", lambda x: x.imag, result="real"),
    "ceil": Row("iuf", whole("ceil"), domain="any"),
    "floor": Row("iuf", whole("floor"), domain="any"),
    "round": Row("iufc", whole("nint"), domain="any"),
    "trunc": Row("iuf", lambda x: x if isinstance(x, int) else
                 whole("floor")(x) if x > 0 else whole("ceil")(x), domain="any"),
    "maximum": Row("iuf", max, 2, "any"),
    "minimum": Row("iuf", min, 2, "any"),
    "clip": Row("iuf", lambda x, low, high: min(max(x, low), high), 3, "bounds"),
    "copysign": Row("f", lambda x, y: abs(x) if y > 0 else -abs(x), 2),
    "nextafter": Row("f", "nextafter", 2),
    **{f"bitwise_{name}": Row("biu", getattr(operator, f"{name}_"), 2, "any")
       for name in ("and", "or")},
    "bitwise_xor": Row("biu", operator.xor, 2, "any"),
    "bitwise_invert": Row("biu", lambda x: not x if isinstance(x, bool) else ~x, domain="bits"),
    "bitwise_left_shift": Row("iu", operator.lshift, 2, "left"),
    "bitwise_right_shift": Row("iu", operator.rshift, 2, "right"),
    **{f"logical_{name}": Row("b", function, 2) for name, function in
       {"and": operator.and_, "or": operator.or_, "xor": operator.xor}.items()},
    "logical_not": Row("b", operator.not_),
    **{name: Row("biufc", function, 2, "any", "bool") for name, function in
       {"equal": operator.eq, "not_equal": operator.ne}.items()},
    **{name: Row("iuf", function, 2, "any", "bool") for name, function in
       {"less": operator.lt, "less_equal": operator.le, "greater": operator.gt,
        "greater_equal": operator.ge}.items()},
    "isfinite": Row("iufc", lambda x: True, domain="any", result="bool"),
    **{name: Row("iufc", lambda x: False, domain="any", result="bool")
       for name in ("isinf", "isnan")},
    "signbit": Row("f", lambda x: x < 0, result="bool"),
}  # fmt: skip

OPERATORS = {
    "__abs__": "abs", "__neg__": "negative", "__pos__": "positive", "__invert__": "bitwise_invert",
    "__add__": "add", "__sub__": "subtract", "__mul__": "multiply", "__truediv__": "divide",
    "__floordiv__": "floor_divide", "__mod__": "remainder", "__pow__": "pow",
    "__and__": "bitwise_and", "__or__": "bitwise_or", "__xor__": "bitwise_xor",
    "__lshift__": "bitwise_left_shift", "__rshift__": "bitwise_right_shift",
    "__eq__": "equal", "__ne__": "not_equal", "__lt__": "less", "__le__": "less_equal",
    "__gt__": "greater", "__ge__": "greater_equal",
}  # fmt: skip
COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")


# --- operands and references ----------------------------------------------------------------------


@cache
def operands(name: str, dtype: str) -> tuple[Host, ...]:
    """Operands of ``SHAPE`` for which the standard says what the result is.

    Integers never overflow, which would be the library's business.
    """
    row, kind = ROWS[name], np.dtype(dtype).kind
    rng = generator(f"{name}[{dtype}]")
    if kind == "b":
        return tuple(rng.random(SHAPE) < 0.5 for _ in range(row.arity))
    if kind in "iu":
        return _integers(row, dtype, rng)
    if kind == "c":
        return tuple(_complex(rng, dtype) for _ in range(row.arity))
    low, high = row.domain if isinstance(row.domain, tuple) else (-9, 9)
    columns = [rng.uniform(low, high, COUNT) for _ in range(row.arity)]
    if row.domain in ("any", "division", "bounds"):  # halves and quarters: exact, and often equal
        columns = [np.where(x == 0, 1, x) for x in (np.round(x * 4) / 4 for x in columns)]
    if row.domain == "power":
        columns[0] = np.abs(columns[0])
    if row.domain == "bounds":
        columns[1:] = np.minimum(*columns[1:]), np.maximum(*columns[1:])
    return tuple(x.reshape(SHAPE).astype(dtype) for x in columns)


def _complex(rng: np.random.Generator, dtype: str) -> Host:
    parts = rng.uniform(-5, 5, (2, *SHAPE)).astype(real_part(dtype))
    return (parts[0] + 1j * parts[1]).astype(dtype)


def _integers(row: Row, dtype: str, rng: np.random.Generator) -> tuple[Host, ...]:
    info = np.iinfo(dtype)
    low, high, bits = int(info.min), int(info.max), info.bits

    def draw(least: int, most: int) -> Host:
        """Numbers of all magnitudes, and the bounds."""
        found = rng.integers(least, most, COUNT, dtype, endpoint=True)
        found >>= rng.integers(0, bits, COUNT).astype(dtype)
        found[:2] = least, most
        return found.clip(least, most).reshape(SHAPE)

    root = math.isqrt(high)
    match row.domain:
        case "sum":
            return draw(low // 2, high // 2), draw(low // 2, high // 2)
        case "difference":
            first, second = draw(0, high), draw(0, high)
            return (np.maximum(first, second), np.minimum(first, second)) if low == 0 else (
                draw(low // 2, high // 2), draw(low // 2, high // 2))  # fmt: skip
        case "product":
            return tuple(draw(-root if low else 0, root) for _ in range(row.arity))
        case "power":
            return draw(-3 if low else 0, 3), draw(0, 4)
        case "division":
            divisor = draw(1, high)
            negative = rng.random(SHAPE) < 0.5 * (low < 0)
            # Without the minimum, whose quotient by -1 is none of the dtype.
            return draw(low + (low < 0), high), np.where(negative, -divisor, divisor)
        case "signed":
            return (draw(low + 1 if low else 0, high),)
        case "bounds":
            columns = [draw(low, high) for _ in range(3)]
            return columns[0], np.minimum(*columns[1:]), np.maximum(*columns[1:])
        case "left":
            return draw(0, 7), rng.integers(0, bits - 4, SHAPE).astype(dtype)
        case "right":
            return draw(low, high), rng.integers(0, bits, SHAPE).astype(dtype)
        case _:
            columns = [draw(low, high) for _ in range(row.arity)]
            columns[-1].reshape(-1)[::7] = columns[0].reshape(-1)[::7]  # equal pairs
            return tuple(columns)


def reference(name: str, dtype: str, hosts: tuple[Host, ...]) -> Host:
    """The true results, of Python's integers or of mpmath with 200 bits, rounded to double."""
    row = ROWS[name]
    shape = np.broadcast_shapes(*(x.shape for x in hosts))
    result = {"bool": "bool", "real": real_part(dtype), "": dtype}[row.result]
    if name == "nextafter":  # of bits, not of numbers; NumPy's is the C library's
        return np.nextafter(*hosts)
    import mpmath

    function = getattr(mpmath, row.reference) if isinstance(row.reference, str) else row.reference
    kind = np.dtype(dtype).kind
    enter = {"f": mpmath.mpf, "c": mpmath.mpc}.get(kind, lambda x: x)
    modulus = 2 ** (
        8 * np.dtype(result).itemsize
    )  # ~x of an unsigned integer is negative in Python
    leave = {"f": float, "c": complex, "u": lambda x: x % modulus}.get(
        np.dtype(result).kind, lambda x: x
    )
    columns = (x.reshape(-1).tolist() for x in np.broadcast_arrays(*hosts))
    with mpmath.workprec(200):
        found = [leave(function(*map(enter, given))) for given in zip(*columns, strict=True)]
    return np.array(found, dtype=result).reshape(shape)


@cache
def expected(name: str, dtype: str) -> Host:
    return reference(name, dtype, operands(name, dtype))
