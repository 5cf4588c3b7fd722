"""numr-conformance on the GPU: its own checks, and the official suite where there is a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import gpu_record
import pytest
from numr_conformance import official

EXPECTED = gpu_record.ROOT / "conformance" / "expected"
EXAMPLES = 200

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("gpus")]


def gate(layer: str, folder: Path, record_property: Callable[[str, object], None]) -> None:
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
    record_property(gpu_record.CONFORMANCE, (layer, str(folder / "results.json")))
    assert done.returncode == 0, told[-4000:]


def test_own_checks(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    gate("own", tmp_path, record_property)


def test_the_official_suite(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    try:
        official.find_suite()
    except official.CannotRun as error:
        pytest.skip(str(error))
    gate("official", tmp_path, record_property)
