"""The special cases of the array API standard 2025.12 for the element-wise functions, as data.

A row reads ``conditions -> expectations``, as in ``"-0 odd<0 -> -inf"``. There is one condition per
real operand, or per part (real, imaginary) of each complex operand, and one expectation per
part of the result; ``special_values`` says what their names mean. Every row holds on its own:
operands that meet the conditions of two rows have to meet both expectations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple


class Row(NamedTuple):
    """One special case: names of ``special_values``."""

    conditions: tuple[str, ...]
    expectations: tuple[str, ...]

    def __str__(self) -> str:
        return f"{' '.join(self.conditions)} -> {' '.join(self.expectations)}"


def rows(text: str) -> Iterator[Row]:
    """The rows of a text in which they are separated by semicolons."""
    for row in text.split(";"):
        conditions, expectations = row.split("->")
        yield Row(tuple(conditions.split()), tuple(expectations.split()))


# --- real floating-point operands -----------------------------------------------------------------

_ZEROS_KEPT = "nan -> nan; +0 -> +0; -0 -> -0"
_SIGN_OF_QUOTIENT = """
        nan any -> nan; any nan -> nan; inf inf -> nan; 0 0 -> nan; +0 >0 -> +0; -0 >0 -> -0;
        +0 <0 -> -0; -0 <0 -> +0; >0 +0 -> +inf; >0 -0 -> -inf; <0 +0 -> -inf; <0 -0 -> +inf;
        +inf positive -> +inf; +inf negative -> -inf; -inf positive -> -inf;
        -inf negative -> +inf; positive +inf -> +0; positive -inf -> -0; negative +inf -> -0;
        negative -inf -> +0; nonzero same-sign-nonzero -> plus;
        nonzero other-sign-nonzero -> minus"""
_ROUNDING = "integer -> x1; +inf -> +inf; -inf -> -inf; +0 -> +0; -0 -> -0; nan -> nan"

REAL: dict[str, str] = {
    "abs": "nan -> nan; -0 -> +0; -inf -> +inf; number -> |x1|",
    "acos": "nan -> nan; >1 -> nan; <-1 -> nan; 1 -> +0",
    "acosh": "nan -> nan; <1 -> nan; 1 -> +0; +inf -> +inf",
    "add": """
        nan any -> nan; any nan -> nan; +inf -inf -> nan; -inf +inf -> nan; +inf +inf -> +inf;
        -inf -inf -> -inf; +inf finite -> +inf; -inf finite -> -inf; finite +inf -> +inf;
        finite -inf -> -inf; -0 -0 -> -0; -0 +0 -> +0; +0 -0 -> +0; +0 +0 -> +0;
        0 nonzero -> x2; nonzero 0 -> x1; nonzero -x1 -> +0; finite finite -> x1+x2""",
    "asin": _ZEROS_KEPT + "; >1 -> nan; <-1 -> nan",
    "asinh": _ZEROS_KEPT + "; +inf -> +inf; -inf -> -inf",
    "atan": _ZEROS_KEPT + "; +inf -> pi/2; -inf -> -pi/2",
    "atan2": """
        nan any -> nan; any nan -> nan; >0 +0 -> pi/2; >0 -0 -> pi/2; +0 >0 -> +0; +0 +0 -> +0;
        +0 -0 -> pi; +0 <0 -> pi; -0 >0 -> -0; -0 +0 -> -0; -0 -0 -> -pi; -0 <0 -> -pi;
        <0 +0 -> -pi/2; <0 -0 -> -pi/2; positive +inf -> +0; positive -inf -> pi;
        negative +inf -> -0; negative -inf -> -pi; +inf finite -> pi/2; -inf finite -> -pi/2;
        +inf +inf -> pi/4; +inf -inf -> 3pi/4; -inf +inf -> -pi/4; -inf -inf -> -3pi/4""",
    "atanh": _ZEROS_KEPT + "; <-1 -> nan; >1 -> nan; -1 -> -inf; 1 -> +inf",
    "ceil": _ROUNDING,
    "conj": "any -> x1",
    "copysign": """
        number <0 -> -|x1|; number -0 -> -|x1|; number +0 -> |x1|; number >0 -> |x1|;
        number -nan -> -|x1|; number +nan -> |x1|; nan <0 -> -nan; nan -0 -> -nan;
        nan +0 -> +nan; nan >0 -> +nan; nan -nan -> -nan; nan +nan -> +nan""",
    "cos": "nan -> nan; 0 -> 1; inf -> nan",
    "cosh": "nan -> nan; 0 -> 1; inf -> +inf",
    "divide": _SIGN_OF_QUOTIENT + "; finite nonzero -> x1/x2",
    "equal": """
        nan any -> false; any nan -> false; number =x1 -> true; number !=x1 -> false;
        inf finite -> false""",
    "exp": "nan -> nan; 0 -> 1; +inf -> +inf; -inf -> +0",
    "expm1": _ZEROS_KEPT + "; +inf -> +inf; -inf -> -1",
    "floor": _ROUNDING,
    "floor_divide": _SIGN_OF_QUOTIENT + "; finite nonzero -> x1//x2",
    "greater": "nan any -> false; any nan -> false",
    "greater_equal": "nan any -> false; any nan -> false",
    "hypot": """
        inf any -> +inf; any inf -> +inf; 0 any -> |x2|; any 0 -> |x1|; finite|nan nan -> nan;
        nan finite|nan -> nan""",
    "isfinite": "inf -> false; nan -> false; finite -> true",
    "isinf": "inf -> true; finite|nan -> false",
    "isnan": "nan -> true; number -> false",
    "less": "nan any -> false; any nan -> false",
    "less_equal": "nan any -> false; any nan -> false",
    "log": "nan -> nan; <0 -> nan; 0 -> -inf; 1 -> +0; +inf -> +inf",
    "log10": "nan -> nan; <0 -> nan; 0 -> -inf; 1 -> +0; +inf -> +inf",
    "log1p": _ZEROS_KEPT + "; <-1 -> nan; -1 -> -inf; +inf -> +inf",
    "log2": "nan -> nan; <0 -> nan; 0 -> -inf; 1 -> +0; +inf -> +inf",
    "logaddexp": "nan any -> nan; any nan -> nan; +inf number -> +inf; number +inf -> +inf",
    "maximum": "nan any -> nan; any nan -> nan",
    "minimum": "nan any -> nan; any nan -> nan",
    "multiply": """
        nan any -> nan; any nan -> nan; inf 0 -> nan; 0 inf -> nan; any same-sign -> plus;
        any other-sign -> minus; inf inf -> inf; inf nonzero -> inf; nonzero inf -> inf;
        finite finite -> x1*x2""",
    "negative": "any -> -x1",
    "nextafter": "nan any -> nan; any nan -> nan; -0 +0 -> +0; +0 -0 -> -0; number =x1 -> x2",
    "not_equal": """
        nan any -> true; any nan -> true; +inf -inf -> true; -inf +inf -> true;
        finite !=x1 -> true; number =x1 -> false""",
    "positive": "any -> x1",
    "pow": """
        !=1 nan -> nan; any 0 -> 1; nan !=0 -> nan; |x|>1 +inf -> +inf; |x|>1 -inf -> +0;
        |x|=1 inf -> 1; 1 number -> 1; |x|<1 +inf -> +0; |x|<1 -inf -> +inf; +inf >0 -> +inf;
        +inf <0 -> +0; -inf odd>0 -> -inf; -inf other>0 -> +inf; -inf odd<0 -> -0;
        -inf other<0 -> +0; +0 >0 -> +0; +0 <0 -> +inf; -0 odd>0 -> -0; -0 other>0 -> +0;
        -0 odd<0 -> -inf; -0 other<0 -> +inf; negative fraction -> nan""",
    "real": "any -> x1",
    "reciprocal": "nan -> nan; +0 -> +inf; -0 -> -inf; +inf -> +0; -inf -> -0",
    "remainder": """
        nan any -> nan; any nan -> nan; inf inf -> nan; 0 0 -> nan; 0 >0 -> +0; 0 <0 -> -0;
        any 0 -> nan; inf nonzero -> nan; positive +inf -> x1; positive -inf -> x2;
        negative +inf -> x2; negative -inf -> x1; finite nonzero -> x1%x2;
        finite positive -> plus; finite negative -> minus""",
    "round": _ROUNDING + "; half -> even",
    "sign": "<0 -> -1; 0 -> +0; >0 -> 1; nan -> nan",
    "signbit": """
        +0 -> false; -0 -> true; +inf -> false; -inf -> true; positive -> false;
        negative -> true; +nan -> false; -nan -> true""",
    "sin": _ZEROS_KEPT + "; inf -> nan",
    "sinh": _ZEROS_KEPT + "; +inf -> +inf; -inf -> -inf",
    "sqrt": _ZEROS_KEPT + "; <0 -> nan; +inf -> +inf",
    "square": "nan -> nan; 0 -> +0; inf -> +inf",
    "subtract": """
        nan any -> nan; any nan -> nan; +inf +inf -> nan; -inf -inf -> nan; +inf -inf -> +inf;
        -inf +inf -> -inf; +inf finite -> +inf; -inf finite -> -inf; finite +inf -> -inf;
        finite -inf -> +inf; -0 +0 -> -0; -0 -0 -> +0; +0 +0 -> +0; +0 -0 -> +0;
        0 nonzero -> -x2; nonzero 0 -> x1; nonzero =x1 -> +0; finite finite -> x1-x2""",
    "tan": _ZEROS_KEPT + "; inf -> nan",
    "tanh": _ZEROS_KEPT + "; +inf -> 1; -inf -> -1",
    "trunc": _ROUNDING,
}

# --- complex operands: conditions on (real, imaginary) of each operand ----------------------------

_COMPLEX_LOG = """
        finite +inf -> +inf pi/2; finite nan -> nan nan; -inf positive -> +inf pi;
        +inf positive -> +inf +0; -inf +inf -> +inf 3pi/4; +inf +inf -> +inf pi/4;
        inf nan -> +inf nan; nan finite -> nan nan; nan +inf -> +inf nan; nan nan -> nan nan"""
_COMPLEX_EXP_OF_NAN = "nan +0 -> nan +0; nan !=0 -> nan nan; nan nan -> nan nan"

COMPLEX: dict[str, str] = {
    "abs": """
        inf any -> +inf; any inf -> +inf; 0 any -> |x2|; any 0 -> |x1|; nan finite -> nan;
        finite nan -> nan; nan nan -> nan""",
    "acos": """
        0 +0 -> pi/2 -0; 0 nan -> pi/2 nan; finite +inf -> pi/2 -inf; nonzero nan -> nan nan;
        -inf positive -> pi -inf; +inf positive -> +0 -inf; -inf +inf -> 3pi/4 -inf;
        +inf +inf -> pi/4 -inf; inf nan -> nan inf; nan finite -> nan nan; nan +inf -> nan -inf;
        nan nan -> nan nan""",
    "acosh": """
        0 +0 -> +0 pi/2; finite +inf -> +inf pi/2; nonzero nan -> nan nan; +0 nan -> nan ±pi/2;
        -inf positive -> +inf pi; +inf positive -> +inf +0; -inf +inf -> +inf 3pi/4;
        +inf +inf -> +inf pi/4; inf nan -> +inf nan; nan finite -> nan nan;
        nan +inf -> +inf nan; nan nan -> nan nan""",
    "asinh": """
        +0 +0 -> +0 +0; positive +inf -> +inf pi/2; finite nan -> nan nan;
        +inf positive -> +inf +0; +inf +inf -> +inf pi/4; nan +0 -> nan +0;
        nan nonzero -> nan nan; nan +inf -> inf nan; nan nan -> nan nan""",
    "atanh": """
        +0 +0 -> +0 +0; +0 nan -> +0 nan; 1 +0 -> +inf +0; positive +inf -> +0 pi/2;
        nonzero nan -> nan nan; +inf positive -> +0 pi/2; +inf +inf -> +0 pi/2;
        +inf nan -> +0 nan; nan finite -> nan nan; nan +inf -> 0 pi/2; nan nan -> nan nan""",
    "conj": "any any -> x1 -x2",
    "cosh": """
        +0 +0 -> 1 +0; +0 +inf -> nan 0; +0 nan -> nan 0; nonzero +inf -> nan nan;
        nonzero nan -> nan nan; +inf +0 -> +inf +0; +inf nonzero -> inf*cos inf*sin;
        +inf +inf -> inf nan; +inf nan -> +inf nan; nan 0 -> nan 0; nan nonzero -> nan nan;
        nan nan -> nan nan""",
    "exp": """
        0 +0 -> 1 +0; finite +inf -> nan nan; finite nan -> nan nan; +inf +0 -> +inf +0;
        -inf finite -> 0*cos 0*sin; +inf nonzero -> inf*cos inf*sin; -inf +inf -> 0 0;
        +inf +inf -> inf nan; -inf nan -> 0 0; +inf nan -> inf nan;"""
    + _COMPLEX_EXP_OF_NAN,
    "expm1": """
        0 +0 -> +0 +0; finite +inf -> nan nan; finite nan -> nan nan; +inf +0 -> +inf +0;
        -inf finite -> -1 0*sin; +inf nonzero -> inf*cos inf*sin; -inf +inf -> -1 0;
        +inf +inf -> inf nan; -inf nan -> -1 0; +inf nan -> inf nan;"""
    + _COMPLEX_EXP_OF_NAN,
    "imag": "any any -> x2",
    "isfinite": """
        nan any -> false; any nan -> false; inf any -> false; any inf -> false;
        finite finite -> true""",
    "isinf": "inf any -> true; finite|nan inf -> true; finite|nan finite|nan -> false",
    "isnan": "nan any -> true; any nan -> true; number number -> false",
    "log": _COMPLEX_LOG + "; -0 +0 -> -inf pi; +0 +0 -> -inf +0",
    "log1p": _COMPLEX_LOG + "; -1 +0 -> -inf +0",
    "negative": "any any -> -x1 -x2",
    "positive": "any any -> x1 x2",
    "real": "any any -> x1",
    "sign": "0 0 -> +0 +0; nan any -> nan nan; any nan -> nan nan",
    "sinh": """
        +0 +0 -> +0 +0; +0 +inf -> 0 nan; +0 nan -> 0 nan; positive +inf -> nan nan;
        positive nan -> nan nan; +inf +0 -> +inf +0; +inf positive -> inf*cos inf*sin;
        +inf +inf -> inf nan; +inf nan -> inf nan; nan +0 -> nan +0; nan nonzero -> nan nan;
        nan nan -> nan nan""",
    "sqrt": """
        0 +0 -> +0 +0; any +inf -> +inf +inf; finite nan -> nan nan; -inf positive -> +0 +inf;
        +inf positive -> +inf +0; -inf nan -> nan inf; +inf nan -> +inf nan;
        nan finite -> nan nan; nan nan -> nan nan""",
    "tanh": """
        +0 +0 -> +0 +0; nonzero +inf -> nan nan; +0 +inf -> +0 nan; nonzero nan -> nan nan;
        +0 nan -> +0 nan; +inf positive -> 1 +0; +inf +inf -> 1 0; +inf nan -> 1 0;
        nan +0 -> nan +0; nan !=0 -> nan nan; nan nan -> nan nan""",
    "divide": "nan nan nan nan -> nan nan",
    "equal": """
        nan any any any -> false; any nan any any -> false; any any nan any -> false;
        any any any nan -> false""",
    "multiply": "nan nan nan nan -> nan nan",
    "not_equal": """
        nan any any any -> true; any nan any any -> true; any any nan any -> true;
        any any any nan -> true""",
}

# --- rules that the standard states for all operands ----------------------------------------------

# f(conj(z)) = conj(f(z)), f(-z) = -f(z), f(-z) = f(z).
CONJUGATE = """
    acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 sin sinh sqrt tan tanh
""".split()
ODD = "asinh atanh sinh tanh".split()
EVEN = ["cosh"]
# f(z) = -j g(jz), and cos(z) = cosh(jz): the rows of g, rotated by a right angle.
ROTATED = {"asin": "asinh", "atan": "atanh", "sin": "sinh", "tan": "tanh", "cos": "cosh"}
# Change of base: log2(z) = log(z) / log(2).
SCALED = {"log2": math.log(2), "log10": math.log(10)}
