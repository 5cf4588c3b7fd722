"""What the tests of the official suite are about, and which of its failures are its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

from numr_conformance import standard

PREFIX = "array_api_tests/"  # what all test ids begin with, and no name of another layer does

# The chapters of modules; only needed where the name of a test tells of no function.
_CHAPTERS = {
    "test_array_object": "indexing",
    "test_constants": "constants",
    "test_creation_functions": "creation_functions",
    "test_data_type_functions": "data_type_functions",
    "test_dlpack": "array_methods",
    "test_fft": "fft",
    "test_indexing_functions": "indexing_functions",
    "test_inspection_functions": "info",
    "test_linalg": "linalg",
    "test_manipulation_functions": "manipulation_functions",
    "test_operators_and_elementwise_functions": "elementwise_functions",
    "test_searching_functions": "searching_functions",
    "test_set_functions": "set_functions",
    "test_signatures": "info",
    "test_sorting_functions": "sorting_functions",
    "test_special_cases": "elementwise_functions",
    "test_statistical_functions": "statistical_functions",
    "test_utility_functions": "utility_functions",
}
_EXTENSIONS = ("linalg", "fft")
_KNOWN = frozenset(
    {
        *(e.name for e in standard.ENTRIES if e.chapter not in (*_EXTENSIONS, "data_types")),
        *(f"{e.chapter}.{e.name}" for e in standard.ENTRIES if e.chapter in _EXTENSIONS),
        *standard.IN_PLACE_OPERATORS,
    }
)


def about(test: str) -> tuple[str, str]:
    """The chapter and the function that a test is about, from its id.

    >>> about("array_api_tests/test_special_cases.py::test_unary[exp(x_i is -0) -> 1]")
    ('elementwise_functions', 'exp')

    The function is "" where the id tells of none, and the chapter "official" where it tells
    nothing.
    """
    path, *_, name = test.split("[", 1)[0].split("::")
    module = path.rpartition("/")[2].removesuffix(".py")
    parameters = test.partition("[")[2].removesuffix("]")
    extension = module.removeprefix("test_") if module in ("test_linalg", "test_fft") else ""
    for candidate in (*_from_parameters(parameters), *_from_name(name.removeprefix("test_"))):
        for function in (candidate, f"{extension}.{candidate}", f"__{candidate}__"):
            if function in _KNOWN:
                return standard.chapter_of(function), function
    return _CHAPTERS.get(module, "official"), ""


def _from_parameters(text: str) -> Iterator[str]:
    """``__add__`` of ``__add__(x1, x2)``, ``linalg.inv`` and ``inv`` of ``linalg-inv``."""
    kind, _, rest = text.partition(
        "-"
    )  # rest may be another test's "-0) -> 1]": then it is unknown
    if kind in _EXTENSIONS:
        yield f"{kind}.{rest}"
    yield rest
    match = re.match(r"[\w.]+", text)
    if match is not None:
        yield match[0]


def _from_name(name: str) -> Iterator[str]:
    """``vecdot_conj``, ``vecdot``."""
    words = name.removeprefix("dunder_").replace("linalg_", "linalg.").split("_")
    for length in range(len(words), 0, -1):
        yield "_".join(words[:length])


class Facts(NamedTuple):
    """What the suite's own failures depend on."""

    has_float64: bool
    on_cpu: bool  # the arrays' device is DLPack's kDLCPU


class Defect(NamedTuple):
    """A failure that is the suite's own.

    Attributes:
        tests: a regular expression for the ids.
        error: the type of the exception; any other is the namespace's failure.
        where: the devices that have it.
        reason: what is wrong with the suite.
    """

    tests: str
    error: str
    where: Callable[[Facts], bool]
    reason: str


DEFECTS = (
    Defect(
        r".*::test_unary\[(ceil|floor|round|trunc)\(x_i\.is_integer\(\)\) -> x_i\]",
        "AssertionError",
        lambda device: not device.has_float64,
        "it draws integers that float32 cannot hold, and compares with them",
    ),
    Defect(
        r".*::test_dunder_dlpack(\[.*)?",
        "BufferError",
        lambda device: not device.on_cpu,
        "it does not allow the BufferError for copy=False that the standard demands off cpu",
    ),
)


def defect_of_suite(test: str, error: BaseException, device: Facts) -> str:
    """The reason why a failure is the suite's own, "" if it is none that is known."""
    errors = list(leaves(error))
    return next(
        (
            defect.reason
            for defect in DEFECTS
            if defect.where(device)
            and re.fullmatch(defect.tests, test)
            and all(defect.error in _types(one) for one in errors)
        ),
        "",
    )


def _types(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors that a group holds: hypothesis raises one where it found several."""
    if isinstance(error, BaseExceptionGroup):
        for one in cast("BaseExceptionGroup[BaseException]", error).exceptions:
            yield from leaves(one)
    else:
        yield error
