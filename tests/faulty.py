"""What a fault is: one function of a namespace, or one method of its arrays, replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal

import numpy as np

import numr_api as xp

REMOVED = object()
FAULTS: dict[str, Fault] = {}


class Namespace:
    """A namespace that is another one, but for some names, such as "sum" or "linalg.inv"."""

    def __init__(self, base: Any, replaced: dict[str, Any]) -> None:
        self._base, self._replaced = base, replaced
        for name, value in replaced.items():
            outer, _, inner = name.partition(".")
            if inner:
                value = Namespace(getattr(base, outer), {inner: value})
            if value is not REMOVED:
                setattr(self, outer, value)

    def __getattr__(self, name: str) -> Any:
        if self._replaced.get(name) is REMOVED:
            raise AttributeError(f"no {name}")
        return getattr(self._base, name)


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        name: which function is wrong, or "Array.__iadd__" for a method.
        wrong: what it is replaced by.
        checks: patterns of the names of those checks that must find it.
        seen: in what they find it: a verdict of failed or raised; another text of what is
            recorded where the standard leaves it open; or a larger error that is measured.
        base: the namespace that is right.
    """

    name: str
    wrong: Any
    checks: tuple[str, ...]
    seen: Literal["verdict", "recorded", "measured"] = "verdict"
    base: Any = xp

    @property
    def method(self) -> str:
        """The method that is wrong, or ""."""
        return self.name.removeprefix("Array.") if self.name.startswith("Array.") else ""

    @property
    def namespace(self) -> Any:
        """The namespace with the fault; one in a method is not in it, but in the array class."""
        return Namespace(self.base, {} if self.method else {self.name: self.wrong})


def array_class(base: Any) -> type:
    return type(base.zeros(()))


def fault(name: str, *checks: str, base: Any = xp, **more: Any) -> Callable[..., Any]:
    """Enter a fault whose body gets the right function (or method) before the arguments."""
    owner = array_class(base) if name.startswith("Array.") else base
    right: Any = owner
    for part in name.removeprefix("Array.").split("."):
        right = getattr(right, part)

    def enter(body: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(right)  # with its signature, for which there are checks of their own
        def wrong(*arguments: Any, **keywords: Any) -> Any:
            return body(right, *arguments, **keywords)

        FAULTS[body.__name__] = Fault(name, wrong, checks, base=base, **more)
        return body

    return enter


def host(x: Any) -> Any:
    return np.from_dlpack(x).copy()


def lines_up(x: Any, axis: int) -> int:
    """The axis after this one."""
    return (axis + 1) % x.ndim
