"""What goes wrong on a webgpu device becomes an error in words, and the device stays usable."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api import _devices
from numr_api._backends.webgpu import adapters, expressions
from numr_api._declare import OPS
from numr_api.extensions.device import default_device, synchronize
from numr_api.extensions.errors import DeviceLost, DeviceOutOfMemory, Unsupported

wgpu = pytest.importorskip("wgpu")


def assert_usable(backend: Any) -> None:
    x = xp.arange(5, dtype=xp.float32, device=backend.device)
    assert float(xp.sum(x * 2 + 1)) == 25.0


@contextmanager
def without_plans(*names: str) -> Iterator[None]:
    """Operations find their kernels anew, and forget them afterwards."""
    saved = {name: dict(OPS[name].plans) for name in names}
    for name in names:
        OPS[name].plans.clear()
    try:
        yield
    finally:
        for name in names:
            OPS[name].plans.clear()
            OPS[name].plans.update(saved[name])


# Kernels that the driver refuses


@pytest.mark.parametrize("text", ["no_such_function(a)", "a +", "bitcast<vec2<u32>>(a)", "1u"])
def test_a_kernel_that_does_not_compile_names_its_operation(
    put: Any, backend: Any, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    x = put(np.ones(4, np.float32))
    monkeypatch.setitem(expressions.EXPRESSIONS, "reciprocal", {"f": text})
    with without_plans("reciprocal"):
        for _ in range(2):  # it is not taken for compiled either
            with pytest.raises(RuntimeError, match=r"^reciprocal: .* refused it: ") as caught:
                xp.reciprocal(x)
            assert not isinstance(caught.value, DeviceLost | NotImplementedError)
            assert isinstance(caught.value.__cause__, wgpu.GPUError)
    assert_usable(backend)
    monkeypatch.undo()
    with without_plans("reciprocal"):
        assert float(xp.reciprocal(x)[0]) == 1.0


def test_a_kernel_that_does_not_compile_leaves_its_target_as_it_was(
    put: Any, get: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = put(np.ones(4, np.float32))
    monkeypatch.setitem(expressions.EXPRESSIONS, "multiply", {"f": "a ** b"})
    with without_plans("multiply"), pytest.raises(RuntimeError, match=r"^multiply: "):
        x *= 2
    assert get(x).tolist() == [1.0] * 4


def test_commands_that_are_refused_name_their_operations(
    put: Any, backend: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads next is told, also if the operation that met it was repeated."""
    x = put(np.ones(5000, np.float32))
    synchronize(backend.device)
    queue = backend.gpu._device.queue

    def refuse(_: Any) -> None:
        raise wgpu.GPUValidationError("no")

    y = xp.exp(x) + 1
    monkeypatch.setattr(queue, "submit", refuse)
    with pytest.raises(RuntimeError, match=r"^add, exp: .* refused it: no"):
        float(y[0])
    monkeypatch.undo()
    assert_usable(backend)  # told once
    y = xp.exp(x) + 1
    monkeypatch.setattr(queue, "submit", refuse)
    monkeypatch.setattr("numr_api._backends.webgpu.gpu.MOST_COMMANDS", 0)  # so that x + 1 submits
    z = x + 1
    monkeypatch.undo()
    with pytest.raises(RuntimeError, match=r"^add, exp: .* refused it: no"):
        float(z[0])
    assert float(z[0]) == 2.0
    assert_usable(backend)


# What the device has not


def test_missing_dtypes(backend: Any) -> None:
    device = backend.device
    if backend.gpu.adapter.features:
        assert xp.zeros(2, dtype=xp.float64, device=device).dtype == xp.float64
        return
    x = xp.ones(3, dtype=xp.float32, device=device)
    host = xp.ones(3)
    for work, name in (
        (lambda: xp.zeros(2, dtype=xp.float64, device=device), "zeros"),
        (lambda: xp.astype(x, xp.complex128), "astype"),
        (lambda: xp.asarray(np.ones(2), device=device), "asarray"),
        (lambda: host.to_device(device), "to_device"),
        (lambda: xp.sum(x, dtype=xp.float64), "sum"),
    ):
        with pytest.raises(Unsupported, match=rf"^{name}: (float64|complex128) .*{device}"):
            work()
    assert_usable(backend)


def test_more_axes_than_a_kernel_can_take(put: Any, backend: Any) -> None:
    x = put(np.arange(2**14, dtype=np.float32))
    many = xp.permute_dims(xp.reshape(x, (2,) * 14), tuple(reversed(range(14))))
    total = many + xp.permute_dims(many, tuple(range(13, -1, -1)))
    assert float(total[(1,) + (0,) * 13]) == 2**13 + 1
    assert_usable(backend)


# Indices that only the device knows


