"""What is refused is refused with the right exception and words, and changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from refusals import Row, arrays, creation, elementwise, functions, indexing, prepare

import numr_api as xp

ROWS = elementwise.ROWS + indexing.ROWS + creation.ROWS + functions.ROWS + arrays.ROWS

REFUSALS = (
    TypeError,
    ValueError,
    IndexError,
    OverflowError,
    BufferError,
    AttributeError,
    NotImplementedError,
)


def host(x: Any) -> np.ndarray[Any, Any]:
    return np.array(x.to_device("cpu"), copy=True)


def snapshot(names: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Each array with its values, dtype, shape and device as they are now."""
    found = [x for x in names.values() if hasattr(x, "__array_namespace__")]
    return [(x, host(x), x.dtype, x.shape, x.device) for x in found]


def assert_unchanged(snapshots: list[tuple[Any, ...]]) -> None:
    for x, values, dtype, shape, device in snapshots:
        assert (x.dtype, x.shape, x.device) == (dtype, shape, device)
        np.testing.assert_array_equal(host(x), values)


def assert_in_order(parts: list[str], text: str) -> None:
    position = 0
    for part in parts:
        assert part in text[position:], f"{part!r} is missing in {text!r}"
        position = text.index(part, position) + len(part)


def assert_devices_work() -> None:
    for device in xp.__array_namespace_info__().devices():
        total = xp.asarray([1, 2], device=device) + xp.asarray([10, 20], device=device)
        assert host(total).tolist() == [11, 22]


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_is_refused_in_words_and_changes_nothing(row: Row):
    names = prepare()
    before = snapshot(names)
    code = compile(row.code, row.code, "exec")
    for _ in range(2):  # what a failed call leaves behind must not help a second one
        with pytest.raises(row.error) as caught:
            exec(code, dict(names))
        assert isinstance(caught.value, REFUSALS)
        assert_in_order(row.words.split(" ... "), str(caught.value))
        assert_unchanged(before)
    assert_devices_work()


def test_the_table_is_long_and_has_no_row_twice():
    assert len(ROWS) >= 400
    assert len({row.code for row in ROWS}) == len(ROWS)


def test_every_refusal_is_one_of_the_errors_that_users_are_told_of():
    kinds = {row.code: row.error if isinstance(row.error, tuple) else (row.error,) for row in ROWS}
    strange = [
        code for code, some in kinds.items() if not all(issubclass(k, REFUSALS) for k in some)
    ]
    assert strange == []


@pytest.mark.usefixtures("fakes")
def test_the_check_of_inputs_notices_a_change():
    names = prepare()
    before = snapshot(names)
    names["f64"][0] = 7.0
    with pytest.raises(AssertionError):
        assert_unchanged(before)
