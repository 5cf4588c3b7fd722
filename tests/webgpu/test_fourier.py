"""Fourier transforms on the device against NumPy's in float64."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._backends.webgpu import fourier, fourier_lengths, fourier_tables
from numr_api._backends.webgpu.fourier_lengths import Limits
from numr_api.extensions.errors import Unsupported

RANDOM: Any = np.random.default_rng(5)
SELECTED = [127, 128, 210, 243, 256, 343, 1000, 1009, 1024, 2047, 2048, 4099, 8192, 10007]
LONG = [65536, 3**10, 1 << 17]
NORMS = ["backward", "ortho", "forward"]
TOLERANCE = {"f": 5e-7, "d": 1.2e-15}  # relative, root of the mean square; measured: 3.3e-7, 7e-16

Put = Callable[[Any], Any]


@pytest.fixture(params=["complex64", "complex128"])
def dtype(request: pytest.FixtureRequest, backend: Any) -> Any:
    if request.param not in {str(d) for d in backend.dtypes}:
        pytest.skip(f"a baseline device has no {request.param}")
    return np.dtype(request.param)


@pytest.fixture
def with_limits(monkeypatch: pytest.MonkeyPatch, backend: Any) -> Iterator[Callable[..., None]]:
    """Plan for other devices: of less memory or threads, or hardware instead of a driver's."""
    plans: dict[Any, Any] = backend.remembered("fourier plans", dict)
    offered = backend.gpu.adapter.handle.limits["max-compute-workgroup-storage-size"]

    def put(memory: int, threads: int, loops: bool) -> None:
        def limits(_: Any, dtype: Any) -> Limits:
            return Limits(min(memory, offered), threads, dtype.itemsize // 2, loops)

        monkeypatch.setattr(fourier, "limits_of", limits)
        plans.clear()

    yield put
    plans.clear()


def normal(shape: Any, dtype: Any) -> Any:
    real: Any = RANDOM.standard_normal(shape)
    return (real + 1j * RANDOM.standard_normal(shape)).astype(dtype)


def wide(x: Any) -> Any:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def assert_near(found: Any, expected: Any) -> None:
    assert found.shape == expected.shape
    tolerance = TOLERANCE[np.zeros(1, found.dtype).real.dtype.char]
    size = np.linalg.norm(expected.ravel())
    assert np.linalg.norm((found - expected).ravel()) <= tolerance * size


def assert_transforms(put: Put, get: Put, x: Any, axis: int = -1) -> None:
    """All transforms of complex x along an axis, and of its real parts, are NumPy's."""
    n = x.shape[axis]
    assert_near(get(xp.fft.fft(put(x), axis=axis)), np.fft.fft(wide(x), axis=axis))
    assert_near(get(xp.fft.ifft(put(x), axis=axis)), np.fft.ifft(wide(x), axis=axis))
    half = xp.fft.rfft(put(x.real.copy()), axis=axis)
    assert_near(get(half), np.fft.rfft(wide(x.real), axis=axis))
    ends = np.moveaxis(get(half), axis, -1)
    assert not ends[..., 0].imag.any()
    assert n % 2 or not ends[..., -1].imag.any()
    assert_near(get(xp.fft.irfft(half, n=n, axis=axis)), wide(x.real))


# --- lengths --------------------------------------------------------------------------------------


def test_every_short_length(put: Put, get: Put, dtype: Any) -> None:
    for n in range(1, 71):
        assert_transforms(put, get, normal((2, n), dtype))


@pytest.mark.parametrize("n", SELECTED)
def test_selected_lengths(put: Put, get: Put, dtype: Any, n: int) -> None:
    assert_transforms(put, get, normal(n, dtype))


@pytest.mark.parametrize("n", LONG)
def test_long_lengths(put: Put, get: Put, dtype: Any, n: int) -> None:
    x = normal(n, dtype)
    y = xp.fft.fft(put(x))
    assert_near(get(y), np.fft.fft(wide(x)))
    assert_near(get(xp.fft.ifft(y)), wide(x))


def test_three_passes(put: Put, get: Put, dtype: Any, with_limits: Callable[..., None]) -> None:
    n = 1 << 15
    with_limits(8 << 10, 64, True)
    assert len(fourier_lengths.passes(n, False, fourier.limits_of(None, dtype))) > 2  # type: ignore[arg-type]
    x = normal((n, 2), dtype)
    assert_near(get(xp.fft.fft(put(x), axis=0)), np.fft.fft(wide(x), axis=0))
    x = normal((2, n), dtype)
    assert_near(get(xp.fft.ifft(put(x))), np.fft.ifft(wide(x)))


def test_kernels_for_hardware(
    put: Put, get: Put, dtype: Any, with_limits: Callable[..., None]
) -> None:
    with_limits(16 << 10, 256, False)
    for shape in ((3, 1), (2, 60), (70, 13), (2, 67)):
        x = normal(shape, dtype)
        assert_near(get(xp.fft.fft(put(x))), np.fft.fft(wide(x)))
    x = normal((3, 24), dtype)
    assert_near(get(xp.fft.rfft(put(x.real.copy()))), np.fft.rfft(wide(x.real)))
    assert_near(get(xp.fft.irfft(put(x))), np.fft.irfft(wide(x)))


@pytest.mark.parametrize(("memory", "threads"), [(16 << 10, 256), (48 << 10, 1024)])
def test_passes_for_hardware(
    put: Put, get: Put, backend: Any, with_limits: Callable[..., None], memory: int, threads: int
) -> None:
    with_limits(memory, threads, False)
    dtype = np.dtype("complex128" if xp.complex128 in backend.dtypes else "complex64")
    x = normal((512, 3), dtype)
    assert_near(get(xp.fft.ifft(put(x), axis=0)), np.fft.ifft(wide(x), axis=0))
    x = normal((2, 3000), dtype)
    assert_near(get(xp.fft.fft(put(x), n=4096)), np.fft.fft(wide(x), n=4096))


# --- layouts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [12, 67, 600])
def test_axes_and_batches(put: Put, get: Put, dtype: Any, n: int) -> None:
    for axis in range(3):
        shape = [2, 3, 5]
        shape[axis] = n
        assert_transforms(put, get, normal(shape, dtype), axis)


KEYS = {
    "steps": np.s_[1::2, :, ::3],
    "backwards": np.s_[::-1, ::-1, ::-2],
    "offset": np.s_[1:, 2:, 5:],
    "empty": np.s_[2:2, :, :],
}


@pytest.mark.parametrize("name", KEYS)
def test_views(put: Put, get: Put, dtype: Any, name: str) -> None:
    host = normal((5, 6, 30), dtype)
    x, expected = put(host)[KEYS[name]], wide(host[KEYS[name]])
    for axis in (1, 2):
        assert_near(get(xp.fft.fft(x, axis=axis)), np.fft.fft(expected, axis=axis))
        real = np.fft.rfft(expected.real, axis=axis)
        assert_near(get(xp.fft.rfft(xp.real(x), axis=axis)), real)
        assert_near(get(xp.fft.hfft(x, axis=axis)), np.fft.hfft(expected, axis=axis))


def test_transposed_and_repeated_data(put: Put, get: Put, dtype: Any) -> None:
    host = normal((40, 50), dtype)
    for axis in (0, 1):
        expected = np.fft.fft(wide(host.T), axis=axis)
        assert_near(get(xp.fft.fft(put(host).T, axis=axis)), expected)
        repeated = np.broadcast_to(wide(host[0]), (7, 50))
        found = xp.fft.fft(xp.broadcast_to(put(host[0]), (7, 50)), axis=axis)
        assert_near(get(found), np.fft.fft(repeated, axis=axis))


def test_what_is_transformed_stays_as_it_is(put: Put, get: Put, dtype: Any) -> None:
    host = normal((4, 6, 8), dtype)
    x = put(host)
    xp.fft.fftn(x)
    xp.fft.irfftn(x)
    assert np.array_equal(get(x), host)


def test_many_short_rows(put: Put, get: Put) -> None:
    x = normal((300_000, 2), np.complex64)
    assert_near(get(xp.fft.fft(put(x))), np.fft.fft(wide(x)))


def test_batches_larger_than_a_binding(
    put: Put, get: Put, backend: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = fourier._bound

    def bound_if_small(x: Any) -> Any:
        return bound(x) if x.size * x.dtype.itemsize <= 99 * dtype.itemsize else None

    monkeypatch.setattr(fourier, "_bound", bound_if_small)
    monkeypatch.setattr(backend.gpu, "most", 198 * dtype.itemsize)
    backend.remembered("fourier plans", dict).clear()
    x = normal((3, 12, 5), dtype)
    assert_near(get(xp.fft.fft(put(x), axis=1)), np.fft.fft(wide(x), axis=1))
    assert_near(get(xp.fft.irfft(put(x))), np.fft.irfft(wide(x)))
    with pytest.raises(Unsupported, match="transforms of complex"):
        xp.fft.fftn(put(x))
    backend.remembered("fourier plans", dict).clear()


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (2, 4, 0)])
def test_no_elements(put: Put, get: Put, dtype: Any, shape: Any) -> None:
    x = put(np.zeros(shape, dtype))
    found = get(xp.fft.fft(x, n=4, axis=1))
    assert found.shape == (shape[0], 4, *shape[2:])
    assert not found.any()
    half = get(xp.fft.irfft(x, n=6, axis=1))
    assert half.shape == (shape[0], 6, *shape[2:])
    assert not half.any()


