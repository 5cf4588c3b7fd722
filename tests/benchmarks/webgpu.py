"""Large arrays on a GPU through webgpu, next to CuPy, torch and the speed of a copy.

Run with ``python -m tests.benchmarks.webgpu``; ``--help`` lists the options. Rivals that are not
installed are left out. Times are of the wall clock: commands are given several times, then the
device is waited for. Rounds of the rivals are interleaved. Where a goal is stated, it is a part of
the bandwidth at which torch (or else webgpu itself) copies an array on the device.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from tests.benchmarks.timing import describe_machine, load, table, write_json

Call = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    """An operation.

    Attributes:
        moved: bytes that must be read and written; 0 if that is not what limits it.
        goal: the part of the copy's bandwidth to reach, or times or TFLOP/s as ``unit`` says.
        calls: the operation by library, ready to call.
    """

    name: str
    moved: int
    goal: str
    calls: Mapping[str, Call]
    work: int = 0  # floating-point operations


class Library:
    """A namespace on a GPU: how to make arrays and how to wait.

    Attributes:
        name: of the library.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        if name == "torch":
            import torch as library

            self.wait: Call = library.cuda.synchronize
            self.keywords: dict[str, Any] = {"device": "cuda"}
        elif name == "cupy":
            import cupy as library

            self.wait = library.cuda.Device().synchronize
            self.keywords = {}
        else:
            import numr_api as library
            from numr_api._devices import backend_of

            self.wait = backend_of("webgpu:0").synchronize
            self.keywords = {"device": "webgpu:0"}
        self.xp: Any = library

    def random(self, *shape: int) -> Any:
        """float32 numbers that spread over [-1, 1), the same for each library."""
        count = 1
        for length in shape:
            count *= length
        if self.name == "torch":
            index = self.xp.arange(count, dtype=self.xp.int64, **self.keywords)
            flat = ((index * 2654435761) % (1 << 24)).to(self.xp.float32)
        else:
            index = self.xp.arange(count, dtype=self.xp.int64, **self.keywords)
            flat = (index * 2654435761) % (1 << 24)
            flat = (
                flat.astype("float32")
                if self.name == "cupy"
                else self.xp.astype(flat, self.xp.float32)
            )
        return (flat / 2.0**23 - 1.0).reshape(shape) if self.name != "webgpu" else \
            self.xp.reshape(flat / 2.0**23 - 1.0, shape)  # fmt: skip


def installed() -> list[str]:
    found = ["webgpu"]
    if find_spec("torch") is not None:
        import torch

        found += ["torch"] if torch.cuda.is_available() else []
    if find_spec("cupy") is not None:
        import cupy

        found += ["cupy"] if cupy.cuda.runtime.getDeviceCount() else []
    return found


def by_library(
    libraries: Sequence[Library], arrays: Mapping[str, Sequence[Any]], **calls: Callable[..., Any]
) -> dict[str, Call]:
    """The calls of those libraries that are there; "others" stands for those not named."""
    found: dict[str, Call] = {}
    for library in libraries:
        call = calls.get(library.name, calls.get("others"))
        if call is not None:
            operands = arrays[library.name]
            found[library.name] = lambda call=call, xp=library.xp, operands=operands: call(
                xp, *operands
            )
    return found


