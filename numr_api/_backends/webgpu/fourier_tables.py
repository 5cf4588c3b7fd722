"""Roots of unity that kernels of Fourier transforms look up, each rounded once.

The sine and cosine of WGSL are off by thousands of units in the last place on some devices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Complex = npt.NDArray[np.complex128]

__all__ = ["chirp", "chirp_transform", "pass_roots", "roots", "stage_roots"]


def roots(turns: Integers, count: int) -> Complex:
    """exp(-2 pi i turns / count) of integers, to a unit in the last place of float64.

    Sine and cosine are of at most an eighth of a turn; all before is exact.
    """
    angle, upper = _folded(turns % count * 8, 4 * count)
    angle, left = _folded(angle, 2 * count)
    angle, steep = _folded(angle, count)
    radians: Any = angle * (np.pi / 4) / count
    x, y = np.cos(radians), np.sin(radians)
    found = np.empty(np.shape(turns), np.complex128)
    found.real = np.where(steep, y, x) * np.where(left, -1, 1)
    found.imag = np.where(steep, x, y) * np.where(upper, 1, -1)
    return found


def _folded(angle: Any, middle: int) -> tuple[Any, Any]:
    """Angles reflected at one where they are beyond it, and where they were."""
    beyond: Any = angle > middle
    return angle + 2 * (middle - angle) * beyond, beyond


def stage_roots(radices: Sequence[int]) -> Complex:
    """The factors of each stage but the first.

    Those of input 1 of all butterflies that differ come first, then those of input 2, and so on.
    """
    parts: list[Complex] = [np.empty(0, np.complex128)]
    span = radices[0]
    for radix in radices[1:]:
        turns = np.arange(1, radix)[:, None] * np.arange(span)
        parts.append(roots(turns, span * radix).ravel())
        span *= radix
    return np.concatenate(parts)


def pass_roots(n: int, period: int, part: int) -> tuple[Complex, Complex]:
    """The factors between two passes: output e of transform q has exp(-2 pi i e q / (n period)).

    They are products of two, for e % part and for e / part.
    """
    shifts = np.arange(period)
    low = roots(np.arange(part)[:, None] * shifts, n * period)
    high = roots(np.arange(-(-n // part))[:, None] * part * shifts, n * period)
    return low.ravel(), high.ravel()


def chirp(count: int) -> Complex:
    """exp(-pi i j^2 / count)."""
    j = np.arange(count, dtype=np.int64)
    return roots(j * j % (2 * count), 2 * count)


def chirp_transform(count: int, length: int) -> Complex:
    """The transform of the conjugate chirp, which reaches to both sides of 0, over its length."""
    wrapped = np.zeros(length, np.complex128)
    wrapped[:count] = chirp(count).conj()
    wrapped[length - count + 1 :] = wrapped[1:count][::-1]
    return np.fft.fft(wrapped) / length
