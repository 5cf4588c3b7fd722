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
fn size_squared(a: V) -> R {{ return a.x * a.x + a.y * a.y; }}
fn divided(a: V, b: V) -> V {{ return divide_{suffix}(a, b); }}
fn is_finite(a: V) -> bool {{ return is_finite_{suffix}(a); }}
"""
BOTH = """
fn quotient(a: R, b: R) -> R {{ return divide_{real}(a, b); }}
fn root(a: R) -> R {{ return sqrt_{real}(a); }}
"""


def real_of(kind: Type) -> str:
    """The WGSL type of a type's real part."""
    return kind.compute.removeprefix("vec2<").removesuffix(">")


def field(kind: Type) -> str:
    """The types and functions above for a floating-point type."""
    text = (COMPLEX if kind.kind == "c" else REAL) + BOTH
    return text.format(real=real_of(kind), suffix=kind.suffix)
