"""What goes between the host and a webgpu device: nothing that the program did not ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import numr_api as xp


@contextmanager
def counted(backend: Any, *, reads: int = 0, writes: int = 0) -> Iterator[None]:
    """A block with so many reads of arrays and so many uploads."""
    gpu = backend.gpu
    before = gpu.reads, gpu.writes
    yield
    assert (gpu.reads - before[0], gpu.writes - before[1]) == (reads, writes)


def random(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


# Steps of algorithms


def kmeans_step(points: Any, centres: Any) -> Any:
    """New centres and the points' labels."""
    distances = xp.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=-1)
    labels = xp.argmin(distances, axis=1)
    k = centres.shape[0]
    numbers = xp.arange(k, dtype=labels.dtype, device=labels.device)
    members = xp.astype(labels[:, None] == numbers[None, :], points.dtype)
    sizes = xp.sum(members, axis=0)[:, None]
    means = xp.matrix_transpose(members) @ points / xp.maximum(sizes, 1)
    return xp.where(sizes > 0, means, centres), labels


def test_an_iteration_of_kmeans(put: Any, get: Any, backend: Any) -> None:
    host = np.concatenate([random(200, 3), random(150, 3) + 9, random(90, 3) - 9])
    points, centres = put(host), put(host[[0, 250, 400]])
    with counted(backend):
        for _ in range(3):
            centres, labels = kmeans_step(points, centres)
    with counted(backend, reads=1):
        assert not bool(xp.any(labels[:200] != labels[0]))
    expected = [host[:200].mean(axis=0), host[200:350].mean(axis=0), host[350:].mean(axis=0)]
    np.testing.assert_allclose(get(centres), expected, rtol=1e-5, atol=1e-6)


def test_principal_axis_by_power_iteration(put: Any, get: Any, backend: Any) -> None:
    host = random(300, 5) * np.asarray([1, 2, 9, 3, 1], np.float32)
    x = put(host)
    with counted(backend):
        x = x - xp.mean(x, axis=0, keepdims=True)
        spread = xp.matrix_transpose(x) @ x / (x.shape[0] - 1)
        axis = xp.ones(5, dtype=x.dtype, device=x.device)
        for _ in range(30):
            axis = spread @ axis
            axis /= xp.sqrt(xp.sum(axis * axis))
        variance = xp.vecdot(axis, spread @ axis)
        scores = x @ axis
    values, vectors = np.linalg.eigh(np.cov(host.astype(np.float64).T))
    with counted(backend, reads=1):
        assert float(variance) == pytest.approx(values[-1], rel=1e-5)
    np.testing.assert_allclose(np.abs(get(axis)), np.abs(vectors[:, -1]), rtol=1e-3, atol=1e-4)
    assert scores.shape == (300,)


def test_steps_of_logistic_regression(put: Any, get: Any, backend: Any) -> None:
    def fit(x: Any, y: Any, weights: Any) -> Any:
        for _ in range(20):
            p = 1 / (1 + xp.exp(-(x @ weights)))
            gradient = xp.matrix_transpose(x) @ (p - y) / x.shape[0]
            loss = -xp.mean(xp.where(y > 0, xp.log(p), xp.log1p(-p)))
            weights -= 0.5 * (gradient + 0.01 * weights)
        return weights, loss

    features = random(500, 4)
    answers = (features @ np.asarray([1, -2, 0.5, 0], np.float32) > 0).astype(np.float32)
    x, y, weights = put(features), put(answers), put(np.zeros(4, np.float32))
    with counted(backend):
        weights, loss = fit(x, y, weights)
    on_cpu = (xp.asarray(a.astype(np.float64)) for a in (features, answers, np.zeros(4)))
    expected, loss_on_cpu = fit(*on_cpu)
    np.testing.assert_allclose(get(weights), np.asarray(expected), rtol=1e-4, atol=1e-5)
    assert float(loss) == pytest.approx(float(loss_on_cpu), rel=1e-4)


