"""What numr_api offers beyond the standard, a module for each topic.

The functions of activation, padding, transform, normalization and destination are also found here:
``from numr_api.extensions import fwht``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from numr_api.extensions import (
    activation,
    destination,
    device,
    dtypes,
    errors,
    mode,
    normalization,
    padding,
    transform,
)
from numr_api.extensions.activation import *  # noqa: F403
from numr_api.extensions.destination import *  # noqa: F403
from numr_api.extensions.normalization import *  # noqa: F403
from numr_api.extensions.padding import *  # noqa: F403
from numr_api.extensions.transform import *  # noqa: F403

_flat = (activation, destination, normalization, padding, transform)

__all__ = [
    "activation",
    "destination",
    "device",
    "dtypes",
    "errors",
    "mode",
    "normalization",
    "padding",
    "special",  # noqa: F405  # pyright: ignore[reportUnsupportedDunderAll]
    "transform",
]
__all__ += [name for module in _flat for name in module.__all__]


def __getattr__(name: str) -> Any:
    if name != "special":  # imported when it is asked for, as it needs SciPy
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.special")


def __dir__() -> list[str]:
    return __all__
