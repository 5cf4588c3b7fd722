"""The element-wise kernels of the cpu: special cases, symmetry, accuracy, operands, layouts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest
from numr_conformance import special_cases as cases
from numr_conformance.special_values import (
    complex_of,
    grid_of,
    holds,
    meets,
    parts,
    same,
    special_values,
)

from numr_api._backends.cpu.blocks import BLOCK
from numr_api._backends.cpu.repairs import REPAIRS

Array = np.ndarray[Any, np.dtype[Any]]
Kernel = Callable[..., Any]

REAL_DTYPES = ["float32", "float64"]
COMPLEX_DTYPES = ["complex64", "complex128"]
COMPLEX_OPERATIONS = sorted({*cases.COMPLEX, *cases.ROTATED, *cases.SCALED})
REPAIRED = [
    (name, dtype)
    for name, kernels in REPAIRS.items()
    for dtype in REAL_DTYPES + COMPLEX_DTYPES
    if any(np.dtype(dtype).kind in kinds for kinds in kernels)
]


@pytest.fixture(autouse=True)
def _silent() -> Iterator[None]:
    """Kernels are called with NumPy's warnings of overflow and the like switched off."""
    with np.errstate(all="ignore"):
        yield


def kernel_of(name: str, dtype: str) -> Kernel:
    """What the backend calls: the repair if there is one, else NumPy's function."""
    kind = np.dtype(dtype).kind
    for kinds, kernel in REPAIRS.get(name, {}).items():
        if kind in kinds:
            return kernel
    return getattr(np, name)


def part_dtype(dtype: str) -> str:
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def all_same(result: Any, expected: Any) -> bool:
    pairs = zip(parts(result), parts(expected), strict=True)
    return all(x.shape == y.shape and bool(same(x, y).all()) for x, y in pairs)


# --- special cases --------------------------------------------------------------------------------


def one_by_one(kernel: Kernel, *operands: Array) -> Array:
    """A call per element: as an array of no dimension."""
    return np.array([kernel(*(x[i, ...] for x in operands)) for i in range(len(operands[0]))])


def spaced(kernel: Kernel, *operands: Array) -> Array:
    return kernel(*(np.repeat(x, 3)[::3] for x in operands))


def reversed_(kernel: Kernel, *operands: Array) -> Array:
    return kernel(*(x[::-1].copy()[::-1] for x in operands))


def in_threes(kernel: Kernel, *operands: Array) -> Array:
    """Arrays too short for vector instructions."""
    starts = range(0, len(operands[0]), 3)
    return np.concatenate([kernel(*(x[i : i + 3] for x in operands)) for i in starts])


