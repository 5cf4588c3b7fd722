"""Dtype objects, promotion, casts, kinds and limits."""

from __future__ import annotations

import copy
import itertools
import pickle
from typing import Any

import array_api_strict
import numpy as np
import pytest

import numr_api as xp
from numr_api import _dtypes
from numr_api.extensions import dtypes

NAMES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
).split()
ALL = {name: getattr(xp, name) for name in NAMES}
STRICT = {name: getattr(array_api_strict, name) for name in NAMES}
PAIRS = list(itertools.product(NAMES, NAMES))

# By hand, after the tables of the standard; None where it has no result.
BY_HAND = [
    ("bool", "bool", "bool"),
    ("int8", "int16", "int16"),
    ("int64", "int8", "int64"),
    ("uint8", "int8", "int16"),
    ("uint16", "int8", "int32"),
    ("uint32", "int32", "int64"),
    ("uint8", "uint64", "uint64"),
    ("uint64", "int8", None),
    ("uint64", "int64", None),
    ("float32", "float64", "float64"),
    ("float32", "complex64", "complex64"),
    ("float64", "complex64", "complex128"),
    ("complex64", "complex128", "complex128"),
    ("int8", "float32", None),
    ("bool", "int8", None),
    ("bool", "float32", None),
    ("int64", "complex128", None),
]

KINDS = {
    "bool": ["bool"],
    "signed integer": ["int8", "int16", "int32", "int64"],
    "unsigned integer": ["uint8", "uint16", "uint32", "uint64"],
    "integral": [name for name in NAMES if "int" in name],
    "real floating": ["float32", "float64"],
    "complex floating": ["complex64", "complex128"],
    "numeric": [name for name in NAMES if name != "bool"],
}


def common(first: Any, second: Any, namespace: Any) -> str | None:
    """The name of the common dtype in a namespace, or None if it refuses."""
    try:
        return str(namespace.result_type(first, second)).rpartition(".")[2]
    except TypeError:
        return None


# Objects


@pytest.mark.parametrize("name", NAMES)
def test_a_dtype_equals_and_hashes_like_numpys_of_its_name(name: str):
    dtype, of_numpy = ALL[name], np.dtype(name)
    assert np.dtype(dtype) == of_numpy
    assert dtype == of_numpy
    assert of_numpy == dtype
    assert not (dtype != of_numpy)  # noqa: SIM202 - tests __ne__
    assert hash(dtype) == hash(of_numpy)
    assert {of_numpy: 1}[dtype] == 1
    assert (dtype.kind, dtype.itemsize) == (of_numpy.kind, of_numpy.itemsize)
    assert np.zeros(1, dtype=dtype).dtype == of_numpy


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_dtypes_are_equal_only_to_themselves(first: str, second: str):
    assert (ALL[first] == ALL[second]) == (first == second)
    assert (ALL[first] == np.dtype(second)) == (first == second)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "other",
    [None, "float32", float, np.float32, 3, object()],
    ids=["None", "its name", "Python's type", "NumPy's type", "3", "object"],
)
def test_a_dtype_equals_nothing_else(name: str, other: object):
    if isinstance(other, str):
        other = name
    if isinstance(other, type):
        other = np.dtype(name).type
    assert ALL[name] != other


@pytest.mark.parametrize("name", NAMES)
def test_copies_and_pickles_are_the_object_itself(name: str):
    dtype = ALL[name]
    assert copy.copy(dtype) is copy.deepcopy(dtype) is dtype
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(dtype, protocol)) is dtype


@pytest.mark.parametrize("name", NAMES)
def test_text_of_a_dtype(name: str):
    dtype = ALL[name]
    assert repr(dtype) == f"numr_api.{name}"
    assert str(dtype) == f"{dtype}" == dtype.name == name
    assert eval(repr(dtype), {"numr_api": xp}) is dtype


