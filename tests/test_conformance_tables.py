"""Digests of results, and the tables that the documentation makes of them."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from numr_conformance import results
from numr_conformance.report import digest
from numr_conformance.report.digest import Digest
from report_documents import NASTY, OTHER, STRICT, document, outcome

ROOT = Path(__file__).parent.parent
COMMITTED = sorted((ROOT / "conformance" / "results").glob("*.json"))
(STRICT_CPU,) = digest.make(STRICT)
OTHER_CPU, OTHER_GPU = digest.make(OTHER)


@pytest.fixture(scope="module")
def tables() -> Any:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import conformance_tables
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return conformance_tables


def dated(name: str, *rows: dict[str, Any], device: str = "cpu") -> Digest:
    made = document(name, **{device: list(rows or [outcome("add")])})
    made["environment"] |= {"date": "2026-01-02T03:04:05+00:00", "numpy": "2.4"}
    (found,) = digest.make(made)
    return found


# --- digests --------------------------------------------------------------------------------------


def test_a_digest_counts_verdicts_by_chapter_and_function():
    assert STRICT_CPU.functions["elementwise_functions"] == {
        "add": {"passed": 1},
        "exp": {"failed": 2, "recorded": 1},
        "sin": {"crashed": 1},
    }
    assert STRICT_CPU.functions["threads"] == {"": {"timeout": 1}}
    assert STRICT_CPU.chapters["elementwise_functions"] == {
        "passed": 1, "failed": 2, "recorded": 1, "crashed": 1,
    }  # fmt: skip
    assert STRICT_CPU.totals.total() == len(STRICT["devices"]["cpu"]["outcomes"])
    assert digest.failures(STRICT_CPU.totals) == 4
    assert STRICT_CPU.accuracy["exp"]["float64"].largest == math.inf
    assert STRICT_CPU.accuracy["exp"]["float32"].mean == 0.25


def test_a_digest_tells_the_status_of_a_function():
    assert STRICT_CPU.status("elementwise_functions", "exp") == "failed"
    assert OTHER_GPU.status("elementwise_functions", "exp") == "partial"
    assert OTHER_GPU.status("elementwise_functions", "add") == "unsupported"
    assert OTHER_GPU.status("elementwise_functions", "sin") == ""
    assert OTHER_GPU.status("fft", "fft.fft") == ""


@pytest.mark.parametrize("found", [STRICT_CPU, OTHER_CPU, OTHER_GPU], ids=lambda d: d.file_name)
def test_a_digest_survives_a_file(found: Digest, tmp_path: Path):
    path = digest.save(found, tmp_path / "new")
    assert path.name == f"{found.namespace}-{found.device}.json"
    assert digest.load(path) == found
    assert NASTY[:20] not in path.read_text(encoding="utf-8")  # no outcome is in it


def test_the_file_of_a_digest_has_a_safe_name_and_no_kernel_in_it(tmp_path: Path):
    made = document('my.lib:f("x")', **{"cuda:0": [outcome("add")]})
    made["environment"]["platform"] = "Linux-6.1.2-build-7-x86_64-with-glibc2.36"
    (found,) = digest.make(made)
    assert digest.save(found, tmp_path).name == "my.lib-f-x--cuda-0.json"
    assert found.environment["platform"] == "Linux-x86_64-with-glibc2.36"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "holds no digest"),
        ("{", "holds no digest"),
        ('{"digest": 99}', "has version 99; known is 1"),
        ('{"digest": 1, "functions": {"fft": {"fft.fft": {"pased": 1}}}}', "unknown verdicts"),
        ('{"digest": 1, "functions": {}}', "holds no digest: KeyError"),
    ],
)
def test_a_damaged_digest_is_refused(text: str, message: str, tmp_path: Path):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(results.BadResults, match=message):
        digest.load(path)
    with pytest.raises(results.BadResults, match="cannot read"):
        digest.load(tmp_path / "none.json")


# --- tables ---------------------------------------------------------------------------------------


def rows(table: str) -> list[list[str]]:
    return [line[2:-2].split(" | ") for line in table.splitlines() if line.startswith("|")]


def test_columns_have_a_fixed_order_with_numr_api_first(tables: Any, tmp_path: Path):
    names = [("torch", "default"), ("zeta", "cpu"), ("numr_api", "webgpu:0"), ("alpha", "cpu"),
             ("numr_api", "cpu"), ("numpy", "default"), ("numr_api", "cuda:0")]  # fmt: skip
    for name, device in names:
        digest.save(dated(name, device=device), tmp_path)
    read = [(d.namespace, d.device) for d in tables.read(tmp_path)]
    assert read == [
        ("numr_api", "cpu"), ("numr_api", "cuda:0"), ("numr_api", "webgpu:0"),
        ("numpy", "default"), ("torch", "default"), ("alpha", "cpu"), ("zeta", "cpu"),
    ]  # fmt: skip
    assert tables.label(tables.read(tmp_path)[1]) == "numr_api<br>cuda:0"
    assert tables.label(tables.read(tmp_path)[3]) == "numpy"


def test_chapters_are_counted_for_each_library(tables: Any):
    head, _, *found = rows(tables.chapters([STRICT_CPU, OTHER_GPU]))
    assert head == ["chapter", "strict<br>cpu", "other<br>gpu"]
    assert ["elementwise functions", "1 / **3**<br>· / 1", "1 / ·<br>2 / ·"] in found
    assert ["threads", "· / **1**<br>· / ·", ""] in found
    assert found[-1] == ["**all**", "3 / **4**<br>· / 1", "2 / ·<br>2 / ·"]


def test_accuracy_has_a_table_for_each_dtype(tables: Any):
    text = tables.accuracy([STRICT_CPU, OTHER_GPU])
    titles = re.findall(r"^### (\w+)$", text, flags=re.MULTILINE)
    assert titles == ["float64", "float32", "complex128", "complex64"]
    assert "| `exp` | ∞ |  |" in text
    assert "| `exp` | 1.5 | 0 |" in text


def test_findings_are_the_functions_that_failed_somewhere(tables: Any):
    text = tables.findings([STRICT_CPU, OTHER_CPU, OTHER_GPU])
    titles = re.findall(r"^### (.+)$", text, flags=re.MULTILINE)
    assert titles == ["Elementwise functions", "Threads"]
    assert [row for row in rows(text) if row[0] not in ("function", "---")] == [
        ["`add`", "✓", "1 of 1", "-"],
        ["`exp`", "2 of 3", "✓", "◐"],
        ["`sin`", "1 of 1", "✓", ""],
        ["general", "1 of 1", "", ""],
    ]
    assert tables.findings([dated("x")]) == "None."


def test_environments_name_date_and_versions(tables: Any):
    (_, _, found) = rows(tables.environments([dated("x|y")]))
    assert found[:4] == ["x\\|y", "cpu", "2026-01-02", "1"]
    assert "2.4" in found


def test_environments_tell_what_was_left_out(tables: Any):
    found = dated("x")
    part = replace(found, environment={**found.environment, "excluded": "linalg.*, fft.*"})
    text = tables.environments([found, part])
    assert text.endswith("\n\nLeft out of x on cpu: `linalg.*`, `fft.*`.")
    assert text.count("Left out") == 1


def test_a_page_gets_its_tables_or_says_that_there_are_none(tables: Any):
    page = "# Title\n\n<!-- chapters -->\n\ntext <!-- chapters -->\n"
    assert "| **all** | 1 / ·<br>· / · |" in tables.render(page, [dated("x")])
    assert "text <!-- chapters -->" in tables.render(page, [dated("x")])
    assert "Nothing was measured" in tables.render(page, [])


def test_each_marker_of_the_page_is_a_table_and_each_table_has_its_marker(tables: Any):
    text = (ROOT / "docs" / "pages" / tables.PAGE).read_text(encoding="utf-8")
    assert re.findall(r"^<!-- (\w+) -->$", text, flags=re.MULTILINE) == [*tables.TABLES]
    rendered = tables.render(text, tables.read())
    assert "<!--" not in rendered
    for block in re.findall(r"(?:^\|.*\n)+", rendered, flags=re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block


# --- measure --------------------------------------------------------------------------------------


@pytest.fixture
def runs(tables: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was run instead of the real command, which fails for "broken"."""
    found: list[Any] = []

    def run(command: list[str], *, env: dict[str, str], **_: Any) -> Any:
        found.append((command[4:], env.get("JAX_ENABLE_X64")))
        namespace, *rest = command[4:]
        options = dict(option.removeprefix("--").split("=", 1) for option in rest)
        made = document(namespace, **{options.get("device", "default"): [outcome("add")]})
        results.save(made, Path(options["report"]) / "results.json")
        return subprocess.CompletedProcess(command, 2 if namespace == "broken" else 1)

    monkeypatch.setattr(tables.subprocess, "run", run)
    monkeypatch.setattr(tables, "FOLDER", tmp_path)
    monkeypatch.delenv("JAX_ENABLE_X64", raising=False)
    return found


