"""Reductions on a GPU through cuda, next to CuPy and torch.

Run with ``python -m tests.benchmarks.cuda_reductions``. Times are between events of the GPU; the
rounds of the libraries are interleaved. Arrays have 2**30 bytes.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import cupy
import torch

import numr_api as xp
from tests.benchmarks.cuda_timing import OURS, Call, compare

BYTES = 2**30
SIDE = 2**14
ROUNDS = 7
CALLS = 5


class Row(NamedTuple):
    """A reduction of an array of one axis, or of a square along an axis; its name in torch."""

    name: str
    dtype: str = "float32"
    axis: int | None = None
    in_torch: str = ""


REDUCTIONS = [
    *[Row(name) for name in ("sum", "max", "argmax", "prod", "var", "count_nonzero")],
    *[Row(name, axis=axis) for name in ("sum", "mean", "var", "argmax") for axis in (0, 1)],
    *[Row("max", axis=axis, in_torch="amax") for axis in (0, 1)],
    *[Row("sum", dtype) for dtype in ("float64", "complex64", "int32", "int16", "int8")],
    *[Row("max", dtype) for dtype in ("float64", "int32", "int16", "int8")],
    *[Row("argmax", dtype) for dtype in ("float64", "int8")],
    *[Row("sum", dtype, 0) for dtype in ("int8", "int16")],
    *[Row("max", dtype, 0, "amax") for dtype in ("int8", "int16")],
]


def calls_of(row: Row, values: Any) -> dict[str, Call]:
    theirs = values.view(row.dtype)
    if row.axis is not None:
        theirs = theirs.reshape(SIDE, -1)
    tensor, ours = torch.from_dlpack(theirs), xp.asarray(theirs)
    options = {} if row.axis is None else {"axis": row.axis}
    found: dict[str, Call] = {OURS: partial(getattr(xp, row.name), ours, **options)}
    of_torch = getattr(torch, row.in_torch or row.name)
    found["torch"] = partial(of_torch, tensor, **options)
    found["cupy"] = partial(getattr(cupy, row.name), theirs, **options)
    return found


def main() -> None:
    values = cupy.random.standard_normal(BYTES // 4, dtype="float32")
    other = cupy.empty_like(values)
    copy = compare({"copy": partial(cupy.copyto, other, values)}, ROUNDS, CALLS)["copy"]
    del other
    print(f"a copy on the device: {2 * BYTES / copy / 1e6:,.0f} GB/s")
    print("| reduction | ms | GB/s | of torch's speed | of CuPy's |")
    print("| --- | --- | --- | --- | --- |")
    for row in REDUCTIONS:
        times = compare(calls_of(row, values), ROUNDS, CALLS)
        ours = times[OURS]
        where = "" if row.axis is None else f", axis {row.axis}"
        print(
            f"| {row.name} of {row.dtype}{where} | {ours:.4f} | {BYTES / ours / 1e6:,.0f} "
            f"| {times['torch'] / ours:.2f} | {times['cupy'] / ours:.2f} |"
        )


if __name__ == "__main__":
    main()
