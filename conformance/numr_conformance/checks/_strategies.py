"""What drawn checks draw: shapes, keys, axes, elements, and where an array lies."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from numr_conformance.checks._draws import Draw
from numr_conformance.checks._tools import LAYOUTS, MOVED, Host, distinct
from numr_conformance.target import Target

Shape = tuple[int, ...]

# For what is a matter of shapes first, and costs as much for each dtype.
SOME = (*MOVED, "complex64")

# To make a strategy costs more than to draw from it.
BOOLEANS = st.booleans()
integers = cache(st.integers)
permutations = cache(st.permutations)


@cache
def one_of(options: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    """One of some values, the first of which is the simplest."""
    return st.sampled_from(options)


@cache
def lists(strategy: st.SearchStrategy[Any], count: int) -> st.SearchStrategy[list[Any]]:
    """So many values of a strategy."""
    return st.lists(strategy, min_size=count, max_size=count)


def composite(function: Callable[..., Any]) -> Callable[..., st.SearchStrategy[Any]]:
    """hypothesis's decorator, but for the same arguments the strategy is made once."""
    return cache(st.composite(function))


def some(kinds: str) -> tuple[str, ...]:
    """Dtypes of NumPy's kinds, such as "iuf", of each kind and width one."""
    return tuple(name for name in SOME if np.dtype(name).kind in kinds)


# --- shapes and axes ------------------------------------------------------------------------------


@composite
def shapes(draw: Any, least: int = 0, most: int = 5, *, empty: bool = True) -> Shape:
    """Shapes of so many dimensions; one in eight has an axis without elements."""
    rank = draw(integers(least, most))
    longest = 3 if rank > 3 else 4
    shape = [draw(integers(1, longest)) for _ in range(rank)]
    if empty and rank and draw(integers(0, 7)) == 7:
        shape[draw(integers(0, rank - 1))] = 0
    return tuple(shape)


@composite
def broadcast_from(draw: Any, shape: Shape) -> Shape:
    """A shape that broadcasts to this one: fewer axes, some of them of length 1."""
    # A leading axis is dropped as often as not.
    start = max(0, draw(integers(-len(shape), len(shape))))
    return tuple(1 if draw(integers(0, 2)) == 2 else n for n in shape[start:])


@composite
def broadcasting(draw: Any, count: int, *, empty: bool = True) -> tuple[Shape, ...]:
    """Shapes that broadcast together, the longest one not always the first."""
    whole = draw(shapes(empty=empty))
    return tuple(draw(broadcast_from(whole)) for _ in range(count))


@composite
def axis_of(draw: Any, rank: int) -> int:
    """One axis, counted from either end."""
    return draw(integers(-rank, rank - 1))


@composite
def some_axes(draw: Any, rank: int) -> tuple[int, ...]:
    """Any of the axes, none twice, in any order and counted from either end."""
    chosen = draw(permutations(range(rank)))[: draw(integers(0, rank))]
    return tuple(a - rank if draw(BOOLEANS) else a for a in chosen)


@cache
def axis_or_none(rank: int) -> st.SearchStrategy[int | None]:
    return st.one_of(st.none(), axis_of(rank))


@cache
def axes_or_none(rank: int) -> st.SearchStrategy[Any]:
    """What ``axis=`` of a reduction may be."""
    one = [axis_of(rank)] if rank else []
    return st.one_of(st.none(), *one, some_axes(rank))


# --- keys -----------------------------------------------------------------------------------------


@composite
def slice_of(draw: Any, n: int) -> slice:
    """A slice whose bounds the standard defines for an axis of this length."""
    step = draw(one_of((None, 1, 2, 3, -1, -2, -3)))
    last = n if step is None or step > 0 else n - 1
    # Any two bounds would mostly select nothing.
    start = stop = None
    if not draw(BOOLEANS):
        start = draw(one_of((None, *range(-n, last + 1))))
    if not draw(BOOLEANS):
        stop = draw(one_of((None, *range(-n, max(0, last) + 1))))
    return slice(start, stop, step)


