"""The rows of element-wise operations: an expression for each kind of dtype.

Kinds are NumPy's letters, of the type that operands are promoted to: b, i, u, f, c; and I and U
for 64-bit integers as pairs of words. ``{t}`` stands for the type's suffix of library functions,
``{g}`` for that of those which depend on its grid of numbers, ``T`` for its WGSL type, ``R`` for
the real part's. Narrow integers are computed in 32 bits and cut when they are stored, narrow
floating-point numbers in float32 and rounded.
"""

from __future__ import annotations

from collections.abc import Mapping

from numr_api._backends.webgpu.expressions_activation import ACTIVATIONS

Row = Mapping[str, str]


EXPRESSIONS: dict[str, Row] = {
    # Arithmetic
    "abs": {"iuIc": "abs_{t}(a)", "U": "a", "f": "abs(a)"},
    "add": {"iufc": "a + b", "IU": "add_pair(a, b)"},
    "subtract": {"iufc": "a - b", "IU": "subtract_pair(a, b)"},
    "multiply": {"iuf": "a * b", "c": "multiply_{t}(a, b)", "IU": "multiply_pair(a, b)"},
    "divide": {"fc": "divide_{t}(a, b)"},
    "floor_divide": {"iuIf": "floor_divide_{t}(a, b)", "U": "divide_u64(a, b)"},
    "remainder": {"iuIUf": "remainder_{t}(a, b)"},
    "negative": {"if": "-a", "u": "T(0) - a", "c": "-a", "IU": "negative_pair(a)"},
    "positive": {"iuIUfc": "a"},
    "reciprocal": {"fc": "reciprocal_{t}(a)"},
    "square": {"iu": "a * a", "f": "a * a", "c": "square_{t}(a)", "IU": "square_pair(a)"},
    "pow": {"iu": "power_{t}(a, b)", "fc": "pow_{t}(a, b)", "IU": "power_pair(a, b)"},
    "sign": {"iuIUfc": "sign_{t}(a)"},
    "copysign": {"f": "copysign_{t}(a, b)"},
    "nextafter": {"f": "nextafter_{g}(a, b)"},
    "hypot": {"f": "hypot_{t}(a, b)"},
    "maximum": {"iu": "max(a, b)", "IUf": "maximum_{t}(a, b)"},
    "minimum": {"iu": "min(a, b)", "IUf": "minimum_{t}(a, b)"},
    "ceil": {"iuIU": "a", "f": "ceil_{t}(a)"},
    "floor": {"iuIU": "a", "f": "floor_{t}(a)"},
    "trunc": {"iuIU": "a", "f": "trunc_{t}(a)"},
    "round": {"iuIU": "a", "fc": "round_{t}(a)"},
    "conj": {"iuIUf": "a", "c": "T(a.x, -a.y)"},
    # Comparison and tests
    "equal": {"biuf": "a == b", "cIU": "all(a == b)"},
    # a != b is false for NaN: compilers take it for the opposite of an ordered comparison.
    "not_equal": {"biuf": "!(a == b)", "cIU": "!all(a == b)"},
    "less": {"iuf": "a < b", "IU": "less_{t}(a, b)"},
    "less_equal": {"iuf": "a <= b", "IU": "!less_{t}(b, a)"},
    "greater": {"iuf": "a > b", "IU": "less_{t}(b, a)"},
    "greater_equal": {"iuf": "a >= b", "IU": "!less_{t}(a, b)"},
    "isfinite": {"iuIU": "true", "fc": "is_finite_{t}(a)"},
    "isinf": {"iuIU": "false", "fc": "is_infinite_{t}(a)"},
    "isnan": {"iuIU": "false", "fc": "is_nan_{t}(a)"},
    "signbit": {"f": "is_negative_{t}(a)"},
    # Bits and logic
    "bitwise_and": {"b": "a && b", "iu": "a & b", "IU": "a & b"},
    "bitwise_or": {"b": "a || b", "iu": "a | b", "IU": "a | b"},
    "bitwise_xor": {"b": "a != b", "iu": "a ^ b", "IU": "a ^ b"},
    "bitwise_invert": {"b": "!a", "iu": "~a", "IU": "~a"},
    "bitwise_left_shift": {"iu": "shift_left_{t}(a, b)", "IU": "shift_left_pair(a, b)"},
    "bitwise_right_shift": {"iuIU": "shift_right_{t}(a, b)"},
    "logical_and": {"b": "a && b"},
    "logical_or": {"b": "a || b"},
    "logical_xor": {"b": "a != b"},
    "logical_not": {"b": "!a"},
    # Choice
    "where": {"biufc": "select(c, b, a)", "IU": "select(c, b, a)"},
    # Elementary functions, each by its own name
    **{
        name: {"fc": f"{name}_{{t}}(a)"}
        for name in (
            "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1",
            "log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh",
        )
    },
    "atan2": {"f": "atan2_{t}(a, b)"},
    "logaddexp": {"f": "logaddexp_{t}(a, b)"},
    **ACTIVATIONS,
}  # fmt: skip

# clip has bounds that may be missing; NaN in any operand gives NaN.
CLIP: dict[tuple[bool, bool], Row] = {
    (False, False): {"iuIUf": "a"},
    (True, False): {"iu": "max(a, b)", "IUf": "maximum_{t}(a, b)"},
    (False, True): {"iu": "min(a, b)", "IUf": "minimum_{t}(a, b)"},
    (True, True): {
        "iu": "min(max(a, b), c)",
        "IUf": "minimum_{t}(maximum_{t}(a, b), c)",
    },
}


def expression(row: Row, kind: str) -> str | None:
    """The expression of a row for a kind; None if it has none."""
    return next((text for kinds, text in row.items() if kind in kinds), None)
