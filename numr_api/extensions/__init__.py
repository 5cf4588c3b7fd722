"""What numr_api offers beyond the standard, a module for each topic."""

from __future__ import annotations

from numr_api.extensions import device, errors, mode

__all__ = ["device", "errors", "mode"]
