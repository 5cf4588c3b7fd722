"""Indices out of bounds, on GPUs that NumPy plays: they are told when somebody reads."""

from __future__ import annotations

from typing import Any

import pytest
from on_gpu import host

import numr_api as xp
from numr_api.extensions.device import synchronize


def on(values: Any, **options: Any) -> Any:
    return xp.asarray(values, device="cuda:0", **options)


@pytest.mark.parametrize("index", [3, -4, 2**62])
def test_an_index_out_of_bounds_is_told_before_anything_is_read(fake: Any, index: int):
    x = on([1.0, 2.0, 3.0])
    calls = {
        "take": lambda at: xp.take(x, at),
        "indexing": lambda at: x[at],
        "take_along_axis": lambda at: xp.take_along_axis(x, at, axis=0),
    }
    for name, call in calls.items():
        taken = call(on([0, index]))
        other = taken + 1
        words = f"^{name}: an index is out of bounds for axis 0 of length 3"
        with pytest.raises(IndexError, match=words):
            host(other)
        assert host(call(on([0, -3]))).tolist() == [1.0, 1.0]  # and then it is forgotten


def test_the_largest_unsigned_index_is_out_of_bounds(fake: Any):
    taken = xp.take(on([1.0, 2.0]), on([2**64 - 1], dtype=xp.uint64))
    with pytest.raises(IndexError, match="axis 0 of length 2"):
        host(taken)


SHAPED = {
    "mask": lambda x: x[x > 1],
    "nonzero": xp.nonzero,
    "unique_values": xp.unique_values,
    "unique_all": xp.unique_all,
    "repeat": lambda x: xp.repeat(x, xp.astype(x, xp.int64)),
    "repeat by negative numbers": lambda x: xp.repeat(x, xp.astype(-x, xp.int64)),
}


@pytest.mark.parametrize("name", SHAPED)
def test_no_shape_is_made_of_what_a_wrong_index_took(fake: Any, name: str):
    wrong = xp.take(on([1.0, 2.0]), on([0, 2]))
    with pytest.raises(IndexError, match="take: an index is out of bounds for axis 0 of length 2"):
        SHAPED[name](wrong)
    right = xp.take(on([1.0, 2.0]), on([0, 1]))
    fake.calls.clear()
    if name != "repeat by negative numbers":
        SHAPED[name](right)
        assert fake.calls == ["get", "get"]  # the number, and the word of faults


def test_synchronize_tells_it_too(fake: Any):
    xp.take(on([[1.0, 2.0]]), on([2]), axis=1)
    with pytest.raises(IndexError, match="axis 1 of length 2"):
        synchronize("cuda:0")


EXPORTS = {
    "DLPack": lambda x: x.__dlpack__(stream=1),
    "interface": lambda x: x.__cuda_array_interface__,
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_array_is_not_handed_on_before_indices_are_known_to_be_right(fake: Any, name: str):
    x, export = on([1.0, 2.0]), EXPORTS[name]
    wrong = xp.take(x, on([2]))
    with pytest.raises(IndexError, match="axis 0 of length 2"):
        export(wrong)
    right = xp.take(x, on([1]))
    fake.calls.clear()
    export(right)
    assert fake.calls[0] == "get"
    fake.calls.clear()
    export(right)
    export(right + 1)
    assert "get" not in fake.calls


def test_the_first_of_several_faults_is_told(fake: Any):
    xp.take(on([1.0, 2.0]), on([0]))
    xp.take(on([[1.0], [2.0]]), on([5]), axis=1)
    taken = xp.take(on([1.0, 2.0]), on([7]))
    with pytest.raises(IndexError, match="axis 1 of length 1"):
        host(taken)


def test_more_faults_than_are_told_apart(fake: Any, monkeypatch: pytest.MonkeyPatch):
    x = on([1.0, 2.0])
    monkeypatch.setattr(f"{type(x._type.backend._faults).__module__}.MOST", 2)
    for _ in range(3):
        xp.take(x, on([0]))
    taken = xp.take(x, on([7]))
    with pytest.raises(IndexError, match="since the last read is out of bounds"):
        host(taken)


def test_faults_of_other_streams_are_waited_for(fake: Any, monkeypatch: pytest.MonkeyPatch):
    x = on([1.0, 2.0])
    monkeypatch.setattr(fake.runtime, "stream", 7)
    taken = xp.take(x, on([0]))
    monkeypatch.setattr(fake.runtime, "stream", 0)
    fake.calls.clear()
    host(taken)
    assert fake.calls == ["get", "synchronize", "get"]
    xp.take(x, on([0]))
    fake.calls.clear()
    host(taken)
    assert fake.calls == ["get", "get"]


def test_nothing_can_be_taken_of_nothing(fake: Any):
    with pytest.raises(IndexError, match="take: an index is out of bounds for axis 0 of length 0"):
        xp.take(on([]), on([0]))
    assert xp.take(on([]), on([], dtype=xp.int64)).shape == (0,)
