"""numr-conformance on the GPU: its own checks, and the official suite where there is a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import gpu_record
import pytest
from numr_conformance import official, results
from numr_conformance.report import digest

EXPECTED = gpu_record.ROOT / "conformance" / "expected"
EXAMPLES = 200

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("gpus")]


def gate(layer: str, folder: Path, config: pytest.Config) -> None:
    """Run a layer, whose results must be as expected, and note them in any case."""
    command = [sys.executable, "-m", "numr_conformance", "gate", "numr_api", "--device", "cuda:0"]
    command += ["--expected", str(EXPECTED), "--layer", layer, "--examples", str(EXAMPLES)]
    command += ["--jobs", str(os.cpu_count() or 2), "--report", str(folder)]
    paths = [str(gpu_record.ROOT / "conformance"), str(gpu_record.ROOT)]
    environment = {
        **os.environ,
        "NUMR_API_DEVICES": "cuda",
        "PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")]),
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    told = done.stdout + done.stderr
    assert done.returncode in (0, 1), told[-4000:]
    found = results.load(folder / "results.json")
    counts = Counter(row["verdict"] for row in found["devices"]["cuda:0"]["outcomes"])
    record = gpu_record.of(config)
    record.conformance[layer] = dict(sorted(counts.items()))
    if layer == "own":
        record.digests = digest.make(found)
    assert done.returncode == 0, told[-4000:]


def test_own_checks(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    gate("own", tmp_path, pytestconfig)


def test_the_official_suite(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    try:
        official.find_suite()
    except official.CannotRun as error:
        pytest.skip(str(error))
    gate("official", tmp_path, pytestconfig)
