"""Whom a check blames: not a function for what its namespace lacks elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numr_conformance.check import Check, Failed, Outcome, Unsupported, run_check
from numr_conformance.checks import collect
from numr_conformance.checks._tools import LAYOUTS, assert_fields
from numr_conformance.target import Target

NUMPY = Target("numpy")
HOST = np.arange(6.0).reshape(2, 3)


def outcome(run: Callable[[Target], Any], target: Target = NUMPY) -> Outcome:
    return run_check(Check("name", "chapter", "function", "", run), target)


def test_a_name_that_the_namespace_lacks_is_unsupported():
    found = outcome(lambda target: target.xp.permute_axes(HOST))
    assert (found.verdict, "permute_axes" in found.message) == ("unsupported", True)
    assert outcome(lambda target: target.xp.linalg.lu).verdict == "unsupported"


def test_another_attribute_that_is_absent_is_an_error():
    assert outcome(lambda target: HOST.nothing).verdict == "raised"
    assert outcome(lambda target: [].nothing).verdict == "raised"


def test_assignment_to_immutable_arrays_is_unsupported_and_other_errors_of_type_are_not():
    def raises(message: str) -> Callable[[Target], None]:
        def run(target: Target) -> None:
            raise TypeError(message)

        return run

    assert outcome(raises("JAX arrays are immutable and do not support")).verdict == "unsupported"
    assert outcome(raises("add: int8 and float32")).verdict == "raised"


@pytest.mark.parametrize("x", [(HOST, HOST), True, None], ids=["tuple", "bool", "none"])
def test_what_is_no_array_is_not_taken_for_one(x: Any):
    with pytest.raises(Failed, match="the result is no array"):
        NUMPY.host(x)
    with pytest.raises(Failed, match="the result is no array"):
        NUMPY.dtype_name(x)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_that_the_namespace_cannot_make_is_unsupported(
    layout: str, monkeypatch: pytest.MonkeyPatch
):
    assert np.array_equal(LAYOUTS[layout](NUMPY, HOST), HOST)
    if layout != "contiguous":

        def refuse(*_: Any) -> Any:
            raise ValueError("step must be greater than zero")

        monkeypatch.setattr(NUMPY, "array", refuse)
        with pytest.raises(Unsupported, match=f"no {layout} layout: ValueError: step must be"):
            LAYOUTS[layout](NUMPY, HOST)


def test_named_tuples_are_known_by_their_fields_whatever_made_them():
    # A tuple made in C, which has no _fields, as PyTorch returns them.
    now = time.gmtime(0)
    names = list(type(now).__match_args__)
    assert not hasattr(now, "_fields")
    assert_fields(now, names)
    found = np.linalg.slogdet(np.eye(2))
    assert_fields(found, ("sign", "logabsdet"))
    for wrong in (("logabsdet", "sign"), ("sign",), ("sign", "other")):
        with pytest.raises(Failed, match="wrong fields"):
            assert_fields(found, wrong)
    with pytest.raises(Failed, match="wrong fields"):
        assert_fields(tuple(found), ("sign", "logabsdet"))


@pytest.mark.filterwarnings("ignore:The .* version of the array API specification")
def test_asking_for_an_old_version_leaves_nothing_behind():
    strict = Target("array_api_strict")
    before = strict.xp.__array_api_version__
    wanted = {"versions/2021.12", "versions/2022.12"}
    asked = [check for check in collect(strict, topics=["names"]) if check.name in wanted]
    assert {run_check(check, strict).verdict for check in asked} == {"passed"}
    assert len(asked) == len(wanted)
    changed = strict.xp.__array_api_version__ != before
    strict.xp.reset_array_api_strict_flags()
    assert (changed, strict.spent) == (True, True)  # its process is given up
