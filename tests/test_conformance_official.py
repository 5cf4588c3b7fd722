"""numr_conformance and the official suite: finding it, running it, reading what comes of it.

The suite here is a small one with the options and the layout of the real one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numr_conformance import official, results
from numr_conformance.cli import main
from numr_conformance.official_ids import DEFECTS, Facts, about, defect_of_suite

pytest.importorskip("hypothesis")
pytest.importorskip("ndindex")
pytest.importorskip("pytest_jsonreport")

CONFTEST = """
def pytest_addoption(parser):
    parser.addoption("--max-examples", type=int)
    parser.addoption("--disable-deadline", action="store_true")
    parser.addoption("--skips-file")
    parser.addoption("--xfails-file")
"""

TESTS = """
import ctypes, os, time
import pytest
from hypothesis import given, strategies as st

@pytest.fixture(params=["setup"])
def broken(request):
    raise RuntimeError("no fixture")

def test_exp(): print("noise")

@given(st.integers())
def test_log(x):
    assert x < 10, f"out={x}, but should be less"

def test_sin(): raise TypeError("not today\\nsecond line")
def test_cos(broken): pass
def test_tan(): pytest.skip("flaky")

@pytest.mark.skip(reason="fft not found in array module")
def test_fft(): pass

@pytest.mark.xfail(reason="known")
def test_sqrt(): assert False

@pytest.mark.xfail(strict=True, reason="known")
def test_abs(): pass

def test_acos(): os._exit(7)

def test_environment(pytestconfig):
    assert pytestconfig.getoption("--max-examples") == 7
    assert pytestconfig.getoption("--disable-deadline")
    assert os.environ["ARRAY_API_TESTS_MODULE"] == "little_namespace"
    assert os.environ["ARRAY_API_TESTS_VERSION"] == "2025.12"
    assert os.environ["ARRAY_API_TESTS_SKIP_DTYPES"] == "float64,complex128"
    assert "PYTEST_ADDOPTS" not in os.environ

@pytest.mark.parametrize("case", ["round(x_i.is_integer()) -> x_i", "round(x_i is NaN) -> NaN"])
def test_unary(case): assert not "wrong"

@pytest.mark.parametrize("error", [BufferError, ValueError])
def test_dunder_dlpack(error): raise error("no copy")
"""

NAMESPACE = """
from types import SimpleNamespace
__version__ = "1.2"
bool = int8 = int16 = int32 = int64 = uint8 = uint16 = uint32 = uint64 = float32 = complex64 = 0

def zeros(shape, device=None):
    return SimpleNamespace(device="toaster", __dlpack_device__=lambda: (2, 0))

