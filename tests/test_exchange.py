"""Exchange with other libraries through DLPack and NumPy's protocols."""

from __future__ import annotations

import ctypes
import gc
import math
import sys
from typing import Any

import array_api_strict
import numpy as np
import pytest

import numr_api as xp
from numr_api._dtypes import (
    EXTENSIONS,
    STANDARD,
    DType,
    bfloat16,
    float8_e4m3fn,
    float8_e5m2,
)

CPU = (1, 0)  # DLPack's kDLCPU


def of(dtype: DType, shape: tuple[int, ...] = (2, 3)) -> Any:
    host = (np.arange(math.prod(shape)) % 2).reshape(shape)
    return xp.asarray(host.astype(np.dtype(dtype)))


def shares(x: Any, y: Any) -> bool:
    return np.shares_memory(np.asarray(x), np.asarray(y))


def same(x: Any, y: Any) -> bool:
    return x.dtype is y.dtype and np.array_equal(np.asarray(x), np.asarray(y))


# --- DLPack ---------------------------------------------------------------------------------------


class Foreign:
    """Another library's array: nothing is known of it but what DLPack says."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU


def code_of(capsule: Any) -> Any:
    """The dtype of a capsule: code, bits and lanes."""
    valid, pointer = ctypes.pythonapi.PyCapsule_IsValid, ctypes.pythonapi.PyCapsule_GetPointer
    valid.argtypes = pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    pointer.restype = ctypes.c_void_p
    versioned = b"dltensor_versioned"
    name, place = (versioned, 52) if valid(capsule, versioned) else (b"dltensor", 20)
    return (ctypes.c_uint8 * 4).from_address(pointer(capsule, name) + place)


@pytest.mark.parametrize("dtype", [*STANDARD, *EXTENSIONS], ids=str)
def test_every_dtype_makes_the_round_trip_without_a_copy(dtype: DType) -> None:
    for x in (of(dtype), of(dtype)[:, ::-2], of(dtype, ())):
        again = xp.from_dlpack(Foreign(x), copy=False)
        assert same(x, again)
        assert shares(x, again)


@pytest.mark.parametrize(
    ("dtype", "code"), [(bfloat16, 4), (float8_e4m3fn, 10), (float8_e5m2, 12)], ids=str
)
@pytest.mark.parametrize("options", [{}, {"max_version": (1, 0)}], ids=["unversioned", "1.0"])
def test_capsules_name_the_dtypes_that_numpy_does_not_know(
    dtype: DType, code: int, options: Any
) -> None:
    capsule = of(dtype).__dlpack__(**options)
    found = code_of(capsule)
    assert list(found) == [code, 8 * dtype.itemsize, 1, 0]  # code, bits, lanes


@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_numpy_imports_through_dlpack_without_a_copy(dtype: DType) -> None:
    for x in (of(dtype), of(dtype)[:, ::-2], of(dtype, ()), xp.permute_dims(of(dtype), (1, 0))):
        host = np.from_dlpack(x)
        assert host.dtype == np.dtype(dtype)
        assert np.array_equal(host, np.asarray(x))
        assert shares(host, x)
        assert host.flags.writeable
        assert not shares(np.from_dlpack(x, copy=True), x)
        assert shares(np.from_dlpack(x, device="cpu", copy=False), x)


@pytest.mark.parametrize("dtype", STANDARD, ids=str)
@pytest.mark.parametrize("library", [np, array_api_strict], ids=["numpy", "array_api_strict"])
def test_from_dlpack_shares_memory_unless_told_otherwise(library: Any, dtype: DType) -> None:
    theirs = library.zeros((2, 3), dtype=getattr(library, dtype.name))
    one = library.ones((1, 1), dtype=theirs.dtype)
    for given in (None, False, True):
        x = xp.from_dlpack(theirs, copy=given)
        assert x.dtype is dtype
        assert x.shape == (2, 3)
        x[...] = xp.ones_like(x)
        assert bool(library.all(theirs == one)) is (given is not True)
        theirs[...] = library.zeros((2, 3), dtype=theirs.dtype)
    assert xp.from_dlpack(theirs, device="cpu").device == "cpu"


def test_from_dlpack_of_its_own_arrays() -> None:
    x = of(xp.float64)
    assert shares(xp.from_dlpack(x), x)
    assert shares(xp.from_dlpack(x, copy=False, device=x.device), x)
    assert not shares(xp.from_dlpack(x, copy=True), x)


def test_array_api_strict_imports_through_dlpack() -> None:
    x = of(xp.float32)
    theirs = array_api_strict.from_dlpack(x)
    theirs[0, 0] = 7
    assert float(x[0, 0]) == 7
    assert same(xp.from_dlpack(theirs), x)


def test_dlpack_capsule_keeps_the_memory_alive() -> None:
    host = np.from_dlpack(of(xp.int64) + 5)
    gc.collect()
    assert host.tolist() == [[5, 6, 5], [6, 5, 6]]


@pytest.mark.parametrize("max_version", [None, (0, 8), (1, 0), (1, 1), (9, 0)], ids=str)
def test_dlpack_keywords(max_version: Any) -> None:
    x = of(xp.float64)
    assert x.__dlpack_device__() == CPU
    for dl_device in (None, CPU):
        for given in (None, True, False):
            capsule = x.__dlpack__(max_version=max_version, dl_device=dl_device, copy=given)
            versioned = max_version is not None and max_version >= (1, 0)
            name = "dltensor_versioned" if versioned else "dltensor"
            assert f'"{name}"' in repr(capsule)


def test_dlpack_copies_are_writable_and_their_own() -> None:
    class Copying:
        """Asks for a copy, as a consumer may by the keyword."""

        def __init__(self, max_version: Any) -> None:
            self.max_version = max_version

        def __dlpack__(self, **_: Any) -> Any:
            return x.__dlpack__(copy=True, max_version=self.max_version)

        def __dlpack_device__(self) -> Any:
            return CPU

    x = of(xp.float64)
    for max_version in (None, (1, 0)):
        host = np.from_dlpack(Copying(max_version))
        assert np.array_equal(host, np.asarray(x))
        assert not shares(host, x)


def test_dlpack_to_where_it_cannot_go_is_refused() -> None:
    x = of(xp.float64)
    for keywords in ({"dl_device": (2, 0)}, {"stream": 1}, {"dl_device": (1, 1)}):
        with pytest.raises(BufferError, match="__dlpack__"):
            x.__dlpack__(**keywords)


def test_read_only_memory_is_exported_as_a_copy() -> None:
    x = xp.broadcast_to(xp.asarray(1.0), (3,))
    host = np.from_dlpack(x)
    assert host.tolist() == [1, 1, 1]
    assert not shares(host, x)
    with pytest.raises((BufferError, ValueError)):
        x.__dlpack__(copy=False)


def test_read_only_memory_is_imported_as_a_copy_or_refused() -> None:
    host = np.zeros(3)
    host.flags.writeable = False
    x = xp.from_dlpack(host)
    x[0] = 1
    assert host[0] == 0
    with pytest.raises(ValueError, match="from_dlpack"):
        xp.from_dlpack(host, copy=False)


class Elsewhere:
    """An array on a device that numr_api does not have."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return (7, 0)

    def __dlpack__(self, **keywords: Any) -> Any:
        if keywords.get("dl_device") == CPU:
            return np.ones(2).__dlpack__(max_version=keywords["max_version"])
        raise BufferError("not this way")


