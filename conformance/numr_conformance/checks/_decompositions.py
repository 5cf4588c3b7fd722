"""Systems and decompositions, a part of the topic "linalg": by what defines them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from numr_conformance.checks._matrices import (
    BATCHES,
    SIZES,
    adjoint,
    assert_near,
    assert_product,
    definite,
    well,
)
from numr_conformance.checks._tools import (
    LAYOUTS,
    Cases,
    Host,
    assert_equal,
    assert_fields,
    assert_true,
    continuous,
    default_dtype,
    of_kinds,
    real_part,
)
from numr_conformance.target import Target

cases = Cases("linalg")

FLOATS = of_kinds("fc")
SQUARE = list(itertools.product(BATCHES, SIZES))
OBLONG = [((), 3, 2), ((), 2, 4), ((3,), 3, 3), ((2, 1), 4, 2), ((0,), 2, 3), ((), 1, 1)]


def double(host: Host) -> Host:
    return host.astype("complex128" if host.dtype.kind == "c" else "float64")


def parts(target: Target, result: Any, names: tuple[str, ...], dtypes: tuple[str, ...]) -> Any:
    """The fields of a named tuple on the host, with these dtypes."""
    assert_fields(result, names)
    hosts = [target.host(getattr(result, name)) for name in names]
    actual = tuple(x.dtype.name for x in hosts)
    assert_true(actual == dtypes, "wrong dtypes", expected=dtypes, actual=actual)
    return [double(x) for x in hosts]


def assert_orthonormal(q: Host, name: str, dtype: str) -> None:
    """The columns are."""
    eye = np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], q.shape[-1], q.shape[-1]))
    assert_product(f"{name} is not orthonormal", adjoint(q) @ q, eye, dtype, q)


# --- systems --------------------------------------------------------------------------------------


@cases("linalg.inv", dtypes=FLOATS, rows=SQUARE)
def inverse(target: Target, dtype: str, batch: tuple[int, ...], n: int) -> None:
    host = well(dtype, batch, n)
    found = target.find("linalg.inv")(target.array(host))
    assert_near(target, found, np.linalg.inv(double(host)), dtype, scale=1, given=host)


@cases("linalg.inv", dtypes=FLOATS, rows=[(layout,) for layout in LAYOUTS])
def inverse_of_layouts(target: Target, dtype: str, layout: str) -> None:
    host = well(dtype, (2,), 3)
    found = target.find("linalg.inv")(LAYOUTS[layout](target, host))
    assert_near(target, found, np.linalg.inv(double(host)), dtype, scale=1, given=host)


@cases("*", dtypes=FLOATS, rows=[(f, *row) for f in ("linalg.det", "linalg.slogdet")
                                 for row in [*SQUARE, ((), 0), ((2,), 0)]])  # fmt: skip
def determinant(target: Target, dtype: str, name: str, batch: tuple[int, ...], n: int) -> None:
    """Of a 0 x 0 matrix it is 1."""
    host = well(dtype, batch, n)
    true = np.linalg.det(double(host)) if n else np.ones(batch)
    result = target.find(name)(target.array(host))
    if name == "linalg.det":
        scale = float(np.max(np.abs(true), initial=1))
        assert_near(target, result, true, dtype, scale=scale, given=host)
        return
    sign, logarithm = parts(target, result, ("sign", "logabsdet"), (dtype, real_part(dtype)))
    assert_product("wrong sign", sign, true / np.abs(true), dtype, host)
    assert_product("wrong logarithm", logarithm, np.log(np.abs(true)), dtype, host)


@cases("linalg.slogdet", dtypes=FLOATS)
def singular_determinant(target: Target, dtype: str) -> None:
    result = target.find("linalg.slogdet")(target.array(np.zeros((2, 2), dtype)))
    sign, logarithm = parts(target, result, ("sign", "logabsdet"), (dtype, real_part(dtype)))
    right = sign == 0 and logarithm == -np.inf
    assert_true(right, "wrong", given="zeros", expected=(0, "-inf"), actual=(sign, logarithm))


SYSTEMS = [((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 3, 3), (2, 3, 1)), ((2, 1, 3, 3), (4, 3, 2)),
           ((3, 3), (2, 3, 1)), ((4, 2, 2), (2,)), ((0, 2, 2), (2, 1)), ((2, 2), (2, 0)),
           ((1, 1), (1,))]  # fmt: skip


@cases("linalg.solve", dtypes=FLOATS, rows=SYSTEMS)
def solution(target: Target, dtype: str, first: tuple[int, ...], second: tuple[int, ...]) -> None:
    a, b = well(dtype, first[:-2], first[-1]), continuous(dtype, second)
    inverse = np.linalg.inv(double(a))
    column = len(second) == 1
    true = inverse @ (double(b)[:, None] if column else double(b))
    true = true[..., 0] if column else true
    result = target.find("linalg.solve")(target.array(a), target.array(b))
    assert_near(target, result, true, dtype, scale=1, given=(a, b))


@cases("linalg.pinv", dtypes=FLOATS, rows=OBLONG)
def pseudoinverse(target: Target, dtype: str, batch: tuple[int, ...], m: int, n: int) -> None:
    host = continuous(dtype, (*batch, m, n), "pinv")
    true = np.linalg.pinv(double(host)) if host.size else np.zeros((*batch, n, m))
    scale = float(np.max(np.abs(true), initial=1)) ** 2 * 4
    result = target.find("linalg.pinv")(target.array(host))
    assert_near(target, result, true, dtype, scale=scale, given=host)


@cases("linalg.matrix_power", dtypes=FLOATS, rows=itertools.product(
    ((), (3,), (0,)), (0, 1, 2, 3, 5, -1, -2)))  # fmt: skip
def power(target: Target, dtype: str, batch: tuple[int, ...], n: int) -> None:
    host = (well(dtype, batch, 3) / 4).astype(dtype)
    base = np.linalg.inv(double(host)) if n < 0 else double(host)
    true = np.broadcast_to(np.eye(3), host.shape)
    for _ in range(abs(n)):
        true = true @ base
    scale = max(1.0, float(np.max(np.abs(true), initial=1))) * 4
    result = target.find("linalg.matrix_power")(target.array(host), n)
    assert_near(target, result, true, dtype, scale=scale, given=(host, n))


@cases(
    "linalg.matrix_rank", dtypes=FLOATS, rows=[(r, b) for r in range(4) for b in ((), (2,), (0,))]
)
def rank(target: Target, dtype: str, rank: int, batch: tuple[int, ...]) -> None:
    left, right = continuous(dtype, (*batch, 4, rank), "l"), continuous(dtype, (*batch, rank, 3))
    host = (double(left) @ double(right)).astype(dtype)
    result = target.find("linalg.matrix_rank")(target.array(host))
    true = np.full(batch, rank, default_dtype(target, "indexing"))
    assert_equal(target, result, true, given=host)


# --- decompositions -------------------------------------------------------------------------------


@cases("*", dtypes=FLOATS, rows=itertools.product(
    ("linalg.matrix_rank", "linalg.pinv"), (0.5, 0.05, 1e-4)))  # fmt: skip
def relative_tolerance(target: Target, dtype: str, name: str, rtol: float) -> None:
    """Singular values below rtol times the largest count as 0."""
    values = np.array([4, 1, 0.01])
    kept = values > rtol * 4
    x = target.array(np.diag(values).astype(dtype))
    for given in (rtol, target.array(np.asarray(rtol, real_part(dtype)))):
        result = target.find(name)(x, rtol=given)
        if name == "linalg.pinv":
            true = np.diag(np.where(kept, 1 / values, 0))
            assert_equal(target, result, true, dtype=dtype, ulp=64, atol=1e-5, given=rtol)
        else:
            found = int(target.host(result))
            assert_true(found == kept.sum(), "wrong", given=rtol, expected=kept, actual=found)


@cases("linalg.cholesky", dtypes=FLOATS, rows=[(*row, u) for row in SQUARE for u in (False, True)])
def cholesky(target: Target, dtype: str, batch: tuple[int, ...], n: int, upper: bool) -> None:
    host = definite(dtype, batch, n)
    result = target.find("linalg.cholesky")(target.array(host), upper=upper)
    found = target.host(result)
    assert_true(found.dtype == dtype, "wrong dtype", expected=dtype, actual=found.dtype)
    other = np.tril(found, -1) if upper else np.triu(found, 1)
    assert_true(not other.any(), "not triangular", given=host, actual=found)
    factor = double(found)
    product = adjoint(factor) @ factor if upper else factor @ adjoint(factor)
    assert_product("factors do not multiply to x", product, double(host), dtype, host)


@cases("linalg.qr", dtypes=FLOATS, rows=[(*row, mode) for row in OBLONG
                                         for mode in ("reduced", "complete")])  # fmt: skip
def qr(target: Target, dtype: str, batch: tuple[int, ...], m: int, n: int, mode: str) -> None:
    host = continuous(dtype, (*batch, m, n), "qr")
    result = target.find("linalg.qr")(target.array(host), mode=mode)
    q, r = parts(target, result, ("Q", "R"), (dtype, dtype))
    k = m if mode == "complete" else min(m, n)
    shapes = (*batch, m, k), (*batch, k, n)
    right = (q.shape, r.shape) == shapes
    assert_true(right, "wrong shapes", given=host, expected=shapes, actual=(q.shape, r.shape))
    assert_true(not np.tril(r, -1).any(), "R is not triangular", given=host, actual=r)
    assert_orthonormal(q, "Q", dtype)
    assert_product("Q R is not x", q @ r, double(host), dtype, host)


@cases("linalg.svd", dtypes=FLOATS, rows=[(*row, full) for row in OBLONG for full in (False, True)])
def svd(target: Target, dtype: str, batch: tuple[int, ...], m: int, n: int, full: bool) -> None:
    host = continuous(dtype, (*batch, m, n), "svd")
    result = target.find("linalg.svd")(target.array(host), full_matrices=full)
    u, s, vh = parts(target, result, ("U", "S", "Vh"), (dtype, real_part(dtype), dtype))
    k = min(m, n)
    shapes = (*batch, m, m if full else k), (*batch, k), (*batch, n if full else k, n)
    actual = u.shape, s.shape, vh.shape
    assert_true(actual == shapes, "wrong shapes", given=host, expected=shapes, actual=actual)
    ordered = bool(np.all(s[..., :-1] >= s[..., 1:]) and np.all(s >= 0))
    assert_true(ordered, "not descending", given=host, actual=s)
    assert_orthonormal(u, "U", dtype)
    assert_orthonormal(adjoint(vh), "Vh", dtype)
    product = (u[..., :k] * s[..., None, :]) @ vh[..., :k, :]
    assert_product("U S Vh is not x", product, double(host), dtype, host)


@cases("linalg.svdvals", dtypes=FLOATS, rows=OBLONG)
def singular_values(target: Target, dtype: str, batch: tuple[int, ...], m: int, n: int) -> None:
    host = continuous(dtype, (*batch, m, n), "svd")
    true = np.linalg.svd(double(host), compute_uv=False)
    result = target.find("linalg.svdvals")(target.array(host))
    assert_near(target, result, true, real_part(dtype), scale=4, given=host)


def hermitian(dtype: str, batch: tuple[int, ...], n: int) -> Host:
    x = double(continuous(dtype, (*batch, n, n), "eigh"))
    return (x + adjoint(x)).astype(dtype)


@cases("*", dtypes=FLOATS, rows=[(f, *row) for f in ("linalg.eigh", "linalg.eigvalsh")
                                 for row in SQUARE])  # fmt: skip
def hermitian_eigenvalues(
    target: Target, dtype: str, name: str, batch: tuple[int, ...], n: int
) -> None:
    """Their order is the library's choice."""
    host = hermitian(dtype, batch, n)
    result = target.find(name)(target.array(host))
    if name == "linalg.eigh":
        types = real_part(dtype), dtype
        values, q = parts(target, result, ("eigenvalues", "eigenvectors"), types)
        assert_orthonormal(q, "eigenvectors", dtype)
        product = (q * values[..., None, :]) @ adjoint(q)
        assert_product("decomposition is not x", product, double(host), dtype, host)
    else:
        values = target.host(result)
        right = values.dtype == real_part(dtype)
        assert_true(right, "wrong dtype", expected=real_part(dtype), actual=values.dtype)
    true = np.linalg.eigvalsh(double(host))
    assert_product("wrong eigenvalues", np.sort(values, -1), true, dtype, host)


