"""A backend of plain Python lists serves the real front: the protocol is not shaped like NumPy."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from list_backend import KIND, backend_module

import numr_api as xp
from numr_api import _devices
from numr_api.extensions.device import default_device
from numr_api.extensions.errors import Unsupported


def install(monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> None:
    monkeypatch.setattr(_devices, "KINDS", (*_devices.KINDS, KIND))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setenv("NUMR_API_DEVICES", f"cpu,{KIND}")
    _devices.backend_module.cache_clear()


@pytest.fixture(autouse=True)
def _lists(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The devices listy:0 and listy:1."""
    install(monkeypatch, backend_module())
    yield
    for name in [name for name in _devices._backends if name.startswith(KIND)]:
        del _devices._backends[name]
    _devices.backend_module.cache_clear()


def listy(values: Any, **options: Any) -> Any:
    return xp.asarray(values, device=KIND, **options)


def host(x: Any) -> list[Any]:
    """The values, after proof that the array and its data are the list backend's."""
    assert x.device == "listy:0"
    assert type(x._data).__name__ == "Lists"
    return np.asarray(x.to_device("cpu")).tolist()


def test_the_devices_are_listed():
    assert list(xp.__array_namespace_info__().devices()) == ["cpu", "listy:0", "listy:1"]
    assert set(xp.__array_namespace_info__().dtypes(device=KIND)) == {"bool", "int64", "float64"}


@pytest.mark.parametrize(
    "values", [[[1, 2, 3], [4, 5, 6]], [True, False], [0.5], 2.5, [], [[], []]]
)
def test_arrays_come_back_from_the_device(values: Any):
    x = xp.asarray(values)
    there = x.to_device(KIND)
    assert (there.shape, there.dtype, there.size, there.ndim) == (x.shape, x.dtype, x.size, x.ndim)
    assert host(there) == host(listy(values)) == np.asarray(x).tolist()


def test_sums_of_arrays_and_scalars():
    x, y = listy([1, 2, 3]), listy([10, 20, 30])
    assert host(xp.add(x, y)) == host(x + y) == [11, 22, 33]
    assert host(x + 1) == host(1 + x) == [2, 3, 4]
    assert host(10 - x) == [9, 8, 7]
    assert host(-x) == [-1, -2, -3]
    assert (x + y).dtype is xp.int64
    assert (listy([1.0]) + 1).dtype is xp.float64


def test_a_comparison_is_boolean():
    below = listy([1, 2, 3]) < 2
    assert below.dtype is xp.bool
    assert host(below) == [True, False, False]


def test_shapes_broadcast():
    x, row, column = listy([[1, 2, 3], [4, 5, 6]]), listy([10, 20, 30]), listy([[100], [200]])
    assert host(x + row) == [[11, 22, 33], [14, 25, 36]]
    assert host(x + column) == [[101, 102, 103], [204, 205, 206]]
    assert host(column + row) == [[110, 120, 130], [210, 220, 230]]


def test_an_operator_in_place_writes_to_the_array_and_its_views():
    x = listy([[1, 2], [3, 4]])
    row, same = x[1, :], x
    x += listy([10, 20])
    row -= 1
    assert x is same
    assert host(x) == [[11, 22], [12, 23]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, 21),
        ({"axis": 0}, [5, 7, 9]),
        ({"axis": 1}, [6, 15]),
        ({"axis": -1, "keepdims": True}, [[6], [15]]),
        ({"axis": (0, 1), "keepdims": True}, [[21]]),
        ({"axis": ()}, [[1, 2, 3], [4, 5, 6]]),
        ({"axis": 0, "dtype": xp.float64}, [5.0, 7.0, 9.0]),
    ],
)
def test_sums_along_axes(options: dict[str, Any], expected: Any):
    total = xp.sum(listy([[1, 2, 3], [4, 5, 6]]), **options)
    assert host(total) == expected
    assert total.dtype is options.get("dtype", xp.int64)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ((1, 2), 6),
        ((1, ...), [4, 5, 6]),
        ((-1, slice(None)), [4, 5, 6]),
        ((slice(None), slice(1, 3)), [[2, 3], [5, 6]]),
        ((..., slice(None, None, -2)), [[3, 1], [6, 4]]),
        ((slice(1), None, 0), [[1]]),
        ((slice(5, 9), ...), []),
    ],
)
def test_indices_make_views(key: Any, expected: Any):
    x = listy([[1, 2, 3], [4, 5, 6]])
    view = x[key]
    assert host(view) == expected
    assert view._data.cells is x._data.cells


def test_indexing_one_axis():
    x = listy([1.0, 2.0, 3.0, 4.0])
    assert host(x[1]) == 2.0
    assert host(x[1:3]) == [2.0, 3.0]
    assert [host(element) for element in x] == [1.0, 2.0, 3.0, 4.0]
    with pytest.raises(IndexError, match="indexing: index 4 is out of bounds for axis 0"):
        x[4]


def test_assignment_writes_through_views():
    x = listy([1.0, 2.0, 3.0, 4.0])
    view = x[1:3]
    view[0] = 20.0
    x[2:] = listy([30.0, 40.0])
    assert host(x) == [1.0, 20.0, 30.0, 40.0]
    assert host(view) == [20.0, 30.0]
    with pytest.raises(TypeError, match="assignment: a complex value does not fit"):
        x[0] = 1j