def into_gaps(kernel: Kernel, *operands: Array) -> Array:
    count = len(operands[0])
    out = (np.arange(2 * count) // 2 % 2).astype(np.asarray(kernel(*operands)).dtype)[::2]
    assert kernel(*operands, out=out) is out
    return out


def in_place(kernel: Kernel, *operands: Array) -> Array:
    first = operands[0].copy()
    assert kernel(first, *operands[1:], out=first) is first
    return first


def into_second(kernel: Kernel, x1: Array, x2: Array) -> Array:
    second = x2.copy()
    return kernel(x1, second, out=second)


def by_second_value(
    kernel: Kernel, x1: Array, x2: Array, give: Callable[[Array, int], Any]
) -> Array:
    """A call for each value of the second operand, which is given as a single one."""
    result: Any = None
    for value in np.unique(x2.view(f"V{x2.itemsize}")):
        chosen = x2.view(f"V{x2.itemsize}") == value
        values = np.asarray(kernel(x1[chosen], give(x2[chosen][0], int(chosen.sum()))))
        result = np.empty(x1.shape, values.dtype) if result is None else result
        result[chosen] = values
    return result


def scalar_second(kernel: Kernel, x1: Array, x2: Array) -> Array:
    return by_second_value(kernel, x1, x2, lambda value, count: value.item())


def no_dimension_second(kernel: Kernel, x1: Array, x2: Array) -> Array:
    return by_second_value(kernel, x1, x2, lambda value, count: np.asarray(value))


def broadcast_second(kernel: Kernel, x1: Array, x2: Array) -> Array:
    return by_second_value(kernel, x1, x2, np.broadcast_to)


def scalar_first(kernel: Kernel, x1: Array, x2: Array) -> Array:
    return by_second_value(lambda a, b: kernel(b, a), x2, x1, lambda value, count: value.item())


def contiguous(kernel: Kernel, *operands: Array) -> Array:
    return kernel(*operands)


UNARY = [contiguous, spaced, reversed_, in_threes, one_by_one, into_gaps]
BINARY = [*UNARY, scalar_first, scalar_second, no_dimension_second, broadcast_second]


def layouts(names: list[str], dtype: str) -> list[Any]:
    """Each operation with each layout that its number of operands and its result allow."""
    pairs: list[Any] = []
    for name in names:
        function: Any = getattr(np, name)
        binary = getattr(function, "nin", 1) == 2
        chosen = list(BINARY if binary else UNARY)
        with np.errstate(all="ignore"):
            result = function(*np.ones((1 + binary, 1), dtype))
        if result.dtype == dtype:
            chosen += [in_place, into_second] if binary else [in_place]
        pairs += [pytest.param(name, x, id=f"{name}-{x.__name__}") for x in chosen]
    return pairs


def failures(texts: str, operands: list[Array], results: list[Array]) -> list[str]:
    """What does not hold: the row, the operands, the result."""
    messages: list[str] = []
    for row in cases.rows(texts):
        chosen = meets(row, operands)
        assert chosen.any(), f"no operand meets the conditions of {row}"
        given = [column[chosen] for column in operands]
        found = [column[chosen] for column in results]
        for i in np.flatnonzero(~holds(row, given, found))[:2]:
            values = [[float(x[i]) for x in columns] for columns in (given, found)]
            messages.append(f"{row}: {values[0]} gives {values[1]}")
    return messages


@pytest.mark.parametrize("dtype", REAL_DTYPES)
@pytest.mark.parametrize(("name", "layout"), layouts(sorted(cases.REAL), "float64"))
def test_special_cases_of_real_operands_hold(name: str, layout: Kernel, dtype: str) -> None:
    operands = grid_of(len(next(cases.rows(cases.REAL[name])).conditions), dtype)
    result = layout(kernel_of(name, dtype), *operands)
    assert failures(cases.REAL[name], operands, parts(result)) == []


@pytest.mark.parametrize("dtype", COMPLEX_DTYPES)
@pytest.mark.parametrize(("name", "layout"), layouts(COMPLEX_OPERATIONS, "complex128"))
def test_special_cases_of_complex_operands_hold(name: str, layout: Kernel, dtype: str) -> None:
    text = cases.COMPLEX[cases.ROTATED.get(name, "log" if name in cases.SCALED else name)]
    columns = grid_of(len(next(cases.rows(text)).conditions), part_dtype(dtype))
    operands = [complex_of(*columns[i : i + 2]) for i in range(0, len(columns), 2)]
    results = parts(layout(kernel_of(name, dtype), *operands))
    if name in cases.SCALED:
        results = [x * x.dtype.type(cases.SCALED[name]) for x in results]
    if name in cases.ROTATED:
        columns = [-columns[1], columns[0]]
        results = results if name == "cos" else [-results[1], results[0]]
    assert failures(text, columns, results) == []


# --- rules for all operands -----------------------------------------------------------------------


def all_sorts_of_numbers(dtype: str) -> Array:
    """Complex numbers: the special ones, and random ones of moderate and of any magnitude."""
    part = part_dtype(dtype)
    random = np.random.default_rng(1)
    limits = np.finfo(part)
    exponents = random.uniform(limits.minexp - 20, limits.maxexp - 0.01, (2, 2000))
    exponents[:, ::2] = random.uniform(-8, 7, (2, 1000))
    numbers = (random.choice([-1, 1], (2, 2000)) * np.exp2(exponents)).astype(part)
    return complex_of(*(np.concatenate(x) for x in zip(grid_of(2, part), numbers, strict=True)))


LAWS = [
    *((name, np.conj, np.conj) for name in cases.CONJUGATE),
    *((name, np.negative, np.negative) for name in cases.ODD),
    *((name, np.negative, np.positive) for name in cases.EVEN),
]


@pytest.mark.parametrize("dtype", COMPLEX_DTYPES)
@pytest.mark.parametrize(
    ("name", "before", "after"), LAWS, ids=lambda x: x if isinstance(x, str) else x.__name__
)
def test_complex_functions_are_symmetric(
    name: str, before: Kernel, after: Kernel, dtype: str
) -> None:
    """To the bit; but where a part is NaN, nothing is said of the other part's sign."""
    kernel, z = kernel_of(name, dtype), all_sorts_of_numbers(dtype)
    result, expected = kernel(before(z)), after(kernel(z))
    compared = ~np.isnan(result) | ~np.isnan(expected)
    assert all_same(result[compared], expected[compared])


# --- accuracy -------------------------------------------------------------------------------------

REFERENCES: dict[str, Callable[..., Any]] = {
    "atan": mpmath.atan,
    "atanh": mpmath.atanh,
    "divide": lambda x, y: x / y,
    "expm1": lambda z: mpmath.exp(z) - 1,
    "log1p": lambda z: mpmath.log(1 + z),
    "pow": lambda x, y: mpmath.exp(y * mpmath.log(x)),
    "reciprocal": lambda z: 1 / z,
    "sign": lambda z: z / abs(z),
    "tan": mpmath.tan,
    "tanh": mpmath.tanh,
}


def hard_points(dtype: str, count: int = 60) -> Array:
    """Near 0, near the unit circle and the one about -1, tiny, huge, and on scales far apart."""
    part = part_dtype(dtype)
    limits = np.finfo(part)
    random = np.random.default_rng(2)

    def of_magnitude(low: float, high: float) -> Array:
        return random.choice([-1, 1], count) * np.exp2(random.uniform(low, high, count))

    bottom, top = limits.minexp - limits.nmant + 1, limits.maxexp - 0.001
    turn = np.exp(1j * random.uniform(-np.pi, np.pi, count))
    circle = turn * (1 + of_magnitude(-limits.nmant, -2))
    short = of_magnitude(-limits.nmant / 2, -1)
    numbers = [
        of_magnitude(-4, 4) + 1j * of_magnitude(-4, 4),
        of_magnitude(bottom, top) + 1j * of_magnitude(bottom, top),
        of_magnitude(top - 4, top) + 1j * of_magnitude(top - 4, top),
        of_magnitude(bottom, bottom + 12) + 1j * of_magnitude(bottom, bottom + 12),
        circle,
        circle - 1,
        -short * short / 2 * (1 + of_magnitude(-20, -3)) + 1j * short,
        limits.maxexp * np.log(2) * random.choice([-1, 1], count) + 1j * of_magnitude(-4, 4),
    ]
    return np.concatenate(numbers).astype(dtype)


def exact(reference: Callable[..., Any], *operands: complex) -> tuple[Any, Any]:
    with mpmath.workprec(2400):
        result = reference(*(mpmath.mpc(x) for x in operands))
        return mpmath.re(result), mpmath.im(result)


def last_place(x: Any, limits: Any) -> Any:
    exponent = int(mpmath.frexp(x)[1]) - 1 if x else limits.minexp
    return mpmath.mpf(2) ** (max(exponent, limits.minexp) - limits.nmant)


def error(result: complex, expected: tuple[Any, Any], dtype: str) -> float:
    """In units in the last place of the modulus; infinite if a part overflows where it must not."""
    limits = np.finfo(part_dtype(dtype))
    largest = mpmath.mpf(float(limits.max))
    difference = [mpmath.mpf(0)]
    for part, true in zip((result.real, result.imag), expected, strict=True):
        if np.isfinite(part):
            difference.append(mpmath.mpf(part) - true)
        elif abs(true) < largest or part != np.inf * int(mpmath.sign(true)):
            return np.inf
    modulus = min(mpmath.hypot(*expected), largest)
    return float(mpmath.norm(difference) / last_place(modulus, limits))


def worst_error(name: str, dtype: str, *operands: Array) -> float:
    results = kernel_of(name, dtype)(*operands)
    columns = [x.astype(complex).tolist() for x in operands]
    return max(
        error(result, exact(REFERENCES[name], *values), dtype)
        for result, *values in zip(results.astype(complex).tolist(), *columns, strict=True)
        if all(values)
    )


@pytest.mark.parametrize("dtype", COMPLEX_DTYPES)
@pytest.mark.parametrize("name", [name for name in REFERENCES if name not in ("divide", "pow")])
def test_repaired_complex_functions_are_within_5_ulp(name: str, dtype: str) -> None:
    assert worst_error(name, dtype, hard_points(dtype)) < 5


@pytest.mark.parametrize("dtype", COMPLEX_DTYPES)
def test_complex_quotients_are_within_4_ulp(dtype: str) -> None:
    """Except those of subnormal complex128 numbers, of which NumPy's method loses digits."""
    points, random = hard_points(dtype), np.random.default_rng(3)
    alike = random.permuted(points.reshape(-1, 60), axis=1).ravel()
    for other in (alike, random.permutation(points)):
        usual = (np.minimum(np.abs(points), np.abs(other)) > 1e-290) | (dtype == "complex64")
        assert worst_error("divide", dtype, points[usual], other[usual]) < 4


@pytest.mark.parametrize(("dtype", "limit"), [("complex64", 1), ("complex128", 200)])
def test_complex_powers_that_overflow_on_the_way_are_no_nan(dtype: str, limit: float) -> None:
    base = hard_points(dtype)
    base = base[(np.abs(base) > 1e-30) & (np.abs(base) < 1e30)]
    exponent = np.random.default_rng(4).choice([-90, -7, -2, -0.5, 0.5, 2, 7, 90], base.size)
    result = kernel_of("pow", dtype)(base, exponent.astype(dtype))
    assert not np.isnan(result[base != 0]).any()
    usual = (np.abs(np.log2(np.abs(base)) * exponent) < 100) & (base != 0)
    assert worst_error("pow", dtype, base[usual], exponent.astype(dtype)[usual]) < limit


@pytest.mark.parametrize(
    ("name", "dtype"), [("log1p", "complex64"), ("log1p", "complex128"), ("expm1", "complex64")]
)
def test_a_real_part_that_cancels_is_within_2_ulp(name: str, dtype: str) -> None:
    limits = np.finfo(part_dtype(dtype))
    points = hard_points(dtype)
    points = points[np.abs(points.real) < 80]
    for z, result in zip(points, kernel_of(name, dtype)(points), strict=True):
        real, _ = exact(REFERENCES[name], complex(z))
        assert abs(float(result.real) - real) <= 2 * last_place(abs(real), limits)


@pytest.mark.parametrize("dtype", REAL_DTYPES)
def test_floor_divide_of_finite_numbers_fits_the_remainder(dtype: str) -> None:
    x, y = (np.random.default_rng(seed).standard_normal(500).astype(dtype) for seed in (5, 6))
    x[:2], y[:2] = [0.7, -1.0], [0.1, 3.0]
    quotient = kernel_of("floor_divide", dtype)(np.append(x, np.inf), np.append(y, 1))[:-1]
    assert all_same(quotient, np.floor_divide(x, y))


@pytest.mark.parametrize("dtype", REAL_DTYPES)
def test_floor_divide_of_and_by_an_infinite_scalar_is_the_quotient(dtype: str) -> None:
    kernel, x = kernel_of("floor_divide", dtype), np.array([1, -1, 0.5], dtype)
    for operands in [(x, np.inf), (x, -np.inf), (np.inf, x), (-np.inf, x)]:
        assert all_same(kernel(*operands), np.divide(*operands))


# --- operands and results -------------------------------------------------------------------------


def operands_of(name: str, dtype: str, count: int) -> list[Array]:
    random = np.random.default_rng(7)
    pool = special_values(part_dtype(dtype))
    columns = [random.choice(pool, count) for _ in range(4)]
    for column in columns:
        column[::2] = random.standard_normal(column[::2].shape)
    operands = [complex_of(*columns[:2]), complex_of(*columns[2:])]
    if np.dtype(dtype).kind == "f":
        operands = columns[:2]
    return operands[: getattr(getattr(np, name), "nin", 1)]  # real and imag are no ufuncs


@pytest.mark.parametrize(("name", "dtype"), REPAIRED)
def test_large_arrays_of_any_layout_are_treated_like_small_ones(name: str, dtype: str) -> None:
    kernel = kernel_of(name, dtype)
    flat = operands_of(name, dtype, 3 * BLOCK + 7 * 3)
    starts = range(0, flat[0].size, 1000)
    expected = np.concatenate([kernel(*(x[i : i + 1000] for x in flat)) for i in starts])
    square = [x.reshape(3, -1) for x in flat]
    assert all_same(kernel(*flat), expected)
    assert all_same(kernel(*square).ravel(), expected)
    assert all_same(kernel(*(np.asfortranarray(x) for x in square)).ravel(), expected)
    assert all_same(kernel(*(x.T for x in square)).T.ravel(), expected)
    out = np.zeros(expected.size * 2, expected.dtype)[::-2]
    assert all_same(kernel(*flat, out=out), expected)
    if expected.dtype == flat[0].dtype:
        memory = np.append(flat[0], 1).astype(dtype)
        assert all_same(kernel(memory[:-1], *flat[1:], out=memory[1:]), expected)
        assert all_same(kernel(*flat, out=flat[0]), expected)


@pytest.mark.parametrize(("name", "dtype"), REPAIRED)
def test_operands_are_left_as_they_are(name: str, dtype: str) -> None:
    operands = operands_of(name, dtype, 50)
    copies = [x.copy() for x in operands]
    result = kernel_of(name, dtype)(*operands)
    if name not in ("real", "imag"):  # which are views
        assert not any(np.shares_memory(result, x) for x in operands)
    assert all(all_same(x, copy) for x, copy in zip(operands, copies, strict=True))


@pytest.mark.parametrize(("name", "dtype"), REPAIRED)
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 1), (2, 3)], ids=str)
def test_shape_and_dtype_are_those_of_the_ufunc(
    name: str, dtype: str, shape: tuple[int, ...]
) -> None:
    operands = [np.ones(shape, dtype) for _ in operands_of(name, dtype, 1)]
    result, expected = kernel_of(name, dtype)(*operands), getattr(np, name)(*operands)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    out = np.zeros(shape, expected.dtype)
    assert kernel_of(name, dtype)(*operands, out=out) is out
    assert all_same(out, result)


