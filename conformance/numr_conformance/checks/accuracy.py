"""How far elementary functions are off, in units in the last place, over a fixed set of points.

The errors are written down, for the standard demands none. What is so far off that it must be a
defect has failed: more than ``LIMITS``, or no number where the true result is one. Who demands more
says so with ``max_ulp``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from numr_conformance.accuracy_points import COMPLEX, DENSE, errors, points
from numr_conformance.check import Check, Failed
from numr_conformance.standard import ACCEPTED, KINDS
from numr_conformance.target import Target

# In ulp. Complex parts cancel where a formula is applied as it stands, which many libraries do.
LIMITS = {"f": 64.0, "c": 1e4}


def checks(target: Target) -> Iterator[Check]:
    for dtype in ACCEPTED["floating-point"]:
        if dtype in target.dtypes:
            for function in sorted(DENSE) if dtype in KINDS["real floating"] else COMPLEX:
                run = partial(_accuracy, function, dtype)
                name = f"accuracy/{function}/{dtype}"
                yield Check(name, "accuracy", function, dtype, run, seconds=60.0)


def _accuracy(function: str, dtype: str, target: Target) -> dict[str, float]:
    call = target.find(function)
    at = points(function, dtype)
    with np.errstate(all="ignore"):  # NumPy's own namespace may be the one under test
        result = target.host(call(*map(target.array, at.operands)))
    if result.dtype != dtype:
        raise Failed("another dtype", expected=dtype, actual=result.dtype)
    found = errors(result, at)
    # NaN sorts last, so a lost result counts as the worst.
    worst = int(np.argsort(found)[-1])
    largest = float(found[worst])
    measured = {"max_ulp": largest, "mean_ulp": float(found.mean())}
    demanded = math.inf if target.max_ulp is None else target.max_ulp
    limit = min(LIMITS[np.dtype(dtype).kind], demanded)
    if not largest <= limit:
        raise Failed(
            f"{largest:.3g} ulp at the worst of {found.size} points; the limit is {limit:g} ulp",
            given=", ".join(repr(x[worst].item()) for x in at.operands),
            expected=repr(at.nearest.astype(dtype)[worst].item()),
            actual=repr(result[worst].item()),
            measured=measured,
        )
    return measured
