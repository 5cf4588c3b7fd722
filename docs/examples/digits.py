"""Handwritten digits, classified by scikit-learn on numr_api arrays and again on NumPy arrays.

The same code, ``classify``, runs twice, in the device's default type for real numbers; both runs
must reach the same accuracies, and the same projections and coefficients but for rounding.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from math import isclose
from typing import Any

os.environ["SCIPY_ARRAY_API"] = "1"  # scikit-learn asks for it; SciPy reads it when imported

import numpy as np
import sklearn
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import numr_api as xp
from numr_api.extensions.device import default_device

# The largest relative differences that count as rounding. The coefficients at which a loss is
# smallest are known to about the square root of what the loss is rounded by: in float32 those of
# NumPy itself are 7e-4 off its own in float64.
SINGLE = 1.4e-3
DOUBLE = 1e-10


@dataclass(frozen=True)
class Outcome:
    """What was learnt: accuracies by classifier, and the arrays behind them by what they are."""

    accuracies: dict[str, float]
    arrays: dict[str, Any]


def classify(images: Any, digits: Any) -> Outcome:
    """Learn on 70 % of the images, test on the others; images and digits are of one namespace.

    Arguments:
        images: floating-point array of shape (count, pixels).
        digits: integer array of shape (count,).
    """
    train, test, train_digits, test_digits = train_test_split(
        images, digits, test_size=0.3, random_state=0
    )
    scaler = StandardScaler().fit(train)
    projector = PCA(n_components=30, svd_solver="full").fit(scaler.transform(train))
    train = projector.transform(scaler.transform(train))
    test = projector.transform(scaler.transform(test))
    # scikit-learn solves ridge regression by "svd" on any namespace, but not by default on NumPy.
    # LogisticRegression stops early by default; here it goes on until rounding is all that is left.
    ridge = RidgeClassifier(solver="svd").fit(train, train_digits)
    logistic = LogisticRegression(C=0.1, tol=1e-6, max_iter=1000).fit(train, train_digits)
    return Outcome(
        accuracies={
            type(model).__name__: float(model.score(test, test_digits))
            for model in (ridge, logistic)
        },
        arrays={
            "projections": test,
            "RidgeClassifier coefficients": ridge.coef_,
            "LogisticRegression coefficients": logistic.coef_,
        },
    )


def largest_differences(outcome: Outcome, reference: Outcome) -> dict[str, float]:
    """For each of the arrays the largest difference, relative to the largest element."""
    found: dict[str, float] = {}
    for name, array in outcome.arrays.items():
        expected = reference.arrays[name]
        difference = np.abs(np.asarray(array.to_device("cpu")) - expected)
        found[name] = float(np.max(difference) / np.max(np.abs(expected)))
    return found


def equal(outcome: Outcome, reference: Outcome, eps: float) -> bool:
    """Whether all is the same but for roundings, of which each is up to eps."""
    accuracies = zip(outcome.accuracies.values(), reference.accuracies.values(), strict=True)
    differences = largest_differences(outcome, reference).values()
    limit = DOUBLE if eps < 1e-10 else SINGLE
    return all(isclose(*pair, rel_tol=eps) for pair in accuracies) and max(differences) < limit


def main() -> int:
    """Classify on the device and with NumPy, print both results; 1 if they differ, else 0."""
    parser = argparse.ArgumentParser(
        description="Classify scikit-learn's handwritten digits on numr_api arrays with PCA, "
        "RidgeClassifier and LogisticRegression, and compare with the same on NumPy arrays."
    )
    parser.add_argument(
        "--device",
        default="cpu",
        help="where the numr_api arrays live: a device such as cpu or webgpu (default: cpu)",
    )
    device = parser.parse_args().device

    images, digits = load_digits(return_X_y=True)
    try:
        defaults = xp.__array_namespace_info__().default_dtypes(device=device)
    except (TypeError, ValueError) as error:
        parser.error(str(error))
    dtype = defaults["real floating"]
    images = images.astype(np.dtype(dtype))
    reference = classify(images, digits)
    # Some of scikit-learn's own arrays are made on the default device.
    with default_device(device), sklearn.config_context(array_api_dispatch=True):
        outcome = classify(xp.asarray(images), xp.asarray(digits))

    count, pixels = images.shape
    print(f"{count} images of {pixels} pixels, {dtype} on {device}, 30 % of them for testing")
    for name, accuracy in outcome.accuracies.items():
        print(f"accuracy of {name}: {accuracy:.2%}, with NumPy {reference.accuracies[name]:.2%}")
    for name, difference in largest_differences(outcome, reference).items():
        print(f"largest relative difference of the {name}: {difference:.1e}")
    same = equal(outcome, reference, float(np.finfo(images.dtype).eps))
    print("equal to NumPy's results" if same else "NOT equal to NumPy's results")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
