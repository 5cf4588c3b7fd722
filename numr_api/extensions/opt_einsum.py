"""opt_einsum on numr_api arrays: to import this module is all that there is to do.

``opt_einsum.contract`` looks in an array's library for ``tensordot``, which the standard has, and
for ``einsum`` and ``transpose``, which it has not. This module tells it of ours, so that the names
of the namespace stay the standard's. With NUMR_API_MODE=relaxed they are found without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from numr_api._einsum import einsum
from numr_api._manipulation import permute_dims

try:
    _dispatch: Any = import_module("opt_einsum.backends.dispatch")
except ImportError as error:
    raise ImportError(
        "numr_api.extensions.opt_einsum needs opt_einsum: pip install opt_einsum", name=error.name
    ) from error

__all__: list[str] = []

# Where opt_einsum remembers the functions that it has found.
_dispatch._cached_funcs["einsum", "numr_api"] = einsum
_dispatch._cached_funcs["transpose", "numr_api"] = permute_dims
