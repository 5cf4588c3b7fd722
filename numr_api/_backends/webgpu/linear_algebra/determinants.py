"""Determinants, as the products of the diagonals of LU factors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numr_api._backends.webgpu.linear_algebra.fields import real_of
from numr_api._backends.webgpu.linear_algebra.lu import factors
from numr_api._backends.webgpu.linear_algebra.triangular import text
from numr_api._backends.webgpu.orders import whole
from numr_api._dtypes import REAL_PART

if TYPE_CHECKING:
    from numr_api._backends.webgpu.data import Strided
    from numr_api._backends.webgpu.device import WebgpuBackend

THREADS = 64  # of a workgroup, which multiplies the diagonal of a matrix

SCALING = {
    "f": """
fn times_power_of_two(a: V, n: i32) -> V { return scale_by_power_of_two_{real}(a, n); }
""",
    "c": """
fn times_power_of_two(a: V, n: i32) -> V {
    return V(scale_by_power_of_two_{real}(a.x, n), scale_by_power_of_two_{real}(a.y, n));
}
""",
}
EXPONENT = """
fn exponent_of(a: R) -> i32 { return split_exponent_{real}(a, SQRT_HALF_BITS{end}).exponent; }
"""
PUT = """
fn put(matrix: u32, value: V, exponent: i32) {
    targets[parameters[1].y + matrix] = times_power_of_two(value, exponent);
}
"""
# The exponent's part of the logarithm in two parts, the first without its last bits.
PUT_LOGARITHM = """
fn put(matrix: u32, value: V, exponent: i32) {
    let modulus = scaled(from_real(size(value)), exponent);
    let k = R(modulus.exponent);
    let rest = log_{real}(real_part(modulus.value)) + k * LOG_2_REST{end};
    targets[parameters[1].y + matrix] = sign_{suffix}(value);
    logarithms[parameters[1].z + matrix] = k * LOG_2_SHORT{end} + rest;
}
"""


def determinants(backend: WebgpuBackend, x: Strided, logarithms: Strided | None) -> Strided:
    """Determinants, or their signs if there is an array for the logarithms of their sizes."""
    kind = backend.types[x.dtype]
    batch, n = x.shape[:-2], x.shape[-1]
    if n == 0 or not x.size:
        if logarithms:
            backend.assign(logarithms, (slice(None),) * len(batch), 0)
        return backend.full(batch, 1, x.dtype)
    label = "linalg.slogdet" if logarithms else "linalg.det"
    found = factors(backend, x)
    results = backend.empty(batch, x.dtype)
    operands = [found.matrices, found.exchanges, results]
    if logarithms:
        operands.append(logarithms)

    def source() -> str:
        arrays = [("matrices", "V"), ("indices", "u32"), ("targets", "V")]
        functions = SCALING[kind.kind] + EXPONENT
        if logarithms:
            arrays.append(("logarithms", "R"))
        functions += PUT_LOGARITHM if logarithms else PUT
        real = real_of(kind)
        end = "_F64" if real == "f64" else ""
        for name, value in {"real": real, "suffix": kind.suffix, "end": end}.items():
            functions = functions.replace(f"{{{name}}}", value)
        constants = {"THREADS": THREADS}
        return text(kind, 8, arrays, constants, "lu_determinant") + functions

    program = backend.compiled((label, kind.name), label, len(operands), source)
    count = found.matrices.shape[0]
    words = [0, count, n, *[x.offset for x in operands]]
    for written in operands[2:]:
        written.block.version += 1
    bindings = tuple([whole(backend, label, x) for x in operands])
    backend.gpu.dispatch(program, bindings, words, count)
    return results


def det(backend: WebgpuBackend, x: Strided) -> Strided:
    """Determinants of matrices."""
    with backend.gpu.lock:
        return determinants(backend, x, None)


def slogdet(backend: WebgpuBackend, x: Strided) -> tuple[Strided, Strided]:
    """Signs of determinants and the logarithms of their sizes."""
    with backend.gpu.lock:
        logarithms = backend.empty(x.shape[:-2], REAL_PART.get(x.dtype, x.dtype))
        return determinants(backend, x, logarithms), logarithms


ROUTINES: dict[str, Callable[..., Any]] = {"det": det, "slogdet": slogdet}
