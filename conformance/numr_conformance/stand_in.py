"""Having the tests of consumers use a namespace that they do not know.

The libraries have array API tests for a fixed list of namespaces. One that is not in it takes the
place of array_api_strict: whoever imports that gets the namespace under test. So its tests are
those of array_api_strict, and results can be compared with what array_api_strict itself reaches.
Scikit-learn's list can also be exchanged, for a namespace that is tested under its own name.

All of this changes modules of the process that runs the tests, which does nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from numr_conformance.consumers import STRICT
from numr_conformance.default_device import is_on_cpu
from numr_conformance.target import Target
from numr_conformance.worker import CannotStart

CPU = "CPU_DEVICE"  # array_api_strict's first device


def put_in_place(target: Target, *, masquerade: bool, second_device: Any) -> None:
    """Have whoever imports array_api_strict get the namespace under test.

    Arguments:
        target: the namespace.
        masquerade: let it also claim the name array_api_strict.
        second_device: in the place of each of strict's devices but the first; None for the cpu.

    Raises:
        CannotStart: the tests would get another namespace, or it cannot be changed.
    """
    xp = target.xp
    _require_own_arrays(target)
    added: dict[str, Any] = {"set_array_api_strict_flags": _ignore, "__version__": "99"}
    try:
        for name, value in added.items():
            if not hasattr(xp, name):
                setattr(xp, name, value)
        # What is called array_api_strict is asked for its cpu before results are compared.
        if not hasattr(xp, "Device"):
            cpu = cpu_of(xp)
            xp.Device = partial(_device, cpu, cpu if second_device is None else second_device)
        if masquerade:
            xp.__name__ = STRICT
    except (AttributeError, TypeError) as error:
        raise CannotStart(
            f"{target.name!r} cannot be put in the place of {STRICT}, since it cannot be changed: "
            f"{error}"
        ) from error
    sys.modules[STRICT] = xp


def _ignore(**_: Any) -> None:
    """In the place of strict's function that sets the version of the standard."""


def _device(cpu: Any, other: Any, name: str) -> Any:
    """In the place of strict's class of devices."""
    return cpu if name == CPU else other


def _require_own_arrays(target: Target) -> None:
    """Refuse a namespace that tests cannot get hold of by way of its arrays, as these do."""
    try:
        found = target.xp.empty(0).__array_namespace__()
    except Exception as error:
        raise CannotStart(
            f"{target.name!r} cannot be put in place: its arrays do not tell of their namespace "
            f"({type(error).__name__}: {error})"
        ) from error
    if found is not target.xp or not isinstance(getattr(found, "__name__", None), str):
        text = repr(getattr(found, "__name__", found))
        raise CannotStart(
            f"{target.name!r} cannot be put in place: the namespace of its arrays is {text}"
        )


def cpu_of(xp: Any) -> Any:
    """The device that NumPy can read; None, the default one, if that cannot be told."""
    try:
        for device in xp.__array_namespace_info__().devices():
            if is_on_cpu(xp.zeros(1, device=device)):
                return device
    except Exception:  # whatever a namespace raises here, it cannot tell
        pass
    return None


def let_scipy_know(conftest: ModuleType, xp: Any) -> None:
    """Enter a namespace into the lists by which SciPy's tests decide what to skip."""
    known: Any = conftest
    known.xp_known_backends.add(xp.__name__)
    if not is_on_cpu(xp.zeros(1)):
        known.xp_skip_cpu_only_backends.add(xp.__name__)


def let_sklearn_use_the_default_device(*, always: bool) -> None:
    """Have scikit-learn's tests ask for no device where they would name strict's first one.

    Arguments:
        always: also where they would name another one.
    """
    testing: Any = import_module("sklearn.utils._testing")
    original = testing._array_api_for_tests

    def for_tests(array_namespace: str, device_name: Any = None, dtype_name: Any = None) -> Any:
        default = array_namespace == STRICT and (always or device_name == CPU)
        return original(array_namespace, None if default else device_name, dtype_name)

    testing._array_api_for_tests = for_tests


def let_sklearn_know(target: Target, second_device: Any) -> str:
    """Have scikit-learn's tests use a namespace under its own name, and none that they know.

    They use the device of the target with its default real dtype, and the second one, or the same
    if there is none, with float32; and mix arrays of the namespace with those of NumPy and of
    array_api_strict.

    Returns:
        The name.

    Raises:
        CannotStart: the device's default real dtype is none that the tests use.
    """
    name: str = target.xp.__name__
    sys.modules[name] = target.xp  # the tests import what is yielded here
    first = None if target.device is None else str(target.device)  # as the tests take names only
    second = first if second_device is None else str(second_device)
    pairs = list(dict.fromkeys([(first, _default_real(target)), (second, "float32")]))
    lists: Any = import_module("sklearn.utils._array_api")
    place = lists.NamespaceAndDevice

    def namespaces(include_numpy_namespaces: bool = True) -> Iterator[str]:
        yield name

    def combinations(include_numpy_namespaces: bool = True) -> Iterator[tuple[str, Any, str]]:
        for device, dtype in pairs:
            yield name, device, dtype

    def mixed() -> Iterator[tuple[Any, Any, str]]:
        yield place(name, second), place("numpy", None), f"{name} {second} to numpy"
        yield place("numpy", None), place(name, second), f"numpy to {name} {second}"
        yield place(STRICT, "device1"), place(name, first), f"{STRICT} to {name} {first}"

    lists.yield_namespaces = namespaces
    lists.yield_namespace_device_dtype_combinations = combinations
    lists.yield_mixed_namespace_input_permutations = mixed
    return name


def _default_real(target: Target) -> str:
    """The name of the dtype that real numbers get on the device when none is named.

    Raises:
        CannotStart: that cannot be told, or scikit-learn's tests do not use it.
    """
    keywords = {} if target.device is None else {"device": target.device}
    try:
        found = target.xp.zeros(1, **keywords).dtype
    except Exception as error:
        raise CannotStart(
            f"the default dtype of {target.name!r} cannot be told ({type(error).__name__}: {error})"
        ) from error
    for name in ("float64", "float32"):
        if found == getattr(target.xp, name, None):
            return name
    raise CannotStart(
        f"scikit-learn's tests use float64 and float32; the default dtype of {target.name!r} "
        f"on {target.device_name} is {found}"
    )
