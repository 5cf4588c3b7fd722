"""The Walsh-Hadamard transform, padding and Snake on webgpu."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from numr_api._backends.webgpu.walsh_hadamard import most_tile
from numr_api._dtypes import BY_NAME, DType

Wide = np.longdouble


@pytest.fixture
def launches(backend: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The labels of the kernels that were launched."""
    found: list[str] = []
    dispatch = backend.gpu.dispatch
    monkeypatch.setattr(backend.gpu, "dispatch", lambda program, *rest: (
        found.append(program.label), dispatch(program, *rest)))  # fmt: skip
    return found


def require(backend: Any, dtype: str) -> DType:
    if BY_NAME[dtype] not in backend.dtypes:
        pytest.skip(f"no {dtype}")
    return BY_NAME[dtype]


def turned(backend: Any, x: Any) -> Any:
    """x with its axes in the opposite order in memory."""
    axes = tuple(range(x.ndim))[::-1]
    return backend.permute(backend.from_host(np.ascontiguousarray(x.T), None), axes)


# --- the Walsh-Hadamard transform -----------------------------------------------------------------


def transformed(x: Any, size: int) -> Any:
    y, h = x.astype(Wide).reshape(-1, size), 1
    while h < size:
        y = y.reshape(-1, size // (2 * h), 2, h)
        y = np.stack([y[:, :, 0] + y[:, :, 1], y[:, :, 0] - y[:, :, 1]], axis=2).reshape(-1, size)
        h *= 2
    return (y / np.sqrt(Wide(size))).reshape(x.shape)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [1, 2, 4, 8, 256, 1024, 2048, "most", "2 * most", 1 << 20])
def test_blocks_are_transformed(size: Any, dtype: str, backend: Any, launches: list[str]) -> None:
    most = most_tile(backend, backend.types[require(backend, dtype)])
    size = size if isinstance(size, int) else int(eval(size, {"most": most}))
    rng = np.random.default_rng(size)
    blocks = 1 if size > 1 << 16 else 3
    x = rng.normal(size=(2, blocks * size)).astype(dtype)
    signs = rng.choice([-1.0, 1.0], blocks * size).astype(dtype)
    given, signs_given = backend.from_host(x, None), backend.from_host(signs, None)
    launches.clear()
    found = backend.to_host(backend.routine("fwht", given, block_size=size))
    assert launches == ["fwht"] * (1 if size <= most else 2)
    signed = backend.to_host(backend.routine("fwht", given, signs_given, block_size=size))
    for result, true in ((found, transformed(x, size)), (signed, transformed(x * signs, size))):
        assert np.max(np.abs(result - true)) <= 3 * np.finfo(dtype).eps * np.max(np.abs(true))
    # The same bits of a block alone, and of one that lies otherwise.
    alone = backend.from_host(x[1:, -size:].copy(), None)
    found_alone = backend.to_host(backend.routine("fwht", alone, block_size=size))
    np.testing.assert_array_equal(found_alone, found[1:, -size:])
    other = backend.routine("fwht", turned(backend, x), block_size=size)
    np.testing.assert_array_equal(backend.to_host(other), found)


def test_rows_that_are_not_whole_vectors_and_empty_ones(backend: Any) -> None:
    x = np.random.default_rng(0).normal(size=(5, 6)).astype("float32")
    found = backend.to_host(backend.routine("fwht", backend.from_host(x, None), block_size=2))
    np.testing.assert_allclose(found, transformed(x, 2).astype("float32"), atol=2e-7)
    nothing = backend.from_host(x[:0], None)
    assert backend.to_host(backend.routine("fwht", nothing, block_size=2)).shape == (0, 6)


# --- padding --------------------------------------------------------------------------------------

PADDED = [
    ((5,), ((2, 3),)),
    ((3, 4, 5), ((1, 2), (0, 0), (4, 2))),
    ((2, 3, 4), ((1, 1), (2, 1), (0, 0))),
    ((1, 6), ((0, 0), (3, 5))),
    ((7, 2, 3), ((0, 0), (0, 0), (0, 2))),
]
MODES = ("constant", "reflect", "edge", "symmetric", "wrap")


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "float32", "int64", "uint64", "float64",
              "complex64", "complex128"])  # fmt: skip