@cases("*", dtypes=FLOATS, rows=[(f, *row) for f in ("linalg.eig", "linalg.eigvals")
                                 for row in SQUARE])  # fmt: skip
def general_eigenvalues(
    target: Target, dtype: str, name: str, batch: tuple[int, ...], n: int
) -> None:
    """Complex also for real matrices; by the traces of powers, as their order is free."""
    host = continuous(dtype, (*batch, n, n), "eig")
    result = target.find(name)(target.array(host))
    wanted = {"float32": "complex64", "float64": "complex128"}.get(dtype, dtype)
    if name == "linalg.eig":
        types = wanted, wanted
        values, vectors = parts(target, result, ("eigenvalues", "eigenvectors"), types)
        product = double(host) @ vectors
        assert_product("A v is not lambda v", product, vectors * values[..., None, :], dtype, host)
        lengths = np.linalg.norm(vectors, axis=-2)
        assert_true(bool(np.all(lengths > 0.1)), "vanishing eigenvector", given=host)
    else:
        values = target.host(result)
        right = values.dtype == wanted
        assert_true(right, "wrong dtype", expected=wanted, actual=values.dtype)
    assert_true(values.shape == (*batch, n), "wrong shape", given=host, actual=values.shape)
    first = np.trace(double(host), axis1=-2, axis2=-1)
    second = np.trace(double(host) @ double(host), axis1=-2, axis2=-1)
    sums = np.stack([np.sum(values, -1), np.sum(values**2, -1)])
    assert_product("wrong eigenvalues", sums, np.stack([first, second]), dtype, host)
