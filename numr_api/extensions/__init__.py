"""What numr_api offers beyond the standard, a module for each topic."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from numr_api.extensions import device, dtypes, errors, mode

__all__ = ["device", "dtypes", "errors", "mode", "special"]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> ModuleType:
    if name != "special":  # imported when it is asked for, as it needs SciPy
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.special")


def __dir__() -> list[str]:
    return __all__
