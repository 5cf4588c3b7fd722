"""What a device tells of itself."""

from __future__ import annotations

from numr_conformance.check import Unsupported
from numr_conformance.checks._tools import Cases, assert_true
from numr_conformance.extension_checks._tools import function_of
from numr_conformance.target import Target

cases = Cases("extensions.device", "device")
checks = cases.checks

NUMBERS = (
    "compute_units",
    "shared_memory_per_block",
    "shared_memory_per_unit",
    "max_threads_per_block",
    "lane_width",
)
CAPS = ("dp4a", "f16_mma", "int8_mma", "int8_mma_m16n8k32", "bf16", "fp8")


@cases("device.profile")
def every_device_has_a_profile(target: Target) -> None:
    found = function_of(target, "device.profile")(target.device)
    assert_true(target.device.startswith(found.backend), f"backend is {found.backend!r}")
    for name in NUMBERS:
        number = getattr(found, name)
        assert_true(type(number) is int and number >= 0, f"{name} is {number!r}")
    for name in CAPS:
        has = getattr(found.caps, name)
        assert_true(type(has) is bool, f"caps.{name} is {has!r}")
    assert_true(found == function_of(target, "device.profile")(target.device), "it changes")


@cases("device.synchronize")
def a_device_can_be_waited_for(target: Target) -> None:
    target.find("ones")((1000,), device=target.device)
    found = function_of(target, "device.synchronize")(target.device)
    assert_true(found is None, f"synchronize returned {found!r}")


@cases("device.memory")
def memory_counts_what_arrays_hold(target: Target) -> None:
    memory = function_of(target, "device.memory")
    try:
        before = memory(target.device).used
    except NotImplementedError as error:
        raise Unsupported(str(error)) from None
    kept = target.find("ones")((1 << 20,), dtype=target.dtype("float32"), device=target.device)
    function_of(target, "device.synchronize")(target.device)
    found = memory(target.device)
    assert_true(found.used - before >= 4 << 20, f"4 MiB more are used, {found.used - before} told")
    assert_true(found.peak >= found.used, "the peak is less than what is used")
    assert_true(kept.shape == (1 << 20,), "the array changed")
