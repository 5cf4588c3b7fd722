"""Relaxed mode: what strict refuses gives NumPy's values and dtypes; strict stays as it is."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._declare import OPS
from numr_api._dtypes import STANDARD
from numr_api.extensions import mode

REFUSALS = (TypeError, ValueError, IndexError, OverflowError)


def differs(found: Any, expected: Any) -> str:
    """How an outcome differs from NumPy's, in words; empty if it does not."""
    if isinstance(expected, tuple):
        pairs = zip(found, expected, strict=True)
        return "; ".join(filter(None, itertools.starmap(differs, pairs)))
    if isinstance(expected, np.ndarray | np.generic):
        host = np.asarray(found)
        wanted = expected.astype("float32") if expected.dtype == "float16" else expected
        if type(found).__name__ != "Array" or host.dtype != wanted.dtype:
            return f"dtype {host.dtype}, NumPy's is {wanted.dtype}"
        if host.shape != wanted.shape:
            return f"shape {host.shape}, NumPy's is {wanted.shape}"
        rtol = 1e-2 if expected.dtype == "float16" else 1e-6
        if not np.allclose(host, wanted, rtol=rtol, atol=1e-12, equal_nan=True):
            return f"{host}, NumPy's is {wanted}"
        return ""
    return "" if found == expected else f"{found!r}, NumPy's is {expected!r}"


def hosts(x: Any) -> Any:
    """Arrays as NumPy's, and sequences of such."""
    if isinstance(x, list | tuple):
        return type(x)(map(hosts, x))
    if isinstance(x, dict):
        return {key: hosts(value) for key, value in x.items()}
    return np.asarray(x) if type(x).__name__ == "Array" else x


J, F, B = xp.asarray([3, 1, 2]), xp.asarray([0.5, 1.5, 2.5]), xp.asarray([True, False, True])
F32 = xp.asarray([0.5, 1.5, 2.5], dtype=xp.float32)
I8, U8 = xp.asarray([3, -1, 2], dtype=xp.int8), xp.asarray([3, 1, 2], dtype=xp.uint8)
M = xp.asarray([[2, 1], [1, 3]])
ZERO_D = xp.asarray(1.5, dtype=xp.float32)

