"""Families of matrices on which decompositions lose digits, or do not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import scipy.linalg as lapack

from tests.benchmarks import long_double
from tests.matrices import adjoint, numbers

Host = np.ndarray[Any, Any]

VALUES = "random", "clustered", "pairs", "ill 1e3", "ill 1e6", "ill 1e9", "ill 1e12"
FAMILIES = (*VALUES, "graded", "rank-deficient", "orthogonal", "Hilbert", "zero")
MOST_LONG_DOUBLE = 100  # the size up to which that takes about a second


@dataclass(frozen=True)
class Matrix:
    """A matrix of a dtype, and what is true of it in float64.

    Attributes:
        family, host: its family, and the matrix itself.
    """

    family: str
    host: Host

    @property
    def eps(self) -> float:
        return float(np.finfo(self.host.dtype).eps)

    @cached_property
    def wide(self) -> Host:
        return widened(self.host)

    @cached_property
    def norm(self) -> float:
        return float(np.linalg.norm(self.wide))

    @cached_property
    def singular_values(self) -> Host:
        return np.asarray(np.linalg.svdvals(self.wide))

    @cached_property
    def exact_singular_values(self) -> Host:
        """In more digits than the dtype has; of large float64 matrices by an accurate algorithm."""
        if self.eps > 1e-10:
            return self.singular_values
        if min(self.host.shape) > MOST_LONG_DOUBLE:
            return np.asarray(lapack.svd(self.wide, full_matrices=False, lapack_driver="gesvd")[1])
        return long_double.singular_values(self.wide)

    @cached_property
    def exact_eigenvalues(self) -> Host:
        """Likewise, of a Hermitian matrix."""
        if self.eps > 1e-10:
            return np.asarray(np.linalg.eigvalsh(self.wide))
        if len(self.host) > MOST_LONG_DOUBLE:
            return np.asarray(lapack.eigh(self.wide, driver="ev")[0])
        return long_double.eigenvalues(self.wide)

    @cached_property
    def is_close_to_singular(self) -> bool:
        """Whether roundings of its elements may decide that it is singular, or not definite."""
        values = self.singular_values
        return bool(values[-1] <= 10 * len(self.host) * self.eps * values[0])

    @cached_property
    def inverse_norm(self) -> float:
        """The Frobenius norm of the inverse."""
        return float(np.sqrt(np.sum(1 / self.singular_values**2)))

    @cached_property
    def right(self) -> Host:
        """Right-hand sides."""
        return numbers((len(self.host), 3), self.host.dtype.name, seed=1)

    @cached_property
    def sign_and_logarithm(self) -> tuple[complex, float]:
        """Of the determinant, by Gaussian elimination in long double."""
        x = self.wide.astype(np.clongdouble if self.wide.dtype.kind == "c" else np.longdouble)
        sign, logarithm = 1.0 + 0j, np.longdouble(0)
        for k in range(len(x)):
            pivot = k + int(np.argmax(np.abs(x[k:, k])))
            if pivot != k:
                x[[k, pivot]] = x[[pivot, k]]
                sign = -sign
            size = np.abs(x[k, k])
            if size == 0:
                return 0j, -np.inf
            sign *= complex(x[k, k] / size)
            logarithm += np.log(size)
            x[k + 1 :, k:] -= np.outer(x[k + 1 :, k] / x[k, k], x[k, k:])
        return sign, float(logarithm)


def widened(x: Host) -> Host:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


@cache
def matrix_of(name: str, kind: str, shape: tuple[int, int], dtype: str) -> Matrix | None:
    """A matrix of a family, as ``family`` makes it."""
    host = family(name, kind, shape, dtype)
    return None if host is None else Matrix(name, host)


def family(name: str, kind: str, shape: tuple[int, int], dtype: str) -> Host | None:
    """A matrix of a family; None if the family has none of the kind.

    Arguments:
        name: of the family.
        kind: "any", "Hermitian", or "positive": Hermitian with positive eigenvalues.
        shape: "any" may be rectangular.
        dtype: of the matrix, which is computed in float64 or complex128 and then rounded.
    """
    m, n = shape
    eps = float(np.finfo(dtype).eps)
    wide = "complex128" if np.dtype(dtype).kind == "c" else "float64"
    positive = kind == "positive"
    if positive and name in ("rank-deficient", "orthogonal", "zero"):
        return None
    match name:
        case "zero":
            x = np.zeros(shape, wide)
        case "Hilbert":
            x = 1 / (1.0 + np.arange(m)[:, None] + np.arange(n)).astype(wide)
        case "orthogonal":
            x = columns(m, n, wide)
            if kind == "Hermitian":
                v = columns(n, 1, wide)
                x = np.eye(n) - 2 * v @ adjoint(v)
        case "graded":
            x = numbers(shape, wide)
            if kind != "any":
                x = hermitian(x) if not positive else x @ adjoint(x) / n + np.eye(n)
            powers = eps ** (0.5 if kind != "any" else 1.0)
            x = powers ** grades(m)[:, None] * x * (powers ** grades(n) if kind != "any" else 1)
        case "rank-deficient":
            rank = max(1, min(shape) // 2)
            left = numbers((m, rank), wide)
            right = adjoint(left) if kind == "Hermitian" else numbers((rank, n), wide, seed=1)
            x = left @ right
        case "random" if not positive:
            x = numbers(shape, wide)
        case _:
            x = with_values(values(name, min(shape), eps, kind), shape, wide, kind)
    return np.asarray(x if kind == "any" else hermitian(x)).astype(dtype)


def values(name: str, count: int, eps: float, kind: str) -> Host:
    """Singular values or eigenvalues."""
    order = np.arange(count)
    if name == "random":
        return 1 + np.random.default_rng(count).random(count)
    if name == "clustered":
        found = np.where(order < count // 2, 1 + 3 * eps * order, 0.5)
    elif name == "pairs":
        found = 1.0 + order // 2
    else:
        found = float(name.split()[1]) ** -grades(count)
    if kind == "Hermitian" and name != "clustered":
        found = found * (-1.0) ** order
    return found


def grades(count: int) -> Host:
    """From 0 to 1."""
    return np.arange(count) / max(count - 1, 1)


def with_values(found: Host, shape: tuple[int, int], dtype: str, kind: str) -> Host:
    left = columns(shape[0], len(found), dtype)
    right = left if kind != "any" else columns(shape[1], len(found), dtype, seed=1)
    return np.asarray(left * found @ adjoint(right))


def columns(m: int, n: int, dtype: str, seed: int = 0) -> Host:
    """Orthonormal columns, or rows if there are more columns."""
    q = np.linalg.qr(numbers((max(m, n), min(m, n)), dtype, seed))[0]
    return q if m >= n else adjoint(q)


def hermitian(x: Host) -> Host:
    """Exactly so, of the lower triangle."""
    lower = np.tril(x, -1)
    return lower + adjoint(lower) + np.diag(np.diagonal(x).real)
