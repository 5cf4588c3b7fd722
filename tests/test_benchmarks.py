"""The benchmarks run and calculate rightly; nothing here depends on how fast anything is."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from xml.etree import ElementTree

import pytest

from numr_api._declare import OPS

ROOT = Path(__file__).parent.parent


@pytest.fixture
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    monkeypatch.syspath_prepend(ROOT)
    return {
        name: import_module(f"tests.benchmarks.{name}")
        for name in ("timing", "cuda_timing", "small", "large")
    }


def test_ratios_and_differences_are_taken_within_rounds(benchmarks: dict[str, ModuleType]):
    times = benchmarks["timing"].Times({"slow": [2.0, 30.0, 6.0], "fast": [1.0, 10.0, 2.0]})
    assert times.ratio("slow", "fast") == 3.0  # of 2, 3, 3; that of the medians too, by 6 / 2
    assert times.difference("slow", "fast") == 4.0  # of 1, 20, 4
    assert times.median("fast") == 2.0
    assert times.minimum("slow") == 2.0


def test_rounds_end_at_the_limit_but_not_before_the_third(benchmarks: dict[str, ModuleType]):
    timing = benchmarks["timing"]
    timers = {"sum": timing.timer("sum(numbers)", {"numbers": range(1000)})}
    assert len(timing.interleave(timers, 5).seconds["sum"]) == 5
    assert len(timing.interleave(timers, 5, limit=0.0).seconds["sum"]) == 3
    assert len(timing.interleave(timers, 1, limit=0.0).seconds["sum"]) == 1


def test_slow_first_call_does_not_count_as_the_usual_one(benchmarks: dict[str, ModuleType]):
    timing = benchmarks["timing"]
    calls = []

    def function() -> None:
        calls.append(sum(range(1 if calls else 10**6)))

    timer = timing.timer("function()", {"function": function})
    assert timing.repetitions(timer, 200e-6) > 20
    assert timing.repetitions(timer, 0.0) == 1


def test_only_what_other_libraries_lack_is_left_out_on_cuda(
    benchmarks: dict[str, ModuleType], capsys: pytest.CaptureFixture[str]
):
    def refuse() -> None:
        raise TypeError("complex numbers have no order")

    known = benchmarks["cuda_timing"].known
    assert list(known({"numr_api": int, "torch": refuse, "cupy": int}, "sort")) == [
        "numr_api",
        "cupy",
    ]
    told = capsys.readouterr().err
    assert told == "sort: not by torch: TypeError: complex numbers have no order\n"
    with pytest.raises(TypeError, match="have no order"):
        known({"numr_api": refuse, "torch": int}, "sort")


def test_times_on_cuda_are_medians_of_rounds_between_events(
    benchmarks: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
):
    clock, calls = [0], []

    class Event:
        def record(self) -> None:
            self.time = clock[0]

        def synchronize(self) -> None:
            pass

    def slow() -> None:
        calls.append("slow")
        clock[0] += 10 * len(calls)  # longer and longer

    def fast() -> None:
        calls.append("fast")
        clock[0] += 1

    cuda = SimpleNamespace(Event=Event, get_elapsed_time=lambda start, end: end.time - start.time)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda))
    times = benchmarks["cuda_timing"].compare({"slow": slow, "fast": fast}, 3, repeat=2)
    assert calls == ["slow", "fast", *(["slow", "slow", "fast", "fast"] * 3)]
    assert times == {"slow": (10 * 7 + 10 * 8) / 2, "fast": 1}


def test_table_is_aligned_markdown(benchmarks: dict[str, ModuleType]):
    text = benchmarks["timing"].table(("name", "time"), [("a", "1.0"), ("longer", "10.0")])
    assert text.splitlines() == [
        "| name   | time |",
        "| ------ | ---: |",
        "| a      |  1.0 |",
        "| longer | 10.0 |",
    ]


def test_small_benchmark_runs(
    benchmarks: dict[str, ModuleType], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    benchmarks["small"].main(["--rounds", "1", "--json", str(tmp_path / "small.json")])
    statements = [row.statement for row in benchmarks["small"].ROWS]
    rows = json.loads((tmp_path / "small.json").read_text())["rows"]
    assert [row["statement"] for row in rows] == statements
    assert all(row["medians"]["ratio"] > 0 for row in rows)
    printed = capsys.readouterr().out
    assert all(f"| {statement} " in printed for statement in statements)


def test_large_benchmark_has_every_elementwise_operation(
    benchmarks: dict[str, ModuleType], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "large.json"
    benchmarks["large"].main(["--size", "10", "--rounds", "1", "--json", str(path)])
    rows = json.loads(path.read_text())["rows"]
    elementwise = {op.name for op in OPS.values() if op.family == "elementwise"}
    assert {row["operation"] for row in rows} == elementwise
    assert len(capsys.readouterr().err.splitlines()) == len(rows)


@pytest.fixture
def cpu(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    monkeypatch.syspath_prepend(ROOT)
    names = ("chart", "cpu_rows", "cpu_speed")
    return {name: import_module(f"tests.benchmarks.{name}") for name in names}


def test_rows_of_the_cpu_are_named_once_and_run_everywhere(cpu: dict[str, ModuleType]):
    found = list(cpu["cpu_rows"].rows())
    assert len({row.name for row in found}) == len(found)
    for row in found:
        assert row.goal > 0
        assert set(row.calls) <= {"usual", "numpy", "torch"}


def test_cpu_is_timed_against_numpy(
    cpu: dict[str, ModuleType], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    report, drawing = tmp_path / "speed.json", tmp_path / "speed.svg"
    options = ["--rounds", "1", "--threads", "1", "--without", "torch", "jax", "--json"]
    cpu["cpu_speed"].main(["sort int8", *options, str(report), "--chart", str(drawing)])
    (row,) = json.loads(report.read_text())["rows"]
    seconds = row["seconds"]
    expected = seconds["numpy"]["minimum"] / seconds["numr_api"]["minimum"]
    assert row["times_as_fast"] == {"numr_api": pytest.approx(expected)}
    assert row["met"] == (expected >= row["goal"])
    assert "stable sort int8 10^6" in capsys.readouterr().out
    assert "stable sort int8 10^6" in drawing.read_text()


def test_bars_begin_at_one_and_grow_to_both_sides(cpu: dict[str, ModuleType]):
    text = cpu["chart"].bars("<speed>", [("a & b", {"ours": 4.0, "other": 0.25}), ("c", {})])
    root = ElementTree.fromstring(text)
    drawn = [x for x in root.iter("{http://www.w3.org/2000/svg}rect") if len(x)]
    left, width = ([float(x.attrib[name]) for x in drawn] for name in ("x", "width"))
    assert left[0] == pytest.approx(left[1] + width[1])
    assert width[0] == pytest.approx(width[1])
    assert "a & b" in "".join(root.itertext())
    assert "<speed>" in "".join(root.itertext())
