"""One call of nearly every function, for what must hold of all: mutation, devices, threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from numr_conformance.checks import manipulation, reductions
from numr_conformance.checks._elementwise import ROWS, operands
from numr_conformance.checks._matrices import definite, well
from numr_conformance.checks._tools import Host, continuous, distinct, numbers
from numr_conformance.target import Target


@dataclass(frozen=True)
class Call:
    """A function with the operands on the host, in dtypes that every device has.

    Attributes:
        more: positional arguments after the arrays.
        listed: whether the arrays are given as one list.
    """

    function: str
    hosts: tuple[Host, ...]
    more: tuple[Any, ...] = ()
    keywords: dict[str, Any] = field(default_factory=dict[str, Any])
    listed: bool = False

    def __call__(self, target: Target, arrays: list[Any]) -> Any:
        given = [arrays] if self.listed else arrays
        return target.find(self.function)(*given, *self.more, **self.keywords)

    def arrays(self, target: Target) -> list[Any]:
        return [target.array(host) for host in self.hosts]


def results(result: Any) -> list[Any]:
    """The arrays of a result, which may be a tuple."""
    return list(result) if isinstance(result, tuple | list) else [result]


def calls() -> Iterator[Call]:
    for name, row in ROWS.items():
        kind = next(k for k in "fcib" if k in row.kinds)
        dtype = {"f": "float32", "c": "complex64", "i": "int32", "b": "bool"}[kind]
        yield Call(name, operands(name, dtype))
    square, tall = well("float32", (2,), 4), continuous("float32", (2, 4, 3))
    real, complex_ = continuous("float32", (6, 8)), continuous("complex64", (6, 8))
    equal, whole = numbers("float32", (6, 8)), numbers("int32", (6, 8))
    for name in reductions.ROWS:
        yield Call(name, (real,), keywords={"axis": 1})
    for name in ("cumulative_sum", "cumulative_prod"):
        yield Call(name, (continuous("float32", (6, 8)),), keywords={"axis": 1})
    seen: set[str] = set()
    for name, shape, arguments, keywords, _ in manipulation.ROWS:
        if name not in seen and len(shape) > 1:
            seen.add(name)
            yield Call(name, (distinct("float32", shape),), arguments, keywords)
    for name in ("concat", "stack"):
        yield Call(name, (real, equal), listed=True)
    for name in ("unstack", "sort", "argsort", "argmax", "argmin", "nonzero", "diff", "tril",
                 "triu", "matrix_transpose"):  # fmt: skip
        yield Call(name, (equal,))
    for name in ("unique_all", "unique_counts", "unique_inverse", "unique_values"):
        yield Call(name, (whole,))
    yield Call("isin", (whole, whole[:2]))
    yield Call("where", (whole > 0, real, equal))
    yield Call("searchsorted", (np.sort(real.reshape(-1)), equal))
    yield Call("broadcast_arrays", (real, equal[0]))
    yield Call("meshgrid", (real[0], equal[:, 0]))
    for name in ("matmul", "linalg.matmul", "tensordot"):
        yield Call(name, (real, np.ascontiguousarray(equal.T)), keywords=(
            {"axes": 1} if name == "tensordot" else {}))  # fmt: skip
    yield Call("vecdot", (real, equal))
    yield Call("linalg.outer", (real[0], equal[1]))
    yield Call("linalg.cross", (real[:, :3], equal[:, :3]))
    for name in ("inv", "det", "slogdet", "pinv", "svd", "svdvals", "qr", "eig", "eigvals", "trace",
                 "diagonal", "matrix_rank", "matrix_norm"):  # fmt: skip
        yield Call(f"linalg.{name}", (square,))
    for name in ("eigh", "eigvalsh", "cholesky"):
        yield Call(f"linalg.{name}", (definite("float32", (2,), 4),))
    yield Call("linalg.matrix_power", (square,), (3,))
    yield Call("linalg.solve", (square, tall))
    yield Call("linalg.vector_norm", (real,), keywords={"axis": 1})
    for name in ("fft", "ifft", "fftn", "ifftn", "irfft", "irfftn", "hfft"):
        yield Call(f"fft.{name}", (complex_,))
    for name in ("rfft", "rfftn", "ihfft", "fftshift", "ifftshift"):
        yield Call(f"fft.{name}", (real,))
    for name in ("zeros_like", "ones_like"):
        yield Call(name, (real,))


CALLS = {call.function: call for call in calls()}
