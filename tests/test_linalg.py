"""linalg: products, diagonals and traces, and what holds for every function."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matrices import FLOATING, as_parts, assert_close, numbers, positive_definite

import numr_api as xp
from numr_api import linalg

# What each function needs: one matrix of the given sort.
SQUARE: dict[str, Callable[..., Any]] = {
    "cholesky": linalg.cholesky,
    "det": linalg.det,
    "eig": linalg.eig,
    "eigh": linalg.eigh,
    "eigvals": linalg.eigvals,
    "eigvalsh": linalg.eigvalsh,
    "inv": linalg.inv,
    "matrix_power": lambda x: linalg.matrix_power(x, 1),
    "slogdet": linalg.slogdet,
    "solve": lambda x: linalg.solve(x, x),
}
RECTANGULAR: dict[str, Callable[..., Any]] = {
    "matrix_norm": linalg.matrix_norm,
    "matrix_rank": linalg.matrix_rank,
    "pinv": linalg.pinv,
    "qr": linalg.qr,
    "svd": linalg.svd,
    "svdvals": linalg.svdvals,
}
OTHER: dict[str, Callable[..., Any]] = {
    "cross": lambda x: linalg.cross(x, x[..., ::-1]),
    "diagonal": linalg.diagonal,
    "trace": linalg.trace,
    "vector_norm": linalg.vector_norm,
}
FUNCTIONS = SQUARE | RECTANGULAR | OTHER


# Products, diagonals and traces


@pytest.mark.parametrize(
    ("shape1", "shape2", "axis"),
    [
        ((3,), (3,), -1),
        ((2, 3), (3,), -1),
        ((4, 1, 3), (5, 3), -1),
        ((4, 3, 1), (3, 5), -2),
        ((0, 3), (3,), -1),
    ],
    ids=str,
)
def test_cross_agrees_with_its_formula(
    shape1: tuple[int, ...], shape2: tuple[int, ...], axis: int
) -> None:
    a, b = numbers(shape1, "float64"), numbers(shape2, "complex128", 1)
    result = linalg.cross(xp.asarray(a), xp.asarray(b), axis=axis)
    assert result.shape == np.broadcast_shapes(shape1, shape2)
    assert result.dtype == xp.complex128
    expected = np.cross(np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1))
    np.testing.assert_allclose(np.moveaxis(np.asarray(result), axis, -1), expected, rtol=1e-13)


def test_cross_of_axes_is_the_third_axis_in_integers() -> None:
    x, y = xp.asarray([1, 0, 0], dtype=xp.int8), xp.asarray([0, 1, 0], dtype=xp.int16)
    result = linalg.cross(x, y)
    assert result.dtype == xp.int16
    assert np.asarray(result).tolist() == [0, 0, 1]


@pytest.mark.parametrize("axis", [0, 1, -3])
def test_cross_refuses_an_axis_that_is_not_counted_from_the_end(axis: int) -> None:
    with pytest.raises(IndexError, match=r"^linalg\.cross: axis must be from -1 to -1, got"):
        linalg.cross(xp.ones((3, 3)), xp.ones(3), axis=axis)


@pytest.mark.parametrize(("shape1", "shape2"), [((2,), (3,)), ((1,), (3,)), ((4,), (4,))])
def test_cross_refuses_vectors_of_another_length(
    shape1: tuple[int, ...], shape2: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match=r"^linalg\.cross: vectors must have 3 elements, got"):
        linalg.cross(xp.ones(shape1), xp.ones(shape2))


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "complex128"])
@pytest.mark.parametrize("lengths", [(2, 3), (0, 2), (1, 0)])
def test_outer_multiplies_each_with_each(dtype: str, lengths: tuple[int, int]) -> None:
    a, b = (np.arange(1, n + 1, dtype=dtype) for n in lengths)
    result = linalg.outer(xp.asarray(a), xp.asarray(b))
    assert result.dtype == np.dtype(dtype)
    assert result.shape == lengths
    assert np.asarray(result).tolist() == [[i * j for j in b.tolist()] for i in a.tolist()]


@pytest.mark.parametrize("shape", [(), (2, 2)], ids=str)
def test_outer_refuses_anything_but_vectors(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"^linalg\.outer: needs two vectors, got shapes"):
        linalg.outer(xp.ones(shape), xp.ones(2))


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (2, 3, 4), (0, 3), (3, 0), (0, 2, 2)])
@pytest.mark.parametrize("offset", range(-6, 7))
@pytest.mark.parametrize("order", ["contiguous", "transposed", "reversed"])
def test_diagonal_and_trace_at_every_offset(
    shape: tuple[int, ...], offset: int, order: str
) -> None:
    x = np.arange(math.prod(shape)).reshape(shape)
    if order == "transposed":
        x = np.swapaxes(x, -1, -2)
    elif order == "reversed":
        x = x[..., ::-1, ::-1]
    rows, columns = x.shape[-2:]
    pairs = [(i, i + offset) for i in range(rows) if 0 <= i + offset < columns]
    expected = np.zeros((*x.shape[:-2], len(pairs)), dtype=x.dtype)
    for k, (i, j) in enumerate(pairs):
        expected[..., k] = x[..., i, j]
    diagonal = linalg.diagonal(xp.asarray(x), offset=offset)
    assert diagonal.shape == expected.shape
    assert np.array_equal(np.asarray(diagonal), expected)
    trace = linalg.trace(xp.asarray(x), offset=offset)
    assert np.array_equal(np.asarray(trace), expected.sum(axis=-1))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "complex128"])
def test_diagonal_keeps_every_dtype(dtype: str) -> None:
    diagonal = linalg.diagonal(xp.asarray(np.eye(2, dtype=dtype)))
    assert diagonal.dtype == np.dtype(dtype)
    assert np.asarray(diagonal).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("int8", "int64"), ("uint8", "uint64"), ("int64", "int64"), ("float32", "float32"),
     ("complex64", "complex64")],
)  # fmt: skip
def test_trace_accumulates_as_sum_does(dtype: str, expected: str) -> None:
    trace = linalg.trace(xp.asarray(np.diag([100, 100, 100]).astype(dtype)))
    assert trace.dtype == np.dtype(expected)
    assert complex(trace) == 300


def test_trace_in_a_wider_dtype_does_not_overflow() -> None:
    x = xp.asarray(np.diag([3e38, 3e38]).astype("f4"))
    assert float(linalg.trace(x)) == math.inf
    wide = linalg.trace(x, dtype=xp.float64)
    assert wide.dtype == xp.float64
    assert float(wide) == 2 * float(np.float32(3e38))


def test_trace_refuses_a_dtype_it_cannot_sum_in() -> None:
    with pytest.raises(TypeError, match=r"^linalg\.trace.*bool"):
        linalg.trace(xp.eye(2), dtype=xp.bool)
    with pytest.raises(TypeError, match=r"^linalg\.trace: needs a numeric dtype, got bool"):
        linalg.trace(xp.asarray([[True]]))


# What holds for every function


def variants(x: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The same matrices in other memory layouts."""
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), dtype=x.dtype)
    wide[..., ::2] = x
    reverse = x[..., ::-1, ::-1].copy()
    transposed = np.swapaxes(np.swapaxes(x, -1, -2).copy(), -1, -2)
    return [wide[..., ::2], reverse[..., ::-1, ::-1], transposed]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", FLOATING)
