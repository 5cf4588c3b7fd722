"""What the benchmark of the cpu device times: rows with a goal, and each library's call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from numr_api._backends.cpu import jit

Call = Callable[[Any, list[Any]], Any]  # of a library's namespace and its arrays


@dataclass(frozen=True)
class Row:
    """Something to time.

    Attributes:
        name: what it is.
        goal: how many times as fast as NumPy it should be.
        operands: NumPy arrays, made when they are needed.
        calls: what to time, by library; "usual" for those that are not named.
        threads: whether two idle processors are needed to reach the goal.
    """

    name: str
    goal: float
    operands: Callable[[np.random.Generator], list[Any]]
    calls: dict[str, Call]
    threads: bool = False


def normal(dtype: str, *shape: int) -> Callable[[np.random.Generator], list[Any]]:
    return lambda random: [random.standard_normal(shape).astype(dtype)]


def integers(dtype: str, size: int, count: int = 1) -> Callable[[np.random.Generator], list[Any]]:
    limits = np.iinfo(dtype)
    return lambda random: [
        random.integers(limits.min, limits.max, size, dtype=dtype) for _ in range(count)
    ]


def choice(dtype: str, size: int) -> Callable[[np.random.Generator], list[Any]]:
    return lambda random: [
        random.random(size) < 0.5,
        *(random.standard_normal(size).astype(dtype) for _ in range(2)),
    ]


def where() -> Iterator[Row]:
    goals = {("float32", 10**5): 6, ("float32", 10**7): 3.5, ("float64", 10**5): 4}
    goals["float64", 10**7] = 2
    for (dtype, size), goal in goals.items():
        call: Call = lambda xp, x: xp.where(*x)  # noqa: E731
        yield Row(
            f"where {dtype} 10^{len(str(size)) - 1}", goal, choice(dtype, size), {"usual": call}
        )


def sorting() -> Iterator[Row]:
    sort: dict[str, Call] = {
        "usual": lambda xp, x: xp.sort(x[0]),
        "numpy": lambda xp, x: xp.sort(x[0], stable=True),
        "torch": lambda xp, x: xp.sort(x[0], stable=True)[0],
    }
    for dtype in ("int32", "int64", "uint32", "uint64"):
        yield Row(f"stable sort {dtype} 10^6", 10, integers(dtype, 10**6), sort)
    for dtype in ("float32", "float64"):
        yield Row(f"stable sort {dtype} 10^6", 10, normal(dtype, 10**6), sort)
    for dtype in ("int8", "int16"):
        yield Row(f"stable sort {dtype} 10^6", 1, integers(dtype, 10**6), sort)
    argsort: dict[str, Call] = {
        "usual": lambda xp, x: xp.argsort(x[0]),
        "numpy": lambda xp, x: xp.argsort(x[0], stable=True),
        "torch": lambda xp, x: xp.argsort(x[0], stable=True),
    }
    yield Row("stable argsort int32 10^6", 6, integers("int32", 10**6), argsort)
    yield Row("stable argsort float32 10^6", 6, normal("float32", 10**6), argsort)


def sets() -> Iterator[Row]:
    for name, goal in (("values", 20), ("counts", 1), ("inverse", 1), ("all", 1)):
        calls: dict[str, Call] = {
            "usual": lambda xp, x, name=f"unique_{name}": getattr(xp, name)(x[0]),
        }
        if name in ("values", "counts", "inverse"):
            options = {f"return_{name}": True} if name != "values" else {}
            calls["torch"] = lambda xp, x, options=options: xp.unique(x[0], **options)
        yield Row(f"unique_{name} int64 10^6", goal, integers("int64", 10**6), calls)
    yield Row(
        "searchsorted 10^6 in 10^6",
        1.5,
        lambda random: [np.sort(random.standard_normal(10**6)), random.standard_normal(10**6)],
        {"usual": lambda xp, x: xp.searchsorted(*x)},
    )


def statistics() -> Iterator[Row]:
    for name, goal in (("sum", 2), ("mean", 2), ("var", 1.5), ("std", 1.5)):
        for dtype in ("float32", "float64"):
            call: Call = lambda xp, x, name=name: getattr(xp, name)(x[0])  # noqa: E731
            calls = {"usual": call}
            if name in ("var", "std"):
                calls["torch"] = lambda xp, x, name=name: getattr(xp, name)(x[0], correction=0)
            yield Row(f"{name} {dtype} 10^7", goal, normal(dtype, 10**7), calls, name == "sum")
    for name in ("max", "min"):
        for axis in (0, 1):
            calls = {
                "usual": lambda xp, x, name=name, axis=axis: getattr(xp, name)(x[0], axis=axis),
                "torch": lambda xp, x, name=name, axis=axis: getattr(xp, f"a{name}")(
                    x[0], dim=axis
                ),
            }
            operands = normal("float32", 3162, 3162)
            yield Row(f"{name} float32 along axis {axis}", 1.5, operands, calls, True)


def functions() -> Iterator[Row]:
    for exponent, goal in ((18, 1.1), (20, 1.5), (22, 1.7)):
        for name, dtype in (("exp", "float32"), ("tanh", "float32"), ("sin", "float64")):
            call: Call = lambda xp, x, name=name: getattr(xp, name)(x[0])  # noqa: E731
            operands = normal(dtype, 2**exponent)
            yield Row(f"{name} {dtype} 2^{exponent}", goal, operands, {"usual": call}, True)
    # Without numba, float32 goes through double precision where NumPy's vectors have 512 bits.
    is_compiled = not jit.obstacle()
    for name in jit.NAMES if is_compiled else ("asin", "tan"):
        call = lambda xp, x, name=name: getattr(xp, name)(x[0])  # noqa: E731
        operands: Any = lambda random: [random.uniform(0, 1, 10**6).astype("float32")]  # noqa: E731
        goal = 2 / 3 if is_compiled else 1 / 5.5
        yield Row(f"{name} float32 10^6", goal, operands, {"usual": call})


def positive_definite(random: np.random.Generator) -> list[Any]:
    x = random.standard_normal((512, 512))
    return [x @ x.T / 512 + np.eye(512)]


def algebra() -> Iterator[Row]:
    for name in ("inv", "cholesky", "qr", "det"):
        operands = positive_definite if name == "cholesky" else normal("float64", 512, 512)
        call: Call = lambda xp, x, name=name: getattr(xp.linalg, name)(x[0])  # noqa: E731
        yield Row(f"{name} float64 512", 1.3, operands, {"usual": call})


def transforms() -> Iterator[Row]:
    for name, dtype in (("fft", "complex64"), ("fft", "complex128"), ("rfft", "float64")):
        call: Call = lambda xp, x, name=name: getattr(xp.fft, name)(x[0])  # noqa: E731
        if dtype[0] == "c":
            operands: Any = lambda random, dtype=dtype: [  # noqa: E731
                random.standard_normal((1000, 2048)).view("complex128").astype(dtype)
            ]
        else:
            operands = normal(dtype, 1000, 1024)
        needs_threads = dtype != "complex64"
        yield Row(f"{name} {dtype} 1000 x 1024", 1.5, operands, {"usual": call}, needs_threads)


def rows() -> Iterator[Row]:
    """All, in the order of the table."""
    for family in (where, sorting, sets, statistics, functions, algebra, transforms):
        yield from family()
