"""What the cuda device's reductions compute, however arrays lie, without a GPU.

Their kernels are compiled for the host; results are compared with NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from host_kernels import COMPILER, HostLibrary, on_host, twice

from numr_api._backends.cuda import reduction_plans
from numr_api._backends.cuda.reduction_kernels import KINDS, Columns, Rows, result_of, signatures
from numr_api._backends.cuda.reduction_plans import Axis, Loop, loop_of, work_of
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
    **{f"{n} in a row": lambda n=n: (on_host(numbers(n)), (0,)) for n in ROWS[1:]},
    **{f"rows of {n}": lambda n=n: (on_host(numbers(5, n)), (1,)) for n in ROWS[1:]},
    **{f"columns of {n}": lambda n=n: (on_host(numbers(n, 37)), (0,)) for n in ROWS[1:-3]},
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
        # 150 rows are those that a block takes at once, and some more.
        wide = [(150, 32)] if element.itemsize < 4 else []
        for shape in ((300,), (40, 21), *wide):
            found.append(Case(operation, on_host(make(*shape, dtype=element.name)), (0,)))
    return found


def test_all_operations_of_all_dtypes_are_numpys(tmp_path: Any) -> None:
    assert {case.operation for case in operation_cases()} == set(KINDS)
    for case, found in run_all(tmp_path, operation_cases):
        case.check(found)


def narrow_cases() -> list[Case]:
    found: list[Case] = []
    for dtype, operation in (("int8", "sum"), ("int8", "max"), ("int16", "argmax")):
        for length, width in ((2, 512), (65, 528), (1100, 64), (64, 40), (70, 12), (70, 7)):
            x = numbers(length, width, dtype=dtype)
            x[length // 3, width // 2] = x[-1, -1] = 101
            x[1, 0] = -102
            found.append(Case(operation, on_host(x), (0,)))
        found.append(Case(operation, on_host(numbers(3, 80, 48, dtype=dtype)), (1,)))
        found.append(Case(operation, on_host(numbers(90, 64, dtype=dtype))[:, 16:], (0,)))
        found.append(Case(operation, on_host(numbers(90, 64, dtype=dtype))[:, :20], (0,)))
        found.append(Case(operation, on_host(numbers(90, 64, dtype=dtype), 2), (0,)))
    return found


def test_columns_of_narrow_numbers_are_numpys(tmp_path: Any) -> None:
    for case, found in run_all(tmp_path, narrow_cases):
        case.check(found)


TURN = 256 * 8 * 16  # bytes that a block reads at a time of a long row


def long_cases() -> list[Case]:
    return [
        Case(operation, on_host(numbers(count * TURN // size + more, dtype=dtype)), (0,))
        for dtype, size, operations in (
            ("float32", 4, ("sum", "argmax", "var")), ("int8", 1, ("max", "sum")),
            ("int16", 2, ("max",)), ("complex128", 16, ("sum",)),
        )
        for operation in operations
        for count, more in ((2, 0), (3, 9), (5, -1))
    ] + [Case("sum", on_host(numbers(3, 2 * TURN // 4 + 4)), (1,))]  # fmt: skip


def test_long_rows_are_numpys(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where blocks take several turns."""
    monkeypatch.setattr(reduction_plans, "MOST_BLOCKS", 2)
    assert all(variant_of(case.x, *case.axes).ahead == 8 for case in long_cases())
    for case, found in run_all(tmp_path, long_cases):
        case.check(found)


def other_results() -> list[tuple[Any, str, Column, Column]]:
    """Arrays, the dtype to accumulate in, their sum and product."""
    large = np.asarray([200, 100, 250] * 50)
    third = np.full(3000, 1 / 3, "float32")
    return [
        (large.astype("uint8"), "uint8", large.sum(), large.prod(dtype="uint64")),
        (large.astype("uint8"), "int16", large.sum(), large.prod(dtype="uint64")),
        (large.astype("int32"), "int8", large.sum(), large.prod(dtype="uint64")),
        (np.asarray([2**64 - 1, 3], "uint64"), "uint64", np.asarray(2), np.asarray(2**64 - 3)),
        (third, "float64", np.asarray(3000 * float(third[0])), np.asarray(0.0)),
        (np.asarray([2**24, 1, 1], "int32"), "float32", np.asarray(2**24 + 2), np.asarray(2**24)),
        (np.asarray([1.5, -2.5]), "int64", np.asarray(-1), np.asarray(-2)),
        (np.asarray([2.0, 3.0], "float32"), "complex128", np.asarray(5 + 0j), np.asarray(6 + 0j)),
    ]


