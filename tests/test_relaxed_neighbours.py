"""Gradients and sliding windows are those of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api import _relaxed_neighbours as neighbours
from numr_api.extensions.mode import relaxed

F = np.asarray([[1.0, 4.0, 9.5, 16.0], [2.0, 0.5, 0.1, 3.0], [5.0, 6.0, -7.0, 8.0]])
ROWS, COLUMNS = np.asarray([0.0, 1.0, 3.0]), np.asarray([0.0, 0.5, 0.6, 4.0])
DEVICES = ("cpu", "fake:0")


def host(x: Any) -> Any:
    return np.asarray(x.to_device("cpu"))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize(
    ("spacing", "axis"),
    [
        ((), None),
        ((), 1),
        ((0.5,), 0),
        ((0.5, 2), None),
        ((ROWS,), 0),
        ((ROWS, COLUMNS), (0, 1)),
        ((ROWS, 2.0), None),
        ((3.0,), (-1, 0)),
    ],
)
def test_gradient(
    spacing: tuple[Any, ...], axis: Any, edge_order: int, device: str, fakes: tuple[str, ...]
) -> None:
    expected = np.gradient(F, *spacing, axis=axis, edge_order=edge_order)
    x = xp.asarray(F, device=device)
    found = neighbours.gradient(x, *spacing, axis=axis, edge_order=edge_order)
    assert isinstance(found, tuple) == isinstance(expected, tuple)
    for one, other in zip(
        found if isinstance(found, tuple) else (found,),
        expected if isinstance(expected, tuple) else (expected,),
        strict=True,
    ):
        np.testing.assert_allclose(host(one), other, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize(
    "values",
    [
        (1e6 + 0.0625 * np.arange(8)).astype(np.float32),
        1e15 + 0.25 * np.arange(6),
        1e15 + 0.25 * np.asarray([0.0, 3.0, 1.0, -2.0, 5.0]),
    ],
)
def test_gradient_keeps_the_digits_of_small_steps_on_a_large_offset(
    values: Any, edge_order: int
) -> None:
    for spacing in (0.3, np.cumsum(0.3 + 0.1 * np.arange(values.size))):
        exact = np.gradient(
            values.astype(np.float64) - float(values[0]), spacing, edge_order=edge_order
        )
        found = neighbours.gradient(xp.asarray(values), spacing, edge_order=edge_order)
        assert found.dtype.name == values.dtype.name
        np.testing.assert_allclose(host(found), exact, rtol=8 * np.finfo(values.dtype).eps)


def test_gradient_of_other_types() -> None:
    for values in (np.asarray([1, 4, 9]), F[0].astype(np.float32), F[0] * (1 + 2j)):
        expected = np.gradient(values, 0.5)
        found = host(neighbours.gradient(xp.asarray(values), xp.asarray(0.5)))
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "keywords", "words"),
    [
        ((1.0, 2.0, 3.0), {}, "3 spacings are given for 2 axes"),
        ((ROWS,), {"axis": 1}, "coordinates of shape"),
        ((), {"edge_order": 3}, "edge_order must be 1 or 2"),
        ((), {"axis": 0, "edge_order": 2}, "needs more than 2 elements"),
    ],
)
def test_what_gradient_refuses(
    arguments: tuple[Any, ...], keywords: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        neighbours.gradient(xp.ones((2, 4)), *arguments, **keywords)


def test_gradient_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"gradient: needs more than 1 elements, got shape \(0,\)"):
        neighbours.gradient(xp.zeros(0))


@pytest.mark.parametrize(
    ("lengths", "axis"), [(2, 0), ([3], -1), ((2, 3), None), ((2, 2), (1, 0)), (0, 1), (4, 1)]
)
def test_sliding_windows(lengths: Any, axis: Any) -> None:
    expected = np.lib.stride_tricks.sliding_window_view(F, lengths, axis)
    found = neighbours.lib.stride_tricks.sliding_window_view(xp.asarray(F), lengths, axis)
    np.testing.assert_array_equal(host(found), expected)


@pytest.mark.parametrize(("lengths", "axes"), [((2,), (0,)), ((2, 3), (0, 1)), ((0,), (1,))])
def test_sliding_windows_as_copies(lengths: tuple[int, ...], axes: tuple[int, ...]) -> None:
    expected = np.lib.stride_tricks.sliding_window_view(F, lengths, axes)
    with relaxed():
        found = neighbours.windows_copied(xp.asarray(F), axes, lengths)
    np.testing.assert_array_equal(host(found), expected)


def test_windows_on_the_cpu_share_memory_until_they_are_assigned_to() -> None:
    x = xp.asarray([1.0, 2.0, 3.0])
    windows = neighbours.sliding_window_view(x, 2)
    x[1] = 9.0
    assert host(windows).tolist() == [[1.0, 9.0], [9.0, 3.0]]
    windows[0, 1] = 5.0
    assert host(windows).tolist() == [[1.0, 5.0], [9.0, 3.0]]
    assert host(x).tolist() == [1.0, 9.0, 3.0]


@pytest.mark.parametrize(("lengths", "axis"), [(2, None), (5, 1), (-1, 1)])
def test_what_windows_refuse(lengths: int, axis: Any) -> None:
    with pytest.raises(ValueError, match="sliding_window_view: "):
        neighbours.sliding_window_view(xp.asarray(F), lengths, axis)
