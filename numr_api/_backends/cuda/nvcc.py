"""Where NVIDIA's compiler is; for ``building``, and for the build hook before it can import that.

Nothing but the standard library is needed.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

VARIABLE = "NUMR_CUDA_ARCH"  # for which architectures kernels are compiled, see ``building``
HOMES = ("CUDA_HOME", "CUDA_PATH")  # variables that say where CUDA is installed
USUAL = "/usr/local/cuda"

__all__ = ["VARIABLE", "find"]


def find() -> str | None:
    """The one that CUDA's variables name, on the path, or where CUDA is usually; None without."""
    homes = [os.environ[name] for name in HOMES if os.environ.get(name)]
    places = [str(Path(home) / "bin") for home in homes]
    places += [os.environ.get("PATH", os.defpath), str(Path(USUAL) / "bin")]
    return shutil.which("nvcc", path=os.pathsep.join(places))
