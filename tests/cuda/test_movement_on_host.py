"""The cuda device's kernels that move elements, compiled for the host and compared with NumPy."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from host_kernels import COMPILER, HostLibrary, on_host, twice, twice_as_if_many

from numr_api._backends.cuda import elementwise_plans, gathering
from numr_api._backends.cuda.elementwise import find_cast, find_copy, find_fill, find_kernel
from numr_api._backends.cuda.elementwise_plans import divisor, tile_of
from numr_api._backends.cuda.gathering import Gathering, Selection
from numr_api._backends.cuda.movement_kernels import range_source
from numr_api._dtypes import BY_NAME

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")

Change = Callable[[Any], Any]
DTYPES = ("uint8", "int16", "float32", "complex128")


def numbers(*shape: int, dtype: str = "float32") -> Any:
    return (np.arange(int(np.prod(shape))) * 7919 % 251).astype(dtype).reshape(shape)


def cut(first: int, last: int | None = None) -> Change:
    return lambda x: x[..., first:last]


# Name: the shape of what is copied, the view of it, and how the view is reached.
COPIES: dict[str, tuple[tuple[int, ...], Change, str]] = {
    "transposed": ((130, 70), lambda x: x.T, "tiles"),
    "transposed, whole tiles": ((128, 256), lambda x: x.T, "tiles"),
    "transposed, odd": ((133, 71), lambda x: x.T, "tiles"),
    "few columns": ((700, 3), lambda x: x.T, "tiles"),
    "few rows": ((7, 1100), lambda x: x.T, "tiles"),
    "transposed and backwards": ((70, 90), lambda x: x.T[::-1, ::-1], "tiles"),
    "every other of a transposed": ((140, 90), lambda x: x.T[:, ::2], "tiles"),
    "transposed of every other": ((140, 90), lambda x: x[:, ::2].T, "tiles"),
    "columns of a transposed": ((90, 72), lambda x: x.T[:, 1:], "tiles"),
    "rows of a transposed": ((90, 72), lambda x: x.T[1:], "tiles"),
    "a stack of transposed": ((3, 40, 64), lambda x: x.mT, "tiles"),
    "axes backwards": ((34, 3, 70), lambda x: x.T, "tiles"),
    "small matrices": ((50, 4, 6), lambda x: x.mT, "elements"),
    "long rows": ((3, 9301), cut(3), "chunks"),
    "short rows": ((50, 37), cut(1), "elements"),
    "one row, cut": ((9000,), cut(1), "chunks"),
    "one row, backwards": ((9000,), lambda x: x[::-1], "chunks"),
    "a row repeated": ((9001,), lambda x: np.broadcast_to(x, (3, 9001), subok=True), "chunks"),
    "a column repeated": ((3, 1), lambda x: np.broadcast_to(x, (3, 9001), subok=True), "chunks"),
}


def way(kernel: Any) -> str:
    (variant,) = kernel._functions
    if variant.tile:
        return "tiles"
    return {"": "elements", "vector": "vectors"}.get("".join(variant.modes[:1]), "chunks")


def copies(library: HostLibrary, dtypes: Sequence[str] = DTYPES) -> dict[str, tuple[Any, Any, str]]:
    """What each view is, its copy, and how it was reached."""
    found: dict[str, tuple[Any, Any, str]] = {}
    for dtype in dtypes:
        size = np.dtype(dtype).itemsize
        for name, (shape, change, _) in COPIES.items():
            view = change(on_host(numbers(*shape, dtype=dtype)))
            kernel = find_copy(size, library)  # type: ignore[arg-type]
            result = library.empty(view.shape, dtype)
            kernel.write(result, (view,))
            found[f"{name}, {dtype}"] = (view, result, way(kernel))
    return found


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return twice(tmp_path_factory.mktemp("copies"), copies)


@pytest.fixture(scope="module")
def copied_wide(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return twice_as_if_many(
        tmp_path_factory.mktemp("wide_copies"), lambda library: copies(library, ["int16"])
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", COPIES)
def test_copies_are_equal(name: str, dtype: str, copied: Any) -> None:
    view, result, how = copied[f"{name}, {dtype}"]
    np.testing.assert_array_equal(result, view)
    assert how == COPIES[name][2] or (how == "vectors" and dtype == "complex128")


@pytest.mark.parametrize("name", COPIES)
def test_counting_in_64_bits_and_in_several_steps_gives_the_same(
    name: str, copied_wide: Any
) -> None:
    view, result, how = copied_wide[f"{name}, int16"]
    np.testing.assert_array_equal(result, view)
    assert how == COPIES[name][2]


def test_rows_may_begin_anywhere_on_both_sides(tmp_path: Path) -> None:
    def run(library: HostLibrary) -> list[tuple[Any, Any, int, int]]:
        found: list[tuple[Any, Any, int, int]] = []
        for dtype in ("uint8", "int16", "float32"):
            kernel = find_copy(np.dtype(dtype).itemsize, library)  # type: ignore[arg-type]
            for start in range(5):
                for target in range(5):
                    x, out = on_host(numbers(2100, dtype=dtype)), on_host(np.zeros(2110, dtype))
                    kernel.write(out[target : target + 2090], (x[start : start + 2090],))
                    found.append((x, out, start, target))
        return found

    for x, out, start, target in twice(tmp_path, run):
        expected = np.zeros_like(out)
        expected[target : target + 2090] = x[start : start + 2090]
        np.testing.assert_array_equal(out, expected)


def test_operations_on_arrays_in_different_orders(tmp_path: Path) -> None:
    def run(library: Any) -> list[tuple[Any, Any, str]]:
        found: list[tuple[Any, Any, str]] = []
        for first, second in (
            ("uint8", "uint8"), ("float32", "int8"), ("int8", "float64"), ("complex128", "int16"),
        ):  # fmt: skip
            x, y = on_host(numbers(70, 131, dtype=first)), on_host(numbers(131, 70, dtype=second))
            dtype = BY_NAME[np.result_type(x, y).name]
            types = BY_NAME[first], BY_NAME[second]
            add: Any = find_kernel("add", types, dtype, dtype, library)
            found.append((add(x, y.T), np.asarray(x) + np.asarray(y.T), way(add)))
            if dtype.kind != "c":
                less: Any = find_kernel("less", types, dtype, BY_NAME["bool"], library)
                found.append((less(x, y.T), np.asarray(x) < np.asarray(y.T), way(less)))
            cast = find_cast(types[1], types[0], library)
            out = library.empty((70, 131), first)
            cast.write(out, (y.T,))
            found.append((out, np.asarray(y.T).astype(first), way(cast)))
        return found

    for result, expected, how in twice(tmp_path, run):
        np.testing.assert_array_equal(result, expected)
        assert how == "tiles"


def test_fills(tmp_path: Path) -> None:
    values = {"bool": True, "int8": -3, "uint64": 2**64 - 1, "float32": -0.0, "complex64": 1 - 2j}

    def run(library: Any) -> list[tuple[Any, Any]]:
        found: list[tuple[Any, Any]] = []
        for dtype, value in values.items():
            for view in (cut(0), cut(1), cut(0, -3), lambda x: x[::2], lambda x: x.T):
                out = on_host(np.full((3, 1100), 7, dtype))
                expected = np.asarray(out).copy()
                view(expected)[...] = value
                kernel = find_fill(BY_NAME[dtype], library)
                kernel.write(view(out), (), kernel.scalar(value))
                found.append((out, expected))
        return found

    for out, expected in twice(tmp_path, run):
        assert out.tobytes() == expected.tobytes()
    with pytest.raises(OverflowError, match="300 is out of range"):
        find_fill(BY_NAME["int8"], HostLibrary()).scalar(300)  # type: ignore[arg-type]


def test_ranges(tmp_path: Path) -> None:
    cases = [
        ("int8", -128, 1, 256), ("uint64", 2**64 - 5, 1, 5), ("int64", -(2**63), 2**62, 4),
        ("int16", 30, -7, 9), ("float32", 0.1, 0.1, 1001), ("float64", -3.0, 1e-3, 515),
        ("complex64", 0.5, 0.25, 7), ("complex128", 1.0, -2.0, 3),
    ]  # fmt: skip

    def run(library: HostLibrary) -> list[Any]:
        found: list[Any] = []
        for dtype, start, step, count in cases:
            integer = isinstance(start, int)
            pair = (start % 2**64, step % 2**64) if integer else (start, step)
            result = library.empty((count,), dtype)
            function = library.function(*range_source(BY_NAME[dtype]))
            layout = struct.Struct("PqQQ" if integer else "Pqdd")
            function.launch(1, 256, layout, (result.data.ptr, count, *pair))
            found.append(result)
        return found

    for (dtype, start, step, count), result in zip(cases, twice(tmp_path, run), strict=True):
        expected = np.array([start + step * i for i in range(count)], dtype)
        np.testing.assert_array_equal(result, expected)


# --- taking ---------------------------------------------------------------------------------------


class Faults:
    """A word, and numbers that go down from 100."""

    def __init__(self) -> None:
        self.word = on_host(np.zeros(1, "uint32"))

    def watch(self, launch: Any, accesses: Any) -> None:
        launch(self.word.data.ptr, [100 - i for i in range(len(accesses))])


def takes(library: Any) -> tuple[list[tuple[Any, Any]], int, Any]:
    """Arrays taken and what they should be, the fault word, and the kernels."""
    random, gather, faults = np.random.default_rng(0), Gathering(library), Faults()
    found: list[tuple[Any, Any]] = []

    def take(x: Any, indices: Any, axis: int) -> None:
        shape = (*x.shape[:axis], indices.size, *x.shape[axis + 1 :])
        result = gather(faults, x, shape, [Selection(axis, indices, axis)], [None])  # type: ignore
        found.append((result, np.take(np.asarray(x), np.asarray(indices).astype(int), axis)))

    for dtype in DTYPES:
        for kind in ("int8", "uint64") if dtype == "uint8" else ("int64",):
            for shape in ((30,), (30, 16), (5, 30, 16), (30, 7), (4, 30, 3)):
                x = on_host(numbers(*shape, dtype=dtype))
                for axis, length in enumerate(shape):
                    low = 0 if kind[0] == "u" else -length
                    indices = on_host(random.integers(low, length, 1100 // x[0].size).astype(kind))
                    take(x, indices, axis)
                    take(x, indices[::-2], axis)
                    take(x.T, indices, x.ndim - 1 - axis)
                    take(x[::-1], indices, axis)
    x = on_host(numbers(20, 30, dtype="float64"))
    i = on_host(random.integers(-20, 20, (4, 5)))
    j = on_host(random.integers(-30, 30, (5,)).astype("int16"))
    pair = [Selection(0, i, 0), Selection(1, j, 1)]
    result = gather(faults, x, (4, 5), pair, [None] * 2)  # type: ignore
    found.append((result, np.asarray(x)[np.asarray(i), np.asarray(j)]))
    for axis in (0, 1):
        k = on_host(random.integers(0, x.shape[axis], x.shape))
        result = gather(faults, x, x.shape, [Selection(axis, k, 0)], [None])  # type: ignore
        found.append((result, np.take_along_axis(np.asarray(x), np.asarray(k), axis)))
    assert int(faults.word[0]) == 0
    wrong = on_host(np.array([0, 20, -21]))
    result = gather(faults, x, (3, 30), [Selection(0, wrong, 0)], [None])  # type: ignore
    found.append((result, np.asarray(x)[[0, 0, 0]]))
    return found, int(faults.word[0]), gather


@pytest.mark.parametrize("wide", [False, True])
def test_elements_taken_are_numpys(
    wide: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if wide:
        monkeypatch.setattr(elementwise_plans, "FEW", 2)
        monkeypatch.setattr(gathering, "MOST_GROUPS", 1)
    found, fault, gather = twice(tmp_path, takes)
    for result, expected in found:
        np.testing.assert_array_equal(result, expected)
    assert fault == 100
    assert {variant.wide for variant in gather._functions} == {wide}


def test_indices_are_looked_at_also_where_the_result_has_no_elements(tmp_path: Path) -> None:
    def run(library: Any) -> list[int]:
        words: list[int] = []
        for indices in ([2, -3], [3], [-4], []):
            faults: Any = Faults()
            taken = on_host(np.array(indices, "int64"))
            access: Any = SimpleNamespace(length=3)
            shape = len(indices), 0
            x = on_host(numbers(3, 0))
            Gathering(library)(faults, x, shape, [Selection(0, taken, 0)], [access])
            words.append(int(faults.word[0]))
        return words

    assert twice(tmp_path, run) == [0, 100, 100, 0]


def units(x: Any, axis: int) -> int:
    """How many bytes are moved at a time when slices along an axis are taken."""
    gather = Gathering(HostLibrary())  # type: ignore[arg-type]
    indices = on_host(np.zeros(3, "int64"))
    shape = (*x.shape[:axis], 3, *x.shape[axis + 1 :])
    faults: Any = SimpleNamespace(watch=lambda launch, accesses: None)
    gather(faults, x, shape, [Selection(axis, indices, axis)], [])
    (variant,) = gather._functions
    return variant.unit


def test_rows_are_moved_in_the_widest_units_that_fit() -> None:
    x = on_host(numbers(6, 8, 12))
    assert units(x, 0) == units(x, 1) == 16
    assert units(x, 2) == 4
    assert units(x[:, :, 2:], 1) == 8
    assert units(x[:, :, 1:], 1) == 4
    assert units(x[:, :, ::2], 0) == 4
    assert units(on_host(numbers(5, 6, dtype="uint8")), 0) == 2
    assert units(on_host(numbers(5, 12, dtype="uint8")), 0) == 4
    assert units(on_host(numbers(5, 16, dtype="uint8"), 1), 0) == 1


def widths(out: Any, x: Any) -> tuple[str, ...]:
    """How many elements are reached at a time in the tiles of a copy, on both sides."""
    kernel = find_copy(out.itemsize, HostLibrary())  # type: ignore[arg-type]
    kernel.write(out, (x,))
    (variant,) = kernel._functions
    assert variant.tile
    return variant.modes


def test_tiles_are_reached_by_words_where_these_are_aligned() -> None:
    def matrix(rows: int, columns: int, alignment: int = 0, dtype: str = "uint8") -> Any:
        return on_host(numbers(rows, columns, dtype=dtype), alignment)

    assert widths(matrix(64, 128), matrix(128, 64).T) == ("4", "4")
    assert widths(matrix(64, 128), matrix(128, 64, 2).T) == ("4", "2")
    assert widths(matrix(64, 128, 1), matrix(128, 64).T) == ("1", "4")
    assert widths(matrix(65, 128), matrix(128, 65).T) == ("4", "1")
    assert widths(matrix(64, 126), matrix(126, 64).T) == ("2", "4")
    assert widths(matrix(64, 128, 0, "int16"), matrix(128, 64, 2, "int16").T) == ("2", "1")
    assert widths(matrix(64, 128, 4, "float32"), matrix(128, 64, 0, "float32").T) == ("1", "1")


# --- arithmetic of plans --------------------------------------------------------------------------


@pytest.mark.parametrize("length", [1, 2, 3, 5, 7, 10, 641, 2**16 + 1, 2**30, 2**31 - 1])
def test_division_by_multiplication_is_exact(length: int) -> None:
    factor, shift = divisor(length)
    assert factor < 2**32
    edges = [k * length + d for k in (0, 1, 2, 1000, 2**31 // length) for d in (-1, 0, 1)]
    for number in [n for n in (*edges, 2**31 - 1, 12345) if 0 <= n < 2**31]:
        high = factor * number >> 32
        assert high + number < 2**32
        assert (high + number) >> shift == number // length


def test_tiles_fit_short_axes() -> None:
    for size in (1, 2, 4, 8, 16):
        for down in (2, 3, 5, 31, 64, 500):
            for across in (2, 3, 5, 31, 64, 500):
                if down * across < elementwise_plans.LEAST_OF_TILE:
                    continue
                high, wide = tile_of(down, across, size)
                assert high * wide * size <= 2**15
                assert high * wide % 256 == 0
                assert min(high, wide) >= 4
                assert max(high, wide) <= 256
