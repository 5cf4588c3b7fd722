"""Monthly temperatures on a grid with xarray, whose arrays are numr_api's: anomalies and means.

The temperatures are made here: ten years on a grid of the earth with seasons, a warming trend,
noise and missing values. What is computed of them is compared with what NumPy arrays give.
"""

from __future__ import annotations

import argparse
import os

os.environ["NUMR_API_MODE"] = "relaxed"  # before numr_api is imported; xarray needs this mode

import numpy as np
import pandas as pd
import xarray as xr

import numr_api as xp
from numr_api.extensions.device import default_device

YEARS = 10


def temperatures() -> xr.DataArray:
    """Degrees Celsius by month, latitude and longitude, one value of a hundred missing."""
    random = np.random.default_rng(1)
    time = pd.date_range("2001-01-01", periods=12 * YEARS, freq="MS")
    latitude, longitude = np.arange(-85.0, 90.0, 10.0), np.arange(0.0, 360.0, 20.0)
    year = time.year.to_numpy() + (time.month.to_numpy() - 1) / 12
    season = -np.cos(2 * np.pi * year)[:, None, None] * np.sin(np.deg2rad(latitude))[:, None]
    mean = 30 * np.cos(np.deg2rad(latitude))[:, None] - 5
    trend = 0.03 * (year - 2001)[:, None, None]
    values = mean + 12 * season + trend + random.normal(0, 1, (time.size, 18, 18))
    values[random.random(values.shape) < 0.01] = np.nan
    coordinates = {"time": time, "lat": latitude, "lon": longitude}
    return xr.DataArray(values, coordinates, dims=("time", "lat", "lon"), name="temperature")


def analysed(temperature: xr.DataArray, area: xr.DataArray) -> dict[str, xr.DataArray]:
    """What is computed of temperatures by month and of the area that each latitude stands for."""
    months = temperature.groupby("time.month")
    anomaly = months - months.mean()
    world = anomaly.weighted(area).mean(("lat", "lon"))
    return {
        "means of the months": months.mean(),
        "anomalies": anomaly,
        "means of the world": world,
        "means of the years": world.groupby("time.year").mean(),
        "means of the quarters": world.resample(time="QS").mean(),
        "means of 12 months": world.rolling(time=12, center=True).mean(),
        "0.9 quantiles": temperature.quantile(0.9, dim="time"),
        "months over 2 degrees": (anomaly > 2).sum("time"),
        "gaps filled": anomaly.fillna(world),
        "changes in a year": temperature.shift(time=-12) - temperature,
        "correlations": xr.corr(anomaly, world, dim="time"),
    }


def difference(ours: xr.DataArray, theirs: xr.DataArray) -> float:
    """The largest difference relative to the largest number; infinite if NaN is elsewhere."""
    found, expected = np.asarray(ours.data.to_device("cpu")), theirs.values
    if not np.array_equal(np.isnan(found), np.isnan(expected)):
        return np.inf
    return float(np.nanmax(np.abs(found - expected)) / np.nanmax(np.abs(expected)))


def main() -> None:
    """Analyse the temperatures on numr_api arrays, print what is found, compare with NumPy."""
    parser = argparse.ArgumentParser(description="Analyse temperatures on a grid with xarray.")
    parser.add_argument("--device", default="cpu", help="where numr_api's arrays live")
    device = parser.parse_args().device
    temperature = temperatures()
    area = np.cos(np.deg2rad(temperature.lat))
    expected = analysed(temperature, area)
    with default_device(device):  # xarray makes arrays of numbers there
        found = analysed(
            temperature.copy(data=xp.asarray(temperature.values)),
            area.copy(data=xp.asarray(area.values)),
        )
    years = found["means of the years"]
    kept = sum(isinstance(x.data, type(years.data)) for x in found.values())
    print(f"{temperature.size} values, {years.dtype} on {years.data.device}")
    print(f"results that are numr_api arrays: {kept} of {len(found)}")
    for year, mean in zip(years.year.values, iter(years.data), strict=True):
        print(f"{year}: {float(mean):+.3f} degrees")
    largest = max(difference(found[name], expected[name]) for name in found)
    print(f"largest relative difference from NumPy's results: {largest:.1e}")


if __name__ == "__main__":
    main()
