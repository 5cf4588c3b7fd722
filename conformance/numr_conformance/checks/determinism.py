"""Determinism: the same bits each time, and of a row alone as of a row in a batch.

The standard says nothing of either. Other bits for the same operands fail all the same, and so do
element-wise results that depend on the elements around: no order of operations explains them. How a
sum or a transform is split may well follow from the shape; that is written down. A library that
promises more has tests of its own, which can demand that these checks pass and record nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from numr_conformance.check import Failed, Recorded
from numr_conformance.checks._battery import CALLS, results
from numr_conformance.checks._tools import LAYOUTS, Cases, Host, assert_true, continuous
from numr_conformance.target import Target

cases = Cases("determinism", "determinism")
checks = cases.checks


def bits(target: Target, result: Any) -> list[tuple[Any, ...]]:
    """What two results must have in common to be the same in every bit."""
    hosts = [target.host(part) for part in results(result)]
    return [(x.shape, x.dtype.name, x.tobytes()) for x in hosts]


@cases("*", rows=[(name,) for name in CALLS])
def repeated(target: Target, name: str) -> None:
    """On the same operands, and on new arrays with the same elements."""
    call = CALLS[name]
    arrays = call.arrays(target)
    first = bits(target, call(target, arrays))
    for again in (arrays, arrays, call.arrays(target)):
        right = bits(target, call(target, again)) == first
        assert_true(right, "other bits when repeated", given=call.hosts)


# --- a row alone ----------------------------------------------------------------------------------

ELEMENTARY = (
    "exp log sin cos tan tanh sqrt asin atan sinh expm1 log1p log2 log10 abs square".split()
)
ALONG = "sum prod mean var std max min cumulative_sum cumulative_prod sort argsort".split()
EXACT = ("max", "min", "sort", "argsort")
FOURIER = ("fft.fft", "fft.ifft", "fft.rfft")
LENGTHS = (1, 7, 64, 1000)
ROWS = 9


def compare_rows(target: Target, call: Any, x: Host, given: Any, *, free: bool = False) -> None:
    """Each row of ``call(x)`` has the bits of ``call`` of this row alone."""
    whole = target.host(call(target.array(x)))
    for i in range(len(x)):
        alone = target.host(call(target.array(x[i : i + 1])))[0]
        if whole[i].tobytes() != alone.tobytes():
            if free:
                raise Recorded("a row has other bits in a batch")
            message = f"row {i} has other bits in a batch"
            raise Failed(message, given=given, expected=alone, actual=whole[i])


@cases("*", dtypes=("float32", "float64"), rows=[(f, n) for f in ELEMENTARY for n in LENGTHS])
def row_of_elementwise(target: Target, dtype: str, name: str, length: int) -> None:
    host = np.abs(continuous(dtype, (ROWS, length), name)).clip(0.01, 0.99)
    compare_rows(target, target.find(name), host, (name, length))


@cases("*", dtypes=("float32", "float64"), rows=[(f, n) for f in ALONG for n in LENGTHS])
def row_of_reduction(target: Target, dtype: str, name: str, length: int) -> None:
    """Written down only, but for what has nothing to round."""
    host = continuous(dtype, (ROWS, length), name)
    free = name not in EXACT
    compare_rows(target, lambda x: target.find(name)(x, axis=-1), host, (name, length), free=free)


@cases("*", dtypes=("float32", "float64"), rows=[(f, n) for f in FOURIER for n in LENGTHS])
def row_of_transform(target: Target, dtype: str, name: str, length: int) -> None:
    """Written down only."""
    host = continuous(dtype, (ROWS, length), name)
    if name != "fft.rfft":
        host = host.astype("complex64" if dtype == "float32" else "complex128")
    compare_rows(target, target.find(name), host, (name, length), free=True)


@cases("matmul", dtypes=("float32", "float64"), rows=[(n,) for n in LENGTHS])
def row_of_product(target: Target, dtype: str, length: int) -> None:
    """Written down only: the blocking of a matrix product follows its shape."""
    y = target.array(continuous(dtype, (length, 16), "y"))
    host = continuous(dtype, (ROWS, length), "x")
    compare_rows(target, lambda x: target.xp.matmul(x, y), host, length, free=True)


@cases("linalg.inv", dtypes=("float32", "float64"))
def matrix_of_a_stack(target: Target, dtype: str) -> None:
    """Written down only."""
    host = continuous(dtype, (ROWS, 5, 5), "inv")
    compare_rows(target, target.find("linalg.inv"), host, "5 x 5", free=True)


@cases("*", dtypes=("float32", "float64"), rows=[(f, layout) for f in ELEMENTARY[:8]
                                                 for layout in LAYOUTS])  # fmt: skip
def layout_of_operand(target: Target, dtype: str, name: str, layout: str) -> None:
    """Element by element, it matters to no result where the operand lies; else written down."""
    host = np.abs(continuous(dtype, (7, 33), name)).clip(0.01, 0.99)
    function = target.find(name)
    plain = target.host(function(target.array(host)))
    found = target.host(function(LAYOUTS[layout](target, host)))
    if plain.tobytes() != np.ascontiguousarray(found).tobytes():
        raise Recorded(f"other bits for {layout}")