@pytest.mark.parametrize("work", [
    lambda x, wrong: xp.take(x, wrong),
    lambda x, wrong: x[wrong],
    lambda x, wrong: xp.take_along_axis(x, wrong),
], ids=["take", "indexing", "take_along_axis"])  # fmt: skip
def test_indices_out_of_bounds_made_on_the_device(
    put: Any, backend: Any, work: Callable[..., Any]
) -> None:
    x = put(np.arange(5, dtype=np.float32))
    right = put(np.asarray([1, 2])) + 1
    wrong = put(np.asarray([1, 4])) + 1
    assert float(work(x, right)[1]) == 3.0
    for read in (lambda y: float(y[0]), lambda y: y.to_device("cpu"), lambda y: repr(y)):
        y = work(x, wrong)
        with pytest.raises(IndexError, match="out of bounds for axis 0 of length 5"):
            read(y)
        assert_usable(backend)
    work(x, wrong)
    with pytest.raises(IndexError, match="out of bounds"):
        synchronize(backend.device)
    synchronize(backend.device)
    assert float(work(x, right)[1]) == 3.0
    with pytest.raises(IndexError, match="index 5 is out of bounds"):  # at once, as the host knows
        work(x, put(np.asarray([5])))
    assert_usable(backend)


# A device that is lost


