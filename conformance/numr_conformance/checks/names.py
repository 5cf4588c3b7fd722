"""Every name of the standard exists, with the standard's signature; versions and inspection."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from functools import partial
from inspect import Parameter
from typing import Any

import numpy as np

from numr_conformance.check import Check, Failed, Recorded, Unsupported
from numr_conformance.standard import (
    ENTRIES,
    IN_PLACE_OPERATORS,
    KINDS,
    REFLECTED_OPERATORS,
    VERSIONS,
    Entry,
    names,
    signature,
)
from numr_conformance.target import Target

CONSTANTS = {"e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None, "pi": math.pi}


def checks(target: Target) -> Iterator[Check]:
    for entry in ENTRIES:
        name = _full_name(entry)
        yield Check(f"names/{entry.chapter}.{entry.name}", entry.chapter, name, "",
                    partial(_exists, entry))  # fmt: skip
        if entry.parameters is not None and entry.chapter != "data_types":
            yield Check(f"signatures/{entry.chapter}.{entry.name}", entry.chapter, name, "",
                        partial(_signature, entry))  # fmt: skip
    for name in (*REFLECTED_OPERATORS, *IN_PLACE_OPERATORS):
        yield Check(f"names/array_methods.{name}", "array_methods", name, "",
                    partial(_has_operator, name))  # fmt: skip
    for name, value in CONSTANTS.items():
        yield Check(f"constants/{name}", "constants", name, "", partial(_constant, name, value))
    for version in VERSIONS:
        yield Check(f"versions/{version}", "array_methods", "__array_namespace__", "",
                    partial(_version, version))  # fmt: skip
    yield Check("versions/unknown", "array_methods", "__array_namespace__", "", _unknown_version)
    yield Check("versions/default", "array_methods", "__array_namespace__", "",
                partial(_version, None))  # fmt: skip
    for name, run in INSPECTION.items():
        yield Check(f"inspection/{name}", "info", name, "", run)


# --- where a name is to be found ------------------------------------------------------------------


def _full_name(entry: Entry) -> str:
    return f"{entry.chapter}.{entry.name}" if entry.chapter in ("linalg", "fft") else entry.name


def _array(target: Target) -> Any:
    """An array of two axes: mT needs two or more, and T exactly two."""
    if not target.dtypes:
        raise Unsupported(f"{target.name} has no dtypes")
    return target.array(np.ones((1, 1), next(reversed(target.dtypes))))


def _info(target: Target) -> Any:
    if not hasattr(target.xp, "__array_namespace_info__"):
        raise Unsupported(f"{target.name} has no __array_namespace_info__")
    return target.xp.__array_namespace_info__()


def _owner(target: Target, entry: Entry) -> Any:
    """The object that has the entry as its attribute."""
    match entry.chapter:
        case "array_methods" | "array_attributes":
            return _array(target)
        case "data_types":
            return _array(target).dtype
        case "info" if entry.name != "__array_namespace_info__":
            return _info(target)
        case "linalg" | "fft":  # extensions, which a conforming namespace may lack as a whole
            if not hasattr(target.xp, entry.chapter):
                raise Unsupported(f"{target.name} has no extension {entry.chapter}")
            return getattr(target.xp, entry.chapter)
        case _:
            return target.xp


def _find(target: Target, entry: Entry) -> Any:
    owner = _owner(target, entry)
    if not hasattr(owner, entry.name):
        raise Failed(f"no {_full_name(entry)} in {target.name}", expected=entry.name)
    return getattr(owner, entry.name)


def _exists(entry: Entry, target: Target) -> None:
    found = _find(target, entry)
    if entry.parameters is not None and not callable(found):
        raise Failed(f"{entry.name} cannot be called", actual=found)


def _has_operator(name: str, target: Target) -> None:
    x = _array(target)
    if hasattr(type(x), name):
        return
    if name in IN_PLACE_OPERATORS:  # Python then evaluates x1 = x1 + x2, which is conforming
        raise Recorded("not implemented: the assignment makes a new array")
    raise Failed(f"arrays have no {name}", expected=name, actual=type(x))


# --- signatures -----------------------------------------------------------------------------------


def _signature(entry: Entry, target: Target) -> None:
    try:
        function = _find(target, entry)
    except Failed as absent:  # which the check of its name tells
        raise Unsupported(str(absent)) from absent
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        raise Recorded("not inspectable") from None
    expected = signature(entry)
    faults, remarks = compare_signatures(expected, found)
    if faults:
        raise Failed(
            "; ".join(faults),
            expected=f"{entry.name}{expected}",
            actual=f"{entry.name}{found.replace(return_annotation=inspect.Signature.empty)}",
        )
    if remarks:
        raise Recorded("; ".join(remarks))


def compare_signatures(
    expected: inspect.Signature, found: inspect.Signature
) -> tuple[list[str], list[str]]:
    """Why a call of the standard does not fit a function, and defaults that cannot be compared.

    A function may take more: further optional parameters, or by position or name what the standard
    has by one of the two.
    """
    faults: list[str] = []
    remarks: list[str] = []
    by_position = [p for p in found.parameters.values() if _positional(p)]
    takes_any = {p.kind for p in found.parameters.values()}
    used: set[str] = set()
    for place, wanted in enumerate(expected.parameters.values()):
        if wanted.kind is Parameter.VAR_POSITIONAL:
            if Parameter.VAR_POSITIONAL not in takes_any:
                faults.append(f"does not take any number of {wanted.name}")
            continue
        offered = found.parameters.get(wanted.name)
        if _positional(wanted):
            if place >= len(by_position):
                if Parameter.VAR_POSITIONAL not in takes_any:
                    faults.append(f"does not take {wanted.name} by position")
                continue
            if wanted.kind is Parameter.POSITIONAL_ONLY:
                offered = by_position[place]
            elif by_position[place] is not offered:
                faults.append(f"does not take {wanted.name} by position")
        if offered is None:
            if Parameter.VAR_KEYWORD not in takes_any:
                faults.append(f"does not take {wanted.name}=")
            continue
        used.add(offered.name)
        if not _positional(wanted) and offered.kind is Parameter.POSITIONAL_ONLY:
            faults.append(f"does not take {wanted.name} by name")
        _compare_defaults(wanted, offered, faults, remarks)
    variable = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    faults += [
        f"demands {p.name}"
        for p in found.parameters.values()
        if p.name not in used and p.default is Parameter.empty and p.kind not in variable
    ]
    return faults, remarks


def _positional(parameter: Parameter) -> bool:
    return parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def _compare_defaults(
    wanted: Parameter, offered: Parameter, faults: list[str], remarks: list[str]
) -> None:
    if wanted.default is Parameter.empty:
        return  # a parameter that may be left out is more than the standard asks for
    if offered.default is Parameter.empty:
        faults.append(f"demands {wanted.name}")
    elif wanted.default is not offered.default and wanted.default != offered.default:
        text = f"{wanted.name}={offered.default!r} instead of {wanted.default!r}"
        # None and a library's own marker mean "the usual"; other checks show what that is.
        plain = isinstance(offered.default, bool | int | float | str | tuple)
        (faults if plain else remarks).append(text)


# --- constants and versions -----------------------------------------------------------------------


def _constant(name: str, value: float | None, target: Target) -> None:
    if not hasattr(target.xp, name):
        raise Failed(f"no {name} in {target.name}", expected=value)
    found = getattr(target.xp, name)
    if not (found is value or found == value or (name == "nan" and found != found)):
        raise Failed(f"{name} has another value", expected=value, actual=found)


def _namespace(target: Target, version: str | None) -> Any:
    """What an array says its namespace is; array_api_strict switches to that version, for good."""
    x, own = _array(target), getattr(target.xp, "__array_api_version__", None)
    try:
        return x.__array_namespace__(api_version=version)
    finally:
        target.spent |= getattr(target.xp, "__array_api_version__", None) != own


def _version(version: str | None, target: Target) -> None:
    try:
        found = _namespace(target, version)
    except (ValueError, NotImplementedError) as error:
        if version in (None, VERSIONS[-1]):
            raise
        raise Recorded(f"refused: {type(error).__name__}") from None
    if not hasattr(found, "asarray"):
        raise Failed("no namespace", given=f"api_version={version!r}", actual=found)
    if found is not target.xp:
        raise Recorded(f"another namespace: {getattr(found, '__name__', found)}")


def _unknown_version(target: Target) -> None:
    x = _array(target)
    try:
        found = x.__array_namespace__(api_version="2020.12")
    except Exception as error:  # the standard names no exception
        raise Recorded(f"refused: {type(error).__name__}") from None
    raise Failed("accepted", given="api_version='2020.12'", expected="an exception", actual=found)


# --- inspection -----------------------------------------------------------------------------------


def _require_keys(found: Any, *keys: str) -> None:
    missing = [key for key in keys if key not in found]
    if missing:
        raise Failed(f"lacks {', '.join(missing)}", expected=keys, actual=dict(found))


def _capabilities(target: Target) -> None:
    found = _info(target).capabilities()
    _require_keys(found, "boolean indexing", "data-dependent shapes", "max dimensions")
    flags = found["boolean indexing"], found["data-dependent shapes"]
    if not all(isinstance(flag, bool) for flag in flags):
        raise Failed("a flag is no bool", actual=found)
    limit = found["max dimensions"]
    if limit is not None and not (isinstance(limit, int) and limit > 0):
        raise Failed("max dimensions is neither a positive integer nor None", actual=limit)


def _devices(target: Target) -> None:
    found: Any = _info(target).devices()
    if not isinstance(found, tuple | list):
        raise Failed("no tuple", expected="a tuple", actual=found)
    for device in list[Any](found):
        target.xp.zeros((1,), device=device)
    default = _info(target).default_device()
    if default is not None and default not in found:
        raise Failed("the default device is not listed", expected=default, actual=found)
    if isinstance(found, list):
        raise Recorded("a list, as versions before 2025.12 had it")


def _default_dtypes(target: Target) -> None:
    found = _info(target).default_dtypes(device=target.device)
    known = target.dtypes
    for key, kind in {
        "real floating": "real floating",
        "complex floating": "complex floating",
        "integral": "integral",
        "indexing": "integral",
    }.items():
        _require_keys(found, key)
        if not any(found[key] == known[name] for name in KINDS[kind] if name in known):
            raise Failed(f"{key}: no dtype of this kind", expected=kind, actual=found[key])


def _dtypes_of_kind(target: Target) -> None:
    info = _info(target)
    everything = info.dtypes(device=target.device)
    unknown = set(everything) - names("dtypes")
    if unknown:
        raise Failed("lists dtypes that the standard lacks", actual=sorted(unknown))
    for kind in (*KINDS, ("bool", "integral"), ()):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        expected = {n for k in kinds for n in KINDS[k] if n in everything}
        found = set(info.dtypes(device=target.device, kind=kind))
        if found != expected:
            raise Failed("other dtypes", given=f"kind={kind!r}", expected=sorted(expected),
                         actual=sorted(found))  # fmt: skip


INSPECTION: dict[str, Callable[[Target], None]] = {
    "capabilities": _capabilities,
    "default_dtypes": _default_dtypes,
    "devices": _devices,
    "dtypes": _dtypes_of_kind,
}
