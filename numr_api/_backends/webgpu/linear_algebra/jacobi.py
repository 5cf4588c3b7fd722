"""Jacobi's method for singular values and for eigenvalues of Hermitian matrices, in blocks.

G = A V is kept by columns, with the unitary V beside it, and columns are rotated in pairs: for
singular values until those of G are orthogonal (M. R. Hestenes, J. SIAM 6, 1958), for eigenvalues
until V^H G = V^H A V is diagonal, which is C. G. J. Jacobi's own method with the same access to
memory. Columns count as orthogonal when what is left of their product is a rounding error of the
largest ones, as in other methods; so columns that are nothing but rounding errors stay as they are.

Blocks of columns meet as in a tournament, each pair once in a sweep, all pairs of a round at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from numr_api import _dtypes
from numr_api._backends.webgpu.data import index, merge, transposed
from numr_api._backends.webgpu.kernels import WORKGROUP
from numr_api._backends.webgpu.linear_algebra.fields import EXPONENTS, field, real_of
from numr_api._backends.webgpu.orders import header, kernel_text, whole
from numr_api._backends.webgpu.types import WORD
from numr_api._dtypes import REAL_PART

if TYPE_CHECKING:
    from numr_api._backends.webgpu.data import Strided
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.gpu import Program
    from numr_api._backends.webgpu.memory import Binding

MOST_SWEEPS = 64  # in float64, graded eigenvalues take most: 19 for 72, 26 for 200
FIRST_SWEEPS = 8  # then the host looks for the first time whether more are needed
STATE = MOST_SWEEPS + 1  # words: an element is not finite; one of each sweep; then three a matrix
# The word of a sweep has the bits of a float32: the largest element, 1 where it is a rounding.
NEEDED = 0x40800000  # 4: from there on another sweep is needed
FAR = 0x44800000  # 1024
FIRST = 0x7149F2CA  # 1e30: before the first sweep
# Columns that two blocks have together, and elements of each that are in a workgroup's memory; the
# first shape is taken that fits.
SHAPES = ((32, 128), (32, 64), (32, 32), (16, 64), (16, 32), (16, 16))
SMALL = 16  # columns of matrices that need no more than the last shape
THREADS = 512
THREADS_IN_SOFTWARE = 16  # where barriers take time for each
THREADS_OF_ROW = 64

NUMBERS = {
    "f32": "const ROTATED = 2.4e-7; const TINY = 1e-15;",
    "f64": "const ROTATED = 4.4e-16; const TINY = 1e-140;",
}


@dataclass(frozen=True)
class Problem:
    """What is asked of matrices with at least as many rows as columns.

    Attributes:
        x: the matrices, which are not empty.
        hermitian: whether eigenvalues are wanted, ascending, of the lower triangles; else singular
            values, descending.
        vectors: whether vectors are.
        reason: of the ValueError for matrices with NaN or infinities.
    """

    x: Strided
    hermitian: bool
    vectors: bool
    reason: str


@dataclass(frozen=True)
class Outcome:
    """Values in order, of shape (..., N), and vectors by rows.

    Attributes:
        left: of shape (..., N, M), of singular values only: rows of length 1, or of zeros; what
            they are together is ``A = left^T values right`` but for rounding errors.
        right: of shape (..., N, N): eigenvectors, or the conjugates of the right singular vectors.
    """

    values: Strided
    left: Strided | None
    right: Strided | None


def solve(backend: WebgpuBackend, problem: Problem) -> Outcome:
    """Values and vectors of matrices; ValueError if they hold NaN or infinities."""
    with backend.gpu.lock:
        return _Iteration(backend, problem).run()


class _Iteration:
    """The work on a stack of matrices."""

    def __init__(self, backend: WebgpuBackend, problem: Problem) -> None:
        self._backend, self._problem = backend, problem
        self._dtype = problem.x.dtype
        self._kind = backend.types[self._dtype]
        self._real = REAL_PART.get(self._dtype, self._dtype)
        *batch, self._inner, self._count = problem.x.shape
        self._batch = tuple(batch)
        self._matrices = prod(batch)
        self._turned = self._count if problem.hermitian or problem.vectors else 0
        self._line = self._inner + self._turned
        self._in_software = backend.gpu.adapter.in_software
        self._rows, self._chunk = self._shape_of_tiles()
        self._half = min(self._rows, self._count + 1) // 2
        self._blocks = -(-self._count // self._half)
        self._blocks += self._blocks % 2
        self._work = backend.empty((self._matrices, self._count, self._line), self._dtype)
        self._measures = backend.empty((self._matrices, 2), self._real)
        self._state = backend.full((STATE + 3 * self._matrices,), 0, _dtypes.uint32)
        self._state.block.version += 1
        self._kernel: tuple[Program, tuple[Binding, ...]] | None = None  # of rounds

    def _shape_of_tiles(self) -> tuple[int, int]:
        small = self._count <= SMALL and not self._in_software
        limit = self._backend.gpu.most_storage  # 16 KiB at least, where the last shape fits
        shapes = SHAPES[-1:] if small else SHAPES
        return next(shape for shape in shapes if self._storage(*shape) <= limit)

    def _storage(self, rows: int, chunk: int) -> int:
        """Bytes of workgroup memory for tiles of a shape."""
        elements = rows * (rows + chunk + 4) + self._size_of_turned(rows, chunk)
        return elements * self._dtype.itemsize + rows * 4 + 64

    def _size_of_turned(self, rows: int, chunk: int) -> int:
        """How large the array is that holds a unitary matrix and, before, a tile of V."""
        return rows * max(rows, chunk + 1) if self._problem.hermitian else rows * rows

    def run(self) -> Outcome:
        self._begin()
        if self._blocks == 2:
            self._round(0, 0, MOST_SWEEPS)
            outcome = self._outcome(self._part(0, self._inner), self._part(self._inner, self._line))
            self._check(1)
            return outcome
        columns = self._part(0, self._inner)
        if self._turned:
            columns = self._backend.copy(columns)
        done, wanted = 0, FIRST_SWEEPS
        while True:
            for sweep in range(done, wanted):
                for number in range(self._blocks - 1):
                    self._round(sweep, number, 1)
            if self._check(wanted):
                break
            done, wanted = wanted, min(wanted + 2, MOST_SWEEPS)
        if not self._turned:
            return self._outcome(columns, columns)
        turned = self._polished(self._part(self._inner, self._line))
        return self._outcome(self._backend.matmul(turned, columns), turned)

    def _begin(self) -> None:
        """Copy the matrices to where they are worked on."""
        x = self._problem.x
        lengths, steps = merge(self._batch, (x.strides[:-2],))
        if len(lengths) > 1:
            x = self._backend.copy(x)
            steps = (x.strides[-3:-2],)
        step = steps[0][0] if steps[0] else 0
        down, along = x.strides[-2:]
        words = (
            0, x.offset, step & WORD, self._matrices, down & WORD, along & WORD, self._count,
            self._inner, self._line, self._work.offset, self._state.offset, self._measures.offset,
            int(abs(along) <= abs(down)), self._state.offset + STATE,
        )  # fmt: skip
        arrays = {"source": x, "work": self._work, "state": self._state, "measures": self._measures}
        self._dispatch("jacobi_begin", arrays, words, self._matrices)

    def _round(self, sweep: int, number: int, turns: int) -> None:
        place = self._state.offset
        words = (
            0, self._work.offset, self._line, self._count, self._inner, self._blocks, self._half,
            number, turns, self._matrices, place + 1 + sweep, place + STATE,
            self._measures.offset, (self._half - 1).bit_length(), sweep,
        )  # fmt: skip
        if self._kernel is None:
            arrays = {"work": self._work, "state": self._state, "measures": self._measures}
            self._kernel = self._prepared("jacobi", arrays, len(words))
        self._backend.gpu.dispatch(*self._kernel, words, self._matrices * self._blocks // 2)

    def _check(self, sweeps: int) -> bool:
        """Whether no more sweeps are needed after so many; ValueError if they would not help."""
        words = index(self._state, (slice(STATE),))
        words.mirror = None
        broken, *levels = self._backend.to_host(words).tolist()
        last = levels[sweeps - 1]
        if broken or (sweeps in (1, MOST_SWEEPS) and last >= FAR):
            raise ValueError(self._problem.reason)
        return last < NEEDED or sweeps == MOST_SWEEPS

    def _part(self, start: int, stop: int) -> Strided:
        return index(self._work, (slice(None), slice(None), slice(start, stop)))

    def _polished(self, turned: Strided) -> Strided:
        """V closer to a unitary one: V - (V V^H - I) V / 2 (G. Schulz, 1933)."""
        backend = self._backend
        polished, adjoint = backend.copy(turned), turned
        if self._kind.kind == "c":
            conjugate = backend.elementwise("conj", (self._dtype,), self._dtype, self._dtype)
            adjoint = backend.launch(conjugate, turned)
        defect = backend.matmul(turned, transposed(adjoint))
        words = (0, defect.size, self._count, defect.offset)
        self._dispatch("jacobi_defect", {"defect": defect}, words, -(-defect.size // WORKGROUP))
        backend.products.subtract(polished, defect, turned)
        return polished

    def _outcome(self, work: Strided, turned: Strided) -> Outcome:
        """Values and vectors of G and V by rows."""
        backend, vectors = self._backend, self._problem.vectors
        number = self._matrices * self._count
        found = backend.empty((number, 2), self._real)
        values = backend.empty((*self._batch, self._count), self._real)
        words = (0, number, work.offset, work.strides[1], self._inner, turned.offset,
                 turned.strides[1], self._turned, found.offset)  # fmt: skip
        arrays = {"work": work, "turned": turned, "values": found}
        self._dispatch("jacobi_values", arrays, words, number)
        left = right = None
        if vectors:
            right = backend.empty((*self._batch, self._count, self._count), self._dtype)
            if not self._problem.hermitian:
                left = backend.empty((*self._batch, self._count, self._inner), self._dtype)
        first, second = left or work, right or work
        words = (*words, self._count, values.offset, first.offset, second.offset,
                 self._measures.offset)  # fmt: skip
        arrays |= {"results": values, "left": first, "right": second, "measures": self._measures}
        self._dispatch("jacobi_place", arrays, words, number)
        return Outcome(values, left, right)

    def _dispatch(
        self, name: str, arrays: dict[str, Strided], words: tuple[int, ...], groups: int
    ) -> None:
        program, bindings = self._prepared(name, arrays, len(words))
        self._backend.gpu.dispatch(program, bindings, words, groups)

    def _prepared(
        self, name: str, arrays: dict[str, Strided], words: int
    ) -> tuple[Program, tuple[Binding, ...]]:
        """A kernel and what it is given besides words of parameters."""
        backend, problem = self._backend, self._problem
        label = "eigh" if problem.hermitian else "svd"
        threads = self._threads(name)
        key = (name, self._dtype, problem.hermitian, problem.vectors, self._rows, threads)
        program = backend.compiled(
            key, label, len(arrays), lambda: self._source(name, list(arrays), words, threads)
        )
        return program, tuple(whole(backend, label, x) for x in arrays.values())

    def _threads(self, name: str) -> int:
        if name == "jacobi_defect":
            return WORKGROUP
        if self._in_software:
            return THREADS_IN_SOFTWARE
        if name in ("jacobi_values", "jacobi_place"):
            return THREADS_OF_ROW
        most = min(THREADS, self._backend.gpu.most_threads)
        return min(max(1 << (2 * self._half**2 - 1).bit_length(), 32), most)

    def _source(self, name: str, arrays: list[str], words: int, threads: int) -> str:
        elements = {"state": "atomic<u32>", "measures": "R", "values": "R", "results": "R"}
        rows, chunk = self._rows, self._chunk
        problem = self._problem
        is_complex = self._kind.kind == "c"
        conjugated = is_complex and not problem.hermitian
        right = "conjugate(a)" if conjugated else "a"
        facts = {
            "GRAM": not problem.hermitian, "HERMITIAN": problem.hermitian,
            "LEFT": problem.vectors and not problem.hermitian, "RIGHT": problem.vectors,
        }  # fmt: skip
        return "\n".join([
            header(words, [(array, elements.get(array, "V")) for array in arrays]),
            field(self._kind), EXPONENTS[real_of(self._kind)], NUMBERS[real_of(self._kind)],
            f"fn as_right(a: V) -> V {{ return {right}; }}",
            *(f"const {fact} = {str(holds).lower()};" for fact, holds in facts.items()),
            f"const NEEDED = {NEEDED}u; const FIRST = {FIRST}u;",
            f"const ROWS = {rows}u; const CHUNK = {chunk}u; const PITCH = {chunk + 1}u;",
            f"const TURNED = {self._size_of_turned(rows, chunk)}u; const THREADS = {threads}u;",
            kernel_text(name),
        ])  # fmt: skip
