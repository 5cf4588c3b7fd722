"""How kernels are handed to CUDA's driver, with a driver that only notes what it was given."""

from __future__ import annotations

import ctypes
import struct
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from host_kernels import COMPILER

from numr_api._backends.cuda import driver as nvidia, library

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")

DRIVER = """
#include <cstring>
#include <cstddef>
extern "C" {
int status = 0;
struct Configuration {
    unsigned numbers[7];
    void* stream;
    void* attributes;
    unsigned count;
} seen;
void* seen_function;
char arguments[4096];
int runs = 0;
std::size_t size = 0;
int cuLaunchKernelEx(const Configuration* configuration, void* function, void** parameters,
                     void** extra) {
    ++runs;
    if (parameters || extra[0] != (void*)1 || extra[2] != (void*)2 || extra[4]) return 1;
    seen = *configuration;
    seen_function = function;
    size = *(std::size_t*)extra[3];
    std::memcpy(arguments, extra[1], size);
    return status;
}
int cuInit(unsigned flags) { return 0; }
int cuGetErrorName(int status, const char** name) { *name = "CUDA_ERROR_OF_THE_TEST"; return 0; }
}
"""


@pytest.fixture(scope="module")
def driver_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("driver")
    source, target = folder / "driver.cpp", folder / "driver.so"
    source.write_text(DRIVER)
    assert COMPILER is not None
    subprocess.run([COMPILER, "-shared", "-fPIC", str(source), "-o", str(target)], check=True)
    return target


