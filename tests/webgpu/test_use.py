"""What people do with arrays on a webgpu device: algorithms, other libraries, exchange."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import scikit_learn_work

import numr_api as xp
from numr_api.extensions.errors import Unsupported

ROOT = Path(__file__).parent.parent.parent


def values(*shape: int, dtype: str = "float32") -> Any:
    found = np.random.default_rng(sum(shape)).standard_normal(shape) * 9
    return found > 0 if dtype == "bool" else found.astype(dtype)


# The examples of the documentation


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    monkeypatch.syspath_prepend(ROOT / "docs" / "examples")
    return lambda name: __import__(name)


def test_kmeans_is_as_on_the_cpu(
    put: Any, get: Any, backend: Any, example: Callable[[str], ModuleType]
) -> None:
    from sklearn.datasets import load_digits

    kmeans = example("kmeans")
    images, digits = load_digits(return_X_y=True)
    images = images.astype(np.float32)
    expected, expected_labels = kmeans.kmeans(xp.asarray(images), 10)
    centres, labels = kmeans.kmeans(put(images), 10)
    assert (centres.device, centres.dtype) == (backend.device, xp.float32)
    np.testing.assert_array_equal(get(labels), np.asarray(expected_labels))
    np.testing.assert_allclose(get(centres), np.asarray(expected), rtol=1e-5, atol=1e-5)
    share = kmeans.purity(labels, put(digits), 10)
    assert share == kmeans.purity(expected_labels, xp.asarray(digits), 10) > 0.7


def test_tiles_of_images_are_as_on_the_cpu(
    put: Any, get: Any, backend: Any, example: Callable[[str], ModuleType]
) -> None:
    """Of the example "codebook" the part that SciPy does not compute with NumPy."""
    codebook = example("codebook")
    images = values(30, 8, 8)
    found = codebook.tiles(put(images))
    np.testing.assert_array_equal(get(found), codebook.tiles(images))


def test_digits_are_classified_as_with_numpy(backend: Any, run_python: Callable[..., str]) -> None:
    """From start to finish on the device, by scikit-learn's PCA and two of its classifiers."""
    folder = str(ROOT / "docs" / "examples")
    printed = run_python(
        f"import sys; sys.path.insert(0, {folder!r}); sys.argv[1:] = ['--device', 'webgpu']\n"
        "import digits; digits.main()",
        NUMR_API_DEVICES="cpu,webgpu",
        NUMR_API_WEBGPU_FEATURES="" if backend.gpu.adapter.features else "none",
    ).splitlines()
    assert ", float32 on webgpu, " in printed[0], printed
    accuracies = re.findall(r"accuracy of .*: ([\d.]+)%, with NumPy ([\d.]+)%", "\n".join(printed))
    assert len(accuracies) == 2
    assert all(found == expected and float(found) > 90 for found, expected in accuracies)
    assert printed[-1] == "equal to NumPy's results"


# scikit-learn


@pytest.fixture(scope="module")
def results(run_python: Callable[..., str]) -> Callable[[str], dict[str, Any]]:
    """What scikit-learn computes on a device with features, as ``scikit_learn_work`` tells it."""
    known: dict[str, dict[str, Any]] = {}

    def run(features: str) -> dict[str, Any]:
        if features not in known:
            code = (
                f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
                "import scikit_learn_work; scikit_learn_work.main('webgpu')"
            )
            printed = run_python(
                code, SCIPY_ARRAY_API="1", NUMR_API_DEVICES="cpu,webgpu",
                NUMR_API_WEBGPU_FEATURES=features,
            )  # fmt: skip
            known[features] = json.loads(printed.splitlines()[-1])
        return known[features]

    return run


@pytest.mark.parametrize("name", scikit_learn_work.NAMES)
def test_scikit_learn(backend: Any, results: Callable[[str], dict[str, Any]], name: str) -> None:
    found = results("" if backend.gpu.adapter.features else "none")[name]
    assert not isinstance(found, str), found
    error, dtype, place = found
    assert error < 1e-5
    assert place in ("webgpu:0", "a Python number")
    if place == "webgpu:0":
        assert dtype in ("float32", "int64")
    if name in scikit_learn_work.TRANSFORMS or name in scikit_learn_work.PAIRWISE:
        assert (dtype, place) == ("float32", "webgpu:0")


# Exchange


DTYPES = ("bool", "int8", "uint16", "int32", "uint64", "float32", "complex64", "float64")


def needs(backend: Any, dtype: str) -> None:
    if dtype not in {str(found).split(".")[-1] for found in backend.dtypes}:
        pytest.skip(f"no {dtype}")


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_copies_to_the_host(put: Any, backend: Any, dtype: str) -> None:
    needs(backend, dtype)
    host = values(5, 7, dtype=dtype)
    x = put(host)
    for view, expected in ((x, host), (x[::-1, 2:].T, host[::-1, 2:].T), (x[3, 4], host[3, 4])):
        found = np.from_dlpack(view, device="cpu")
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == host.dtype
    found = np.from_dlpack(x, device="cpu", copy=True)
    found[...] = 0
    np.testing.assert_array_equal(np.from_dlpack(x, device="cpu"), host)  # nothing is shared
    there = xp.from_dlpack(x, device="cpu")
    assert there.device == "cpu"
    np.testing.assert_array_equal(np.asarray(there), host)


