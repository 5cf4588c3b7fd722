"""Kernels that are compiled when the package is built: which, how they are found, and trusted."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from numr_api._backends.cuda import building, catalogue, driver, library, nvcc as search, prebuilt
from numr_api._backends.cuda.building import BuildError, Compiler, architectures
from numr_api._backends.cuda.library import Source
from numr_api._backends.cuda.prebuilt import Prebuilt

ROOT = Path(__file__).parents[2]
COMPILER = Compiler("nvcc", "13.0", (75, 80, 86, 90, 120), ())
SOURCES = {
    "one": [Source(("numbers.cuh",), "KERNEL void first() {}\n", "first")],
    "two": [Source(("numbers.cuh",), "KERNEL void second() {}\n", "second")],
}

# A compiler that writes what it was asked for.
NVCC = """#!{python}
import pathlib, sys
arguments = sys.argv[1:]
if arguments == ["--version"]:
    print("Cuda compilation tools, release 12.9, V12.9.86")
elif arguments == ["--list-gpu-code"]:
    print("sm_50\\nsm_75\\nsm_80\\nsm_90\\nsm_90a\\nsm_120")
elif arguments == ["--help"]:
    print("--compress-mode [default,size]")
else:
    text = pathlib.Path(arguments[-1]).read_text()
    if "second" in text and {fails}:
        sys.exit("kernels.cu(7): error: this is wrong")
    codes = [x for x in arguments if x.startswith("-gencode")]
    target = pathlib.Path(arguments[arguments.index("-o") + 1])
    target.write_text("\\n".join([*codes, str("--compress-mode=size" in arguments), text]))
