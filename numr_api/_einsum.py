"""einsum, composed of the standard's functions, for every device.

The standard has no such function. Relaxed mode and the extensions for einops and opt_einsum, which
look for one, share this.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from numr_api import _arithmetic, _data_types, _manipulation, _products, _reductions, linalg
from numr_api._checks import (
    common_backend,
    common_dtype,
    describe,
    require_array,
    require_kind,
)
from numr_api._mode import relaxed_rules

if TYPE_CHECKING:
    from numr_api._array import Array

Label = str | int  # a letter, or the number of an axis that "..." stands for: -1 is the last one
Labels = tuple[Label, ...]
Factor = tuple["Array", Labels]  # an array, and the labels of its axes, no label twice


def einsum(subscripts: str, /, *operands: Array) -> Array:
    """Sums of products over the axes whose letters the result does not have.

    Arguments:
        subscripts: letters for the axes of each operand, separated by commas, then those of the
            result behind "->"; without it the result has the letters that occur once, in
            alphabetical order. "..." stands for axes without letters, which broadcast. A letter
            twice in an operand takes its diagonal.
        operands: numeric arrays of one device. An axis of length 1 broadcasts.

    Returns:
        Array of the promoted dtype, perhaps a view of an operand.
    """
    arrays = _promoted(operands)
    terms, result = _parse(subscripts, [x.ndim for x in arrays])
    lengths = _lengths(arrays, terms)
    factors = [_distinct(x, term, lengths) for x, term in zip(arrays, terms, strict=True)]
    while len(factors) > 1:
        first, second = _cheapest(factors, result, lengths)
        pair = factors[first], factors[second]
        del factors[second], factors[first]  # the latter one first
        factors.append(_product(*pair, _needed(factors, result)))
    x, term = _summed(factors[0], result)
    return _manipulation.permute_dims(x, tuple(map(term.index, result)))


def _promoted(operands: Sequence[object]) -> list[Array]:
    arrays = [require_array("einsum", x) for x in operands]
    if not arrays:
        raise TypeError("einsum: needs one array or more")
    backend = common_backend("einsum", arrays)
    dtype = common_dtype("einsum", arrays)
    if dtype.kind == "b" and relaxed_rules() is not None:  # counted, as by matmul
        dtype = backend.default_dtypes["integral"]
    require_kind("einsum", dtype, "numeric")
    return [_data_types.astype(x, dtype, copy=False) for x in arrays]


def _parse(subscripts: object, ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
    """The labels of the axes of each operand, and those of the result."""
    if not isinstance(subscripts, str):
        raise TypeError(f"einsum: subscripts must be a string, got {describe(subscripts)}")
    given, arrow, wanted = subscripts.replace(" ", "").partition("->")
    parts = given.split(",")
    if len(parts) != len(ranks):
        raise ValueError(f"einsum: {subscripts!r} is for {len(parts)} arrays, got {len(ranks)}")
    terms = [_labels(part, rank) for part, rank in zip(parts, ranks, strict=True)]
    everything = [label for term in terms for label in term]
    hidden = sorted({label for label in everything if isinstance(label, int)})
    if arrow:
        result = _labels(wanted, len(wanted.replace("...", "")) + len(hidden) * ("..." in wanted))
    else:
        letters = {label for label in everything if isinstance(label, str)}
        result = (*hidden, *sorted(x for x in letters if everything.count(x) == 1))
    if len(set(result)) < len(result) or not set(result) <= set(everything):
        raise ValueError(
            f"einsum: each letter of the result must be in an operand, and once in {wanted!r}"
        )
    return terms, result


def _labels(part: str, rank: int) -> Labels:
    before, dots, after = part.partition("...")
    letters = before + after
    if letters and not letters.isalpha():
        raise ValueError(f"einsum: {part!r} must be letters, and '...' once at most")
    hidden = rank - len(letters)
    if hidden < 0 or (hidden and not dots):
        raise ValueError(f"einsum: {part!r} does not name the axes of an array of {rank}")
    return (*before, *range(-hidden, 0), *after)


def _lengths(arrays: Sequence[Array], terms: Sequence[Labels]) -> dict[Label, int]:
    """The length of each label, to which axes of length 1 broadcast."""
    lengths: dict[Label, int] = {}
    for x, term in zip(arrays, terms, strict=True):
        for label, length in zip(term, x.shape, strict=True):
            known = lengths.get(label, 1)
            if known != 1 and length not in (1, known):
                raise ValueError(f"einsum: axes of {label!r} have the lengths {known} and {length}")
            lengths[label] = length if known == 1 else known
    return lengths


def _distinct(x: Array, term: Labels, lengths: Mapping[Label, int]) -> Factor:
    """The operand with diagonals taken, and without the axes that would be broadcast."""
    for label in set(term):
        while term.count(label) > 1:
            first = term.index(label)
            second = term.index(label, first + 1)
            if x.shape[first] != x.shape[second]:
                raise ValueError(f"einsum: there is no diagonal {label!r} in shape {x.shape}")
            x = linalg.diagonal(_manipulation.moveaxis(x, (first, second), (-2, -1)))
            others = (other for i, other in enumerate(term) if i not in (first, second))
            term = (*others, label)
    single = [i for i, label in enumerate(term) if x.shape[i] != lengths[label]]
    kept = tuple(label for i, label in enumerate(term) if i not in single)
    return _manipulation.squeeze(x, tuple(single)), kept


def _needed(factors: Iterable[Factor], result: Labels) -> set[Label]:
    """The labels that the result has, or another factor that is yet to be multiplied."""
    return set(result).union(*(term for _, term in factors))


def _cheapest(
    factors: Sequence[Factor], result: Labels, lengths: Mapping[Label, int]
) -> tuple[int, int]:
    """The numbers of the two factors whose product is smallest, compared with themselves."""

    def growth(pair: tuple[int, int]) -> int:
        left, right = (set(factors[i][1]) for i in pair)
        others = (factor for i, factor in enumerate(factors) if i not in pair)
        product = (left | right) & _needed(others, result)
        return sum(
            sign * math.prod(lengths[label] for label in labels)
            for sign, labels in ((1, product), (-1, left), (-1, right))
        )

    return min(combinations(range(len(factors)), 2), key=growth)


def _summed(factor: Factor, needed: Iterable[Label]) -> Factor:
    """The factor summed over the axes that nothing needs."""
    x, term = factor
    kept = tuple(label for label in term if label in needed)
    if kept != term:
        axes = tuple(i for i, label in enumerate(term) if label not in kept)
        x = _reductions.sum(x, axis=axes, dtype=x.dtype)
    return x, kept


def _product(first: Factor, second: Factor, needed: set[Label]) -> Factor:
    """The product of two factors, summed over the labels of both that nothing else needs."""
    x, left = _summed(first, needed.union(second[1]))
    y, right = _summed(second, needed.union(first[1]))
    lengths = {**dict(zip(left, x.shape, strict=True)), **dict(zip(right, y.shape, strict=True))}
    both = [label for label in left if label in right]
    batch = [label for label in both if label in needed]
    summed = [label for label in both if label not in needed]
    rows = [label for label in left if label not in both]
    columns = [label for label in right if label not in both]

    def arranged(z: Array, term: Labels, *groups: list[Label]) -> Array:
        """z with the axes of each group as one; without a batch, matmul needs no axis for it."""
        order = tuple(term.index(label) for group in groups for label in group)
        shape = tuple(math.prod(lengths[label] for label in group) for group in groups)
        return _manipulation.reshape(
            _manipulation.permute_dims(z, order), shape if batch else shape[1:]
        )

    combine: Any = _products.matmul if summed else _arithmetic.multiply  # of a column and a row
    product = combine(
        arranged(x, left, batch, rows, summed), arranged(y, right, batch, summed, columns)
    )
    labels = (*batch, *rows, *columns)
    return _manipulation.reshape(product, tuple(lengths[label] for label in labels)), labels