# Calls that strict refuses: the function's name, arguments, keywords. NumPy has the same names.
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("add", (J, F), {}), ("add", (J, F32), {}), ("add", (I8, F32), {}), ("add", (B, J), {}),
    ("add", (B, B), {}), ("multiply", (B, F), {}), ("add", (J, 1.5), {}), ("add", (F32, True), {}),
    ("add", (B, 1), {}), ("multiply", (J, 2j), {}),
    ("subtract", (I8, xp.astype(U8, xp.uint64)), {}),
    ("divide", (J, J), {}), ("divide", (J, 2), {}), ("divide", (B, B), {}),
    ("divide", (I8, I8), {}),
    ("floor_divide", (J, F), {}), ("remainder", (F, J), {}), ("pow", (J, 0.5), {}),
    ("pow", (F, J), {}), ("maximum", (B, B), {}), ("minimum", (J, F), {}), ("abs", (B,), {}),
    ("less", (J, F), {}), ("less", (B, B), {}), ("equal", (B, J), {}), ("less", (J, 1.5), {}),
    ("less", (U8, 1000), {}), ("equal", (U8, -1), {}), ("greater", (300, I8), {}),
    ("bitwise_and", (B, J), {}), ("bitwise_xor", (B, 3), {}), ("logical_and", (J, F), {}),
    ("logical_not", (J,), {}), ("sqrt", (J,), {}), ("exp", (B,), {}), ("sin", (I8,), {}),
    ("atan2", (J, J), {}), ("log1p", (U8,), {}), ("hypot", (J, F32), {}), ("sqrt", (2,), {}),
    ("maximum", (1, 2.5), {}), ("isnan", (B,), {}), ("imag", (F,), {}), ("signbit", (J,), {}),
    ("where", (B, J, F), {}), ("where", (B, 1, 2.5), {}), ("where", (J, F, 0), {}),
    ("where", (B, True, J), {}), ("clip", (J, 0.5, 2.5), {}),
    ("clip", (F32, xp.asarray(1.0), None), {}),
    ("clip", (I8, None, F), {}),
    ("mean", (J,), {}), ("mean", (B,), {}), ("var", (J,), {"correction": 1}), ("std", (I8,), {}),
    ("var", (xp.asarray([1j, 2.0]),), {}), ("std", (xp.asarray([1j, 2.0]),), {}),
    ("sum", (B,), {}), ("prod", (B,), {}), ("max", (B,), {}), ("min", (B,), {"keepdims": True}),
    ("argmax", (B,), {}), ("sum", (F32,), {"dtype": "float64"}), ("sum", (J,), {"dtype": float}),
    ("cumulative_sum", (B,), {}), ("cumulative_prod", (B,), {"include_initial": True}),
    ("sort", (B,), {}), ("argsort", (B,), {}), ("searchsorted", (F, J), {}), ("isin", (J, F), {}),
    ("diff", (B,), {}), ("diff", (J,), {"append": 7}),
    ("diff", (M,), {"axis": 0, "prepend": 1.5}), ("diff", (M,), {"append": True, "n": 2}),
    ("concat", ([J, F],), {}), ("stack", ([B, J],), {"axis": 1}),
    ("matmul", (M, F[:2]), {}), ("tensordot", (J, F), {"axes": 1}), ("vecdot", (J, F), {}),
    ("matmul", (M, B[:2]), {}), ("linalg.det", (M,), {}), ("linalg.inv", (M,), {}),
    ("linalg.solve", (M, F[:2]), {}), ("linalg.svdvals", (M,), {}), ("linalg.outer", (J, F), {}),
    ("linalg.vector_norm", (J,), {}), ("linalg.matrix_norm", (M,), {}),
    ("linalg.trace", (M > 1,), {}),
    ("linalg.matrix_power", (M, 3), {}), ("fft.fft", (J,), {}), ("fft.rfft", (B,), {}),
    ("fft.irfft", (F,), {}), ("fft.fftshift", (J,), {}), ("full", ((2,), ZERO_D), {}),
    ("full", (2, xp.asarray(3)), {}), ("full", ((2, 3), F), {}),
    ("full", (2, 1.5), {"dtype": "int32"}),
    ("full", (2, True), {"dtype": float}), ("full_like", (J, xp.asarray(2.5)), {}),
    ("full_like", (J, 2.5), {}), ("full_like", (F, ZERO_D), {"dtype": np.float32}),
    ("arange", (0, ZERO_D), {"dtype": "float32"}), ("zeros", (2,), {"dtype": "int8"}),
    ("ones", (2,), {"dtype": np.dtype("float32")}), ("empty_like", (J,), {"dtype": complex}),
    ("eye", (2,), {"dtype": np.int16}), ("asarray", ([1.5, 2.5],), {"dtype": int}),
    ("asarray", ([[1, 2], [3, 4]],), {"dtype": "float32"}), ("astype", (J, "float32"), {}),
    ("astype", (J, np.uint8), {}), ("expand_dims", (1.5,), {"axis": 0}),
    ("broadcast_to", (2, (3,)), {}),
    ("asarray", ([xp.asarray(1), xp.asarray(2.5)],), {}),
    ("asarray", ([[xp.asarray(1), 2.5]],), {}),
    ("linspace", (-1, 1, 4), {"dtype": int}), ("linspace", (0, 1, 3), {"dtype": xp.bool}),
    ("arange", (0.0, 2.5), {"dtype": xp.int8}), ("arange", (np.asarray(3),), {}),
    ("take", (M, xp.asarray(1)), {"axis": 0}), ("take", (M, xp.asarray([[0, 3], [2, -1]])), {}),
    ("take", (M, xp.asarray([[0, 1]])), {"axis": -1}), ("take", (F, xp.asarray(0)), {}),
    ("meshgrid", (J, F), {}), ("reshape", (True, (1,)), {}),
]  # fmt: skip


