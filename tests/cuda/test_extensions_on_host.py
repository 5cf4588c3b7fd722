"""The cuda device's kernels for functions beyond the standard, without a GPU."""

from __future__ import annotations

import itertools
import math
from functools import partial
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from host_kernels import COMPILER, HostFunction, HostLibrary, on_host, twice

from numr_api._backends.cuda.activations import GATES
from numr_api._backends.cuda.copies import Copies
from numr_api._backends.cuda.elementwise import find_kernel
from numr_api._backends.cuda.padding import Padding
from numr_api._backends.cuda.paired import PairedKernel
from numr_api._backends.cuda.row_functions import RowFunctions
from numr_api._backends.cuda.snake import Snake
from numr_api._backends.cuda.walsh_hadamard import WalshHadamard
from numr_api._dtypes import BY_NAME

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")

FLOATS = ("float32", "float64")

SCALE = 2 * np.sqrt(2 / np.longdouble("3.14159265358979323846"))


def normal(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    return on_host(np.random.default_rng(seed).normal(size=shape).astype(dtype))


def wide(x: Any) -> Any:
    return np.asarray(x).astype("longdouble")


def sigmoid(x: Any) -> Any:
    return np.where(x > 0, 1 / (1 + np.exp(-abs(x))), np.exp(-abs(x)) / (1 + np.exp(-abs(x))))


def chance(x: Any) -> Any:
    """That a normal variate is less."""
    with mpmath.workprec(100):
        found = [mpmath.ncdf(float(v)) for v in x.reshape(-1)]
        parts = [(float(v), float(v - float(v))) for v in found]
    return np.asarray(parts, "longdouble").sum(1).reshape(x.shape)


EXACT: dict[str, Any] = {
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": sigmoid,
    "silu": lambda x: x * sigmoid(x),
    "softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-abs(x))),
    "gelu_tanh": lambda x: x * sigmoid(SCALE * (x + np.longdouble("0.044715") * x**3)),
    "gelu_erf": lambda x: x * chance(x),
    "leaky_relu": lambda x: np.where(x >= 0, x, 0.1 * x),
    "elu": lambda x: np.where(x > 0, x, 0.5 * np.expm1(x)),
}
OPTIONS = {"leaky_relu": 0.1, "elu": 0.5}


@pytest.mark.parametrize("name", FLOATS)
def test_activations_are_accurate(name: str, tmp_path: Path) -> None:
    far = 85 if name == "float32" else 700
    x = np.concatenate([np.linspace(-12, 12, 4001), np.linspace(-far, far, 999)])
    x = on_host(x.astype(name))

    def run(library: HostLibrary) -> dict[str, Any]:
        dtype = BY_NAME[name]
        found = {}
        for function in EXACT:
            option = [OPTIONS[function]] if function in OPTIONS else []
            operands = (dtype, *(float for _ in option))
            kernel = find_kernel(function, operands, dtype, dtype, library)  # type: ignore[arg-type]
            found[function] = kernel(x, *option)
        return found

    for function, found in twice(tmp_path, run).items():
        exact = EXACT[function](wide(x))
        large = abs(exact) > np.finfo(name).tiny
        units = abs(wide(found) - exact) / np.spacing(abs(exact).astype(name))
        assert units[large].max() < 2, (function, x[large][units[large].argmax()])


@pytest.mark.parametrize("dtype", FLOATS)
def test_limits_of_activations(dtype: str, tmp_path: Path) -> None:
    x = on_host(np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, -1e38], dtype))
    inf, nan = np.inf, np.nan
    expected = {
        "relu": [inf, 0.0, nan, 0.0, 0.0, 0.0],
        "sigmoid": [1.0, 0.0, nan, 0.5, 0.5, 0.0],
        "silu": [inf, -0.0, nan, 0.0, -0.0, -0.0],
        "gelu_tanh": [inf, -0.0, nan, 0.0, -0.0, -0.0],
        "gelu_erf": [inf, -0.0, nan, 0.0, -0.0, -0.0],
    }

    def run(library: HostLibrary) -> list[Any]:
        kind = BY_NAME[dtype]
        return [find_kernel(name, (kind,), kind, kind, library)(x) for name in expected]  # type: ignore[arg-type]

    for found, wanted in zip(twice(tmp_path, run), expected.values(), strict=True):
        np.testing.assert_array_equal(np.asarray(found), wanted)
        numbers = ~np.isnan(wanted)
        np.testing.assert_array_equal(
            np.signbit(np.asarray(found))[numbers], np.signbit(wanted)[numbers]
        )


