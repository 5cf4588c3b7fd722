"""Smooth a recording, and see what becomes of its ends: how an array is continued matters there.

A moving average needs samples beyond both ends. The recording is a tone of SciPy's tests, of which
every 40th of a second is smoothed alone and compared with the same part of the whole, smoothed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
from scipy.io import wavfile

import numr_api as xp
from numr_api.extensions import PadMode, pad

TONE = Path(scipy.io.__file__).parent / "tests" / "data" / "test-44100Hz-le-1ch-4bytes.wav"
REACH = 12  # samples on each side
PARTS = 40


def smoothed(x: Any, mode: PadMode) -> Any:
    """The mean of each sample and its neighbours in a row."""
    widths = ((0, 0), (REACH, REACH))
    sums = xp.cumulative_sum(pad(x, widths, mode=mode), axis=1, include_initial=True)
    width = 2 * REACH + 1
    return (sums[:, width:] - sums[:, :-width]) / width


def main() -> None:
    """Print the largest error at the ends of parts, for each way of continuing them."""
    rate, samples = wavfile.read(TONE)
    whole = xp.asarray(samples[None, :] / np.abs(samples).max())
    length = whole.shape[1] // PARTS
    print(f"{PARTS} parts of {length} samples, {rate} samples a second")
    parts = xp.reshape(whole[:, : PARTS * length], (PARTS, length))
    expected = xp.reshape(smoothed(whole, PadMode.EDGE)[:, : PARTS * length], (PARTS, length))
    for mode in PadMode:
        errors = xp.abs(smoothed(parts, mode) - expected)[1:-1, :]
        ends = (xp.mean(errors[:, :REACH]) + xp.mean(errors[:, -REACH:])) / 2
        inside = xp.max(errors[:, REACH:-REACH])
        print(f"{mode.value}: mean error {float(ends):.3f} at the ends, {float(inside):.0e} inside")


if __name__ == "__main__":
    main()
