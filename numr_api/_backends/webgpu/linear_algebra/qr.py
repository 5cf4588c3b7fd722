"""QR by Householder's reflectors, in blocks.

A workgroup for each matrix reduces a panel of columns; matrix products apply the reflectors of a
panel at once, as I - V T V^H (R. Schreiber, C. Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989), to
what is right of it, and afterwards, the last panel first, to the identity, which becomes Q.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api._backends.webgpu.data import index, row_major, transposed
from numr_api._backends.webgpu.kernels import WORKGROUP
from numr_api._backends.webgpu.linear_algebra.fields import EXPONENTS, field, real_of
from numr_api._backends.webgpu.orders import header, kernel_text, whole
from numr_api._dtypes import REAL_PART

if TYPE_CHECKING:
    from numr_api._backends.webgpu.data import Strided
    from numr_api._backends.webgpu.device import WebgpuBackend

WIDTHS = (4, 16, 32)  # of a panel
THREADS_IN_SOFTWARE = 64
MOST_THREADS = 1024
LEAST_THREADS_SHARED = 2048  # bytes of a workgroup's memory for the fewest threads
KEPT = 8  # rows of a thread where threads keep their elements
PART = 16  # bytes of the columns that a thread has
ROWS_EACH = 4  # of a thread at least, where matrices are tall enough

# Of the square of a column of about 1, below which it counts as zero.
NEGLIGIBLE = {"f32": 7.9e-31, "f64": 1e-270}


def qr(backend: WebgpuBackend, x: Strided, *, mode: str) -> tuple[Strided, Strided]:
    """Q and R of matrices, "reduced" or "complete"."""
    return factor(backend, x, mode == "complete")


def factor(backend: WebgpuBackend, x: Strided, complete: bool) -> tuple[Strided, Strided]:
    """Q and R of matrices of shape (..., M, N), new and contiguous.

    Arguments:
        complete: whether Q is (..., M, M) and R (..., M, N), instead of (..., M, K) and (..., K, N)
            with K the lesser of M and N.
    """
    *batch, rows, columns = x.shape
    vectors = rows if complete else min(rows, columns)
    unitary = backend.empty((*batch, rows, vectors), x.dtype)
    triangle = backend.empty((*batch, vectors, columns), x.dtype)
    if unitary.size or triangle.size:
        with backend.gpu.lock:
            _Factorisation(backend, x).run(unitary, triangle)
    return unitary, triangle


@dataclass(frozen=True)
class _Panel:
    """Some columns of all matrices, once they are reduced.

    Attributes:
        start: the first column.
        vectors: V of each matrix from row ``start`` on.
        triangles: T of each matrix.
    """

    start: int
    vectors: Strided
    triangles: Strided


class _Form(NamedTuple):
    """A kernel, how many columns a workgroup has, and how many threads."""

    name: str
    width: int
    threads: int


class _Factorisation:
    """The work on a stack of matrices."""

    def __init__(self, backend: WebgpuBackend, x: Strided) -> None:
        self._backend = backend
        self._dtype = x.dtype
        self._kind = backend.types[x.dtype]
        *batch, self._rows, self._columns = x.shape
        self._count = prod(batch)
        self._rank = min(self._rows, self._columns)
        storage = backend.gpu.most_storage - LEAST_THREADS_SHARED
        widths = [w for w in WIDTHS if self._shared(w) <= storage]
        self._width = next((w for w in widths if w >= self._rank), widths[-1])
        self._in_software = backend.gpu.adapter.in_software
        self._each = 1 if self._in_software else PART // self._dtype.itemsize
        self._source = x if x.is_contiguous else backend.copy(x)

    def run(self, unitary: Strided, triangle: Strided) -> None:
        matrices, scales = self._scaled()
        panels = self._reduced(matrices) if self._rank else []
        self._start_results(matrices, scales, panels, unitary, triangle)
        flat = (self._count, *unitary.shape[-2:])
        unitary = unitary.view(flat, row_major(flat), unitary.offset)
        for panel in reversed(panels[:-1]):
            # Columns before the panel's are still those of the identity, with zeros in its rows.
            self._apply(panel, panel.triangles, _from(unitary, panel.start, panel.start))

    def _scaled(self) -> tuple[Strided, Strided]:
        """The matrices, copied, with columns of about 1, and by what they were divided."""
        matrices = self._new((self._count, self._rows, self._columns))
        real = REAL_PART.get(self._dtype, self._dtype)
        scales = self._backend.empty((self._count, self._columns), real)
        if self._source.size:
            form = _Form("qr_scale", self._width, self._threads(self._width, self._rows))
            groups = self._count * -(-self._columns // self._width)
            words = (0, groups, self._rows, self._columns,
                     self._source.offset, matrices.offset, scales.offset)  # fmt: skip
            arrays = {"sources": self._source, "matrices": matrices, "scales": scales}
            self._dispatch(form, arrays, words, groups)
        return matrices, scales

    def _reduced(self, matrices: Strided) -> list[_Panel]:
        """Reduce the matrices, so that R is in their upper triangles."""
        plan: list[tuple[int, _Form]] = []
        start = 0
        while start < self._rank:
            plan.append((start, self._form_of(self._rows - start)))
            start += plan[-1][1].width
        vectors = self._new((len(plan), self._count, self._rows, self._width))
        triangles = self._new((len(plan), self._count, self._width, self._width))
        arrays = {"matrices": matrices, "vectors": vectors, "triangles": triangles}
        if any(form.name == "qr_panel" for _, form in plan):
            arrays["pivots"] = self._new((self._count, 2, self._rows, 2))
        panels: list[_Panel] = []
        for number, (start, form) in enumerate(plan):
            width = min(form.width, self._rank - start)
            these = index(vectors, (number, slice(None), slice(start, None), slice(width)))
            square = index(triangles, (number, slice(None), slice(width), slice(width)))
            words = [
                0, self._count, self._rows - start, width,
                matrices.offset + start * (self._columns + 1), self._rows * self._columns,
                self._columns, these.offset // self._each,
                self._rows * self._width // self._each, square.offset,
            ]  # fmt: skip
            if form.name == "qr_panel":
                words += [arrays["pivots"].offset, self._rows]
            self._dispatch(form, arrays, words, self._count)
            panel = _Panel(start, these, square)
            panels.append(panel)
            if start + width < self._columns:
                rest = _from(matrices, start, start + width)
                self._apply(panel, self._adjoint(square), rest)
        return panels

    def _form_of(self, rows: int) -> _Form:
        """The kernel for a panel of so many rows: the wider one of those whose threads keep it."""
        widest = self._width
        if not self._in_software:
            for width in (widest, 16):
                threads = self._threads(width, -(-rows // KEPT), KEPT)
                if width <= widest and threads * KEPT >= rows * (width // self._each):
                    return _Form("qr_short_panel", width, threads)
        return _Form("qr_panel", widest, self._threads(widest, -(-rows // ROWS_EACH)))

    def _threads(self, width: int, row_groups: int, kept: int = 0) -> int:
        """A power of two, if the device allows it enough for so many groups of rows."""
        if self._in_software:
            return THREADS_IN_SOFTWARE
        gpu, size = self._backend.gpu, self._dtype.itemsize
        lanes = width // self._each
        wanted = max(64, min(lanes * row_groups, MOST_THREADS, gpu.most_threads))
        threads = 1 << (wanted.bit_length() - 1)
        if threads < wanted and 2 * threads <= min(MOST_THREADS, gpu.most_threads):
            threads *= 2
        each = PART + 2 * kept * size // lanes
        while threads > 64 and threads * each + self._shared(width) > gpu.most_storage:
            threads //= 2
        return threads

    def _shared(self, width: int) -> int:
        """Bytes of a workgroup's memory that do not depend on its threads."""
        return width * (width * 5 // 4 + 3) * self._dtype.itemsize

    def _apply(self, panel: _Panel, middle: Strided, target: Strided) -> None:
        """Subtract V (middle (V^H target)) from a target."""
        products = self._backend.products
        shares = products.matmul(self._adjoint(panel.vectors), target)
        products.subtract(target, panel.vectors, products.matmul(middle, shares))

    def _start_results(
        self,
        matrices: Strided,
        scales: Strided,
        panels: list[_Panel],
        unitary: Strided,
        triangle: Strided,
    ) -> None:
        """Write R, and Q as the last panel's reflectors make it of the identity."""
        size = unitary.shape[-1]
        start = width = 0
        vectors = shares = matrices
        if panels:
            start, vectors = panels[-1].start, panels[-1].vectors
            width = vectors.shape[-1]
            head = index(vectors, (slice(None), slice(size - start)))
            shares = self._backend.products.matmul(panels[-1].triangles, self._adjoint(head))
        words = (
            0, self._count, self._rows, self._columns, size, start, width, matrices.offset,
            scales.offset, triangle.offset, unitary.offset, vectors.offset, shares.offset,
        )  # fmt: skip
        arrays = {"matrices": matrices, "scales": scales, "vectors": vectors, "shares": shares,
                  "triangles": triangle, "unitary": unitary}  # fmt: skip
        groups = -(-(unitary.size + triangle.size) // WORKGROUP)
        self._dispatch(_Form("qr_results", self._width, WORKGROUP), arrays, words, groups)

    def _adjoint(self, x: Strided) -> Strided:
        if self._kind.kind == "c":
            dtype = self._dtype
            x = self._backend.launch(self._backend.elementwise("conj", (dtype,), dtype, dtype), x)
        return transposed(x)

    def _new(self, shape: tuple[int, ...]) -> Strided:
        return self._backend.empty(shape, self._dtype)

    def _dispatch(
        self, form: _Form, arrays: dict[str, Strided], words: Sequence[int], groups: int
    ) -> None:
        if form.name != "qr_panel":
            arrays = {name: x for name, x in arrays.items() if name != "pivots"}
        bindings = tuple(whole(self._backend, "qr", x) for x in arrays.values())
        key = (form, self._dtype, self._width, self._each)
        program = self._backend.compiled(key, "qr", len(bindings),
            lambda: self._source_of(form, list(arrays), len(words)),
        )  # fmt: skip
        self._backend.gpu.dispatch(program, bindings, words, groups)

    def _source_of(self, form: _Form, arrays: list[str], words: int) -> str:
        """The text of a kernel."""
        kind, each = self._kind, self._each
        real = real_of(kind)
        elements = {"scales": "R"}
        numbers = {"COLUMNS": form.width, "THREADS": form.threads}
        lanes = form.width
        names, own = [form.name], ""
        if form.name in ("qr_panel", "qr_short_panel"):
            elements["vectors"] = "Part"
            lanes = form.width // each
            numbers |= {
                "EACH": each, "LANES": lanes, "KEPT": KEPT,
                "FIRST_SUMS": 1 << ((form.threads // lanes).bit_length() // 2),
                "STORED": self._width, "STORED_LANES": self._width // each,
            }  # fmt: skip
            ahead = str(not self._in_software).lower()
            own = f"const AHEAD = {ahead}; const NEGLIGIBLE = {NEGLIGIBLE[real]};"
            part = "qr_part" if each == 1 else f"qr_part_{kind.suffix}"
            names = [part, "qr_reflector", form.name]
        elif form.name == "qr_scale":
            own = EXPONENTS[real]
        numbers["GROUPS"] = form.threads // lanes
        return "\n".join([
            header(words, [(array, elements.get(array, "V")) for array in arrays]),
            field(kind), own, *(f"const {key} = {number}u;" for key, number in numbers.items()),
            kernel_text(*names),
        ])  # fmt: skip


def _from(x: Strided, row: int, column: int) -> Strided:
    return index(x, (slice(None), slice(row, None), slice(column, None)))


ROUTINES: dict[str, Callable[..., Any]] = {"qr": qr}
