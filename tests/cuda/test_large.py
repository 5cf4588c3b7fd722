"""Arrays of more than 2**31 elements, whose indices do not fit in 32 bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from on_gpu import host

import numr_api as xp
from numr_api.extensions.device import cuda

ROWS, COLUMNS = 46351, 46349  # 2**31 + 838,651 elements
PLACES = 1000

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("much_memory")]


@pytest.fixture
def much_memory(gpus: int) -> None:
    if cuda.total_memory(0) < 24 * 2**30:
        pytest.skip("the GPU has less than 24 GiB")


def value(i: Any, j: Any) -> Any:
    return ((i * 7 % 256) + (j * 13 % 256)) % 256


def matrix() -> Any:
    i, j = (
        xp.astype(xp.arange(n, device="cuda") * step % 256, xp.uint8)
        for n, step in ((ROWS, 7), (COLUMNS, 13))
    )
    return i[:, None] + j[None, :]


def check(found: Any, expected: Callable[[Any, Any], Any]) -> None:
    """Compare elements anywhere, and the last ones, with a function of their indices."""
    random = np.random.default_rng(0)
    i, j = (np.append(random.integers(0, n, PLACES), n - 1) for n in found.shape)
    taken = found[xp.asarray(i, device="cuda"), xp.asarray(j, device="cuda")]
    np.testing.assert_array_equal(host(taken), expected(i, j))


def test_element_wise_operations_and_copies():
    x = matrix()
    check(x, value)
    check(x + x, lambda i, j: 2 * value(i, j) % 256)
    check(x[:, 1:] + x[:, :-1], lambda i, j: (value(i, j + 1) + value(i, j)) % 256)
    check(x < x[:, 5:6], lambda i, j: value(i, j) < value(i, 5))
    check(xp.asarray(x[::-1, ::-1], copy=True), lambda i, j: value(ROWS - 1 - i, COLUMNS - 1 - j))
    x[:, :-1] = x[:, 1:]
    check(x[:, :-1], lambda i, j: value(i, j + 1))


def test_transposes():
    x = matrix()
    y = xp.reshape(xp.asarray(x.T, copy=True), (COLUMNS, ROWS))
    check(y, lambda i, j: value(j, i))
    check(y + x.T, lambda i, j: 2 * value(j, i) % 256)


def test_elements_taken():
    x = matrix()
    order = xp.flip(xp.arange(ROWS, device="cuda"))
    check(xp.take(x, order, axis=0), lambda i, j: value(ROWS - 1 - i, j))
    check(xp.take(x, order[:COLUMNS] - 2, axis=1), lambda i, j: value(i, ROWS - 3 - j))
