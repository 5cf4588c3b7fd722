"""What numr_api promises beyond the standard, by checks that only write down what others do."""

from __future__ import annotations

import pytest
import scipy
from numr_conformance.check import Check, run_check
from numr_conformance.checks import collect
from numr_conformance.target import Target

import numr_api as xp

DEVICES = [str(device) for device in xp.__array_namespace_info__().devices()]
ROWS = [
    check
    for check in collect(Target("numr_api"), topics=["determinism"])
    if "/row_of_reduction/" in check.name or "/row_of_transform/" in check.name
]
# From this version on, SciPy transforms an array of one axis in another way than rows.
SCIPY_WITH_TWO_WAYS = (1, 18)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("check", ROWS, ids=lambda check: check.name)
def test_a_row_has_the_same_bits_alone_and_in_a_batch(check: Check, device: str) -> None:
    version = tuple(map(int, scipy.__version__.split(".")[:2]))
    if device == "cpu" and "transform" in check.name and version >= SCIPY_WITH_TWO_WAYS:
        pytest.skip("SciPy transforms an array of one axis in another way than rows")
    found = run_check(check, Target("numr_api", device))
    if found.message.startswith("Unsupported"):
        pytest.skip(found.message)
    assert found.verdict in ("passed", "unsupported"), found.message


def test_there_are_such_checks() -> None:
    assert len(ROWS) > 100
