"""CuPy and NVIDIA's driver, as far as the cuda device asks them, served by NumPy.

With these the device's own logic runs where there is no GPU. What CuPy computes is not tested so.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.linalg

DEVICES = 2


class OutOfMemoryError(MemoryError):
    """CuPy's."""


class ndarray(np.ndarray):  # noqa: N801 - CuPy's name
    """An array that is on a device, and that stays an array when it has no axes."""

    number = 0

    def __array_finalize__(self, source: Any) -> None:
        self.number = getattr(source, "number", runtime.getDevice())

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        if context is not None:
            for x in context[1]:
                if isinstance(x, np.ndarray) and type(x) is not ndarray:
                    raise TypeError("NumPy's array beside CuPy's")
        return on_device(array)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and all(k is None or isinstance(k, int | slice) for k in key):
            key = (*key, ...)  # so that an element is a view, too
        return super().__getitem__(key)

    def view(self, *given: Any) -> Any:
        """As CuPy's, of a dtype and a class; NumPy's would make an attribute of the dtype."""
        if len(given) < 2:
            return super().view(*given)
        dtype, kind = given
        result = super().view(np.ndarray).view(dtype).view(kind)
        result.number = self.number
        return result

    @property
    def data(self) -> Any:
        def copy_from_device_async(source: Any, size: int, stream: Any) -> None:
            calls.append(("copy", source.device_id, self.number, runtime.getDevice()))
            ctypes.memmove(self.ctypes.data, source.ptr, size)

        return SimpleNamespace(
            ptr=self.ctypes.data,
            device_id=self.number,
            copy_from_device_async=copy_from_device_async,
        )

    @property
    def _c_contiguous(self) -> bool:
        return self.flags.c_contiguous

    @property
    def device(self) -> Any:
        return SimpleNamespace(id=self.number)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {**self.__array_interface__, "version": 3, "stream": 1}

    def get(self) -> Any:
        calls.append("get")
        return np.array(self.view(np.ndarray), order="C")

    def item(self, *place: Any) -> Any:
        calls.append("item")
        return self.view(np.ndarray).item(*place)

    def tolist(self) -> Any:
        calls.append("tolist")
        return self.view(np.ndarray).tolist()

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        return self.item().__index__()

    def sort(self, axis: int = -1) -> None:
        self[...] = np.sort(self.view(np.ndarray), axis=axis, kind="stable")

    def argsort(self, axis: int = -1) -> Any:
        return on_device(np.argsort(self.view(np.ndarray), axis=axis, kind="stable"))

    def nonzero(self) -> Any:
        return tuple(map(on_device, np.nonzero(self.view(np.ndarray))))

    def take(self, indices: Any, axis: Any = None) -> Any:
        return on_device(np.take(self.view(np.ndarray), indices, axis=axis))

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None) -> Any:
        calls.append(("dlpack", stream, max_version))
        return self.view(np.ndarray).__dlpack__(max_version=max_version)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, self.number)


def memory_of(address: int, count: int, dtype: Any) -> Any:
    """Numbers that lie at an address."""
    size = count * np.dtype(dtype).itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype)


calls: list[Any] = []  # what waits for the device, and exports


def on_device(array: Any) -> Any:
    return np.asarray(array).view(ndarray)


class Runtime:
    """The current device of each thread."""

    def __init__(self) -> None:
        self.current = threading.local()
        self.stream = 0

    def getDevice(self) -> int:  # noqa: N802
        return getattr(self.current, "number", 0)

    def setDevice(self, number: int) -> None:  # noqa: N802
        self.current.number = number

    def getDeviceCount(self) -> int:  # noqa: N802
        return DEVICES

    def driverGetVersion(self) -> int:  # noqa: N802
        return 13000

    def runtimeGetVersion(self) -> int:  # noqa: N802
        return 13000

    def deviceSynchronize(self) -> None:  # noqa: N802
        calls.append("synchronize")


runtime = Runtime()


class Event:
    """What tells the order of work on two devices."""

    def __init__(self, disable_timing: bool) -> None:
        assert disable_timing

    def record(self, stream: Any) -> None:
        calls.append(("record", runtime.getDevice()))


def _search(ordered: Any, values: Any, length: int, right: bool, result: Any) -> None:
    side = "right" if right else "left"
    result[...] = np.searchsorted(ordered.view(np.ndarray), values.view(np.ndarray), side=side)


def _isin(ordered: Any, values: Any, length: int, invert: bool, result: Any) -> None:
    result[...] = np.isin(values.view(np.ndarray), ordered.view(np.ndarray), invert=invert)


KERNELS = {
    "numr_searchsorted": _search,
    "numr_isin": _isin,
}


def _element_wise_kernel(inputs: str, outputs: str, body: str, name: str, **_: Any) -> Any:
    return KERNELS[name]


def _lu_factor(x: Any, dtype: Any) -> Any:
    shape, size = x.shape[:-2], x.shape[-1]
    lu, pivots = np.empty_like(x.view(np.ndarray)), np.empty((*shape, size), np.int32)
    for place in np.ndindex(shape):
        lu[place], pivots[place] = scipy.linalg.lu_factor(x[place].view(np.ndarray))
    status = np.any(np.diagonal(lu, axis1=-2, axis2=-1) == 0, axis=-1).astype(np.int32)
    return on_device(lu), on_device(pivots + 1), on_device(status)


def _of_numpy(module: Any, name: str) -> Any:
    function = getattr(module, name)

    def call(*arguments: Any, **options: Any) -> Any:
        with np.errstate(all="ignore"):
            found = function(*arguments, **options)
        if isinstance(found, tuple):
            return tuple(map(on_device, found))
        return on_device(found) if isinstance(found, np.ndarray | np.generic) else found

    return call


