"""Relaxed indexing and assignment: NumPy's for every kind of key, on the cpu and composed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api.extensions import mode

SHAPE = (2, 3, 4)
PARTS: list[Any] = [
    0, -1, np.int64(1), slice(None), slice(1, None), slice(None, None, -1), ..., None, True, False,
    [0, 1], [], [True, False], np.array([[0], [1]]), np.array([1, 0], dtype=np.uint8),
    np.array(1), np.array([True, False]), np.array([True, False, True]),
    np.array([False, True, False, True]), np.arange(12).reshape(3, 4) % 3 == 0,
    np.zeros(SHAPE, dtype=bool), 7, [0, 5],
]  # fmt: skip


def keys(length: int) -> Iterator[tuple[Any, ...]]:
    """All keys of up to two parts, and a random choice of longer ones."""
    if length < 3:
        yield from itertools.product(PARTS, repeat=length)
    else:
        random = np.random.default_rng(length)
        for _ in range(1500):
            yield tuple(PARTS[i] for i in random.integers(0, len(PARTS), length))


def ours(key: tuple[Any, ...], device: str) -> tuple[Any, ...]:
    """The key with every second NumPy array as one of numr_api."""
    return tuple(
        xp.asarray(part, device=device) if isinstance(part, np.ndarray) and i % 2 == 0 else part
        for i, part in enumerate(key)
    )


def attempt(function: Any) -> Any:
    try:
        return function()
    except (IndexError, ValueError):
        return None


def host(x: Any) -> Any:
    return np.asarray(x.to_device("cpu"))


@pytest.fixture(params=["cpu", "fake:0"])
def device(request: pytest.FixtureRequest, fakes: tuple[str, ...]) -> str:
    return request.param


@pytest.mark.parametrize("length", range(5))
def test_every_key_selects_what_numpy_selects(length: int, device: str) -> None:
    values = np.arange(24).reshape(SHAPE)
    x = xp.asarray(values, device=device)
    with mode.relaxed():
        for key in keys(length):
            expected = attempt(lambda: values[key])  # noqa: B023
            found = attempt(lambda: x[ours(key, device)])  # noqa: B023
            if expected is None or found is None:
                assert expected is found is None, key
            else:
                assert found.shape == np.shape(expected), key
                assert np.array_equal(host(found), expected), key


@pytest.mark.parametrize("length", range(5))
def test_every_key_is_assigned_to_as_in_numpy(length: int, device: str) -> None:
    values = np.arange(24).reshape(SHAPE)
    with mode.relaxed():
        for key in keys(length):
            expected, x = values.copy(), xp.asarray(values, device=device, copy=True)
            selected = attempt(lambda: values[key])  # noqa: B023
            if selected is None:
                with pytest.raises((IndexError, ValueError)):
                    x[ours(key, device)] = -1
                continue
            value = -1.5 - np.arange(np.size(selected)).reshape(np.shape(selected))
            expected[key] = value
            x[ours(key, device)] = xp.asarray(value, device=device)
            assert np.array_equal(host(x), expected), key
            expected[key] = -100
            x[ours(key, device)] = -100
            assert np.array_equal(host(x), expected), key


def test_the_last_of_repeated_indices_wins(device: str) -> None:
    x = xp.zeros(4, device=device)
    with mode.relaxed():
        x[[2, 0, 2, 2]] = xp.asarray([1.0, 2.0, 3.0, 4.0], device=device)
    assert host(x).tolist() == [2.0, 0.0, 4.0, 0.0]


def test_assignment_through_a_view_reaches_the_array(device: str) -> None:
    x = xp.zeros((3, 4), device=device)
    with mode.relaxed():
        x.T[[0, -1], 1:][:, 0]  # a copy, of which nothing is seen
        x[:, ::2][[0, 2], [1, 0]] = [5, 6]
    assert host(x).tolist() == [[0, 0, 5, 0], [0, 0, 0, 0], [6, 0, 0, 0]]


def test_assignment_of_overlapping_memory(device: str) -> None:
    x = xp.arange(5, device=device)
    with mode.relaxed():
        x[[4, 3, 2, 1, 0]] = x
    assert host(x).tolist() == [4, 3, 2, 1, 0]


def test_assignment_to_a_broadcast_view_copies_it_first(device: str) -> None:
    base = xp.zeros(2, device=device)
    x = xp.broadcast_to(base, (2, 2))
    with mode.relaxed():
        x[[0], [1]] = 1
    assert host(x).tolist() == [[0, 1], [0, 0]]
    assert host(base).tolist() == [0, 0]


VALUES = [
    (xp.int64, 2.7), (xp.int64, xp.asarray([[1.5]])), (xp.float32, xp.asarray(3)), (xp.bool, 2),
    (xp.float64, xp.asarray([True])), (xp.float32, np.array([1.5, 2.5])), (xp.int8, [1, 2]),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "value"), VALUES, ids=range(len(VALUES)))
def test_values_are_cast(dtype: Any, value: Any) -> None:
    x = xp.zeros((2, 2), dtype=dtype)
    expected = np.asarray(x).copy()
    with pytest.raises((TypeError, ValueError)):
        x[0, :] = value
    expected[0] = np.asarray(value)
    with mode.relaxed():
        x[0] = value
    assert np.array_equal(np.asarray(x), expected)


def test_what_is_refused_in_both_modes(fakes: tuple[str, ...]) -> None:
    x = xp.zeros((2, 2))
    with mode.relaxed():
        for key in ([0, 2], [[0.5]], "a", (0, 0, 0), (..., ...), slice("a", None), [True]):
            with pytest.raises(IndexError):
                x[key]
        with pytest.raises(ValueError, match="move one with to_device"):
            x[xp.asarray([0], device="fake:0")]
        with pytest.raises(ValueError, match="move one with to_device"):
            x[[0]] = xp.zeros(2, device="fake:0")
        with pytest.raises(TypeError, match="real"):
            x[[0]] = xp.zeros(2, dtype=xp.complex128)
        with pytest.raises(ValueError, match="broadcast"):
            x[[0]] = xp.zeros(3)
    assert np.all(np.asarray(x) == 0)


def test_an_error_of_an_earlier_operation_is_not_taken_for_a_strict_refusal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A GPU says at the next read of a number that an index was wrong, also within assignments."""
    x = xp.zeros((2, 2))

    def assign_mask(*_: object) -> None:
        raise IndexError("take: an index was out of bounds")

    monkeypatch.setattr(x._type.backend, "assign_mask", assign_mask)
    with mode.relaxed(), pytest.raises(IndexError, match="take: "):
        x[x == 0] = 1.0
    assert np.all(np.asarray(x) == 0)