def test_measure_keeps_a_digest_of_each_device(tables: Any, runs: list[Any], tmp_path: Path):
    assert tables.main(["measure", "x", "--device", "cuda:0", "--device", "cpu"]) == 0
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["x-cpu.json", "x-cuda-0.json"]
    assert [settings for _, settings in runs] == [None, None]
    assert tables.main(["measure", "broken"]) == 1
    assert not (tmp_path / "broken-default.json").exists()


def test_measure_sets_what_a_namespace_needs_and_tells_so(
    tables: Any, runs: list[Any], tmp_path: Path
):
    assert tables.main(["measure", "jax.numpy"]) == 0
    assert runs[0][1] == "1"
    kept = digest.load(tmp_path / "jax.numpy-default.json")
    assert kept.environment["settings"] == "JAX_ENABLE_X64=1"


def test_measure_passes_on_what_is_left_out_and_tells_so(
    tables: Any, runs: list[Any], tmp_path: Path
):
    options = ["--exclude", "linalg.*", "--exclude", "fft.*", "--patience", "6"]
    assert tables.main(["measure", "x", "--device", "gpu:0", *options]) == 0
    ((command, _),) = runs
    assert [option for option in command if option.startswith(("--exclude", "--patience"))] == [
        "--patience=6", "--exclude=linalg.*", "--exclude=fft.*",
    ]  # fmt: skip
    kept = digest.load(tmp_path / "x-gpu-0.json")
    assert kept.environment["excluded"] == "linalg.*, fft.*"