class Module(ModuleType):
    """A module whose functions are NumPy's."""

    def __init__(self, name: str, source: Any, **own: Any) -> None:
        super().__init__(name)
        self.__spec__ = SimpleNamespace(name=name)
        self._source = source
        vars(self).update(own)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _of_numpy(self._source, name)


def _broadcast_to(x: Any, shape: tuple[int, ...]) -> Any:
    """A view that CuPy lets anybody write to, unlike NumPy."""
    strides = np.broadcast_to(x, shape).strides
    return np.lib.stride_tricks.as_strided(x, shape, strides, subok=True)


def _array(x: Any, dtype: Any = None) -> Any:
    array = np.array(x, dtype)
    if array.ndim == 0 and array == 0:
        array[...] = 0  # also of -0
    return on_device(array)


def _asarray(x: Any) -> Any:
    return on_device(x) if np.ndim(x) else _array(x)


class Foreign:
    """Another library's array, known by its DLPack methods."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None) -> Any:
        return self.array.__dlpack__(stream=stream, max_version=max_version)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def _matmul(x1: Any, x2: Any) -> Any:
    for x in (x1, x2):
        if x.flags.c_contiguous and any(step < 0 for step in x.strides):
            raise OverflowError("Python integer -1 out of bounds for uint64")
    return on_device(np.matmul(x1, x2))


def _from_dlpack(x: Any) -> Any:
    capsule = x.__dlpack__(stream=1, max_version=(1, 0))
    on_host = SimpleNamespace(__dlpack__=lambda **_: capsule, __dlpack_device__=lambda: (1, 0))
    array = on_device(np.from_dlpack(on_host))
    array.number = x.__dlpack_device__()[1]
    return array


POOL = SimpleNamespace(used_bytes=lambda: 512, total_bytes=lambda: 1024)


def modules() -> dict[str, Any]:
    """The modules of CuPy by name."""
    cuda = SimpleNamespace(
        runtime=runtime,
        get_current_stream=lambda: SimpleNamespace(
            ptr=runtime.stream,
            synchronize=lambda: calls.append("stream"),
            wait_event=lambda event: calls.append(("wait", runtime.getDevice())),
        ),
        Event=Event,
        device=SimpleNamespace(get_cublas_handle=lambda: 0),
        memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
        Device=lambda number: SimpleNamespace(compute_capability="90"),
    )
    linalg = Module("cupy.linalg", np.linalg)
    cupy = Module(
        "cupy",
        np,
        __version__="14.2.0",
        ndarray=ndarray,
        array=_array,
        asarray=_asarray,
        broadcast_to=_broadcast_to,
        from_dlpack=_from_dlpack,
        matmul=_matmul,
        may_share_memory=np.may_share_memory,
        ElementwiseKernel=_element_wise_kernel,
        get_default_memory_pool=lambda: POOL,
        uint64=np.uint64,
        cuda=cuda,
        linalg=linalg,
        fft=Module("cupy.fft", np.fft),
    )
    cupyx = Module("cupyx", np, errstate=lambda **_: nullcontext())
    return {
        "cupy": cupy,
        "cupy.linalg": linalg,
        "cupy.linalg._decomposition": Module("_decomposition", np, _lu_factor=_lu_factor),
        "cupyx": cupyx,
        "cupyx.cusolver": Module("cusolver", np, check_availability=lambda name: True),
    }


# Capability, threads of a block and a warp, multiprocessors, shared memory of one and of a block.
OF_AN_H200 = {75: 9, 76: 0, 1: 1024, 10: 32, 16: 132, 81: 233472, 97: 232448}


class Driver:
    """libcuda with some GPUs."""

    def __init__(
        self, devices: int = DEVICES, status: int = 0, attributes: dict[int, int] | None = None
    ) -> None:
        self.devices, self.status = devices, status
        self.attributes = OF_AN_H200 if attributes is None else attributes

    def cuInit(self, flags: int) -> int:  # noqa: N802
        return self.status

    def cuDeviceGetCount(self, number: Any) -> int:  # noqa: N802
        number._obj.value = self.devices
        return 0

    def cuDeviceGet(self, handle: Any, index: int) -> int:  # noqa: N802
        handle._obj.value = index
        return 0

    def cuDeviceGetName(self, text: Any, length: int, handle: Any) -> int:  # noqa: N802
        text.value = b"NVIDIA H%d" % (200 + handle.value)
        return 0

    def cuDeviceGetAttribute(self, number: Any, attribute: int, handle: Any) -> int:  # noqa: N802
        if attribute not in self.attributes:
            return 1
        number._obj.value = self.attributes[attribute]
        return 0

    def cuDeviceTotalMem_v2(self, size: Any, handle: Any) -> int:  # noqa: N802
        size._obj.value = 2**37
        return 0


def install_driver(monkeypatch: pytest.MonkeyPatch, driver: Driver | None) -> None:
    """Let ctypes find this driver, or none."""
    load = ctypes.CDLL

    def open_library(name: Any, *arguments: Any, **options: Any) -> Any:
        if "cuda" not in str(name):
            return load(name, *arguments, **options)
        if driver is None:
            raise OSError(f"{name}: cannot open shared object file")
        return driver

    monkeypatch.setattr(ctypes, "CDLL", open_library)


def install_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python import this CuPy."""
    for name, module in modules().items():
        monkeypatch.setitem(sys.modules, name, module)
