"""Products that are subtracted in place, as decompositions do: output -= left @ right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from product_values import FLOATS, limited, needs, values

from numr_api._backends.webgpu import product_choices


@pytest.fixture(autouse=True)
def _plans_of_this_test(backend: Any) -> None:
    """What other tests set must not decide how this one's products are computed."""
    backend.products._plans.clear()


@pytest.fixture
def tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles are used for small products too."""
    monkeypatch.setattr(product_choices, "TILED", 1)


@pytest.fixture
def subtract(backend: Any, put: Any, get: Any) -> Callable[..., Any]:
    """Subtract a product of parts of an array from another part; all else must stay."""

    def run(whole: Any, output: Any, left: Any, right: Any, arrange: Any = lambda x: x) -> None:
        array = put(whole)
        parts = [arrange(array)[key]._data for key in (output, left, right)]
        version = array._data.block.version
        backend.products.subtract(*parts)
        assert array._data.block.version > version or parts[0].size == 0 or not parts[1].shape[-1]
        found = get(array)
        wide = np.asarray(whole, "complex128" if whole.dtype.kind == "c" else "float64")
        sizes, allowed = abs(wide), np.zeros(wide.shape)
        host, sizes, errors = arrange(wide), arrange(sizes), arrange(allowed)
        errors[output] = sizes[output] + np.matmul(sizes[left], sizes[right])
        host[output] -= np.matmul(host[left], host[right])
        allowed *= 3 * float(np.finfo(whole.dtype).eps)
        assert np.all(abs(found - wide) <= allowed)  # and so the same where nothing is allowed

    return run


def corners(start: int, inner: int, stop: int | None = None) -> tuple[Any, Any, Any]:
    """Keys of a trailing part of a matrix and of what is left of and above it."""
    rest, before = slice(start, stop), slice(start - inner, start)
    return (..., rest, rest), (..., rest, before), (..., before, rest)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("inner", [1, 8, 32, 33])
def test_subtract_in_one_matrix(backend: Any, subtract: Any, dtype: str, inner: int) -> None:
    needs(backend, dtype)
    subtract(values((60, 60), dtype), *corners(inner, inner))
    subtract(values((2, 60, 60), dtype), *corners(inner + 2, inner, 57))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("start", [32, 33])
def test_subtract_in_tiles(
    backend: Any, subtract: Any, tiles: None, dtype: str, start: int
) -> None:
    needs(backend, dtype)
    subtract(values((start + 44, start + 44), dtype), *corners(start, 32))


SUBTRACTED: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda x: x.mT,
    "reversed": lambda x: x[..., ::-1, ::-1],
    "every other": lambda x: x[..., ::2, ::2],
    "transposed, offset": lambda x: x[..., 1:, 3:].mT,
}


@pytest.mark.parametrize("tiled", [False, True])
@pytest.mark.parametrize("layout", SUBTRACTED)
def test_subtract_from_views(
    subtract: Any, monkeypatch: pytest.MonkeyPatch, layout: str, tiled: bool
) -> None:
    if tiled:
        monkeypatch.setattr(product_choices, "TILED", 1)
    for shape in ((92, 92), (2, 92, 90)):
        subtract(values(shape, "float32"), *corners(17, 16, 45), SUBTRACTED[layout])


@pytest.fixture
def subtract_apart(backend: Any, put: Any, get: Any) -> Callable[..., Any]:
    """Subtract the product of two arrays from every other column of a third one."""

    def run(dtype: str, *shapes: tuple[int, ...]) -> None:
        c, x, y = (values(shape, dtype) for shape in shapes)
        array = put(np.repeat(c, 2, -1))
        for _ in range(2):  # the second time by a plan
            backend.products.subtract(array[..., ::2]._data, put(x)._data, put(y)._data)
        found = get(array)
        np.testing.assert_array_equal(found[..., 1::2], c)
        wide = "complex128" if c.dtype.kind == "c" else "float64"
        expected = c - 2 * np.matmul(x.astype(wide), y.astype(wide))
        allowed = abs(c) + 2 * np.matmul(abs(x).astype("float64"), abs(y).astype("float64"))
        assert np.all(abs(found[..., ::2] - expected) <= 3 * allowed * np.finfo(c.dtype).eps)

    return run


@pytest.mark.parametrize("dtype", FLOATS)
def test_subtract_long_inner_axis(
    backend: Any, subtract_apart: Any, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs(backend, dtype)
    for rows, columns in ((9, 11), (1, 70), (70, 3), (1, 1)):
        subtract_apart(dtype, (rows, columns), (rows, 2000), (2000, columns))
    monkeypatch.setattr(product_choices, "TILED", 1)
    monkeypatch.setattr(product_choices, "TILED_SLICE", 1 << 20)
    subtract_apart(dtype, (9, 12), (9, 2000), (2000, 12))


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_subtract_in_slices(
    subtract_apart: Any, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 2 * product_choices.SLICE + 17
    for rows, columns in ((1, 1), (2, 5), (5, 1)):
        subtract_apart(dtype, (2, rows, columns), (2, rows, count), (count, columns))
    monkeypatch.setattr(product_choices, "TILED", 1)
    monkeypatch.setattr(product_choices, "TILED_SLICE", 64)
    subtract_apart(dtype, (20, 12), (20, 333), (333, 12))


@pytest.mark.parametrize("tiled", [False, True])
def test_subtract_batches(
    subtract_apart: Any, tiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if tiled:
        monkeypatch.setattr(product_choices, "TILED", 1)
    for left, right in (
        ((3, 1, 12, 16), (2, 16, 13)),
        ((3, 2, 12, 16), (16, 13)),
        ((12, 16), (3, 1, 16, 13)),
        ((3, 2, 12, 16), (3, 2, 16, 13)),
    ):
        subtract_apart("float32", (3, 2, 12, 13), left, right)


def test_subtract_few_rows_or_columns(subtract: Any) -> None:
    whole = values((180, 360), "float32")
    for rows, columns in ((180, 1), (1, 180), (1, 3), (180, 3)):
        beside = np.s_[:rows, 180 : 180 + columns]
        subtract(whole, beside, np.s_[:rows, :177], np.s_[3:, :columns])
    subtract(whole.T.copy(), np.s_[:180, :5], np.s_[:180, 5:177], np.s_[180:352, :5])


@pytest.mark.parametrize(
    ("shape", "inner"), [((4, 5), 0), ((0, 5), 3), ((4, 0), 3), ((0, 4, 5), 3)]
)
def test_subtract_nothing(backend: Any, put: Any, get: Any, shape: Any, inner: int) -> None:
    c = values(shape, "float32")
    x, y = values((*shape[:-1], inner), "float32"), values((inner, shape[-1]), "float32")
    array = put(c)
    backend.products.subtract(array._data, put(x)._data, put(y)._data)
    np.testing.assert_array_equal(get(array), c)


def test_subtract_with_small_bindings(backend: Any) -> None:
    small = limited(backend, 1 << 19)
    for left, right in (
        ((2, 340, 400), (2, 400, 340)),
        ((700, 1), (1, 700)),
        ((2, 60_000), (60_000, 2)),
    ):
        x, y = values(left, "float32"), values(right, "float32")
        c = values((*left[:-1], right[-1]), "float32")
        output, *operands = (small.from_host(each, None) for each in (c, x, y))
        small.products.subtract(output, *operands)
        output.mirror = None
        np.testing.assert_allclose(
            small.to_host(output), c - x.astype("float64") @ y, rtol=0, atol=1e-3
        )


def test_elimination_in_blocks_compiles_few_kernels(backend: Any, put: Any, get: Any) -> None:
    """What a blocked LU decomposition subtracts: shapes differ each time."""
    programs = backend.products._programs
    for dtype in ("float32", "complex64"):
        programs.clear()
        whole = values((200, 200), dtype) / 100
        array, expected = put(whole), np.asarray(whole, "complex128")
        for j in range(16, 200, 16):
            output, left, right = corners(j, 16)
            backend.products.subtract(*(array[key]._data for key in (output, left, right)))
            expected[output] -= expected[left] @ expected[right]
        assert np.all(abs(get(array) - expected) <= 1e-6 * abs(expected).max())
        assert len(programs) <= 2
