"""Which kernel computes a matrix product, in which tiles or slices.

All of that follows from shapes, from which axes are contiguous, and from the device's limits.

Products with few columns read a long left operand once, for which narrow tiles are better than dot
products, that read the right operand in vain as often as there are columns: of (131072, 1024) with
(1024, 8), on an H200, 4.8 ms as dot products and 0.20 in tiles of 64 x 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from numr_api._backends.webgpu.kernels import EACH, WORKGROUP
from numr_api._backends.webgpu.product_parts import Access
from numr_api._backends.webgpu.product_problem import SHORT, Product, Side
from numr_api._backends.webgpu.product_tiles import INNER, Tile

if TYPE_CHECKING:
    from numr_api._backends import Shape

TILED = 1 << 21  # multiplications from which tiles are worth their kernel
BUSY = 1 << 19  # threads that keep a large GPU busy
BUSY_TILES = 128
MOST_SLICES = 1024
SLICE = 2048  # the least inner length of a slice for single dot products
TILED_SLICE = 256  # the same for tiles
LONG = 1024  # inner length from which slices, for which more kernels run, are worth larger tiles
SINGLE = 32  # inner length up to which single products use the smallest kernel
COPIED = 1 << 16  # elements from which an operand without a contiguous axis is copied first


def is_tiled(batch: int, rows: int, columns: int, inner: int) -> bool:
    """Whether tiles compute a product."""
    least, most = sorted((rows, columns))
    shared = least > SHORT or (least > 1 and most > 32)  # else a tile would be nearly empty
    return shared and inner >= SHORT and batch * rows * columns * inner >= TILED


def tile_of(product: Product, tiles: Sequence[Tile]) -> Tile | None:
    """Which of a dtype's tiles are a product's, None if it is computed as single dot products."""
    batch = product.batch[1:] if product.slice else product.batch
    rows, columns, inner = product.rows, product.columns, product.inner
    if product.right is None or not is_tiled(prod(batch), rows, columns, inner):
        return None
    for tile in tiles[:-1]:
        count = tiles_of(batch, rows, columns, tile) * max(1, inner // LONG)
        if _suits(tile, rows, columns) and count >= BUSY_TILES:
            return tile
    return tiles[-1]


def _suits(tile: Tile, rows: int, columns: int) -> bool:
    """Whether a narrow tile holds a product across, or little of another is beyond its end."""
    if tile.columns < 32:
        return columns <= tile.columns and rows > tile.rows // 2
    if tile.rows < 32:
        return rows <= tile.rows and columns > tile.columns // 2
    return rows > tile.rows // 2 and columns > tile.columns // 2


def tiles_of(batch: Shape, rows: int, columns: int, tile: Tile) -> int:
    return prod(batch) * -(-rows // tile.rows) * -(-columns // tile.columns)


def slices_of(product: Product, tiles: Sequence[Tile]) -> int:
    """Into how many slices the inner axis is cut."""
    tile = tile_of(product, tiles)
    results = prod(product.batch) * product.rows * product.columns
    if tile is None:
        lanes, _ = lanes_of(product)
        return max(1, min(BUSY // (results * lanes), product.inner // SLICE, MOST_SLICES))
    count = tiles_of(product.batch, product.rows, product.columns, tile)
    if count >= BUSY_TILES:
        return 1
    return max(1, min(2 * BUSY_TILES // count, product.inner // TILED_SLICE))


def lanes_of(product: Product) -> tuple[int, bool]:
    """Threads of a dot product, and whether they are neighbours.

    They are where they read what is contiguous along the inner axis. Where the outer one is,
    neighbours have different dot products, and several to each are of use only if those are few.
    """
    inner = product.slice or product.inner
    if inner <= 2 * INNER:
        return 1, False
    left, right = product.left, product.right
    results = prod(product.batch) * product.rows * product.columns
    if left.last in (1, -1) and (
        right is None or product.columns <= SHORT or right.last in (1, -1)
    ):
        return min(max(1 << (inner // (16 * EACH)).bit_length(), 8), WORKGROUP), True
    lanes = 1
    while lanes < 32 and results * lanes < BUSY and inner >= 2 * INNER * lanes:
        lanes *= 2
    return lanes, False


def access_of(side: Side, place: int, length: int, inner: int) -> Access:
    """How tiles of an operand are loaded."""
    along = "inner" if abs(side.last) == 1 and side.outer != 1 else "outer"
    here, other = (side.last, side.outer) if along == "inner" else (side.outer, side.last)
    whole = (inner if along == "inner" else length) % EACH == 0
    aligned = not any(n % EACH for n in (place, other, *side.steps))
    return Access(along, here == 1 and whole and aligned)


def vector_access(side: Side, place: int) -> Access:
    """How single dot products load an operand."""
    aligned = not any(n % EACH for n in (place, side.outer, *side.steps))
    return Access("inner", side.last == 1 and aligned)
