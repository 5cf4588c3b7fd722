"""The own layer: checks derived from the standard, a module for each topic.

Each module has ``checks(target) -> Iterator[Check]``, which tries nothing yet and yields the same
checks on every machine for a namespace with the same dtypes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module

from numr_conformance.check import Check, selects
from numr_conformance.target import Target

TOPICS = (
    "names",
    "promotion",
    "special_cases",
    "elementwise",
    "accuracy",
    "creation",
    "manipulation",
    "reductions",
    "searching",
    "linalg",
    "fft",
    "indexing",
    "mutation",
    "exchange",
    "devices",
    "errors",
    "determinism",
    "threads",
    "drawn",
)


def collect(
    target: Target, selection: str = "*", topics: Sequence[str] = TOPICS
) -> Iterator[Check]:
    """All checks that a selection is about, see ``selects``, in a fixed order.

    A topic with a dot in its name is the path of a module outside this package.
    """
    for topic in topics:
        path = topic if "." in topic else f"numr_conformance.checks.{topic}"
        for check in import_module(path).checks(target):
            if selects(selection, check.function, check.name):
                yield check
