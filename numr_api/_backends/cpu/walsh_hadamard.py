"""Walsh and Hadamard's transform by butterflies, without BLAS, whose rows depend on the others.

Sums are made in the same order however many blocks there are: first of elements that are half a
block apart, last of neighbours. Only where they lie in memory differs, so that inner loops are
long: with many blocks, the blocks lie beside each other; with few, a block is a matrix, whose
columns are done first and then, transposed, its rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from numr_api._backends.cpu import jit, threads

AnyArray = Any

TILE = 65536  # elements, at least a block
MANY = 32  # blocks
SHORTEST = 8  # elements of a block that the compiled loop takes
NANOSECONDS = 1.0  # for an addition, about

__all__ = ["ROUTINES"]


def fwht(x: AnyArray, signs: AnyArray | None = None, *, block_size: int) -> AnyArray:
    found = np.empty(x.shape, x.dtype)
    if not x.size:
        return found
    wide = np.promote_types(x.dtype, np.float32)
    length = x.shape[-1]
    rows = np.ascontiguousarray(x).reshape(-1, length)
    if signs is not None:
        signs = signs.astype(wide)
    blocks = rows.reshape(-1, block_size)
    target = found.reshape(-1, block_size)
    a_row = length // block_size  # blocks
    step = max(1, TILE // block_size)
    root = wide.type(math.sqrt(block_size))

    loop = jit.find_loop("fwht") if wide == np.float32 and block_size >= SHORTEST else None

    def task(start: int, stop: int) -> None:
        for low in range(start, stop, step):
            part = slice(low, min(low + step, stop))
            tile = blocks[part].astype(wide)
            if signs is not None:
                which = np.arange(part.start, part.stop) % a_row
                tile *= signs.reshape(a_row, block_size)[which]
            if loop is None:
                tile = transformed(tile) / root
            else:
                loop(tile, root)
            target[part] = tile

    nanoseconds = NANOSECONDS * x.size * max(1.0, math.log2(block_size))
    threads.share(task, len(blocks), nanoseconds)
    return found


def transformed(tile: AnyArray) -> AnyArray:
    """The transform of the rows of a matrix, without its factor."""
    count, size = tile.shape
    if count >= MANY:
        return butterflies(np.ascontiguousarray(tile.T)[None])[0].T
    columns = 1 << (size.bit_length() // 2)
    matrices = butterflies(tile.reshape(count, size // columns, columns))
    matrices = butterflies(np.ascontiguousarray(matrices.transpose(0, 2, 1)))
    return matrices.transpose(0, 2, 1).reshape(count, size)


def butterflies(source: AnyArray) -> AnyArray:
    """The transform along the middle one of three axes; the array is used as memory."""
    count, size, inner = source.shape
    target = np.empty_like(source)
    half = size // 2
    while half:
        shape = count * (size // (2 * half)), 2, half * inner
        pairs, results = source.reshape(shape), target.reshape(shape)
        np.add(pairs[:, 0], pairs[:, 1], out=results[:, 0])
        np.subtract(pairs[:, 0], pairs[:, 1], out=results[:, 1])
        source, target = target, source
        half //= 2
    return source


ROUTINES = {"fwht": fwht}
