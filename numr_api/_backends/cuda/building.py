"""Kernels compiled when the package is built: fatbins by nvcc, and their index (see ``prebuilt``).

The build hook, ``hatch_build.py``, calls this; at run time nobody does. NUMR_CUDA_ARCH says for
which architectures:

    (not set)  those of the machine's GPUs, if it has some, and nvcc
    86,89      these
    all        all that nvcc knows
    none       nothing is compiled

A fatbin holds machine code for each, and intermediate code (PTX), which drivers compile for GPUs
that are older or newer.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from numr_api._backends.cuda import catalogue, driver, nvcc
from numr_api._backends.cuda.library import OPTIONS, SOURCES, Source, linked
from numr_api._backends.cuda.nvcc import VARIABLE
from numr_api._backends.cuda.prebuilt import (
    INDEX,
    VERSION,
    digest,
    digest_of_sources,
    digest_of_text,
)

INTERMEDIATE = (75, 120)  # architectures of the intermediate code

# Of a file. To load one takes half a millisecond, more where it holds more; but the fewer files
# there are, the less often a compiler has to start, and the better they are compressed.
KERNELS = 16

__all__ = ["VARIABLE", "BuildError", "Compiler", "architectures", "build"]


class BuildError(Exception):
    """What prevents the kernels from being compiled."""


class Compiler(NamedTuple):
    """NVIDIA's compiler.

    Attributes:
        known: the architectures for which it compiles, but for old ones.
        options: those that make fatbins small, a tenth of their size, as far as it has them.
    """

    path: str
    version: str
    known: tuple[int, ...]
    options: tuple[str, ...]

    @classmethod
    def find(cls) -> Compiler | None:
        """The one that ``nvcc`` finds; None if there is none."""
        path = nvcc.find()
        if path is None:
            return None
        version = _output(path, "--version").partition("release ")[2].partition(",")[0]
        listed = _output(path, "--list-gpu-code").split()
        numbers = [name.removeprefix("sm_") for name in listed]
        known = sorted(int(number) for number in numbers if number.isdecimal())
        small = ("--compress-mode=size",) if "--compress-mode" in _output(path, "--help") else ()
        return cls(path, version, tuple(x for x in known if x >= INTERMEDIATE[0]), small)

    @property
    def intermediate(self) -> tuple[int, ...]:
        """The architectures of intermediate code: the usual ones, or the nearest that it has."""
        self.require_some()
        low, high = INTERMEDIATE
        return tuple(sorted({min(self.known, key=lambda x: abs(x - y)) for y in (low, high)}))

    def require_some(self) -> None:
        """Raise BuildError if it compiles for no architecture of those that we need."""
        if not self.known:
            raise BuildError(
                f"{self.path} {self.version} knows no architecture from {INTERMEDIATE[0]} on; "
                f"install a newer one, or set {VARIABLE}=none"
            )


def _output(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{' '.join(command)} failed: {(done.stderr + done.stdout).strip()}")
    return done.stdout


def architectures(
    given: str | None, compiler: Compiler | None, present: Callable[[], Sequence[int]]
) -> tuple[int, ...]:
    """Those to compile for, given the variable's value; none if nothing is to be compiled.

    Arguments:
        present: tells those of the machine's GPUs.
    """
    value = (given or "").strip().lower()
    if value == "none":
        return ()
    if not value:
        return tuple(x for x in present() if x in compiler.known) if compiler else ()
    if compiler is None:
        raise BuildError(
            f"{VARIABLE}={given}, but nvcc is neither on the path nor in {nvcc.USUAL}/bin, and "
            f"{' or '.join(nvcc.HOMES)} do not tell where it is; install CUDA's compiler, or set "
            f"{VARIABLE}=none"
        )
    compiler.require_some()
    if value == "all":
        return compiler.known
    wanted = [part.strip() for part in value.split(",")]
    known = {str(number): number for number in compiler.known}
    if any(part not in known for part in wanted):
        raise BuildError(
            f"{VARIABLE}={given} is not understood: it is none, all, or some of "
            f"{','.join(known)}, for which nvcc {compiler.version} compiles"
        )
    return tuple(sorted({known[part] for part in wanted}))


def present() -> list[int]:
    """The architectures of this machine's GPUs."""
    return sorted({driver.architecture(index) for index in range(driver.count())})


def build(
    folder: Path,
    compiler: Compiler,
    wanted: Sequence[int],
    tell: Callable[[str], None],
    groups: Mapping[str, Sequence[Source]] | None = None,
) -> None:
    """Compile all kernels of the catalogue into a folder, several files at a time.

    Arguments:
        tell: is told how far it is.
        groups: the kernels by file, instead of the catalogue's.
    """
    groups = groups or catalogue.groups(KERNELS)
    folder.mkdir(parents=True, exist_ok=True)
    native, portable = ",".join(map(str, wanted)), ",".join(map(str, compiler.intermediate))
    tell(
        f"numr_api: {sum(map(len, groups.values()))} kernels in {len(groups)} files, by nvcc "
        f"{compiler.version} for {native}, and as intermediate code for {portable}"
    )
    files: dict[str, object] = {}
    start = told = time.monotonic()
    with ThreadPoolExecutor(_processors()) as pool:
        running = {
            pool.submit(_compile, folder / f"{name}.fatbin", compiler, wanted, kernels): name
            for name, kernels in groups.items()
        }
        try:
            for done, future in enumerate(as_completed(running), 1):
                image, name = future.result(), running[future]
                files[f"{name}.fatbin"] = {
                    "digest": digest(image),
                    "kernels": {x.name: digest_of_text(x.text) for x in groups[name]},
                }
                if (now := time.monotonic()) - told > 5 or done == len(groups):
                    told = now
                    tell(f"numr_api: {done} of {len(groups)} files, {now - start:.0f} s")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    index = {
        "version": VERSION,
        "compiler": f"nvcc {compiler.version}",
        "architectures": list(wanted),
        "intermediate": list(compiler.intermediate),
        "sources": digest_of_sources(SOURCES, OPTIONS),
        "files": dict(sorted(files.items())),
    }
    (folder / INDEX).write_text(json.dumps(index, indent=0) + "\n", encoding="utf-8")


def _processors() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _compile(
    target: Path, compiler: Compiler, wanted: Sequence[int], kernels: Sequence[Source]
) -> bytes:
    """The fatbin of some kernels, which need the same files."""
    codes = [f"-gencode=arch=compute_{x},code=sm_{x}" for x in wanted]
    codes += [f"-gencode=arch=compute_{x},code=compute_{x}" for x in compiler.intermediate]
    with TemporaryDirectory() as scratch:
        source = Path(scratch) / "kernels.cu"
        text = linked(kernels[0].files) + "".join(kernel.text for kernel in kernels)
        source.write_text(text, encoding="utf-8")
        # -w, as a constant of the files may be one that these kernels do not need.
        command = [compiler.path, *OPTIONS, *codes, "-w", *compiler.options, "-fatbin"]
        _output(*command, "-o", str(target), str(source))
    return target.read_bytes()
