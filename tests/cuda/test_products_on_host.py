"""Products of a few rows with a matrix by the cuda device's kernels, without a GPU."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from host_kernels import COMPILER, HostLibrary, on_host, twice

from numr_api._backends.cuda import products as module
from numr_api._backends.cuda.products import FewRows, catalogue, product_of

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")

DTYPES = ("float32", "float64")


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels are taken also where cuBLAS is faster."""
    monkeypatch.setattr(module, "is_better", lambda *_: True)


def numbers(shape: tuple[int, ...], dtype: str, alignment: int = 0) -> Any:
    rng = np.random.default_rng(sum(shape))
    return on_host(rng.integers(-8, 9, shape).astype(dtype), alignment)  # whose sums are exact


def products(pairs: list[tuple[Any, Any]], folder: Path) -> list[Any]:
    """Of operands by the kernels; None where they do not take a product."""

    def run(library: HostLibrary) -> list[Any]:
        few_rows = FewRows(library)  # type: ignore[arg-type]
        return [few_rows(x1, x2) for x1, x2 in pairs]

    return twice(folder, run)


def assert_right(pairs: list[tuple[Any, Any]], folder: Path) -> None:
    for (x1, x2), found in zip(pairs, products(pairs, folder), strict=True):
        expected = np.asarray(x1) @ np.asarray(x2)
        assert found is not None, (x1.shape, x2.shape)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_array_equal(np.asarray(found), expected, str((x1.shape, x2.strides)))


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_few_rows_by_a_matrix_of_contiguous_columns(dtype: str, tmp_path: Path) -> None:
    sizes = itertools.product((1, 2, 3, 8), (1, 132, 600), (1, 34))
    pairs = [(numbers((m, k), dtype), numbers((n, k), dtype).T) for m, k, n in sizes]
    assert_right(pairs, tmp_path)


@pytest.mark.usefixtures("always")
def test_a_few_rows_by_a_matrix_of_contiguous_rows(tmp_path: Path) -> None:
    sizes = itertools.product((1, 3, 16), (5, 128, 270), (33, 64))
    pairs = [(numbers((m, k), "float32"), numbers((k, n), "float32")) for m, k, n in sizes]
    assert_right(pairs, tmp_path)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("dtype", DTYPES)
def test_vectors_with_matrices(dtype: str, tmp_path: Path) -> None:
    m, k = 40, 68
    vector, matrix = numbers((k,), dtype), numbers((m, k), dtype)
    columns = numbers((k, m), dtype).T
    pairs = [(vector, matrix.T), (vector, columns.T)]
    pairs += [(matrix, vector), (columns, vector)]
    pairs += [(matrix, vector[:, None]), (columns, vector[:, None])]
    assert_right(pairs, tmp_path)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("dtype", DTYPES)
def test_parts_of_arrays_that_are_not_aligned(dtype: str, tmp_path: Path) -> None:
    x, w = numbers((8, 30), dtype), numbers((60, 50), dtype)
    apart = numbers((3, 16), dtype, alignment=8), numbers((16, 32), dtype, alignment=8)
    pairs = [
        (x[2:5, 1:21], w[3:53, 2:22].T),
        (x[2:5, 4:24], w[4:24, 4:44]),
        (x[5:2:-1, 1:21], w[53:3:-1, 2:22].T),  # rows backwards
        (x[:1, :20], w[:20, 1:31]),
        apart,
    ]
    assert_right(pairs, tmp_path)


@pytest.mark.usefixtures("always")
def test_nothing_is_written_beyond_the_result(tmp_path: Path) -> None:
    whole: list[Any] = []

    def longer(self: HostLibrary, shape: tuple[int, ...], dtype: Any) -> Any:
        whole.append(on_host(np.full((2 * shape[0], shape[1]), 77, dtype)))
        return whole[-1][: shape[0]]

    x, w = numbers((3, 64), "float32"), numbers((64, 33), "float32")
    pairs = [(x, w), (x, numbers((33, 64), "float32").T)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HostLibrary, "empty", longer)
        assert_right(pairs, tmp_path)
    assert all(np.all(array[3:] == 77) for array in whole)


@pytest.mark.usefixtures("always")
def test_one_row_may_be_repeated(tmp_path: Path) -> None:
    row = numbers((1, 64), "float32")
    repeated = np.lib.stride_tricks.as_strided(row, (4, 64), (0, 4), subok=True)
    assert_right([(repeated, numbers((64, 36), "float32"))], tmp_path)


@pytest.mark.usefixtures("always")
def test_not_a_number_and_infinity_reach_their_rows_only(tmp_path: Path) -> None:
    x, w = np.ones((3, 8), "float32"), np.ones((8, 40), "float32")
    x[1, 3], x[2, 0] = np.nan, np.inf
    assert_right([(on_host(x), on_host(w)), (on_host(x), on_host(w.T.copy()).T)], tmp_path)


@pytest.mark.parametrize(
    ("x1", "x2"),
    [
        pytest.param((17, 64), (64, 64), id="many rows"),
        pytest.param((2, 3, 8), (8, 64), id="a stack"),
        pytest.param((8,), (8,), id="two vectors"),
        pytest.param((2, 3000), (3000, 4), id="long sums for few threads"),
        pytest.param((8,), (8, 64), id="a vector"),
        pytest.param((4, 0), (0, 5), id="empty"),
    ],
)
def test_other_products_are_left_to_the_library(
    x1: tuple[int, ...], x2: tuple[int, ...], tmp_path: Path
) -> None:
    few_rows = FewRows(HostLibrary())  # type: ignore[arg-type]
    assert few_rows(numbers(x1, "float32"), numbers(x2, "float32")) is None


def test_other_dtypes_and_steps_are_left_to_the_library() -> None:
    few_rows = FewRows(HostLibrary())  # type: ignore[arg-type]
    x, w = numbers((4, 32), "int64"), numbers((32, 32), "int64")
    assert few_rows(x, w) is None
    x, w = numbers((4, 64), "float32"), numbers((64, 64), "float32")
    assert few_rows(x[:, ::2], w[:32]) is None
    assert few_rows(x[:, :32], w[::2, ::2]) is None
    assert product_of(x[:, :32], w[::2]) is not None


@pytest.mark.parametrize("dtype", DTYPES)
def test_transposed_matrices_are_taken(dtype: str, tmp_path: Path) -> None:
    assert_right([(numbers((4, 64), dtype), numbers((64, 64), dtype).T)], tmp_path)


def test_kernels_that_are_built_ahead_have_names_of_their_own() -> None:
    names = [source.name for source in catalogue()]
    assert len(set(names)) == len(names) > 0
