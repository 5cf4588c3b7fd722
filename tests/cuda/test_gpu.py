"""What only a GPU can show: CuPy's values are repaired, nothing waits, and memory is shared."""

from __future__ import annotations

import gc
import math
import threading
from typing import Any

import numpy as np
import pytest
from on_gpu import COMPLEX, FLOATS, INTEGERS, host, on, same
from test_fake_device import flipped_matrices, zeros_keep_their_sign

import numr_api as xp
from numr_api import _devices
from numr_api._profiles import of_compute_capability
from numr_api.extensions.device import cuda, memory, profile, synchronize
from numr_api.extensions.errors import DeviceOutOfMemory

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("gpus")]

# --- creation and copies --------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
def test_zeros_keep_their_sign(dtype: str):
    zeros_keep_their_sign(getattr(xp, dtype))


def test_arrays_of_no_elements_are_written():
    for shape in ((3, 0), (0, 3), (2, 0, 3)):
        x = xp.zeros(shape, device="cuda")
        x[...] = 1.0
        x += 1.0
        x[x > 0] = 2.0
        assert x.shape == shape


def test_matrices_that_were_flipped_along_an_axis_of_length_1():
    flipped_matrices()


def test_a_thread_may_begin_with_any_operation():
    x = on([1.0, 2.0])
    x + x  # which compiles
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(x + x))
    thread.start()
    thread.join()
    assert host(found[0]).tolist() == [2.0, 4.0]


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS, *COMPLEX])
def test_values_come_back_from_every_layout(dtype: str):
    values = (np.arange(24) % 2 if dtype == "bool" else np.arange(24)).astype(dtype)
    values = values.reshape(2, 3, 4)
    for view in (values, values.T, values[:, ::-1, 1:], values[:0], values[0, 0, 0]):
        assert same(on(view), view)
    x = on(values)
    assert same(x[:, ::-2, 1], values[:, ::-2, 1])
    assert same(xp.permute_dims(x, (2, 0, 1)), values.transpose(2, 0, 1))
    assert same(xp.reshape(x.mT, (-1,)), values.mT.reshape(-1))


@pytest.mark.parametrize(("source", "target"), [("int64", "uint64"), ("uint64", "int64")])
def test_large_integers_are_exact(source: str, target: str):
    values = np.asarray([2**63 - 1, 2**62 + 1, 2**53 + 1], source)
    assert same(xp.astype(on(values), getattr(xp, target)), values.astype(target))
    assert same(on(values) - on(values - np.asarray(1, source)), np.ones(3, source))
    assert same(xp.sum(on(values[1:])), values[1:].sum(dtype=source))


def test_a_slice_takes_what_overlaps_it():
    values = np.arange(2**20)
    x = on(values)
    x[1:] = x[:-1]
    assert same(x, np.concatenate([values[:1], values[:-1]]))
    x = on(values)
    x[1:] += x[:-1]
    assert same(x, np.concatenate([values[:1], values[1:] + values[:-1]]))


# --- sets and indices -----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", *FLOATS, *COMPLEX])
def test_sets_agree_with_the_cpu(dtype: str):
    values = np.random.default_rng(3).integers(0, 5, (4, 25)).astype(dtype)
    if dtype in FLOATS + COMPLEX:
        values[0, :3] = np.nan, -0.0, 0.0
    x, true = on(values), xp.asarray(values, device="cpu")
    for found, expected in zip(xp.unique_all(x), xp.unique_all(true), strict=True):
        assert same(found, np.asarray(expected))
    some = values[0, ::5]
    expected = xp.isin(true, xp.asarray(some, device="cpu"))
    assert same(xp.isin(x, on(some)), np.asarray(expected))


def test_the_smallest_numbers_are_distinct():
    assert xp.unique_values(on([0.0, 1e-45, 3e-45, 0.0], "float32")).shape == (3,)


