"""How many processors this process may use, and how many of them have nothing to do now."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from time import monotonic

__all__ = ["idle", "idle_now", "usable"]

GROUPS = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")
LOAD = Path("/proc/loadavg")

MOMENT = 1e-3  # seconds
_found_idle: list[tuple[float, int]] = [(-1.0, 0)]  # until when some count as idle, and how many


@cache
def usable() -> int:
    """How many processors the process may use: by affinity, and by the quota of its cgroup."""
    count: int = getattr(os, "process_cpu_count", _affinity)() or 1  # the first: Python 3.13
    quota = _quota(GROUPS, MEMBERSHIP)
    return max(1, min(count, int(quota))) if quota else count


def _affinity() -> int | None:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def _quota(groups: Path, membership: Path) -> float | None:
    """Processors' worth of time that the process's cgroup, or one above it, may use."""
    quotas: list[float] = []
    try:
        lines = membership.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    for line in lines:
        _, controllers, name = line.split(":", 2)
        first = controllers == "" or "cpu" in controllers.split(",")
        root = groups / "cpu" if controllers else groups
        folder = root / name.lstrip("/")
        # Inside a container the name may be that of the host; what is mounted is the container's.
        while first and folder.is_relative_to(root):
            quotas += _quota_of(folder)
            folder = folder.parent
    return min(quotas, default=None)


def _quota_of(folder: Path) -> list[float]:
    """The quota that one cgroup sets, of version 2 or 1; nothing if it sets none."""
    try:
        if (limits := folder / "cpu.max").exists():
            quota, period = limits.read_text("utf-8").split()
        else:
            quota = (folder / "cpu.cfs_quota_us").read_text("utf-8")
            period = (folder / "cpu.cfs_period_us").read_text("utf-8")
        share = float(quota) / float(period)
    except (OSError, ValueError, ZeroDivisionError):  # no file, or "max"
        return []
    return [share] if share > 0 else []


@cache
def _load() -> int:
    """A file descriptor of the system's load, kept open; -1 where there is none."""
    try:
        return os.open(LOAD, os.O_RDONLY | os.O_CLOEXEC)
    except (OSError, AttributeError):
        return -1


def idle() -> int:
    """How many processors of the machine have nothing to do now, so far as the system tells.

    The system is not asked again in the moment after some were idle: that takes up to 13
    microseconds, and finds a helper at work that is about to end.
    """
    now = monotonic()
    until, count = _found_idle[0]
    if now < until:
        return count
    count = idle_now()
    if count > 0:
        _found_idle[0] = (now + MOMENT, count)
    return count


def idle_now() -> int:
    """The same, asked of the system.

    Linux tells how many threads run or want to, the one that asks included. Elsewhere it is taken
    that all others are idle.
    """
    total = os.cpu_count() or 1
    try:
        running = os.pread(_load(), 64, 0).split(b" ", 4)[3].partition(b"/")[0]
        return total - int(running)
    except (OSError, AttributeError, IndexError, ValueError):
        return total - 1