def test_elements_at_indices():
    x = listy([[1, 2, 3], [4, 5, 6]])
    assert host(xp.take(x, listy([1, 0, 1]), axis=0)) == [[4, 5, 6], [1, 2, 3], [4, 5, 6]]
    assert host(xp.take(x, listy([-1, 0]), axis=1)) == [[3, 1], [6, 4]]
    assert host(x[listy([0, 1]), listy([2, 0])]) == [3, 4]
    assert host(x[listy([[0], [1]]), listy([2, 0])]) == [[3, 1], [6, 4]]
    assert host(x[1, listy([2, 0])]) == [6, 4]
    with pytest.raises(IndexError, match="take: "):
        xp.take(x, listy([2]), axis=0)
    with pytest.raises(IndexError, match="indexing: "):
        x[listy([0]), listy([3])]


def test_new_arrays():
    assert host(xp.zeros((2, 2), device=KIND)) == [[0, 0], [0, 0]]
    assert host(xp.full_like(listy([1, 2]), 7)) == [7, 7]
    with default_device(KIND):
        assert host(xp.ones(2)) == host(xp.asarray([1, 1])) == [1, 1]


def test_python_and_text():
    assert bool(listy([1, 2])[0] < 2) is True
    assert (int(listy(2.5)), float(listy(3)), [5, 6][listy(1)]) == (2, 3.0, 6)
    assert repr(listy([1, 2])) == 'Array([1, 2], dtype=int64, device="listy:0")'
    assert str(listy([1.5])) == "[1.5]"


def test_copies_share_nothing():
    x = listy([1, 2])
    copies = [
        copy.copy(x),
        copy.deepcopy(x),
        pickle.loads(pickle.dumps(x)),
        xp.asarray(x, copy=True),
    ]
    x[0] = 9
    assert [host(y) for y in copies] == [[1, 2]] * 4


def test_numpy_and_dlpack_are_refused():
    with pytest.raises(
        TypeError, match=r"the array is on listy:0; copy it with to_device\('cpu'\)"
    ):
        np.asarray(listy([1]))
    with pytest.raises(BufferError, match="not from listy:0"):
        listy([1]).__dlpack__()
    with pytest.raises(ValueError, match="asarray: listy:0 cannot share memory"):
        xp.asarray(np.ones(2), device=KIND, copy=False)


def test_checks_come_before_the_backend():
    x = listy([1, 2, 3])
    with pytest.raises(TypeError, match=r"add: a Python float \(1.5\) does not mix with int64"):
        x + 1.5
    with pytest.raises(OverflowError, match="add: 9223372036854775808 is out of range of int64"):
        x + 2**63
    with pytest.raises(
        ValueError, match=r"add: shapes \(3,\), \(2,\) cannot be broadcast together"
    ):
        x + listy([1, 2])
    with pytest.raises(ValueError, match="add: arrays are on different devices: listy:0, cpu"):
        x + xp.asarray([1, 2, 3])
    with pytest.raises(ValueError, match="different devices: listy:0, listy:1"):
        x + xp.asarray([1, 2, 3], device="listy:1")
    assert host(x) == [1, 2, 3]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: xp.multiply(x, x), "multiply: int64 on listy:0"),
        (lambda x: 2**x, "pow: int64 on listy:0"),
        (lambda x: xp.max(x), "max: int64 on listy:0"),
        (lambda x: xp.sort(x), "sort is not available on listy:0"),
        (lambda x: xp.concat([x, x]), "concat is not available on listy:0"),
        (lambda x: xp.matmul(x, x), "matmul is not available on listy:0"),
        (lambda x: xp.astype(x, xp.int8), "astype: int8 is not available on listy:0"),
        (lambda x: xp.asarray(1j, device=x.device), "complex128 is not available on listy:0"),
        (
            lambda x: xp.linalg.det(xp.ones((1, 1), device=x.device)),
            "linalg.det: routine .* listy:0",
        ),
    ],
)
def test_what_is_missing_is_named_with_the_device(call: Any, words: str):
    with pytest.raises(Unsupported, match=words):
        call(listy([1, 2]))


def test_a_kernel_is_made_once_for_each_combination_of_types():
    x, y = listy([1, 2]), listy([1.0, 2.0])
    compiled = _devices.backend_of(KIND).compiled
    compiled.clear()
    for _ in range(3):
        assert host(x + x) == [2, 4]
        assert host(y + 1) == [2.0, 3.0]
    assert compiled == [
        ("add", (xp.int64, xp.int64), xp.int64, xp.int64),
        ("add", (xp.float64, int), xp.float64, xp.float64),
    ]


def test_a_device_that_is_not_there_gives_the_reason(monkeypatch: pytest.MonkeyPatch):
    install(monkeypatch, backend_module(devices=0, reason="out of paper; buy some"))
    assert list(xp.__array_namespace_info__().devices()) == ["cpu"]
    with pytest.raises(ValueError, match="no device 'listy:0': out of paper; buy some"):
        xp.zeros(1, device=KIND)
