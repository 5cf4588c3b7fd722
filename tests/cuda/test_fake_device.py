"""The device's own logic, on GPUs that NumPy plays: what is current, waits, or is refused."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import fake_cupy
import numpy as np
import pytest
from on_gpu import host

import numr_api as xp
from numr_api import _devices
from numr_api.extensions.device import memory, synchronize
from numr_api.extensions.errors import DeviceOutOfMemory


def on(values: Any, number: int = 0, **options: Any) -> Any:
    return xp.asarray(values, device=f"cuda:{number}", **options)


WORK = {
    "add": lambda x: x + 1.5,
    "in place": lambda x: x.__iadd__(x),
    "sum": lambda x: xp.sum(x, axis=0),
    "max": xp.max,
    "argmax": lambda x: xp.argmax(x, axis=1),
    "all": xp.all,
    "count_nonzero": lambda x: xp.count_nonzero(x, axis=0, keepdims=True),
    "cumulative_sum": lambda x: xp.cumulative_sum(x, axis=1),
    "mean": xp.mean,
    "var": xp.var,
    "sort": lambda x: xp.sort(x, descending=True),
    "argsort": lambda x: xp.argsort(x, axis=0),
    "matmul": lambda x: x @ x,
    "slice": lambda x: x[1:, ::-1],
    "transpose": lambda x: x.T,
    "reshape": lambda x: xp.reshape(x.T, (-1,)),
    "broadcast": lambda x: xp.broadcast_to(x, (2, 3, 3)),
    "take": lambda x: xp.take(x, xp.asarray([0, -1], device=x.device), axis=1),
    "take_along_axis": lambda x: xp.take_along_axis(x, xp.argsort(x, axis=1), axis=1),
    "integer arrays": lambda x: x[xp.arange(3, device=x.device), xp.arange(3, device=x.device)],
    "assign": lambda x: x.__setitem__((0, ...), 2.0),
    "assign a mask": lambda x: x.__setitem__(x > 1, 2.0),
    "where": lambda x: xp.where(x > 0, x, 0.0),
    "astype": lambda x: xp.astype(x, xp.int32),
    "concat": lambda x: xp.concat([x, x]),
    "repeat": lambda x: xp.repeat(x, 2, axis=0),
    "roll": lambda x: xp.roll(x, 1),
    "searchsorted": lambda x: xp.searchsorted(xp.sort(x[0, :]), x),
    "isin": lambda x: xp.isin(x, x),
    "linspace": lambda x: xp.linspace(0, 1, 5, device=x.device),
    "arange": lambda x: xp.arange(5, device=x.device),
    "full": lambda x: xp.full((2, 2), -0.0, device=x.device),
    "eye": lambda x: xp.eye(3, device=x.device),
    "tril": xp.tril,
    "fft": lambda x: xp.fft.rfft(x),
    "irfftn": lambda x: xp.fft.irfftn(xp.fft.rfftn(x)),
    "vector_norm": xp.linalg.vector_norm,
    "det": xp.linalg.det,
    "copy": copy.copy,
}
READING = {
    "mask": lambda x: x[x > 1],
    "nonzero": xp.nonzero,
    "unique": xp.unique_all,
    "repeat by an array": lambda x: xp.repeat(x, xp.asarray([1, 2, 0], device=x.device), axis=0),
    "bool": lambda x: bool(x[0, 0]),
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "inv": xp.linalg.inv,
    "svd": xp.linalg.svd,
    "eig": xp.linalg.eig,
}


def matrix(number: int = 0) -> Any:
    return on([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]], number)


@pytest.mark.parametrize("name", [*WORK, *READING])
def test_work_is_done_on_the_arrays_device(fake: Any, name: str):
    x = matrix(1)
    result = {**WORK, **READING}[name](x)
    assert fake.runtime.getDevice() == 0  # that of the caller
    for part in result if isinstance(result, tuple) else (result,):
        if isinstance(part, type(x)):
            assert part.device == "cuda:1"
            assert part._data.number == 1
    x = matrix(0)
    fake.runtime.setDevice(1)
    {**WORK, **READING}[name](x)
    assert fake.runtime.getDevice() == 1


def test_the_callers_device_comes_back_after_an_error(fake: Any):
    with pytest.raises(ValueError, match="positive definite"):
        xp.linalg.cholesky(-matrix(1))
    assert fake.runtime.getDevice() == 0


def test_devices_do_not_mix(fake: Any):
    for call in (xp.add, xp.matmul, lambda x, y: xp.concat([x, y])):
        with pytest.raises(ValueError, match=r"different devices: cuda:0, cuda:1"):
            call(matrix(0), matrix(1))
    assert host(matrix(0).to_device("cuda:1") + matrix(1)).tolist() == host(2 * matrix()).tolist()


def test_between_gpus_nothing_takes_the_way_over_the_host(fake: Any):
    for x in (matrix(0), matrix(0).T[::-1, :], on(2.0), on([])):
        expected = host(x)
        fake.calls.clear()
        moved = x.to_device("cuda:1")
        assert fake.calls == [
            ("record", 0),
            ("wait", 1),
            ("copy", 0, 1, 1),
            ("record", 1),
            ("wait", 0),
        ]
        assert fake.runtime.getDevice() == 0
        assert (moved.device, moved._data.number) == ("cuda:1", 1)
        assert np.array_equal(host(moved), expected)
        assert np.array_equal(host(moved.to_device("cuda:0")), expected)


def test_a_wrong_index_does_not_get_away_to_another_gpu(fake: Any):
    taken = xp.take(on([1.0, 2.0]), on([2]))
    with pytest.raises(IndexError, match="take: an index is out of bounds for axis 0 of length 2"):
        taken.to_device("cuda:1")


# --- indices --------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [3, -4, 2**62])
def test_an_index_out_of_bounds_is_told_before_anything_is_read(fake: Any, index: int):
    x = on([1.0, 2.0, 3.0])
    calls = {
        "take": lambda at: xp.take(x, at),
        "indexing": lambda at: x[at],
        "take_along_axis": lambda at: xp.take_along_axis(x, at, axis=0),
    }
    for name, call in calls.items():
        taken = call(on([0, index]))
        other = taken + 1
        words = f"^{name}: an index is out of bounds for axis 0 of length 3"
        with pytest.raises(IndexError, match=words):
            host(other)
        assert host(call(on([0, -3]))).tolist() == [1.0, 1.0]  # and then it is forgotten


def test_the_largest_unsigned_index_is_out_of_bounds(fake: Any):
    taken = xp.take(on([1.0, 2.0]), on([2**64 - 1], dtype=xp.uint64))
    with pytest.raises(IndexError, match="axis 0 of length 2"):
        host(taken)


SHAPED = {
    "mask": lambda x: x[x > 1],
    "nonzero": xp.nonzero,
    "unique_values": xp.unique_values,
    "unique_all": xp.unique_all,
    "repeat": lambda x: xp.repeat(x, xp.astype(x, xp.int64)),
    "repeat by negative numbers": lambda x: xp.repeat(x, xp.astype(-x, xp.int64)),
}


@pytest.mark.parametrize("name", SHAPED)
def test_no_shape_is_made_of_what_a_wrong_index_took(fake: Any, name: str):
    wrong = xp.take(on([1.0, 2.0]), on([0, 2]))
    with pytest.raises(IndexError, match="take: an index is out of bounds for axis 0 of length 2"):
        SHAPED[name](wrong)
    right = xp.take(on([1.0, 2.0]), on([0, 1]))
    fake.calls.clear()
    if name != "repeat by negative numbers":
        SHAPED[name](right)
        assert fake.calls == ["get", "get"]  # the number, and the word of faults


def test_synchronize_tells_it_too(fake: Any):
    xp.take(on([[1.0, 2.0]]), on([2]), axis=1)
    with pytest.raises(IndexError, match="axis 1 of length 2"):
        synchronize("cuda:0")


EXPORTS = {
    "DLPack": lambda x: x.__dlpack__(stream=1),
    "interface": lambda x: x.__cuda_array_interface__,
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_array_is_not_handed_on_before_indices_are_known_to_be_right(fake: Any, name: str):
    x, export = on([1.0, 2.0]), EXPORTS[name]
    wrong = xp.take(x, on([2]))
    with pytest.raises(IndexError, match="axis 0 of length 2"):
        export(wrong)
    right = xp.take(x, on([1]))
    fake.calls.clear()
    export(right)
    assert fake.calls[0] == "get"
    fake.calls.clear()
    export(right)
    export(right + 1)
    assert "get" not in fake.calls


def test_the_first_of_several_faults_is_told(fake: Any):
    xp.take(on([1.0, 2.0]), on([0]))
    xp.take(on([[1.0], [2.0]]), on([5]), axis=1)
    taken = xp.take(on([1.0, 2.0]), on([7]))
    with pytest.raises(IndexError, match="axis 1 of length 1"):
        host(taken)


def test_more_faults_than_are_told_apart(fake: Any, monkeypatch: pytest.MonkeyPatch):
    x = on([1.0, 2.0])
    monkeypatch.setattr(f"{type(x._type.backend._faults).__module__}.MOST", 2)
    for _ in range(3):
        xp.take(x, on([0]))
    taken = xp.take(x, on([7]))
    with pytest.raises(IndexError, match="since the last read is out of bounds"):
        host(taken)


def test_faults_of_other_streams_are_waited_for(fake: Any, monkeypatch: pytest.MonkeyPatch):
    x = on([1.0, 2.0])
    monkeypatch.setattr(fake.runtime, "stream", 7)
    taken = xp.take(x, on([0]))
    monkeypatch.setattr(fake.runtime, "stream", 0)
    fake.calls.clear()
    host(taken)
    assert fake.calls == ["get", "synchronize", "get"]
    xp.take(x, on([0]))
    fake.calls.clear()
    host(taken)
    assert fake.calls == ["get", "get"]


def test_nothing_can_be_taken_of_nothing(fake: Any):
    with pytest.raises(IndexError, match="take: an index is out of bounds for axis 0 of length 0"):
        xp.take(on([]), on([0]))
    assert xp.take(on([]), on([], dtype=xp.int64)).shape == (0,)


# --- memory ---------------------------------------------------------------------------------------


def test_views_made_by_broadcasting_are_not_written(fake: Any):
    on([1.0]).__iadd__(1.0)  # from here on, that takes the fast path
    for write in (
        lambda x: x.__setitem__(0, 9.0),
        lambda x: x.__setitem__((slice(1), ...), 9.0),
        lambda x: x.__setitem__(x > 0, 9.0),
        lambda x: x.__iadd__(1.0),
    ):
        one = on(1.0)
        x = xp.broadcast_to(one, (3,))
        write(x)
        assert float(one) == 1.0
        assert float(x[0]) in (2.0, 9.0)


def test_reshape_knows_what_needs_a_copy(fake: Any):
    from numr_api._backends.cuda.movement import can_be_viewed

    whole = np.arange(24).reshape(2, 3, 4)
    views = [whole, whole.T, whole[:, ::2], whole[:, :, :2], whole[::-1], whole[:, :1], whole.mT]
    views += [np.broadcast_to(whole[0, 0], (3, 4)), whole[0, 0, :1], whole[:, 1]]
    shapes = [(24,), (6, 4), (2, 12), (4, 6), (8, 3), (1, 2, 3, 4), (3, 2, 4), (12,), (16,), (2, 6)]
    shapes += [(4, 2), (8,), (), (1, 1), (2, 1, 4), (4, 2, 3), (2, 2, 2, 3), (4, 3, 2)]
    tried = 0
    for view in views:
        for shape in shapes:
            if np.prod(shape) == view.size:
                shared = np.shares_memory(view.reshape(shape), whole)
                assert can_be_viewed(view, shape) == shared
                tried += 1
    assert tried > 50
    x = xp.permute_dims(on(whole), (2, 1, 0))
    with pytest.raises(ValueError, match="copy"):
        xp.reshape(x, (24,), copy=False)
    assert np.array_equal(host(xp.reshape(x, (24,))), whole.T.reshape(24))
    y = xp.reshape(on(whole)[:, :, 1:], (6, 3), copy=False)
    assert np.array_equal(host(y), whole[:, :, 1:].reshape(6, 3))


def test_what_is_assigned_must_fit(fake: Any):
    x = on([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="broadcast"):
        x[:2] = on([1.0, 2.0, 3.0])
    x[:2] = on([5.0])
    x[1:] = on(7.0)
    assert host(x).tolist() == [5.0, 7.0, 7.0]
    x[...] = x[::-1]
    assert host(x).tolist() == [7.0, 7.0, 5.0]


def test_parts_of_a_concatenation_many_or_few(fake: Any):
    for count in (1, 2, 8, 9, 30):
        parts = [np.arange(6.0).reshape(2, 3) + i for i in range(count)]
        for axis in (0, 1):
            found = xp.concat([on(part) for part in parts], axis=axis)
            assert np.array_equal(host(found), np.concatenate(parts, axis))


def test_an_array_of_no_elements_is_written(fake: Any):
    from numr_api._backends.cuda.movement import overlaps_itself

    steps = np.lib.stride_tricks.as_strided  # as CuPy has them
    assert not overlaps_itself(steps(np.empty((3, 0)), (3, 0), (0, 8)))
    assert overlaps_itself(steps(np.empty(2), (3, 2), (0, 8)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_zeros_keep_their_sign(fake: Any, dtype: str):
    zeros_keep_their_sign(getattr(xp, dtype))


def zeros_keep_their_sign(dtype: Any) -> None:
    zero = -0.0 if dtype in (xp.float32, xp.float64) else complex(-0.0, -0.0)
    options: Any = {"dtype": dtype, "device": "cuda"}
    whole = [
        xp.asarray(zero, **options),
        xp.asarray([zero, zero], **options),
        xp.asarray(np.full((), zero), **options),
        xp.full((2, 3), zero, **options),
        xp.full((), zero, **options),
        xp.asarray(xp.asarray(zero, dtype=dtype, device="cpu"), device="cuda"),
    ]
    for x in whole:
        assert np.all(signs_of_parts(x))
    x = xp.zeros(4, **options)
    x[1:3] = zero
    assert signs_of_parts(x).tolist() == [False, True, True, False]
    x[3] = zero
    x[xp.asarray([True, False, False, False], device="cuda")] = zero
    assert np.all(signs_of_parts(x))


def signs_of_parts(x: Any) -> Any:
    """Whether both parts are negative; they must agree."""
    values = host(x)
    assert np.all(values == 0)
    if values.dtype.kind == "c":
        assert np.array_equal(np.signbit(values.real), np.signbit(values.imag))
    return np.signbit(values.real)


def test_matrices_that_were_flipped_along_an_axis_of_length_1(fake: Any):
    flipped_matrices()


def flipped_matrices() -> None:
    x = np.arange(6, dtype="int8").reshape(1, 3, 1, 2)
    y = np.arange(12, dtype="int8").reshape(2, 1, 2, 3)
    for axes in ((0,), (2,), (0, 2)):
        assert np.array_equal(host(xp.flip(on(x), axis=axes) @ on(y)), x @ y)
    assert np.array_equal(host(on(y.mT) @ xp.flip(on(x.mT), axis=0)), y.mT @ x.mT)


def test_a_slice_takes_what_overlaps_it(fake: Any):
    x = on([1, 2, 3, 4])
    x[1:] = x[:-1]
    assert host(x).tolist() == [1, 1, 2, 3]


def test_out_of_memory(fake: Any, monkeypatch: pytest.MonkeyPatch):
    x = on([1.0])

    def refuse(*_: Any) -> Any:
        raise fake_cupy.OutOfMemoryError("Out of memory allocating 8,000 bytes")

    monkeypatch.setattr(fake.cupy, "ndarray", refuse)
    with pytest.raises(DeviceOutOfMemory, match="cuda:1: Out of memory allocating 8,000 bytes"):
        xp.zeros(1000, device="cuda:1")
    assert fake.runtime.getDevice() == 0
    assert host(x + 1).tolist() == [2.0]


def test_memory_is_the_pools(fake: Any):
    found = memory("cuda")
    assert (found.used, found.peak, found.reserved) == (512, 1024, 1024)


def test_matrices_that_are_not_finite_are_refused(fake: Any):
    x = matrix()
    x[2, 2] = float("nan")
    for function in (xp.linalg.eig, xp.linalg.eigvals):
        with pytest.raises(ValueError, match="a matrix contains NaN or an infinity"):
            function(x)
    for function in (xp.linalg.svd, xp.linalg.svdvals, xp.linalg.eigh, xp.linalg.eigvalsh):
        with pytest.raises(ValueError, match="do not converge"):
            function(x)
    x = matrix()
    x[0, 2] = float("nan")  # above the diagonal, where eigh does not look
    assert not bool(xp.any(xp.isnan(xp.linalg.eigvalsh(x))))


# --- exchange -------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [None, 1, 2, -1, 0x7F00])
def test_the_consumers_stream_is_handed_on(fake: Any, stream: Any):
    x = matrix()
    x.__dlpack__(stream=stream, max_version=(1, 0), dl_device=(2, 0), copy=False)
    x.__dlpack__(stream=stream)
    assert fake.calls == [("dlpack", stream, (1, 0)), ("dlpack", stream, None)]


@pytest.mark.parametrize("stream", [0, -2, 1.0, "1", True])
def test_other_streams_are_refused(fake: Any, stream: Any):
    with pytest.raises(ValueError, match="stream must be None, 1, 2, -1 or the address"):
        matrix().__dlpack__(stream=stream)


def test_dlpack_to_the_host_is_a_copy(fake: Any):
    x = matrix()
    for keywords in ({}, {"copy": None}, {"copy": True}):
        found = np.from_dlpack(x, device="cpu", **keywords)
        found[...] = 0
        assert host(x)[0, 0] == 4.0
    with pytest.raises(BufferError, match="a copy is needed from cuda:0 to the cpu"):
        x.__dlpack__(dl_device=(1, 0), copy=False)


@pytest.mark.parametrize("device", [(2, 1), (7, 0), (16, 0)])
def test_dlpack_to_another_device_is_refused(fake: Any, device: Any):
    for keywords in ({}, {"copy": True}, {"copy": False}):
        with pytest.raises(BufferError, match="cannot move from cuda:0"):
            matrix().__dlpack__(dl_device=device, **keywords)


def test_dlpack_of_a_view_made_by_broadcasting_is_a_copy(fake: Any):
    x = xp.broadcast_to(on([1.0]), (3,))
    with pytest.raises(BufferError, match="made by broadcasting"):
        x.__dlpack__(copy=False)
    x.__dlpack__()


def test_the_dlpack_device(fake: Any):
    assert [matrix(i).__dlpack_device__() for i in range(2)] == [(2, 0), (2, 1)]


@pytest.mark.parametrize("function", [xp.asarray, xp.from_dlpack])
def test_arrays_of_other_libraries_are_used_without_a_copy(fake: Any, function: Any):
    for number in range(2):
        fake.runtime.setDevice(number)
        theirs = fake.cupy.array([1.0, 2.0])
        fake.runtime.setDevice(0)
        given = fake_cupy.Foreign(theirs)
        ours = function(given)
        assert ours.device == f"cuda:{number}"
        theirs[0] = 5.0
        assert host(ours).tolist() == [5.0, 2.0]
        copied = function(given, copy=True)
        theirs[0] = 6.0
        assert host(copied).tolist() == [5.0, 2.0]
        assert function(given, device="cpu").device == "cpu"
        with pytest.raises(ValueError, match="without a copy"):
            function(given, device="cpu", copy=False)


def test_the_cuda_array_interface_is_read(fake: Any):
    theirs = fake.cupy.array([1.0, 2.0])

    class WithInterface:
        __cuda_array_interface__ = theirs.__cuda_array_interface__
        __array_interface__ = theirs.__array_interface__

    ours = xp.asarray(WithInterface())
    assert ours.device == "cuda:0"
    theirs[0] = 5.0
    assert host(ours).tolist() == [5.0, 2.0]


def test_steps_that_are_not_whole_elements_are_refused(fake: Any):
    records = np.zeros(4, [("x", "f8"), ("n", "i4")])

    theirs = records["x"].view(fake.cupy.ndarray)

    class Field:
        __cuda_array_interface__ = theirs.__cuda_array_interface__
        __array_interface__ = theirs.__array_interface__

    with pytest.raises(ValueError, match=r"12,.* bytes are not whole elements"):
        xp.asarray(Field())


def test_only_cuda_arrays_have_the_cuda_array_interface(fake: Any):
    x, name = matrix(), "__cuda_array_interface__"
    assert x.__cuda_array_interface__["shape"] == (3, 3)
    assert name in dir(x)
    other = xp.ones(2, device="cpu")
    assert not hasattr(other, name)
    assert name not in dir(other)


def test_what_the_device_is(fake: Any):
    facts = _devices.backend_of("cuda:0").describe()
    assert facts["driver"] == "CUDA 13.0"
    assert facts["hardware"] == "NVIDIA H200 (sm_90)"
