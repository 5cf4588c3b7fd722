"""Arrays as Python objects: copies, pickles, conversion to scalars, text."""

from __future__ import annotations

import copy
import io
import math
import operator
import pickle
import weakref
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._dtypes import STANDARD, DType


def of(dtype: DType, shape: tuple[int, ...] = (2, 3)) -> Any:
    host = (np.arange(math.prod(shape)) % 2).reshape(shape)
    return xp.asarray(host.astype(np.dtype(dtype)))


def shares(x: Any, y: Any) -> bool:
    return np.shares_memory(np.asarray(x), np.asarray(y))


def same(x: Any, y: Any) -> bool:
    return x.dtype is y.dtype and np.array_equal(np.asarray(x), np.asarray(y))


# --- copies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_arrays_are_equal_and_their_own(protocol: int) -> None:
    for dtype in STANDARD:
        for x in (of(dtype), of(dtype, ()), of(dtype, (0, 2)), of(dtype)[:, ::-2],
                  xp.broadcast_to(of(dtype, (3,)), (2, 3))):  # fmt: skip
            y = pickle.loads(pickle.dumps(x, protocol))
            assert same(x, y)
            assert y.device is x.device
            y[...] = xp.zeros_like(y)
            assert y.size == 0 or not shares(x, y)


def test_pickled_arrays_out_of_band_can_be_written_to() -> None:
    x, buffers = of(xp.float64), []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    y = pickle.loads(data, buffers=[bytes(buffer) for buffer in buffers])
    assert same(x, y)
    y[0, 0] = 3


def test_dtypes_pickle_as_the_same_objects() -> None:
    for dtype in STANDARD:
        assert pickle.loads(pickle.dumps(dtype)) is dtype
        assert copy.deepcopy(dtype) is dtype


def test_copies_are_their_own() -> None:
    x = of(xp.float64)
    for y in (copy.copy(x), copy.deepcopy(x)):
        assert type(y) is type(x)
        assert same(x, y)
        assert not shares(x, y)
    first, second = copy.deepcopy([x, x])
    assert first is second
    y = copy.deepcopy(xp.broadcast_to(xp.asarray(1.0), (2,)))
    y[0] = 5
    assert np.asarray(y).tolist() == [5, 1]


def test_arrays_die_with_their_last_reference() -> None:
    x = of(xp.float64)
    reference = weakref.ref(x)
    assert reference() is x
    del x
    assert reference() is None


def test_arrays_have_no_hash_no_constructor_and_no_other_attributes() -> None:
    x = of(xp.float64)
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    with pytest.raises(TypeError, match="asarray"):
        type(x)([1.0])
    with pytest.raises(AttributeError):
        x.name = "x"


# --- scalars and text -----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_conversion_to_python_scalars(dtype: DType) -> None:
    kind = dtype.kind
    for value in (0, 1):
        x = of(dtype, (2,))[value]
        assert bool(x) is bool(value)
        assert complex(x) == value
        for convert in (int, float):
            if kind == "c":
                with pytest.raises(TypeError, match="complex"):
                    convert(x)
            else:
                assert type(convert(x)) is convert
                assert convert(x) == value
        if kind in "iu":
            assert operator.index(x) == value
        else:
            with pytest.raises(TypeError, match="index"):
                operator.index(x)


@pytest.mark.parametrize("convert", [bool, int, float, complex, operator.index])
def test_only_zero_dimensional_arrays_are_scalars(convert: Any) -> None:
    for shape in ((1,), (2, 3), (0,), (1, 1)):
        with pytest.raises(TypeError, match="0-dimensional"):
            convert(of(xp.int64, shape))


def test_conversion_of_special_values() -> None:
    assert math.isnan(float(xp.asarray(math.nan)))
    assert bool(xp.asarray(math.nan)) is True
    assert bool(xp.asarray(-0.0)) is False
    assert int(xp.asarray(-2.7)) == -2
    assert int(xp.asarray(2**64 - 1, dtype=xp.uint64)) == 2**64 - 1
    with pytest.raises(OverflowError):
        int(xp.asarray(math.inf))
    with pytest.raises(ValueError, match="NaN"):
        int(xp.asarray(math.nan))


TEXTS = [
    (xp.asarray([1.0, 2.5]), 'Array([1. , 2.5], dtype=float64, device="cpu")', "[1.  2.5]"),
    (xp.asarray(3), 'Array(3, dtype=int64, device="cpu")', "3"),
    (xp.asarray([[True]]), 'Array([[ True]], dtype=bool, device="cpu")', "[[ True]]"),
    (xp.asarray([]), 'Array([], dtype=float64, device="cpu")', "[]"),
    (xp.zeros((2, 0)), 'Array([], shape=(2, 0), dtype=float64, device="cpu")', "[]"),
    (xp.asarray([1j]), 'Array([0.+1.j], dtype=complex128, device="cpu")', "[0.+1.j]"),
]


@pytest.mark.parametrize(("x", "representation", "text"), TEXTS, ids=lambda x: str(x)[:25])
def test_text(x: Any, representation: str, text: str) -> None:
    assert repr(x) == representation
    assert str(x) == f"{x}" == text


def test_rows_of_a_representation_are_aligned_and_long_ones_shortened() -> None:
    lines = repr(xp.asarray([[1, 2], [3, 4]], dtype=xp.int8)).splitlines()
    assert lines == ["Array([[1, 2],", '       [3, 4]], dtype=int8, device="cpu")']
    assert len(repr(xp.zeros(10**6))) < 200


def test_format_of_a_scalar() -> None:
    assert f"{xp.asarray(3.14159):.3f}" == "3.142"
    assert f"{xp.asarray(42):>5d}|{xp.asarray(255):x}" == "   42|ff"
    with pytest.raises(TypeError, match="0-dimensional"):
        format(xp.asarray([1.0]), ".3f")
    stream = io.StringIO()
    print(xp.asarray([1, 2]), file=stream)
    assert stream.getvalue() == "[1 2]\n"
