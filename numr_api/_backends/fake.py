"""Devices for tests: the cpu with its arrays out of the host's reach, and with fewer dtypes.

    fake:0   every dtype
    fake:1   no float64 and no complex128
    fake:2   no dtype of 64-bit parts: no int64 and uint64 either

They are listed and created only when NUMR_API_DEVICES names "fake".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numr_api import _dtypes
from numr_api._backends.array_library import DEFAULT_DTYPES
from numr_api._backends.cpu import CpuBackend
from numr_api._devices import device_name
from numr_api._dlpack import exported
from numr_api._profiles import DeviceProfile

if TYPE_CHECKING:
    import numpy.typing as npt

    from numr_api._backends import Axes, Data, Kernel
    from numr_api._dtypes import DType

SINGLE = {"real floating-point": _dtypes.float32, "complex floating-point": _dtypes.complex64}
NARROW = {"integral": _dtypes.int32, "indexing": _dtypes.int32}

MISSING: tuple[set[DType], ...] = (
    set(),
    {_dtypes.float64, _dtypes.complex128},
    {_dtypes.float64, _dtypes.complex128, _dtypes.int64, _dtypes.uint64},
)
DEFAULTS: tuple[Mapping[str, DType], ...] = (
    DEFAULT_DTYPES,
    {**DEFAULT_DTYPES, **SINGLE},
    {**DEFAULT_DTYPES, **SINGLE, **NARROW},
)


def count() -> int:
    return len(MISSING)


def obstacle() -> str:
    return ""


def open_device(index: int) -> FakeBackend:
    dtypes = frozenset(_dtypes.ALL) - MISSING[index]
    return FakeBackend(device_name("fake", index), dtypes, DEFAULTS[index])


class FakeBackend(CpuBackend):
    """Data is an ndarray that nobody outside shares."""

    def __init__(
        self, device: Any, dtypes: frozenset[DType], default_dtypes: Mapping[str, DType]
    ) -> None:
        super().__init__(device, dtypes, default_dtypes)
        self.dlpack_device = (12, device.number)  # kDLExtDev
        self.shortcuts = {}  # what they do has to work without them

    def describe(self) -> Mapping[str, str]:
        return {**super().describe(), "driver": "none, this is a fake for tests"}

    def profile(self) -> DeviceProfile:
        return DeviceProfile.unknown(self.device.kind)

    def from_host(self, array: npt.NDArray[Any], copy: bool | None) -> Data:
        if copy is False:
            raise ValueError(f"{self.device} cannot share memory with the host")
        return array.copy()

    def to_host(self, data: Data) -> npt.NDArray[Any]:
        return data.copy()

    def export(
        self, data: Data, *, stream: Any, max_version: Any, dl_device: Any, copy: bool | None
    ) -> Any:
        if dl_device is None or tuple(dl_device) != (1, 0) or copy is False:
            raise BufferError(
                f"__dlpack__: arrays on {self.device} can only be copied to the cpu; "
                "ask for dl_device=(1, 0)"
            )
        return exported(data.copy(), max_version=max_version)

    # Index dtypes follow the device's default.

    def reduction(self, operation: str, dtype: DType, result: DType) -> Kernel:
        kernel = super().reduction(operation, dtype, result)
        if operation not in ("argmax", "argmin", "count_nonzero"):
            return kernel

        def indices(data: Data, axes: Axes, keepdims: bool) -> Data:
            return self._indices(kernel(data, axes, keepdims))

        return indices

    def argsort(self, data: Data, axis: int, descending: bool, stable: bool) -> Data:
        return self._indices(super().argsort(data, axis, descending, stable))

    def nonzero(self, data: Data) -> tuple[Data, ...]:
        return tuple(map(self._indices, super().nonzero(data)))

    def routine(self, name: str, *operands: Data, **parameters: Any) -> Any:
        outcome = super().routine(name, *operands, **parameters)
        if name == "searchsorted":
            return self._indices(outcome)
        if name == "unique":
            return outcome[0], *map(self._indices, outcome[1:])
        return outcome

    def _indices(self, data: Any) -> Data:
        return self.adopt(data).astype(self.default_dtypes["indexing"].__numpy_dtype__)
