"""Element-wise operations: values against exact arithmetic, in every layout and every dtype."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from exact_elementwise import (
    ARITY,
    COUNT,
    ELEMENTWISE,
    REFERENCES,
    Column,
    assert_exact,
    operands,
)

import numr_api as xp
from numr_api._declare import OPS
from numr_api._dtypes import ACCEPTED, BY_NAME, STANDARD, DType, promote

SHAPE = (3, 4, 5)  # of COUNT elements
CASES = [
    pytest.param(name, dtype, id=f"{name}-{dtype}")
    for name, op in ELEMENTWISE.items()
    for dtype in STANDARD
    if dtype.kind in ACCEPTED[op.accepts]
]
BINARY = [case for case in CASES if ARITY[str(case.values[0])] == 2]


# --- layouts: the same values, otherwise arranged in memory ---------------------------------------


def spaced(x: Column) -> Column:
    wide = np.zeros((*SHAPE[:-1], 3 * SHAPE[-1]), x.dtype)
    wide[..., ::3] = x
    return wide[..., ::3]


def reversed_(x: Column) -> Column:
    return x[::-1, :, ::-1].copy()[::-1, :, ::-1]


def transposed(x: Column) -> Column:
    return np.moveaxis(np.moveaxis(x, 0, 1).copy(), 1, 0)


def unaligned(x: Column) -> Column:
    return np.frombuffer(bytearray(b"-" + x.tobytes()), x.dtype, offset=1).reshape(SHAPE)


LAYOUTS = [np.ascontiguousarray, np.asfortranarray, spaced, reversed_, transposed, unaligned]


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_values_are_exact_or_within_the_bound_in_every_layout(name: str, dtype: DType) -> None:
    columns = [x.reshape(SHAPE) for x in operands(name, dtype)]
    for layout in LAYOUTS:
        arrays = [xp.asarray(layout(x)) for x in columns]
        result = ELEMENTWISE[name].function(*arrays)
        assert result.shape == SHAPE
        assert_exact(np.asarray(result), name, dtype)
        for array, x in zip(arrays, columns, strict=True):  # which are left as they were
            assert np.array_equal(np.asarray(array), x)
            if name not in ("real", "imag"):  # which are views
                assert not np.shares_memory(np.asarray(result), np.asarray(array))


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_zero_dimensions_and_size_1_give_arrays_of_that_shape(name: str, dtype: DType) -> None:
    results: list[Any] = []
    for i in range(COUNT):
        shape = ((), (1,), (1, 1))[i % 3]
        single = [xp.asarray(x[i : i + 1].reshape(shape)) for x in operands(name, dtype)]
        result = ELEMENTWISE[name].function(*single)
        assert type(result) is type(single[0])
        assert result.shape == shape
        results.append(np.asarray(result).reshape(()))
    assert_exact(np.stack(results), name, dtype)


@pytest.mark.parametrize("shape", [(0,), (2, 0, 3)], ids=str)
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_empty_arrays_give_empty_arrays(name: str, dtype: DType, shape: tuple[int, ...]) -> None:
    arrays = [xp.asarray(np.zeros(shape, x.dtype)) for x in operands(name, dtype)]
    result = ELEMENTWISE[name].function(*arrays)
    assert result.shape == shape
    assert result.dtype == ELEMENTWISE[name].result_dtype(dtype, result._type.backend)


@pytest.mark.parametrize(("name", "dtype"), [case for case in CASES if ARITY[case.values[0]] > 1])
def test_operands_broadcast(name: str, dtype: DType) -> None:
    columns = [x.copy() for x in operands(name, dtype)]
    columns[-1] = np.resize(columns[-1][:5], COUNT)
    full = [xp.asarray(x.reshape(SHAPE)) for x in columns]
    short = [*full[:-1], xp.asarray(columns[-1][:5])]
    expected = ELEMENTWISE[name].function(*full)
    assert np.array_equal(
        ELEMENTWISE[name].function(*short), expected, equal_nan=dtype.kind in "fc"
    )
    view = [*full[:-1], xp.broadcast_to(short[-1], SHAPE)]
    assert np.array_equal(ELEMENTWISE[name].function(*view), expected, equal_nan=dtype.kind in "fc")


MIXED = [("float32", "float64"), ("int8", "int32"), ("uint8", "int16"), ("uint32", "int8"),
         ("uint16", "uint64"), ("float32", "complex128"), ("complex64", "float64")]  # fmt: skip
MIXED_CASES = [
    pytest.param(name, BY_NAME[first], BY_NAME[second], id=f"{name}-{first}-{second}")
    for name, op in ELEMENTWISE.items()
    for first, second in MIXED
    if ARITY[name] == 2 and {BY_NAME[first].kind, BY_NAME[second].kind} <= set(ACCEPTED[op.accepts])
]


@pytest.mark.parametrize(("name", "first", "second"), MIXED_CASES)
def test_mixed_dtypes_are_promoted_before_the_operation(
    name: str, first: DType, second: DType
) -> None:
    op, common = ELEMENTWISE[name], promote(first, second)
    for pair in ((first, second), (second, first)):
        arrays = [xp.asarray(operands(name, d)[i]) for i, d in enumerate(pair)]
        if name.endswith("shift") or (name == "pow" and common.kind in "iu"):
            arrays = [arrays[0], xp.asarray(np.arange(COUNT) % 7 + 1, dtype=pair[1])]
        result = op.function(*arrays)
        cast = [xp.astype(x, common) for x in arrays]
        assert result.dtype == op.result_dtype(common, result._type.backend)
        assert np.array_equal(result, op.function(*cast), equal_nan=common.kind in "fc")


SCALARS: dict[str, tuple[Any, ...]] = {
    "b": (True, False), "i": (3, 1), "u": (3, 1), "f": (0.3, 2, 0.5), "c": (0.3, 2, 1.5 - 2j),
}  # fmt: skip


@pytest.mark.parametrize(("name", "dtype"), BINARY)
def test_python_scalars_count_as_arrays_of_the_same_dtype(name: str, dtype: DType) -> None:
    function, x = ELEMENTWISE[name].function, xp.asarray(operands(name, dtype)[0])
    for scalar in SCALARS[dtype.kind]:
        array = xp.full(x.shape, scalar, dtype=dtype)
        for given, full in [((x, scalar), (x, array)), ((scalar, x), (array, x))]:
            if given[1] is x and (name.endswith("shift") or (name, dtype.kind) == ("pow", "i")):
                continue  # by numbers that are negative or wider than the dtype
            result, expected = function(*given), function(*full)
            assert result.dtype is expected.dtype
            assert np.array_equal(result, expected, equal_nan=dtype.kind in "fc")


@pytest.mark.parametrize(("dtype", "wider"), [("float32", "complex64"), ("float64", "complex128")])
def test_complex_scalars_make_real_arrays_complex(dtype: str, wider: str) -> None:
    x = xp.asarray([1.5, -2.0], dtype=BY_NAME[dtype])
    for result in (xp.multiply(x, 2j), xp.multiply(2j, x)):
        assert result.dtype is BY_NAME[wider]
        assert np.asarray(result).tolist() == [3j, -4j]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_every_operation_has_a_reference(name: str) -> None:
    assert name in REFERENCES or name == "nextafter"


@pytest.mark.parametrize("key", OPS)
def test_functions_are_documented_listed_and_pickled_by_name(key: str) -> None:
    op = OPS[key]
    function = op.function
    home = {"linalg": xp.linalg, "fft": xp.fft}.get(op.family, xp)
    assert getattr(home, op.name) is function
    assert op.name in dir(home)
    assert pickle.loads(pickle.dumps(function)) is function
    assert inspect.getdoc(function)
    assert inspect.signature(function).parameters


def test_real_and_imag_are_views() -> None:
    z = xp.asarray([1 + 2j, 3 + 4j])
    xp.real(z)[0] = 5
    xp.imag(z)[1] = 6
    assert np.asarray(z).tolist() == [5 + 2j, 3 + 6j]
