"""Inspection of the namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from numr_api import _devices
from numr_api._checks import describe
from numr_api._devices import backend_for
from numr_api._dtypes import KINDS, STANDARD

if TYPE_CHECKING:
    from numr_api._devices import Device, Devices
    from numr_api._dtypes import DType

__all__ = ["__array_namespace_info__"]

_DEFAULTS = {
    "real floating": "real floating-point",
    "complex floating": "complex floating-point",
    "integral": "integral",
    "indexing": "indexing",
}


class NamespaceInfo:
    """What ``__array_namespace_info__()`` returns."""

    __slots__ = ()

    def capabilities(self) -> dict[str, Any]:
        """Optional features: boolean indexing, data-dependent shapes, most axes of an array."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """The device where arrays are made now if none is named."""
        return _devices.default_device.get()

    def devices(self) -> Devices:
        """Every device that can be used here, cpu first."""
        return _devices.devices()

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, DType]:
        """The default dtypes of a device; None for the default device."""
        defaults = backend_for(device, "default_dtypes").default_dtypes
        return {kind: defaults[ours] for kind, ours in _DEFAULTS.items()}

    def dtypes(
        self,
        *,
        device: Device | str | None = None,
        kind: str | tuple[str, ...] | None = None,
    ) -> dict[str, DType]:
        """The dtypes that a device has, by name.

        Arguments:
            device: None for the default device.
            kind: a kind as for ``isdtype``, or a tuple of kinds; None for all dtypes.
        """
        available = backend_for(device, "dtypes").dtypes
        letters = "biufc" if kind is None else _letters(kind)
        return {d.name: d for d in STANDARD if d in available and d.kind in letters}


def _letters(kind: object) -> str:
    if isinstance(kind, tuple):
        return "".join(map(_letters, cast("tuple[object, ...]", kind)))
    if not isinstance(kind, str):
        raise TypeError(f"dtypes: kind must be a string or a tuple of them, got {describe(kind)}")
    if kind not in KINDS:
        raise ValueError(f"dtypes: unknown kind {kind!r}; kinds are {', '.join(KINDS)}")
    return KINDS[kind]


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807 - the standard's name
    """Inspection: devices, dtypes, their defaults, and capabilities."""
    return NamespaceInfo()
