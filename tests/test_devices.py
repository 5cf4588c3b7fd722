"""Devices: their names, the lists of them, their dtypes, and arrays that move between them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api import _devices
from numr_api.extensions.device import default_device
from numr_api.extensions.errors import Unsupported

ALL = (
    xp.bool, xp.int8, xp.int16, xp.int32, xp.int64, xp.uint8, xp.uint16, xp.uint32, xp.uint64,
    xp.float32, xp.float64, xp.complex64, xp.complex128,
)  # fmt: skip
DOUBLE = {xp.float64, xp.complex128}
LONG = {xp.int64, xp.uint64}
LACKS = {"cpu": set(), "fake:0": set(), "fake:1": DOUBLE, "fake:2": DOUBLE | LONG}
DEVICES = tuple(LACKS)


def info() -> Any:
    return xp.__array_namespace_info__()


# Names


def test_a_device_is_a_string_that_equals_its_name():
    device = xp.zeros(1).device
    assert device == "cpu"
    assert isinstance(device, str)
    assert hash(device) == hash("cpu")
    assert {device: 1}["cpu"] == 1
    assert f"{device}" == str(device) == "cpu"


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize(
    ("given", "canonical", "kind", "number"),
    [
        ("cpu", "cpu", "cpu", 0),
        ("cpu:0", "cpu", "cpu", 0),
        ("fake", "fake:0", "fake", 0),
        ("fake:0", "fake:0", "fake", 0),
        ("fake:2", "fake:2", "fake", 2),
    ],
)
def test_a_name_given_becomes_the_canonical_one(given: str, canonical: str, kind: str, number: int):
    device = xp.zeros(1, device=given).device
    assert device == canonical
    assert (device.kind, device.number) == (kind, number)


@pytest.mark.usefixtures("fakes")
def test_there_is_one_device_object_for_each_name():
    first, second = (xp.zeros(1, device="fake:1").device for _ in range(2))
    assert first is second
    assert xp.zeros(1, device=first).device is first
    assert xp.zeros(1, device=type(first)("fake:1")).device is first


@pytest.mark.usefixtures("fakes")
def test_a_bare_kind_made_into_a_device_means_the_first_of_its_kind():
    bare = type(xp.zeros(1).device)("fake")
    assert xp.zeros(1, device=bare).device == "fake:0"
    total = xp.ones(1, device=bare) + xp.ones(1, device="fake:0")
    assert float(total[0]) == 2


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize("again", [lambda d: pickle.loads(pickle.dumps(d)), copy.deepcopy])
def test_a_pickled_or_copied_device_is_the_same_device(name: str, again: Callable[[Any], Any]):
    device = xp.zeros(1, device=name).device
    restored = again(device)
    assert restored == device
    assert type(restored) is type(device)
    assert restored.kind == device.kind


# Lists


def test_devices_begin_with_cpu_and_hold_no_fakes():
    devices = info().devices()
    assert devices[0] == "cpu"
    assert not any(device.kind == "fake" for device in devices)


def test_devices_can_be_joined_with_a_list_as_scipy_does():
    joined = info().devices() + [None]  # noqa: RUF005 - the very expression
    assert list(joined)[:1] == ["cpu"]
    assert joined[-1] is None
    assert isinstance(joined, tuple)


@pytest.mark.parametrize(
    ("setting", "listed"),
    [
        ("cpu", ["cpu"]),
        ("cpu,fake", ["cpu", "fake:0", "fake:1", "fake:2"]),
        (" cpu , fake ", ["cpu", "fake:0", "fake:1", "fake:2"]),
        ("cpu,fake:0", ["cpu", "fake:0", "fake:1", "fake:2"]),
        ("fake", ["fake:0", "fake:1", "fake:2"]),
        ("", []),
    ],
)
def test_environment_restricts_what_is_listed(
    monkeypatch: pytest.MonkeyPatch, setting: str, listed: list[str]
):
    monkeypatch.setenv("NUMR_API_DEVICES", setting)
    assert list(info().devices()) == listed


def test_an_unknown_kind_in_the_environment_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NUMR_API_DEVICES", "cpu,gpu")
    with pytest.raises(ValueError, match="NUMR_API_DEVICES: 'gpu' is not a device kind"):
        info().devices()


def test_environment_is_read_by_a_new_process(run_python: Callable[..., str]):
    code = "import numr_api as xp; print(*xp.__array_namespace_info__().devices())"
    assert run_python(code, NUMR_API_DEVICES="cpu") == "cpu"
    assert run_python(code, NUMR_API_DEVICES="cpu,fake") == "cpu fake:0 fake:1 fake:2"


def test_fakes_cannot_be_opened_unless_the_environment_names_them(
    run_python: Callable[..., str],
):
    code = "import numr_api as xp; xp.zeros(1, device='fake:0')"
    assert "ValueError: zeros: no device 'fake:0': NUMR_API_DEVICES does not list it" in run_python(
        code
    )


@pytest.mark.parametrize("kind", ["cuda", "webgpu"])
def test_a_device_that_is_not_there_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, kind: str
):
    monkeypatch.delenv("NUMR_API_DEVICES", raising=False)
    beyond = f"{kind}:{_devices.count(kind)}"
    with pytest.raises(ValueError, match=f"^zeros: no device '{beyond}': ") as caught:
        xp.zeros(1, device=beyond)
    reason = str(caught.value).removeprefix(f"zeros: no device {beyond!r}: ")
    assert reason == _devices.obstacle(kind) or "of this kind" in reason
    assert reason


# Inspection


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize("device", DEVICES)
def test_dtypes_of_a_device(device: str):
    expected = {d.name: d for d in ALL if d not in LACKS[device]}
    assert info().dtypes(device=device) == expected
    floats = {name for name in expected if name.startswith("float")}
    assert set(info().dtypes(device=device, kind="real floating")) == floats
    both = info().dtypes(device=device, kind=("bool", "unsigned integer"))
    assert set(both) == {name for name in expected if name.startswith(("bool", "uint"))}
    assert info().dtypes(device=device, kind=()) == {}


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize(
    ("device", "real", "complex_", "integral"),
    [
        ("cpu", xp.float64, xp.complex128, xp.int64),
        ("fake:0", xp.float64, xp.complex128, xp.int64),
        ("fake:1", xp.float32, xp.complex64, xp.int64),
        ("fake:2", xp.float32, xp.complex64, xp.int32),
    ],
)
def test_default_dtypes_of_a_device(device: str, real: Any, complex_: Any, integral: Any):
    defaults = info().default_dtypes(device=device)
    assert defaults == {
        "real floating": real,
        "complex floating": complex_,
        "integral": integral,
        "indexing": integral,
    }
    with default_device(device):
        assert info().default_dtypes() == defaults
        assert xp.asarray(1.0).dtype is xp.zeros(1).dtype is xp.linspace(0, 1, 2).dtype is real
        assert xp.asarray(1j).dtype is xp.full(1, 1j).dtype is complex_
        assert xp.asarray(1).dtype is xp.arange(1).dtype is xp.full(1, 1).dtype is integral
        assert xp.asarray(True).dtype is xp.bool


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("device", DEVICES)
def test_an_array_returns_from_a_device_unchanged(device: str, dtype: Any):
    x = xp.astype(xp.asarray([[0, 1, 2], [3, 100, 101]]), dtype)
    if dtype in LACKS[device]:
        with pytest.raises(Unsupported, match=f"{dtype} is not available on {device}"):
            x.to_device(device)
        return
    there = x.to_device(device)
    back = there.to_device("cpu")
    assert (there.device, there.dtype, there.shape) == (device, dtype, x.shape)
    assert (back.device, back.dtype) == ("cpu", dtype)
    np.testing.assert_array_equal(np.asarray(back), np.asarray(x))
    assert there.to_device(device) is there
    assert (back is x) == (device == "cpu")


@pytest.mark.usefixtures("fakes")
def test_a_moved_array_shares_nothing():
    x = xp.asarray([1.0, 2.0])
    there = x.to_device("fake:0")
    there[0] = 9.0
    x[1] = 7.0
    assert [float(value) for value in x] == [1.0, 7.0]
    assert [float(value) for value in there] == [9.0, 2.0]
