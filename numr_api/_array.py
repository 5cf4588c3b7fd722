"""The Array class: attributes, operators, conversion and exchange."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast, final

import numpy as np

from numr_api import _arithmetic, _comparison, _indexing, _products
from numr_api._checks import is_operand, require_kind
from numr_api._conversion import narrower
from numr_api._data_types import astype
from numr_api._declare import OPS, bind, in_place, operator, reflected, wrap
from numr_api._devices import Device, array_type, backend_of, host_conversion
from numr_api._errors import Unsupported
from numr_api._mode import relaxed_rules
from numr_api._relaxed_methods import NAMES as RELAXED_NAMES, RelaxedAttribute

if TYPE_CHECKING:
    from numr_api._dtypes import DType

API_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")

__all__ = ["Array"]


@final
class Array:
    """An n-dimensional array of one dtype on one device.

    Made by functions such as ``asarray`` and ``zeros``, never by calling the class. Arrays can be
    changed in place by assignment (``x[0] = 1``) and by in-place operators (``x += 1``).
    """

    __slots__ = ("__weakref__", "_data", "_type")

    _data: Any  # the backend's data; only its shape and size are known here
    _type: Any  # ArrayType

    def __new__(cls, *_: object, **__: object) -> Array:
        raise TypeError("Array is not called directly; use asarray, zeros, ones, full or empty")

    def __init_subclass__(cls) -> None:
        raise TypeError("Array cannot be subclassed")

    # numpy_array + x: let this class's reflected methods decide
    __array_ufunc__ = None

    dtype: DType = property(attrgetter("_type.dtype"), doc="Data type of the elements.")  # type: ignore[assignment]
    device: Device = property(attrgetter("_type.device"), doc="Where the array lives.")  # type: ignore[assignment]
    shape: tuple[int, ...] = property(attrgetter("_data.shape"), doc="Length of each axis.")  # type: ignore[assignment]
    size: int = property(attrgetter("_data.size"), doc="Number of elements.")  # type: ignore[assignment]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._data.shape)

    @property
    def T(self) -> Array:  # noqa: N802 - the standard's name
        """Transpose of a matrix, a view."""
        if self.ndim != 2:
            raise ValueError(f"T: needs a 2-dimensional array, got shape {self.shape}; see mT")
        return _products.matrix_transpose(self)

    @property
    def mT(self) -> Array:  # noqa: N802 - the standard's name
        """Transpose of the last two axes, a view."""
        return _products.matrix_transpose(self)

    # Operators: arithmetic

    __add__ = operator(OPS["add"])
    __sub__ = operator(OPS["subtract"])
    __mul__ = operator(OPS["multiply"])
    __truediv__ = operator(OPS["divide"])
    __floordiv__ = operator(OPS["floor_divide"])
    __mod__ = operator(OPS["remainder"])
    __pow__ = operator(OPS["pow"])
    __radd__ = reflected(OPS["add"])
    __rsub__ = reflected(OPS["subtract"])
    __rmul__ = reflected(OPS["multiply"])
    __rtruediv__ = reflected(OPS["divide"])
    __rfloordiv__ = reflected(OPS["floor_divide"])
    __rmod__ = reflected(OPS["remainder"])
    __rpow__ = reflected(OPS["pow"])
    __iadd__ = in_place(OPS["add"])
    __isub__ = in_place(OPS["subtract"])
    __imul__ = in_place(OPS["multiply"])
    __itruediv__ = in_place(OPS["divide"])
    __ifloordiv__ = in_place(OPS["floor_divide"])
    __imod__ = in_place(OPS["remainder"])
    __ipow__ = in_place(OPS["pow"])

    def __abs__(self) -> Array:
        return _arithmetic.abs(self)

    def __neg__(self) -> Array:
        return _arithmetic.negative(self)

    def __pos__(self) -> Array:
        return _arithmetic.positive(self)

    # Operators: bits

    __and__ = operator(OPS["bitwise_and"])
    __or__ = operator(OPS["bitwise_or"])
    __xor__ = operator(OPS["bitwise_xor"])
    __lshift__ = operator(OPS["bitwise_left_shift"])
    __rshift__ = operator(OPS["bitwise_right_shift"])
    __rand__ = reflected(OPS["bitwise_and"])
    __ror__ = reflected(OPS["bitwise_or"])
    __rxor__ = reflected(OPS["bitwise_xor"])
    __rlshift__ = reflected(OPS["bitwise_left_shift"])
    __rrshift__ = reflected(OPS["bitwise_right_shift"])
    __iand__ = in_place(OPS["bitwise_and"])
    __ior__ = in_place(OPS["bitwise_or"])
    __ixor__ = in_place(OPS["bitwise_xor"])
    __ilshift__ = in_place(OPS["bitwise_left_shift"])
    __irshift__ = in_place(OPS["bitwise_right_shift"])

    def __invert__(self) -> Array:
        return _comparison.bitwise_invert(self)

    # Operators: comparison

    __eq__ = operator(OPS["equal"])  # type: ignore[assignment]
    __ne__ = operator(OPS["not_equal"])  # type: ignore[assignment]
    __lt__ = operator(OPS["less"])
    __le__ = operator(OPS["less_equal"])
    __gt__ = operator(OPS["greater"])
    __ge__ = operator(OPS["greater_equal"])
    __hash__ = None  # type: ignore[assignment]

    # Operators: matrix product

    def __matmul__(self, other: Array, /) -> Array:
        return _products.matmul(self, other) if is_operand(other) else NotImplemented

    def __rmatmul__(self, other: Array, /) -> Array:
        # An Array on the left is served by __matmul__; others that matmul knows get its refusal.
        return _products.matmul(other, self) if is_operand(other) else NotImplemented

    def __imatmul__(self, other: Array, /) -> Array:
        if other.__class__ is not Array:
            return NotImplemented
        product = _products.matmul(self, other)
        if product._type is not self._type:
            raise TypeError(
                f"in-place matmul: the result is {product.dtype}, the array is {self.dtype}"
            )
        if product.shape != self.shape:
            raise ValueError(
                f"in-place matmul: the result's shape {product.shape} is not the array's "
                f"{self.shape}"
            )
        self[...] = product
        return self

    # Indexing

    __getitem__ = _indexing.getitem
    __setitem__ = _indexing.setitem

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len: a 0-dimensional array has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Array]:
        if not self.shape:
            raise TypeError("iter: a 0-dimensional array cannot be iterated over")
        return (self[i, ...] for i in range(self.shape[0]))

    # Conversion to Python scalars

    def _item(self, method: str) -> Any:
        """The element of a 0-dimensional array as a Python scalar."""
        if self._data.shape != ():
            # NumPy takes the truth of a single element, whatever its axes, but no other value.
            if method == "bool" and self.size == 1 and relaxed_rules() is not None:
                return self._type.backend.to_host(self._data).item()
            raise TypeError(f"{method}: needs a 0-dimensional array, got shape {self.shape}")
        return self._type.backend.to_host(self._data).item()

    def __bool__(self) -> bool:
        return bool(self._item("bool"))

    def __int__(self) -> int:
        value = self._item("int")
        require_kind("int", self.dtype, "real-valued" if self.dtype.kind != "b" else "any")
        return int(value)

    def __float__(self) -> float:
        value = self._item("float")
        require_kind("float", self.dtype, "real-valued" if self.dtype.kind != "b" else "any")
        return float(value)

    def __complex__(self) -> complex:
        return complex(self._item("complex"))

    def __index__(self) -> int:
        require_kind("index", self.dtype, "integer")
        return self._item("index")

    # The namespace

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        """The numr_api module, which serves every published version of the standard."""
        if api_version is not None and api_version not in API_VERSIONS:
            raise ValueError(
                f"__array_namespace__: api_version {api_version!r} is not one of {API_VERSIONS}"
            )
        return sys.modules["numr_api"]

    # Exchange

    def to_device(self, device: Device | str, /, *, stream: Any = None) -> Array:
        """The array on another device, or itself if it is there already.

        Arguments:
            device: a device or its name.
            stream: must be None; work on a device is ordered without one.
        """
        if stream is not None:
            raise ValueError(f"to_device: {self.device} takes no stream, got {stream!r}")
        backend = backend_of(device, "to_device")
        if backend is self._type.backend:
            return self
        try:
            moved = array_type(self.dtype, backend, "to_device")
        except Unsupported:
            narrow = narrower(self.dtype, backend)
            if narrow is None:
                raise
            return astype(self, narrow, device=backend.device)
        move = backend.shortcuts.get("move")
        if move is not None and backend.device.kind == self.device.kind:
            return wrap(move(self._data, self._type.backend), moved)
        return wrap(backend.from_host(self._type.backend.to_host(self._data), copy=True), moved)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """DLPack capsule of the array; BufferError where there can be none."""
        return self._type.backend.export(
            self._data, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        """DLPack's device type and number."""
        return self._type.backend.dlpack_device

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The memory of an array on a cuda device; others have no such attribute."""
        if self.device.kind != "cuda":
            raise AttributeError(
                f"__cuda_array_interface__: the array is on {self.device}",
                name="__cuda_array_interface__",
                obj=self,
            )
        backend: Any = self._type.backend
        return backend.array_interface(self._data)

    def _host_view(self, method: str) -> np.ndarray[Any, Any]:
        if self.device.kind != "cpu" and not host_conversion.get():
            raise TypeError(
                f"{method}: the array is on {self.device}; copy it with to_device('cpu') first, or "
                "use extensions.device.host_conversion"
            )
        return self._type.backend.to_host(self._data).view()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """A NumPy array of a cpu array's memory, without a copy unless dtype or copy demand one.

        From another device it is a copy, and has to be allowed; see ``device.host_conversion``.
        """
        if copy is False and self.device.kind != "cpu" and host_conversion.get():
            raise ValueError(f"numpy.asarray: a copy is needed from {self.device}")
        view = self._host_view("numpy.asarray")
        return np.array(view, dtype=dtype, copy=copy) if dtype is not None or copy else view

    def __buffer__(self, flags: int, /) -> memoryview:
        if self.device.kind != "cpu":  # NumPy would take a copy for the array's own memory
            raise BufferError(f"memoryview: the memory is on {self.device}")
        return memoryview(cast("Any", self._host_view("memoryview")))

    def __reduce__(self) -> tuple[Any, ...]:
        host = self._type.backend.to_host(self._data)
        return _restore, (host, self.dtype, str(self.device))

    def __copy__(self) -> Array:
        return wrap(self._type.backend.copy(self._data), self._type)

    def __deepcopy__(self, memo: dict[int, Any], /) -> Array:
        return self.__copy__()

    # Text

    def __dir__(self) -> list[str]:
        hidden = RELAXED_NAMES if relaxed_rules() is None else ()
        if self.device.kind != "cuda":
            hidden = (*hidden, "__cuda_array_interface__")
        return [name for name in super().__dir__() if name not in hidden]

    def __repr__(self) -> str:
        host = self._type.backend.to_host(self._data)
        text = np.array2string(host, separator=", ", prefix="Array(")
        if self.size == 0 and math.prod(self.shape) == 0 and self.shape != (0,):
            text = f"[], shape={self.shape}"
        return f'Array({text}, dtype={self.dtype}, device="{self.device}")'

    def __str__(self) -> str:
        return str(self._type.backend.to_host(self._data))

    def __format__(self, spec: str, /) -> str:
        if not spec:
            return str(self)
        return format(self._item("format"), spec)


def _restore(host: np.ndarray[Any, Any], dtype: DType, device: str) -> Array:
    """Unpickle."""
    backend = backend_of(device, "unpickling")
    return wrap(backend.from_host(host, copy=None), array_type(dtype, backend))


for relaxed_name in RELAXED_NAMES:
    setattr(Array, relaxed_name, RelaxedAttribute(relaxed_name))
bind(Array)
