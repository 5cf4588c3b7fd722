"""Exchange: DLPack both ways with NumPy, its keywords and refusals, and Python's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from numr_conformance.check import Recorded, Unsupported
from numr_conformance.checks._tools import (
    LAYOUTS,
    Cases,
    Host,
    assert_equal,
    assert_raises,
    assert_true,
    device_keyword,
    distinct,
)
from numr_conformance.target import DTYPES, Target

cases = Cases("exchange")
checks = cases.checks

CPU = (1, 0)  # DLPack's kDLCPU
HEXAGON = (16, 0)  # a device that no machine with Python has

HOSTS = {
    "contiguous": lambda x: x,
    "strided": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "negative": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "transposed": lambda x: x.T.copy().T,
    "offset": lambda x: np.concatenate([x, x])[2:],
    "zero_dimensional": lambda x: x[1, 1:2].reshape(()),
    "empty": lambda x: x[:0],
    "five_dimensional": lambda x: x.reshape(2, 1, 3, 1, 1),
}


def export(target: Target, x: Any, **keywords: Any) -> Host:
    """The library's array in NumPy, through DLPack and to the host."""
    if not hasattr(x, "__dlpack__"):
        raise Unsupported("no __dlpack__")
    return np.from_dlpack(x, device="cpu", **keywords)


class Producer:
    """An array of no library, known by its DLPack methods only."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.asked: dict[str, Any] = {}

    def __dlpack__(self, **keywords: Any) -> Any:
        self.asked = keywords
        return self._host.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._host.__dlpack_device__()


# --- from NumPy -----------------------------------------------------------------------------------


@cases("from_dlpack", dtypes=DTYPES, rows=[(name,) for name in HOSTS])
def from_numpy(target: Target, dtype: str, layout: str) -> None:
    target.dtype(dtype)
    host = HOSTS[layout](distinct(dtype, (2, 3)))
    for given in (host, Producer(host)):
        result = target.xp.from_dlpack(given, **device_keyword(target))
        assert_equal(target, result, host, given=(layout, type(given).__name__))


@cases("from_dlpack", dtypes=DTYPES)
def copy_of_numpys(target: Target, dtype: str) -> None:
    target.dtype(dtype)
    host = distinct(dtype, (2, 3))
    true = host.copy()
    x = target.xp.from_dlpack(host, copy=True, **device_keyword(target))
    host[...] = 1
    assert_equal(target, x, true, given="copy=True, and NumPy's array is written to")


@cases("from_dlpack", dtypes=DTYPES)
def no_copy_of_numpys(target: Target, dtype: str) -> None:
    """Shares the memory, or raises where the device cannot."""
    target.dtype(dtype)
    host = distinct(dtype, (2, 3))
    try:
        x = target.xp.from_dlpack(host, copy=False, **device_keyword(target))
    except (BufferError, ValueError) as error:
        raise Recorded(f"refused: {type(error).__name__}") from None
    host[...] = 1
    assert_equal(target, x, np.ones((2, 3), dtype), given="copy=False")


@cases("from_dlpack", dtypes=DTYPES)
def own_arrays(target: Target, dtype: str) -> None:
    host = distinct(dtype, (2, 3))
    x = target.array(host)
    assert_equal(target, target.xp.from_dlpack(x), host)
    assert_equal(target, target.xp.from_dlpack(x, device=x.device), host, given="device=")


@cases("from_dlpack")
def read_only(target: Target) -> None:
    """Which DLPack 1.0 can say; a refusal is allowed, writing into the memory is not."""
    host = distinct("float32", (3,))
    true = host.copy()
    host.flags.writeable = False
    try:
        x = target.xp.from_dlpack(host, **device_keyword(target))
    except (BufferError, TypeError, ValueError) as error:
        raise Recorded(f"refused: {type(error).__name__}") from None
    assert_equal(target, x, true)
    try:
        x[...] = 9
    except Exception as error:
        raise Recorded(f"read-only: {type(error).__name__}") from None
    assert_true(np.array_equal(host, true), "wrote to read-only memory", actual=host)


# --- to NumPy -------------------------------------------------------------------------------------


@cases("__dlpack__", dtypes=DTYPES, rows=[(name, shape) for name in LAYOUTS
                                          for shape in ((2, 3), (), (2, 1, 3, 2, 2))])  # fmt: skip
def to_numpy(target: Target, dtype: str, layout: str, shape: tuple[int, ...]) -> None:
    host = distinct(dtype, shape)
    found = export(target, LAYOUTS[layout](target, host))
    right = found.dtype == host.dtype and np.array_equal(found, host)
    assert_true(right, "wrong values", given=(layout, shape), expected=host, actual=found)


@cases("__dlpack__", dtypes=DTYPES)
def empty_to_numpy(target: Target, dtype: str) -> None:
    for shape in ((0,), (2, 0, 3)):
        found = export(target, target.array(np.zeros(shape, dtype)))
        actual = (found.shape, found.dtype.name)
        assert_true(actual == (shape, dtype), "wrong", expected=(shape, dtype), actual=actual)


@cases("__dlpack__", dtypes=DTYPES)
def copy_to_numpy(target: Target, dtype: str) -> None:
    host = distinct(dtype, (2, 3))
    x = target.array(host)
    copy = export(target, x, copy=True)
    assert_true(copy.flags.writeable, "a copy that is read-only")
    copy[...] = 1
    assert_equal(target, x, host, given="copy=True, and the copy is written to")


@cases("__dlpack__", dtypes=DTYPES)
def no_copy_to_numpy(target: Target, dtype: str) -> None:
    host = distinct(dtype, (2, 3))
    x = target.array(host)
    try:
        view = export(target, x, copy=False)
    except (BufferError, ValueError) as error:
        raise Recorded(f"refused: {type(error).__name__}") from None
    x[...] = True if dtype == "bool" else 1
    right = np.array_equal(view, np.ones((2, 3), dtype))
    assert_true(right, "does not share memory", given="copy=False", actual=view)


KEYWORDS: list[dict[str, Any]] = [
    {}, {"stream": None}, {"max_version": (1, 0)}, {"max_version": (0, 8)}, {"max_version": None},
    {"max_version": (9, 9)}, {"dl_device": None}, {"dl_device": CPU}, {"copy": None},
    {"copy": True}, {"max_version": (1, 0), "dl_device": CPU, "copy": True},
]  # fmt: skip


@cases("__dlpack__", rows=[(keywords,) for keywords in KEYWORDS])
def keywords(target: Target, given: dict[str, Any]) -> None:
    """Give a capsule, of any version up to the consumer's."""
    x = target.array(distinct("float32", (2, 3)))
    try:
        capsule = x.__dlpack__(**given)
    except BufferError:
        on_host = tuple(map(int, x.__dlpack_device__())) == CPU
        assert_true(not on_host and given.get("dl_device") is None, "BufferError", given=given)
        raise Recorded("refused: BufferError") from None
    kind = type(capsule).__name__
    assert_true(kind == "PyCapsule", "no capsule", given=given, expected="PyCapsule", actual=kind)


