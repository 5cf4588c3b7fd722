"""Checks whose inputs hypothesis draws: how they are entered, run, and told when they fail.

The draws are the same in every run with the same version of hypothesis: they depend on the name
and parameters of a check only. For that, strategies draw integers from -100 to 100 and nothing
else; hypothesis mixes larger ones with constants of the modules that happen to be loaded.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from time import perf_counter
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.errors import HypothesisException
from hypothesis.strategies import DataObject, SearchStrategy, data

from numr_conformance.check import Failed, Raised, Recorded, Unsupported, short
from numr_conformance.checks._tools import Cases, label
from numr_conformance.target import Target

EXAMPLES = 30
# For a first draw may compile a kernel, or trace a graph, for each new shape.
SECONDS = 60.0
# For a smaller input that fails, too. Most take a tenth of it.
SHRINKING = 8.0

_FIXED: dict[str, Any] = {
    "database": None,
    "deadline": None,
    "derandomize": True,
    "phases": (Phase.generate, Phase.shrink),
    "print_blob": False,
    "report_multiple_bugs": False,
    "suppress_health_check": list(HealthCheck),
    "verbosity": Verbosity.quiet,
}


class Draw:
    """What an example of a check is drawn with, which remembers what is to be told of it.

    Calling it draws from a strategy; what has a name is told.
    """

    def __init__(self, source: DataObject) -> None:
        self._source = source
        self._told: dict[str, str] = {}

    def __call__(self, strategy: SearchStrategy[Any], name: str = "") -> Any:
        found = self._source.draw(strategy)
        if name:
            self.tell(name, found)
        return found

    def tell(self, name: str, value: Any) -> None:
        """Have a value told as a part of the input if the example fails."""
        # As text at once, since the check may change an array later.
        self._told[name] = _text(value)

    def __str__(self) -> str:
        return ", ".join(f"{name}={text}" for name, text in self._told.items())


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.tolist()} ({value.dtype} {value.shape})"
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))}{',' * (len(value) == 1)})"
    return str(value) if isinstance(value, str) else repr(value).replace("Ellipsis", "...")


class _Done(BaseException):
    """Ends a search at once, which hypothesis lets pass as it does KeyboardInterrupt."""


class _Fails(Exception):
    """What hypothesis sees of each failure: always the same, so that it looks for the smallest."""


class _Search:
    """The search for an example that fails, and then for the smallest that does."""

    def __init__(self, body: Callable[[Draw], None]) -> None:
        self._body = body
        self._kind: type[Exception] | None = None
        self._until = 0.0
        self.worst: tuple[Exception, str] | None = None  # the last one seen, and its input
        self.reason: Unsupported | Recorded | None = None

    def attempt(self, source: DataObject) -> None:
        if self.worst is not None and perf_counter() > self._until:
            raise _Done
        draw = Draw(source)
        failure = None
        try:
            self._body(draw)
        except HypothesisException:  # the example is of no use
            raise
        except (Unsupported, Recorded) as reason:
            if self.worst is None:
                self.reason = reason
                raise _Done from None
        except Exception as error:  # whatever the namespace under test raises is a finding
            failure = error
        # A smaller example that fails in another way is another finding.
        if failure is None or self._kind not in (None, type(failure)):
            return
        if self._kind is None:
            self._kind, self._until = type(failure), perf_counter() + SHRINKING
        self.worst = failure, str(draw)
        # Outside of `except`, since hypothesis tells failures apart by what they came from.
        raise _Fails

    def conclude(self) -> None:
        """Raise what came out of it."""
        if self.worst is None:
            if self.reason is not None:
                raise self.reason
            return
        failure, text = self.worst
        if isinstance(failure, Failed):
            raise Failed(
                str(failure), given=text, expected=failure.expected, actual=failure.actual
            ) from failure
        raise Raised(short(f"{type(failure).__name__}: {failure}"), given=text) from failure


def search(body: Callable[[Draw], None], name: str, examples: int = EXAMPLES) -> None:
    """Run a body on drawn examples.

    Raises:
        Failed, Raised: for an example, which then is made smaller; ``given`` tells its input.
        Unsupported, Recorded: an example raised it before any failed.
    """
    found = _Search(body)

    @seed(zlib.crc32(name.encode()))
    @settings(max_examples=examples, **_FIXED)
    @given(data())
    def run(source: DataObject) -> None:
        found.attempt(source)

    try:
        run()
    except _Done:
        pass
    except Exception:  # _Fails, or that an example did not fail a second time
        if found.worst is None:
            raise
    found.conclude()


class DrawnCases(Cases):
    """The checks of the topic, each from ``body(target, draw, [dtype], *row)``."""

    def __init__(self) -> None:
        super().__init__("drawn", seconds=SECONDS)

    def __call__(
        self,
        function: str,
        *,
        dtypes: Sequence[str] = ("",),
        rows: Iterable[tuple[Any, ...]] = ((),),
        examples: int = EXAMPLES,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        enter = super().__call__(function, dtypes=dtypes, rows=rows)

        def enter_search(body: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(body)
            def run(target: Target, *given: Any) -> None:
                name = f"{body.__name__}{label(given)}"
                search(lambda draw: body(target, draw, *given), name, examples)

            enter(run)
            return body

        return enter_search
