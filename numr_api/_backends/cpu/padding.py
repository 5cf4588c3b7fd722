"""Padding of arrays, axis by axis, so that corners are copies of copies; and its adjoint."""

from __future__ import annotations

from typing import Any

import numpy as np

from numr_api._backends.borders import copies

AnyArray = Any
Widths = tuple[tuple[int, int], ...]

__all__ = ["ROUTINES"]


def pad(x: AnyArray, *, widths: Widths, mode: str, value: Any) -> AnyArray:
    shape = tuple(n + before + after for n, (before, after) in zip(x.shape, widths, strict=True))
    found = np.empty(shape, x.dtype)
    # What is filled: along the axes that are done all, along the others what x has.
    filled = [slice(b, b + n) for n, (b, _) in zip(x.shape, widths, strict=True)]
    found[tuple(filled)] = x
    for axis in range(x.ndim):
        if widths[axis] == (0, 0):
            continue
        rows = np.moveaxis(found[(*filled[:axis], slice(None), *filled[axis + 1 :])], axis, 0)
        if mode == "constant":
            rows[: widths[axis][0]] = value
            rows[len(rows) - widths[axis][1] :] = value
        else:
            for target, source in copies(mode, x.shape[axis], *widths[axis]):
                rows[target] = rows[source]
        filled[axis] = slice(None)
    return found


def pad_backward(grad: AnyArray, *, widths: Widths, mode: str, shape: tuple[int, ...]) -> AnyArray:
    found = grad.astype(np.promote_types(grad.dtype, np.float32))
    for axis, (before, after) in enumerate(widths):
        rows = np.moveaxis(found, axis, 0)
        for target, source in copies(mode, shape[axis], before, after):
            parts = rows[target]
            if mode == "edge":
                parts = np.add.reduce(parts, axis=0, keepdims=True)
            rows[source] += parts
        found = np.moveaxis(rows[before : before + shape[axis]], 0, axis)
    return found.astype(grad.dtype)


ROUTINES = {"pad": pad, "pad_backward": pad_backward}
