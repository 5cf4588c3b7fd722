"""Facts of the array API standard 2025.12: names, signatures, accepted dtypes, promotion.

``standard_2025_12.txt`` holds each name with its signature; the rest are tables by name.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")

# Chapters of the standard, as in standard_2025_12.txt, and topics that go across them.
CHAPTERS: dict[str, str] = {
    "constants": "Constants",
    "dtypes": "Data types",
    "data_types": "Data type objects",
    "data_type_functions": "Data type functions",
    "type_promotion": "Type promotion",
    "creation_functions": "Creation functions",
    "elementwise_functions": "Element-wise functions",
    "array_methods": "Array methods and operators",
    "array_attributes": "Array attributes",
    "indexing": "Indexing and assignment",
    "indexing_functions": "Indexing functions",
    "manipulation_functions": "Manipulation functions",
    "searching_functions": "Searching functions",
    "set_functions": "Set functions",
    "sorting_functions": "Sorting functions",
    "statistical_functions": "Statistical functions",
    "utility_functions": "Utility functions",
    "linear_algebra_functions": "Linear algebra functions",
    "linalg": "Linear algebra extension",
    "fft": "Fourier transform extension",
    "info": "Inspection",
}


# --- names and signatures -------------------------------------------------------------------------


class Entry(NamedTuple):
    """A name of the standard.

    Attributes:
        parameters: without parentheses; None for what is not called.
        since: version of the standard that added the name.
    """

    chapter: str
    name: str
    parameters: str | None
    since: str


def _read_entry(line: str) -> Entry:
    chapter, declaration, since = re.split(r"\s{2,}", line)
    match = re.fullmatch(r"(\w+)(?:\((.*)\))?", declaration)
    assert match is not None, f"cannot read {line!r}"
    return Entry(chapter, match[1], match[2], since)


ENTRIES = tuple(
    _read_entry(line)
    for line in Path(__file__)
    .with_name("standard_2025_12.txt")
    .read_text(encoding="utf-8")
    .splitlines()
    if line and not line.startswith("#")
)


def names(*chapters: str) -> set[str]:
    """The names of chapters."""
    return {entry.name for entry in ENTRIES if entry.chapter in chapters}


def signature(entry: Entry) -> inspect.Signature:
    """The signature of an entry that is called, without annotations."""
    return inspect.signature(eval(f"lambda {entry.parameters}: None"))


@cache
def chapter_of(function: str) -> str:
    """The chapter of a function, method or operator, "linalg.inv" among them."""
    chapter, _, name = function.rpartition(".")
    if chapter or name in IN_PLACE_OPERATORS or name in REFLECTED_OPERATORS:
        return chapter or "array_methods"
    return next(x.chapter for x in ENTRIES if x.name == name and x.chapter not in _REPEATING)


# Chapters whose names may be those of others.
_REPEATING = ("linalg", "fft", "data_types")


# --- operators ------------------------------------------------------------------------------------

UNARY_OPERATORS = {
    "__abs__": "abs",
    "__invert__": "bitwise_invert",
    "__neg__": "negative",
    "__pos__": "positive",
}
ARITHMETIC_OPERATORS = {
    "__add__": "add",
    "__and__": "bitwise_and",
    "__floordiv__": "floor_divide",
    "__lshift__": "bitwise_left_shift",
    "__matmul__": "matmul",
    "__mod__": "remainder",
    "__mul__": "multiply",
    "__or__": "bitwise_or",
    "__pow__": "pow",
    "__rshift__": "bitwise_right_shift",
    "__sub__": "subtract",
    "__truediv__": "divide",
    "__xor__": "bitwise_xor",
}
COMPARISONS = {
    "__eq__": "equal",
    "__ge__": "greater_equal",
    "__gt__": "greater",
    "__le__": "less_equal",
    "__lt__": "less",
    "__ne__": "not_equal",
}
IN_PLACE_OPERATORS = {f"__i{name[2:]}": f for name, f in ARITHMETIC_OPERATORS.items()}
REFLECTED_OPERATORS = {f"__r{name[2:]}": f for name, f in ARITHMETIC_OPERATORS.items()}

# Each operator and the function that it equals, special cases included.
OPERATORS = UNARY_OPERATORS | ARITHMETIC_OPERATORS | COMPARISONS
ALL_OPERATORS = OPERATORS | IN_PLACE_OPERATORS


# --- dtypes ---------------------------------------------------------------------------------------

# The kinds that ``isdtype`` and ``__array_namespace_info__().dtypes`` have to know.
KINDS: dict[str, tuple[str, ...]] = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]

REAL_PART = {"complex64": "float32", "complex128": "float64"}
COMPLEX_OF = {"float32": "complex64", "float64": "complex128"}

# What functions accept, in the standard's words.
ACCEPTED: dict[str, tuple[str, ...]] = {
    "any": KINDS["bool"] + KINDS["numeric"],
    "numeric": KINDS["numeric"],
    "real-valued": KINDS["integral"] + KINDS["real floating"],
    "floating-point": KINDS["real floating"] + KINDS["complex floating"],
    "real floating-point": KINDS["real floating"],
    "complex floating-point": KINDS["complex floating"],
    "integer": KINDS["integral"],
    "integer or boolean": KINDS["bool"] + KINDS["integral"],
    "boolean": KINDS["bool"],
}


def _by_name(rows: dict[str, str]) -> dict[str, str]:
    return {name: key for key, functions in rows.items() for name in functions.split()}


# The dtypes for which the dtype of the result is defined: the standard has `divide` and `real` take
# integers as well, but leaves open what comes out.
UNARY_ACCEPTS = _by_name(
    {
        "numeric": "abs conj isfinite isinf isnan negative positive round sign square",
        "real-valued": "ceil floor trunc",
        "floating-point": "acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p "
        "log2 real reciprocal sin sinh sqrt tan tanh",
        "real floating-point": "signbit",
        "complex floating-point": "imag",
        "integer or boolean": "bitwise_invert",
        "boolean": "logical_not",
    }
)
BINARY_ACCEPTS = _by_name(
    {
        "any": "equal not_equal",
        "numeric": "add multiply pow subtract",
        "real-valued": "floor_divide greater greater_equal less less_equal maximum minimum "
        "remainder",
        "floating-point": "divide",
        "real floating-point": "atan2 copysign hypot logaddexp nextafter",
        "integer": "bitwise_left_shift bitwise_right_shift",
        "integer or boolean": "bitwise_and bitwise_or bitwise_xor",
        "boolean": "logical_and logical_or logical_xor",
    }
)
# Over axes; the result of these does not depend on a second array's dtype.
REDUCTION_ACCEPTS = _by_name(
    {
        "any": "all any count_nonzero nonzero unique_values",
        "numeric": "cumulative_prod cumulative_sum diff prod sum",
        "real-valued": "argmax argmin argsort max min sort",
        "floating-point": "mean",
        "real floating-point": "std var",
    }
)
ACCEPTS = UNARY_ACCEPTS | BINARY_ACCEPTS | REDUCTION_ACCEPTS

# How the dtype of the result follows from the promoted dtype; "same" if not listed.
RESULTS = _by_name(
    {
        "bool": "all any equal greater greater_equal isfinite isinf isnan less less_equal "
        "logical_and logical_not logical_or logical_xor not_equal signbit",
        "real": "abs imag real",
        "index": "argmax argmin argsort count_nonzero nonzero",
        "accumulator": "cumulative_prod cumulative_sum prod sum",
    }
)


def accepted(function: str) -> tuple[str, ...]:
    """The dtypes for which the standard defines the function or operator."""
    return ACCEPTED[ACCEPTS[ALL_OPERATORS.get(function, function)]]


def result_dtype(function: str, dtype: str) -> str:
    """Dtype of an element-wise function's result, where operands promote to ``dtype``."""
    rule = RESULTS.get(ALL_OPERATORS.get(function, function), "same")
    if rule == "bool":
        return "bool"
    return REAL_PART.get(dtype, dtype) if rule == "real" else dtype


