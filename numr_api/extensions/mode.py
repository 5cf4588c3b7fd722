"""Strict or relaxed: whether functions accept what NumPy accepts beyond the standard."""

from __future__ import annotations

from numr_api._mode import current, relaxed, strict

__all__ = ["current", "relaxed", "strict"]
