"""Compress images patch by patch, with einops on numr_api arrays.

The images are scikit-learn's handwritten digits. Each is cut into patches of 4 by 4 pixels, and a
patch is stored as a few numbers: how much it has of each of the patterns that most patches are
made of. The same function is run on NumPy arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from einops import einsum, rearrange, reduce
from sklearn.datasets import load_digits

import numr_api
import numr_api.extensions.einops  # makes numr_api's arrays known to einops

SIDE = 4  # pixels


def compress(images: Any, side: int, count: int) -> Any:
    """Images as they are after their patches were stored as a few numbers each.

    Arguments:
        images: real floating-point array of shape (count, height, width).
        side: height and width of a patch, in pixels.
        count: how many numbers are stored of a patch.

    Returns:
        Array like ``images``.
    """
    xp = images.__array_namespace__()
    patches = rearrange(
        images, "image (row y) (column x) -> (image row column) (y x)", y=side, x=side
    )
    mean = reduce(patches, "patch pixel -> 1 pixel", "mean")
    patches = patches - mean
    patterns = xp.linalg.svd(patches, full_matrices=False).Vh[:count, :]
    stored = einsum(patches, patterns, "patch pixel, pattern pixel -> patch pattern")
    patches = einsum(stored, patterns, "patch pattern, pattern pixel -> patch pixel") + mean
    return rearrange(
        patches,
        "(image row column) (y x) -> image (row y) (column x)",
        row=images.shape[1] // side,
        column=images.shape[2] // side,
        y=side,
    )


def main() -> None:
    """Print what each number of a patch is worth, and how far the results are from NumPy's."""
    expected = load_digits().images
    images = numr_api.asarray(expected)
    print(f"{expected.shape[0]} images, {images.dtype} on {images.device}")
    differences = []
    for count in (2, 4, 8):
        found = compress(images, SIDE, count)
        spread = numr_api.std(images - numr_api.mean(images, axis=0))
        error = float(numr_api.std(found - images) / spread)
        print(f"{count} of {SIDE * SIDE} numbers a patch: {1 - error**2:.1%} of the variance")
        differences.append(np.max(np.abs(np.asarray(found) - compress(expected, SIDE, count))))
    print(f"largest difference from NumPy's result: {max(differences):.1e}")


if __name__ == "__main__":
    main()
