"""How each dtype is stored in a buffer, what kernels compute it in, and how one becomes another.

| dtype | storage | computed as |
| --- | --- | --- |
| bool, int8, uint8 | bytes, four in a word | bool, i32, u32 |
| int16, uint16 | halves, two in a word | i32, u32 |
| float16, bfloat16 | halves, two in a word | f32, rounded once when it is stored |
| float8_e4m3fn, float8_e5m2 | bytes, four in a word | f32, likewise |
| int32, uint32, float32 | i32, u32, f32 | the same |
| int64, uint64 | i64, u64 | the same |
| int64, uint64 without shader-int64 | vec2<u32>, the low word first | the same, a "pair" |
| float64 | f64 | the same |
| complex64, complex128 | vec2<f32>, vec2<f64> | the same |
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from numr_api import _dtypes
from numr_api._rounding import scalar

if TYPE_CHECKING:
    from numr_api._backends import Scalar
    from numr_api._dtypes import DType

WORD = 0xFFFF_FFFF


@dataclass(frozen=True)
class Type:
    """A dtype as kernels see it.

    Attributes:
        name: the dtype's.
        kind: of the computed type, a letter of rows: NumPy's, or "I" and "U" for pairs.
        compute: the WGSL type that expressions have.
        suffix: of the library's functions for it.
        packed: how many elements share a word; 1 if none do.
        scalar: the WGSL type of an element in a binding, unless packed.
        vector: the WGSL type of 8 or 16 bytes in a binding, and how many elements these are.
        words: of a Python scalar among the parameters.
    """

    name: str
    kind: str
    compute: str
    suffix: str
    packed: int
    scalar: str
    vector: tuple[str, int]
    words: int

    @property
    def is_narrow(self) -> bool:
        """Whether it is a floating-point type that is computed as a wider one."""
        return self.packed > 1 and self.kind == "f"

    @property
    def computed(self) -> Type:
        """The type whose elements are what this one's are computed as."""
        return FLOAT32 if self.is_narrow else self

    @property
    def grid(self) -> str:
        """The suffix of functions that depend on which numbers the type has."""
        return self.name if self.is_narrow else self.suffix

    # Access to a binding

    def element(self, binding: str, index: str) -> str:
        """The element at an index of a binding that is an array of ``scalar``."""
        if self.packed == 1:
            return f"{binding}[{index}]"
        shift, mask = (2, 3) if self.packed == 4 else (1, 1)
        word = f"{binding}[({index}) >> {shift}u]"
        return self.unpack(word, f"(({index}) & {mask}u) * {32 // self.packed}u")

    def unpack(self, word: str, bit: str) -> str:
        """The element in a word from a bit on."""
        width = 32 // self.packed
        if self.is_narrow:
            return f"f32_from_{self.name}(extractBits({word}, {bit}, {width}u))"
        if self.kind == "b":
            return f"(extractBits({word}, {bit}, 8u) != 0u)"
        if self.kind == "i":
            return f"extractBits(bitcast<i32>({word}), {bit}, {width}u)"
        return f"extractBits({word}, {bit}, {width}u)"

    def bits(self, value: str) -> str:
        """A value's bits at the low end of a word; zeros above them."""
        if self.kind == "b":
            return f"select(0u, 1u, {value})"
        if self.is_narrow:
            return f"{self.name}_from_f32({value})"
        mask = "0xffu" if self.packed == 4 else "0xffffu"
        return f"(bitcast<u32>({value}) & {mask})" if self.kind == "i" else f"({value} & {mask})"

    def pack(self, values: Sequence[str]) -> str:
        """The word that holds so many values."""
        width = 32 // self.packed
        parts = [f"({self.bits(v)} << {i * width}u)" for i, v in enumerate(values)]
        return " | ".join(parts)

    def load(self, binding: str, first: str, name: str) -> tuple[list[str], list[str]]:
        """Four elements of a binding that is an array of ``vector``, from a multiple of four on.

        Returns the statements that load them, and an expression for each.
        """
        if self.packed == 4:
            lines = [f"let {name} = {binding}[({first}) >> 2u];"]
            return lines, [self.unpack(name, f"{8 * i}u") for i in range(4)]
        if self.packed == 2:
            lines = [f"let {name} = {binding}[({first}) >> 2u];"]
            return lines, [self.unpack(f"{name}.{'xy'[i // 2]}", f"{16 * (i % 2)}u")
                           for i in range(4)]  # fmt: skip
        each = self.vector[1]
        if each == 4:
            return [f"let {name} = {binding}[({first}) >> 2u];"], [f"{name}.{c}" for c in "xyzw"]
        if each == 1:
            return [], [f"{binding}[({first}) + {i}u]" for i in range(4)]
        lines = [f"let {name}{i} = {binding}[(({first}) >> 1u) + {i}u];" for i in range(2)]
        halves = ("xy", "zw") if self.vector[0].startswith("vec4") else ("x", "y")
        return lines, [f"{name}{i}.{half}" for i in range(2) for half in halves]

    def store(self, binding: str, first: str, values: Sequence[str]) -> list[str]:
        """The statements that put four values where ``load`` would find them."""
        if self.packed == 4:
            return [f"{binding}[({first}) >> 2u] = {self.pack(values)};"]
        vector, each = self.vector
        place = f"({first}) >> {2 if each == 4 or self.packed == 2 else 1}u"
        if self.packed == 2:
            halves = f"{self.pack(values[:2])}, {self.pack(values[2:])}"
            return [f"{binding}[{place}] = vec2<u32>({halves});"]
        if each == 4:
            return [f"{binding}[{place}] = {vector}({', '.join(values)});"]
        if each == 1:
            return [f"{binding}[({first}) + {i}u] = {value};" for i, value in enumerate(values)]
        pairs = (values[:2], values[2:])
        return [f"{binding}[({place}) + {i}u] = {vector}({', '.join(pair)});"
                for i, pair in enumerate(pairs)]  # fmt: skip

    def scalar_words(self, value: Scalar) -> tuple[int, ...]:
        """A Python scalar as words of parameters; raises OverflowError if out of range."""
        if self.kind in "b":
            return (int(bool(value)),)
        if self.kind in "iuIU":
            return _integer_words(self, int(value))  # type: ignore[arg-type]
        if self.is_narrow:
            return FLOAT32.scalar_words(float(scalar(value, _dtypes.BY_NAME[self.name])))
        single = self.name in ("float32", "complex64")
        parts = (value.real, value.imag) if self.kind == "c" else (value,)
        return tuple(word for part in parts for word in _float_words(float(part), single))  # type: ignore[arg-type]

    def scalar_from(self, words: Sequence[str]) -> str:
        """The expression that makes such a scalar of its words."""
        match self.compute:
            case "bool":
                return f"({words[0]} != 0u)"
            case "u32":
                return words[0]
            case "i32" | "f32":
                return f"bitcast<{self.compute}>({words[0]})"
            case "vec2<f32>":
                return f"bitcast<vec2<f32>>(vec2<u32>({words[0]}, {words[1]}))"
            case "vec2<u32>":
                return f"vec2<u32>({words[0]}, {words[1]})"
            case "vec2<f64>":
                low, high = (_wide(words[i], words[i + 1]) for i in (0, 2))
                return f"vec2<f64>(bitcast<f64>({low}), bitcast<f64>({high}))"
            case "u64":
                return _wide(*words)
            case _:
                return f"bitcast<{self.compute}>({_wide(*words)})"


