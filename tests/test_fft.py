"""The fft extension: values, shapes, dtypes and refusals."""

from __future__ import annotations

import cmath
import math
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api import fft

REAL = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
NORMS = ["backward", "ortho", "forward"]
LENGTHS = [1, 2, 3, 4, 5, 8, 12, 17, 30]

ONE: dict[str, Callable[..., Any]] = {
    name: getattr(fft, name) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
}
SEVERAL: dict[str, Callable[..., Any]] = {
    name: getattr(fft, name) for name in ("fftn", "ifftn", "rfftn", "irfftn")
}
TRANSFORMS = ONE | SEVERAL
FROM_REAL = {"rfft", "ihfft", "rfftn"}
TO_REAL = {"irfft", "hfft", "irfftn"}


def numbers(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray[Any, Any]:
    """Random numbers, about normal."""
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return np.asarray(values, dtype=dtype)


def sample(name: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return numbers(shape, "float64" if name in FROM_REAL else "complex128")


def transformed(values: list[complex], sign: int) -> list[complex]:
    """By the definition, without a factor; each angle exact to a rounding."""
    n = len(values)
    angles = [cmath.exp(sign * 2j * math.pi * k / n) for k in range(n)]
    products = [[v * angles[m * k % n] for m, v in enumerate(values)] for k in range(n)]
    return [complex(math.fsum(p.real for p in q), math.fsum(p.imag for p in q)) for q in products]


def factor(norm: str, n: int, inverse: bool) -> float:
    exponent = {"backward": float(inverse), "ortho": 0.5, "forward": float(not inverse)}[norm]
    return float(n) ** -exponent


def assert_close(actual: Any, expected: Any, dtype: str) -> None:
    """Equal up to a few roundings, relative to the norm, as is usual for transforms."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    assert actual.dtype == np.dtype(dtype)
    error = np.linalg.norm((actual.astype(complex) - expected).reshape(-1))
    assert error <= 8 * np.finfo(dtype).eps * np.linalg.norm(expected.reshape(-1))


# Values


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_fft_and_ifft_agree_with_their_definition(norm: Any, n: int, dtype: str) -> None:
    x = numbers((n,), dtype)
    forward = np.array(transformed(x.tolist(), -1)) * factor(norm, n, inverse=False)
    inverse = np.array(transformed(x.tolist(), 1)) * factor(norm, n, inverse=True)
    assert_close(fft.fft(xp.asarray(x), norm=norm), forward, dtype)
    assert_close(fft.ifft(xp.asarray(x), norm=norm), inverse, dtype)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize(("real", "paired"), list(zip(REAL, COMPLEX, strict=True)))
def test_transforms_of_real_numbers_are_the_first_half(
    norm: Any, n: int, real: str, paired: str
) -> None:
    x = numbers((n,), real)
    half = n // 2 + 1
    forward = np.array(transformed(x.tolist(), -1))[:half] * factor(norm, n, inverse=False)
    inverse = np.array(transformed(x.tolist(), 1))[:half] * factor(norm, n, inverse=True)
    assert_close(fft.rfft(xp.asarray(x), norm=norm), forward, paired)
    assert_close(fft.ihfft(xp.asarray(x), norm=norm), inverse, paired)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize(("real", "paired"), list(zip(REAL, COMPLEX, strict=True)))
def test_transforms_to_real_numbers_take_a_half_for_the_whole(
    norm: Any, n: int, real: str, paired: str
) -> None:
    x = numbers((n // 2 + 1,), paired)
    whole = [complex(v) for v in x]
    whole[0] = whole[0].real  # what a Hermitian spectrum has there; the rest is ignored
    if n % 2 == 0:
        whole[-1] = whole[-1].real
    whole += [v.conjugate() for v in whole[1 : (n + 1) // 2][::-1]]
    assert len(whole) == n
    forward = np.array(transformed(whole, -1)).real * factor(norm, n, inverse=False)
    inverse = np.array(transformed(whole, 1)).real * factor(norm, n, inverse=True)
    assert_close(fft.hfft(xp.asarray(x), n=n, norm=norm), forward, real)
    assert_close(fft.irfft(xp.asarray(x), n=n, norm=norm), inverse, real)
    if n % 2 == 0:
        assert fft.irfft(xp.asarray(x)).shape == fft.hfft(xp.asarray(x)).shape == (n,)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("axes", [None, (0, 1), (2,), [-1, 0], (1, 2, 0)], ids=str)
def test_several_axes_are_one_after_the_other(norm: Any, dtype: str, axes: Any) -> None:
    x = numbers((3, 4, 5), dtype)
    forward = inverse = xp.asarray(x.astype(complex))
    for axis in (0, 1, 2) if axes is None else axes:
        forward = fft.fft(forward, axis=axis, norm=norm)
        inverse = fft.ifft(inverse, axis=axis, norm=norm)
    assert_close(fft.fftn(xp.asarray(x), axes=axes, norm=norm), forward, dtype)
    assert_close(fft.ifftn(xp.asarray(x), axes=axes, norm=norm), inverse, dtype)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("axes", [None, (0, 1), (2,), (-1, 0)], ids=str)
@pytest.mark.parametrize(("real", "paired"), list(zip(REAL, COMPLEX, strict=True)))
def test_several_axes_of_real_numbers_halve_the_last(
    norm: Any, axes: Any, real: str, paired: str
) -> None:
    x = numbers((3, 4, 5), real)
    *rest, last = (0, 1, 2) if axes is None else axes
    expected = fft.rfft(xp.asarray(x.astype("f8")), axis=last, norm=norm)
    expected = fft.fftn(expected, axes=rest, norm=norm) if rest else expected
    spectrum = fft.rfftn(xp.asarray(x), axes=axes, norm=norm)
    assert_close(spectrum, expected, paired)
    numbers_of = (0, 1, 2) if axes is None else axes
    again = fft.irfftn(
        spectrum, s=[x.shape[axis] for axis in numbers_of], axes=numbers_of, norm=norm
    )
    assert_close(again, x, real)


@pytest.mark.parametrize("norm", NORMS)
def test_irfftn_is_ifft_along_all_but_the_last_axis(norm: Any) -> None:
    x = numbers((3, 4, 5), "complex128")
    expected = fft.irfft(fft.ifftn(xp.asarray(x), axes=(0, 1), norm=norm), norm=norm)
    result = fft.irfftn(xp.asarray(x), norm=norm)
    assert result.shape == (3, 4, 8)
    assert_close(result, expected, "float64")


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [6, 7])
def test_inverses_invert(norm: Any, n: int) -> None:
    z, x = xp.asarray(numbers((2, n), "complex128")), xp.asarray(numbers((2, n), "float64"))
    assert_close(fft.ifft(fft.fft(z, norm=norm), norm=norm), z, "complex128")
    assert_close(fft.ifftn(fft.fftn(z, norm=norm), norm=norm), z, "complex128")
    assert_close(fft.irfft(fft.rfft(x, norm=norm), n=n, norm=norm), x, "float64")
    assert_close(fft.hfft(fft.ihfft(x, norm=norm), n=n, norm=norm), x, "float64")


@pytest.mark.parametrize("name", ["fft", "ifft", "fftn", "ifftn"])
@pytest.mark.parametrize(("real", "paired"), list(zip(REAL, COMPLEX, strict=True)))
def test_complex_transforms_take_real_numbers_as_complex(name: str, real: str, paired: str) -> None:
    x = numbers((3, 4), real)
    result = TRANSFORMS[name](xp.asarray(x))
    assert result.dtype == np.dtype(paired)
    assert np.array_equal(
        np.asarray(result), np.asarray(TRANSFORMS[name](xp.asarray(x.astype(paired))))
    )


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("single", [True, False])
def test_large_stacks_agree_with_their_parts(norm: Any, name: str, single: bool) -> None:
    given = (REAL if name in FROM_REAL else COMPLEX)[not single]
    found = (REAL if name in TO_REAL else COMPLEX)[not single]
    x = numbers((60, 8, 30), given)  # each part is small: the cpu then uses another library
    axes = {} if name in ONE else {"axes": (1, 2)}
    expected = np.stack([np.asarray(TRANSFORMS[name](xp.asarray(part), norm=norm)) for part in x])
    assert_close(TRANSFORMS[name](xp.asarray(x), norm=norm, **axes), expected, found)


def test_only_long_transforms_import_scipy() -> None:
    for size, found in ((63, False), ((1000, 10), False), (64, True)):
        call = f"import sys, numr_api as xp; xp.fft.fft(xp.ones({size}))"
        code = f"{call}; assert ('scipy.fft' in sys.modules) is {found}"
        subprocess.run([sys.executable, "-c", code], check=True)


# Lengths and axes


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("n", [1, 3, 4, 5, 9])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_an_axis_is_cut_or_padded_with_zeros(name: str, n: int, axis: int) -> None:
    x = sample(name, (4, 5))
    used = n // 2 + 1 if name in TO_REAL else n
    shape = list(x.shape)
    shape[axis] = 20
    resized = np.zeros(shape, dtype=x.dtype)
    resized[:4, :5] = x
    resized = np.take(resized, range(used), axis=axis)
    result = ONE[name](xp.asarray(x), n=n, axis=axis)
    expected = ONE[name](xp.asarray(resized), axis=axis, **({"n": n} if name in TO_REAL else {}))
    shape[axis] = n // 2 + 1 if name in FROM_REAL else n
    assert result.shape == tuple(shape)
    assert np.array_equal(np.asarray(result), np.asarray(expected))


@pytest.mark.parametrize("name", SEVERAL)
def test_s_gives_the_length_of_each_axis_and_minus_one_keeps_it(name: str) -> None:
    x = xp.asarray(sample(name, (4, 5, 6)))
    last = {"rfftn": 4 // 2 + 1}.get(name, 4)
    assert SEVERAL[name](x, s=(7, 4), axes=(1, 0)).shape == (last, 7, 6)
    kept = {"rfftn": 6 // 2 + 1, "irfftn": 2 * (6 - 1)}.get(name, 6)
    same = SEVERAL[name](x, s=[3, -1], axes=[0, 2])
    assert same.shape == (3, 5, kept)
    full = 2 * (6 - 1) if name == "irfftn" else 6
    explicit = SEVERAL[name](x, s=(3, full), axes=(0, 2))
    assert np.array_equal(np.asarray(same), np.asarray(explicit))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_stacks_of_no_signals_are_fine(name: str) -> None:
    x = xp.asarray(sample(name, (0, 4)))
    result = ONE[name](x) if name in ONE else SEVERAL[name](x, axes=(1,))
    assert result.shape == (0, 3 if name in FROM_REAL else 6 if name in TO_REAL else 4)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_an_axis_without_elements_can_be_padded_but_not_transformed(name: str) -> None:
    x = xp.asarray(sample(name, (2, 0)))
    padded = ONE[name](x, n=4) if name in ONE else SEVERAL[name](x, s=(4,), axes=(1,))
    assert padded.shape == (2, 3 if name in FROM_REAL else 4)
    assert not np.any(np.asarray(padded))
    with pytest.raises(ValueError, match=rf"^fft\.{name}: an axis of length 0 is too short"):
        TRANSFORMS[name](x)


@pytest.mark.parametrize("name", sorted(TO_REAL))
def test_half_a_spectrum_of_one_element_needs_a_length(name: str) -> None:
    x = xp.asarray([3 + 0j])
    with pytest.raises(ValueError, match=rf"^fft\.{name}: an axis of length 1 is too short"):
        TRANSFORMS[name](x)
    given = {"n": 1} if name in ONE else {"s": (1,), "axes": (0,)}
    assert np.asarray(TRANSFORMS[name](x, **given)).tolist() == [3.0]


# What holds for every transform


@pytest.mark.parametrize("name", TRANSFORMS)
def test_memory_layout_does_not_matter_and_input_is_not_changed(name: str) -> None:
    x = sample(name, (3, 4))
    expected = np.asarray(TRANSFORMS[name](xp.asarray(x)))
    wide = np.zeros((3, 8), dtype=x.dtype)
    wide[:, ::2] = x
    for variant in (wide[:, ::2], x[::-1, ::-1].copy()[::-1, ::-1], x.T.copy().T):
        before = variant.copy()
        result = TRANSFORMS[name](xp.asarray(variant))
        assert np.array_equal(variant, before)
        assert_close(result, expected, str(expected.dtype))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_results_can_be_written_to_and_share_nothing(name: str) -> None:
    x = xp.asarray(sample(name, (2, 3)))
    before = np.asarray(x).copy()
    for result in (
        TRANSFORMS[name](x),
        ONE[name](x, n=1) if name in ONE else SEVERAL[name](x, s=(1, 1), axes=(0, 1)),
    ):
        result[...] = 99
        assert np.all(np.asarray(result) == 99)
    assert np.array_equal(np.asarray(x), before)


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("value", [math.nan, math.inf, 1e308])
def test_numbers_beyond_the_finite_give_no_warning(name: str, value: float) -> None:
    x = sample(name, (4, 4))
    x[...] = value
    assert not np.all(np.isfinite(np.asarray(TRANSFORMS[name](xp.asarray(x), norm="forward")))) or (
        value == 1e308
    )


@pytest.mark.parametrize("name", TRANSFORMS)
def test_results_stay_on_the_device(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMR_API_DEVICES", "cpu,fake")
    dtype = "float32" if name in FROM_REAL else "complex64"
    x = xp.asarray(numbers((3, 4), dtype)).to_device("fake:1")  # without float64
    assert TRANSFORMS[name](x).device == "fake:1"


# Refusals


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("dtype", ["bool", "int64", "uint8"])
def test_dtypes_that_are_not_floating_are_refused(name: str, dtype: str) -> None:
    with pytest.raises(TypeError, match=rf"^fft\.{name}: needs a .*floating-point dtype, got "):
        TRANSFORMS[name](xp.asarray(np.ones((2, 2), dtype=dtype)))


@pytest.mark.parametrize("name", sorted(FROM_REAL | TO_REAL))
def test_half_transforms_refuse_the_other_kind(name: str) -> None:
    accepted, dtype = ("real", "complex128") if name in FROM_REAL else ("complex", "float64")
    message = rf"^fft\.{name}: needs a {accepted} floating-point dtype, got {dtype}$"
    with pytest.raises(TypeError, match=message):
        TRANSFORMS[name](xp.asarray(np.ones((2, 2), dtype=dtype)))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_what_is_not_an_array_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^fft\.{name}: expected a numr_api array, got list"):
        TRANSFORMS[name]([1.0, 2.0])


@pytest.mark.parametrize("name", TRANSFORMS)
def test_an_array_without_axes_is_refused(name: str) -> None:
    error = IndexError if name in ONE else ValueError
    with pytest.raises(error, match=rf"^fft\.{name}: "):
        TRANSFORMS[name](xp.asarray(sample(name, ())))


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("norm", ["Backward", "", None, 1])
def test_unknown_norms_are_refused(name: str, norm: Any) -> None:
    with pytest.raises(ValueError, match=rf"^fft\.{name}: norm must be 'backward', 'ortho' or "):
        TRANSFORMS[name](xp.asarray(sample(name, (4,))), norm=norm)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n": 0}, ValueError, "the length of a transform must be 1 or more, got 0"),
        ({"n": -1}, ValueError, "the length of a transform must be 1 or more, got -1"),
        ({"n": 2.0}, TypeError, "a length must be an integer, got float 2.0"),
        ({"n": True}, TypeError, "a length must be an integer, got bool True"),
        ({"axis": 2}, IndexError, "axis 2 is out of bounds for array of dimension 2"),
        ({"axis": -3}, IndexError, "axis -3 is out of bounds"),
        ({"axis": None}, TypeError, "axis must be an integer"),
    ],
    ids=str,
)
def test_wrong_lengths_and_axes_are_refused(
    name: str, parameters: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=rf"^fft\.{name}: {message}"):
        ONE[name](xp.asarray(sample(name, (3, 4))), **parameters)


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"s": (2, 2)}, ValueError, "s is given without axes"),
        ({"s": (2,), "axes": (0, 1)}, ValueError, "1 lengths in s for 2 axes"),
        ({"s": (0, 1), "axes": (0, 1)}, ValueError, "the length of a transform must be 1 or more"),
        ({"s": (-2,), "axes": (0,)}, ValueError, "the length of a transform must be 1 or more"),
        ({"s": (1.5,), "axes": (0,)}, TypeError, "a length must be an integer"),
        ({"s": 3, "axes": (0,)}, TypeError, "s must be a tuple or list, got int 3"),
        ({"axes": 0}, TypeError, "axes must be a tuple or list, got int 0"),
        ({"axes": ()}, ValueError, "needs one axis or more to transform, got none"),
        ({"axes": (0, -2)}, ValueError, "an axis is named twice"),
        ({"axes": (0, 2)}, IndexError, "axis 2 is out of bounds for array of dimension 2"),
    ],
    ids=str,
)
def test_wrong_shapes_of_transforms_are_refused(
    name: str, parameters: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=rf"^fft\.{name}: {message}"):
        SEVERAL[name](xp.asarray(sample(name, (3, 4))), **parameters)


# Frequencies


@pytest.mark.parametrize("n", [*range(1, 12), 1000, 1001])
def test_frequencies_of_unit_spacing_are_rounded_once(n: int) -> None:
    steps = [*range((n + 1) // 2), *range(-(n // 2), 0)]
    assert np.asarray(fft.fftfreq(n)).tolist() == [float(Fraction(k, n)) for k in steps]
    halves = range(n // 2 + 1)
    assert np.asarray(fft.rfftfreq(n)).tolist() == [float(Fraction(k, n)) for k in halves]


@pytest.mark.parametrize("d", [0.1, 3, 1e-300, -2.5, np.float64(0.3)], ids=str)
@pytest.mark.parametrize("dtype", [xp.float32, xp.float64])
def test_frequencies_of_any_spacing_are_close_to_exact(d: float, dtype: Any) -> None:
    if dtype is xp.float32 and abs(d) < 1e-30:
        d = d * 1e270
    n = 9
    for function, steps in (
        (fft.fftfreq, [0, 1, 2, 3, 4, -4, -3, -2, -1]),
        (fft.rfftfreq, range(5)),
    ):
        exact = [float(Fraction(k) / (Fraction(d) * n)) for k in steps]
        result = function(n, d=d, dtype=dtype)
        assert result.dtype == dtype
        eps = np.finfo(np.dtype(dtype)).eps
        np.testing.assert_allclose(np.asarray(result, dtype="f8"), exact, rtol=eps)


@pytest.mark.parametrize("function", [fft.fftfreq, fft.rfftfreq])
def test_frequencies_have_the_devices_default_dtype(
    function: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMR_API_DEVICES", "cpu,fake")
    assert function(4).dtype == xp.float64
    there = function(4, device="fake:1")
    assert there.device == "fake:1"
    assert there.dtype == xp.float32


@pytest.mark.parametrize("function", [fft.fftfreq, fft.rfftfreq])
@pytest.mark.parametrize(
    ("n", "parameters", "error", "message"),
    [
        (0, {}, ValueError, "the length of a transform must be 1 or more, got 0"),
        (4.0, {}, TypeError, "a length must be an integer"),
        (4, {"d": 0.0}, ValueError, "the sample spacing d cannot be 0"),
        (4, {"d": 1j}, TypeError, "expected a float, got complex 1j"),
        (4, {"d": True}, TypeError, "expected a float, got bool True"),
        (4, {"dtype": xp.int64}, TypeError, "needs a real floating-point dtype, got int64"),
        (4, {"dtype": xp.complex64}, TypeError, "needs a real floating-point dtype"),
        (4, {"dtype": float}, TypeError, "dtype must be a numr_api dtype"),
    ],
    ids=str,
)
def test_wrong_frequencies_are_refused(
    function: Any, n: Any, parameters: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=rf"^fft\.{function.__name__}.*: {message}"):
        function(n, **parameters)


# Shifts


@pytest.mark.parametrize("dtype", REAL + COMPLEX)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 6])
def test_fftshift_moves_frequency_zero_to_the_middle(dtype: str, n: int) -> None:
    x = np.arange(n, dtype=dtype)
    shifted = fft.fftshift(xp.asarray(x))
    assert shifted.dtype == np.dtype(dtype)
    assert np.asarray(shifted).tolist() == [x[(k - n // 2) % n] for k in range(n)]
    assert np.asarray(fft.ifftshift(xp.asarray(x))).tolist() == [
        x[(k + n // 2) % n] for k in range(n)
    ]
    assert np.array_equal(np.asarray(fft.ifftshift(shifted)), x)


def test_shifted_frequencies_ascend() -> None:
    for n in (6, 7):
        frequencies = np.asarray(fft.fftshift(fft.fftfreq(n)))
        assert np.all(np.diff(frequencies) > 0)


@pytest.mark.parametrize("axes", [None, 0, -1, (0, 1), [1], ()], ids=str)
def test_shifts_along_axes(axes: Any) -> None:
    x = numbers((3, 4), "float64")
    chosen = (0, 1) if axes is None else (axes,) if isinstance(axes, int) else axes
    expected = x
    for axis in chosen:
        expected = np.take(expected, (np.arange(x.shape[axis]) - x.shape[axis] // 2), axis=axis)
    shifted = fft.fftshift(xp.asarray(x), axes=axes)
    assert np.array_equal(np.asarray(shifted), expected)
    assert np.array_equal(np.asarray(fft.ifftshift(shifted, axes=axes)), x)


def test_shifting_an_array_without_axes_copies_it() -> None:
    x = xp.asarray(2.0)
    shifted = fft.fftshift(x)
    shifted[...] = 3.0
    assert float(x) == 2.0


@pytest.mark.parametrize("function", [fft.fftshift, fft.ifftshift])
def test_wrong_shifts_are_refused(function: Any) -> None:
    name = rf"^fft\.{function.__name__}: "
    with pytest.raises(TypeError, match=name + "needs a floating-point dtype, got int64"):
        function(xp.asarray([1, 2]))
    with pytest.raises(IndexError, match=name + "axis 1 is out of bounds"):
        function(xp.ones(3), axes=1)
    with pytest.raises(ValueError, match=name + "an axis is named twice"):
        function(xp.ones((3, 3)), axes=(0, 0))
