"""Sets, a part of the topic "searching": the order of the values is the library's choice."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from numr_conformance.checks._tools import (
    LAYOUTS,
    Cases,
    Host,
    assert_dtype,
    assert_equal,
    assert_fields,
    assert_true,
    default_dtype,
    numbers,
    of_kinds,
)
from numr_conformance.target import DTYPES, Target

cases = Cases("searching")

FIELDS = {
    "unique_all": ("values", "indices", "inverse_indices", "counts"),
    "unique_counts": ("values", "counts"),
    "unique_inverse": ("values", "inverse_indices"),
    "unique_values": ("values",),
}
SHAPES = [(60,), (3, 4), (2, 3, 4), (), (0,), (2, 0)]


def fields(target: Target, function: str, x: Any) -> dict[str, Host]:
    """The result's arrays by name, on the host."""
    result = target.find(function)(x)
    if function == "unique_values":
        return {"values": target.host(result)}
    assert_fields(result, FIELDS[function])
    index = default_dtype(target, "indexing")
    for name in FIELDS[function][1:]:
        assert_dtype(target, getattr(result, name), index, name)
    return {name: target.host(getattr(result, name)) for name in FIELDS[function]}


def assert_consistent(found: dict[str, Host], host: Host, given: Any) -> None:
    """The values are those of the operand, each once, and the other arrays belong to them."""
    flat, values = host.reshape(-1).tolist(), found["values"]
    assert_true(values.dtype == host.dtype, "wrong dtype", given=given, actual=values.dtype)
    assert_true(values.ndim == 1, "values are not 1-dimensional", actual=values.shape)
    listed = values.tolist()
    right = len(listed) == len(set(flat)) and set(listed) == set(flat)
    assert_true(right, "wrong values", given=given, expected=set(flat), actual=listed)
    true: dict[str, Any] = {
        "indices": [flat.index(v) for v in listed],
        "counts": [flat.count(v) for v in listed],
    }
    for name in set(true) & set(found):
        actual = found[name].tolist()
        assert_true(actual == true[name], name, given=given, expected=true[name], actual=actual)
    if "inverse_indices" in found:
        inverse = found["inverse_indices"]
        assert_true(inverse.shape == host.shape, "wrong shape of inverse_indices", given=given,
                    expected=host.shape, actual=inverse.shape)  # fmt: skip
        back = values[inverse] if host.size else host
        assert_true(np.array_equal(back, host), "does not reconstruct", given=given, actual=back)


@cases("*", dtypes=DTYPES, rows=[(f, shape) for f in FIELDS for shape in SHAPES])
def unique(target: Target, dtype: str, function: str, shape: tuple[int, ...]) -> None:
    host = np.asarray(numbers(dtype, shape, "unique"))
    for layout, make in LAYOUTS.items():
        if 0 not in shape or layout == "contiguous":
            found = fields(target, function, make(target, host))
            assert_consistent(found, host, (layout, host))


@cases("*", dtypes=of_kinds("fc"), rows=[(f,) for f in FIELDS])
def each_nan_counts(target: Target, dtype: str, function: str) -> None:
    """NaN values are distinct, zeros of either sign are one value."""
    nan = complex(1, math.nan) if dtype[0] == "c" else math.nan
    host = np.array([nan, 2, -0.0, nan, 0.0, 2, math.nan], dtype)
    found = fields(target, function, target.array(host))
    values = found["values"]
    missing = np.isnan(values)
    assert_true(missing.sum() == 3, "NaN not distinct", given=host, expected=3, actual=values)
    rest = sorted(values[~missing].real.tolist())
    assert_true(rest == [0, 2], "wrong values", given=host, expected=[0, 2], actual=rest)
    if "counts" in found:
        true = [1 if v != v else 2 for v in values.tolist()]
        actual = found["counts"].tolist()
        assert_true(actual == true, "wrong counts", given=host, expected=true, actual=actual)
    if "indices" in found:
        back = host[found["indices"]]
        right = np.array_equal(back, values, equal_nan=True)
        assert_true(right, "indices do not select the values", expected=values, actual=back)


COUNTS = [(5, 1), (3, 60), (60, 3), (200, 200), (0, 3), (3, 0)]


@cases("isin", dtypes=of_kinds("iu"), rows=[(a, b, i) for a, b in COUNTS for i in (False, True)])
def membership(target: Target, dtype: str, first: int, second: int, invert: bool) -> None:
    x, among = numbers(dtype, (first, 1), "x"), numbers(dtype, (second,), "among")[::2]
    listed = set(among.tolist())
    true = np.array([(v in listed) is not invert for v in x.reshape(-1).tolist()], bool)
    result = target.xp.isin(target.array(x), target.array(among), invert=invert)
    assert_equal(target, result, true.reshape(x.shape), given=(x, among, invert))


@cases("isin", dtypes=of_kinds("iu"))
def scalar_member(target: Target, dtype: str) -> None:
    host = np.array([[1, 5], [3, 1]], dtype)
    x = target.array(host)
    assert_equal(target, target.xp.isin(x, 1), host == 1, given="isin(x, 1)")
    assert_equal(target, target.xp.isin(5, x), np.array(True), given="isin(5, x)")
    assert_equal(target, target.xp.isin(6, x, invert=True), np.array(True), given="isin(6, x)")


@cases("isin")
def large_integers_are_told_apart(target: Target) -> None:
    host = np.array([2**53, 2**53 + 1, 2**53 + 2])
    result = target.xp.isin(target.array(host), target.array(host[1:2]))
    assert_equal(target, result, np.array([False, True, False]), given=host)
