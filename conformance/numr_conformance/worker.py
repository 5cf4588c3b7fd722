"""The process that runs checks: whatever the namespace does to it, the parent lives on.

    python -m numr_conformance.worker NAMESPACE [--device D] [--functions PATTERN] [--topics LIST]
                                      [--max-ulp N]

It first writes one line of JSON that lists its checks, or ``{"error": ...}`` if there is no way to
begin. Then it reads indices of checks from standard input, a line each, runs them one by one, and
writes the outcome of each as a line of JSON; with ``"full": true`` in it once another process is
to do the rest, as this one holds too much memory or its namespace was changed by a check. It ends
when its input does.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import traceback
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from numr_conformance.check import Check, run_check
from numr_conformance.checks import TOPICS, collect
from numr_conformance.target import Target

# Some namespaces keep something of each new operation, shape and dtype: jax.numpy, which compiles
# every one, would take tens of gigabytes for all checks.
MOST_GROWTH = 1 << 30  # bytes


class CannotStart(Exception):
    """The namespace, its device or the checks cannot be loaded."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the checks that standard input asks for."""
    options = _parse(arguments)
    requests, replies = private_streams()
    # hypothesis, should it be imported, writes nothing to where the command was called.
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", os.devnull)
    faulthandler.enable()  # a segmentation fault tells on stderr where it happened
    try:
        target = load_target(options.namespace, options.device)
        target.max_ulp = options.max_ulp
        checks = _collect(target, options.functions, options.topics)
    except CannotStart as problem:
        send(replies, {"error": str(problem)})
        return 2
    send(replies, _introduction(target, checks))
    limit = memory() + MOST_GROWTH
    for line in requests:
        outcome = asdict(run_check(checks[int(line)], target))
        send(replies, {**outcome, "full": True} if target.spent or memory() > limit else outcome)
    return 0


def memory() -> int:
    """The bytes of memory that this process holds; 0 where that cannot be told."""
    try:
        pages = Path("/proc/self/statm").read_bytes().split()[1]
    except OSError:  # a system that is not Linux
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _parse(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m numr_conformance.worker")
    parser.add_argument("namespace")
    parser.add_argument("--device")
    parser.add_argument("--functions", default="*", metavar="PATTERN")
    parser.add_argument("--topics", type=lambda text: text.split(","), default=TOPICS)
    parser.add_argument("--max-ulp", type=float, metavar="N")
    return parser.parse_args(arguments)


def private_streams() -> tuple[TextIO, TextIO]:
    """Streams to and from the parent that the namespace under test can neither read nor disturb."""
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)  # what the namespace prints joins the error output
    return requests, replies


def send(replies: TextIO, message: dict[str, Any]) -> None:
    # Measurements may be NumPy's scalars, which json does not know.
    replies.write(json.dumps(message, default=float) + "\n")
    replies.flush()


def _introduction(target: Target, checks: Sequence[Check]) -> dict[str, Any]:
    return {
        "version": version_of(target),
        "array_api_version": str(getattr(target.xp, "__array_api_version__", "")),
        "checks": [
            (check.name, check.chapter, check.function, check.dtype, check.seconds)
            for check in checks
        ],
    }


def version_of(target: Target) -> str:
    """``__version__`` of the namespace or, if it has none (jax.numpy), of its package."""
    package = sys.modules.get(target.name.partition(":")[0].partition(".")[0])
    found = getattr(target.xp, "__version__", None) or getattr(package, "__version__", "")
    return str(found)


def load_target(name: str, device: str | None) -> Target:
    try:
        target = Target(name, device)
    except Exception as error:  # a namespace may raise anything when imported
        raise CannotStart(f"cannot load the namespace {name!r}: {describe(error)}") from error
    if isinstance(target.device, str):  # the very name that was given: no listed device prints so
        _try_device(target)
    return target


def _try_device(target: Target) -> None:
    """Refuse a device that the namespace does not know, before every single check fails on it."""
    try:
        listed = [str(device) for device in target.xp.__array_namespace_info__().devices()]
    except Exception:  # not every namespace tells of its devices, nor does each that tells it well
        listed = []
    zeros = getattr(target.xp, "zeros", None)
    if target.device in listed or zeros is None:
        return
    try:
        zeros(1, device=target.device)
    except Exception as error:
        hint = f"; it lists {', '.join(listed)}" if listed else ""
        raise CannotStart(
            f"{target.name} does not accept the device {target.device!r}{hint} ({describe(error)})"
        ) from error


def _collect(target: Target, selection: str, topics: Sequence[str]) -> list[Check]:
    try:
        checks = list(collect(target, selection, topics))
    except Exception as error:  # an error in a module of checks, or in a namespace's inspection
        raise CannotStart(f"cannot collect the checks: {describe(error, place=True)}") from error
    name, count = next(iter(Counter(check.name for check in checks).most_common(1)), ("", 0))
    if count > 1:  # reports and lists of expected failures tell checks apart by their names
        raise CannotStart(f"{count} checks have the same name {name!r}")
    return checks


def describe(error: Exception, *, place: bool = False) -> str:
    text = f"{type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__)
    where = [frame for frame in frames if not frame.filename.startswith("<frozen")]
    return f"{text} ({where[-1].filename}, line {where[-1].lineno})" if place and where else text


if __name__ == "__main__":
    sys.exit(main())
