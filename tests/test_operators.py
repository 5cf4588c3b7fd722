"""Operators: equal to their functions, reflected, in place, and with foreign operands."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._declare import OPS
from numr_api._dtypes import BY_NAME, DType

Operator = Callable[[Any, Any], Any]

# Python's name of the operator, of its function here, and the dtypes to try.
BINARY = [
    ("add", "add", "int16 float32 complex128"),
    ("sub", "subtract", "int16 float32 complex128"),
    ("mul", "multiply", "int16 float32 complex128"),
    ("truediv", "divide", "float32 complex128"),
    ("floordiv", "floor_divide", "int16 uint8 float32"),
    ("mod", "remainder", "int16 uint8 float32"),
    ("pow", "pow", "uint8 float32 complex128"),
    ("and_", "bitwise_and", "bool uint8 int64"),
    ("or_", "bitwise_or", "bool uint8 int64"),
    ("xor", "bitwise_xor", "bool uint8 int64"),
    ("lshift", "bitwise_left_shift", "uint8 int64"),
    ("rshift", "bitwise_right_shift", "uint8 int64"),
]
COMPARISONS = [
    ("eq", "equal", "bool int16 float32 complex128"),
    ("ne", "not_equal", "bool int16 float32 complex128"),
    ("lt", "less", "int16 float32"),
    ("le", "less_equal", "int16 float32"),
    ("gt", "greater", "int16 float32"),
    ("ge", "greater_equal", "int16 float32"),
]
UNARY = [
    ("abs", "abs", "int16 float32 complex128"),
    ("neg", "negative", "int16 float32 complex128"),
    ("pos", "positive", "int16 float32 complex128"),
    ("invert", "bitwise_invert", "bool uint8 int64"),
]


def cases(table: list[tuple[str, str, str]]) -> list[Any]:
    return [
        pytest.param(getattr(operator, python), name, BY_NAME[dtype], id=f"{python}-{dtype}")
        for python, name, dtypes in table
        for dtype in dtypes.split()
    ]


IN_PLACE = cases([(f"i{python.rstrip('_')}", name, dtypes) for python, name, dtypes in BINARY])


def first(dtype: DType) -> Any:
    return xp.asarray(np.array([7, 5, 0, 3, 1, 6]).astype(np.dtype(dtype)))


def second(dtype: DType) -> Any:
    return xp.asarray(np.array([2, 5, 1, 4, 3, 1]).astype(np.dtype(dtype)))


def scalar(dtype: DType) -> Any:
    return {"b": True, "i": 2, "u": 2, "f": 2.5, "c": 1 - 2j}[dtype.kind]


def assert_same(result: Any, expected: Any) -> None:
    assert type(result) is type(expected)
    assert result.dtype is expected.dtype
    assert np.array_equal(np.asarray(result), np.asarray(expected))


@pytest.mark.parametrize(("op", "name", "dtype"), cases(BINARY + COMPARISONS))
def test_operators_equal_functions(op: Operator, name: str, dtype: DType) -> None:
    function, x, y, number = OPS[name].function, first(dtype), second(dtype), scalar(dtype)
    assert_same(op(x, y), function(x, y))
    assert_same(op(x, number), function(x, number))
    assert_same(op(number, y), function(number, y))


@pytest.mark.parametrize(("op", "name", "dtype"), cases(UNARY))
def test_unary_operators_equal_functions(op: Any, name: str, dtype: DType) -> None:
    assert_same(op(first(dtype)), OPS[name].function(first(dtype)))


@pytest.mark.parametrize("kind", [int, np.int64, np.int8, np.uint16])
@pytest.mark.parametrize("dtype", [xp.int16, xp.uint8, xp.float32, xp.complex64], ids=str)
def test_numpy_scalars_count_as_python_scalars(kind: Any, dtype: DType) -> None:
    for python in ("add", "sub", "mul", "lt", "eq"):
        if python == "lt" and dtype is xp.complex64:
            continue
        op = getattr(operator, python)
        assert_same(op(first(dtype), kind(3)), op(first(dtype), 3))
        assert_same(op(kind(3), first(dtype)), op(3, first(dtype)))


def test_numpy_floats_keep_the_dtype_of_the_array() -> None:
    x = first(xp.float32)
    for result in (np.float64(2) * x, x * np.float64(2), np.float32(2) * x, x * np.float32(2)):
        assert_same(result, x + x)
    assert (np.complex128(1j) * x).dtype is xp.complex64
    y = first(xp.float64)
    y *= np.float32(2)
    assert_same(y, first(xp.float64) * 2)


@pytest.mark.parametrize(("op", "name", "dtype"), IN_PLACE)
def test_in_place_operators_write_to_the_array_and_its_views(
    op: Operator, name: str, dtype: DType
) -> None:
    for operand in (second(dtype), scalar(dtype), second(dtype)[:1], xp.asarray(scalar(dtype),
                    dtype=dtype)):  # fmt: skip
        x = first(dtype)
        view, memory, expected = x[1:], np.asarray(x), OPS[name].function(first(dtype), operand)
        result = op(x, operand)
        assert result is x
        assert_same(x, expected)
        assert_same(view, expected[1:])
        assert np.shares_memory(np.asarray(x), memory)


@pytest.mark.parametrize(("op", "name", "dtype"), IN_PLACE)
def test_in_place_operators_may_alias(op: Operator, name: str, dtype: DType) -> None:
    """As if the operand were a copy: ``x += x[::-1]``, ``x += x``, ``x[1:] += x[:-1]``."""
    function = OPS[name].function
    for part, operand in [
        (slice(None), slice(None, None, -1)),
        (slice(None), slice(None)),
        (slice(1, None), slice(None, -1)),
        (slice(None, -1), slice(1, None)),
        (slice(None), slice(1, 2)),
    ]:
        x = second(dtype)
        expected = function(second(dtype)[part], second(dtype)[operand])
        target = x[part]
        target = op(target, x[operand])
        assert_same(x[part], expected)


def test_in_place_operators_on_a_broadcast_view_leave_the_source_alone() -> None:
    source = xp.asarray([1.0, 2.0])
    x = xp.broadcast_to(source, (2, 2))
    x += 1
    assert np.asarray(x).tolist() == [[2, 3], [2, 3]]
    assert np.asarray(source).tolist() == [1, 2]


def test_in_place_operators_through_an_index_write_to_the_array() -> None:
    x = xp.asarray([[1, 2], [3, 4]])
    x[0, :] *= 10
    x[1, 1] -= 1
    assert np.asarray(x).tolist() == [[10, 20], [3, 3]]


@pytest.mark.parametrize(
    ("dtype", "other"),
    [(xp.float32, xp.asarray(1.0)), (xp.float32, 1j), (xp.int8, xp.asarray([300]))],
    ids=["float64", "complex", "int64"],
)
def test_in_place_operators_keep_the_dtype_or_refuse(dtype: DType, other: Any) -> None:
    x = first(dtype)
    with pytest.raises(TypeError, match="in-place add"):
        x += other
    assert_same(x, first(dtype))


def test_in_place_operators_take_narrower_dtypes() -> None:
    x = first(xp.int64)
    x += xp.asarray([1], dtype=xp.int8)
    assert_same(x, first(xp.int64) + 1)
    z = first(xp.complex128)
    z /= second(xp.float32)
    assert_same(z, first(xp.complex128) / second(xp.complex128))


@pytest.mark.parametrize("dtype", [xp.float64, xp.complex64], ids=str)
@pytest.mark.parametrize("shape", [(6, 6), (1, 6)])
def test_in_place_operators_keep_the_shape_or_refuse(dtype: DType, shape: tuple[int, ...]) -> None:
    for op in (operator.iadd, operator.itruediv, operator.ipow):
        x = first(dtype)
        with pytest.raises(ValueError, match="shape"):
            op(x, xp.ones(shape, dtype=dtype))
        assert_same(x, first(dtype))


class Other:
    """A class of another library, whose reflected methods know what to do."""

    def __radd__(self, x: Any) -> tuple[str, Any]:
        return "reflected", x

    def __add__(self, x: Any) -> tuple[str, Any]:
        return "direct", x

    def __eq__(self, x: object) -> bool:
        return True

    def __rmatmul__(self, x: Any) -> tuple[str, Any]:
        return "reflected", x

    __hash__ = None  # type: ignore[assignment]


def test_other_classes_reflected_methods_are_called() -> None:
    x = first(xp.float64)
    assert (x + Other()) == ("reflected", x)
    assert (Other() + x) == ("direct", x)
    assert (x == Other()) is True
    assert (x @ Other()) == ("reflected", x)
    assert type(x).__add__(x, Other()) is NotImplemented
    assert type(x).__radd__(x, Other()) is NotImplemented
    assert type(x).__iadd__(x, Other()) is NotImplemented
    y = x
    y += Other()
    assert y == ("reflected", x)


FOREIGN = [[1.0], (1.0,), "1", None, Decimal(1), np.ones(6), np.ones(()), {}]


@pytest.mark.parametrize("foreign", FOREIGN, ids=lambda x: type(x).__name__ + str(np.shape(x)))
@pytest.mark.parametrize("python", ["add", "mul", "truediv", "pow", "lt", "matmul"])
def test_foreign_operands_are_refused_on_either_side(python: str, foreign: Any) -> None:
    op = getattr(operator, python)
    with pytest.raises(TypeError):
        op(first(xp.float64), foreign)
    with pytest.raises(TypeError):
        op(foreign, first(xp.float64))
    with pytest.raises(TypeError):
        getattr(operator, f"i{python}", op)(first(xp.float64), foreign)


@pytest.mark.parametrize("foreign", ["1", None, [1], np.ones(6)], ids=lambda x: type(x).__name__)
def test_equality_with_foreign_objects_is_no_array(foreign: Any) -> None:
    """What Python makes of it if both sides decline; NumPy's arrays raise."""
    x = first(xp.float64)
    if isinstance(foreign, np.ndarray):
        with pytest.raises(TypeError):
            _ = x == foreign
    else:
        assert (x == foreign) is False
        assert (x != foreign) is True


def test_matmul_operators() -> None:
    x = xp.asarray([[1, 2], [3, 4]])
    y = xp.asarray([[0, 1], [1, 0]])
    assert np.asarray(x @ y).tolist() == [[2, 1], [4, 3]]
    view, same = x[0, :], x
    x @= y
    assert same is x
    assert np.asarray(view).tolist() == [2, 1]
    with pytest.raises(ValueError, match="in-place matmul"):
        x @= xp.asarray([1, 2])
