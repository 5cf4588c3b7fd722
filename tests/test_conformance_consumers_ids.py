"""What numr_conformance calls the tests of consumers, and what they are about."""

from __future__ import annotations

import pytest
from numr_conformance.consumers_ids import PREFIXES, chapter_of, function_of, name_of


@pytest.mark.parametrize(
    ("test", "namespace", "name"),
    [
        ("scipy/fft/tests/test_basic.py::TestFFT::test_fft[array_api_strict-1]", "array_api_strict",
         "scipy.fft/tests/test_basic.py::TestFFT::test_fft[xp-1]"),
        ("scipy/fft/tests/test_basic.py::test_numpy[jax.numpy]", "numpy",
         "scipy.fft/tests/test_basic.py::test_numpy[jax.numpy]"),
        ("sklearn/tests/test_pipeline.py::test_it[numpy to torch]", "numpy",
         "sklearn.tests/test_pipeline.py::test_it[xp to torch]"),
        ("sklearn/tests/test_it.py::test_it", "numpy", "sklearn.tests/test_it.py::test_it"),
        ("tests/main/test_at.py::test_at[jax-0]", "jax",
         "array_api_extra.tests/test_at.py::test_at[xp-0]"),
    ],
)  # fmt: skip
def test_names_are_the_same_for_all_namespaces(test: str, namespace: str, name: str) -> None:
    assert name_of(test, namespace) == name
    assert name.startswith(PREFIXES)


PUBLIC = {
    "scipy.stats": {"ttestind": "ttest_ind", "entropy": "entropy", "zmap": "zmap", "f": "f"},
    "scipy.cluster.vq": {"kmeans": "kmeans"},
    "sklearn.metrics": {"f1score": "f1_score"},
    "sklearn.pipeline": {"pipeline": "Pipeline"},
    "array_api_extra": {"isclose": "isclose"},
}


@pytest.mark.parametrize(
    ("test", "chapter", "function"),
    [
        ("scipy.stats/tests/test_stats.py::TestTtestInd::test_options[xp]", "scipy.stats",
         "ttest_ind"),
        ("scipy.stats/tests/test_stats.py::TestOther::test_zmap_axis[xp]", "scipy.stats", "zmap"),
        ("scipy.stats/tests/test_stats.py::TestEntropyBase::test_it[xp]", "scipy.stats", "entropy"),
        ("scipy.stats/tests/test_entropy.py::TestIt::test_it[xp]", "scipy.stats", "entropy"),
        ("scipy.stats/tests/test_stats.py::test_zmap02[xp]", "scipy.stats", "zmap"),
        ("scipy.stats/tests/test_stats.py::test_f_of_x[xp]", "scipy.stats", "scipy.stats"),
        ("scipy.cluster/tests/test_vq.py::test_kmeans[xp]", "scipy.cluster", "kmeans"),
        ("sklearn.metrics/cluster/tests/test_common.py::test_all[f1_score-xp]", "sklearn.metrics",
         "f1_score"),
        ("sklearn.tests/test_pipeline.py::test_it[xp]", "sklearn", "Pipeline"),
        ("sklearn.tests/test_pipeline2.py::test_it[xp]", "sklearn", "sklearn"),
        ("array_api_extra.tests/test_elementwise.py::TestIsClose::test_it[xp]", "array_api_extra",
         "isclose"),
    ],
)  # fmt: skip
def test_names_tell_what_tests_are_about(test: str, chapter: str, function: str) -> None:
    assert chapter_of(test) == chapter
    assert function_of(test, lambda module: PUBLIC.get(module, {})) == function
