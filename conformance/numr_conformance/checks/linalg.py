"""Linear algebra: products against exact values, decompositions by what defines them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from numr_conformance.check import Check
from numr_conformance.checks._decompositions import cases as decompositions
from numr_conformance.checks._matrices import assert_near, wide
from numr_conformance.checks._tools import (
    LAYOUTS,
    Cases,
    Host,
    assert_equal,
    assert_true,
    continuous,
    distinct,
    numbers,
    of_kinds,
    real_part,
    sum_dtype,
)
from numr_conformance.target import DTYPES, Target

cases = Cases("linalg")


def checks(target: Target) -> Iterator[Check]:
    """Those of this module, then those of systems and decompositions."""
    return itertools.chain(cases.checks(target), decompositions.checks(target))


NUMERIC, FLOATS = of_kinds("iufc"), of_kinds("fc")


def small(dtype: str, shape: tuple[int, ...], name: str = "") -> Host:
    """Numbers 0 to 2 in size, whose products add up exactly, also in int8."""
    return (numbers(dtype, shape, name) % 3 if dtype[0] != "c" else
            np.round(numbers(dtype, shape, name) / 3)).astype(dtype)  # fmt: skip


# --- products -------------------------------------------------------------------------------------

MATMUL = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)),
          ((2, 3), (5, 3, 1)), ((2, 1, 2, 3), (3, 3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 3)),
          ((4, 2, 3), (3,)), ((3,), (4, 3, 2)), ((0, 2, 3), (3, 1)), ((1, 1), (1, 1))]  # fmt: skip


def matmul_of(x: Host, y: Host) -> Host:
    """The sum of products, by broadcasting."""
    a = x[None, :] if x.ndim == 1 else x
    b = y[:, None] if y.ndim == 1 else y
    out = np.sum(a[..., :, :, None] * b[..., None, :, :], axis=-2, dtype=a.dtype)
    if x.ndim == 1:
        out = out[..., 0, :]
    return out[..., 0] if y.ndim == 1 else out


@cases(
    "*", dtypes=NUMERIC, rows=itertools.product(("matmul", "linalg.matmul", "__matmul__"), MATMUL)
)
def product(target: Target, dtype: str, function: str, shapes: tuple[Any, Any]) -> None:
    x, y = small(dtype, shapes[0], "x"), small(dtype, shapes[1], "y")
    true = matmul_of(x.astype(wide(dtype)), y.astype(wide(dtype))).astype(dtype)
    result = target.find(function)(target.array(x), target.array(y))
    assert_equal(target, result, true, given=(x, y))


@cases("matmul", dtypes=NUMERIC, rows=itertools.product(LAYOUTS, LAYOUTS))
def product_of_layouts(target: Target, dtype: str, first: str, second: str) -> None:
    x, y = small(dtype, (3, 4), "x"), small(dtype, (4, 5), "y")
    result = target.xp.matmul(LAYOUTS[first](target, x), LAYOUTS[second](target, y))
    true = matmul_of(x.astype(wide(dtype)), y.astype(wide(dtype))).astype(dtype)
    assert_equal(target, result, true, given=(x, y))


@cases("matmul", dtypes=FLOATS)
def product_is_accurate(target: Target, dtype: str) -> None:
    """The classical bound: n eps sum(abs(x) abs(y)); half-precision multipliers exceed it."""
    x, y = continuous(dtype, (20, 300), "x"), continuous(dtype, (300, 20), "y")
    true = matmul_of(x.astype(wide(dtype)), y.astype(wide(dtype)))
    sizes = matmul_of(np.abs(x).astype("float64"), np.abs(y).astype("float64"))
    found = target.host(target.xp.matmul(target.array(x), target.array(y)))
    bound = 2 * 300 * float(np.finfo(dtype).eps) * sizes
    assert_true(bool(np.all(np.abs(found - true) <= bound)), "lost significance")


AXES = [0, 1, 2, ((0,), (1,)), ((1, 0), (0, 1)), ((-1,), (-2,)), ((), ())]


@cases("*", dtypes=NUMERIC, rows=itertools.product(("tensordot", "linalg.tensordot"), AXES))
def contraction(target: Target, dtype: str, function: str, axes: Any) -> None:
    x, y = small(dtype, (2, 3), "x"), small(dtype, (3, 2), "y")
    if axes == 2:
        y = small(dtype, (2, 3, 2), "y")
    pairs = (range(2 - axes, 2), range(axes)) if isinstance(axes, int) else axes
    left, right = ([a % z.ndim for a in p] for p, z in zip(pairs, (x, y), strict=True))
    if any(x.shape[a] != y.shape[b] for a, b in zip(left, right, strict=True)):
        y = small(dtype, (2, 3) if axes != ((1, 0), (0, 1)) else (3, 2), "y")
    free = [a for a in range(x.ndim) if a not in left], [a for a in range(y.ndim) if a not in right]
    length = math.prod(x.shape[a] for a in left)
    a = x.transpose(*free[0], *left).reshape(-1, length).astype(wide(dtype))
    b = y.transpose(*right, *free[1]).reshape(length, -1).astype(wide(dtype))
    shape = [x.shape[i] for i in free[0]] + [y.shape[i] for i in free[1]]
    true = matmul_of(a, b).reshape(shape).astype(dtype)
    result = target.find(function)(target.array(x), target.array(y), axes=axes)
    assert_equal(target, result, true, given=(x, y, axes))


VECDOT = [((3,), (3,), -1), ((2, 3), (3,), -1), ((2, 3), (2, 3), -2), ((2, 1, 4), (3, 4), -1),
          ((0, 3), (3,), -1), ((2, 0), (2, 0), -1)]  # fmt: skip


@cases("*", dtypes=NUMERIC, rows=[(f, *row) for f in ("vecdot", "linalg.vecdot") for row in VECDOT])
def dot(target: Target, dtype: str, function: str, first: Any, second: Any, axis: int) -> None:
    """The first operand is conjugated."""
    x, y = small(dtype, first, "x"), small(dtype, second, "y")
    products = np.conj(x.astype(wide(dtype))) * y
    true = np.sum(products, axis=axis, dtype=wide(dtype)).astype(dtype)
    result = target.find(function)(target.array(x), target.array(y), axis=axis)
    assert_equal(target, result, true, given=(x, y, axis))


@cases("linalg.outer", dtypes=NUMERIC, rows=[(2, 3), (1, 4), (0, 2)])
def outer(target: Target, dtype: str, n: int, m: int) -> None:
    x, y = small(dtype, (n,), "x"), small(dtype, (m,), "y")
    result = target.find("linalg.outer")(target.array(x), target.array(y))
    assert_equal(target, result, x[:, None] * y[None, :], given=(x, y))


@cases("linalg.cross", dtypes=of_kinds("ifc"), rows=[((3,), (3,), -1), ((4, 3), (3,), -1),
       ((3, 2), (3, 2), -2), ((2, 1, 3), (4, 3), -1), ((0, 3), (3,), -1)])  # fmt: skip
def cross(target: Target, dtype: str, first: Any, second: Any, axis: int) -> None:
    x, y = small(dtype, first, "x"), small(dtype, second, "y")
    a, b = np.moveaxis(x, axis, 0), np.moveaxis(y, axis, 0)
    parts = [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
    true = np.moveaxis(np.stack(parts), 0, axis).astype(dtype)
    result = target.find("linalg.cross")(target.array(x), target.array(y), axis=axis)
    assert_equal(target, result, true, given=(x, y, axis))


# --- views of matrices ----------------------------------------------------------------------------


@cases("*", dtypes=DTYPES, rows=itertools.product(
    ("matrix_transpose", "linalg.matrix_transpose"),
    ((2, 3), (4, 2, 3), (0, 2), (2, 1, 2, 3, 1))))  # fmt: skip
def transposed(target: Target, dtype: str, function: str, shape: tuple[int, ...]) -> None:
    host = distinct(dtype, shape)
    true = np.swapaxes(host, -1, -2)
    assert_equal(target, target.find(function)(target.array(host)), true, given=host)
    assert_equal(target, target.array(host).mT, true, given="mT")


@cases("linalg.diagonal", dtypes=DTYPES, rows=itertools.product(
    ((3, 3), (2, 4), (2, 3, 2), (0, 3)), (0, 1, -1, 3, -5)))  # fmt: skip
def diagonal(target: Target, dtype: str, shape: tuple[int, ...], offset: int) -> None:
    host = distinct(dtype, shape)
    places = [(i, i + offset) for i in range(shape[-2]) if 0 <= i + offset < shape[-1]]
    columns = [host[..., i, j] for i, j in places]
    true = np.stack(columns, -1) if columns else np.empty((*shape[:-2], 0), dtype)
    if not -shape[-2] <= offset <= shape[-1]:
        return  # beyond the matrix, of which the standard says nothing
    result = target.find("linalg.diagonal")(target.array(host), offset=offset)
    assert_equal(target, result, true, given=(host, offset))


@cases("linalg.trace", dtypes=NUMERIC, rows=itertools.product(
    ((3, 3), (2, 4), (2, 3, 2), (0, 3)), (0, 1, -1)))  # fmt: skip
def trace(target: Target, dtype: str, shape: tuple[int, ...], offset: int) -> None:
    host = small(dtype, shape)
    places = [(i, i + offset) for i in range(shape[-2]) if 0 <= i + offset < shape[-1]]
    true = sum((host[..., i, j].astype(wide(dtype)) for i, j in places),
               np.zeros(shape[:-2], wide(dtype)))  # fmt: skip
    result = target.find("linalg.trace")(target.array(host), offset=offset)
    assert_equal(target, result, true.astype(sum_dtype(target, dtype)), given=(host, offset))


@cases("linalg.trace", rows=[("int8", "int16"), ("float32", "float64")])
def trace_in_a_dtype(target: Target, source: str, dtype: str) -> None:
    host = small(source, (3, 3))
    true = np.asarray(np.trace(host.astype(dtype)), dtype)
    x, wanted = target.array(host), target.dtype(dtype)
    assert_equal(target, target.find("linalg.trace")(x, dtype=wanted), true, given=host)


# --- norms ----------------------------------------------------------------------------------------

ORDERS = (2, 1, math.inf, -math.inf, 0, 3, 2.5, -1, -2)


@cases("linalg.vector_norm", dtypes=FLOATS, rows=itertools.product(
    ORDERS, ((4,), (2, 3), (2, 3, 4)), (False, True)))  # fmt: skip
def vector_norm(target: Target, dtype: str, order: float, shape: Any, keepdims: bool) -> None:
    host = continuous(dtype, shape) + np.asarray(0.5, dtype)
    sizes = np.abs(host.astype(wide(dtype)))
    for axis in (None, 0, -1, *([(0, 1), (1,)] if len(shape) > 1 else [])):
        at = tuple(range(len(shape))) if axis is None else axis
        if math.isinf(order):
            true = (np.max if order > 0 else np.min)(sizes, axis=at, keepdims=keepdims)
        elif order == 0:
            true = np.sum(sizes != 0, axis=at, keepdims=keepdims).astype("longdouble")
        else:
            power = np.longdouble(order)
            true = np.sum(sizes**power, axis=at, keepdims=keepdims) ** (1 / power)
        result = target.find("linalg.vector_norm")(
            target.array(host), axis=axis, ord=order, keepdims=keepdims
        )
        wanted = real_part(dtype)
        assert_equal(target, result, true, dtype=wanted, ulp=64, given=(host, axis))


MATRIX_ORDERS: dict[Any, Callable[[Host, Host], Host]] = {  # of singular values and of sizes
    "fro": lambda s, x: np.sqrt(np.sum(x**2, (-2, -1))),
    "nuc": lambda s, x: np.sum(s, -1),
    1: lambda s, x: np.max(np.sum(x, -2), -1),
    -1: lambda s, x: np.min(np.sum(x, -2), -1),
    2: lambda s, x: np.max(s, -1),
    -2: lambda s, x: np.min(s, -1),
    math.inf: lambda s, x: np.max(np.sum(x, -1), -1),
    -math.inf: lambda s, x: np.min(np.sum(x, -1), -1),
}


@cases("linalg.matrix_norm", dtypes=FLOATS, rows=itertools.product(
    MATRIX_ORDERS, ((3, 3), (2, 4), (2, 3, 2), (0, 2, 2))))  # fmt: skip
def matrix_norm(target: Target, dtype: str, order: Any, shape: tuple[int, ...]) -> None:
    host = continuous(dtype, shape)
    double = host.astype("complex128" if dtype[0] == "c" else "float64")
    true = MATRIX_ORDERS[order](np.linalg.svd(double, compute_uv=False), np.abs(double))
    for keepdims in (False, True):
        wanted = true[..., None, None] if keepdims else true
        result = target.find("linalg.matrix_norm")(target.array(host), ord=order, keepdims=keepdims)
        assert_near(target, result, wanted, real_part(dtype), scale=10, given=(host, keepdims))
