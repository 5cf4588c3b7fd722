"""Store vectors in 8 bits each number, after a rotation that spreads outliers over all of them.

One large number makes the steps of a quantised vector coarse for all others. A Walsh-Hadamard
transform after random changes of sign is a rotation, costs n log n additions, and leaves no number
much larger than the others; turning back afterwards loses nothing. The vectors are rows of
scikit-learn's table of breast cancer data, whose columns differ in size by a factor of thousands.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

import numr_api as xp
from numr_api.extensions import fwht, l2_normalize, pad


def quantised(x: Any) -> Any:
    """x after rounding to 255 steps, from minus to plus the largest number of each row."""
    step = xp.max(xp.abs(x), axis=1, keepdims=True) / 127
    return xp.round(x / step) * step


def main() -> None:
    """Print how far rows are from what was stored of them, with and without the rotation."""
    table = xp.asarray(load_breast_cancer().data, dtype=xp.float32)
    rows = l2_normalize(pad(table, ((0, 0), (0, 2))))  # 30 columns and 2 of zeros
    print(f"{rows.shape[0]} rows of {rows.shape[1]} numbers, {rows.dtype} on {rows.device}")
    signs = xp.asarray(np.random.default_rng(0).choice([-1, 1], 32), dtype=xp.float32)
    rotated = fwht(rows, signs=signs)
    largest = [float(xp.mean(xp.max(xp.abs(x), axis=1))) for x in (rows, rotated)]
    print(f"largest number of a row: {largest[0]:.3f}, after the rotation {largest[1]:.3f}")
    back = fwht(quantised(rotated)) * signs
    errors = [
        float(xp.mean(xp.linalg.vector_norm(x - rows, axis=1))) for x in (quantised(rows), back)
    ]
    print(f"error of a row: {errors[0]:.5f}, with the rotation {errors[1]:.5f}")


if __name__ == "__main__":
    main()
