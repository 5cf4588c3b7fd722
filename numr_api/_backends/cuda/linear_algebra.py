"""Linear algebra by cuSOLVER and cuBLAS, through CuPy.

Whether a matrix is singular or an iteration converges is told by a status word, which is read since
that is a ValueError. So decompositions, ``solve`` and ``inv`` wait for the device.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

import numpy as np

from numr_api._backends.cuda.kernels import cupy

Data = Any
Shape = tuple[int, ...]

linalg: Any = cupy.linalg
cupyx: Any = import_module("cupyx")
decompositions: Any = import_module("cupy.linalg._decomposition")

DOES_NOT_CONVERGE = "the singular values do not converge; does a matrix contain NaN?"
NOT_FINITE = "a matrix contains NaN or an infinity"

__all__ = ["ROUTINES"]


def failing_with(reason: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """ValueError with this reason where cuSOLVER's status says that it failed."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **parameters: Any) -> Any:
            try:
                with cupyx.errstate(linalg="raise"):
                    return function(*arguments, **parameters)
            except np.linalg.LinAlgError:
                raise ValueError(reason) from None

        return call

    return decorate


def require_finite(x: Data, reason: str) -> None:
    """ValueError if there is a NaN or an infinity, of which cuSOLVER gives no account."""
    if not bool(cupy.isfinite(x).all()):
        raise ValueError(reason)


def matmul(x1: Data, x2: Data) -> Data:
    return cupy.matmul(without_steps_back(x1), without_steps_back(x2))


def without_steps_back(x: Data) -> Data:
    """The array, or a view without the negative strides that axes of length 1 may have.

    From the strides of contiguous arrays CuPy computes the addresses of matrices, in uint64.
    """
    if x.flags.c_contiguous and any(step < 0 for step in x.strides):
        return x.reshape(x.size).reshape(x.shape)
    return x


def real_dtype(x: Data) -> np.dtype[Any]:
    return np.dtype(x.dtype.char.lower())


def complex_dtype(x: Data) -> np.dtype[Any]:
    return np.dtype(x.dtype.char.upper())


def identities(batch: Shape, size: int, dtype: np.dtype[Any]) -> Data:
    return cupy.broadcast_to(cupy.eye(size, dtype=dtype), (*batch, size, size)).copy()


# --- systems --------------------------------------------------------------------------------------


@failing_with("a matrix is not positive definite")
def cholesky(x: Data) -> Data:
    return linalg.cholesky(x) if x.size else x.copy()


@failing_with("a matrix is singular")
def inv(x: Data) -> Data:
    return linalg.inv(x) if x.size else x.copy()


@failing_with("a matrix is singular")
def solve(x1: Data, x2: Data) -> Data:
    batch = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    x1 = cupy.broadcast_to(x1, batch + x1.shape[-2:])
    x2 = cupy.broadcast_to(x2, batch + x2.shape[-2:])
    return linalg.solve(x1, x2) if x2.size else x2.copy()


def det(x: Data) -> Data:
    """The product of the pivots, in double precision: that of single precision may overflow."""
    wide = np.result_type(x.dtype, np.float64)
    if not x.size:
        return cupy.ones(x.shape[:-2], x.dtype)
    lu, pivots, status = decompositions._lu_factor(x, x.dtype)
    diagonal = cupy.diagonal(lu, axis1=-2, axis2=-1).astype(wide)
    moved = pivots != cupy.arange(1, x.shape[-1] + 1, dtype=pivots.dtype)
    sign = 1.0 - 2.0 * (moved.sum(axis=-1) % 2)
    product = diagonal.prod(axis=-1) * sign
    return cupy.where(status > 0, 0.0, product).astype(x.dtype)


def slogdet(x: Data) -> tuple[Data, Data]:
    sign, logarithm = linalg.slogdet(x)
    return sign.astype(x.dtype, copy=False), logarithm.astype(real_dtype(x), copy=False)


# --- eigenvalues ----------------------------------------------------------------------------------


def on_device() -> bool:
    """Whether cuSOLVER finds eigenvalues of general matrices, from 11.7 on; else LAPACK does.

    The library is loaded here since only decompositions need it.
    """
    cusolver: Any = import_module("cupyx.cusolver")
    return hasattr(linalg, "eig") and bool(cusolver.check_availability("geev"))


