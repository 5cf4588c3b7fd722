"""Matrices for the tests of linalg, and comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np

FLOATING = ["float32", "float64", "complex64", "complex128"]
STACKS = [(), (2,), (2, 3), (0,)]
SHAPES = [(3, 3), (5, 2), (2, 5), (1, 1), (0, 0), (0, 3), (3, 0)]


def numbers(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray[Any, Any]:
    """Random numbers, about normal."""
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return np.asarray(values, dtype=dtype)


def positive_definite(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    x = numbers(shape, dtype)
    return x @ adjoint(x) + np.eye(shape[-1], dtype=dtype)


def adjoint(x: Any) -> np.ndarray[Any, Any]:
    return np.conj(np.swapaxes(np.asarray(x), -1, -2))


def real_dtype(dtype: str) -> str:
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def assert_close(actual: Any, expected: Any, dtype: str, factor: float = 50) -> None:
    """Equal up to ``factor`` roundings relative to the largest element."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    if expected.size:
        error = np.max(np.abs(actual.astype(complex) - expected))
        assert error <= factor * np.finfo(dtype).eps * max(np.max(np.abs(expected)), 1e-30)


def assert_orthonormal(columns: Any, dtype: str) -> None:
    columns = np.asarray(columns)
    identity = np.broadcast_to(
        np.eye(columns.shape[-1]), (*columns.shape[:-2], columns.shape[-1], columns.shape[-1])
    )
    assert_close(adjoint(columns) @ columns, identity, dtype)


def as_parts(result: Any) -> tuple[Any, ...]:
    """The arrays of a result, one or more; they hold the dtype that they tell."""
    arrays = result if isinstance(result, tuple) else (result,)
    for array in arrays:
        if array.device == "cpu":
            assert np.asarray(array).dtype == array.dtype
    return arrays
