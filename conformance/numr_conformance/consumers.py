"""The array API tests of SciPy and of scikit-learn, the standard's users, run with a namespace.

Both libraries bring tests that they run with array_api_strict and others. Here they run with the
namespace under test in the place of array_api_strict (see ``stand_in``) in worker processes
(``consumers_worker``), one by one, so that one that hangs or kills its process costs no other test.
Nothing is written beside the libraries' files.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Literal, Self

from numr_conformance.process import python
from numr_conformance.runner import CannotRun, PytestRunner

Consumer = Literal["scipy", "sklearn"]
PACKAGES: dict[Consumer, str] = {"scipy": "scipy", "sklearn": "scikit-learn"}
STRICT = "array_api_strict"
# The namespaces for which the libraries' own tests need no help.
KNOWN: dict[Consumer, frozenset[str]] = {
    "scipy": frozenset({STRICT, "cupy", "dask.array", "jax.numpy", "numpy", "torch"}),
    "sklearn": frozenset({STRICT, "cupy", "dpnp", "numpy", "torch"}),
}


def installed() -> list[Consumer]:
    """The consumers whose tests can be run here, for a ``ConsumersRunner`` each.

    Raises:
        CannotRun: there is none, or no pytest.
    """
    if find_spec("pytest") is None:
        raise CannotRun("the tests of SciPy and scikit-learn need pytest; install it with pip")
    found: list[Consumer] = [one for one in PACKAGES if find_spec(one) is not None]
    if not found:
        raise CannotRun(f"none of {', '.join(PACKAGES.values())} is installed; use pip")
    return found


def is_known(consumer: Consumer, namespace: str) -> bool:
    """Whether the tests of a library are made for a namespace."""
    return namespace in KNOWN[consumer]


def name_in_tests(consumer: Consumer, namespace: str) -> str:
    """By which name the tests of a library know a namespace."""
    return namespace if is_known(consumer, namespace) else STRICT


def environment(consumer: Consumer, namespace: str) -> dict[str, str]:
    """The variables that a worker needs from its start, since importing NumPy or SciPy reads them.

    SciPy's tests take a list of the namespaces to use. For scikit-learn the switch must be "1".
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
    results so are what others can be compared with. Scikit-learn's tests have parameters of
    array_api_strict's devices, "CPU_DEVICE" with float64 and "device1" with float32. In their place
    the default device is used.

    Arguments:
        device: must be, or become, the default device: the tests name none.
        consumer: "scipy" or "sklearn"; a process can be set up for one only.
        functions: a pattern of functions, such as "scipy.stats.*", or of names of tests.
        parts: only these parts of the library, such as "scipy.stats"; empty for all.
        masquerade: also claim the name array_api_strict. Without, the tests that are skipped for
            array_api_strict are run, such as those of features that it leaves out on purpose, and
            the libraries take no detours that they have for it. With, which is the default, all is
            as it is for array_api_strict: a test that fails while it passes for array_api_strict
            shows a difference between the two namespaces. Without effect on namespaces for which
            the library has tests of their own.

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
        )

    @property
    def package(self) -> str:
        """The name of the library's distribution."""
        return PACKAGES[self.consumer]

    def __enter__(self) -> Self:
        if self.consumer not in installed():
            raise CannotRun(f"{self.package} is not installed; install it with pip")
        self._variables = environment(self.consumer, self.namespace)
        return super().__enter__()

    def describe(self) -> str:
        """The library's version and how the namespace is put in place, for a report."""
        missing = [PACKAGES[consumer] for consumer in PACKAGES if find_spec(consumer) is None]
        without = f"without {missing[0]}, which is not installed" if missing else ""
        return "; ".join(filter(None, [self.options, without]))
