"""A worker process as its parent sees it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryFile
from threading import Thread
from time import monotonic

import numr_conformance
from numr_conformance.check import short

Event = tuple["Worker", bytes | None]  # a line that a worker wrote; None when it has ended
FINISH_SECONDS = 5.0  # for a worker without work to release its device and end


def python(module: str, *arguments: str) -> list[str]:
    """The command that runs a module in a Python like this one."""
    return [sys.executable, "-m", module, *arguments]


class Worker:
    """A running ``numr_conformance.worker``.

    Arguments:
        command: what to run.
        events: where it is told what the process writes.
        limit: how many seconds it has for getting ready.
        variables: of its environment, beside those of this process.

    Attributes:
        index: of the check that it runs; None until it was given one.
        limit: how many seconds it has for that, or for getting ready.
        deadline: when they are over, in ``time.monotonic()``.
    """

    def __init__(
        self,
        command: list[str],
        events: SimpleQueue[Event],
        limit: float,
        variables: Mapping[str, str],
    ) -> None:
        self.index: int | None = None
        self.limit, self.deadline = limit, monotonic() + limit
        # A file, since a pipe that nobody reads would make a talkative namespace hang.
        self._errors = TemporaryFile()  # noqa: SIM115 - closed by _release
        self._errors_before = 0
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**_environment(), **variables},
        )
        self._listener = Thread(target=self._listen, args=(events,), daemon=True)
        self._listener.start()

    def _listen(self, events: SimpleQueue[Event]) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                if line.endswith(b"\n"):  # a process that dies may leave half a line
                    events.put((self, line))
        events.put((self, None))

    @property
    def elapsed(self) -> float:
        """The seconds since it began with what it does."""
        return monotonic() - self.deadline + self.limit

    def ask(self, index: int, limit: float) -> None:
        """Have it run a check."""
        assert self._process.stdin is not None
        self.index, self.limit, self.deadline = index, limit, monotonic() + limit
        self._errors_before = os.fstat(self._errors.fileno()).st_size
        with suppress(OSError):  # it has died between two checks, of which the listener tells
            os.write(self._process.stdin.fileno(), b"%d\n" % index)

    def kill(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._release()

    def finish(self) -> None:
        """Let it end by itself."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):  # drivers may hang at exit; nothing is lost
            self._process.wait(FINISH_SECONDS)
        self.kill()

    def cause_of_death(self) -> str:
        """What is known of the end of a process that has died by itself."""
        self._process.wait()
        code = self._process.returncode
        try:
            cause = f"the process was killed by {signal.Signals(-code).name}"
        except ValueError:
            cause = f"the process ended with exit code {code}"
        self._errors.seek(self._errors_before)
        text = self._errors.read().decode(errors="replace")
        self._release()
        # faulthandler puts the reason first and long lists after it; others have it at the end.
        fault = text.find("Fatal Python error")
        words = short(text[fault:], 300) if fault >= 0 else text.strip()[-300:]
        return f"{cause}: {words}" if words else cause

    def _release(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._listener.join(FINISH_SECONDS)  # not for ever: a child of the worker may hold the pipe
        self._errors.close()


def _environment() -> dict[str, str]:
    """Environment variables with which a worker finds this package, installed or not."""
    root = Path(numr_conformance.__file__).parent.parent
    if root.name in ("site-packages", "dist-packages"):
        # On PYTHONPATH this folder would come before the standard library.
        return dict(os.environ)
    paths = [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
