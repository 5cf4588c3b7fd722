"""Linear algebra by LAPACK, through numpy.linalg, and norms.

numpy.linalg computes float32 in float64 and rounds once; scipy.linalg computes it in float32, up to
twice as fast but 10 to 200 times less accurate. On float64 they differ by less than a factor of two
in time, and only numpy.linalg takes stacks of matrices in one call. ``large_matrices`` has what is
worth more work for one large matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from numr_api._backends.cpu import large_matrices

HostArray = Any
lapack: Any = np.linalg  # its type hints know no array of just any dtype

# A sum of float64 squares above this has lost nothing that matters to underflow.
SAFE_SQUARE = float(np.finfo(np.float64).smallest_normal / np.finfo(np.float64).eps)

__all__ = ["ROUTINES"]


def failing_with(reason: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """ValueError with this reason where NumPy raises LinAlgError."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **parameters: Any) -> Any:
            try:
                return function(*arguments, **parameters)
            except np.linalg.LinAlgError:
                raise ValueError(reason) from None

        return call

    return decorate


@failing_with("a matrix is not positive definite")
def cholesky(x: HostArray) -> HostArray:
    return large_matrices.cholesky(x) if large_matrices.is_large(x) else lapack.cholesky(x)


def det(x: HostArray) -> HostArray:
    if large_matrices.is_large(x):
        return large_matrices.det(x)
    return np.asarray(lapack.det(x))


def slogdet(x: HostArray) -> tuple[HostArray, HostArray]:
    sign, logabsdet = lapack.slogdet(x)
    return np.asarray(sign), np.asarray(logabsdet)


@failing_with("a matrix contains NaN or an infinity")
def eig(x: HostArray) -> tuple[HostArray, HostArray]:
    values, vectors = lapack.eig(x)
    return as_complex(values, x), as_complex(vectors, x)


@failing_with("a matrix contains NaN or an infinity")
def eigvals(x: HostArray) -> HostArray:
    return as_complex(lapack.eigvals(x), x)


def as_complex(result: HostArray, x: HostArray) -> HostArray:
    """A result that NumPy makes real if it can, in the complex dtype of x's precision."""
    return result.astype(np.result_type(x, np.complex64), copy=False)


@failing_with("the eigenvalues do not converge")
def eigh(x: HostArray) -> tuple[HostArray, HostArray]:
    values, vectors = lapack.eigh(x)
    return values, vectors


@failing_with("the eigenvalues do not converge")
def eigvalsh(x: HostArray) -> HostArray:
    return lapack.eigvalsh(x)


@failing_with("a matrix is singular")
def inv(x: HostArray) -> HostArray:
    return large_matrices.inv(x) if large_matrices.is_large(x) else lapack.inv(x)


def qr(x: HostArray, *, mode: str) -> tuple[HostArray, HostArray]:
    if mode == "reduced" and large_matrices.is_large(x):
        return large_matrices.qr(x)
    q, r = lapack.qr(x, mode=mode)
    return q, r


@failing_with("a matrix is singular")
def solve(x1: HostArray, x2: HostArray) -> HostArray:
    return lapack.solve(x1, x2)


@failing_with("the singular values do not converge; does a matrix contain NaN?")
def svd(x: HostArray, *, full_matrices: bool) -> tuple[HostArray, HostArray, HostArray]:
    u, s, vh = lapack.svd(x, full_matrices=full_matrices)
    return u, s, vh


@failing_with("the singular values do not converge; does a matrix contain NaN?")
def svdvals(x: HostArray) -> HostArray:
    return lapack.svdvals(x)


def euclidean_norm(x: HostArray, *, axes: tuple[int, ...], keepdims: bool) -> HostArray:
    """``sqrt(sum(abs(x)**2))`` over axes.

    float32 is squared and summed in float64, whose range its squares cannot leave. float64 is
    scaled by a power of two, exactly, but only where the plain sum shows that squares overflowed
    or lost digits.
    """
    parts = (x.real, x.imag) if x.dtype.kind == "c" else (x,)
    if parts[0].dtype == np.float32:
        labels = list(range(x.ndim))
        kept = [axis for axis in labels if axis not in axes]
        sums = (np.einsum(p, labels, p, labels, kept, dtype=np.float64) for p in parts)
        norm: Any = np.sqrt(sum(sums)).astype(np.float32)
        return np.expand_dims(norm, axes) if keepdims else np.asarray(norm)
    total: Any = np.square(parts[0]).sum(axis=axes, keepdims=keepdims)
    if len(parts) == 2:
        total = total + np.square(parts[1]).sum(axis=axes, keepdims=keepdims)
    safe: Any = (total > SAFE_SQUARE) & (total < np.inf)
    if safe is np.True_ or safe.all():  # quickly, if there is one norm only
        return np.asarray(np.sqrt(total))
    norm = scaled_norm(parts, axes)
    return np.asarray(norm if keepdims else norm.squeeze(axes))


def scaled_norm(parts: tuple[HostArray, ...], axes: tuple[int, ...]) -> HostArray:
    """The norm of parts together, in multiples of a power of two above the largest element."""
    peaks = [np.max(np.abs(p), axis=axes, keepdims=True, initial=0.0) for p in parts]
    exponent = np.frexp(np.max(peaks, axis=0))[1]
    scaled = (np.ldexp(p, -exponent) for p in parts)
    total: Any = sum(np.square(p).sum(axis=axes, keepdims=True) for p in scaled)
    return np.ldexp(np.sqrt(total), exponent)


ROUTINES: dict[str, Callable[..., Any]] = {
    routine.__name__: routine
    for routine in (
        cholesky,
        det,
        eig,
        eigh,
        eigvals,
        eigvalsh,
        euclidean_norm,
        inv,
        qr,
        slogdet,
        solve,
        svd,
        svdvals,
    )
}
