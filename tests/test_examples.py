"""The examples of the documentation run, and give what NumPy gives."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import array_api_strict
import numpy as np
import pytest
from sklearn.datasets import load_iris

import numr_api

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "examples"


@cache
def run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """An example's run as a script, in a process of its own since it configures SciPy's import."""
    command = [sys.executable, "-W", "error::UserWarning", "-W", "error::RuntimeWarning"]
    return subprocess.run(
        [*command, FOLDER / f"{name}.py", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )


def numbers(name: str, pattern: str) -> list[float]:
    """The numbers that follow a pattern in what an example prints."""
    return [float(found) for found in re.findall(rf"{pattern} ([-+\d.e]+)", run(name).stdout)]


@pytest.fixture
def kmeans(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(FOLDER)
    import kmeans

    return kmeans


@pytest.mark.parametrize("name", [path.stem for path in sorted(FOLDER.glob("*.py"))])
def test_example_runs(name: str):
    result = run(name)
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.splitlines()) >= 3


def test_digits_are_classified_as_with_numpy():
    accuracies = numbers("digits", "accuracy of .*:")
    assert accuracies == numbers("digits", "with NumPy")
    assert len(accuracies) == 2
    assert min(accuracies) > 90
    differences = numbers("digits", "largest relative difference of the .*:")
    assert len(differences) == 3
    assert max(differences) < 1e-9
    assert run("digits").stdout.endswith("\nequal to NumPy's results\n")


def test_digits_refuses_a_device_that_is_not_here():
    result = run("digits", "--device", "tpu")
    assert result.returncode == 2
    assert "'tpu' is not a device; devices here: cpu" in result.stderr


def test_envelope_is_as_with_numpy():
    (difference,) = numbers("hilbert_envelope", "largest difference from NumPy's result:")
    assert difference < 1e-11
    assert run("hilbert_envelope").stdout.splitlines()[1].startswith("digit 1: ")


def test_climate_is_as_with_numpy():
    (difference,) = numbers("climate", "largest relative difference from NumPy's results:")
    assert difference < 1e-13
    assert "numr_api arrays: 11 of 11\n" in run("climate").stdout


def test_codebook_is_as_with_numpy():
    assert numbers("codebook", "codes that differ from NumPy's:") == [0]
    (difference,) = numbers("codebook", "errors differ by at most")
    assert difference < 1e-12


def test_patches_are_as_with_numpy():
    shares = numbers("patches", "numbers a patch:")
    assert shares == sorted(shares)
    assert 75 < shares[-1] < 90
    (difference,) = numbers("patches", "largest difference from NumPy's result:")
    assert difference < 1e-12


def test_factors_are_as_with_numpy():
    (share,) = numbers("factors", "products explain")
    assert 85 < share < 90
    (difference,) = numbers("factors", "largest difference from NumPy's result:")
    assert difference < 1e-10


def test_digits_of_fewer_bits_are_recognised():
    memory = re.findall(r"([.\d]+) KiB", run("narrow_digits").stdout)
    assert memory == ["300", "150", "150", "75", "75"]
    right = numbers("narrow_digits", "recognised:")
    assert right[0] == 96.1
    assert min(right[:3]) > 95
    assert min(right[3:]) > 92
    (mean,), (exact,) = (
        numbers("narrow_digits", "mean of .* bfloat16:"),
        numbers("narrow_digits", "they were:"),
    )
    assert mean == pytest.approx(exact, rel=2**-8)


def test_heating_costs_what_it_costs_with_numpy():
    energies = {part: numbers("heating", f"{part}:") for part in ("walls", "roof", "windows")}
    assert energies == {"walls": [2647], "roof": [1336], "windows": [2429]}
    (difference,) = numbers("heating", "largest relative difference from NumPy's result:")
    assert difference < 1e-12


def test_the_pitch_of_a_tone_is_found_from_every_guess():
    (expected,) = numbers("snake_audio", "by a Fourier transform:")
    found = numbers("snake_audio", "from .* Hz:")
    assert len(found) == 4
    assert all(abs(pitch - expected) < 0.5 for pitch in found)


def test_a_gated_network_learns_digits():
    losses = numbers("gated_mlp", "loss")
    assert losses == sorted(losses, reverse=True)
    assert numbers("gated_mlp", "digits read:")[0] > 85


def test_borders_matter_at_the_ends_only():
    errors = numbers("borders", "mean error")
    assert len(errors) == 5
    assert min(errors) > 0.05
    assert max(numbers("borders", "at the ends,")) < 1e-14


def test_a_rotation_halves_the_error_of_few_bits():
    ((without, rotated),) = zip(
        numbers("rotation", "error of a row:"),
        numbers("rotation", "with the rotation"),
        strict=True,
    )
    assert rotated < 0.7 * without


def test_a_recording_is_followed_in_place():
    assert numbers("streaming", "loudest:") == [1000]
    assert "written in place: True" in run("streaming").stdout


def test_digits_are_clustered_equally_by_all_namespaces():
    *results, verdict = run("kmeans").stdout.splitlines()
    assert len(results) == 3
    assert verdict == "all labels are equal"


def test_kmeans_labels_of_iris_are_the_same_in_each_namespace(kmeans: ModuleType):
    points = load_iris().data
    centres, labels = kmeans.kmeans(points, 3)
    for namespace in (array_api_strict, numr_api):
        found_centres, found_labels = kmeans.kmeans(namespace.asarray(points), 3)
        np.testing.assert_array_equal(np.asarray(found_labels), labels)
        np.testing.assert_allclose(np.asarray(found_centres), centres, rtol=1e-13)


def test_kmeans_finds_groups_that_are_apart(kmeans: ModuleType):
    points = numr_api.asarray([[0.0, 0.0], [9.0, 9.0], [0.0, 1.0], [9.0, 8.0]])
    centres, labels = kmeans.kmeans(points, 2)
    assert np.asarray(labels).tolist() == [0, 1, 0, 1]
    assert np.asarray(centres).tolist() == [[0.0, 0.5], [9.0, 8.5]]


def test_kmeans_keeps_a_centre_without_points(kmeans: ModuleType):
    points = numr_api.asarray([[1.0], [1.0], [5.0]])
    centres, labels = kmeans.kmeans(points, 3)
    assert np.asarray(labels).tolist() == [0, 0, 1]
    assert np.asarray(centres).tolist() == [[1.0], [5.0], [1.0]]
