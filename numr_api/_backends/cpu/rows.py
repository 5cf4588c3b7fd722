"""Functions of whole rows: softmax and its family, and normalization to length 1.

Rows are put together block by block, contiguous, so that a row is added in the same order whatever
stands beside it. float16 and bfloat16 are computed in float32 and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from numr_api._backends.cpu import jit, threads
from numr_api._backends.cpu.activations import exp
from numr_api._backends.cpu.fused import written

if TYPE_CHECKING:
    from numr_api._backends import Axes

AnyArray = Any

BLOCK = 65536  # elements, at least a row
NANOSECONDS = 4  # for an element, about

__all__ = ["ROUTINES"]

Formula = Callable[..., AnyArray]


def by_rows(
    name: str,
    formula: Formula,
    arrays: list[AnyArray],
    out: AnyArray,
    options: tuple[float, ...] = (),
    spare: Any = None,
) -> None:
    """Write a function of rows, which lie along the last axis, to ``out``, block by block.

    Arguments:
        name: of what is compiled, where that can be.
        formula: what computes it otherwise; of blocks in float32 at least.
        arrays: of one shape.
        out: with as many axes, of which the last may have another length.
        options: what the function takes after the arrays, and before what it writes to.
        spare: the dtype of a block that the formula is given to write to, after the options. Blocks
            that are made anew each time are given back to the system, and their pages made anew.
    """
    *outer, length = arrays[0].shape
    count = math.prod(outer)
    if not count or not out.size:
        return
    usual = np.promote_types(arrays[0].dtype, np.float32)
    loop = jit.find_loop(name) if usual == np.float32 else None
    compute = written(formula if loop is None else loop, usual)
    require: Any = np.require
    sources = [require(x, requirements="CA").reshape(count, length) for x in arrays]
    is_whole = out.flags.c_contiguous
    target = (out if is_whole else np.empty(out.shape, out.dtype)).reshape(count, -1)
    is_direct = loop is not None and arrays[0].dtype == usual  # without temporaries
    step = count if is_direct else max(1, BLOCK // max(length, 1))

    def task(start: int, stop: int) -> None:
        memory: Any = None
        if loop is None and spare is not None:
            memory = np.empty((min(step, stop - start), length), spare)
        for low in range(start, stop, step):
            part = slice(low, min(low + step, stop))
            blocks = [x[part].astype(usual, copy=False) for x in sources]
            given = options if memory is None else (*options, memory[: len(blocks[0])])
            compute(blocks, given, [target[part]])

    threads.share(task, count, NANOSECONDS * count * length)
    if not is_whole:
        out[...] = target.reshape(out.shape)


def along(
    name: str,
    formula: Formula,
    axis: int,
    *arrays: AnyArray,
    options: tuple[float, ...] = (),
    spare: Any = None,
) -> AnyArray:
    """A function of rows along an axis, of arrays of one shape, in a new array of that shape."""
    out = np.empty(arrays[0].shape, arrays[0].dtype)
    rows = [np.moveaxis(x, axis, -1) for x in arrays]
    by_rows(name, formula, rows, np.moveaxis(out, axis, -1), options, spare)
    return out


# Formulas of an array of rows, and what they write to


def _largest(x: AnyArray) -> AnyArray:
    """What is subtracted of each row before powers are taken."""
    most = x.max(axis=-1, keepdims=True)
    most[most == -math.inf] = 0
    return most


def _total(terms: AnyArray) -> AnyArray:
    return np.add.reduce(terms, axis=-1, keepdims=True)


def _total_of_exponentials(x: AnyArray, most: AnyArray, out: AnyArray) -> AnyArray:
    """The sum of each row of ``exp(x - most)``, which is left in ``out``."""
    np.subtract(x, most, out=out)
    return _total(exp(out, out=out))


def _softmax(x: AnyArray, out: AnyArray) -> None:
    total = _total_of_exponentials(x, _largest(x), out)
    total[total == 0] = 1
    out /= total


def _log_softmax(x: AnyArray, out: AnyArray) -> None:
    most = _largest(x)
    total = _total_of_exponentials(x, most, out)
    np.subtract(x, most, out=out)
    out -= np.log(total)
    is_zero = total == 0  # of rows that are -infinity all through, so are the results
    if is_zero.any():
        out[is_zero[..., 0]] = -math.inf
    is_unknown = np.isnan(total)
    if is_unknown.any():
        out[is_unknown[..., 0]] = math.nan


def _logsumexp(x: AnyArray, spare: AnyArray, out: AnyArray) -> None:
    most = x.max(axis=-1, keepdims=True)
    most[~np.isfinite(most)] = 0
    np.add(most, np.log(_total_of_exponentials(x, most, spare)), out=out)


def _softmax_backward(grad: AnyArray, output: AnyArray, out: AnyArray) -> None:
    total = _total(np.multiply(grad, output, out=out))
    np.subtract(grad, total, out=out)
    out *= output


def _normalized(x: AnyArray, eps: float, wide: AnyArray, out: AnyArray) -> None:
    """Of float32, in float64, where squares do not overflow."""
    wide[...] = x
    norm = np.maximum(np.sqrt(np.einsum("ij,ij->i", wide, wide)), eps)
    norm[norm == 0] = 1
    wide *= (1 / norm)[:, None]
    out[...] = wide


def _normalized_by_scale(x: AnyArray, eps: float, _: AnyArray, out: AnyArray) -> None:
    """Of float64: rows are divided by a power of two first, about their largest number."""
    _, exponent = np.frexp(abs(x).max(axis=-1, keepdims=True, initial=0))
    scale = np.ldexp(1.0, -np.maximum(exponent, -1000))
    x = x * scale
    norm = np.maximum(np.sqrt(_total(x * x)), eps * scale)
    norm[norm == 0] = 1
    np.divide(x, norm, out=out)


# Routines


def softmax(x: AnyArray, *, axis: int) -> AnyArray:
    return along("softmax", _softmax, axis, x)


def log_softmax(x: AnyArray, *, axis: int) -> AnyArray:
    return along("log_softmax", _log_softmax, axis, x)


def softmax_backward(grad: AnyArray, output: AnyArray, *, axis: int) -> AnyArray:
    return along("softmax_backward", _softmax_backward, axis, grad, output)


def logsumexp(x: AnyArray, *, axes: Axes, keepdims: bool) -> AnyArray:
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    shape = tuple(x.shape[axis] for axis in kept)
    length = math.prod(x.shape[axis] for axis in axes)
    found = np.full(math.prod(shape), -math.inf, x.dtype)  # the sum of nothing is 0
    if length:
        rows = x.transpose(*kept, *axes).reshape(-1, length)
        spare = np.promote_types(x.dtype, np.float32)
        by_rows("logsumexp", _logsumexp, [rows], found[:, None], spare=spare)
    if keepdims:
        shape = tuple(1 if axis in axes else n for axis, n in enumerate(x.shape))
    return found.reshape(shape)


def l2_normalize(x: AnyArray, *, axis: int, eps: float) -> AnyArray:
    formula = _normalized_by_scale if x.dtype == np.float64 else _normalized
    return along("l2_normalize", formula, axis, x, options=(eps,), spare=np.float64)


ROUTINES = {
    "l2_normalize": l2_normalize,
    "log_softmax": log_softmax,
    "logsumexp": logsumexp,
    "softmax": softmax,
    "softmax_backward": softmax_backward,
}
