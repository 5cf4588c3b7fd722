"""Snake activations, periodic functions with parameters for each channel, and their gradients.

In float32 ``alpha * x`` is computed in float64, in which it is exact, and brought near 0 there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from numr_api._backends.cpu import threads
from numr_api._backends.cpu.two_parts import product

AnyArray = Any
Tile = tuple[slice, slice, slice]

TILE = 8192  # elements
NANOSECONDS = 8  # for an element, about
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

    problem.share(compute)
    return found.reshape(x.shape)


def snake_beta_backward(
    grad: AnyArray, x: AnyArray, alpha: AnyArray, beta: AnyArray, *, axis: int, eps: float
) -> tuple[AnyArray, AnyArray, AnyArray]:
    problem = Problem([grad, x], [alpha, beta], axis, eps)
    found: AnyArray = np.empty(problem.shape, x.dtype)
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
    grads = totals.astype(problem.wide).astype(x.dtype)
    return found.reshape(x.shape), grads[0], grads[1]


def _sum(terms: AnyArray) -> AnyArray:
    """Over all axes but the middle one, in float64 at the end."""
    return np.add.reduce(np.add.reduce(terms, axis=-1).astype(np.float64), axis=0)


ROUTINES = {"snake_beta": snake_beta, "snake_beta_backward": snake_beta_backward}
