"""Follow a recording block by block without new memory: each step writes to arrays that exist.

A leaky integrator keeps the loudness of each frequency, ``level = 0.9 * level + 0.1 * power``. The
arrays are made once; each block of samples is written to one of them from the host.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.io
from scipy.io import wavfile

import numr_api as xp
from numr_api.extensions import add_into, copy_into, matmul_into, multiply_into, write_host

TONE = Path(scipy.io.__file__).parent / "tests" / "data" / "test-44100Hz-le-1ch-4bytes.wav"
BLOCK, BANDS = 441, 40  # samples, and frequencies 100 hertz apart


def main() -> None:
    """Print the loudest frequency, and that the array of levels is where it was."""
    rate, samples = wavfile.read(TONE)
    samples = (samples / np.abs(samples).max()).astype(np.float32)
    phase = 2 * np.pi / rate * 100 * np.outer(np.arange(BANDS), np.arange(BLOCK))
    waves = xp.asarray(np.concatenate([np.cos(phase), np.sin(phase)]), dtype=xp.float32)

    block = xp.empty(BLOCK, dtype=xp.float32)
    sums, squares = xp.empty(2 * BANDS, dtype=xp.float32), xp.empty(2 * BANDS, dtype=xp.float32)
    power, level, old = (xp.zeros(BANDS, dtype=xp.float32) for _ in range(3))
    address = np.from_dlpack(level).ctypes.data
    for start in range(0, len(samples) - BLOCK + 1, BLOCK):
        write_host(block, samples[start : start + BLOCK])
        matmul_into(sums, waves, block)
        multiply_into(squares, sums, sums)
        add_into(power, squares[:BANDS], squares[BANDS:])
        copy_into(old, level)
        multiply_into(level, old, 0.9)
        multiply_into(old, power, 0.1)
        level += old

    print(f"{len(samples)} samples in blocks of {BLOCK}, {level.dtype} on {level.device}")
    print(f"loudest: {100 * int(xp.argmax(level))} Hz")
    print(f"written in place: {np.from_dlpack(level).ctypes.data == address}")


if __name__ == "__main__":
    main()