def test_gradients_of_products_are_their_slopes(tmp_path: Path) -> None:
    grad, a, b = (normal((37, 3), "float64", seed) for seed in range(3))
    views = [x[::-1] for x in (grad, a, b)]

    def run(library: HostLibrary) -> list[Any]:
        copies, dtype = Copies(library), BY_NAME["float64"]  # type: ignore[arg-type]
        kernels = [
            PairedKernel(f"{name}_mul_backward", dtype, copies, library)  # type: ignore[arg-type]
            for name in GATES
        ]
        return [(kernel(grad, a, b), kernel(*views)) for kernel in kernels]

    step = 1e-5
    for name, (found, reversed_) in zip(GATES, twice(tmp_path, run), strict=True):
        function = EXACT[GATES[name]]
        slope = (function(wide(a) + step) - function(wide(a) - step)) / (2 * step)
        np.testing.assert_allclose(found[0], wide(grad) * b * slope, 1e-5, 1e-8)
        np.testing.assert_allclose(found[1], wide(grad) * function(wide(a)), 1e-12)
        for one, other in zip(found, reversed_, strict=True):
            np.testing.assert_array_equal(np.asarray(one)[::-1], np.asarray(other))


def test_the_gradient_of_gelu_keeps_its_digits_far_below_zero(tmp_path: Path) -> None:
    a = on_host(np.linspace(-12, -1.5, 4001).astype("float32"))
    one = on_host(np.ones(4001, "float32"))

    def run(library: HostLibrary) -> Any:
        copies, dtype = Copies(library), BY_NAME["float32"]  # type: ignore[arg-type]
        kernel = PairedKernel("gelu_erf_mul_backward", dtype, copies, library)  # type: ignore[arg-type]
        return kernel(one, a, one)[0]

    x = wide(a)
    exact = chance(x) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    units = abs(wide(twice(tmp_path, run)) - exact) / np.spacing(abs(exact).astype("float32"))
    assert units.max() < 2


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_activations_of_halves_are_rounded_once(dtype: str, tmp_path: Path) -> None:
    """Of all finite numbers; where devices may differ is two in a thousand."""
    names = ("sigmoid", "silu", "gelu_tanh", "gelu_erf")
    kind = BY_NAME[dtype]
    every = np.arange(2**16).astype("uint16").view(kind.__numpy_dtype__)
    with np.errstate(invalid="ignore"):  # of NaN
        x = on_host(every[np.isfinite(every)])
    one = on_host(np.ones(x.shape, kind.__numpy_dtype__))

    def run(library: HostLibrary) -> list[Any]:
        kernels = [find_kernel(name, (kind,), kind, kind, library) for name in names]  # type: ignore[arg-type]
        gradients = [
            PairedKernel(f"{name}_mul_backward", kind, Copies(library), library)  # type: ignore[arg-type]
            for name in ("sigmoid", "silu", "gelu", "gelu_erf")
        ]
        return [
            *(kernel(x) for kernel in kernels),
            *(kernel(one, x, one)[1] for kernel in gradients),
        ]

    for name, found in zip(names * 2, twice(tmp_path, run), strict=True):
        with np.errstate(all="ignore"):
            exact = EXACT[name](wide(x)).astype("float32")
            wanted = exact.astype(kind.__numpy_dtype__)
        got = np.asarray(found)
        other = got.astype("float64") != wanted.astype("float64")
        assert other.mean() < 2e-3, (name, x[other][:5])
        assert (abs(got - wanted)[other] <= abs(np.spacing(wanted[other]))).all(), name


ROWS: dict[str, Any] = {
    "softmax": lambda x: (
        np.exp(x - x.max(1, keepdims=True))
        / np.exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True)
    ),
    "log_softmax": lambda x: (
        x - x.max(1, keepdims=True)
        - np.log(np.exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True))
    ),
    "l2_normalize": lambda x: x / np.sqrt((x * x).sum(1, keepdims=True)),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_rows_and_columns_give_the_same_bits(dtype: str, tmp_path: Path) -> None:
    """Held by a warp and by a block, too long to be held; alone; one column a thread and four."""
    shapes = [(3, 1), (3, 5), (4, 130), (3, 520), (4, 1100), (4, 5000), (3, 2100), (1, 40000)]
    kind = BY_NAME[dtype].__numpy_dtype__
    given = [on_host(3 * np.asarray(normal(shape, "float32"))) for shape in shapes]
    given = [on_host(np.asarray(x).astype(kind)) for x in given]

    def run(library: HostLibrary) -> list[Any]:
        routines = RowFunctions(Copies(library), library).routines  # type: ignore[arg-type]
        found = []
        for rows, name in itertools.product(given, ROWS):
            options = {"eps": 1e-12} if name == "l2_normalize" else {}
            columns = on_host(np.asarray(rows).T.copy())
            moved = on_host(np.asarray(rows), alignment=kind.itemsize)
            found.append(
                [
                    routines[name](rows, axis=1, **options),
                    routines[name](columns, axis=0, **options),
                    routines[name](moved, axis=1, **options),
                    routines[name](rows[-1], axis=0, **options),
                ]
            )
        return found

    near = 3e-6 if dtype == "float32" else 2**-8
    for (rows, name), found in zip(
        itertools.product(given, ROWS), twice(tmp_path, run), strict=True
    ):
        whole, across, moved, alone = map(np.asarray, found)
        np.testing.assert_allclose(wide(whole), ROWS[name](wide(rows)), near, near / 4)
        np.testing.assert_array_equal(across.T, whole)
        np.testing.assert_array_equal(moved, whole)
        np.testing.assert_array_equal(alone, whole[-1])