# Functions


QUIET: dict[str, Callable[[Any], Any]] = {
    "scalars": lambda x: (x + 1, 2 * x, x**3, 1 - x, x > 0.5, xp.clip(x, -1, 1.0)),
    "created like": lambda x: (xp.zeros_like(x), xp.full_like(x, 3), xp.ones_like(x)),
    "created": lambda x: [
        xp.zeros((300, 2), device=x.device), xp.full(9000, 2.5, device=x.device),
        xp.arange(1, 9000, 3, device=x.device), xp.linspace(0, 1, 5000, device=x.device),
        xp.eye(70, device=x.device),
    ],
    "views": lambda x: (x[3:, ::-2], x.T, xp.reshape(x, (-1,))[5], xp.flip(x), x[None, 0, :]),
    "in place": lambda x: (x.__iadd__(1), x.__imul__(x), x.__setitem__((0, 0), 7),
                           x.__setitem__((slice(2, 5), ...), x[0, :])),
    "masks that are assigned to": lambda x: x.__setitem__(x > 1, 0.0),
    "reductions": lambda x: (xp.sum(x), xp.max(x, axis=0), xp.var(x, axis=1), xp.argmax(x),
                             xp.any(x > 2), xp.count_nonzero(x, axis=1),
                             xp.cumulative_sum(x[0, :])),
    "movement": lambda x: (xp.concat((x, x)), xp.stack((x, x)), xp.tile(x, (2, 1)),
                           xp.repeat(x, 3), xp.roll(x, 1), xp.tril(x),
                           xp.meshgrid(x[0, :], x[1, :])),
    "indices of the device": lambda x: (xp.take(x, xp.argmax(x, axis=1), axis=1),
                                        xp.take_along_axis(x, xp.argsort(x, axis=0), axis=0)),
    "sorting": lambda x: (xp.sort(x), xp.argsort(xp.reshape(x, (-1,)), descending=True),
                          xp.searchsorted(xp.sort(x[0, :]), x[1, :])),
    "conversions": lambda x: (xp.astype(x, xp.int8), xp.astype(x > 0, xp.uint16), xp.round(x)),
    "products": lambda x: (x @ x.T, xp.tensordot(x, x, axes=2), xp.linalg.outer(x[0, :], x[1, :])),
    "copies": lambda x: (xp.asarray(x, copy=True), x.__copy__(), xp.isin(x, x[0, :])),
}  # fmt: skip


@pytest.mark.parametrize("name", QUIET)
def test_functions_that_move_nothing(put: Any, backend: Any, name: str) -> None:
    QUIET[name](put(random(60, 40)))  # kernels may ask about the device when they are made
    x = put(random(60, 40))
    with counted(backend):
        QUIET[name](x)


ASKING: dict[str, Callable[[Any], Any]] = {
    "masks": lambda x: x[x > 0],
    "nonzero": lambda x: xp.nonzero(x > 0),
    "unique_values": xp.unique_values,
    "repeat": lambda x: xp.repeat(x, xp.argmax(x, axis=1), axis=0),
}


@pytest.mark.parametrize("name", ASKING)
def test_shapes_that_depend_on_values_take_one_read(put: Any, backend: Any, name: str) -> None:
    ASKING[name](put(random(60, 40)))
    x = put(random(60, 40))
    with counted(backend, reads=1):
        ASKING[name](x)


def test_one_upload_for_an_array(backend: Any) -> None:
    for size in (1, 100, 30_000):
        host = random(size)
        with counted(backend, writes=1):
            xp.asarray(host, device=backend.device)
    with counted(backend, writes=1):
        xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=backend.device)
    with counted(backend):
        xp.asarray(np.zeros((0, 3), np.float32), device=backend.device)


# What the host remembers


