"""Cluster points with the array API standard alone: one function for the arrays of any library.

``kmeans`` imports no array library; it takes the namespace from its argument. It is run on
scikit-learn's handwritten digits with NumPy, array-api-strict and numr_api, the latter on any of
its devices.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sklearn.datasets import load_digits

NAMESPACES = ("numpy", "array_api_strict", "numr_api")


def kmeans(points: Any, k: int, *, iterations: int = 100, first: int = 0) -> tuple[Any, Any]:
    """Group points around k centres, each of which is the mean of the points nearest to it.

    Arguments:
        points: real floating-point array of shape (count, features), of any namespace.
        k: number of centres, at most the number of distinct points.
        iterations: how often the centres are moved at most; it ends as soon as none moves.
        first: the point where the first centre starts. Each further one starts at the point that
            is farthest from those before it.

    Returns:
        The centres, of shape (k, features), and the number of each point's centre.
    """
    xp = points.__array_namespace__()
    centres = points[first : first + 1, :]
    for _ in range(k - 1):
        farthest = int(xp.argmax(xp.min(squared_distances(points, centres), axis=1)))
        centres = xp.concat((centres, points[farthest : farthest + 1, :]))
    labels = nearest(points, centres)
    for _ in range(iterations):
        members = xp.astype(one_hot(labels, k), points.dtype)
        sizes = xp.sum(members, axis=0)[:, None]
        means = xp.matrix_transpose(members) @ points / xp.maximum(sizes, 1)
        centres = xp.where(sizes > 0, means, centres)  # a centre without points stays
        previous, labels = labels, nearest(points, centres)
        if xp.all(labels == previous):
            break
    return centres, labels


def squared_distances(points: Any, centres: Any) -> Any:
    """Between each point, a row, and each centre, a column."""
    xp = points.__array_namespace__()
    return xp.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=-1)


def nearest(points: Any, centres: Any) -> Any:
    """The number of the centre that is nearest to each point."""
    xp = points.__array_namespace__()
    return xp.argmin(squared_distances(points, centres), axis=1)


def one_hot(labels: Any, k: int) -> Any:
    """Whether each point, a row, has each of k labels, a column."""
    xp = labels.__array_namespace__()
    numbers = xp.arange(k, dtype=labels.dtype, device=labels.device)
    return labels[:, None] == numbers[None, :]


def purity(labels: Any, classes: Any, k: int) -> float:
    """The part of the points that are of the most frequent class in their cluster."""
    xp = labels.__array_namespace__()
    together = one_hot(labels, k)[:, :, None] & one_hot(classes, k)[:, None, :]
    frequencies = xp.count_nonzero(together, axis=0)
    return int(xp.sum(xp.max(frequencies, axis=1))) / labels.shape[0]


def cluster_digits(namespace: str, device: str | None = None) -> tuple[list[int], float]:
    """The labels of the handwritten digits in ten clusters, and the clusters' purity.

    The images have the device's default type for real numbers.
    """
    xp = import_module(namespace)
    dtype = xp.__array_namespace_info__().default_dtypes(device=device)["real floating"]
    images, digits = load_digits(return_X_y=True)
    images = xp.asarray(images, dtype=dtype, device=device)
    digits = xp.asarray(digits, device=device)
    _, labels = kmeans(images, 10)
    return [int(labels[i]) for i in range(labels.shape[0])], purity(labels, digits, 10)


def main() -> None:
    """Cluster the digits with each namespace, print the purity, and whether the labels agree."""
    parser = argparse.ArgumentParser(
        description="Cluster scikit-learn's handwritten digits with one k-means for every array "
        "library."
    )
    parser.add_argument(
        "namespaces",
        nargs="*",
        default=[name for name in NAMESPACES if find_spec(name)],
        help=f"modules to run it with (default: those of {', '.join(NAMESPACES)} that are here)",
    )
    parser.add_argument(
        "--device", help="where numr_api's arrays live, such as cpu or webgpu:0 (default: cpu)"
    )
    options = parser.parse_args()
    results = {
        name: cluster_digits(name, options.device if name == "numr_api" else None)
        for name in options.namespaces
    }
    for name, (labels, share) in results.items():
        print(f"{name}: {len(labels)} images in {len(set(labels))} clusters, purity {share:.1%}")
    same = len({tuple(labels) for labels, _ in results.values()}) == 1
    print("all labels are equal" if same else "the labels differ")


if __name__ == "__main__":
    main()
