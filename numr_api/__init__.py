"""A strict Python array API namespace (standard 2025.12) on cpu, CUDA and WebGPU devices.

    import numr_api as xp

The names here are the standard's; what goes beyond it lives in ``numr_api.extensions``.
"""

from math import e as e, inf as inf, nan as nan, pi as pi
from typing import Any as _Any

from numr_api import _array as _array, extensions as extensions, fft as fft, linalg as linalg
from numr_api._arithmetic import *
from numr_api._comparison import *
from numr_api._creation import *
from numr_api._data_types import *
from numr_api._dtypes import (
    bool as bool,
    complex64 as complex64,
    complex128 as complex128,
    float32 as float32,
    float64 as float64,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
)
from numr_api._elementary import *
from numr_api._indexing import *
from numr_api._info import __array_namespace_info__ as __array_namespace_info__
from numr_api._manipulation import *
from numr_api._mode import INITIAL as _INITIAL_MODE
from numr_api._products import *
from numr_api._ranges import *
from numr_api._reductions import *
from numr_api._searching import *
from numr_api._sets import *
from numr_api._sorting import *
from numr_api._utility import *

if _INITIAL_MODE == "relaxed":  # by the environment: no block may change what consumers look up
    from numr_api._relaxed_extras import *
    from numr_api._relaxed_keywords import *
    from numr_api._relaxed_neighbours import *
    from numr_api._relaxed_quantiles import *

newaxis = None

__version__ = "0.1.0"
__array_api_version__ = "2025.12"

_STANDARD_SPECIAL = {"__array_api_version__", "__array_namespace_info__", "__version__"}


def __getattr__(name: str) -> _Any:
    """``special``, where SciPy looks for special functions; it is no name of the standard."""
    if name == "special":
        return extensions.special
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    names = {name for name in globals() if not name.startswith("_")}
    return sorted(names | _STANDARD_SPECIAL)