@pytest.mark.parametrize("name", NAMES)
def test_arrays_and_inspection_have_the_object_itself(name: str):
    assert xp.zeros(2, dtype=ALL[name]).dtype is ALL[name]
    assert xp.__array_namespace_info__().dtypes()[name] is ALL[name]
    assert xp.asarray(np.zeros(2, name)).dtype is ALL[name]


# Promotion


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_promotion_is_that_of_array_api_strict(first: str, second: str):
    expected = common(STRICT[first], STRICT[second], array_api_strict)
    assert common(ALL[first], ALL[second], xp) == expected


@pytest.mark.parametrize(("first", "second", "expected"), BY_HAND)
def test_promotion_is_that_of_the_standard(first: str, second: str, expected: str | None):
    assert common(ALL[first], ALL[second], xp) == expected
    assert common(ALL[second], ALL[first], xp) == expected


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_arrays_promote_like_their_dtypes(first: str, second: str):
    expected = common(ALL[first], ALL[second], xp)
    x, y = xp.ones(2, dtype=ALL[first]), xp.ones(2, dtype=ALL[second])
    assert common(x, y, xp) == common(x, ALL[second], xp) == expected
    if expected is None:
        with pytest.raises(TypeError, match=f"equal: {first} and {second} have no common type"):
            xp.equal(x, y)
    elif expected != "bool":
        assert (x + y).dtype.name == expected
    assert (expected is None) or xp.concat([x, y]).dtype.name == expected


def test_promotion_is_associative_where_it_is_defined():
    for three in itertools.product(NAMES, repeat=3):
        results = {
            common(ALL[left], ALL[right], xp) if left else None
            for left, right in (
                (common(ALL[three[0]], ALL[three[1]], xp), three[2]),
                (common(ALL[three[2]], ALL[three[1]], xp), three[0]),
            )
        }
        assert len(results - {None}) <= 1, three


def test_result_type_of_many_does_not_depend_on_their_order():
    for order in itertools.permutations([xp.uint8, xp.int8, xp.int32, 1]):
        assert xp.result_type(*order) is xp.int32


def test_halves_meet_beside_what_is_wider_in_any_order():
    both = (dtypes.float16, dtypes.bfloat16)
    for order in itertools.permutations([*both, xp.float32]):
        assert xp.result_type(*order) is xp.float32
        assert xp.concat([xp.ones(1, dtype=dtype) for dtype in order]).dtype is xp.float32
    for order in itertools.permutations([*both, both[0]]):
        with pytest.raises(TypeError, match="have no common type"):
            xp.result_type(*order)


@pytest.mark.parametrize(
    ("dtype", "scalar", "expected"),
    [
        (xp.bool, True, xp.bool),
        (xp.int8, 1, xp.int8),
        (xp.uint8, 255, xp.uint8),
        (xp.uint64, 2**64 - 1, xp.uint64),
        (xp.float32, 1, xp.float32),
        (xp.float32, 1e300, xp.float32),
        (xp.float32, 1j, xp.complex64),
        (xp.float64, 1j, xp.complex128),
        (xp.complex64, 1, xp.complex64),
        (xp.complex64, 1.5, xp.complex64),
        (xp.bool, 1, TypeError),
        (xp.int8, True, TypeError),
        (xp.int8, 1.0, TypeError),
        (xp.int8, 1j, TypeError),
        (xp.float32, False, TypeError),
        (xp.uint8, -1, OverflowError),
        (xp.int8, 128, OverflowError),
        (xp.float64, 10**400, OverflowError),
    ],
    ids=str,
)
def test_a_python_scalar_adopts_the_dtype_or_is_refused(dtype: Any, scalar: Any, expected: Any):
    for one in (dtype, xp.ones(1, dtype=dtype)):
        if expected in (TypeError, OverflowError):
            with pytest.raises(expected, match="result_type: "):
                xp.result_type(one, scalar)
        else:
            assert xp.result_type(one, scalar) is xp.result_type(scalar, one) is expected


