"""Elementary functions of large arrays on cuda, next to PyTorch and CuPy.

``python -m tests.benchmarks.cuda_functions [dtype ...]`` prints times, and how many times as fast
as the others numr_api is; results are written to arrays that exist. Times are those of the GPU's
own clock, medians of rounds in which the rivals are interleaved. What PyTorch or CuPy refuses is
told on the standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

from numr_api._backends.cuda.elementwise import find_kernel
from numr_api._dtypes import BY_NAME
from tests.benchmarks.cuda_timing import OURS, Call, compare, known
from tests.benchmarks.timing import table

ROUNDS = 5
SIZES = {"float32": 2**28, "float64": 2**28, "complex64": 2**27, "complex128": 2**26}
UNARY = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log",
    "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
BINARY = ("atan2", "floor_divide", "hypot", "logaddexp", "pow", "remainder")
COMPLEX = ("divide", "multiply", "pow")
CUPY = {
    **{f"a{name}": f"arc{name}" for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh", "tan2")},
    "pow": "power",
}


def operands(cupy: Any, name: str, dtype: str) -> list[Any]:
    """In the function's domain, about normal."""
    count = 2 if name in (*BINARY, *COMPLEX) else 1
    part = cupy.empty(0, dtype).real.dtype
    found = []
    for seed in range(count):
        random = cupy.random.default_rng(seed)
        x = cupy.empty(SIZES[dtype], dtype)
        if x.dtype.kind == "c":
            x.imag = random.standard_normal(x.size, dtype=part)
        values = random.standard_normal(x.size, dtype=part)
        values *= part.type(3)
        if x.dtype.kind == "f" and name.startswith(("log", "sqrt", "pow", "acosh")):
            cupy.abs(values, values)
            values += part.type(name == "acosh")
        if x.dtype.kind == "f" and name in ("acos", "asin", "atanh"):
            cupy.clip(values, -2.9, 2.9, values)
            values /= part.type(3)
        x.real = values
        found.append(x)
    return found


def rows(cupy: Any, torch: Any, dtype: str) -> list[tuple[str, ...]]:
    names = (*UNARY, *(COMPLEX if dtype.startswith("complex") else BINARY))
    kind = BY_NAME[dtype]
    kernels: dict[str, Any] = {
        name: find_kernel(name, (kind,) * (1 + (name not in UNARY)), kind, kind) for name in names
    }

    def compile_kernel(name: str) -> None:
        cupy.cuda.Device(0).use()
        kernels[name]._find_whole()

    with ThreadPoolExecutor() as pool:
        list(pool.map(compile_kernel, names))
    found: list[tuple[str, ...]] = []
    for name in names:
        x = operands(cupy, name, dtype)
        out = cupy.empty_like(x[0])
        shared, shared_out = [torch.from_dlpack(a) for a in x], torch.from_dlpack(out)
        theirs = CUPY.get(name, name)
        calls: dict[str, Call] = {
            OURS: lambda k=kernels[name], x=x, out=out: k(*x, out=out),
            "torch": lambda f=name, x=shared, out=shared_out: getattr(torch, f)(*x, out=out),
            "cupy": lambda f=theirs, x=x, out=out: getattr(cupy, f)(*x, out),
        }
        times = compare(known(calls, f"{name} of {dtype}"), ROUNDS)
        own = times[OURS]
        bandwidth = (len(x) + 1) * out.nbytes / own / 1e6
        ratios = [f"{times[k] / own:.2f}" if k in times else "" for k in ("torch", "cupy")]
        found.append((f"`{name}`", f"{own:.2f}", f"{bandwidth:.0f}", *ratios))
        del x, out, shared, shared_out, calls
    return found


def main(dtypes: Sequence[str]) -> None:
    cupy, torch = import_module("cupy"), import_module("torch")
    for dtype in dtypes or SIZES:
        print(table((dtype, "ms", "GB/s", "of torch", "of CuPy"), rows(cupy, torch, dtype)))


if __name__ == "__main__":
    main(sys.argv[1:])
