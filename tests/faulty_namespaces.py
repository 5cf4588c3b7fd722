"""Namespaces with one fault each, which numr_conformance must find.

A fault replaces one function of numr_api, or one method of its arrays; everything else is numr_api's
own. Each says which checks of the suite find it, as patterns of their names.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from itertools import count
from types import SimpleNamespace
from typing import Any, Literal

import array_api_strict
import numpy as np

import numr_api as xp

REMOVED = object()
FAULTS: dict[str, Fault] = {}


class Namespace:
    """A namespace that is another one, but for some names, such as "sum" or "linalg.inv"."""

    def __init__(self, base: Any, replaced: dict[str, Any]) -> None:
        self._base, self._replaced = base, replaced
        for name, value in replaced.items():
            outer, _, inner = name.partition(".")
            if inner:
                value = Namespace(getattr(base, outer), {inner: value})
            if value is not REMOVED:
                setattr(self, outer, value)

    def __getattr__(self, name: str) -> Any:
        if self._replaced.get(name) is REMOVED:
            raise AttributeError(f"no {name}")
        return getattr(self._base, name)


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        name: which function is wrong, or "Array.__iadd__" for a method.
        wrong: what it is replaced by.
        checks: patterns of the names of those checks that must find it.
        seen: in what they find it: a verdict of failed or raised; another text of what is
            recorded where the standard leaves it open; or a larger error that is measured.
        base: the namespace that is right.
    """

    name: str
    wrong: Any
    checks: tuple[str, ...]
    seen: Literal["verdict", "recorded", "measured"] = "verdict"
    base: Any = xp

    @property
    def method(self) -> str:
        """The method that is wrong, or ""."""
        return self.name.removeprefix("Array.") if self.name.startswith("Array.") else ""

    @property
    def namespace(self) -> Any:
        """The namespace with the fault; one in a method is not in it, but in the array class."""
        return Namespace(self.base, {} if self.method else {self.name: self.wrong})


def array_class(base: Any) -> type:
    return type(base.zeros(()))


