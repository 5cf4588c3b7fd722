"""Special functions, with SciPy's names, order of arguments and broadcasting.

Arguments are arrays of real-valued (some also of complex) dtypes on one device and Python scalars,
one array at least. float32 gives float32; integers count as the device's default floating-point
dtype. They run on the cpu, by SciPy; on other devices they raise Unsupported, unless
``extensions.device.host_conversion`` allows the way through the host.

SciPy finds them as ``numr_api.special``: ``scipy.special.erf(x)`` calls ``erf`` here.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from numr_api._checks import as_operand, common_backend, is_array
from numr_api._creation import asarray
from numr_api._devices import host_conversion
from numr_api._errors import Unsupported
from numr_api._relaxed import available
from numr_api.extensions._special_table import NEED_INTEGERS, TABLE

if TYPE_CHECKING:
    from numr_api._array import Array

_scipy: Any = import_module("scipy.special")
__all__ = [name for name, _, _ in TABLE]  # pyright: ignore[reportUnsupportedDunderAll]


def _make(name: str, parameters: str, description: str) -> Callable[..., Array]:
    compute: Callable[..., Any] = getattr(_scipy, name)
    names = [parameter.partition("=")[0] for parameter in parameters.split(", ")]
    signature = Signature(
        [
            Parameter(
                parameter,
                Parameter.POSITIONAL_OR_KEYWORD,
                default=None if f"{parameter}=None" in parameters else Parameter.empty,
            )
            for parameter in names
        ]
    )

    def function(*arguments: Any, **keywords: Any) -> Array:
        if keywords or len(arguments) != len(names):
            bound = signature.bind(*arguments, **keywords)  # TypeError if they do not fit
            arguments = tuple(x for x in bound.args if x is not None)
        return _apply(name, compute, arguments)

    function.__name__ = function.__qualname__ = name  # by which it is pickled
    function.__doc__ = description
    cast("Any", function).__signature__ = signature
    return function


def _apply(name: str, compute: Callable[..., Any], arguments: tuple[Any, ...]) -> Array:
    operands = [as_operand(f"special.{name}", x) for x in arguments]
    arrays = [x for x in operands if is_array(x)]
    if not arrays:
        raise TypeError(f"special.{name}: at least one argument must be an array")
    backend = common_backend(f"special.{name}", arrays)
    if backend.device.kind != "cpu" and not host_conversion.get():
        raise Unsupported(
            f"special.{name} on {backend.device}: move the arrays with to_device('cpu'), or allow "
            "the way through the host with extensions.device.host_conversion(True)"
        )
    # As NumPy arrays, or else SciPy would look for the function here again.
    hosts: list[Any] = [backend.to_host(x._data) if is_array(x) else x for x in operands]
    floats = [x.dtype.__numpy_dtype__ for x in arrays if x.dtype.kind == "f"]
    if floats and name not in NEED_INTEGERS:
        # SciPy would take Python scalars as float64, and float32 with them.
        dtype = np.result_type(*floats)
        hosts = [np.asarray(x, dtype) if isinstance(x, int | float) else x for x in hosts]
    with np.errstate(all="ignore"):
        outcome = np.asarray(compute(*hosts))
    return asarray(outcome, dtype=available(outcome.dtype, backend), device=backend.device)


for _name, _parameters, _description in TABLE:
    globals()[_name] = _make(_name, _parameters, _description)


def __dir__() -> list[str]:
    return __all__