# --- lengths given, norms, several axes -----------------------------------------------------------


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [5, 8, 11, 40, 101])
def test_cropped_and_padded(put: Put, get: Put, dtype: Any, n: int, norm: Any) -> None:
    x = normal((3, 11), dtype)
    for name in ("fft", "ifft", "irfft", "hfft"):
        expected = getattr(np.fft, name)(wide(x), n=n, norm=norm)
        assert_near(get(getattr(xp.fft, name)(put(x), n=n, norm=norm)), expected)
    for name in ("rfft", "ihfft"):
        expected = getattr(np.fft, name)(wide(x.real), n=n, norm=norm)
        assert_near(get(getattr(xp.fft, name)(put(x.real.copy()), n=n, norm=norm)), expected)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("axes", [(0, 1), (2, 0), (1,), (0, 2, 1)])
def test_several_axes(put: Put, get: Put, dtype: Any, axes: Any, norm: Any) -> None:
    x = normal((6, 5, 9), dtype)
    lengths: list[Any] = [None, tuple(x.shape[a] + i - 1 for i, a in enumerate(axes))]
    for s in lengths:
        for name in ("fftn", "ifftn", "irfftn"):
            expected = getattr(np.fft, name)(wide(x), s=s, axes=axes, norm=norm)
            found = getattr(xp.fft, name)(put(x), s=s, axes=axes, norm=norm)
            assert_near(get(found), expected)
        expected = np.fft.rfftn(wide(x.real), s=s, axes=axes, norm=norm)
        found = xp.fft.rfftn(put(x.real.copy()), s=s, axes=axes, norm=norm)
        assert_near(get(found), expected)


