"""Subnormal numbers, a part of the topic "searching": where they are no zeros, they never are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from numr_conformance.check import Unsupported
from numr_conformance.checks._tools import Cases, assert_equal, default_dtype, of_kinds
from numr_conformance.target import Target

cases = Cases("searching")

Call = Callable[[Any, Any, Any], Any]

# Calls of a namespace with numbers in disorder and with the same in order.
CALLS: dict[str, Call] = {
    "all": lambda xp, x, _: xp.all(x),
    "any": lambda xp, x, _: xp.any(x),
    "argmax": lambda xp, x, _: xp.argmax(x),
    "argmin": lambda xp, x, _: xp.argmin(x),
    "argsort": lambda xp, x, _: xp.argsort(x),
    "count_nonzero": lambda xp, x, _: xp.count_nonzero(x),
    "isin": lambda xp, x, ordered: xp.isin(x, ordered[1:3]),
    "max": lambda xp, x, _: xp.max(x),
    "min": lambda xp, x, _: xp.min(x),
    "nonzero": lambda xp, x, _: xp.nonzero(x)[0],
    "searchsorted": lambda xp, x, ordered: xp.searchsorted(ordered, x),
    "sort": lambda xp, x, _: xp.sort(x),
    "unique_values": lambda xp, x, _: xp.sort(xp.unique_values(x)),
}


@cases("*", dtypes=of_kinds("f"), rows=[(function,) for function in CALLS])
def subnormal_numbers_differ(target: Target, dtype: str, function: str) -> None:
    """From each other and from zero, if the device's arithmetic does not take them for zeros."""
    if target.flushes_subnormals(dtype):
        raise Unsupported(f"subnormal numbers of {dtype} count as zero on {target.device_name}")
    target.find(function)
    host = np.array([3, -1, 2, 1, -2], dtype) * np.finfo(dtype).smallest_subnormal
    call = CALLS[function]
    true = np.asarray(call(np, host, np.sort(host)))
    if true.dtype.kind == "i":
        true = true.astype(default_dtype(target, "indexing"))
    found = call(target.xp, target.array(host), target.array(np.sort(host)))
    assert_equal(target, found, true, given=host)
