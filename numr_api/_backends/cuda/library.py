"""Kernels in CUDA C++: their text, compiled at first use and kept on disk, and how they are run.

Many may have been compiled when the package was built; see ``prebuilt``. NVRTC compiles the others,
and all of them for GPUs of other architectures. It is called through CuPy, but not through CuPy's
RawModule: that asks for subnormal numbers to be flushed to zero. What was compiled is kept beside
CuPy's own cache (in ``numr_api`` of ``~/.cupy/kernel_cache``, or of where ``CUPY_CACHE_DIR`` says).
Kernels are run by the driver's own function: CuPy's converts each argument by itself, while here
all are packed at once.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import struct
import tempfile
import threading
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from numr_api._backends.cuda import driver
from numr_api._backends.cuda.prebuilt import FOLDER, Prebuilt

SOURCES = Path(__file__).parent / "sources"

# Without --fmad=false a*b - c*d would be rounded once for one product and twice for the other, so
# that x * conj(x) were not real; and the sums of pairs would lose what they are made for. The
# elementary functions fuse explicitly where they want to. By default division and sqrt are exact,
# and subnormal numbers are kept.
OPTIONS = ("--std=c++17", "--fmad=false")

COUNTERS = 2**14
MOST_BYTES = 4096  # of a kernel's arguments
MOST_PLANS = 256  # that are kept for arrays that lie in different ways
INVALID_CONTEXT = 201  # CUDA_ERROR_INVALID_CONTEXT


class Source(NamedTuple):
    """A kernel: the files that it needs, its text, its name."""

    files: tuple[str, ...]
    text: str
    name: str


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


class _Counters(threading.local):
    """Counters of a thread by device and stream."""

    def __init__(self) -> None:
        self.found: dict[tuple[int, int], Any] = {}


_counters = _Counters()


class Function:
    """A compiled kernel of the device that is current when it is made and run."""

    def __init__(self, function: Any, cuda: Any) -> None:
        self._function = function  # which keeps the module loaded
        self._handle = ctypes.c_void_p(function.ptr)
        self._current_stream = cuda.get_current_stream
        self._use_device = cuda.runtime.memGetInfo
        self._run = driver.library().cuLaunchKernelEx  # has few arguments, each of which takes time

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
            driver.library().cuGetErrorName(status, ctypes.byref(name))
            raise RuntimeError(f"the kernel was not run: {(name.value or b'').decode()} ({status})")


class Library:
    """What kernels need of CuPy; tests put the host's memory and compiler in its place.

    Attributes:
        array: the class of data.
        classes: all classes of data, that one and those made of it.
    """

    def __init__(self) -> None:
        self._cupy: Any = import_module("cupy")
        arrays = import_module("numr_api._backends.cuda.arrays")  # which imports CuPy
        self.array: type = self._cupy.ndarray
        self.classes: frozenset[type] = arrays.CLASSES
        self._empty: Any = arrays.empty
        self._prebuilt = Prebuilt(FOLDER, SOURCES, OPTIONS)
        self._modules: dict[tuple[int, str], Any] = {}  # by device and file; None if not loaded

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return self._empty(shape, dtype)

    def zeros(self, words: int) -> Any:
        """Words of 8 bytes."""
        return self._cupy.zeros(words, "uint64")

    def last(self, data: Any) -> int:
        """The last of some integers, which the host waits for."""
        return int(data[-1:].get()[0])

    def spread(self, data: Any, shape: tuple[int, ...]) -> Any:
        """A view of another shape, made by broadcasting."""
        return self._cupy.broadcast_to(data, shape)

    def counters(self) -> int:
        """The address of ``COUNTERS`` zeros of 32 bits on the current device.

        Kernels on the current stream may count in them, and leave zeros.
        """
        cuda = self._cupy.cuda
        stream = cuda.get_current_stream()
        if stream.is_capturing():  # a graph, which may run beside this stream, and sets them itself
            return self._cupy.zeros(COUNTERS, "uint32").data.ptr
        key = cuda.runtime.getDevice(), stream.ptr
        counters = _counters.found.get(key)
        if counters is None:
            counters = _counters.found[key] = self._cupy.zeros(COUNTERS, "uint32")
        return counters.data.ptr

    def function(self, files: Sequence[str], text: str, name: str) -> Any:
        """A kernel of a text that needs these files, compiled for the current device."""
        return Function(self._found(files, text, name), self._cupy.cuda)

    def _found(self, files: Sequence[str], text: str, name: str) -> Any:
        """A kernel in CuPy's terms.

        For the intermediate code of a fatbin the driver would take longer, as it compiles all of
        the file's kernels: that is for where NVRTC is missing, or older than the GPU.
        """
        file = self._prebuilt.file_of(text, name)
        capability = self._cupy.cuda.Device().compute_capability
        native = file is not None and self._prebuilt.suits(int(capability))
        function = self._prebuilt_function(file, name) if native else None
        if function is not None:
            return function
        try:
            module = self._cupy.cuda.function.Module()
            module.load(self._compiled(linked(files) + text))
            return module.get_function(name)
        except Exception:  # whatever a missing library raises
            function = None if native else self._prebuilt_function(file, name)
            if function is None:
                raise
            return function

    def _prebuilt_function(self, file: str | None, name: str) -> Any:
        """A kernel of a fatbin; None if the driver refuses it."""
        if file is None:
            return None
        key = self._cupy.cuda.runtime.getDevice(), file
        try:
            if key not in self._modules:
                self._modules[key] = self._loaded(self._prebuilt.read(file))
            module = self._modules[key]
            return None if module is None else module.get_function(name)
        except self._cupy.cuda.driver.CUDADriverError:
            self._modules[key] = None
            return None

    def _loaded(self, image: bytes | None) -> Any:
        """A fatbin's module; None if there is no fatbin. A driver refuses that of newer CUDA."""
        if image is None:
            return None
        module = self._cupy.cuda.function.Module()
        module.load(image)
        return module

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