FLOAT32 = Type("float32", "f", "f32", "f32", 1, "f32", ("vec4<f32>", 4), 1)


def _wide(low: str, high: str) -> str:
    return f"((u64({high}) << 32u) | u64({low}))"


def _integer_words(kind: Type, value: int) -> tuple[int, ...]:
    low, high = _dtypes.scalar_range(_dtypes.BY_NAME[kind.name])
    if not low <= value <= high:
        raise OverflowError(f"{value} is out of range of {kind.name} ({low} to {high})")
    return (value & WORD,) if kind.words == 1 else (value & WORD, value >> 32 & WORD)


def _float_words(value: float, single: bool) -> tuple[int, ...]:
    if not single:
        return struct.unpack("2I", struct.pack("d", value))
    try:
        return struct.unpack("I", struct.pack("f", value))
    except OverflowError:  # struct refuses what rounds to infinity
        return (0x7F80_0000 if value > 0 else 0xFF80_0000,)


def types_of(features: frozenset[str]) -> Mapping[DType, Type]:
    """The dtypes that a device with these features has."""
    found = {
        _dtypes.bool: Type("bool", "b", "bool", "bool", 4, "u32", ("u32", 4), 1),
        _dtypes.int8: Type("int8", "i", "i32", "i32", 4, "u32", ("u32", 4), 1),
        _dtypes.uint8: Type("uint8", "u", "u32", "u32", 4, "u32", ("u32", 4), 1),
        _dtypes.int16: Type("int16", "i", "i32", "i32", 2, "u32", ("vec2<u32>", 4), 1),
        _dtypes.uint16: Type("uint16", "u", "u32", "u32", 2, "u32", ("vec2<u32>", 4), 1),
        _dtypes.int32: Type("int32", "i", "i32", "i32", 1, "i32", ("vec4<i32>", 4), 1),
        _dtypes.uint32: Type("uint32", "u", "u32", "u32", 1, "u32", ("vec4<u32>", 4), 1),
        _dtypes.float32: FLOAT32,
        _dtypes.complex64: Type(
            "complex64", "c", "vec2<f32>", "c64", 1, "vec2<f32>", ("vec4<f32>", 2), 2
        ),
    }
    for dtype in _dtypes.HALVES:
        found[dtype] = Type(dtype.name, "f", "f32", "f32", 2, "u32", ("vec2<u32>", 4), 1)
    for dtype in _dtypes.EIGHTHS:
        found[dtype] = Type(dtype.name, "f", "f32", "f32", 4, "u32", ("u32", 4), 1)
    for dtype, pair, native in ((_dtypes.int64, "I", "i64"), (_dtypes.uint64, "U", "u64")):
        if "shader-int64" in features:
            vector = (f"vec2<{native}>", 2)
            found[dtype] = Type(
                dtype.name, pair.lower(), native, f"native_{native}", 1, native, vector, 2
            )
        else:
            vector = ("vec4<u32>", 2)
            found[dtype] = Type(
                dtype.name, pair, "vec2<u32>", native, 1, "vec2<u32>", vector, 2
            )  # fmt: skip
    if {"shader-f64", "shader-int64"} <= features:  # parameters of 64 bits need both
        found[_dtypes.float64] = Type("float64", "f", "f64", "f64", 1, "f64", ("vec2<f64>", 2), 2)
        found[_dtypes.complex128] = Type(
            "complex128", "c", "vec2<f64>", "c128", 1, "vec2<f64>", ("vec2<f64>", 1), 4
        )
    return found


