"""The operations of xarray that ``xarray_operations`` tries: a name and a function for each.

A function takes a dataset whose variables are arrays of one library, and returns a DataArray, a
Dataset, several of them, or a Python value.
"""

from __future__ import annotations

import copy
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

Operation = Callable[[xr.Dataset], Any]


def sample(convert: Callable[[np.ndarray[Any, Any]], Any]) -> xr.Dataset:
    """Monthly values of two years on a grid, in the arrays that ``convert`` makes.

    ``gaps`` and ``air`` are floating-point numbers, with and without NaN, ``days`` are integers,
    ``warm`` is boolean, ``wave`` complex and ``area`` has only the axes of the grid.
    """
    random = np.random.default_rng(7)
    axes = ("time", "y", "x")
    shape = (24, 3, 4)
    air = np.round(random.normal(10, 5, shape), 2)
    gaps = np.where(random.random(shape) < 0.2, np.nan, air)
    host: dict[str, tuple[Any, ...]] = {
        "air": (axes, air),
        "gaps": (axes, gaps),
        "days": (axes, random.integers(0, 9, shape)),
        "warm": (axes, air > 10),
        "wave": (axes, (air + 1j * air[::-1]).astype(np.complex64)),
        "area": (("y", "x"), np.arange(1.0, 13.0).reshape(3, 4)),
    }
    return xr.Dataset(
        {name: (dims, convert(values)) for name, (dims, values) in host.items()},
        coords={
            "time": pd.date_range("2001-01-01", periods=24, freq="MS"),
            "y": [10.0, 20.0, 30.0],
            "x": [0, 1, 2, 3],
            "height": ("y", convert(np.asarray([5.0, 7.0, 9.0]))),
            "half": ("x", ["west", "west", "east", "east"]),
        },
    )


def _assigned(change: Callable[[xr.DataArray], None], name: str = "air") -> Operation:
    """The operation of changing a copy of a variable in place."""

    def operation(ds: xr.Dataset) -> xr.DataArray:
        changed = ds[name].copy(deep=True)
        change(changed)
        return changed

    return operation


def _set(where: Any, value: Callable[[xr.Dataset], Any] | float) -> Operation:
    """The operation of assigning to what ``isel`` would select."""

    def operation(ds: xr.Dataset) -> xr.DataArray:
        changed = ds.air.copy(deep=True)
        changed[where] = value(ds) if callable(value) else value
        return changed

    return operation


def _in_place_sum(ds: xr.Dataset) -> xr.DataArray:
    changed = ds.air.copy(deep=True)
    changed += ds.days
    return changed


def _through_netcdf(ds: xr.Dataset) -> xr.Dataset:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "air.nc"
        ds[["air", "days"]].drop_vars("half").to_netcdf(path, engine="scipy")
        with xr.open_dataset(path, engine="scipy") as opened:
            return opened.load()


def _from_netcdf(ds: xr.Dataset) -> xr.Dataset:
    """What was read, as arrays of the dataset's library again."""
    xp = ds.air.data.__array_namespace__()
    return _through_netcdf(ds).map(lambda x: x.copy(data=xp.asarray(x.astype("float32").data)))


def _index_of(ds: xr.Dataset, dim: str) -> xr.DataArray:
    return xr.DataArray([0, 2, 1], dims=dim)


CONSTRUCT: dict[str, Operation] = {
    "DataArray": lambda ds: xr.DataArray(ds.air.data, dims=("a", "b", "c")),
    "Dataset": lambda ds: xr.Dataset({"v": (("y", "x"), ds.area.data)}),
    "Variable": lambda ds: xr.DataArray(xr.Variable(("y", "x"), ds.area.data)),
    "zeros_like": lambda ds: xr.zeros_like(ds.air),
    "ones_like int": lambda ds: xr.ones_like(ds.days),
    "full_like": lambda ds: xr.full_like(ds.air, 2.5),
    "full_like dtype": lambda ds: xr.full_like(ds.air, 2, dtype=np.int32),
    "zeros_like of Dataset": lambda ds: xr.zeros_like(ds),
    "copy deep": lambda ds: ds.copy(deep=True),
    "copy data": lambda ds: ds.air.copy(data=ds.gaps.data),
    "assign": lambda ds: ds.assign(twice=ds.air * 2),
    "to_dataset": lambda ds: ds.air.to_dataset(name="v"),
    "to_dataarray": lambda ds: ds[["air", "gaps"]].to_dataarray(),
    "deepcopy": lambda ds: copy.deepcopy(ds.air),
}

