"""The rows of reductions and scans: what is accumulated, for each operation and kind of dtype.

A row has four expressions: ``identity``; ``map``, which makes a value to accumulate of an element
x at a place ``index``; ``combine``, of two such values a and b; and ``finish``, which makes the
result of the last one. Kinds are those of element-wise rows; ``T`` stands for the element's WGSL
type, for sum and prod the result's, ``{t}`` and ``{r}`` for the suffixes of an element's and of the
result's functions, ``K`` for the type of keys, ``Scales`` for three numbers of the result's type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from numr_api._backends.webgpu.types import Type, convert, truth

CENTRED = ("var", "std")
DIVIDED = ("mean", *CENTRED)
WORD_TYPE = Type("uint32", "u", "u32", "u32", 1, "u32", ("vec4<u32>", 4), 1)


class Row(NamedTuple):
    """See above; ``accumulated`` is the WGSL type of what is accumulated."""

    identity: str
    combine: str
    map: str = "x"
    finish: str = "a"
    accumulated: str = "T"


ROWS: Mapping[str, Mapping[str, Row]] = {
    # The identity of a sum is -0, since 0 + -0 is 0.
    "sum": {
        "iu": Row("T(0)", "a + b"),
        "f": Row("T(-0.0)", "a + b"),
        "c": Row("T(-0.0, -0.0)", "a + b"),
        "IU": Row("T(0u, 0u)", "add_pair(a, b)"),
    },
    # Elements of var and std come without the mean; a divisor is declared by the kernel.
    "mean": {
        "f": Row("T(-0.0)", "a + b", finish="divide_{t}(a, divisor())"),
        "c": Row("T(-0.0, -0.0)", "a + b", finish="divide_{t}(a, divisor())"),
    },
    "var": {"f": Row("T(-0.0)", "a + b", "x * x", "divide_{t}(a, divisor())")},
    "std": {"f": Row("T(-0.0)", "a + b", "x * x", "sqrt_{t}(divide_{t}(a, divisor()))")},
    # Sums of squares in three scales; see norms.wgsl.
    "euclidean_norm": {
        "fc": Row("A()", "a + b", "squares_{t}(x)", "root_of_squares_{r}(a)", "Scales"),
    },
    "prod": {
        "iuf": Row("T(1)", "a * b"),
        "c": Row("T(1.0, 0.0)", "T(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)"),
        "IU": Row("T(1u, 0u)", "multiply_pair(a, b)"),
    },
    "max": {
        "iu": Row("{least}", "max(a, b)"),
        "IU": Row("{least}", "maximum_{t}(a, b)"),
        "f": Row("{least}", "max(a, b)", "key_nan_last_{t}(x)", "from_key_{t}(a)", "K"),
    },
    "min": {
        "iu": Row("{greatest}", "min(a, b)"),
        "IU": Row("{greatest}", "minimum_{t}(a, b)"),
        "f": Row("{greatest}", "min(a, b)", "key_nan_first_{t}(x)", "from_key_{t}(a)", "K"),
    },
    "any": {"biufcIU": Row("0u", "a | b", "select(0u, 1u, {true})", "a != 0u", "u32")},
    "all": {"biufcIU": Row("1u", "a & b", "select(0u, 1u, {true})", "a != 0u", "u32")},
    "count_nonzero": {"biufcIU": Row("0u", "a + b", "select(0u, 1u, {true})", "{index}", "u32")},
    # Here ``combine`` says whether b.key beats a.key; of equal keys the first index wins.
    "argmax": {
        "iu": Row("{least}", "b.key > a.key", "x", "{index}", "Found"),
        "I": Row("{least}", "less_i64(a.key, b.key)", "x", "{index}", "Found"),
        "U": Row("{least}", "less_u64(a.key, b.key)", "x", "{index}", "Found"),
        "f": Row("{least}", "b.key > a.key", "key_of_number_{k}(key_nan_last_{t}(x))",
                 "{index}", "Found"),
    },
    "argmin": {
        "iu": Row("{greatest}", "b.key < a.key", "x", "{index}", "Found"),
        "I": Row("{greatest}", "less_i64(b.key, a.key)", "x", "{index}", "Found"),
        "U": Row("{greatest}", "less_u64(b.key, a.key)", "x", "{index}", "Found"),
        "f": Row("{greatest}", "b.key < a.key", "key_of_number_{k}(key_nan_first_{t}(x))",
                 "{index}", "Found"),
    },
}  # fmt: skip

LEAST = {
    "i32": "~0x7fffffffi",
    "u32": "0u",
    "i64": "~0x7fffffffffffffffli",
    "u64": "0lu",
    "I": "vec2<u32>(0u, 0x80000000u)",
    "U": "vec2<u32>(0u, 0u)",
}
GREATEST = {
    "i32": "0x7fffffffi",
    "u32": "0xffffffffu",
    "i64": "0x7fffffffffffffffli",
    "u64": "0xfffffffffffffffflu",
    "I": "vec2<u32>(0xffffffffu, 0x7fffffffu)",
    "U": "vec2<u32>(0xffffffffu, 0xffffffffu)",
}
SIZES = {
    "f32": 4, "i32": 4, "u32": 4, "f64": 8, "i64": 8, "u64": 8,
    "vec2<f32>": 8, "vec2<u32>": 8, "vec2<f64>": 16,
    "vec3<f32>": 16, "vec3<f64>": 32,
}  # fmt: skip

FOUND = """struct Found {{ key: {key}, index: u32 }}
alias A = Found;
fn identity() -> A {{ return A({identity}, 0xffffffffu); }}
fn map(x: {source}, index: u32) -> A {{ return A({map}, index); }}
fn combine(a: A, b: A) -> A {{
    if {beats} || (all(b.key == a.key) && b.index < a.index) {{ return b; }}
    return a;
}}
fn follow(a: A, b: A) -> A {{
    if {beats} || a.index == 0xffffffffu {{ return b; }} // the identity loses to its own key
    return a;
}}
fn finish(a: A) -> {result} {{ return {finish}; }}
"""

VALUE = """alias A = {type};
fn identity() -> A {{ return {identity}; }}
fn map(x: {source}, index: u32) -> A {{ return {map}; }}
fn combine(a: A, b: A) -> A {{ return {combine}; }}
fn finish(a: A) -> {result} {{ return {finish}; }}
"""


@dataclass(frozen=True)
class Accumulator:
    """What kernels of an operation accumulate.

    Attributes:
        source, result: the types of the elements and of the outcome.
        declarations: WGSL of ``A``, ``identity``, ``map``, ``combine`` and ``finish``.
        follow: the function that combines, where all of a comes before b.
        size: of ``A`` in memory, in bytes.
        divided: whether ``finish`` calls ``divisor()``.
        centred: whether each row has a centre, which is taken from its elements.
    """

    source: Type
    result: Type
    declarations: str
    follow: str
    size: int
    divided: bool
    centred: bool


def accumulator(operation: str, source: Type, result: Type) -> Accumulator | None:
    """Of an operation on elements of a type; None if there is none."""
    sums = operation in ("sum", "prod")
    element = result if sums else source
    row = next((row for kinds, row in ROWS[operation].items() if element.kind in kinds), None)
    if row is None:
        return None
    key = {"f32": "i32", "f64": "i64"}.get(element.compute, element.compute)
    limit = element.kind if element.kind in "IU" else key
    index = "a.index" if row.accumulated == "Found" else "a"
    named = {
        "t": element.suffix,
        "r": result.suffix,
        "k": key,
        "least": LEAST.get(limit, ""),
        "greatest": GREATEST.get(limit, ""),
        "true": truth(source, "x"),
        "index": convert(WORD_TYPE, result, index),
    }
    filled = Row(*(text.format_map(named) for text in row))
    if row.accumulated == "Found":
        text = FOUND.format(
            key=key, identity=filled.identity, source=source.compute, map=filled.map,
            beats=filled.combine, result=result.compute, finish=filled.finish,
        )  # fmt: skip
        return Accumulator(source, result, text, "follow", 2 * SIZES[key], False, False)
    scales = f"vec3<{result.compute}>"
    kind = {"T": element.compute, "K": key, "u32": "u32", "Scales": scales}[row.accumulated]
    text = f"alias T = {element.compute};\n" + VALUE.format(
        type=kind, identity=filled.identity, source=source.compute,
        map=convert(source, result.computed, "x") if sums else filled.map,
        combine=filled.combine, result=result.compute, finish=filled.finish,
    )  # fmt: skip
    divided, centred = operation in DIVIDED, operation in CENTRED
    return Accumulator(source, result, text, "combine", SIZES[kind], divided, centred)
