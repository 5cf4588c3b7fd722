"""The namespace holds the standard's names with the standard's signatures, and no others.

`numr_conformance.standard` holds the standard's names and signatures; nothing here is written by
hand for a single function.
"""

from __future__ import annotations

import inspect
import math
import re
from types import ModuleType
from typing import Any

import pytest
from numr_conformance.standard import ENTRIES, VERSIONS, Entry, names, signature

# Chapters that describe something other than functions of the main namespace.
NOT_IN_MAIN = {"array_methods", "array_attributes", "data_types", "info", "linalg", "fft"}
NOT_FUNCTIONS = {"array_methods", "array_attributes", "constants", "dtypes"}
BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()


CALLABLE = [entry for entry in ENTRIES if entry.parameters is not None]
FUNCTIONS = [entry for entry in CALLABLE if entry.chapter not in {"array_methods", "data_types"}]


def owners(xp: ModuleType, entry: Entry) -> list[Any]:
    """Every object that must offer the entry."""
    match entry.chapter:
        case "array_methods":
            return [xp.asarray(0.0)]
        case "data_types":
            return [xp.float32]
        case "info" if entry.name != "__array_namespace_info__":
            return [xp.__array_namespace_info__()]
        case "linalg" | "fft":
            return [getattr(xp, entry.chapter)]
        case "linear_algebra_functions":
            return [xp, xp.linalg]
        case _:
            return [xp]


def label(entry: Entry) -> str:
    return f"{entry.chapter}.{entry.name}"


def comparable(found: inspect.Signature) -> inspect.Signature:
    """The signature without annotations, and with defaults as text: 0, 0.0 and False differ."""
    return inspect.Signature(
        [
            parameter.replace(
                annotation=inspect.Parameter.empty,
                default=repr(parameter.default)
                if parameter.default is not inspect.Parameter.empty
                else inspect.Parameter.empty,
            )
            for parameter in found.parameters.values()
        ]
    )


def test_text_holds_the_whole_standard():
    # 181 as the standard's pages count: a page for each function, so the four products that linalg
    # repeats count twice, and so do data types' __eq__ and the six of the inspection API.
    assert sum(entry.chapter not in NOT_FUNCTIONS for entry in ENTRIES) == 181
    assert {entry.since for entry in ENTRIES} == set(VERSIONS)


@pytest.mark.parametrize("entry", CALLABLE, ids=label)
def test_signature(xp: ModuleType, entry: Entry):
    expected = comparable(signature(entry))
    for owner in owners(xp, entry):
        found = comparable(inspect.signature(getattr(owner, entry.name)))
        assert found == expected, f"{entry.name}{found}, the standard has {entry.name}{expected}"


def documented_parameters(docstring: str) -> list[str]:
    """The names in the section "Arguments:", where "x1, x2: ..." describes two."""
    section = re.search(r"^Arguments:\n((?: {4}.*\n|\n)*)", docstring + "\n", re.MULTILINE)
    entries = re.findall(r"^ {4}(\w+(?:, \w+)*): ", section[1] if section else "", re.MULTILINE)
    return [name for entry in entries for name in entry.split(", ")]


@pytest.mark.parametrize("entry", FUNCTIONS, ids=label)
def test_docstring_describes_every_parameter_or_says_all_in_a_sentence(
    xp: ModuleType, entry: Entry
):
    function = getattr(owners(xp, entry)[0], entry.name)
    docstring = inspect.getdoc(function)
    assert docstring is not None
    assert documented_parameters(docstring) in ([], list(inspect.signature(function).parameters))


@pytest.mark.parametrize("name", sorted(names("array_attributes")))
def test_array_attribute(xp: ModuleType, name: str):
    # mT is defined for two and more axes, T for exactly two
    assert hasattr(xp.asarray([[0.0]]), name)


@pytest.mark.parametrize("name", BINARY)
def test_reflected_and_in_place_operator(xp: ModuleType, name: str):
    array = type(xp.asarray(0.0))
    assert callable(getattr(array, f"__r{name}__"))
    assert callable(getattr(array, f"__i{name}__"))


def test_namespace_holds_the_standard_and_nothing_else(xp: ModuleType):
    standard = {entry.name for entry in ENTRIES if entry.chapter not in NOT_IN_MAIN}
    ours = {"linalg", "fft", "extensions", "__version__", "__array_api_version__"}
    assert set(dir(xp)) == standard | ours | {"__array_namespace_info__"}


@pytest.mark.parametrize("chapter", ["linalg", "fft"])
def test_chapter_with_its_own_namespace_holds_nothing_else(xp: ModuleType, chapter: str):
    assert set(getattr(xp, chapter).__all__) == names(chapter)


def test_every_listed_name_exists(xp: ModuleType):
    assert [name for name in dir(xp) if not hasattr(xp, name)] == []


def test_constants(xp: ModuleType):
    assert (xp.e, xp.pi, xp.inf, xp.newaxis) == (math.e, math.pi, math.inf, None)
    assert math.isnan(xp.nan)


@pytest.mark.parametrize("version", [None, *VERSIONS])
def test_array_names_its_namespace_for_each_version(xp: ModuleType, version: str | None):
    assert xp.asarray(0.0).__array_namespace__(api_version=version) is xp


@pytest.mark.parametrize("version", ["", "2020.12", "2025", "2026.12"])
def test_other_versions_are_refused(xp: ModuleType, version: str):
    with pytest.raises(ValueError, match=r"2025\.12"):
        xp.asarray(0.0).__array_namespace__(api_version=version)


def test_version_of_the_standard(xp: ModuleType):
    assert xp.__array_api_version__ == "2025.12"
