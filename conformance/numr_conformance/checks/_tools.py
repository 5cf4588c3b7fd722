"""What the checks share: samples, layouts, the comparison, and how a topic's checks are listed."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from numr_conformance.check import Check, Failed, Unsupported
from numr_conformance.standard import ENTRIES, chapter_of
from numr_conformance.target import DTYPES, Target

Host = np.ndarray[Any, Any]
Layout = Callable[[Target, Host], Any]

_NAMED = {entry.name for entry in ENTRIES}

# One dtype of each width and kind, for what moves elements and never looks at them.
MOVED = ("bool", "int8", "uint16", "int32", "uint64", "float32", "float64", "complex128")


def of_kinds(kinds: str) -> tuple[str, ...]:
    """The standard's dtypes whose NumPy kind is one of the letters, such as "iuf"."""
    return tuple(name for name in DTYPES if np.dtype(name).kind in kinds)


def real_part(dtype: str) -> str:
    """The dtype of the real part: "float32" for "complex64" and for "float32"."""
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


# --- the list of checks ---------------------------------------------------------------------------


def label(x: Any) -> str:
    """Text of a parameter that is the same on every machine; nothing for a function."""
    if callable(x):
        return ""
    if isinstance(x, slice):
        return ":".join("" if part is None else str(part) for part in (x.start, x.stop, x.step))
    if isinstance(x, tuple):
        return f"({','.join(map(label, x))})"
    if isinstance(x, dict):
        return ",".join(f"{key}={label(value)}" for key, value in x.items())
    return "..." if x is ... else str(x)


