"""How accurate decompositions are on a device, next to LAPACK's in the same precision.

Run with ``python -m tests.benchmarks.decompositions``; ``--help`` lists the options. Errors are
residuals, and distances of orthonormal vectors from being so, in units of the dtype's epsilon
relative to the matrix (Frobenius norms, computed in float64). Ratios are to what SciPy's LAPACK
leaves of the same matrix, which counts as one unit at least. Matrices are decomposed one by one,
and again in a stack with all others of their shape. The exit status is 1 if a ratio exceeds the
limit.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter
from traceback import print_exc
from typing import Any

import numpy as np
import scipy.linalg as lapack

import numr_api as xp
from numr_api.extensions.errors import Unsupported
from tests.benchmarks.decomposition_errors import ERRORS
from tests.benchmarks.matrix_families import FAMILIES, Host, Matrix, matrix_of
from tests.benchmarks.timing import describe_machine, load, table, write_json

DTYPES = ("float32", "float64", "complex64", "complex128")
SIZES = (1, 2, 3, 5, 8, 16, 31, 33, 64, 100, 200, 300)
QUICK_SIZES = (1, 2, 3, 8, 33, 64)
QUICK_FAMILIES = ("random", "graded", "rank-deficient", "clustered", "pairs", "ill 1e6", "zero")
LIMIT = 10.0
MOST_RECTANGULAR = 100  # the size up to which matrices are not only square


@dataclass(frozen=True)
class Study:
    """A function.

    Attributes:
        name, kind: of the function and of its matrices; see ``matrix_families.family``.
        ours, lapack: what computes it, given a matrix; and right-hand sides, for solve.
        rectangular: whether it takes matrices that are not square.
        needs_inverse: whether it is about matrices that are not singular in their precision.
    """

    name: str
    kind: str
    ours: Callable[..., Any]
    lapack: Callable[..., Any]
    rectangular: bool = False
    needs_inverse: bool = False


def slogdet(x: Host) -> tuple[Any, Any]:
    factors, pivots = lapack.lu_factor(x, check_finite=False)
    diagonal = np.diagonal(factors)
    swapped = (-1) ** int(np.sum(pivots != np.arange(len(x))))
    if not np.all(diagonal):
        return 0 * diagonal[0], -np.inf
    logarithm = np.sum(np.log(np.abs(diagonal)))
    return np.prod(diagonal / np.abs(diagonal)) * swapped, logarithm


def det(x: Host) -> Any:
    factors, pivots = lapack.lu_factor(x, check_finite=False)
    swapped = (-1) ** int(np.sum(pivots != np.arange(len(x))))
    return np.prod(np.diagonal(factors)) * x.dtype.type(swapped)


def pinv(x: Host) -> Host:
    u, s, vh = lapack.svd(x, full_matrices=False)
    kept = s > s[0] * max(x.shape) * np.finfo(x.dtype).eps
    inverted = np.divide(1, s, where=kept, out=np.zeros_like(s))
    return np.asarray((np.conj(vh.T) * inverted) @ np.conj(u.T))


STUDIES = (
    Study("cholesky", "positive", lambda x: xp.linalg.cholesky(x),
          lambda x: lapack.cholesky(x, lower=True)),
    Study("qr reduced", "any", lambda x: xp.linalg.qr(x),
          lambda x: lapack.qr(x, mode="economic"), rectangular=True),
    Study("qr complete", "any", lambda x: xp.linalg.qr(x, mode="complete"),
          lambda x: lapack.qr(x), rectangular=True),
    Study("svd", "any", lambda x: xp.linalg.svd(x, full_matrices=False),
          lambda x: lapack.svd(x, full_matrices=False), rectangular=True),
    Study("svd full", "any", lambda x: xp.linalg.svd(x), lambda x: lapack.svd(x),
          rectangular=True),
    Study("svdvals", "any", lambda x: xp.linalg.svdvals(x), lambda x: lapack.svdvals(x),
          rectangular=True),
    Study("eigh", "Hermitian", lambda x: xp.linalg.eigh(x),
          lambda x: lapack.eigh(x, driver="evd")),
    Study("eigvalsh", "Hermitian", lambda x: xp.linalg.eigvalsh(x),
          lambda x: lapack.eigvalsh(x, driver="evd")),
    Study("solve", "any", lambda x, b: xp.linalg.solve(x, b),
          lambda x, b: lapack.lu_solve(lapack.lu_factor(x), b), needs_inverse=True),
    Study("inv", "any", lambda x: xp.linalg.inv(x), lambda x: lapack.inv(x), needs_inverse=True),
    Study("det", "any", lambda x: xp.linalg.det(x), det, needs_inverse=True),
    Study("slogdet", "any", lambda x: xp.linalg.slogdet(x), slogdet, needs_inverse=True),
    Study("pinv", "any", lambda x: xp.linalg.pinv(x), pinv, rectangular=True),
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """An error of one result."""

    function: str
    dtype: str
    error: str
    family: str
    shape: tuple[int, ...]
    stacked: bool
    ours: float
    lapack: float

    @property
    def ratio(self) -> float:
        return self.ours / max(self.lapack, 1.0)


def as_tuple(result: Any) -> tuple[Any, ...]:
    return tuple(result) if isinstance(result, tuple) else (result,)


def groups(
    study: Study, sizes: Sequence[int], families: Sequence[str], dtype: str
) -> Iterator[list[Matrix]]:
    """The matrices of each shape."""
    for size in sizes:
        shapes = [(size, size)]
        if study.rectangular and size <= MOST_RECTANGULAR:
            shapes += [(2 * size + 1, size), (size, 2 * size + 1)]
        for shape in shapes:
            every = (matrix_of(name, study.kind, shape, dtype) for name in families)
            found = [x for x in every if x is not None]
            if study.needs_inverse:
                found = [x for x in found if not x.is_close_to_singular]
            yield found


def reference(study: Study, matrix: Matrix) -> dict[str, float] | None:
    """LAPACK's errors; None if it finds no result."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = study.lapack(*operands(study, matrix))
            return ERRORS[study.name](matrix, *map(np.asarray, as_tuple(result)))
    except np.linalg.LinAlgError:
        return None


