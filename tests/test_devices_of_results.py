"""Results stay on the device of their operands, in dtypes that the device has."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import numr_api as xp

DEVICES = ("cpu", "fake:0", "fake:1", "fake:2")

# Expressions in f, i, b and c: float32, int32, bool and complex64 arrays of shape (2, 3); v and k,
# float32 and int32 ones of shape (3,); s, a float32 positive-definite matrix of shape (3, 3).
FAMILIES = {
    "element-wise": "xp.exp(f), xp.add(f, 1), 1 - f, f * c, i // 2, i == i, xp.isnan(f), ~b, -i",
    "repaired": "f // 2, f ** 0.5, xp.sign(c), xp.atan(c), xp.real(c), xp.imag(c), c ** 2, c / c",
    "choice": "xp.where(b, f, 0.0), xp.where(b, 1, i), xp.clip(f, 0.0, 1.0), xp.clip(i, i, None)",
    "reduction": "xp.sum(i), xp.sum(f, axis=0), xp.max(f, axis=(0, 1), keepdims=True), xp.any(b)",
    "statistics": "xp.mean(f), xp.var(f, axis=1), xp.std(f, correction=1), xp.prod(i, axis=0)",
    "scan": "xp.cumulative_sum(i, axis=0), xp.cumulative_prod(v, include_initial=True), xp.diff(f)",
    "indexing": "f[0, :], f[..., None], f[1, 2], v[k], f[b], v[::-1], f[1, k], v[k[0]]",
    "movement": "xp.concat((f, f)), xp.stack([f, f]), xp.roll(f, 1), xp.flip(f), xp.tile(v, (2,))",
    "views": "f.T, f.mT, xp.reshape(f, (3, 2)), xp.expand_dims(f, 0), xp.moveaxis(f, 0, 1)",
    "more views": "xp.unstack(f), xp.squeeze(f[:1, :], 0), xp.broadcast_to(v, (4, 3)), *f",
    "repeats": "xp.repeat(f, 2), xp.repeat(v, k), xp.broadcast_arrays(f, v), xp.meshgrid(v, v)",
    "selection": "xp.take(f, k, axis=1), xp.take_along_axis(f, i, axis=1), xp.tril(s), xp.triu(s)",
    "sorting": "xp.sort(f), xp.sort(i, axis=0, descending=True)",
    "sets": "xp.unique_values(i), xp.isin(i, 2), xp.unique_all(f).values",
    "products": "s @ v, xp.tensordot(f, f), xp.vecdot(f, v), xp.matrix_transpose(f), i @ i.T",
    "creation": "xp.zeros_like(f), xp.ones_like(i), xp.full_like(c, 2), xp.empty_like(b)",
    "conversion": "xp.asarray(f), xp.asarray(f, copy=True), xp.astype(f, xp.int32), abs(c), +f",
    "copies": "copy.copy(f), copy.deepcopy(i), pickle.loads(pickle.dumps(c)), xp.from_dlpack(f)",
    "decompositions": "xp.linalg.cholesky(s), xp.linalg.qr(f), xp.linalg.svd(f), xp.linalg.eigh(s)",
    "systems": "xp.linalg.solve(s, v), xp.linalg.inv(s), xp.linalg.det(s), xp.linalg.slogdet(s)",
    "more systems": "xp.linalg.pinv(f), xp.linalg.matrix_power(s, 3), xp.linalg.eigvals(s)",
    "norms": "xp.linalg.vector_norm(f), xp.linalg.matrix_norm(f), xp.linalg.trace(s, offset=1)",
    "vectors": "xp.linalg.cross(v, v), xp.linalg.outer(v, v), xp.linalg.diagonal(s)",
    "transforms": "xp.fft.fft(f), xp.fft.rfft(f), xp.fft.irfft(c), xp.fft.ifftn(c)",
    "shifts": "xp.fft.fftshift(f), xp.fft.ifftshift(c, axes=0)",
}  # fmt: skip

INDICES = {
    "argmax": "xp.argmax(f)",
    "argmax of an axis": "xp.argmax(f, axis=0)",
    "argmin": "xp.argmin(i, axis=1, keepdims=True)",
    "argsort": "xp.argsort(f, descending=True)",
    "nonzero": "xp.nonzero(i)",
    "searchsorted": "xp.searchsorted(v, f)",
    "count_nonzero": "xp.count_nonzero(b, axis=0)",
    "unique_all": "xp.unique_all(i)[1:]",
    "unique_counts": "xp.unique_counts(i).counts",
    "unique_inverse": "xp.unique_inverse(f).inverse_indices",
}

IN_PLACE = {
    "operators": "f += 1; f *= f; i //= 2; i <<= 1; b ^= b; c -= 1j; f @= s",
    "repaired operators": "f //= 2; f **= 0.5; c /= c; c **= 2; i **= 2; f %= 2.0",
    "assignment": "f[0, :] = v; f[b] = 0.0; f[1, 1] = 2; i[...] = i[::-1, :]; v[:] = f[0, :]",
}


def on(device: str) -> dict[str, Any]:
    """The arrays that expressions name, on a device."""

    def array(values: Any, dtype: Any) -> Any:
        return xp.asarray(values, dtype=dtype, device=device)

    return {
        "f": array([[1.0, -2.5, 3.0], [0.5, 4.0, -1.0]], xp.float32),
        "i": array([[0, 2, 1], [2, 0, 1]], xp.int32),
        "b": array([[True, False, True], [False, False, True]], xp.bool),
        "c": array([[1 + 2j, 1j, 3], [2, 2 - 1j, 1]], xp.complex64),
        "v": array([1.0, 2.0, 3.0], xp.float32),
        "k": array([0, 2, 1], xp.int32),
        "s": array([[2.0, 1, 0], [1, 2, 1], [0, 1, 2]], xp.float32),
        "xp": xp,
        "copy": copy,
        "pickle": pickle,
    }


def flat(results: Any) -> Iterator[Any]:
    if isinstance(results, tuple):
        for result in results:
            yield from flat(result)
    else:
        yield results


def assert_same_as_on_cpu(result: Any, reference: Any) -> None:
    assert result.shape == reference.shape
    values, expected = (np.asarray(x.to_device("cpu")) for x in (result, reference))
    assert values.dtype == result.dtype  # what the data is, not only what the array says
    np.testing.assert_array_equal(values, expected)


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("device", DEVICES)
def test_results_stay_on_the_device_and_have_its_dtypes(device: str, family: str):
    results = list(flat(eval(f"({FAMILIES[family]},)", on(device))))
    references = list(flat(eval(f"({FAMILIES[family]},)", on("cpu"))))
    available = xp.__array_namespace_info__().dtypes(device=device).values()
    assert len(results) == len(references) > 1
    for result, reference in zip(results, references, strict=True):
        assert result.device == device
        assert result.dtype in available
        if family != "creation":  # where empty_like may hold anything
            assert_same_as_on_cpu(result, reference)


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("device", DEVICES)
def test_indices_have_the_index_dtype_of_the_device(device: str, name: str):
    expected = xp.int32 if device == "fake:2" else xp.int64
    results = list(flat(eval(INDICES[name], on(device))))
    for result, reference in zip(results, flat(eval(INDICES[name], on("cpu"))), strict=True):
        assert result.device == device
        assert result.dtype is expected
        assert_same_as_on_cpu(result, reference)


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("device", DEVICES)
def test_changes_in_place_keep_object_device_and_dtype(device: str, name: str):
    names, reference = on(device), on("cpu")
    before = {key: (x, x.dtype) for key, x in names.items() if hasattr(x, "device")}
    exec(IN_PLACE[name], names)
    exec(IN_PLACE[name], reference)
    for key, (x, dtype) in before.items():
        assert names[key] is x
        assert (x.device, x.dtype) == (device, dtype)
        assert_same_as_on_cpu(x, reference[key])


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize(
    ("device", "dtype", "expected"),
    [
        ("cpu", xp.int8, xp.int64),
        ("cpu", xp.uint32, xp.uint64),
        ("fake:1", xp.int32, xp.int64),
        ("fake:2", xp.int8, xp.int32),
        ("fake:2", xp.int32, xp.int32),
        ("fake:2", xp.uint8, xp.uint32),
        ("fake:2", xp.uint32, xp.uint32),
        ("fake:2", xp.float32, xp.float32),
    ],
)
def test_sums_accumulate_in_the_default_integer_of_the_device(
    device: str, dtype: Any, expected: Any
):
    x = xp.ones(3, dtype=dtype, device=device)
    assert xp.sum(x).dtype is xp.prod(x).dtype is xp.cumulative_sum(x).dtype is expected
