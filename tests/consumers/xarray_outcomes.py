"""What becomes of the operations of ``xarray_table`` with xarray 2026.9 on numr_api arrays.

Operations that none of the first three tables names give the results that they give on NumPy
arrays, and the results are numr_api arrays. The lines are those of xarray 2026.9.0.
"""

from __future__ import annotations

_VECTORISED = "core/indexing.py:1801 refuses vectorised indexing of array API arrays"
_OPERAND = "a NumPy array (an index coordinate is one) as operand is refused by numr_api"
_UFUNC = "NumPy's ufuncs refuse numr_api arrays; use numr_api's or xarray.ufuncs"

# Relaxed, on the cpu. An error is listed with how its text begins, and why it arises.
RAISES: dict[str, tuple[str, str]] = {
    "with index coordinate": ("TypeError: multiply: expected a numr_api array", _OPERAND),
    "polyval": ("TypeError: add: expected a numr_api array", _OPERAND),
    "where drop": ("TypeError: astype: expected a numr_api array", _OPERAND),
    "isin": (
        "TypeError: isin: expected a numr_api array",
        "core/duck_array_ops.py:876 hands the list on; a DataArray of the numbers works",
    ),
    "numpy.sqrt": ("TypeError: operand 'Array' does not support ufuncs", _UFUNC),
    "weighted std": (
        "TypeError: operand 'Array' does not support ufuncs",
        "computation/weighted.py:317 calls numpy.sqrt; the square root of weighted var works",
    ),
    "xarray.ufuncs.deg2rad": (
        "AttributeError: module 'numr_api' has no attribute 'deg2rad'",
        "ufuncs.py:72 looks for NumPy's name, which the standard does not have",
    ),
    "cross": (
        "ValueError: Could not convert <xarray.DataArray",
        "computation/computation.py:473 hands DataArrays to numpy.result_type",
    ),
    "polyfit": (
        "TypeError: any() got an unexpected keyword argument 'out'",
        "computation/fit.py:234 calls numpy.any on a variable",
    ),
    "idxmax": ("TypeError: Vectorized indexing is not supported", _VECTORISED),
    "isel vectorised": ("TypeError: Vectorized indexing is not supported", _VECTORISED),
    "isel by an array of two axes": (
        "TypeError: Vectorized indexing is not supported",
        _VECTORISED,
    ),
    "set vectorised": ("TypeError: Vectorized indexing is not supported", _VECTORISED),
}

# Relaxed, on the cpu: right, but NumPy arrays.
BECOMES_NUMPY: dict[str, str] = {
    "argmax several axes": "core/variable.py:2552 calls numpy.unravel_index",
    "weighted quantile": "computation/weighted.py:445 calls numpy.vectorize",
    "interpolate_na": "core/missing.py:391 calls numpy.vectorize",
    "interp": "core/missing.py:105 calls numpy.interp",
    "groupby first of integers": "core/duck_array_ops.py:857 calls numpy.take",
    "to_netcdf, open_dataset": "what is read from files is NumPy arrays",
    "to_dict, from_dict": "lists become NumPy arrays",
    "to_dataframe, from_dataframe": "pandas holds NumPy arrays",
    "as_numpy": "this is its purpose",
    "values": "this is its purpose",
}

# Results without arrays, equal to those with NumPy.
VALUES = ("item", "float", "equals", "identical", "allclose", "nbytes", "repr")

# The operations that work in strict mode too, their results being numr_api arrays.
STRICT = frozenset(
    """
    DataArray; Dataset; Variable; zeros_like; ones_like int; full_like; copy deep; copy
    data; assign; to_dataset; to_dataarray; deepcopy; add; add NumPy scalar; reflected;
    floor_divide; remainder; power; negative, abs; broadcast by names; with coordinate;
    compare; compare arrays; and, or, invert; Dataset arithmetic; round; clip; clip one
    side; conj of xarray.ufuncs; xarray.ufuncs.exp; xarray.ufuncs.atan2; apply_ufunc;
    apply_ufunc core axis; matmul; sum; sum of gaps; sum of integers; mean skipna=False; max of
    integers; any, all; reduce; diff; isel integer; isel slice; sel; sel nearest; sel slice
    of times; sel year; getitem; head, tail, thin; set slice; transpose; T; expand_dims;
    stack; unstack; swap_dims; set_index; rename; broadcast; broadcast_like; roll; coarsen
    construct; drop_vars; concat; merge; combine_first; combine_by_coords; fillna array;
    isnull, notnull; pickle; load, compute
    """.replace("\n    ", " ")
    .strip(" ")
    .split("; ")
)