@pytest.mark.parametrize("shape", [(1_000_003,), (2000, 300), (3000, 64), (900, 5)])
@pytest.mark.parametrize("dtype", ["int8", "float32", "complex128"])
def test_masks_of_many_elements(shape: tuple[int, ...], dtype: str):
    random = np.random.default_rng(6)
    values = random.integers(0, 100, shape).astype(dtype)
    for axes in range(1, len(shape) + 1):
        mask = random.random(shape[:axes]) < 0.4
        x = on(values)
        assert same(x[on(mask)], values[mask])
        for found, expected in zip(xp.nonzero(on(mask)), np.nonzero(mask), strict=True):
            assert same(found, expected)
        changed = values.copy()
        changed[mask] = values[mask][::-1]
        x[on(mask)] = on(values[mask][::-1])
        assert same(x, changed)
        changed[mask] = 7
        x[on(mask)] = 7
        assert same(x, changed)


@pytest.mark.parametrize("index", [3, -4])
def test_an_index_out_of_bounds_is_told_at_the_next_read(index: int):
    x = on([1.0, 2.0, 3.0])
    taken = xp.take(x, on([0, index])) + 1
    with pytest.raises(IndexError, match="an index is out of bounds for axis 0 of length 3"):
        float(taken[0])
    assert host(xp.take(x, on([-1, 0]))).tolist() == [3.0, 1.0]


def test_masks_and_repeats():
    values = np.arange(12.0).reshape(3, 4)
    x = on(values)
    mask = values % 3 == 0
    assert same(x[on(mask)], values[mask])
    assert same(x[on(mask[:, 0])], values[mask[:, 0]])
    x[on(mask)] = on(np.arange(float(mask.sum())))
    expected = values.copy()
    expected[mask] = np.arange(mask.sum())
    assert same(x, expected)
    assert same(xp.repeat(x, 3, axis=1), np.repeat(expected, 3, 1))
    assert same(xp.repeat(x, on([2, 0, 1]), axis=0), np.repeat(expected, [2, 0, 1], 0))
    with pytest.raises(ValueError, match="negative"):
        xp.repeat(x, on([2, -1, 1]), axis=0)


# --- linear algebra and transforms ----------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
@pytest.mark.parametrize("shape", [(4, 4), (3, 5, 5), (40, 40), (0, 0), (2, 0, 0), (0, 3, 3)])
def test_decompositions_restore_the_matrix(dtype: str, shape: tuple[int, ...]):
    random = np.random.default_rng(4)
    values = random.standard_normal(shape).astype(dtype)
    if dtype in COMPLEX:
        values = values + 1j * random.standard_normal(shape).astype(dtype)
    values = values.astype(dtype)
    x, close = on(values), {"atol": 1e-3 if dtype in ("float32", "complex64") else 1e-10}
    q, r = map(host, xp.linalg.qr(x))
    np.testing.assert_allclose(q @ r, values, **close)
    u, s, vh = map(host, xp.linalg.svd(x))
    np.testing.assert_allclose((u * s[..., None, :]) @ vh, values, **close)
    found, vectors = map(host, xp.linalg.eig(x))
    np.testing.assert_allclose(values @ vectors, vectors * found[..., None, :], **close)
    assert xp.linalg.eigvals(x).dtype == found.dtype
    definite = values @ values.mT.conj() + np.eye(shape[-1], dtype=dtype)
    low = host(xp.linalg.cholesky(on(definite)))
    np.testing.assert_allclose(low @ low.mT.conj(), definite, **close)
    found, vectors = map(host, xp.linalg.eigh(on(definite)))
    np.testing.assert_allclose(definite @ vectors, vectors * found[..., None, :], rtol=0, **close)
    right = np.ones((*shape[:-1], 2), dtype)
    np.testing.assert_allclose(
        definite @ host(xp.linalg.solve(on(definite), on(right))), right, **close
    )
    np.testing.assert_allclose(
        host(xp.linalg.det(x)), np.linalg.det(values), rtol=1e-2 if close["atol"] > 1e-9 else 1e-9
    )