def test_sums_and_products_accumulate_in_the_dtype_of_the_result(tmp_path: Any) -> None:
    def run(library: Any) -> list[Any]:
        return [
            find_kernel(operation, BY_NAME[x.dtype.name], BY_NAME[result], library)(
                on_host(x), (0,), False
            )
            for x, result, *_ in other_results()
            for operation in ("sum", "prod")
        ]

    found = iter(twice(tmp_path, run))
    for _, result, *expected in other_results():
        for true in expected:
            np.testing.assert_array_equal(next(found), true.astype(result))


# --- values ---------------------------------------------------------------------------------------


def values_with(dtype: str, length: int, places: dict[int, Any]) -> Column:
    values = np.zeros(length, dtype)
    for place, value in places.items():
        values[place] = value
    return values


NAN, INF = np.nan, np.inf
SPECIAL: list[tuple[str, Column, Any]] = [
    *[(name, values_with(dtype, 33_001, {place: NAN, 33_000: 1.0, 5: -1.0}), NAN)
      for name in ("max", "min") for dtype in ("float32", "float64")
      for place in (0, 1, 3, 4000, 32_999)],
    *[(name, values_with("float32", 33_001, {place: NAN, 33_000: NAN, 5: 9.0}), place)
      for name in ("argmax", "argmin") for place in (0, 6, 70, 1025, 31_000)],
    *[("argmax", values_with(dtype, 33_001, {place: 1, place + 1: 1, 33_000: 1}), place)
      for dtype in ("float32", "int8", "uint64") for place in (0, 7, 130, 1024, 32_999)],
    *[(name, values_with(dtype, 40, {place: value}), value)  # each byte of an access
      for name, dtype, value in (("max", "int8", 3), ("min", "int8", -3), ("max", "uint8", 200))
      for place in range(16, 32)],
    *[("argmin", np.full(length, value), 0)
      for length in (1, 5, 300, 33_001) for value in (INF, NAN, -INF)],
    ("argmax", np.full(40, np.iinfo("int64").min), 0),
    ("max", np.full(9, -INF), -INF),
    ("max", np.full(9, -128, "int8"), -128),
    ("min", np.full(9, 2**64 - 1, "uint64"), 2**64 - 1),
    ("max", np.asarray([2**63 - 1, -(2**63)]), 2**63 - 1),
    ("min", np.asarray([2**63 - 1, -(2**63)]), -(2**63)),
    *[("sum", np.asarray([1.0, INF, 2.0] * 9, dtype), INF)
      for dtype in ("float32", "float64")],
    *[("sum", np.asarray([1.0, INF, -INF] * 9, dtype), NAN)
      for dtype in ("float32", "float64")],
    ("sum", np.full(40, 1e308), INF),
    ("sum", np.full(5000, 1e-45, "float32"), np.float32(5000 * np.float64(np.float32(1e-45)))),
    ("mean", np.asarray([1e-45, 3e-45], "float32"), np.float32(3e-45)),
    ("prod", np.asarray([1e30, 1e30, 1e-30, 1e-30], "float32"), 1.0),
    ("var", np.asarray([1.0, INF, 3.0]), NAN),
    ("var", np.asarray([1.0, NAN, 3.0]), NAN),
    ("all", np.asarray([1.0, NAN]), True),
    ("any", np.asarray([0.0, -0.0]), False),
    ("any", np.asarray([0j, NAN * 1j]), True),
    ("count_nonzero", np.asarray([0j, 1j, 1, -0.0]), 2),
    ("sum", np.zeros(0), 0.0),
    ("prod", np.zeros(0, "complex64"), 1.0),
    ("all", np.zeros(0), True),
    ("any", np.zeros(0), False),
    ("count_nonzero", np.zeros(0), 0),
]  # fmt: skip


