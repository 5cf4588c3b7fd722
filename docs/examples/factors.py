"""Factorise a stack of images as a sum of products, with opt_einsum on numr_api arrays.

The images are scikit-learn's handwritten digits. Their canonical decomposition has a few terms,
each the product of a pattern of rows, a pattern of columns and a strength for each image. One of
the three is improved after the other, by least squares, whose sums of products over several arrays
opt_einsum computes in the best order. The same function is run on NumPy arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from opt_einsum import contract, contract_expression
from sklearn.datasets import load_digits

import numr_api
import numr_api.extensions.opt_einsum  # makes numr_api's arrays known to opt_einsum

TERMS = 8
ROUNDS = 15


def factorise(images: Any, terms: int, rounds: int) -> list[Any]:
    """Strengths, rows and columns whose products, summed over the terms, are about the images.

    Arguments:
        images: real floating-point array of shape (count, height, width).
        terms: how many products are summed.
        rounds: how often each factor is improved.

    Returns:
        Arrays of shapes (count, terms), (height, terms) and (width, terms).
    """
    xp = images.__array_namespace__()
    # Cosines of different frequencies, a start that is the same with every library.
    numbers = xp.arange(terms, dtype=images.dtype) + 1
    factors = [
        xp.cos(xp.arange(length, dtype=images.dtype)[:, None] * numbers * (3.0 / length))
        for length in images.shape
    ]
    projections = [
        contract_expression(subscripts, images.shape, *shapes)
        for subscripts, *shapes in (
            ("nhw,ht,wt->nt", factors[1].shape, factors[2].shape),
            ("nhw,nt,wt->ht", factors[0].shape, factors[2].shape),
            ("nhw,nt,ht->wt", factors[0].shape, factors[1].shape),
        )
    ]
    for _ in range(rounds):
        for i, project in enumerate(projections):
            first, second = (factor for j, factor in enumerate(factors) if j != i)
            overlaps = contract("at,as,bt,bs->ts", first, first, second, second)
            factors[i] = xp.linalg.solve(overlaps, project(images, first, second).T).T
    return factors


def main() -> None:
    """Print what share of the images the terms explain, and how far it is from NumPy's."""
    expected = load_digits().images
    images = numr_api.asarray(expected)
    print(f"{expected.shape[0]} images, {images.dtype} on {images.device}")
    found = contract("nt,ht,wt->nhw", *factorise(images, TERMS, ROUNDS))
    share = 1 - float(numr_api.sum((images - found) ** 2) / numr_api.sum(images**2))
    print(f"{TERMS} products explain {share:.1%} of the images' squares")
    reference = contract("nt,ht,wt->nhw", *factorise(expected, TERMS, ROUNDS))
    difference = np.max(np.abs(np.asarray(found) - reference))
    print(f"largest difference from NumPy's result: {difference:.1e}")


if __name__ == "__main__":
    main()
