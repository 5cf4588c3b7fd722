"""When to stop trying: checks that are lost one after the other.

Each check that kills its process or hangs costs a new process, which for some namespaces takes
seconds to begin, or a time limit. Of a namespace that fails so everywhere there are thousands.
"""

from __future__ import annotations

from collections import Counter

from numr_conformance.check import Verdict

OF_A_FUNCTION = 25
AT_ALL = 100


class Losses:
    """Counts the checks that were lost without one in between that was not, by their group."""

    def __init__(self) -> None:
        self._in_a_row: Counter[str | None] = Counter()  # those of all groups at None
        self._last: dict[str | None, tuple[Verdict, str]] = {}

    def add(self, group: str, verdict: Verdict, message: str) -> None:
        """A check was lost."""
        for key in (group, None):
            self._in_a_row[key] += 1
            self._last[key] = verdict, message

    def end(self, group: str) -> None:
        """A check was not lost."""
        for key in (group, None):
            self._in_a_row[key] = 0

    def expected(self, group: str) -> tuple[Verdict, str] | None:
        """Verdict and message of a check that is not worth trying, else None."""
        for key, limit, of in (group, OF_A_FUNCTION, f" of {group}"), (None, AT_ALL, ""):
            if self._in_a_row[key] >= limit:
                verdict, last = self._last[key]
                count = self._in_a_row[key]
                message = f"not run: the {count} checks{of} before it were lost, the last one: "
                return verdict, message + last
        return None
