"""float16, bfloat16 and the floats of 8 bits: conversions, functions on elements, promotion.

The references are computed in float64 and rounded once. Where float32's result is exact or rounded
correctly, so is that in 16 bits; elsewhere it may be one number of the grid away.
"""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest
from exact_elementwise import ARITY, ELEMENTWISE
from half_values import Column, assert_same, every, exact, host, rounded, silently, some, steps

import numr_api as xp
from numr_api._dtypes import ACCEPTED, ALL, EIGHTHS, EXTENSIONS, HALVES, DType
from numr_api.extensions import dtypes

# Functions that float32 does not round correctly, or of which the result in 24 bits does not say
# how that in 11 is rounded.
NEAR = set(
    "acos acosh asin asinh atan atan2 atanh cos cosh exp expm1 floor_divide hypot log log10 log1p "
    "log2 logaddexp pow remainder sin sinh tan tanh".split()
)
NAMES = [
    name for name, op in ELEMENTWISE.items() if "h" in ACCEPTED[op.accepts] and name != "nextafter"
]
halves = pytest.mark.parametrize("dtype", HALVES, ids=str)
narrow = pytest.mark.parametrize("dtype", EXTENSIONS, ids=str)


def available(device: str) -> list[DType]:
    return [dtype for dtype in ALL if dtype in xp.zeros(0, device=device)._type.backend.dtypes]


# --- conversion -----------------------------------------------------------------------------------


def around(dtype: DType) -> Column:
    """All numbers of a dtype in float64, halfway between them, and just off that."""
    numbers = np.unique(exact(every(dtype)))
    numbers = numbers[np.isfinite(numbers)]
    middle = (numbers[1:] + numbers[:-1]) / 2
    top = numbers[-1] + (numbers[-1] - numbers[-2]) / 2
    middle = np.concatenate([middle, [top, -top]])
    others = [np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1e300, -1e300, 1 + 2**-8 + 2**-40]
    return np.concatenate(
        [numbers, middle, np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf), others]
    )


@silently
def given(source: DType, target: DType) -> Column:
    """Numbers to be converted: all of a narrow dtype, else those which are hard to round."""
    if source in EXTENSIONS:
        return every(source)
    numbers = around(target)
    if source is xp.bool:
        return np.array([True, False])
    if source.kind in "fc":
        return numbers.astype(source.__numpy_dtype__)
    info = np.iinfo(source.__numpy_dtype__)
    rng = np.random.default_rng(0)
    random = rng.integers(0, info.max, 5000, source.__numpy_dtype__, endpoint=True)
    random >>= rng.integers(0, info.bits - 1, 5000).astype(random.dtype)
    inside = numbers[(np.abs(numbers) < 2.0**62) & (numbers > info.min) & (numbers < info.max)]
    ties = inside[inside == np.trunc(inside)].astype(random.dtype)
    one = random.dtype.type(1)
    return np.concatenate([random, ties, ties + one, ties - one,
                           np.array([info.min, info.max], random.dtype)])  # fmt: skip


@narrow
def test_conversions_to_narrow_dtypes_are_rounded_once(dtype: DType, real_device: str) -> None:
    for source in available(real_device):
        if source.kind == "c":
            continue
        x = given(source, dtype)
        found = host(xp.astype(xp.asarray(x, device=real_device), dtype))
        assert_same(found, rounded(x, dtype))


@narrow
def test_conversions_to_wider_dtypes_are_exact(dtype: DType, real_device: str) -> None:
    numbers = every(dtype)
    x = xp.asarray(numbers, device=real_device)
    for target in available(real_device):
        if target.kind in "fc" and target not in EXTENSIONS:
            found = host(xp.astype(x, target))
            np.testing.assert_array_equal(found, exact(numbers))
            signed = ~np.isnan(exact(numbers))  # a processor may take the sign of NaN away
            assert np.array_equal(
                np.signbit(found.real[signed]), np.signbit(exact(numbers)[signed])
            )


@narrow
def test_conversions_to_integers_are_float32s(dtype: DType, real_device: str) -> None:
    numbers = exact(every(dtype))
    for target in available(real_device):
        if target.kind not in "iub":
            continue
        low, high = (0, 1) if target is xp.bool else (-128 if target.kind == "i" else 0, 127)
        inside = every(dtype)[(numbers >= low) & (numbers <= high)]
        found = host(xp.astype(xp.asarray(inside, device=real_device), target))
        np.testing.assert_array_equal(found, exact(inside).astype(target.__numpy_dtype__))
    assert (
        host(xp.astype(xp.asarray(every(dtype), device=real_device), xp.bool)).sum()
        == (numbers != 0).sum()
    )


