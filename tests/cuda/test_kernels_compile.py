"""Every row of the cuda device's kernels, for each dtype, compiled by CUDA's own compiler.

It needs nvcc, but no GPU. ``NUMR_API_EXPECT=nvcc`` makes its absence a failure.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from host_kernels import HostLibrary
from kernel_rows import signatures

from numr_api._backends.cuda import catalogue
from numr_api._backends.cuda.elementwise_kernels import source_of
from numr_api._backends.cuda.elementwise_plans import tile_of
from numr_api._backends.cuda.elementwise_variants import Signature, Variant, words
from numr_api._backends.cuda.library import OPTIONS, Source, linked, text_of

ARCHITECTURES = ("80", "90")
FILES = 6
AT_ONCE = 2
STRIDED = ("add", "less", "where")  # for which all ways to run them are compiled

# The code is not run, so that it need not be fast: this halves the time, where nvcc has it.
QUICKLY = "--Ofast-compile"

# But for a constant that no kernel of a file needs, all that the compiler may remark on is wrong.
STRICTLY = ("-Werror", "all-warnings", "--diag-suppress", "177")


def other_variants(signature: Signature) -> Iterator[Variant]:
    """Ways to run a kernel that the catalogue does not have."""
    count = len(signature.arrays)
    if signature.name in STRIDED and len(set(signature.operands)) == 1:
        yield Variant(1, ("vector", *["constant"] * (count - 1)), wide=True)
        yield Variant(2, (), wide=True)
        yield Variant(3, (), wide=False)
        yield Variant(2, ("run",) * count, wide=False, each=signature.scattered)
        yield Variant(2, ("run", *["strided"] * (count - 1)), wide=True, each=1)
        tile = tile_of(100, 100, min(16, sum(x.itemsize for x in signature.arrays)))
        widths = [str(words(dtype)) for dtype in signature.arrays]
        yield Variant(3, (widths[0], *["direct"] * (count - 2), widths[-1]), False, tile)
        if signature.vector > 1:
            yield Variant(2, ("vector",) * count, wide=False)


def sources() -> dict[str, Source]:
    """The catalogue of all families, and what else is made of element-wise operations."""
    found = {x.name: x for of_family in catalogue.FAMILIES.values() for x in of_family()}
    for signature in signatures():
        whole = Variant(1, ("vector",) * len(signature.arrays), wide=False)
        for variant in (whole, *other_variants(signature)):
            name = variant.name(signature)
            found[name] = Source(signature.sources, source_of(signature, variant), name)
    return found


def test_all_kernels_compile_without_warnings(tmp_path: Path, real_nvcc: str) -> None:
    libraries = [HostLibrary() for _ in range(FILES)]
    for number, source in enumerate(sources().values()):
        libraries[number % FILES].function(*source)
    codes = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in ARCHITECTURES]
    quickly = [f"{QUICKLY}=max"] if QUICKLY in run([real_nvcc, "--help"]).stdout else []
    waiting: list[list[str]] = []
    for number, library in enumerate(libraries):
        file = tmp_path / f"kernels{number}.cu"
        file.write_text(library.source(), encoding="utf-8")
        command = [real_nvcc, *OPTIONS, *quickly, *codes, *STRICTLY, "-fatbin"]
        waiting.append([*command, "-o", str(file.with_suffix(".fatbin")), str(file)])
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for done in pool.map(run, waiting):
            assert done.returncode == 0, done.stdout[:4000]


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


def test_names_of_kernels_tell_them_apart() -> None:
    """Prebuilt kernels are found by name."""
    listed = [x for of_family in catalogue.FAMILIES.values() for x in of_family()]
    assert len({x.name for x in listed}) == len(listed)
    made = sources()
    assert all(made[x.name] == x for x in listed)


@pytest.mark.parametrize("most", [8, 32])
def test_groups_hold_each_kernel_once(most: int) -> None:
    groups = catalogue.groups(most)
    kernels = [x.name for group in groups.values() for x in group]
    listed = [x.name for of_family in catalogue.FAMILIES.values() for x in of_family()]
    assert sorted(kernels) == sorted(listed)
    for group in groups.values():
        assert len(group) <= most
        assert len({x.files for x in group}) == 1


def test_a_text_holds_each_file_once_and_includes_none() -> None:
    text = linked(["complex.cuh", "elementwise.cuh", "numbers.cuh"])
    assert '#include "' not in text
    assert text.count("struct Complex {") == text.count("struct Layout {") == 1
    assert (
        text.index("struct Complex {") < text.index("struct Pair {") < text.index("struct Layout {")
    )
    assert '#include "functions.cuh"' in text_of("complex.cuh")


def test_kernels_of_integers_need_no_functions_of_other_numbers() -> None:
    by_name = {s.name: s.sources for s in signatures() if s.result.name == "int8"}
    assert by_name["add"] == ("numbers.cuh", "elementwise.cuh")