# Casts and kinds


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_can_cast_follows_promotion(source: str, target: str):
    expected = common(ALL[source], ALL[target], xp) == target
    assert xp.can_cast(ALL[source], ALL[target]) is expected
    assert xp.can_cast(xp.ones(1, dtype=ALL[source]), ALL[target]) is expected


@pytest.mark.usefixtures("fakes")
def test_can_cast_of_an_array_counts_the_dtypes_of_its_device():
    assert xp.can_cast(xp.float32, xp.float64) is True
    assert xp.can_cast(xp.ones(1, dtype=xp.float32), xp.float64) is True
    assert xp.can_cast(xp.ones(1, device="fake:1"), xp.float64) is False
    assert xp.can_cast(xp.ones(1, device="fake:1"), xp.float32) is True


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_kinds_hold_the_dtypes_of_the_standard(kind: str, name: str):
    expected = name in KINDS[kind]
    assert xp.isdtype(ALL[name], kind) is expected
    assert xp.isdtype(ALL[name], (kind,)) is expected
    assert xp.isdtype(ALL[name], (kind, ALL[name])) is True
    assert xp.isdtype(ALL[name], ()) is False
    assert (name in xp.__array_namespace_info__().dtypes(kind=kind)) is expected


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_isdtype_compares_dtypes(first: str, second: str):
    assert xp.isdtype(ALL[first], ALL[second]) is (first == second)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_astype_converts_between_all_but_complex_and_real(source: str, target: str):
    x = xp.ones(2, dtype=ALL[source])
    if source.startswith("complex") and not target.startswith(("complex", "bool")):
        with pytest.raises(TypeError, match=f"astype: {source} cannot become {target}"):
            xp.astype(x, ALL[target])
        return
    y = xp.astype(x, ALL[target])
    assert y.dtype is ALL[target]
    assert y is not x
    assert bool(xp.all(y == xp.ones(2, dtype=ALL[target])))
    assert (xp.astype(x, ALL[target], copy=False) is x) == (source == target)


# Limits


@pytest.mark.parametrize(
    ("name", "bits", "eps", "largest", "smallest_normal", "part"),
    [
        ("float32", 32, 2.0**-23, (2 - 2.0**-23) * 2.0**127, 2.0**-126, "float32"),
        ("float64", 64, 2.0**-52, (2 - 2.0**-52) * 2.0**1023, 2.0**-1022, "float64"),
        ("complex64", 32, 2.0**-23, (2 - 2.0**-23) * 2.0**127, 2.0**-126, "float32"),
        ("complex128", 64, 2.0**-52, (2 - 2.0**-52) * 2.0**1023, 2.0**-1022, "float64"),
    ],
)
def test_limits_of_floating_point_dtypes(
    name: str, bits: int, eps: float, largest: float, smallest_normal: float, part: str
):
    for given in (ALL[name], xp.ones(2, dtype=ALL[name])):
        limits = xp.finfo(given)
        assert (limits.bits, limits.eps, limits.max, limits.min) == (bits, eps, largest, -largest)
        assert limits.smallest_normal == smallest_normal
        assert limits.dtype is ALL[part]
        numbers = (limits.eps, limits.max, limits.min, limits.smallest_normal)
        assert {type(number) for number in numbers} == {float}
        assert type(limits.bits) is int


@pytest.mark.parametrize("name", KINDS["integral"])
def test_limits_of_integer_dtypes(name: str):
    bits = int(name.removeprefix("u").removeprefix("int"))
    low, high = (
        (0, 2**bits - 1) if name.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    )
    for given in (ALL[name], xp.ones(2, dtype=ALL[name])):
        limits = xp.iinfo(given)
        assert (limits.bits, limits.min, limits.max) == (bits, low, high)
        assert limits.dtype is ALL[name]
        assert {type(number) for number in (limits.bits, limits.min, limits.max)} == {int}


def test_the_tables_name_every_dtype():
    assert set(_dtypes.BY_NAME) == {*NAMES, *dtypes.__all__}
    assert set(_dtypes.STANDARD) == set(ALL.values())
