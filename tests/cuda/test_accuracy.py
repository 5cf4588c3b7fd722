"""The errors of the cuda device's elementary functions, on a GPU.

Functions of float32 are tried on all numbers, those of two operands and of complex64 on 2**32
random ones; the true result is that of the double-precision function. Those of float64 and
complex128 are compared with wider arithmetic of the host.

``python tests/cuda/test_accuracy.py`` prints the table of docs/pages/cuda.md; PYTHONPATH has to
hold the repository, ``conformance``, ``tests`` and ``tests/webgpu``.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from function_errors import worst
from test_complex_functions import FUNCTIONS as COMPLEX, errors as errors_of_parts, points
from test_float64_functions import FLOAT64

import numr_api as xp
from numr_api._backends.cuda.elementwise_variants import THREADS

pytestmark = pytest.mark.cuda

UNARY = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log",
    "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
BINARY = ("atan2", "hypot", "logaddexp", "pow")
CANCELLING = ("expm1",)  # whose real part is a difference

MOST = 2.0  # units in the last place
COUNT = 2**32
GROUPS = 2**14

# A thread keeps its largest error and where it was, as one number: the error's bits come first.
KERNEL = """
namespace numr {{

// In units in the last place of the exact result; an infinite one counts as 2^128.
DEVICE float error_{name}(float found, double exact) {{
    if (isnan_(found) && isnan_(exact)) return 0.0f;
    if (isnan_(found) || isnan_(exact)) return infinity<float>();
    const double end = 0x1p+128;
    double f = found > end ? end : found < -end ? -end : double(found);
    double e = exact > end ? end : exact < -end ? -end : exact;
    int exponent = e == 0.0 ? -126 : ::ilogb(e);
    exponent = exponent < -126 ? -126 : exponent > 127 ? 127 : exponent;
    return float(::fabs(f - e) * ::scalbn(1.0, 23 - exponent));
}}

// Random bits: G. L. Steele Jr. et al., Fast splittable pseudorandom number generators, 2014.
DEVICE uint64 random_{name}(uint64 number) {{
    uint64 x = number * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}}

// From -1 to 1.
DEVICE float uniform_{name}(uint32 bits) {{ return float(int32(bits)) * 0x1p-31f; }}

// Two operands, of one of four kinds.
DEVICE void draw_{name}(uint64 number, float& x, float& y) {{
    uint64 bits = random_{name}(2 * number), more = random_{name}(2 * number + 1);
    x = from_bits(uint32(bits));
    y = from_bits(uint32(bits >> 32));
    float u = uniform_{name}(uint32(more)), v = uniform_{name}(uint32(more >> 32));
    {draw}
}}

KERNEL void {name}(uint64* worst, int64 count) {{
    uint64 most = 0;
    for (uint64 i = blockIdx.x * {threads}ull + threadIdx.x; i < uint64(count);
         i += gridDim.x * {threads}ull) {{
        {body}
        uint64 found = uint64(bits_of(error)) << 32 | uint32(i);
        most = found > most ? found : most;
    }}
    atomicMax(worst, most);
}}

}}
"""

OF_BITS = """float x = from_bits(uint32(i));
        float error = error_{name}({function}(x), {function}(double(x)));"""

OF_TWO = """float x, y;
        draw_{name}(i, x, y);
        float error = error_{name}({function}(x, y), {function}(double(x), double(y)));"""

# A part counts unless it is what is left where all else cancels.
OF_COMPLEX = """float x, y;
        draw_{name}(i, x, y);
        complex64 z = {{x, y}}, given = {function}(z);
        complex128 exact = {function}(wide(z));
        double least = 0x1p-23 * ::hypot(exact.real, exact.imag);
        float error = 0.0f, end = 0x1.fffffep+127f;
        if (isfinite_(exact)) {{
            double a = ::fabs(exact.real), b = ::fabs(exact.imag);
            if (a > least && a < end && {real}) error = error_{name}(given.real, exact.real);
            float other = error_{name}(given.imag, exact.imag);
            if (b > least && b < end) error = larger_of(error, other);
        }}"""

# All bits, numbers of ordinary size, y next to x, and results of all sizes for pow.
DRAW = """switch (number & 3) {
    case 0: break;
    case 1: x = 9.0f * u; y = 9.0f * v; break;
    case 2: y = x * (1.0f + u * v); break;
    default: x = 100.0f * u; y = x + ::exp2f(32.0f * v - 25.0f);
    }"""
DRAW_POWER = """switch (number & 3) {
    case 0: break;
    case 1: x = 9.0f * u; y = ::rintf(40.0f * v); break;
    case 2: x = ::fabsf(x); y = (v < 0.0f ? 150.0f : 128.0f) * v / ::log2f(x); break;
    default: x = 1.0f + u * ::exp2f(float(number >> 2 & 31) - 32.0f); y = 150.0f * v / ::log2f(x);
    }"""
DRAW_COMPLEX = """switch (number & 3) {
    case 0: break;
    case 1: x = 9.0f * u; y = 9.0f * v; break;
    case 2: x = 100.0f * u; y = 100.0f * v; break;
    default: {
        float size = 1.0f + u * ::exp2f(float(number >> 2 & 31) - 32.0f);
        x = size * ::cospif(v);
        y = size * ::sinpif(v);
    }}"""


def largest_error(name: str, body: str, draw: str = "") -> float:
    """Of a kernel that sets ``error`` for each number from 0 to ``COUNT``."""
    cupy = pytest.importorskip("cupy")
    from numr_api._backends.cuda.library import library

    text = KERNEL.format(name=name, body=body, draw=draw, threads=THREADS)
    found = cupy.zeros(1, np.uint64)
    kernel = library().function(("complex.cuh",), text, name)
    kernel.launch(GROUPS, THREADS, struct.Struct("Pq"), (found.data.ptr, COUNT))
    bits = int(found.get()[0]) >> 32
    return struct.unpack("f", struct.pack("I", bits))[0]


def of_float32(function: str) -> float:
    name = f"accuracy_{function}_float32"
    if function in BINARY:
        draw = DRAW_POWER if function == "pow" else DRAW
        return largest_error(name, OF_TWO.format(name=name, function=function), draw)
    return largest_error(name, OF_BITS.format(name=name, function=function))


def of_complex64(function: str) -> float:
    name = f"accuracy_{function}_complex64"
    real = "false" if function in CANCELLING else "true"
    body = OF_COMPLEX.format(name=name, function=function, real=real)
    return largest_error(name, body, DRAW_COMPLEX)


class Device:
    """The first GPU, for functions of columns."""

    keeps_subnormal = {"float32": True, "float64": True}  # noqa: RUF012

    def call(self, name: str, columns: list[Any]) -> Any:
        arrays = [xp.asarray(x, device="cuda:0") for x in columns]
        return np.from_dlpack(getattr(xp, name)(*arrays), device="cpu")


def of_float64(function: str, count: int = 8) -> float:
    device: Any = Device()
    return worst(device, FLOAT64, function, 1 if function == "logaddexp" else count).error


def of_complex128(function: str) -> float:
    result = Device().call(function, [points(function, "complex128")])
    found = errors_of_parts(function, "complex128", result)
    return found["imag"] if function in CANCELLING else max(found.values())


@pytest.mark.parametrize("function", [*UNARY, *BINARY])
def test_functions_of_float32_are_within_two_units(function: str, gpus: int) -> None:
    assert of_float32(function) <= MOST


@pytest.mark.parametrize("function", [*UNARY, *BINARY])
def test_functions_of_float64_are_within_two_units(function: str, gpus: int) -> None:
    assert of_float64(function, 1) <= MOST


@pytest.mark.parametrize("function", UNARY)
def test_parts_of_functions_of_complex64_are_within_two_units(function: str, gpus: int) -> None:
    assert of_complex64(function) <= MOST


def main() -> None:
    from tests.benchmarks.timing import table

    columns = (of_float32, of_float64, of_complex64, of_complex128)
    rows = []
    for function in (*UNARY, *BINARY):
        cells = [
            "" if is_complex and function not in COMPLEX else f"{column(function):.2f}"
            for column, is_complex in zip(columns, (False, False, True, True), strict=True)
        ]
        rows.append((f"`{function}`", *cells))
    print(table(("", "float32", "float64", "complex64", "complex128"), rows))


if __name__ == "__main__":
    main()