def test_memory_layout_does_not_matter_and_input_is_not_changed(name: str, dtype: str) -> None:
    x = positive_definite((2, 3, 3), dtype)
    expected = as_parts(FUNCTIONS[name](xp.asarray(x)))
    for variant in variants(x):
        before = variant.copy()
        results = as_parts(FUNCTIONS[name](xp.asarray(variant)))
        assert np.array_equal(variant, before)
        for result, part in zip(results, expected, strict=True):
            assert result.dtype == part.dtype
            assert_close(result, part, dtype)


@pytest.mark.parametrize("function", ["inv", "solve", "det", "svdvals", "eigvalsh", "cholesky"])
def test_single_precision_is_rounded_once_from_double(function: str) -> None:
    x = positive_definite((30, 30), "float32")
    single = np.asarray(FUNCTIONS[function](xp.asarray(x)))
    double = np.asarray(FUNCTIONS[function](xp.asarray(x.astype("f8"))))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, double, rtol=2**-23, atol=1e-12)


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - {"diagonal"}))
@pytest.mark.parametrize("shape", [(1, 3, 3), (3, 3)], ids=str)
def test_results_can_be_written_to_and_share_nothing(name: str, shape: tuple[int, ...]) -> None:
    x = xp.asarray(positive_definite(shape, "float64"))
    before = np.asarray(x).copy()
    results = as_parts(FUNCTIONS[name](x))
    for result in results:
        result[...] = 99
    assert np.array_equal(np.asarray(x), before)
    assert all(np.all(np.asarray(result) == 99) for result in results)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_stay_on_the_device(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMR_API_DEVICES", "cpu,fake")
    x = xp.asarray(positive_definite((3, 3), "float32")).to_device("fake:1")  # without float64
    for result in as_parts(FUNCTIONS[name](x)):
        assert result.device == "fake:1"


def test_rank_has_the_default_integer_of_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMR_API_DEVICES", "cpu,fake")
    assert linalg.matrix_rank(xp.ones((2, 2), device="fake:2")).dtype == xp.int32


@pytest.mark.parametrize(
    "function",
    [linalg.solve, linalg.cross, linalg.outer, lambda x, y: linalg.pinv(x, rtol=y)],
)
def test_arrays_on_different_devices_are_refused(
    function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMR_API_DEVICES", "cpu,fake")
    with pytest.raises(ValueError, match=r"^linalg\..*: arrays are on different devices"):
        function(xp.eye(3), xp.eye(3, device="fake:0"))


@pytest.mark.parametrize("name", SQUARE | RECTANGULAR)
@pytest.mark.parametrize("dtype", ["int64", "bool", "uint8"])
def test_dtypes_that_are_not_floating_are_refused(name: str, dtype: str) -> None:
    with pytest.raises(TypeError, match=rf"^linalg\.{name}: needs a floating-point dtype, got "):
        FUNCTIONS[name](xp.asarray(np.eye(2, dtype=dtype)))


@pytest.mark.parametrize("name", [*SQUARE, *RECTANGULAR, "diagonal", "trace"])
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_arrays_without_two_axes_are_refused(name: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=rf"^linalg\.{name}: needs matrices \(two axes or more\)"):
        FUNCTIONS[name](xp.ones(shape))


@pytest.mark.parametrize("name", SQUARE)
def test_matrices_that_are_not_square_are_refused(name: str) -> None:
    message = rf"^linalg\.{name}: needs square matrices, got shape \(4, 2, 3\)$"
    with pytest.raises(ValueError, match=message):
        FUNCTIONS[name](xp.ones((4, 2, 3)))


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - {"cross", "solve"}))
def test_what_is_not_an_array_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^linalg\.{name}: expected a numr_api array, got list"):
        FUNCTIONS[name]([[1.0]])


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("dtype", FLOATING)
def test_numbers_that_are_not_finite_give_no_warning(name: str, value: float, dtype: str) -> None:
    x = positive_definite((3, 3), dtype)
    x[1, 1] = value
    try:
        FUNCTIONS[name](xp.asarray(x))
    except ValueError as error:
        assert str(error).startswith(f"linalg.{name}: ")  # noqa: PT017 - either is right


