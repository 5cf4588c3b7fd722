"""numr_conformance and the tests of SciPy, scikit-learn and array-api-extra, run with a namespace.

Where it does not matter whose tests they are, a small package takes the place of scikit-learn.
That of array-api-extra stands in test_conformance_array_api_extra.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from numr_conformance import consumers
from numr_conformance.check import Outcome
from numr_conformance.consumers import ConsumersRunner
from numr_conformance.runner import CannotRun
from numr_conformance.stand_in import let_scipy_know

SCIPY = ("scipy.cluster", "scipy.constants")
FUNCTIONS = "scipy.c*.[cw]*[entp]"  # one in constants, others in cluster

# scikit-learn as far as its tests are concerned: where their devices come from, and some tests.
LIBRARY = """
import importlib, unittest
from sklearn.utils import _array_api

def _array_api_for_tests(array_namespace, device_name=None, dtype_name=None):
    xp = importlib.import_module(array_namespace)
    if dtype_name == "float64" and "float64" not in xp.__array_namespace_info__().dtypes():
        raise unittest.SkipTest("array_api_strict does not support float64 on device None")
    named = array_namespace == "array_api_strict" and device_name
    return xp, xp.Device(device_name) if named else device_name

def accuracy_score(x): pass
"""
LISTS = """
from collections import namedtuple
NamespaceAndDevice = namedtuple("NamespaceAndDevice", ["xp", "device"])

def yield_namespaces(include_numpy_namespaces=True):
    yield from ["numpy", "array_api_strict"]

def yield_namespace_device_dtype_combinations(include_numpy_namespaces=True):
    yield "numpy", None, None
    yield "array_api_strict", "CPU_DEVICE", "float64"
    yield "array_api_strict", "device1", "float32"

def yield_mixed_namespace_input_permutations():
    yield NamespaceAndDevice("array_api_strict", "device1"), NamespaceAndDevice("numpy", None), "it"
"""
TESTS = """
import os, random, sys
import numpy as np
import pytest
from sklearn.utils import _testing as t
from sklearn.utils._array_api import *
combination = pytest.mark.parametrize(
    ("namespace", "device", "dtype"), yield_namespace_device_dtype_combinations())
mixed = pytest.mark.parametrize(
    ("one", "other"), [pytest.param(*pair, id=words)
                       for *pair, words in yield_mixed_namespace_input_permutations()])
strict = pytest.mark.parametrize("namespace", ["array_api_strict"])

@combination
def test_accuracy_score(namespace, device, dtype):
    xp, device = t._array_api_for_tests(namespace, device_name=device, dtype_name=dtype)
    expected = os.environ.get("EXPECTED_DEVICES", "None,None").split(",")
    assert str(device) == expected[dtype == "float32"]
    found = xp.zeros(1).__array_namespace__()
    assert found.__name__ == os.environ.get("EXPECTED_NAME", "array_api_strict")

@mixed
def test_mixed(one, other):
    for name, device in one, other:
        xp, device = t._array_api_for_tests(name, device_name=device)
        assert xp.__name__ == name
        xp.empty(0, device=device)

@strict
def test_plain(namespace):
    assert 1 == 2
@strict
def test_says(namespace):
    raise AssertionError("\\nNot equal\\n  differs")
@strict
def test_does_not_raise(namespace):
    with pytest.raises(TypeError): pass
@strict
def test_raises(namespace): raise TypeError("not today")
@strict
def test_exits(namespace): os._exit(7)
@strict
def test_skips(namespace): pytest.skip("no torch")
@strict
def test_environment(namespace):
    assert os.environ["SCIPY_ARRAY_API"] == "1"
    assert os.environ["OMP_NUM_THREADS"] == os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert "PYTEST_ADDOPTS" not in os.environ
    assert sys.modules["array_api_strict"].__version__
@strict
def test_numbers_without_a_seed(namespace):
    assert random.random() == random.Random(0).random()
    assert np.random.rand() == np.random.RandomState(0).rand()
@strict
def test_numbers_of_another_test(namespace):
    assert np.random.rand() == np.random.RandomState(0).rand()
@strict
def test_temporary_files(namespace, tmp_path):
    assert tmp_path.is_relative_to(os.environ["TMPDIR"])
