"""What the cuda device's kernels compute, for all rows and dtypes, without a GPU.

They are compiled for the host, whose C library takes the place of CUDA's elementary functions; all
else is the code that runs on the GPU: formulas, special cases, integer rules, conversions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from exact_elementwise import assert_exact, operands
from function_errors import Real, worst
from host_kernels import COMPILER, HostLibrary, on_host
from kernel_rows import VIEWS, arity, result_of, rows, signatures
from numr_conformance import special_cases as cases
from numr_conformance.check import Failed
from numr_conformance.checks import special_cases as checks
from test_complex_functions import FUNCTIONS as COMPLEX, errors as errors_of_parts, points
from test_float32_functions import FLOAT32
from test_float64_functions import FLOAT64

from numr_api._backends.cuda.elementwise import find_cast, find_kernel
from numr_api._backends.cuda.elementwise_kernels import source_of
from numr_api._backends.cuda.elementwise_variants import Variant
from numr_api._dtypes import BY_NAME, STANDARD, DType

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")

Column = np.ndarray[Any, np.dtype[Any]]

LARGEST_ERROR = 2.0  # of real functions
LARGEST_ERROR_OF_PARTS = {"complex64": 2.0, "complex128": 4.0}
CANCELLING = {"expm1"}  # whose real part is a difference

ROWS = [pytest.param(row[0], row[2], id=f"{row[0]}-{row[2]}") for row in rows()]


class Host:
    """The kernels of contiguous arrays; for the conformance checks, a namespace."""

    keeps_subnormal = {"float32": True, "float64": True}  # noqa: RUF012
    dtypes = frozenset(dtype.name for dtype in STANDARD)

    def __init__(self, library: HostLibrary) -> None:
        self.library = library
        self._kernels: dict[tuple[str, DType], Callable[..., Any]] = {}

    def call(self, name: str, columns: list[Any] | tuple[Any, ...]) -> Column:
        arrays = [on_host(x) for x in columns]
        dtype = BY_NAME[arrays[-1].dtype.name]
        kernel = self._kernels.get((name, dtype))
        if kernel is None:
            types = tuple(BY_NAME[x.dtype.name] for x in arrays)
            result = result_of(name, dtype)
            kernel = find_kernel(name, types, dtype, result, self.library)
            self._kernels[name, dtype] = kernel
        return np.asarray(kernel(*arrays))

    def flushes_subnormals(self, dtype: str) -> bool:
        return False

    def array(self, column: Column) -> Column:
        return column

    def host(self, column: Column) -> Column:
        return column

    def find(self, name: str) -> Callable[..., Column]:
        return lambda *columns: self.call(name, columns)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    library: Any = HostLibrary()
    for signature in signatures():
        if signature.name in ("cast", "clip") or len(set(signature.operands)) <= 2:
            variant = Variant(1, ("vector",) * len(signature.arrays), wide=False)
            name = variant.name(signature)
            library.function(signature.sources, source_of(signature, variant), name)
    library.compile(tmp_path_factory.mktemp("kernels"))
    return Host(library)


@pytest.mark.parametrize(("name", "dtype"), ROWS)
def test_results_are_exact_or_within_the_bound(name: str, dtype: DType, host: Host) -> None:
    assert_exact(host.call(name, operands(name, dtype)), name, dtype)


@pytest.mark.parametrize(
    ("real", "function"),
    [
        pytest.param(real, function, id=f"{function}-{real.dtype}")
        for real in (FLOAT32, FLOAT64)
        for function in real.functions
        if function != "exp2"
    ],
)
def test_real_functions_are_within_two_units(real: Real, function: str, host: Any) -> None:
    found = worst(host, real, function)
    assert found.error <= LARGEST_ERROR, found


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", COMPLEX)
def test_parts_of_complex_functions_are_within_the_bound(name: str, dtype: str, host: Host) -> None:
    found = errors_of_parts(name, dtype, host.call(name, [points(name, dtype)]))
    most = LARGEST_ERROR_OF_PARTS[dtype]
    assert found["imag"] <= most
    assert found["real"] <= most or name in CANCELLING


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("function", sorted({*cases.REAL, *checks.COMPLEX_FUNCTIONS}))
def test_special_cases_of_the_standard_hold(function: str, dtype: str, host: Any) -> None:
    is_complex = dtype.startswith("complex")
    known = checks.COMPLEX_FUNCTIONS if is_complex else cases.REAL
    if function not in known:
        pytest.skip("the standard has none")
    text = checks._complex_text(function) if is_complex else cases.REAL[function]
    unmet: list[Failed] = []
    for row in cases.rows(text):
        try:
            checks._row(function, function, dtype, row, host)
        except Failed as failure:
            unmet.append(failure)
    assert not unmet


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("law", checks.LAWS)
def test_complex_functions_keep_their_symmetries(law: str, dtype: str, host: Any) -> None:
    functions, before, after = checks.LAWS[law]
    for function in functions:
        checks._law(function, dtype, before, after, host)


# --- single functions -----------------------------------------------------------------------------


def test_exp_of_float32_is_within_one_unit_over_its_whole_domain(host: Host) -> None:
    bits = np.arange(0, 0x42D00000, 419, dtype=np.uint32)  # up to 104
    x = np.concatenate([bits.view(np.float32), -bits.view(np.float32)])
    true = np.exp(x.astype(np.float64))
    exponent = np.clip(np.frexp(true)[1] - 1, -126, 127)
    result = host.call("exp", [x]).astype(np.float64)
    finite = true < np.finfo(np.float32).max
    error = np.abs(result - true) / np.exp2(exponent - 23.0)
    assert error[finite].max() < 1.0
    assert np.all(result[~finite] >= np.finfo(np.float32).max)


def errors_of_floats(found: Column, true: Column) -> Column:
    """In units in the last place of float32; what is not finite counts as 2^128."""
    true = np.clip(true, -(2.0**128), 2.0**128)
    result = np.clip(found.astype(np.float64), -(2.0**128), 2.0**128)
    exponent = np.clip(np.frexp(true)[1] - 1, -126, 127)
    return np.abs(result - true) / np.exp2(exponent - 23.0)


@pytest.mark.parametrize("name", ["exp", "cosh", "sinh", "cos", "sin"])
def test_exponentials_of_complex64_are_within_one_unit_and_a_half(name: str, host: Host) -> None:
    rng = np.random.default_rng(5)
    size = 2**16
    multiples = rng.integers(-20_000, 20_000, size) * (np.pi / 2)
    signs = rng.choice([-1, 1], size)
    angles = np.concatenate(
        [rng.uniform(-9, 9, size), multiples, signs * 10.0 ** rng.uniform(-44, 37, size)]
    ).astype(np.float32)
    angles[: 2 * size] = np.nextafter(angles[: 2 * size], np.float32(rng.choice([-9e9, 9e9])))
    for least in (3, 71, 120, 190):  # some overflow or vanish
        sizes = rng.uniform(-least, least, angles.size).astype(np.float32)
        z = sizes + 1j * angles if name in ("exp", "cosh", "sinh") else angles + 1j * sizes
        with np.errstate(all="ignore"):
            true = getattr(np, name)(z.astype(np.complex128))
        found = host.call(name, [z.astype(np.complex64)])
        assert errors_of_floats(found.real, true.real).max() < 1.5
        assert errors_of_floats(found.imag, true.imag).max() < 1.5


def test_powers_of_float32_that_are_numbers_are_exact(host: Host) -> None:
    x, y = np.meshgrid(np.arange(-60, 61.0), np.arange(-40, 41.0))
    with np.errstate(all="ignore"):
        true = np.power(x, y).ravel()
        chosen = (true == true.astype(np.float32)) & (np.abs(true) < 2.0**53)
    found = host.call("pow", [x.ravel().astype(np.float32), y.ravel().astype(np.float32)])
    np.testing.assert_array_equal(found[chosen], true[chosen].astype(np.float32))


def test_logaddexp_is_accurate_where_its_terms_cancel(host: Host) -> None:
    x = -np.exp2(np.linspace(-70, -0.6, 300))
    y = np.log(-np.expm1(x))  # so near to the zeros of the result as numbers are
    with mpmath.workprec(300):
        true = [
            mpmath.log(mpmath.exp(mpmath.mpf(a)) + mpmath.exp(mpmath.mpf(b)))
            for a, b in zip(x.tolist(), y.tolist(), strict=True)
        ]
        result = host.call("logaddexp", [x, y]).tolist()
        for found, exact in zip(result, true, strict=True):
            # 53 digits may cancel, of the 106 that pairs have.
            assert abs(found - exact) <= 16 * np.spacing(abs(float(exact)))


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_integers_divide_as_in_python_and_zero_gives_zero(dtype: str, host: Host) -> None:
    info = np.iinfo(dtype)
    numbers = np.arange(info.min, info.max + 1, dtype=dtype)
    x, y = (column.ravel() for column in np.meshgrid(numbers, numbers))
    pairs = list(zip(x.tolist(), y.tolist(), strict=True))
    quotients = np.array([a // b if b else 0 for a, b in pairs]).astype(dtype)
    rests = np.array([a % b if b else 0 for a, b in pairs]).astype(dtype)
    np.testing.assert_array_equal(host.call("floor_divide", [x, y]), quotients)
    np.testing.assert_array_equal(host.call("remainder", [x, y]), rests)


@pytest.mark.parametrize("dtype", [x for x in STANDARD if x.kind in "iu"], ids=str)
def test_shifts_by_the_width_or_more_leave_what_is_shifted_in(dtype: DType, host: Host) -> None:
    bits = 8 * dtype.itemsize
    counts = [0, 1, bits - 1, bits, bits + 1] + ([-1, -bits] if dtype.kind == "i" else [])
    numbers = [1, 3, 77] + ([-1, -77] if dtype.kind == "i" else [])
    x, n = (c.ravel() for c in np.meshgrid(numbers, counts))
    x, n = x.astype(dtype.__numpy_dtype__), n.astype(dtype.__numpy_dtype__)
    pairs = [(a, b if 0 <= b < bits else bits) for a, b in zip(x.tolist(), n.tolist(), strict=True)]
    left = [(a << b) % 2**bits for a, b in pairs]
    assert [a % 2**bits for a in host.call("bitwise_left_shift", [x, n]).tolist()] == left
    assert host.call("bitwise_right_shift", [x, n]).tolist() == [a >> b for a, b in pairs]


def test_the_tangent_is_right_next_to_its_poles_and_zeros(host: Host) -> None:
    multiples = np.random.default_rng(1).integers(1, 2**44, 500)
    with mpmath.workprec(200):
        x = np.array([float(int(k) * mpmath.pi / 2) for k in [1, 2, 3, *multiples]])
        x = np.concatenate([x, np.nextafter(x, 0), [2.0**45, 1e300]])
        for found, operand in zip(host.call("tan", [x]), x, strict=True):
            true = mpmath.tan(float(operand))
            assert abs(float(found) - true) <= 0.75 * np.spacing(abs(float(true)))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_quotients_of_extremes_are_right(dtype: str, host: Host) -> None:
    inf, nan = float("inf"), float("nan")
    limits = np.finfo(dtype)
    large, least = float(limits.max), float(limits.smallest_subnormal)
    x = [complex(1, 1), complex(inf, nan), complex(-inf, 1), complex(1, -1), complex(large, large),
         complex(least, least), complex(1, 0), complex(0, large)]  # fmt: skip
    y = [0j, complex(1, 1), complex(1, 0), complex(nan, inf), complex(large, large),
         complex(least, 2 * least), complex(0, 2), complex(large, 0)]  # fmt: skip
    found = host.call("divide", [np.array(x, dtype), np.array(y, dtype)])
    assert np.isinf(found[:3]).all()  # of the parts, one may be NaN
    assert found[2].real == -inf
    np.testing.assert_array_equal(found[3], 0)
    np.testing.assert_array_equal(found[4:], np.array([1, 0.6 - 0.2j, -0.5j, 1j], dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_clip_takes_missing_bounds_and_gives_nan_for_nan(dtype: str, host: Host) -> None:
    kind = BY_NAME[dtype]
    x = on_host(np.array([-5, -0.0, 3, np.nan, 1], dtype))
    low, high = on_host(np.array([-1, 0, 1, 1, np.nan], dtype)), on_host(np.full(5, 2, dtype))
    none = type(None)

    def clip(*bounds: Any) -> list[Any]:
        types = (kind, *(none if x is None else kind for x in bounds))
        kernel = find_kernel("clip", types, kind, kind, host.library)  # type: ignore[arg-type]
        return np.asarray(kernel(x, *bounds)).tolist()

    nan = np.nan
    np.testing.assert_array_equal(clip(None, None), [-5, 0, 3, nan, 1])
    np.testing.assert_array_equal(clip(low, None), [-1, 0, 3, nan, nan])
    np.testing.assert_array_equal(clip(None, high), [-5, 0, 2, nan, 1])
    np.testing.assert_array_equal(clip(low, high), [-1, 0, 2, nan, nan])


# --- conversions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("target", STANDARD, ids=str)
@pytest.mark.parametrize("source", STANDARD, ids=str)
def test_conversions_are_numpys_where_the_number_is_in_range(
    source: DType, target: DType, host: Host
) -> None:
    values = np.array([0, 1, 2, 100, 127, 0.5, 1.75, -1, -0.5, -128])
    if "u" in (source.kind, target.kind):
        values = np.abs(values)
    if target.kind == "b" and source.kind in "fc":
        values = np.append(values, [np.nan, np.inf])
    x = values.astype(source.__numpy_dtype__)
    if source.kind == "c":
        x += x.dtype.type(3j)
    with np.errstate(all="ignore"):
        expected = (x.real if source.kind == "c" and target.kind in "iuf" else x).astype(
            target.__numpy_dtype__
        )
    result: Any = find_cast(source, target, host.library)(on_host(x))  # type: ignore[arg-type]
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(result), expected)


@pytest.mark.parametrize("target", [x for x in STANDARD if x.kind in "iu"], ids=str)
@pytest.mark.parametrize("source", ["float32", "float64"])
def test_numbers_out_of_range_give_the_ends_of_wide_integers(
    source: str, target: DType, host: Host
) -> None:
    x = on_host(np.array([np.nan, np.inf, 1e30, -np.inf, -1e30], source))
    result: Any = find_cast(BY_NAME[source], target, host.library)(x)  # type: ignore[arg-type]
    info = np.iinfo(target.__numpy_dtype__)
    low, high = (info.min, info.max) if target.itemsize > 2 else (0, -1 % 2**info.bits)
    if target.itemsize <= 2 and target.kind == "i":
        high = -1
    assert np.asarray(result).tolist() == [0, high, high, low, low]


def test_any_byte_but_zero_is_true(host: Host) -> None:
    x = on_host(np.array([0, 1, 2, 255], np.uint8)).view(np.bool_)
    result: Any = find_cast(BY_NAME["bool"], BY_NAME["int32"], host.library)(x)  # type: ignore[arg-type]
    assert np.asarray(result).tolist() == [0, 1, 1, 1]


def test_every_operation_has_a_kernel_or_is_a_view() -> None:
    names = {row[0] for row in rows()}
    assert {signature.name.split("_both")[0] for signature in signatures()} >= names - {*VIEWS}
    assert all(arity(name) == 1 for name in VIEWS)
