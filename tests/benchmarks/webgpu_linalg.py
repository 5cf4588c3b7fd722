"""Products of matrices, transforms and decompositions through webgpu, next to CuPy and torch.

Run with ``python -m tests.benchmarks.webgpu_linalg``; ``--help`` lists the options. As in
``tests.benchmarks.webgpu``, times are of the wall clock and medians of rounds, in which the rivals
are interleaved; those that are not installed are left out. A goal says how many times as long as
CuPy (or else torch), which call cuBLAS, cuFFT and cuSOLVER, a call may take. Neither uses tf32.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from numr_api.extensions.errors import Unsupported
from tests.benchmarks.timing import describe_machine, load, table, write_json
from tests.benchmarks.webgpu import Case, Library, by_library, installed, times

ROUNDS = 7


def on(library: Library, host: np.ndarray[Any, Any]) -> Any:
    """The library's array of the same numbers."""
    if library.name == "torch":
        return library.xp.from_numpy(host).to(**library.keywords)
    return library.xp.asarray(host, **library.keywords)


def numbers(*shape: int, dtype: str = "float32") -> np.ndarray[Any, Any]:
    """About normal, as float32."""
    random = np.random.default_rng(sum(shape))
    found = random.standard_normal(shape, dtype=np.float32)
    if dtype == "complex64":
        return found + 1j * random.standard_normal(shape, dtype=np.float32)
    return found.astype(dtype)


def hosted(
    libraries: Sequence[Library], *hosts: np.ndarray[Any, Any]
) -> Mapping[str, Sequence[Any]]:
    return {library.name: [on(library, host) for host in hosts] for library in libraries}


def cases(libraries: Sequence[Library], quick: bool) -> Iterator[Callable[[], list[Case]]]:
    """Groups of cases that share operands, which are made when the group's turn comes."""
    reduced = 8 if quick else 1

    def goal(name: str, limit: float, arrays: Any, call: Callable[..., Any]) -> Case:
        return Case(name, 0, str(limit), by_library(libraries, arrays, others=call))

    def products(side: int, limit: float) -> list[Case]:
        n = side // reduced
        x = {library.name: [library.random(n, n), library.random(n, n)] for library in libraries}
        return [goal(f"matmul of {n}", limit, x, lambda xp, a, b: xp.matmul(a, b))]

    def batches() -> list[Case]:
        shape = 4096 // reduced, 64, 64
        x = {library.name: [library.random(*shape), library.random(*shape)]
             for library in libraries}  # fmt: skip
        name = f"matmul of {shape[0]} x 64"
        return [goal(name, 2.0, x, lambda xp, a, b: xp.matmul(a, b))]

    def float64() -> list[Case]:
        n = 4096 // reduced
        x = hosted(libraries, *(numbers(n, n, dtype="float64"),) * 2)
        return [goal(f"matmul of {n}, float64", 2.0, x, lambda xp, a, b: xp.matmul(a, b))]

    def transforms() -> list[Case]:
        long, short = numbers((1 << 20) // reduced, dtype="complex64"), numbers(
            4096 // reduced, 1024, dtype="complex64"
        )  # fmt: skip
        x = hosted(libraries, long, short)
        return [
            goal(f"fft of {long.size}", 3.0, x, lambda xp, a, b: xp.fft.fft(a)),
            goal(f"fft of {len(short)} x 1024", 3.0, x, lambda xp, a, b: xp.fft.fft(b)),
        ]

    def systems() -> list[Case]:
        n = 2048 // reduced
        square = numbers(n, n)
        definite = square @ square.T / n + np.eye(n, dtype=np.float32)
        x = hosted(libraries, square, definite, numbers(n, 1))
        return [
            goal(f"solve of {n}", 6.0, x, lambda xp, a, d, b: xp.linalg.solve(a, b)),
            goal(f"cholesky of {n}", 6.0, x, lambda xp, a, d, b: xp.linalg.cholesky(d)),
            goal(f"qr of {n}", 6.0, x, lambda xp, a, d, b: xp.linalg.qr(a)),
        ]

    def spectra() -> list[Case]:
        n = 512 // reduced
        square = numbers(n, n)
        x = hosted(libraries, square, square + square.T)
        return [
            goal(f"svd of {n}", 8.0, x, lambda xp, a, s: xp.linalg.svd(a, full_matrices=False)),
            goal(f"eigh of {n}", 8.0, x, lambda xp, a, s: xp.linalg.eigh(s)),
        ]

    for side, limit in ((1024, 2.0), (4096, 1.33), (8192, 1.33)):
        yield lambda side=side, limit=limit: products(side, limit)
    yield batches
    if float64_everywhere(libraries):
        yield float64
    yield transforms
    yield systems
    yield spectra


def float64_everywhere(libraries: Sequence[Library]) -> bool:
    xp = next(library.xp for library in libraries if library.name == "webgpu")
    return "float64" in xp.__array_namespace_info__().dtypes(device="webgpu:0")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.webgpu_linalg", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="arrays of an eighth of the length")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"default {ROUNDS}")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the figures there too")
    options = parser.parse_args(arguments)
    before = load()
    libraries = {name: Library(name) for name in installed()}
    if "torch" in libraries:
        libraries["torch"].xp.backends.cuda.matmul.allow_tf32 = False
    rival = next((name for name in ("cupy", "torch") if name in libraries), "")
    rows: list[list[str]] = []
    figures: list[dict[str, Any]] = []
    for group in cases(list(libraries.values()), options.quick):
        for case in group():
            print(case.name, file=sys.stderr, flush=True)
            try:
                seconds = times(case, libraries, options.rounds)
            except Unsupported as error:
                rows.append([case.name, str(error), *[""] * (len(libraries) + 2)])
                continue
            medians = {name: median(found) for name, found in seconds.items()}
            ratio = medians["webgpu"] / medians[rival] if rival else None
            verdict = "" if ratio is None else "met" if ratio <= float(case.goal) else "missed"
            rows.append([
                case.name, *(f"{medians[name] * 1e3:.3f}" for name in libraries),
                "" if ratio is None else f"{ratio:.2f}", case.goal, verdict,
            ])  # fmt: skip
            figures.append({"name": case.name, "seconds": medians, "ratio": ratio,
                            "goal": float(case.goal)})  # fmt: skip
    ratio_title = f"x {rival}" if rival else "ratio"
    titles = ["operation", *(f"{name} (ms)" for name in libraries), ratio_title, "goal", "verdict"]
    print(table(titles, rows))
    from numr_api._devices import backend_of

    facts = backend_of("webgpu:0").describe()
    machine = f"{facts['hardware']}, {facts['driver']}; {describe_machine(before)}"
    print(f"\nfloat32, transforms of complex64; {machine}; {options.rounds} rounds")
    if options.json:
        write_json(options.json, machine, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