def test_padding(dtype: str, backend: Any, launches: list[str]) -> None:
    require(backend, dtype)
    for shape, widths in PADDED:
        x = np.random.default_rng(0).integers(0, 99, shape).astype(dtype)
        for mode in MODES:
            constant = {"constant_values": 3} if mode == "constant" else {}
            expected = np.pad(x, widths, mode=mode, **constant)  # type: ignore[call-overload]
            value = bool(3) if dtype == "bool" else 3
            for given in (backend.from_host(x, None), turned(backend, x)):
                launches.clear()
                found = backend.routine("pad", given, widths=widths, mode=mode, value=value)
                assert launches == ["pad"]
                np.testing.assert_array_equal(backend.to_host(found), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_of_padding(dtype: str, backend: Any, launches: list[str]) -> None:
    require(backend, dtype)
    for shape, widths in PADDED:
        numbers = np.arange(np.prod(shape)).reshape(shape)
        for mode in MODES:
            constant = {"constant_values": -1} if mode == "constant" else {}
            sources = np.pad(numbers, widths, mode=mode, **constant)  # type: ignore[call-overload]
            gradient = np.random.default_rng(0).normal(size=sources.shape).astype(dtype)
            expected = np.zeros(numbers.size + 1, Wide)
            np.add.at(expected, sources.reshape(-1), gradient.reshape(-1).astype(Wide))
            for given in (backend.from_host(gradient, None), turned(backend, gradient)):
                launches.clear()
                found = backend.to_host(
                    backend.routine("pad_backward", given, widths=widths, mode=mode, shape=shape)
                )
                assert len(launches) == 1
                true = expected[:-1].reshape(shape)
                eps = np.finfo(dtype).eps
                np.testing.assert_allclose(found, true.astype(dtype), rtol=eps, atol=eps / 1e6)


def test_padding_crops_and_fills(backend: Any) -> None:
    x = backend.from_host(np.arange(6, dtype="float32").reshape(2, 3), None)
    found = backend.routine("pad", x, widths=((-1, 1), (1, -1)), mode="constant", value=9.0)
    assert backend.to_host(found).tolist() == [[9, 3, 4], [9, 9, 9]]
    nothing = backend.from_host(np.ones((0, 2), "int8"), None)
    found = backend.routine("pad", nothing, widths=((1, 1), (0, 1)), mode="constant", value=7)
    assert backend.to_host(found).tolist() == [[7] * 3] * 2


# --- Snake ----------------------------------------------------------------------------------------

SNAKES = [((2, 3, 5), 1), ((2, 3, 64), 1), ((7, 4), 1), ((300, 70), 1), ((5,), 0),
          ((3, 1, 4000), 1), ((5, 37), 0), ((0, 3, 2), 1)]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("shape", "axis"), SNAKES)
def test_snake_and_its_gradients(
    shape: tuple[int, ...], axis: int, dtype: str, backend: Any, launches: list[str]
) -> None:
    require(backend, dtype)
    rng = np.random.default_rng(1)
    channels, eps = shape[axis], 1e-3
    x, gradient = ((rng.normal(size=shape) * size).astype(dtype) for size in (5, 1))
    alpha, beta = (rng.uniform(0.5, most, channels).astype(dtype) for most in (60, 2))
    along = [1] * len(shape)
    along[axis] = channels
    wide = [y.astype(Wide) for y in (gradient, x, alpha.reshape(along), beta.reshape(along))]
    g, w, a, b = wide
    b = b + Wide(np.asarray(eps, dtype))
    others = tuple(i for i in range(len(shape)) if i != axis)
    slopes, squares = np.sin(2 * a * w) / b, np.sin(a * w) ** 2 / b
    true = [w + squares, g * (1 + a * slopes), (g * w * slopes).sum(axis=others),
            -(g * squares / b).sum(axis=others)]  # fmt: skip
    size = [np.abs(w) + squares, np.abs(g) * (1 + a), (np.abs(g * w) / b).sum(axis=others),
            (np.abs(g) / b**2).sum(axis=others)]  # fmt: skip
    given = [backend.from_host(y, None) for y in (gradient, x, alpha, beta)]
    launches.clear()
    value = backend.routine("snake_beta", *given[1:], axis=axis, eps=eps)
    results = backend.routine("snake_beta_backward", *given, axis=axis, eps=eps)
    if x.size:
        assert launches == ["snake_beta", "snake_beta_backward"]
    found = [backend.to_host(y) for y in (value, *results)]
    for result, truth, scale in zip(found, true, size, strict=True):
        bound = 2.5 * np.finfo(dtype).eps * np.maximum(np.abs(truth), scale)
        assert np.all(np.abs(result - truth) <= bound)
    layouts = [turned(backend, y) for y in (gradient, x)]
    again = backend.routine("snake_beta_backward", *layouts, *given[2:], axis=axis, eps=eps)
    for result, other in zip(found[1:], again, strict=True):
        np.testing.assert_array_equal(backend.to_host(other), result)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_snake_at_huge_angles(dtype: str, backend: Any) -> None:
    require(backend, dtype)
    x = np.linspace(1, 2, 50).astype(dtype)
    for size in (1e3, 1e7, 1e12, 1e25):
        alpha = np.asarray([size * 1.1], dtype)
        with mpmath.workprec(400):
            angles = [mpmath.mpf(float(a)) * mpmath.mpf(float(alpha[0])) for a in x]
            true = [
                float(mpmath.mpf(float(a)) + mpmath.sin(b) ** 2)
                for a, b in zip(x, angles, strict=True)
            ]
        given = [backend.from_host(y, None) for y in (x[None], alpha, np.ones(1, dtype))]
        found = backend.to_host(backend.routine("snake_beta", *given, axis=0, eps=0.0))
        np.testing.assert_allclose(found[0], true, rtol=2 * np.finfo(dtype).eps)
