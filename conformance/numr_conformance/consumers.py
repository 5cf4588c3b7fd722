"""The array API tests of SciPy, scikit-learn and array-api-extra, run with a namespace.

These users of the standard have tests that they run with array_api_strict and others. Here they run
with the namespace under test in its place or beside it (see ``stand_in``) in worker processes
(``consumers_worker``), one by one, so that one that hangs or kills its process costs no other test.
Nothing is written beside the libraries' files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, Self

from numr_conformance.official import cache_folder
from numr_conformance.process import python
from numr_conformance.runner import CannotRun, PytestRunner

Consumer = Literal["scipy", "sklearn", "array_api_extra"]
PACKAGES: dict[Consumer, str] = {
    "scipy": "scipy",
    "sklearn": "scikit-learn",
    "array_api_extra": "array-api-extra",
}
_HOW_TO_GET: dict[Consumer, str] = {
    "scipy": "install it with pip",
    "sklearn": "install it with pip",
    "array_api_extra": "clone it, and name the folder with ARRAY_API_EXTRA",
}
STRICT = "array_api_strict"
# The namespaces for which the libraries' own tests need no help.
KNOWN: dict[Consumer, frozenset[str]] = {
    "scipy": frozenset({STRICT, "cupy", "dask.array", "jax.numpy", "numpy", "torch"}),
    "sklearn": frozenset({STRICT, "cupy", "dpnp", "numpy", "torch"}),
    "array_api_extra": frozenset({STRICT, "cupy", "dask.array", "jax.numpy", "numpy", "torch"}),
}


def installed() -> list[Consumer]:
    """The consumers whose tests can be run here, for a ``ConsumersRunner`` each.

    Raises:
        CannotRun: there is none, or no pytest.
    """
    if find_spec("pytest") is None:
        raise CannotRun("the tests of consumers need pytest; install it with pip")
    found: list[Consumer] = [one for one in PACKAGES if _is_here(one)]
    if not found:
        raise CannotRun(f"none of {', '.join(PACKAGES.values())} is installed; use pip")
    return found


def _is_here(consumer: Consumer) -> bool:
    if consumer == "array_api_extra":
        return checkout() is not None
    return find_spec(consumer) is not None


def checkout() -> Path | None:
    """The checkout of array-api-extra, whose tests no package brings.

    It is the one that the variable ARRAY_API_EXTRA names, else the one in the user's cache.

    Raises:
        CannotRun: the variable names something else.
    """
    named = os.environ.get("ARRAY_API_EXTRA")
    folder = Path(named or cache_folder() / "array-api-extra").expanduser().resolve()
    if (folder / "tests" / "main" / "conftest.py").is_file():
        return folder
    if named:
        raise CannotRun(f"ARRAY_API_EXTRA: {named} is no checkout of array-api-extra")
    return None


def parts(consumer: Consumer, topics: Sequence[str]) -> list[str]:
    """Those of some topics that are parts of a library, such as "scipy.fft", or all of it."""
    return [topic for topic in topics if topic.partition(".")[0] == consumer]


def is_known(consumer: Consumer, namespace: str) -> bool:
    """Whether the tests of a library are made for a namespace."""
    return namespace in KNOWN[consumer]


def name_in_tests(consumer: Consumer, namespace: str) -> str:
    """By which name the tests of a library know a namespace."""
    return namespace if is_known(consumer, namespace) else STRICT


def environment(consumer: Consumer, namespace: str) -> dict[str, str]:
    """The variables that a worker needs from its start, since importing NumPy or SciPy reads them.

    SciPy's tests take a list of the namespaces to use. For others the switch must be "1".
    """
    listed = f'["{name_in_tests(consumer, namespace)}"]'
    return {
        "SCIPY_ARRAY_API": listed if consumer == "scipy" else "1",
        # As many workers as processors are busy already.
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


class ConsumersRunner(PytestRunner):
    """Runs the array API tests of one consumer; used like its base class.

    Names of tests have "xp" in the place of the namespace, such as
    "scipy.stats/tests/test_stats.py::TestZmap::test_zmap[xp-0]". They are the same for all
    namespaces for which the library has no tests of their own, and for array_api_strict, whose
    results so are what others can be compared with.

    Arguments:
        device: must be, or become, the default device: most tests name none.
        consumer: whose tests; a process can be set up for one only.
        functions: a pattern of functions, such as "scipy.stats.*", or of names of tests.
        parts: only these parts of the library, such as "scipy.stats"; empty for all.
        masquerade: also claim the name array_api_strict. Without, the tests that are skipped for
            array_api_strict are run, such as those of features that it leaves out on purpose, and
            the libraries take no detours that they have for it. With, which is the default, all is
            as it is for array_api_strict: a test that fails while it passes for array_api_strict
            shows a difference between the two namespaces. Scikit-learn's tests are made for more
            namespaces than they know, so that, without, array_api_strict also keeps its place.
            Without effect on namespaces for which the library has tests of their own.
        second_device: what is in the place of array_api_strict's "device1", on which scikit-learn's
            tests use float32, and array-api-extra's test that results stay where arguments are.
            None: the default device for scikit-learn, the cpu for array-api-extra. Without effect
            on SciPy's tests, which use one device only, and where ``masquerade`` has none.

    Attributes:
        consumer: as above.
    """

    layer = "consumers"
    start_seconds = 600.0  # collecting SciPy's tests takes half a minute on an idle machine

    def __init__(
        self,
        namespace: str,
        device: str | None = None,
        *,
        consumer: Consumer,
        functions: str = "*",
        parts: Sequence[str] = (),
        masquerade: bool = True,
        second_device: str | None = None,
        jobs: int = 2,
    ) -> None:
        super().__init__(namespace, device, functions=functions, jobs=jobs)
        self.consumer: Consumer = consumer
        self._command = python(
            "numr_conformance.consumers_worker",
            namespace,
            f"--consumer={consumer}",
            f"--functions={functions}",
            f"--parts={','.join(parts)}",
            *(["--masquerade"] if masquerade else []),
            *([] if device is None else [f"--device={device}"]),
            *([] if second_device is None else [f"--second-device={second_device}"]),
        )

    @property
    def package(self) -> str:
        """The name of the library's distribution."""
        return PACKAGES[self.consumer]

    def __enter__(self) -> Self:
        if self.consumer not in installed():
            raise CannotRun(f"{self.package} is not here: {_HOW_TO_GET[self.consumer]}")
        self._variables = environment(self.consumer, self.namespace)
        return super().__enter__()

    def describe(self) -> str:
        """The library's version and how the namespace is put in place, for a report."""
        missing = [PACKAGES[consumer] for consumer in PACKAGES if not _is_here(consumer)]
        without = f"without {', '.join(missing)}, not found here" if missing else ""
        return "; ".join(filter(None, [self.options, without]))
