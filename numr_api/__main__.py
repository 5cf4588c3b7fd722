"""``python -m numr_api``: which devices there are, why not, and whether they compute rightly."""

from __future__ import annotations

import argparse
import sys

import numr_api as xp
from numr_api import _devices


def main() -> int:
    """Print a paragraph for each device kind.

    Returns 1 if a self-check fails or there is no default device.
    """
    parser = argparse.ArgumentParser(
        prog="python -m numr_api",
        description="Tell which devices numr_api can use here, and check each of them.",
    )
    parser.add_argument("--version", action="version", version=f"numr_api {xp.__version__}")
    parser.parse_args()

    print(f"numr_api {xp.__version__}, array API standard {xp.__array_api_version__}")
    try:
        default, failed = str(_devices.default_device.get()), False
    except ValueError as error:  # no device, or NUMR_API_DEVICE names none
        default, failed = f"none; {error}", True
    print(f"default device: {default}")
    for kind in _devices.KINDS:
        number = _devices.count(kind)
        if number == 0 and kind != "fake":
            print(f"\n{kind}: not available; {_devices.obstacle(kind)}")
        for index in range(number):
            device = _devices.device_name(kind, index)
            backend = _devices.backend_of(device)
            try:
                fault = self_check(device)
            except Exception as error:  # whatever a broken device raises is what to report
                fault = f"{type(error).__name__}: {error}"
            failed = failed or fault is not None
            facts = {
                **backend.describe(),
                "dtypes": ", ".join(xp.__array_namespace_info__().dtypes(device=device)),
                "self-check": "passed" if fault is None else f"FAILED: {fault}",
            }
            print(f"\n{device}: available")
            for name, fact in facts.items():
                print(f"  {name + ':':<12}{fact}")
    return int(failed)


def self_check(device: _devices.Device) -> str | None:
    """What is wrong with a device, or None: a few operations against exact values."""
    dtype = xp.__array_namespace_info__().default_dtypes(device=device)["real floating"]
    x = xp.reshape(xp.arange(12, dtype=dtype, device=device), (3, 4))
    checks = {
        "elementwise": (xp.sum((x + 1) * 2 - x), 90),
        "reduction": (xp.max(xp.sum(x, axis=1)), 38),
        "running sum": (xp.cumulative_sum(xp.reshape(x, (-1,)))[-1], 66),
        "matrix product": (xp.sum(x @ xp.matrix_transpose(x)), 1134),
        "sorting": (xp.sort(xp.flip(x), descending=True)[0, 0], 11),
        "indexing": (xp.sum(x[x > 5]), 51),
    }
    for name, (found, expected) in checks.items():
        if float(found) != expected:
            return f"{name} gives {float(found)}, not {expected}"
    return None


if __name__ == "__main__":
    sys.exit(main())
