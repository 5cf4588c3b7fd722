"""Singular values and eigenvalues in long double.

Those that LAPACK finds in float64 are off by up to 50 epsilons where they come in clusters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.matrices import adjoint

Host = np.ndarray[Any, Any]
SWEEPS = 2  # of which the second one is for good measure: convergence is quadratic


def singular_values(x: Host) -> Host:
    """Descending; by one-sided Jacobi rotations, which begin at the vectors that LAPACK finds.

    Arguments:
        x: a matrix of float64 or complex128, or of these in long double.
    """
    if x.shape[0] < x.shape[1]:
        x = adjoint(x)
    is_complex = x.dtype.kind == "c"
    wide = np.clongdouble if is_complex else np.longdouble
    vh = np.linalg.svd(x.astype(np.complex128 if is_complex else np.float64), False)[2]
    v = adjoint(vh).astype(wide)
    v = v @ (3 * np.eye(v.shape[1], dtype=wide) - adjoint(v) @ v) / 2  # now orthonormal
    columns = x.astype(wide) @ v
    for _ in range(SWEEPS):
        sweep(columns)
    return np.asarray(np.sort(np.sqrt(np.sum(np.abs(columns) ** 2, axis=0)))[::-1])


def eigenvalues(x: Host) -> Host:
    """Of a Hermitian matrix of float64 or complex128, ascending."""
    shift = np.longdouble(2 * np.linalg.norm(x))  # makes them positive
    return np.asarray(singular_values(x + shift * np.eye(len(x)))[::-1] - shift)


def sweep(x: Host) -> None:
    """Make columns orthogonal, each pair of them once, by rotations of disjoint pairs at a time."""
    count = x.shape[1]
    order = list(range(count + count % 2))  # a tournament; the last one of an odd count rests
    for _ in range(len(order) - 1):
        half = len(order) // 2
        pairs = [sorted(pair) for pair in zip(order[:half], order[: half - 1 : -1], strict=True)]
        rotate(x, np.array([pair for pair in pairs if pair[1] < count], dtype=int).reshape(-1, 2))
        order[1:] = [order[-1], *order[1:-1]]


def rotate(x: Host, pairs: Host) -> None:
    p, q = x[:, pairs[:, 0]], x[:, pairs[:, 1]]
    a, b = (np.sum(np.abs(part) ** 2, axis=0) for part in (p, q))
    c = np.sum(np.conj(p) * q, axis=0)
    size = np.abs(c)
    there = size > 0
    phase = np.where(there, c / np.where(there, size, 1), 1)
    zeta = (b - a) / (2 * np.where(there, size, 1))
    sign = np.where(zeta < 0, -1, 1)
    tangent = np.where(there, sign / (np.abs(zeta) + np.sqrt(1 + zeta**2)), 0)
    cosine = 1 / np.sqrt(1 + tangent**2)
    sine = tangent * cosine
    turned = q * np.conj(phase)
    x[:, pairs[:, 0]] = cosine * p - sine * turned
    x[:, pairs[:, 1]] = sine * p + cosine * turned