def eig(x: Data) -> tuple[Data, Data]:
    dtype = complex_dtype(x)
    if not x.size:
        return cupy.empty(x.shape[:-1], dtype), cupy.empty(x.shape, dtype)
    require_finite(x, NOT_FINITE)
    values, vectors = linalg.eig(x) if on_device() else map(cupy.asarray, np.linalg.eig(x.get()))
    return values.astype(dtype, copy=False), vectors.astype(dtype, copy=False)


def eigvals(x: Data) -> Data:
    dtype = complex_dtype(x)
    if not x.size:
        return cupy.empty(x.shape[:-1], dtype)
    require_finite(x, NOT_FINITE)
    values = linalg.eigvals(x) if on_device() else cupy.asarray(np.linalg.eigvals(x.get()))
    return values.astype(dtype, copy=False)


@failing_with("the eigenvalues do not converge")
def eigh(x: Data) -> tuple[Data, Data]:
    if not x.size:
        return cupy.empty(x.shape[:-1], real_dtype(x)), x.copy()
    require_finite(cupy.tril(x), "the eigenvalues do not converge")
    values, vectors = linalg.eigh(x)
    return values, vectors


@failing_with("the eigenvalues do not converge")
def eigvalsh(x: Data) -> Data:
    if not x.size:
        return cupy.empty(x.shape[:-1], real_dtype(x))
    require_finite(cupy.tril(x), "the eigenvalues do not converge")
    return linalg.eigvalsh(x)


# --- orthogonal factors ---------------------------------------------------------------------------


@failing_with("the matrix cannot be factored")
def qr(x: Data, *, mode: str) -> tuple[Data, Data]:
    batch, (m, n) = x.shape[:-2], x.shape[-2:]
    if x.size:
        q, r = linalg.qr(x, mode=mode)
        return q, r
    if mode == "complete":
        return identities(batch, m, x.dtype), cupy.zeros((*batch, m, n), x.dtype)
    least = min(m, n)
    return cupy.empty((*batch, m, least), x.dtype), cupy.empty((*batch, least, n), x.dtype)


@failing_with(DOES_NOT_CONVERGE)
def svd(x: Data, *, full_matrices: bool) -> tuple[Data, Data, Data]:
    batch, (m, n) = x.shape[:-2], x.shape[-2:]
    if x.size:
        require_finite(x, DOES_NOT_CONVERGE)
        u, values, vh = linalg.svd(x, full_matrices=full_matrices)
        return u, values, vh
    least = min(m, n)
    values = cupy.empty((*batch, least), real_dtype(x))
    if full_matrices:
        return identities(batch, m, x.dtype), values, identities(batch, n, x.dtype)
    u, vh = cupy.empty((*batch, m, least), x.dtype), cupy.empty((*batch, least, n), x.dtype)
    return u, values, vh


@failing_with(DOES_NOT_CONVERGE)
def svdvals(x: Data) -> Data:
    if not x.size:
        return cupy.empty((*x.shape[:-2], min(x.shape[-2:])), real_dtype(x))
    require_finite(x, DOES_NOT_CONVERGE)
    return linalg.svd(x, compute_uv=False)


# --- norms ----------------------------------------------------------------------------------------


def euclidean_norm(x: Data, *, axes: tuple[int, ...], keepdims: bool) -> Data:
    """``sqrt(sum(abs(x)**2))`` over axes.

    float32 is squared and summed in float64, whose range its squares cannot leave. float64 is
    scaled by a power of two, exactly; to find out whether it needs to be would mean to wait.
    """
    parts = (x.real, x.imag) if x.dtype.kind == "c" else (x,)
    if not x.size or not axes:
        sizes = abs(x)
        return sizes.sum(axis=axes, keepdims=keepdims) if axes else sizes
    if real_dtype(x) == np.float32:
        wide = [part.astype(np.float64) for part in parts]
        total: Any = sum((part * part).sum(axis=axes, keepdims=keepdims) for part in wide)
        return cupy.sqrt(total).astype(np.float32)
    peaks = [abs(part).max(axis=axes, keepdims=True) for part in parts]
    peak = peaks[0] if len(peaks) == 1 else cupy.maximum(*peaks)
    exponent = cupy.frexp(peak)[1]
    scaled = [cupy.ldexp(part, -exponent) for part in parts]
    total = sum((part * part).sum(axis=axes, keepdims=True) for part in scaled)
    norm = cupy.ldexp(cupy.sqrt(total), exponent)
    return norm if keepdims else norm.squeeze(axes)


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
