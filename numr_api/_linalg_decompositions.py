"""Decompositions of matrices: Cholesky, QR, eigenvalues and singular values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from numr_api import _arithmetic, _products
from numr_api._checks import require_array
from numr_api._declare import operation, wrap
from numr_api._dtypes import COMPLEX_OF, REAL_PART, DType
from numr_api._errors import Unsupported
from numr_api._shapes import as_bool

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = ["cholesky", "eig", "eigh", "eigvals", "eigvalsh", "qr", "svd", "svdvals"]


class EigResult(NamedTuple):
    """What eig returns."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """What eigh returns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """What qr returns."""

    Q: Array
    R: Array


class SVDResult(NamedTuple):
    """What svd returns."""

    U: Array
    S: Array
    Vh: Array


def as_matrices(name: str, x: object, accepts: str = "32-bit or wider floating-point") -> Array:
    """x itself, which must be an Array of an accepted dtype and of two axes or more."""
    array = require_array(name, x, accepts)
    if array.ndim < 2:
        raise ValueError(f"{name}: needs matrices (two axes or more), got shape {array.shape}")
    return array


def as_square(name: str, x: object, accepts: str = "32-bit or wider floating-point") -> Array:
    """x itself, which must be an Array of an accepted dtype and of shape (..., M, M)."""
    array = as_matrices(name, x, accepts)
    if array.shape[-2] != array.shape[-1]:
        raise ValueError(f"{name}: needs square matrices, got shape {array.shape}")
    return array


def compute(
    name: str,
    routine: str,
    operands: tuple[Array, ...],
    results: tuple[DType, ...],
    **parameters: Any,
) -> list[Array]:
    """Run a backend's routine for the function ``name``; its results have the given dtypes."""
    array_type = operands[0]._type
    data = (x._data for x in operands)
    try:
        types = [array_type.of(dtype) for dtype in results]
        outcome = array_type.backend.routine(routine, *data, **parameters)
    except Unsupported as error:
        raise Unsupported(f"{name}: {error}") from None
    except ValueError as error:  # a matrix is singular, or the like
        raise ValueError(f"{name}: {error}") from None
    outcomes = (outcome,) if len(types) == 1 else outcome
    return [wrap(part, type_) for part, type_ in zip(outcomes, types, strict=True)]


def real_part(x: Array) -> DType:
    """The real dtype of x's precision."""
    return REAL_PART.get(x.dtype, x.dtype)


def complex_of(x: Array) -> DType:
    """The complex dtype of x's precision."""
    return COMPLEX_OF.get(x.dtype, x.dtype)


def adjoint(x: Array) -> Array:
    """Conjugate transpose of matrices; of real ones a view."""
    return _products.matrix_transpose(_arithmetic.conj(x) if x.dtype.kind == "c" else x)


@operation("linalg")
def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """Cholesky factor L of positive-definite matrices, ``x = L @ adjoint(L)``.

    Arguments:
        x: Hermitian (real: symmetric) positive-definite matrices of shape (..., M, M) and a
            floating-point dtype. Only the lower triangle is read, whatever ``upper`` says.
        upper: whether to return ``adjoint(L)``, which is upper triangular, instead of L.

    Returns:
        Triangular matrices of x's shape and dtype.

    Raises:
        ValueError: a matrix is not positive definite.
    """
    matrices = as_square("linalg.cholesky", x)
    as_bool("linalg.cholesky", "upper", upper)
    (lower,) = compute("linalg.cholesky", "cholesky", (matrices,), (matrices.dtype,))
    return adjoint(lower) if upper else lower


@operation("linalg")
def eig(x: Array, /) -> EigResult:
    """Eigenvalues and eigenvectors of square matrices, ``x @ v = v * eigenvalue``.

    On webgpu devices they are computed on the host.

    Arguments:
        x: matrices of shape (..., M, M) and a floating-point dtype.

    Returns:
        Named tuple of two arrays of the complex dtype of x's precision, also where all values are
        real:

        - eigenvalues: shape (..., M), in no particular order.
        - eigenvectors: shape (..., M, M); its columns, of length 1, belong to the eigenvalues in
          order. They are linearly dependent if the matrix cannot be diagonalised.

    Raises:
        ValueError: x contains NaN or an infinity.
    """
    matrices = as_square("linalg.eig", x)
    dtype = complex_of(matrices)
    return EigResult(*compute("linalg.eig", "eig", (matrices,), (dtype, dtype)))


