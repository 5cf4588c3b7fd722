"""Strict or relaxed: which of the two holds, for each thread or task on its own.

Strict is the default, and what is looked at first: only where strict code is about to raise does it
ask ``relaxed_rules`` whether there is another way. So a call that strict accepts costs and does the
same in both modes.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Literal

Mode = Literal["strict", "relaxed"]


def _initial() -> Mode:
    """What NUMR_API_MODE says, which is read when numr_api is imported."""
    setting = os.environ.get("NUMR_API_MODE", "strict")
    if setting == "relaxed" or setting == "strict":
        return setting
    raise ValueError(f"NUMR_API_MODE must be 'strict' or 'relaxed', got {setting!r}")


INITIAL: Final = _initial()
_mode: ContextVar[Mode] = ContextVar("numr_api_mode", default=INITIAL)


def current() -> Mode:
    """The mode of this thread or task: "strict" or "relaxed"."""
    return _mode.get()


def relaxed_rules():
    """The module with the relaxed rules where they hold, else None."""
    if _mode.get() == "strict":
        return None
    from numr_api import _relaxed  # which needs every chapter of the standard

    return _relaxed


@contextmanager
def _switched(mode: Mode) -> Generator[None]:
    previous = _mode.get()
    _mode.set(mode)
    try:
        yield
    finally:
        _mode.set(previous)


@contextmanager
def strict() -> Generator[None]:
    """Strict mode inside a ``with`` block, for this thread or task only.

    Functions accept what the standard defines and refuse the rest. This is the default unless the
    environment variable NUMR_API_MODE is "relaxed" when numr_api is imported.
    """
    with _switched("strict"):
        yield


@contextmanager
def relaxed() -> Generator[None]:
    """Relaxed mode inside a ``with`` block, for this thread or task only.

    What strict mode accepts does the same here. Of what it refuses, most is done as NumPy does it:
    integers meet floating-point numbers, ``bool`` counts, lists and arrays of any kind index.
    """
    with _switched("relaxed"):
        yield
