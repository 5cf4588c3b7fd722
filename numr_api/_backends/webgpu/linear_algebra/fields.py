"""Arithmetic for kernels that are written once for real and complex elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numr_api._backends.webgpu.types import Type

# V is the type of elements, R that of their real parts. V + V, V - V, -V and V * R are WGSL's own.
REAL = """
alias R = {real};
alias V = {real};
fn times(a: V, b: V) -> V {{ return a * b; }}
fn conjugate(a: V) -> V {{ return a; }}
fn real_part(a: V) -> R {{ return a; }}
fn from_real(a: R) -> V {{ return a; }}
fn size(a: V) -> R {{ return abs(a); }}
fn larger_part(a: V) -> R {{ return abs(a); }}
fn size_squared(a: V) -> R {{ return a * a; }}
fn divided(a: V, b: V) -> V {{ return divide_{real}(a, b); }}
fn is_finite(a: V) -> bool {{ return is_finite_{real}(a); }}
"""
COMPLEX = """
alias R = {real};
alias V = vec2<{real}>;
fn times(a: V, b: V) -> V {{ return V(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }}
fn conjugate(a: V) -> V {{ return V(a.x, -a.y); }}
fn real_part(a: V) -> R {{ return a.x; }}
fn from_real(a: R) -> V {{ return V(a, R(0)); }}
fn size(a: V) -> R {{ return abs_{suffix}(a); }}
fn larger_part(a: V) -> R {{ return max(abs(a.x), abs(a.y)); }}
fn size_squared(a: V) -> R {{ return a.x * a.x + a.y * a.y; }}
fn divided(a: V, b: V) -> V {{ return divide_{suffix}(a, b); }}
fn is_finite(a: V) -> bool {{ return is_finite_{suffix}(a); }}
"""
BOTH = """
fn quotient(a: R, b: R) -> R {{ return divide_{real}(a, b); }}
fn root(a: R) -> R {{ return sqrt_{real}(a); }}
"""
# Exponents n for which x / 2^n is between 1/2 and 1, or as near as leaves 2^n and 2^-n normal.
EXPONENTS = {
    "f32": """
fn power_of_two(n: i32) -> f32 { return power_of_two_f32(n); }
fn bounded_exponent(x: f32) -> i32 {
    return clamp(i32(bitcast<u32>(x) >> 23u), 1, 252) - 126;
}""",
    "f64": """
fn power_of_two(n: i32) -> f64 { return power_of_two_f64(n); }
fn bounded_exponent(x: f64) -> i32 {
    return clamp(i32(high_word_f64(x) >> 20u), 1, 2044) - 1022;
}""",
}


def real_of(kind: Type) -> str:
    """The WGSL type of a type's real part."""
    return kind.compute.removeprefix("vec2<").removesuffix(">")


def field(kind: Type) -> str:
    """The types and functions above for a floating-point type."""
    text = (COMPLEX if kind.kind == "c" else REAL) + BOTH
    return text.format(real=real_of(kind), suffix=kind.suffix)
