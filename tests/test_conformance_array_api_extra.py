"""numr_conformance and the tests of array-api-extra, here those of a small checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from numr_conformance import consumers
from numr_conformance.consumers import ConsumersRunner
from numr_conformance.runner import CannotRun

CONFTEST = """
import importlib
from enum import Enum
import pytest

class Backend(Enum):
    ARRAY_API_STRICT = "array_api_strict"
    ARRAY_API_STRICTEST = "array_api_strict:strictest"
    NUMPY = "numpy"
    JAX = "jax.numpy"

@pytest.fixture(params=[pytest.param(b, id=b.name.lower()) for b in Backend])
def library(request):
    return request.param

@pytest.fixture
def xp(library):
    return importlib.import_module(library.value)

@pytest.fixture
def device(xp):
    return xp.Device("device1")
"""
TESTS = """
import warnings
import pytest
from array_api_extra import one

def test_one(xp):
    assert one(xp) == 1
    assert xp.__name__ in ("numr_api", "array_api_strict")

def test_device(xp, device):
    assert xp.zeros(1, device=device).device == "fake:0"

def test_cpu(xp, device):
    assert xp.zeros(1, device=device).device == "cpu"

def test_warns(xp):  # a warning is an error, as the checkout's configuration says
    with pytest.raises(UserWarning):
        warnings.warn("it")

def test_of_no_namespace():
    raise AssertionError
"""
FILES = {
    "pyproject.toml": '[tool.pytest.ini_options]\nfilterwarnings = ["error"]\n',
    "src/array_api_extra/__init__.py": "__all__ = ['one']\ndef one(xp): return 1\n",
    "tests/__init__.py": "",
    "tests/main/__init__.py": "",
    "tests/main/conftest.py": CONFTEST,
    "tests/main/test_one.py": TESTS,
    "tests/other/test_other.py": "raise RuntimeError('xp')",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "checkout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("ARRAY_API_EXTRA", str(tmp_path / "checkout"))
    return tmp_path / "checkout"


def run(namespace: str = "numr_api", device: str = "cpu", **more: Any) -> dict[str, str]:
    with ConsumersRunner(namespace, device, consumer="array_api_extra", jobs=1, **more) as runner:
        assert runner.describe().startswith("array-api-extra unknown")  # no commit: not of git
        return {x.name: x.verdict for x in runner}


@pytest.mark.parametrize("masquerade", [False, True])
def test_a_checkouts_tests_run_in_the_place_of_array_api_strict(
    folder: Path, masquerade: bool
) -> None:
    before = sorted(folder.rglob("*"))
    start = "array_api_extra.tests/test_one.py::"
    assert run(masquerade=masquerade, second_device="fake:0") == {
        f"{start}test_one[xp]": "passed",
        f"{start}test_device[xp]": "passed",
        f"{start}test_cpu[xp]": "failed",
        f"{start}test_warns[xp]": "passed",
    }
    assert run(masquerade=masquerade, functions="*_cpu*") == {f"{start}test_cpu[xp]": "passed"}
    assert sorted(folder.rglob("*")) == before


def test_where_the_checkout_is_looked_for(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert consumers.checkout() == folder
    assert "array_api_extra" in consumers.installed()
    monkeypatch.setenv("ARRAY_API_EXTRA", str(tmp_path))
    with pytest.raises(CannotRun, match="is no checkout of array-api-extra"):
        consumers.checkout()
    monkeypatch.delenv("ARRAY_API_EXTRA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert consumers.checkout() is None
    with pytest.raises(CannotRun, match="array-api-extra is not here: clone it"):
        run()
    (tmp_path / "cache" / "numr-conformance").mkdir(parents=True)
    folder.rename(tmp_path / "cache" / "numr-conformance" / "array-api-extra")
    assert consumers.checkout() == tmp_path / "cache" / "numr-conformance" / "array-api-extra"
