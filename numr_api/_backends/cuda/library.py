"""Kernels in CUDA C++: their text, compiled at first use and kept on disk, and how they are run.

NVRTC compiles them, called through CuPy, but not through CuPy's RawModule: that asks for subnormal
numbers to be flushed to zero. What was compiled is kept beside CuPy's own cache (in ``numr_api`` of
``~/.cupy/kernel_cache``, or of where ``CUPY_CACHE_DIR`` says). Kernels are run by the driver's own
function: CuPy's converts each argument by itself, while here all are packed at once.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import struct
import sys
import tempfile
import threading
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

SOURCES = Path(__file__).parent / "sources"

# Without --fmad=false a*b - c*d would be rounded once for one product and twice for the other, so
# that x * conj(x) were not real; and the sums of pairs would lose what they are made for. The
# elementary functions fuse explicitly where they want to. By default division and sqrt are exact,
# and subnormal numbers are kept.
OPTIONS = ("--std=c++17", "--fmad=false")

MOST_BYTES = 4096  # of a kernel's arguments
INVALID_CONTEXT = 201  # CUDA_ERROR_INVALID_CONTEXT


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


class Source(NamedTuple):
    """A kernel: the files that it needs, its text, its name."""

    files: tuple[str, ...]
    text: str
    name: str


class Function:
    """A compiled kernel of the device that is current when it is made and run."""

    def __init__(self, function: Any, cuda: Any) -> None:
        self._function = function  # which keeps the module loaded
        self._handle = ctypes.c_void_p(function.ptr)
        self._current_stream = cuda.get_current_stream
        self._use_device = cuda.runtime.memGetInfo
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
        if status == INVALID_CONTEXT:
            # A thread that has not used the device yet: any function of CUDA's runtime binds the
            # context of its current device to it, which the driver's functions need.
            self._use_device()
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
        module = self._cupy.cuda.function.Module()
        module.load(self._compiled(linked(files) + text))
        return Function(module.get_function(name), self._cupy.cuda)

    def _compiled(self, source: str) -> bytes:
        """The machine code of a text, from the disk if it was compiled before."""
        cuda = self._cupy.cuda
        architecture = cuda.Device().compute_capability
        key = repr((source, OPTIONS, architecture, cuda.nvrtc.getVersion(), self._cupy.__version__))
        file = cache_folder() / f"{hashlib.sha256(key.encode()).hexdigest()}.cubin"
        with contextlib.suppress(OSError):
            return file.read_bytes()
        image: bytes = cuda.compiler.compile_using_nvrtc(source, OPTIONS, cache_in_memory=True)[0]
        with contextlib.suppress(OSError):  # a disk that cannot be written to costs time only
            keep(image, file)
        return image


def cache_folder() -> Path:
    """Where compiled kernels are kept."""
    given = os.environ.get("CUPY_CACHE_DIR")
    return (Path(given) if given else Path.home() / ".cupy" / "kernel_cache") / "numr_api"


def keep(image: bytes, file: Path) -> None:
    """Write a file that no other process sees unfinished."""
    file.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(dir=file.parent)
    try:
        with os.fdopen(number, "wb") as unfinished:
            unfinished.write(image)
        Path(name).replace(file)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


@cache
def library() -> Library:
    return Library()