def operands(study: Study, matrix: Matrix) -> tuple[Host, ...]:
    return (matrix.host, matrix.right) if study.name == "solve" else (matrix.host,)


def on_device(study: Study, given: Sequence[Host], device: str) -> tuple[Host, ...]:
    result = study.ours(*(xp.asarray(x, device=device) for x in given))
    return tuple(np.asarray(x.to_device("cpu")) for x in as_tuple(result))


def findings(study: Study, group: Sequence[Matrix], dtype: str, device: str) -> Iterator[Finding]:
    """The errors of matrices of one shape, alone and stacked.

    Raises Unsupported if the device lacks the function.
    """
    compared: list[tuple[Matrix, dict[str, float]]] = []
    for matrix in group:
        known = reference(study, matrix)
        if known is None:
            continue
        try:
            result = on_device(study, operands(study, matrix), device)
        except ValueError:
            if study.kind == "positive" and matrix.is_close_to_singular:
                continue  # where no result is right as well
            yield finding(study, matrix, dtype, "no result", np.inf, 0.0)
            continue
        compared.append((matrix, known))
        for name, error in ERRORS[study.name](matrix, *result).items():
            yield finding(study, matrix, dtype, name, error, known[name])
    if len(compared) < 2:
        return
    given = zip(*(operands(study, matrix) for matrix, _ in compared), strict=True)
    try:
        stacks = on_device(study, [np.stack(x) for x in given], device)
    except ValueError:
        found = finding(study, compared[0][0], dtype, "no result", np.inf, 0.0)
        yield replace(found, family="all", stacked=True)
        return
    for (matrix, known), *result in zip(compared, *stacks, strict=True):
        for name, error in ERRORS[study.name](matrix, *result).items():
            found = finding(study, matrix, dtype, name, error, known[name])
            yield replace(found, stacked=True)


