"""Find the pitch of a recorded tone by gradient descent through Snake, a periodic activation.

Of a tone ``s`` with the pitch f, ``(1 + s) / 2`` is ``sin(pi * f * t)**2`` if time counts from a
trough; so Snake of the time, with ``alpha = pi * f`` and ``beta = 1``, is the time plus that. Each
channel begins with another alpha, and follows the gradient of its squared error. The tone is one
that SciPy is tested with.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
from scipy.io import wavfile

import numr_api as xp
from numr_api.extensions import snake_beta, snake_beta_backward

TONE = Path(scipy.io.__file__).parent / "tests" / "data" / "test-44100Hz-le-1ch-4bytes.wav"
WINDOW = 0.01  # seconds, a few periods
STEPS = 60


def read_tone() -> tuple[int, Any]:
    """Samples a second, and samples from a trough on, scaled to reach from 0 to 1."""
    rate, samples = wavfile.read(TONE)
    samples = samples[np.argmin(samples[: rate // 100]) :].astype(np.float32)
    low, high = samples.min(), samples.max()
    return rate, xp.asarray((samples - low) / (high - low))


def find_pitch(samples: Any, rate: int, guesses: list[float]) -> Any:
    """The pitch that each guess, in hertz, comes to."""
    count = int(rate * WINDOW)
    time = xp.arange(count, dtype=xp.float32) / rate
    times = xp.broadcast_to(time, (1, len(guesses), count))
    target = times + samples[None, None, :count]
    alpha = xp.asarray(guesses, dtype=xp.float32) * math.pi
    beta = xp.ones_like(alpha)
    for _ in range(STEPS):
        error = snake_beta(times, alpha, beta) - target
        _, slope, _ = snake_beta_backward(error, times, alpha, beta)
        # Gauss and Newton's step: the mean square of the derivative is about t**2 / 2.
        alpha = alpha - slope / xp.sum(time**2 / 2)
    return alpha / math.pi


def main() -> None:
    """Print the pitch that guesses come to, and the pitch by a Fourier transform."""
    rate, samples = read_tone()
    print(f"{samples.shape[0]} samples, {rate} a second, {samples.dtype} on {samples.device}")
    spectrum = xp.abs(xp.fft.rfft(samples - xp.mean(samples), n=2**18))
    expected = float(xp.argmax(spectrum)) * rate / 2**18
    guesses = [expected * part for part in (0.95, 0.98, 1.02, 1.05)]
    found = find_pitch(samples, rate, guesses)
    for guess, pitch in zip(guesses, np.asarray(found), strict=True):
        print(f"from {guess:.1f} Hz: {pitch:.2f} Hz")
    print(f"by a Fourier transform: {expected:.2f} Hz")


if __name__ == "__main__":
    main()