def test_special_values(tmp_path: Any) -> None:
    def run(library: Any) -> list[Any]:
        kernels: dict[Any, Kernel] = {}
        return [Case(name, on_host(x), (0,)).run(kernels, library) for name, x, _ in SPECIAL]

    for (name, x, true), found in zip(SPECIAL, twice(tmp_path, run), strict=True):
        np.testing.assert_array_equal(found, true, err_msg=f"{name} of {x.dtype}[{x.size}]")
        if name == "sum" and x.size == 0:
            assert not np.signbit(found)


def test_where_there_is_no_element_none_is_chosen() -> None:
    library: Any = HostLibrary()
    for name in ("max", "min", "argmax", "argmin"):
        x = on_host(numbers(0, 3))
        with pytest.raises(ValueError, match="no elements"):
            find_kernel(name, BY_NAME["float32"], BY_NAME["float32"], library)(x, (0,), False)


def rough(dtype: str, *shape: int) -> Column:
    return np.random.default_rng(1).standard_normal(shape).astype(dtype)


FAR = 1e4
SUMMED = [
    *[(name, rough(dtype, *shape) + dtype_far, axis)
      for name in ("sum", "mean", "var", "std") for dtype in ("float32", "float64")
      for dtype_far in (np.asarray(0, dtype), np.asarray(FAR, dtype))
      for shape, axis in (((40_001,), 0), ((3, 700), 1), ((900, 20), 0))],
    ("var", np.asarray([1e6, *rough("float64", 5000)]), 0),
    ("var", np.full(1000, 3e38, "float32"), 0),
]  # fmt: skip


def test_sums_and_variances_are_accurate(tmp_path: Any) -> None:
    """Far more than a sum in order would be, also where all numbers are far from 0."""

    def run(library: Any) -> list[Any]:
        kernels: dict[Any, Kernel] = {}
        return [Case(name, on_host(x), (axis,)).run(kernels, library) for name, x, axis in SUMMED]

    for (name, x, axis), found in zip(SUMMED, twice(tmp_path, run), strict=True):
        wide = x.astype("longdouble")
        true = getattr(np, name)(wide, axis=axis)
        # As far as the sum itself is from its terms, its last digit counts for less.
        size = np.abs(wide).sum(axis) if name == "sum" else np.abs(wide).mean(axis)
        scale = size if name in ("sum", "mean") else true
        error = np.max(np.abs(found - true) / np.where(scale > 0, scale, 1))
        assert error <= (1 if name in ("sum", "mean") else 4) * np.finfo(x.dtype).eps, (
            name,
            x.dtype,
        )


def test_what_rounding_leaves_of_sums_is_kept(tmp_path: Any) -> None:
    """But within the 8 numbers that are added first."""

    def run(library: Any) -> Any:
        x = on_host(np.full(512, 0.1))
        x[0], x[-1] = 1e16, -1e16
        return Case("sum", x, (0,)).run({}, library)

    assert float(twice(tmp_path, run)) == pytest.approx((512 - 2 * 8) * 0.1, abs=1e-9)


# --- the same bits --------------------------------------------------------------------------------


def bit_cases(at: int) -> list[Case]:
    shapes = (((9001,), (0,)), ((6, 300), (1,)), ((5, 4100), (1,)), ((900, 16), (0,)))
    return [
        Case(name, on_host(rough("float32", *shape), at), axes)
        for name in ("sum", "var")
        for shape, axes in shapes
    ]


def found_bits(folder: Any, make: Callable[[], list[Case]]) -> list[bytes]:
    return [np.asarray(found).tobytes() for _, found in run_all(folder, make)]


