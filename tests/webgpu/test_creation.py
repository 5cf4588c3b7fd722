"""arange, linspace and what is made of them on webgpu."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._backends.webgpu import gpu
from numr_api._devices import backend_for
from numr_api._dtypes import BY_NUMPY, float64

Get = Callable[[Any], Any]

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float32", "float64"]


def on_cpu(name: str, *arguments: Any, dtype: str, **parameters: Any) -> Any:
    cpu = backend_for("cpu", "test")
    if name == "arange":
        return cpu.arange(*arguments, BY_NUMPY[np.dtype(dtype)])
    return cpu.routine(name, dtype=BY_NUMPY[np.dtype(dtype)], **parameters)


def needs(backend: Any, dtype: str) -> Any:
    found = BY_NUMPY[np.dtype(dtype)]
    if found not in backend.dtypes:
        pytest.skip(f"the device has no {dtype}")
    return found


def agrees(backend: Any, found: Any, expected: Any, near_zero: float) -> None:
    """Exactly where float64 is there; elsewhere to a unit in the last place of a float32.

    Near zero, where most has cancelled, what is left are the roundings before.
    """
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if float64 in backend.dtypes:
        np.testing.assert_array_equal(found, expected)
        return
    parts = [(found.real, expected.real), (found.imag, expected.imag)]
    for part, wanted in parts[: 2 if found.dtype.kind == "c" else 1]:
        finite = np.isfinite(wanted)
        np.testing.assert_array_equal(part[~finite], wanted[~finite])
        exact = wanted[finite].astype(np.float64)
        unit = np.maximum(np.abs(exact) * 2.0**-23, 2.0**-149)
        assert (np.abs(part[finite] - exact) <= unit + near_zero).all()


@pytest.mark.parametrize("dtype", INTEGERS)
def test_arange_of_integers_is_modulo_the_range(backend: Any, get: Get, dtype: str) -> None:
    kind = needs(backend, dtype)
    info = np.iinfo(dtype)
    cases = [(0, 1, 0), (0, 1, 1), (0, 1, 100), (100, -7, 15), (info.max, -1, 50), (5, 0, 9),
             (info.min, (info.max - info.min) // 6, 7), (2**62, 3**40, 5001)]  # fmt: skip
    for start, step, count in cases:
        data = backend.arange(start, step, count, kind)
        data.mirror = None
        found = backend.to_host(data)
        expected = on_cpu("arange", start, step, count, dtype=dtype)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", FLOATS)
def test_arange_of_floats(backend: Any, dtype: str) -> None:
    kind = needs(backend, dtype)
    tiny = float(np.finfo(dtype).smallest_normal)
    cases = [
        (0.0, 1.0, 5000), (0.0, 0.1, 5000), (1.0, 1 / 3, 4099), (-5.0, 0.01, 1001), (3, 2, 7),
        (1e9, 0.7, 1000), (0.0, 1e30, 300), (1e-30, 1e-32, 999), (tiny * 1e3, tiny, 777),
        (2.0**24, 1.0, 100), (16777217.0, 2.0, 50), (1e300, 1e299, 20), (5.0, 1e300, 3),
        (5.0, 0.0, 3), (0.25, -0.25, 1), (123456.789, -0.001, 9999),
    ]  # fmt: skip
    for start, step, count in cases:
        found = backend.to_host(backend.arange(start, step, count, kind))
        expected = on_cpu("arange", start, step, count, dtype=dtype)
        agrees(backend, found, expected, near_zero=abs(start) * 1e-12)


def test_arange_of_many(backend: Any, get: Get) -> None:
    count = 5_000_011
    for dtype in (xp.int64, xp.float32):
        found = get(xp.arange(count, dtype=dtype, device=backend.device))
        np.testing.assert_array_equal(found, np.arange(count).astype(found.dtype))


def test_arange_with_workgroups_in_several_rows(
    backend: Any, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "GROUPS", 5)
    found = get(xp.arange(100_001, dtype=xp.int32, device=backend.device))
    np.testing.assert_array_equal(found, np.arange(100_001, dtype=np.int32))


def test_arange_larger_than_a_binding(backend: Any, get: Get) -> None:
    if backend.gpu.most > 1 << 28:
        pytest.skip("it takes too much memory here")
    count = backend.gpu.most // 4 + 4099
    x = xp.arange(count, dtype=xp.int32, device=backend.device)
    for at in (0, 1, count // 2, count - 4100, count - 1):
        assert int(x[at]) == at


@pytest.mark.parametrize("dtype", [*FLOATS, "complex64", "complex128"])
@pytest.mark.parametrize("endpoint", [True, False])
def test_linspace(backend: Any, dtype: str, endpoint: bool) -> None:
    kind = needs(backend, dtype)
    most = float(np.finfo(dtype).max)
    inf, nan = float("inf"), float("nan")
    cases: list[tuple[complex, complex, int]] = [
        (0, 1, 0), (0, 1, 1), (0, 1, 2), (0, 1, 11), (3, -5, 1000), (0.1, 0.7, 4097), (2, 2, 5),
        (-most, most, 9), (most, -most, 4), (0.0, most, 7), (1e-30, 1e-29, 33), (1e8, 1e8 + 64, 9),
        (-0.0, 1, 3), (0, 5e-324, 4), (0, inf, 4), (nan, 1, 3), (1, nan, 3),
        (-inf, 2, 4), (0, inf, 1),
    ]  # fmt: skip
    if np.dtype(dtype).kind == "c":
        cases += [(1 + 2j, 3 - 4j, 100), (0, 1j, 7), (complex(-most, 1), complex(most, -1), 5)]
    for start, stop, count in cases:
        given = {"start": start, "stop": stop, "count": count, "endpoint": endpoint}
        found = backend.to_host(backend.routine("linspace", dtype=kind, **given))
        expected = on_cpu("linspace", dtype=dtype, **given)
        size = max((abs(x) for x in (start, stop) if np.isfinite(x)), default=0.0)
        agrees(backend, found, expected, near_zero=min(size, 1e300) * 1e-12)
        if endpoint and count > 1:
            np.testing.assert_array_equal(found[-1], np.asarray(stop).astype(dtype))


def test_functions_made_of_these(backend: Any, get: Get) -> None:
    device = backend.device
    np.testing.assert_array_equal(get(xp.eye(5, 7, k=1, device=device)), np.eye(5, 7, 1, "f4"))
    np.testing.assert_array_equal(
        get(xp.eye(3, k=-5, dtype=xp.int8, device=device)), np.zeros((3, 3))
    )
    host = np.arange(1, 61, dtype=np.int16).reshape(3, 4, 5)
    x = xp.asarray(host, device=device)
    for k in (-2, 0, 1, 9):
        np.testing.assert_array_equal(get(xp.tril(x, k=k)), np.tril(host, k))
        np.testing.assert_array_equal(get(xp.triu(x, k=k)), np.triu(host, k))
    np.testing.assert_array_equal(get(xp.tile(x, (2, 1, 3))), np.tile(host, (2, 1, 3)))
    np.testing.assert_array_equal(
        get(xp.roll(x, (1, -2), axis=(0, 2))), np.roll(host, (1, -2), (0, 2))
    )
    np.testing.assert_array_equal(get(xp.roll(x, 7)), np.roll(host, 7))
    columns, rows = xp.meshgrid(x[0, 0, :], x[:, 0, 0])
    expected = np.meshgrid(host[0, 0, :], host[:, 0, 0])
    np.testing.assert_array_equal(get(columns), expected[0])
    np.testing.assert_array_equal(get(rows), expected[1])
    np.testing.assert_array_equal(get(xp.full((3, 3), 7, device=device)), np.full((3, 3), 7))
