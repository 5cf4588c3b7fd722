"""Arrays from Python's and other libraries' data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from numr_api import _checks, _dlpack
from numr_api._checks import as_scalar, describe, is_array, require_dtype, require_range
from numr_api._data_types import astype
from numr_api._declare import operation, wrap
from numr_api._devices import (
    ArrayType,
    Device,
    array_type,
    backend_for,
    backend_of,
    count,
    default_backend,
)
from numr_api._dtypes import BY_NAME, BY_NUMPY, EXTENSIONS, DType
from numr_api._errors import Unsupported
from numr_api._mode import relaxed_rules
from numr_api._rounding import converted
from numr_api._shapes import as_copy

if TYPE_CHECKING:
    from numr_api._array import Array
    from numr_api._backends import Backend

_new: Callable[[type], Any] = object.__new__

# Which of a device's default dtypes an array of Python scalars gets; of several, the last wins.
DEFAULT_OF: Final[dict[type, str]] = {
    bool: "bool",
    int: "integral",
    float: "real floating-point",
    complex: "complex floating-point",
}
# The same by NumPy's kind, "b", "i", "f" or "c".
_KIND_DEFAULTS: Final = {np.dtype(kind).kind: name for kind, name in DEFAULT_OF.items()}
# What NumPy makes of Python's scalars; its own scalars of these dtypes count as such.
_INFERRED: Final = frozenset(np.dtype(kind) for kind in DEFAULT_OF)
# What a flat list becomes, by the type of all that is in it, for each backend that made one:
# NumPy's dtype, the array type, and whether a new NumPy array is the backend's data as it is.
_list_types: dict[Backend, dict[type, tuple[np.dtype[Any], ArrayType, bool]]] = {}
_CPU_DEVICES: Final = (1, 3, 11, 13)  # DLPack's kDLCPU and host memory that CUDA or ROCm manage
_CUDA_DEVICE: Final = 2  # DLPack's kDLCUDA


@operation("creation")
def asarray(
    obj: Any,
    /,
    *,
    dtype: DType | None = None,
    device: Device | str | None = None,
    copy: bool | None = None,
) -> Array:
    """An array from scalars, nested sequences, arrays of any library, or buffers.

    Arguments:
        obj: an array, a Python or NumPy scalar, nested lists or tuples of those, a NumPy array, an
            object with ``__dlpack__`` or ``__array__``, or a buffer (bytes, memoryview,
            array.array).
        dtype: None keeps an array's dtype, and gives Python scalars the device's default dtype of
            their kind: of bool, int, float, complex the last that occurs.
        device: None keeps an array's device, and takes the default device for anything else.
        copy: True always copies; False raises ValueError if a copy is needed; None copies if
            needed.

    Raises:
        TypeError: strings, objects, None, or a dtype that does not fit.
        ValueError: ragged sequences.
        OverflowError: an integer out of the dtype's range.
    """
    kind = obj.__class__
    try:  # what is asked for most
        if dtype is None and copy is None:
            if kind is list:
                first = obj[0].__class__
                if [*map(type, obj)].count(first) == len(obj):
                    backend = default_backend() if device is None else backend_of(device, "asarray")
                    numpy_dtype, result, is_data = _list_types[backend][first]
                    host = np.array(obj, numpy_dtype)
                    if not is_data:
                        return wrap(backend.from_host(host, None), result)
                    array = _new(_checks.Array)
                    array._data = host
                    array._type = result
                    return array
            if kind is np.ndarray:
                backend = backend_for(device, "asarray")
                result = array_type(BY_NUMPY[obj.dtype], backend)
                return wrap(backend.from_host(obj, None), result)
    except (LookupError, OverflowError, TypeError, Unsupported, ValueError):
        pass  # the checks below find the words
    as_copy("asarray", copy)
    if dtype is not None:
        dtype = require_dtype("asarray", dtype)
    if is_array(obj):
        return _from_array(obj, dtype, device, copy)
    if isinstance(obj, np.ndarray | np.generic):
        return _from_host(obj, dtype, device, copy)
    if isinstance(obj, list | tuple):
        return _from_python(obj, dtype, device, copy)
    if isinstance(obj, bool | int | float | complex):
        return _from_python(as_scalar("asarray", obj), dtype, device, copy)
    if hasattr(obj, "__dlpack__"):
        try:
            array = from_dlpack(obj, copy=copy)
        except BufferError as error:
            raise ValueError(f"asarray: {error}") from None
        return _from_array(array, dtype, device, False if copy is False else None)
    if hasattr(obj, "__cuda_array_interface__") and count("cuda"):
        try:
            array = _import_foreign("asarray", obj)
        except BufferError as error:
            raise ValueError(f"asarray: {error}") from None
        return _from_array(array, dtype, device, copy)
    if hasattr(obj, "__array__") or hasattr(obj, "__array_interface__"):
        try:
            host = np.asarray(obj, copy=copy and None)  # a copy may be made once, below
        except ValueError as error:
            raise ValueError(f"asarray: {error}") from None
        return _from_host(host, dtype, device, copy)
    try:
        buffer = memoryview(obj)
    except TypeError:
        raise TypeError(
            "asarray: needs an array, a number, a nested list or tuple of numbers, or a buffer; "
            f"got {describe(obj)}"
        ) from None
    return _from_host(np.asarray(buffer), dtype, device, copy)


def _from_array(
    array: Array, dtype: DType | None, device: Device | str | None, copy: bool | None
) -> Array:
    """``asarray`` of an Array."""
    backend = array._type.backend if device is None else backend_for(device, "asarray")
    moves = backend is not array._type.backend
    if moves and dtype is None:
        dtype = narrower(array.dtype, backend)
    casts = dtype is not None and dtype is not array.dtype
    if copy is False and (moves or casts):
        raise ValueError(
            f"asarray: {array._type} cannot become {dtype or array.dtype} on {backend.device} "
            "without a copy"
        )
    if moves or casts:
        return astype(array, dtype or array.dtype, device=backend.device)
    return wrap(backend.copy(array._data), array._type) if copy else array


def _from_python(
    obj: Any, dtype: DType | None, device: Device | str | None, copy: bool | None
) -> Array:
    """``asarray`` of a scalar or of nested sequences."""
    if copy is False:
        raise ValueError("asarray: Python scalars and sequences cannot be used without a copy")
    found: set[Any] = set()
    _collect_dtypes(obj, found)
    places = [x for x in found if isinstance(x, Device)]
    if places:
        from numr_api._manipulation import stack_checked  # which needs Array, which needs this

        if device is None and len(places) == 1:
            device = places[0]
        return stack_checked("asarray", [asarray(x, dtype=dtype, device=device) for x in obj], 0)
    backend = backend_for(device, "asarray")
    if backend not in _list_types:
        _list_types[backend] = {
            kind: (
                default.__numpy_dtype__,
                array_type(default, backend),
                backend.storage is np.ndarray,
            )
            for kind, name in DEFAULT_OF.items()
            if (default := backend.default_dtypes[name]) in backend.dtypes
            # On the way to a narrower one numbers may overflow, of which NumPy would warn.
            and default.itemsize >= np.dtype(kind).itemsize
        }
    highest = max(
        (BY_NUMPY[d].kind.replace("u", "i") for d in found), key="bifc".index, default="f"
    )
    if dtype is None:
        if not found <= _INFERRED:
            return _from_host(_host_array(obj, None), None, device, None)
        dtype = backend.default_dtypes[_KIND_DEFAULTS[highest]]
    result = array_type(dtype, backend, "asarray")
    if found and "bifc".index(highest) > "bifc".index(dtype.kind.replace("u", "i")):
        host = _exact_host_array(obj, dtype)
    else:
        host = _host_array(obj, dtype)
        if dtype.kind in "iu" and dtype.itemsize < 8 and np.any(host != _host_array(obj, None)):
            # NumPy refuses Python's integers that are out of range, but wraps its own.
            raise OverflowError(f"asarray: an integer is out of range of {dtype}")
    return wrap(backend.from_host(host, copy=None), result)


def _exact_host_array(obj: Any, dtype: DType) -> np.ndarray[Any, Any]:
    """Numbers in a dtype of a lower kind, as 2.0 in int32; ValueError if it cannot hold one."""
    given = _host_array(obj, None)
    if given.dtype.kind == "c":
        raise TypeError(f"asarray: complex values cannot become {dtype}; take the real parts first")
    if relaxed_rules() is not None:
        return np.array(obj, dtype=dtype.__numpy_dtype__)
    with np.errstate(all="ignore"):
        host = given.astype(dtype.__numpy_dtype__)
        if np.any(host != given):
            raise ValueError(
                f"asarray: {dtype} does not hold all of {describe(obj)}; "
                "make an array, then use astype"
            )
    return host


def _host_array(obj: Any, dtype: DType | None) -> np.ndarray[Any, Any]:
    """A NumPy array of nested sequences of numbers."""
    try:
        with np.errstate(all="ignore"):
            if dtype is not None and dtype in EXTENSIONS:
                return converted(np.array(obj), dtype)
            return np.array(obj, dtype=None if dtype is None else dtype.__numpy_dtype__)
    except OverflowError:
        raise OverflowError(f"asarray: an integer is out of range of {dtype}") from None
    except ValueError:
        raise ValueError(
            "asarray: nested sequences must be equally long, this one is ragged"
        ) from None


def _collect_dtypes(obj: Any, found: set[Any]) -> None:
    """NumPy's dtypes of all numbers in nested sequences, and the devices of our arrays there.

    Raises TypeError for anything else.
    """
    if isinstance(obj, list | tuple):
        sequence = cast("Sequence[Any]", obj)
        for kind in set(map(type, sequence)):
            if kind in DEFAULT_OF:
                found.add(np.dtype(kind))
            else:
                for x in sequence:
                    if type(x) is kind:
                        _collect_dtypes(x, found)
    elif isinstance(obj, bool | int | float | complex):
        found.add(np.dtype(type(as_scalar("asarray", obj))))
    elif is_array(obj):
        found.add(obj.device)
    elif getattr(obj, "dtype", None) in BY_NUMPY:
        _refuse_mask("asarray", obj)
        found.add(obj.dtype)
    else:
        raise TypeError(f"asarray: a sequence must hold numbers, got {describe(obj)}")


def narrower(dtype: DType, backend: Backend) -> DType | None:
    """In relaxed mode the dtype in place of one that a device lacks; else None."""
    rules = None if dtype in backend.dtypes else relaxed_rules()
    return None if rules is None else rules.available(dtype.__numpy_dtype__, backend)


def _refuse_mask(name: str, x: object) -> None:
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"{name}: a masked array would lose its mask; fill it first")


def _from_host(host: Any, dtype: DType | None, device: object, copy: bool | None) -> Array:
    """``asarray`` of a NumPy array or scalar."""
    backend = backend_for(device, "asarray")
    _refuse_mask("asarray", host)
    native = np.asarray(host)
    copied = not isinstance(host, np.ndarray)
    if not native.dtype.isnative:
        native, copied = native.astype(native.dtype.newbyteorder("=")), True
    found = BY_NAME.get(native.dtype.name)
    if found is None:
        raise TypeError(
            f"asarray: NumPy's {native.dtype} has no counterpart; dtypes are {', '.join(BY_NAME)}"
        )
    if copy is False and (copied or (dtype is not None and dtype is not found)):
        raise ValueError(
            f"asarray: NumPy's {np.asarray(host).dtype} array or scalar cannot become "
            f"{dtype or found} without a copy"
        )
    if dtype is not None and dtype is not found:
        if found.kind == "c" and dtype.kind not in "cb":
            raise TypeError(f"asarray: {found} cannot become {dtype}; take the real part first")
        result = array_type(dtype, backend, "asarray")
        if isinstance(host, np.integer):
            require_range("asarray", dtype, int(cast("Any", host)))
        with np.errstate(all="ignore"):
            native = converted(native, dtype)
        return wrap(backend.from_host(native, copy=None), result)
    try:
        result = array_type(found, backend, "asarray")
    except Unsupported:
        narrow = narrower(found, backend) if dtype is None else None
        if narrow is None:
            raise
        return _from_host(host, narrow, device, copy)
    try:
        return wrap(backend.from_host(native, copy=copy), result)
    except ValueError as error:
        raise ValueError(f"asarray: {error}") from None


@operation("creation")
def from_dlpack(
    x: Any, /, *, device: Device | str | None = None, copy: bool | None = None
) -> Array:
    """An array from another library's, through DLPack, without a copy where that is possible.

    Arguments:
        x: an object with ``__dlpack__`` and ``__dlpack_device__``.
        device: where the result lives; None for x's device.
        copy: True always copies; False raises ValueError if a copy is needed; None copies if
            needed.

    Raises:
        AttributeError: x does not speak DLPack.
        BufferError: the exchange is not possible.
        TypeError: x's dtype has no counterpart.
        ValueError: a copy is needed, and copy is False.
    """
    if not (hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")):
        raise AttributeError(f"from_dlpack: needs an object with __dlpack__, got {describe(x)}")
    _refuse_mask("from_dlpack", x)
    as_copy("from_dlpack", copy)
    if is_array(x):
        backend = x._type.backend if device is None else backend_of(device, "from_dlpack")
        if copy is False and backend is not x._type.backend:
            raise ValueError(
                f"from_dlpack: cannot move from {x.device} to {backend.device} without a copy"
            )
        return _from_array(x, None, device, copy)
    source = tuple(int(part) for part in x.__dlpack_device__())
    if source[0] == _CUDA_DEVICE and source[1] < count("cuda"):
        return from_dlpack(_import_foreign("from_dlpack", x), device=device, copy=copy)
    if device is None and (source[0] not in _CPU_DEVICES or count("cpu") == 0):
        raise BufferError(
            f"from_dlpack: no numr_api device for DLPack device {source}; give a device, to copy"
        )
    backend = backend_of("cpu" if device is None else device, "from_dlpack")
    host = _import_host(x, source, copy if backend.device.kind == "cpu" else None)
    found = BY_NUMPY[host.dtype]
    if copy is False and backend.device.kind != "cpu":
        raise ValueError(f"from_dlpack: cannot move to {backend.device} without a copy")
    try:
        result = array_type(found, backend, "from_dlpack")
    except Unsupported:
        narrow = narrower(found, backend)
        if narrow is None:
            raise
        return _from_host(host, narrow, device, copy)
    try:
        data = backend.from_host(host, copy=copy)
    except ValueError as error:
        raise ValueError(f"from_dlpack: {error}") from None
    return wrap(data, result)


def _import_foreign(name: str, x: Any) -> Array:
    """Another library's array on a cuda device, without a copy; BufferError if it cannot be."""
    try:
        data, device = backend_of("cuda", name).shortcuts["import_foreign"](x)
    except BufferError as error:
        raise BufferError(f"{name}: {error}") from None
    dtype = BY_NUMPY.get(data.dtype)
    if dtype is None:
        raise TypeError(f"{name}: dtype {data.dtype} has no counterpart")
    return wrap(data, array_type(dtype, backend_of(device), name))


def _import_host(x: Any, source: tuple[int, ...], copy: bool | None) -> np.ndarray[Any, Any]:
    """Another library's array as a NumPy array; BufferError if it cannot be."""
    try:
        if source[0] in _CPU_DEVICES:
            return _dlpack.imported(x, copy=copy)
        return _dlpack.imported(x, device="cpu", copy=copy)
    except (BufferError, RuntimeError, ValueError) as error:
        raise BufferError(f"from_dlpack: {error}") from None
