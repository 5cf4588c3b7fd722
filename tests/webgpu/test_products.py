"""matmul and what is built of it on webgpu: each kernel, dtype, layout and kind of shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from product_values import FLOATS, INTEGERS, assert_product, limited, needs, values

import numr_api as xp
from numr_api._backends.webgpu import product_choices
from numr_api._backends.webgpu.product_tiles import Tile
from numr_api._backends.webgpu.products import Products


@pytest.fixture
def multiply(put: Callable[[Any], Any], get: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda x, y: get(xp.matmul(put(x), put(y)))


@pytest.fixture(autouse=True)
def _plans_of_this_test(backend: Any) -> None:
    """What other tests set must not decide how this one's products are computed."""
    backend.products._plans.clear()


@pytest.fixture
def tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles are used for small products too."""
    monkeypatch.setattr(product_choices, "TILED", 1)


SMALL = [
    ((3, 4), (4, 5)),
    ((1, 1), (1, 1)),
    ((7,), (7,)),
    ((5,), (5, 3)),
    ((2, 5), (5,)),
    ((2, 1, 3, 4), (3, 4, 2)),
    ((6, 1, 5), (5, 4)),
    ((300, 2), (2, 300)),
]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_small_products(backend: Any, multiply: Any, dtype: str) -> None:
    needs(backend, dtype)
    for left, right in SMALL:
        x, y = values(left, dtype), values(right, dtype)
        assert_product(multiply(x, y), x, y)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_long_inner_axis(backend: Any, multiply: Any, dtype: str) -> None:
    needs(backend, dtype)
    for left, right in [((3, 203), (203,)), ((203,), (203, 70)), ((2, 1, 203), (2, 203, 3))]:
        x, y = values(left, dtype), values(right, dtype)
        assert_product(multiply(x, y), x, y)


@pytest.mark.parametrize("dtype", ["int16", "int64", "float32", "complex64"])
def test_inner_axis_in_slices(backend: Any, multiply: Any, dtype: str) -> None:
    count = 3 * product_choices.SLICE + 17
    for left, right in [((count,), (count,)), ((2, count), (count, 3)), ((count,), (count, 5))]:
        x, y = values(left, dtype), values(right, dtype)
        assert_product(multiply(x, y), x, y)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_tiles(backend: Any, multiply: Any, tiles: None, dtype: str) -> None:
    needs(backend, dtype)
    x, y = values((37, 41), dtype), values((41, 67), dtype)
    assert_product(multiply(x, y), x, y)


@pytest.mark.parametrize("size", [128, 64, 32])
def test_each_size_of_tile(
    backend: Any, multiply: Any, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(product_choices, "TILED", 1)
    monkeypatch.setattr(product_choices, "BUSY_TILES", 1)
    used: list[int] = []
    tiled = Products._tiled
    monkeypatch.setattr(Products, "_tiled", lambda self, product, tile, places: (
        used.append(tile.rows), tiled(self, product, tile, places))[1])  # fmt: skip
    rows = size - 8
    x, y = values((rows, 40), "float32"), values((40, size + 4), "float32")
    assert_product(multiply(x, y), x, y)
    assert used == [size]


def test_tiles_in_slices(backend: Any, multiply: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product_choices, "TILED", 1)
    monkeypatch.setattr(product_choices, "TILED_SLICE", 64)
    for dtype in ("float32", "int8"):
        x, y = values((2, 20, 333), dtype), values((333, 12), dtype)
        assert_product(multiply(x, y), x, y)


def test_many_blocks_of_the_inner_axis(backend: Any, multiply: Any, tiles: None,
                                       monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setattr(product_choices, "TILED_SLICE", 1 << 20)
    for columns in (12, 11):  # stored as vectors, and one by one
        x, y = values((9, 2500), "float32"), values((2500, columns), "float32")
        assert_product(multiply(x, y), x, y)


def test_positive_sums_do_not_drift(backend: Any, multiply: Any, tiles: None,
                                    monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    x, y = (abs(values(shape, "float32")) for shape in ((9, 40000), (40000, 9)))
    assert_product(multiply(x, y), x, y)
    assert_product(multiply(x[0], y[:, 0]), x[0], y[:, 0])
    backend.products._plans.clear()
    monkeypatch.setattr(product_choices, "TILED_SLICE", 1 << 20)
    assert_product(multiply(x, y), x, y, roundings=10)


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda x: xp.matrix_transpose(x),
    "reversed": lambda x: x[..., ::-1, ::-1],
    "every other": lambda x: x[..., ::2, ::2],
    "offset": lambda x: x[..., 1:, 1:],
    "aligned part": lambda x: x[..., 4:40, 8:40],
    "reversed and transposed": lambda x: xp.matrix_transpose(x[..., ::-1, :]),
}


@pytest.mark.parametrize(
    ("layout", "tiled"),
    [
        *((layout, False) for layout in LAYOUTS),
        *((layout, True) for layout in ("transposed", "reversed", "offset", "aligned part")),
    ],
)
def test_layouts(
    backend: Any, put: Any, get: Any, monkeypatch: pytest.MonkeyPatch, layout: str, tiled: bool
) -> None:
    if tiled:
        monkeypatch.setattr(product_choices, "TILED", 1)
    host = values((48, 48), "float32")
    arranged = LAYOUTS[layout](put(host))
    x = get(arranged)
    other = values((x.shape[1], 44), "float32")
    assert_product(get(arranged @ put(other)), x, other)
    other = values((44, x.shape[0]), "float32")
    assert_product(get(put(other) @ arranged), other, x)
    if tiled:
        return
    assert_product(get(arranged @ xp.matrix_transpose(arranged)), x, x.T)
    vector = values((x.shape[1],), "float32")
    assert_product(get(arranged @ put(vector)[::-1]), x, vector[::-1])


@pytest.mark.parametrize("tiled", [False, True])
def test_batches(
    backend: Any, put: Any, get: Any, monkeypatch: pytest.MonkeyPatch, tiled: bool
) -> None:
    if tiled:
        monkeypatch.setattr(product_choices, "TILED", 1)
    shapes = [((2, 1, 12, 16), (1, 3, 16, 12)), ((3, 12, 16), (16, 12)),
              ((16, 12), (5, 12, 9)), ((2, 3, 9, 9), (2, 3, 9, 9))]  # fmt: skip
    for left, right in shapes[: 2 if tiled else 4]:
        x, y = values(left, "int32"), values(right, "int32")
        assert_product(get(put(x) @ put(y)), x, y)
    x, y = values((4, 3, 12, 16), "int32"), values((3, 4, 16, 12), "int32")
    found = put(x)[::-1, ...] @ xp.permute_dims(put(y), (1, 0, 2, 3))
    assert_product(get(found), x[::-1], y.transpose(1, 0, 2, 3))
    repeated = xp.broadcast_to(put(x)[0, 0, ...], (2, 3, 12, 16))
    assert_product(get(repeated @ put(y)[0, 0, ...]), x[:1, :1].repeat(2, 0).repeat(3, 1), y[0, 0])


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "complex64"])
def test_empty_axes(backend: Any, multiply: Any, dtype: str) -> None:
    for left, right in [((3, 0), (0, 4)), ((0,), (0,)), ((0, 3), (3, 2)), ((2, 0, 3), (3, 1)),
                        ((0, 2, 3), (3, 4))]:  # fmt: skip
        x, y = values(left, dtype), values(right, dtype)
        assert_product(multiply(x, y), x, y)


def test_infinity_and_nan_stay_in_their_rows(backend: Any, multiply: Any, tiles: None) -> None:
    x, y = np.ones((40, 19), "float32"), np.ones((19, 40), "float32")
    x[1, 18], x[2, 3], y[5, 7] = np.inf, np.nan, -np.inf
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(multiply(x, y), x @ y)
        np.testing.assert_array_equal(multiply(x[:, :3], y[:3, :3]), x[:, :3] @ y[:3, :3])
        x, y = np.ones(401, "float32"), np.ones(401, "float32")
        y[400] = np.inf
        assert multiply(x, y) == np.inf


def test_more_workgroups_than_an_axis_of_the_grid_has(backend: Any, multiply: Any) -> None:
    x, y = values((4100, 1), "uint8"), values((1, 4100), "uint8")
    assert_product(multiply(x, y), x, y)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((2, 340, 400), (2, 400, 340)),  # batch, rows and columns, and the inner axis in parts
        ((520, 400), (400, 1)),
        ((300_000,), (300_000,)),
        ((700, 1), (1, 700)),
    ],
)
def test_arrays_larger_than_a_binding(
    backend: Any, monkeypatch: pytest.MonkeyPatch, left: Any, right: Any
) -> None:
    most = 1 << 19
    small = limited(backend, most)
    x, y = values(left, "int32"), values(right, "int32")
    sizes: list[int] = []
    dispatch = small.gpu.dispatch
    monkeypatch.setattr(small.gpu, "dispatch", lambda program, bindings, words, count: (
        sizes.extend(each.size for each in bindings), dispatch(program, bindings, words, count)
    ))  # fmt: skip
    operands = small.from_host(x, None), small.from_host(y, None)
    assert_product(small.to_host(small.matmul(*operands)), x, y)
    assert max(sizes) <= most


def test_same_bits_again_and_wherever_operands_lie(backend: Any, put: Any, get: Any) -> None:
    for rows, inner, columns in ((3, 1000, 2), (150, 130, 150)):
        x, y = values((rows, inner), "float32"), values((inner, columns), "float32")
        expected = get(put(x) @ put(y))
        assert np.array_equal(expected, get(put(x) @ put(y)))
        shifted = put(np.concatenate([np.zeros(3, "float32"), x.ravel()]))[3:]
        shifted = xp.reshape(shifted, (rows, inner))
        assert np.array_equal(expected, get(shifted @ put(y)))


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_functions_built_of_products(backend: Any, put: Any, get: Any, dtype: str) -> None:
    needs(backend, dtype)
    x, y = values((2, 3, 4), dtype), values((3, 4, 5), dtype)
    found = get(xp.tensordot(put(x), put(y), axes=2))
    assert_product(found, x.reshape(2, 12), y.reshape(12, 5))
    found = get(xp.tensordot(put(x), put(x), axes=((0, 2), (0, 2))))
    flat = x.transpose(1, 0, 2).reshape(3, 8)
    assert_product(found, flat, flat.T)
    found = get(xp.vecdot(put(x), put(x[:1])))
    assert_product(found[..., None, None], x.conj()[..., None, :], x[:1][..., None])
    found = get(xp.vecdot(put(x), put(x), axis=0))
    moved = np.moveaxis(x, 0, -1)
    assert_product(found[..., None, None], moved.conj()[..., None, :], moved[..., None])
    found = get(xp.linalg.outer(put(x[0, 0]), put(y[0, 0])))
    assert_product(found, x[0, 0][:, None], y[0, 0][None])


def test_plans_are_for_layouts_and_not_for_arrays(backend: Any, put: Any, get: Any) -> None:
    for shape in ((5, 5), (12, 12)):
        x, y = values(shape, "int32"), values(shape, "int32")
        first, second = put(x), put(y)
        assert_product(get(first @ first), x, x)
        assert_product(get(first @ second), x, y)
        assert_product(get(second @ first), y, x)
        assert_product(get(xp.matrix_transpose(first) @ second), x.T, y)
        assert_product(get(first[0, :] @ second), x[0], y)
        assert_product(get(second[1, :] @ first), y[1], x)
        assert_product(get(first[:, 1] @ second), x[:, 1], y)


def test_plans_of_slices(backend: Any, put: Any, get: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product_choices, "TILED", 1)
    monkeypatch.setattr(product_choices, "TILED_SLICE", 64)
    used = backend.gpu.memory.current().used
    for _ in range(3):
        x, y = values((20, 333), "float32"), values((333, 12), "float32")
        first, second = put(x), put(y)
        for _ in range(2):
            assert_product(get(first @ second), x, y)
        assert_product(get(xp.matrix_transpose(second) @ xp.matrix_transpose(first)), y.T, x.T)
    assert len(backend.products._plans) == 2
    assert all(len(plan.steps) == 2 for plan in backend.products._plans.values())
    del first, second
    assert backend.gpu.memory.current().used == used  # plans keep no arrays


@pytest.mark.parametrize(
    "tile",
    [
        Tile(32, 16, 1, 1, 8, 2),  # some threads load nothing
        Tile(64, 16, 2, 1, 16, 1),  # all of them load of the left operand twice
        Tile(32, 64, 2, 2, 8, 1),  # half of them load of both operands, the others of one
    ],
)
def test_tiles_of_any_shape(
    backend: Any, put: Any, get: Any, tiles: None, monkeypatch: pytest.MonkeyPatch, tile: Any
) -> None:
    monkeypatch.setattr(backend.products, "_tiles", lambda product: (tile,))
    dtype = "int64" if tile.rows == 32 == 2 * tile.columns else "float32"
    for rows, inner, columns in ((69, 37, 45), (68, 36, 44), (64, 64, 32)):
        x, y = values((rows, inner), dtype), values((inner, columns), dtype)
        assert_product(get(put(x) @ put(y)), x, y)
    turned = [xp.matrix_transpose(put(np.ascontiguousarray(z.T))) for z in (x, y)]
    assert_product(get(turned[0] @ turned[1]), x, y)


@pytest.mark.parametrize(
    ("rows", "columns", "shape"),
    [(90, 90, (64, 64)), (90, 5, (64, 8)), (90, 16, (64, 16)), (12, 90, (16, 64)),
     (5, 90, (64, 8)), (28, 90, (32, 32))],
)  # fmt: skip
def test_choice_of_a_tile(
    backend: Any, put: Any, get: Any, tiles: None, monkeypatch: pytest.MonkeyPatch,
    rows: int, columns: int, shape: tuple[int, int],
) -> None:  # fmt: skip
    monkeypatch.setattr(product_choices, "BUSY_TILES", 1)
    monkeypatch.setattr(backend.products, "_storage", 16384)
    monkeypatch.setattr(backend.products, "_allowed", {})
    used: list[tuple[int, int]] = []
    tiled = Products._tiled
    monkeypatch.setattr(Products, "_tiled", lambda self, product, tile, places: (
        used.append((tile.rows, tile.columns)), tiled(self, product, tile, places))[1])  # fmt: skip
    x, y = values((rows, 36), "complex64"), values((36, columns), "complex64")
    assert_product(get(put(x) @ put(y)), x, y)
    assert used == [shape]


def test_result_does_not_share_memory_with_operands(backend: Any, put: Any, get: Any) -> None:
    x = values((4, 4), "float32")
    array = put(x)
    array @= array
    assert_product(get(array), x, x)
