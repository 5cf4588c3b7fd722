"""Running sums and products by the cuda device's kernels, compiled for the host."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from host_kernels import COMPILER, HostLibrary, on_host, twice

from numr_api._backends.cuda import scans
from numr_api._backends.cuda.copies import Copies
from numr_api._backends.cuda.scans import Scans, pieces_of, rounds_of, slice_for
from numr_api._dtypes import BY_NAME

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")

Make = Callable[[], Any]

# Where few rows are long, columns few and arrays large is moved down for the host: tiles are 6144
# float32, and 12288 from 1 MiB on.
SMALL = {
    "SHORT_ROW": 256, "LARGE": 2**20, "MANY_ROWS": 20, "MANY_COLUMNS": 200, "THREADS_WANTED": 300,
}  # fmt: skip


def ones_and_twos(*shape: int, dtype: str = "int64", operation: str = "sum") -> Any:
    """Numbers whose sums and products are exact."""
    count = int(np.prod(shape))
    numbers = np.arange(count) * 7919 % 11 - 5
    if operation == "prod":
        numbers = np.where(np.arange(count) % 3 == 0, -1, 1)
    if dtype.startswith("u"):
        numbers = np.abs(numbers)
    values = numbers.astype(dtype)
    if dtype.startswith("c"):
        values = values * (1 if operation == "prod" else 1 + 2j)
    return values.astype(dtype).reshape(shape)


def case(axis: int, *shape: int, view: Callable[[Any], Any] = lambda x: x, at: int = 0,
         dtype: str = "float32", operation: str = "sum") -> tuple[str, int, Make]:  # fmt: skip
    def make() -> Any:
        return view(on_host(ones_and_twos(*shape, dtype=dtype, operation=operation), at))

    return f"cumulative_{operation}", axis, make


TILE = 6144
CASES: dict[str, tuple[str, int, Make]] = {
    **{f"{n} in a row": case(0, n) for n in (0, 1, 8, 9, 17, 65, TILE, TILE + 1)},
    **{f"{n} tiles": case(0, n * TILE - 5) for n in (2, 33)},
    "two rows of tiles": case(1, 2, 2 * TILE + 4),
    "two uneven rows of tiles": case(1, 2, TILE + 3),
    **{f"rows of {n}": case(1, 21, n) for n in (9, 12, 20, 40, 129, 512, 600)},
    "rows of one": case(1, 5, 1),
    "short rows": case(1, 300, 3),
    "columns": case(0, 50, 30),
    "columns of one": case(0, 1, 30),
    "columns in pieces": case(0, 200, 3),
    "columns in uneven pieces": case(0, 331, 7),
    "pieces of pieces": case(0, 9000, 1, 2),
    "columns in the middle": case(1, 3, 70, 5),
    "many columns in the middle": case(1, 9, 70, 30),
    "large tiles": case(0, 2**18 + 5),
    "large tiles of int64": case(0, 2**17 + 3, dtype="int64"),
    "large tiles of complex128": case(0, 2**16 + 1, dtype="complex128"),
    "rows of large tiles": case(1, 2, 2**17 + 4),
    "large tiles, unaligned": case(0, 2**18 + 5, at=4),
    "unaligned": case(0, 2 * TILE, at=4),
    "transposed": case(0, 600, 21, view=lambda x: x.T),
    "transposed, along columns": case(1, 600, 21, view=lambda x: x.T),
    "every other": case(0, 201, view=lambda x: x[::2]),
    "backwards": case(1, 21, 40, view=lambda x: x[:, ::-1]),
    "repeated": case(1, 40, view=lambda x: np.broadcast_to(x, (21, 40), subok=True)),
    "product": case(0, 2 * TILE + 9, operation="prod"),
    "product of columns": case(0, 200, 3, operation="prod"),
    **{
        f"{operation} of {dtype} {name}": case(axis, *shape, dtype=dtype, operation=operation)
        for operation in ("sum", "prod")
        for dtype in ("int8", "uint8", "int16", "int32", "int64", "uint64", "float64", "complex64",
                      "complex128")
        for name, axis, shape in (("in tiles", 0, (13000,)), ("in rows", 1, (21, 70)),
                                  ("in columns", 0, (70, 3)))
    },
}  # fmt: skip


def results(library: HostLibrary) -> dict[str, tuple[Any, Any]]:
    """The data and the result of each case."""
    given: Any = library
    runner = Scans(Copies(given), given)
    found: dict[str, tuple[Any, Any]] = {}
    for name, (operation, axis, make) in CASES.items():
        data = make()
        found[name] = data, runner.scan(operation, data, axis)
    for name, values in SPECIAL.items():
        data = on_host(values)
        found[name] = data, runner.scan(name.partition(" ")[0], data, data.ndim - 1)
    return found


LONG = np.full(9000, -0.0, "float32")
INFINITE = np.ones(3000, "complex64")
INFINITE[0] = complex(np.inf, 1)
SPECIAL: dict[str, Any] = {
    "cumulative_sum of zeros below zero": LONG,
    "cumulative_sum of rows of zeros below zero": LONG.reshape(90, 100),
    "cumulative_sum of columns of zeros below zero": LONG.reshape(-1, 3),
    "cumulative_prod of an infinite number": INFINITE[:1],
    "cumulative_sum of NaN": np.where(np.arange(9000) == 4500, np.nan, 1).astype("float32"),
    "cumulative_prod of zero": np.where(np.arange(9000) == 4500, 0, 1).astype("float32"),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[Any, Any]]]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in SMALL.items():
            patch.setattr(scans, name, value)
        yield twice(tmp_path_factory.mktemp("scans"), results)


@needs_compiler
@pytest.mark.parametrize("name", CASES)
def test_running_results_agree_with_numpy(name: str, found: dict[str, tuple[Any, Any]]) -> None:
    data, result = found[name]
    operation, axis, _ = CASES[name]
    function = np.cumsum if operation.endswith("sum") else np.cumprod
    expected = function(np.asarray(data), axis=axis, dtype=data.dtype)
    assert result.dtype == data.dtype
    assert np.array_equal(np.asarray(result), expected)


@needs_compiler
@pytest.mark.parametrize("name", [name for name in SPECIAL if "zeros below" in name])
def test_zeros_keep_their_sign(name: str, found: dict[str, tuple[Any, Any]]) -> None:
    assert np.signbit(np.asarray(found[name][1])).all()


@needs_compiler
def test_nothing_is_multiplied_before_the_first(found: dict[str, tuple[Any, Any]]) -> None:
    data, result = found["cumulative_prod of an infinite number"]
    assert result[0] == data[0]


@needs_compiler
def test_nan_and_zero_stay_until_the_end(found: dict[str, tuple[Any, Any]]) -> None:
    sums = found["cumulative_sum of NaN"][1]
    assert np.array_equal(np.isnan(sums), np.arange(9000) >= 4500)
    assert np.array_equal(found["cumulative_prod of zero"][1], np.arange(9000) < 4500)


def test_no_piece_is_empty() -> None:
    for columns, length in ((1, 64), (3, 1000), (2**15, 321), (2**17, 10**6), (5, 7)):
        pieces, piece = pieces_of(columns, length)
        assert (pieces - 1) * piece < length <= pieces * piece


def test_tiles_are_larger_where_there_are_many() -> None:
    for name in ("float16", "float32", "int64", "complex128"):
        few, many = (rounds_of(BY_NAME[name], scans.LARGE - less)[0] for less in (1, 0))
        assert many > few


def test_a_part_of_a_warp_goes_along_a_short_row() -> None:
    sizes = (36, 64, 65, 256, 257, 512, 513)
    assert [slice_for(size) for size in sizes] == [
        (4, 1), (4, 1), (8, 1), (16, 1), (32, 1), (32, 1), (32, 4),
    ]  # fmt: skip