@pytest.mark.parametrize(
    ("name", "dtype"), [pair for pair in REPAIRED if pair[0] in ("divide", "floor_divide", "pow")]
)
def test_operands_are_broadcast(name: str, dtype: str) -> None:
    kernel, (x1, x2) = kernel_of(name, dtype), operands_of(name, dtype, 60)
    x2[:20] = 0.5
    column, single = x2[:, None].copy(), x2[:1, None].copy()
    for first, second in [(x1, column), (x1[:, None], x2), (x1, single), (x1[:1], x2)]:
        full = [x.copy() for x in np.broadcast_arrays(first, second)]
        assert all_same(kernel(first, second), kernel(*full))
        assert all_same(kernel(first, second, out=np.zeros_like(full[0])), kernel(*full))


@pytest.mark.parametrize(
    ("name", "dtype"), [pair for pair in REPAIRED if pair[0] in ("divide", "floor_divide", "pow")]
)
@pytest.mark.parametrize("scalar", [0.5, 2, -1, 0, 3.7, -np.inf], ids=str)
def test_scalars_count_as_arrays_of_the_same_dtype(name: str, dtype: str, scalar: float) -> None:
    kernel, (x, _) = kernel_of(name, dtype), operands_of(name, dtype, 60)
    for operands in [(x, scalar), (scalar, x)]:
        full = [x if operand is x else np.full(x.shape, operand, dtype) for operand in operands]
        result, expected = kernel(*operands), kernel(*full)
        assert result.dtype == x.dtype
        close = np.isclose(result, expected, rtol=8 * np.finfo(dtype).eps, atol=0, equal_nan=True)
        assert close.all()
        assert dtype != "complex64" or all_same(result, expected)


def test_integers_keep_their_dtype_when_rounded() -> None:
    for name in ("ceil", "floor", "round", "trunc"):
        assert kernel_of(name, "int16")(np.arange(3, dtype="int16")).dtype == np.int16


def test_negative_powers_of_integers_are_refused() -> None:
    with pytest.raises(ValueError, match="negative integer powers"):
        kernel_of("pow", "int64")(np.arange(3), -1)
