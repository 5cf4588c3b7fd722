"""Walsh and Hadamard's transform of float32, for numba to compile.

A block is transformed in its place: first pairs that are half a block apart, last neighbours. The
order is that of ``walsh_hadamard``, so the bits are the same. The compiler cannot know that numbers
which are half a block apart are not the same, and makes no vector instructions; so they are
written out here, for vectors of eight numbers.

Importing this module imports numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from numr_api._backends.cpu.jit_functions import intrinsic

numba: Any = import_module("numba")
types: Any = numba.types
ir: Any = import_module("llvmlite.ir")
arrays: Any = import_module("numba.np.arrayobj")

LANES = 8
VECTOR = ir.VectorType(ir.FloatType(), LANES)


def places(context: Any, builder: Any, signature: Any, operands: Any) -> list[Any]:
    """Pointers to the vectors that begin at indices of an array, the first of the operands."""
    array = arrays.make_array(signature.args[0])(context, builder, operands[0])
    return [
        builder.bitcast(builder.gep(array.data, [index]), VECTOR.as_pointer())
        for index in operands[1:]
    ]


def loaded(builder: Any, place: Any) -> Any:
    return builder.load(place, align=4)


def stored(builder: Any, value: Any, place: Any) -> None:
    builder.store(value, place, align=4)


@intrinsic
def butterflies(_: Any, row: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Two steps: of vectors at four places, which are a distance apart, and twice that."""

    def generate(context: Any, builder: Any, signature: Any, operands: Any) -> Any:
        at = places(context, builder, signature, operands)
        x, y, z, w = (loaded(builder, place) for place in at)
        x, z = builder.fadd(x, z), builder.fsub(x, z)
        y, w = builder.fadd(y, w), builder.fsub(y, w)
        results = builder.fadd(x, y), builder.fsub(x, y), builder.fadd(z, w), builder.fsub(z, w)
        for value, place in zip(results, at, strict=True):
            stored(builder, value, place)
        return context.get_dummy_value()

    return types.void(row, a, b, c, d), generate


@intrinsic
def butterfly(_: Any, row: Any, a: Any, b: Any) -> Any:
    """One step: of vectors at two places."""

    def generate(context: Any, builder: Any, signature: Any, operands: Any) -> Any:
        at = places(context, builder, signature, operands)
        x, y = (loaded(builder, place) for place in at)
        stored(builder, builder.fadd(x, y), at[0])
        stored(builder, builder.fsub(x, y), at[1])
        return context.get_dummy_value()

    return types.void(row, a, b), generate


@intrinsic
def finished(_: Any, row: Any, a: Any, root: Any) -> Any:
    """The last three steps, within the vector at a place, and the division by the root."""

    def generate(context: Any, builder: Any, signature: Any, operands: Any) -> Any:
        *at, root = operands
        (place,) = places(context, builder, signature, at)
        value = loaded(builder, place)
        unknown = ir.Constant(VECTOR, ir.Undefined)
        integers = ir.VectorType(ir.IntType(32), LANES)
        for distance in (4, 2, 1):
            swapped = ir.Constant(integers, [lane ^ distance for lane in range(LANES)])
            signs = ir.Constant(VECTOR, [-1.0 if lane & distance else 1.0 for lane in range(LANES)])
            other = builder.shuffle_vector(value, unknown, swapped)
            value = builder.fadd(other, builder.fmul(value, signs))
        first = builder.insert_element(unknown, root, ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(integers, [0] * LANES)
        roots = builder.shuffle_vector(first, unknown, zeros)
        stored(builder, builder.fdiv(value, roots), place)
        return context.get_dummy_value()

    return types.void(row, a, root), generate


def fwht(blocks: Any, root: Any) -> None:
    """Blocks of at least eight numbers, each a row, are replaced by their transforms."""
    size = blocks.shape[1]
    for r in range(blocks.shape[0]):
        row = blocks[r]
        half = size >> 1
        while half >= 2 * LANES:
            quarter = half >> 1
            for start in range(0, size, 2 * half):
                for i in range(start, start + quarter, LANES):
                    butterflies(row, i, i + quarter, i + half, i + half + quarter)
            half >>= 2
        if half == LANES:
            for start in range(0, size, 2 * LANES):
                butterfly(row, start, start + LANES)
        for start in range(0, size, LANES):
            finished(row, start, root)


LOOPS = {"fwht": (fwht, numba.void(numba.float32[:, ::1], numba.float32))}
