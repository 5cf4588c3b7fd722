"""Numbers of 16 and 8 bits in the cuda device's kernels, which are compiled for the host."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from half_samples import all_of, assert_same, rounded, samples
from host_kernels import COMPILER, HostLibrary, on_host, twice
from kernel_rows import accepted, arity, result_of

import numr_api as xp
from numr_api._backends.cuda import scans
from numr_api._backends.cuda.compaction import Compaction
from numr_api._backends.cuda.copies import Copies
from numr_api._backends.cuda.elementwise import find_cast, find_kernel
from numr_api._backends.cuda.elementwise_rows import VIEWS, names
from numr_api._backends.cuda.narrow import rounded as rounded_in_python
from numr_api._backends.cuda.reductions import find_kernel as find_reduction
from numr_api._backends.cuda.scans import Scans
from numr_api._dtypes import ALL, BY_NAME, EIGHTHS, EXTENSIONS, HALVES, DType

# Of signalling NaN, which are among all numbers.
pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")

BOOL, FLOAT32, FLOAT64, INT64 = (BY_NAME[x] for x in ("bool", "float32", "float64", "int64"))
PAIRS = [(x, y) for x in ALL for y in ALL if x in EXTENSIONS or y in EXTENSIONS]
PAIR_IDS = [f"{x}-{y}" for x, y in PAIRS]
OPERATIONS = [name for name in names() if name not in (*VIEWS, "where", "clip")]
OF_HALVES = [(name, dtype) for name in OPERATIONS for dtype in accepted(name, HALVES)]
ELEMENTARY = {  # of which two libraries may differ in the last bits of float32
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "exp", "expm1",
    "hypot", "log", "log10", "log1p", "log2", "logaddexp", "pow", "sin", "sinh", "tan", "tanh",
}  # fmt: skip


def cpu(x: Any) -> Any:
    return xp.asarray(np.asarray(x))


def numpy_of(x: Any) -> Any:
    return np.asarray(x)


# --- conversions ----------------------------------------------------------------------------------


def convertible(source: DType, target: DType) -> Any:
    """Numbers of which conversion is defined."""
    numbers = samples(source)
    if target.kind in "iu":
        info = np.iinfo(target.__numpy_dtype__)
        with np.errstate(all="ignore"):
            values = numbers.astype(np.float64)
            fit = (values > info.min - 0.5) & (values < float(info.max))
        return numbers[fit]
    return numbers


@pytest.fixture(scope="module")
def conversions(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[DType, DType], Any]:
    def results(library: HostLibrary) -> dict[tuple[DType, DType], Any]:
        given: Any = library
        return {
            (source, target): find_cast(source, target, given)(on_host(convertible(source, target)))
            for source, target in PAIRS
        }

    return twice(tmp_path_factory.mktemp("conversions"), results)


@needs_compiler
@pytest.mark.parametrize(("source", "target"), PAIRS, ids=PAIR_IDS)
def test_conversions_round_once(source: DType, target: DType, conversions: Any) -> None:
    numbers = convertible(source, target)
    if source.kind == "c" and target.kind != "c":
        numbers = numbers.real if target.kind != "b" else numbers != 0
    if source is target:
        expected = numbers
    elif target.kind in "biu":
        expected = numbers.astype(np.float64).astype(target.__numpy_dtype__)
    else:
        expected = rounded(numbers, target)
    assert_same(conversions[source, target], expected)


@pytest.mark.parametrize("dtype", EXTENSIONS, ids=str)
def test_python_scalars_are_rounded_once(dtype: DType) -> None:
    for number in samples(FLOAT64)[::3].tolist():
        found = rounded_in_python(number, dtype)
        (expected,) = rounded([number], dtype).astype(np.float64)
        assert found == expected or (math.isnan(found) and math.isnan(expected)), number
        assert math.copysign(1, found) == math.copysign(1, expected) or math.isnan(found)
    for number in samples(INT64)[::5].tolist():
        (expected,) = rounded(np.array([number], np.int64), dtype).astype(np.float64)
        found = rounded_in_python(number, dtype)
        assert found == expected or (math.isnan(found) and math.isnan(expected)), number
    assert rounded_in_python(2**60 + 2**52 + 1, BY_NAME["bfloat16"]) == 2**60 + 2**53


# --- element by element ---------------------------------------------------------------------------


def operands(name: str, dtype: DType) -> list[Any]:
    numbers = all_of(dtype)
    random = np.random.default_rng(1)
    return [numbers, *(random.permutation(numbers) for _ in range(arity(name) - 1))]


@pytest.fixture(scope="module")
def elementwise(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, DType], Any]:
    def results(library: HostLibrary) -> dict[tuple[str, DType], Any]:
        given: Any = library
        return {
            (name, dtype): find_kernel(
                name, (dtype,) * arity(name), dtype, result_of(name, dtype), given
            )(*map(on_host, operands(name, dtype)))
            for name, dtype in OF_HALVES
        }

    return twice(tmp_path_factory.mktemp("elementwise"), results)


@needs_compiler
@pytest.mark.parametrize(("name", "dtype"), OF_HALVES, ids=lambda x: str(x))
def test_operations_are_those_of_float32_rounded_once(
    name: str, dtype: DType, elementwise: Any
) -> None:
    found = elementwise[name, dtype]
    expected = numpy_of(getattr(xp, name)(*map(cpu, operands(name, dtype))))
    if name not in ELEMENTARY:
        assert_same(found, expected)
        return
    ours, theirs = (np.asarray(x).view(np.int16).astype(np.int64) for x in (found, expected))
    apart = np.abs(np.where(ours < 0, -(ours & 0x7FFF), ours)
                   - np.where(theirs < 0, -(theirs & 0x7FFF), theirs))  # fmt: skip
    apart[np.isnan(found.astype(np.float32)) & np.isnan(expected.astype(np.float32))] = 0
    assert apart.max() <= 1
    assert np.count_nonzero(apart) <= 50


def matrix(dtype: DType, *shape: int) -> Any:
    return rounded(np.random.default_rng(2).standard_normal(shape) * 8, dtype)


def views(dtype: DType) -> dict[str, tuple[Any, Any]]:
    """Two operands in the ways in which kernels reach them."""
    a, b = matrix(dtype, 40, 72), matrix(dtype, 72, 40)
    return {
        "whole": (on_host(a), on_host(a[::-1].copy())),
        "unaligned": (on_host(a, 2), on_host(a)),
        "row": (on_host(a), on_host(a[0])),
        "column": (on_host(a), on_host(a[:, :1].copy())),
        "row of uneven length": (on_host(a)[:, :71], on_host(a)[1:2, 1:]),
        "transposed": (on_host(a), on_host(b).T),
        "strided": (on_host(a)[::2, ::-3], on_host(a)[1::2, ::3]),
    }


@pytest.fixture(scope="module")
def layouts(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    def results(library: HostLibrary) -> dict[Any, Any]:
        given: Any = library
        found: dict[Any, Any] = {}
        for dtype in HALVES:
            add = find_kernel("add", (dtype, dtype), dtype, dtype, given)
            wider = find_kernel("multiply", (dtype, FLOAT32), FLOAT32, FLOAT32, given)
            for name, (x, y) in views(dtype).items():
                found[dtype, name] = x, y, add(x, y)
                z = on_host(y.astype(np.float32))
                found[dtype, name, "float32"] = x, z, wider(x, z)
            x = on_host(matrix(dtype, 41, 5))
            for name, scalars in {"sum": (x, 0.1), "reversed": (300.7, x), "int": (x, 7)}.items():
                types = tuple(dtype if s is x else type(s) for s in scalars)
                kernel = find_kernel("add", types, dtype, dtype, given)
                found[dtype, "scalar", name] = kernel(*scalars)
        for dtype in EXTENSIONS:
            x = on_host(all_of(dtype)[:256])
            mask = on_host(np.arange(256) % 3 == 0)
            chosen = find_kernel("where", (BOOL, dtype, float), dtype, dtype, given)
            equal = find_kernel("equal", (dtype, dtype), dtype, BOOL, given)
            found[dtype, "where"] = chosen(mask, x, -2.7)
            found[dtype, "equal"] = equal(x, on_host(np.roll(np.asarray(x), 1)))
            target = on_host(all_of(dtype)[:60])
            Copies(given).fill(target[::2], 0.3)
            found[dtype, "fill"] = target
        return found

    return twice(tmp_path_factory.mktemp("layouts"), results)


@needs_compiler
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_operands_may_lie_in_any_way(dtype: DType, layouts: Any) -> None:
    for name in views(dtype):
        x, y, found = layouts[dtype, name]
        assert_same(found, rounded(x.astype(np.float32) + y.astype(np.float32), dtype))
        x, y, found = layouts[dtype, name, "float32"]
        assert_same(found, x.astype(np.float32) * np.asarray(y))


@needs_compiler
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_scalars_are_rounded_before_they_are_added(dtype: DType, layouts: Any) -> None:
    x = matrix(dtype, 41, 5).astype(np.float32)
    for name, scalar in {"sum": 0.1, "reversed": 300.7, "int": 7.0}.items():
        near = rounded(scalar, dtype).astype(np.float32)
        assert_same(layouts[dtype, "scalar", name], rounded(x + near, dtype))


@needs_compiler
@pytest.mark.parametrize("dtype", EXTENSIONS, ids=str)
def test_elements_are_chosen_compared_and_filled(dtype: DType, layouts: Any) -> None:
    x = all_of(dtype)[:256]
    wide = x.astype(np.float32)
    expected = np.where(np.arange(256) % 3 == 0, x, rounded(-2.7, dtype))
    assert_same(layouts[dtype, "where"], expected)
    assert_same(layouts[dtype, "equal"], wide == np.roll(wide, 1))
    filled = all_of(dtype)[:60]
    filled[::2] = rounded(0.3, dtype)
    assert_same(layouts[dtype, "fill"], filled)


# --- along axes -----------------------------------------------------------------------------------

SHAPES = [(1000,), (9, 300), (130, 37), (3, 20, 24)]
REDUCTIONS = ("sum", "mean", "prod", "max", "min", "argmax", "argmin", "any", "all",
              "count_nonzero", "var", "std")  # fmt: skip


def reduced(dtype: DType, shape: tuple[int, ...], operation: str) -> Any:
    numbers = np.random.default_rng(3).standard_normal(shape)
    if operation == "prod":
        numbers = 1 + numbers / 64
    if operation in ("any", "all", "count_nonzero"):
        numbers = numbers * (np.abs(numbers) > 0.3)
    return rounded(numbers, dtype)


@pytest.fixture(scope="module")
def reductions(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    def results(library: HostLibrary) -> dict[Any, Any]:
        given: Any = library
        found: dict[Any, Any] = {}
        for dtype in HALVES:
            for operation in REDUCTIONS:
                result = {"any": BOOL, "all": BOOL}.get(operation, dtype)
                if operation in ("argmax", "argmin", "count_nonzero"):
                    result = INT64
                kernel = find_reduction(operation, dtype, result, given)
                for shape in SHAPES:
                    data = on_host(reduced(dtype, shape, operation))
                    for axis in range(len(shape)):
                        found[dtype, operation, shape, axis] = kernel(data, (axis,), False, 7.0)
            data = on_host(reduced(dtype, (9, 300), "sum"))
            wider = find_reduction("sum", dtype, FLOAT64, given)
            found[dtype, "sum", FLOAT64] = wider(data, (1,), False)
            narrower = find_reduction("sum", FLOAT32, dtype, given)
            wide = on_host(np.asarray(data).astype(np.float32))
            found[dtype, "sum", FLOAT32] = narrower(wide, (1,), False)
        for dtype in EIGHTHS:
            data = on_host(all_of(dtype).reshape(2, 128))
            found[dtype, "any"] = find_reduction("any", dtype, BOOL, given)(data, (0,), False)
        return found

    return twice(tmp_path_factory.mktemp("reductions"), results)


@needs_compiler
@pytest.mark.parametrize("operation", REDUCTIONS)
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_reductions_are_rounded_once(dtype: DType, operation: str, reductions: Any) -> None:
    for shape in SHAPES:
        numbers = reduced(dtype, shape, operation).astype(np.float64)
        for axis in range(len(shape)):
            found = reductions[dtype, operation, shape, axis]
            if operation in ("var", "std"):
                squares = ((numbers - numbers.mean(axis, keepdims=True)) ** 2).sum(axis) / 7.0
                expected = squares if operation == "var" else np.sqrt(squares)
            else:
                expected = getattr(np, operation)(numbers, axis=axis)
            if expected.dtype.kind == "f":
                # What parts of sums in float32 lose may tip a number that is nearly halfway.
                near = rounded(expected * (1 - 2.0**-20), dtype).astype(np.float64)
                far = rounded(expected * (1 + 2.0**-20), dtype).astype(np.float64)
                values = found.astype(np.float64)
                slack = 2.0**-16 * (operation in ("sum", "mean"))
                low, high = np.minimum(near, far) - slack, np.maximum(near, far) + slack
                assert found.dtype == dtype.__numpy_dtype__
                assert ((low <= values) & (values <= high)).all(), (shape, axis)
                assert (values == rounded(expected, dtype).astype(np.float64)).mean() > 0.9
            else:
                np.testing.assert_array_equal(found, expected)


@needs_compiler
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_sums_in_another_dtype(dtype: DType, reductions: Any) -> None:
    numbers = reduced(dtype, (9, 300), "sum").astype(np.float64)
    np.testing.assert_allclose(reductions[dtype, "sum", FLOAT64], numbers.sum(1), rtol=1e-6)
    assert reductions[dtype, "sum", FLOAT64].dtype == np.float64
    assert_same(reductions[dtype, "sum", FLOAT32], rounded(numbers.sum(1), dtype))


@needs_compiler
@pytest.mark.parametrize("dtype", EIGHTHS, ids=str)
def test_any_of_numbers_of_eight_bits(dtype: DType, reductions: Any) -> None:
    expected = (all_of(dtype).reshape(2, 128).astype(np.float32) != 0).any(0)
    np.testing.assert_array_equal(reductions[dtype, "any"], expected)


@needs_compiler
@pytest.mark.parametrize("operation", ["cumulative_sum", "cumulative_prod"])
def test_scans_are_rounded_once(
    operation: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, small in {"SHORT_ROW": 256, "MANY_ROWS": 20, "MANY_COLUMNS": 200}.items():
        monkeypatch.setattr(scans, name, small)
    cases: list[tuple[tuple[int, ...], int]] = [
        ((20000,), 0), ((40000,), 0), ((21, 70), 1), ((25, 300), 1), ((3, 200), 1), ((70, 9), 0),
        ((400, 3), 0), ((4, 50, 3), 1), ((300, 3), 1),
    ]  # fmt: skip

    def numbers(dtype: DType, shape: tuple[int, ...]) -> Any:
        # Sums are exact in float32, but not in 16 bits.
        count = math.prod(shape)
        values = np.arange(count) * 7919 % 23 - 10.0
        if operation == "cumulative_prod":
            values = np.where(np.arange(count) % 5 == 0, 1.5, 1.0)
            values[count // 2 :] = np.where(np.arange(count - count // 2) % 5 == 0, 0.5, 1.0)
            values[40:] = np.sign(values[40:] - 0.75)  # so that products stay exact
        return rounded(values, dtype).reshape(shape)

    def results(library: HostLibrary) -> dict[Any, Any]:
        given: Any = library
        runner = Scans(Copies(given), given)
        return {
            (dtype, shape, axis, at): runner.scan(
                operation, on_host(numbers(dtype, shape), at), axis
            )
            for dtype in HALVES
            for shape, axis in cases
            for at in (0, 2)
        }

    for (dtype, shape, axis, _), found in twice(tmp_path, results).items():
        exact = numbers(dtype, shape).astype(np.float64)
        sums = np.cumsum if operation == "cumulative_sum" else np.cumprod
        assert_same(found, rounded(sums(exact, axis=axis), dtype))


# --- masks ----------------------------------------------------------------------------------------


@needs_compiler
def test_masks_choose_numbers_of_any_size(tmp_path: Any) -> None:
    def results(library: HostLibrary) -> dict[Any, Any]:
        given: Any = library
        copies = Copies(given)
        masks = Compaction(Scans(copies, given), copies, lambda: None, given)
        found: dict[Any, Any] = {}
        for dtype in EXTENSIONS:
            x = on_host(all_of(dtype)[:200])
            mask = on_host(np.arange(200) % 3 == 1)
            found[dtype, "compress"] = masks.compress(x, mask)
            (found[dtype, "nonzero"],) = masks.nonzero(x)
            masks.assign(x, mask, 0.3)
            masks.assign(x, on_host(np.arange(200) < 4), on_host(np.arange(4.0)))
            found[dtype, "assign"] = x
        return found

    found = twice(tmp_path, results)
    for dtype in EXTENSIONS:
        x, mask = all_of(dtype)[:200], np.arange(200) % 3 == 1
        assert_same(found[dtype, "compress"], x[mask])
        np.testing.assert_array_equal(found[dtype, "nonzero"], x.astype(np.float32).nonzero()[0])
        x[mask] = rounded(0.3, dtype)
        x[:4] = rounded(np.arange(4.0), dtype)
        assert_same(found[dtype, "assign"], x)