def finding(
    study: Study, matrix: Matrix, dtype: str, name: str, error: float, known: float
) -> Finding:
    error = error if error == error else np.inf
    return Finding(study.name, dtype, name, matrix.family, matrix.host.shape, False, error, known)


def row(worst: Finding, count: int) -> list[str]:
    """A line of the table."""
    where = f"{worst.family} {' x '.join(map(str, worst.shape))}"
    return [
        worst.function, worst.error, f"{worst.ratio:.2f}", f"{worst.ours:.3g}",
        f"{worst.lapack:.3g}", where + (" in a stack" if worst.stacked else ""), str(count),
    ]  # fmt: skip


TITLES = ("function", "error", "ratio", "ours (eps)", "LAPACK (eps)", "where it is worst", "cases")


def worst_of_each(found: Sequence[Finding]) -> list[tuple[Finding, int]]:
    """The finding of the largest ratio for each error, and how many findings there are."""
    by_error: dict[str, list[Finding]] = {}
    for one in found:
        by_error.setdefault(one.error, []).append(one)
    return [(max(ones, key=lambda x: (x.ratio, x.ours)), len(ones)) for ones in by_error.values()]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.decompositions", description=__doc__.splitlines()[0]
    )
    names = [study.name for study in STUDIES]
    parser.add_argument("--device", default="cpu", help="the device under study (default cpu)")
    parser.add_argument("--quick", action="store_true", help="small matrices of fewer families")
    parser.add_argument("--function", nargs="+", choices=names, metavar="NAME", default=names,
                        help=f"only these of {', '.join(names)}")  # fmt: skip
    parser.add_argument("--dtype", nargs="+", choices=DTYPES, default=DTYPES)
    parser.add_argument("--size", nargs="+", type=int, metavar="N", help="only these sizes")
    parser.add_argument("--family", nargs="+", choices=FAMILIES, metavar="NAME",
                        help=f"only these of {', '.join(FAMILIES)}")  # fmt: skip
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="RATIO",
                        help=f"the largest accepted ratio (default {LIMIT:.0f})")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="PATH", help="also write the results there")
    options = parser.parse_args(arguments)
    try:
        there = xp.__array_namespace_info__().dtypes(device=options.device)
    except (TypeError, ValueError) as error:
        parser.error(str(error))
    sizes = options.size or (QUICK_SIZES if options.quick else SIZES)
    families = options.family or (QUICK_FAMILIES if options.quick else FAMILIES)
    before, failed = load(), False
    results: list[Mapping[str, Any]] = []
    for dtype in (name for name in options.dtype if name in there):
        rows: list[list[str]] = []
        for study in (study for study in STUDIES if study.name in options.function):
            start, found = perf_counter(), list[Finding]()
            try:
                for group in groups(study, sizes, families, dtype):
                    found += findings(study, group, dtype, options.device)
            except Unsupported:
                rows.append([study.name, "not on this device", *[""] * (len(TITLES) - 2)])
                results.append({"function": study.name, "dtype": dtype, "error": "Unsupported"})
            except Exception as error:  # and the others are studied all the same
                print_exc()
                rows.append([study.name, type(error).__name__, *[""] * (len(TITLES) - 2)])
                results.append({"function": study.name, "dtype": dtype, "error": repr(error)})
                failed = True
            for worst, count in worst_of_each(found):
                rows.append(row(worst, count))
            beyond = [one for one in found if one.ratio > options.limit]
            failed = failed or bool(beyond)
            kept = [worst for worst, _ in worst_of_each(found)]
            results += [{**asdict(one), "ratio": one.ratio} for one in (*kept, *beyond)]
            print(f"{study.name} of {dtype}: {len(found)} errors, {len(beyond)} beyond "
                  f"{options.limit:g}, {perf_counter() - start:.1f} s",
                  file=sys.stderr, flush=True)  # fmt: skip
        matrix_of.cache_clear()
        print(f"{dtype} on {options.device}\n\n{table(TITLES, rows)}\n", flush=True)
    machine = describe_machine(before)
    print(machine)
    if options.json:
        write_json(options.json, machine, results)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