nameless = SimpleNamespace(bool=0)
named = SimpleNamespace(bool=0, __name__="named")
"""

VERDICTS = {
    "test_exp": "passed",
    "test_log": "failed",
    "test_sin": "raised",
    "test_cos[setup]": "raised",
    "test_tan": "recorded",
    "test_fft": "unsupported",
    "test_sqrt": "recorded",
    "test_abs": "failed",
    "test_acos": "crashed",
    "test_environment": "passed",
    "test_unary[round(x_i.is_integer()) -> x_i]": "recorded",
    "test_unary[round(x_i is NaN) -> NaN]": "failed",
    "test_dunder_dlpack[BufferError]": "recorded",
    "test_dunder_dlpack[ValueError]": "raised",
}


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small suite, and a namespace for it on the path."""
    files = {
        "suite/conftest.py": CONFTEST,
        "suite/pytest.ini": "[pytest]\n",
        "suite/array_api_tests/__init__.py": "",
        "suite/array_api_tests/test_it.py": TESTS,
        "suite/array-api/spec/README": "",
        "suite/skips.txt": "array_api_tests/test_it.py::test_log\n",
        "path/little_namespace.py": NAMESPACE,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    paths = [str(tmp_path / "path"), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")  # the user's, and not for the suite
    monkeypatch.delenv("ARRAY_API_TESTS", raising=False)
    return tmp_path / "suite"


def run(suite: Path, *arguments: str, namespace: str = "little_namespace") -> int:
    return main(["run", namespace, "--layer=official", f"--suite={suite}", *arguments])


def files_of(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def test_verdicts_messages_and_reports(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files_of(suite)
    assert run(suite, "--examples=7", f"--report={tmp_path / 'out'}") == 1
    assert files_of(suite) == before  # no bytecode, caches or examples are left in it

    document = results.load(tmp_path / "out" / "results.json")
    rows: dict[str, dict[str, Any]] = {
        row["name"].removeprefix("array_api_tests/test_it.py::"): row
        for row in document["devices"]["default"]["outcomes"]
    }
    assert {name: row["verdict"] for name, row in rows.items()} == VERDICTS
    assert {row["layer"] for row in rows.values()} == {"official"}
    log = rows["test_log"]
    assert (log["chapter"], log["function"]) == ("elementwise_functions", "log")
    assert log["message"] == "AssertionError: out=10, but should be less"
    assert "x=10" in log["given"]
    assert rows["test_sin"]["message"] == "TypeError: not today; second line"
    assert rows["test_cos[setup]"]["message"] == "RuntimeError: no fixture"
    assert rows["test_tan"]["message"] == "skipped by the suite: flaky"
    assert rows["test_sqrt"]["message"] == "expected to fail by the suite: known"
    assert "exit code 7" in rows["test_acos"]["message"]
    assert "known defect of the suite" in rows["test_dunder_dlpack[BufferError]"]["message"]

    environment = document["environment"]["array-api-tests on default"]
    assert "7 examples" in environment
    assert "without float64, complex128" in environment
    shown = capsys.readouterr()
    assert "revision unknown; results are stated for 55fcc60" in shown.err
    assert "14 of 14, 7 failures" in shown.err


@pytest.mark.parametrize(("pattern", "code"), [("exp", 0), ("*test_sin", 1), ("nothing", 2)])
def test_functions_and_exit_codes(suite: Path, pattern: str, code: int) -> None:
    assert run(suite, f"--functions={pattern}", "--examples=7", "--jobs=1") == code


def test_both_layers_join_in_a_report_and_in_a_gate(suite: Path, tmp_path: Path) -> None:
    layers = ["--layer=own", f"--report={tmp_path / 'out'}", "--functions=exp", "--topics=names"]
    run(suite, *layers)
    file = tmp_path / "out" / "results.json"
    rows = json.loads(file.read_text())["devices"]["default"]["outcomes"]
    assert {row["layer"] for row in rows} == {"own", "official"}


def test_lists_of_expected_failures_are_read_for_the_layers_and_consumers_that_were_run() -> None:
    names = ["names/exp", "array_api_tests/test_it.py::test_exp", "scipy.fft/x", "sklearn.utils/y"]
    assert official.of_sources(names, ["names/sin"]) == names[:1]
    assert official.of_sources(names, ["array_api_tests/z"]) == names[1:2]
    assert official.of_sources(names, ["scipy.stats/z", "scipy.io/z"]) == names[2:3]
    assert official.of_sources(names, ["array_api_extra.tests/z"]) == []
    assert official.of_sources(names, reversed(names)) == names


@pytest.mark.parametrize(
    ("arguments", "namespace", "message"),
    [
        ([], "no_such_namespace", "cannot load the namespace"),
        ([], "little_namespace:nameless", "takes modules, or what has a __name__"),
        (["--device=oven"], "little_namespace", "tests the default device, which is toaster"),
        (["--suite=nowhere"], "little_namespace", "numr-conformance fetch"),
    ],
)
def test_what_the_suite_cannot_test_is_bad_usage(
    suite: Path,
    arguments: list[str],
    namespace: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(suite, *arguments, namespace=namespace) == 2
    assert message in capsys.readouterr().err


def test_an_expression_with_a_name_is_handed_on(suite: Path) -> None:
    test = """
        import os
        def test_it():
            script = os.environ["ARRAY_API_TESTS_MODULE"]
            found = {}
            exec(script.removeprefix("exec('").removesuffix("')"), found)  # as the suite does
            assert found["xp"].__name__ == "named"
        """
    lines = "\n".join(line.removeprefix(" " * 8) for line in test.splitlines())
    (suite / "array_api_tests" / "test_it.py").write_text(lines)
    assert run(suite, namespace="little_namespace:named") == 0


def test_a_suite_that_cannot_be_loaded(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (suite / "array_api_tests" / "test_it.py").write_text("import no_such_module")
    assert run(suite) == 2
    assert "No module named 'no_such_module'" in capsys.readouterr().err
    (suite / "conftest.py").write_text("import no_such_conftest_module")
    assert run(suite) == 2
    assert "No module named 'no_such_conftest_module'" in capsys.readouterr().err


def test_missing_packages_are_named(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(official, "find_spec", lambda name: None if name == "ndindex" else name)
    with pytest.raises(official.CannotRun, match="needs ndindex"):
        official.OfficialRunner("little_namespace", suite=suite).__enter__()


def test_the_suite_is_found(suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(official.CannotRun, match="no checkout"):
        official.find_suite()
    fetched = tmp_path / "cache" / "numr-conformance" / "array-api-tests"
    fetched.parent.mkdir(parents=True)
    fetched.symlink_to(suite)
    assert official.find_suite() == suite
    monkeypatch.setenv("ARRAY_API_TESTS", str(tmp_path))
    with pytest.raises(official.CannotRun, match=r"\(of ARRAY_API_TESTS\)"):
        official.find_suite()
    assert official.find_suite(suite) == suite
    (suite / "array-api" / "spec" / "README").unlink()
    (suite / "array-api" / "spec").rmdir()
    with pytest.raises(official.CannotRun, match="submodule update --init"):
        official.find_suite(suite)


@pytest.mark.parametrize(
    ("test", "chapter", "function"),
    [
        ("test_special_cases.py::test_unary[exp(x_i is -0) -> 1]", "elementwise_functions", "exp"),
        ("test_special_cases.py::test_iop[__iadd__(x1_i is NaN) -> NaN]", "array_methods",
         "__iadd__"),
        ("test_has_names.py::test_has_names[linalg-inv]", "linalg", "linalg.inv"),
        ("test_has_names.py::test_has_names[array_attribute-shape]", "array_attributes", "shape"),
        ("test_linalg.py::test_vecdot_conj", "linear_algebra_functions", "vecdot"),
        ("test_linalg.py::test_linalg_vecdot", "linalg", "linalg.vecdot"),
        ("test_linalg.py::test_eigh", "linalg", "linalg.eigh"),
        ("test_fft.py::test_rfft", "fft", "fft.rfft"),
        ("test_array_object.py::test_getitem_masking", "array_methods", "__getitem__"),
        ("test_dlpack.py::test_dunder_dlpack", "array_methods", "__dlpack__"),
        ("test_constants.py::test_irrational_numbers[pi-3.14]", "constants", "pi"),
        ("test_data_type_functions.py::TestResultType::test_shuffled", "data_type_functions", ""),
        ("test_new.py::test_new", "official", ""),
    ],
)  # fmt: skip
def test_ids_tell_what_tests_are_about(test: str, chapter: str, function: str) -> None:
    assert about(f"array_api_tests/{test}") == (chapter, function)


def test_defects_of_the_suite_depend_on_the_device_and_the_error() -> None:
    test = "array_api_tests/test_dlpack.py::test_dunder_dlpack"
    gpu, cpu = Facts(has_float64=True, on_cpu=False), Facts(has_float64=True, on_cpu=True)
    assert defect_of_suite(test, BufferError(), gpu) == DEFECTS[1].reason
    assert defect_of_suite(test, ExceptionGroup("", [BufferError()]), gpu) == DEFECTS[1].reason
    assert not defect_of_suite(test, ExceptionGroup("", [BufferError(), TypeError()]), gpu)
    assert not defect_of_suite(test, BufferError(), cpu)
    assert not defect_of_suite(test, TypeError(), gpu)


def test_importing_the_command_imports_neither_pytest_nor_hypothesis() -> None:
    code = "import sys, numr_conformance.cli as c; print({'pytest', 'hypothesis'} & {*sys.modules})"
    environment = {**os.environ, "PYTHONPATH": str(Path(official.__file__).parent.parent)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True,
                          capture_output=True, text=True)  # fmt: skip
    assert done.stdout.strip() == "set()"
