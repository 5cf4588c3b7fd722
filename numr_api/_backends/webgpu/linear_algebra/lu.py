"""LU factors with partial pivoting, and what they solve: systems of linear equations.

Panels of columns are factored one after the other, each by a workgroup for each matrix; the columns
to the right of a panel are changed by a kernel for its rows of U, and by a matrix product for those
below (G. H. Golub and C. F. Van Loan, Matrix Computations, 4th ed., sections 3.2.11 and 3.4).

Matrices are copied by columns, so that threads with neighbouring rows read neighbouring elements.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api import _dtypes
from numr_api._backends.webgpu import facts
from numr_api._backends.webgpu.data import Strided, broadcast, common_shape, index, transposed
from numr_api._backends.webgpu.linear_algebra.fields import real_of
from numr_api._backends.webgpu.linear_algebra.status import Status
from numr_api._backends.webgpu.linear_algebra.triangular import (
    solve_blocks,
    solve_triangles,
    stack,
    step_of,
    text,
    width_of,
)
from numr_api._backends.webgpu.orders import whole

if TYPE_CHECKING:
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.gpu import Program
    from numr_api._backends.webgpu.memory import Binding
    from numr_api._backends.webgpu.types import Type
    from numr_api._dtypes import DType

LABEL = "LU factors"
FEWEST_THREADS = 32  # each may have a column of a panel
MOST_THREADS = 512
MOST_REGISTERS = 256  # bytes of a matrix that a thread has in them
EXCHANGE_THREADS = 32
COPY_THREADS = 256
SINGULAR = "a matrix is singular"


class Factors(NamedTuple):
    """Factors of matrices in one batch axis.

    Attributes:
        matrices: both factors in the square of the matrix, stored by columns.
        exchanges: with which row each row was exchanged, in order.
        order: from which row of the matrix each row comes.
    """

    matrices: Strided
    exchanges: Strided
    order: Strided

    @property
    def by_rows(self) -> Strided:
        return transposed(self.matrices)


# What decides which element is the pivot: the bits of its size, of which NaN has the largest.
KEYS = {
    "f32": "alias K = u32;\nfn key_of(a: V) -> K {{ return bitcast<u32>({size}) & 0x7fffffffu; }}",
    "f64": "alias K = u64;\n"
    "fn key_of(a: V) -> K {{ return bitcast<u64>({size}) & 0x7ffffffffffffffflu; }}",
}
SIZES = {"f": "a", "c": "abs(a.x) + abs(a.y)"}


# The largest key of a subgroup, and its place.
SUBGROUPS = {
    "f32": """
fn best_of_subgroup(own: Best) -> Best {
    let key = subgroupMax(own.key);
    return Best(key, subgroupMin(select(NONE, own.place, own.key == key)));
}
""",
    "f64": """