"""


def compiler_of(folder: Path, fails: bool = False) -> Path:
    path = folder / "nvcc"
    path.write_text(NVCC.format(python=sys.executable, fails=fails), encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def nvcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiler:
    """The compiler that is found on the path."""
    if os.name == "nt":
        pytest.skip("a script cannot be run by its name")
    folder = tmp_path / "bin"
    folder.mkdir()
    compiler_of(folder)
    monkeypatch.setenv("PATH", str(folder))
    for name in search.HOMES:
        monkeypatch.delenv(name, raising=False)
    found = Compiler.find()
    assert found is not None
    return found


# --- which ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("86,90", (86, 90)),
        (" 90 , 80,90", (80, 90)),
        ("ALL", COMPILER.known),
        ("none", ()),
        (None, (90,)),
        ("", (90,)),
    ],
)
def test_architectures(given: str | None, expected: Sequence[int]) -> None:
    assert architectures(given, COMPILER, lambda: [90, 130]) == expected


@pytest.mark.parametrize("given", ["sm_86", "8.6", "86,", "99", "native"])
def test_other_architectures_are_refused(given: str) -> None:
    words = f"NUMR_CUDA_ARCH={given} is not understood: it is none, all, or some of 75,80,86,90,120"
    with pytest.raises(BuildError) as caught:
        architectures(given, COMPILER, list)
    assert words in str(caught.value)


def test_without_a_compiler_nothing_is_built_unless_it_was_asked_for() -> None:
    assert architectures(None, None, lambda: [90]) == ()
    assert architectures("none", None, lambda: [90]) == ()
    with pytest.raises(BuildError, match=r"NUMR_CUDA_ARCH=90, but nvcc is neither on the path"):
        architectures("90", None, list)


@pytest.mark.parametrize("given", ["all", "ALL", "90", "50"])
def test_a_compiler_that_knows_no_architecture_is_refused(given: str) -> None:
    old = COMPILER._replace(version="9.2", known=())
    message = "nvcc 9.2 knows no architecture from 75 on"
    with pytest.raises(BuildError, match=message):
        architectures(given, old, list)
    with pytest.raises(BuildError, match=message):
        _ = old.intermediate
    assert architectures(None, old, lambda: [90]) == ()
    assert architectures("none", old, lambda: [90]) == ()


@pytest.mark.parametrize("home", search.HOMES)
def test_the_compiler_is_where_variables_say(
    home: str, tmp_path: Path, nvcc: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert search.find() == nvcc.path
    monkeypatch.setenv(home, str(tmp_path / "empty"))
    assert search.find() == nvcc.path
    for folder in ("cuda/bin", "usual/bin", "bin"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        compiler_of(tmp_path / folder)
    monkeypatch.setattr(search, "USUAL", str(tmp_path / "usual"))
    monkeypatch.setenv(home, str(tmp_path / "cuda"))
    assert search.find() == str(tmp_path / "cuda" / "bin" / "nvcc")
    found = Compiler.find()
    assert found is not None
    assert found.path == search.find()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(home, "")  # as if it were not set
    monkeypatch.setenv("PATH", "")
    assert search.find() == str(tmp_path / "usual" / "bin" / "nvcc")


def test_the_compiler_tells_what_it_knows(nvcc: Compiler) -> None:
    assert (nvcc.version, nvcc.known) == ("12.9", (75, 80, 90, 120))
    assert nvcc.options == ("--compress-mode=size",)


@pytest.mark.parametrize(
    ("known", "intermediate"),
    [((75, 90, 120, 121), (75, 120)), ((75, 90), (75, 90)), ((80, 100, 130), (80, 130))],
)
def test_intermediate_code_is_for_the_nearest_architectures(known: Any, intermediate: Any) -> None:
    assert COMPILER._replace(known=known).intermediate == intermediate


def test_the_architectures_of_the_gpus(fake: Any) -> None:
    assert building.present() == [90]
    assert driver.architecture(1) == 90


# --- building and finding -------------------------------------------------------------------------


@pytest.fixture
def built(tmp_path: Path, nvcc: Compiler) -> Path:
    """A folder of two kernels."""
    folder = tmp_path / "prebuilt"
    told: list[str] = []
    building.build(folder, nvcc, (80, 90), told.append, SOURCES)
    assert told[0].startswith("numr_api: 2 kernels in 2 files, by nvcc 12.9 for 80,90, and as ")
    assert told[-1].startswith("numr_api: 2 of 2 files")
    return folder


def of(folder: Path, sources: Path = library.SOURCES, options: Any = library.OPTIONS) -> Prebuilt:
    return Prebuilt(folder, sources, options)


def test_a_kernel_is_found_by_its_name_and_text(built: Path) -> None:
    found = of(built)
    (kernel,) = SOURCES["two"]
    assert found.file_of(kernel.text, "second") == "two.fatbin"
    assert found.file_of(kernel.text + " ", "second") is None
    assert found.file_of(kernel.text, "third") is None
    image = found.read("two.fatbin")
    assert image is not None
    lines = image.decode().splitlines()
    assert lines[:5] == [
        "-gencode=arch=compute_80,code=sm_80",
        "-gencode=arch=compute_90,code=sm_90",
        "-gencode=arch=compute_75,code=compute_75",
        "-gencode=arch=compute_120,code=compute_120",
        "True",
    ]
    assert image.decode().endswith(kernel.text)


def test_a_damaged_or_lost_file_is_not_read(built: Path) -> None:
    file = built / "one.fatbin"
    file.write_bytes(file.read_bytes()[:-1] + b"!")
    assert of(built).read("one.fatbin") is None
    file.unlink()
    assert of(built).read("one.fatbin") is None
    assert of(built).read("two.fatbin") is not None


def test_kernels_of_changed_sources_are_not_found(built: Path, tmp_path: Path) -> None:
    text, sources = SOURCES["one"][0].text, tmp_path / "sources"
    shutil.copytree(library.SOURCES, sources)
    assert of(built, sources).file_of(text, "first") == "one.fatbin"
    assert of(built, sources, ("-G",)).file_of(text, "first") is None
    (sources / "numbers.cuh").write_text("changed")
    assert of(built, sources).file_of(text, "first") is None
    shutil.rmtree(sources)  # and so they cannot have been changed
    assert of(built, sources).file_of(text, "first") == "one.fatbin"


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"version": 0, "sources": ""}'])
def test_without_an_index_nothing_is_found(built: Path, text: str | None) -> None:
    index = built / prebuilt.INDEX
    if text is None:
        index.unlink()
    else:
        index.write_text(text)
    assert of(built).file_of(SOURCES["one"][0].text, "first") is None


def test_machine_code_suits_gpus_of_its_generation(built: Path) -> None:
    found = of(built)  # for 80 and 90
    suited = [x for x in (75, 80, 86, 89, 90, 100, 120) if found.suits(x)]
    assert suited == [80, 86, 89, 90]


def test_an_error_of_the_compiler_is_told(tmp_path: Path, nvcc: Compiler) -> None:
    compiler_of(tmp_path, fails=True)
    failing = nvcc._replace(path=str(tmp_path / "nvcc"))
    with pytest.raises(BuildError, match=r"error: this is wrong"):
        building.build(tmp_path / "x", failing, (80,), lambda _: None, SOURCES)


@pytest.mark.usefixtures("real_nvcc")
def test_real_fatbins(tmp_path: Path) -> None:
    compiler = Compiler.find()
    assert compiler is not None
    name, kernels = next(iter(catalogue.groups(2).items()))
    building.build(tmp_path, compiler, (80, 90), lambda _: None, {name: kernels})
    image = of(tmp_path).read(f"{name}.fatbin")
    assert image is not None
    assert image[:4] == bytes.fromhex("50ed55ba")  # how fatbins begin


# --- loading --------------------------------------------------------------------------------------


class DriverError(Exception):
    pass


class Module:
    """Code that a driver has loaded; it refuses texts with a word."""

    loaded: list[bytes] = []  # noqa: RUF012
    refused = b""

    def load(self, image: bytes) -> None:
        self.image = image
        self.loaded.append(image)
        if self.refused and self.refused in image:
            raise DriverError

    def get_function(self, name: str) -> Any:
        if name.encode() not in self.image:
            raise DriverError
        return SimpleNamespace(ptr=1, image=self.image)


@pytest.fixture
def kernels(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A library whose driver is played."""
    monkeypatch.setenv("CUPY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(library, "FOLDER", built)
    monkeypatch.setattr(library, "Function", lambda function, cuda: function)
    monkeypatch.setattr(Module, "loaded", [])
    cuda = SimpleNamespace(
        Device=lambda: SimpleNamespace(compute_capability="90"),
        nvrtc=SimpleNamespace(getVersion=lambda: (13, 0)),
        compiler=SimpleNamespace(
            compile_using_nvrtc=lambda source, *_, **__: (b"NVRTC " + source.encode(), None)
        ),
        driver=SimpleNamespace(CUDADriverError=DriverError),
        function=SimpleNamespace(Module=Module),
        runtime=SimpleNamespace(getDevice=lambda: cuda.current),
        current=0,
    )
    cupy = SimpleNamespace(cuda=cuda, ndarray=list, __version__="14")
    monkeypatch.setattr(library, "import_module", lambda name: cupy)
    return SimpleNamespace(library=library.Library(), cuda=cuda)


def image_of(kernels: Any, source: Source) -> bytes:
    return kernels.library.function(*source).image


def test_a_file_is_loaded_once_on_each_device(kernels: Any) -> None:
    (source,) = SOURCES["one"]
    for device in (0, 0, 1, 0):
        kernels.cuda.current = device
        assert image_of(kernels, source).startswith(b"-gencode")
    assert len(Module.loaded) == 2


def test_kernels_that_were_not_built_are_compiled(kernels: Any) -> None:
    other = SOURCES["one"][0]._replace(name="third", text="KERNEL void third() {}\n")
    assert image_of(kernels, other).startswith(b"NVRTC ")


def test_what_the_driver_refuses_is_compiled(kernels: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Module, "refused", b"-gencode")
    (source,) = SOURCES["one"]
    for _ in range(2):
        assert image_of(kernels, source).startswith(b"NVRTC ")
    assert len(Module.loaded) == 3  # the fatbin is not tried again


def test_for_another_architecture_kernels_are_compiled(kernels: Any) -> None:
    kernels.cuda.Device = lambda: SimpleNamespace(compute_capability="120")
    (source,) = SOURCES["one"]
    assert image_of(kernels, source).startswith(b"NVRTC ")
    assert len(Module.loaded) == 1


def test_for_another_architecture_the_driver_compiles_what_nvrtc_cannot(kernels: Any) -> None:
    def fail(*_: Any, **options: Any) -> Any:
        raise RuntimeError("libnvrtc.so: cannot open shared object file")

    kernels.cuda.Device = lambda: SimpleNamespace(compute_capability="120")
    kernels.cuda.compiler.compile_using_nvrtc = fail
    (source,) = SOURCES["one"]
    assert image_of(kernels, source).startswith(b"-gencode")
    other = source._replace(name="third", text="KERNEL void third() {}\n")
    with pytest.raises(RuntimeError, match="libnvrtc"):
        image_of(kernels, other)


def test_a_damaged_file_is_compiled(kernels: Any, built: Path) -> None:
    (built / "one.fatbin").write_bytes(b"damaged")
    (source,) = SOURCES["one"]
    assert image_of(kernels, source).startswith(b"NVRTC ")
    assert image_of(kernels, SOURCES["two"][0]).startswith(b"-gencode")


# --- the wheel ------------------------------------------------------------------------------------


def wheel(target: Path, **variables: str) -> tuple[list[str], str]:
    """The names of the files in a wheel, and what was told; no names if it was not built."""
    pytest.importorskip("hatchling")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)],
        cwd=ROOT, env={**os.environ, **variables}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    names: list[str] = []
    for path in target.glob("*.whl"):
        with zipfile.ZipFile(path) as archive:
            names += archive.namelist()
            for name in names:
                if name.endswith("prebuilt/index.json"):
                    names += json.loads(archive.read(name))["files"]
    return names, done.stdout + done.stderr


