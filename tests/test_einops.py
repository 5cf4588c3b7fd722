"""einops takes numr_api arrays of every device in strict mode, and does as with NumPy arrays."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numr_api as xp

einops = pytest.importorskip("einops")
array_api = importlib.import_module("einops.array_api")
extension = importlib.import_module("numr_api.extensions.einops")

IMAGES = np.arange(2 * 4 * 6 * 3, dtype=np.float32).reshape(2, 4, 6, 3) - 50
MATRIX = np.arange(12, dtype=np.float32).reshape(3, 4)

REARRANGED: list[tuple[str, dict[str, int]]] = [
    ("b h w c -> b c h w", {}),
    ("b h w c -> (b h) w c", {}),
    ("b (h y) (w x) c -> b h w (y x c)", {"y": 2, "x": 3}),
    ("b h w c -> w (c h b)", {}),
    ("... c -> c ...", {}),
    ("b ... -> b (...)", {}),
    ("b h w c -> b 1 h w 1 c", {}),
    ("b h w c -> b h w c", {}),
]
REPEATED: list[tuple[str, dict[str, int]]] = [
    ("b h w c -> b h w c k", {"k": 2}),
    ("b h w c -> b (h k) (w l) c", {"k": 2, "l": 3}),
    ("... -> k ...", {"k": 4}),
    ("b h w c -> w k l (b h c)", {"k": 1, "l": 2}),
]
REDUCED: list[tuple[str, dict[str, int]]] = [
    ("b h w c -> b c", {}),
    ("b h w c -> ", {}),
    ("b (h y) (w x) c -> c h w b", {"y": 2, "x": 2}),
    ("b h w c -> 1 h w 1", {}),
    ("b ... -> ...", {}),
]
PRODUCTS: list[tuple[str, tuple[Any, ...]]] = [
    ("row inner, column inner -> row column", (MATRIX, MATRIX)),
    ("batch h w c, row c -> batch h w row", (IMAGES, MATRIX[:, :3])),
    ("... c, c column -> ... column", (IMAGES, MATRIX)),
    ("i i ->", (MATRIX[:3, :3],)),
    ("i j -> j", (MATRIX,)),
    ("i, j, k -> k i j", (MATRIX[0, :], MATRIX[1, :], MATRIX[2, :])),
]


def assert_same(found: Any, expected: Any, device: str) -> None:
    assert type(found) is type(xp.ones(1))
    assert found.device == device
    values = np.asarray(found.to_device("cpu"))
    assert (values.shape, values.dtype) == (np.shape(expected), np.asarray(expected).dtype)
    np.testing.assert_allclose(values, expected, rtol=1e-6)


def assert_as_numpy(
    function: Callable[..., Any], host: Any, device: str, *given: Any, **lengths: int
):
    found = function(xp.asarray(host, device=device), *given, **lengths)
    assert_same(found, function(host, *given, **lengths), device)


@pytest.mark.parametrize(("pattern", "lengths"), REARRANGED, ids=str)
def test_rearrange(pattern: str, lengths: dict[str, int], any_device: str):
    assert_as_numpy(einops.rearrange, IMAGES, any_device, pattern, **lengths)


@pytest.mark.parametrize(("pattern", "lengths"), REPEATED, ids=str)
def test_repeat(pattern: str, lengths: dict[str, int], any_device: str):
    assert_as_numpy(einops.repeat, IMAGES, any_device, pattern, **lengths)


@pytest.mark.parametrize("reduction", ["min", "max", "sum", "mean", "prod"])
@pytest.mark.parametrize(("pattern", "lengths"), REDUCED, ids=str)
def test_reduce(pattern: str, lengths: dict[str, int], reduction: str, any_device: str):
    host = np.sin(IMAGES)  # whose products are no larger than 1
    host = np.where(abs(host) < 0.5, np.float32(1), host)
    found = einops.reduce(xp.asarray(host, device=any_device), pattern, reduction, **lengths)
    expected = einops.reduce(host.astype(np.float64), pattern, reduction, **lengths)
    assert_close(found, expected, any_device)


def assert_close(found: Any, expected: Any, device: str) -> None:
    assert (found.device, found.dtype) == (device, xp.float32)
    np.testing.assert_allclose(np.asarray(found.to_device("cpu")), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("reduction", ["any", "all"])
def test_reduce_of_truth_values(reduction: str, any_device: str):
    for host in (MATRIX > 5, MATRIX > 4, MATRIX < 0):
        assert_as_numpy(einops.reduce, host, any_device, "i j -> i", reduction)


def test_reduce_by_a_function_of_ones_own(any_device: str):
    x = xp.asarray(MATRIX, device=any_device)
    found = einops.reduce(x, "i j -> j", lambda x, axes: xp.sum(xp.abs(x), axis=axes))
    assert_same(found, np.sum(MATRIX, axis=0), any_device)


def test_mean_is_of_floating_point_numbers():
    assert complex(einops.reduce(xp.asarray([1j, 3j]), "i ->", "mean")) == 2j
    with pytest.raises(NotImplementedError):  # einops itself says so
        einops.reduce(xp.asarray([1, 3]), "i ->", "mean")


def test_lists_of_arrays_are_stacked(any_device: str):
    arrays = [xp.asarray(image, device=any_device) for image in IMAGES]
    found = einops.rearrange(arrays, "b h w c -> c b h w")
    assert_same(found, IMAGES.transpose(3, 0, 1, 2), any_device)
    assert_same(einops.reduce(arrays, "b h w c -> b", "max"), IMAGES.max((1, 2, 3)), any_device)


def test_pack_and_unpack(any_device: str):
    hosts = [MATRIX, IMAGES[0, :3, :, :2], MATRIX[:, 0]]
    arrays = [xp.asarray(x, device=any_device) for x in hosts]
    packed, shapes = einops.pack(arrays, "row *")
    expected, _ = einops.pack(hosts, "row *")
    assert_same(packed, expected, any_device)
    assert [tuple(shape) for shape in shapes] == [(4,), (6, 2), ()]
    for part, host in zip(einops.unpack(packed, shapes, "row *"), hosts, strict=True):
        assert_same(part, host, any_device)
    first, rest = einops.unpack(packed, [(2, 2), (-1,)], "row *")
    assert (first.shape, rest.shape) == ((3, 2, 2), (3, 13))


@pytest.mark.parametrize(("pattern", "hosts"), PRODUCTS, ids=lambda x: x if type(x) is str else "")
def test_einsum(pattern: str, hosts: tuple[Any, ...], any_device: str):
    found = einops.einsum(*(xp.asarray(x, device=any_device) for x in hosts), pattern)
    assert_same(found, einops.einsum(*hosts, pattern), any_device)


def test_parse_shape_and_asnumpy(any_device: str):
    x = xp.asarray(IMAGES, device=any_device)
    assert einops.parse_shape(x, "batch _ width _") == {"batch": 2, "width": 6}
    host = einops.asnumpy(x)
    assert type(host) is np.ndarray
    np.testing.assert_array_equal(host, IMAGES)


def test_what_strict_refuses_stays_refused():
    with pytest.raises(TypeError, match="sum: needs a numeric dtype, got bool"):
        einops.reduce(xp.asarray([True]), "i ->", "sum")
    with pytest.raises(TypeError, match="einsum: int64 and float64 have no common type"):
        einops.einsum(xp.asarray([1]), xp.asarray([1.0]), "i, i ->")
    with pytest.raises(einops.EinopsError, match="Shape mismatch"):
        einops.rearrange(xp.ones((3, 2)), "(i k) j -> i k j", k=2)


def test_the_standards_own_front_end_needs_no_import(any_device: str):
    """einops.array_api asks each array for its namespace; repeat and lists of lengths included."""
    x = xp.asarray(IMAGES, device=any_device)
    assert_same(
        array_api.rearrange(x, "b (h y) w c -> b c h (w y)", y=2),
        einops.rearrange(IMAGES, "b (h y) w c -> b c h (w y)", y=2),
        any_device,
    )
    assert_same(array_api.reduce(x, "b h w c -> b c", "max"), IMAGES.max((1, 2)), any_device)
    repeated = einops.repeat(IMAGES, "b h w c -> b h (w k) c", k=2)
    assert_same(array_api.repeat(x, "b h w c -> b h (w k) c", k=2), repeated, any_device)
    packed, shapes = array_api.pack([x, x], "b * c")
    for part in array_api.unpack(packed, shapes, "b * c"):
        assert_same(part, IMAGES, any_device)


def test_a_second_import_changes_nothing():
    importlib.reload(extension)
    assert einops.rearrange(xp.ones((2, 3)), "a b -> b a").shape == (3, 2)


def test_arrays_are_unknown_before_the_import_and_known_after_it(run_python: Callable[..., str]):
    code = """
import einops, numr_api as xp
try:
    einops.rearrange(xp.ones((2, 3)), "a b -> b a")
except RuntimeError as error:
    print(error)
import numr_api.extensions.einops
print(einops.rearrange(xp.ones((2, 3)), "a b -> b a").shape)
"""
    before, after = run_python(code).splitlines()
    assert before.startswith("Tensor type unknown to einops")
    assert after == "(3, 2)"


@pytest.mark.parametrize("name", ["einops", "opt_einsum"])
def test_a_missing_package_is_named_with_its_cure(name: str, run_python: Callable[..., str]):
    code = f"import sys; sys.modules[{name!r}] = None; import numr_api.extensions.{name}"
    last = run_python(code).splitlines()[-1]
    assert last == (f"ImportError: numr_api.extensions.{name} needs {name}: pip install {name}")