@pytest.mark.parametrize("name", ["det", "inv", "qr", "solve", "trace", "vector_norm"])
def test_nan_gives_nan(name: str) -> None:
    x = positive_definite((3, 3), "float64")
    x[0, 0] = math.nan
    assert all(
        np.isnan(np.asarray(part)).any() for part in as_parts(FUNCTIONS[name](xp.asarray(x)))
    )


@pytest.mark.parametrize("name", ["eig", "eigvals"])
def test_eigenvalues_of_a_matrix_with_nan_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^linalg\.{name}: a matrix contains NaN or an infinity"):
        FUNCTIONS[name](xp.asarray([[math.nan]]))


@pytest.mark.parametrize("name", ["svd", "svdvals", "pinv", "matrix_rank"])
def test_singular_values_of_a_matrix_with_nan_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^linalg\.{name}: the singular values do not converge"):
        FUNCTIONS[name](xp.asarray([[math.nan]]))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: linalg.cholesky(x, upper=1), TypeError, "cholesky: upper must be True or False"),
        (lambda x: linalg.svd(x, full_matrices=None), TypeError, "svd: full_matrices must be True"),
        (lambda x: linalg.qr(x, mode="r"), ValueError, "qr: mode must be 'reduced' or 'complete'"),
        (
            lambda x: linalg.diagonal(x, offset=0.0),
            TypeError,
            "diagonal: offset must be an integer",
        ),
        (lambda x: linalg.matrix_norm(x, keepdims=0), TypeError, "matrix_norm: keepdims must be"),
    ],
)
def test_wrong_parameters_are_refused(
    call: Callable[..., Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=rf"^linalg\.{message}"):
        call(xp.eye(2))


def test_products_are_those_of_the_main_namespace() -> None:
    for name in ("matmul", "matrix_transpose", "tensordot", "vecdot"):
        assert getattr(linalg, name) is getattr(xp, name)