"""
VERDICTS = {
    "test_accuracy_score[xp-CPU_DEVICE-float64]": "passed",
    "test_accuracy_score[xp-device1-float32]": "passed",
    "test_plain[xp]": "failed",
    "test_says[xp]": "failed",
    "test_does_not_raise[xp]": "failed",
    "test_raises[xp]": "raised",
    "test_exits[xp]": "crashed",
    "test_skips[xp]": "recorded",
    "test_environment[xp]": "passed",
    "test_numbers_without_a_seed[xp]": "passed",
    "test_numbers_of_another_test[xp]": "passed",
    "test_temporary_files[xp]": "passed",
}

NAMESPACE = """
from types import SimpleNamespace

class Array:
    device, dtype = "toaster", "single"
    def __array_namespace__(self): return good

class HalfArray:
    device, dtype = "toaster", "half"
    def __array_namespace__(self): return halves

class BareArray:
    device = "toaster"
    def __array_namespace__(self): return bare

def zeros(shape, device=None): return Array()
def half_zeros(shape, device=None): return HalfArray()
def bare_zeros(shape, device=None): return BareArray()

good = SimpleNamespace(__name__="good", zeros=zeros, empty=zeros, float32="single",
    __array_namespace_info__=lambda: SimpleNamespace(dtypes=lambda device=None: ["float32"]))
halves = SimpleNamespace(__name__="halves", zeros=half_zeros, empty=half_zeros, float32="single")
bare = SimpleNamespace(__name__="bare", zeros=bare_zeros, empty=bare_zeros, float32="single")
other = SimpleNamespace(__name__="other", zeros=zeros, empty=zeros)
silent = SimpleNamespace(__name__="silent", empty=lambda shape: shape)

class Frozen:
    __slots__ = ()
    __name__ = "frozen"
    def empty(self, shape): return SimpleNamespace(__array_namespace__=lambda: frozen)
