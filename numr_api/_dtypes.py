"""Data types, their kinds, and the promotion lattice of the standard."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from functools import cache, reduce
from typing import Any, Final

import ml_dtypes
import numpy as np

from numr_api._mode import INITIAL


class DType:
    """A data type: ``name`` ("float32"), ``kind`` (NumPy's letter, of "biufc"), ``itemsize``.

    ``group`` is the kind, but "h" for float16 and bfloat16, and "8" for types of 8 bits, which are
    of kind "f".

    There is one object for each data type, so identity is equality. ``np.dtype(dtype)`` works, and
    a data type equals and hashes like the NumPy data type of the same name.

    If NUMR_API_MODE is "relaxed" when numr_api is imported, it also passes as NumPy's: with
    ``isinstance``, with the attributes that NumPy's have, and in comparisons, of which "<" and the
    like say what can be cast. Its type is this class nevertheless.
    """

    __slots__ = ("__numpy_dtype__", "_array_types", "_hash", "group", "itemsize", "kind", "name")

    def __init__(self, name: str, group: str = "") -> None:
        self.name: Final = name
        self.__numpy_dtype__: Final[np.dtype[Any]] = np.dtype(getattr(ml_dtypes, name, name))
        # To NumPy those of ml_dtypes are of a kind of their own, "V".
        self.kind: Final = "f" if group else self.__numpy_dtype__.kind
        self.group: Final = group or self.kind
        self.itemsize: Final = self.__numpy_dtype__.itemsize
        self._hash: Final = hash(self.__numpy_dtype__)
        self._array_types: Final[dict[Any, Any]] = {}  # by backend; see _devices.array_type

    def __eq__(self, other: object, /) -> builtins.bool:
        if isinstance(other, DType):
            return self is other
        if INITIAL == "relaxed":  # also a name, or a type of NumPy's or Python's
            return self.__numpy_dtype__ == other
        return isinstance(other, np.dtype) and self.__numpy_dtype__ == other

    def __hash__(self) -> builtins.int:
        return self._hash

    def __repr__(self) -> str:
        return f"numr_api.{self.name}"

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> str:
        return self.name  # pickled and copied as this module's constant

    if np.lib.NumpyVersion(np.__version__) < "2.4.0":  # which do not know __numpy_dtype__

        @property
        def dtype(self) -> np.dtype[Any]:
            return self.__numpy_dtype__

    if INITIAL == "relaxed":  # consumers that know NumPy's data types ask for no more than these

        @property
        def __class__(self) -> builtins.type[Any]:  # type: ignore[override]
            return np.dtype

        def __getattr__(self, name: str) -> Any:
            # Slots are looked up here while they are not yet set, as __numpy_dtype__ may be.
            if name not in DType.__slots__:
                try:
                    return getattr(self.__numpy_dtype__, name)
                except AttributeError:
                    pass
            message = f"'DType' object has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=self)

        def __lt__(self, other: object, /) -> builtins.bool:
            return self.__numpy_dtype__ < other  # type: ignore[operator]

        def __le__(self, other: object, /) -> builtins.bool:
            return self.__numpy_dtype__ <= other  # type: ignore[operator]

        def __gt__(self, other: object, /) -> builtins.bool:
            return self.__numpy_dtype__ > other  # type: ignore[operator]

        def __ge__(self, other: object, /) -> builtins.bool:
            return self.__numpy_dtype__ >= other  # type: ignore[operator]


int8 = DType("int8")
int16 = DType("int16")
int32 = DType("int32")
int64 = DType("int64")
uint8 = DType("uint8")
uint16 = DType("uint16")
uint32 = DType("uint32")
uint64 = DType("uint64")
float32 = DType("float32")
float64 = DType("float64")
complex64 = DType("complex64")
complex128 = DType("complex128")
bool = DType("bool")

STANDARD: Final = (
    bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
    float32, float64, complex64, complex128,
)  # fmt: skip

# Numbers of 16 bits are computed in float32 and rounded once; those of 8 bits are only kept, moved
# and converted.
float16 = DType("float16", "h")
bfloat16 = DType("bfloat16", "h")
float8_e4m3fn = DType("float8_e4m3fn", "8")
float8_e5m2 = DType("float8_e5m2", "8")

HALVES: Final = (float16, bfloat16)
EIGHTHS: Final = (float8_e4m3fn, float8_e5m2)
EXTENSIONS: Final = HALVES + EIGHTHS
ALL: Final = STANDARD + EXTENSIONS

BY_NAME: Final = {dtype.name: dtype for dtype in ALL}
BY_NUMPY: Final = {dtype.__numpy_dtype__: dtype for dtype in ALL}
REAL_PART: Final = {complex64: float32, complex128: float64}
COMPLEX_OF: Final = {
    float16: complex64, bfloat16: complex64, float32: complex64, float64: complex128,
}  # fmt: skip

# The kinds of ``isdtype`` and ``__array_namespace_info__().dtypes``, as letters.
KINDS: Final = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


def computed(dtype: DType) -> DType:
    """The dtype in which numbers of a dtype are computed: float32 for narrower ones."""
    return float32 if dtype in EXTENSIONS else dtype


# What functions accept, in the standard's words where it has some, as letters of groups.
ACCEPTED: Final = {
    "any": "biufch8",
    "numeric": "iufch",
    "real-valued": "iufh",
    "floating-point": "fch",
    "real floating-point": "fh",
    "32-bit or wider floating-point": "fc",
    "32-bit or wider real floating-point": "f",
    "complex floating-point": "c",
    "integer": "iu",
    "integer or boolean": "biu",
    "boolean": "b",
}

# Each data type and those directly above it; mixed kinds (integer with float) do not meet. Nor do
# the two halves, though float32 is above both: neither holds the other's numbers, and to double
# the memory unasked is not what either is used for.
WIDER: Final[dict[DType, tuple[DType, ...]]] = {
    int8: (int16,),
    int16: (int32,),
    int32: (int64,),
    uint8: (uint16, int16),
    uint16: (uint32, int32),
    uint32: (uint64, int64),
    float16: (float32,),
    bfloat16: (float32,),
    float32: (float64, complex64),
    float64: (complex128,),
    complex64: (complex128,),
}

# Python's scalar types and the kinds of arrays that each may meet.
SCALAR_KINDS: Final[dict[type, str]] = {
    builtins.bool: "b",
    int: "iufc",
    float: "fc",
    complex: "c",
}


@cache
def above(dtype: DType) -> frozenset[DType]:
    """``dtype`` and all data types that it can be promoted to."""
    return frozenset({dtype}).union(*(above(wider) for wider in WIDER.get(dtype, ())))


def promote(first: DType, second: DType) -> DType:
    """The lowest data type above both. Raises TypeError where the lattice has none."""
    found = _promotions.get((first.name, second.name))
    if found is None:
        raise TypeError(f"{first} and {second} have no common type; cast one with astype")
    return found


def promote_all(dtypes: Sequence[DType]) -> DType:
    """The lowest data type above all of them, in whatever order they come.

    Of more than two the largest come first: float16 and bfloat16 meet beside float32, but not
    alone. Raises TypeError where the lattice has none.
    """
    if len(dtypes) > 2:
        dtypes = sorted(dtypes, key=lambda dtype: -dtype.itemsize)
    return reduce(promote, dtypes)


def _least(common: frozenset[DType]) -> DType | None:
    """The data type in a set that all others in it are above."""
    return next((dtype for dtype in common if common <= above(dtype)), None)


_promotions: Final = {
    (first.name, second.name): (
        None if {first, second} == set(HALVES) else _least(above(first) & above(second))
    )
    for first in ALL
    for second in ALL
}


def scalar_range(dtype: DType) -> tuple[int, int]:
    """Smallest and largest value of an integer data type."""
    info = np.iinfo(dtype.__numpy_dtype__)
    return int(info.min), int(info.max)
