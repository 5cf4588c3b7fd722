"""Einstein's summation, which consumers look for in a namespace, with NumPy's subscripts.

On the cpu it is NumPy's. Elsewhere operands are joined one after another by matrix products.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from numr_api import (
    _creation,
    _data_types,
    _manipulation,
    _products,
    _reductions,
    linalg as _linalg,
)
from numr_api._checks import common_backend, require_array
from numr_api._relaxed_extras import in_relaxed_mode

if TYPE_CHECKING:
    from numr_api._array import Array

__all__ = ["einsum"]

# What an axis is called: its letter, or its negative position in what "..." stands for.
Label = str | int
Term = tuple["Array", list[Label]]


@in_relaxed_mode
def einsum(subscripts: str, /, *operands: Array) -> Array:
    """Sums of products over the axes with letters that the result does not have.

    They are computed in the operands' common dtype. Of booleans alone, a sum of products is whether
    one of them is True.
    """
    arrays = [require_array("einsum", x) for x in operands]
    backend = common_backend("einsum", arrays)
    # Before any sum: that of some axes of a boolean operand would not count.
    common = _data_types.result_type(*arrays)
    arrays = [_data_types.astype(x, common, copy=False) for x in arrays]
    if backend.storage is np.ndarray:
        outcome = np.einsum(subscripts, *(x._data for x in arrays), optimize=True)
        return _creation.asarray(np.array(outcome), device=backend.device)
    return summed_products(subscripts, arrays)


def summed_products(subscripts: str, arrays: Sequence[Array]) -> Array:
    """``einsum`` of arrays of one dtype in functions of the standard, in relaxed mode."""
    dtype = arrays[0].dtype
    if dtype.kind == "b":
        counted = arrays[0]._type.backend.default_dtypes["integral"]
        arrays = [_data_types.astype(x, counted) for x in arrays]
    given, wanted = _parsed(subscripts, [x.ndim for x in arrays])
    first, *others = (_without_repeated(x, labels) for x, labels in zip(arrays, given, strict=True))
    for position, other in enumerate(others):
        later = {label for _, labels in others[position + 1 :] for label in labels}
        first = _joined(first, other, later.union(wanted))
    result, labels = _summed(first, wanted)
    result = _manipulation.permute_dims(result, tuple(map(labels.index, wanted)))
    return _data_types.astype(result, dtype, copy=False)


def _parsed(subscripts: str, ranks: Sequence[int]) -> tuple[list[list[Label]], list[Label]]:
    """The labels of each operand's axes, and of the result's."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    texts = inputs.split(",")
    if len(texts) != len(ranks):
        raise ValueError(f"einsum: {subscripts!r} is for {len(texts)} operands, got {len(ranks)}")
    given = [_labels(text, rank) for text, rank in zip(texts, ranks, strict=True)]
    everything = [label for labels in given for label in labels]
    unnamed = sorted({label for label in everything if isinstance(label, int)})
    if not arrow:
        once = {x for x in everything if isinstance(x, str) and everything.count(x) == 1}
        return given, [*unnamed, *sorted(once)]
    wanted = _labels(output, len(output.replace("...", "")) + len(unnamed))
    if len(set(wanted)) != len(wanted) or not set(wanted) <= set(everything):
        raise ValueError(f"einsum: {output!r} repeats letters, or has some of no operand")
    return given, wanted


def _labels(text: str, rank: int) -> list[Label]:
    """The label of each of ``rank`` axes."""
    before, dots, after = text.partition("...")
    unnamed = rank - len(before + after)
    if (not (before + after).isalpha() and before + after) or unnamed < 0 or (unnamed and not dots):
        raise ValueError(f"einsum: {text!r} does not name {rank} axes")
    return [*before, *range(-unnamed, 0), *after]


def _without_repeated(x: Array, labels: list[Label]) -> Term:
    """The diagonals along axes that have the same label."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            one = labels.index(label)
            two = labels.index(label, one + 1)
            x = _linalg.diagonal(_manipulation.moveaxis(x, (one, two), (-2, -1)))
            labels = [y for i, y in enumerate(labels) if i not in (one, two)] + [label]
    return x, labels


def _summed(term: Term, kept: Collection[Label]) -> Term:
    """The sums over the axes whose labels are not kept."""
    x, labels = term
    axes = tuple(i for i, label in enumerate(labels) if label not in kept)
    if not axes:
        return term
    return _reductions.sum(x, axis=axes), [label for label in labels if label in kept]


def _joined(first: Term, second: Term, kept: Collection[Label]) -> Term:
    """The products of two operands, summed over the axes whose labels are not kept."""
    x, x_labels = _summed(first, {*kept, *second[1]})
    y, y_labels = _summed(second, {*kept, *first[1]})
    shared = [label for label in x_labels if label in y_labels]
    both = [label for label in shared if label in kept]
    inner = [label for label in shared if label not in kept]
    x_only = [label for label in x_labels if label not in shared]
    y_only = [label for label in y_labels if label not in shared]
    x = _manipulation.permute_dims(x, tuple(map(x_labels.index, both + x_only + inner)))
    y = _manipulation.permute_dims(y, tuple(map(y_labels.index, both + inner + y_only)))
    x_rest, y_rest = x.shape[len(both) : x.ndim - len(inner)], y.shape[len(shared) :]
    summed = _broadcast(x.shape[x.ndim - len(inner) :], y.shape[len(both) : len(shared)])
    x = _manipulation.broadcast_to(x, (*x.shape[: x.ndim - len(inner)], *summed))
    y = _manipulation.broadcast_to(y, (*y.shape[: len(both)], *summed, *y_rest))
    length = math.prod(summed)
    x = _manipulation.reshape(x, (*x.shape[: len(both)], math.prod(x_rest), length))
    y = _manipulation.reshape(y, (*y.shape[: len(both)], length, math.prod(y_rest)))
    product = _products.matmul(x, y) if inner else x * y
    shape = (*product.shape[:-2], *x_rest, *y_rest)
    return _manipulation.reshape(product, shape), both + x_only + y_only


def _broadcast(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(x, y)
    except ValueError:
        raise ValueError(f"einsum: lengths {x} and {y} of the same axes differ") from None
