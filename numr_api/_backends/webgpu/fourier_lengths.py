"""Into which passes and stages transforms of a length fall, and what a workgroup does of them."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import NamedTuple

UNROLLED = 13  # the largest prime factor for which there is a butterfly
DIRECT = 100  # the largest one that is not for Bluestein's method
LARGEST_RADIX = 16
REGISTERS = 16  # elements of a thread
MOST_REGISTERS = 32  # where workgroups have few threads
AT_ONCE = 1024  # elements of a workgroup
# Of short rows neighbouring threads should load neighbours.
TWO_STAGES = {8: (2, 4), 9: (3, 3), 10: (2, 5), 12: (3, 4), 14: (2, 7), 15: (3, 5), 16: (4, 4)}
COLUMN_BYTES = 64  # of neighbours, which memory delivers at once
BANKS = 128  # bytes of a workgroup's memory that threads can access at once
LEAST_PADDED = 8  # elements of which one more may be behind each so many
MOST_STAGES = 16
LOOP_THREADS = 64
SHORTEST_COLUMNS = 4

__all__ = ["Limits", "Shape", "convolution_length", "is_direct", "passes", "shape_of"]


class Limits(NamedTuple):
    """What a workgroup can have, and the bytes of a real number.

    Attributes:
        loops: whether one kernel for all lengths is better than one for each.
    """

    memory: int
    threads: int
    part: int
    loops: bool

    @property
    def columns(self) -> int:
        """How many neighbours should be loaded or stored together."""
        return COLUMN_BYTES // (2 * self.part)

    @property
    def capacity(self) -> int:
        """The most elements of a workgroup of the kernel that loops."""
        return min(self.memory, 32 << 10) // (4 * self.part)


class Shape(NamedTuple):
    """A kernel's transforms.

    Attributes:
        radices: of the stages.
        together: transforms of a workgroup.
        threads: of a workgroup.
        split: whether real and imaginary parts are exchanged one after the other.
        banks: slots of the memory that threads can access at once.
    """

    n: int
    radices: tuple[int, ...]
    together: int
    threads: int
    loops: bool
    split: bool = False
    banks: int = 32


@cache
def factors(n: int) -> tuple[int, ...]:
    """The prime factors, ascending."""
    found: list[int] = []
    p = 2
    while p * p <= n:
        while n % p == 0:
            found.append(p)
            n //= p
        p += 1
    return (*found, n) if n > 1 else tuple(found)


def is_direct(n: int) -> bool:
    """Whether the factors of a length are small."""
    return max(factors(n), default=1) <= DIRECT


def convolution_length(count: int) -> int:
    """A length of small factors for Bluestein's method: at least 2 count - 1."""
    least = 2 * count - 1
    return min(m << max(-(-least // m) - 1, 0).bit_length() for m in (1, 3, 5, 7, 9, 15))


@cache
def radices_of(n: int) -> tuple[int, ...]:
    """The fewest stages, and of those the ones with the smallest radices; ascending."""
    if n <= LARGEST_RADIX:
        return (n,)
    best: tuple[int, ...] | None = None
    for radix in range(LARGEST_RADIX, 1, -1):
        if n % radix or max(factors(n // radix)) > UNROLLED:
            continue
        found = tuple(sorted((*radices_of(n // radix), radix)))
        if best is None or (len(found), max(found), sum(found)) < (len(best), max(best), sum(best)):
            best = found
    assert best is not None
    return best


@cache
def loop_radices(n: int) -> tuple[int, ...]:
    """Fours, then the prime factors."""
    found = list(factors(n))
    while found.count(2) > 1:
        found.remove(2)
        found.remove(2)
        found.append(4)
    return tuple(sorted(found))


@cache
def shape_of(n: int, columns: bool, limits: Limits) -> Shape | None:
    """How a workgroup computes transforms of a length; None if it cannot.

    Arguments:
        columns: whether neighbouring transforms are neighbours in memory, so that some should be
            computed together.
    """
    least = limits.columns if columns else 1
    if limits.loops or max(factors(n), default=1) > UNROLLED:
        together = max(limits.capacity // 2 // n, least)
        radices = loop_radices(n)
        if together * n > limits.capacity or len(radices) > MOST_STAGES:
            return None
        return Shape(n, radices, together, LOOP_THREADS, True)
    together = max(1 << max(AT_ONCE // n, 1).bit_length() - 1, least)
    radices = radices_of(n)
    if not columns and n in TWO_STAGES:
        radices = TWO_STAGES[n]
    elements = together * n
    threads = threads_of(radices, elements, limits.threads)
    split = memory_of(elements, 2 * limits.part) > limits.memory
    if threads is None or (split and memory_of(elements, limits.part) > limits.memory):
        return None
    banks = BANKS // limits.part // (1 if split else 2)
    return Shape(n, radices, together, threads, False, split, banks)


def memory_of(elements: int, size: int) -> int:
    """The bytes of so many slots, and some that keep others in different banks."""
    return (elements + elements // LEAST_PADDED) * size


def threads_of(radices: tuple[int, ...], elements: int, most: int) -> int | None:
    """The threads of a workgroup, so that few idle and none has too many elements."""
    best: tuple[int, int, int] | None = None
    for threads in range(32, most + 1, 32):
        turns = [-(-elements // radix // threads) for radix in radices]
        registers = max(t * radix for t, radix in zip(turns, radices, strict=True))
        if registers > (REGISTERS if most > 256 else MOST_REGISTERS):
            continue
        work = sum(t * radix * threads for t, radix in zip(turns, radices, strict=True))
        best = min(best or (work + 1, 0, 0), (work, abs(threads - 256), threads))
    return best[2] if best else None


@cache
def passes(n: int, columns: bool, limits: Limits) -> tuple[int, ...]:
    """The lengths of the passes for transforms of a length whose factors are small."""
    if shape_of(n, columns, limits) or (n < SHORTEST_COLUMNS and shape_of(n, False, limits)):
        return (n,)
    count = 2
    while True:
        found = _split(n, count, limits)
        if found is not None:
            return found
        count += 1


def _split(n: int, count: int, limits: Limits) -> tuple[int, ...] | None:
    if count == 1:
        return (n,) if shape_of(n, True, limits) else None
    ideal = n ** (1 / count)
    divisors = _divisors(n)
    for length in sorted(divisors, key=lambda d: max(d / ideal, ideal / d)):
        if length > 1 and shape_of(length, True, limits):
            rest = _split(n // length, count - 1, limits)
            if rest is not None and prod(rest) * length == n:
                return (length, *rest)
    return None


@cache
def _divisors(n: int) -> tuple[int, ...]:
    found = {1}
    for p in factors(n):
        found |= {d * p for d in found}
    return tuple(sorted(found))
