"""A namespace that raises, hangs and crashes, a module of checks of it, and made-up outcomes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from numr_conformance import results
from numr_conformance.check import Outcome

NAMESPACE = """
import ctypes, os, sys, time

__version__ = "1.2"
__array_api_version__ = "2025.12"

def fine():
    print("printed by the namespace")  # must not be taken for an outcome
    return sys.stdin.read()  # must find no indices of checks

def raises(): raise RuntimeError("not today")
def hangs(): time.sleep(600)
def exits(): os._exit(7)
def quits(): sys.exit(3)
def dies(): ctypes.string_at(0)

def floods(): os.write(2, b"x" * 1_000_000)

def zeros(shape, device=None):
    if device not in (None, "toaster"):
        raise ValueError("unknown device")
"""

# A module of checks: one for each function of the namespace above, another that is not there, one
# that measures, one that fails and one that records.
TOPIC = """
import sys
from functools import partial
from numr_conformance.check import Check, Failed, Recorded

FUNCTIONS = "fine raises hangs missing exits dies quits floods fine".split()

def call(name, target):
    target.find(name)()

def measure(target):
    return {"max_ulp": float("inf"), "mean_ulp": 0.25}

def fail(target):
    raise Failed("wrong", given="x = 1", expected=2, actual=3)

def record(target):
    raise Recorded("refused")

def imports(target):
    if "numr_api" in sys.modules:
        raise Failed("numr_api is imported")

def checks(target):
    for number, name in enumerate(FUNCTIONS):
        limit = 1.0 if name == "hangs" else 30.0
        yield Check(f"call/{number}.{name}", "calls", name, "", partial(call, name), limit)
    for name, run in ("measure", measure), ("fail", fail), ("record", record), ("imports", imports):
        yield Check(f"other/{name}", "others", name, "float32", run)
"""

VERDICTS = {
    "call/0.fine": "passed",
    "call/1.raises": "raised",
    "call/2.hangs": "timeout",
    "call/3.missing": "unsupported",
    "call/4.exits": "crashed",
    "call/5.dies": "crashed",
    "call/6.quits": "crashed",
    "call/7.floods": "passed",
    "call/8.fine": "passed",
    "other/measure": "passed",
    "other/fail": "failed",
    "other/record": "recorded",
    "other/imports": "passed",
}


def write_fake(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let workers import from a folder with the namespace ``fake`` and checks ``topics.one``."""
    (folder / "fake.py").write_text(NAMESPACE)
    (folder / "topics").mkdir()
    (folder / "topics" / "one.py").write_text(TOPIC)
    inherited = os.environ.get("PYTHONPATH")
    paths = [str(folder), inherited] if inherited else [str(folder)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    return folder


def outcome(name: str, verdict: Any = "passed", **details: Any) -> Outcome:
    return Outcome(name, "own", "a chapter", "exp", "float32", "cpu", verdict, **details)


def document(*found: Outcome, device: str = "cpu", **selection: Any) -> results.Document:
    environment = {"namespace": "fake"}
    return json.loads(json.dumps(results.document({device: found}, environment, **selection)))
