"""What is wrong with a decomposition, in units of the dtype's epsilon, by a name for each error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.benchmarks.matrix_families import Host, Matrix, widened
from tests.matrices import adjoint

Errors = dict[str, float]


def units(matrix: Matrix, difference: Any, *scales: float) -> float:
    """The norm of what should be zero, relative to the product of scales."""
    norm = float(np.linalg.norm(difference))
    if norm == 0:
        return 0.0
    scale = float(np.prod(scales))
    return norm / (matrix.eps * scale) if scale else np.inf


def orthonormality(matrix: Matrix, columns: Host) -> float:
    return units(matrix, adjoint(columns) @ columns - np.eye(columns.shape[1]), 1.0)


def cholesky(matrix: Matrix, lower: Host) -> Errors:
    wide = widened(lower)
    return {
        "residual": units(matrix, matrix.wide - wide @ adjoint(wide), matrix.norm),
        "above the diagonal": units(matrix, np.triu(wide, 1), matrix.norm),
    }


def qr(matrix: Matrix, q: Host, r: Host) -> Errors:
    q, r = widened(q), widened(r)
    return {
        "residual": units(matrix, matrix.wide - q @ r, matrix.norm),
        "orthogonality": orthonormality(matrix, q),
        "below the diagonal": units(matrix, np.tril(r, -1), matrix.norm),
    }


def svd(matrix: Matrix, u: Host, s: Host, vh: Host) -> Errors:
    u, s, vh = widened(u), widened(s), widened(vh)
    count = len(s)
    return {
        "residual": units(matrix, matrix.wide - (u[:, :count] * s) @ vh[:count], matrix.norm),
        "orthogonality of U": orthonormality(matrix, u),
        "orthogonality of V": orthonormality(matrix, adjoint(vh)),
        **svdvals(matrix, s),
    }


def svdvals(matrix: Matrix, s: Host) -> Errors:
    known = matrix.exact_singular_values
    return {"values": units(matrix, np.max(np.abs(widened(s) - known)), float(known[0]))}


def eigh(matrix: Matrix, values: Host, vectors: Host) -> Errors:
    vectors, wide = widened(vectors), widened(values)
    difference = matrix.wide @ vectors - vectors * wide
    return {
        "residual": units(matrix, difference, matrix.norm),
        "orthogonality": orthonormality(matrix, vectors),
        **eigvalsh(matrix, values),
    }


def eigvalsh(matrix: Matrix, values: Host) -> Errors:
    known = matrix.exact_eigenvalues
    largest = float(np.max(np.abs(known)))
    return {"values": units(matrix, np.max(np.abs(widened(values) - known)), largest)}


def solve(matrix: Matrix, solution: Host) -> Errors:
    x, b = widened(solution), widened(matrix.right)
    scale = matrix.norm * float(np.linalg.norm(x)) + float(np.linalg.norm(b))
    return {"residual": units(matrix, matrix.wide @ x - b, scale)}


def inv(matrix: Matrix, inverse: Host) -> Errors:
    """The smaller one of the residuals of both sides: algorithms favour one of them."""
    x, identity = widened(inverse), np.eye(len(inverse))
    products = matrix.wide @ x, x @ matrix.wide
    scales = matrix.norm, float(np.linalg.norm(x))
    return {"residual": min(units(matrix, product - identity, *scales) for product in products)}


def det(matrix: Matrix, found: Host) -> Errors:
    """Relative to what the determinant changes by with the matrix."""
    sign, logarithm = matrix.sign_and_logarithm
    information = np.finfo(found.dtype)
    if not np.log(float(information.tiny)) < logarithm < np.log(float(information.max)) - 1:
        return {}
    relative = complex(found) / np.exp(logarithm) - sign
    return {"value": units(matrix, relative, matrix.norm, matrix.inverse_norm)}


def slogdet(matrix: Matrix, sign: Host, logarithm: Host) -> Errors:
    known_sign, known = matrix.sign_and_logarithm
    change = max(matrix.norm * matrix.inverse_norm, abs(known))
    return {
        "sign": units(matrix, complex(sign) - known_sign, change),
        "logarithm": units(matrix, float(logarithm) - known, change),
    }


def pinv(matrix: Matrix, inverse: Host) -> Errors:
    """Two of Penrose's four equations, and the symmetry that the others demand."""
    x = widened(inverse)
    scale = float(np.linalg.norm(x))
    left, right = matrix.wide @ x, x @ matrix.wide
    scales = matrix.norm, scale
    return {
        "A X A - A": units(matrix, left @ matrix.wide - matrix.wide, matrix.norm, *scales),
        "X A X - X": units(matrix, right @ x - x, scale, *scales),
        "symmetry": units(matrix, left - adjoint(left), *scales)
        + units(matrix, right - adjoint(right), *scales),
    }


ERRORS: Mapping[str, Callable[..., Errors]] = {
    "cholesky": cholesky,
    "qr reduced": qr,
    "qr complete": qr,
    "svd": svd,
    "svd full": svd,
    "svdvals": svdvals,
    "eigh": eigh,
    "eigvalsh": eigvalsh,
    "solve": solve,
    "inv": inv,
    "det": det,
    "slogdet": slogdet,
    "pinv": pinv,
}
