"""Activation functions against references of many digits, at special values, and as gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from extension_checks import (
    NAMES,
    array,
    bits,
    check_layouts,
    dtype_on,
    host,
    worst,
)
from mpmath import erfc, exp, expm1, log1p, mpf, pi, sqrt

import numr_api as xp
from numr_api import extensions
from numr_api._declare import OPS
from numr_api.extensions import (
    activation,
    destination,
    dtypes,
    normalization,
    padding,
    transform,
)
from numr_api.extensions._declare import EXTENSION_OPS

INF, NAN = np.inf, np.nan
Reference = Callable[..., mpf]


def sigmoid(x: mpf) -> mpf:
    return 1 / (1 + exp(-x))


def inner(x: mpf) -> mpf:
    return 2 * sqrt(2 / pi) * (x + mpf("0.044715") * x**3)


def slope(x: mpf) -> mpf:
    return 2 * sqrt(2 / pi) * (1 + 3 * mpf("0.044715") * x**2)


def normal(x: mpf) -> mpf:
    return erfc(-x / sqrt(2)) / 2


def density(x: mpf) -> mpf:
    return exp(-(x**2) / 2) / sqrt(2 * pi)


OF_ONE: dict[str, Reference] = {
    "relu": lambda x: max(x, mpf(0)),
    "sigmoid": sigmoid,
    "silu": lambda x: x * sigmoid(x),
    "softplus": lambda x: log1p(exp(x)),
    "leaky_relu": lambda x: x if x >= 0 else x * mpf(0.01),
    "elu": lambda x: x if x > 0 else expm1(x),
    "gelu": lambda x: x * sigmoid(inner(x)),
    "gelu_erf": lambda x: x * normal(x),
}
# Derivatives in two terms; where these cancel, an error is measured by the larger one.
DERIVATIVES: dict[str, Callable[[mpf], tuple[mpf, mpf]]] = {
    "relu": lambda x: (mpf(x > 0), mpf(0)),
    "sigmoid": lambda x: (sigmoid(x) * sigmoid(-x), mpf(0)),
    "silu": lambda x: (sigmoid(x), x * sigmoid(x) * sigmoid(-x)),
    "gelu": lambda x: (
        sigmoid(inner(x)),
        x * sigmoid(inner(x)) * sigmoid(-inner(x)) * slope(x),
    ),
    "gelu_erf": lambda x: (normal(x), x * density(x)),
}
# Units in the last place, for each operation on the way; halves are rounded once, from float32.
BOUND = {"float16": 0.51, "bfloat16": 0.51, "float32": 4.0, "float64": 4.0}
# Where float32 or float64 has its smallest normal numbers, and then nothing.
LOWEST = {
    "float32": {"gelu": -13.0, "gelu_erf": -13.0},
    "float64": {"gelu": -21.0, "gelu_erf": -37.0},
}


def numbers(dtype: Any, seed: int = 0) -> np.ndarray[Any, Any]:
    """Numbers of a dtype, of all sizes at which functions are neither constant nor linear."""
    random = np.random.default_rng(seed)
    spread = [random.standard_normal(60) * size for size in (0.01, 1, 4, 10)]
    tail = -np.linspace(5, 80, 60)
    return host(array(np.concatenate([*spread, tail, [0.0, 1.0, -1.0]]), dtype, "cpu"))


def is_normal(number: mpf, dtype: Any) -> bool:
    smallest = {"float16": -14, "float64": -1022}.get(dtype.name, -126)
    return abs(number) >= mpf(2) ** smallest


@pytest.mark.parametrize("dtype_name", NAMES)
@pytest.mark.parametrize("name", OF_ONE)
def test_values_are_near_those_of_many_digits(name: str, dtype_name: str, device: str):
    dtype = dtype_on(dtype_name, device)
    x = numbers(dtype)
    expected = [OF_ONE[name](mpf(number)) for number in x]
    # Of what is below the smallest normal number, no accuracy is promised in float32 and float64.
    if dtype_name in ("float32", "float64"):
        keep = [is_normal(number, dtype) or number == 0 for number in expected]
        x, expected = (
            x[keep],
            [number for number in expected if is_normal(number, dtype) or not number],
        )
    found = getattr(activation, name)(array(x, dtype, device))
    assert found.dtype is dtype
    assert found.device == device
    assert worst(found, expected) <= BOUND[dtype_name]


@pytest.mark.parametrize("dtype_name", ["float32", "float64"])
@pytest.mark.parametrize("name", ["sigmoid", "silu", "softplus", "gelu", "gelu_erf"])
def test_far_below_zero_no_digits_are_lost(name: str, dtype_name: str, device: str):
    dtype = dtype_on(dtype_name, device)
    lowest = LOWEST[dtype_name].get(name, -87.0 if dtype_name == "float32" else -708.0)
    x = host(array(np.linspace(lowest, lowest / 2, 100), dtype, "cpu"))
    found = getattr(activation, name)(array(x, dtype, device))
    assert worst(found, [OF_ONE[name](mpf(number)) for number in x]) <= 5


@pytest.mark.parametrize("dtype_name", NAMES)
@pytest.mark.parametrize("name", DERIVATIVES)
def test_gated_products_and_their_gradients(name: str, dtype_name: str, device: str):
    dtype = dtype_on(dtype_name, device)
    a = numbers(dtype)
    a = a[a > -10]
    random = np.random.default_rng(1)
    b, grad = (host(array(random.uniform(0.5, 2, a.shape), dtype, "cpu")) for _ in range(2))
    big_a, big_b, big_grad = ([mpf(number) for number in part] for part in (a, b, grad))
    on = [array(part, dtype, device) for part in (grad, a, b)]

    product = getattr(activation, f"{name}_mul")(*on[1:])
    expected = [OF_ONE[name](x) * y for x, y in zip(big_a, big_b, strict=True)]
    assert worst(product, expected) <= BOUND[dtype_name] + 0.5

    grad_a, grad_b = getattr(activation, f"{name}_mul_backward")(*on)
    terms = [DERIVATIVES[name](x) for x in big_a]
    expected = [g * y * sum(t) for g, y, t in zip(big_grad, big_b, terms, strict=True)]
    size = [g * y * max(map(abs, t)) for g, y, t in zip(big_grad, big_b, terms, strict=True)]
    assert worst(grad_a, expected, size, spare=4) <= BOUND[dtype_name]
    expected = [g * OF_ONE[name](x) for g, x in zip(big_grad, big_a, strict=True)]
    assert worst(grad_b, expected) <= BOUND[dtype_name] + 0.5
    assert grad_a.dtype is grad_b.dtype is dtype


@pytest.mark.parametrize("name", DERIVATIVES)
def test_gradients_are_those_of_finite_differences(name: str, device: str):
    dtype = dtype_on("float64", device)
    random = np.random.default_rng(2)
    grad, a, b = (random.standard_normal(50) for _ in range(3))
    step = 1e-6

    def product(a: Any, b: Any) -> Any:
        return host(
            getattr(activation, f"{name}_mul")(array(a, dtype, device), array(b, dtype, device))
        )

    found = getattr(activation, f"{name}_mul_backward")(
        *(array(x, dtype, device) for x in (grad, a, b))
    )
    by_a = (product(a + step, b) - product(a - step, b)) / (2 * step) * grad
    by_b = (product(a, b + step) - product(a, b - step)) / (2 * step) * grad
    np.testing.assert_allclose(host(found[0]), by_a, atol=1e-8)
    np.testing.assert_allclose(host(found[1]), by_b, atol=1e-8)


# Recorded with torch 2.13 on a cpu, in float64.
X = [-6.0, -3.0, -1.5, -0.25, 0.0, 0.5, 2.0, 7.0]
TORCH = {
    "gelu_erf": [
        *(-5.919525869479969e-09, -0.00404969409489031, -0.10021080190328704),
        *(-0.10032341857926907, 0.0, 0.34573123063700656, 1.9544997361036416, 6.999999999991041),
    ],
    "gelu": [
        *(-8.43964897967453e-11, -0.0036373920817729943, -0.10042842301976707),
        *(-0.100324649298315, 0.0, 0.34571400982514394, 1.954597694087775, 6.999999999999997),
    ],
    "silu": [
        *(-0.014835738939808647, -0.14227761953270035, -0.2736382857095345),
        *(-0.10945587477855048, 0.0, 0.3112296656009273, 1.7615941559557646, 6.993622641639196),
    ],
    "softplus": [
        *(0.0024756851377304495, 0.04858735157374206, 0.2014132779827524, 0.5759394198788436),
        *(0.6931471805599453, 0.9740769841801067, 2.1269280110429727, 7.000911466453774),
    ],
    "softmax": [
        *(2.2376960708056775e-06, 4.4945327053039406e-05, 0.00020143098101637642),
        *(0.0007030632060051394, 0.0009027510260485685, 0.0014883848187926402),
        *(0.006670477974840077, 0.9899867089701734),
    ],
    "log_softmax": [
        *(-13.010063761226274, -10.010063761226274, -8.510063761226274, -7.260063761226275),
        *(-7.010063761226275, -6.510063761226275, -5.010063761226275, -0.010063761226274526),
    ],
}
GATED = [-2.0, -0.5, 0.0, 0.75, 3.0], [0.5, -1.0, 2.0, 1.5, -0.25], [1.0, 0.5, -2.0, 3.0, -1.0]
TORCH_GRADIENTS = {
    "silu": (
        [-0.04539212439244773, -0.1300194063486741, -2.0, 3.7916997502353915, 0.2720260265037923],
        [-0.2384058440442351, -0.09438516719953635, 0.0, 1.5281520731446343, -2.8577223804672998],
    ),
    "gelu": (
        [-0.04304962831180915, -0.06631504823267882, -2.0, 4.495222152618364, 0.2528960416577424],
        [-0.04540230591222494, -0.07714299508742803, 0.0, 1.7398816654968607, -2.996362607918227],
    ),
    "relu": ([0.0, 0.0, 0.0, 4.5, 0.25], [0.0, 0.0, 0.0, 2.25, -3.0]),
    "sigmoid": (
        [0.05249679270175325, -0.11750185610079725, -1.0, 0.9805274719281631, 0.011294164932728],
        [0.11920292202211755, 0.1887703343990727, -1.0, 2.037536097526179, -0.9525741268224334],
    ),
    "gelu_erf": (
        [-0.04261590053909846, -0.06625243767191856, -2.0, 4.4965157478265585, 0.252986411801046],
        [-0.04550026389635842, -0.07713438468149672, 0.0, 1.7400884571520467, -2.99595030590511],
    ),
}


@pytest.mark.parametrize("name", TORCH)
def test_values_are_those_of_torch(name: str, device: str):
    dtype = dtype_on("float64", device)
    found = getattr(activation, name)(array(X, dtype, device))
    np.testing.assert_allclose(host(found), TORCH[name], rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("name", TORCH_GRADIENTS)
def test_gradients_are_those_of_torch(name: str, device: str):
    dtype = dtype_on("float64", device)
    a, b, grad = (array(x, dtype, device) for x in GATED)
    found = getattr(activation, f"{name}_mul_backward")(grad, a, b)
    for gradient, expected in zip(found, TORCH_GRADIENTS[name], strict=True):
        np.testing.assert_allclose(host(gradient), expected, rtol=1e-14, atol=1e-15)


SPECIAL = [NAN, INF, -INF, -0.0, 0.0, 3e38, -3e38]
AT_SPECIAL = {
    "relu": [NAN, INF, 0.0, 0.0, 0.0, 3e38, 0.0],
    "sigmoid": [NAN, 1.0, 0.0, 0.5, 0.5, 1.0, 0.0],
    "silu": [NAN, INF, -0.0, -0.0, 0.0, 3e38, -0.0],
    "softplus": [NAN, INF, 0.0, np.log(2), np.log(2), 3e38, 0.0],
    "leaky_relu": [NAN, INF, -INF, -0.0, 0.0, 3e38, -3e36],
    "elu": [NAN, INF, -1.0, -0.0, 0.0, 3e38, -1.0],
    "gelu": [NAN, INF, -0.0, -0.0, 0.0, 3e38, -0.0],
    "gelu_erf": [NAN, INF, -0.0, -0.0, 0.0, 3e38, -0.0],
}


@pytest.mark.parametrize("dtype_name", ["bfloat16", "float32", "float64"])
@pytest.mark.parametrize("name", AT_SPECIAL)
def test_special_values(name: str, dtype_name: str, device: str):
    dtype = dtype_on(dtype_name, device)
    found = host(getattr(activation, name)(array(SPECIAL, dtype, device)))
    expected = host(array(AT_SPECIAL[name], dtype, "cpu"))
    np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype_name != "bfloat16" else 2**-7)
    zeros = found == 0
    assert (
        np.signbit(found[zeros]).tolist()
        == np.signbit(np.asarray(AT_SPECIAL[name])[zeros]).tolist()
    )


@pytest.mark.parametrize("name", DERIVATIVES)
def test_gradients_have_their_limits_at_infinity(name: str, device: str):
    a = array([INF, -INF, NAN], xp.float32, device)
    one = xp.ones_like(a)
    grad_a, _ = getattr(activation, f"{name}_mul_backward")(one, a, one)
    limits = [0.0 if name == "sigmoid" else 1.0, 0.0, NAN]
    np.testing.assert_array_equal(abs(host(grad_a)), limits)


def test_an_option_is_not_rounded_to_a_half(device: str):
    dtype = dtype_on("bfloat16", device)
    x, slope = -np.arange(1.0, 101.0), 0.3  # in bfloat16 it is 0.30078125
    found = host(activation.leaky_relu(array(x, dtype, device), negative_slope=slope))
    np.testing.assert_array_equal(found, host(array(x * slope, dtype, "cpu")))
    assert (found != host(array(x * 0.30078125, dtype, "cpu"))).mean() > 0.2
    found = host(activation.elu(array([-50.0], dtype, device), alpha=255 * slope))
    np.testing.assert_array_equal(found, host(array([-255 * slope], dtype, "cpu")))


def test_nothing_is_rounded_to_a_half_on_the_way(device: str):
    # silu(a), rounded to bfloat16 first, gives other products for a third of these numbers.
    dtype = dtype_on("bfloat16", device)
    random = np.random.default_rng(3)
    a, b = (host(array(random.standard_normal(1000), dtype, "cpu")) for _ in range(2))
    exact = a / (1 + np.exp(-a)) * b
    product = activation.silu_mul(array(a, dtype, device), array(b, dtype, device))
    np.testing.assert_array_equal(host(product), host(array(exact, dtype, "cpu")))
    twice = activation.silu(array(a, dtype, device)) * array(b, dtype, device)
    assert (host(twice) != host(product)).mean() > 0.1


def test_the_negative_zero_of_a_product_survives(device: str):
    a, b = array([0.0, -0.0], xp.float32, device), array([-1.0, 1.0], xp.float32, device)
    assert np.signbit(host(activation.silu_mul(a, b))).all()


ELEMENTWISE = [name for name, op in EXTENSION_OPS.items() if op.family == "elementwise"]


def arguments(name: str, shape: tuple[int, ...], dtype: Any, device: str) -> list[Any]:
    random = np.random.default_rng(4)
    count = 3 if name.endswith("backward") else 2 if name.endswith("mul") else 1
    return [array(random.standard_normal(shape), dtype, device) for _ in range(count)]


@pytest.mark.parametrize("dtype_name", NAMES)
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_layouts_do_not_matter(name: str, dtype_name: str, device: str):
    dtype = dtype_on(dtype_name, device)
    check_layouts(EXTENSION_OPS[name].function, *arguments(name, (6, 8), dtype, device))


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_an_element_has_the_same_bits_wherever_it_stands(name: str, device: str):
    function = EXTENSION_OPS[name].function
    many = arguments(name, (30001,), xp.float32, device)
    results = function(*many)
    for place in (slice(0, 1), slice(8190, 8200), slice(17, 9000), slice(30000, 30001)):
        part = function(*(x[place] for x in many))
        pairs = zip(results, part, strict=True) if type(part) is tuple else [(results, part)]
        for whole, alone in pairs:
            assert bits(whole[place]) == bits(alone)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2)])
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_shapes_without_axes_or_elements(name: str, shape: tuple[int, ...], device: str):
    found = EXTENSION_OPS[name].function(*arguments(name, shape, xp.float32, device))
    for result in found if type(found) is tuple else (found,):
        assert result.shape == shape
        assert result.dtype is xp.float32


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "integers": (
        lambda x: activation.silu(xp.astype(x, xp.int32)),
        TypeError,
        "silu: needs a real",
    ),
    "bool": (lambda x: activation.relu(x > 0), TypeError, "real floating-point dtype, got bool"),
    "complex": (lambda x: activation.gelu(xp.astype(x, xp.complex64)), TypeError, "got complex64"),
    "float8": (
        lambda x: activation.relu(xp.astype(x, dtypes.float8_e5m2)),
        TypeError,
        "got float8_e5m2",
    ),
    "scalar": (lambda x: activation.silu(1.0), TypeError, "silu: expected a numr_api array"),
    "too many": (lambda x: activation.silu(x, x), TypeError, "positional argument"),
    "keyword": (lambda x: activation.elu(x, slope=1.0), TypeError, "unexpected keyword .*'slope'"),
    "slope": (
        lambda x: activation.leaky_relu(x, negative_slope="1"),
        TypeError,
        "a real number as negative_slope",
    ),
    "alpha": (lambda x: activation.elu(x, alpha=NAN), ValueError, "alpha must be finite"),
    "form": (lambda x: activation.gelu(x, approximate="erf"), ValueError, "'tanh' or 'none'"),
    "dtypes": (
        lambda x: activation.silu_mul(x, xp.astype(x, dtypes.float16)),
        TypeError,
        "one dtype, got float32 and float16",
    ),
    "shapes": (
        lambda x: activation.silu_mul(x, x[:1, :]),
        ValueError,
        r"one shape, got \(2, 3\) and \(1, 3\)",
    ),
    "gradient": (
        lambda x: activation.gelu_mul_backward(x[0, :], x, x),
        ValueError,
        "gelu_mul_backward: needs arrays of one shape",
    ),
    "scalar gate": (lambda x: activation.relu_mul(x, 1.0), TypeError, "expected a numr_api array"),
    "axis": (lambda x: activation.softmax(x, axis=2), IndexError, "axis 2 is out of bounds"),
    "axes": (lambda x: activation.softmax(x, axis=(0, 1)), TypeError, "axis must be an integer"),
    "no axis": (lambda x: activation.softmax(x[0, 0]), IndexError, "out of bounds"),
    "twice": (lambda x: activation.logsumexp(x, axis=(0, 0)), ValueError, "named twice"),
    "keepdims": (lambda x: activation.logsumexp(x, keepdims=1), TypeError, "True or False"),
    "softmax's gradient": (
        lambda x: activation.softmax_backward(x[:1, :], x),
        ValueError,
        "one shape",
    ),
    "alpha's shape": (
        lambda x: activation.snake_beta(x, x[0, :2], x[0, :]),
        ValueError,
        r"alpha must have shape \(3,\), as long as axis 1 of x, got \(2,\)",
    ),
    "beta's axes": (
        lambda x: activation.snake_beta(x, x[0, :], x),
        ValueError,
        r"beta must have shape \(3,\)",
    ),
    "beta's dtype": (
        lambda x: activation.snake_beta(x, x[0, :], xp.astype(x[0, :], dtypes.bfloat16)),
        TypeError,
        "one dtype",
    ),
    "eps": (
        lambda x: activation.snake_beta(x, x[0, :], x[0, :], eps=-1.0),
        ValueError,
        "eps must not be negative",
    ),
    "no channels": (
        lambda x: activation.snake_beta(x[0, 0], x[0, :], x[0, :]),
        IndexError,
        "out of bounds",
    ),
    "snake's gradient": (
        lambda x: activation.snake_beta_backward(x[:1, :], x, x[0, :], x[0, :]),
        ValueError,
        "one shape",
    ),
}


@pytest.mark.parametrize(("call", "error", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_said(call: Any, error: type[Exception], words: str, device: str):
    with pytest.raises(error, match=words):
        call(array(np.ones((2, 3)), xp.float32, device))


def test_arrays_must_be_on_one_device(fakes: tuple[str, ...]):
    x, y = xp.ones(3, dtype=xp.float32), xp.ones(3, dtype=xp.float32, device=fakes[0])
    with pytest.raises(ValueError, match="silu_mul: arrays are on different devices"):
        activation.silu_mul(x, y)
    assert activation.silu(y).device == fakes[0]


def test_names_are_found_flat_and_described():
    for module in (activation, destination, normalization, padding, transform):
        for name in module.__all__:
            assert getattr(extensions, name) is getattr(module, name)
            assert name in extensions.__all__
            assert getattr(module, name).__doc__
    for op in EXTENSION_OPS.values():
        assert op.name not in OPS
