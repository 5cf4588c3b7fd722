"""Making a device the default one, for tests that name no device."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from numr_conformance.target import Target
from numr_conformance.worker import CannotStart

KDLCPU = 1  # DLPack's name of the cpu
# For namespaces that have such, the variables that name the default device and the devices to list.
# They are read when the namespace is imported.
VARIABLES = {"numr_api": ("NUMR_API_DEVICE", "NUMR_API_DEVICES")}


def choose(namespace: str, device: str | None, others: Sequence[str] = ()) -> None:
    """Make a device the default one, if that is known to be possible, before the import.

    Arguments:
        namespace: whose device it is.
        device: its name; None leaves all as it is.
        others: what is listed beside it.
    """
    if device is not None and namespace in VARIABLES:
        default, listed = VARIABLES[namespace]
        os.environ[default] = device
        os.environ[listed] = ",".join([device, *others])


def require(target: Target, tests: str) -> None:
    """Refuse a target whose default device is not the one that was named.

    Arguments:
        tests: whose tests they are that only test the default device.

    Raises:
        CannotStart: it is another one.
    """
    if target.device is None:
        return
    used = getattr(target.xp.zeros(1), "device", None)
    if str(used) != target.device_name and used != target.device:
        raise CannotStart(
            f"{tests} tests the default device, which is {used} for {target.name}; "
            f"it is not known here how to make {target.device_name} the default"
        )


def is_on_cpu(x: Any) -> bool:
    """Whether an array is on DLPack's cpu; also if it does not tell: then the tests will."""
    try:
        return x.__dlpack_device__()[0] == KDLCPU
    except Exception:  # whatever a namespace raises here
        return True