@narrow
def test_bits_are_kept_on_the_way_to_the_device_and_back(dtype: DType, real_device: str) -> None:
    numbers = every(dtype)
    x = xp.asarray(numbers, device=real_device)
    for found in (host(x), host(xp.asarray(x, copy=True)), host(pickle.loads(pickle.dumps(x)))):
        assert found.dtype == dtype
        assert np.array_equal(found.view(np.uint8), numbers.view(np.uint8))


@narrow
def test_arrays_are_written_as_numbers(dtype: DType, real_device: str) -> None:
    x = xp.asarray([1.5, -0.25, float("nan")], dtype=dtype, device=real_device)
    text = " ".join(repr(x).replace("[ ", "[").split())
    assert text.endswith(f'dtype={dtype}, device="{real_device}")')
    assert re.findall(r"-?[\d.]+|nan", text.partition(", dtype")[0]) == ["1.5", "-0.25", "nan"]
    if dtype in HALVES:
        assert float(x[0]) == 1.5


# --- functions on elements ------------------------------------------------------------------------


@silently
def operands(name: str, dtype: DType) -> list[Column]:
    """All numbers of a dtype, in some order for each operand, and some of medium size."""
    rng = np.random.default_rng(len(name))
    if ARITY[name] == 1:
        return [every(dtype)]
    columns = [
        np.concatenate([rng.permutation(every(dtype)), some(dtype, 20_000, 4, seed)])
        for seed in range(ARITY[name])
    ]
    if name == "where":
        columns[0] = rng.random(columns[0].shape) < 0.5
    elif name == "clip":
        low, high = exact(columns[1]), exact(columns[2])
        columns[1:] = (rounded(bound(low, high), dtype) for bound in (np.minimum, np.maximum))
    elif name == "floor_divide":
        finite = np.isfinite(exact(columns[0])) & np.isfinite(exact(columns[1]))  # unlike NumPy's
        columns = [column[finite] for column in columns]
    return columns


def computable(columns: list[Column], device: str) -> list[Column]:
    """Without subnormal numbers of float32 on a device that takes them for zero."""
    facts = getattr(xp.zeros(0, device=device)._type.backend, "facts", {})
    if not facts.get("subnormals_are_flushed"):
        return columns
    least = float(xp.finfo(xp.float32).smallest_normal)
    normal = np.all([(exact(x) == 0) | ~(np.abs(exact(x)) < least) for x in columns], axis=0)
    return [x[normal] for x in columns]


@halves
@pytest.mark.parametrize("name", NAMES)
def test_functions_are_rounded_once(name: str, dtype: DType, real_device: str) -> None:
    columns = computable(operands(name, dtype), real_device)
    arrays = [xp.asarray(x, device=real_device) for x in columns]
    found = host(ELEMENTWISE[name].function(*arrays))
    wide = [x if x.dtype == bool else exact(x) for x in columns]
    expected = silently(getattr(np, name))(*wide)
    if expected.dtype == bool:
        np.testing.assert_array_equal(found, expected)
        return
    *columns, found, expected = computable([*columns, found, expected], real_device)
    if name in NEAR:
        apart = steps(found, rounded(expected, dtype))
        assert apart.max() <= 1, [x[apart > 1][:3] for x in (*columns, found)]
        assert (apart > 0).mean() < 1 / 4000
    else:
        assert_same(found, rounded(expected, dtype))


@halves
def test_nextafter_steps_through_all_numbers(dtype: DType, real_device: str) -> None:
    numbers = np.unique(exact(every(dtype)))
    numbers = numbers[~np.isnan(numbers)]  # of the zeros there is one
    x = xp.asarray(rounded(numbers, dtype), device=real_device)
    up, down = xp.nextafter(x, xp.inf), xp.nextafter(x, -xp.inf)
    np.testing.assert_array_equal(exact(host(up)), np.append(numbers[1:], np.inf))
    np.testing.assert_array_equal(exact(host(down)), np.append(-np.inf, numbers[:-1]))
    assert_same(host(xp.nextafter(x, x)), host(x))
    assert np.isnan(exact(host(xp.nextafter(x, xp.nan)))).all()
    zeros = xp.asarray(rounded([0.0, -0.0], dtype), device=real_device)
    assert np.signbit(exact(host(xp.nextafter(zeros, -zeros)))).tolist() == [True, False]


