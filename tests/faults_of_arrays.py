"""Faults in functions on whole arrays, and in the arrays themselves."""

from __future__ import annotations

import math
from collections import namedtuple
from functools import partial
from itertools import count
from typing import Any

import array_api_strict
import numpy as np
from faulty import fault, host, lines_up

import numr_api as xp

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


@fault("sum", "reductions/sum/accumulation_error/*[[]float32]", seen="measured")
def float32_is_summed_one_by_one(right: Any, x: Any, /, **keywords: Any) -> Any:
    if x.dtype != xp.float32 or keywords or x.ndim != 1 or x.size == 0:
        return right(x, **keywords)
    return xp.asarray(np.add.accumulate(host(x))[-1])


@fault("sum", "reductions/sum/accumulation_error/*")
def float64_is_summed_as_float32(right: Any, x: Any, /, **keywords: Any) -> Any:
    if x.dtype != xp.float64 or "dtype" in keywords:
        return right(x, **keywords)
    return xp.astype(right(xp.astype(x, xp.float32), **keywords), xp.float64)


@fault("sum", "determinism/sum/repeated")
def sum_differs_each_time(right: Any, x: Any, /, calls: Any = count(), **keywords: Any) -> Any:  # noqa: B008
    found = right(x, **keywords)
    return found * (1 + next(calls) * 1e-6) if xp.isdtype(found.dtype, "real floating") else found


@fault("sum", "determinism/sum/row_of_reduction/*", seen="recorded")
def sum_of_a_row_depends_on_the_batch(right: Any, x: Any, /, **keywords: Any) -> Any:
    found = right(x, **keywords)
    alone = x.ndim != 2 or x.shape[0] < 2 or not xp.isdtype(x.dtype, "real floating")
    return found if alone else found * (1 + 2 * xp.finfo(x.dtype).eps)


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
def eigenvalues_have_no_sign(right: Any, x: Any, /) -> Any:
    return abs(right(x))


@fault("linalg.svd", "linalg/linalg.svd/svd/*")
def svd_gives_v_and_not_its_adjoint(right: Any, x: Any, /, **keywords: Any) -> Any:
    u, s, vh = found = right(x, **keywords)
    return type(found)(u, s, xp.conj(vh.mT) if xp.isdtype(x.dtype, "complex floating") else vh.mT)


@fault("linalg.vector_norm", "linalg/linalg.vector_norm/*")
def every_norm_is_euclidean(right: Any, x: Any, /, *, ord: Any = 2, **keywords: Any) -> Any:
    return right(x, **keywords)


@fault("linalg.matrix_rank", "linalg/linalg.matrix_rank/relative_tolerance/*")
def rank_has_no_tolerance(right: Any, x: Any, /, *, rtol: Any = None) -> Any:
    return right(x)


@fault("linalg.pinv", "linalg/linalg.pinv/relative_tolerance/*")
def pinv_has_no_tolerance(right: Any, x: Any, /, *, rtol: Any = None) -> Any:
    return right(x)


@fault("linalg.trace", "linalg/linalg.trace/trace_in_a_dtype/*")
def trace_has_no_dtype(right: Any, x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    return right(x, offset=offset)


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
