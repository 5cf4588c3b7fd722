"""What the cuda device's reductions compute, however arrays lie, without a GPU.

Their kernels are compiled for the host; results are compared with NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from host_kernels import COMPILER, HostLibrary, on_host, twice

from numr_api._backends.cuda.reduction_kernels import KINDS, result_of, signatures
from numr_api._backends.cuda.reductions import Kernel, find_kernel
from numr_api._dtypes import BY_NAME

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")

Column = np.ndarray[Any, np.dtype[Any]]


def numbers(*shape: int, dtype: str = "float32") -> Column:
    """Small whole numbers, whose sums are exact."""
    count = int(np.prod(shape))
    values = np.arange(count) * 7919 % 101 - 50 * (dtype[0] not in "ub")
    if dtype == "bool":
        values = values % 7 == 0
    return values.astype(dtype).reshape(shape)


def factors(*shape: int, dtype: str = "float32") -> Column:
    """Ones of both signs and a few twos."""
    count = np.arange(int(np.prod(shape))).reshape(shape)
    sign = np.where((count % 3 == 1) & (dtype[0] != "u"), -1, 1)
    return np.where(count % 97 == 3, 2, sign).astype(dtype)


def truth(operation: str, x: Column, axes: Any, result: str, keepdims: bool) -> Column:
    x = np.asarray(x)
    if operation in ("argmax", "argmin"):
        axis = axes[0] if len(axes) == 1 else None
        found = getattr(np, operation)(x, axis=axis, keepdims=keepdims)
    elif operation in ("sum", "prod"):
        found = getattr(np, operation)(x, axis=axes, dtype=result, keepdims=keepdims)
    elif operation in ("mean", "var", "std"):
        wide = x.astype("complex128" if x.dtype.kind == "c" else "float64")
        found = getattr(np, operation)(wide, axis=axes, keepdims=keepdims)
    else:
        found = getattr(np, operation)(x, axis=axes, keepdims=keepdims)
    return np.asarray(found).astype(result)


class Case:
    """A reduction of an array."""

    def __init__(self, operation: str, x: Any, axes: tuple[int, ...], keepdims: bool = False):
        self.operation, self.x, self.axes, self.keepdims = operation, x, axes, keepdims
        element = BY_NAME[x.dtype.name]
        self.result = result_of(operation, element)
        self.element = element

    def run(self, kernels: dict[Any, Kernel], library: Any) -> Any:
        key = self.operation, self.element
        if key not in kernels:
            kernels[key] = find_kernel(*key, self.result, library)
        given = [self.length] if self.operation in ("var", "std") else []
        return kernels[key](self.x, self.axes, self.keepdims, *map(float, given))

    @property
    def length(self) -> int:
        return int(np.prod([self.x.shape[axis] for axis in self.axes]))

    def check(self, found: Any) -> None:
        true = truth(self.operation, self.x, self.axes, self.result.name, self.keepdims)
        assert found.dtype == true.dtype
        assert found.shape == true.shape
        if self.operation in ("mean", "var", "std"):
            np.testing.assert_allclose(
                np.asarray(found), true, rtol=8 * np.finfo(true.dtype).eps, atol=1e-30
            )
        else:
            np.testing.assert_array_equal(found, true)


def run_all(folder: Any, make: Callable[[], list[Case]]) -> list[tuple[Case, Any]]:
    cases = make()

    def run(library: HostLibrary) -> list[Any]:
        kernels: dict[Any, Kernel] = {}
        return [case.run(kernels, library) for case in cases]

    return list(zip(cases, twice(folder, run), strict=True))


# --- how arrays lie -------------------------------------------------------------------------------

ROWS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 64, 127, 130, 520, 1023, 1025, 1030, 4095, 4100, 4099)
LAYOUTS: dict[str, Callable[[], tuple[Any, tuple[int, ...]]]] = {
    **{f"{n} in a row": lambda n=n: (on_host(numbers(n)), (0,)) for n in ROWS if n},
    **{f"rows of {n}": lambda n=n: (on_host(numbers(5, n)), (1,)) for n in ROWS if n},
    **{f"columns of {n}": lambda n=n: (on_host(numbers(n, 37)), (0,)) for n in ROWS if 0 < n < 2000},
    "many pieces": lambda: (on_host(numbers(33_001)), (0,)),
    "pieces of rows": lambda: (on_host(numbers(3, 9001)), (1,)),
    "pieces of columns": lambda: (on_host(numbers(700, 130)), (0,)),
    "pieces of few columns": lambda: (on_host(numbers(3000, 3)), (0,)),
    "pieces of planes": lambda: (on_host(numbers(3, 150, 40)), (1,)),
    "unaligned": lambda: (on_host(numbers(5001), 4), (0,)),
    "unaligned rows": lambda: (on_host(numbers(4, 1026), 8), (1,)),
    "unaligned columns": lambda: (on_host(numbers(100, 65), 4), (0,)),
    "columns cut": lambda: (on_host(numbers(100, 80))[:, 4:72], (0,)),
    "rows cut": lambda: (on_host(numbers(7, 80))[:, 3:], (1,)),
    "every other": lambda: (on_host(numbers(3001))[::2], (0,)),
    "every other column": lambda: (on_host(numbers(60, 81))[:, ::2], (0,)),
    "every other of rows": lambda: (on_host(numbers(6, 81))[:, ::2], (1,)),
    "backwards": lambda: (on_host(numbers(301))[::-1], (0,)),
    "rows backwards": lambda: (on_host(numbers(6, 60))[::-1, ::-1], (1,)),
    "columns backwards": lambda: (on_host(numbers(60, 60))[::-1, ::-1], (0,)),
    "transposed": lambda: (on_host(numbers(60, 50)).T, (0,)),
    "repeated": lambda: (np.broadcast_to(on_host(numbers(70)), (6, 70), subok=True), (1,)),
    "repeated along": lambda: (np.broadcast_to(on_host(numbers(70)), (40, 70), subok=True), (0,)),
    "a short middle axis": lambda: (on_host(numbers(50, 2, 3)), (1,)),
    "a middle axis": lambda: (on_host(numbers(3, 50, 7)), (1,)),
    "no axes": lambda: (on_host(numbers()), ()),
    "of length 1": lambda: (on_host(numbers(4, 1, 5)), (1,)),
    "no results": lambda: (on_host(numbers(0, 5)), (1,)),
}  # fmt: skip
SEVERAL: dict[str, Callable[[], tuple[Any, tuple[int, ...]]]] = {
    "all axes": lambda: (on_host(numbers(6, 7, 8)), (0, 1, 2)),
    "all axes of a transposed": lambda: (on_host(numbers(6, 7, 8)).transpose(2, 0, 1), (0, 1, 2)),
    "all but the middle": lambda: (on_host(numbers(5, 6, 8)), (0, 2)),
    "all but the middle, odd": lambda: (on_host(numbers(5, 6, 7)), (0, 2)),
    "two of four": lambda: (on_host(numbers(5, 6, 7, 8)), (0, 2)),
    "the last two": lambda: (on_host(numbers(5, 6, 7)), (1, 2)),
    "none of two": lambda: (on_host(numbers(5, 6)), ()),
    "none of nothing": lambda: (on_host(numbers(0, 6)), ()),
    "five axes": lambda: (on_host(numbers(2, 3, 2, 3, 4))[:, :, ::-1, ::2], (1, 3)),
}


def layout_cases() -> list[Case]:
    found: list[Case] = []
    for name, make in {**LAYOUTS, **SEVERAL}.items():
        for operation in ("sum", "argmax", "var"):
            x, axes = make()
            if operation == "argmax" and name in SEVERAL and not name.startswith("all axes"):
                continue
            found.append(Case(operation, x, axes, keepdims=len(found) % 2 == 0))
    return found


def test_results_are_numpys_whatever_lies_where(tmp_path: Any) -> None:
    for case, found in run_all(tmp_path, layout_cases):
        case.check(found)


# --- operations and dtypes ------------------------------------------------------------------------


def operation_cases() -> list[Case]:
    found: list[Case] = []
    for operation, element, _ in signatures():
        make = factors if operation == "prod" else numbers
        for shape, axes in (((300,), (0,)), ((5, 37), (1,)), ((40, 21), (0,))):
            found.append(Case(operation, on_host(make(*shape, dtype=element.name)), axes))
    return found


def test_all_operations_of_all_dtypes_are_numpys(tmp_path: Any) -> None:
    assert {case.operation for case in operation_cases()} == set(KINDS)
    for case, found in run_all(tmp_path, operation_cases):
        case.check(found)
