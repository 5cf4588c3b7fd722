"""The switch between strict and relaxed, methods of relaxed arrays, and narrower devices."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api.extensions import mode
from numr_api.extensions.errors import Unsupported

ATTRIBUTES = ("imag", "real")
METHODS = ("item", "reshape", "sum", "view")


def test_strict_is_the_default() -> None:
    assert mode.current() == "strict"


def test_blocks_nest_and_end_with_an_exception() -> None:
    with mode.relaxed():
        assert mode.current() == "relaxed"
        with mode.strict():
            assert mode.current() == "strict"
            with pytest.raises(ZeroDivisionError), mode.relaxed():
                raise ZeroDivisionError
            assert mode.current() == "strict"
        assert mode.current() == "relaxed"
    assert mode.current() == "strict"


def test_it_decorates() -> None:
    @mode.relaxed()
    def half(x: Any) -> Any:
        return x / 2

    assert float(half(xp.asarray(3))) == 1.5
    assert float(half(xp.asarray(5))) == 2.5
    assert mode.current() == "strict"


def test_threads_have_modes_of_their_own() -> None:
    inside, leave = threading.Event(), threading.Event()
    found: list[str] = []

    def work() -> None:
        found.append(mode.current())
        with mode.relaxed():
            inside.set()
            leave.wait(10)
            found.append(str((xp.asarray(1) / 2).dtype))

    thread = threading.Thread(target=work)
    with mode.relaxed():
        thread.start()
        inside.wait(10)
    assert mode.current() == "strict"
    with pytest.raises(TypeError):
        xp.asarray(1) / 2
    leave.set()
    thread.join()
    assert found == ["strict", "float64"]


def test_tasks_have_modes_of_their_own() -> None:
    async def work(switch: Any, pause: int) -> str:
        with switch():
            for _ in range(pause):
                await asyncio.sleep(0)
            return mode.current()

    async def both() -> list[str]:
        return list(await asyncio.gather(work(mode.relaxed, 3), work(mode.strict, 1)))

    assert asyncio.run(both()) == ["relaxed", "strict"]


def test_environment(run_python: Callable[..., str]) -> None:
    code = "from numr_api.extensions import mode; print(mode.current())"
    assert run_python(code) == "strict"
    assert run_python(code, NUMR_API_MODE="strict") == "strict"
    assert run_python(code, NUMR_API_MODE="relaxed") == "relaxed"
    last = run_python(code, NUMR_API_MODE="loose").splitlines()[-1]
    assert last == "ValueError: NUMR_API_MODE must be 'strict' or 'relaxed', got 'loose'"


@pytest.mark.parametrize("name", METHODS + ATTRIBUTES)
def test_attributes_exist_in_relaxed_mode_only(name: str) -> None:
    x = xp.ones(2)
    assert not hasattr(x, name)
    assert not hasattr(type(x), name)
    assert name not in dir(x)
    with pytest.raises(AttributeError, match=f"^'Array' object has no attribute '{name}'$"):
        getattr(x, name)
    with mode.relaxed():
        assert callable(getattr(x, name)) == (name in METHODS)
        assert name in dir(x)


def test_attributes_are_as_numpys() -> None:
    with mode.relaxed():
        assert np.asarray(xp.asarray([1 + 2j]).real).tolist() == [1.0]
        assert np.asarray(xp.asarray([1 + 2j]).imag).tolist() == [2.0]
        assert np.asarray(xp.asarray([1]).imag).tolist() == [0]
        assert bool(xp.asarray([[1.5]]))
        with pytest.raises(TypeError):
            float(xp.asarray([1.5]))
    with pytest.raises(TypeError):
        bool(xp.asarray([1.5]))


def test_data_types_pass_as_numpys_in_relaxed_processes(run_python: Callable[..., str]) -> None:
    code = """
import copy, pickle
import numpy as np, numr_api as xp
t = xp.ones(2, dtype=xp.float32).dtype
print(isinstance(t, np.dtype), hasattr(t, "char"), t is xp.float32, repr(t))
print(copy.deepcopy(t) is t, pickle.loads(pickle.dumps(t)) is t, xp.result_type(t, t) is t)
print(np.issubdtype(t, np.floating), getattr(t, "type", None), hasattr(t, "nonsense"))
"""
    ours = "True numr_api.float32\nTrue True True\n"
    numpys = "True <class 'numpy.float32'> False"
    assert run_python(code) == f"False False {ours}True None False"
    assert run_python(code, NUMR_API_MODE="relaxed") == f"True True {ours}{numpys}"


def test_data_types_compare_as_numpys_in_relaxed_processes(run_python: Callable[..., str]) -> None:
    code = """
