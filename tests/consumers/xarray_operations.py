"""Which of xarray's operations work on numr_api arrays, and whether the results stay such arrays.

    python -m tests.consumers.xarray_operations
    python -m tests.consumers.xarray_operations --mode strict
    python -m tests.consumers.xarray_operations --device webgpu:0

Prints an outcome for each row of ``xarray_table``, with ``--json`` as one JSON object:

    numr_api   the result is the one on NumPy arrays, and all its arrays are numr_api's
    NumPy      the result is the one on NumPy arrays, but NumPy arrays are among it
    value      a result without arrays, equal to the one on NumPy arrays
    error      it raised; the error follows
    differs    the result is not the one on NumPy arrays

The mode is one of the whole process, since libraries remember what they found in a namespace.
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import xarray as xr

from tests.consumers.xarray_table import GROUPS, Operation, sample


def variables(result: object) -> Iterator[Any]:
    """The variables in a result; a Python value stands for itself."""
    if isinstance(result, xr.Dataset):
        yield from result.data_vars.values()
    elif isinstance(result, tuple):
        for part in result:
            yield from variables(part)
    else:
        yield result


def host(array: Any) -> np.ndarray[Any, Any]:
    """A NumPy array of the same values."""
    return np.asarray(array if isinstance(array, np.ndarray) else array.to_device("cpu"))


def difference(found: Any, expected: Any, exact: bool) -> str | None:
    """In what two variables or Python values differ, None if in nothing.

    Not exact means single precision: float32 may stand for float64, and differences of its
    rounding are none.
    """
    tolerance = {"rtol": 1e-12, "atol": 1e-12} if exact else {"rtol": 2e-5, "atol": 2e-5}
    if not isinstance(expected, xr.DataArray):
        equal = found == expected or np.allclose(found, expected, **tolerance)
        return None if equal else f"{found} is not {expected}"
    if found.dims != expected.dims or found.shape != expected.shape:
        return f"{found.dims} {found.shape} are not {expected.dims} {expected.shape}"
    kinds = found.dtype.kind, expected.dtype.kind
    if found.dtype != expected.dtype and (exact or kinds[0] != kinds[1]):
        return f"{found.dtype} is not {expected.dtype}"
    for name, index in expected.indexes.items():
        if not index.equals(found.indexes[name]):
            return f"the coordinate {name} differs"
    values = host(found.data), host(expected.data)
    if expected.dtype.kind in "fc":
        equal = np.allclose(*values, equal_nan=True, **tolerance)
    else:
        equal = np.array_equal(*values)
    return None if equal else "the values differ"


def outcome(
    operation: Operation, ours: xr.Dataset, theirs: xr.Dataset, exact: bool
) -> tuple[str, str]:
    """What becomes of an operation on numr_api arrays, and the error or difference if any."""
    import numr_api

    expected = list(variables(operation(theirs)))
    try:
        found = list(variables(operation(ours)))
    except Exception as error:
        return "error", f"{type(error).__name__}: {str(error).splitlines()[0]}"
    if len(found) != len(expected):
        return "differs", f"{len(found)} variables are not {len(expected)}"
    for one, other in zip(found, expected, strict=True):
        if differs := difference(one, other, exact):
            return "differs", differs
    arrays = [x.data for x in found if isinstance(x, xr.DataArray)]
    if not arrays:
        return "value", ""
    kept = all(isinstance(x, type(numr_api.empty(0))) for x in arrays)
    return ("numr_api" if kept else "NumPy"), ""


def measure(device: str) -> dict[str, tuple[str, str]]:
    """The outcome of each operation, by its name, with numr_api arrays on a device."""
    import numr_api
    from numr_api.extensions import mode
    from numr_api.extensions.device import default_device

    with default_device(device), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with mode.relaxed():  # which narrows float64 where a device lacks it
            ours = sample(numr_api.asarray)
        theirs = sample(np.array)
        defaults = numr_api.__array_namespace_info__().default_dtypes(device=device)
        exact = defaults["real floating"] == numr_api.float64
        return {
            name: outcome(operation, ours, theirs, exact)
            for table in GROUPS.values()
            for name, operation in table.items()
        }


def main() -> None:
    """Print the outcomes, those of a group together, and how many there are of each."""
    parser = argparse.ArgumentParser(description="Try xarray's operations on numr_api arrays.")
    parser.add_argument("--mode", choices=("strict", "relaxed"), default="relaxed")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    os.environ["NUMR_API_MODE"] = options.mode  # before numr_api is imported
    outcomes = measure(options.device)
    if options.json:
        print(json.dumps(outcomes))
        return
    for group, table in GROUPS.items():
        print(group)
        for name in table:
            kind, reason = outcomes[name]
            print(f"    {name:30} {kind:9} {reason}".rstrip())
    counts = Counter(kind for kind, _ in outcomes.values())
    print(f"{len(outcomes)} operations:", ", ".join(f"{n} {k}" for k, n in counts.most_common()))


if __name__ == "__main__":
    main()