@pytest.fixture
def fresh(backend: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A device of its own, opened by its name as users do."""
    if not backend.gpu.adapter.features:
        pytest.skip("a loss does not depend on the features")
    monkeypatch.setenv("NUMR_API_DEVICES", "cpu,webgpu")
    monkeypatch.setattr(_devices, "_initial", [])
    monkeypatch.setattr(_devices, "_backends", {})
    return _devices.backend_of("webgpu:0")


def test_a_lost_device_says_so_and_is_opened_anew(fresh: Any) -> None:
    x = xp.arange(10, dtype=xp.float32, device="webgpu")
    y = x + 1
    assert float(y[0]) == 1.0
    fresh.gpu._device.destroy()
    with pytest.raises(DeviceLost, match=r"^asinh: .* is lost"):
        xp.asinh(x)
    for work, name in (
        (lambda: x + 1, "add"),
        (lambda: xp.sum(x), "sum"),
        (lambda: float(x[3]), "reading an array"),
        (lambda: x.to_device("cpu"), "reading an array"),
        (lambda: x.to_device("webgpu:0"), "reading an array"),
        (fresh.synchronize, "synchronize"),
        (lambda: xp.reshape(x, (2, 5)) @ xp.reshape(x, (5, 2)), "matmul"),
        (lambda: fresh.from_host(np.ones(3), None), "upload"),
        (lambda: fresh.empty((1 << 22,), xp.int8), "allocation of 4,194,304 bytes"),
    ):
        with pytest.raises(DeviceLost, match=rf"^{name}: .* is lost, and with it its arrays"):
            work()
    with pytest.raises(DeviceLost, match=r"^in-place add|^add"):
        x += 1
    # The next use of its name opens it anew.
    z = xp.arange(10, dtype=xp.float32, device="webgpu")
    assert z.device == x.device == "webgpu:0"
    assert _devices.backend_of("webgpu:0") is not fresh
    assert float(xp.sum(z)) == 45.0
    with pytest.raises(DeviceLost, match=r"^add: webgpu:0 was lost, and with it an array"):
        x + z
    with pytest.raises(DeviceLost, match=r"^add: .* is lost"):
        x + 1
    assert float(z[9]) == 9.0
    assert float(xp.sum(xp.asinh(z))) > 0.0


def test_a_loss_is_found_at_a_read(fresh: Any) -> None:
    x = xp.arange(5000, dtype=xp.float32, device="webgpu")
    y = x * 2
    fresh.gpu._device.destroy()
    with pytest.raises(DeviceLost, match=r"^(arange, multiply|multiply): .* is lost"):
        float(y[3])
    assert float(xp.ones(3, device="webgpu")[0]) == 1.0


def test_a_default_device_that_is_lost_is_opened_anew(
    fresh: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMR_API_DEVICE", "webgpu")
    x = xp.arange(5)
    with default_device("webgpu:0"):
        y = xp.arange(5)
        assert x.device == y.device == "webgpu:0"
        fresh.gpu._device.destroy()
        with pytest.raises(DeviceLost):
            float(xp.sum(y))
        assert int(xp.sum(xp.arange(5))) == 10
    assert int(xp.sum(xp.arange(5))) == 10
    assert xp.arange(5).device == "webgpu:0"


def test_what_the_host_remembers_of_a_lost_array_can_be_had(fresh: Any) -> None:
    x = xp.asarray([1.0, 2.0], device="webgpu")
    fresh.gpu._device.destroy()
    with pytest.raises(DeviceLost):
        xp.sin(x)
    assert np.asarray(x.to_device("cpu")).tolist() == [1.0, 2.0]


def test_a_driver_that_is_out_of_memory_at_a_submit(
    put: Any, backend: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = put(np.ones(3, np.float32))

    def refuse(_: Any) -> None:
        raise wgpu.GPUOutOfMemoryError("")

    y = x + 1
    monkeypatch.setattr(backend.gpu._device.queue, "submit", refuse)
    with pytest.raises(DeviceOutOfMemory, match=r"add: .* is out of memory"):
        float(y[0])
    monkeypatch.undo()
    assert_usable(backend)


# The environment


@pytest.fixture
def anew() -> Iterator[None]:
    """Adapters are looked for in this test, and again after it."""
    adapters.forget()
    yield
    adapters.forget()


@pytest.mark.usefixtures("backend", "anew")
class TestEnvironment:
    def test_an_adapter_that_is_not_there(self, monkeypatch: pytest.MonkeyPatch) -> None:
        names = [adapter.name for adapter in adapters.adapters()]
        adapters.forget()
        monkeypatch.setenv("NUMR_API_DEVICES", "cpu,webgpu")
        monkeypatch.setenv("NUMR_API_WEBGPU_ADAPTER", "Voodoo 2")
        assert _devices.count("webgpu") == 0
        assert list(_devices.devices()) == ["cpu"]
        with pytest.raises(ValueError, match="zeros: no device 'webgpu:7': ") as caught:
            xp.zeros(1, device="webgpu:7")
        text = str(caught.value)
        assert "NUMR_API_WEBGPU_ADAPTER='Voodoo 2'" in text
        assert text.endswith("; there are: " + ", ".join(names))

    def test_an_adapter_by_a_part_of_its_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        name = adapters.adapters()[0].name
        adapters.forget()
        monkeypatch.setenv("NUMR_API_WEBGPU_ADAPTER", name[:6].upper())
        assert adapters.adapters()[0].name == name

    def test_baseline(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NUMR_API_WEBGPU_FEATURES", "none")
        assert adapters.adapters()[0].features == frozenset()

    def test_wgpu_is_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NUMR_API_DEVICES", "cpu,webgpu")
        monkeypatch.setattr(adapters, "find_spec", lambda _: None)
        assert adapters.adapters() == []
        words = r"wgpu is not installed; pip install 'numr-api\[webgpu\]'"
        with pytest.raises(ValueError, match=rf"zeros: no device 'webgpu:7': {words}"):
            xp.zeros(1, device="webgpu:7")

    def test_there_is_no_driver(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(import_module("wgpu").gpu, "enumerate_adapters_sync", list)
        assert adapters.adapters() == []
        assert adapters.obstacle().startswith("there is no GPU driver; ")

    def test_the_best_adapter_is_first(self) -> None:
        ranks = [adapters._rank(adapter) for adapter in adapters.adapters()]
        assert ranks == sorted(ranks)
        modern = [a for a in adapters.adapters() if not a.graphics.startswith("OpenGL")]
        assert not modern or len(modern) == len(adapters.adapters())


CODE = """
import numr_api as xp
from numr_api._devices import backend_of

backend = backend_of("webgpu")
assert backend.gpu.checked
x = xp.reshape(xp.arange(24, dtype=xp.float32), (4, 6))
n = xp.arange(6)
print(float(xp.sum(xp.exp(x * 0) + x[:, ::-1])), int(xp.argmax(x)))
print([int(i) for i in xp.argsort(-n)], float(xp.cumulative_sum(x[1, :])[5]))
print(float(xp.trace(x @ x.T) if hasattr(xp, "trace") else xp.linalg.trace(x @ x.T)))
print(float(xp.var(x)), [int(i) for i in xp.take(n, n[::-2])], x[x > 20].shape)
print([int(i) for i in xp.unique_values(n // 2)], float(xp.concat((x, x))[7, 5]))
print([int(i) for i in xp.repeat(n, xp.asarray([0, 0, 2, 0, 1, 0]))])
x[x > 20] = 0.0
x[:2, :] = 1.0
print(float(xp.max(x)), int(xp.searchsorted(n, xp.asarray([3]))[0]), bool(xp.all(xp.isin(n, n))))
wide = xp.astype(n, xp.int8)
print(float(xp.linspace(0, 1, 5)[3]), int(xp.prod(wide[1:])), int((wide << 1)[3]), bool(n[2] == 2))
"""
EXPECTED = """\
300.0 23
[5, 4, 3, 2, 1, 0] 51.0
4324.0
47.9166666 [5, 3, 1] (3,)
[0, 1, 2] 23.0
[2, 2, 4]
20.0 3 True
0.75 120 6 True"""


@pytest.mark.parametrize("features", ["", "none"])
def test_kernels_with_runtime_checks(
    backend: Any, run_python: Callable[..., str], features: str
) -> None:
    if bool(features) is bool(backend.gpu.adapter.features):
        pytest.skip("of the two ways to open the device, each once")
    inherited = {name: value for name, value in os.environ.items() if "ADAPTER" in name}
    printed = run_python(
        CODE, NUMR_API_DEVICES="webgpu", NUMR_API_DEBUG="checked",
        NUMR_API_WEBGPU_FEATURES=features, **inherited,
    )  # fmt: skip
    assert printed.replace("47.91666793823242", "47.9166666") == EXPECTED
