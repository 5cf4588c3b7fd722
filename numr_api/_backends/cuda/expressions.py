"""The rows of element-wise operations: an expression for each kind of dtype.

Kinds are NumPy's letters of the type that operands are promoted to: b, i, u, f, c; "h" is those of
16 bits where they have an expression of their own, faster than that of float32. The operands are
``a``, ``b`` and ``c`` of type ``T`` (the first operand of where is a bool); functions are those of
the sources, which are overloaded for all types. Integers go through functions even for sums, since
the overflow of signed ones is undefined in C++.
"""

from __future__ import annotations

from collections.abc import Mapping

from numr_api._backends.cuda.activations import ACTIVATIONS

Row = Mapping[str, str]

EXPRESSIONS: dict[str, Row] = {
    # Arithmetic
    "abs": {"iu": "magnitude(a)", "fc": "abs(a)"},
    "add": {"iu": "added(a, b)", "fc": "a + b"},
    "subtract": {"iu": "subtracted(a, b)", "fc": "a - b"},
    "multiply": {"iu": "multiplied(a, b)", "fc": "a * b"},
    "divide": {"f": "a / b", "c": "divide(a, b)"},
    "floor_divide": {"iu": "floor_divided(a, b)", "f": "floor_divide(a, b)"},
    "remainder": {"iu": "remainder_of(a, b)", "f": "remainder(a, b)"},
    "negative": {"iu": "negated(a)", "fc": "-a"},
    "positive": {"biufc": "a"},
    "reciprocal": {"f": "T(1) / a", "c": "reciprocal(a)"},
    "square": {"iu": "multiplied(a, a)", "f": "a * a", "c": "square(a)"},
    "pow": {"iu": "integer_power(a, b)", "fc": "pow(a, b)"},
    "sign": {"iu": "sign_of_integer(a)", "fc": "sign(a)"},
    "copysign": {"f": "copysign_(a, b)"},
    "nextafter": {"f": "nextafter_(a, b)"},
    "hypot": {"f": "hypot(a, b)"},
    "maximum": {"iu": "larger_of(a, b)", "f": "maximum(a, b)"},
    "minimum": {"iu": "smaller_of(a, b)", "f": "minimum(a, b)"},
    "ceil": {"iu": "a", "f": "ceil(a)"},
    "floor": {"iu": "a", "f": "floor(a)"},
    "trunc": {"iu": "a", "f": "trunc(a)"},
    "round": {"iu": "a", "fc": "round(a)"},
    "conj": {"iuf": "a", "c": "conj(a)"},
    "real": {"iuf": "a", "c": "a.real"},
    "imag": {"c": "a.imag"},
    # Comparison and tests
    "equal": {"biufc": "a == b"},
    "not_equal": {"biufc": "a != b"},
    "less": {"iuf": "a < b"},
    "less_equal": {"iuf": "a <= b"},
    "greater": {"iuf": "a > b"},
    "greater_equal": {"iuf": "a >= b"},
    "isfinite": {"iu": "true", "fc": "isfinite_(a)"},
    "isinf": {"iu": "false", "fc": "isinf_(a)"},
    "isnan": {"iu": "false", "fc": "isnan_(a)"},
    "signbit": {"f": "signbit_(a)"},
    # Bits and logic
    "bitwise_and": {"biu": "a & b"},
    "bitwise_or": {"biu": "a | b"},
    "bitwise_xor": {"biu": "a ^ b"},
    "bitwise_invert": {"b": "!a", "iu": "~a"},
    "bitwise_left_shift": {"iu": "shifted_left(a, b)"},
    "bitwise_right_shift": {"iu": "shifted_right(a, b)"},
    "logical_and": {"b": "a && b"},
    "logical_or": {"b": "a || b"},
    "logical_xor": {"b": "a != b"},
    "logical_not": {"b": "!a"},
    # Choice
    "where": {"biufc": "a ? b : c"},
    # Elementary functions, each by its own name
    **{
        name: {"fc": f"{name}(a)"}
        for name in (
            "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "expm1", "log",
            "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh",
        )
    },
    "exp": {"h": "near_exp(a)", "fc": "exp(a)"},
    "atan2": {"f": "atan2(a, b)"},
    "logaddexp": {"f": "logaddexp(a, b)"},
    **ACTIVATIONS,
}  # fmt: skip

# clip has bounds that may be missing; NaN in any operand gives NaN.
CLIP: dict[tuple[bool, bool], Row] = {
    (False, False): {"iuf": "a"},
    (True, False): EXPRESSIONS["maximum"],
    (False, True): EXPRESSIONS["minimum"],
    (True, True): {
        "iu": "smaller_of(larger_of(a, b), c)",
        "f": "minimum(maximum(a, b), c)",
    },
}


def expression(row: Row, kind: str) -> str | None:
    """The expression of a row for a kind; None if it has none."""
    return next((text for kinds, text in row.items() if kind in kinds), None)
