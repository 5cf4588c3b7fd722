"""Snake activations, periodic functions with parameters for each channel, and their gradients.

In float32 ``alpha * x`` is computed in float64, in which it is exact, and brought near 0 there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from numr_api._backends.cpu import jit, threads
from numr_api._backends.cpu.two_parts import product

AnyArray = Any
Tile = tuple[slice, slice, slice]

TILE = 8192  # elements
NANOSECONDS, COMPILED_NANOSECONDS = 8, 2  # for an element, about
SHORTEST = 8  # elements of a row that compiled loops take
LARGEST = 2.0**26  # where multiples of pi in float64 begin to be wrong in what float32 shows

__all__ = ["ROUTINES"]


def sine_parts(alpha: AnyArray, x: AnyArray, *, twice: bool) -> tuple[AnyArray, AnyArray]:
    """``sin(alpha * x)**2``, and ``sin(2 * alpha * x)`` if it is asked for."""
    if x.dtype == np.float64:
        angle, lost = product(alpha, x)
        sine, slope = np.sin(angle), np.sin(2 * angle)
        lost[~np.isfinite(lost)] = 0  # where the parts of a product overflow
        square = sine * sine + lost * slope
        return square, slope + 2 * lost * (1 - 2 * sine * sine) if twice else None
    angle = x.astype(np.float64)
    angle *= alpha
    if not (angle.max() < LARGEST and angle.min() > -LARGEST):  # or NaN
        sine, slope = np.sin(angle), np.sin(2 * angle)
        return (sine * sine).astype(np.float32), slope.astype(np.float32)
    turns = angle * (1 / math.pi)
    np.rint(turns, out=turns)
    turns *= math.pi
    angle -= turns
    near = angle.astype(np.float32)
    sine = np.sin(near)
    return sine * sine, np.sin(near + near) if twice else None


def tiles_of(shape: tuple[int, ...]) -> Iterator[Tile]:
    """Pieces of an array of three axes, in an order that its shape fixes."""
    outer, channels, inner = shape
    length = min(inner, TILE)
    width = min(channels, TILE // length)
    count = max(1, TILE // (length * width))
    for i in range(0, outer, count):
        for j in range(0, channels, width):
            for k in range(0, inner, length):
                yield slice(i, i + count), slice(j, j + width), slice(k, k + length)


class Problem:
    """Arrays of one shape, seen as of three axes, the channels in the middle; and parameters."""

    def __init__(
        self, arrays: list[AnyArray], channels: list[AnyArray], axis: int, eps: float
    ) -> None:
        shape = arrays[0].shape
        self.dtype = arrays[0].dtype
        self.wide = np.promote_types(self.dtype, np.float32)
        self.shape = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
        self.arrays = [np.ascontiguousarray(x).reshape(self.shape) for x in arrays]
        self.alpha, beta = (p.astype(self.wide)[:, None] for p in channels)
        self.beta = beta + self.wide.type(eps)
        self.tiles = [] if arrays[0].size == 0 else list(tiles_of(self.shape))

    def share_rows(self, name: str, results: list[AnyArray]) -> bool:
        """Whether what is compiled of that name has written the results, in which rows are last."""
        outer, channels, inner = self.shape
        loop = jit.find_loop(name) if self.wide == np.float32 and inner >= SHORTEST else None
        if loop is None or not self.tiles:
            return False
        arrays, results = (
            [x.reshape(outer * channels, x.shape[-1]) for x in group]
            for group in (self.arrays, results)
        )
        alpha = np.tile(self.alpha[:, 0], outer)
        inverse = np.tile(1 / self.beta[:, 0].astype(np.float64), outer)
        is_direct = self.dtype == np.float32
        step = len(alpha) if is_direct else max(1, TILE // inner)
        wrong: list[bool] = []

        def task(start: int, stop: int) -> None:
            for low in range(start, stop, step):
                part = slice(low, min(low + step, stop))
                blocks = [x[part].astype(np.float32, copy=False) for x in arrays]
                target, *sums = (x[part] for x in results)
                block = target if is_direct else np.empty(target.shape, np.float32)
                wrong.append(loop(*blocks, alpha[part], inverse[part], block, *sums))
                if not is_direct:
                    target[...] = block

        threads.share(task, len(alpha), COMPILED_NANOSECONDS * math.prod(self.shape))
        return not any(wrong)

    def share(self, compute: Any) -> None:
        """Do ``compute(number, tile, alpha, beta, *blocks)`` for each tile."""

        def task(start: int, stop: int) -> None:
            for number in range(start, stop):
                tile = self.tiles[number]
                blocks = [x[tile].astype(self.wide, copy=False) for x in self.arrays]
                compute(number, tile, self.alpha[tile[1]], self.beta[tile[1]], *blocks)

        if self.tiles:
            threads.share(task, len(self.tiles), NANOSECONDS * math.prod(self.shape))


def snake_beta(x: AnyArray, alpha: AnyArray, beta: AnyArray, *, axis: int, eps: float) -> AnyArray:
    problem = Problem([x], [alpha, beta], axis, eps)
    found: AnyArray = np.empty(problem.shape, x.dtype)

    def compute(_: int, tile: Tile, alpha: AnyArray, beta: AnyArray, block: AnyArray) -> None:
        square = sine_parts(alpha, block, twice=False)[0]
        square /= beta
        square += block
        found[tile] = square

    if not problem.share_rows("snake_beta", [found]):
        problem.share(compute)
    return found.reshape(x.shape)


def snake_beta_backward(
    grad: AnyArray, x: AnyArray, alpha: AnyArray, beta: AnyArray, *, axis: int, eps: float
) -> tuple[AnyArray, ...]:
    problem = Problem([grad, x], [alpha, beta], axis, eps)
    found: AnyArray = np.empty(problem.shape, x.dtype)
    outer, channels, _ = problem.shape
    sums = np.empty((outer * channels, 2))
    if problem.share_rows("snake_beta_backward", [found, sums]):
        totals = np.add.reduce(sums.reshape(outer, channels, 2), axis=0).T
        return _gradients(problem, found.reshape(x.shape), totals)
    parts: list[Any] = [None] * len(problem.tiles)

    def compute(
        number: int, tile: Tile, alpha: AnyArray, beta: AnyArray, grad: AnyArray, block: AnyArray
    ) -> None:
        square, slope = sine_parts(alpha, block, twice=True)
        slope /= beta
        found[tile] = grad * (1 + alpha * slope)
        square /= beta
        square /= -beta
        parts[number] = tile[1], _sum(grad * block * slope), _sum(grad * square)

    problem.share(compute)
    totals = np.zeros((2, problem.shape[1]))
    for channels, *sums in parts:
        totals[:, channels] += sums
    return _gradients(problem, found.reshape(x.shape), totals)


def _gradients(problem: Problem, found: AnyArray, totals: AnyArray) -> tuple[AnyArray, ...]:
    of_alpha, of_beta = totals.astype(problem.wide).astype(problem.dtype)
    return found, of_alpha, of_beta


def _sum(terms: AnyArray) -> AnyArray:
    """Over all axes but the middle one, in float64 at the end."""
    return np.add.reduce(np.add.reduce(terms, axis=-1).astype(np.float64), axis=0)


ROUTINES = {"snake_beta": snake_beta, "snake_beta_backward": snake_beta_backward}