frozen = Frozen()
"""


def run(namespace: str, consumer: Any, device: str | None = None, **more: Any) -> list[Outcome]:
    with ConsumersRunner(namespace, device, consumer=consumer, **more) as runner:
        return list(runner)


def refusal(namespace: str, consumer: Any, device: str | None = None, **more: Any) -> str:
    """What is said of a namespace that cannot be tested."""
    with pytest.raises(CannotRun) as caught:
        ConsumersRunner(namespace, device, consumer=consumer, **more).__enter__()
    return str(caught.value)


def verdicts(outcomes: Iterable[Outcome]) -> dict[str, str]:
    return {x.name.rpartition("::")[2]: x.verdict for x in outcomes}


def files_of(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str]], Path]:
    """A function that makes files in a folder from which worker processes import."""

    def make(files: dict[str, str]) -> Path:
        folder = tmp_path / "path"
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
        return folder

    return make


@pytest.fixture
def library(on_path: Callable[[dict[str, str]], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small scikit-learn, and namespaces for it."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")  # the user's, and not for these tests
    return on_path(
        {
            "sklearn/__init__.py": "",
            "sklearn/utils/__init__.py": "",
            "sklearn/utils/_testing.py": LIBRARY,
            "sklearn/utils/_array_api.py": LISTS,
            "sklearn/metrics/__init__.py": "from sklearn.utils._testing import accuracy_score\n"
            "__all__ = ['accuracy_score']\n",
            "sklearn/metrics/tests/__init__.py": "",
            "sklearn/metrics/tests/test_it.py": TESTS,
            "sklearn/metrics/tests/test_other.py": "raise RuntimeError('needless')\n",
            "namespaces.py": NAMESPACE,
        }
    )


# --- SciPy's own tests ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def baseline() -> list[Outcome]:
    """What array_api_strict itself reaches in some tests of SciPy."""
    return run("array_api_strict", "scipy", functions=FUNCTIONS, parts=SCIPY, jobs=1)


def test_a_namespace_runs_the_tests_of_array_api_strict(baseline: list[Outcome]) -> None:
    outcomes = run("numr_api", "scipy", functions=FUNCTIONS, parts=SCIPY, jobs=1)
    assert [x.name for x in outcomes] == [x.name for x in baseline]
    assert {x.function.rpartition(".")[2] for x in outcomes} == {
        "convert_temperature", "cut_tree", "whiten",
    }  # fmt: skip
    assert {x.chapter for x in outcomes} == set(SCIPY)
    assert {x.layer for x in outcomes} == {"consumers"}
    assert [x.verdict for x in outcomes] == [x.verdict for x in baseline]
    assert {x.verdict for x in outcomes} <= {"passed", "recorded"}


def test_a_fault_fails_the_tests_that_need_the_function(
    baseline: list[Outcome], on_path: Callable[[dict[str, str]], Path]
) -> None:
    on_path({"wrong_std.py": "import numr_api as xp\nxp.std = lambda x, **_: xp.asarray(3.0)\n"})
    outcomes = run("wrong_std:xp", "scipy", functions=FUNCTIONS, parts=SCIPY, jobs=1)
    right = {x.name: x.verdict for x in baseline}
    assert {x.name for x in outcomes} == set(right)
    wrong = [x for x in outcomes if x.verdict != right[x.name]]
    assert {x.function for x in wrong} == {"scipy.cluster.vq.whiten"}
    assert "failed" in {x.verdict for x in wrong}


# --- verdicts, on the small library ---------------------------------------------------------------


def test_verdicts_and_messages(library: Path) -> None:
    before = files_of(library)
    outcomes = run("numr_api", "sklearn")
    assert files_of(library) == before  # no bytecode and no caches
    assert verdicts(outcomes) == VERDICTS
    rows = {x.name.rpartition("::")[2]: x for x in outcomes}
    score = rows["test_accuracy_score[xp-device1-float32]"]
    assert score.name.startswith("sklearn.metrics/tests/test_it.py::")
    assert (score.chapter, score.function) == ("sklearn.metrics", "sklearn.metrics.accuracy_score")
    assert rows["test_plain[xp]"].function == "sklearn.metrics"
    assert rows["test_plain[xp]"].message == "AssertionError: assert 1 == 2"
    assert rows["test_says[xp]"].message == "AssertionError:; Not equal; differs"
    assert "DID NOT RAISE" in rows["test_does_not_raise[xp]"].message
    assert rows["test_raises[xp]"].message == "TypeError: not today"
    assert "exit code 7" in rows["test_exits[xp]"].message
    assert rows["test_skips[xp]"].message == "skipped by scikit-learn: no torch"


def test_a_missing_dtype_is_no_failure(library: Path) -> None:
    found = run("namespaces:good", "sklearn", "toaster", functions="*.accuracy_score", jobs=1)
    assert verdicts(found) == {
        "test_accuracy_score[xp-CPU_DEVICE-float64]": "unsupported",
        "test_accuracy_score[xp-device1-float32]": "passed",
    }


def test_own_name_and_default_dtype(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXPECTED_NAME", "good")
    monkeypatch.setenv("EXPECTED_DEVICES", ",toaster")
    more: dict[str, Any] = {"functions": "*.accuracy_score", "jobs": 1}
    with ConsumersRunner(
        "namespaces:good", "toaster", consumer="sklearn", masquerade=False, **more
    ) as runner:
        assert "namespaces:good under its own name" in runner.describe()
        outcomes = list(runner)
    assert verdicts(outcomes) == {"test_accuracy_score[xp-toaster-float32]": "passed"}
    assert {x.device for x in outcomes} == {"toaster"}


def test_own_name_and_second_device(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXPECTED_NAME", "numr_api")
    monkeypatch.setenv("EXPECTED_DEVICES", "cpu,fake:0")
    more: dict[str, Any] = {"masquerade": False, "second_device": "fake:0", "parts": ["sklearn"]}
    assert verdicts(run("numr_api", "sklearn", "cpu", **more)) == {
        "test_accuracy_score[xp-cpu-float64]": "passed",
        "test_accuracy_score[xp-fake:0-float32]": "passed",
        "test_mixed[xp fake:0 to numpy]": "passed",
        "test_mixed[numpy to xp fake:0]": "passed",
        "test_mixed[array_api_strict to xp cpu]": "passed",
    }


def test_own_name_on_a_device_whose_default_is_float32(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXPECTED_NAME", "numr_api")
    monkeypatch.setenv("EXPECTED_DEVICES", ",fake:1")
    more: dict[str, Any] = {"masquerade": False, "functions": "*.accuracy_score", "jobs": 1}
    assert verdicts(run("numr_api", "sklearn", "fake:1", **more)) == {
        "test_accuracy_score[xp-fake:1-float32]": "passed",
    }


def test_second_device_in_the_place_of_that_of_array_api_strict(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXPECTED_DEVICES", "None,fake:0")
    more: dict[str, Any] = {"functions": "*.accuracy_score", "second_device": "fake:0"}
    assert set(verdicts(run("numr_api", "sklearn", "cpu", **more)).values()) == {"passed"}


@pytest.mark.parametrize(
    ("namespace", "device", "message"),
    [
        ("no_such_namespace", None, "cannot load the namespace"),
        ("namespaces:other", None, "the namespace of its arrays is 'good'"),
        ("namespaces:silent", None, "do not tell of their namespace"),
        ("namespaces:frozen", None, "cannot be changed"),
        ("namespaces:good", "oven", "scikit-learn tests the default device, which is toaster"),
    ],
)
def test_what_cannot_be_tested(
    library: Path, namespace: str, device: str | None, message: str
) -> None:
    assert message in refusal(namespace, "sklearn", device)


@pytest.mark.parametrize(
    ("namespace", "message"),
    [
        ("namespaces:halves", "the default dtype of 'namespaces:halves' on toaster is half"),
        ("namespaces:bare", "AttributeError: 'BareArray' object has no attribute 'dtype'"),
    ],
)
def test_a_default_dtype_that_scikit_learn_does_not_test(
    library: Path, namespace: str, message: str
) -> None:
    assert message in refusal(namespace, "sklearn", "toaster", masquerade=False)


def test_a_second_device_that_does_not_exist(library: Path) -> None:
    assert "no device 'fake:9'" in refusal("numr_api", "sklearn", "cpu", second_device="fake:9")


def test_parts_and_tests_that_do_not_exist(library: Path) -> None:
    runner = ConsumersRunner("numr_api", consumer="sklearn", parts=["sklearn.none"], jobs=1)
    with pytest.raises(CannotRun, match=r"no array API tests of sklearn\.none"):
        runner.__enter__()
    (library / "sklearn" / "metrics" / "tests" / "test_it.py").write_text(
        "import no_such_module  # yield_namespace"
    )
    assert "No module named 'no_such_module'" in refusal("numr_api", "sklearn")


@pytest.mark.parametrize(("device", "skips"), [(1, set()), (2, {"mine"})])
def test_tests_for_the_cpu_only_are_skipped_elsewhere(device: int, skips: set[str]) -> None:
    conftest: Any = SimpleNamespace(xp_known_backends=set(), xp_skip_cpu_only_backends=set())
    array = SimpleNamespace(__dlpack_device__=lambda: (device, 0))
    let_scipy_know(conftest, SimpleNamespace(__name__="mine", zeros=lambda _: array))
    assert conftest.xp_known_backends == {"mine"}
    assert conftest.xp_skip_cpu_only_backends == skips


# --- what is installed ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("missing", "rest"), [({"scipy"}, ["sklearn"]), ({"sklearn"}, ["scipy"]), (set(), None)]
)
def test_consumers_that_are_installed(
    missing: set[str], rest: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "find_spec", lambda name: None if name in missing else name)
    monkeypatch.setattr(consumers, "checkout", lambda: None)
    assert consumers.installed() == (rest or ["scipy", "sklearn"])
    described = ConsumersRunner("numpy", consumer="scipy").describe()
    absent = [consumers.PACKAGES[name] for name in consumers.PACKAGES if name in missing]
    assert f"without {', '.join([*absent, 'array-api-extra'])}, not found here" in described
    if "scipy" in missing:
        assert "scipy is not here: install it with pip" in refusal("numpy", "scipy")


@pytest.mark.parametrize(
    ("present", "message"),
    [({"pytest"}, "none of scipy, scikit-learn, array-api-extra"), (set(), "need pytest")],
)
def test_nothing_to_run(present: set[str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "find_spec", lambda name: name if name in present else None)
    monkeypatch.setattr(consumers, "checkout", lambda: None)
    assert message in refusal("numpy", "sklearn")


def test_the_switch_is_a_list_for_scipy_and_one_for_scikit_learn() -> None:
    switches = {
        namespace: json.loads(consumers.environment("scipy", namespace)["SCIPY_ARRAY_API"])
        for namespace in ("numr_api", "numpy")
    }
    assert switches == {"numr_api": ["array_api_strict"], "numpy": ["numpy"]}
    assert consumers.environment("sklearn", "numr_api")["SCIPY_ARRAY_API"] == "1"
