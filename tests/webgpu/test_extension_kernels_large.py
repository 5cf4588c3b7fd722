"""Kernels of the extensions on arrays larger than a binding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_large_arrays import Watched, small, values

from numr_api._dtypes import BY_NAME

__all__ = ["small"]  # a fixture
Arrays = tuple[Any, ...]

WORK: dict[str, Any] = {
    "rows": lambda b, x: b.routine("softmax", x, axis=1),
    "columns": lambda b, x: b.routine("softmax", x, axis=0),
    "a long row": lambda b, x: b.routine(
        "l2_normalize", b.reshape(x, (402 * 512,), None), axis=0, eps=0.1
    ),
    "two long rows": lambda b, x: b.routine(
        "softmax_backward", *[b.reshape(x, (2, 201 * 512), None)] * 2, axis=1
    ),
    "sums": lambda b, x: b.routine("logsumexp", x, axes=(0,), keepdims=False),
    "blocks": lambda b, x: b.routine("fwht", x, block_size=64),
    "slabs": lambda b, x: b.routine(
        "snake_beta_backward", x, x, *[one(b, 512)] * 2, axis=1, eps=0.0
    ),
    "channels": lambda b, x: b.routine(
        "snake_beta_backward", x, x, *[one(b, 402)] * 2, axis=0, eps=0.0
    ),
    "products": lambda b, x: b.elementwise(
        "silu_mul_backward", (BY_NAME["float32"],) * 3, BY_NAME["float32"], BY_NAME["float32"]
    )(x, x, x),
}  # fmt: skip


def one(backend: Any, length: int) -> Any:
    return backend.from_host(np.linspace(0.5, 2, length).astype("float32"), None)


def results(backend: Any, name: str, host: Any) -> list[Any]:
    found = WORK[name](backend, backend.from_host(host, None))
    return [backend.to_host(x) for x in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("name", WORK)
def test_arrays_of_several_bindings(small: Watched, backend: Any, name: str) -> None:
    host = values(402, 512) / 64
    assert host.nbytes > small.backend.gpu.most
    expected = results(backend, name, host.astype("float32"))
    for found, true in zip(
        results(small.backend, name, host.astype("float32")), expected, strict=True
    ):
        np.testing.assert_allclose(found, true, rtol=1e-5, atol=1e-6)


MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("mode", MODES)
def test_padding_of_several_bindings(small: Watched, backend: Any, mode: str, dtype: str) -> None:
    host = (values(402, 1024) / 64).astype(dtype)
    assert host.nbytes > small.backend.gpu.most
    widths = ((3, 2), (1, 5))
    padded = []
    for device in (backend, small.backend):
        x = device.from_host(host, None)
        padded.append(device.routine("pad", x, widths=widths, mode=mode, value=7.0))
    true, found = map(backend.to_host, padded[:1]), map(small.backend.to_host, padded[1:])
    np.testing.assert_array_equal(*found, *true)
    grads = [
        device.to_host(
            device.routine("pad_backward", x, widths=widths, mode=mode, shape=(402, 1024))
        )
        for device, x in zip((backend, small.backend), padded, strict=True)
    ]
    np.testing.assert_allclose(grads[1], grads[0], rtol=1e-6 if dtype == "float32" else 1e-3)


def test_cropping_of_several_bindings(small: Watched) -> None:
    host = (values(402, 512) / 64).astype("float32")
    x = small.backend.from_host(host, None)
    widths = ((-3, 2), (1, -5))
    found = small.backend.routine("pad", x, widths=widths, mode="constant", value=-1.0)
    expected = np.pad(host[3:, :-5], ((0, 2), (1, 0)), constant_values=-1.0)
    np.testing.assert_array_equal(small.backend.to_host(found), expected)
