"""The fast Walsh-Hadamard transform of blocks of the last axis, in workgroup memory.

A workgroup transforms a tile of some thousand elements: several blocks, one block, or a part of
one. A block longer than a tile takes two launches: its tiles first, then tiles across them, of the
elements that are a tile's length apart, each with some neighbours. The butterflies of a block are
the same ones in the same order whatever else is in the call.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import TYPE_CHECKING, Any

from numr_api._backends.webgpu.data import Strided, merge
from numr_api._backends.webgpu.kernels import (
    EACH,
    WORKGROUP,
    window_of,
)
from numr_api._backends.webgpu.types import WORD, Type
from numr_api._backends.webgpu.walsh_hadamard_kernels import Pass, source_text
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends.webgpu.device import WebgpuBackend

LEAST_TILE = EACH * WORKGROUP
MOST_ELEMENTS = 1 << 30  # of a launch, so that no index exceeds a word


def most_tile(backend: WebgpuBackend, kind: Type) -> int:
    """The largest power of two of elements that fits a workgroup's memory."""
    itemsize = 8 if kind.compute == "f64" else 4
    return 1 << (backend.gpu.most_storage // itemsize).bit_length() - 1


def fwht(
    backend: WebgpuBackend, x: Strided, signs: Strided | None = None, *, block_size: int
) -> Strided:
    """The transform of each block, divided by the root of its length; signs come first."""
    kind = backend.types[x.dtype]
    with backend.gpu.lock:
        out: Strided = backend.empty(x.shape, x.dtype)
        if not x.size:
            return out
        out.block.version += 1
        if not x.is_contiguous and not _at_once(x, out):
            x = backend.copy(x)
        most = most_tile(backend, kind)
        if block_size <= most:
            tile = max(block_size, min(LEAST_TILE, most))
            _run(backend, x, signs, out, Pass(tile, 1, block_size, signs is not None, False, 0,
                 False, True), block_size)  # fmt: skip
            return out
        # Between the launches numbers are not rounded to 16 bits.
        between = out
        if kind.packed > 1:
            between = backend.empty(x.shape, backend.default_dtypes["real floating-point"])
        first = Pass(most, 1, most, signs is not None, False, 0, False, False)
        _run(backend, x, signs, between, first, block_size)
        neighbours = most * most // block_size
        if neighbours < EACH:
            raise Unsupported(f"fwht of blocks of {block_size:,} elements on {backend.device}")
        last = Pass(most, neighbours, most, False, True, 0, False, True)
        _run(backend, between, None, out, last, block_size)
    return out


def _at_once(x: Strided, out: Strided) -> bool:
    """Whether bindings hold all elements, and a word their index."""
    whole = all(y.block.buffer.whole is not None for y in (x, out))
    return whole and x.size <= MOST_ELEMENTS


def _run(
    backend: WebgpuBackend,
    x: Strided,
    signs: Strided | None,
    out: Strided,
    step: Pass,
    block_size: int,
) -> None:
    """Record a pass over all elements, in parts of whole blocks and tiles if they are many."""
    lengths, (steps,) = merge(x.shape, (x.strides,))
    if not lengths:
        lengths, steps = (1,), (1,)
    most = x.size
    if not _at_once(x, out):
        unit = max(block_size, step.tile)
        most = min(backend.gpu.most // y.dtype.itemsize // 2 for y in (x, out)) // unit * unit
        if not most:
            raise Unsupported(f"fwht of blocks of {block_size:,} elements on {backend.device}")
    for start in range(0, x.size, most):
        count = min(most, x.size - start)
        if x.size > most:  # then it is contiguous
            lengths, steps = (count,), (1,)
        places = [x.offset + start if x.size > most else x.offset, out.offset + start]
        windows = [window_of(x, lengths, steps, places[0]),
                   window_of(out, (count,), (1,), places[1])]  # fmt: skip
        moved = [p - w.offset // y.dtype.itemsize  # type: ignore[union-attr]
                 for y, p, w in zip((x, out), places, windows, strict=True)]  # fmt: skip
        vector = (
            steps[-1] == 1
            and lengths[-1] % EACH == 0
            and not any(n % EACH for n in (*moved, *steps[:-1]))
        )
        chosen = step._replace(rank=len(lengths), vector=vector)
        kinds = (backend.types[x.dtype], backend.types[out.dtype])
        last_axis = x.shape[-1]
        words = [0, count, last_axis, start % last_axis, block_size, moved[0] & WORD, moved[1]]
        bindings: list[Any] = [*windows]
        more = [0, 0]
        if signs is not None:
            window = window_of(signs, signs.shape, signs.strides, signs.offset)
            if window is None:
                raise Unsupported(f"fwht with so many signs on {backend.device}")
            bindings.append(window)
            more = [signs.offset - window.offset // signs.dtype.itemsize, signs.strides[0]]
        words += [n & WORD for n in more]
        words += [*_scale_words(backend, kinds[0], block_size), *lengths]
        words += [s & WORD for s in steps]
        program = backend.compiled(
            ("fwht", kinds[0].name, kinds[1].name, chosen), "fwht", len(bindings),
            lambda chosen=chosen, kinds=kinds: source_text(chosen, *kinds),
        )  # fmt: skip
        backend.gpu.dispatch(program, tuple(bindings), words, -(-count // step.tile))


def _scale_words(backend: WebgpuBackend, kind: Type, block_size: int) -> tuple[int, ...]:
    """What results are multiplied with, not rounded to 16 bits."""
    if kind.compute == "f32":
        kind = backend.types[backend.default_dtypes["real floating-point"]]
    return kind.scalar_words(1 / sqrt(block_size))


ROUTINES: dict[str, Callable[..., Any]] = {"fwht": fwht}
