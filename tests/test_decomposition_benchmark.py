"""The accuracy study of decompositions finds what is wrong, and nothing where all is right."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api.extensions.errors import Unsupported

ROOT = Path(__file__).parent.parent


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    return import_module("tests.benchmarks.decompositions")


@pytest.fixture
def families(study: ModuleType) -> ModuleType:
    return import_module("tests.benchmarks.matrix_families")


def replaced(study: ModuleType, function: str, ours: Callable[..., Any]) -> list[Any]:
    """The studies, one of them with another function in numr_api's place."""
    return [study.replace(one, ours=ours) if one.name == function else one for one in study.STUDIES]


def test_all_is_right_on_the_cpu(
    study: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "found.json"
    assert study.main(["--size", "1", "2", "7", "--json", str(path)]) == 0
    rows = json.loads(path.read_text())["rows"]
    assert {row["function"] for row in rows} == {one.name for one in study.STUDIES}
    assert {row["dtype"] for row in rows} == set(study.DTYPES)
    assert all(0 <= row["ratio"] < 10 for row in rows)
    printed, progress = capsys.readouterr()
    assert printed.count("| function ") == len(study.DTYPES)
    assert len(progress.splitlines()) == len(study.DTYPES) * len(study.STUDIES)


def spoilt(result: Any, part: int) -> Any:
    """A result of which one element of a part is off by a thousandth of its largest."""
    parts = list(result) if isinstance(result, tuple) else [result]
    x = parts[part]
    index = (..., 0, 0) if x.ndim >= 2 else (..., 0) if x.ndim else ()
    parts[part] = xp.asarray(x, copy=True)
    parts[part][index] = x[index] + 1e-3 * xp.max(xp.abs(x))
    return tuple(parts) if isinstance(result, tuple) else parts[0]


@pytest.mark.parametrize(
    ("function", "part"),
    [
        *[("qr reduced", 0), ("qr complete", 1), ("svd", 0), ("svd", 1), ("svd full", 2)],
        *[("eigh", 0), ("eigh", 1), ("eigvalsh", 0), ("svdvals", 0), ("cholesky", 0)],
        *[("solve", 0), ("inv", 0), ("det", 0), ("slogdet", 0), ("slogdet", 1), ("pinv", 0)],
    ],
)
def test_a_fault_is_found(
    study: ModuleType, monkeypatch: pytest.MonkeyPatch, function: str, part: int
) -> None:
    ours = next(one.ours for one in study.STUDIES if one.name == function)
    faulty = replaced(study, function, lambda *given: spoilt(ours(*given), part))
    monkeypatch.setattr(study, "STUDIES", faulty)
    assert study.main(["--function", function, "--size", "4", "--family", "random"]) == 1


def test_nan_and_refusals_are_faults(study: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(x: Any) -> Any:
        raise ValueError("no")

    for ours in (refusing, lambda x: xp.linalg.svdvals(x) * float("nan")):
        monkeypatch.setattr(study, "STUDIES", replaced(study, "svdvals", ours))
        assert study.main(["--function", "svdvals", "--size", "3", "--family", "random"]) == 1


def test_a_fault_of_stacks_alone_is_found(
    study: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def svdvals(x: Any) -> Any:
        return xp.linalg.svdvals(x[:1, ...] + 0 * x if x.ndim == 3 else x)

    monkeypatch.setattr(study, "STUDIES", replaced(study, "svdvals", svdvals))
    assert study.main(["--function", "svdvals", "--size", "3"]) == 1
    assert "in a stack" in capsys.readouterr().out


def test_what_a_device_lacks_is_listed(
    study: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(x: Any) -> Any:
        raise Unsupported("qr")

    monkeypatch.setattr(study, "STUDIES", replaced(study, "qr reduced", missing))
    assert study.main(["--function", "qr reduced", "--size", "3"]) == 0
    assert "| qr reduced | not on this device " in capsys.readouterr().out


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_families_are_what_they_say(families: ModuleType, dtype: str) -> None:
    eps = float(np.finfo(dtype).eps)

    def singular(name: str, kind: str = "any") -> Any:
        return families.matrix_of(name, kind, (12, 12), dtype).singular_values

    deficient = singular("rank-deficient") / singular("rank-deficient")[0]
    assert deficient[5] > 0.01
    assert deficient[6] < 20 * eps
    assert np.allclose(singular("orthogonal"), 1, atol=20 * eps)
    assert np.allclose(singular("orthogonal", "Hermitian"), 1, atol=20 * eps)
    assert singular("ill 1e3")[0] / singular("ill 1e3")[-1] == pytest.approx(1e3, rel=1e-3)
    assert not singular("zero").any()
    pairs = families.matrix_of("pairs", "Hermitian", (12, 12), dtype).exact_eigenvalues
    assert np.allclose(pairs, -pairs[::-1], atol=100 * eps)
    clustered = families.matrix_of("clustered", "Hermitian", (12, 12), dtype).exact_eigenvalues
    assert np.allclose(clustered, [0.5] * 6 + [1] * 6, atol=100 * eps)
    for kind in ("Hermitian", "positive"):
        for name in families.FAMILIES:
            host = families.family(name, kind, (12, 12), dtype)
            assert host is None or np.array_equal(host, np.conj(host.T)), name


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name", ["random", "rank-deficient", "pairs", "zero"])
def test_values_in_long_double(families: ModuleType, dtype: str, name: str) -> None:
    """By what holds of them: sums of powers are traces."""
    long_double = families.long_double
    for shape in ((1, 1), (5, 5), (6, 3), (3, 8)):
        matrix = families.matrix_of(name, "any", shape, dtype)
        found = long_double.singular_values(matrix.wide)
        assert np.allclose(found.astype(float), matrix.singular_values, atol=1e-14)
        x = matrix.wide.astype(np.clongdouble)
        square = x @ np.conj(x.T)
        assert abs(np.sum(found**4) - np.sum(np.abs(square) ** 2)) <= 1e-17 * np.sum(found**4)
    matrix = families.matrix_of(name, "Hermitian", (7, 7), dtype)
    found = long_double.eigenvalues(matrix.wide)
    x = matrix.wide.astype(np.clongdouble)
    assert np.allclose(found.astype(float), np.linalg.eigvalsh(matrix.wide), atol=1e-14)
    size = np.sum(np.abs(found) ** 3)
    assert abs(np.sum(found**3) - np.trace(x @ x @ x)) <= 1e-17 * size


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_determinants_of_reference(families: ModuleType, dtype: str) -> None:
    matrix = families.matrix_of("random", "any", (9, 9), dtype)
    sign, logarithm = matrix.sign_and_logarithm
    expected = np.linalg.slogdet(matrix.host)
    assert abs(sign - expected.sign) < 1e-12
    assert abs(logarithm - expected.logabsdet) < 1e-12