def find(namespace: Any, name: str) -> Callable[..., Any]:
    return reduce(getattr, name.split("."), namespace)


def label(call: tuple[str, tuple[Any, ...], dict[str, Any]]) -> str:
    name, arguments, _ = call
    return "-".join([name, *(str(getattr(x, "dtype", type(x).__name__)) for x in arguments)])


LABELS = [f"{number}-{label(call)}" for number, call in enumerate(CALLS)]


@pytest.mark.parametrize("number", range(len(CALLS)), ids=LABELS)
def test_strict_refuses_and_relaxed_does_as_numpy(number: int) -> None:
    name, arguments, keywords = CALLS[number]
    with mode.strict(), pytest.raises(REFUSALS):
        find(xp, name)(*arguments, **keywords)
    with mode.relaxed():
        found = find(xp, name)(*arguments, **keywords)
    with np.errstate(all="ignore"):
        expected = find(np, name)(*hosts(arguments), **keywords)
    if name == "empty_like":
        assert found.dtype == expected.dtype
        return
    assert differs(found, expected if isinstance(expected, tuple) else np.asarray(expected)) == ""
    with mode.strict(), pytest.raises(REFUSALS):  # nothing that relaxed found is left to strict
        find(xp, name)(*arguments, **keywords)


# Every element-wise operation with every pair of dtypes

BINARY = [
    op for op in OPS.values() if op.family == "elementwise" and op.name not in ("where", "clip")
]
SAMPLES = {dtype: xp.astype(xp.asarray([1, 0, 2]), dtype) for dtype in STANDARD}
# Where NumPy's dtype is no use: its reciprocal of integers is 0 or 1.
ORDERED = {"maximum", "minimum", "less", "less_equal", "greater", "greater_equal"}
OWN = {("reciprocal", "b"), ("reciprocal", "i"), ("reciprocal", "u")}


def outcome(call: Callable[[], Any]) -> Any:
    """A result, or the type of the exception."""
    try:
        with np.errstate(all="ignore"):
            return call()
    except REFUSALS as error:
        return type(error)


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.name)
def test_every_operation_has_numpys_dtypes(op: Any) -> None:
    count = 2 if hasattr(getattr(np, op.name), "nin") and getattr(np, op.name).nin == 2 else 1
    wrong: list[str] = []
    for dtypes in itertools.product(STANDARD, repeat=count):
        operands = [SAMPLES[dtype] for dtype in dtypes]
        strict = outcome(lambda: op.function(*operands))  # noqa: B023
        with mode.relaxed():
            relaxed = outcome(lambda: op.function(*operands))  # noqa: B023
        again = outcome(lambda: op.function(*operands))  # noqa: B023
        if isinstance(strict, type):
            assert again is strict, dtypes
            expected = outcome(lambda: getattr(np, op.name)(*hosts(operands)))  # noqa: B023
            if isinstance(expected, type) or isinstance(relaxed, type):
                # NumPy orders complex numbers by their real parts, then their imaginary ones.
                ordered = op.name in ORDERED and any(dtype.kind == "c" for dtype in dtypes)
                if isinstance(expected, type) != isinstance(relaxed, type) and not ordered:
                    wrong.append(f"{dtypes}: {relaxed}, NumPy: {expected}")
            elif (op.name, dtypes[0].kind) not in OWN:
                how = differs(relaxed, np.asarray(expected))
                wrong += [f"{dtypes}: {how}"] if how else []
        else:
            assert differs(relaxed, np.asarray(strict)) == "", dtypes
    assert wrong == []