def test_gradients_of_softmax_and_logarithms_of_sums(tmp_path: Path) -> None:
    x, grad = normal((4, 6, 7), "float64"), normal((4, 6, 7), "float64", 1)

    def run(library: HostLibrary) -> list[Any]:
        routines = RowFunctions(Copies(library), library).routines  # type: ignore[arg-type]
        return [
            routines["softmax_backward"](grad, x, axis=2),
            routines["softmax_backward"](grad, x, axis=1),
            routines["logsumexp"](x, axes=(2,), keepdims=False),
            routines["logsumexp"](x, axes=(0, 2), keepdims=True),
        ]

    last, middle, one, two = map(np.asarray, twice(tmp_path, run))
    for found, axis in ((last, 2), (middle, 1)):
        wanted = x * (grad - (x * grad).sum(axis, keepdims=True))
        np.testing.assert_allclose(found, wanted, 1e-13, 1e-14)
    np.testing.assert_allclose(one, np.log(np.exp(np.asarray(x)).sum(2)), 1e-13)
    np.testing.assert_allclose(two, np.log(np.exp(np.asarray(x)).sum((0, 2), keepdims=True)), 1e-13)


def transformed(x: Any, size: int) -> Any:
    blocks = wide(x).reshape(-1, size)
    h = 1
    while h < size:
        pairs = blocks.reshape(-1, size // (2 * h), 2, h)
        sums = pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]
        blocks = np.stack(sums, 2).reshape(-1, size)
        h *= 2
    return (blocks / np.sqrt(np.longdouble(size))).reshape(x.shape)


def test_transform_of_blocks(tmp_path: Path) -> None:
    cases = [
        (normal((2, 3 * size), dtype), normal((3 * size,), dtype, 1), size)
        for size, dtype in itertools.product((1, 2, 8, 64, 512, 4096), FLOATS)
    ]
    cases += [
        (normal((1, 16384), dtype), normal((16384,), dtype, 1), 16384)
        for dtype in (*FLOATS, "float16")
    ]
    cases += [
        (normal((5, 256), "float16"), normal((256,), "float16", 1), size) for size in (1, 128)
    ]

    def run(library: HostLibrary) -> list[Any]:
        walsh = WalshHadamard(Copies(library), library)  # type: ignore[arg-type]
        return [
            (walsh.transform(x, block_size=size), walsh.transform(x, signs, block_size=size))
            for x, signs, size in cases
        ]

    for (x, signs, size), found in zip(cases, twice(tmp_path, run), strict=True):
        near = 20 * np.finfo(x.dtype).eps
        np.testing.assert_allclose(np.asarray(found[0]), transformed(wide(x), size), 0, near)
        product = wide(x) * wide(signs)
        np.testing.assert_allclose(np.asarray(found[1]), transformed(product, size), 0, near)


