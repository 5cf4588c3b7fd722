"""xarray works on numr_api arrays, as far as ``tests.consumers.xarray_outcomes`` says."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from consumers.xarray_outcomes import BECOMES_NUMPY, RAISES, STRICT, VALUES

pytest.importorskip("xarray")
GROUPS = import_module("consumers.xarray_table").GROUPS

NAMES = [name for table in GROUPS.values() for name in table]


@cache
def outcomes(mode: str) -> dict[str, tuple[str, str]]:
    """What the command says, in a process of its own since the mode is one of the process."""
    command = [sys.executable, "-m", "tests.consumers.xarray_operations", "--json", "--mode", mode]
    result = subprocess.run(
        command, cwd=Path(__file__).parent.parent, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_each_operation_has_a_name_of_its_own_and_at_most_one_record() -> None:
    recorded = [*RAISES, *BECOMES_NUMPY, *VALUES]
    for names in (NAMES, recorded):
        assert len(set(names)) == len(names)
    assert set(recorded) | STRICT <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_relaxed_outcome_is_the_recorded_one(name: str) -> None:
    kind, reason = outcomes("relaxed")[name]
    if name in RAISES:
        begins, _ = RAISES[name]
        assert kind == "error"
        assert reason.startswith(begins)
    else:
        recorded = "NumPy" if name in BECOMES_NUMPY else "value" if name in VALUES else "numr_api"
        assert (kind, reason) == (recorded, "")


def test_four_of_five_operations_keep_numr_api_arrays() -> None:
    kept = [name for name, (kind, _) in outcomes("relaxed").items() if kind == "numr_api"]
    assert len(kept) >= 0.8 * len(NAMES)


def test_strict_mode_keeps_the_recorded_operations_and_gives_no_wrong_result() -> None:
    found = outcomes("strict")
    assert {name for name, (kind, _) in found.items() if kind == "numr_api"} == STRICT
    assert "differs" not in {kind for kind, _ in found.values()}