@composite
def basic_keys(draw: Any, shape: Shape, *, new_axes: bool = True) -> Any:
    """Integers and slices for all axes, an ellipsis in the place of some, and new axes."""
    key: list[Any] = [
        draw(integers(-n, n - 1) if n and draw(integers(0, 3)) == 3 else slice_of(n)) for n in shape
    ]
    if draw(BOOLEANS):
        first, last = sorted(draw(integers(0, len(shape))) for _ in range(2))
        key[first:last] = [...]
    for _ in range(draw(integers(0, 2)) if new_axes else 0):
        key.insert(draw(integers(0, len(key))), None)
    return key[0] if len(key) == 1 and draw(BOOLEANS) else tuple(key)


@composite
def masks(draw: Any, shape: Shape) -> Host:
    count = math.prod(shape)
    chosen = draw(lists(BOOLEANS, count))
    return np.array(chosen, bool).reshape(shape)


@composite
def places(draw: Any, n: int, shape: Shape) -> Host:
    """Integers that count elements of an axis from either end."""
    count = math.prod(shape)
    chosen = draw(lists(integers(-n, n - 1), count))
    return np.array(chosen, np.int64).reshape(shape)


# --- elements -------------------------------------------------------------------------------------


def special(dtype: str) -> list[Any]:
    """Bounds of a dtype and what is near them and near 0; the simplest first. Without NaN."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return [False, True]
    if kind in "iu":
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        half = 1 << (np.iinfo(dtype).bits // 2)  # where a product of halves carries
        near = [0, 1, 2, 3, 7, half - 1, half, half + 1, high // 2, high // 2 + 1, high - 1, high]
        signed = [-1, -2, -3, -half, low // 2, low + 1, low] if low else []
        return near + signed
    real = [0.0, 1.0, -1.0, -0.0, 0.5, -2.5, 3.0, math.inf, -math.inf]
    real += [x := float(np.finfo(dtype).max), -x, y := float(np.finfo(dtype).smallest_normal), -y]
    if kind == "f":
        return real
    return [complex(x, y) for x, y in [(0, 0), (1, 0), (0, 1), (-1, 2), (-0.0, 0), (2.5, -1)]]


@cache
def special_of(dtype: str) -> st.SearchStrategy[Any]:
    return st.sampled_from(special(dtype))


@composite
def elements(draw: Any, dtype: str, shape: Shape) -> Host:
    """Each drawn from the special ones, so that many are equal."""
    count = math.prod(shape)
    chosen = draw(lists(special_of(dtype), count))
    return np.array(chosen, dtype).reshape(shape)


# --- arrays ---------------------------------------------------------------------------------------

Layout = Callable[[Target, Host], Any]


def _by_steps(steps: tuple[int, ...]) -> Layout:
    def make(target: Target, host: Host) -> Any:
        key = tuple(slice(None, None, step) for step in steps)
        lengths = [n * abs(step) for n, step in zip(host.shape, steps, strict=True)]
        wide = np.zeros(lengths, host.dtype)
        wide[key] = host
        return target.array(wide)[key]

    return make


@composite
def layouts(draw: Any, shape: Shape, *, written: bool = False) -> tuple[str, Layout]:
    """The name of a way to arrange elements, and what arranges them so."""
    if written and not shape:
        # NumPy's namespace has scalars for parts without axes, and no more to say than that.
        return "contiguous", LAYOUTS["contiguous"]
    name = draw(one_of((*LAYOUTS, "steps")))
    if 0 in shape or name in LAYOUTS:
        name = "contiguous" if 0 in shape else name
        return name, LAYOUTS[name]
    steps = tuple(draw(one_of((1, 2, -1, -2))) for _ in shape)
    return f"[{', '.join(f'::{step}' for step in steps)}]", _by_steps(steps)


def arranged(target: Target, draw: Draw, host: Host, name: str, *, written: bool = False) -> Any:
    """The namespace's array with these elements, which lies anyhow; one to write to if need be."""
    layout, make = draw(layouts(host.shape, written=written))
    draw.tell(name, host)
    if layout != "contiguous":
        draw.tell(f"layout of {name}", layout)
    return make(target, host)


def moved(
    target: Target,
    draw: Draw,
    dtype: str,
    shape: Shape,
    name: str = "x",
    *,
    first: int = 0,
    written: bool = False,
) -> tuple[Any, Any]:
    """An array of distinct elements from the ``first`` on, and the same on the host."""
    host = distinct(dtype, (first + math.prod(shape),))[first:].reshape(shape)
    return arranged(target, draw, host, name, written=written), host
