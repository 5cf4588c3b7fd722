"""Devices by name, the default device, and each device's backend."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, cast

from numr_api._dtypes import DType, bool as bool_dtype
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Backend, BackendModule
    from numr_api._profiles import DeviceProfile

# "fake" devices live on the cpu with fewer dtypes; they exist for tests and are listed and created
# only when NUMR_API_DEVICES names them.
KINDS: Final = ("cpu", "cuda", "webgpu", "fake")


class Device(str):
    """Where an array lives: a string such as "cpu", "cuda:0" or "webgpu:0"."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """ "cpu", "cuda" or "webgpu"."""
        return self.partition(":")[0]

    @property
    def number(self) -> int:
        """Which device of its kind, from 0."""
        return int(self.partition(":")[2] or 0)

    def __reduce__(self) -> tuple[type[Device], tuple[str]]:
        return Device, (str(self),)


class Devices(tuple[Device, ...]):
    """The devices in a tuple, which can also be joined with a list, as SciPy's tests do."""

    __slots__ = ()

    def __add__(self, other: Iterable[Any], /) -> tuple[Any, ...]:  # type: ignore[override]
        return (*self, *other)


class ArrayType:
    """What an array holds and where: dtype, device, and the device's backend.

    There is one for each pair of dtype and device, so that identity compares both at once; plans of
    the checked call path are looked up by it.
    """

    __slots__ = ("backend", "boolean", "device", "dtype", "storage")

    def __init__(self, dtype: DType, backend: Backend) -> None:
        self.dtype: Final = dtype
        self.device: Final = backend.device
        self.backend: Final = backend
        self.storage: Final = backend.storage
        self.boolean: ArrayType = self if dtype is bool_dtype else array_type(bool_dtype, backend)

    def of(self, dtype: DType, operation: str = "") -> ArrayType:
        """The type of another dtype on the same device, as ``array_type`` finds it."""
        return self if dtype is self.dtype else array_type(dtype, self.backend, operation)

    def __repr__(self) -> str:
        return f"{self.dtype} on {self.device}"


def array_type(dtype: DType, backend: Backend, operation: str = "") -> ArrayType:
    """The one ArrayType of a dtype and a device.

    Raises Unsupported, in the name of an operation, if the device lacks the dtype.
    """
    known: dict[Backend, ArrayType] = dtype._array_types
    found = known.get(backend)
    if found is None:
        if dtype not in backend.dtypes:
            name = f"{operation}: " if operation else ""
            raise Unsupported(f"{name}{dtype} is not available on {backend.device}")
        found = known.setdefault(backend, ArrayType(dtype, backend))
    return found


def enabled_kinds() -> tuple[str, ...]:
    """The device kinds that NUMR_API_DEVICES allows (a comma-separated list of kinds)."""
    setting = os.environ.get("NUMR_API_DEVICES")
    if setting is None:
        return tuple(kind for kind in KINDS if kind != "fake")
    wanted = [part.strip().partition(":")[0] for part in setting.split(",") if part.strip()]
    for kind in wanted:
        if kind not in KINDS:
            raise ValueError(f"NUMR_API_DEVICES: {kind!r} is not a device kind of {KINDS}")
    return tuple(kind for kind in KINDS if kind in wanted)


@cache
def backend_module(kind: str) -> BackendModule | None:
    """The module that serves a device kind, or None if this version has none."""
    name = f"numr_api._backends.{kind}"
    return cast("BackendModule", import_module(name)) if find_spec(name) else None


def count(kind: str) -> int:
    """How many devices of a kind can be used here."""
    module = backend_module(kind) if kind in enabled_kinds() else None
    return 0 if module is None else module.count()


def obstacle(kind: str) -> str:
    """Why there is no device of a kind here."""
    if kind not in enabled_kinds():
        return "NUMR_API_DEVICES does not list it"
    module = backend_module(kind)
    return "this version has no backend for it yet" if module is None else module.obstacle()


def devices() -> Devices:
    """Every device that can be used, cpu first."""
    return Devices(_each_device())


def _each_device() -> Iterator[Device]:
    """The same one by one, so that drivers are asked only when their devices are reached."""
    for kind in enabled_kinds():
        for number in range(count(kind)):
            yield device_name(kind, number)


@cache
def device_name(kind: str, number: int) -> Device:
    """The one Device object of a canonical name."""
    return Device(kind if (kind, number) == ("cpu", 0) else f"{kind}:{number}")


def parse(device: object, operation: str) -> Device:
    """The Device that a user's word means: a Device, "cpu", "cuda:1", or the bare "cuda"."""
    if not isinstance(device, str):
        raise TypeError(
            f"{operation}: device must be a string such as 'cpu' or 'webgpu:0', or a numr_api "
            f"device; got {type(device).__name__} {device!r}"
        )
    kind, _, number = device.partition(":")
    if kind not in KINDS or not (number.isdecimal() or device == kind):
        raise ValueError(
            f"{operation}: {device!r} is not a device; devices here: {', '.join(devices())}"
        )
    return device_name(kind, int(number or 0))


_lock = threading.Lock()
_backends: dict[str, Backend] = {}


def backend_of(device: object, operation: str = "device") -> Backend:
    """The backend of a device that an operation was given, opened at its first use.

    Raises:
        TypeError: not a string.
        ValueError: no such device, with the reason.
    """
    try:
        return _backends[device]  # type: ignore[index]
    except (KeyError, TypeError):
        return _open(parse(device, operation), operation)