def test_a_wheel_with_kernels(tmp_path: Path, nvcc: Compiler) -> None:
    names, told = wheel(tmp_path, NUMR_CUDA_ARCH="80")
    assert "numr_api/_backends/cuda/prebuilt/index.json" in names, told
    files = [f"{name}.fatbin" for name in catalogue.groups(building.KERNELS)]
    for file in files:
        assert f"numr_api/_backends/cuda/prebuilt/{file}" in names
        assert file in names  # those of the index
    assert f"{len(files)} of {len(files)} files" in told


@pytest.mark.parametrize("given", ["none", ""])
def test_a_wheel_without_kernels(tmp_path: Path, given: str) -> None:
    if driver.count() and not given:
        pytest.skip("there is a GPU, for which kernels are compiled")
    names, _ = wheel(tmp_path, NUMR_CUDA_ARCH=given)
    assert "numr_api/_backends/cuda/sources/numbers.cuh" in names
    assert not [name for name in names if "prebuilt/" in name]


def test_a_wheel_for_unknown_architectures_is_not_built(tmp_path: Path, nvcc: Compiler) -> None:
    names, told = wheel(tmp_path, NUMR_CUDA_ARCH="85")
    assert names == []
    assert "NUMR_CUDA_ARCH=85 is not understood: it is none, all, or some of 75,80,90,120" in told