def test_measure_is_as_patient_as_a_device_needs(
    tables: Any, runs: list[Any], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tables, "PATIENCE", {"x@gpu": 6, "x": 2})
    assert tables.main(["measure", "x", "--device", "gpu:0", "--device", "cpu"]) == 0
    gpu, cpu = (command for command, _ in runs)
    assert "--patience=6" in gpu
    assert "--patience=2" in cpu
    assert not any("--exclude" in option for command in (gpu, cpu) for option in command)


def test_measure_takes_what_is_installed_and_all_devices_of_numr_api(
    tables: Any, runs: list[Any], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tables, "find_spec", lambda name: None if name == "torch" else "found")
    own = {"numr_api": ["cpu", "gpu:0"]}
    monkeypatch.setattr(tables, "devices", lambda name: own.get(name, [None]))
    assert tables.main(["measure"]) == 0
    expected = [name for name in tables.NAMESPACES if name != "torch"]
    assert [command[0] for command, _ in runs] == ["numr_api", *expected]
    assert [command[-1] for command, _ in runs[:2]] == ["--device=cpu", "--device=gpu:0"]
    assert not any("--device" in option for command, _ in runs[2:] for option in command)


def test_all_usable_devices_of_numr_api_are_measured(tables: Any):
    assert "cpu" in tables.devices("numr_api")
    assert tables.devices("numpy") == [None]


# --- what is kept ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_kept_digest_is_complete_and_small(path: Path):
    found = digest.load(path)
    assert found.file_name == path.name
    every, *excluded = found.selection["functions"].split("\n!")
    assert (every, found.selection["topics"]) == ("*", [])
    assert found.environment.get("excluded", "") == ", ".join(excluded)
    assert found.accuracy
    assert path.stat().st_size < 100_000


def test_numr_api_has_no_failure_on_cpu():
    found = digest.load(ROOT / "conformance" / "results" / "numr_api-cpu.json")
    assert digest.failures(found.totals) == 0
    assert found.totals["passed"] > 20_000