@halves
def test_functions_take_any_layout(dtype: DType, real_device: str) -> None:
    numbers = some(dtype, (7, 10))
    x = xp.asarray(numbers, device=real_device)
    for view, expected in (
        (x.T, numbers.T), (x[::2, 1::3], numbers[::2, 1::3]), (x[1:, 3], numbers[1:, 3]),
        (x[::-1, ::-1], numbers[::-1, ::-1]), (x[:, 1:8], numbers[:, 1:8]), (x[:0, :], numbers[:0]),
    ):  # fmt: skip
        assert_same(host(view * view), rounded(exact(expected) ** 2, dtype))
    out = xp.asarray(numbers, device=real_device, copy=True)
    out[:, 1:4] += 1
    expected = exact(numbers)
    expected[:, 1:4] += 1
    assert_same(host(out), rounded(expected, dtype))


@halves
def test_python_scalars_are_rounded_before_they_are_used(dtype: DType, real_device: str) -> None:
    numbers = some(dtype, 999)
    x = xp.asarray(numbers, device=real_device)
    tenth = exact(rounded(0.1, dtype))
    assert_same(host(x + 0.1), rounded(exact(numbers) + tenth, dtype))
    assert_same(host(0.1 / x), rounded(tenth / exact(numbers), dtype))
    assert_same(host(xp.where(x > 0, x, 0.1)), np.where(exact(numbers) > 0, numbers,
                                                        rounded(0.1, dtype)))  # fmt: skip
    assert np.isinf(exact(host(xp.asarray(numbers[:1] * 0 + 1, device=real_device) * 1e39)))


# --- promotion and refusals -----------------------------------------------------------------------


@halves
def test_they_promote_to_float32_and_what_is_wider(dtype: DType, real_device: str) -> None:
    numbers = some(dtype, 10)
    x = xp.asarray(numbers, device=real_device)
    for wider in available(real_device):
        if wider.kind in "fc" and wider not in EXTENSIONS:
            y = xp.ones(10, dtype=wider, device=real_device)
            assert (x + y).dtype is xp.result_type(wider, dtype) is wider
            assert np.array_equal(host(x + y), numbers.astype(wider.__numpy_dtype__) + 1)


def test_the_halves_do_not_promote_to_each_other(real_device: str) -> None:
    x, y = (xp.ones(3, dtype=dtype, device=real_device) for dtype in HALVES)
    with pytest.raises(TypeError, match="float16 and bfloat16 have no common type"):
        x + y
    with pytest.raises(TypeError, match="bfloat16 and float16 have no common type"):
        xp.concat([y, x])


@halves
def test_integers_do_not_promote_to_them(dtype: DType, real_device: str) -> None:
    with pytest.raises(TypeError, match=f"int32 and {dtype} have no common type"):
        xp.ones(3, dtype=xp.int32, device=real_device) + xp.ones(3, dtype=dtype, device=real_device)


REFUSED: dict[str, Any] = {
    "fft.fft": lambda x: xp.fft.fft(x),
    "linalg.inv": lambda x: xp.linalg.inv(x),
    "linalg.svd": lambda x: xp.linalg.svd(x),
    "linalg.vector_norm": lambda x: xp.linalg.vector_norm(x),
}
REFUSED_OF_8_BITS: dict[str, Any] = {
    **REFUSED,
    "add": lambda x: x + x,
    "exp": xp.exp,
    "less": lambda x: x < x,
    "sum": xp.sum,
    "max": xp.max,
    "sort": xp.sort,
    "matmul": lambda x: x @ x,
    "cumulative_sum": lambda x: xp.cumulative_sum(x, axis=0),
}


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        *[pytest.param(dtype, name, id=f"{dtype}-{name}") for dtype in HALVES for name in REFUSED],
        *[pytest.param(dtype, name, id=f"{dtype}-{name}")
          for dtype in EIGHTHS for name in REFUSED_OF_8_BITS],
    ],
)  # fmt: skip
def test_what_has_no_such_types_refuses_them(dtype: DType, name: str, real_device: str) -> None:
    x = xp.ones((3, 3), dtype=dtype, device=real_device)
    with pytest.raises(TypeError, match=str(dtype)):
        REFUSED_OF_8_BITS[name](x)


def test_dtypes_are_those_of_the_extension(real_device: str) -> None:
    for name in dtypes.__all__:
        dtype = getattr(dtypes, name)
        assert dtype in EXTENSIONS
        assert dtype in xp.zeros(0, device=real_device)._type.backend.dtypes
        assert xp.isdtype(dtype, "real floating")