class App:
    """Where the hook's messages go."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def display_info(self, message: str) -> None:
        pass

    def display_warning(self, message: str) -> None:
        self.told.append(message)

    def abort(self, message: str) -> None:
        raise SystemExit(message)


@pytest.fixture
def hook() -> Callable[[Path], Any]:
    """What makes the build hook of a checkout."""
    pytest.importorskip("hatchling")
    kind = runpy.run_path(str(ROOT / "hatch_build.py"))["PrebuiltKernels"]
    metadata: Any = SimpleNamespace(core=SimpleNamespace(dependencies=["numpy"]))
    return lambda root: kind(str(root), {}, None, metadata, "", "wheel", App())


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What the hook reads before it imports the package, on a machine with a GPU."""
    folder = tmp_path / "checkout" / "numr_api" / "_backends" / "cuda"
    folder.mkdir(parents=True)
    shutil.copy(str(search.__file__), folder)
    (folder / "driver.py").write_text("def count(): return 1")
    return tmp_path / "checkout"


def test_the_hook_finds_the_compiler_that_a_variable_names(
    hook: Any, checkout: Path, tmp_path: Path, nvcc: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMR_CUDA_ARCH", "")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))  # whose bin has it
    assert hook(checkout).dependencies() == ["numpy"]
    (checkout / "numr_api/_backends/cuda/driver.py").write_text("def count(): return 0")
    assert hook(checkout).dependencies() == []


@pytest.mark.parametrize(
    "error",
    [
        BuildError("nvcc failed"),
        ImportError("No module named 'scipy'"),
        PermissionError(13, "Permission denied", "nvcc"),
        RuntimeError("architecture: the CUDA driver reports error 999"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("given", ["", "80"])
def test_what_prevents_kernels_ends_the_build_only_where_they_were_asked_for(
    error: Exception, given: str, hook: Any, nvcc: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setenv("NUMR_CUDA_ARCH", given)
    monkeypatch.setattr(sys, "path", [*sys.path])  # which the hook makes longer
    monkeypatch.setattr(building, "build", fail)
    monkeypatch.setattr(building, "present", lambda: [80])
    made = hook(ROOT)
    monkeypatch.setattr(made, "_asked", lambda: True)
    data: dict[str, Any] = {"force_include": {}}
    reason = f"{type(error).__name__}: {error}"
    if given:
        with pytest.raises(SystemExit) as caught:
            made.initialize("standard", data)
        assert caught.value.code == f"numr_api: {reason}"
    else:
        made.initialize("standard", data)
        assert made.app.told == [f"numr_api: no cuda kernels are compiled: {reason}"]
        assert data == {"force_include": {}}
    made.finalize("standard", data, "")