@cases("__dlpack__")
def unknown_device_is_refused(target: Target) -> None:
    x = target.array(distinct("float32", (2, 3)))
    for more in ({}, {"copy": True}, {"copy": False}):
        assert_raises(lambda m=more: x.__dlpack__(dl_device=HEXAGON, **m), BufferError, more)


@cases("__dlpack_device__")
def device_numbers(target: Target) -> None:
    found = target.array(distinct("float32", (2, 3))).__dlpack_device__()
    right = isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], int)
    assert_true(right, "no pair", expected="(device type, number)", actual=found)
    int(found[0])


# --- what must be refused -------------------------------------------------------------------------


@cases("from_dlpack")
def dtypes_that_dlpack_lacks(target: Target) -> None:
    """The producer's BufferError is passed on."""
    for host in (np.array(["2020"], "M8[D]"), np.array(["a"])):
        assert_raises(lambda h=host: target.xp.from_dlpack(h), BufferError, host)


@cases("from_dlpack")
def objects_without_the_methods(target: Target) -> None:
    for given in ([1.0, 2.0], 1.0, "text", object()):
        assert_raises(lambda g=given: target.xp.from_dlpack(g), AttributeError, given)


class Failing:
    """A producer that is out of order."""

    def __dlpack__(self, **keywords: Any) -> Any:
        raise BufferError("none of yours")

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU


@cases("from_dlpack")
def the_producers_error_is_passed_on(target: Target) -> None:
    assert_raises(lambda: target.xp.from_dlpack(Failing()), BufferError, "a failing producer")


# --- to Python's numbers --------------------------------------------------------------------------


@cases("*", dtypes=DTYPES, rows=[
    (f"__{name}__", name) for name in ("bool", "int", "float", "complex")])  # fmt: skip
def python_numbers(target: Target, dtype: str, function: str, name: str) -> None:
    """Of 0-d arrays, where the kind of number can hold the dtype's values."""
    kind: Any = {"bool": bool, "int": int, "float": float, "complex": complex}[name]
    if dtype[0] == "c" and kind in (int, float):
        return
    for value in (0, 1, 7):
        host = np.asarray(value).astype(dtype)
        found = kind(target.array(host))
        right = type(found) is kind and found == kind(host.item())
        assert_true(right, "wrong number", given=host, expected=kind(host.item()), actual=found)
