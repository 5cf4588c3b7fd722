"""JUnit XML, the form that CI services show: one test case a check, one suite a column."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from numr_conformance.check import Outcome
from numr_conformance.report.summary import Column

ELEMENTS = {  # what each verdict but "passed" becomes
    "failed": "failure",
    "raised": "error",
    "timeout": "error",
    "crashed": "error",
    "unsupported": "skipped",
    "recorded": "system-out",
}


def render(columns: Sequence[Column]) -> str:
    """The file's text."""
    root = ET.Element("testsuites", {"name": "numr_conformance", **_counts(columns)})
    for column in columns:
        suite = ET.SubElement(root, "testsuite", {"name": column.label, **_counts([column])})
        if column.environment:  # an empty element is not valid
            properties = ET.SubElement(suite, "properties")
            for name, value in column.environment.items():
                ET.SubElement(properties, "property", name=name, value=value)
        for outcome in column.outcomes:
            _add_case(suite, outcome)
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, "unicode") + "\n"


def _add_case(suite: ET.Element, outcome: Outcome) -> None:
    case = ET.SubElement(
        suite,
        "testcase",
        classname=".".join(part for part in (outcome.chapter, outcome.function) if part),
        name=outcome.name,
        time=f"{outcome.seconds:.3f}",
    )
    if outcome.verdict == "passed":
        return
    element = ELEMENTS[outcome.verdict]
    if element == "system-out":
        ET.SubElement(case, element).text = outcome.message
        return
    found = ET.SubElement(case, element, message=outcome.message, type=outcome.verdict)
    parts = ("given", "expected", "actual")
    lines = [f"{part}: {getattr(outcome, part)}" for part in parts if getattr(outcome, part)]
    found.text = "\n".join(lines) or None


def _counts(columns: Sequence[Column]) -> dict[str, str]:
    outcomes = [outcome for column in columns for outcome in column.outcomes]
    elements = [ELEMENTS.get(outcome.verdict) for outcome in outcomes]
    return {
        "tests": str(len(outcomes)),
        "failures": str(elements.count("failure")),
        "errors": str(elements.count("error")),
        "skipped": str(elements.count("skipped")),
        "time": f"{sum(outcome.seconds for outcome in outcomes):.3f}",
    }
