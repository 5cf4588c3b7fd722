"""The einsum that relaxed mode, einops and opt_einsum share does as NumPy's, on every device."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api._einsum import einsum
from numr_api.extensions import mode

# Subscripts, and the shapes of the operands.
CASES: list[tuple[Any, ...]] = [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij , jk -> ki", (2, 3), (3, 4)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("ij,kj->jik", (2, 3), (4, 3)),
    ("ij,jk,kl->il", (3, 4), (4, 5), (5, 6)),
    ("ab,bc,cd,de,ea->", (2, 3), (3, 4), (4, 5), (5, 6), (6, 2)),
    ("i,i,i->i", (3,), (3,), (3,)),
    ("i,j->ij", (3,), (4,)),
    ("ij,kl->", (2, 3), (4, 5)),
    ("ii", (4, 4)),
    ("ii->i", (4, 4)),
    ("iijj->ji", (3, 3, 4, 4)),
    ("iiii->i", (3, 3, 3, 3)),
    ("iij,jk->k", (3, 3, 4), (4, 5)),
    ("ij->ji", (3, 4)),
    ("ij->", (3, 4)),
    ("ba", (3, 4)),
    ("zA,A", (2, 3), (3,)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (7, 4, 5)),
    ("...ij,...jk", (2, 3, 4), (4, 5)),
    ("i...->...", (3, 4, 5)),
    ("i...,i...->...", (3, 4), (3, 5, 4)),
    ("ij,ij->ij", (3, 4), (1, 4)),
    ("i,i->i", (1,), (3,)),
    (",ij->ij", (), (2, 3)),
    ("->", ()),
    ("i->", (0,)),
    ("ij,jk->ik", (3, 0), (0, 5)),
]


def integers(shape: tuple[int, ...], seed: int) -> Any:
    return np.random.default_rng(seed).integers(-3, 4, shape)


def assert_as_numpy(subscripts: str, hosts: list[Any], device: str) -> None:
    expected = np.asarray(np.einsum(subscripts, *hosts))
    found = einsum(subscripts, *(xp.asarray(host, device=device) for host in hosts))
    assert found.device == device
    values = np.asarray(found.to_device("cpu"))
    assert (values.shape, values.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(values, expected)  # of small integers every sum is exact


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[1:]}")
def test_values_are_numpys(case: tuple[Any, ...], any_device: str):
    subscripts, *shapes = case
    hosts = [integers(shape, seed) for seed, shape in enumerate(shapes)]
    imaginary = [integers(shape, -seed + 99) for seed, shape in enumerate(shapes)]
    assert_as_numpy(subscripts, [x.astype(np.float32) for x in hosts], any_device)
    assert_as_numpy(subscripts, [x.astype(np.int8) for x in hosts], any_device)
    numbers = [(x + 1j * y).astype(np.complex64) for x, y in zip(hosts, imaginary, strict=True)]
    assert_as_numpy(subscripts, numbers, any_device)


def drawn(draw: random.Random) -> tuple[str, list[Any]]:
    """Random subscripts for one to four arrays, and the arrays."""
    lengths = {letter: draw.randint(1, 3) for letter in "abcde"}
    hidden = [draw.randint(1, 2) for _ in range(draw.randint(0, 2))]
    parts: list[str] = []
    hosts: list[Any] = []
    for number in range(draw.randint(1, 4)):
        part = draw.choices("abcde", k=draw.randint(0, 4))
        shape = [lengths[x] if part.count(x) > 1 or draw.random() < 0.9 else 1 for x in part]
        if draw.random() < 0.3:
            position, dropped = draw.randint(0, len(part)), draw.randint(0, len(hidden))
            shape[position:position] = hidden[dropped:]
            part.insert(position, "...")
        parts.append("".join(part))
        hosts.append(integers(tuple(shape), number))
    letters = sorted({x for part in parts for x in part} - {"."})
    result = draw.sample(letters, draw.randint(0, len(letters)))
    if any("..." in part for part in parts):
        result.insert(draw.randint(0, len(result)), "...")
    arrow = "->" + "".join(result) if draw.random() < 0.7 else ""
    return ",".join(parts) + arrow, hosts


@pytest.mark.parametrize("seed", range(4))
def test_random_subscripts_are_understood_as_by_numpy(seed: int):
    draw = random.Random(seed)
    for _ in range(100):
        subscripts, hosts = drawn(draw)
        assert_as_numpy(subscripts, hosts, "cpu")


def test_small_products_come_first():
    """Row by column first would need a matrix of 10^10 elements."""
    long, short = xp.ones((100_000, 1)), xp.ones((1, 100_000))
    found = einsum("ij,jk,kl->il", long, short, long)
    assert found.shape == (100_000, 1)
    assert float(found[7, 0]) == 100_000


def test_dtypes_are_promoted_by_the_rules_of_the_mode():
    single, double = xp.ones((2,), dtype=xp.float32), xp.ones((2,))
    numbers, flags = xp.asarray([1, 2]), xp.asarray([True, True])
    assert einsum("i,i->i", single, double).dtype == xp.float64
    assert einsum("i->", xp.asarray([100, 100], dtype=xp.int8)).dtype == xp.int8
    with pytest.raises(TypeError, match=r"einsum: int64 and float32 have no common type"):
        einsum("i,i", numbers, single)
    with pytest.raises(TypeError, match=r"einsum: needs a numeric dtype, got bool"):
        einsum("i,i", flags, flags)
    with mode.relaxed():
        assert einsum("i,i", numbers, single).dtype == xp.float64
        assert int(einsum("i,i", flags, flags)) == 2  # counted, as by matmul


@pytest.mark.parametrize(
    ("subscripts", "shapes", "words"),
    [
        ("ij", [(2, 3), (3,)], "is for 1 arrays, got 2"),
        ("ij", [(2,)], "'ij' does not name the axes of an array of 1"),
        ("i", [(2, 3)], "'i' does not name the axes of an array of 2"),
        ("i...j...", [(2, 3)], "must be letters, and '...' once"),
        ("i1", [(2, 3)], "must be letters"),
        ("ij->ii", [(2, 3)], "once in 'ii'"),
        ("ij->ik", [(2, 3)], "each letter of the result must be in an operand"),
        ("i,i", [(2,), (3,)], "axes of 'i' have the lengths 2 and 3"),
        ("ii", [(1, 3)], "no diagonal 'i' in shape (1, 3)"),
    ],
)
def test_wrong_subscripts_are_refused_in_words(subscripts: str, shapes: list[Any], words: str):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the words are looked at below
        einsum(subscripts, *map(xp.ones, shapes))
    assert words in str(caught.value)


def test_wrong_arguments_are_refused(fakes: tuple[str, ...]):
    x = xp.ones((2,))
    with pytest.raises(TypeError, match="subscripts must be a string"):
        einsum(x, x)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs one array or more"):
        einsum("")
    with pytest.raises(TypeError, match=r"a numpy\.ndarray; convert it with asarray"):
        einsum("i,i", x, np.ones(2))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="different devices"):
        einsum("i,i", x, xp.ones((2,), device=fakes[0]))


def test_booleans_and_small_integers_among_floating_point_numbers_count() -> None:
    values = np.arange(24.0).reshape(2, 3, 4)
    weights = np.asarray([0.5, 1.5, 2.5])
    for mask in (values % 7 > 2, (values % 7 > 2).astype(np.int8)):
        with mode.relaxed():
            found = einsum("abc,b->a", xp.asarray(mask), xp.asarray(weights))
        assert np.asarray(found).tolist() == np.einsum("abc,b->a", mask, weights).tolist()
