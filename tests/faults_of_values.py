"""Faults in names, dtypes, element-wise functions and creation."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from faulty import FAULTS, REMOVED, Fault, fault, host

import numr_api as xp

# --- names ----------------------------------------------------------------------------------------


def _sort_without_stable(x: Any, /, *, axis: int = -1, descending: bool = False) -> Any:
    return xp.sort(x, axis=axis, descending=descending)


FAULTS["sort_has_no_keyword_stable"] = Fault(
    "sort", _sort_without_stable, ("signatures/*.sort", "searching/sort/sorted_along_every_axis/*")
)
FAULTS["no_hypot"] = Fault("hypot", REMOVED, ("names/*.hypot",))
FAULTS["no_linalg_pinv"] = Fault("linalg.pinv", REMOVED, ("names/linalg.pinv",))
FAULTS["pi_is_rounded"] = Fault("pi", 3.14159, ("constants/pi",))


@fault("Array.__array_namespace__", "versions/unknown", "errors/__array_namespace__/*")
def any_version_is_accepted(right: Any, x: Any, /, *, api_version: str | None = None) -> Any:
    return right(x)


# --- dtypes ---------------------------------------------------------------------------------------


@fault("add", "promotion/add/int8", "promotion/add/int16")
def int8_and_int16_add_to_int32(right: Any, x1: Any, x2: Any, /) -> Any:
    dtypes = [getattr(x, "dtype", None) for x in (x1, x2)]
    mixed = xp.int8 in dtypes and xp.int16 in dtypes
    return xp.astype(right(x1, x2), xp.int32) if mixed else right(x1, x2)


@fault("result_type", "promotion/result_type/int8", "promotion/result_type/uint8")
def int8_and_uint8_have_result_type_int32(right: Any, *given: Any) -> Any:
    dtypes = [getattr(x, "dtype", x) for x in given]
    return xp.int32 if dtypes == [xp.int8, xp.uint8] else right(*given)


@fault("add", "promotion/mixed-kinds/add/int32", seen="recorded")
def integers_and_floats_add(right: Any, x1: Any, x2: Any, /) -> Any:
    dtypes = [getattr(x, "dtype", None) for x in (x1, x2)]
    if dtypes == [xp.int32, xp.float32]:
        x1 = xp.astype(x1, xp.float32)
    return right(x1, x2)


@fault("zeros", "defaults/zeros", "creation/zeros/integer_shape")
def zeros_are_float32(right: Any, shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return right(shape, dtype=dtype or xp.float32, device=device)


@fault("sum", "promotion/alone/sum/int8", "reductions/sum/over_every_axis/*")
def sum_of_int8_is_int8(right: Any, x: Any, /, **keywords: Any) -> Any:
    dtype = x.dtype if x.dtype == xp.int8 else None
    return right(x, **{"dtype": dtype, **keywords})


@fault("isdtype", "promotion/alone/isdtype/uint8")
def uint8_is_not_integral(right: Any, dtype: Any, kind: Any) -> bool:
    return False if dtype == xp.uint8 and kind == "integral" else right(dtype, kind)


@fault("can_cast", "promotion/alone/can_cast/*")
def everything_can_be_cast(right: Any, from_: Any, to: Any, /) -> bool:
    return True


@fault("finfo", "promotion/alone/finfo/*")
def eps_is_half_of_it(right: Any, type: Any, /) -> Any:
    info = right(type)
    names = ("bits", "max", "min", "smallest_normal", "dtype")
    return SimpleNamespace(eps=info.eps / 2, **{name: getattr(info, name) for name in names})


# --- elementwise ----------------------------------------------------------------------------------


@fault("negative", "special_cases/negative/*")
def negative_of_zero_is_positive(right: Any, x: Any, /) -> Any:
    return xp.subtract(0, x)


@fault("copysign", "special_cases/copysign/*")
def copysign_overlooks_negative_zero(right: Any, x1: Any, x2: Any, /) -> Any:
    return xp.where(x2 < 0, -abs(x1), abs(x1))


@fault("multiply", "special_cases/multiply/*")
def product_is_never_negative_zero(right: Any, x1: Any, x2: Any, /) -> Any:
    return right(x1, x2) + 0


@fault("floor_divide", "special_cases/floor_divide/*")
def quotient_by_infinity_is_minus_1_as_in_python(right: Any, x1: Any, x2: Any, /) -> Any:
    found = right(x1, x2)
    if not xp.isdtype(found.dtype, "real floating"):
        return found
    below = xp.isinf(x2) & xp.isfinite(x1) & (xp.sign(x1) * xp.sign(x2) < 0)
    return xp.where(below, -xp.ones_like(found), found)


@fault("floor_divide", "elementwise/floor_divide/values/*")
def integer_quotient_is_truncated(right: Any, x1: Any, x2: Any, /) -> Any:
    found = right(x1, x2)
    if not xp.isdtype(found.dtype, "signed integer"):
        return found
    return xp.where((found < 0) & (found * x2 != x1), found + 1, found)


@fault("remainder", "elementwise/remainder/values/*", "special_cases/remainder/*")
def remainder_has_the_sign_of_the_dividend(right: Any, x1: Any, x2: Any, /) -> Any:
    return xp.asarray(np.fmod(host(x1), host(x2)))


@fault("expm1", "special_cases/expm1/complex*")
def complex_expm1_is_the_formula_as_it_stands(right: Any, x: Any, /) -> Any:
    if not xp.isdtype(x.dtype, "complex floating"):
        return right(x)
    z = host(x)
    with np.errstate(all="ignore"):
        size = np.exp(z.real)
        z.real, z.imag = size * np.cos(z.imag) - 1, size * np.sin(z.imag)
    return xp.asarray(z)


@fault("expm1", "accuracy/expm1/complex*")
def complex_expm1_is_exp_minus_1(right: Any, x: Any, /) -> Any:
    if not xp.isdtype(x.dtype, "complex floating"):
        return right(x)
    return xp.exp(x) - xp.ones_like(x)


@fault("sqrt", "special_cases/sqrt/complex*/conjugate")
def complex_root_is_of_the_upper_half_plane(right: Any, x: Any, /) -> Any:
    root = right(x)
    if not xp.isdtype(x.dtype, "complex floating"):
        return root
    return xp.where(xp.imag(root) < 0, -root, root)


@fault("sign", "special_cases/sign/*")
def sign_of_nan_is_zero(right: Any, x: Any, /) -> Any:
    return xp.where(xp.isnan(x), xp.zeros_like(x), right(x))


@fault("round", "elementwise/round/values/*", "special_cases/round/*")
def halves_are_rounded_away_from_zero(right: Any, x: Any, /) -> Any:
    if not xp.isdtype(x.dtype, "real floating"):
        return right(x)
    return xp.copysign(xp.floor(abs(x) + 0.5), x)


@fault("bitwise_right_shift", "elementwise/bitwise_right_shift/values/*")
def right_shift_forgets_the_sign(right: Any, x1: Any, x2: Any, /) -> Any:
    found = right(x1, x2)
    return abs(found) if xp.isdtype(found.dtype, "signed integer") else found


@fault("clip", "elementwise/clip/*")
def clip_has_no_upper_bound(right: Any, x: Any, /, min: Any = None, max: Any = None) -> Any:
    return right(x, min)


def off_by(ulp: float) -> Callable[..., Any]:
    def wrong(right: Any, x: Any, /) -> Any:
        found = right(x)
        if not xp.isdtype(found.dtype, "real floating"):
            return found
        return found * (1 + ulp * xp.finfo(found.dtype).eps)

    return wrong


for _name, _ulp in (("exp", 3), ("log", 3), ("sin", 4)):
    _wrong = off_by(_ulp)
    _wrong.__name__ = f"{_name}_is_off_by_{_ulp}_ulp"
    fault(_name, f"accuracy/{_name}/float*", seen="measured")(_wrong)
_wrong = off_by(100)
_wrong.__name__ = "exp_is_off_by_100_ulp"
fault("exp", "accuracy/exp/float*")(_wrong)


@fault("log1p", "accuracy/log1p/*")
def log1p_is_log_of_1_plus_x(right: Any, x: Any, /) -> Any:
    return xp.log(1 + x)


# --- creation -------------------------------------------------------------------------------------


@fault("asarray", "mutation/asarray/a_copy_is_independent*")
def asarray_shares_what_it_should_copy(right: Any, obj: Any, /, *, copy: Any = None,
                                       **keywords: Any) -> Any:  # fmt: skip
    return right(obj, copy=None if copy else copy, **keywords)


@fault("astype", "mutation/astype/a_copy_is_independent*")
def astype_returns_its_operand(right: Any, x: Any, dtype: Any, /, *, copy: bool = True,
                               **keywords: Any) -> Any:  # fmt: skip
    return x if dtype == x.dtype else right(x, dtype, copy=copy, **keywords)


@fault("astype", "mutation/astype/cast_truncates/*")
def integers_are_rounded_to_the_nearest(right: Any, x: Any, dtype: Any, /, **keywords: Any) -> Any:
    down = xp.isdtype(x.dtype, "real floating") and xp.isdtype(dtype, "integral")
    return right(xp.round(x) if down else x, dtype, **keywords)


@fault("meshgrid", "creation/meshgrid/grids/*")
def meshgrid_is_always_xy(right: Any, *arrays: Any, indexing: str = "xy") -> Any:
    return right(*arrays)


@fault("linspace", "creation/linspace/evenly_spaced/*")
def linspace_has_its_endpoint(right: Any, start: Any, stop: Any, /, num: int, *,
                              endpoint: bool = True, **keywords: Any) -> Any:  # fmt: skip
    return right(start, stop, num, **keywords)


@fault("eye", "creation/eye/diagonal_of_ones/*")
def eye_has_the_other_diagonal(right: Any, n_rows: int, n_cols: Any = None, /, *, k: int = 0,
                               **keywords: Any) -> Any:  # fmt: skip
    return right(n_rows, n_cols, k=-k, **keywords)


@fault("tril", "creation/tril/triangle/*")
def tril_lacks_the_diagonal(right: Any, x: Any, /, *, k: int = 0) -> Any:
    return right(x, k=k - 1)


@fault("from_dlpack", "exchange/from_dlpack/no_copy_of_numpys*")
def from_dlpack_copies_against_its_word(right: Any, x: Any, /, *, copy: Any = None,
                                        **keywords: Any) -> Any:  # fmt: skip
    return right(x, copy=True if copy is False else copy, **keywords)
