"""Activations on webgpu, element by element: errors, special values, layouts, launches."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from extension_values import GATED, SLOPES, VALUES, errors, of_each, points

from numr_api._dtypes import BY_NAME

DTYPES = ("float32", "float64")
COUNT = 300  # points of each kind
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0]


@pytest.fixture
def call(backend: Any) -> Any:
    """Launch a kernel with NumPy arrays and scalars, and read what comes of it."""

    def launch(name: str, *operands: Any, dtype: str) -> Any:
        if BY_NAME[dtype] not in backend.dtypes:
            pytest.skip(f"no {dtype}")
        types = [float if x.__class__ is float else BY_NAME[dtype] for x in operands]
        kernel = backend.elementwise(name, tuple(types), BY_NAME[dtype], BY_NAME[dtype])
        given = [x if x.__class__ is float else backend.from_host(np.asarray(x, dtype), None)
                 for x in operands]  # fmt: skip
        found = backend.launch(kernel, *given)
        return tuple(map(backend.to_host, found)) if found.__class__ is tuple else (
            backend.to_host(found)
        )  # fmt: skip

    return launch


@pytest.fixture
def keeps_subnormal(backend: Any) -> bool:
    half = backend.elementwise("multiply", (BY_NAME["float32"], float), *[BY_NAME["float32"]] * 2)
    least = np.asarray([np.finfo("float32").smallest_normal])
    return bool(backend.to_host(backend.launch(half, backend.from_host(least, None), 0.5))[0])


def usual(dtype: str, true: list[Any], keeps_subnormal: bool) -> Any:
    least = np.finfo(dtype).smallest_normal
    return np.asarray([keeps_subnormal or not 0 < abs(x) <= least for x in true])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", VALUES)
def test_errors_are_small(name: str, dtype: str, call: Any, keeps_subnormal: bool) -> None:
    x = points(dtype, COUNT)
    true = of_each(VALUES[name], x)
    error = errors(call(name, x, dtype=dtype), true)
    assert np.max(error[usual(dtype, true, keeps_subnormal)]) < 1.0


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", GATED)
def test_errors_of_products_and_their_gradients_are_small(
    name: str, dtype: str, call: Any, keeps_subnormal: bool
) -> None:
    x = points(dtype, COUNT)
    rng = np.random.default_rng(1)
    y = rng.uniform(0.5, 2, x.size).astype(dtype)
    gradient = rng.uniform(-2, -0.5, x.size).astype(dtype)
    function = VALUES[GATED[name]], SLOPES[GATED[name]]
    first, second = call(f"{name}_mul_backward", gradient, x, y, dtype=dtype)
    # Near the zero of a slope the bound is one in units of the last place of a number near 1/8.
    cases = [
        (call(f"{name}_mul", x, y, dtype=dtype), of_each(lambda a, b: function[0](a) * b, x, y), 2),
        (second, of_each(lambda g, a: g * function[0](a), gradient, x), 2),
        (first, of_each(lambda g, a, b: g * b * function[1](a), gradient, x, y), 2.5),
    ]
    for number, (found, true, most) in enumerate(cases):
        least = [0.125 if abs(a + 0.75) < 0.2 else 0 for a in x.tolist()] if number == 2 else None
        error = errors(found, true, least)
        assert np.max(error[usual(dtype, true, keeps_subnormal)]) < most


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values(dtype: str, call: Any) -> None:
    nan, inf, log_2 = np.nan, np.inf, np.log(2.0)
    expected = {
        "relu": [nan, inf, 0.0, 0.0, 0.0],
        "sigmoid": [nan, 1.0, 0.0, 0.5, 0.5],
        "silu": [nan, inf, -0.0, 0.0, -0.0],
        "softplus": [nan, inf, 0.0, log_2, log_2],
        "gelu_tanh": [nan, inf, -0.0, 0.0, -0.0],
        "gelu_erf": [nan, inf, -0.0, 0.0, -0.0],
    }
    for name, values in expected.items():
        found = call(name, SPECIAL, dtype=dtype)
        np.testing.assert_array_equal(found, np.asarray(values, dtype), err_msg=name)
        signs = np.signbit(found[1:]).tolist()
        assert signs == np.signbit(values[1:]).tolist(), name
    assert call("leaky_relu", [*SPECIAL, -2.0, 3.0], 0.01, dtype=dtype).tolist()[1:] == [
        inf, -inf, 0.0, -0.0, np.asarray(-2, dtype) * np.asarray(0.01, dtype), 3.0
    ]  # fmt: skip
    assert np.isnan(call("leaky_relu", SPECIAL, 0.01, dtype=dtype)[0])
    elu = call("elu", [*SPECIAL, 3.0], 0.5, dtype=dtype)
    np.testing.assert_array_equal(elu, [nan, inf, -0.5, 0.0, -0.0, 3.0])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", GATED)
def test_special_values_of_gradients(name: str, dtype: str, call: Any) -> None:
    middle = {"relu": 0.0, "sigmoid": 0.25}.get(name, 0.5)
    end = 0.0 if name == "sigmoid" else 1.0
    ones = np.ones(5, dtype)
    first, second = call(f"{name}_mul_backward", ones, SPECIAL, ones, dtype=dtype)
    expected = np.asarray([np.nan, end, 0, middle, middle], dtype)
    np.testing.assert_allclose(first, expected, atol=1e-30, rtol=0)
    np.testing.assert_array_equal(second, call(f"{name}_mul", SPECIAL, ones, dtype=dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_elu_is_accurate_near_zero(dtype: str, call: Any) -> None:
    x = -np.exp2(np.linspace(-60, 6, 200)).astype(dtype)
    found = call("elu", x, 1.0, dtype=dtype)
    assert np.max(errors(found, of_each(mpmath.expm1, x))) < 1.5


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 255, 256, 257, 1023, 1025, 4099])
def test_two_results_of_any_size_and_layout(size: int, backend: Any) -> None:
    dtype = BY_NAME["float32"]
    kernel = backend.elementwise("silu_mul_backward", (dtype,) * 3, dtype, dtype)
    host = np.random.default_rng(size).normal(size=(3, 3, size)).astype("float32")
    whole = [backend.from_host(x, None) for x in host]
    expected = [backend.to_host(x) for x in backend.launch(kernel, *whole)]
    assert [x.shape for x in expected] == [(3, size)] * 2
    turned = [backend.permute(backend.from_host(np.ascontiguousarray(x.T), None), (1, 0))
              for x in host]  # fmt: skip
    spread = [backend.index(backend.from_host(np.repeat(x, 3, axis=1), None),
                            (slice(None), slice(None, None, 3))) for x in host]  # fmt: skip
    for given in (turned, spread, [whole[0], turned[1], spread[2]]):
        found = [backend.to_host(x) for x in backend.launch(kernel, *given)]
        np.testing.assert_array_equal(found, expected)


def test_each_is_one_launch(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    launches: list[str] = []
    dispatch = backend.gpu.dispatch
    monkeypatch.setattr(backend.gpu, "dispatch", lambda program, *rest: (
        launches.append(program.label), dispatch(program, *rest)))  # fmt: skip
    dtype = BY_NAME["float32"]
    x = backend.from_host(np.ones((30, 40), "float32"), None)
    arity = {"leaky_relu": 2, "elu": 2}
    arity |= {f"{name}_mul": 2 for name in GATED} | {f"{name}_mul_backward": 3 for name in GATED}
    names = [*VALUES, *arity]
    for name in names:
        count = arity.get(name, 1)
        types = (dtype, float) if name in ("leaky_relu", "elu") else (dtype,) * count
        kernel = backend.elementwise(name, types, dtype, dtype)
        backend.launch(kernel, *(x if kind is dtype else 0.5 for kind in types))
    assert launches == names
