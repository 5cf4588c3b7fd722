"""The namespace under test: its functions, its dtypes on one device, arrays to and from it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from numr_conformance.check import Failed, Unsupported

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float32", "float64", "complex64", "complex128",
)  # fmt: skip


def load(name: str) -> Any:
    """The namespace that ``"package.module"`` or ``"module:expression"`` means."""
    module, _, expression = name.partition(":")
    found = import_module(module)
    # The expression comes from the command line of whoever runs the tool.
    return eval(expression, dict(vars(found))) if expression else found


class Target:
    """A namespace on one of its devices.

    Arguments:
        name: how the user named the namespace; see ``load``.
        device: the device by the namespace's own name; None for its default device.

    Attributes:
        spent: a check has changed the namespace, so that the next ones need a new process.
        max_ulp: above this error an accuracy check fails; None if errors are only measured.
    """

    max_ulp: float | None = None
    spent: bool = False

    def __init__(self, name: str, device: str | None = None) -> None:
        self.name = name
        self.xp = load(name)
        self.device = self._find_device(device)
        self.device_name = device or "default"
        self._flushes: dict[str, bool] = {}

    def _find_device(self, name: str | None) -> Any:
        """The device object that prints like a name; the name itself if no device does."""
        if name is None:
            return None
        try:
            devices = self.xp.__array_namespace_info__().devices()
        except Exception:  # whatever a namespace raises here; checks of the inspection report it
            return name
        for device in devices:
            # array_api_strict's print as array_api_strict.Device('CPU_DEVICE')
            if str(device) == name or repr(name) in repr(device):
                return device
        return name

    def find(self, function: str) -> Callable[..., Any]:
        """A function by its name, such as "exp" or "linalg.inv", or an operator such as "__add__".

        Raises:
            Unsupported: the namespace has none of this name.
        """
        if function.startswith("__") and hasattr(operator, function):
            return getattr(operator, function)
        found = self.xp
        for part in function.split("."):
            found = getattr(found, part, None)
            if found is None:
                raise Unsupported(f"{self.name} has no {function}")
        return found

    def lacks(self, error: Exception) -> bool:
        """Whether an error says that the namespace lacks a name, or that its arrays are immutable.

        It is then no news about what else a check is about: those of names tell the one, and those
        of ``__setitem__`` are the ones to look at for the other.
        """
        if isinstance(error, AttributeError):
            places = (self.xp, getattr(self.xp, "linalg", None), getattr(self.xp, "fft", None))
            return error.obj is not None and any(error.obj is place for place in places)
        return isinstance(error, TypeError) and "immutable" in str(error)

    @cached_property
    def dtypes(self) -> dict[str, Any]:
        """The standard's dtypes that the device has, by name."""
        try:
            available = self.xp.__array_namespace_info__().dtypes(device=self.device)
        except Exception:  # as above
            available = {name: getattr(self.xp, name) for name in DTYPES if hasattr(self.xp, name)}
        return {name: available[name] for name in DTYPES if name in available}

    def dtype(self, name: str) -> Any:
        """The namespace's dtype object; Unsupported if the device lacks it."""
        if name not in self.dtypes:
            raise Unsupported(f"no {name} on {self.device_name}")
        return self.dtypes[name]

    def array(self, host: Any) -> Any:
        """The namespace's array on the device with the values and dtype of a NumPy array.

        Always a contiguous copy. Raises Unsupported if the device lacks the dtype.
        """
        host = np.asarray(host)
        dtype = self.dtype(host.dtype.name)
        keywords = {} if self.device is None else {"device": self.device}
        flat = self.xp.asarray(host.reshape(-1).tolist(), dtype=dtype, **keywords)
        return self.xp.reshape(flat, host.shape)

    def host(self, x: Any) -> np.ndarray[Any, Any]:
        """A NumPy copy of the namespace's array, through DLPack, ``__array__`` or its elements.

        Raises Failed if it is something else: NumPy would make an array of a tuple of arrays, too.
        """
        _require_array(x)
        try:
            return np.array(np.from_dlpack(x, device="cpu"))
        except (AttributeError, BufferError, RuntimeError, TypeError, ValueError):
            pass
        try:
            found = np.array(np.asarray(x))
            if found.dtype.kind in "biufc":
                return found
        except (RuntimeError, TypeError, ValueError):
            pass
        return self._by_elements(x)

    def _by_elements(self, x: Any) -> np.ndarray[Any, Any]:
        name = next(n for n, dtype in self.dtypes.items() if dtype == x.dtype)
        convert = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[np.dtype(name).kind]
        out = np.empty(x.shape, dtype=name)
        for index in np.ndindex(*x.shape):
            out[index] = convert(x[index])
        return out

    def flushes_subnormals(self, dtype: str) -> bool:
        """Whether operands of a real dtype that are subnormal count as zero, as on many GPUs."""
        if dtype not in self._flushes:
            least = np.array([np.finfo(dtype).smallest_subnormal])
            try:
                found = self.host(self.xp.multiply(self.array(least), self.array(1 + 0 * least)))
            except Exception:  # of which the checks of multiply tell
                found = least
            self._flushes[dtype] = not found.any()
        return self._flushes[dtype]

    def dtype_name(self, x: Any) -> str:
        """The name of an array's dtype, "?" if it is none of the standard's; Failed if no array."""
        _require_array(x)
        return next((name for name, dtype in self.dtypes.items() if dtype == x.dtype), "?")


def _require_array(x: Any) -> None:
    if not hasattr(x, "dtype"):
        raise Failed("the result is no array", expected="an array", actual=type(x))
