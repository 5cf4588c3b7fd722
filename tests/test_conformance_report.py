"""The reports of numr_conformance: complete, correct and safe, whatever a namespace prints."""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from numr_conformance.report import write
from report_documents import EMPTY, HUGE, OTHER, STRICT, document

DOCUMENTS = {
    "one": [STRICT],
    "two": [STRICT, OTHER],
    "same-twice": [OTHER, OTHER],
    "huge": [HUGE],
    "no-device": [EMPTY],
    "no-check": [document("idle", cpu=[])],
    "none": [],
}


class Page(HTMLParser):
    """What the HTML itself holds, as a browser without scripts shows it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.texts: list[str] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        {"script": self.scripts, "style": self.styles}.get(self._inside, self.texts).append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())

    def cells(self) -> dict[str, str | None]:
        return {a["data-cell"] or "": a["class"] for _, a in self.elements if "data-cell" in a}


def page_of(documents: Any, folder: Path) -> Page:
    return Page(write(documents, folder)[2].read_text(encoding="utf-8"))


@pytest.mark.parametrize("documents", DOCUMENTS.values(), ids=DOCUMENTS)
def test_all_reports_are_written(documents: list[Any], tmp_path: Path):
    written = write(documents, tmp_path / "new" / "folder")
    assert [path.name for path in written] == ["report.junit.xml", "report.md", "report.html"]
    assert all(path.stat().st_size for path in written)
    assert sum(path.stat().st_size for path in written) < 150_000  # huge texts are cut


def test_a_document_may_stand_alone(tmp_path: Path):
    alone, listed = write(STRICT, tmp_path / "a"), write([STRICT], tmp_path / "b")
    assert [p.read_bytes() for p in alone] == [p.read_bytes() for p in listed]


def test_unknown_schema_is_refused(tmp_path: Path):
    with pytest.raises(ValueError, match="schema 2, known is 1"):
        write({**STRICT, "schema": 2}, tmp_path)


def test_missing_jinja2_costs_only_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ModuleNotFoundError, match=r"numr-api\[conformance\]"):
        write(STRICT, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"report.junit.xml", "report.md"}


@pytest.mark.parametrize("documents", DOCUMENTS.values(), ids=DOCUMENTS)
def test_junit_counts_are_those_of_its_elements(documents: list[Any], tmp_path: Path):
    root = ET.parse(write(documents, tmp_path)[0]).getroot()
    for element in (root, *root.iter("testsuite")):
        for attribute, path in (
            ("tests", ".//testcase"),
            ("failures", ".//failure"),
            ("errors", ".//error"),
            ("skipped", ".//skipped"),
        ):
            assert int(element.attrib[attribute]) == len(element.findall(path))
    rows = [r for d in documents for device in d["devices"].values() for r in device["outcomes"]]
    assert int(root.attrib["tests"]) == len(rows)


def test_junit_tells_input_and_result(tmp_path: Path):
    root = ET.parse(write([STRICT, OTHER], tmp_path)[0]).getroot()
    assert [suite.get("name") for suite in root] == ["strict · cpu", "other · cpu", "other · gpu"]
    case = root.find(".//testcase[@name='exp-small']")
    assert case is not None
    assert case.get("classname") == "elementwise_functions.exp"
    assert case.findtext("failure") == "given: exp([7.0])\nexpected: 1e3\nactual: 2"
    assert root.attrib["errors"] == "3"  # crashed, timeout, raised


@pytest.mark.parametrize("documents", DOCUMENTS.values(), ids=DOCUMENTS)
def test_markdown_tables_have_as_many_cells_in_each_row(documents: list[Any], tmp_path: Path):
    text = write(documents, tmp_path)[1].read_text(encoding="utf-8")
    text = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block


def test_markdown_shows_the_smallest_failing_input(tmp_path: Path):
    text = write([STRICT, OTHER], tmp_path)[1].read_text(encoding="utf-8")
    assert "| elementwise_functions | 1 | 1 | 0 | 0 | 2 | 0 | 1 | 5 |" in text
    assert "given    exp([7.0])\nexpected 1e3\nactual   2\n" in text
    assert "exp([1.0, 2.0, 3.0])" not in text
    assert "| exp | 1.5 (0.25) | ∞ (0.25) |" in text


def test_page_shows_all_without_scripts(tmp_path: Path):
    page = page_of([STRICT, OTHER], tmp_path)
    for text in ("exp([7.0])", "1e3", "signal 11", "<img src=x onerror=alert(1)>", "\\x1b[31m"):
        assert text in page.text
    statuses = ["passed", "raised", "unsupported", "failed", "passed", "partial"]
    assert list(page.cells().values())[:6] == statuses  # add and exp, in three columns
    assert "exp, float64: at most ∞ ulp, 0.25 on average" in page.text
    links = {a["href"] for tag, a in page.elements if tag == "a"}
    assert links <= {f"#{a['id']}" for _, a in page.elements if "id" in a}


@pytest.mark.parametrize("documents", DOCUMENTS.values(), ids=DOCUMENTS)
def test_page_needs_nothing_else(documents: list[Any], tmp_path: Path):
    page = page_of(documents, tmp_path)
    for _, attributes in page.elements:
        for name in ("src", "href", "action", "srcset", "data", "poster"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,"))
        assert "url(" not in (attributes.get("style") or "")
        assert not any(name.startswith("on") for name in attributes)
    assert not re.search(r"url\(|@import", "".join(page.styles))
    assert {tag for tag, _ in page.elements}.isdisjoint({"img", "iframe", "object", "embed"})


def test_data_of_the_page_survive_any_text(tmp_path: Path):
    page = page_of([STRICT, OTHER], tmp_path)
    data, code = page.scripts
    assert code.strip() == (Path(write.__code__.co_filename).parent / "page.js").read_text().strip()
    found = json.loads(data)
    assert found.keys() == page.cells().keys()
    assert found["0-1"]["title"] == "add · other · cpu"
    assert found["0-1"]["example"]["message"].startswith("</script><img src=x")
    assert found["0-1"]["example"]["message"].endswith("\\x00\\x1b[31m \\ud800 é∞😀\nnext")


def test_same_namespace_and_device_twice_is_told_apart(tmp_path: Path):
    page = page_of([OTHER, OTHER], tmp_path)
    assert "other · cpu" in page.text
    assert "other (2) · cpu" in page.text