import operator
import numpy as np, numr_api as xp
others = ["float32", "f4", "f8", "nonsense", float, np.float32, np.dtype("f4"), np.int8, None, 4]
names = [t.name for t in xp.__array_namespace_info__().dtypes().values()]
for name in names:
    ours, numpys = getattr(xp, name), np.dtype(name)
    assert hash(ours) == hash(numpys)
    for other in others:
        assert (ours == other) == (other == ours) == (numpys == other), (ours, other)
        assert (ours != other) == (numpys != other), (ours, other)
    for other in names:
        for op in (operator.eq, operator.lt, operator.le, operator.gt, operator.ge):
            expected = op(numpys, np.dtype(other))
            for found in (getattr(xp, other), np.dtype(other)):
                assert op(ours, found) is expected, (op, ours, found)
print({xp.float32: "found"}[np.dtype("f4")])
try:
    xp.float32 < 4
except TypeError:
    print("refused")
"""
    assert run_python(code, NUMR_API_MODE="relaxed") == "found\nrefused"
    assert run_python("import numr_api as xp; print(xp.int8 == 'int8')") == "False"
    refusal = run_python("import numr_api as xp; xp.int8 < xp.int16").splitlines()[-1]
    assert refusal.startswith("TypeError: '<' not supported")


def test_attributes_that_a_data_type_lacks_are_its_own(run_python: Callable[..., str]) -> None:
    code = """
import numr_api as xp
for t in (xp.float32, object.__new__(type(xp.float32))):
    for name in ("nonsense", "kind"):
        try:
            print(getattr(t, name))
        except AttributeError as error:
            print(error, error.obj is t)