# --- conversion -----------------------------------------------------------------------------------


def convert(source: Type, target: Type, value: str) -> str:
    """An expression of one type as one of another, as ``astype`` and promotion convert."""
    if source.compute == target.compute and (source.kind == target.kind or target.kind in "IU"):
        return value
    if target.kind == "b":
        return truth(source, value)
    if source.kind == "c":
        kept = target.compute.removeprefix("vec2<").removesuffix(">")
        return f"{target.compute}({kept}({value}.x), {kept}({value}.y))"
    if target.kind == "c":
        real = "f64" if target.compute == "vec2<f64>" else "f32"
        part = _to_real(source, real, value)
        return f"{target.compute}({part}, {real}(0))"
    if source.kind == "b":
        if target.kind in "IU":
            return f"vec2<u32>(select(0u, 1u, {value}), 0u)"
        return f"select({target.compute}(0), {target.compute}(1), {value})"
    if target.kind in "IU":
        return _to_pair(source, target, value)
    if target.is_narrow and source.packed == 1:  # rounded a second time when it is stored
        return f"odd_f32_from_{'f64' if source.kind == 'f' else source.suffix}({value})"
    if source.kind in "IU":
        if target.kind == "f":
            return f"f32_from_{source.suffix}({value})"
        return f"{target.compute}({value}.x)"  # the low word
    if source.compute == "f32" and target.compute in ("i32", "u32"):
        if target.packed > 1:  # negative numbers wrap, as NumPy's do
            return f"{target.compute}(i32_from_f32({value}))"
        return f"{target.compute}_from_f32({value})"  # WGSL's own stops short of the largest one
    if source.is_narrow and target.compute == "f64":
        return f"f64_from_narrow({value})"
    if (source.compute, target.compute) in (("i32", "u64"), ("u32", "i64")):
        # Wider first: where sign and width change at once, naga keeps the bits of 32.
        wider = "i64" if source.compute == "i32" else "u64"
        return f"{target.compute}({wider}({value}))"
    return f"{target.compute}({value})"


def _to_real(source: Type, real: str, value: str) -> str:
    if source.kind == "b":
        return f"select({real}(0), {real}(1), {value})"
    if source.kind in "IU":
        return f"f32_from_{source.suffix}({value})"
    if source.is_narrow and real == "f64":
        return f"f64_from_narrow({value})"
    return value if source.compute == real else f"{real}({value})"


def _to_pair(source: Type, target: Type, value: str) -> str:
    if source.kind == "f":
        return f"{target.suffix}_from_f32({value})"
    return f"pair_from_{source.compute}({value})"


def truth(source: Type, value: str) -> str:
    """Whether an expression is not zero; NaN is not, which only its bits tell on every device."""
    word = "u64" if "f64" in source.compute else "u32"
    zero = "0lu" if word == "u64" else "0u"
    match source.kind:
        case "b":
            return value
        case "f":
            return f"((bitcast<{word}>({value}) << 1u) != {zero})"
        case "c":
            bits = f"bitcast<{word}>({value}.x) | bitcast<{word}>({value}.y)"
            return f"((({bits}) << 1u) != {zero})"
        case "I" | "U":
            return f"any({value} != vec2<u32>(0u))"
        case _:
            return f"({value} != {source.compute}(0))"
