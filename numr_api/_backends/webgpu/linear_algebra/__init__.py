"""Linear algebra on the device: decompositions of stacks of matrices by kernels of our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ROUTINES: dict[str, Callable[..., Any]] = {}