ARITHMETIC: dict[str, Operation] = {
    "add": lambda ds: ds.air + ds.gaps,
    "add integers": lambda ds: ds.air + ds.days,
    "add scalar": lambda ds: ds.days + 0.5,
    "add NumPy scalar": lambda ds: ds.air + np.float32(0.5),
    "reflected": lambda ds: 1 - ds.air,
    "divide integers": lambda ds: ds.days / 2,
    "floor_divide": lambda ds: ds.days // 2,
    "remainder": lambda ds: ds.air % 3,
    "power": lambda ds: ds.air**2,
    "negative, abs": lambda ds: abs(-ds.air),
    "broadcast by names": lambda ds: ds.air * ds.area,
    "with coordinate": lambda ds: ds.air * ds.height,
    "with index coordinate": lambda ds: ds.air * ds.y,
    "in place": _in_place_sum,
    "compare": lambda ds: ds.air > 10,
    "compare arrays": lambda ds: ds.air == ds.gaps,
    "and, or, invert": lambda ds: (ds.warm & (ds.air < 12)) | ~ds.warm,
    "Dataset arithmetic": lambda ds: ds[["air", "days"]] * 2 + 1,
    "matmul": lambda ds: ds.air @ ds.area,
    "dot": lambda ds: xr.dot(ds.air, ds.area, dim="x"),
    "dot all": lambda ds: xr.dot(ds.air, ds.area, dim=...),
    "cross": lambda ds: xr.cross(ds.air, ds.air + 1, dim="y"),
    "round": lambda ds: ds.air.round(),
    "clip": lambda ds: ds.air.clip(5, 12),
    "clip one side": lambda ds: ds.gaps.clip(min=5),
    "real": lambda ds: ds.wave.real,
    "imag": lambda ds: ds.wave.imag,
    "conj": lambda ds: ds.wave.conj(),
    "conj of xarray.ufuncs": lambda ds: xr.ufuncs.conj(ds.wave),
    "numpy.sqrt": lambda ds: np.sqrt(ds.air.clip(0)),
    "xarray.ufuncs.exp": lambda ds: xr.ufuncs.exp(ds.air / 10),
    "xarray.ufuncs.atan2": lambda ds: xr.ufuncs.atan2(ds.air, ds.gaps),
    "xarray.ufuncs.deg2rad": lambda ds: xr.ufuncs.deg2rad(ds.air),
    "apply_ufunc": lambda ds: xr.apply_ufunc(lambda x: x * 2, ds.air),
    "apply_ufunc core axis": lambda ds: xr.apply_ufunc(
        lambda x: x.__array_namespace__().sum(x, axis=-1), ds.air, input_core_dims=[["x"]]
    ),
    "map": lambda ds: ds[["air", "gaps"]].map(lambda x: x - x.min()),
}

