"""Puts compiled cuda kernels into the wheel; see ``numr_api/_backends/cuda/building.py``.

Without NUMR_CUDA_ARCH this does nothing, unless the machine has both nvcc and a GPU of NVIDIA.
"""

from __future__ import annotations

import os
import runpy
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

DRIVER = "numr_api/_backends/cuda/driver.py"  # which needs nothing but the standard library
TARGET = "numr_api/_backends/cuda/prebuilt"


class PrebuiltKernels(BuildHookInterface):  # type: ignore[type-arg]
    """A hook of wheels. Editable installs get no fatbins, as their sources are edited."""

    def dependencies(self) -> list[str]:
        """What the catalogue of kernels needs, which is the namespace itself."""
        return list(self.metadata.core.dependencies) if self._asked() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or not self._asked():
            return
        sys.path.insert(0, self.root)
        from numr_api._backends.cuda import building

        required = bool(os.environ.get(building.VARIABLE, "").strip())
        try:
            compiler = building.Compiler.find()
            given = os.environ.get(building.VARIABLE)
            wanted = building.architectures(given, compiler, building.present)
            if not wanted or compiler is None:
                return
            self._folder = TemporaryDirectory(prefix="numr-kernels-")
            building.build(Path(self._folder.name), compiler, wanted, self.app.display_info)
        except building.BuildError as error:
            if required:
                self.app.abort(f"numr_api: {error}")
            self.app.display_warning(f"numr_api: no cuda kernels are compiled: {error}")
        else:
            build_data["force_include"][self._folder.name] = TARGET

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "_folder"):
            self._folder.cleanup()

    def _asked(self) -> bool:
        """Whether kernels may have to be compiled."""
        given = os.environ.get("NUMR_CUDA_ARCH", "").strip()
        if given:
            return given.lower() != "none"
        if not shutil.which("nvcc") and not shutil.which("nvcc", path="/usr/local/cuda/bin"):
            return False
        return runpy.run_path(str(Path(self.root) / DRIVER))["count"]() > 0
