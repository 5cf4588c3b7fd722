"""Devices: the attribute, creation, transfers, and that results stay where the operands are."""

from __future__ import annotations

from typing import Any

from numr_conformance.check import Unsupported
from numr_conformance.checks._battery import CALLS, results
from numr_conformance.checks._tools import (
    Cases,
    assert_equal,
    assert_true,
    device_keyword,
    distinct,
)
from numr_conformance.target import DTYPES, Target

cases = Cases("devices")
checks = cases.checks


def here(target: Target) -> Any:
    """The device under test, by its arrays."""
    return target.array(distinct("float32", (2,))).device


def all_devices(target: Target) -> list[Any]:
    try:
        return list(target.xp.__array_namespace_info__().devices())
    except AttributeError:
        raise Unsupported("no __array_namespace_info__().devices()") from None


@cases("device")
def attribute(target: Target) -> None:
    """Equal to that of another array, and one of those listed."""
    device = here(target)
    again = here(target)
    assert_true(device == again, "not equal to itself", expected=device, actual=again)
    listed = all_devices(target)
    assert_true(device in listed, "not listed", expected=listed, actual=device)


@cases("default_device")
def default_is_where_arrays_are_created(target: Target) -> None:
    default = target.xp.__array_namespace_info__().default_device()
    actual = target.xp.zeros(2).device
    assert_true(default is None or actual == default, "elsewhere", expected=default, actual=actual)


CREATED: dict[str, tuple[Any, ...]] = {
    "arange": (3,), "asarray": ([1, 2],), "empty": (3,), "eye": (2,), "full": (3, 1.0),
    "linspace": (0, 1, 3), "ones": (3,), "zeros": (3,), "fft.fftfreq": (4,), "fft.rfftfreq": (4,),
}  # fmt: skip
LIKE = ("empty_like", "full_like", "ones_like", "zeros_like", "asarray", "astype", "from_dlpack")


@cases("*", rows=[(name,) for name in CREATED])
def created_on(target: Target, name: str) -> None:
    device = here(target)
    for given in (device, target.device):
        more = {} if given is None else {"device": given}
        actual = target.find(name)(*CREATED[name], **more).device
        if given is not None:
            assert_true(actual == device, "elsewhere", expected=device, actual=actual)


@cases("*", rows=[(name,) for name in LIKE])
def like(target: Target, name: str) -> None:
    """On the operand's device, or on the one that is named."""
    x = target.array(distinct("float32", (2, 3)))
    more = {"full_like": (1.0,), "astype": (x.dtype,)}.get(name, ())
    for keywords in ({}, {"device": x.device}):
        actual = target.find(name)(x, *more, **keywords).device
        assert_true(actual == x.device, "elsewhere", expected=x.device, actual=actual)


@cases("to_device", dtypes=DTYPES)
def to_the_same_device(target: Target, dtype: str) -> None:
    host = distinct(dtype, (2, 3))
    x = target.array(host)
    y = x.to_device(x.device)
    assert_equal(target, y, host)
    assert_true(y.device == x.device, "elsewhere", expected=x.device, actual=y.device)


@cases("to_device", dtypes=DTYPES)
def there_and_back(target: Target, dtype: str) -> None:
    """By way of each device that has the dtype."""
    host = distinct(dtype, (2, 3))
    x = target.array(host)
    info = target.xp.__array_namespace_info__()
    for device in all_devices(target):
        if dtype not in info.dtypes(device=device):
            continue
        there = x.to_device(device)
        right = there.device == device
        assert_true(right, "not moved", expected=device, actual=there.device)
        back = there.to_device(x.device)
        assert_equal(target, back, host, given=f"by way of {device}")
        right = back.device == x.device
        assert_true(right, "not moved back", expected=x.device, actual=back.device)


@cases("*", rows=[(name,) for name in CALLS])
def results_stay(target: Target, name: str) -> None:
    call = CALLS[name]
    arrays = call.arrays(target)
    for result in results(call(target, arrays)):
        if not hasattr(result, "device"):
            raise Unsupported("the result has no device")
        right = result.device == arrays[0].device
        assert_true(right, "elsewhere", expected=arrays[0].device, actual=result.device)


@cases("__getitem__")
def parts_stay(target: Target) -> None:
    x = target.array(distinct("float32", (2, 3)))
    for part in (x[0, ...], x[0, 1], x[x > 1], x.T, x + 1, -x):
        right = part.device == x.device
        assert_true(right, "elsewhere", expected=x.device, actual=part.device)


@cases("asarray", dtypes=DTYPES)
def scalars_on_the_device(target: Target, dtype: str) -> None:
    host = distinct(dtype, (2,))[1]
    dtype_object = target.dtype(dtype)
    x = target.xp.asarray(host.item(), dtype=dtype_object, **device_keyword(target))
    assert_equal(target, x, host)