@pytest.fixture
def driver(driver_file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    real = ctypes.CDLL
    monkeypatch.setattr(library.ctypes, "CDLL", lambda name: real(str(driver_file)))
    nvidia.library.cache_clear()
    yield nvidia.library()
    nvidia.library.cache_clear()


def function(use_device: Any = None) -> library.Function:
    cuda = SimpleNamespace(
        get_current_stream=lambda: SimpleNamespace(ptr=0x77),
        runtime=SimpleNamespace(memGetInfo=use_device),
    )
    return library.Function(SimpleNamespace(ptr=0x1234), cuda)


def test_arguments_arrive_packed_on_the_current_stream(driver: Any) -> None:
    layout = struct.Struct("2P1q?h")
    function().launch(2**31 - 1, 256, layout, (0x1000, 2**63, -5, True, -2))
    seen = bytes((ctypes.c_char * library.CONFIGURATION.size).in_dll(driver, "seen"))
    numbers = library.CONFIGURATION.unpack(seen)
    assert numbers == (2**31 - 1, 1, 1, 256, 1, 1, 0, 0x77, 0, 0)
    assert ctypes.c_void_p.in_dll(driver, "seen_function").value == 0x1234
    size = ctypes.c_size_t.in_dll(driver, "size").value
    given = bytes((ctypes.c_char * 4096).in_dll(driver, "arguments"))[:size]
    assert layout.unpack(given) == (0x1000, 2**63, -5, True, -2)


def test_what_the_driver_refuses_is_an_error(driver: Any) -> None:
    ctypes.c_int.in_dll(driver, "status").value = 700
    try:
        with pytest.raises(RuntimeError, match=r"CUDA_ERROR_OF_THE_TEST \(700\)"):
            function().launch(1, 256, struct.Struct("q"), (1,))
    finally:
        ctypes.c_int.in_dll(driver, "status").value = 0


def test_a_thread_that_has_not_used_the_device_does_so_first(driver: Any) -> None:
    status, runs = (ctypes.c_int.in_dll(driver, name) for name in ("status", "runs"))
    status.value, runs.value = library.INVALID_CONTEXT, 0

    def use_device() -> None:
        status.value = 0

    function(use_device).launch(1, 256, struct.Struct("q"), (1,))
    assert runs.value == 2
    function().launch(1, 256, struct.Struct("q"), (1,))
    assert runs.value == 3


def test_a_context_that_stays_invalid_is_an_error(driver: Any) -> None:
    status, runs = (ctypes.c_int.in_dll(driver, name) for name in ("status", "runs"))
    status.value, runs.value = library.INVALID_CONTEXT, 0
    try:
        with pytest.raises(RuntimeError, match=r"\(201\)"):
            function(lambda: None).launch(1, 256, struct.Struct("q"), (1,))
        assert runs.value == 2
    finally:
        status.value = 0


def test_threads_have_arguments_of_their_own() -> None:
    places: list[int] = []

    def note() -> None:
        places.append(ctypes.addressof(library._arguments.buffer))

    thread = threading.Thread(target=note)
    thread.start()
    thread.join()
    note()
    assert len(set(places)) == 2


def test_compiled_kernels_are_kept_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUPY_CACHE_DIR", str(tmp_path))
    file = library.cache_folder() / "kernel.cubin"
    assert file.parent == tmp_path / "numr_api"
    library.keep(b"code", file)
    library.keep(b"code", file)
    assert file.read_bytes() == b"code"

    def fail(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="full"):
        library.keep(b"other", file)
    assert [path.name for path in file.parent.iterdir()] == ["kernel.cubin"]


def put_cupy(monkeypatch: pytest.MonkeyPatch, cupy: Any) -> None:
    """What kernels need of CuPy comes from ``cupy`` in the rest of a test."""
    arrays = SimpleNamespace(CLASSES=frozenset({list}), empty=None)
    modules = {"cupy": cupy, "numr_api._backends.cuda.arrays": arrays}
    monkeypatch.setattr(library, "import_module", modules.__getitem__)


def test_a_text_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUPY_CACHE_DIR", str(tmp_path))
    texts: list[str] = []

    def compile_using_nvrtc(source: str, options: Any, cache_in_memory: bool) -> Any:
        texts.append(source)
        return source.upper().encode(), None

    cuda = SimpleNamespace(
        Device=lambda: SimpleNamespace(compute_capability="90"),
        nvrtc=SimpleNamespace(getVersion=lambda: (13, 0)),
        compiler=SimpleNamespace(compile_using_nvrtc=compile_using_nvrtc),
    )
    put_cupy(monkeypatch, SimpleNamespace(cuda=cuda, ndarray=list, __version__="14"))
    compiled = library.Library()._compiled
    assert [compiled(text) for text in ("a", "b", "a")] == [b"A", b"B", b"A"]
    assert library.Library()._compiled("b") == b"B"
    assert texts == ["a", "b"]
    cuda.Device = lambda: SimpleNamespace(compute_capability="80")
    compiled("a")
    assert texts == ["a", "b", "a"]


def test_counters_belong_to_a_device_a_stream_and_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def zeros(count: int, dtype: str) -> Any:
        assert (count, dtype) == (library.COUNTERS, "uint32")
        made.append(SimpleNamespace(data=SimpleNamespace(ptr=len(made))))
        return made[-1]

    stream = SimpleNamespace(ptr=1, is_capturing=lambda: False)
    devices = [0]
    cuda = SimpleNamespace(
        get_current_stream=lambda: stream, runtime=SimpleNamespace(getDevice=lambda: devices[-1])
    )
    put_cupy(monkeypatch, SimpleNamespace(cuda=cuda, ndarray=list, zeros=zeros))
    monkeypatch.setattr(library, "_counters", library._Counters())
    counters = library.Library().counters
    assert [counters(), counters()] == [0, 0]
    stream.ptr = 2
    assert counters() == 1
    devices.append(1)
    assert [counters(), counters()] == [2, 2]
    thread = threading.Thread(target=counters)
    thread.start()
    thread.join()
    assert len(made) == 4
    # A graph that is captured sets its counters to 0 by itself, and nothing does before it is run.
    # Nor does it take those of its stream, beside which it may run.
    stream.ptr, stream.is_capturing = 3, lambda: True
    assert [counters(), counters()] == [4, 5]
    stream.ptr = 2
    assert counters() == 6