def test_what_cannot_be_decomposed_is_refused():
    with pytest.raises(ValueError, match="singular"):
        xp.linalg.inv(xp.zeros((2, 2), device="cuda"))
    with pytest.raises(ValueError, match="singular"):
        xp.linalg.solve(xp.zeros((3, 2, 2), device="cuda"), xp.ones((3, 2, 1), device="cuda"))
    with pytest.raises(ValueError, match="not positive definite"):
        xp.linalg.cholesky(-xp.eye(3, device="cuda"))
    nan = xp.full((2, 2), math.nan, device="cuda")
    for function in (xp.linalg.svd, xp.linalg.svdvals, xp.linalg.eig, xp.linalg.eigh):
        with pytest.raises(ValueError, match=r"NaN|converge"):
            function(nan)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_norms_neither_overflow_nor_vanish(scale: float):
    x = on(np.asarray([3.0, -4.0]) * scale)
    assert float(xp.linalg.vector_norm(x)) == pytest.approx(5 * scale, rel=1e-15)
    assert float(xp.linalg.vector_norm(x * 1j)) == pytest.approx(5 * scale, rel=1e-15)


@pytest.mark.parametrize("length", [1, 2, 7, 8, 64, 97])
def test_transforms_agree_with_numpy(length: int):
    random = np.random.default_rng(5)
    values = random.standard_normal((3, length, 4))
    spectrum = values + 1j * random.standard_normal(values.shape)  # not Hermitian
    x, z, near = on(values), on(spectrum), {"atol": 1e-12 * length}
    np.testing.assert_allclose(host(xp.fft.fft(z, axis=1)), np.fft.fft(spectrum, axis=1), **near)
    np.testing.assert_allclose(host(xp.fft.ifftn(z)), np.fft.ifftn(spectrum), **near)
    np.testing.assert_allclose(host(xp.fft.rfftn(x)), np.fft.rfftn(values), **near)
    for n in (2 * length - 1, 2 * length):
        expected = np.fft.irfft(spectrum, n, 1)
        np.testing.assert_allclose(host(xp.fft.irfft(z, n=n, axis=1)), expected, **near)
    np.testing.assert_allclose(host(xp.fft.irfftn(z)), np.fft.irfftn(spectrum), **near)
    assert xp.fft.fft(on(spectrum.astype("complex64"))).dtype == xp.complex64


# --- threads --------------------------------------------------------------------------------------


def test_threads_share_a_device():
    failed: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            values = np.random.default_rng(seed).standard_normal((64, 64))
            x = on(values)
            for _ in range(20):
                np.testing.assert_allclose(host(x @ x + x), values @ values + values)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


# --- exchange and memory --------------------------------------------------------------------------


def test_cupy_shares_memory_both_ways(cupy: Any):
    theirs = cupy.arange(6.0).reshape(2, 3)
    for ours in (xp.asarray(theirs), xp.from_dlpack(theirs), xp.from_dlpack(theirs.T).T):
        ours[0, 0] = 7.0
        assert float(theirs[0, 0]) == 7.0
        theirs[0, 0] = 0.0
        assert float(ours[0, 0]) == 0.0
    ours = on([[1.0, 2.0]])
    for back in (cupy.from_dlpack(ours), cupy.asarray(ours)):
        back += 1
    assert host(ours).tolist() == [[3.0, 4.0]]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", *FLOATS, *COMPLEX])
def test_torch_shares_memory_both_ways(dtype: str):
    torch = pytest.importorskip("torch")
    theirs = torch.zeros((2, 3), dtype=getattr(torch, dtype), device="cuda")
    for ours in (xp.asarray(theirs), xp.from_dlpack(theirs)):
        ours[1, :] = 1 if dtype != "bool" else True
        assert theirs.sum().item() == 3
        theirs.zero_()
        assert not bool(xp.any(ours))
    ours = on(np.zeros(3, dtype))
    for back in (torch.from_dlpack(ours), torch.as_tensor(ours, device="cuda")):
        back.fill_(1)
        assert host(ours).tolist() == [1, 1, 1]
        back.zero_()