@pytest.mark.parametrize(("shape", "axis"), [((2, 3, 64), 1), ((5, 7), 1), ((1, 2, 9000), 1)])
def test_snake_and_its_gradients(shape: tuple[int, ...], axis: int, tmp_path: Path) -> None:
    x, grad = normal(shape, "float32"), normal(shape, "float32", 1)
    alpha = on_host(np.linspace(0.5, 2, shape[axis]).astype("float32"))
    beta = on_host(np.linspace(0.3, 3, shape[axis]).astype("float32"))

    def run(library: HostLibrary) -> Any:
        snake = Snake(Copies(library), library)  # type: ignore[arg-type]
        forward = snake.forward(x, alpha, beta, axis=axis, eps=1e-9)
        return forward, *snake.backward(grad, x, alpha, beta, axis=axis, eps=1e-9)

    forward, grad_x, grad_alpha, grad_beta = map(np.asarray, twice(tmp_path, run))
    along = [-1 if i == axis else 1 for i in range(len(shape))]
    others = tuple(i for i in range(len(shape)) if i != axis)
    a, b, g, v = wide(alpha).reshape(along), wide(beta).reshape(along), wide(grad), wide(x)
    np.testing.assert_allclose(forward, v + np.sin(a * v) ** 2 / b, 2e-6, 2e-6)
    slope = np.sin(2 * a * v) / b
    np.testing.assert_allclose(grad_x, g * (1 + a * slope), 5e-6, 5e-6)
    near = 1e-6 * math.prod(shape)
    np.testing.assert_allclose(grad_alpha, (g * v * slope).sum(others), 0, near)
    wanted = (-g * np.sin(a * v) ** 2 / b**2).sum(others)
    np.testing.assert_allclose(grad_beta, wanted, 0, near)


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "symmetric", "wrap"])
def test_padding_and_its_gradient(mode: str, tmp_path: Path) -> None:
    widths = ((1, 2), (0, 0), (3, 1))
    x = on_host(np.arange(60.0).reshape(3, 4, 5))
    places = np.pad(np.arange(60).reshape(3, 4, 5), widths, mode=mode)  # type: ignore[call-overload]
    grad = on_host(np.random.default_rng(0).integers(-9, 9, places.shape).astype("float64"))

    def run(library: HostLibrary) -> Any:
        padding = Padding(Copies(library), library)  # type: ignore[arg-type]
        forward = padding.forward(x, widths=widths, mode=mode, value=0.0)
        if mode == "constant":
            return forward, None
        return forward, padding.backward(grad, widths=widths, mode=mode, shape=x.shape)

    forward, backward = twice(tmp_path, run)
    np.testing.assert_array_equal(np.asarray(forward), places.astype("float64"))
    if backward is not None:
        sums = np.bincount(places.ravel(), np.asarray(grad).ravel(), 60).reshape(x.shape)
        np.testing.assert_array_equal(np.asarray(backward), sums)


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "complex128"])
def test_padding_of_long_rows(dtype: str, tmp_path: Path) -> None:
    """Vectors come from all addresses; some lie across the ends of rows."""
    shapes = [((3, 101), ((1, 1), (before, 3))) for before in range(9)]
    shapes += [
        ((2, 64), ((0, 0), (8, 8))),
        ((65,), ((16, 0),)),
        ((2, 3, 70), ((1, 0), (1, 1), (0, 0))),
    ]
    given = [
        (on_host((np.arange(math.prod(shape)) % 251).reshape(shape).astype(dtype)), widths)
        for shape, widths in shapes
    ]
    modes = ("constant", "reflect", "wrap")

    def run(library: HostLibrary) -> list[Any]:
        padding = Padding(Copies(library), library)  # type: ignore[arg-type]
        return [
            padding.forward(x, widths=widths, mode=mode, value=7)
            for (x, widths), mode in itertools.product(given, modes)
        ]

    for ((x, widths), mode), found in zip(
        itertools.product(given, modes), twice(tmp_path, run), strict=True
    ):
        options: dict[str, Any] = {"constant_values": 7} if mode == "constant" else {}
        wanted = np.pad(np.asarray(x), widths, mode=mode, **options)  # type: ignore[call-overload]
        np.testing.assert_array_equal(np.asarray(found), wanted)


def test_each_function_is_one_launch_and_large_transforms_are_two(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names: list[str] = []
    monkeypatch.setattr(HostFunction, "launch", lambda self, *_: names.append(self._name))
    library: Any = HostLibrary()
    copies = Copies(library)
    x = normal((4, 64), "float32")
    channels = normal((4,), "float32")
    rows, snake = RowFunctions(copies, library), Snake(copies, library)
    calls = [
        lambda: rows.routines["softmax"](x, axis=1),
        lambda: rows.routines["softmax"](x, axis=0),
        lambda: rows.routines["logsumexp"](x, axes=(0, 1), keepdims=False),
        lambda: rows.routines["softmax_backward"](x, x, axis=1),
        lambda: rows.routines["l2_normalize"](x, axis=1, eps=0.0),
        lambda: snake.forward(x, channels, channels, axis=0, eps=0.0),
        lambda: snake.backward(x, x, channels, channels, axis=0, eps=0.0),
        lambda: PairedKernel("silu_mul_backward", BY_NAME["float32"], copies, library)(x, x, x),
        lambda: WalshHadamard(copies, library).transform(x, block_size=64),
        *(
            partial(
                Padding(copies, library).forward, x, widths=((1, 2), (3, 4)), mode=mode, value=1
            )
            for mode in ("constant", "reflect")
        ),
    ]
    for call in calls:
        names.clear()
        call()
        assert len(names) == 1, names
    names.clear()
    WalshHadamard(copies, library).transform(normal((1, 2**14), "float32"), block_size=2**14)
    assert len(names) == 2
