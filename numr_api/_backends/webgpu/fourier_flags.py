"""What kernels of Fourier transforms do besides transforming."""

from __future__ import annotations

from enum import IntFlag
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from numr_api._backends.webgpu.fourier_lengths import Shape

__all__ = ["CHANGED_INPUT", "CHANGED_OUTPUT", "SIGNS", "Flags", "Form"]


class Flags(IntFlag):
    """What a kernel does besides transforming."""

    CONJUGATE_FIRST = 1
    CONJUGATE_SECOND = 2  # before the factor of the output
    CONJUGATE_LAST = 4
    MIRRORED = 8  # the input is the first half of a Hermitian axis
    PADDED = 16  # the input may end before the transform does
    INPUT_FACTOR = 32
    OUTPUT_FACTOR = 64
    LIMITED = 128  # some outputs are not wanted
    HALF = 256  # the input is real, so that two of the outputs are
    REAL_INPUT = 512
    REAL_OUTPUT = 1024
    BETWEEN = 2048  # not the last pass


SIGNS = Flags.CONJUGATE_FIRST | Flags.CONJUGATE_SECOND | Flags.CONJUGATE_LAST
CHANGED_INPUT = Flags.MIRRORED | Flags.PADDED | Flags.INPUT_FACTOR
CHANGED_OUTPUT = Flags.LIMITED | Flags.HALF | Flags.OUTPUT_FACTOR


class Form(NamedTuple):
    """What decides the text of a kernel.

    Attributes:
        load_columns, store_columns: whether neighbouring threads load, store elements of
            neighbouring transforms, or neighbouring elements.
        flags: without SIGNS.
    """

    shape: Shape
    load_columns: bool
    store_columns: bool
    flags: Flags
