"""Recognise digits by numbers of 32, 16 and 8 bits: what each costs in memory and in accuracy.

scikit-learn's handwritten digits are unit vectors of 64 pixels; a digit is what the known digit
with the largest inner product is. The known ones are kept in a dtype. In float16 and bfloat16 the
products are computed as well, summed up in float32 and rounded once. Floats of 8 bits are only
kept, and converted to float16 where they are used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import numr_api as xp
from numr_api.extensions import dtypes

DTYPES = [xp.float32, dtypes.float16, dtypes.bfloat16, dtypes.float8_e4m3fn, dtypes.float8_e5m2]
KNOWN = 1200


def unit(rows: Any) -> Any:
    return rows / xp.sqrt(xp.sum(rows * rows, axis=1, keepdims=True))


def recognise(known: Any, labels: Any, images: Any) -> Any:
    """The label of the known image that is most like each image.

    Arguments:
        known: shape (known, pixels), float16, bfloat16 or float32.
        labels: shape (known,).
        images: shape (images, pixels) and known's dtype.
    """
    return xp.take(labels, xp.argmax(images @ known.T, axis=1))


def main() -> None:
    """Print for each dtype the memory of the known digits, and how many others are recognised."""
    digits = load_digits()
    images = unit(xp.asarray(digits.data, dtype=xp.float32))
    labels = xp.asarray(digits.target)
    known, others = images[:KNOWN, :], images[KNOWN:, :]
    for dtype in DTYPES:
        kept = xp.astype(known, dtype)
        used = dtypes.float16 if dtype.itemsize == 1 else dtype
        found = recognise(xp.astype(kept, used), labels[:KNOWN], xp.astype(others, used))
        right = float(xp.mean(xp.astype(found == labels[KNOWN:], xp.float32)))
        memory = kept.size * dtype.itemsize / 1024
        print(f"{dtype}: {memory:.0f} KiB, recognised: {100 * right:.1f} %")
    # More pixels than float16 can count, or bfloat16 sum up.
    mean = float(xp.mean(xp.astype(known, dtypes.bfloat16)))
    exact = np.mean(np.asarray(known), dtype=np.float64)
    print(f"mean of {known.size} bfloat16: {mean:.4f}, of the float32 they were: {exact:.4f}")


if __name__ == "__main__":
    main()
