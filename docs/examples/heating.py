"""What a year's heating costs, with units: pint's quantities of numr_api arrays.

Thicknesses are in centimetres, conductivities in watts by metre and kelvin, temperatures in degrees
Celsius, the price is for a kilowatt-hour: pint converts them, and refuses what does not fit. The
same function is run on NumPy arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pint

import numr_api

ureg = pint.UnitRegistry()
HOURS = 365 * 24


def transmittance(thickness: Any, conductivity: Any) -> Any:
    """Heat that goes through a wall of several layers, by area and difference of temperature.

    Arguments:
        thickness, conductivity: quantities of arrays of shape (layers,).
    """
    layers = (thickness / conductivity).to("m^2 K / W")
    return 1 / (total(layers) + ureg.Quantity(0.17, "m^2 K / W"))  # and the air at both surfaces


def total(quantity: Any) -> Any:
    """The sum of all elements. Functions take the magnitude, an array in known units."""
    xp = quantity.magnitude.__array_namespace__()
    return xp.sum(quantity.magnitude) * quantity.units


def heat(xp: Any) -> dict[str, Any]:
    """The energy that a house loses while it is heated, by part of the house.

    Arguments:
        xp: the namespace to compute with.
    """
    hour = xp.arange(HOURS, dtype=xp.float64)
    year = xp.cos(2 * xp.pi * (hour / HOURS - 0.05))
    day = xp.cos(2 * xp.pi * (hour / 24 - 0.6))
    outside = ureg.Quantity(9.5 - 9.0 * year + 4.0 * day, "degC")
    heated = outside < ureg.Quantity(59.0, "degF")
    missing = (ureg.Quantity(20.0, "degC") - outside[heated]).to("kelvin")
    # Plaster, insulation and brick; tiles, insulation and plaster.
    wall = transmittance(
        ureg.Quantity(xp.asarray([1.5, 14.0, 24.0]), "cm"),
        ureg.Quantity(xp.asarray([0.7, 0.035, 0.5]), "W / m / K"),
    )
    roof = transmittance(
        ureg.Quantity(xp.asarray([15.0, 200.0, 12.5]), "mm"),
        ureg.Quantity(xp.asarray([1.0, 0.035, 0.25]), "W / m / K"),
    )
    parts = {
        "walls": (wall, ureg.Quantity(140.0, "m^2")),
        "roof": (roof, ureg.Quantity(90.0, "m^2")),
        "windows": (ureg.Quantity(1.1, "W / m^2 / K"), ureg.Quantity(25.0, "m^2")),
    }
    return {
        name: (total(value * area * missing) * ureg.Quantity(1, "hour")).to("kWh")
        for name, (value, area) in parts.items()
    }


def main() -> None:
    """Print energy and cost by part of the house, and how far they are from NumPy's."""
    price = ureg.Quantity(0.12, "1 / kWh")  # of a currency, which pint has none of
    expected = heat(np)
    found = heat(numr_api)
    for name, energy in found.items():
        cost = float((energy * price).m_as(""))
        print(f"{name}: {float(energy.m_as('kWh')):.0f} kWh, {cost:.2f} a year")
    difference = max(abs(float((found[name] / expected[name]).m) - 1) for name in found)
    print(f"largest relative difference from NumPy's result: {difference:.1e}")


if __name__ == "__main__":
    main()
