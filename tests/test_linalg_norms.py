"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from matrices import FLOATING, numbers, real_dtype

import numr_api as xp
from numr_api import linalg

ORDERS = [1, -1, 2, -2, 3, -3, 0.5, -0.5, 2.5, 100, math.inf, -math.inf, 0]


def exact_norm(values: np.ndarray[Any, Any], order: float) -> float:
    """The norm of nonzero numbers by its formula, in Python floats."""
    sizes = [abs(complex(value)) for value in values.reshape(-1)]
    if order == 0:
        return len(sizes)
    if math.isinf(order):
        return max(sizes) if order > 0 else min(sizes)
    return math.fsum(size**order for size in sizes) ** (1 / order)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", FLOATING)
def test_vector_norm_agrees_with_its_formula(order: float, dtype: str) -> None:
    x = numbers((2, 3, 4), dtype)
    for axis, keepdims in ((None, False), (1, False), ((0, -1), True), ((2, 1, 0), False)):
        norm = linalg.vector_norm(xp.asarray(x), axis=axis, keepdims=keepdims, ord=order)
        axes = (0, 1, 2) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        axes = tuple(a % 3 for a in axes)
        lines = np.moveaxis(x, axes, range(len(axes)))
        lines = lines.reshape(-1, *lines.shape[len(axes) :])
        kept = lines.shape[1:]
        expected = np.array(
            [exact_norm(line, order) for line in lines.reshape(len(lines), -1).T]
        ).reshape(kept)
        if keepdims:
            expected = np.expand_dims(expected, axes)
        assert norm.dtype == np.dtype(real_dtype(dtype))
        assert norm.shape == expected.shape
        np.testing.assert_allclose(
            np.asarray(norm, dtype="f8"), expected, rtol=20 * np.finfo(dtype).eps
        )


@pytest.mark.parametrize("scale", [1.0, 2.0**1000, 2.0**-538, 2.0**-1072])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_euclidean_norm_is_exact_at_any_scale(scale: float, dtype: str) -> None:
    x = np.array([2, -3, 6], dtype=dtype) * scale
    assert float(linalg.vector_norm(xp.asarray(x))) == 7 * scale
    assert float(linalg.matrix_norm(xp.asarray(x[:, None]))) == 7 * scale


def test_euclidean_norms_of_different_scales_stand_side_by_side() -> None:
    x = np.array([[3, 4], [3e300, 4e300], [3e-300, 4e-300], [0, 0]])
    norms = np.asarray(linalg.vector_norm(xp.asarray(x), axis=1))
    np.testing.assert_allclose(norms, [5, 5e300, 5e-300, 0], rtol=4e-16)


@pytest.mark.parametrize("scale", [2.0**120, 2.0**-147])
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_euclidean_norm_in_single_precision_is_exact_at_any_scale(scale: float, dtype: str) -> None:
    x = (np.array([2, -3, 6]) * scale).astype(dtype)
    assert float(linalg.vector_norm(xp.asarray(x))) == 7 * scale


