"""Compress images with a codebook: SciPy's k-means and vector quantisation on numr_api arrays.

scikit-learn's handwritten digits are cut into tiles of 4 x 4 pixels. A codebook of 32 tiles is
learnt, and each tile of an image is replaced by the number of the nearest tile of the codebook:
5 bits instead of 16 pixels.
"""

from __future__ import annotations

import os
from typing import Any

os.environ["SCIPY_ARRAY_API"] = "1"  # before SciPy is imported, else it converts to NumPy arrays

import numpy as np
from scipy.cluster.vq import kmeans, vq, whiten
from sklearn.datasets import load_digits

import numr_api

SIDE = 4  # pixels of a tile
CODES = 32


def tiles(images: Any) -> Any:
    """The tiles of all images, one a row.

    Arguments:
        images: array of shape (count, height, width), both of them multiples of 4.

    Returns:
        Array of shape (count * height * width / 16, 16).
    """
    xp = images.__array_namespace__()
    count, height, width = images.shape
    cut = xp.reshape(images, (count, height // SIDE, SIDE, width // SIDE, SIDE))
    return xp.reshape(xp.permute_dims(cut, (0, 1, 3, 2, 4)), (-1, SIDE * SIDE))


def compress(images: Any) -> tuple[Any, Any]:
    """The numbers of the tiles in a codebook learnt from them, and the error of each tile.

    Returns:
        Integer array of the codes and floating-point array of the Euclidean distances between the
        tiles and the codes' tiles, in standard deviations; both have an element for each tile.
    """
    features = whiten(tiles(images))
    step = features.shape[0] // CODES
    codebook, _ = kmeans(features, features[: step * CODES : step, :])  # a first guess, not random
    return vq(features, codebook)


def main() -> None:
    """Compress on numr_api arrays, print how well, and whether NumPy arrays give the same."""
    images = load_digits().images
    expected_codes, expected_errors = compress(images)
    codes, errors = compress(numr_api.asarray(images))
    print(f"{images.shape[0]} images, {codes.shape[0]} tiles, {errors.dtype} on {errors.device}")
    # Whitened pixels have a variance of 1, so that a tile's distance from the mean has 16.
    lost = float(numr_api.mean(errors**2)) / SIDE**2
    print(f"codes in use: {numr_api.unique_values(codes).shape[0]}, variance kept: {1 - lost:.1%}")
    different = np.sum(np.asarray(codes) != expected_codes)
    largest = np.max(np.abs(np.asarray(errors) - expected_errors))
    print(f"codes that differ from NumPy's: {different}, errors differ by at most {largest:.1e}")


if __name__ == "__main__":
    main()