def test_work_on_other_streams_is_ordered():
    torch = pytest.importorskip("torch")
    large = torch.ones(2**24, device="cuda")
    stream = torch.cuda.Stream()
    for _ in range(5):
        with torch.cuda.stream(stream):
            for _ in range(20):
                large = large * 1.0
            large = large + 1
            ours = xp.from_dlpack(large) * 2  # on our stream, after all of that
            back = torch.from_dlpack(ours)
            total = float((back - large * 2).abs().max())
        assert total == 0.0
        torch.cuda.synchronize()


@pytest.mark.parametrize("stream", [None, 1, 2, -1])
def test_dlpack_streams(cupy: Any, stream: Any):
    capsule = on([1.0, 2.0]).__dlpack__(stream=stream, max_version=(1, 0))
    assert type(capsule).__name__ == "PyCapsule"


def test_an_array_that_does_not_fit():
    x = on([1.0])
    elements = 2 * cuda.total_memory(0) // 8
    with pytest.raises(DeviceOutOfMemory, match="cuda:0: "):
        xp.empty(elements, device="cuda")
    assert float((x + 1)[0]) == 2.0


def test_memory_is_counted_and_given_back(cupy: Any):
    gc.collect()
    before = memory("cuda").used
    x = xp.zeros(2**20, dtype=xp.float32, device="cuda")
    assert memory("cuda").used - before == 2**22
    y = x[1:]
    del x
    assert memory("cuda").used - before == 2**22
    del y
    assert memory("cuda").used == before
    assert memory("cuda").peak >= memory("cuda").reserved >= before


def test_no_memory_is_lost_over_many_operations(cupy: Any):
    """100,000, of each kind that has kernels or memory of its own."""
    x, at = on(np.ones((10, 100))), on([0, 2, 1])
    work = (
        lambda: x + x,
        lambda: (x * 2).__iadd__(x),
        lambda: xp.sum(x, axis=0),
        lambda: xp.take(x, at, axis=0),
        lambda: xp.astype(x, xp.int8),
        lambda: x[:, ::2] - 1,
        lambda: x.__setitem__((0, ...), 1.0),
        lambda: xp.concat([x, x]),
        lambda: x @ x.T,
        lambda: xp.cumulative_sum(x, axis=1),
    )
    pool = cupy.get_default_memory_pool()
    for repeats in (100, 10_000):
        for do in work:
            for _ in range(repeats):
                do()
        synchronize("cuda")
        gc.collect()
        found = memory("cuda").used, pool.total_bytes()
        if repeats == 100:  # what is kept for good is there
            before = found
    assert found == before


@pytest.mark.parametrize("name", ["x + y", "x * 2.0", "single + y", "x - row", "xp.exp(x)"])
def test_the_result_is_all_that_memory_is_taken_for(cupy: Any, name: str):
    """Also with operands of several dtypes and shapes: they are converted inside the kernel."""
    shape = (2**10, 2**12)
    arrays: dict[str, Any] = {
        "x": xp.ones(shape, device="cuda"),
        "y": xp.ones(shape, device="cuda"),
        "single": xp.ones(shape, dtype=xp.float32, device="cuda"),
        "row": xp.ones(shape[1:], device="cuda"),
        "xp": xp,
    }
    result = eval(name, arrays)
    size = result._data.nbytes
    del result
    gc.collect()
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.total_bytes()  # what the pool takes, it keeps until it is told to give it back
    kept = eval(name, arrays)
    assert pool.total_bytes() - before == size == kept._data.nbytes


def test_the_profile_is_that_of_the_runtime(cupy: Any):
    found, runtime = profile("cuda:0"), cupy.cuda.runtime.getDeviceProperties(0)
    assert found.compute_units == runtime["multiProcessorCount"]
    assert found.lane_width == runtime["warpSize"]
    assert found.max_threads_per_block == runtime["maxThreadsPerBlock"]
    assert found.shared_memory_per_block == runtime["sharedMemPerBlockOptin"]
    assert found.shared_memory_per_unit == runtime["sharedMemPerMultiprocessor"]
    assert found.arch is of_compute_capability(runtime["major"], runtime["minor"])[0]


def test_the_driver_and_the_device_agree():
    facts = _devices.backend_of("cuda:0").describe()
    assert cuda.product_name(0) in facts["hardware"]
    assert cuda.count() >= 1