REDUCE: dict[str, Operation] = {
    "sum": lambda ds: ds.air.sum(),
    "sum of gaps": lambda ds: ds.gaps.sum("time"),
    "sum min_count": lambda ds: ds.gaps.sum("time", min_count=20),
    "sum of integers": lambda ds: ds.days.sum("x"),
    "sum of booleans": lambda ds: ds.warm.sum("time"),
    "prod": lambda ds: (ds.gaps / 10).prod(("x", "y")),
    "mean": lambda ds: ds.air.mean("time"),
    "mean of gaps": lambda ds: ds.gaps.mean(("time", "x")),
    "mean skipna=False": lambda ds: ds.gaps.mean("time", skipna=False),
    "mean of integers": lambda ds: ds.days.mean("time"),
    "mean keep_attrs": lambda ds: ds.air.assign_attrs(units="K").mean("x", keep_attrs=True),
    "std": lambda ds: ds.gaps.std("time"),
    "var ddof": lambda ds: ds.gaps.var("time", ddof=1),
    "var skipna=False": lambda ds: ds.air.var("time", ddof=1, skipna=False),
    "min": lambda ds: ds.gaps.min("time"),
    "max": lambda ds: ds.gaps.max(),
    "max of integers": lambda ds: ds.days.max("x"),
    "median": lambda ds: ds.air.median("time"),
    "median of gaps": lambda ds: ds.gaps.median("time"),
    "any, all": lambda ds: ds.warm.any("time") & ds.warm.all("x"),
    "count": lambda ds: ds.gaps.count("time"),
    "argmin": lambda ds: ds.air.argmin("time"),
    "argmax of gaps": lambda ds: ds.gaps.argmax("time"),
    "argmax several axes": lambda ds: ds.air.argmax(("y", "x"))["x"],
    "idxmax": lambda ds: ds.air.idxmax("x"),
    "quantile": lambda ds: ds.air.quantile(0.3, dim="time"),
    "quantile of gaps": lambda ds: ds.gaps.quantile([0.1, 0.5], dim="time"),
    "quantile skipna=False": lambda ds: ds.air.quantile(0.5, dim=("x", "y"), skipna=False),
    "Dataset mean": lambda ds: ds[["air", "gaps", "days"]].mean("time"),
    "reduce": lambda ds: ds.air.reduce(lambda x, axis: x[0, ...], dim="time"),
    "cumsum": lambda ds: ds.gaps.cumsum("time"),
    "cumprod": lambda ds: (ds.gaps / 10).cumprod("x"),
    "cumsum of integers": lambda ds: ds.days.cumsum("time"),
    "weighted mean": lambda ds: ds.gaps.weighted(ds.area).mean(("x", "y")),
    "weighted mean by one axis": lambda ds: ds.gaps.weighted(ds.height).mean(("x", "y")),
    "weighted sum": lambda ds: ds.air.weighted(ds.area).sum("x"),
    "weighted std": lambda ds: ds.gaps.weighted(ds.area).std("x"),
    "weighted quantile": lambda ds: ds.air.weighted(ds.area).quantile(0.5, dim="x"),
    "cov": lambda ds: xr.cov(ds.air, ds.gaps, dim="time"),
    "corr": lambda ds: xr.corr(ds.air, ds.gaps, dim="time"),
    "diff": lambda ds: ds.air.diff("time"),
    "differentiate": lambda ds: ds.air.differentiate("x"),
    "integrate": lambda ds: ds.air.integrate("x"),
    "cumulative_integrate": lambda ds: ds.air.cumulative_integrate("x"),
    "polyfit": lambda ds: ds.air.isel(y=0).polyfit("x", 1).polyfit_coefficients,
    "polyval": lambda ds: xr.polyval(ds.x, xr.DataArray(ds.height.data, {"degree": [0, 1, 2]})),
}

INDEX: dict[str, Operation] = {
    "isel integer": lambda ds: ds.air.isel(time=3),
    "isel slice": lambda ds: ds.air.isel(time=slice(2, 20, 3), x=slice(None, None, -1)),
    "isel list": lambda ds: ds.air.isel(time=[5, 1, -1]),
    "isel two lists": lambda ds: ds.air.isel(time=[5, 1], x=[0, 2, 3]),
    "isel mask": lambda ds: ds.air.isel(time=np.arange(24) % 5 == 0),
    "isel of Dataset": lambda ds: ds.isel(time=[0, 7], y=1),
    "isel vectorised": lambda ds: ds.air.isel(y=_index_of(ds, "p"), x=_index_of(ds, "p")),
    "isel by an array of one axis": lambda ds: ds.air.isel(x=_index_of(ds, "p")),
    "isel by an array of two axes": lambda ds: ds.air.isel(
        x=xr.DataArray([[0, 1], [2, 3]], dims=("p", "q"))
    ),
    "sel": lambda ds: ds.air.sel(y=20.0),
    "sel nearest": lambda ds: ds.air.sel(y=18.0, method="nearest"),
    "sel slice of times": lambda ds: ds.air.sel(time=slice("2001-03", "2002-02")),
    "sel year": lambda ds: ds.air.sel(time="2002"),
    "loc": lambda ds: ds.air.loc[{"x": [1, 3]}],
    "getitem": lambda ds: ds.air[0, 1],
    "head, tail, thin": lambda ds: ds.air.head(time=9).tail(time=6).thin(time=2),
    "drop_sel": lambda ds: ds.air.drop_sel(x=[1]),
    "sortby": lambda ds: ds.air.sortby("x", ascending=False),
    "sortby values": lambda ds: ds.area.sortby(-ds.height),
    "reindex": lambda ds: ds.air.reindex(x=[3, 1, 9]),
    "reindex nearest": lambda ds: ds.air.reindex(y=[11.0, 29.0], method="nearest"),
    "reindex_like": lambda ds: ds.air.reindex_like(ds.air.isel(x=[2, 0])),
    "interp": lambda ds: ds.air.interp(y=[12.0, 25.0]),
    "set element": _set({"time": 0, "y": 0, "x": 0}, 99.0),
    "set slice": _set({"time": slice(0, 3)}, lambda ds: ds.gaps.isel(time=0)),
    "set list": _set({"x": [0, 2]}, 0.0),
    "set by loc": _assigned(lambda x: x.loc.__setitem__({"y": 20.0}, -1.0)),
    "set vectorised": _set(
        {"y": xr.DataArray([0, 1], dims="p"), "x": xr.DataArray([1, 2], dims="p")}, 0.0
    ),
}

