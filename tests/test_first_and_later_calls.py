"""A call checks the same whether or not one like it came before and left a plan behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numr_api as xp

REFUSED: dict[str, Callable[[], Any]] = {
    "a NumPy dtype where ours is known": lambda: xp.sum(xp.ones(2), dtype=np.dtype("float64")),  # type: ignore[arg-type]
    "a tuple of axes for argmax": lambda: xp.argmax(xp.ones((2, 2)), axis=(0, 1)),  # type: ignore[arg-type]
    "an integer out of range": lambda: xp.where(xp.asarray(True), xp.ones(1, dtype=xp.int8), 300),
    "a NumPy integer out of range": lambda: xp.asarray(np.int8(-1), dtype=xp.uint8),
    "a list of such": lambda: xp.asarray([np.int64(-1), 2], dtype=xp.uint8),
    "an index beyond int64": lambda: xp.take(
        xp.ones(3), xp.asarray([2**64 - 1], dtype=xp.uint64)
    ),
    "a matrix beyond any memory": lambda: xp.eye(10**9),
}  # fmt: skip


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_is_refused_every_time(call: Callable[[], Any]) -> None:
    xp.sum(xp.ones(2), dtype=xp.float64)
    xp.argmax(xp.ones((2, 2)))
    xp.where(xp.asarray(True), xp.asarray([1], dtype=xp.int8), 3)
    for _ in range(3):
        with pytest.raises((TypeError, OverflowError, IndexError, ValueError)) as caught:
            call()
        assert ": " in str(caught.value)  # our words, which name the function


def test_a_refusal_has_no_other_error_behind_it() -> None:
    with pytest.raises(TypeError) as caught:
        xp.ones(2) + xp.arange(2)
    assert caught.value.__context__ is None or caught.value.__suppress_context__


@pytest.mark.usefixtures("fakes")
def test_a_list_of_floats_too_large_for_the_device_never_warns() -> None:
    for _ in range(3):
        assert xp.all(xp.isinf(xp.asarray([1e300], device="fake:1")))


@pytest.mark.usefixtures("fakes")
def test_scalars_in_a_list_follow_the_arrays_beside_them() -> None:
    x = xp.asarray(1.5, device="fake:1")
    for _ in range(2):
        joined = xp.asarray([x, 2.5])
        assert joined.device == "fake:1"
        assert joined.dtype is xp.float32


def test_counts_of_repeat_may_be_unsigned() -> None:
    counts = xp.asarray([2, 1], dtype=xp.uint64)
    assert np.asarray(xp.repeat(xp.asarray([3, 4]), counts)).tolist() == [3, 3, 4]


class Wrapper:
    """Hands on the attributes of an array, private ones too, as pint's quantities do."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __getattr__(self, name: str) -> Any:
        return getattr(self.array, name)


OF_WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "exp": lambda x: xp.exp(x),
    "abs": lambda x: xp.abs(x),
    "add, a scalar": lambda x: xp.add(x, 1.0),
    "add, an array": lambda x: xp.add(x, xp.ones(3)),
    "where, a value": lambda x: xp.where(xp.asarray(True), x, 0.0),
    "sum": lambda x: xp.sum(x),
    "argmax": lambda x: xp.argmax(x),
    "concat": lambda x: xp.concat([xp.ones(3), x]),
    "reshape": lambda x: xp.reshape(x, (3, 1)),
}
OF_WRAPPED_MASKS: dict[str, Callable[[Any], Any]] = {
    "where, the condition": lambda mask: xp.where(mask, xp.ones(3), 0.0),
    "an index": lambda mask: xp.ones(3)[mask],
}


@pytest.mark.parametrize("name", [*OF_WRAPPERS, *OF_WRAPPED_MASKS])
def test_a_wrapper_of_an_array_is_refused_even_if_the_array_was_known(name: str) -> None:
    call = {**OF_WRAPPERS, **OF_WRAPPED_MASKS}[name]
    array = xp.ones(3) if name in OF_WRAPPERS else xp.ones(3) > 0
    call(array)
    with pytest.raises(TypeError, match="Wrapper"):
        call(Wrapper(array))