def test_bits_depend_on_the_shape_only(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither on alignment, nor on how many blocks there are, nor on how elements are counted."""
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        folder.mkdir()
    plain = found_bits(folders[0], lambda: bit_cases(0))
    assert found_bits(folders[1], lambda: bit_cases(8)) == plain
    monkeypatch.setattr(reduction_plans, "FEW", 2)
    monkeypatch.setattr(reduction_plans, "MOST_GROUPS", 2)
    assert found_bits(folders[2], lambda: bit_cases(0)) == plain


def test_counting_in_64_bits_in_several_steps_gives_the_same(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reduction_plans, "FEW", 2)
    monkeypatch.setattr(reduction_plans, "MOST_GROUPS", 1)
    for case, found in run_all(tmp_path, lambda: layout_cases()[1::4]):
        case.check(found)


def test_counters_are_left_as_zeros(tmp_path: Any) -> None:
    libraries: list[Any] = []

    def run(library: Any) -> Any:
        libraries.append(library)
        x = on_host(rough("float32", 33_001))
        kernel = find_kernel("sum", BY_NAME["float32"], BY_NAME["float32"], library)
        return [kernel(x, (0,), False).tobytes() for _ in range(3)]

    assert len(set(twice(tmp_path, run))) == 1
    assert not libraries[-1]._counters.any()


# --- which kernels --------------------------------------------------------------------------------


def variant_of(x: Any, *axes: int, operation: str = "sum") -> Any:
    loop = loop_of(x, axes, operation == "argmax")
    return work_of(loop, x.dtype.itemsize, x.data.ptr + loop.offset * x.dtype.itemsize).variant


def test_what_lies_side_by_side_is_read_together() -> None:
    x = on_host(numbers(64, 64))
    assert variant_of(x, 0, 1) == variant_of(x.T, 0, 1) == Rows(256, 4, 4, 4, 1, 0, False)
    assert variant_of(x, 1) == variant_of(x.T, 0) == Rows(8, 4, 4, 4, 1, 0, False)
    assert variant_of(x, 0) == variant_of(x.T, 1) == Columns(16, 8, 4, 4, 1, 1, False)
    assert variant_of(x[:, 1:], 1).chunk == variant_of(x[:, 1:], 0).chunk == 1
    assert variant_of(x[:, 2:], 1).chunk == 2
    assert variant_of(x[::-1, ::-1], 0, 1) == variant_of(x, 0, 1)
    assert variant_of(x[:2], 0) == Rows(1, 4, 1, 1, 1, 1, False)
    assert variant_of(x.T, 0, 1, operation="argmax").each == 1


def columns_of(dtype: str, width: int, cut: slice = slice(None), at: int = 0) -> tuple[int, int]:
    """How many columns a thread has, and how many of them it reads in one access."""
    variant = variant_of(on_host(numbers(64, width, dtype=dtype), at)[:, cut], 0)
    return variant.each, variant.chunk


def test_a_thread_reads_16_bytes_of_columns_where_none_are_left() -> None:
    assert columns_of("int8", 512) == (16, 16)
    assert columns_of("int16", 512) == (8, 8)
    assert columns_of("int8", 520) == columns_of("int8", 512, at=8) == (8, 8)
    assert columns_of("int8", 516) == columns_of("int8", 512, slice(20)) == (4, 4)
    assert columns_of("int8", 511) == columns_of("int16", 513) == (4, 1)
    assert columns_of("float32", 510) == (4, 2)


def test_axes_that_are_stepped_through_as_one_are_merged() -> None:
    x = on_host(numbers(2, 3, 4, 5))
    assert loop_of(x, (0, 1), False) == Loop(0, [Axis(20, 1, 1)], [Axis(6, 20, 0)])
    assert loop_of(x, (0, 2), False).reduced == [Axis(2, 60, 0), Axis(4, 5, 0)]
    assert loop_of(x.transpose(3, 2, 1, 0), (0, 1), False).kept == [Axis(2, 60, 1), Axis(3, 20, 2)]
    assert loop_of(x[:, :, ::-1], (2,), False).offset == -15
    assert loop_of(x[:, :, ::-1], (2,), True) == Loop(0, [Axis(6, 20, 5), Axis(5, 1, 1)],
                                                      [Axis(4, -5, 0)])  # fmt: skip


def planned(shape: tuple[int, ...], axes: tuple[int, ...], address: int, strides: Any) -> Any:
    """How complex128 numbers are reduced that lie at an address."""
    data = SimpleNamespace(shape=shape, strides=strides, dtype=np.dtype("complex128"))
    return work_of(loop_of(data, axes, False), 16, address).variant


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
def test_numbers_that_are_not_aligned_are_not_read_as_whole_words(axes: tuple[int, ...]) -> None:
    """Other libraries align complex128 to 8 bytes, where an access of 16 is a fault of the GPU."""
    assert planned((64, 64), axes, 1024, (1024, 16)).chunk == 1
    assert planned((64, 64), axes, 1032, (1024, 16)).chunk == 0


def test_rows_without_elements_are_counted_in_64_bits_where_they_are_many() -> None:
    assert planned((2**32, 0), (1,), 1024, (16, 16)).wide
    assert not planned((2**16, 0), (1,), 1024, (16, 16)).wide
