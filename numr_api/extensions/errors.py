"""Exceptions beyond Python's own."""

from __future__ import annotations

from numr_api._errors import Unsupported

__all__ = ["Unsupported"]
