"""Repairs of what NumPy computes with vectors of 512 bits, where the processor has them.

There many functions give other bits for an operand that is stored backwards, such as ``x[::-1]``,
or that shares memory with the result, since they leave the vector library for the C library; and
two of them are less accurate than the C library by far: tan and asin of float32 err by up to 3.9
and 3.1 units in the last place.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from numr_api._backends import Kernel
from numr_api._backends.cpu.blocks import AnyArray, given, meets

__all__ = ["accurate", "forwards", "has_feature", "has_wide_vectors", "repairs", "vector_length"]

# By kind of dtype, the functions whose bits depend on the direction.
DIRECTED = {
    "f": "acos acosh asin asinh atan atan2 atanh cos cosh exp expm1 log log10 log1p log2 pow sin "
    "sinh tan tanh",
    "c": "abs multiply square",
}
INACCURATE = ("asin", "tan")


def has_wide_vectors() -> bool:
    """Whether NumPy computes with vectors of 512 bits; True if it does not tell."""
    return has_feature("AVX512_SKX", "X86_V4")


def vector_length() -> int:
    """How many numbers of float32 NumPy computes with at once."""
    if has_wide_vectors():
        return 16
    return 8 if has_feature("AVX2", "X86_V3") else 4


def has_feature(*names: str) -> bool:
    """Whether the processor has what NumPy calls by one of the names; True if it does not tell."""
    try:
        features = import_module("numpy._core._multiarray_umath").__cpu_features__
        return any(bool(features.get(name)) for name in names)
    except (ImportError, AttributeError):
        return True


def repairs(others: dict[str, dict[str, Kernel]]) -> dict[str, dict[str, Kernel]]:
    """Repairs and, where they are needed, those of this module around them."""
    if not has_wide_vectors():
        return others
    for kind, names in DIRECTED.items():
        for name in names.split():
            kernels = others.setdefault(name, {})
            usual = accurate(name) if kind == "f" and name in INACCURATE else getattr(np, name)
            kernels[kind] = forwards(kernels.get(kind, usual))
    return others


def forwards(function: Kernel) -> Kernel:
    """The kernel that a function is for operands in the order of memory, apart from the result."""

    def kernel(*operands: AnyArray, out: AnyArray | None = None) -> Any:
        if out is None and len(operands) == 1 and operands[0].flags.forc:
            return function(*operands)  # the usual case, at a third of the overhead
        forward: list[AnyArray] = [x.copy() if _is_backwards(x) else x for x in operands]
        if out is None:
            return function(*forward)
        if _is_backwards(out) or meets(forward, out):
            return given(np.asarray(function(*forward)), out)
        return function(*forward, out=out)

    return kernel


def _is_backwards(x: AnyArray) -> bool:
    return isinstance(x, np.ndarray) and not x.flags.forc and min(x.strides) < 0


def accurate(name: str) -> Kernel:
    """The kernel of a function that computes float32 in double precision."""
    ufunc = getattr(np, name)

    def kernel(x: AnyArray, out: AnyArray | None = None) -> Any:
        if x.dtype != np.float32:
            return ufunc(x, out=out)
        result = np.empty_like(x) if out is None else out
        return ufunc(x, out=result, dtype=np.float64, casting="same_kind")

    return kernel