def test_long_axes_of_several(put: Put, get: Put, dtype: Any) -> None:
    x = normal((300, 1, 101), dtype)
    assert_near(get(xp.fft.fftn(put(x))), np.fft.fftn(wide(x)))
    half = xp.fft.rfftn(put(x.real.copy()))
    assert_near(get(half), np.fft.rfftn(wide(x.real)))
    assert_near(get(xp.fft.irfftn(half, s=x.shape, axes=(0, 1, 2))), wide(x.real))


# --- exact properties -----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 6, 64, 100, 1024])
def test_impulse_at_zero_has_ones(put: Put, get: Put, dtype: Any, n: int) -> None:
    x = np.zeros(n, dtype)
    x[0] = 1
    assert np.array_equal(get(xp.fft.fft(put(x))), np.ones(n, dtype))


@pytest.mark.parametrize("n", [5, 64, 1000, 5000])
def test_impulse_has_roots_of_unity(put: Put, get: Put, dtype: Any, n: int) -> None:
    x = np.zeros(n, dtype)
    x[3] = 1
    roots = fourier_tables.roots(3 * np.arange(n), n)
    assert np.max(np.abs(get(xp.fft.fft(put(x))) - roots)) <= 4 * np.finfo(dtype).eps


def test_sums_of_integers_are_exact(put: Put, get: Put, dtype: Any) -> None:
    x = RANDOM.integers(-99, 99, (5, 64)) + 1j * RANDOM.integers(-99, 99, (5, 64))
    found = get(xp.fft.fft(put(x.astype(dtype))))
    assert np.array_equal(found[:, 0], x.sum(-1))