# --- promotion ------------------------------------------------------------------------------------

# Each dtype and those directly above it. Two dtypes promote to the lowest one above both.
_WIDER: dict[str, tuple[str, ...]] = {
    "int8": ("int16",),
    "int16": ("int32",),
    "int32": ("int64",),
    "uint8": ("uint16", "int16"),
    "uint16": ("uint32", "int32"),
    "uint32": ("uint64", "int64"),
    "float32": ("float64", "complex64"),
    "float64": ("complex128",),
    "complex64": ("complex128",),
}


@cache
def above(dtype: str) -> frozenset[str]:
    """A dtype and all that it can be promoted to."""
    return frozenset({dtype}).union(*(above(wider) for wider in _WIDER.get(dtype, ())))


@cache
def promote(first: str, second: str) -> str | None:
    """The dtype that two promote to; None where the standard leaves it open (mixed kinds)."""
    common = above(first) & above(second)
    return next((dtype for dtype in common if common <= above(dtype)), None)


def promote_scalar(dtype: str, scalar: type) -> str | None:
    """The dtype of an array with a Python scalar; None where the standard leaves it open."""
    if scalar is complex:
        return COMPLEX_OF.get(dtype, dtype if dtype in REAL_PART else None)
    compatible = {bool: "boolean", int: "numeric", float: "floating-point"}
    return dtype if dtype in ACCEPTED[compatible[scalar]] else None
