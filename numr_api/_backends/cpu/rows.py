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
from numr_api._backends.cpu.fused import compiled_loop, composed

if TYPE_CHECKING:
    from numr_api._backends import Axes

AnyArray = Any

BLOCK = 16384  # elements, at least a row
NANOSECONDS = 4  # for an element, about

__all__ = ["ROUTINES"]

Formula = Callable[..., AnyArray]


def by_rows(
    name: str,
    formula: Formula,
    arrays: list[AnyArray],
    out: AnyArray,
    options: tuple[float, ...] = (),
    wide: Any = None,
) -> None:
    """Write a function of rows, which lie along the last axis, to ``out``, block by block.

    Arguments:
        name: of what is compiled, where that can be.
        formula: what computes it otherwise.
        arrays: of one shape.
        out: with as many axes, of which the last may have another length.
        options: what the function takes after the arrays.
        wide: the dtype that the formula needs; by default float32 for what is narrower.
    """
    *outer, length = arrays[0].shape
    count = math.prod(outer)
    if not count or not out.size:
        return
    usual = np.promote_types(arrays[0].dtype, np.float32)
    loop = jit.find_loop(name) if usual == np.float32 else None
    compute = composed(formula) if loop is None else compiled_loop(loop)
    wide = usual if loop is not None or wide is None else wide
    require: Any = np.require
    sources = [require(x, requirements="CA").reshape(count, length) for x in arrays]
    is_whole = out.flags.c_contiguous
    target = (out if is_whole else np.empty(out.shape, out.dtype)).reshape(count, -1)
    is_direct = loop is not None and arrays[0].dtype == wide  # without temporaries
    step = count if is_direct else max(1, BLOCK // max(length, 1))

    def task(start: int, stop: int) -> None:
        for low in range(start, stop, step):
            part = slice(low, min(low + step, stop))
            blocks = [x[part].astype(wide, copy=False) for x in sources]
            compute(blocks, options, [target[part]])

    threads.share(task, count, NANOSECONDS * count * length)
    if not is_whole:
        out[...] = target.reshape(out.shape)


def along(
    name: str,
    formula: Formula,
    axis: int,
    *arrays: AnyArray,
    options: tuple[float, ...] = (),
    wide: Any = None,
) -> AnyArray:
    """A function of rows along an axis, of arrays of one shape, in a new array of that shape."""
    out = np.empty(arrays[0].shape, arrays[0].dtype)
    rows = [np.moveaxis(x, axis, -1) for x in arrays]
    by_rows(name, formula, rows, np.moveaxis(out, axis, -1), options, wide)
    return out


# Formulas of an array of rows, which they must not write to


def _exponentials(x: AnyArray, most: AnyArray) -> tuple[AnyArray, AnyArray]:
    """``exp(x - most)``, and the sum of each row."""
    powers = x - most
    exp(powers, out=powers)
    return powers, np.add.reduce(powers, axis=-1, keepdims=True)


def _softmax(x: AnyArray) -> AnyArray:
    most = x.max(axis=-1, keepdims=True)
    most[most == -math.inf] = 0
    powers, total = _exponentials(x, most)
    total[total == 0] = 1
    powers /= total
    return powers


def _log_softmax(x: AnyArray) -> AnyArray:
    most = x.max(axis=-1, keepdims=True)
    most[most == -math.inf] = 0
    _, total = _exponentials(x, most)
    found = x - most
    found -= np.log(total)
    found[x == -math.inf] = -math.inf  # also where nothing else is in a row
    found[np.isnan(total[..., 0])] = math.nan
    return found


def _logsumexp(x: AnyArray) -> AnyArray:
    most = x.max(axis=-1, keepdims=True)
    most[~np.isfinite(most)] = 0
    _, total = _exponentials(x, most)
    return most + np.log(total)


def _softmax_backward(grad: AnyArray, output: AnyArray) -> AnyArray:
    found = grad * output
    return output * (grad - np.add.reduce(found, axis=-1, keepdims=True))


def _normalized(x: AnyArray, eps: float) -> AnyArray:
    """In float64, where squares of float32 do not overflow."""
    norm = np.sqrt(np.add.reduce(np.square(x), axis=-1, keepdims=True))
    norm = np.maximum(norm, eps)
    norm[norm == 0] = 1
    return x / norm


def _normalized_by_scale(x: AnyArray, eps: float) -> AnyArray:
    """Of float64: rows are divided by a power of two first, about their largest number."""
    _, exponent = np.frexp(abs(x).max(axis=-1, keepdims=True, initial=0))
    scale = np.ldexp(1.0, -np.maximum(exponent, -1000))
    x = x * scale
    norm = np.sqrt(np.add.reduce(x * x, axis=-1, keepdims=True))
    norm = np.maximum(norm, eps * scale)
    norm[norm == 0] = 1
    return x / norm


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
        by_rows("logsumexp", _logsumexp, [rows], found[:, None])
    if keepdims:
        shape = tuple(1 if axis in axes else n for axis, n in enumerate(x.shape))
    return found.reshape(shape)


def l2_normalize(x: AnyArray, *, axis: int, eps: float) -> AnyArray:
    formula = _normalized_by_scale if x.dtype == np.float64 else _normalized
    return along("l2_normalize", formula, axis, x, options=(eps,), wide=np.float64)


ROUTINES = {
    "l2_normalize": l2_normalize,
    "log_softmax": log_softmax,
    "logsumexp": logsumexp,
    "softmax": softmax,
    "softmax_backward": softmax_backward,
}