def test_from_dlpack_from_an_unknown_device() -> None:
    with pytest.raises(BufferError, match="from_dlpack"):
        xp.from_dlpack(Elsewhere())
    assert np.asarray(xp.from_dlpack(Elsewhere(), device="cpu")).tolist() == [1, 1]


@pytest.mark.parametrize("given", [None, [1.0], 1.0, "x", b"x"], ids=repr)
def test_from_dlpack_of_anything_else_is_refused(given: Any) -> None:
    with pytest.raises(AttributeError, match="from_dlpack"):
        xp.from_dlpack(given)


def test_from_dlpack_of_a_dtype_without_counterpart_is_refused() -> None:
    class OtherFloat(Foreign):
        def __dlpack__(self, **options: Any) -> Any:
            capsule = super().__dlpack__(**options)
            code_of(capsule)[0] = 11  # kDLFloat8_e4m3fnuz
            return capsule

    with pytest.raises(BufferError, match="from_dlpack"):
        xp.from_dlpack(OtherFloat(of(float8_e4m3fn)))


# --- NumPy's protocols ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_numpy_arrays_of_arrays_share_memory(dtype: DType) -> None:
    x = of(dtype)
    for host in (np.asarray(x), np.asarray(x, copy=False), np.asarray(x, dtype=np.dtype(dtype))):
        assert host.dtype == np.dtype(dtype)
        assert shares(host, x)
        host[...] = 1
        assert bool(xp.all(xp.astype(x, xp.bool)))
        host[...] = 0
    for host in (np.array(x), np.asarray(x, copy=True)):
        assert not shares(host, x)
        assert host.flags.writeable


def test_numpy_arrays_of_another_dtype_are_copies() -> None:
    x = of(xp.int64)
    assert np.asarray(x, dtype=np.float32).dtype == np.float32
    assert np.asarray(x, np.float32).tolist() == np.asarray(x).tolist()
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, dtype=np.float32, copy=False)


def test_flags_of_what_numpy_gets_are_not_the_arrays() -> None:
    x = of(xp.float64)
    host = np.asarray(x)
    host.flags.writeable = False
    x[0, 0] = 5
    assert host[0, 0] == 5


def test_numpy_functions_do_not_return_arrays_of_objects() -> None:
    x = of(xp.float64)
    assert np.array([x, x]).dtype == np.float64
    assert np.sum(np.asarray(x)) == 3
    with pytest.raises(TypeError):
        np.add(x, x)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="__buffer__ is of Python 3.12")
def test_memoryview_shares_memory() -> None:
    x = of(xp.float64)
    view = memoryview(x)  # type: ignore[arg-type]
    assert (view.shape, view.format) == ((2, 3), "d")
    view[0, 0] = 8
    assert float(x[0, 0]) == 8


def test_namespace_is_the_module() -> None:
    assert of(xp.int8).__array_namespace__() is xp
    assert sys.modules[type(of(xp.int8)).__module__.split(".")[0]] is xp