def test_dlpack_device_is_the_graphics_api(put: Any, backend: Any) -> None:
    kind, number = put(np.ones(2)[:0].astype(np.float32)).__dlpack_device__()
    kinds = {"Vulkan": 7, "Metal": 8}
    assert kind == kinds.get(backend.gpu.adapter.graphics, 7)
    assert number == backend.device.number


def test_dlpack_to_anything_but_the_host_is_refused(put: Any, backend: Any) -> None:
    x = put(values(3))
    words = rf"arrays on {backend.device} can only be copied to the cpu; ask for dl_device=\(1, 0\)"
    for options in (
        {}, {"dl_device": None}, {"dl_device": x.__dlpack_device__()}, {"dl_device": (2, 0)},
        {"dl_device": (1, 0), "copy": False},
    ):  # fmt: skip
        with pytest.raises(BufferError, match=words):
            x.__dlpack__(**options)
    with pytest.raises((BufferError, RuntimeError)):
        np.from_dlpack(x)
    capsule = x.__dlpack__(dl_device=(1, 0), max_version=(1, 0), copy=True)
    assert type(capsule).__name__ == "PyCapsule"


def test_from_dlpack_brings_arrays_to_the_device(get: Any, backend: Any) -> None:
    host = values(4, 5)
    for source in (host, xp.asarray(host)):
        x = xp.from_dlpack(source, device=backend.device)
        assert x.device == backend.device
        np.testing.assert_array_equal(get(x), host)
    same = xp.from_dlpack(x, device=backend.device)
    assert same.device == backend.device


def test_numpy_gets_an_array_by_a_copy_only(put: Any, backend: Any) -> None:
    x = put(values(3))
    cure = rf"the array is on {backend.device}; copy it with to_device\('cpu'\) first"
    for convert, error in (
        (np.asarray, TypeError), (np.array, TypeError), (lambda x: np.ones(3) * x, TypeError),
    ):  # fmt: skip
        with pytest.raises(error):
            convert(x)
    with pytest.raises(TypeError, match=rf"numpy.asarray: {cure}"):
        np.asarray(x)
    with pytest.raises((TypeError, BufferError)):
        memoryview(x)
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), values(3))


@pytest.mark.parametrize("again", [
    lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy,
    lambda x: copy.deepcopy({"a": [x]})["a"][0],
], ids=["pickle", "copy", "deepcopy", "deepcopy in a container"])  # fmt: skip
@pytest.mark.parametrize("dtype", DTYPES)
def test_copies(put: Any, get: Any, backend: Any, dtype: str, again: Callable[[Any], Any]) -> None:
    needs(backend, dtype)
    host = values(4, 6, dtype=dtype)
    x = put(host)
    for view, expected in ((x, host), (x[1:, ::-2].T, host[1:, ::-2].T), (x[:0, :], host[:0])):
        found = again(view)
        assert (found.device, found.dtype, found.shape) == (x.device, x.dtype, view.shape)
        np.testing.assert_array_equal(get(found), expected)
    found = again(x)
    found[...] = xp.zeros_like(found)
    np.testing.assert_array_equal(get(x), host)


def test_a_pickle_is_of_the_values_and_not_of_the_device(put: Any) -> None:
    assert len(pickle.dumps(put(np.zeros(1000, np.float32)))) < 4400


def test_arrays_move_between_devices(put: Any, get: Any, backend: Any) -> None:
    host = values(6, 3)
    x = put(host)
    assert x.to_device(backend.device) is x
    back = x.T.to_device("cpu").to_device(backend.device)
    np.testing.assert_array_equal(get(back), host.T)
    with pytest.raises(ValueError, match=f"different devices: {backend.device}, cpu"):
        x + x.to_device("cpu")
    if not backend.gpu.adapter.features:
        with pytest.raises(Unsupported, match=f"float64 is not available on {backend.device}"):
            xp.asarray(host.astype(np.float64)).to_device(backend.device)


def test_text(put: Any, backend: Any) -> None:
    x = put(np.asarray([[1, 2], [3, 4]], np.int16))
    assert repr(x) == (
        f'Array([[1, 2],\n       [3, 4]], dtype={xp.int16}, device="{backend.device}")'
    )
    assert str(x) == "[[1 2]\n [3 4]]"
    assert f"{put(np.float32(0.5)):.2f}" == "0.50"


def test_python_scalars(put: Any) -> None:
    assert float(put(np.float32(2.5)) * 2) == 5.0
    assert int(put(np.int8(-3)) - 1) == -4
    assert complex(put(np.complex64(1 + 2j)) * 1j) == -2 + 1j
    assert bool(put(np.float32(0)) == 0)
    assert [10, 20, 30][put(np.asarray(0)) + 1] == 20
    assert list(range(put(np.asarray(1)) + 2)) == [0, 1, 2]