@pytest.mark.parametrize("order", [3, 0.5, -1, -2, 50])
@pytest.mark.parametrize("scale", [2.0**1000, 2.0**-1000])
def test_other_norms_do_not_overflow_on_the_way(order: float, scale: float) -> None:
    x = np.array([2.0, -3.0, 6.0])
    norm = float(linalg.vector_norm(xp.asarray(x * scale), ord=order))
    assert norm == pytest.approx(exact_norm(x, order) * scale, rel=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_vector_norm_of_special_values(order: float) -> None:
    def norm(*values: float) -> float:
        return float(linalg.vector_norm(xp.asarray(values), ord=order))

    if order > 0:
        assert norm(0.0, 0.0) == 0
        assert norm(1.0, -math.inf) == math.inf
    elif order < 0:
        assert norm(0.0, 1.0) == 0
        assert norm(math.inf, math.inf) == math.inf
    else:
        assert norm(0.0, math.inf, math.nan) == 2
    if order:
        assert math.isnan(norm(1.0, math.nan))


@pytest.mark.parametrize("order", ORDERS)
def test_norm_of_no_elements_is_zero_or_for_negative_orders_infinite(order: float) -> None:
    expected = math.inf if order < 0 else 0.0
    assert float(linalg.vector_norm(xp.zeros(0), ord=order)) == expected
    norms = linalg.vector_norm(xp.zeros((3, 0), dtype=xp.float32), axis=1, ord=order)
    assert norms.dtype == xp.float32
    assert np.asarray(norms).tolist() == [expected] * 3
    assert linalg.vector_norm(xp.zeros((3, 0)), axis=0, ord=order).shape == (0,)


@pytest.mark.parametrize("order", [1, 2, 3, -1, math.inf])
def test_vector_norm_over_no_axes_is_the_absolute_value(order: float) -> None:
    assert float(linalg.vector_norm(xp.asarray(-2.0), ord=order)) == 2
    norms = linalg.vector_norm(xp.asarray([3.0, -4.0]), axis=(), ord=order)
    assert np.asarray(norms).tolist() == [3.0, 4.0]


@pytest.mark.parametrize("order", ["fro", None, "nuc", 1, -1, 2, -2, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (2, 3, 4, 2), (0, 2, 2)], ids=str)
def test_matrix_norm_agrees_with_its_definition(
    order: Any, dtype: str, shape: tuple[int, ...]
) -> None:
    x = numbers(shape, dtype)
    wide = x.astype(complex)
    values = np.linalg.svdvals(wide)
    sizes = np.abs(wide)
    expected = {
        "fro": lambda: np.sqrt((sizes**2).sum((-2, -1))),
        None: lambda: np.sqrt((sizes**2).sum((-2, -1))),
        "nuc": lambda: values.sum(-1),
        1: lambda: sizes.sum(-2).max(-1),
        -1: lambda: sizes.sum(-2).min(-1),
        2: lambda: values[..., 0],
        -2: lambda: values[..., -1],
        math.inf: lambda: sizes.sum(-1).max(-1),
        -math.inf: lambda: sizes.sum(-1).min(-1),
    }[order]()
    norm = linalg.matrix_norm(xp.asarray(x), ord=order)
    assert norm.dtype == np.dtype(real_dtype(dtype))
    np.testing.assert_allclose(np.asarray(norm), expected, rtol=50 * np.finfo(dtype).eps)
    kept = linalg.matrix_norm(xp.asarray(x), ord=order, keepdims=True)
    assert np.array_equal(np.asarray(kept), np.asarray(norm)[..., None, None])


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 0, 3)], ids=str)
@pytest.mark.parametrize("order", ["fro", "nuc", 1, 2, math.inf])
def test_norm_of_an_empty_matrix_is_zero(shape: tuple[int, ...], order: Any) -> None:
    norm = linalg.matrix_norm(xp.zeros(shape), ord=order)
    assert np.array_equal(np.asarray(norm), np.zeros(shape[:-2]))


def test_smallest_of_no_sums_is_infinite() -> None:
    assert float(linalg.matrix_norm(xp.zeros((3, 0)), ord=-1)) == math.inf
    assert float(linalg.matrix_norm(xp.zeros((0, 3)), ord=-1)) == 0
    assert float(linalg.matrix_norm(xp.zeros((0, 3)), ord=-math.inf)) == math.inf
    assert float(linalg.matrix_norm(xp.zeros((0, 3)), ord=-2)) == math.inf


@pytest.mark.parametrize(
    ("function", "order", "error"),
    [
        (linalg.vector_norm, "fro", TypeError),
        (linalg.vector_norm, True, TypeError),
        (linalg.vector_norm, 1j, TypeError),
        (linalg.vector_norm, None, TypeError),
        (linalg.vector_norm, math.nan, ValueError),
        (linalg.matrix_norm, 3, ValueError),
        (linalg.matrix_norm, 0, ValueError),
        (linalg.matrix_norm, "frobenius", ValueError),
        (linalg.matrix_norm, True, TypeError),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_unknown_norm_is_refused(function: Any, order: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=rf"^linalg\.{function.__name__}"):
        function(xp.eye(2), ord=order)


def test_vector_norm_refuses_axes_that_are_not_there() -> None:
    with pytest.raises(IndexError, match=r"^linalg\.vector_norm: axis 2 is out of bounds"):
        linalg.vector_norm(xp.eye(2), axis=2)
    with pytest.raises(ValueError, match=r"^linalg\.vector_norm: an axis is named twice"):
        linalg.vector_norm(xp.eye(2), axis=(0, -2))
    with pytest.raises(TypeError, match=r"^linalg\.vector_norm: keepdims must be True or False"):
        linalg.vector_norm(xp.eye(2), keepdims=1)  # type: ignore[arg-type]