def test_an_array_from_the_host_needs_no_read(put: Any, backend: Any) -> None:
    x = put(np.float32(2.5))
    y = put(np.asarray([[1, 2], [3, 4]]))
    z = xp.full(3, 7, dtype=xp.int16, device=backend.device)
    with counted(backend, writes=2):
        assert float(x) == 2.5
        assert int(xp.asarray(5, device=backend.device)) == 5
        assert np.asarray(y.to_device("cpu")).tolist() == [[1, 2], [3, 4]]
        assert np.asarray(z.to_device("cpu")).tolist() == [7, 7, 7]
        assert bool(xp.asarray(True, device=backend.device))


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint16", "int64", "complex64"])
def test_what_was_read_is_not_read_again_until_it_changes(
    put: Any, backend: Any, dtype: str
) -> None:
    x = put(np.full(3, 3, dtype)) + 0
    one = x[1]
    with counted(backend, reads=1):
        assert complex(one) == complex(one) == 3
        assert repr(one) == repr(one)
    view = xp.reshape(one, (1,))
    other = x[:1]
    changes: list[tuple[Callable[[], Any], int]] = [
        (lambda: one.__iadd__(1), 4),
        (lambda: one.__setitem__((), 5), 5),
        (lambda: view.__imul__(2), 10),
        (lambda: view.__setitem__(0, 4), 4),
        (lambda: view.__setitem__(view == 4, 9), 9),
        (lambda: view.__setitem__(view == 9, other + 5), 8),
        (lambda: view.__setitem__(slice(None), other), 3),
        (lambda: x.__setitem__(slice(1, None), x[:2] + 4), 7),
        (lambda: x.__setitem__(x == 7, 6), 6),
        (lambda: x.__iadd__(x), 12),
    ]
    for change, value in changes:
        change()
        with counted(backend, reads=1):
            assert complex(one) == value
            assert complex(one) == value


def test_a_change_through_the_array_shows_in_its_views(put: Any, backend: Any) -> None:
    x = put(np.arange(6, dtype=np.float32))
    view = x[2:4]
    with counted(backend, reads=0):  # the host still knows what it put there
        assert view.to_device("cpu").shape == (2,)
    x += 1
    assert np.asarray(view.to_device("cpu")).tolist() == [3.0, 4.0]
    assert np.asarray(x.to_device("cpu")).tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_what_is_returned_belongs_to_the_caller(put: Any) -> None:
    host = np.arange(3, dtype=np.float32)
    x = put(host)
    host[0] = 9.0
    copy = np.asarray(x.to_device("cpu"))
    copy[1] = 9.0
    assert np.asarray(x.to_device("cpu")).tolist() == [0.0, 1.0, 2.0]


def test_large_arrays_are_not_remembered(put: Any, backend: Any) -> None:
    x = put(random(1000, 100))
    with counted(backend, reads=2):
        x.to_device("cpu")
        x.to_device("cpu")


def test_commands_wait_until_somebody_reads(put: Any, backend: Any) -> None:
    x = put(random(10))
    float(xp.sum(x))
    before = backend.gpu.submits
    for _ in range(64):
        x = x + 1
    assert backend.gpu.submits - before <= 1
    float(x[0])
    assert backend.gpu.submits - before <= 2


def test_elements_of_a_small_array_cost_one_read_in_all(backend: Any, put: Any) -> None:
    x = put(np.arange(12, dtype="float32").reshape(3, 4)) + 1  # made on the device
    before = backend.gpu.reads
    backend.to_host(x._data)
    found = [[float(x[i, j]) for j in range(4)] for i in range(3)]
    assert found == (np.arange(12).reshape(3, 4) + 1).tolist()
    assert backend.gpu.reads == before + 1
    x[1, 2] = 50  # what the host knows is old then
    assert [float(y) for y in (x[1, 2], x[1, 1], x[2, ::-1][0])] == [50, 6, 12]
    assert backend.gpu.reads > before + 1
