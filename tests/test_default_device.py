"""The default device: of the environment, of a block, of a thread or task."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api.extensions.device import default_device, synchronize


def info() -> Any:
    return xp.__array_namespace_info__()


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        (None, "cpu float64 int64"),
        ("fake", "fake:0 float64 int64"),
        ("fake:2", "fake:2 float32 int32"),
    ],
)
def test_environment_sets_the_default_device(
    run_python: Callable[..., str], setting: str | None, expected: str
):
    code = """if True:
        import numr_api as xp
        x, n = xp.zeros(1), xp.arange(1)
        assert xp.__array_namespace_info__().default_device() == x.device == n.device
        print(x.device, x.dtype, n.dtype)
    """
    environment = {} if setting is None else {"NUMR_API_DEVICE": setting}
    assert run_python(code, NUMR_API_DEVICES="cpu,fake", **environment) == expected


def test_an_unknown_default_device_in_the_environment_is_refused_at_first_use(
    run_python: Callable[..., str],
):
    assert run_python("import numr_api", NUMR_API_DEVICE="gpu") == ""
    assert "ValueError: NUMR_API_DEVICE: 'gpu' is not a device" in run_python(
        "import numr_api as xp; xp.zeros(1)", NUMR_API_DEVICE="gpu"
    )


@pytest.mark.usefixtures("fakes")
def test_default_device_nests_and_is_restored():
    assert default_device.get() == "cpu"
    with default_device("fake:1") as outer:
        assert outer == default_device.get() == info().default_device() == "fake:1"
        with default_device("cpu"):
            assert xp.zeros(1).device == "cpu"
            with default_device("fake"):
                assert xp.zeros(1).device == "fake:0"
            assert xp.zeros(1).device == "cpu"
        assert xp.zeros(1).device == "fake:1"
    assert xp.zeros(1).device == "cpu"


@pytest.mark.usefixtures("fakes")
def test_default_device_is_restored_after_an_exception():
    with pytest.raises(RuntimeError, match="inside"), default_device("fake:2"):
        raise RuntimeError("inside")
    assert default_device.get() == "cpu"


@pytest.mark.usefixtures("fakes")
def test_one_default_device_object_can_be_entered_again_and_within_itself():
    there = default_device("fake:1")
    for _ in range(2):
        with there:
            with there:
                assert default_device.get() == "fake:1"
            assert default_device.get() == "fake:1"
        assert default_device.get() == "cpu"


@pytest.mark.usefixtures("fakes")
def test_a_generator_leaves_its_default_device_when_it_ends():
    def places() -> Iterator[str]:
        with default_device("fake:1"):
            yield xp.zeros(1).device
            yield xp.zeros(1).device

    assert list(places()) == ["fake:1", "fake:1"]
    assert default_device.get() == "cpu"
    started = places()
    next(started)
    started.close()
    assert default_device.get() == "cpu"


@pytest.mark.usefixtures("fakes")
def test_default_device_belongs_to_a_thread():
    inside, checked = threading.Event(), threading.Event()
    seen: list[str] = []

    def work() -> None:
        seen.append(xp.zeros(1).device)  # not that of the thread which started this one
        with default_device("fake:2"):
            inside.set()
            checked.wait(10)
            seen.append(xp.zeros(1).device)

    with default_device("fake:1"):
        thread = threading.Thread(target=work)
        thread.start()
        assert inside.wait(10)
        assert xp.zeros(1).device == "fake:1"
        checked.set()
        thread.join(10)
    assert seen == ["cpu", "fake:2"]


@pytest.mark.usefixtures("fakes")
def test_default_device_belongs_to_an_asyncio_task():
    async def work(device: str) -> list[str]:
        seen: list[str] = []
        with default_device(device):
            for _ in range(3):
                await asyncio.sleep(0)  # lets the other tasks in
                seen.append(xp.zeros(1).device)
        return seen

    async def main() -> list[list[str]]:
        return await asyncio.gather(*(work(f"fake:{number}") for number in range(3)))

    assert asyncio.run(main()) == [[f"fake:{number}"] * 3 for number in range(3)]
    assert default_device.get() == "cpu"


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize(
    "make",
    [
        lambda: xp.zeros(2), lambda: xp.ones(2), lambda: xp.empty(2), lambda: xp.full(2, 1.0),
        lambda: xp.arange(2), lambda: xp.linspace(0, 1, 2), lambda: xp.eye(2),
        lambda: xp.asarray([1.0]), lambda: xp.asarray(1), lambda: xp.asarray(np.ones(2, "f4")),
        lambda: xp.fft.fftfreq(2), lambda: xp.fft.rfftfreq(2),
    ],
    ids="zeros ones empty full arange linspace eye list scalar numpy fftfreq rfftfreq".split(),
)  # fmt: skip
def test_functions_that_make_arrays_use_the_default_device(make: Callable[[], Any]):
    assert make().device == "cpu"
    with default_device("fake:1"):
        assert make().device == "fake:1"


@pytest.mark.usefixtures("fakes")
def test_functions_of_arrays_ignore_the_default_device():
    x = xp.asarray([1.0, 2.0], device="fake:0")
    with default_device("fake:1"):
        made = [xp.zeros_like(x), xp.full_like(x, 2), xp.asarray(x), x + 1, xp.sum(x), x[0], x[:1]]
        assert {y.device for y in made} == {"fake:0"}


@pytest.mark.usefixtures("fakes")
def test_synchronize_takes_any_device_or_none():
    assert synchronize() is None
    assert synchronize("fake:1") is None
    with pytest.raises(ValueError, match="'gpu' is not a device"):
        synchronize("gpu")