@operation("linalg")
def eigvals(x: Array, /) -> Array:
    """Eigenvalues of square matrices.

    On webgpu devices they are computed on the host.

    Arguments:
        x: matrices of shape (..., M, M) and a floating-point dtype.

    Returns:
        Array of shape (..., M) and the complex dtype of x's precision, in no particular order.

    Raises:
        ValueError: x contains NaN or an infinity.
    """
    matrices = as_square("linalg.eigvals", x)
    return compute("linalg.eigvals", "eigvals", (matrices,), (complex_of(matrices),))[0]


@operation("linalg")
def eigh(x: Array, /) -> EighResult:
    """Eigenvalues and eigenvectors of Hermitian matrices, ``x @ Q = Q @ diag(eigenvalues)``.

    Arguments:
        x: Hermitian (real: symmetric) matrices of shape (..., M, M) and a floating-point dtype.
            Only the lower triangle is read.

    Returns:
        Named tuple of

        - eigenvalues: shape (..., M), ascending, of the real dtype of x's precision.
        - eigenvectors: shape (..., M, M), of x's dtype; the orthonormal columns of Q, which belong
          to the eigenvalues in order.
    """
    matrices = as_square("linalg.eigh", x)
    dtypes = (real_part(matrices), matrices.dtype)
    return EighResult(*compute("linalg.eigh", "eigh", (matrices,), dtypes))


@operation("linalg")
def eigvalsh(x: Array, /) -> Array:
    """Eigenvalues of Hermitian matrices, ascending.

    Arguments:
        x: Hermitian (real: symmetric) matrices of shape (..., M, M) and a floating-point dtype.
            Only the lower triangle is read.

    Returns:
        Array of shape (..., M) and the real dtype of x's precision.
    """
    matrices = as_square("linalg.eigvalsh", x)
    return compute("linalg.eigvalsh", "eigvalsh", (matrices,), (real_part(matrices),))[0]


@operation("linalg")
def qr(x: Array, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """QR decomposition, ``x = Q @ R`` with orthonormal columns in Q and R upper triangular.

    Arguments:
        x: matrices of shape (..., M, N) and a floating-point dtype.
        mode: "reduced" for the first K = min(M, N) columns of Q and rows of R, "complete" for all.

    Returns:
        Named tuple of two arrays of x's dtype:

        - Q: shape (..., M, K); complete (..., M, M).
        - R: shape (..., K, N); complete (..., M, N). Its diagonal is real, but of any sign.
    """
    matrices = as_matrices("linalg.qr", x)
    if mode not in ("reduced", "complete"):
        raise ValueError(f"linalg.qr: mode must be 'reduced' or 'complete', got {mode!r}")
    return QRResult(*compute("linalg.qr", "qr", (matrices,), (matrices.dtype,) * 2, mode=mode))


@operation("linalg")
def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    """Singular value decomposition, ``x = U @ diag(S) @ Vh``.

    Arguments:
        x: matrices of shape (..., M, N) and a floating-point dtype.
        full_matrices: whether U and Vh are square; otherwise only the K = min(M, N) columns of U
            and rows of Vh that belong to singular values are computed.

    Returns:
        Named tuple of

        - U: shape (..., M, M) or (..., M, K), of x's dtype, with orthonormal columns.
        - S: singular values of shape (..., K), descending, of the real dtype of x's precision.
        - Vh: shape (..., N, N) or (..., K, N), of x's dtype, with orthonormal rows.

    Raises:
        ValueError: the iteration does not converge, as when x contains NaN.
    """
    matrices = as_matrices("linalg.svd", x)
    as_bool("linalg.svd", "full_matrices", full_matrices)
    return SVDResult(*singular_vectors("linalg.svd", matrices, full_matrices))


@operation("linalg")
def svdvals(x: Array, /) -> Array:
    """Singular values of matrices, descending.

    Arguments:
        x: matrices of shape (..., M, N) and a floating-point dtype.

    Returns:
        Array of shape (..., min(M, N)) and the real dtype of x's precision.

    Raises:
        ValueError: the iteration does not converge, as when x contains NaN.
    """
    return singular_values("linalg.svdvals", x)


def singular_vectors(name: str, matrices: Array, full_matrices: bool) -> list[Array]:
    """``svd`` of checked matrices for the function ``name``."""
    dtypes = (matrices.dtype, real_part(matrices), matrices.dtype)
    return compute(name, "svd", (matrices,), dtypes, full_matrices=full_matrices)


def singular_values(name: str, x: object) -> Array:
    """``svdvals`` for the function ``name``."""
    matrices = as_matrices(name, x)
    return compute(name, "svdvals", (matrices,), (real_part(matrices),))[0]
