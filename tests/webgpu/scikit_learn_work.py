"""What scikit-learn can do with arrays on a GPU, of float32 and without linear algebra.

``main`` runs it all on numr_api arrays of a device, and on NumPy arrays. It needs a process whose
SCIPY_ARRAY_API is 1 when SciPy is imported first.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import metrics, set_config
from sklearn.datasets import load_iris
from sklearn.metrics import pairwise
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    KernelCenterer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    StandardScaler,
)

import numr_api
from numr_api.extensions.device import default_device

Work = Callable[..., Any]


def restored(x: Any) -> Any:
    """The inverse of a transform."""
    scaler = StandardScaler()
    return scaler.inverse_transform(scaler.fit_transform(x))


# On the measurements of flowers
TRANSFORMS: dict[str, Work] = {
    "standardized": lambda x: StandardScaler().fit_transform(x),
    "restored": restored,
    "scaled to a range": lambda x: MinMaxScaler((-1, 2)).fit_transform(x),
    "scaled by the largest": lambda x: MaxAbsScaler().fit_transform(x),
    "pipeline": lambda x: make_pipeline(
        StandardScaler(), MinMaxScaler(), PolynomialFeatures(2), Normalizer()
    ).fit_transform(x),
    "of length one": lambda x: Normalizer(norm="l1").fit_transform(x),
    "thresholds": lambda x: Binarizer(threshold=2.0).fit_transform(x),
    "centred kernel": lambda x: KernelCenterer().fit_transform(x @ x.T),
}
# On the first and the second half of them
PAIRWISE = (
    "additive_chi2_kernel", "chi2_kernel", "cosine_distances", "cosine_similarity",
    "euclidean_distances", "laplacian_kernel", "linear_kernel", "manhattan_distances",
    "paired_cosine_distances", "paired_euclidean_distances", "paired_manhattan_distances",
    "pairwise_distances", "polynomial_kernel", "rbf_kernel", "sigmoid_kernel",
)  # fmt: skip
# On kinds of flowers and a guess
CLASSES = ("accuracy_score", "confusion_matrix", "hamming_loss", "zero_one_loss")
AVERAGED = ("f1_score", "jaccard_score", "precision_score", "recall_score")
# On a measurement and a guess
REGRESSION = (
    "d2_absolute_error_score", "explained_variance_score", "max_error", "mean_absolute_error",
    "mean_absolute_percentage_error", "mean_pinball_loss", "mean_squared_error",
    "mean_squared_log_error", "mean_tweedie_deviance", "median_absolute_error", "r2_score",
    "root_mean_squared_error",
)  # fmt: skip
# On measurements and kinds
MODELS: dict[str, Work] = {
    "naive Bayes": lambda x, y: GaussianNB().fit(x, y).predict(x),
    "likelihoods": lambda x, y: GaussianNB().fit(x, y).predict_joint_log_proba(x),
    "split": lambda x, y: train_test_split(x, y, random_state=0)[1],
    "numbered": lambda x, y: LabelEncoder().fit_transform(y * 7),
}
NAMES = (*TRANSFORMS, *PAIRWISE, *CLASSES, *AVERAGED, *REGRESSION, *MODELS)


def work(name: str) -> tuple[Work, list[Any]]:
    """A function and its arguments, NumPy arrays."""
    measured, kinds = load_iris(return_X_y=True)
    measured = measured.astype(np.float32)
    guess = np.where(np.arange(150) % 7 == 0, 0, kinds)
    if name in TRANSFORMS:
        return TRANSFORMS[name], [measured]
    if name in PAIRWISE:
        return getattr(pairwise, name), [measured[:75], measured[75:]]
    if name in CLASSES:
        return getattr(metrics, name), [kinds, guess]
    if name in AVERAGED:
        score = getattr(metrics, name)
        return lambda *given: score(*given, average="macro"), [kinds, guess]
    if name in REGRESSION:
        return getattr(metrics, name), [measured[:, 0].copy(), measured[:, 1] * np.float32(2) - 1]
    return MODELS[name], [measured, kinds]


def main(device: str) -> None:
    """Print, as JSON, the largest relative difference of each result, its dtype and its device."""
    set_config(array_api_dispatch=True)
    found: dict[str, Any] = {}
    for name in NAMES:
        function, hosts = work(name)
        expected = np.asarray(function(*hosts))
        try:
            # scikit-learn also makes arrays without naming a device, to learn its default dtype.
            with default_device(device):
                result = function(*(numr_api.asarray(host) for host in hosts))
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
            continue
        place = str(getattr(result, "device", "a Python number"))
        if isinstance(result, numr_api.asarray(0).__class__):
            result = result.to_device("cpu")
        values = np.asarray(result)
        scale = max(float(np.max(np.abs(expected))), 1e-30)
        same = values.shape == expected.shape
        error = float(np.max(np.abs(values - expected))) / scale if same else np.inf
        found[name] = [error, values.dtype.name, place]
    print(json.dumps(found))