"""
    lacks = "'DType' object has no attribute 'nonsense' True"
    unset = f"{lacks}\n'DType' object has no attribute 'kind' True"
    assert run_python(code, NUMR_API_MODE="relaxed") == f"{lacks}\nf\n{unset}"


def test_numpys_scalars_have_a_result_type() -> None:
    with mode.relaxed():
        assert xp.result_type(np.float32(1)) == xp.float32
        assert xp.result_type(np.float32(1), np.int64(1), 2) == xp.float64
    with pytest.raises(ValueError, match="at least one array or dtype"):
        xp.result_type(np.float64(1))


def test_methods_do_as_numpys() -> None:
    host = np.arange(6.0)
    x = xp.asarray(host.copy())
    with mode.relaxed():
        assert np.array_equal(np.asarray(x.reshape(2, 3)), host.reshape(2, 3))
        assert x.reshape((3, -1)).shape == x.reshape([3, 2]).shape == (3, 2)
        assert float(x.sum()) == 15.0
        assert np.asarray(x.reshape(2, 3).sum(0)).tolist() == [3.0, 5.0, 7.0]
        assert x[3].item() == 3.0
        assert x.all() == np.False_
        assert np.asarray(x.reshape(2, 3).all(1, keepdims=True)).tolist() == [[False], [True]]
        assert x.astype("int32").dtype == xp.int32
        assert np.asarray(xp.asarray([1 + 2j]).conj()).tolist() == [1 - 2j]
        assert isinstance(xp.asarray([[7]]).item(), int)
        with pytest.raises(ValueError, match="one element"):
            x.item()
        assert np.array_equal(np.asarray(x.view("complex128")), host.view("complex128"))
        assert np.array_equal(np.asarray(x.view(np.int64)), host.view(np.int64))
        x.view(xp.float64)[0] = 9.0  # shares memory
    assert float(x[0]) == 9.0


def test_in_place_operators_cast_within_a_kind() -> None:
    x, ints = xp.ones(2, dtype=xp.float32), xp.ones(2, dtype=xp.int64)
    same = x
    with pytest.raises(TypeError):
        x += xp.ones(2, dtype=xp.float64)
    with mode.relaxed():
        x += xp.ones(2, dtype=xp.float64)
        x *= ints
        x -= xp.asarray([True, False])
        with pytest.raises(TypeError):
            ints += 0.5
        with pytest.raises(TypeError):
            ints /= 2
        with pytest.raises(ValueError, match="shape"):
            x += xp.ones((2, 2), dtype=xp.float64)
    assert x is same
    assert x.dtype == xp.float32
    assert np.asarray(x).tolist() == [1.0, 2.0]


def test_functions_on_data_types() -> None:
    x = xp.asarray([1], dtype=xp.int32)
    assert not xp.can_cast(xp.int64, xp.float64)
    with mode.relaxed():
        assert xp.result_type(xp.int32, xp.float32) == np.result_type("int32", "float32")
        assert xp.result_type(x, 1.5) == xp.float64
        assert xp.result_type(x, "float32", np.float32) == xp.float64
        assert xp.result_type(xp.bool, xp.int8, 1) == xp.int8
        with pytest.raises(ValueError, match="at least one"):
            xp.result_type(1, 2.0)
        assert xp.can_cast(xp.int64, xp.float64)
        assert xp.can_cast(x, "complex64") == np.can_cast("int32", "complex64")
        assert not xp.can_cast(xp.float64, xp.float32)
        assert xp.finfo("float32").bits == xp.finfo(np.float32).bits == 32
        assert xp.iinfo(np.dtype("int8")).max == 127
        assert xp.isdtype(np.dtype("int8"), "integral")
        assert xp.isdtype(xp.int8, (np.dtype("int8"),))
        for wrong in ("float128", "object", "no dtype", object, dict):
            with pytest.raises(TypeError, match="dtype"):
                xp.zeros(2, dtype=wrong)


def test_a_device_without_float64_uses_its_own_defaults(fakes: tuple[str, ...]) -> None:
    x = xp.asarray([1, 2], device="fake:1")
    host = np.asarray([1.5, 2.5])
    with pytest.raises(Unsupported):
        xp.asarray(host, device="fake:1")
    with pytest.raises(Unsupported, match="result_type: float64"):
        xp.result_type(xp.ones(2, device="fake:1"), xp.float64)
    with mode.relaxed():
        for result in (x / 2, x + 1.5, xp.sqrt(x), xp.mean(x), x + xp.ones(2, device="fake:1")):
            assert (result.dtype, result.device) == (xp.float32, "fake:1")
        assert (x * 1j).dtype == xp.complex64
        assert xp.result_type(x, xp.float32) == xp.float32
        assert xp.result_type(x / 2, xp.float64) == xp.float32
        assert xp.result_type(x / 2, xp.complex128) == xp.complex64
        assert xp.result_type(xp.float32, xp.float64) == xp.float64  # of no device
        assert xp.asarray(host, device="fake:1").dtype == xp.float32
        assert xp.asarray(host * 1j, device="fake:1").dtype == xp.complex64
        assert xp.asarray(np.int64(3), device="fake:2").dtype == xp.int32
        assert xp.asarray(xp.asarray(host), device="fake:1").dtype == xp.float32
        assert xp.asarray(host).to_device("fake:1").dtype == xp.float32
        assert xp.from_dlpack(host, device="fake:1").dtype == xp.float32
        assert not xp.can_cast(x, xp.float64)
        with pytest.raises(Unsupported):
            xp.asarray(host, device="fake:1", dtype=xp.float64)
        with pytest.raises(ValueError, match="copy"):
            xp.asarray(xp.asarray(host), device="fake:1", copy=False)
        view = xp.asarray([1 + 2j, 3j], device="fake:1").view("float32")
        assert np.asarray(view.to_device("cpu")).tolist() == [1, 2, 0, 3]
        assert (view.view("complex64")[1].item()) == 3j


def test_arrays_of_two_devices_and_numpys_arrays_stay_apart(fakes: tuple[str, ...]) -> None:
    x = xp.asarray([1, 2])
    with mode.relaxed():
        with pytest.raises(ValueError, match="different devices"):
            x + xp.asarray([0.5], device="fake:0")
        for other in (np.asarray([0.5, 1.5]), [1, 2]):
            with pytest.raises(TypeError):
                x + other
            with pytest.raises(TypeError):
                xp.add(x, other)
        with pytest.raises(TypeError):
            xp.sum([1, 2])


def test_scalars_alone_are_made_on_the_device_of_the_condition(fakes: tuple[str, ...]) -> None:
    condition = xp.asarray([True, False], device="fake:1")
    with mode.relaxed():
        chosen = xp.where(condition, 1.5, 0)
    assert (chosen.device, chosen.dtype) == ("fake:1", xp.float32)


@pytest.mark.parametrize("device", ["fake:0", "fake:2"])
def test_numbers_at_the_ends_of_diff_are_made_on_its_device(
    device: str, fakes: tuple[str, ...]
) -> None:
    x = xp.asarray([[1, 4], [9, 16]], device=device, dtype=xp.int32)
    with mode.relaxed():
        found = xp.diff(x, prepend=0, append=np.int64(20))
        for other in ([1, 2], np.asarray([1, 2])):
            with pytest.raises(TypeError, match="diff: expected a numr_api array"):
                xp.diff(x, append=other)  # type: ignore[arg-type]
    assert found.device == device
    assert np.asarray(found.to_device("cpu")).tolist() == [[1, 3, 16], [9, 7, 4]]
    with pytest.raises(TypeError, match="diff: expected a numr_api array"):
        xp.diff(x, prepend=0)  # type: ignore[arg-type]
