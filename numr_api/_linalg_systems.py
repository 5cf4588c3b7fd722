"""Determinants, inverses, powers and ranks of matrices, and systems of linear equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from numr_api import (
    _arithmetic,
    _comparison,
    _creation,
    _data_types,
    _manipulation,
    _products,
    _reductions,
    _searching,
)
from numr_api._checks import as_scalar, common_backend, describe, is_array, require_array
from numr_api._declare import operation, wrap
from numr_api._linalg_decompositions import (
    adjoint,
    as_matrices,
    as_square,
    compute,
    real_part,
    singular_values,
    singular_vectors,
)
from numr_api._mode import relaxed_rules
from numr_api._shapes import as_int, broadcast

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = ["det", "inv", "matrix_power", "matrix_rank", "pinv", "slogdet", "solve"]


class SlogdetResult(NamedTuple):
    """What slogdet returns."""

    sign: Array
    logabsdet: Array


@operation("linalg")
def det(x: Array, /) -> Array:
    """Determinants of square matrices; 1 of an empty matrix.

    Arguments:
        x: matrices of shape (..., M, M) and a floating-point dtype.

    Returns:
        Array of shape (...) and x's dtype.
    """
    matrices = as_square("linalg.det", x)
    return compute("linalg.det", "det", (matrices,), (matrices.dtype,))[0]


@operation("linalg")
def slogdet(x: Array, /) -> SlogdetResult:
    """Determinants as sign and logarithm of the absolute value, ``sign * exp(logabsdet)``.

    These neither overflow nor vanish where the determinant would.

    Arguments:
        x: matrices of shape (..., M, M) and a floating-point dtype.

    Returns:
        Named tuple of two arrays of shape (...):

        - sign: of x's dtype, ``det(x) / abs(det(x))``; 0 if the determinant is 0.
        - logabsdet: of the real dtype of x's precision; -inf if the determinant is 0.
    """
    matrices = as_square("linalg.slogdet", x)
    dtypes = (matrices.dtype, real_part(matrices))
    return SlogdetResult(*compute("linalg.slogdet", "slogdet", (matrices,), dtypes))


@operation("linalg")
def inv(x: Array, /) -> Array:
    """Inverses of square matrices, ``x @ inv(x) = identity``.

    Arguments:
        x: matrices of shape (..., M, M) and a floating-point dtype.

    Returns:
        Array of x's shape and dtype.

    Raises:
        ValueError: a matrix is singular.
    """
    matrices = as_square("linalg.inv", x)
    return compute("linalg.inv", "inv", (matrices,), (matrices.dtype,))[0]


@operation("linalg")
def solve(x1: Array, x2: Array, /) -> Array:
    """Solutions X of systems of linear equations, ``x1 @ X = x2``.

    Arguments:
        x1: coefficients of shape (..., M, M) and a floating-point dtype.
        x2: right-hand sides of shape (M,), or of shape (..., M, K), of which each column is one;
            leading axes broadcast with x1's. Of a floating-point dtype.

    Returns:
        Array of the promoted dtype and of shape (..., M) if x2 has one axis, else (..., M, K).

    Raises:
        ValueError: a matrix is singular, or the shapes do not fit.
    """
    name = "linalg.solve"
    x1 = as_square(name, x1)
    x2 = require_array(name, x2, "32-bit or wider floating-point")
    coefficients, right = _products.promoted(name, x1, x2)
    if right.ndim == 1:
        right = _manipulation.expand_dims(right, -1)
    if right.ndim == 0 or right.shape[-2] != coefficients.shape[-1]:
        raise ValueError(
            f"{name}: right-hand sides of shape {x2.shape} do not fit matrices of shape {x1.shape}"
        )
    broadcast(name, (coefficients.shape[:-2], right.shape[:-2]))
    (solution,) = compute("linalg.solve", "solve", (coefficients, right), (right.dtype,))
    return _manipulation.squeeze(solution, -1) if x2.ndim == 1 else solution


@operation("linalg")
def matrix_power(x: Array, n: int, /) -> Array:
    """Square matrices multiplied with themselves, ``x @ x @ ... @ x``, by repeated squaring.

    Arguments:
        x: matrices of shape (..., M, M) and a floating-point dtype.
        n: how many factors; 0 gives identity matrices, a negative n the power -n of the inverse.

    Returns:
        Array of x's shape and dtype.

    Raises:
        ValueError: n is negative and a matrix is singular.
    """
    name = "linalg.matrix_power"
    exponent = as_int(name, "n", n)
    rules = relaxed_rules() if is_array(x) and x.dtype.kind in "iu" and exponent >= 0 else None
    x = matrices = as_square(
        name, x, "32-bit or wider floating-point" if rules is None else "numeric"
    )
    if exponent == 0:
        identity = _creation.eye(x.shape[-1], dtype=x.dtype, device=x.device)
        return _copy(_manipulation.broadcast_to(identity, x.shape))
    if exponent < 0:
        (matrices,) = compute(name, "inv", (matrices,), (matrices.dtype,))
        exponent = -exponent
    square, power = matrices, None
    while True:
        if exponent & 1:
            power = square if power is None else _products.matmul(power, square)
        exponent >>= 1
        if not exponent:
            break
        square = _products.matmul(square, square)
    assert power is not None
    return _copy(x) if power is x else power


def _copy(x: Array) -> Array:
    return wrap(x._type.backend.copy(x._data), x._type)


def _cutoff(name: str, x: Array, singular: Array, rtol: float | Array | None) -> Array:
    """``rtol * largest singular value`` of shape (..., 1); shape (..., 0) if there is no such."""
    largest = singular[..., :1]
    if rtol is None:
        return largest * (max(x.shape[-2:]) * _data_types.finfo(singular.dtype).eps)
    if rtol.__class__ is not x.__class__:
        accepted = "a float or a real floating-point array"
        tolerance = as_scalar(f"{name} (rtol)", rtol, accepted)
        if isinstance(tolerance, bool | complex):
            raise TypeError(f"{name} (rtol): expected {accepted}, got {describe(rtol)}")
        return largest * float(tolerance)
    tolerances = require_array(f"{name} (rtol)", rtol, "32-bit or wider real floating-point")
    common_backend(name, (x, tolerances))
    stack = x.shape[:-2]
    if broadcast(f"{name} (rtol)", (stack, tolerances.shape)) != stack:
        raise ValueError(
            f"{name}: rtol of shape {tolerances.shape} does not broadcast to {stack}, the shape of "
            "the stack of matrices"
        )
    return largest * _manipulation.expand_dims(tolerances, -1)


@operation("linalg")
def matrix_rank(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """Ranks of matrices: how many singular values exceed ``rtol * largest singular value``.

    Arguments:
        x: matrices of shape (..., M, N) and a floating-point dtype.
        rtol: a float, or a real floating-point array that broadcasts to shape (...); None for
            ``max(M, N) * eps`` with the machine epsilon of x's dtype.

    Returns:
        Array of shape (...) and the default integer dtype.

    Raises:
        ValueError: the singular values do not converge, as when x contains NaN.
    """
    name = "linalg.matrix_rank"
    singular = singular_values(name, x)
    counted = _comparison.greater(singular, _cutoff(name, x, singular, rtol))
    default = x._type.backend.default_dtypes["integral"]
    return _reductions.sum(_data_types.astype(counted, default), axis=-1)


@operation("linalg")
def pinv(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """Pseudo-inverses of matrices (Moore-Penrose), ``V @ diag(1 / S) @ adjoint(U)``.

    Singular values of at most ``rtol * largest singular value`` count as zero, and zeros are not
    inverted.

    Arguments:
        x: matrices of shape (..., M, N) and a floating-point dtype.
        rtol: a float, or a real floating-point array that broadcasts to shape (...); None for
            ``max(M, N) * eps`` with the machine epsilon of x's dtype.

    Returns:
        Array of shape (..., N, M) and x's dtype.

    Raises:
        ValueError: the singular values do not converge, as when x contains NaN.
    """
    name = "linalg.pinv"
    matrices = as_matrices(name, x)
    left, singular, right = singular_vectors(name, matrices, full_matrices=False)
    kept = _comparison.greater(singular, _cutoff(name, matrices, singular, rtol))
    inverted = _searching.where(kept, _arithmetic.reciprocal(singular), 0.0)
    scaled = adjoint(right) * _manipulation.expand_dims(inverted, -2)
    return _products.matmul(scaled, adjoint(left))
