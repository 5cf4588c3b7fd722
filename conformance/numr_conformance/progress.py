"""Progress of a run on standard error: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from time import monotonic
from typing import Any, Self

from numr_conformance.check import Outcome
from numr_conformance.results import FAILURES

LINE_SECONDS = 10.0  # between two lines in a log


class Progress:
    """Counts outcomes and failures, and shows them."""

    def __init__(self, title: str, total: int) -> None:
        self._title, self._total = title, total
        self._done = self._failures = 0
        self._begin = self._shown = monotonic()
        self._bar = self._make_bar()

    def _make_bar(self) -> Any:
        if not sys.stderr.isatty() or find_spec("tqdm") is None:
            return None
        from tqdm import tqdm

        return tqdm(
            total=self._total, desc=self._title, unit="", file=sys.stderr, dynamic_ncols=True
        )

    def __enter__(self) -> Self:
        if self._bar is None:
            self._print(f"{self._total} checks")
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
        else:
            self._print(f"{self._counts()} in {monotonic() - self._begin:.0f} s")

    def add(self, outcome: Outcome) -> None:
        """Count an outcome."""
        self._done += 1
        self._failures += outcome.verdict in FAILURES
        if self._bar is not None:
            self._bar.set_postfix_str(f"{self._failures} failures", refresh=False)
            self._bar.update()
        elif monotonic() - self._shown > LINE_SECONDS:
            self._shown = monotonic()
            self._print(self._counts())

    def _counts(self) -> str:
        return f"{self._done} of {self._total}, {self._failures} failures"

    def _print(self, text: str) -> None:
        print(f"{self._title}: {text}", file=sys.stderr, flush=True)
