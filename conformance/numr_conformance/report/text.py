"""Text of outcomes, made fit for reports: a namespace under test may print anything."""

from __future__ import annotations

import math
import re
from itertools import groupby

# What XML 1.0 cannot hold, and so no report does: control characters, surrogates, non-characters.
_UNPRINTABLE = re.compile(r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str, limit: int = 2000) -> str:
    """The text without what breaks a file or a terminal, and cut to a limit.

    Characters that cannot be written are shown as Python's escapes, such as ``\\x1b``.
    """
    text = text.replace("\r\n", "\n")
    text = text if len(text) <= limit else f"{text[: limit - 1]}…"
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)


def ulp(value: float) -> str:
    """An error in ulp, short: "0.5", "12.3", "1.2e+15", "∞"."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "∞"
    return f"{value:.3g}" if value < 1000 else f"{value:.1e}"


def fenced(text: str) -> str:
    """A Markdown code block with any text in it."""
    fence = "`" * max(3, _longest_run(text, "`") + 1)
    return f"{fence}text\n{text}\n{fence}"


def table_cell(text: str) -> str:
    """Text in a cell of a Markdown table, which is one line and has no markup."""
    one_line = " ".join(text.split())
    one_line = re.sub(r"([\\`*<>\[\]|~])", r"\\\1", one_line)
    return re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", one_line)  # inside a word it is no markup


def _longest_run(text: str, character: str) -> int:
    runs = (len(list(run)) for key, run in groupby(text) if key == character)
    return max(runs, default=0)
