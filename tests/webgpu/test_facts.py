"""What a device is found to do, and what follows."""

from __future__ import annotations

from typing import Any

import pytest

from numr_api._backends.webgpu import facts
from numr_api._devices import device_name
from numr_api._dtypes import BY_NAME


def test_integers_of_64_bits_are_native_where_they_are_divided_rightly(backend: Any) -> None:
    native = "shader-int64" in backend.gpu.adapter.features
    assert backend.facts["divides_int64"] == native
    assert backend.types[BY_NAME["int64"]].compute == ("i64" if native else "vec2<u32>")


def test_a_device_that_divides_them_wrongly_computes_them_in_pairs_of_words(
    backend: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from numr_api._backends.webgpu.device import WebgpuBackend

    monkeypatch.setattr(facts, "QUOTIENT", facts.QUOTIENT + 1)
    other = WebgpuBackend(device_name("webgpu", 101), backend.gpu.adapter)
    assert other.types[BY_NAME["int64"]].compute == "vec2<u32>"
    assert BY_NAME["float64"] not in other.dtypes
    sum_ = other.elementwise("add", (BY_NAME["int64"], int), BY_NAME["int64"], BY_NAME["int64"])
    assert (
        other.to_host(sum_(other.full((2,), 2**40, BY_NAME["int64"]), 1)).tolist()
        == [2**40 + 1] * 2
    )


def test_facts_are_the_same_each_time(backend: Any) -> None:
    assert facts.probe(backend) == backend.facts
