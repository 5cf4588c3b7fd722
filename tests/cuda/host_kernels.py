"""The cuda device's kernels compiled for the host: their text is C++, too.

A ``HostLibrary`` takes the place of the one that works through CuPy: arrays lie in the host's
memory, and a kernel is a loop over the threads of all blocks; where threads of a block wait for
each other, ``blocks_on_host.hpp`` runs each as a context of its own. Compilers take long to start,
so kernels are compiled many at a time: a function that needs them is called twice, first only to
see which kernels these are.
"""

from __future__ import annotations

import ctypes
import shutil
import struct
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from numr_api._backends.cuda import elementwise, elementwise_plans
from numr_api._backends.cuda.library import COUNTERS, linked

COMPILER = shutil.which("g++") or shutil.which("clang++")
FLAGS = ["-std=c++17", "-O0", "-ffp-contract=off", "-shared", "-fPIC", "-w"]

BLOCKS = Path(__file__).parent / "blocks_on_host.hpp"
ALONE = """
#include <cstddef>
struct Place { unsigned x; };
static Place blockIdx, threadIdx, gridDim;
static void visit(unsigned groups, unsigned threads, void (*run)(const char*), const char* given) {
    gridDim.x = groups;
    for (blockIdx.x = 0; blockIdx.x < groups; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) run(given);
}
"""

# A kernel's arguments lie in memory as the members of a structure would.
ENTRY = """
struct Given_{name} {{ {members}; }};
static void run_{name}(const char* given) {{
    const auto& g = *reinterpret_cast<const Given_{name}*>(given);
    {name}({values});
}}
extern "C" void enter_{name}(unsigned groups, unsigned threads, const char* given) {{
    visit(groups, threads, run_{name}, given);
}}
extern "C" std::size_t size_{name}() {{ return sizeof(Given_{name}); }}
"""


SOME = 3  # stands for a number that a kernel has not computed yet


class HostArray(np.ndarray):
    """A NumPy array with those attributes of CuPy's that kernels use."""

    @property
    def data(self) -> Any:
        return SimpleNamespace(ptr=self.ctypes.data)

    @property
    def _c_contiguous(self) -> bool:
        return self.flags.c_contiguous


def on_host(values: Any, alignment: int = 0) -> Any:
    """A copy of an array, whose address leaves a remainder when it is divided by 256."""
    values = np.asarray(values)
    memory = np.empty(values.nbytes + 512, np.uint8)
    start = -memory.ctypes.data % 256 + alignment
    # Any bytes but 0 are true, which DLPack allows and NumPy does not undo.
    array = memory[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    array[...] = values
    return array.view(HostArray)


class HostFunction:
    def __init__(self, library: HostLibrary, name: str) -> None:
        self._library, self._name = library, name

    def launch(
        self, groups: int, threads: int, layout: struct.Struct, values: Sequence[Any]
    ) -> None:
        if self._library.compiled is None:
            layout.pack(*values)
            return
        size = getattr(self._library.compiled, f"size_{self._name}")
        size.restype = ctypes.c_size_t
        assert size() - 8 < layout.size <= size()  # but for what fills up the last 8 bytes
        given = ctypes.create_string_buffer(layout.pack(*values), size())
        getattr(self._library.compiled, f"enter_{self._name}")(groups, threads, given)


class HostLibrary:
    """Kernels for the host; none does anything before ``compile``."""

    array = HostArray
    classes = frozenset({HostArray})

    def __init__(self) -> None:
        self.files: list[str] = []
        self.texts: dict[str, str] = {}
        self.compiled: ctypes.CDLL | None = None
        self._counters = np.zeros(COUNTERS, np.uint32)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        unwritten = np.full((*shape, np.dtype(dtype).itemsize), 0xA5, np.uint8)
        return on_host(unwritten.view(dtype).reshape(shape))

    def zeros(self, words: int) -> Any:
        return on_host(np.zeros(words, np.uint64))

    def last(self, data: Any) -> int:
        return int(np.asarray(data)[-1]) if self.compiled is not None else SOME

    def spread(self, data: Any, shape: tuple[int, ...]) -> Any:
        return np.broadcast_to(data, shape, subok=True)

    def counters(self) -> int:
        return self._counters.ctypes.data

    def function(self, files: Sequence[str], text: str, name: str) -> HostFunction:
        if self.compiled is None:
            self.files += [file for file in files if file not in self.files]
            self.texts[name] = text
        return HostFunction(self, name)

    def source(self) -> str:
        """All kernels as one text for CUDA's compiler."""
        return linked(self.files) + "".join(self.texts.values())

    def compile(self, folder: Path) -> None:
        source = self.source()
        together = any(word in source for word in ("__sync", "_sync(", "atomic"))
        parts = [BLOCKS.read_text(encoding="utf-8") if together else ALONE, source]
        for name, text in self.texts.items():
            head = text[text.index(f" void {name}(") :]
            members = split(head[head.index("(") + 1 : head.index(") {")])
            values = ", ".join(f"g.{member.split()[-1]}" for member in members)
            parts.append("namespace numr {")
            parts.append(ENTRY.format(name=name, members="; ".join(members), values=values))
            parts.append("}")
        assert COMPILER is not None
        file, target = folder / "kernels.cpp", folder / "kernels.so"
        file.write_text("\n".join(parts), encoding="utf-8")
        subprocess.run([COMPILER, *FLAGS, str(file), "-o", str(target)], check=True)
        self.compiled = ctypes.CDLL(str(target))


def split(parameters: str) -> list[str]:
    """The parameters of a list, in which angle brackets may hold commas."""
    parts, depth = [""], 0
    for letter in parameters:
        depth += (letter == "<") - (letter == ">")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def twice(folder: Path, function: Callable[[HostLibrary], Any]) -> Any:
    """What a function returns when it runs kernels that its first call has shown."""
    library = HostLibrary()
    function(library)
    library.compile(folder)
    return function(library)


def twice_as_if_many(folder: Path, function: Callable[[HostLibrary], Any]) -> Any:
    """The same where even few elements count as too many for 32 bits, or for one step."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elementwise, "FEW", 2)
        patch.setattr(elementwise_plans, "FEW", 2)
        patch.setattr(elementwise_plans, "MOST_GROUPS", 1)
        return twice(folder, function)