SHAPE: dict[str, Operation] = {
    "transpose": lambda ds: ds.air.transpose("x", "time", "y"),
    "T": lambda ds: ds.area.T,
    "expand_dims": lambda ds: ds.air.expand_dims("run"),
    "squeeze": lambda ds: ds.air.isel(y=[1]).squeeze(),
    "stack": lambda ds: ds.air.stack(point=("y", "x")),
    "unstack": lambda ds: ds.air.stack(point=("y", "x")).unstack(),
    "unstack of missing": lambda ds: ds.air.stack(point=("y", "x")).isel(point=[0, 5]).unstack(),
    "swap_dims": lambda ds: ds.air.swap_dims(x="half"),
    "set_index": lambda ds: ds.air.set_index(x="half"),
    "rename": lambda ds: ds.rename(air="v", x="lon"),
    "broadcast": lambda ds: xr.broadcast(ds.air, ds.area),
    "broadcast_like": lambda ds: ds.area.broadcast_like(ds.air),
    "shift": lambda ds: ds.air.shift(time=2),
    "shift of integers": lambda ds: ds.days.shift(time=2, fill_value=0),
    "roll": lambda ds: ds.air.roll(x=1, roll_coords=True),
    "pad": lambda ds: ds.air.pad(x=1),
    "pad edge": lambda ds: ds.air.pad(x=1, mode="edge"),
    "coarsen": lambda ds: ds.gaps.coarsen(time=3).mean(),
    "coarsen trim": lambda ds: ds.air.drop_vars("half").coarsen(x=3, boundary="trim").max(),
    "coarsen construct": lambda ds: ds.air.coarsen(time=12).construct(time=("year", "month")),
    "astype": lambda ds: ds.air.astype("float32"),
    "astype of NumPy's": lambda ds: ds.air.astype(np.int64),
    "drop_vars": lambda ds: ds.drop_vars("gaps"),
}

COMBINE: dict[str, Operation] = {
    "concat": lambda ds: xr.concat([ds.air, ds.gaps], dim="time"),
    "concat new axis": lambda ds: xr.concat([ds.air, ds.days], dim="run"),
    "concat of Datasets": lambda ds: xr.concat([ds.isel(time=[0]), ds.isel(time=[3])], "time"),
    "merge": lambda ds: xr.merge([ds[["air"]], ds[["gaps"]]]),
    "combine_first": lambda ds: ds.gaps.combine_first(ds.air),
    "combine_by_coords": lambda ds: xr.combine_by_coords(
        [ds[["air"]].isel(x=slice(2)), ds[["air"]].isel(x=slice(2, 4))]
    ),
    "align outer": lambda ds: xr.align(ds.air.isel(x=[0, 1]), ds.air.isel(x=[1, 2]), join="outer"),
    "add outer": lambda ds: ds.air.isel(x=[0, 1]) + ds.air.isel(x=[1, 2]),
    "xarray.where": lambda ds: xr.where(ds.warm, ds.air, 0.0),
    "where": lambda ds: ds.air.where(ds.air > 10),
    "where other": lambda ds: ds.days.where(ds.days > 3, -1),
    "where drop": lambda ds: ds.air.where(ds.x > 1, drop=True),
    "where of integers": lambda ds: ds.days.where(ds.days > 3),
    "isin": lambda ds: ds.days.isin([1, 2]),
    "fillna": lambda ds: ds.gaps.fillna(0.0),
    "fillna array": lambda ds: ds.gaps.fillna(ds.air),
    "isnull, notnull": lambda ds: ds.gaps.isnull() ^ ds.days.notnull(),
    "dropna": lambda ds: ds.gaps.dropna("time"),
    "interpolate_na": lambda ds: ds.gaps.interpolate_na("time"),
}

