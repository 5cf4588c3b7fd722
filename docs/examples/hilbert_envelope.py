"""Filter a signal, follow its envelope and compare its sections, with SciPy on numr_api arrays.

The signal is a raster scan: scikit-learn's handwritten digits, line after line and image after
image, as a television camera would send them. The lines are 8 pixels long, so an upright stroke
comes back every 8 samples, and the envelope of the signal at that period shows how much of a digit
stands upright.
"""

from __future__ import annotations

import os
from typing import Any

os.environ["SCIPY_ARRAY_API"] = "1"  # before SciPy is imported, else it converts to NumPy arrays

import numpy as np
from scipy import signal, special, stats
from sklearn.datasets import load_digits

import numr_api

PERIOD = 8  # samples, the length of a line
SECTION = 64  # samples, an image


def envelope(samples: Any, period: float) -> Any:
    """Amplitude over time of the part of a signal that has about the given period.

    Arguments:
        samples: real floating-point array of one axis.
        period: in samples.

    Returns:
        Array like ``samples``.
    """
    xp = samples.__array_namespace__()
    length = int(4 * period) | 1  # odd, so that the filter delays nothing
    time = xp.astype(xp.arange(length) - length // 2, samples.dtype)
    window = xp.astype(signal.windows.hann(length, xp=xp), samples.dtype)
    taps = window * xp.cos(time * (2 * xp.pi / period))
    taps = taps / xp.sum(window)
    return xp.abs(signal.hilbert(signal.fftconvolve(samples, taps, mode="same")))


def loudness(samples: Any, section: int) -> Any:
    """A soft maximum of each section of a signal, in standard deviations from the mean section."""
    xp = samples.__array_namespace__()
    sections = xp.reshape(samples, (-1, section))
    return stats.zscore(special.logsumexp(sections, axis=1))


def uprightness(images: Any) -> Any:
    """How much stands upright in each image, in standard deviations from the mean image.

    Arguments:
        images: real floating-point array of shape (count, 64).

    Returns:
        Array of shape (count,).
    """
    xp = images.__array_namespace__()
    samples = stats.zscore(xp.reshape(images, (-1,)))
    return loudness(envelope(samples, PERIOD), SECTION)


def main() -> None:
    """Print the mean of each digit, and how far it is from what NumPy arrays give."""
    images, digits = load_digits(return_X_y=True)
    expected = uprightness(images)
    found = uprightness(numr_api.asarray(images))
    print(f"{images.size} samples, {found.dtype} on {found.device}: upright strokes by digit")
    values = np.asarray(found)
    means = {digit: values[digits == digit].mean() for digit in range(10)}
    for digit, mean in sorted(means.items(), key=lambda item: -item[1]):
        print(f"digit {digit}: {mean:+.2f} standard deviations")
    print(f"largest difference from NumPy's result: {np.max(np.abs(values - expected)):.1e}")


if __name__ == "__main__":
    main()