@pytest.mark.parametrize("n", [9, 10, 134])
def test_imaginary_parts_that_cannot_be_are_ignored(put: Put, get: Put, dtype: Any, n: int) -> None:
    x = normal((2, n // 2 + 1), dtype)
    y = x.copy()
    y[:, 0] = x[:, 0].real + 1e6j
    if n % 2 == 0:
        y[:, -1] = x[:, -1].real - 1e6j
    assert np.array_equal(get(xp.fft.irfft(put(x), n=n)), get(xp.fft.irfft(put(y), n=n)))


@pytest.mark.parametrize("n", [8, 30, 101])
def test_nan_spoils_its_own_row_only(put: Put, get: Put, dtype: Any, n: int) -> None:
    x = normal((3, n), dtype)
    expected = get(xp.fft.fft(put(x)))
    x[1, n // 2] = np.nan
    found = get(xp.fft.fft(put(x)))
    assert np.isnan(found[1]).all()
    assert np.array_equal(found[::2], expected[::2])


def test_a_row_alone_has_the_bits_it_has_in_a_batch(put: Put, get: Put, dtype: Any) -> None:
    x = normal((9, 360), dtype)
    together = get(xp.fft.fft(put(x)))
    assert np.array_equal(get(xp.fft.fft(put(x[4]))), together[4])


def test_the_same_layout_again_uploads_nothing(put: Put, backend: Any) -> None:
    x, y = put(normal((3, 101), np.complex64)), put(normal((3, 101), np.complex64))
    xp.fft.fft(x)
    before = backend.gpu.writes
    xp.fft.fft(y)
    assert backend.gpu.writes == before


# --- plans without a device -----------------------------------------------------------------------


def test_roots_are_rounded_once() -> None:
    for n in (1, 3, 8, 1000, 4099, 1 << 20):
        turns = RANDOM.integers(0, 1 << 40, 200)
        angle = -2 * (turns % n).astype(np.longdouble) / n
        exact = np.exp(1j * np.longdouble("3.14159265358979323846264338327950288") * angle)
        assert np.max(np.abs(fourier_tables.roots(turns, n) - exact)) < 2.3e-16


@pytest.mark.parametrize("memory", [16 << 10, 48 << 10])
@pytest.mark.parametrize("part", [4, 8])
@pytest.mark.parametrize("loops", [False, True])
def test_passes_and_stages_make_up_a_length(memory: int, part: int, loops: bool) -> None:
    limits = Limits(memory, 256 if memory < 20000 else 1024, part, loops)
    lengths = [*range(1, 400), 4096, 97**2, 97**3, 3**13, 7**7, 13**5, 1 << 20, 1 << 24, 1 << 28]
    for n in filter(fourier_lengths.is_direct, lengths):
        for columns in (False, True):
            found = fourier_lengths.passes(n, columns, limits)
            assert prod(found) == n
            for length in found:
                shape = fourier_lengths.shape_of(length, columns or len(found) > 1, limits)
                assert shape is not None or length < fourier_lengths.SHORTEST_COLUMNS
                if shape is not None:
                    assert prod(shape.radices) == length
                    assert shape.together * length * part <= memory or len(shape.radices) == 1


@pytest.mark.parametrize("n", [67, 101, 4099, 10007, 1_000_003])
def test_convolution_length_reaches_twice(n: int) -> None:
    m = fourier_lengths.convolution_length(n)
    assert 2 * n - 1 <= m < 2.6 * n
    assert fourier_lengths.is_direct(m)