GROUP: dict[str, Operation] = {
    "groupby mean": lambda ds: ds.gaps.groupby("time.month").mean(),
    "groupby sum": lambda ds: ds.air.groupby("half").sum(),
    "groupby max of Dataset": lambda ds: ds[["air", "days"]].groupby("half").max(),
    "groupby count": lambda ds: ds.gaps.groupby("time.season").count(),
    "groupby first": lambda ds: ds.air.groupby("time.year").first(),
    "groupby first of integers": lambda ds: ds.days.groupby("time.year").first(),
    "groupby anomalies": lambda ds: (
        ds.air.groupby("time.month") - ds.air.groupby("time.month").mean()
    ),
    "groupby map": lambda ds: ds.air.groupby("time.year").map(lambda x: x - x.mean("time")),
    "groupby std": lambda ds: ds.air.groupby("time.year").std(),
    "groupby quantile": lambda ds: ds.air.groupby("time.year").quantile(0.5),
    "groupby_bins": lambda ds: ds.air.groupby_bins("y", [0, 15, 40]).mean(),
    "resample mean": lambda ds: ds.gaps.resample(time="QS").mean(),
    "resample upsample": lambda ds: ds.air.resample(time="15D").nearest(),
    "rolling mean": lambda ds: ds.air.rolling(time=3).mean(),
    "rolling max centred": lambda ds: ds.gaps.rolling(time=3, center=True, min_periods=1).max(),
    "rolling construct": lambda ds: ds.air.rolling(time=3).construct("window"),
    "rolling of two axes": lambda ds: ds.air.rolling(x=2, y=2).sum(),
    "cumulative": lambda ds: ds.air.cumulative("time").sum(),
}

IN_AND_OUT: dict[str, Operation] = {
    "pickle": lambda ds: pickle.loads(pickle.dumps(ds)),
    "to_netcdf, open_dataset": _through_netcdf,
    "open_dataset, asarray": _from_netcdf,
    "to_dict, from_dict": lambda ds: xr.Dataset.from_dict(ds[["air"]].to_dict()),
    "to_dataframe, from_dataframe": lambda ds: xr.Dataset.from_dataframe(
        ds[["air"]].to_dataframe()[["air"]]
    ),
    "as_numpy": lambda ds: ds.as_numpy(),
    "values": lambda ds: ds.air.copy(data=ds.air.values),
    "load, compute": lambda ds: ds.load().compute(),
    "item": lambda ds: ds.air[0, 0, 0].item(),
    "float": lambda ds: float(ds.air.sum()),
    "equals": lambda ds: (ds.equals(ds.copy(deep=True)), ds.air.equals(ds.gaps)),
    "identical": lambda ds: ds.air.identical(ds.air.copy()),
    "allclose": lambda ds: xr.testing.assert_allclose(ds, ds.copy(deep=True)),
    "nbytes": lambda ds: ds.days.astype("int32").nbytes,
    "repr": lambda ds: len(repr(ds.days).splitlines()),
}

GROUPS: dict[str, dict[str, Operation]] = {
    "construct": CONSTRUCT,
    "arithmetic": ARITHMETIC,
    "reduce": REDUCE,
    "index": INDEX,
    "shape": SHAPE,
    "combine": COMBINE,
    "group": GROUP,
    "in and out": IN_AND_OUT,
}
