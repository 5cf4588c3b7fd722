"""What numba compiles where it is installed (the extra ``jit``): functions of float32, a choice.

A compiled function is a ufunc, so it is called like NumPy's, costs the same on small arrays and
gives an element the same bits wherever it stands. It is made when a function first meets float32,
for arrays of all sizes at once: numba is imported then, and the function compiled, or loaded from
the cache that numba keeps on the disk.
"""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from numr_api._backends import Kernel
from numr_api._backends.cpu.blocks import AnyArray, in_blocks
from numr_api._backends.cpu.repairs_vectorised import has_feature, has_wide_vectors
from numr_api._backends.cpu.transcendental import shared
from numr_api._declare import large_kernels

__all__ = [
    "NAMES",
    "check_setting",
    "find_compiled",
    "find_loop",
    "find_selection",
    "obstacle",
    "state",
]

# NumPy's err by more than 2 units in the last place, on one processor or another. For vectors of
# 512 bits LLVM leaves tan a loop of single numbers, ten times as slow as what repairs it there.
NAMES = ("asin", "exp", "expm1", "log", "log10", *(() if has_wide_vectors() else ("tan",)))

GATED = ("gelu_erf", "gelu", "relu", "sigmoid", "silu")

# Functions of the extensions, by the module that has their loops.
LOOPS = {
    **dict.fromkeys(("gelu_erf", "gelu_tanh", "sigmoid", "silu"), "jit_activations"),
    **{f"{name}_mul": "jit_activations" for name in GATED},
    **{f"{name}_mul_backward": "jit_gradients" for name in GATED},
    **dict.fromkeys(("l2_normalize", "log_softmax", "logsumexp"), "jit_rows"),
    **dict.fromkeys(("softmax", "softmax_backward"), "jit_rows"),
    **dict.fromkeys(("snake_beta", "snake_beta_backward"), "jit_rows"),
    "fwht": "jit_hadamard",
}

SETTING = "NUMR_API_JIT"


@cache
def setting() -> str:
    """0 for never, 1 for always, and nothing for where numba is installed."""
    return os.environ.get(SETTING, "")


def check_setting() -> None:
    """Find fault with NUMR_API_JIT, without importing numba."""
    if setting() not in ("", "0", "1"):
        raise ValueError(f"{SETTING}: needs 0 or 1, got {setting()!r}")
    if setting() == "1" and find_spec("numba") is None:
        raise ImportError(f"{SETTING}=1 needs numba; pip install 'numr-api[jit]'")


@cache
def obstacle() -> str:
    """Why nothing is compiled; nothing if it is."""
    if setting() == "0":
        return f"{SETTING}=0"
    if find_spec("numba") is None:
        return "numba is not installed"
    # Without the instruction each call of fma is one of a function.
    if platform.machine() in ("x86_64", "AMD64") and not has_feature("FMA3", "X86_V3"):
        return "the processor does not multiply and add at once"
    try:
        import_module("numba")
    except ImportError as error:  # numba refuses versions of NumPy that it does not know
        if setting() == "1":
            raise
        return f"numba cannot be imported: {error}"
    return ""


def state() -> str:
    """What compiles, or why nothing does."""
    return f"none; {obstacle()}" if obstacle() else f"numba {import_module('numba').__version__}"


def find_compiled(name: str) -> Kernel | None:
    """The ufunc of float32 arrays, not to be given an ``out`` with gaps; None if there is none."""
    return None if obstacle() else compiled(name)


@cache
def compiled(name: str) -> np.ufunc:
    """The ufunc of that name, for float32; ``large_kernels`` has what to call for many elements."""
    ufunc = made(name, ["float32(float32)"])
    large_kernels[ufunc] = shared(gapless(ufunc))
    return ufunc


@cache
def find_selection() -> np.ufunc | None:
    """The ufunc of a mask's bytes and two integer arrays of one dtype; None if there is none."""
    integers = ("int8", "int16", "int32", "int64")
    return None if obstacle() else made("select", [f"{t}(int8, {t}, {t})" for t in integers])


@cache
def find_loop(name: str) -> Kernel | None:
    """What a function of the extensions does with arrays of float32; None if there is nothing.

    It takes operands, options and then the arrays that it writes to, all without gaps.
    """
    if name not in LOOPS or obstacle():
        return None
    numba = import_module("numba")
    function, signature = import_module(f"{__package__}.{LOOPS[name]}").LOOPS[name]
    options = {"nogil": True, "error_model": "numpy"}
    try:
        return numba.njit(signature, cache=True, **options)(function)
    except RuntimeError:  # numba finds no folder that it can write to
        return numba.njit(signature, **options)(function)


def made(name: str, signatures: list[str]) -> np.ufunc:
    """A function of ``jit_functions`` as a ufunc."""
    vectorize = import_module("numba").vectorize
    function = getattr(import_module("numr_api._backends.cpu.jit_functions"), name)
    try:
        vectorized = vectorize(signatures, nopython=True, cache=True)(function)
    except RuntimeError:  # numba finds no folder that it can write to
        vectorized = vectorize(signatures, nopython=True)(function)
    return vectorized.ufunc  # what that calls, after steps in Python that cost as much again


def gapless(ufunc: np.ufunc) -> Kernel:
    """A kernel that copies, block by block, what is not in one piece.

    That is faster than the ufunc itself; and where ``out`` has gaps and the operand has none, the
    ufunc, as numba makes it, writes into the gaps.
    """
    by_blocks = in_blocks(lambda x: ufunc(np.ascontiguousarray(x)))

    def kernel(x: AnyArray, out: AnyArray | None = None) -> Any:
        if x.flags.forc if out is None else x.flags.c_contiguous and out.flags.c_contiguous:
            return ufunc(x, out=out)
        return by_blocks(x, out)

    return kernel
