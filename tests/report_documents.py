"""Made-up documents of results, for the tests of reports."""

from __future__ import annotations

import math
from typing import Any

NASTY = (
    "</script><img src=x onerror=alert(1)> | `a` \"q\" 'p' & <!-- ]]> "
    "\x00\x1b[31m \ud800 é∞😀\nnext"
)


def outcome(function: str, verdict: str = "passed", **more: Any) -> dict[str, Any]:
    values = {
        "name": f"{function}-{more.get('dtype', 'float64')}",
        "layer": "own",
        "chapter": "elementwise_functions",
        "function": function,
        "dtype": "float64",
        "device": "cpu",
        "verdict": verdict,
        "message": "",
        "given": "",
        "expected": "",
        "actual": "",
        "seconds": 0.25,
        "measured": {},
    }
    return {**values, **more}


def document(namespace: str, **devices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "schema": 1,
        "standard": "2025.12",
        "environment": {"namespace": namespace, "python": "3.11.7"},
        "selection": {"functions": "*", "topics": []},
        "devices": {name: {"outcomes": rows, "totals": {}} for name, rows in devices.items()},
    }


def measured(function: str, dtype: str, largest: float) -> dict[str, Any]:
    errors = {"max_ulp": largest, "mean_ulp": 0.25}
    return outcome(function, chapter="accuracy", dtype=dtype, measured=errors)


STRICT = document(
    "strict",
    cpu=[
        outcome("add"),
        outcome("exp", "failed", name="exp-large", given="exp([1.0, 2.0, 3.0])", message="large"),
        outcome("exp", "failed", name="exp-small", given="exp([7.0])", expected="1e3", actual="2"),
        outcome("exp", "recorded", name="exp-mixed", message="refused"),
        outcome("sin", "crashed", message="signal 11"),
        outcome("", "timeout", chapter="threads", name="threads-1", message="more than 20 s"),
        measured("exp", "float32", 1.5),
        measured("exp", "float64", math.inf),
    ],
)
OTHER = document(
    "other",
    cpu=[outcome("add", "raised", message=NASTY, given=NASTY), outcome("exp"), outcome("sin")],
    gpu=[
        outcome("add", "unsupported", message="no float64 on gpu"),
        outcome("exp", dtype="float32"),
        outcome("exp", "unsupported", message="no float64 on gpu"),
        measured("exp", "float32", 0.0),
    ],
)
HUGE = document("huge", cpu=[outcome("add", "failed", message="x" * 10**6, actual="y" * 10**6)])
EMPTY = document("empty")
