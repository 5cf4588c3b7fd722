"""pint's quantities hold numr_api arrays of every device in strict mode."""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api.extensions import mode

pint = pytest.importorskip("pint")
ureg = pint.UnitRegistry()
Quantity = ureg.Quantity
VALUES = np.asarray([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)


@pytest.fixture
def x(any_device: str) -> Any:
    return xp.asarray(VALUES, device=any_device, copy=True)


def assert_same(found: Any, expected: Any, device: Any) -> None:
    """A quantity of one of our arrays is equal to one of a NumPy array."""
    assert type(found.magnitude) is type(xp.ones(1))
    assert (found.magnitude.device, found.units) == (device, expected.units)
    values = np.asarray(found.magnitude.to_device("cpu"))
    assert values.shape == np.shape(expected.magnitude)
    np.testing.assert_allclose(values, expected.magnitude, rtol=1e-6)


CALCULATIONS: dict[str, Callable[[Any], Any]] = {
    "x * unit": lambda x: x * ureg.metre,
    "unit * x": lambda x: ureg.metre * x,
    "unit / x": lambda x: ureg.metre / x,
    "x * (1 / unit)": lambda x: x * (1 / ureg.second),
    "x * quantity": lambda x: x * Quantity(2.0, "m"),
    "quantity * x": lambda x: Quantity(2.0, "m") * x,
    "x / quantity": lambda x: x / Quantity(2.0, "s"),
    "x * quantity of x": lambda x: x * Quantity(x, "m"),
    "without unit": lambda x: Quantity(x),
    "+": lambda x: Quantity(x, "m") + Quantity(x, "cm"),
    "-": lambda x: Quantity(x, "m") - Quantity(1.0, "ft"),
    "*": lambda x: Quantity(x, "m") * Quantity(x, "N"),
    "/": lambda x: Quantity(x, "m") / Quantity(x, "s"),
    "//": lambda x: Quantity(x, "m") // Quantity(x, "m"),
    "%": lambda x: Quantity(x, "m") % Quantity(x, "m"),
    "** 2": lambda x: Quantity(x, "m") ** 2,
    "** 0.5": lambda x: Quantity(x, "m") ** 0.5,
    "2 *": lambda x: 2 * Quantity(x, "m"),
    "1 /": lambda x: 1 / Quantity(x, "s"),
    "- and abs": lambda x: abs(-Quantity(x, "m")),
    "+ 1 without dimension": lambda x: Quantity(x, "m") / Quantity(x, "cm") + 1.0,
    "to": lambda x: Quantity(x, "mile").to("km"),
    "to, of temperatures": lambda x: Quantity(x, "degF").to("degC"),
    "to, by a context": lambda x: Quantity(x, "nm").to("THz", "sp"),
    "to_base_units": lambda x: Quantity(x, "km / hour").to_base_units(),
    "to_reduced_units": lambda x: (Quantity(x, "m") * Quantity(x, "1 / cm")).to_reduced_units(),
    "difference of temperatures": lambda x: Quantity(x, "degC") - Quantity(2.0, "degC"),
    "[0, :]": lambda x: Quantity(x, "m")[0, :],
    "[1, 0]": lambda x: Quantity(x, "m")[1, 0],
    "[mask]": lambda x: Quantity(x, "m")[Quantity(x, "m") > Quantity(250.0, "cm")],
    "iteration": lambda x: list(Quantity(x, "m"))[1],
    "T": lambda x: Quantity(x, "m").T,
    "copy": lambda x: copy.deepcopy(Quantity(x, "m")),
    "pickle": lambda x: pickle.loads(pickle.dumps(Quantity(x, "m"))),
    "wraps": lambda x: ureg.wraps("m", "cm")(lambda centimetres: centimetres)(Quantity(x, "m")),
}  # fmt: skip


@pytest.mark.parametrize("name", CALCULATIONS)
def test_calculations_are_as_with_numpy(name: str, x: Any):
    assert_same(CALCULATIONS[name](x), CALCULATIONS[name](VALUES), x.device)


COMPARISONS: dict[str, Callable[[Any], Any]] = {
    "of quantities": lambda x: Quantity(x, "m") < Quantity(x * 50, "cm"),
    "with a number and a unit": lambda x: Quantity(x, "m") >= Quantity(2.0, "m"),
    "on the right": lambda x: Quantity(200.0, "cm") > Quantity(x, "m"),
    "with zero": lambda x: Quantity(x, "m") > 0,
    "equality with zero": lambda x: Quantity(x, "m") == 0,
    "equality of magnitudes": lambda x: Quantity(x, "m").m_as("cm") == x * 100,
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_give_arrays(name: str, x: Any):
    found = COMPARISONS[name](x)
    assert (found.dtype, found.device) == (xp.bool, x.device)
    np.testing.assert_array_equal(np.asarray(found.to_device("cpu")), COMPARISONS[name](VALUES))


def test_quantities_change_in_place(x: Any):
    quantity = Quantity(x, "m")
    quantity[0, 0] = Quantity(500.0, "cm")
    quantity[1, :] = Quantity(x[0, :], "km")
    quantity += Quantity(x, "m")
    quantity.ito("cm")
    assert np.asarray(x.to_device("cpu")).tolist() == [[5.0, 2.0], [5e3, 2e3]]
    assert np.asarray(quantity.m.to_device("cpu")).tolist() == [[1e3, 400.0], [1e6, 4e5]]


def test_elements_and_text(x: Any):
    quantity = Quantity(x, "m")
    assert float(quantity[1, 1].m_as("cm")) == 400.0
    assert (quantity.shape, quantity.ndim, len(quantity)) == ((2, 2), 2, 2)
    assert quantity.dtype == xp.float32
    assert quantity.check("[length]")
    assert f"{quantity[0, :]:~P}" == "[1. 2.] m"


def test_functions_take_magnitudes(x: Any):
    quantity = Quantity(x, "m")
    assert float((xp.sum(quantity.m) * quantity.units).m) == 10.0
    assert_same(Quantity(x @ quantity.m, "m"), Quantity(VALUES @ VALUES, "m"), x.device)
    with pytest.raises(TypeError, match="sum: expected a numr_api array, got Quantity"):
        xp.sum(quantity)
    for function in (np.sum, np.sqrt, lambda q: q @ q):
        with pytest.raises(TypeError, match="__array_ufunc__"):
            function(quantity)


def test_quantities_have_no_result_type():
    x = xp.ones(2)
    quantity = Quantity(x, "m")
    for arguments in ((x, quantity), (quantity, x), (quantity,), (x, x, quantity)):
        assert xp.result_type(*(x for _ in arguments)) is xp.float64
        with pytest.raises(TypeError, match="result_type: expected a numr_api array"):
            xp.result_type(*arguments)


def test_what_strict_refuses_stays_refused():
    whole = Quantity(xp.asarray([1, 2]), "m")
    with pytest.raises(TypeError, match="does not mix with int64"):
        whole.to("km")
    with pytest.raises(TypeError, match=r"numpy\.ndarray; convert it with asarray"):
        Quantity(np.ones(2), "m") * xp.ones(2)
    with pytest.raises(pint.DimensionalityError):
        _ = Quantity(xp.ones(2), "m") + Quantity(xp.ones(2), "s")
    with mode.relaxed():
        assert np.asarray(whole.to("cm").m).tolist() == [100.0, 200.0]


def test_asarray_drops_the_unit_on_the_cpu():
    """As the page says."""
    assert np.asarray(xp.asarray(Quantity(xp.asarray([1.5]), "km"))).tolist() == [1.5]


@pytest.mark.parametrize("op", [operator.add, operator.lt, operator.truediv, operator.eq])
def test_limits_that_the_page_names(op: Callable[[Any, Any], Any]):
    """Where this fails, pint has learnt something, and the page is to be changed."""
    x, unit = xp.asarray([1.0, 2.0]), ureg.metre
    left, right = {
        operator.add: (x, Quantity(x, "m")),
        operator.lt: (x, Quantity(x, "m")),
        operator.truediv: (x, unit),
        operator.eq: (Quantity(x, "m"), Quantity(x, "m")),
    }[op]
    with pytest.raises(TypeError):
        op(left, right)