def fault(name: str, *checks: str, base: Any = xp, **more: Any) -> Callable[..., Any]:
    """Enter a fault whose body gets the right function (or method) before the arguments."""
    owner = array_class(base) if name.startswith("Array.") else base
    right: Any = owner
    for part in name.removeprefix("Array.").split("."):
        right = getattr(right, part)

    def enter(body: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(right)  # with its signature, for which there are checks of their own
        def wrong(*arguments: Any, **keywords: Any) -> Any:
            return body(right, *arguments, **keywords)

        FAULTS[body.__name__] = Fault(name, wrong, checks, base=base, **more)
        return body

    return enter


def host(x: Any) -> Any:
    return np.from_dlpack(x).copy()


def lines_up(x: Any, axis: int) -> int:
    """The axis after this one."""
    return (axis + 1) % x.ndim


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


@fault("negative", "elementwise/negative/values/*", "special_cases/negative/*")
def negative_of_zero_is_positive(right: Any, x: Any, /) -> Any:
    return xp.subtract(0, x)


@fault("copysign", "special_cases/copysign/*")
def copysign_overlooks_negative_zero(right: Any, x1: Any, x2: Any, /) -> Any:
    return xp.where(x2 < 0, -abs(x1), abs(x1))


@fault("multiply", "special_cases/multiply/*")
def product_is_never_negative_zero(right: Any, x1: Any, x2: Any, /) -> Any:
    return right(x1, x2) + 0


@fault("floor_divide", "special_cases/floor_divide/*")
def quotient_by_infinity_is_not_floored(right: Any, x1: Any, x2: Any, /) -> Any:
    return xp.where(xp.isinf(x2), x1 / x2, right(x1, x2))


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


@fault("clip", "elementwise/clip/*", "special_cases/clip/*")
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


# --- manipulation ---------------------------------------------------------------------------------


@fault("roll", "manipulation/roll/*")
def roll_goes_the_other_way(right: Any, x: Any, /, shift: Any, *, axis: Any = None) -> Any:
    other = tuple(-s for s in shift) if isinstance(shift, tuple) else -shift
    return right(x, other, axis=axis)


@fault("tile", "manipulation/tile/*")
def tile_repeats_elements(right: Any, x: Any, repetitions: tuple[int, ...], /) -> Any:
    found = host(x)
    rank = max(found.ndim, len(repetitions))
    found = found.reshape((1,) * (rank - found.ndim) + found.shape)
    for axis, times in enumerate((1,) * (rank - len(repetitions)) + tuple(repetitions)):
        found = np.repeat(found, times, axis)
    return xp.asarray(found)


@fault("expand_dims", "manipulation/expand_dims/*")
def negative_new_axis_counts_the_old_axes(right: Any, x: Any, /, axis: Any = 0) -> Any:
    if isinstance(axis, int) and -x.ndim <= axis < 0:
        axis += x.ndim
    return right(x, axis)


@fault("reshape", "manipulation/reshape/*", "mutation/reshape/*")
def reshape_is_column_major(right: Any, x: Any, /, shape: Any, *, copy: Any = None) -> Any:
    def turned(y: Any) -> Any:
        return xp.permute_dims(y, tuple(range(y.ndim))[::-1])

    return turned(right(turned(x), tuple(shape)[::-1]))


@fault("broadcast_shapes", "errors/broadcast_shapes/*")
def any_shapes_broadcast(right: Any, *shapes: tuple[int, ...]) -> Any:
    try:
        return right(*shapes)
    except ValueError:
        return max(shapes)


@fault("concat", "manipulation/concat/*", "errors/concat/*")
def concat_is_always_along_the_first(right: Any, arrays: Any, /, *, axis: int | None = 0) -> Any:
    return right(arrays, axis=axis if axis is None else 0)


# --- reductions -----------------------------------------------------------------------------------


@fault("sum", "reductions/sum/over_every_axis/*")
def sum_is_along_the_next_axis(right: Any, x: Any, /, *, axis: Any = None, **keywords: Any) -> Any:
    return right(x, axis=lines_up(x, axis) if isinstance(axis, int) else axis, **keywords)


@fault("sum", "errors/sum/bad_axis/*")
def axis_out_of_bounds_wraps_around(right: Any, x: Any, /, *, axis: Any = None, **more: Any) -> Any:
    return right(x, axis=axis % x.ndim if isinstance(axis, int) else axis, **more)


@fault("sum", "reductions/sum/accumulation_error/*")
def float32_is_summed_one_by_one(
    right: Any, x: Any, /, *, axis: Any = None, **keywords: Any
) -> Any:
    if x.dtype != xp.float32 or keywords or x.size == 0 or (x.ndim > 1 and axis != -1):
        return right(x, axis=axis, **keywords)
    return xp.asarray(np.add.accumulate(host(x), axis=-1)[..., -1])


@fault("sum", "determinism/sum/repeated")
def sum_differs_each_time(right: Any, x: Any, /, calls: Any = count(), **keywords: Any) -> Any:  # noqa: B008
    found = right(x, **keywords)
    return found * (1 + next(calls) * 1e-6) if xp.isdtype(found.dtype, "real floating") else found


@fault("max", "reductions/max/nan_is_passed_on/*")
def max_drops_nan(right: Any, x: Any, /, **keywords: Any) -> Any:
    if xp.isdtype(x.dtype, "real floating"):
        x = xp.where(xp.isnan(x), xp.full_like(x, -math.inf), x)
    return right(x, **keywords)


@fault("var", "reductions/var/correction/*")
def var_is_never_corrected(right: Any, x: Any, /, *, correction: float = 0, **keywords: Any) -> Any:
    return right(x, **keywords)


@fault("var", "reductions/var/large_mean_does_not_cancel*")
def var_is_mean_of_squares_less_square_of_mean(right: Any, x: Any, /, **keywords: Any) -> Any:
    if keywords.get("correction") or not xp.isdtype(x.dtype, "real floating"):
        return right(x, **keywords)
    return abs(xp.mean(x * x, **keywords) - xp.mean(x, **keywords) ** 2)


@fault("all", "reductions/all/over_every_axis/*")
def all_of_nothing_is_false(right: Any, x: Any, /, **keywords: Any) -> Any:
    found = right(x, **keywords)
    return xp.zeros_like(found) if x.size == 0 else found


@fault("cumulative_sum", "reductions/cumulative_sum/running/*")
def cumulative_sum_has_no_initial_zero(right: Any, x: Any, /, *, include_initial: bool = False,
                                       **keywords: Any) -> Any:  # fmt: skip
    return right(x, **keywords)


# --- searching, sorting, sets ---------------------------------------------------------------------


@fault("argsort", "searching/argsort/*")
def argsort_is_not_stable(right: Any, x: Any, /, *, axis: int = -1, descending: bool = False,
                          stable: bool = True) -> Any:  # fmt: skip
    return xp.flip(right(x, axis=axis, descending=not descending), axis=axis)


@fault("sort", "mutation/sort/inputs_stay")
def sort_changes_its_operand(right: Any, x: Any, /, **keywords: Any) -> Any:
    found = right(x, **keywords)
    x[...] = found
    return found


@fault("argmax", "searching/argmax/first_of_equals/*")
def argmax_is_the_last_of_equals(right: Any, x: Any, /, *, axis: Any = None,
                                 keepdims: bool = False) -> Any:  # fmt: skip
    if axis is None:
        return right(x, keepdims=keepdims)
    return x.shape[axis] - 1 - right(xp.flip(x, axis=axis), axis=axis, keepdims=keepdims)


@fault("searchsorted", "searching/searchsorted/bisection/*")
def searchsorted_is_always_left(right: Any, x1: Any, x2: Any, /, *, side: str = "left",
                                sorter: Any = None) -> Any:  # fmt: skip
    return right(x1, x2, sorter=sorter)


@fault("nonzero", "searching/nonzero/places_in_row_major_order/*")
def nonzero_comes_in_reverse(right: Any, x: Any, /) -> Any:
    return tuple(xp.flip(places) for places in right(x))


@fault("where", "searching/where/chosen*")
def where_has_its_choices_swapped(right: Any, condition: Any, x1: Any, x2: Any, /) -> Any:
    return right(condition, x2, x1)


Counts = namedtuple("Counts", "values counts")


@fault("unique_counts", "searching/unique_counts/each_nan_counts*")
def all_nan_are_one(right: Any, x: Any, /) -> Any:
    found = np.unique(host(x), return_counts=True, equal_nan=True)
    return Counts(*map(xp.asarray, found))


@fault("isin", "searching/isin/membership/*")
def isin_is_never_inverted(right: Any, x1: Any, x2: Any, /, *, invert: bool = False) -> Any:
    return right(x1, x2)


@fault("take_along_axis", "indexing/take_along_axis/taken_along/*")
def take_along_the_next_axis(right: Any, x: Any, indices: Any, /, *, axis: int = -1) -> Any:
    return right(x, indices, axis=lines_up(x, axis))


# --- linear algebra and Fourier transforms --------------------------------------------------------


@fault("vecdot", "linalg/vecdot/dot/*")
def vecdot_is_not_conjugated(right: Any, x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    is_complex = xp.isdtype(x1.dtype, "complex floating")
    return right(xp.conj(x1) if is_complex else x1, x2, axis=axis)


@fault("linalg.solve", "linalg/linalg.solve/solution/*")
def solve_is_of_the_transpose(right: Any, x1: Any, x2: Any, /) -> Any:
    return right(x1.mT, x2)


@fault("linalg.qr", "linalg/linalg.qr/qr/*")
def qr_is_always_reduced(right: Any, x: Any, /, *, mode: str = "reduced") -> Any:
    return right(x)


@fault("linalg.cholesky", "linalg/linalg.cholesky/cholesky/*")
def upper_factor_is_not_conjugated(right: Any, x: Any, /, *, upper: bool = False) -> Any:
    return right(x).mT if upper else right(x)


@fault("linalg.eigvalsh", "linalg/linalg.eigvalsh/hermitian_eigenvalues/*")
def eigenvalues_fall(right: Any, x: Any, /) -> Any:
    return xp.flip(right(x), axis=-1)


@fault("linalg.svd", "linalg/linalg.svd/svd/*")
def svd_gives_v_and_not_its_adjoint(right: Any, x: Any, /, **keywords: Any) -> Any:
    u, s, vh = found = right(x, **keywords)
    return type(found)(u, s, xp.conj(vh.mT) if xp.isdtype(x.dtype, "complex floating") else vh.mT)


@fault("linalg.vector_norm", "linalg/linalg.vector_norm/*")
def every_norm_is_euclidean(right: Any, x: Any, /, *, ord: Any = 2, **keywords: Any) -> Any:
    return right(x, **keywords)


@fault("fft.fft", "fft/fft.fft/every_length/*")
def fft_is_never_normed(right: Any, x: Any, /, *, norm: str = "backward", **keywords: Any) -> Any:
    return right(x, **keywords)


@fault("fft.irfft", "fft/fft.irfft/trimmed_and_padded/*")
def odd_irfft_is_even(right: Any, x: Any, /, *, n: Any = None, **keywords: Any) -> Any:
    return right(x, n=n + n % 2 if n else n, **keywords)


@fault("fft.fftfreq", "fft/fft.fftfreq/frequencies/*")
def odd_fftfreq_has_its_middle_below_zero(right: Any, n: int, /, *, d: float = 1.0,
                                          **keywords: Any) -> Any:  # fmt: skip
    found = right(n, d=d, **keywords)
    if n % 2 and n > 1:
        found[n // 2] = -found[n // 2]
    return found


# --- arrays ---------------------------------------------------------------------------------------


@fault("Array.__iadd__", "mutation/__iadd__/in_place_keeps_the_array*", seen="recorded")
def in_place_addition_is_not_in_place(right: Any, x: Any, other: Any, /) -> Any:
    return x + other


@fault("Array.__isub__", "mutation/__isub__/in_place*", "elementwise/__isub__/*")
def in_place_subtraction_is_reversed(right: Any, x: Any, other: Any, /) -> Any:
    x[...] = other - x
    return x


@fault("Array.__getitem__", "indexing/__getitem__/every_slice/*", "indexing/__getitem__/basic/*")
def negative_step_does_not_turn(right: Any, x: Any, key: Any, /) -> Any:
    turned = isinstance(key, slice) and key == slice(None, None, -1)
    return right(x, slice(None) if turned else key)


@fault("Array.__setitem__", "mutation/__setitem__/overlapping_parts/*", "indexing/__setitem__/*")
def first_line_is_assigned_to_all(right: Any, x: Any, key: Any, value: Any, /) -> None:
    right(x, key, value[:1] if getattr(value, "ndim", 0) else value)


@fault("Array.__int__", "errors/__int__/*")
def int_of_anything_is_zero(right: Any, x: Any, /) -> int:
    return 0


# --- of another library ---------------------------------------------------------------------------

strict_fault = partial(fault, base=array_api_strict)


@strict_fault("minimum", "elementwise/minimum/values/*")
def minimum_is_maximum(right: Any, x1: Any, x2: Any, /) -> Any:
    return array_api_strict.maximum(x1, x2)


@strict_fault("flip", "manipulation/flip/*")
def flip_leaves_the_last_axis(right: Any, x: Any, /, *, axis: Any = None) -> Any:
    return right(x, axis=tuple(range(x.ndim - 1)) if axis is None else axis)


@strict_fault("ones", "defaults/ones")
def ones_are_complex(right: Any, shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return right(shape, dtype=dtype or array_api_strict.complex128, device=device)
