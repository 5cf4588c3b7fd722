"""What element-wise kernels there are; ``elementwise_kernels`` writes them."""

from __future__ import annotations

from typing import NamedTuple

from numr_api._backends.cuda.activations import ACTIVATIONS
from numr_api._dtypes import DType, computed

THREADS = 256  # of a block; THREADS of elementwise.cuh
# Operations on numbers as they are in memory; all others are on what they are computed in.
AS_STORED = ("cast", "copy", "copysign", "fill", "nextafter", "signbit", "where")
WORD = 4  # bytes that a thread reaches at a time in rows that are not aligned


class Signature(NamedTuple):
    """What a kernel computes, of what.

    Attributes:
        name: of the operation.
        body: C++ for ``operation``, whose parameters a, b, c are of the promoted dtypes.
        operands: the dtype of each array; None for a Python scalar.
        promoted: what each is converted to when it is loaded.
        result: the dtype of the outcome.
    """

    name: str
    body: str
    operands: tuple[DType | None, ...]
    promoted: tuple[DType, ...]
    result: DType

    @property
    def arrays(self) -> list[DType]:
        """The dtypes of all arrays, the output first."""
        return [self.result, *(x for x in self.operands if x is not None)]

    def type_of(self, promoted: DType) -> DType:
        """The type of an operand where the operation is computed."""
        return promoted if self.name in AS_STORED else computed(promoted)

    @property
    def sources(self) -> tuple[str, ...]:
        """The files of which the kernels need functions."""
        if self.name in ACTIVATIONS:
            return ("near_activations.cuh", "elementwise.cuh")
        kinds = {dtype.kind for dtype in (*self.promoted, self.result)}
        library = "complex" if "c" in kinds else "functions" if "f" in kinds else "numbers"
        return (f"{library}.cuh", "elementwise.cuh")

    @property
    def vector(self) -> int:
        """How many elements a thread has where it reaches them in one access.

        16 bytes of the narrowest array, but of no array more than 32.
        """
        sizes = [dtype.itemsize for dtype in self.arrays]
        return max(1, min(16 // min(sizes), 32 // max(sizes)))

    @property
    def scattered(self) -> int:
        """How many elements a thread has where it reaches each by itself.

        Several, so that it need not wait for one after the other; but one where the operation is
        so long that copies of it would take seconds to compile.
        """
        return 1 if self.promoted[-1].kind == "c" and "(" in self.body else 4


class Variant(NamedTuple):
    """A way to run a kernel.

    Attributes:
        axes: how many there are after merging.
        modes: how each array is reached, the output first. Empty: each element by itself.
            "vector" or "constant" along the last axis. "run", "strided" or "constant" along the
            last axis, which is cut into chunks for blocks. Where there are tiles, how many elements
            at a time in a tile's order, or "direct" in the output's order.
        wide: whether elements are counted in 64 bits.
        tile: how many elements a tile has down and across.
        each: how many words of a chunk a thread has.
    """

    axes: int
    modes: tuple[str, ...]
    wide: bool
    tile: tuple[int, int] | None = None
    each: int = 0

    def name(self, signature: Signature) -> str:
        """The kernel's name, unlike that of any other."""
        types = [x.name if x is not None else "scalar" for x in signature.operands]
        how = "".join(mode[0] for mode in self.modes) or "elements"
        count = "_wide" if self.wide else ""
        tile = f"_{self.tile[0]}by{self.tile[1]}" if self.tile else f"{self.each or ''}"
        parts = [signature.name, *types, signature.promoted[-1].name, signature.result.name]
        return "_".join([*parts, f"{self.axes}{how}{tile}{count}"])

    @property
    def layout(self) -> bool:
        """Whether the kernel is given lengths and steps."""
        return self.axes > 1 or not self.modes or self.modes[0] != "vector"


def words(dtype: DType) -> int:
    """How many elements fill a word, or one that is larger."""
    return max(1, WORD // dtype.itemsize)


def stored(dtype: DType) -> str:
    """The C++ type of elements in memory; any byte but 0 is true."""
    return "uint8" if dtype.kind == "b" else dtype.name
