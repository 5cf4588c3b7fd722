"""Every row of the cuda device's kernels, for each dtype, compiled by CUDA's own compiler.

It needs nvcc, but no GPU. ``NUMR_API_EXPECT=nvcc`` makes its absence a failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from host_kernels import HostLibrary
from kernel_rows import signatures

from numr_api._backends.cuda.elementwise_kernels import Signature, Variant, source_of
from numr_api._backends.cuda.elementwise_plans import tile_of
from numr_api._backends.cuda.elementwise_variants import words
from numr_api._backends.cuda.library import OPTIONS, linked, text_of
from numr_api._backends.cuda.movement_kernels import catalogue

NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
ARCHITECTURES = ("80", "90")
FILES = 2  # that are compiled at once
STRIDED = ("add", "less", "where")  # for which the other variants are compiled, too


def variants(signature: Signature) -> list[Variant]:
    """The ways to run a kernel; all of them for some, since only the operation differs."""
    count = len(signature.arrays)
    found = [Variant(1, ("vector",) * count, wide=False)]
    if signature.name in STRIDED and len(set(signature.operands)) == 1:
        modes = ("vector", *["constant"] * (count - 1))
        found += [
            Variant(1, modes, wide=True),
            Variant(3, (), wide=False),
            Variant(2, (), wide=True),
            Variant(2, ("run",) * count, wide=False, each=signature.scattered),
            Variant(2, ("run", *["strided"] * (count - 1)), wide=True, each=1),
        ]
        sizes = [dtype.itemsize for dtype in signature.arrays]
        tile = tile_of(100, 100, min(16, sum(sizes)))
        widths = [str(words(dtype)) for dtype in signature.arrays]
        found.append(Variant(3, (widths[0], *["direct"] * (count - 2), widths[-1]), False, tile))
        if signature.vector > 1:
            found.append(Variant(2, ("vector",) * count, wide=False))
    return found


def test_all_kernels_compile_without_warnings(tmp_path: Path) -> None:
    if NVCC is None:
        if "nvcc" in os.environ.get("NUMR_API_EXPECT", ""):
            pytest.fail("NUMR_API_EXPECT names nvcc, which is not on the path")
        pytest.skip("there is no nvcc")
    libraries = [HostLibrary() for _ in range(FILES)]
    kernels = [(s, v) for s in signatures() for v in variants(s)]
    for number, (signature, variant) in enumerate(kernels):
        text = source_of(signature, variant)
        libraries[number % FILES].function(signature.sources, text, variant.name(signature))
    moving = list(catalogue())
    for number, source in enumerate(moving):
        libraries[number % FILES].function(*source)
    assert sum(len(library.texts) for library in libraries) == len(kernels) + len(moving)
    codes = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in ARCHITECTURES]
    running: list[subprocess.Popen[str]] = []
    for number, library in enumerate(libraries):
        source = tmp_path / f"kernels{number}.cu"
        source.write_text(library.source())
        command: list[Any] = [NVCC, *OPTIONS, *codes, "-Werror", "all-warnings", "-fatbin"]
        command += ["-o", source.with_suffix(".fatbin"), source]
        running.append(
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        )
    for process in running:
        messages, _ = process.communicate()
        assert process.returncode == 0, messages[:4000]


def test_a_text_holds_each_file_once_and_includes_none() -> None:
    text = linked(["complex.cuh", "elementwise.cuh", "numbers.cuh"])
    assert '#include "' not in text
    assert text.count("struct Complex {") == text.count("struct Layout {") == 1
    assert (
        text.index("struct Complex {")
        < text.index("struct Double {")
        < text.index("struct Layout {")
    )
    assert '#include "functions.cuh"' in text_of("complex.cuh")


def test_kernels_of_integers_need_no_functions_of_other_numbers() -> None:
    by_name = {s.name: s.sources for s in signatures() if s.result.name == "int8"}
    assert by_name["add"] == ("numbers.cuh", "elementwise.cuh")
    names = [v.name(s) for s in signatures() for v in variants(s)]
    assert len(set(names)) == len(names)
