"""The libraries whose tests are run, as the process that runs them sees them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from numr_conformance import stand_in
from numr_conformance.consumers import PACKAGES, STRICT, Consumer, checkout, name_in_tests
from numr_conformance.consumers_ids import OUTSIDE, name_of
from numr_conformance.official import revision
from numr_conformance.target import Target
from numr_conformance.worker import CannotStart


class Library:
    """What differs between the libraries.

    Arguments:
        namespace: whose tests are run, as the user named it.

    Attributes:
        title: the library's name in words.
        mentioned: what all files with array API tests contain, and few others.
        top: the folder in which the ids of tests begin.
        tests: the folder of the files with tests.
        version: which one it is.
        known_as: what the library's tests call the namespace.
    """

    consumer: Consumer
    title: str
    mentioned: str

    def __init__(self, namespace: str) -> None:
        spec = find_spec(self.consumer)
        if spec is None or spec.origin is None:
            raise CannotStart(f"{self.title} is not installed")
        self.tests = Path(spec.origin).parent
        self.top = self.tests.parent
        self.version = metadata.version(PACKAGES[self.consumer])
        self.known_as = name_in_tests(self.consumer, namespace)

    def introduce(self, target: Target, *, masquerade: bool, second_device: Any) -> str:
        """Have the tests use a namespace that they do not know; returns how, in words."""
        stand_in.put_in_place(target, masquerade=masquerade, second_device=second_device)
        place = "the name" if masquerade else "its own name, in the place"
        return f"{target.name} under {place} of {STRICT}"

    def options(self, scratch: Path) -> Sequence[str]:
        """Options with which pytest chooses tests of the namespace and runs them as the library's.

        Arguments:
            scratch: a folder to write to.
        """
        configuration = scratch / "pytest.ini"
        configuration.write_text("[pytest]\n", encoding="utf-8")
        return [f"--config-file={configuration}", "-Wignore"]

    def choose(self, items: list[pytest.Item], target: Target) -> None:
        """Do what can only be done when pytest has collected the tests; remove others."""

    def name_of(self, test: str) -> str:
        """The name of a test, from pytest's id."""
        return name_of(test, self.known_as)


class SciPy(Library):
    """Its tests have a list of the namespaces in their fixtures, and one of what to skip."""

    consumer = "scipy"
    title = "SciPy"
    mentioned = r"\bxp\b"

    def options(self, scratch: Path) -> Sequence[str]:
        return [*super().options(scratch), "-marray_api_backends"]

    def choose(self, items: list[pytest.Item], target: Target) -> None:
        conftest = sys.modules.get("scipy.conftest")  # loaded by pytest, so not earlier
        if conftest is not None and target.xp is sys.modules.get(STRICT):
            stand_in.let_scipy_know(conftest, target.xp)


class ScikitLearn(Library):
    """Its tests take the namespaces from functions, which can be exchanged."""

    consumer = "sklearn"
    title = "scikit-learn"
    mentioned = "yield_namespace|yield_mixed_namespace"

    def introduce(self, target: Target, *, masquerade: bool, second_device: Any) -> str:
        if not masquerade:
            self.known_as = stand_in.let_sklearn_know(target, second_device)
            return f"{target.name} under its own name"
        stand_in.let_sklearn_use_the_default_device(always=second_device is None)
        return super().introduce(target, masquerade=masquerade, second_device=second_device)

    def options(self, scratch: Path) -> Sequence[str]:
        return [*super().options(scratch), f"-k{self.known_as}"]


class ArrayAPIExtra(Library):
    """Its tests lie in a checkout, which also has the package that is tested."""

    consumer = "array_api_extra"
    title = "array-api-extra"
    mentioned = r"\bxp\b"

    def __init__(self, namespace: str) -> None:
        top = checkout()
        if top is None:
            raise CannotStart(f"there is no checkout of {self.title}")
        self.top, self.tests = top, top / OUTSIDE
        self.version = revision(top)[:7]
        self.known_as = name_in_tests(self.consumer, namespace)
        sys.path.insert(0, str(top / "src"))

    def options(self, scratch: Path) -> Sequence[str]:
        return [f"--config-file={self.top / 'pyproject.toml'}"]  # some of its tests are of warnings

    def choose(self, items: list[pytest.Item], target: Target) -> None:
        items[:] = [item for item in items if self._namespace_of(item) == self.known_as]

    @staticmethod
    def _namespace_of(item: pytest.Item) -> str:
        """What a test is run with; with a tag behind it, such as "numpy:readonly", if changed."""
        parameters: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
        return str(getattr(parameters.get("library"), "value", ""))

    def name_of(self, test: str) -> str:
        return name_of(test, self.known_as.partition(".")[0])  # its ids have "jax" for jax.numpy


LIBRARIES: dict[str, type[Library]] = {
    library.consumer: library for library in (SciPy, ScikitLearn, ArrayAPIExtra)
}
