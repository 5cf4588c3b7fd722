"""What the tests of consumers are called here, and what they are about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

# What names begin with, a prefix for each consumer; no name of another layer does.
PREFIXES = ("scipy.", "sklearn.", "array_api_extra.")
# Tests of array-api-extra, which lie beside the package, are called as if they lay in it.
OUTSIDE, INSIDE = "tests/main/", "array_api_extra/tests/"
ANY = "xp"  # stands for the namespace in names, which so are the same for all namespaces
SHORTEST = 3  # a function's name that is shorter than this is too often a word of something else

Public = Callable[[str], Mapping[str, str]]  # see ``public``


def name_of(test: str, namespace: str) -> str:
    """The name of a test with a namespace, from pytest's id.

    >>> name_of("scipy/special/tests/test_basic.py::test_erf[numpy-float32]", "numpy")
    'scipy.special/tests/test_basic.py::test_erf[xp-float32]'
    """
    if test.startswith(OUTSIDE):
        test = INSIDE + test.removeprefix(OUTSIDE)
    path, bracket, parameters = test.replace("/", ".", 1).partition("[")
    word = rf"(?<![\w.]){re.escape(namespace)}(?![\w.])"
    return path + re.sub(word, ANY, bracket + parameters)


def chapter_of(name: str) -> str:
    """The part of the library: "scipy.special", or "sklearn" for tests beside its parts."""
    part = name.partition("/")[0]
    return part.removesuffix(".tests")


def function_of(name: str, names: Public | None = None) -> str:
    """The function or class that a test is about, else the part of the library.

    Looked at are, in this order, the name of the test's class, that of the test, the beginning of
    the class's, the parameters and the file; each may name something public.
    """
    modules = list(_modules(name))
    for candidate in _candidates(name):
        for module in modules:
            found = (names or public)(module).get(candidate)
            if found:
                return found
    return chapter_of(name)


@cache
def public(module: str) -> Mapping[str, str]:
    """What is public in a module and in the modules that it has: full names by plain ones."""
    try:
        found = import_module(module)
    except ImportError:  # a test file need not be called like a module
        return {}
    names = {_plain(name): f"{module}.{name}" for name in _functions(found)}
    for name, inner in list(vars(found).items()):
        # Modules that only warn that their functions have moved have a __getattr__.
        if (
            isinstance(inner, ModuleType)
            and inner.__name__ == f"{module}.{name}"
            and not name.startswith("_")
            and "__getattr__" not in vars(inner)
        ):
            for function in _functions(inner):
                names.setdefault(_plain(function), f"{inner.__name__}.{function}")
    return names


def _functions(module: ModuleType) -> Iterator[str]:
    listed = getattr(module, "__all__", None)
    for name, value in list(vars(module).items()):
        if name.startswith("_") or not callable(value):
            continue
        if name in listed if listed is not None else _is_of(value, module):
            yield name


def _is_of(value: Any, module: ModuleType) -> bool:
    """Whether something is defined in a module, not only imported by it."""
    return str(getattr(value, "__module__", "")) == module.__name__


def _modules(name: str) -> Iterator[str]:
    """The modules that a test file may be about, the innermost first."""
    path = name.partition("::")[0].removesuffix(".py")
    *packages, file = path.replace("/", ".").split(".")
    if packages[-1] == "tests":
        packages = packages[:-1]
    while packages:
        yield ".".join([*packages, file.removeprefix("test_")])
        yield ".".join(packages)
        packages = packages[:-1] if len(packages) > 2 else []


def _candidates(name: str) -> Iterator[str]:
    """The plain names of what a test may be about, the likeliest first."""
    path, bracket, parameters = name.partition("[")
    file, *classes, test = path.split("::")
    for one in classes:
        yield _plain(one.removeprefix("Test"))
    yield from _beginnings(test.removeprefix("test_"))
    for one in classes:
        yield from _beginnings(one.removeprefix("Test"))
    if bracket:
        yield from map(_plain, re.findall(r"[A-Za-z]\w+", parameters))
    yield _plain(file.rpartition("/")[2].removesuffix(".py").removeprefix("test_"))


def _beginnings(text: str) -> Iterator[str]:
    """``ttestind`` and ``ttest`` of ``ttest_ind`` and of ``TtestInd``; also without numbers."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", text)
    for length in range(len(words), 0, -1):
        plain = _plain("".join(words[:length]))
        for one in (plain, plain.rstrip("0123456789")):
            if len(one) >= SHORTEST:
                yield one


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
