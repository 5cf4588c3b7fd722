"""Puts compiled cuda kernels into the wheel; see ``numr_api/_backends/cuda/building.py``.

Without NUMR_CUDA_ARCH this does nothing, unless the machine has both nvcc and a GPU of NVIDIA; and
what prevents it then is only a warning, since nobody has asked for kernels.
"""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CUDA = "numr_api/_backends/cuda"


class PrebuiltKernels(BuildHookInterface):  # type: ignore[type-arg]
    """A hook of wheels. Editable installs get no fatbins, as their sources are edited."""

    def dependencies(self) -> list[str]:
        """What the catalogue of kernels needs, which is the namespace itself."""
        return list(self.metadata.core.dependencies) if self._asked() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or not self._asked():
            return
        try:
            folder = self._compile()
        except Exception as error:  # whatever it is: the package works without
            reason = f"{type(error).__name__}: {error}"
            if self._given():
                self.app.abort(f"numr_api: {reason}")
            self.app.display_warning(f"numr_api: no cuda kernels are compiled: {reason}")
        else:
            if folder:
                build_data["force_include"][folder] = f"{CUDA}/prebuilt"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "_folder"):
            self._folder.cleanup()

    def _compile(self) -> str | None:
        """The folder of the kernels; None if there are none to be compiled."""
        sys.path.insert(0, self.root)
        from numr_api._backends.cuda import building

        compiler = building.Compiler.find()
        wanted = building.architectures(self._given(), compiler, building.present)
        if not wanted or compiler is None:
            return None
        self._folder = TemporaryDirectory(prefix="numr-kernels-")
        building.build(Path(self._folder.name), compiler, wanted, self.app.display_info)
        return self._folder.name

    def _asked(self) -> bool:
        """Whether kernels may have to be compiled."""
        if given := self._given():
            return given.lower() != "none"
        return self._module("nvcc")["find"]() is not None and self._module("driver")["count"]() > 0

    def _given(self) -> str:
        return os.environ.get(self._module("nvcc")["VARIABLE"], "").strip()

    def _module(self, name: str) -> dict[str, Any]:
        """A module that needs only the standard library; the package may need what is missing."""
        return runpy.run_path(str(Path(self.root) / CUDA / f"{name}.py"))