class Cases:
    """The checks of one topic, filled by decorated functions, each for its dtypes and rows.

    Arguments:
        chapter: of all of them; without one, that of each function in the standard.
        seconds: limit for one run of each.
    """

    def __init__(self, topic: str, chapter: str = "", *, seconds: float = 20.0) -> None:
        self.topic, self.chapter, self.seconds = topic, chapter, seconds
        self.found: list[Check] = []

    def __call__(
        self,
        function: str,
        *,
        dtypes: Sequence[str] = ("",),
        rows: Iterable[tuple[Any, ...]] = ((),),
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Enter ``body(target, [dtype], *row)`` once for each of the dtypes and rows.

        A function "*" stands for the row's first item.
        """
        rows = list(rows)

        def enter(body: Callable[..., Any]) -> Callable[..., Any]:
            for row in rows:
                about = row[0] if function == "*" else function
                text = ",".join(filter(None, map(label, row[1:] if function == "*" else row)))
                for dtype in dtypes:
                    parts = [self.topic, about, body.__name__, text]
                    name = "/".join(filter(None, parts)) + (f"[{dtype}]" if dtype else "")
                    given = ((dtype,) if dtype else ()) + row
                    run = partial(_run, body, given)
                    chapter = self.chapter or _chapter(about)
                    self.found.append(Check(name, chapter, about, dtype, run, self.seconds))
            return body

        return enter

    def checks(self, target: Target) -> Iterator[Check]:
        """All of them; the topic's ``checks``."""
        return iter(self.found)


def _chapter(function: str) -> str:
    if function in ("__getitem__", "__setitem__"):
        return "indexing"
    # What the standard does not name is a method, such as __iter__.
    return chapter_of(function) if function in _NAMED or "." in function else "array_methods"


def _run(body: Callable[..., Any], given: tuple[Any, ...], target: Target) -> Any:
    return body(target, *given)


# --- samples --------------------------------------------------------------------------------------


def generator(name: str) -> np.random.Generator:
    """Random numbers that depend on a check's name only."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def numbers(dtype: str, shape: tuple[int, ...], name: str = "") -> Host:
    """Small numbers, many of them equal, of both signs where the dtype has them."""
    rng, kind = generator(f"{name}{dtype}{shape}"), np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    found = rng.integers(0 if kind == "u" else -5, 6, shape)
    if kind == "c":
        return (found + 1j * rng.integers(-5, 6, shape)).astype(dtype)
    return (found / 4 if kind == "f" else found).astype(dtype)


def distinct(dtype: str, shape: tuple[int, ...]) -> Host:
    """Elements 0, 1, 2, ...; as booleans, a pattern that no shift or flip leaves as it is."""
    count = np.arange(int(np.prod(shape)))
    if dtype == "bool":
        count = (count * count + count // 3) % 3 == 1
    elif np.dtype(dtype).kind == "c":
        count = count - 0.5j * count
    return count.reshape(shape).astype(dtype)


def continuous(dtype: str, shape: tuple[int, ...], name: str = "") -> Host:
    """Normally distributed numbers, as complex ones in both parts."""
    rng = generator(f"{name}{dtype}{shape}")
    found = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        found = found + 1j * rng.standard_normal(shape)
    return np.asarray(found).astype(dtype)


# --- layouts: the same elements, otherwise arranged, by the library's own means -------------------


def _strided(target: Target, host: Host) -> Any:
    if host.ndim == 0:
        return target.array(np.stack([host, host]))[0]
    wide = np.repeat(host, 2, axis=-1)
    wide[..., 1::2] = 0
    return target.array(wide)[..., ::2]


def _reversed(target: Target, host: Host) -> Any:
    key = (slice(None, None, -1),) * host.ndim
    return target.array(host[key])[key]


def _flipped(target: Target, host: Host) -> Any:
    return target.xp.flip(target.array(np.flip(host)))


def _transposed(target: Target, host: Host) -> Any:
    axes = tuple(range(host.ndim))[::-1]
    return target.xp.permute_dims(target.array(host.transpose(axes)), axes)


def _shifted(target: Target, host: Host) -> Any:
    """Not at the start of its memory, and so perhaps not aligned as a vector."""
    flat = target.array(np.concatenate([np.zeros(1, host.dtype), host.reshape(-1)]))[1:]
    return target.xp.reshape(flat, host.shape)


def _if_possible(name: str, make: Layout) -> Layout:
    """The layout, Unsupported if the namespace cannot make it: no fault of what is checked in it.

    What it takes, such as negative steps and ``flip``, has checks of its own.
    """

    def made(target: Target, host: Host) -> Any:
        try:
            return make(target, host)
        except Exception as error:  # whatever a namespace raises
            text = f"no {name} layout: {type(error).__name__}: {error}"
            raise Unsupported(text) from error

    return made


LAYOUTS: dict[str, Layout] = {
    "contiguous": Target.array,
    "strided": _if_possible("strided", _strided),
    "reversed": _if_possible("reversed", _reversed),
    "flipped": _if_possible("flipped", _flipped),
    "transposed": _if_possible("transposed", _transposed),
    "shifted": _if_possible("shifted", _shifted),
}


# --- comparison -----------------------------------------------------------------------------------


def assert_equal(
    target: Target,
    result: Any,
    expected: Any,
    *,
    given: Any = "",
    dtype: str = "",
    ulp: float = 0,
    atol: float = 0,
    signed: bool = False,
) -> None:
    """The array's shape, dtype and elements are the expected ones; NaN equals NaN.

    Arguments:
        dtype: that of the result, if the expected numbers have more precision.
        ulp: how many units in the last place of the modulus an element may be off.
        atol: how much an element may be off besides.
        signed: zeros must have the expected signs, too.
    """
    expected = np.asarray(expected)
    wanted = np.dtype(dtype or expected.dtype)
    found = target.host(result)
    if found.shape != expected.shape:
        raise Failed("wrong shape", given=given, expected=expected.shape, actual=found.shape)
    if found.dtype != wanted:
        raise Failed("wrong dtype", given=given, expected=wanted.name, actual=found.dtype.name)
    right = _close(found, expected, wanted, ulp, atol)
    if signed:
        right &= (found != 0) | (np.signbit(found) == np.signbit(expected))
    if right.all():
        return
    index = tuple(int(i) for i in np.argwhere(~right)[0]) if right.ndim else ()
    raise Failed(
        f"{right.size - int(right.sum())} of {right.size} elements are wrong, first at {index}",
        given=given,
        expected=expected[index].item() if found.dtype.kind != "c" else str(expected[index]),
        actual=found[index].item(),
    )


def _close(found: Host, expected: Host, wanted: np.dtype[Any], ulp: float, atol: float) -> Any:
    rounded = expected.astype(wanted)
    same = np.asarray((found == rounded) | ((found != found) & (rounded != rounded)))
    if wanted.kind not in "fc" or not (ulp or atol):
        return same
    limits = np.finfo(wanted)
    wide = np.longdouble if wanted.kind == "f" else np.clongdouble
    with np.errstate(all="ignore"):
        size = np.abs(rounded).astype(np.longdouble)
        place = np.exp2(np.maximum(np.frexp(size)[1] - 1, limits.minexp) - limits.nmant)
        difference = np.abs(found.astype(wide) - expected.astype(wide))
        return same | (difference <= ulp * place + atol)


def assert_dtype(target: Target, result: Any, name: str, given: Any = "") -> None:
    """The array's dtype is the one of this name."""
    if target.dtype_name(result) != name:
        raise Failed("wrong dtype", given=given, expected=name, actual=str(result.dtype))


def assert_true(true: Any, message: str, **details: Any) -> None:
    """Fail with the message unless the condition holds."""
    if not true:
        raise Failed(message, **details)


def assert_fields(result: Any, names: Sequence[str]) -> None:
    """The result is a tuple whose elements have these names, in this order.

    A ``namedtuple`` is one, and so is what modules in C return, which has no ``_fields``.
    """
    right = (
        isinstance(result, tuple)
        and len(result) == len(names)
        and all(part is getattr(result, n, None) for part, n in zip(result, names, strict=True))
    )
    actual = getattr(result, "_fields", type(result))
    assert_true(right, "wrong fields", expected=names, actual=actual)


def assert_raises(
    call: Callable[[], Any], kinds: type[Exception] | tuple[type[Exception], ...], given: Any
) -> None:
    """The call raises; an exception of another class than the standard's is a failure as well."""
    try:
        result = call()
    except kinds:
        return
    except Exception as error:
        raise Failed(
            "another exception than the standard's", given=given, expected=kinds, actual=error
        ) from error
    raise Failed("no exception", given=given, expected=kinds, actual=result)


def default_dtype(target: Target, kind: str) -> str:
    """The name of the device's default dtype, such as that of "integral" or "indexing"."""
    try:
        info = target.xp.__array_namespace_info__()
        found = info.default_dtypes(device=target.device)[kind]
    except (AttributeError, KeyError, TypeError):
        raise Unsupported(f"no default_dtypes with {kind}") from None
    return next(name for name, dtype in target.dtypes.items() if dtype == found)


def sum_dtype(target: Target, dtype: str) -> str:
    """At least as wide as the default integer dtype, with or without a sign as the operand."""
    if np.dtype(dtype).kind not in "iu":
        return dtype
    default = default_dtype(target, "integral")
    if np.dtype(dtype).itemsize >= np.dtype(default).itemsize:
        return dtype
    wide = default if dtype.startswith("i") else f"u{default}"
    target.dtype(wide)  # Unsupported where there is no such dtype
    return wide


def device_keyword(target: Target) -> dict[str, Any]:
    """The keyword that creates an array on the device under test."""
    return {} if target.device is None else {"device": target.device}


def indices(target: Target, host: Any) -> Any:
    """An index array of the default index dtype."""
    return target.array(np.asarray(host, dtype=default_dtype(target, "indexing")))
