"""Exceptions of numr_api beyond Python's own.

Most refusals are TypeError, ValueError, IndexError, OverflowError or BufferError, with a message
that names the function, what was given and what is accepted.
"""

from __future__ import annotations

__all__ = ["Unsupported"]


class Unsupported(NotImplementedError):
    """A device cannot do what was asked; the message names operation, data type and device."""
