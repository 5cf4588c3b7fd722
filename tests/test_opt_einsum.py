"""opt_einsum contracts numr_api arrays of every device in strict mode, and does as with NumPy's."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numr_api as xp

opt_einsum = pytest.importorskip("opt_einsum")
extension = importlib.import_module("numr_api.extensions.opt_einsum")

CASES: list[tuple[Any, ...]] = [
    ("ij,jk,kl->il", (3, 4), (4, 5), (5, 6)),
    ("ij,jk,kl,lm->mi", (3, 4), (4, 5), (5, 6), (6, 2)),
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("bij,bjk,bk->bi", (2, 3, 4), (2, 4, 5), (2, 5)),
    ("i,j->ij", (3,), (4,)),
    ("i,j,k->kij", (3,), (4,), (5,)),
    ("i,i->", (3,), (3,)),
    ("ii->", (4, 4)),
    ("ii->i", (4, 4)),
    ("ij->ji", (3, 4)),
    ("ij->j", (3, 4)),
    ("abc->", (2, 3, 4)),
    ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)),
    ("nhw,hr,wr->nr", (5, 3, 4), (3, 2), (4, 2)),
    ("ab,ab,c->", (2, 3), (2, 3), (4,)),
    ("ij,jk", (3, 4), (4, 5)),
]


def hosts_of(shapes: tuple[tuple[int, ...], ...]) -> list[Any]:
    return [
        np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)
        for seed, shape in enumerate(shapes)
    ]


def assert_same(found: Any, expected: Any, device: str) -> None:
    assert type(found) is type(xp.ones(1))
    assert found.device == device
    values = np.asarray(found.to_device("cpu"))
    assert (values.shape, values.dtype) == (np.shape(expected), np.asarray(expected).dtype)
    np.testing.assert_array_equal(values, expected)  # of small integers every sum is exact


@pytest.mark.parametrize("backend", ["auto", "numr_api"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[1:]}")
def test_contract(case: tuple[Any, ...], backend: str, any_device: str):
    subscripts, *shapes = case
    hosts = hosts_of(tuple(shapes))
    arrays = [xp.asarray(x, device=any_device) for x in hosts]
    found = opt_einsum.contract(subscripts, *arrays, backend=backend)
    assert_same(found, np.einsum(subscripts, *hosts), any_device)


@pytest.mark.parametrize("optimize", ["optimal", "greedy", "dp"])
def test_contract_in_any_order(optimize: str):
    hosts = hosts_of(((3, 4), (4, 5), (5, 6), (6,)))
    found = opt_einsum.contract("ij,jk,kl,l->i", *map(xp.asarray, hosts), optimize=optimize)
    assert_same(found, np.einsum("ij,jk,kl,l->i", *hosts), "cpu")


def test_expression_with_and_without_constants(any_device: str):
    shapes = ((3, 4), (4, 5), (5, 6))
    hosts = hosts_of(shapes)
    first, second, third = (xp.asarray(x, device=any_device) for x in hosts)
    expected = np.einsum("ij,jk,kl->il", *hosts)
    expression = opt_einsum.contract_expression("ij,jk,kl->il", *shapes)
    assert_same(expression(first, second, third), expected, any_device)
    constant = opt_einsum.contract_expression(
        "ij,jk,kl->il", shapes[0], second, third, constants=[1, 2]
    )
    for _ in range(2):  # the second call takes the product that the first one kept
        assert_same(constant(first), expected, any_device)


def test_intermediates_can_be_shared():
    hosts = hosts_of(((3, 4), (4, 5), (5, 6)))
    arrays = [xp.asarray(x) for x in hosts]
    with opt_einsum.shared_intermediates() as cache:
        opt_einsum.contract("ij,jk,kl->il", *arrays)
        computed = len(cache)
        found = opt_einsum.contract("ij,jk,kl->il", *arrays)
        assert len(cache) == computed
    assert_same(found, np.einsum("ij,jk,kl->il", *hosts), "cpu")


def test_what_strict_refuses_stays_refused(fakes: tuple[str, ...]):
    x = xp.ones((2, 2))
    with pytest.raises(TypeError, match=r"tensordot: .*numpy\.ndarray; convert it with asarray"):
        opt_einsum.contract("ij,jk->ik", x, np.ones((2, 2)))
    with pytest.raises(TypeError, match="float64 and int64 have no common type"):
        opt_einsum.contract("ij,jk->ik", xp.asarray([[1, 2], [3, 4]]), x)
    with pytest.raises(ValueError, match="different devices"):
        opt_einsum.contract("ij,jk->ik", x, xp.ones((2, 2), device=fakes[0]))
    with pytest.raises(IndexError):  # opt_einsum assigns to out[:]
        opt_einsum.contract("ij,jk->ik", x, x, out=xp.empty((2, 2)))


def test_a_second_import_changes_nothing():
    importlib.reload(extension)
    assert opt_einsum.contract("ij->ji", xp.ones((2, 3))).shape == (3, 2)


CODE = """
import opt_einsum, numr_api as xp
x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
try:
    print(opt_einsum.contract("ii->", x))
except AttributeError as error:
    print(error)
import numr_api.extensions.opt_einsum
print(opt_einsum.contract("ii->", x), opt_einsum.contract("ij,jk->ki", x, x)[0, 1])
"""


def test_the_import_works_after_contractions_were_tried(run_python: Callable[..., str]):
    before, after = run_python(CODE).splitlines()
    assert before.startswith("numr_api doesn't seem to provide the function einsum")
    assert after == "5.0 15.0"


def test_relaxed_mode_from_the_start_needs_no_import(run_python: Callable[..., str]):
    assert run_python(CODE, NUMR_API_MODE="relaxed").splitlines() == ["5.0", "5.0 15.0"]
