"""Einstein's summation is NumPy's on every device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._relaxed_einsum import einsum, summed_products
from numr_api.extensions.mode import relaxed

A, B, C = (np.arange(24.0).reshape(shape) % 7 for shape in ((2, 3, 4), (4, 3, 2), (3, 8)))
SQUARE = np.arange(27.0).reshape(3, 3, 3)
CALLS: list[tuple[Any, ...]] = [
    ("abc->cab", A),
    ("abc->b", A),
    ("abc", A),
    ("cba", A),
    ("ab...->...a", A),
    ("...->...", A),
    ("iii->i", SQUARE),
    ("iij->j", SQUARE),
    ("iji", SQUARE),
    ("abc,cba->", A, B),
    ("abc,cbd->ad", A, B),
    ("abc,cbd->bda", A, B),
    ("abc,cbd", A, B),
    ("abc,de->ae", A, C),
    ("abc,bd,cbe->ade", A, C, B),
    ("...b,...b->...", A, A[:1]),
    ("...bc,c->...b", A, A[0, 0]),
    ("...,...->...", A, A[0]),
    ("ab,bc->ac", C[:, :1], C),
    ("ab , bc -> ac", C.T, C),
    ("ab,ab->ab", C, C + 1),
    ("abc,b->ca", (A % 7 + 200).astype(np.uint8), np.arange(3, dtype=np.uint8)),
    ("ab,bc->ca", C > 2, C.T > 4),
    ("ab->a", C > 5),
]


@pytest.mark.parametrize("number", range(len(CALLS)), ids=[call[0] for call in CALLS])
@pytest.mark.parametrize("way", [einsum, lambda text, *arrays: summed_products(text, arrays)])
def test_einsum(number: int, way: Any) -> None:
    subscripts, *operands = CALLS[number]
    expected = np.asarray(np.einsum(subscripts, *operands))
    with relaxed():
        found = np.asarray(way(subscripts, *map(xp.asarray, operands)))
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_booleans_and_integers_among_floating_point_numbers_count() -> None:
    for mask in (A > 2, (A > 2).astype(np.int8)):
        expected = np.einsum("abc,b->a", mask, C[:, 1])
        found = einsum("abc,b->a", xp.asarray(mask), xp.asarray(C[:, 1]))
        assert np.asarray(found).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("subscripts", "operands", "words"),
    [
        ("a,b", (A,), "is for 2 operands, got 1"),
        ("ab", (A,), "'ab' does not name 3 axes"),
        ("a1c", (A,), "'a1c' does not name 3 axes"),
        ("abcd...", (A,), "does not name 3 axes"),
        ("a...,b...->ab", (A, A), "'ab' does not name 4 axes"),
        ("abc->aa", (A,), "'aa' repeats letters, or has some of no operand"),
        ("abc->d", (A,), "'d' repeats letters, or has some of no operand"),
        ("abc,cbd->cd", (A, B[:2]), "broadcast"),
        ("abc,cbd->ad", (A, B[:2]), "of the same axes differ"),
    ],
)
def test_what_is_refused(subscripts: str, operands: tuple[Any, ...], words: str) -> None:
    with relaxed(), pytest.raises(ValueError, match=words):
        summed_products(subscripts, [xp.asarray(x) for x in operands])
