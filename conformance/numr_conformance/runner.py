"""Run checks in worker processes: one that hangs is killed, one that dies is replaced.

with Runner("numpy") as runner:
    print(len(runner.checks))
    for outcome in runner:
        print(outcome.name, outcome.verdict)
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, NamedTuple, Self

from numr_conformance import extension_checks
from numr_conformance.check import Outcome, Verdict
from numr_conformance.losses import Losses
from numr_conformance.process import Event, Worker, python


class CannotRun(Exception):
    """No check can be run: the namespace, its device or the checks cannot be loaded."""


class NoCheck(CannotRun):
    """No check is of the functions or names that were asked for."""


class Listed(NamedTuple):
    """A check, as the process knows it that does not run it."""

    name: str
    chapter: str
    function: str
    dtype: str
    seconds: float


class Runner:
    """Runs checks in a few processes at once; iterate over it for the outcomes as they come.

    Each worker gets one check after the other, so that it is known which check a process hangs or
    dies in. Everything but the listening to workers happens in the thread that iterates.

    Attributes:
        layer: the layer of its outcomes.
        start_seconds: the limit for importing a namespace, initialising its device and collecting
            the checks.
        namespace: what is checked.
        patience: a factor for the time limits of checks, for what is slow without a fault.
        checks: all that will be run, in the order of the topics; known inside ``with``.
        version: the namespace's ``__version__``.
        array_api_version: the namespace's ``__array_api_version__``.

    Arguments:
        max_ulp: above this error an accuracy check fails; without it, errors are only measured.

    Raises:
        CannotRun: on entering ``with``.
    """

    layer = "own"
    start_seconds = 180.0

    def __init__(
        self,
        namespace: str,
        device: str | None = None,
        *,
        functions: str = "*",
        topics: Sequence[str] = (),
        jobs: int = 2,
        max_ulp: float | None = None,
    ) -> None:
        self.namespace = namespace
        self.patience = 1.0
        self.checks: list[Listed] = []
        self.version = self.array_api_version = ""
        self._device = device or "default"
        self._command = python("numr_conformance.worker", namespace, f"--functions={functions}")
        if device is not None:
            self._command.append(f"--device={device}")
        if topics:
            self._command.append(f"--topics={','.join(topics)}")
        if max_ulp is not None:
            self._command.append(f"--max-ulp={max_ulp!r}")
        self._variables: dict[str, str] = {}  # of the workers' environment
        self._jobs = jobs
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._active: list[Worker] = []  # those that start or run a check
        self._idle: list[Worker] = []
        self._waiting: deque[int] = deque()
        self._problem = ""
        self._losses = Losses()

    def __enter__(self) -> Self:
        for _ in range(self._jobs):
            self._start()
        try:
            while not self.checks:
                self._step()
                if not self._active:
                    raise CannotRun(self._problem)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def __iter__(self) -> Iterator[Outcome]:
        while self._waiting or any(worker.index is not None for worker in self._active):
            # Asked before each step, which may give the first of the waiting to a worker.
            if self._waiting and (known := self._losses.expected(self._group(self._waiting[0]))):
                outcome = self._lost(self._waiting.popleft(), *known)
            elif self._active:
                outcome = self._step()
            else:  # a device that was lost, for example, lets no worker start again
                index = self._waiting.popleft()
                outcome = self._lost(index, "crashed", f"no process started: {self._problem}")
            if outcome is not None:
                yield outcome

    def _start(self) -> None:
        worker = Worker(self._command, self._events, self.start_seconds, self._variables)
        self._active.append(worker)

    def _stop(self) -> None:
        for worker in self._active:
            worker.kill()
        for worker in self._idle:
            worker.finish()
        self._active, self._idle = [], []

    def _step(self) -> Outcome | None:
        """Wait until a worker says something, dies or exceeds its limit, and deal with that."""
        slowest = min(self._active, key=lambda worker: worker.deadline)
        try:
            worker, line = self._events.get(timeout=max(0.0, slowest.deadline - monotonic()))
        except Empty:
            slowest.kill()
            return self._replace(slowest, "timeout", f"no result within {slowest.limit:g} s")
        if worker not in self._active:  # the last words of one that was killed
            return None
        if line is None:
            return self._replace(worker, "crashed", worker.cause_of_death())
        message = json.loads(line)
        if worker.index is not None:
            self._losses.end(self._group(worker.index))
            if message.pop("full", False) and self._waiting:
                self._active.remove(worker)
                worker.finish()
                self._start()
            else:
                self._assign(worker)
            return Outcome(**{**message, "layer": self.layer})
        if "error" in message:  # written by a worker that cannot start
            worker.kill()
            return self._replace(worker, "crashed", message["error"])
        self._welcome(message)
        self._assign(worker)
        return None

    def _welcome(self, message: dict[str, Any]) -> None:
        checks = [Listed(*row) for row in message["checks"]]
        if not checks:
            raise NoCheck("no check matches")
        if not self.checks:
            self.checks = checks
            self.version, self.array_api_version = message["version"], message["array_api_version"]
            self._waiting.extend(range(len(checks)))
        elif checks != self.checks:  # then an index does not mean the same check to all workers
            pairs = zip_longest(self.checks, checks)
            one, other = next(pair for pair in pairs if pair[0] != pair[1])
            raise CannotRun(f"two processes collected different checks, such as {one} and {other}")

    def _assign(self, worker: Worker) -> None:
        if self._waiting:
            index = self._waiting.popleft()
            worker.ask(index, self.checks[index].seconds * self.patience)
        else:
            self._active.remove(worker)
            self._idle.append(worker)

    def _replace(self, worker: Worker, verdict: Verdict, message: str) -> Outcome | None:
        """Put a new worker in the place of a dead one, if it had done anything."""
        self._active.remove(worker)
        if worker.index is None:  # the next one would not get further
            self._problem = message
            return None
        if self._waiting:
            self._start()
        self._losses.add(self._group(worker.index), verdict, message)
        return self._lost(worker.index, verdict, message, worker.elapsed)

    def _group(self, index: int) -> str:
        """What checks that are likely to be lost together have in common."""
        return self.checks[index].function or self.checks[index].chapter

    def _lost(self, index: int, verdict: Verdict, message: str, seconds: float = 0.0) -> Outcome:
        name, chapter, function, dtype, _ = self.checks[index]
        return Outcome(
            name,
            self.layer,
            chapter,
            function,
            dtype,
            self._device,
            verdict,
            message,
            seconds=seconds,
        )


class ExtensionsRunner(Runner):
    """Runs the checks of numr's extensions."""

    layer = "extensions"

    def __init__(self, *where: Any, topics: Sequence[str] = (), **choice: Any) -> None:
        super().__init__(*where, topics=topics or [*extension_checks.PATHS.values()], **choice)


class PytestRunner(Runner):
    """Runs tests of somebody else's by pytest, in workers that have a folder to write to.

    Attributes:
        options: what the tests are run with, in words; known inside ``with``.
    """

    options = ""

    def __enter__(self) -> Self:
        # Its name is short, since tests with several processes make sockets in it.
        self._scratch = TemporaryDirectory(prefix="numr-", ignore_cleanup_errors=True)
        self._command.append(f"--scratch={self._scratch.name}")
        self._variables["TMPDIR"] = self._scratch.name
        try:
            return super().__enter__()
        except BaseException:
            self._scratch.cleanup()
            raise

    def __exit__(self, *details: object) -> None:
        super().__exit__(*details)
        self._scratch.cleanup()

    def _welcome(self, message: dict[str, Any]) -> None:
        self.options = message["options"]
        super()._welcome(message)