def _open(device: Device, operation: str) -> Backend:
    with _lock:
        if device not in _backends:
            available = count(device.kind)
            if available == 0:
                raise ValueError(f"{operation}: no device {device!r}: {obstacle(device.kind)}")
            if device.number >= available:
                raise ValueError(
                    f"{operation}: no device {device!r}: there are {available} of this kind"
                )
            module = cast("BackendModule", backend_module(device.kind))
            _backends[device] = module.open_device(device.number)
        return _backends[device]


def forget(backend: Backend) -> None:
    """Open a device anew at its next use, since it is lost; arrays on it stay with the lost one."""
    if _backends.get(backend.device) is backend:
        del _backends[backend.device]


# The devices of the open default_device blocks, the innermost last.
_blocks: ContextVar[tuple[Device, ...]] = ContextVar("numr_api_default_device", default=())
_initial: list[Device] = []


def default_backend() -> Backend:
    """The backend where arrays are made if no device is named.

    That of the innermost ``default_device``, else the one that NUMR_API_DEVICE names (read once),
    else that of the first device, which is the cpu unless NUMR_API_DEVICES leaves it out.
    """
    blocks = _blocks.get()
    if blocks:
        return backend_of(blocks[-1])
    if not _initial:
        named = os.environ.get("NUMR_API_DEVICE") or next(_each_device(), None)
        if named is None:
            raise ValueError("no device: none that NUMR_API_DEVICES lists can be used here")
        _initial.append(backend_of(named, "NUMR_API_DEVICE").device)
    return backend_of(_initial[0])


def backend_for(device: object, operation: str) -> Backend:
    """The backend of a device that an operation was given, or the default one if it is None."""
    return default_backend() if device is None else backend_of(device, operation)


class default_device:  # noqa: N801 - read as a function: `with default_device("cuda"):`
    """Make another device the default inside a ``with`` block, for this thread or task only.

    ``default_device.get()`` tells the current one: that of the innermost block, else the
    environment variable NUMR_API_DEVICE, else the first of ``devices()``, usually "cpu".

    Arguments:
        device: a device or its name.
    """

    def __init__(self, device: Device | str, /) -> None:
        self._device = backend_of(device, "default_device").device

    def __enter__(self) -> Device:
        _blocks.set((*_blocks.get(), self._device))
        return self._device

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _blocks.set(_blocks.get()[:-1])

    @staticmethod
    def get() -> Device:
        """The device where arrays are made now if none is named."""
        return default_backend().device


def _initial_host_conversion() -> bool:
    """Whether NUMR_API_HOST_CONVERSION is 1; read when numr_api is imported."""
    setting = os.environ.get("NUMR_API_HOST_CONVERSION", "0")
    if setting not in ("0", "1"):
        raise ValueError(f"NUMR_API_HOST_CONVERSION must be '0' or '1', got {setting!r}")
    return setting == "1"


# What the open host_conversion blocks allow, the innermost last.
_host_conversion: ContextVar[tuple[bool, ...]] = ContextVar(
    "numr_api_host_conversion", default=(_initial_host_conversion(),)
)


class host_conversion:  # noqa: N801 - read as a function: `with host_conversion(True):`
    """Let ``numpy.asarray`` copy arrays from other devices than the cpu inside a ``with`` block.

    For this thread or task only. Without it that is a TypeError, since it waits for the device and
    moves data where nobody sees it. ``host_conversion.get()`` tells whether it is allowed. Outside
    of blocks it is if the environment variable NUMR_API_HOST_CONVERSION is 1 when numr_api is
    imported.

    Arguments:
        allowed: whether it is allowed in the block.
    """

    def __init__(self, allowed: bool, /) -> None:
        if not isinstance(allowed, bool):
            raise TypeError(f"host_conversion: allowed must be True or False, got {allowed!r}")
        self._allowed = allowed

    def __enter__(self) -> None:
        _host_conversion.set((*_host_conversion.get(), self._allowed))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _host_conversion.set(_host_conversion.get()[:-1])

    @staticmethod
    def get() -> bool:
        """Whether ``numpy.asarray`` copies from other devices now."""
        return _host_conversion.get()[-1]


def profile(device: Device | str | None = None) -> DeviceProfile:
    """What a device is made of; None means the default device.

    Properties that nobody tells are 0 or False, so a choice that depends on them is the one that
    works everywhere. It never raises for a device that is there.
    """
    return backend_for(device, "profile").profile()


def synchronize(device: Device | str | None = None) -> None:
    """Wait until all work handed to a device is done; None means the default device."""
    backend_for(device, "synchronize").synchronize()


@dataclass(frozen=True)
class MemoryStatistics:
    """How much memory of a device its arrays have, in bytes.

    Attributes:
        used: what arrays hold, with what each is rounded up by.
        peak: the most that ``used`` has been.
        reserved: what was taken from the driver, held or kept for reuse.
    """

    used: int
    peak: int
    reserved: int


def memory(device: Device | str | None = None) -> MemoryStatistics:
    """The memory that arrays have on a device; None means the default device.

    Raises Unsupported on devices that do not count it, such as the cpu.
    """
    return backend_for(device, "memory").memory()