fn best_of_subgroup(own: Best) -> Best {
    let own_high = u32(own.key >> 32u);
    let high = subgroupMax(own_high);
    let low = subgroupMax(select(0u, u32(own.key), own_high == high));
    let key = (u64(high) << 32u) | u64(low);
    return Best(key, subgroupMin(select(NONE, own.place, own.key == key)));
}
""",
}


def keys(kind: Type, subgroups: bool) -> str:
    """The functions for the search of a pivot."""
    real = real_of(kind)
    found = KEYS[real].format(size=SIZES[kind.kind])
    return f"\n{found}\n{SUBGROUPS[real] if subgroups else ''}"


def power_of_two(length: int) -> int:
    """The least one that is not below."""
    return 1 << (length - 1).bit_length()


def factors(backend: WebgpuBackend, x: Strided, status: Status | None = None) -> Factors:
    """The factors of matrices of shape (..., n, n) with elements; with a status if it matters
    whether one is singular."""
    matrices = stack(backend.copy(transposed(x)))
    count, n, _ = matrices.shape
    # The exchanges, what a panel's amount to, what all do, and a word for whoever needs no status.
    indices = backend.empty((3 * count * n + 1,), _dtypes.uint32)
    starts = [indices.offset + i * count * n for i in range(4)]
    exchanges, _, order = (indices.view((count, n), (n, 1), start) for start in starts[:3])
    places = whole(backend, LABEL, matrices), whole(backend, LABEL, indices)
    word, word_place = (places[1], starts[3]) if status is None else (status.binding, status.place)
    matrices.block.version += 1
    indices.block.version += 1
    width = width_of(backend, x.dtype)
    panel = panel_program(backend, x.dtype, n)
    every = slice(None)
    for start in range(0, n, width):
        end = min(start + width, n)
        words = [0, count, n, start, end, matrices.offset, *starts[:3], word_place]
        backend.gpu.dispatch(panel, (*places, word), words, count)
        if end - start == n:
            break
        exchange(backend, matrices, places, words)
        if end < n:
            behind = index(matrices, (every, slice(end, None)))
            above = index(matrices, (every, slice(start, end), slice(end, None)))
            rest = index(behind, (every, every, slice(end, None)))
            # By columns, so the transposed product.
            backend.products.subtract(rest, index(behind, (every, every, slice(start, end))), above)
    return Factors(matrices, exchanges, order)


def panel_program(backend: WebgpuBackend, dtype: DType, n: int) -> Program:
    """The kernel for panels of matrices of n rows."""
    kind = backend.types[dtype]
    most = min(MOST_THREADS, backend.gpu.most_threads)
    software = backend.gpu.adapter.in_software
    fewest, columns = FEWEST_THREADS, 8
    if software:
        # It compiles long, so there are few variants, and has few registers and threads.
        fewest, columns = next((size for size in (8, 32) if n <= size), 256), 2
    threads = max(min(power_of_two(n), most), fewest)
    rows = power_of_two(-(-n // threads))
    while columns > 2 and rows * columns * dtype.itemsize > MOST_REGISTERS:
        columns //= 2
    subgroups = (
        not software and backend.remembered("subgroups", lambda: facts.subgroups(backend))[0] > 0
    )

    def source() -> str:
        arrays = [("matrices", "V"), ("indices", "u32"), ("status", "atomic<u32>")]
        lanes = 1 << threads.bit_length() // 2
        constants = {"WIDTH": width_of(backend, dtype), "THREADS": threads, "LANES": lanes,
                     "ROWS": rows, "COLUMNS": columns, "REST": columns - 1, "MOVED": 2 * columns,
                     "BATCH": 2 if software else 4}  # fmt: skip
        search = "lu_search_subgroups" if subgroups else "lu_search"
        return text(kind, 10, arrays, constants, "lu_panel", search) + keys(kind, subgroups)

    key = ("lu_panel", kind.name, threads, rows)
    return backend.compiled(key, LABEL, 3, source)


def exchange(
    backend: WebgpuBackend, matrices: Strided, places: tuple[Binding, Binding], panel: list[int]
) -> None:
    """Do with the columns beside a panel what its factors demand."""
    kind = backend.types[matrices.dtype]

    def source() -> str:
        arrays = [("matrices", "V"), ("indices", "u32")]
        constants = {"WIDTH": width_of(backend, matrices.dtype), "THREADS": EXCHANGE_THREADS,
                     "STEP": step_of(backend)}  # fmt: skip
        return text(kind, 9, arrays, constants, "lu_exchange")

    program = backend.compiled(("lu_exchange", kind.name), LABEL, 2, source)
    _, count, n, start, end, place, pivots, moves, *_ = panel
    tiles = -(-(n - end + start) // EXCHANGE_THREADS)
    words = [0, count * tiles, n, start, end, tiles, place, pivots, moves]
    backend.gpu.dispatch(program, places, words, count * tiles)


# --- solutions ------------------------------------------------------------------------------------


def inv(backend: WebgpuBackend, x: Strided) -> Strided:
    """Inverses of matrices."""
    n = x.shape[-1]
    with backend.gpu.lock:
        identity = backend.full((n, n), 0, x.dtype)
        diagonal = identity.view((n,), (n + 1,), identity.offset)
        backend.assign(diagonal, (slice(None),), 1)
        return solve(backend, x, identity)


def solve(backend: WebgpuBackend, x1: Strided, x2: Strided) -> Strided:
    """Solutions X of ``x1 @ X = x2``, where x2 has the shape (..., n, columns)."""
    batch = common_shape(x1.shape[:-2], x2.shape[:-2])
    n, columns = x2.shape[-2:]
    shape = (*batch, n, columns)
    with backend.gpu.lock:
        if not x1.size:
            return backend.empty(shape, x1.dtype)
        status = Status(backend)
        found = factors(backend, x1, status)
        result = backend.empty(shape, x1.dtype)
        if result.size:
            found = spread(backend, found, x1.shape[:-2], batch)
            substitute(backend, found, stacked(backend, x2, batch), stack(result))
        status.check(SINGULAR)
    return result


def spread(
    backend: WebgpuBackend, found: Factors, own: tuple[int, ...], batch: tuple[int, ...]
) -> Factors:
    """Factors of a stack of matrices for each one of a larger stack."""
    count = prod(batch)
    if found.matrices.shape[0] == count:
        return found
    if found.matrices.shape[0] == 1:
        return Factors(*(broadcast(x, (count, *x.shape[1:])) for x in found))

    def repeated(x: Strided) -> Strided:
        stacked = x.view((*own, *x.shape[1:]), strides_of(own, x.strides), x.offset)
        copied = backend.copy(broadcast(stacked, (*batch, *x.shape[1:])))
        return copied.view((count, *x.shape[1:]), x.strides, copied.offset)

    return Factors(repeated(found.matrices), found.exchanges, repeated(found.order))


def strides_of(batch: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...]:
    """The strides where several batch axes stand for the first one."""
    steps: list[int] = []
    step = strides[0]
    for length in reversed(batch):
        steps.append(step)
        step *= length
    return (*reversed(steps), *strides[1:])


def stacked(backend: WebgpuBackend, right: Strided, batch: tuple[int, ...]) -> Strided:
    """Right-hand sides for each matrix of a stack, in one batch axis; a single one is repeated."""
    shape = right.shape[-2:]
    if prod(right.shape[:-2]) != 1:
        right = broadcast(right, (*batch, *shape))
        return stack(right if right.is_contiguous else backend.copy(right))
    single = right.view(shape, right.strides[-2:], right.offset)
    single = single if single.is_contiguous else backend.copy(single)
    return broadcast(stack(single), (prod(batch), *shape))


def substitute(backend: WebgpuBackend, found: Factors, right: Strided, target: Strided) -> None:
    """Solve systems of shape (count, n, columns) with both triangles."""
    if target.shape[1] <= width_of(backend, target.dtype):
        solve_blocks(backend, found.by_rows, right, target, order=found.order,
                     lower=True, upper=True, unit=True)  # fmt: skip
        return
    reorder(backend, found.order, right, target)
    solve_triangles(backend, found.by_rows, target, unit=True)
    solve_triangles(backend, found.by_rows, target, upper=True)


def reorder(backend: WebgpuBackend, order: Strided, source: Strided, target: Strided) -> None:
    """Write the rows of right-hand sides in another order."""
    kind = backend.types[target.dtype]
    n, columns = target.shape[1:]

    def text_of() -> str:
        arrays = [("sources", "V"), ("targets", "V"), ("indices", "u32")]
        return text(kind, 9, arrays, {"THREADS": COPY_THREADS}, "exchanged_rows")

    program = backend.compiled(("exchanged_rows", kind.name), LABEL, 3, text_of)
    words = [0, target.size, n, columns, source.offset, source.strides[0], order.offset,
             order.strides[0], target.offset]  # fmt: skip
    operands = (source, target, order)
    bindings = tuple([whole(backend, LABEL, x) for x in operands])
    target.block.version += 1
    backend.gpu.dispatch(program, bindings, words, -(-target.size // COPY_THREADS))


ROUTINES: dict[str, Callable[..., Any]] = {
    "inv": inv,
    "solve": solve,
}
