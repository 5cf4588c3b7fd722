"""The functions that numba compiles: errors, special cases, bits, and when they are compiled."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any
from unittest import mock

import mpmath
import numpy as np
import pytest
from cpu_threads import shared
from jit_numbers import errors, interpolated, same_bits, values
from numr_conformance import special_cases as cases
from numr_conformance.special_values import holds, meets, special_values

import numr_api as xp
from numr_api._backends.cpu import jit
from numr_api._declare import LARGE, large_kernels

Array = np.ndarray[Any, np.dtype[Any]]

numba = pytest.importorskip("numba")
functions = pytest.importorskip("numr_api._backends.cpu.jit_functions")


@pytest.fixture(autouse=True)
def _silent() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def hardest(name: str) -> Array:
    """Numbers close to those at which a function has to be careful."""
    centres = {
        "exp": [0.0, np.log(2) / 2, 88.72284, -87.33654, -103.97208],
        "expm1": [0.0, np.log(2) / 2, -np.log(2) / 2, 88.72284, -17.32868],
        "log": [1.0, 2**0.5, 0.5**0.5, 2.0**-126, 3.4028235e38],
        "log10": [1.0, 2**0.5, 0.5**0.5, 10.0, 1e10, 2.0**-126],
        "asin": [0.5, -0.5, 1.0, -1.0, 0.0],
        # The last is the nearest to a multiple of pi / 2 of all.
        "tan": [0.0, np.pi / 4, np.pi / 2, np.pi, 2.0**23, 2.0**24, 2.0**87, 16367173 * 2.0**72],
    }
    bits = np.asarray(centres[name], dtype=np.float32).view(np.int32)
    near = bits[:, None] + np.arange(-500, 500, dtype=np.int32)
    return near.reshape(-1).view(np.float32)


def numpy_function(name: str) -> Callable[[Any], Any]:
    return getattr(np, name)


# Of those that calculate in float32; all 2^32 numbers were tried.
LARGEST_ERRORS = {"asin": 0.67, "log": 0.85, "log10": 1.32}


@pytest.mark.parametrize("name", jit.NAMES)
def test_errs_by_no_more_than_is_promised(name: str):
    x = np.concatenate([values(8009), hardest(name)])
    found = jit.compiled(name)(x)
    exact = numpy_function(name)(x.astype(np.float64))
    assert found.dtype == np.float32
    assert np.array_equal(np.isnan(found), np.isnan(exact))
    is_number = ~np.isnan(exact)
    assert np.max(errors(found[is_number], exact[is_number])) < LARGEST_ERRORS.get(name, 0.51)
    assert np.array_equal(np.signbit(found[is_number]), np.signbit(exact[is_number]))


@pytest.mark.parametrize("name", jit.NAMES)
def test_special_cases_hold(name: str):
    x = special_values("float32")
    found = jit.compiled(name)(x)
    for row in cases.rows(cases.REAL[name]):
        chosen = meets(row, [x])
        assert chosen.any()
        assert holds(row, [x[chosen]], [found[chosen]]).all(), str(row)


def test_powers_of_ten_have_exact_logarithms():
    powers = np.arange(11)  # float32 has no more
    assert np.array_equal(jit.compiled("log10")((10.0**powers).astype(np.float32)), powers)


# --- bits -----------------------------------------------------------------------------------------


@pytest.fixture(params=jit.NAMES)
def compiled(request: pytest.FixtureRequest) -> Any:
    return jit.compiled(request.param)


def test_bits_are_the_same_wherever_an_element_stands(compiled: Any):
    x = np.random.default_rng(1).permutation(np.resize(values(2_000_003), 2500))
    one_by_one = np.concatenate([compiled(x[i : i + 1]) for i in range(x.size)])
    assert same_bits(compiled(x), one_by_one)
    for length in range(1, 70):
        for start in (0, 1, 2, 3, 7):
            part = slice(start, start + length)
            assert same_bits(compiled(x[part]), one_by_one[part])
    for step in (2, 3, -1, -2):
        assert same_bits(compiled(x[::step]), one_by_one[::step])
    memory = bytearray(4 * x.size + 1)
    unaligned = np.frombuffer(memory, np.float32, x.size, offset=1)
    unaligned[...] = x
    assert same_bits(compiled(unaligned), one_by_one)
    assert same_bits(compiled(x.reshape(50, 50).T), one_by_one.reshape(50, 50).T)
    assert same_bits(compiled(x[3].reshape(())), one_by_one[3])


def test_bits_are_the_same_in_arrays_of_all_layouts(compiled: Any):
    x = np.resize(values(2_000_003), 6000)
    expected = compiled(x)
    cubes = (x.reshape(10, 20, 30), expected.reshape(10, 20, 30))
    for axes in permutations(range(3)):
        for gaps in ((1, 1, 2), (1, 3, 1), (-1, 1, 1), (2, -1, 3)):
            operand, wanted = (
                cube.transpose(axes)[tuple(slice(None, None, gap) for gap in gaps)]
                for cube in cubes
            )
            for kernel in (compiled, jit.gapless(compiled)):
                assert same_bits(kernel(operand), wanted)
    repeated, wanted = (
        np.broadcast_to(row[:, None, :], (10, 4, 600))
        for row in (x.reshape(10, 600), expected.reshape(10, 600))
    )
    for kernel in (compiled, jit.gapless(compiled)):
        assert same_bits(kernel(repeated), wanted)
        assert same_bits(kernel(repeated.T), wanted.T)


def test_bits_are_the_same_when_written_to_an_array(compiled: Any):
    kernel = jit.gapless(compiled)
    x = np.resize(values(2_000_003), 5000)
    expected = compiled(x)
    for out in (np.empty(5000, "f4"), np.empty(10000, "f4")[::2], np.empty(5000, "f4")[::-1]):
        assert same_bits(kernel(x, out=out), expected)
        assert same_bits(out, expected)
    square = x.reshape(50, 100)
    for out in (np.empty((50, 100), "f4", order="F"), np.empty((50, 200), "f4")[:, ::2]):
        assert same_bits(kernel(square, out=out), expected.reshape(50, 100))
    every_other = np.repeat(x, 2)[::2]
    assert same_bits(kernel(every_other, out=every_other), expected)
    moved = np.append(x, x[:1])
    assert same_bits(kernel(moved[:-1], out=moved[1:]), expected)


@pytest.mark.parametrize("name", jit.NAMES)
def test_arrays_of_all_sizes_meet_the_compiled_function(name: str):
    x = np.resize(values(1_000_003), 4 * LARGE)
    expected = jit.compiled(name)(x)
    function = getattr(xp, name)
    assert same_bits(function(xp.asarray(x[:7])), expected[:7])
    with shared() as jobs:
        assert same_bits(function(xp.asarray(x)), expected)
        assert same_bits(function(xp.asarray(x[::-1])), expected[::-1])
        square = x.reshape(4, -1)[:, ::3]
        assert same_bits(function(xp.asarray(square)), expected.reshape(4, -1)[:, ::3])
        assert len(jobs) == 3


# --- coefficients ---------------------------------------------------------------------------------


def over_root(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: function(mpmath.sqrt(x)) / mpmath.sqrt(x)


HALF_PI = mpmath.pi / 2
POLYNOMIALS: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "EXPONENTIAL": (lambda x: mpmath.powm1(2, x) / x if x else mpmath.log(2), -0.5, 0.5),
    "LOGARITHM": (lambda x: (mpmath.log1p(x) - x) / x**2, 0.5**0.5 - 1, 2**0.5 - 1),
    "ARCSINE": (over_root(lambda x: (mpmath.asin(x) - x) / x**2), 0, 0.25),
    "SINE": (over_root(lambda x: mpmath.sin(HALF_PI * x)), 0, 0.25),
    "COSINE": (lambda x: mpmath.cos(HALF_PI * mpmath.sqrt(x)), 0, 0.25),
}


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_interpolate_at_the_points_of_chebyshev(name: str):
    function, low, high = POLYNOMIALS[name]
    coefficients = getattr(functions, name)
    assert coefficients == pytest.approx(
        interpolated(function, low, high, len(coefficients)), rel=1e-12
    )


def test_bits_of_two_over_pi():
    with mpmath.workprec(400):
        expected = int(mpmath.floor(2 / mpmath.pi * 2**255))
    assert sum(int(x) << 64 * (3 - i) for i, x in enumerate(functions.TWO_OVER_PI)) == expected


# --- when -----------------------------------------------------------------------------------------

SAY = """
import sys
import numpy as np
import numr_api as xp
x = xp.asarray(np.float32([1.0, 2.0]))
xp.exp(xp.astype(x, xp.float64)), xp.sin(x)
before = "numba" in sys.modules
y = xp.exp(x)
from numr_api._backends.cpu import jit
compiled = bool(jit.compiled.cache_info().currsize)
print(before, "numba" in sys.modules, compiled, jit.state().split()[0])
"""
WITHOUT = "import sys; sys.modules['numba'] = None\n"
BROKEN = "import sys; sys.path.insert(0, {folder!r})\n"


def test_numba_is_imported_when_first_needed(run_python: Callable[..., str]):
    for environment in ({}, {"NUMR_API_JIT": "1"}):
        assert run_python(SAY, **environment) == "False True True numba"


def test_environment_switches_compilation_off(run_python: Callable[..., str]):
    assert run_python(SAY, NUMR_API_JIT="0") == "False False False none;"


def test_other_settings_are_refused(run_python: Callable[..., str]):
    assert "ValueError: NUMR_API_JIT: needs 0 or 1, got 'on'" in run_python(SAY, NUMR_API_JIT="on")


def test_nothing_is_compiled_without_numba(run_python: Callable[..., str]):
    assert run_python(WITHOUT + SAY).endswith(" False none;")
    assert "ImportError: NUMR_API_JIT=1 needs numba" in run_python(WITHOUT + SAY, NUMR_API_JIT="1")


def test_nothing_is_compiled_by_a_numba_that_cannot_be_imported(
    run_python: Callable[..., str], tmp_path: Any
):
    (tmp_path / "numba.py").write_text("raise ImportError('Numba needs another NumPy')")
    code = BROKEN.format(folder=str(tmp_path)) + SAY
    assert run_python(code).endswith(" False none;")
    assert "Numba needs another NumPy" in run_python(code, NUMR_API_JIT="1")


def test_nothing_is_compiled_for_a_processor_that_would_call_a_function_for_fma(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(jit.platform, "machine", lambda: "x86_64")
    assert jit.obstacle.__wrapped__() == ""
    monkeypatch.setattr(jit, "has_feature", lambda *names: False)
    assert "multiply and add" in jit.obstacle.__wrapped__()


def test_functions_are_compiled_where_no_folder_can_be_written(monkeypatch: pytest.MonkeyPatch):
    vectorize = numba.vectorize

    def without_folder(*arguments: Any, **options: Any) -> Any:
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return vectorize(*arguments, **options)

    monkeypatch.setattr(numba, "vectorize", without_folder)
    x = values(1_000_003)
    with mock.patch.dict(large_kernels):
        made = jit.compiled.__wrapped__("exp")
    assert same_bits(made(x), jit.compiled("exp")(x))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_process_and_threads_compile_as_any_other(run_python: Callable[..., str]):
    code = """if True:
        import os
        from concurrent.futures import ThreadPoolExecutor
        import numpy as np
        import numr_api as xp
        x = xp.asarray(np.linspace(0, 1, 100, dtype=np.float32))
        expected = np.asarray(xp.exp(x)).tobytes()
        child = os.fork()
        if not child:
            right = np.asarray(xp.exp(x)).tobytes() == expected
            right = right and abs(float(xp.tan(x)[-1]) - np.tan(1)) < 1e-6
            os._exit(0 if right else 1)
        with ThreadPoolExecutor(4) as pool:
            results = [np.asarray(y).tobytes() for y in pool.map(xp.expm1, [x] * 8)]
        print(os.waitpid(child, 0)[1], len(set(results)))
    """
    assert run_python(code, NUMR_API_JIT="1") == "0 1"