def cases(libraries: Sequence[Library], size: int) -> Sequence[Callable[[], list[Case]]]:
    """Groups of cases that share operands, which are made when the group's turn comes."""
    side = 1 << ((size.bit_length() - 1) // 2)

    def elementwise() -> list[Case]:
        x = {lib.name: [lib.random(size), lib.random(size)] for lib in libraries}
        both, one, array = 12 * size, 8 * size, 4 * size
        of = lambda **calls: by_library(libraries, x, **calls)  # noqa: E731
        return [
            Case("copy", one, "", of(webgpu=lambda xp, a, b: xp.asarray(a, copy=True),
                                     torch=lambda xp, a, b: a.clone(),
                                     cupy=lambda xp, a, b: a.copy())),
            Case("add", both, "0.90", of(others=lambda xp, a, b: a + b)),
            Case("multiply", both, "0.90", of(others=lambda xp, a, b: a * b)),
            Case("exp", one, "0.90", of(others=lambda xp, a, b: xp.exp(a))),
            Case("sin", one, "", of(others=lambda xp, a, b: xp.sin(a))),
            Case("where", both + size, "0.90",
                 by_library(libraries, {n: [*v, v[0] > v[1]] for n, v in x.items()},
                            others=lambda xp, a, b, m: xp.where(m, a, b))),
            Case("float32 to int16", 6 * size, "0.90",
                 of(webgpu=lambda xp, a, b: xp.astype(a, xp.int16),
                    torch=lambda xp, a, b: a.to(xp.int16),
                    cupy=lambda xp, a, b: a.astype("int16"))),
            Case("sum", array, "0.90", of(others=lambda xp, a, b: xp.sum(a))),
            Case("max", array, "0.90", of(others=lambda xp, a, b: xp.max(a))),
            Case("argmax", array, "0.90", of(others=lambda xp, a, b: xp.argmax(a))),
            Case("mean", array, "0.90", of(others=lambda xp, a, b: xp.mean(a))),
            Case("var", array, "0.45", of(others=lambda xp, a, b: xp.var(a))),
            Case("cumulative_sum", one, "0.40",
                 of(webgpu=lambda xp, a, b: xp.cumulative_sum(a),
                    torch=lambda xp, a, b: xp.cumsum(a, 0), cupy=lambda xp, a, b: xp.cumsum(a))),
        ]  # fmt: skip

    def matrices() -> list[Case]:
        x = {lib.name: [lib.random(side, side), lib.random(side)] for lib in libraries}
        of = lambda **calls: by_library(libraries, x, **calls)  # noqa: E731
        array = 4 * side * side
        return [
            Case("sum of rows", array, "0.80", of(
                webgpu=lambda xp, a, b: xp.sum(a, axis=1), torch=lambda xp, a, b: a.sum(1),
                cupy=lambda xp, a, b: a.sum(1))),
            Case("sum of columns", array, "0.80", of(
                webgpu=lambda xp, a, b: xp.sum(a, axis=0), torch=lambda xp, a, b: a.sum(0),
                cupy=lambda xp, a, b: a.sum(0))),
            Case("matrix + row", 2 * array, "", of(others=lambda xp, a, b: a + b)),
            Case("transposed copy", 2 * array, "0.60", of(
                webgpu=lambda xp, a, b: xp.asarray(a.T, copy=True),
                torch=lambda xp, a, b: a.T.contiguous(), cupy=lambda xp, a, b: a.T.copy())),
        ]  # fmt: skip

    def sorting() -> list[Case]:
        x = {lib.name: [lib.random(1 << 24)] for lib in libraries}
        return [Case("sort of 2^24", 0, "3 x torch", by_library(
            libraries, x, webgpu=lambda xp, a: xp.sort(a), torch=lambda xp, a: xp.sort(a).values,
            cupy=lambda xp, a: xp.sort(a)))]  # fmt: skip

    def products() -> list[Case]:
        n = 4096
        x = {lib.name: [lib.random(n, n), lib.random(n, n)] for lib in libraries}
        return [Case("matmul 4096^2", 0, "30 TFLOP/s", by_library(
            libraries, x, others=lambda xp, a, b: xp.matmul(a, b)), 2 * n**3)]  # fmt: skip

    return [elementwise, matrices, sorting, products]


def times(case: Case, libraries: Mapping[str, Library], rounds: int) -> dict[str, list[float]]:
    """Seconds per call in each round."""
    repeats: dict[str, int] = {}
    for name, call in case.calls.items():
        for _ in range(3):  # compiles, and makes what is reused afterwards
            call()
            libraries[name].wait()
        start = perf_counter()
        call()
        libraries[name].wait()
        repeats[name] = max(1, min(50, int(0.02 / (perf_counter() - start))))
    found: dict[str, list[float]] = {name: [] for name in case.calls}
    for _ in range(rounds):
        for name, call in case.calls.items():
            start = perf_counter()
            for _ in range(repeats[name]):
                call()
            libraries[name].wait()
            found[name].append((perf_counter() - start) / repeats[name])
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--power", type=int, default=28, help="arrays have 2^POWER elements")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the figures there too")
    options = parser.parse_args(arguments)
    before = load()
    libraries = {name: Library(name) for name in installed()}
    ceiling = 0.0
    rows: list[list[str]] = []
    figures: list[dict[str, Any]] = []
    for group in cases(list(libraries.values()), 1 << options.power):
        for case in group():
            print(case.name, file=sys.stderr, flush=True)
            medians = {n: median(t) for n, t in times(case, libraries, options.rounds).items()}
            if case.name == "copy":
                ceiling = case.moved / medians.get("torch", medians["webgpu"])
            own = medians["webgpu"]
            if case.moved:
                reached = f"{case.moved / own / ceiling:.2f}"
            elif case.work:
                reached = f"{case.work / own / 1e12:.1f} TFLOP/s"
            else:
                reached = f"{own / medians['torch']:.2f} x torch" if "torch" in medians else ""
            rows.append([
                case.name, *(f"{medians[n] * 1e3:.3f}" if n in medians else "" for n in libraries),
                f"{case.moved / own / 1e9:.0f}" if case.moved else "", reached, case.goal,
            ])  # fmt: skip
            figures.append({"name": case.name, "seconds": medians, "reached": reached})
    titles = ["operation", *(f"{name} (ms)" for name in libraries), "GB/s", "of copy", "goal"]
    print(table(titles, rows))
    from numr_api._devices import backend_of

    facts = backend_of("webgpu:0").describe()
    machine = f"{facts['hardware']}, {facts['driver']}; {describe_machine(before)}"
    print(f"\n2^{options.power} float32 elements; {machine}; copy {ceiling / 1e9:.0f} GB/s")
    if options.json:
        write_json(options.json, machine, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
