"""Kernels in CUDA C++: their text, compiled at first use and kept on disk, and how they are run.

CuPy compiles with NVRTC and keeps the outcome in its cache (``~/.cupy/kernel_cache``, or where
``CUPY_CACHE_DIR`` says). Kernels are run by the driver's own function: CuPy's converts each
argument by itself, while here all are packed at once.
"""

from __future__ import annotations

import ctypes
import struct
import sys
import threading
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent / "sources"

# Without --fmad=false a*b - c*d would be rounded once for one product and twice for the other, so
# that x * conj(x) were not real; and the sums of pairs would lose what they are made for. The
# elementary functions fuse explicitly where they want to. Division and sqrt are exact by default.
OPTIONS = ("--std=c++17", "--fmad=false")

MOST_BYTES = 4096  # of a kernel's arguments


@cache
def text_of(name: str) -> str:
    """A file of ``sources``."""
    return (SOURCES / name).read_text(encoding="utf-8")


def linked(names: Sequence[str]) -> str:
    """Files of ``sources`` and what they include, each once, as one text that includes nothing."""
    done: set[str] = set()
    lines: list[str] = []

    def add(name: str) -> None:
        if name in done:
            return
        done.add(name)
        for line in text_of(name).splitlines():
            if line.startswith('#include "'):
                add(line.split('"')[1])
            elif line != "#pragma once":
                lines.append(line)

    for name in names:
        add(name)
    return "\n".join(lines) + "\n"


# CUlaunchConfig: blocks and threads along three axes, shared memory, stream, attributes.
CONFIGURATION = struct.Struct("7IPPI")


class _Arguments(threading.local):
    """Memory of a thread for the arguments of a kernel, and what tells the driver of it."""

    def __init__(self) -> None:
        self.buffer = ctypes.create_string_buffer(MOST_BYTES)
        self.size = ctypes.c_size_t()
        # CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE, CU_LAUNCH_PARAM_END
        self.extra = (ctypes.c_void_p * 5)(
            1, ctypes.addressof(self.buffer), 2, ctypes.addressof(self.size), 0
        )
        self.configuration = ctypes.create_string_buffer(CONFIGURATION.size)


_arguments = _Arguments()


@cache
def _driver() -> Any:
    """The driver's library."""
    return ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")


class Function:
    """A compiled kernel of the device that is current when it is made and run."""

    def __init__(self, function: Any, current_stream: Any) -> None:
        self._function = function  # which keeps the module loaded
        self._handle = ctypes.c_void_p(function.ptr)
        self._current_stream = current_stream
        self._run = _driver().cuLaunchKernelEx  # has few arguments, each of which takes time

    def launch(
        self, groups: int, threads: int, layout: struct.Struct, values: Sequence[Any]
    ) -> None:
        """Run with arguments of a layout, on the current stream."""
        given = _arguments
        layout.pack_into(given.buffer, 0, *values)
        given.size.value = layout.size
        stream: int = self._current_stream().ptr
        CONFIGURATION.pack_into(
            given.configuration, 0, groups, 1, 1, threads, 1, 1, 0, stream, 0, 0
        )
        status = self._run(given.configuration, self._handle, None, given.extra)
        if status:
            name = ctypes.c_char_p()
            _driver().cuGetErrorName(status, ctypes.byref(name))
            raise RuntimeError(f"the kernel was not run: {(name.value or b'').decode()} ({status})")


class Library:
    """What kernels need of CuPy; tests put the host's memory and compiler in its place.

    Attributes:
        array: the class of data.
    """

    def __init__(self) -> None:
        self._cupy: Any = import_module("cupy")
        self.array: type = self._cupy.ndarray

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return self.array(shape, dtype)

    def function(self, files: Sequence[str], text: str, name: str) -> Any:
        """A kernel of a text that needs these files, compiled for the current device."""
        module = self._cupy.RawModule(code=linked(files) + text, options=OPTIONS)
        return Function(module.get_function(name).kernel, self._cupy.cuda.get_current_stream)


@cache
def library() -> Library:
    return Library()
