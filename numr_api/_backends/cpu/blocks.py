"""What the repaired kernels share: formulas applied block by block, and masks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from numr_api._backends import Kernel, Scalar

AnyArray = Any  # NumPy's type for arrays of any dtype has no real and imag
Operand = np.ndarray[Any, np.dtype[Any]] | Scalar
Formula = Callable[[AnyArray], AnyArray]

# Elements per block. With more, the temporaries of a block exceed the 128 KiB that glibc's malloc
# keeps at hand; given back and faulted in again block by block, they double a formula's time.
BLOCK = 3072


def in_blocks(formula: Formula) -> Kernel:
    """The kernel that applies a formula of one operand, block by block where the array is large.

    The formula gets an array of one dimension, which it must not write to, and returns a new
    array of the same shape and dtype; so ``out`` may be the operand.
    """

    def kernel(x: AnyArray, out: AnyArray | None = None) -> AnyArray:
        if x.size > BLOCK:
            return _by_blocks(formula, x, np.empty_like(x) if out is None else out)
        return given(formula(x.reshape(-1)).reshape(x.shape), out)

    return kernel


def _by_blocks(formula: Formula, x: AnyArray, out: AnyArray) -> AnyArray:
    """Write the formula of each block of ``x`` to ``out``, which may be ``x`` itself."""
    blocks: Any = np.nditer(
        [x, out],
        flags=["external_loop", "buffered", "copy_if_overlap"],
        op_flags=[
            ["readonly", "overlap_assume_elementwise"],
            ["writeonly", "overlap_assume_elementwise"],
        ],
        buffersize=BLOCK,
    )
    with blocks:
        for block, result in blocks:
            result[...] = formula(block)
    return out


def given(result: AnyArray, out: AnyArray | None) -> AnyArray:
    """The result, in ``out`` if there is one."""
    if out is None:
        return result
    if result.shape != out.shape:  # assignment would drop leading axes of length 1
        raise ValueError(f"a result of shape {result.shape} does not fit {out.shape}")
    out[...] = result
    return out


def meets(operands: Iterable[Operand], out: AnyArray) -> bool:
    """Whether ``out`` has an element of an operand in another place than the operand has it."""
    return any(
        x is not out
        and isinstance(x, np.ndarray)
        and np.may_share_memory(x, out)
        and (x.__array_interface__["data"][0], x.strides)
        != (out.__array_interface__["data"][0], out.strides)
        for x in operands
    )


def selected(operand: Operand, where: Any) -> AnyArray:
    """The elements where ``where`` holds, of an operand that broadcasts to its shape."""
    return np.broadcast_to(operand, where.shape)[where]


def any_true(where: Any) -> bool:
    """What ``where.any()`` says, but on small arrays more than ten times faster."""
    return 1 in where.tobytes()


def all_true(where: Any) -> bool:
    """What ``where.all()`` says, but on small arrays more than ten times faster."""
    return 0 not in where.tobytes()
